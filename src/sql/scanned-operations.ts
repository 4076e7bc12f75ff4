import { expressionReader, type HoleIndexAt } from './expressions.js';
import { keysAmong } from './expression-walk.js';
import type { Catalogue } from './lock-functions.js';
import type { LockOperation, SqlExpression, SqlRange } from './model.js';
import { type SqlParser, SqlSyntaxError } from './parser.js';
import type { RenderedSql } from './rendered-sql.js';
import { rangeOfRun, shiftedSource, sourceOf } from './sql-source.js';
import { callAt, foldedName, isNameToken, scanTokens, textAt, type TokenCall, type TokenView } from './tokens.js';

/** Text that the parser rejects and the scanner accepts. */
export interface ScannedText {
  parser: SqlParser;
  rendered: RenderedSql;
  /** The input text. */
  text: string;
  catalogue: Catalogue;
  holeIndexAt: HoleIndexAt;
  /** Index of the first statement in it. */
  statement: number;
}

/** What stands between the semicolons of a text; in UTF-8 bytes, the last end being infinite. */
export function statementsByTokens(view: TokenView): { start: number; end: number }[] {
  const found: { start: number; end: number }[] = [];
  let start = 0;
  view.tokens.forEach((token, index) => {
    if (token.text !== ';' || view.enclosing(index) !== -1) return;
    found.push({ start, end: token.start });
    start = token.end;
  });
  found.push({ start, end: Infinity });
  return found;
}

/** The lock functions that the tokens of a text call: name, keys and range are certain, the structure is unknown. */
export function scanOperations(scanned: ScannedText): LockOperation[] {
  const { parser, rendered, text, catalogue } = scanned;
  const source = sourceOf(parser, rendered, text);
  const { view } = source;
  if (!view) return [];
  const operations: LockOperation[] = [];
  let { statement } = scanned;
  view.tokens.forEach((token, index) => {
    if (token.text === ';') statement += 1;
    if (!isNameToken(token) || textAt(view, index - 1) === '.') return;
    // CREATE FUNCTION, DROP FUNCTION and GRANT … ON FUNCTION name a function without calling it.
    if (/^(?:function|procedure|routine)$/i.test(textAt(view, index - 1))) return;
    const call = callAt(view, index);
    if (!call) return;
    const lock = catalogue.find(foldedName(view, call.run.first, call.name));
    if (!lock) return;
    const values = readArguments(scanned, view, call);
    operations.push({
      kind: 'lock',
      name: lock.name,
      dialect: lock.dialect,
      action: lock.action,
      level: lock.level,
      mode: lock.mode,
      returns: lock.returns,
      keys: keysAmong(lock, values),
      arguments: values,
      clause: 'unknown',
      query: null,
      aggregated: false,
      guarded: false,
      casts: [],
      column: null,
      usedInSql: false,
      sortKey: false,
      body: null,
      statement,
      range: rangeOfRun(source, call.run),
      nameRange: rangeOfRun(source, { first: call.name, last: call.name }),
    });
  });
  return operations;
}

const PREFIX = 'SELECT ';

/** Arguments of longer calls are not read: calls may be nested, and each is parsed by itself. */
const LONGEST_CALL = 2_000;

/** The arguments of a call, read by parsing the call alone. */
function readArguments(scanned: ScannedText, view: TokenView, call: TokenCall): SqlExpression[] {
  const { parser, rendered, text, holeIndexAt } = scanned;
  const source = sourceOf(parser, rendered, text);
  const start = view.tokens[call.run.first]?.start ?? 0;
  const end = view.tokens[call.run.last]?.end ?? 0;
  const sql = PREFIX + rendered.sql.slice(rendered.characterOf(start), rendered.characterOf(end));
  const unknown = (): SqlExpression[] =>
    call.arguments.map((run) => {
      const range: SqlRange = rangeOfRun(source, run);
      return { kind: 'unknown', range };
    });
  if (end - start > LONGEST_CALL) return unknown();
  try {
    const select = parser.parse(sql).stmts?.[0]?.stmt;
    const target = select && 'SelectStmt' in select ? select.SelectStmt.targetList?.[0] : undefined;
    const value = target && 'ResTarget' in target ? target.ResTarget.val : undefined;
    if (!value || !('FuncCall' in value)) return unknown();
    const inner = shiftedSource(source, scanTokens(parser, sql), start - PREFIX.length);
    const innerCall = inner.view ? callAt(inner.view, 1) : null;
    if (!innerCall) return unknown();
    const read = expressionReader(inner, holeIndexAt);
    return (value.FuncCall.args ?? []).map((argument, index) =>
      read(argument, innerCall.arguments[index] ?? innerCall.run),
    );
  } catch (error) {
    if (error instanceof SqlSyntaxError) return unknown();
    throw error;
  }
}
