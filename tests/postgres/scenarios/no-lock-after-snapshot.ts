import type { RuleScenario } from './index.js';

/** The caller that comes first changes what the second one reads, and commits it before the second one has the lock. */
export const noLockAfterSnapshot: RuleScenario = ({ code }) => {
  const readsBalance = code.includes('balanceOf');
  return {
    ...(readsBalance && { afterwards: (ask, caller) => (caller === 0 ? ask('UPDATE accounts SET balance = balance + 1 WHERE id = 1') : Promise.resolve()) }),
    harm: {
      circumstances: ['two callers'],
      seen({ calls: [first, second], waited }) {
        if (waited.length === 0 || second?.outcome !== 'returned' || second.value !== first?.value) return null;
        const what = readsBalance ? 'the first one had raised the balance' : 'the first one had used the number';
        return `The second caller waited for the lock, and then read ${String(second.value)}, although ${what} and committed.`;
      },
    },
  };
};
