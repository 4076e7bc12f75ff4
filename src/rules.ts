import noAbortableUnlock from '../rules/no-abortable-unlock.js';
import noIgnoredTryLockResult from '../rules/no-ignored-try-lock-result.js';
import noIgnoredUnlockResult from '../rules/no-ignored-unlock-result.js';
import noLockAfterSnapshot from '../rules/no-lock-after-snapshot.js';
import noLockInFilter from '../rules/no-lock-in-filter.js';
import noLockWithLimit from '../rules/no-lock-with-limit.js';
import noMisreadLockResult from '../rules/no-misread-lock-result.js';
import noPoolSessionLock from '../rules/no-pool-session-lock.js';
import noVoidLockResult from '../rules/no-void-lock-result.js';
import type { Rule } from './rule.js';

/** Every rule of the plugin, in alphabetical order. */
export const rules: readonly Rule[] = [
  noAbortableUnlock,
  noIgnoredTryLockResult,
  noIgnoredUnlockResult,
  noLockAfterSnapshot,
  noLockInFilter,
  noLockWithLimit,
  noMisreadLockResult,
  noPoolSessionLock,
  noVoidLockResult,
];
