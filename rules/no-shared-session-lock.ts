import { events } from '../src/facts/events.js';
import { queries, type QueryLock } from '../src/facts/queries.js';
import { isSharedSession } from '../src/facts/shared-sessions.js';
import { startUp } from '../src/facts/start-up.js';
import { lineOf, spelling } from '../src/point.js';
import { createRule } from '../src/rule.js';

export default createRule({
  name: 'no-shared-session-lock',
  summary: 'Disallow session locks as mutual exclusion on one connection that all callers share',
  tier: 'recommended',
  messages: {
    shared:
      '`{{fn}}` is taken through `{{call}}`, the one connection made on line {{line}} for all callers: a session may take its own lock again, so every caller gets it and none is kept out. {{cure}}',
    single:
      '`{{fn}}` is taken through `{{call}}`, which is one session for all of its users: a session may take its own lock again, so every caller gets it and none is kept out. {{cure}}',
  },
  requires: [queries, events, startUp],
  *check([statements, { backends, keys }, start]) {
    const locks = statements.flatMap((query) => (query.sent === 'never' ? [] : query.locks));
    for (const lock of locks) {
      const { operation, query } = lock;
      if (operation.level !== 'session' || (operation.action !== 'acquire' && operation.action !== 'try')) continue;
      if (!isSharedSession(query.handle, query.node) || start.includes(query.node)) continue;
      const releases = locks.filter((other) => mayRelease(other, lock));
      // Lock, work and unlock in one text: the connection does nothing else meanwhile.
      if (releases.length === 0 || releases.some((release) => release.query === query)) continue;
      const { created } = query.handle;
      yield {
        node: query.node,
        messageId: created ? 'shared' : 'single',
        data: { fn: operation.name, call: spelling(lock), line: created ? lineOf(created) : 0, cure: cureFor(lock) },
      };
    }

    /** A lock that nobody releases is held for the life of the process, by whoever takes it first. */
    function mayRelease(release: QueryLock, lock: QueryLock): boolean {
      const { action } = release.operation;
      if (action !== 'release' && action !== 'release-all') return false;
      if (backends.relation(release.query.handle, lock.query.handle) !== 'same') return false;
      return action === 'release-all' || keys.sameKey(keys.keyOf(release, release.query.frames), keys.keyOf(lock, lock.query.frames)) !== 'different';
    }
  },
});

/** MySQL has no lock that ends with the transaction. */
function cureFor({ operation }: QueryLock): string {
  return operation.dialect === 'mysql'
    ? 'Take the lock on a connection of the caller’s own.'
    : 'Take the lock on a connection of the caller’s own, or a transaction-level lock in a transaction of its own.';
}
