import { lineOf, spellingOf } from '../src/point.js';
import { createRule } from '../src/rule.js';
import { heldLocks } from '../src/state/held-locks.js';

export default createRule({
  name: 'no-pool-query-while-locked',
  summary: 'Disallow taking another connection from the pool while a lock pins one of its connections',
  tier: 'recommended',
  messages: {
    query:
      '`{{call}}` needs another connection of the pool while `{{fn}}` of line {{line}} pins one: when all are taken by callers that wait for the lock, this waits for ever. Send it over the connection that holds the lock.',
    connection:
      '`{{call}}` takes another connection of the pool while `{{fn}}` of line {{line}} pins one: when all are taken by callers that wait for the lock, this waits for ever. Do the work on the connection that holds the lock, or lock through a pool of its own.',
  },
  requires: [heldLocks],
  *check([functions]) {
    for (const { poolUsesWhileHeld } of functions) {
      for (const { node, query, held } of poolUsesWhileHeld) {
        const { role } = held.handle;
        if (role !== 'connection' && role !== 'transaction') continue;
        // A session lock or its unlock does not belong on the pool at all, which no-pool-session-lock says.
        if (query?.locks.some(({ operation }) => operation.level === 'session' && operation.action !== 'inspect')) continue;
        yield {
          node,
          messageId: query ? 'query' : 'connection',
          data: { call: spellingOf(node), fn: held.lock.operation.name, line: lineOf(held.lock.query.node) },
          witness: [
            { node: held.lock.query.node, text: `\`${held.lock.operation.name}\` on line ${lineOf(held.lock.query.node)} is granted` },
            { node, text: `\`${spellingOf(node)}\` on line ${lineOf(node)} asks the pool for another connection` },
          ],
        };
      }
    }
  },
});
