import type { Node, SelectStmt } from '@pgsql/types';

import { expressionReader } from './expressions.js';
import { walkExpression } from './expression-walk.js';
import type { Clause, QueryLevel, SqlOperation } from './model.js';
import { firstLocationFinder, newLevel } from './query-levels.js';
import { walkClauses, walkQuery } from './query-walk.js';
import { CONSUMED, destinationFinder, type Outlet, outcomeFinder, type Place } from './relations.js';
import { type Nesting, newRelation, type Scope, type WalkContext, type Walker } from './walker.js';

/** What a statement's outermost query is used for. */
export interface TopQuery {
  outlet: Outlet;
  /** See `Nesting.selectClause`. */
  selectClause: Clause;
}

export interface WalkedQuery {
  level: QueryLevel;
  columns: readonly (string | null)[];
}

/** Collects what a statement does to locks and to the session, in the order the server performs it. */
export interface StatementWalk {
  /** A SELECT, INSERT, UPDATE, DELETE, MERGE or VALUES; null for any other node. */
  query(node: Node, top?: Partial<TopQuery>): WalkedQuery | null;
  /** An expression outside any query, or anything that may hold expressions and queries. */
  expression(value: unknown): void;
  /**
   * A fragment of a query: the clauses and select items of `select`, whose own query is not known.
   * @param clause where calls stand that no clause of the fragment itself holds
   */
  fragment(select: SelectStmt, clause: Clause): readonly (string | null)[];
  /** @param uncertain a hole may stand for SQL that reads any column, so a value nobody reads may be read there */
  operations(uncertain: boolean): SqlOperation[];
  /** Which table columns the statement returns, and of which it makes lock keys; by bare name, `*` for all of a table. */
  tableColumns(): { returned: string[]; keys: string[] };
}

export function walkStatement(context: WalkContext): StatementWalk {
  const walker: Walker = {
    context,
    drafts: [],
    columnReads: [],
    commonTables: [],
    firstLocation: firstLocationFinder(),
    readExpression: expressionReader(context.source, context.holeIndexAt),
    walkExpression: (value, scope, place) => walkExpression(walker, value, scope, place),
    walkQuery: (node, nesting) => walkQuery(walker, node, nesting),
  };
  const nestingOf = (top: Partial<TopQuery>): Nesting => ({
    scope: null,
    place: 'top',
    lateral: false,
    sublink: null,
    cte: null,
    outlet: top.outlet ?? { kind: 'result' },
    guarded: context.guarded,
    aggregated: false,
    selectClause: top.selectClause ?? 'select',
  });

  return {
    query(node, top = {}) {
      const scope = walker.walkQuery(node, nestingOf(top));
      if (!scope) return null;
      const columns = scope.relation.outlet.kind === 'result' ? scope.relation.columns.map(({ shownName }) => shownName) : [];
      return { level: scope.level, columns };
    },
    expression(value) {
      const { guarded } = context;
      const place: Place = { level: null, clause: 'expression', aggregated: false, guarded, casts: [], sink: CONSUMED };
      walker.walkExpression(value, null, place);
    },
    fragment(select, clause) {
      const nesting = nestingOf({ selectClause: clause });
      const scope: Scope = {
        parent: null,
        level: newLevel('select', { parent: null, place: 'top', lateral: false, sublink: null, cte: null }),
        shownLevel: null,
        relation: newRelation(nesting.outlet),
        entries: [],
        commonTables: new Map(),
      };
      walkClauses(walker, select, scope, nesting);
      return scope.relation.columns.map(({ shownName }) => shownName);
    },
    tableColumns() {
      const destinationsOf = destinationFinder();
      const reads = walker.columnReads.map(({ name, place }) => ({ name, ...destinationsOf(place) }));
      return {
        returned: reads.filter(({ result }) => result).map(({ name }) => name),
        keys: reads.filter(({ key }) => key).map(({ name }) => name),
      };
    },
    operations(uncertain) {
      if (uncertain) {
        for (const table of walker.commonTables) table.references ||= 1;
      }
      const outcomeOf = outcomeFinder();
      return walker.drafts.map((draft) => {
        if (draft.kind === 'session') return draft.operation;
        const { column, usedInSql, casts } = outcomeOf(draft.place);
        const { sink } = draft.place;
        const mayBeRead = uncertain && sink.kind === 'column' && sink.relation.outlet.kind === 'uses' && column === null;
        return {
          ...draft.operation,
          casts,
          column,
          usedInSql: usedInSql || mayBeRead,
          sortKey: sink.kind === 'column' && sink.column.sortKey,
        };
      });
    },
  };
}
