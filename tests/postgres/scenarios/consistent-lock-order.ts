import type { RuleScenario } from './index.js';

/**
 * One statement takes its locks faster than another can come in between. A third session holds the lock in the middle of both
 * lists until the first one of each is taken.
 */
export const consistentLockOrder: RuleScenario = ({ code }) =>
  code.includes('unnest')
    ? { values: (caller) => ({ accounts: caller === 0 ? [1, 3, 2] : [2, 3, 1] }), rival: { key: '3', mode: 'ExclusiveLock' } }
    : {};
