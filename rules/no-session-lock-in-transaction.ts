import type { TSESTree } from '@typescript-eslint/utils';
import type { QueryLock } from '../src/facts/queries.js';
import type { Handle } from '../src/facts/values.js';
import { lineOf } from '../src/point.js';
import { createRule } from '../src/rule.js';
import type { LockOperation } from '../src/sql/model.js';
import { heldLocks } from '../src/state/held-locks.js';
import { transactionLevel, transactionName } from '../src/state/transaction-level.js';

export default createRule({
  name: 'no-session-lock-in-transaction',
  summary: 'Disallow taking or releasing a session lock inside a transaction',
  tier: 'recommended',
  messages: {
    acquired:
      '`{{fn}}` is taken in {{transaction}} and outlives it: once a statement has failed, the unlock is refused (25P02), and ROLLBACK keeps the lock. Take {{instead}}, which ends with the transaction.',
    acquiredByName: '`{{fn}}` is taken in {{transaction}} and outlives it: ROLLBACK does not release it. Take it before the transaction begins, and release it after the transaction has ended.',
    released:
      '`{{fn}}` in {{transaction}} lets the next holder in before COMMIT, to read what was there before; once a statement has failed, it is refused (25P02). Take {{instead}}, which ends with the transaction, or unlock after it has ended.',
    releasedByName: '`{{fn}}` in {{transaction}} lets the next holder in before COMMIT, to read what was there before. Release the lock after the transaction has ended.',
    toTransactionLevel: 'Take `{{fn}}`, which ends with the transaction, and drop the unlock.',
  },
  hasSuggestions: true,
  requires: [heldLocks, transactionLevel],
  inSqlFiles: true,
  *check([functions, levels]) {
    // A helper's lock or unlock is one defect, however many transactions it is called in.
    const reported = new Set<QueryLock>();
    for (const state of functions) {
      for (const acquire of state.acquires) {
        const { lock } = acquire.held;
        const { operation, query } = lock;
        if (operation.level !== 'session' || acquire.transaction !== 'open' || !isSession(acquire.held.handle) || reported.has(lock)) continue;
        reported.add(lock);
        const change = levels.changeOf(acquire, state);
        yield {
          node: query.node,
          messageId: operation.dialect === 'mysql' ? 'acquiredByName' : 'acquired',
          data: { fn: operation.name, transaction: wordsFor(acquire.transactionOpenedBy), instead: insteadOf(operation) },
          suggestions: change ? [{ messageId: 'toTransactionLevel', data: { fn: change.fn }, edits: change.edits }] : [],
        };
      }
      for (const { lock, handle, transaction, transactionOpenedBy, releases, mismatch } of state.releases) {
        const { operation, query } = lock;
        // What is meant for a transaction lock releases nothing, so nobody gets in by it.
        if (transaction !== 'open' || !isSession(handle) || mismatch?.kind === 'transaction-lock' || reported.has(lock)) continue;
        reported.add(lock);
        const [released] = releases;
        yield {
          node: query.node,
          messageId: operation.dialect === 'mysql' ? 'releasedByName' : 'released',
          data: { fn: operation.name, transaction: wordsFor(transactionOpenedBy), instead: released ? insteadOf(released.lock.operation) : 'a transaction-level lock' },
        };
      }
    }
  },
});

/** Of a handle that may be a pool nobody knows where its BEGIN went. */
const isSession = ({ role }: Handle): boolean => role === 'connection' || role === 'transaction' || role === 'single';

const wordsFor = (openedBy: TSESTree.Node | null): string => (openedBy ? `the transaction that begins on line ${lineOf(openedBy)}` : 'a transaction');

function insteadOf({ name }: LockOperation): string {
  const instead = transactionName(name);
  return instead === null ? 'a transaction-level lock' : `\`${instead}\``;
}
