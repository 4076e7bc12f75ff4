import { queries, type Query, type QueryLock } from '../src/facts/queries.js';
import type { Handle } from '../src/facts/values.js';
import { spelling } from '../src/point.js';
import { createRule } from '../src/rule.js';

export default createRule({
  name: 'no-pool-session-lock',
  summary: 'Disallow taking or releasing a session lock through a connection pool',
  tier: 'recommended',
  messages: {
    acquired:
      '`{{fn}}` is taken through `{{call}}`, which lends a pooled connection for this one statement: the lock stays on a connection that goes back to the pool. Take a transaction-level lock inside a transaction, or check out one connection for lock, work and unlock.',
    released:
      '`{{fn}}` is sent through `{{call}}`, which may pick another pooled connection than the one that holds the lock: it then answers false and the lock stays. Unlock on the connection that took the lock.',
    http: '`{{fn}}` is sent through `{{call}}`, where every request is a session of its own: the lock protects nothing or is left behind. Use a lease table, or a driver that keeps one connection.',
    reset:
      '`{{fn}}` is taken through `{{call}}`, and this pool resets the connection after the statement: the lock is gone before the next one runs. Take the lock and do the work on one connection.',
    assumed:
      '`{{fn}}` is sent through `{{call}}`, a handle that the whole module shares: as a pool it runs each statement on any connection, as a single connection it lets every caller in. Check out one connection for lock, work and unlock, or take a transaction-level lock inside a transaction.',
    potential:
      '`{{fn}}` is sent through `{{call}}`, and nothing here shows that this is one connection. Check out a connection for lock, work and unlock, or annotate the handle.',
  },
  options: {
    schema: {
      report: {
        type: 'string',
        description: 'Report only what is proved, or also handles of which nothing is known.',
        enum: ['certain', 'potential'],
      },
    },
    defaults: { report: 'certain' as 'certain' | 'potential' },
  },
  requires: [queries],
  *check([statements], { report }, { text }) {
    for (const query of statements) {
      if (query.sent === 'never') continue;
      const lock = query.locks.find((candidate) => isSessionLock(candidate) && !isPairedInOneStatement(candidate, query));
      if (!lock) continue;
      const handle = [query.handle, ...query.otherHandles].find(isPool);
      const isOpen = query.handle.role === 'unknown' && report === 'potential';
      if (!handle && !isOpen) continue;
      yield {
        node: query.node,
        messageId: handle ? messageFor(lock, handle) : 'potential',
        data: { fn: lock.operation.name, call: spelling(lock, text) },
      };
    }
  },
});

const isPool = ({ role }: Handle): boolean => role === 'pool' || role === 'http';

const isSessionLock = ({ operation }: QueryLock): boolean => operation.level === 'session' && operation.action !== 'inspect';

/** Lock and unlock in one string run on one connection, whatever it is. */
function isPairedInOneStatement({ operation }: QueryLock, { locks }: Query): boolean {
  const isRelease = ({ operation: other }: QueryLock): boolean => other.action === 'release' || other.action === 'release-all';
  const acquires = locks.some((lock) => isSessionLock(lock) && !isRelease(lock));
  const releases = locks.some((lock) => isSessionLock(lock) && isRelease(lock));
  return operation.level === 'session' && acquires && releases;
}

function messageFor({ operation }: QueryLock, handle: Handle) {
  if (handle.role === 'http') return 'http';
  if (handle.assumed) return 'assumed';
  if (operation.action === 'release' || operation.action === 'release-all') return 'released';
  return handle.driver.resetsOnRelease ? 'reset' : 'acquired';
}
