import { queries, type QueryLock } from '../src/facts/queries.js';
import { lockRange } from '../src/point.js';
import { createRule } from '../src/rule.js';
import type { LimitClause } from '../src/sql/model.js';

export default createRule({
  name: 'no-lock-with-limit',
  summary: 'Disallow LIMIT, FETCH and OFFSET at the query level of a lock function',
  tier: 'recommended',
  messages: {
    undefined:
      '`{{fn}}` stands beside {{clause}}: PostgreSQL does not say which rows are locked before the limit cuts them off. Put the {{clause}} into a subquery and lock its rows.',
    skipped: '`{{fn}}` stands beside OFFSET: the rows that OFFSET skips are locked, too, and never returned. Put LIMIT and OFFSET into a subquery and lock its rows.',
    ties: '`{{fn}}` stands beside WITH TIES, which locks more rows than it returns. Put the FETCH clause into a subquery and lock its rows.',
    sorted:
      '`{{fn}}` in {{where}} is evaluated for every row before {{clause}} cuts them off: rows are locked that the query never returns. Select the rows in a subquery with its own ORDER BY and {{clause}}, and lock those.',
    distinct: '`{{fn}}` under {{where}} is evaluated for every row before {{clause}} cuts them off: rows are locked that the query never returns. Select the rows in a subquery first, and lock those.',
  },
  requires: [queries],
  *check([statements]) {
    for (const query of statements) {
      if (query.sent === 'never') continue;
      for (const lock of query.locks) {
        const { operation, level } = lock;
        if (operation.action !== 'acquire' && operation.action !== 'try') continue;
        if (!level?.limit || !level.hasFrom || !cutsOff(level.limit)) continue;
        yield { node: query.node, range: lockRange(lock), ...problemFor(lock, level.limit) };
      }
    }
  },
});

/** LIMIT ALL, LIMIT NULL and OFFSET 0 cut nothing off. */
function cutsOff({ count, offset }: LimitClause): boolean {
  const hasCount = count.kind === 'number' || count.kind === 'expression';
  return hasCount || hasOffset(offset);
}

const hasOffset = (offset: LimitClause['offset']): boolean => offset.kind === 'expression' || (offset.kind === 'number' && offset.value > 0);

/** Which of the shapes is at hand for which PostgreSQL demonstrably locks more rows than it returns. */
function problemFor({ operation, level }: QueryLock, limit: LimitClause) {
  const clause = limit.count.kind === 'none' ? 'OFFSET' : 'LIMIT';
  const data = { fn: operation.name, clause };
  if (limit.withTies) return { messageId: 'ties', data } as const;
  if (operation.dialect === 'postgres' && hasOffset(limit.offset)) return { messageId: 'skipped', data } as const;
  if (operation.sortKey || operation.clause === 'order-by') return { messageId: 'sorted', data: { ...data, where: 'ORDER BY' } } as const;
  if (operation.clause === 'where' && level?.orderBy) return { messageId: 'sorted', data: { ...data, where: 'WHERE with ORDER BY' } } as const;
  if (operation.aggregated) return { messageId: 'distinct', data: { ...data, where: 'an aggregate' } } as const;
  if (level?.distinct === 'all' && operation.clause === 'select') return { messageId: 'distinct', data: { ...data, where: 'DISTINCT' } } as const;
  return { messageId: 'undefined', data } as const;
}
