import type { TSESTree } from '@typescript-eslint/utils';
import type { GiveBackEvent } from '../facts/events.js';
import type { Query } from '../facts/query.js';
import type { Handle } from '../facts/values.js';
import type { Release } from './locks.js';
import type { HeldLock, Mismatch, TransactionEndsEarly } from './model.js';
import type { Connection, State, Taken } from './state.js';

/** Hears what happens when a solved function is gone through once more. States are those before the operation. */
export interface Recorder {
  acquired(held: HeldLock, state: State, connection: Connection, implicitTransaction: boolean): void;
  /** A call of a helper has taken it. */
  acquiredThrough(held: HeldLock, state: State, connection: Connection): void;
  stacked(held: HeldLock, before: Taken, state: State): void;
  released(release: Release, match: Taken | null, state: State): void;
  mismatch(release: Release, kind: Mismatch['kind'], held: HeldLock, state: State): void;
  gaveBack(event: GiveBackEvent, call: TSESTree.Node, destroys: 'yes' | 'no' | 'unknown', connection: Connection): void;
  usedPool(node: TSESTree.Node, pool: Handle, query: Query | null, state: State): void;
  sent(node: TSESTree.Node, query: Query, handle: Handle, state: State): void;
  endedEarly(held: HeldLock, node: TSESTree.Node, how: TransactionEndsEarly['how'], begun: TSESTree.Node, state: State): void;
}
