import { queries } from '../src/facts/queries.js';
import { spelling } from '../src/point.js';
import { createRule } from '../src/rule.js';

export default createRule({
  name: 'no-lock-on-replica',
  summary: 'Disallow sending lock functions to a read replica',
  tier: 'strict',
  messages: {
    replica:
      '`{{fn}}` is sent through `{{call}}`, which reads from a replica: a replica has locks of its own, and no lock on it keeps out who locks on the primary. Send it to the primary, best inside a transaction.',
  },
  requires: [queries],
  *check([statements]) {
    for (const query of statements) {
      const [lock] = query.locks;
      if (!lock || !query.isOnReplica || query.sent === 'never') continue;
      yield { node: query.node, messageId: 'replica', data: { fn: lock.operation.name, call: spelling(lock) } };
    }
  },
});
