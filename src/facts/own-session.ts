import { isInside } from '../source/ast.js';
import type { FlowUnit } from '../flow/nodes.js';
import type { Handle } from './values.js';

/**
 * Is the handle one server session that no caller shares unseen? A connection or transaction is, unless the whole module
 * has it; a handle that is a session of its own for everybody (`max: 1`) only where the function itself made it.
 */
export function isOwnSession({ role, moduleLevel, created }: Handle, unit: FlowUnit): boolean {
  switch (role) {
    case 'connection':
    case 'transaction':
      return !moduleLevel;
    case 'single':
      return !moduleLevel && created !== null && unit.type !== 'Program' && isInside(created, unit);
    case 'pool':
    case 'http':
    case 'unknown':
      return false;
    default:
      return role satisfies never;
  }
}
