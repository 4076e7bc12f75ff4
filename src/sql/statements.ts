import type { DefElem, Node, RawStmt, TransactionStmt, VariableSetStmt } from '@pgsql/types';

import { isolationLevel, isolationOperation } from './isolation.js';
import type { StatementWalk, TopQuery, WalkedQuery } from './lock-operations.js';
import type { IsolationLevel, SessionOperation, SqlRange, StatementKind } from './model.js';
import { contentOf, literalText, stringOf } from './parse-tree.js';
import { isKnownText } from './unknown-text.js';

/** What a statement is, apart from the locks in it. */
export interface StatementFacts {
  kind: StatementKind;
  query: WalkedQuery | null;
  concurrently: boolean;
  writes: boolean;
}

type SessionChange = SessionOperation extends infer Operation
  ? Operation extends SessionOperation
    ? Omit<Operation, 'statement' | 'range'>
    : never
  : never;

/** The kind of a statement by its parse tree, with sub-commands of one family together: ROLLBACK TO is a `savepoint`. */
export function statementKind(node: Node): StatementKind {
  if ('SelectStmt' in node) return (node.SelectStmt.valuesLists?.length ?? 0) > 0 ? 'values' : 'select';
  if ('InsertStmt' in node) return 'insert';
  if ('UpdateStmt' in node) return 'update';
  if ('DeleteStmt' in node) return 'delete';
  if ('MergeStmt' in node) return 'merge';
  if ('CallStmt' in node) return 'call';
  if ('VariableSetStmt' in node) return 'set';
  if ('DiscardStmt' in node) return 'discard';
  if ('IndexStmt' in node) return 'create-index';
  if ('ReindexStmt' in node) return 'reindex';
  if ('DoStmt' in node) return 'do';
  if ('CreateFunctionStmt' in node) return 'create-function';
  if ('DropStmt' in node) return node.DropStmt.removeType === 'OBJECT_INDEX' ? 'drop-index' : 'other';
  if ('TransactionStmt' in node) return transactionKind(node.TransactionStmt);
  return 'other';
}

function transactionKind({ kind }: TransactionStmt): StatementKind {
  switch (kind) {
    case 'TRANS_STMT_BEGIN':
    case 'TRANS_STMT_START':
      return 'begin';
    // The session has no open transaction any more: https://www.postgresql.org/docs/18/sql-prepare-transaction.html
    case 'TRANS_STMT_PREPARE':
    case 'TRANS_STMT_COMMIT':
      return 'commit';
    case 'TRANS_STMT_ROLLBACK':
      return 'rollback';
    case 'TRANS_STMT_SAVEPOINT':
    case 'TRANS_STMT_RELEASE':
    case 'TRANS_STMT_ROLLBACK_TO':
      return 'savepoint';
    default:
      return 'other';
  }
}

const definition = (nodes: readonly Node[] | undefined, name: string): DefElem | undefined =>
  nodes?.flatMap((node) => ('DefElem' in node && node.DefElem.defname === name ? [node.DefElem] : [])).at(0);

function isolationOption(nodes: readonly Node[] | undefined): { isolation: IsolationLevel | null } | null {
  const option = definition(nodes, 'transaction_isolation');
  return option ? { isolation: isolationLevel(literalText(option.arg)) } : null;
}

function transactionChange({ kind, options, savepoint_name, chain }: TransactionStmt): SessionChange | null {
  const name = savepoint_name !== undefined && isKnownText(savepoint_name) ? savepoint_name : null;
  switch (kind) {
    case 'TRANS_STMT_BEGIN':
    case 'TRANS_STMT_START':
      return { kind: 'begin', isolation: isolationOption(options)?.isolation ?? null };
    case 'TRANS_STMT_PREPARE':
    case 'TRANS_STMT_COMMIT':
      return { kind: 'commit', chain: chain === true };
    case 'TRANS_STMT_ROLLBACK':
      return { kind: 'rollback', chain: chain === true };
    case 'TRANS_STMT_SAVEPOINT':
      return { kind: 'savepoint', name };
    case 'TRANS_STMT_RELEASE':
      return { kind: 'release-savepoint', name };
    case 'TRANS_STMT_ROLLBACK_TO':
      return { kind: 'rollback-to', name };
    default:
      return null;
  }
}

function settingValue(args: readonly Node[] | undefined): string | null {
  const values = (args ?? []).map(literalText);
  return values.length === 0 || values.includes(null) ? null : values.join(', ');
}

function setChange(set: VariableSetStmt, statement: number, range: SqlRange): SessionOperation | null {
  const at = { statement, range };
  const name = set.name ?? '';
  switch (set.kind) {
    case 'VAR_RESET_ALL':
      return { kind: 'reset', name: 'all', ...at };
    case 'VAR_RESET':
      return isKnownText(name) ? { kind: 'reset', name: name.toLowerCase(), ...at } : null;
    case 'VAR_SET_MULTI': {
      const option = isolationOption(set.args);
      if (!option) return null;
      return { kind: 'set-isolation', ...option, session: name === 'SESSION CHARACTERISTICS', ...at };
    }
    case 'VAR_SET_VALUE':
    case 'VAR_SET_DEFAULT':
    case 'VAR_SET_CURRENT': {
      if (!isKnownText(name)) return null;
      const setting = name.toLowerCase();
      const value = set.kind === 'VAR_SET_VALUE' ? settingValue(set.args) : null;
      const isolation = isolationOperation(setting, value, statement, range);
      // `SET x TO DEFAULT` is another spelling of RESET (PostgreSQL manual, SET).
      if (!isolation && set.kind === 'VAR_SET_DEFAULT' && set.is_local !== true) return { kind: 'reset', name: setting, ...at };
      return isolation ?? { kind: 'set', name: setting, value, local: set.is_local === true, through: 'SET', ...at };
    }
    default:
      return null;
  }
}

/** What a statement does to the session or its transaction by itself; null for one that does nothing of the kind. */
export function sessionOperationOf(node: Node, statement: number, range: SqlRange): SessionOperation | null {
  if ('TransactionStmt' in node) {
    const change = transactionChange(node.TransactionStmt);
    return change && { ...change, statement, range };
  }
  if ('VariableSetStmt' in node) return setChange(node.VariableSetStmt, statement, range);
  if ('DiscardStmt' in node) {
    const what = node.DiscardStmt.target === 'DISCARD_ALL' ? 'all' : 'other';
    return { kind: 'discard', what, statement, range };
  }
  return null;
}

/** CREATE INDEX, DROP INDEX and REINDEX with CONCURRENTLY, in either of REINDEX's spellings. */
export function isConcurrent(node: Node): boolean {
  if ('IndexStmt' in node) return node.IndexStmt.concurrent === true;
  if ('DropStmt' in node) return node.DropStmt.removeType === 'OBJECT_INDEX' && node.DropStmt.concurrent === true;
  if (!('ReindexStmt' in node)) return false;
  const option = definition(node.ReindexStmt.params, 'concurrently');
  if (!option) return false;
  return !option.arg || !/^(?:false|off|0)$/i.test(literalText(option.arg) ?? stringOf(option.arg) ?? '');
}

const WRITING = ['InsertStmt', 'UpdateStmt', 'DeleteStmt', 'MergeStmt'];

/** Whether a statement changes rows, be it in a WITH query; the body of a stored or anonymous routine does not count. */
export function isWriting(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(([key, child]) => WRITING.includes(key) || isWriting(child));
}

/** A query inside a utility statement that runs when the statement does, or is only stored. */
interface InnerQuery {
  node: Node | undefined;
  top: Partial<TopQuery>;
  /** `never`: EXPLAIN without ANALYZE. */
  runs: 'with-statement' | 'stored' | 'never';
}

function innerQueryOf(node: Node): InnerQuery | null {
  const stored = { outlet: { kind: 'stored' } } as const;
  if ('ExplainStmt' in node) {
    const { query, options } = node.ExplainStmt;
    const analyze = definition(options, 'analyze');
    const runs = analyze && !/^(?:false|off|0)$/i.test(literalText(analyze.arg) ?? stringOf(analyze.arg) ?? '');
    return { node: query, top: { outlet: { kind: 'discarded' } }, runs: runs === true ? 'with-statement' : 'never' };
  }
  if ('CreateTableAsStmt' in node) return { node: node.CreateTableAsStmt.query, top: stored, runs: 'with-statement' };
  if ('DeclareCursorStmt' in node) return { node: node.DeclareCursorStmt.query, top: stored, runs: 'with-statement' };
  if ('CopyStmt' in node && node.CopyStmt.query) return { node: node.CopyStmt.query, top: stored, runs: 'with-statement' };
  if ('ViewStmt' in node) return { node: node.ViewStmt.query, top: stored, runs: 'stored' };
  if ('PrepareStmt' in node) return { node: node.PrepareStmt.query, top: {}, runs: 'stored' };
  return null;
}

/**
 * Walks one statement.
 * @param top what its query, if it is one, is used for
 * @param walkFor a walk whose operations run with the statement (null), or are only stored by it
 */
export function walkStatementNode(
  node: Node,
  top: Partial<TopQuery>,
  walkFor: (body: 'function' | null) => StatementWalk,
): WalkedQuery | null {
  const query = walkFor(null).query(node, top);
  if (query) return query;
  const inner = innerQueryOf(node);
  if (inner) {
    if (inner.runs !== 'never' && inner.node) walkFor(inner.runs === 'stored' ? 'function' : null).query(inner.node, inner.top);
  } else if ('CallStmt' in node || 'ExecuteStmt' in node) {
    walkFor(null).expression(contentOf(node));
  } else if (!('CreateFunctionStmt' in node) && !('DoStmt' in node) && !('VariableSetStmt' in node)) {
    // Defaults, policies, rules: stored expressions.
    walkFor('function').expression(contentOf(node));
  }
  return null;
}

const LEADING_SPACE = String.raw`(?:\s+|--[^\n]*|/\*[^]*?\*/)*`;

/**
 * Where a statement stands, in UTF-16 offsets of `sql`: without the blanks and comments before it, and without trailing
 * blanks. The parser counts both in.
 */
export function statementCharacters(raw: RawStmt, sql: string, characterOf: (byte: number) => number): SqlRange {
  const from = characterOf(raw.stmt_location ?? 0);
  const length = raw.stmt_len ?? 0;
  const to = length > 0 ? characterOf((raw.stmt_location ?? 0) + length) : sql.length;
  const leading = new RegExp(LEADING_SPACE, 'y');
  leading.lastIndex = from;
  const start = Math.min(from + (leading.exec(sql)?.[0].length ?? 0), to);
  return { start, end: start + sql.slice(start, to).trimEnd().length };
}
