import type { TSESTree } from '@typescript-eslint/utils';
import { abandonments } from '../src/facts/abandonments.js';
import { isOwnSession } from '../src/facts/own-session.js';
import { waitLimits } from '../src/state/wait-limits.js';
import { lineOf, spellingOf } from '../src/point.js';
import { createRule } from '../src/rule.js';
import { isFunction } from '../src/source/ast.js';
import { heldLocks } from '../src/state/held-locks.js';
import type { FunctionState, Leak } from '../src/state/model.js';

export default createRule({
  name: 'require-unlock',
  summary: 'Require a session lock to be released on every path',
  tier: 'recommended',
  messages: {
    throws: '`{{fn}}` taken here is still held if `{{step}}` on line {{line}} throws. Unlock in `finally`.',
    thrown: '`{{fn}}` taken here is still held at the `throw` on line {{line}}. Unlock in `finally`.',
    returns: '`{{fn}}` taken here is still held at the `return` on line {{line}}. Unlock before it, or in `finally`.',
    ends: '`{{fn}}` taken here is still held when the function ends. Unlock in `finally`.',
    neverSent: '`{{fn}}` taken here is never released: nobody awaits the unlock on line {{line}}, and this driver sends a query only when it is awaited. Await the unlock.',
    refused: 'When `{{fn}}` on line {{line}} refuses the lock, this leaves the connection opened on line {{opened}} open. Close the connection or give it back on this path, too.',
    rejected: 'When `{{fn}}` on line {{line}} gives up waiting, the connection opened here stays open. Close the connection or give it back in `finally`.',
  },
  requires: [heldLocks, waitLimits, abandonments],
  *check([functions, limits, abandoned]) {
    for (const state of functions) {
      for (const leak of state.leaks) {
        if (!isOwnSession(leak.held.handle, state.unit) || !isMissedUnlock(leak, state)) continue;
        // Whether a lock that lost a race is held is what the race leaves open.
        if (abandoned.of(leak.held.lock.query)?.by === 'race') continue;
        yield { node: leak.held.lock.query.node, ...messageFor(leak), witness: leak.witness };
      }
      for (const { held, opened, because, node, witness } of state.connectionLeaks) {
        if (because === 'rejected' && !limits.isLimited(held, state)) continue;
        const data = { fn: held.lock.operation.name, line: lineOf(held.call), opened: lineOf(opened) };
        yield { node, messageId: node === opened ? 'rejected' : 'refused', data, witness };
      }
    }
  },
});

/** Is the path one that misses an unlock, rather than one that gives the connection away or never meant to unlock? */
function isMissedUnlock(leak: Leak, state: FunctionState): boolean {
  const { held, cause } = leak;
  const isOurs = held.origin === 'here' ? leak.owned : !isAcquireHelper(leak, state);
  switch (cause.kind) {
    case 'not-unlocked':
      return isOurs;
    case 'given-back':
      // Without any unlock, or before it, the call that gives the connection back is what is wrong.
      return isOurs && held.unlocks.length > 0 && !state.giveBacksWhileHeld.some((back) => back.held === held && back.node === cause.node && back.why !== 'path-misses-unlock');
    case 'unlock-never-sent':
      return true;
    case 'unlock-swallowed':
    case 'unlock-mismatched':
      return false;
    default:
      return cause satisfies never;
  }
}

/**
 * A function that is given its connection may return with the lock on purpose. It does not where an unlock is still to come
 * behind every place at which it can be left with the lock.
 */
function isAcquireHelper({ held }: Leak, { leaks }: FunctionState): boolean {
  const [last] = held.unlocks.map(({ query }) => query.node.range[0]).sort((a, b) => b - a);
  return last === undefined || leaks.some((leak) => leak.held === held && leak.exit === 'return' && (isFunction(leak.node) || leak.node.range[0] > last));
}

function messageFor({ held, exit, node, cause }: Leak) {
  const fn = held.lock.operation.name;
  const line = lineOf(node);
  if (cause.kind === 'unlock-never-sent') return { messageId: 'neverSent', data: { fn, line: lineOf(cause.unlock.query.node) } } as const;
  if (exit === 'return') return isEnd(node) ? ({ messageId: 'ends', data: { fn } } as const) : ({ messageId: 'returns', data: { fn, line } } as const);
  if (node.type === 'ThrowStatement') return { messageId: 'thrown', data: { fn, line } } as const;
  return { messageId: 'throws', data: { fn, line, step: spellingOf(node) } } as const;
}

const isEnd = (node: TSESTree.Node): boolean => node.type !== 'ReturnStatement';
