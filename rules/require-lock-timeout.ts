import { abandonments } from '../src/facts/abandonments.js';
import { autocommit, type Autocommit } from '../src/facts/autocommit.js';
import type { Query } from '../src/facts/queries.js';
import { lineOf } from '../src/point.js';
import { createRule } from '../src/rule.js';
import { heldLocks } from '../src/state/held-locks.js';
import { lockTimeouts } from '../src/state/lock-timeouts.js';
import type { Acquire, FunctionState, LocalLimit } from '../src/state/model.js';
import { waitLimits } from '../src/state/wait-limits.js';

export default createRule({
  name: 'require-lock-timeout',
  summary: 'Require a server-side limit on waiting for a lock',
  tier: 'strict',
  messages: {
    endless:
      '`{{fn}}` waits as long as another session holds the lock, and nothing here sets a `lock_timeout`. Set one on this connection before the lock, or in the options of the pool or client.',
    interactive:
      '`{{fn}}` may wait longer than the {{limit}} ms after which the transaction opened on line {{line}} is given up: the wait then fails as a time-out of the transaction. Set a shorter `lock_timeout` before the lock.',
    noEffect:
      'Outside a transaction this sets nothing: SET LOCAL ends with its own statement. Send it inside the transaction, or use SET and RESET around the lock.',
    leftBehind:
      'This `lock_timeout` is still set when the connection goes back to its pool on line {{line}}, and the next user gets it. RESET it before, or use SET LOCAL in a transaction.',
  },
  options: {
    schema: {
      transactionLocks: { type: 'boolean', description: 'Ask for a limit on transaction-level locks, too.' },
    },
    defaults: { transactionLocks: false },
  },
  requires: [heldLocks, waitLimits, lockTimeouts, abandonments, autocommit],
  *check([functions, limits, timeouts, abandoned, lone], { transactionLocks }) {
    const reported = new Set<Query>();
    for (const state of functions) {
      const useless = state.localLimits.filter((limit) => hasNoEffect(limit, state, lone));
      for (const { node } of useless) yield { node, messageId: 'noEffect' };
      for (const { timeoutLeft, handle, node } of state.giveBacks) {
        if (!timeoutLeft || !handle.pool || reported.has(timeoutLeft)) continue;
        reported.add(timeoutLeft);
        yield { node: timeoutLeft.node, messageId: 'leftBehind', data: { line: lineOf(node) } };
      }
      for (const acquire of state.acquires) {
        const { held, query } = acquire;
        // Code out of sight had this function's own connection in hand, and may have set anything.
        if (acquire.lockTimeout === 'unknown' && held.origin === 'here') continue;
        if (!waits(acquire) || query.isElsewhere || reported.has(query) || abandoned.of(query) || useless.some(({ handle }) => handle.identity === held.handle.identity)) continue;
        const data = { fn: held.lock.operation.name };
        const interactive = timeouts.interactiveTransactionOf(held);
        const isLimited = limits.isLimited(held, state);
        const timeout = isLimited ? timeouts.timeoutBefore(held) : null;
        const isOutlived = interactive !== null && interactive.limit !== null && (!isLimited || (timeout !== null && timeout >= interactive.limit));
        if (interactive && isOutlived) {
          reported.add(query);
          yield { node: query.node, messageId: 'interactive', data: { ...data, limit: String(interactive.limit), line: lineOf(interactive.node) } };
        } else if (!isLimited && (held.lock.operation.level === 'session' || transactionLocks)) {
          reported.add(query);
          yield { node: query.node, messageId: 'endless', data };
        }
      }
    }
  },
});

/** A lock that is asked for and waited for; one on a pool or in autocommit is wrong for other reasons. */
function waits({ held, query, transaction }: Acquire): boolean {
  const { operation } = held.lock;
  if (operation.action !== 'acquire' || query.sent === 'never') return false;
  const { role } = held.handle;
  if (role === 'unknown' || role === 'pool' || role === 'http') return false;
  return operation.level === 'session' || transaction !== 'none';
}

/** On a connection from outside nobody knows of a transaction, but the session lock that follows is not meant for one. */
function hasNoEffect({ transaction, node, query, handle }: LocalLimit, { acquires }: FunctionState, lone: Autocommit): boolean {
  if (handle.role === 'pool' || handle.role === 'http') return lone.isOnPool(query) && lone.transactionAround(query) === null;
  if (transaction === 'none') return true;
  if (transaction !== 'unknown' || handle.role === 'unknown') return false;
  return acquires.some(
    ({ held, transaction: at }) =>
      held.lock.operation.level === 'session' && held.lock.operation.action === 'acquire' && at === 'unknown' && held.handle.identity === handle.identity && held.call.range[0] > node.range[1],
  );
}
