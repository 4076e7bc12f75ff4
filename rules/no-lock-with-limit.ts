import { limitSubqueries } from '../src/facts/limit-subqueries.js';
import { queries, type QueryLock } from '../src/facts/queries.js';
import { lockRange } from '../src/point.js';
import { createRule } from '../src/rule.js';
import type { LimitClause, QueryLevel, SqlExpression } from '../src/sql/model.js';

export default createRule({
  name: 'no-lock-with-limit',
  summary: 'Disallow LIMIT, FETCH and OFFSET at the query level of a lock function',
  tier: 'recommended',
  messages: {
    undefined:
      '`{{fn}}` stands beside {{clause}}: {{server}} does not promise that only the rows it returns are locked. Put the {{clause}} into a subquery and lock its rows.',
    skipped: '`{{fn}}` stands beside OFFSET: the rows that OFFSET skips are locked, too, and never returned. Put LIMIT and OFFSET into a subquery and lock its rows.',
    ties: '`{{fn}}` stands beside WITH TIES, which locks more rows than it returns. Put the FETCH clause into a subquery and lock its rows.',
    sorted:
      '`{{fn}}` stands in {{where}} beside ORDER BY: unless an index gives that order, it is evaluated for every row before {{clause}} cuts them off, and rows are locked that the query never returns. Select the rows in a subquery with ORDER BY and {{clause}}, and lock those.',
    evaluatedFirst:
      '`{{fn}}` {{where}} is evaluated before {{clause}} cuts rows off: rows are locked that the query never returns. Select the rows in a subquery with {{clause}} of its own, and lock those.',
    moveLimit: 'Select the rows in a subquery, {{clause}} included, and lock those.',
  },
  hasSuggestions: true,
  requires: [queries, limitSubqueries],
  inSqlFiles: true,
  *check([statements, subqueries]) {
    for (const query of statements) {
      if (query.sent === 'never') continue;
      for (const lock of query.locks) {
        const { operation } = lock;
        if (operation.action !== 'acquire' && operation.action !== 'try') continue;
        const level = limitingLevel(lock);
        if (!level?.limit || locksOneKey(lock)) continue;
        const clause = wordFor(lock, level.limit);
        const edits = subqueries.moveLimitOf(lock);
        yield {
          node: query.node,
          range: lockRange(lock),
          ...problemFor(lock, level, level.limit, clause),
          suggestions: edits ? [{ messageId: 'moveLimit', data: { clause }, edits }] : [],
        };
      }
    }
  },
});

/**
 * The query whose LIMIT cuts off rows that the lock was evaluated for: its own, or the set operation it is an operand of.
 * Without FROM there is one row, except that a set operation has those of its other operands.
 */
function limitingLevel({ level }: QueryLock): QueryLevel | null {
  if (!level) return null;
  if (level.limit && cutsOff(level.limit)) return level.hasFrom ? level : null;
  for (let outer = level.place === 'set-operand' ? level.parent : null; outer?.kind === 'set-operation'; outer = outer.place === 'set-operand' ? outer.parent : null) {
    if (outer.limit && cutsOff(outer.limit)) return outer.hasFrom || outer.orderBy || outer.deduplicates ? outer : null;
  }
  return null;
}

/** LIMIT ALL, LIMIT NULL and OFFSET 0 cut nothing off. */
function cutsOff({ count, offset }: LimitClause): boolean {
  const hasCount = count.kind === 'number' || count.kind === 'expression';
  return hasCount || hasOffset(offset);
}

const hasOffset = (offset: LimitClause['offset']): boolean => offset.kind === 'expression' || (offset.kind === 'number' && offset.value > 0);

/** `SELECT lock(id) FROM t WHERE id = $1 LIMIT 1`: whichever row it is, the key is the same. */
function locksOneKey({ operation, level }: QueryLock): boolean {
  if (operation.clause !== 'select' || !level || level.limit?.offset.kind !== 'none') return false;
  const columns = operation.keys.map((key) => columnsIn(key));
  if (columns.some((found) => found === null) || columns.every((found) => found?.length === 0)) return false;
  return columns.every((found) => found?.every((column) => level.fixedColumns.includes(column)));
}

/** The columns a key is made of; null when it may be made of something else. */
function columnsIn(key: SqlExpression): readonly string[] | null {
  switch (key.kind) {
    case 'column': {
      const name = key.path.at(-1);
      return name === undefined ? null : [name];
    }
    case 'cast':
      return columnsIn(key.argument);
    case 'call':
    case 'operator': {
      const found = key.arguments.map((argument) => columnsIn(argument));
      return found.some((columns) => columns === null) ? null : found.flatMap((columns) => columns ?? []);
    }
    case 'hole':
    case 'subquery':
    case 'unknown':
      return null;
    default:
      return [];
  }
}

function wordFor(lock: QueryLock, { count, range }: LimitClause): string {
  if (count.kind === 'none') return 'OFFSET';
  const written = range && lock.text.text.slice(range.start, range.end);
  return written && /\bfetch\b/i.test(written) && !/\blimit\b/i.test(written) ? 'FETCH' : 'LIMIT';
}

/** Which of the shapes is at hand for which the server demonstrably locks more rows than it returns. */
function problemFor({ operation, level }: QueryLock, limiting: QueryLevel, limit: LimitClause, clause: string) {
  const fn = operation.name;
  if (limit.withTies) return { messageId: 'ties', data: { fn } } as const;
  if (operation.dialect === 'postgres' && hasOffset(limit.offset)) return { messageId: 'skipped', data: { fn } } as const;
  if (limiting === level && level.orderBy && !operation.sortKey && (operation.clause === 'where' || operation.clause === 'from')) {
    return { messageId: 'sorted', data: { fn, clause, where: operation.clause.toUpperCase() } } as const;
  }
  const where = placeOfEarlyEvaluation(operation, limiting, level);
  if (where !== null) return { messageId: 'evaluatedFirst', data: { fn, clause, where } } as const;
  return { messageId: 'undefined', data: { fn, clause, server: operation.dialect === 'mysql' ? 'MySQL' : 'PostgreSQL' } } as const;
}

function placeOfEarlyEvaluation(operation: QueryLock['operation'], limiting: QueryLevel, own: QueryLevel | null): string | null {
  if (operation.sortKey || operation.clause === 'order-by') return 'in ORDER BY';
  // MySQL stops at the limit in the shapes below.
  if (operation.dialect === 'mysql') return null;
  if (limiting !== own) return limiting.deduplicates ? 'under UNION' : limiting.orderBy ? 'under UNION with ORDER BY' : null;
  if (operation.aggregated) return 'in an aggregate';
  if (operation.clause !== 'select') return null;
  if (own.distinct === 'all') return 'under DISTINCT';
  return own.distinct === 'on' && !own.orderBy ? 'under DISTINCT ON' : null;
}
