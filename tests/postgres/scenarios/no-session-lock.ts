import type { RuleScenario } from './index.js';

/** Everything goes through PgBouncer in transaction mode, except what goes past it on purpose. */
export const noSessionLock: RuleScenario = ({ code }) => (code.includes('DIRECT_URL') ? {} : { pooler: true });
