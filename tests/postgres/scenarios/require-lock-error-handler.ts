import type { RuleScenario } from './index.js';

export const requireLockErrorHandler: RuleScenario = () => ({ endsSession: true });
