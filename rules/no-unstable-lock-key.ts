import { queries } from '../src/facts/queries.js';
import { unstableKeys } from '../src/facts/unstable-keys.js';
import { createRule } from '../src/rule.js';

export default createRule({
  name: 'no-unstable-lock-key',
  summary: 'Disallow lock keys that no other process computes again',
  tier: 'recommended',
  messages: {
    random: '`{{fn}}` is given a key made with `{{source}}`: every process and every call gets another key, so nobody is ever kept out. Compute the key from what the lock protects.',
    clock: '`{{fn}}` is given a key made with `{{source}}`: two calls get the same key only in the same millisecond, so nobody is ever kept out. Compute the key from what the lock protects.',
    own: '`{{fn}}` is given a key made with `{{source}}`, which belongs to this process or machine: others lock another key, so nobody is ever kept out. Compute the key from what the lock protects.',
    counter: '`{{fn}}` is given a key made with `{{source}}`, which every process counts for itself: one number means different things in different processes. Compute the key from what the lock protects.',
  },
  requires: [queries, unstableKeys],
  *check([statements, unstable]) {
    const reported = new Set<unknown>();
    for (const query of statements) {
      // One call may send one of several texts, all with the same key.
      if (query.sent === 'never' || reported.has(query.node)) continue;
      for (const lock of query.locks) {
        const { operation } = lock;
        if (operation.action !== 'acquire' && operation.action !== 'try') continue;
        const found = unstable.instabilityOf(lock);
        if (!found) continue;
        reported.add(query.node);
        yield { node: query.node, messageId: found.kind, data: { fn: operation.name, source: found.source } };
      }
    }
  },
});
