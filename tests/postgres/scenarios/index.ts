import type { RuleExample } from '../../meta/documented-examples.js';
import type { HarmCheck } from '../harms.js';
import type { Scenario } from '../perform.js';
import { consistentLockOrder } from './consistent-lock-order.js';
import { noLockAfterSnapshot } from './no-lock-after-snapshot.js';
import { noMisreadLockResult } from './no-misread-lock-result.js';
import { noSessionLock } from './no-session-lock.js';
import { noStackedSessionLock } from './no-stacked-session-lock.js';
import { noUnlockAll } from './no-unlock-all.js';
import { noUnstableLockKey } from './no-unstable-lock-key.js';
import { noWeakLockKey } from './no-weak-lock-key.js';
import { preferXactLock } from './prefer-xact-lock.js';
import { requireLockErrorHandler } from './require-lock-error-handler.js';
import { validLockKey } from './valid-lock-key.js';

/** What a rule says about its own examples. */
export type RuleScenario = (example: RuleExample) => ExampleScenario;

export interface ExampleScenario extends Scenario {
  /** Looks for the harm in a way of its own. */
  readonly harm?: HarmCheck;
  /** The server ends the session in the middle of the work, of which a process may die. */
  readonly endsSession?: true;
}

/** Only for examples that the laboratory cannot run by what they say of themselves. */
const scenarios: Readonly<Record<string, RuleScenario>> = {
  'consistent-lock-order': consistentLockOrder,
  'no-lock-after-snapshot': noLockAfterSnapshot,
  'no-misread-lock-result': noMisreadLockResult,
  'no-session-lock': noSessionLock,
  'no-stacked-session-lock': noStackedSessionLock,
  'no-unlock-all': noUnlockAll,
  'no-unstable-lock-key': noUnstableLockKey,
  'no-weak-lock-key': noWeakLockKey,
  'prefer-xact-lock': preferXactLock,
  'require-lock-error-handler': requireLockErrorHandler,
  'valid-lock-key': validLockKey,
};

export function scenarioFor(example: RuleExample): ExampleScenario {
  return scenarios[example.rule]?.(example) ?? {};
}
