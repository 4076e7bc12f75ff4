/**
 * What the SQL layer says about a piece of SQL text. Every offset is a UTF-16 index into `SqlInput.text`, 0-based, end
 * exclusive; the SQL layer knows nothing of JavaScript, so mapping to a source file is the caller's work.
 */

/** Stands for one hole in the text: an interpolated JavaScript value whose text is not known. One character per hole. */
export const HOLE = '\uE000';

export type Dialect = 'postgres' | 'mysql';

/** How a driver writes bound values in the text, besides holes. PostgreSQL's own `$1` is always understood. */
export type PlaceholderStyle =
  /** `?` and `??` (identifier): Knex, Sequelize, mysql2 */
  | 'question-mark'
  /** `:name` and `:name:` (identifier): Knex, Sequelize, Objection */
  | 'colon'
  /** `$name`: Sequelize bind, Deno */
  | 'dollar-name'
  /** `@name` */
  | 'at'
  /** `${name}`, `$(name)`, `$<name>`, `$[name]`, `$/name/`, `$1:raw` */
  | 'pg-promise'
  /** `%s`, `%L`, `%I` */
  | 'pg-format';

/** What is known of a hole before parsing: a tagged template binds a `value`, `sql.raw` inserts a `fragment`. */
export type HoleKind = 'value' | 'identifier' | 'fragment' | 'unknown';

export interface SqlInput {
  /** The text, each hole as one `HOLE` character. */
  text: string;
  /** One kind per `HOLE` character, in order of appearance. */
  holes: readonly HoleKind[];
  dialect: Dialect;
  placeholders: readonly PlaceholderStyle[];
  /** `expression`: a fragment such as the argument of `whereRaw`; `either`: a statement if it parses as one. */
  form: 'statement' | 'expression' | 'either';
}

export interface SqlRange {
  start: number;
  end: number;
}

/** `parsed`: structure is known. `scanned`: only names, keys and parenthesis depth are. `unknown`: not even tokens. */
export type SqlStatus = 'parsed' | 'scanned' | 'unknown';

export interface SqlAnalysis {
  status: SqlStatus;
  form: 'statement' | 'expression';
  statements: readonly SqlStatement[];
  /** In the order the server performs them, as far as the text tells. */
  operations: readonly SqlOperation[];
  /** Indices of holes read as an absent clause; each may hide any SQL, a LIMIT or WHERE among them. */
  gaps: readonly number[];
  /** The server's parser on the text, when it could not be repaired; `at` is -1 when the parser gives no place. */
  error: { message: string; at: number } | null;
}

export type SqlOperation = LockOperation | SessionOperation;

export interface SqlStatement {
  index: number;
  kind: StatementKind;
  range: SqlRange;
  /** The outermost query of a SELECT, INSERT, UPDATE, DELETE, MERGE or VALUES statement; MySQL's DO has one, too. */
  query: QueryLevel | null;
  /** CREATE INDEX, DROP INDEX and REINDEX with CONCURRENTLY. */
  concurrently: boolean;
  /** Changes rows: INSERT, UPDATE, DELETE, MERGE, also in a CTE. */
  writes: boolean;
  /**
   * Columns the result has at the top, in order; null for a column whose name cannot be known, or for any number of
   * columns (`*` of a table, a hole). Empty for a statement that returns no rows.
   */
  columns: readonly (string | null)[];
  /**
   * The table columns that reach the result, however deep the query is that reads them, by bare name; `*` stands for
   * all columns of a table. Filled in where the text mentions a lock.
   */
  returnedColumns: readonly string[];
  /** The table columns that lock keys are made of, by bare name. */
  keyColumns: readonly string[];
}

export type StatementKind =
  | 'select' | 'insert' | 'update' | 'delete' | 'merge' | 'values' | 'call'
  | 'begin' | 'commit' | 'rollback' | 'savepoint' | 'set' | 'discard'
  | 'create-index' | 'drop-index' | 'reindex' | 'do' | 'create-function' | 'other';

export type LockAction =
  /** waits until the lock is granted */
  | 'acquire'
  /** answers at once or, for GET_LOCK, after its time-out */
  | 'try'
  | 'release'
  | 'release-all'
  /** IS_FREE_LOCK, IS_USED_LOCK: changes nothing */
  | 'inspect';

/** Where in its query a lock function stands. */
export type Clause =
  | 'select' | 'where' | 'having' | 'join-on' | 'order-by' | 'group-by' | 'distinct-on' | 'from' | 'limit'
  | 'values' | 'set' | 'returning' | 'window' | 'expression'
  /** the whole statement is the call: `DO RELEASE_LOCK('x')`, PL/pgSQL's PERFORM */
  | 'perform'
  | 'unknown';

export interface LockOperation {
  kind: 'lock';
  /** Catalogue name, lower case, without schema: `pg_try_advisory_lock`, `get_lock`. */
  name: string;
  dialect: Dialect;
  action: LockAction;
  level: 'session' | 'transaction';
  mode: 'exclusive' | 'shared';
  returns: 'void' | 'boolean' | 'integer';
  /** The key arguments: one or two for PostgreSQL, the name for MySQL, none for release-all. */
  keys: readonly SqlExpression[];
  /** All arguments, GET_LOCK's time-out included, as written. */
  arguments: readonly SqlExpression[];
  clause: Clause;
  /** The query the call stands in; null when the structure is unknown. */
  query: QueryLevel | null;
  /** Inside an aggregate's or window function's call: `bool_and(pg_try_advisory_lock(id))`. */
  aggregated: boolean;
  /** Evaluated only if a condition holds: CASE, COALESCE's later arguments, a branch or loop of a PL/pgSQL body. */
  guarded: boolean;
  /**
   * Types it is cast to on its way to the result, innermost first, by PostgreSQL's internal names (`int8` for `bigint`):
   * `pg_try_advisory_lock(1)::text` gives ['text'].
   */
  casts: readonly string[];
  /**
   * Set when the value reaches the statement's result: which column, and how. For a fragment, as if it were a select
   * item or a list of them; null when it is a clause.
   */
  column: ResultColumn | null;
  /**
   * The boolean is consumed by SQL itself: WHERE, CASE, `NOT …`, a comparison, an enclosing query's expression; or kept
   * by it, in a table, a cursor or a PL/pgSQL variable. Also true where a hole may read it. Not known, hence false, for
   * clause `unknown`.
   */
  usedInSql: boolean;
  /** Its own query's ORDER BY, GROUP BY or DISTINCT ON names the value by alias or position. */
  sortKey: boolean;
  /** Inside DO: `do`. Stored and not run by the statement (CREATE FUNCTION, CREATE VIEW, PREPARE …): `function`. */
  body: 'do' | 'function' | null;
  statement: number;
  /** From the first character of the (qualified) name to the closing parenthesis. */
  range: SqlRange;
  /** The unqualified name alone, quotes included. */
  nameRange: SqlRange;
}

export interface ResultColumn {
  /** Position in the result, 0-based; -1 behind a `*`. */
  index: number;
  /** Alias, or the name PostgreSQL gives an unaliased call; null when a hole stands in it. */
  name: string | null;
  /** The column is the boolean itself, casts aside; false for `NOT f()`, `f() = true`, `CASE WHEN f() …`. */
  direct: boolean;
}

/** One SELECT, INSERT, UPDATE, DELETE, VALUES, or set operation, and how it is nested in the query around it. */
export interface QueryLevel {
  kind: 'select' | 'insert' | 'update' | 'delete' | 'merge' | 'values' | 'set-operation';
  parent: QueryLevel | null;
  place: 'top' | 'from' | 'cte' | 'expression' | 'set-operand' | 'insert-source';
  lateral: boolean;
  /** `EXISTS (…)`, `IN (…)`, `ANY (…)`, or a scalar subquery, for place `expression`. */
  sublink: 'exists' | 'any' | 'all' | 'scalar' | 'array' | null;
  cte: CommonTable | null;
  hasFrom: boolean;
  /** Tables, functions and CTEs of the FROM clause, by name; of UPDATE, DELETE and MERGE, the changed table first. */
  from: readonly FromItem[];
  limit: LimitClause | null;
  orderBy: boolean;
  /** Where the ORDER BY clause's expressions stand; null in a text that names no lock function, as all ranges here. */
  orderByRange: SqlRange | null;
  distinct: 'none' | 'all' | 'on';
  groupBy: boolean;
  /** Aggregates in the select list or HAVING. */
  aggregates: boolean;
  windows: boolean;
  where: boolean;
  /** Columns that WHERE lets have one value only, by their bare names: `id = $1`, with everything else joined by AND. */
  fixedColumns: readonly string[];
  /** FOR UPDATE / FOR SHARE and the like. */
  rowLocking: boolean;
  /** Set operation without ALL. */
  deduplicates: boolean;
  range: SqlRange | null;
}

export interface FromItem {
  kind: 'table' | 'function' | 'subquery' | 'cte' | 'values';
  name: string | null;
  alias: string | null;
  range: SqlRange | null;
  /** The query of a subquery or VALUES list; null for anything else, and where it is not known. */
  level: QueryLevel | null;
  /** The WITH query that the name refers to; null for anything else. */
  cte: CommonTable | null;
}

export interface CommonTable {
  name: string;
  /** Its query; null until it has been read. */
  level: QueryLevel | null;
  /** The queries that name it in their FROM clause, itself aside. */
  readers: QueryLevel[];
  materialized: 'default' | 'always' | 'never';
  /** It reads itself. */
  recursive: boolean;
  /**
   * How often the statement names it, itself aside; 0 for a table nobody reads. A table that nobody is seen to read
   * counts 1 where a hole may do so.
   */
  references: number;
}

export interface LimitClause {
  /** `none` when only OFFSET stands there; `all` for LIMIT ALL and LIMIT NULL. */
  count: { kind: 'none' } | { kind: 'all' } | { kind: 'number'; value: number } | { kind: 'expression' };
  offset: { kind: 'none' } | { kind: 'number'; value: number } | { kind: 'expression' };
  withTies: boolean;
  /** From LIMIT, OFFSET or FETCH to the clause's end; null when the text does not tell, or names no lock function. */
  range: SqlRange | null;
}

/** A scalar SQL expression, as far as lock keys and settings need it. */
export type SqlExpression = { range: SqlRange } & (
  /** A whole number of any size, its minus sign included; hexadecimal and `1_000` too (PostgreSQL 16). */
  | { kind: 'integer'; value: bigint }
  /** A numeric literal with a point or an exponent, as written. */
  | { kind: 'number'; text: string }
  | { kind: 'string'; value: string }
  | { kind: 'null' }
  | { kind: 'boolean'; value: boolean }
  /** An interpolated JavaScript value: index into `SqlInput.holes`. */
  | { kind: 'hole'; index: number }
  /** A bound value: `$1` and `?` by 0-based position, `:name` by name; neither is known of `$` before a hole. */
  | { kind: 'placeholder'; position: number | null; name: string | null; text: string }
  | { kind: 'column'; path: readonly string[] }
  | { kind: 'call'; name: string; arguments: readonly SqlExpression[] }
  | { kind: 'cast'; type: string; argument: SqlExpression }
  | { kind: 'operator'; operator: string; arguments: readonly SqlExpression[] }
  | { kind: 'subquery' }
  | { kind: 'unknown' }
);

/** A statement or function that changes the session or its transaction. */
export type SessionOperation = { statement: number; range: SqlRange } & (
  | { kind: 'begin'; isolation: IsolationLevel | null }
  /** `chain`: AND CHAIN opens the next transaction at once. */
  | { kind: 'commit'; chain: boolean }
  | { kind: 'rollback'; chain: boolean }
  | { kind: 'savepoint'; name: string | null }
  | { kind: 'release-savepoint'; name: string | null }
  | { kind: 'rollback-to'; name: string | null }
  | { kind: 'set-isolation'; isolation: IsolationLevel | null; session: boolean }
  /** SET and set_config; `value` null when it is a hole or a placeholder. SET … TO DEFAULT is a `reset`; with LOCAL, a value of null. */
  | { kind: 'set'; name: string; value: string | null; local: boolean; through: 'SET' | 'set_config' }
  | { kind: 'reset'; name: string | 'all' }
  | { kind: 'discard'; what: 'all' | 'other' }
  /** pg_terminate_backend(pg_backend_pid()): the session ends. */
  | { kind: 'terminate-self' }
);

export type IsolationLevel = 'read uncommitted' | 'read committed' | 'repeatable read' | 'serializable';
