import type { TSESTree } from '@typescript-eslint/utils';
import { enclosingFunction, isInside } from '../source/ast.js';
import type { Handle } from './values.js';

/** How a handle with one session for everybody is known, when no call in this file makes it. */
const givenBy: readonly Handle['evidence']['because'][] = ['annotation', 'injection', 'type', 'setting', 'export'];

/**
 * Is the handle one server session that concurrent callers share? A connection is, when the module has it; a handle that
 * is one session for all of its users (`max: 1`, an embedded database), unless a function or class of this file made it,
 * maybe for one caller only. What the function that stands at `at` made itself is its own, wherever it keeps it.
 */
export function isSharedSession({ role, moduleLevel, assumed, created, evidence }: Handle, at: TSESTree.Node): boolean {
  const home = enclosingFunction(at);
  if (created && home && isInside(created, home)) return false;
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
