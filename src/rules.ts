import consistentLockOrder from '../rules/consistent-lock-order.js';
import noAbortableUnlock from '../rules/no-abortable-unlock.js';
import noConcurrentDdlWhileLocked from '../rules/no-concurrent-ddl-while-locked.js';
import noIgnoredTryLockResult from '../rules/no-ignored-try-lock-result.js';
import noIgnoredUnlockResult from '../rules/no-ignored-unlock-result.js';
import noLockAfterSnapshot from '../rules/no-lock-after-snapshot.js';
import noLockInFilter from '../rules/no-lock-in-filter.js';
import noLockOnReplica from '../rules/no-lock-on-replica.js';
import noLockWithLimit from '../rules/no-lock-with-limit.js';
import noMismatchedUnlock from '../rules/no-mismatched-unlock.js';
import noMisreadLockResult from '../rules/no-misread-lock-result.js';
import noPoolQueryWhileLocked from '../rules/no-pool-query-while-locked.js';
import noPoolSessionLock from '../rules/no-pool-session-lock.js';
import noRacedLockAcquire from '../rules/no-raced-lock-acquire.js';
import noReleaseWhileLocked from '../rules/no-release-while-locked.js';
import noSessionLock from '../rules/no-session-lock.js';
import noSessionLockInTransaction from '../rules/no-session-lock-in-transaction.js';
import noSharedSessionLock from '../rules/no-shared-session-lock.js';
import noStackedSessionLock from '../rules/no-stacked-session-lock.js';
import noUnlockAll from '../rules/no-unlock-all.js';
import noUnstableLockKey from '../rules/no-unstable-lock-key.js';
import noVoidLockResult from '../rules/no-void-lock-result.js';
import noWeakLockKey from '../rules/no-weak-lock-key.js';
import noXactLockOutsideTransaction from '../rules/no-xact-lock-outside-transaction.js';
import preferXactLock from '../rules/prefer-xact-lock.js';
import requireLockErrorHandler from '../rules/require-lock-error-handler.js';
import requireLockTimeout from '../rules/require-lock-timeout.js';
import requireUnlock from '../rules/require-unlock.js';
import validLockKey from '../rules/valid-lock-key.js';
import type { Rule } from './rule.js';

/** Every rule of the plugin, in alphabetical order. */
export const rules: readonly Rule[] = [
  consistentLockOrder,
  noAbortableUnlock,
  noConcurrentDdlWhileLocked,
  noIgnoredTryLockResult,
  noIgnoredUnlockResult,
  noLockAfterSnapshot,
  noLockInFilter,
  noLockOnReplica,
  noLockWithLimit,
  noMismatchedUnlock,
  noMisreadLockResult,
  noPoolQueryWhileLocked,
  noPoolSessionLock,
  noRacedLockAcquire,
  noReleaseWhileLocked,
  noSessionLock,
  noSessionLockInTransaction,
  noSharedSessionLock,
  noStackedSessionLock,
  noUnlockAll,
  noUnstableLockKey,
  noVoidLockResult,
  noWeakLockKey,
  noXactLockOutsideTransaction,
  preferXactLock,
  requireLockErrorHandler,
  requireLockTimeout,
  requireUnlock,
  validLockKey,
];
