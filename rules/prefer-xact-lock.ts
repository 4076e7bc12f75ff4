import { isOwnSession } from '../src/facts/own-session.js';
import { lineOf } from '../src/point.js';
import { createRule } from '../src/rule.js';
import { heldLocks } from '../src/state/held-locks.js';
import type { FunctionState, HeldLock } from '../src/state/model.js';
import { transactionName } from '../src/state/transaction-level.js';

export default createRule({
  name: 'prefer-xact-lock',
  summary: 'Prefer a transaction-level lock where a session lock is taken and released in one function',
  tier: 'all',
  kind: 'suggestion',
  messages: {
    pair: '`{{fn}}` is released on line {{line}}, in the same function: a lock that ends with a transaction cannot be left behind. Take `{{instead}}` in a transaction around the work.',
  },
  requires: [heldLocks],
  *check([functions]) {
    for (const state of functions) {
      for (const { held, transaction } of state.acquires) {
        const instead = transactionName(held.lock.operation.name);
        const [unlock] = held.unlocks;
        if (instead === null || !unlock || !isOwnSession(held.handle, state.unit) || transaction === 'open' || transaction === 'implicit') continue;
        if (held.helper || spansTransactions(held, state)) continue;
        yield { node: held.lock.query.node, messageId: 'pair', data: { fn: held.lock.operation.name, instead, line: lineOf(unlock.query.node) } };
      }
    }
  },
});

/** Work that begins or ends transactions, or that no transaction may hold. */
function spansTransactions(held: HeldLock, { workWhileHeld, statementsWhileHeld }: FunctionState): boolean {
  const isTransactional = workWhileHeld.some((work) => work.held === held && work.transactional);
  return isTransactional || statementsWhileHeld.some((sent) => sent.held === held && sent.query.analysis?.statements.some(({ concurrently }) => concurrently) === true);
}
