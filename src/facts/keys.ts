import type { TSESTree } from '@typescript-eslint/utils';
import type { SqlExpression } from '../sql/model.js';
import type { Frame } from './frames.js';
import type { QueryLock } from './query.js';

/** What a lock is taken on: the key arguments of one lock function, seen from the function that calls it. */
export interface LockKey {
  readonly lock: QueryLock;
  /** One or two for PostgreSQL, the name for MySQL. */
  readonly parts: readonly SqlExpression[];
  /** The calls of helpers between the statement and the function that asks, innermost first. */
  readonly frames: readonly Frame[];
  /** The bound JavaScript values of the parts, null where the SQL itself says it or nothing is known. */
  readonly values: readonly (TSESTree.Node | null)[];
}
