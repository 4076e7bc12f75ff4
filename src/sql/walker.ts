import type { Node } from '@pgsql/types';

import type { Catalogue } from './lock-functions.js';
import type {
  Clause,
  CommonTable,
  Dialect,
  LockOperation,
  QueryLevel,
  SessionOperation,
  SqlExpression,
} from './model.js';
import type { FirstLocation } from './query-levels.js';
import { CONSUMED, type Outlet, type OutputColumn, type Place, type Relation } from './relations.js';
import type { SqlSource } from './sql-source.js';
import type { TokenRun } from './tokens.js';
import { isKnownText } from './unknown-text.js';

/** What the walk through a statement needs to know besides its parse tree. */
export interface WalkContext {
  source: SqlSource;
  dialect: Dialect;
  catalogue: Catalogue;
  /** Index of the statement in its text. */
  statement: number;
  body: LockOperation['body'];
  /** The statement itself runs only if a condition holds, in a routine's body. */
  guarded: boolean;
  /** The text names a lock function; without one, the ranges of its queries are not worth their cost. */
  wantsRanges: boolean;
  /** See `expressionReader`. */
  holeIndexAt: (offset: number) => number;
}

/** Something with columns in a FROM clause, as names are looked up in it. */
export interface FromEntry {
  /** The name its columns are qualified with; null when there is none or it is not known. */
  alias: string | null;
  /** Null for a table. */
  relation: Relation | null;
  columns: readonly { name: string | null; column: OutputColumn }[];
  /** The first column of each name. */
  byName: ReadonlyMap<string, OutputColumn>;
  /** It has columns besides those. */
  open: boolean;
}

/** A WITH query as far as it is known while the statement is walked. */
export interface CommonTableEntry {
  table: CommonTable;
  relation: Relation;
  /** Column names given after the table's name; empty without. */
  columnNames: readonly string[];
  /** Its own query is being walked, so a reference to it is a recursive one. */
  reading: boolean;
}

/** One query with the names that can be used in it; those of the queries around it through `parent`. */
export interface Scope {
  parent: Scope | null;
  level: QueryLevel;
  /** The level that calls are said to stand in; null for a fragment, whose query is not known. */
  shownLevel: QueryLevel | null;
  relation: Relation;
  entries: FromEntry[];
  commonTables: Map<string, CommonTableEntry>;
}

/** How a query stands in what is around it. */
export interface Nesting {
  scope: Scope | null;
  place: QueryLevel['place'];
  lateral: boolean;
  sublink: QueryLevel['sublink'];
  cte: CommonTable | null;
  outlet: Outlet;
  guarded: boolean;
  aggregated: boolean;
  /** The clause that calls in the select list are said to stand in: `perform` for PL/pgSQL's PERFORM. */
  selectClause: Clause;
}

/** A lock call whose value has not been followed yet, because the queries around it are still being walked. */
export interface LockDraft {
  kind: 'lock';
  operation: Omit<LockOperation, 'column' | 'usedInSql' | 'casts' | 'sortKey'>;
  place: Place;
}

export type Draft = LockDraft | { kind: 'session'; operation: SessionOperation };

/** One walk through one statement; the functions of the walking modules pass it on to each other. */
export interface Walker {
  context: WalkContext;
  drafts: Draft[];
  /** Columns of tables, by bare name or `*`, and what becomes of their values; noted where the text mentions a lock. */
  columnReads: { name: string; place: Place }[];
  /** All WITH queries met so far. */
  commonTables: CommonTable[];
  firstLocation: FirstLocation;
  readExpression: (node: Node, run: TokenRun) => SqlExpression;
  /** Walks an expression, or anything that may hold expressions or queries. */
  walkExpression: (value: unknown, scope: Scope | null, place: Place) => void;
  /** Walks a SELECT, INSERT, UPDATE, DELETE, MERGE or VALUES; null for any other node. */
  walkQuery: (node: Node, nesting: Nesting) => Scope | null;
}

/** A table, or something else whose columns are not known. */
export function openEntry(alias: string | null): FromEntry {
  return { alias, relation: null, columns: [], byName: new Map(), open: true };
}

export function newRelation(outlet: Outlet): Relation {
  return { outlet, columns: [], open: false, uses: new Map() };
}

/** Appends a column; its position is unknown behind a `*` that may stand for any number of columns. */
export function addColumn(relation: Relation, name: string | null, shownName = name): OutputColumn {
  const column: OutputColumn = { index: relation.open ? -1 : relation.columns.length, name, shownName, sortKey: false };
  relation.columns.push(column);
  return column;
}

/** A place whose value SQL itself looks at. */
export function consumedIn(scope: Scope | null, clause: Clause, around: Pick<Place, 'guarded' | 'aggregated'>): Place {
  const { guarded, aggregated } = around;
  return { level: scope?.shownLevel ?? null, clause, aggregated, guarded, casts: [], sink: CONSUMED };
}

/** Notes what becomes of a column that no query in the text makes: one of a table. */
export function noteColumn(walker: Walker, name: string, place: Place): void {
  if (walker.context.wantsRanges) walker.columnReads.push({ name, place });
}

/** A name from the text; null when a hole stands in it. */
export function knownName(name: string | undefined): string | null {
  return name !== undefined && isKnownText(name) ? name : null;
}
