import type { RuleScenario } from './index.js';

/** What the page says of poolers is shown behind one. */
export const preferXactLock: RuleScenario = ({ kind }) => (kind === 'bad' ? { pooler: true } : {});
