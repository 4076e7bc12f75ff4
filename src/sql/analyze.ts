import type { Node, RawStmt } from '@pgsql/types';

import { firstWord, parseFragment, walkFragment } from './fragments.js';
import { builtInCatalogue, type Catalogue, mentionsLock } from './lock-functions.js';
import { type StatementWalk, walkStatement } from './lock-operations.js';
import { HOLE, type LockOperation, type SqlAnalysis, type SqlInput, type SqlOperation, type SqlStatement } from './model.js';
import { normalize, type NormalizedSql, withWindow } from './normalize.js';
import { MAXIMUM_SQL_LENGTH, nodeSqlParser, type SqlParser } from './parser.js';
import type { RenderedSql } from './rendered-sql.js';
import { parseWithRepair, type Repaired } from './repair.js';
import { scanOperations, statementsByTokens } from './scanned-operations.js';
import type { Slot, Spelling } from './slots.js';
import { type SqlSource, sourceOf } from './sql-source.js';
import { isConcurrent, isWriting, sessionOperationOf, statementCharacters, statementKind, walkStatementNode } from './statements.js';

type Parsed = Extract<Repaired, { kind: 'parsed' }>;
type Failed = Extract<Repaired, { kind: 'failed' }>;

/** What one analysis passes around. */
interface Analyzing {
  input: SqlInput;
  catalogue: Catalogue;
  parser: SqlParser;
  normalized: NormalizedSql;
  /** The text names a lock function or a function that changes the session. */
  mentions: boolean;
  holeIndexAt: (offset: number) => number;
}

const SESSION_FUNCTIONS = /set_config|pg_terminate_backend/i;

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
  try {
    const analyzing: Analyzing = {
      input,
      catalogue,
      parser,
      normalized: normalize(input),
      mentions: mentionsLock(text, catalogue.extraNames) || SESSION_FUNCTIONS.test(text),
      holeIndexAt: holeCounter(text),
    };
    return analyze(analyzing);
  } catch (error) {
    // A tree nested too deeply for the walk through it.
    if (error instanceof RangeError) return unknownAnalysis(form, 'the text is nested too deeply');
    throw error;
  }
}

function unknownAnalysis(form: SqlAnalysis['form'], message: string): SqlAnalysis {
  return { status: 'unknown', form, statements: [], operations: [], gaps: [], error: { message, at: -1 } };
}

/** How many holes stand before an offset. */
function holeCounter(text: string): (offset: number) => number {
  return (offset) => {
    let count = 0;
    for (let at = text.indexOf(HOLE); at !== -1 && at < offset; at = text.indexOf(HOLE, at + 1)) count += 1;
    return count;
  };
}

function analyze(analyzing: Analyzing): SqlAnalysis {
  const { input, parser, normalized } = analyzing;
  const asStatement = (): Repaired => parseWithRepair(parser, normalized);
  if (input.form === 'statement') {
    const parsed = asStatement();
    return parsed.kind === 'parsed' ? parsedAnalysis(analyzing, parsed) : scannedAnalysis(analyzing, parsed, 'statement');
  }
  const word = firstWord(input.text);
  const statementFirst = input.form === 'either' && (word === '' || STATEMENT_WORDS.has(word));
  let parsed = statementFirst ? asStatement() : null;
  if (parsed?.kind === 'parsed') return parsedAnalysis(analyzing, parsed);
  const fragment = fragmentAnalysis(analyzing);
  if (fragment) return fragment;
  parsed ??= asStatement();
  if (parsed.kind === 'parsed') return parsedAnalysis(analyzing, parsed);
  return scannedAnalysis(analyzing, parsed, statementFirst && word !== '' ? 'statement' : 'expression');
}

/** The holes that are read as nothing at all. */
function gapsOf({ slots }: NormalizedSql, spellingOf: (slot: Slot) => Spelling): number[] {
  return slots.flatMap((slot) => (slot.origin.kind === 'hole' && spellingOf(slot) === 'gap' ? [slot.origin.index] : []));
}

/** Whether a hole may hold SQL of its own, which could read any column. */
function isUncertain({ slots }: NormalizedSql): boolean {
  return slots.some(({ origin }) => origin.kind === 'hole' && (origin.hole === 'unknown' || origin.hole === 'fragment'));
}

function walkFor(analyzing: Analyzing, source: SqlSource, statement: number, body: LockOperation['body']): StatementWalk {
  return walkStatement({
    source,
    dialect: analyzing.input.dialect,
    catalogue: analyzing.catalogue,
    statement,
    body,
    wantsRanges: analyzing.mentions,
    holeIndexAt: analyzing.holeIndexAt,
  });
}

function fragmentAnalysis(analyzing: Analyzing): SqlAnalysis | null {
  const { input, parser, normalized } = analyzing;
  const fragment = parseFragment(parser, normalized);
  if (!fragment) return null;
  const walk = walkFor(analyzing, sourceOf(parser, fragment.rendered, input.text), 0, null);
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

interface Statements {
  statements: SqlStatement[];
  operations: SqlOperation[];
}

function parsedAnalysis(analyzing: Analyzing, parsed: Parsed): SqlAnalysis {
  return {
    status: 'parsed',
    form: 'statement',
    ...analyzeStatements(analyzing, parsed, 0),
    gaps: gapsOf(analyzing.normalized, parsed.spellingOf),
    error: null,
  };
}

/** @param first the index of the first of the statements in the input text */
function analyzeStatements(analyzing: Analyzing, parsed: Parsed, first: number): Statements {
  const source = sourceOf(analyzing.parser, parsed.rendered, analyzing.input.text);
  const statements: SqlStatement[] = [];
  const operations: SqlOperation[] = [];
  for (const raw of parsed.tree.stmts ?? []) {
    if (!raw.stmt) continue;
    const index = first + statements.length;
    const analyzed = analyzeStatement(analyzing, source, parsed.rendered, raw, raw.stmt, index);
    statements.push(analyzed.statement);
    operations.push(...analyzed.operations);
  }
  return { statements, operations };
}

function analyzeStatement(
  analyzing: Analyzing,
  source: SqlSource,
  rendered: RenderedSql,
  raw: RawStmt,
  node: Node,
  index: number,
): { statement: SqlStatement; operations: SqlOperation[] } {
  const characters = statementCharacters(raw, rendered.sql, rendered.characterOf);
  const range = rendered.rangeOfCharacters(characters.start, characters.end);
  const walks: StatementWalk[] = [];
  const query = walkStatementNode(node, (body) => {
    const walk = walkFor(analyzing, source, index, body);
    walks.push(walk);
    return walk;
  });
  if (query) query.level.range = range;
  const session = sessionOperationOf(node, index, range);
  const uncertain = isUncertain(analyzing.normalized);
  return {
    statement: {
      index,
      kind: statementKind(node),
      range,
      query: query?.level ?? null,
      concurrently: isConcurrent(node),
      writes: isWriting(node),
      columns: query?.columns ?? [],
    },
    operations: [...(session ? [session] : []), ...walks.flatMap((walk) => walk.operations(uncertain))],
  };
}

/** How many statements of a text that does not parse as a whole are tried one by one. */
const MOST_PIECES = 100;

/** Statement by statement, those that parse are read as usual; of the others, only tokens are. */
function scannedAnalysis(analyzing: Analyzing, failed: Failed, form: SqlAnalysis['form']): SqlAnalysis {
  const { input, parser, normalized } = analyzing;
  const { view } = sourceOf(parser, failed.rendered, input.text);
  if (!view) return { ...unknownAnalysis(form, failed.error.message), error: failed.error };
  const pieces = form === 'statement' ? statementsByTokens(view) : [];
  const result = { form, statements: [], gaps: [], error: failed.error } as const;
  if (pieces.length < 2 || pieces.length > MOST_PIECES) {
    return { ...result, status: 'scanned', operations: scanFailed(analyzing, failed, 0) };
  }

  const statements: SqlStatement[] = [];
  const operations: SqlOperation[] = [];
  const gaps: number[] = [];
  pieces.forEach(({ start, end }, index) => {
    const piece = withWindow(normalized, failed.rendered.rangeOf(start, end));
    const parsed = parseWithRepair(parser, piece);
    if (parsed.kind === 'parsed') {
      const found = analyzeStatements({ ...analyzing, normalized: piece }, parsed, index);
      statements.push(...found.statements);
      operations.push(...found.operations);
      gaps.push(...gapsOf(piece, parsed.spellingOf));
    } else {
      operations.push(...scanFailed(analyzing, parsed, index));
    }
  });
  return { ...result, status: 'scanned', statements, operations, gaps };
}

function scanFailed(analyzing: Analyzing, { rendered }: Failed, statement: number): LockOperation[] {
  const { input, parser, catalogue, holeIndexAt, mentions } = analyzing;
  if (!mentions) return [];
  return scanOperations({ parser, rendered, text: input.text, catalogue, holeIndexAt, statement });
}
