import type { TSESTree } from '@typescript-eslint/utils';
import type { BuilderClause, Call, DriverDescriptor, Result, Sends } from '../drivers/driver.js';
import type { SqlText } from '../source/sql-text.js';
import type { Use } from '../source/uses.js';
import type { LockOperation, QueryLevel, SessionOperation, SqlAnalysis, SqlExpression, SqlRange } from '../sql/model.js';
import type { Frame } from './frames.js';
import type { Handle, SignalUse } from './values.js';

export type CallNode = TSESTree.CallExpression | TSESTree.TaggedTemplateExpression;

/** One place where the file sends a statement to a server. */
export interface Query {
  /**
   * Where a finding about the statement stands: the call that carries the SQL text. Through a wrapper that forwards its
   * argument this is the call of the wrapper.
   */
  readonly node: CallNode;
  /**
   * The call that sends this one may send another text instead, and this is not the first of them: `ok ? 'SELECT …' : '…'`.
   * Exactly one of the statements with the same `route` is sent.
   */
  readonly isAlternative: boolean;
  /**
   * A function of another file sends it, with SQL of its own, and `node` calls that function. What the statement alone shows
   * is a matter for that file.
   */
  readonly isElsewhere: boolean;
  /** The call that hands the text to the driver. The same as `node` when no wrapper stands between. */
  readonly sending: CallNode;
  /** The calls from `node` to `sending`, both included: more than one through wrappers. */
  readonly route: readonly CallNode[];
  /** The same calls with the functions they enter, innermost first; empty without a wrapper. */
  readonly frames: readonly Frame[];
  readonly driver: DriverDescriptor;
  readonly call: Call;
  readonly sends: Sends;
  /** The name of the method, tag or function that sends: `query`, `$executeRaw`. */
  readonly method: string;
  /** What it is sent over; a role of `unknown` claims nothing. */
  readonly handle: Handle;
  /** Other handles it is sent over, when callers in this file pass different ones. */
  readonly otherHandles: readonly Handle[];
  /** The text; null when the file does not show it. */
  readonly sql: SqlText | null;
  /** The text's analysis; null without a text. */
  readonly analysis: SqlAnalysis | null;
  /** The lock operations the server performs when the statement runs; those in function bodies it merely creates are not among them. */
  readonly locks: readonly QueryLock[];
  readonly session: readonly SessionOperation[];
  /** How the awaited value holds the rows. */
  readonly result: Result;
  /** A plugin or option of the driver may give result columns other names than the SQL does. */
  readonly renamesColumns: boolean;
  /** What becomes of the promise or value the call gives, followed through wrappers and local helpers. */
  readonly uses: readonly Use[];
  /** `never`: a lazy query that nobody awaits. */
  readonly sent: 'always' | 'never' | 'unknown';
  /** The AbortSignal it is given, or that its handle obeys: `em.fork({ signal })`. */
  readonly signal: SignalUse | null;
  /** Certainly read from a replica, which has locks of its own. */
  readonly isOnReplica: boolean;
  /** A client-side limit that leaves the server waiting: the option's value, or the pool's or client's option. */
  readonly clientTimeout: TSESTree.Node | null;
  /** A lazy statement handed to the caller, who may run it in a batch transaction. */
  readonly mayJoinBatch: boolean;
  /** Set when a query builder makes the statement: the calls of its chain in the order they are written. */
  readonly builder: readonly BuilderStep[] | null;
  /** The JavaScript expression bound to a placeholder or interpolated at a hole; null when it is not to be seen. */
  boundValue(expression: SqlExpression): TSESTree.Node | null;
}

/** A lock operation with the text it stands in: in a query builder every fragment has a text of its own. */
export interface QueryLock {
  readonly operation: LockOperation;
  readonly query: Query;
  readonly text: SqlText;
  /** The query level the call stands in; a query builder's, when the text is only a fragment. Null when unknown. */
  readonly level: QueryLevel | null;
  /** Offsets in `text` to absolute UTF-16 offsets in the file. */
  sourceOf(range: SqlRange): readonly [number, number];
  boundValue(expression: SqlExpression): TSESTree.Node | null;
}

export interface BuilderStep {
  readonly call: TSESTree.CallExpression;
  readonly clause: BuilderClause | null;
  readonly name: string;
}
