import { functionFor } from '../sql/lock-functions.js';
import type { LockOperation } from '../sql/model.js';

/** The function that releases one session lock. */
export const unlockFunction = (dialect: LockOperation['dialect']): string => functionFor('release', 'session', dialect) ?? '';
