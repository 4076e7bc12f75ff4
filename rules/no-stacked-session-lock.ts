import { isOwnSession } from '../src/facts/own-session.js';
import { lineOf } from '../src/point.js';
import { createRule } from '../src/rule.js';
import { heldLocks } from '../src/state/held-locks.js';

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
        if (!stacked || held.lock.operation.level !== 'session' || !isOwnSession(held.handle, state.unit)) continue;
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
