import { queries, type Query, type QueryLock } from '../src/facts/queries.js';
import type { Handle } from '../src/facts/values.js';
import { answerOf, spelling } from '../src/point.js';
import { createRule } from '../src/rule.js';
import { callsElsewhere } from '../src/state/calls-elsewhere.js';
import type { SqlExpression } from '../src/sql/model.js';

const defaults: { readonly report: 'certain' | 'potential' } = { report: 'certain' };

export default createRule({
  name: 'no-pool-session-lock',
  summary: 'Disallow taking or releasing a session lock through a connection pool',
  tier: 'recommended',
  messages: {
    acquired:
      '`{{fn}}` is taken through `{{call}}`, which lends a pooled connection for this one statement: the lock stays on a connection that goes back to the pool. {{cure}}',
    released:
      '`{{fn}}` is sent through `{{call}}`, which may pick another pooled connection than the one that holds the lock: it then answers {{no}} and the lock stays. Unlock on the connection that took the lock.',
    http: '`{{fn}}` is sent through `{{call}}`, where every request is a session of its own: the lock protects nothing or is left behind. Use a lease table, or a driver that keeps one connection.',
    reset:
      '`{{fn}}` is taken through `{{call}}`, and this pool resets the connection after the statement: the lock is gone before the next one runs. Take the lock and do the work on one connection.',
    assumed:
      '`{{fn}}` is sent through `{{call}}`, a handle that the whole module shares: as a pool it runs each statement on any connection, as a single connection it lets every caller in. {{cure}}',
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
    defaults,
  },
  requires: [queries, callsElsewhere],
  *check([own, elsewhere], { report }) {
    // A text with several alternatives is one statement, whichever of them it turns out to be.
    const reported = new Set<Query['node']>();
    for (const query of [...own, ...elsewhere.statements]) {
      if (query.sent === 'never' || reported.has(query.node)) continue;
      const lock = lockThatNeedsItsConnection(query);
      if (!lock) continue;
      const handle = [query.handle, ...query.otherHandles].find(isPool);
      const isOpen = query.handle.role === 'unknown' && report === 'potential';
      if (!handle && !isOpen) continue;
      reported.add(query.node);
      yield {
        node: query.node,
        messageId: handle ? messageFor(lock, handle) : 'potential',
        data: { fn: lock.operation.name, call: spelling(lock), no: answerOf(lock.operation).no, cure: cureFor(lock) },
      };
    }
  },
});

const isPool = ({ role }: Handle): boolean => role === 'pool' || role === 'http';

const isRelease = ({ operation }: QueryLock): boolean => operation.action === 'release' || operation.action === 'release-all';

/**
 * The first session lock or unlock of the statement that depends on the connection of another one. Lock and unlock in one
 * string run on one connection, whatever it is.
 */
function lockThatNeedsItsConnection({ locks }: Query): QueryLock | null {
  let held: QueryLock[] = [];
  let unmatched: QueryLock | null = null;
  for (const lock of locks) {
    const { operation } = lock;
    if (operation.level !== 'session' || operation.action === 'inspect') continue;
    if (!isRelease(lock)) {
      held.push(lock);
    } else if (operation.action === 'release-all' && held.length > 0) {
      held = [];
    } else {
      const match = held.find((candidate) => mayReleaseEachOther(candidate, lock));
      if (!match) unmatched ??= lock;
      held = held.filter((candidate) => candidate !== match);
    }
  }
  const [first] = held;
  if (!first || !unmatched) return first ?? unmatched;
  return locks.indexOf(first) < locks.indexOf(unmatched) ? first : unmatched;
}

/** Of the same mode, and with keys that are not certainly different. */
function mayReleaseEachOther({ operation: one }: QueryLock, { operation: other }: QueryLock): boolean {
  if (one.mode !== other.mode || one.keys.length !== other.keys.length) return false;
  return one.keys.every((key, index) => {
    const counterpart = other.keys[index];
    return counterpart !== undefined && !differ(key, counterpart);
  });
}

function differ(one: SqlExpression, other: SqlExpression): boolean {
  if (one.kind === 'integer' && other.kind === 'integer') return one.value !== other.value;
  return one.kind === 'string' && other.kind === 'string' && one.value !== other.value;
}

function messageFor(lock: QueryLock, handle: Handle) {
  if (handle.role === 'http') return 'http';
  if (handle.assumed) return 'assumed';
  if (isRelease(lock)) return 'released';
  return handle.driver.resetsOnRelease ? 'reset' : 'acquired';
}

/** MySQL has no lock that ends with the transaction. */
function cureFor({ operation }: QueryLock): string {
  const oneConnection = 'heck out one connection for lock, work and unlock.';
  return operation.dialect === 'mysql' ? `C${oneConnection}` : `Take a transaction-level lock inside a transaction, or c${oneConnection}`;
}
