import type { RuleScenario } from './index.js';

/** A name that is NULL is one of the errors that GET_LOCK answers with NULL. */
export const noMisreadLockResult: RuleScenario = ({ kind, code }) =>
  kind === 'bad' && code.includes('GET_LOCK') ? { values: () => ({ name: null }) } : {};
