import type { Node, RawStmt } from '@pgsql/types';

import {
  type AnalysisContext,
  type Failed,
  gapsOf,
  holeCounter,
  isUncertain,
  type Parsed,
  walkIn,
} from './analysis-context.js';
import { firstWord, parseFragment, walkFragment } from './fragments.js';
import { builtInCatalogue, type Catalogue, mentionsLock } from './lock-functions.js';
import type { StatementWalk, TopQuery } from './lock-operations.js';
import type { LockOperation, SqlAnalysis, SqlInput, SqlOperation, SqlStatement } from './model.js';
import { normalize, withWindow } from './normalize.js';
import { MAXIMUM_SQL_LENGTH, nodeSqlParser, type SqlParser } from './parser.js';
import type { RenderedSql } from './rendered-sql.js';
import { parseWithRepair, type Repaired } from './repair.js';
import { readRoutine } from './routine-bodies.js';
import { scanOperations, statementsByTokens } from './scanned-operations.js';
import { type SqlSource, sourceOf } from './sql-source.js';
import {
  isConcurrent,
  isWriting,
  sessionOperationOf,
  statementCharacters,
  statementKind,
  walkStatementNode,
} from './statements.js';

const SESSION_FUNCTIONS = /set_config|pg_terminate_backend/i;

/** The server's scanner takes quadratic time for a run of operator characters, in code and in nested comments. */
const OPERATOR_RUN = /[~!@#^&|`?+\-*/%<>=]{1000}/;

/** Words a statement can begin with; a text that begins with another one is tried as a fragment first. */
const STATEMENT_WORDS = new Set(
  (
    'abort alter analyze begin call checkpoint close cluster comment commit copy create deallocate declare delete discard ' +
    'do drop end execute explain fetch grant import insert listen load lock merge move notify prepare reassign refresh ' +
    'reindex release replace reset revoke rollback savepoint security select set show start table truncate unlisten ' +
    'update vacuum values with'
  ).split(' '),
);

/**
 * Says what a piece of SQL does to advisory locks and to its session. Total: whatever the text is, there is an answer,
 * in the worst case one of status `unknown`. Throws only `SqlParserUnavailableError`, where no parser can run at all.
 * Pure, and cheap enough for every statement of a file (about a tenth of a millisecond); callers memoise.
 * @param catalogue the built-in lock functions, or those together with the user's own
 */
export function analyzeSql(
  input: SqlInput,
  catalogue: Catalogue = builtInCatalogue,
  parser: SqlParser = nodeSqlParser(),
): SqlAnalysis {
  const { text } = input;
  const form = input.form === 'expression' ? 'expression' : 'statement';
  if (text.length > MAXIMUM_SQL_LENGTH) return unknownAnalysis(form, 'the text is too long to be parsed');
  if (text.includes('\0')) return unknownAnalysis(form, 'the text contains a NUL character');
  if (OPERATOR_RUN.test(text)) return unknownAnalysis(form, 'the text contains an endless operator');
  try {
    const context: AnalysisContext = {
      input,
      catalogue,
      parser,
      normalized: normalize(input),
      mentions: mentionsLock(text, catalogue.extraNames) || SESSION_FUNCTIONS.test(text),
      holeIndexAt: holeCounter(text),
    };
    return analyze(context);
  } catch (error) {
    // A tree nested too deeply for the walk through it.
    if (error instanceof RangeError) return unknownAnalysis(form, 'the text is nested too deeply');
    throw error;
  }
}

function unknownAnalysis(form: SqlAnalysis['form'], message: string): SqlAnalysis {
  return { status: 'unknown', form, statements: [], operations: [], gaps: [], error: { message, at: -1 } };
}

function analyze(context: AnalysisContext): SqlAnalysis {
  const { input, parser, normalized } = context;
  const asStatement = (): Repaired => parseWithRepair(parser, normalized);
  if (input.form === 'statement') {
    const parsed = asStatement();
    return parsed.kind === 'parsed' ? parsedAnalysis(context, parsed) : scannedAnalysis(context, parsed, 'statement');
  }
  const word = firstWord(input.text);
  const statementFirst = input.form === 'either' && (word === '' || STATEMENT_WORDS.has(word));
  let parsed = statementFirst ? asStatement() : null;
  if (parsed?.kind === 'parsed') return parsedAnalysis(context, parsed);
  const fragment = fragmentAnalysis(context);
  if (fragment) return fragment;
  parsed ??= asStatement();
  if (parsed.kind === 'parsed') return parsedAnalysis(context, parsed);
  return scannedAnalysis(context, parsed, statementFirst && word !== '' ? 'statement' : 'expression');
}

function fragmentAnalysis(context: AnalysisContext): SqlAnalysis | null {
  const { input, parser, normalized } = context;
  const fragment = parseFragment(parser, normalized);
  if (!fragment) return null;
  const source = sourceOf(parser, fragment.rendered, input.text);
  const walk = walkIn(context, source, { statement: 0, body: null, guarded: false });
  walkFragment(fragment, walk);
  return {
    status: 'parsed',
    form: 'expression',
    statements: [],
    operations: walk.operations(isUncertain(normalized)),
    gaps: gapsOf(normalized, fragment.spellingOf),
    error: null,
  };
}

type Statements = Pick<SqlAnalysis, 'statements' | 'operations' | 'gaps'>;

function parsedAnalysis(context: AnalysisContext, parsed: Parsed): SqlAnalysis {
  return {
    status: 'parsed',
    form: 'statement',
    ...analyzeStatements(context, parsed, 0),
    error: null,
  };
}

/** @param first the index of the first of the statements in the input text */
function analyzeStatements(context: AnalysisContext, parsed: Parsed, first: number): Statements {
  const source = sourceOf(context.parser, parsed.rendered, context.input.text);
  const statements: SqlStatement[] = [];
  const operations: SqlOperation[] = [];
  const gaps = gapsOf(context.normalized, parsed.spellingOf);
  for (const raw of parsed.tree.stmts ?? []) {
    if (!raw.stmt) continue;
    const index = first + statements.length;
    const analyzed = analyzeStatement(context, source, parsed.rendered, raw, raw.stmt, index);
    statements.push(analyzed.statement);
    operations.push(...analyzed.operations);
    gaps.push(...analyzed.gaps);
  }
  return { statements, operations, gaps };
}

function analyzeStatement(
  context: AnalysisContext,
  source: SqlSource,
  rendered: RenderedSql,
  raw: RawStmt,
  node: Node,
  index: number,
): { statement: SqlStatement; operations: SqlOperation[]; gaps: number[] } {
  const characters = statementCharacters(raw, rendered.sql, rendered.characterOf);
  const range = rendered.rangeOfCharacters(characters.start, characters.end);
  const walks: StatementWalk[] = [];
  const isDo = context.input.dialect === 'mysql' && /^do\b/i.test(context.input.text.slice(range.start, range.start + 3));
  const top: Partial<TopQuery> = isDo ? { outlet: { kind: 'discarded' }, selectClause: 'perform' } : {};
  const query = walkStatementNode(node, top, (body) => {
    const walk = walkIn(context, source, { statement: index, body, guarded: false });
    walks.push(walk);
    return walk;
  });
  if (query) query.level.range = range;
  const session = sessionOperationOf(node, index, range);
  const body = context.mentions || 'DoStmt' in node ? readRoutine(context, source, node, index) : null;
  const uncertain = isUncertain(context.normalized);
  const tableColumns = walks.map((walk) => walk.tableColumns());
  return {
    statement: {
      index,
      kind: isDo ? 'do' : statementKind(node),
      range,
      query: query?.level ?? null,
      concurrently: isConcurrent(node),
      writes: isWriting(node),
      columns: query?.columns ?? [],
      returnedColumns: [...new Set(tableColumns.flatMap(({ returned }) => returned))],
      keyColumns: [...new Set(tableColumns.flatMap(({ keys }) => keys))],
    },
    operations: [
      ...(session ? [session] : []),
      ...walks.flatMap((walk) => walk.operations(uncertain)),
      ...(body?.operations ?? []),
    ],
    gaps: body?.gaps ?? [],
  };
}

/** How many statements of a text that does not parse as a whole are tried one by one. */
const MOST_PIECES = 100;

/** Statement by statement, those that parse are read as usual; of the others, only tokens are. */
function scannedAnalysis(context: AnalysisContext, failed: Failed, form: SqlAnalysis['form']): SqlAnalysis {
  const { input, parser, normalized } = context;
  const { view } = sourceOf(parser, failed.rendered, input.text);
  if (!view) return { ...unknownAnalysis(form, failed.error.message), error: failed.error };
  const pieces = form === 'statement' ? statementsByTokens(view) : [];
  const result = { form, statements: [], gaps: [], error: failed.error } as const;
  if (pieces.length < 2 || pieces.length > MOST_PIECES) {
    return { ...result, status: 'scanned', operations: scanFailed(context, failed, 0) };
  }

  const statements: SqlStatement[] = [];
  const operations: SqlOperation[] = [];
  const gaps: number[] = [];
  let index = 0;
  for (const { start, end } of pieces) {
    const piece = withWindow(normalized, failed.rendered.rangeOf(start, end));
    const parsed = parseWithRepair(parser, piece);
    if (parsed.kind === 'parsed') {
      const found = analyzeStatements({ ...context, normalized: piece }, parsed, index);
      statements.push(...found.statements);
      operations.push(...found.operations);
      gaps.push(...found.gaps);
      index += found.statements.length;
    } else {
      operations.push(...scanFailed(context, parsed, index));
      index += 1;
    }
  }
  return { ...result, status: 'scanned', statements, operations, gaps };
}

function scanFailed(context: AnalysisContext, { rendered }: Failed, statement: number): LockOperation[] {
  const { input, parser, catalogue, holeIndexAt, mentions } = context;
  if (!mentions) return [];
  return scanOperations({ parser, rendered, text: input.text, catalogue, holeIndexAt, statement });
}
