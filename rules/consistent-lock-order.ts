import { events } from '../src/facts/events.js';
import { iterationOrder } from '../src/facts/iteration-order.js';
import type { Keys } from '../src/facts/keys.js';
import { queries, type QueryLock } from '../src/facts/queries.js';
import { lineOf, lockRange } from '../src/point.js';
import { createRule } from '../src/rule.js';
import type { QueryLevel, SqlExpression } from '../src/sql/model.js';
import { heldLocks } from '../src/state/held-locks.js';
import type { Acquire, FunctionState, HeldLock } from '../src/state/model.js';

export default createRule({
  name: 'consistent-lock-order',
  summary: 'Require several blocking locks to be taken in one order',
  tier: 'strict',
  messages: {
    rows: '`{{fn}}` waits for the lock of one row after another, in whatever order the rows come: two sessions that meet in opposite order deadlock. Add ORDER BY on the key at the level of the lock.',
    list: '`{{fn}}` waits for one lock after another in the order of `{{list}}`, which is not sorted here: two callers with opposite orders deadlock. Sort the keys before the loop.',
    opposite:
      '`{{fn}}` waits for this lock while holding that of line {{held}}; line {{other}} takes the two in the opposite order, so two sessions can deadlock. Take both locks in one order everywhere.',
    upgrade:
      '`{{fn}}` waits for the exclusive lock while holding the shared one of line {{held}}: two sessions that both hold it wait for each other. Take the exclusive lock at once.',
  },
  requires: [queries, heldLocks, events, iterationOrder],
  *check([statements, functions, { keys, backends }, order], _options, { text }) {
    for (const query of statements) {
      if (query.sent === 'never') continue;
      for (const lock of query.locks) {
        if (isBlocking(lock) && takesRowsUnordered(lock)) yield { node: query.node, range: lockRange(lock), messageId: 'rows', data: { fn: lock.operation.name } };
      }
    }
    const seen: { readonly first: HeldLock; readonly then: Acquire }[] = [];
    for (const state of functions) {
      for (const acquire of state.acquires) {
        const { held } = acquire;
        if (!isBlocking(held.lock) || acquire.query.sent === 'never') continue;
        const data = { fn: held.lock.operation.name };
        const iteration = isKept(held, state) ? order.unsortedAround(held.call, held.key.values) : null;
        if (iteration && !releasedWithin(iteration.loop.range, state)) {
          yield { node: acquire.query.node, messageId: 'list', data: { ...data, list: text.slice(...iteration.list.range).slice(0, 40) } };
        }
        for (const first of acquire.others) {
          const isSameKey = keys.sameKey(first.key, held.key) === 'same';
          if (isSameKey && isUpgrade(first, held) && backends.relation(first.handle, held.handle) === 'same') {
            yield { node: acquire.query.node, messageId: 'upgrade', data: { ...data, held: lineOf(first.lock.query.node) } };
          }
          const reverse = isSameKey ? undefined : seen.find((pair) => isReverse(pair, first, held, keys));
          if (reverse) {
            yield {
              node: acquire.query.node,
              messageId: 'opposite',
              data: { ...data, held: lineOf(first.lock.query.node), other: lineOf(reverse.then.query.node) },
            };
          }
          seen.push({ first, then: acquire });
        }
      }
    }
  },
});

const isBlocking = ({ operation }: QueryLock): boolean => operation.action === 'acquire';

const isUpgrade = (first: HeldLock, then: HeldLock): boolean => first.lock.operation.mode === 'shared' && then.lock.operation.mode === 'exclusive';

/** Rows in no order, each with a key of its own. */
function takesRowsUnordered({ operation, level }: QueryLock): boolean {
  if (!level?.hasFrom || operation.guarded || (operation.clause !== 'select' && operation.clause !== 'perform')) return false;
  if (level.orderBy || level.from.some((item) => item.level?.orderBy === true) || isOneRow(level)) return false;
  const columns = operation.keys.flatMap(columnsIn);
  return columns.length > 0 && !columns.every((column) => level.fixedColumns.includes(column));
}

const isOneRow = ({ limit }: QueryLevel): boolean => limit?.count.kind === 'number' && limit.count.value <= 1;

function columnsIn(expression: SqlExpression): string[] {
  switch (expression.kind) {
    case 'column':
      return [expression.path.at(-1) ?? ''];
    case 'call':
    case 'operator':
      return expression.arguments.flatMap(columnsIn);
    case 'cast':
      return columnsIn(expression.argument);
    default:
      return [];
  }
}

/** Only on one session do locks pile up; what is known of a handle's role decides. */
const isKept = ({ handle }: HeldLock, { kind }: FunctionState): boolean => kind === 'solved' && (handle.role === 'connection' || handle.role === 'transaction');

const releasedWithin = ([start, end]: readonly [number, number], { releases }: FunctionState): boolean =>
  releases.some(({ call }) => call.range[0] >= start && call.range[1] <= end);

const isReverse = (pair: { readonly first: HeldLock; readonly then: Acquire }, first: HeldLock, then: HeldLock, keys: Keys): boolean =>
  keys.sameKey(pair.first.key, then.key) === 'same' && keys.sameKey(pair.then.held.key, first.key) === 'same';
