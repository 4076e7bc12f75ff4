import { queries, type QueryLock } from '../src/facts/queries.js';
import { cutsOff, dropsSelectList, filtersTable, hasManyRows, queriesAround, repeatedCommonTable, unreadCommonTable } from '../src/facts/query-shape.js';
import { lockRange } from '../src/point.js';
import { createRule } from '../src/rule.js';
import type { Clause, QueryLevel } from '../src/sql/model.js';

export default createRule({
  name: 'no-lock-in-filter',
  summary: 'Disallow lock functions where the planner decides for which rows they are evaluated',
  tier: 'recommended',
  messages: {
    filter:
      '`{{fn}}` stands in {{clause}}: the planner decides whether it runs before or after the other conditions, so rows may be locked that the query never returns. Select the rows in a subquery with LIMIT or OFFSET 0, or in a MATERIALIZED WITH query, and lock those.',
    orderBy:
      '`{{fn}}` stands in ORDER BY, so every row is locked before the first one is returned. Select and sort the rows in a subquery, and lock them in the select list around it.',
    sorted:
      '`{{fn}}` is evaluated for every row before {{clause}} of a query around it has seen them all and LIMIT cuts them off: rows are locked that the statement never returns. Sort and limit the rows in a subquery, and lock them in the outermost select list.',
    merged:
      '`{{fn}}` is evaluated for every row, and {{clause}} of a query around it merges the rows: the result does not say which keys are locked. Lock the rows in the outermost select list.',
    exists: '`{{fn}}` is never evaluated, so no lock is taken: EXISTS drops its select list. Take the lock in a statement of its own.',
    unread: '`{{fn}}` is never evaluated, so no lock is taken: nothing reads `{{table}}`. Take the lock in a statement of its own.',
    repeated:
      '`{{fn}}` stands in `{{table}}`, which NOT MATERIALIZED asks the server to evaluate anew for each of the {{count}} places that read it. Say MATERIALIZED.',
  },
  requires: [queries],
  inSqlFiles: true,
  *check([statements]) {
    for (const query of statements) {
      if (query.sent === 'never') continue;
      for (const lock of query.locks) {
        const { action } = lock.operation;
        if (!lock.level || (action !== 'acquire' && action !== 'try')) continue;
        const problem = problemFor(lock, lock.level);
        if (problem) yield { node: query.node, range: lockRange(lock), ...problem };
      }
    }
  },
});

const filters: Partial<Record<Clause, string>> = { where: 'WHERE', having: 'HAVING', 'join-on': 'JOIN … ON' };

function problemFor({ operation }: QueryLock, level: QueryLevel) {
  const { name: fn, clause, dialect } = operation;
  if (dialect === 'postgres') {
    if (clause === 'select' && dropsSelectList(level)) return { messageId: 'exists', data: { fn } } as const;
    const unread = unreadCommonTable(level);
    if (unread) return { messageId: 'unread', data: { fn, table: unread.name } } as const;
  }
  if (operation.guarded) return null;

  const filter = filters[clause];
  if (filter !== undefined && filtersTable(level)) return { messageId: 'filter', data: { fn, clause: filter } } as const;
  const isSortedBy = clause === 'order-by' || (operation.sortKey && level.orderBy && level.limit !== null && cutsOff(level.limit));
  if (isSortedBy && filtersTable(level)) return { messageId: 'orderBy', data: { fn } } as const;

  const repeated = repeatedCommonTable(level);
  if (repeated) return { messageId: 'repeated', data: { fn, table: repeated.name, count: repeated.references } } as const;
  const isJoined = clause === 'from' && level.from.length > 1;
  if (!isJoined && !hasManyRows(level)) return null;
  for (const around of isJoined ? [level, ...queriesAround(level)] : queriesAround(level)) {
    const sorting = sortingClause(around);
    if (sorting !== null && around.limit && cutsOff(around.limit)) return { messageId: 'sorted', data: { fn, clause: sorting } } as const;
    // A query that looks at the answers, `bool_and(ok)`, is written to merge them.
    const merging = around === level || operation.usedInSql || !filtersTable(level) ? null : mergingClause(around);
    if (merging !== null) return { messageId: 'merged', data: { fn, clause: merging } } as const;
  }
  return null;
}

/** What has to see every row before it gives the first one. */
function sortingClause({ orderBy, deduplicates }: QueryLevel): string | null {
  if (orderBy) return 'ORDER BY';
  return deduplicates ? 'UNION' : null;
}

function mergingClause({ distinct, groupBy, aggregates }: QueryLevel): string | null {
  if (distinct !== 'none') return 'DISTINCT';
  if (groupBy) return 'GROUP BY';
  return aggregates ? 'an aggregate' : null;
}
