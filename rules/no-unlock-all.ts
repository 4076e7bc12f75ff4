import { queries } from '../src/facts/queries.js';
import { isSharedSession } from '../src/facts/shared-sessions.js';
import { startUp } from '../src/facts/start-up.js';
import { unlockFunction } from '../src/facts/unlock-function.js';
import { spelling } from '../src/point.js';
import { createRule } from '../src/rule.js';

export default createRule({
  name: 'no-unlock-all',
  summary: 'Disallow releasing all locks of a connection that others share',
  tier: 'strict',
  messages: {
    others:
      '`{{fn}}` through `{{call}}` releases every lock of a connection that other callers share, theirs included: they lose their locks unnoticed. Release the one lock with `{{release}}`.',
  },
  requires: [queries, startUp],
  *check([statements, start]) {
    for (const query of statements) {
      const lock = query.locks.find(({ operation }) => operation.action === 'release-all');
      if (!lock || query.sent === 'never' || !isSharedSession(query.handle, query.node) || start.includes(query.node)) continue;
      const { name, dialect } = lock.operation;
      yield {
        node: query.node,
        messageId: 'others',
        data: { fn: name, call: spelling(lock), release: unlockFunction(dialect) },
      };
    }
  },
});
