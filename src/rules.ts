import noAbortableUnlock from '../rules/no-abortable-unlock.js';
import noIgnoredTryLockResult from '../rules/no-ignored-try-lock-result.js';
import noIgnoredUnlockResult from '../rules/no-ignored-unlock-result.js';
import noLockWithLimit from '../rules/no-lock-with-limit.js';
import noMisreadLockResult from '../rules/no-misread-lock-result.js';
import noPoolSessionLock from '../rules/no-pool-session-lock.js';
import noUnstableLockKey from '../rules/no-unstable-lock-key.js';
import noWeakLockKey from '../rules/no-weak-lock-key.js';
import validLockKey from '../rules/valid-lock-key.js';
import type { Rule } from './rule.js';

/** Every rule of the plugin, in alphabetical order. */
export const rules: readonly Rule[] = [
  noAbortableUnlock,
  noIgnoredTryLockResult,
  noIgnoredUnlockResult,
  noLockWithLimit,
  noMisreadLockResult,
  noPoolSessionLock,
  noUnstableLockKey,
  noWeakLockKey,
  validLockKey,
];
