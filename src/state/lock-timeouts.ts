import type { TSESTree } from '@typescript-eslint/utils';
import { events } from '../facts/events.js';
import { queries } from '../facts/queries.js';
import { transactions } from '../facts/transactions.js';
import { definePass } from '../pass.js';
import { isInside } from '../source/ast.js';
import { staticValue } from '../source/constants.js';
import { scopes } from '../source/scope.js';
import type { HeldLock } from './model.js';

/** A transaction that the library gives up after a time, whatever the server does. */
export interface InteractiveTransaction {
  /** The call that opens it. */
  readonly node: TSESTree.Node;
  /** Milliseconds; null when the file does not show the value. */
  readonly limit: number | null;
}

export interface LockTimeouts {
  /** The time-limited transaction a lock is taken in; null for any other. */
  interactiveTransactionOf(held: HeldLock): InteractiveTransaction | null;
  /** The lock_timeout, in milliseconds, that the last SET before the lock sets on its connection; null when it is not to be seen. */
  timeoutBefore(held: HeldLock): number | null;
}

const unitsOfTime: Readonly<Record<string, number>> = { us: 0.001, ms: 1, s: 1_000, min: 60_000, h: 3_600_000, d: 86_400_000 };

/** Knows the values of limits on waiting for a lock. */
export const lockTimeouts = definePass('lockTimeouts', [scopes, queries, transactions, events], ([scopesOfFile, statements, opened, { backends }]): LockTimeouts => {
  return { interactiveTransactionOf, timeoutBefore };

  function interactiveTransactionOf({ handle }: HeldLock): InteractiveTransaction | null {
    const transaction = opened.find(({ callback, timeout }) => callback !== null && timeout !== null && callback === handle.lifetime);
    if (!transaction?.timeout) return null;
    if ('milliseconds' in transaction.timeout) return { node: transaction.node, limit: transaction.timeout.milliseconds };
    const value = staticValue(transaction.timeout.node, scopesOfFile)?.value;
    return { node: transaction.node, limit: typeof value === 'number' ? value : null };
  }

  function timeoutBefore({ handle, call }: HeldLock): number | null {
    const settings = statements.flatMap(({ node, session, handle: other }) =>
      node.range[1] <= call.range[0] && (handle.lifetime === null || isInside(node, handle.lifetime)) && backends.relation(other, handle) === 'same'
        ? session.filter((operation) => operation.kind === 'set' && operation.name === 'lock_timeout')
        : [],
    );
    const last = settings.at(-1);
    return last?.kind === 'set' && last.value !== null ? millisecondsOf(last.value) : null;
  }
});

/** PostgreSQL reads a plain number as milliseconds (manual, 19.1.1). */
function millisecondsOf(value: string): number | null {
  const [, amount, unit = 'ms'] = /^\s*(\d+(?:\.\d+)?)\s*(us|ms|s|min|h|d)?\s*$/.exec(value) ?? [];
  const factor = unitsOfTime[unit];
  return amount === undefined || factor === undefined ? null : Number(amount) * factor;
}
