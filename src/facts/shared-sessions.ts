import type { Handle } from './values.js';

/** How a handle with one session for everybody is known, when no call in this file makes it. */
const givenBy: readonly Handle['evidence']['because'][] = ['annotation', 'type', 'setting', 'export'];

/**
 * Is the handle one server session that concurrent callers share? A connection is, when the module has it; a handle that
 * is one session for all of its users (`max: 1`, an embedded database), unless a function or class of this file made it,
 * maybe for one caller only.
 */
export function isSharedSession({ role, moduleLevel, assumed, evidence }: Handle): boolean {
  switch (role) {
    case 'connection':
      return moduleLevel && !assumed;
    case 'single':
      return !assumed && (moduleLevel || givenBy.includes(evidence.because));
    case 'pool':
    case 'http':
    case 'transaction':
    case 'unknown':
      return false;
    default:
      return role satisfies never;
  }
}
