import type { Handle } from '../src/facts/values.js';
import { lineOf } from '../src/point.js';
import { createRule } from '../src/rule.js';
import { errorListeners } from '../src/state/error-listeners.js';
import { heldLocks } from '../src/state/held-locks.js';
import type { FunctionState, HeldLock, Leak } from '../src/state/model.js';

export default createRule({
  name: 'require-lock-error-handler',
  summary: "Require an 'error' listener on a connection that holds a session lock over other work",
  tier: 'strict',
  messages: {
    missing:
      "The connection made here holds `{{fn}}` of line {{line}} over other work and has no 'error' listener: when its backend dies, the event that nobody handles ends the process. Listen to 'error', and treat the lock as lost.",
  },
  options: {
    schema: {
      pooledClients: { type: 'boolean', description: 'Ask for a listener on connections taken from a pool, too.' },
    },
    defaults: { pooledClients: false },
  },
  requires: [heldLocks, errorListeners],
  *check([functions, listeners], { pooledClients }) {
    const reported = new Set<Handle['created']>();
    for (const state of functions) {
      for (const held of state.locks) {
        const { handle, lock } = held;
        const { created } = handle;
        if (!created || reported.has(created) || lock.operation.level !== 'session' || !endsProcess(handle)) continue;
        if (handle.role !== 'connection' || (handle.pool !== null && !pooledClients) || !isHeldOverWork(held, state)) continue;
        if (listeners.mayBeOn(held)) continue;
        reported.add(created);
        yield { node: created, messageId: 'missing', data: { fn: lock.operation.name, line: lineOf(lock.query.node) } };
      }
    }
  },
});

/** What emits the event is the connection below a query builder. */
const endsProcess = ({ driver, underlying }: Handle): boolean => (underlying?.driver ?? driver).errorEventEndsProcess === true;

/** Other calls run under the lock, or it outlives the function. */
const isHeldOverWork = (held: HeldLock, { workWhileHeld, leaks }: FunctionState): boolean =>
  workWhileHeld.some((work) => work.held === held) || leaks.some((leak) => leak.held === held && !leak.owned && !isReturned(leak));

/** Who gets the connection can add the listener. */
const isReturned = ({ handedOver, node }: Leak): boolean => handedOver && node.type === 'ReturnStatement' && node.argument !== null;
