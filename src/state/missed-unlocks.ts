import type { TSESTree } from '@typescript-eslint/utils';
import { isOwnSession } from '../facts/own-session.js';
import { isFunction, unwrap } from '../source/ast.js';
import type { FunctionState, HeldLock, Leak } from './model.js';

/**
 * The leaks on paths that miss an unlock, as opposed to those that give the connection away with the lock, that an unlock
 * could not help, or on which the function hands over the lock on purpose.
 */
export const missedUnlocks = (state: FunctionState): readonly Leak[] =>
  state.leaks.filter((leak) => isOwnSession(leak.held.handle, state.unit) && !isReleasedThroughPool(leak.held, state) && isMissedUnlock(leak, state));

/** Is the one unlock the function has sent through a pool? That is what is wrong then. */
export const isReleasedThroughPool = ({ unlocks }: HeldLock, { releases }: FunctionState): boolean =>
  unlocks.length === 0 && releases.some(({ handle: { role } }) => role === 'pool' || role === 'http');

function isMissedUnlock(leak: Leak, state: FunctionState): boolean {
  const { held, cause } = leak;
  const isOurs = held.origin === 'here' ? leak.owned : !isAcquireHelper(leak, state);
  switch (cause.kind) {
    case 'not-unlocked':
      return isOurs && !isUnlock(leak.failing, state);
    case 'given-back':
      // Without any unlock, or before it, the call that gives the connection back is what is wrong.
      return isOurs && state.giveBacksWhileHeld.some((back) => back.held === held && back.node === cause.node && back.why === 'path-misses-unlock');
    case 'unlock-never-sent':
      return true;
    case 'unlock-swallowed':
    case 'unlock-mismatched':
      return false;
    default:
      return cause satisfies never;
  }
}

/** An unlock that fails has been tried, whether or not it is the right one. */
function isUnlock(failing: TSESTree.Node | null, { releases }: FunctionState): boolean {
  const call = failing?.type === 'AwaitExpression' ? unwrap(failing.argument) : failing;
  return releases.some((release) => release.call === call);
}

/**
 * A function that is given its connection may return with the lock on purpose. It does not where an unlock is still to come
 * behind every place at which it can be left with the lock; an unlock inside what it returns is the caller's to run.
 */
function isAcquireHelper({ held }: Leak, { leaks }: FunctionState): boolean {
  const last = Math.max(-1, ...held.unlocks.map(({ query }) => query.node.range[0]));
  const handsOver = (leak: Leak): boolean => leak.exit === 'return' && leak.failing === null && (isFunction(leak.node) || leak.node.range[1] > last);
  return last < 0 || leaks.some((leak) => leak.held === held && handsOver(leak));
}
