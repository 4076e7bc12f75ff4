import type { TSESTree } from '@typescript-eslint/utils';
import { abandonments } from '../src/facts/abandonments.js';
import { abortsBefore } from '../src/facts/aborts.js';
import type { QueryLock } from '../src/facts/queries.js';
import { waitLimits } from '../src/state/wait-limits.js';
import { lineOf, spellingOf } from '../src/point.js';
import { createRule } from '../src/rule.js';
import { unwrap, unwrappedParent } from '../src/source/ast.js';
import { heldLocks } from '../src/state/held-locks.js';
import { missedUnlocks } from '../src/state/missed-unlocks.js';
import type { HeldLock, Leak } from '../src/state/model.js';

export default createRule({
  name: 'require-unlock',
  summary: 'Require a session lock to be released on every path',
  tier: 'recommended',
  messages: {
    throws: '`{{fn}}` taken here is still held if {{step}} on line {{line}} throws. Unlock in `finally`.',
    thrown: '`{{fn}}` taken here is still held at the `throw` on line {{line}}. Unlock in `finally`.',
    returns: '`{{fn}}` taken here is still held at the `return` on line {{line}}. Unlock before it, or in `finally`.',
    ends: '`{{fn}}` taken here is still held when the function ends. Unlock in `finally`.',
    neverSent: '`{{fn}}` taken here is never released: nobody awaits the unlock on line {{line}}, and this driver sends a query only when it is awaited. Await the unlock.',
    refused: 'When `{{fn}}` on line {{line}} refuses the lock, this leaves the connection opened on line {{opened}} open. Close the connection or give it back on this path, too.',
    rejected: 'When `{{fn}}` on line {{line}} gives up waiting, the connection opened here stays open. Close the connection or give it back in `finally`.',
  },
  requires: [heldLocks, waitLimits, abandonments, abortsBefore],
  *check([functions, limits, abandoned, aborts]) {
    // One path is enough to say about a lock, and one that returns happens every day.
    const reported = new Set<QueryLock>();
    const leaks = functions.flatMap((state) => missedUnlocks(state));
    for (const leak of [...leaks.filter(({ exit }) => exit === 'return'), ...leaks.filter(({ exit }) => exit === 'throw')]) {
      const { lock } = leak.held;
      if (reported.has(lock) || hasOtherCause(leak.held)) continue;
      reported.add(lock);
      yield { node: lock.query.node, ...messageFor(leak), witness: leak.witness };
    }

    /** Whether a lock that lost a race is held is what the race leaves open; an abort that skips the unlock is what is wrong with the unlock. */
    function hasOtherCause({ lock, unlocks }: HeldLock): boolean {
      return abandoned.of(lock.query)?.by === 'race' || unlocks.some(({ query }) => aborts.checkBefore(query) !== null);
    }

    for (const state of functions) {
      for (const { held, opened, because, node, witness } of state.connectionLeaks) {
        if (because === 'rejected' && !limits.isLimited(held, state)) continue;
        const data = { fn: held.lock.operation.name, line: lineOf(held.call), opened: lineOf(opened) };
        yield { node, messageId: node === opened ? 'rejected' : 'refused', data, witness };
      }
    }
  },
});

function messageFor({ held, exit, node, failing, cause }: Leak) {
  const fn = held.lock.operation.name;
  if (cause.kind === 'unlock-never-sent') return { messageId: 'neverSent', data: { fn, line: lineOf(cause.unlock.query.node) } } as const;
  if (exit === 'return' && !failing) {
    return node.type === 'ReturnStatement' ? ({ messageId: 'returns', data: { fn, line: lineOf(node) } } as const) : ({ messageId: 'ends', data: { fn } } as const);
  }
  const step = wholeChain(failing ?? node);
  const line = lineOf(step);
  if (step.type === 'ThrowStatement') return { messageId: 'thrown', data: { fn, line } } as const;
  return { messageId: 'throws', data: { fn, line, step: isCall(step) ? `\`${spellingOf(step)}\`` : 'the statement' } } as const;
}

/** The last call of a chain: `db.insertInto(…).values(…).execute` rather than its first one. */
function wholeChain(node: TSESTree.Node): TSESTree.Node {
  const { parent, child } = unwrappedParent(node);
  const call = parent?.type === 'MemberExpression' && parent.object === child ? unwrappedParent(parent).parent : null;
  return call?.type === 'CallExpression' && unwrap(call.callee) === parent ? wholeChain(call) : node;
}

const isCall = (node: TSESTree.Node): boolean => ['CallExpression', 'NewExpression', 'TaggedTemplateExpression', 'AwaitExpression', 'ImportExpression'].includes(node.type);
