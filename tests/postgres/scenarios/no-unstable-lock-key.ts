import type { RuleScenario } from './index.js';

/** A key that is stable within a process shows what it is worth between two of them. */
export const noUnstableLockKey: RuleScenario = ({ kind }) => (kind === 'bad' ? { processes: true } : {});
