import type { TSESTree } from '@typescript-eslint/utils';
import { isOwnSession } from '../src/facts/own-session.js';
import { lineOf } from '../src/point.js';
import { createRule } from '../src/rule.js';
import { isFunction, isInside } from '../src/source/ast.js';
import { heldLocks } from '../src/state/held-locks.js';
import type { FunctionState, HeldLock } from '../src/state/model.js';

export default createRule({
  name: 'no-stacked-session-lock',
  summary: 'Disallow taking a session lock again on a connection that already holds it',
  tier: 'strict',
  messages: {
    loop: '`{{fn}}` is taken again in the next round of the loop, on a connection that still holds it: the server counts, and one unlock leaves it held. Unlock in every round, or take the lock before the loop.',
    earlier:
      '`{{fn}}` is taken again on a connection that holds it since line {{line}}: the server counts, and one unlock leaves it held. Take the lock once, or unlock as often.',
    repeated:
      '`{{fn}}` is taken again each time this function runs, on a connection that still holds it: the server counts, and one unlock leaves it held. Remember that the lock is held, and skip this.',
  },
  requires: [heldLocks],
  *check([functions]) {
    for (const state of functions) {
      for (const { held, stacked } of state.acquires) {
        if (!stacked || held.lock.operation.level !== 'session' || !isOwnSession(held.handle, state.unit) || isCounted(held, stacked.by, state)) continue;
        yield {
          node: held.lock.query.node,
          messageId: stacked.by,
          data: { fn: held.lock.operation.name, line: lineOf(stacked.held.lock.query.node) },
          witness: stacked.witness,
        };
      }
    }
  },
});

/**
 * Is there an unlock for every time the lock is taken? Several of them for several statements, one in another loop for a
 * loop; and none at all means that the session ends with its locks.
 */
function isCounted(held: HeldLock, by: 'loop' | 'earlier' | 'repeated', { releases }: FunctionState): boolean {
  const unlocks = releases.filter((release) => release.releases.some(({ lock }) => lock === held.lock) || held.unlocks.includes(release.lock));
  switch (by) {
    case 'earlier':
      return unlocks.length > 1 || (held.origin === 'here' && unlocks.length === 0);
    case 'loop':
      return unlocks.some(({ call }) => isInOtherLoop(call, held.call)) || (held.origin === 'here' && unlocks.length === 0);
    case 'repeated':
      return false;
    default:
      return by satisfies never;
  }
}

const loops: ReadonlySet<string> = new Set(['ForStatement', 'ForOfStatement', 'ForInStatement', 'WhileStatement', 'DoWhileStatement']);

function isInOtherLoop(node: TSESTree.Node, other: TSESTree.Node): boolean {
  for (let outer = node.parent; outer && !isFunction(outer); outer = outer.parent) if (loops.has(outer.type)) return !isInside(other, outer);
  return false;
}
