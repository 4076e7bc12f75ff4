import type { CreateFunctionStmt, DoStmt, Node } from '@pgsql/types';

import { type AnalysisContext, gapsOf, isUncertain, walkIn } from './analysis-context.js';
import type { StatementWalk, TopQuery } from './lock-operations.js';
import type { LockOperation, SqlOperation, SqlRange } from './model.js';
import { normalize, type NormalizedSql, withWindow } from './normalize.js';
import { contentOf, listItems, stringOf } from './parse-tree.js';
import { type BodyPiece, literalBody, readBody } from './plpgsql.js';
import { render } from './rendered-sql.js';
import { parseWithRepair } from './repair.js';
import { scanOperations } from './scanned-operations.js';
import { rangeOfRun, type SqlSource, sourceOf } from './sql-source.js';
import { sessionOperationOf, walkStatementNode } from './statements.js';
import type { TokenView } from './tokens.js';

interface Routine {
  language: string;
  /** Byte offset of the AS clause; null for a body in standard SQL. */
  as: number | null;
  body: NonNullable<LockOperation['body']>;
  parsedBody: Node | undefined;
}

function routineOf(options: readonly Node[] | undefined): Pick<Routine, 'language' | 'as'> {
  let language = '';
  let as: number | null = null;
  for (const option of options ?? []) {
    if (!('DefElem' in option)) continue;
    const { defname, arg, location } = option.DefElem;
    if (defname === 'language') language = (stringOf(arg) ?? '').toLowerCase();
    if (defname === 'as') as = location ?? 0;
  }
  return { language, as };
}

function ofFunction({ options, sql_body }: CreateFunctionStmt): Routine {
  return { ...routineOf(options), body: 'function', parsedBody: sql_body };
}

function ofDo({ args }: DoStmt): Routine {
  const { language, as } = routineOf(args);
  return { language: language || 'plpgsql', as, body: 'do', parsedBody: undefined };
}

/** What a body holds; `gaps` as in `SqlAnalysis`. */
export interface BodyFindings {
  operations: SqlOperation[];
  gaps: number[];
}

const nothing = (): BodyFindings => ({ operations: [], gaps: [] });

const together = (findings: readonly BodyFindings[]): BodyFindings => ({
  operations: findings.flatMap(({ operations }) => operations),
  gaps: findings.flatMap(({ gaps }) => gaps),
});

/**
 * What the body of a DO, CREATE FUNCTION or CREATE PROCEDURE statement does, in the order of its text; nothing for any
 * other statement, and for languages other than SQL and PL/pgSQL. Of a stored body only locks are told.
 */
export function readRoutine(
  context: AnalysisContext,
  source: SqlSource,
  node: Node,
  statement: number,
): BodyFindings {
  const routine =
    'DoStmt' in node ? ofDo(node.DoStmt) : 'CreateFunctionStmt' in node ? ofFunction(node.CreateFunctionStmt) : null;
  if (!routine) return nothing();
  if (routine.parsedBody) return standardBody(context, source, routine.parsedBody, statement);
  const literal = routine.as === null ? null : literalRange(source, routine.as);
  const found = literal && literalBody(context.input.text, literal);
  if (!found) return nothing();
  const input = { ...context.input, text: found.text };
  const normalized = normalize(input, found.window, context.holeIndexAt(found.window.start));
  const inner = { ...context, input, normalized };
  if (routine.language === 'sql') return sqlBody(inner, statement);
  return routine.language === 'plpgsql' ? plpgsqlBody(inner, routine.body, statement) : nothing();
}

function literalRange({ view, rangeOf }: SqlSource, byte: number): SqlRange | null {
  const first = view?.indexAt(byte) ?? -1;
  const token = first < 0 ? undefined : view?.tokens.slice(first, first + 2).find(({ tokenName }) => tokenName === 'SCONST');
  return token ? rangeOf(token.start, token.end) : null;
}

/** BEGIN ATOMIC … END and RETURN: already part of the statement's tree. */
function standardBody(context: AnalysisContext, source: SqlSource, body: Node, statement: number): BodyFindings {
  const walk = walkIn(context, source, { statement, body: 'function', guarded: false });
  const nodes = 'List' in body ? listItems(body).flatMap(listItems) : [body];
  for (const node of nodes) {
    if (!walk.query(node, { outlet: { kind: 'stored' } })) walk.expression(contentOf(node));
  }
  return { operations: walk.operations(isUncertain(context.normalized)), gaps: [] };
}

/** A string of SQL commands; the last one's rows are the function's result. */
function sqlBody(context: AnalysisContext, statement: number): BodyFindings {
  const { parser, normalized, input } = context;
  const parsed = parseWithRepair(parser, normalized);
  if (parsed.kind === 'failed') return scanned(context, normalized, 'function', statement);
  const source = sourceOf(parser, parsed.rendered, input.text);
  const operations = (parsed.tree.stmts ?? []).flatMap(({ stmt }) => {
    const walk = walkIn(context, source, { statement, body: 'function', guarded: false });
    if (stmt) walk.query(stmt, { outlet: { kind: 'stored' } });
    return walk.operations(isUncertain(normalized));
  });
  return { operations, gaps: gapsOf(normalized, parsed.spellingOf) };
}

function plpgsqlBody(context: AnalysisContext, body: Routine['body'], statement: number): BodyFindings {
  const { parser, normalized, input } = context;
  const rendered = render(normalized, (slot) => slot.spellings[0] ?? 'value');
  const read = readBody(parser, rendered.sql);
  if (!read) return nothing();
  const source = sourceOf(parser, rendered, input.text);
  return together(
    read.pieces.map((piece) => {
      const window = pieceWindow(source, read.view, piece, normalized);
      const into = piece.into && rangeOfRun(source, piece.into);
      return readPiece(context, piece, pieceText(normalized, piece, window, into), body, statement);
    }),
  );
}

/** A piece reaches to the next token, so that a hole that is read as nothing belongs to it. */
function pieceWindow(source: SqlSource, { tokens }: TokenView, { run }: BodyPiece, normalized: NormalizedSql): SqlRange {
  const { start, end } = rangeOfRun(source, run);
  const next = tokens[run.last + 1];
  return { start, end: next ? Math.max(end, source.rangeOf(next.start, next.end).start) : normalized.window.end };
}

/** The piece as SQL: PERFORM is a SELECT whose rows are dropped, and an INTO clause is PL/pgSQL's, not SQL's. */
function pieceText(normalized: NormalizedSql, piece: BodyPiece, window: SqlRange, into: SqlRange | null): NormalizedSql {
  const inWindow = withWindow(normalized, window);
  const respell = (range: SqlRange, replacement: string): NormalizedSql => {
    const outside = (edit: SqlRange): boolean => edit.end <= range.start || edit.start >= range.end;
    const edits = [...inWindow.edits.filter(outside), { kind: 'respelling', ...range, replacement } as const];
    edits.sort((one, other) => one.start - other.start);
    return { ...inWindow, edits, slots: inWindow.slots.filter(outside) };
  };
  if (piece.kind === 'perform') return respell({ start: window.start, end: window.start + 'perform'.length }, 'SELECT');
  return into ? respell(into, ' ') : inWindow;
}

const KEPT_IN_DO = new Set<SqlOperation['kind']>(['set', 'reset', 'set-isolation', 'discard']);

function readPiece(
  context: AnalysisContext,
  piece: BodyPiece,
  normalized: NormalizedSql,
  body: Routine['body'],
  statement: number,
): BodyFindings {
  const { parser, input } = context;
  const wrapper = piece.kind === 'expression' ? { before: 'SELECT ', after: '\n' } : undefined;
  const parsed = piece.kind === 'mixed' ? null : parseWithRepair(parser, normalized, wrapper);
  const [raw, ...others] = parsed?.kind === 'parsed' ? (parsed.tree.stmts ?? []) : [];
  if (parsed?.kind !== 'parsed' || !raw?.stmt || others.length > 0) {
    return scanned(context, normalized, body, statement, piece);
  }

  const source = sourceOf(parser, parsed.rendered, input.text);
  const walk = walkIn({ ...context, normalized }, source, { statement, body, guarded: piece.guarded });
  const operations: SqlOperation[] = [];
  switch (piece.kind) {
    case 'expression': {
      const select = 'SelectStmt' in raw.stmt ? raw.stmt.SelectStmt : null;
      // An expression may go on like a query: `count(*) > 0 FROM jobs`.
      if (select && !select.fromClause) walk.expression(Object.values(select));
      else walkQuery(walk, raw.stmt, { outlet: { kind: 'stored' } }, normalized.window);
      break;
    }
    case 'perform':
      walkQuery(walk, raw.stmt, { outlet: { kind: 'discarded' }, selectClause: 'perform' }, normalized.window);
      break;
    case 'command': {
      const outlet = { kind: piece.used ? 'stored' : 'discarded' } as const;
      if (!walkQuery(walk, raw.stmt, { outlet }, normalized.window)) walkStatementNode(raw.stmt, {}, () => walk);
      const session = sessionOperationOf(raw.stmt, statement, normalized.window);
      const ends = session?.kind === 'commit' || session?.kind === 'rollback';
      if (session && body === 'do' && (KEPT_IN_DO.has(session.kind) || (ends && !piece.guarded))) operations.push(session);
      break;
    }
    case 'mixed':
      break;
    default:
      piece.kind satisfies never;
  }
  return {
    operations: [...operations, ...walk.operations(isUncertain(normalized))],
    gaps: gapsOf(normalized, parsed.spellingOf),
  };
}

function walkQuery(walk: StatementWalk, node: Node, top: Partial<TopQuery>, range: SqlRange): boolean {
  const query = walk.query(node, top);
  if (query) query.level.range = range;
  return query !== null;
}

/** What the tokens alone show of a piece, or of a whole body, that does not parse. */
function scanned(
  context: AnalysisContext,
  normalized: NormalizedSql,
  body: Routine['body'],
  statement: number,
  { used, guarded }: Pick<BodyPiece, 'used' | 'guarded'> = { used: false, guarded: false },
): BodyFindings {
  const { parser, catalogue, holeIndexAt, input } = context;
  const rendered = render(normalized, (slot) => slot.spellings[0] ?? 'value');
  const found = scanOperations({ parser, rendered, text: input.text, catalogue, holeIndexAt, statement });
  return {
    operations: found.map((operation) => ({ ...operation, body, statement, usedInSql: used, guarded })),
    gaps: [],
  };
}
