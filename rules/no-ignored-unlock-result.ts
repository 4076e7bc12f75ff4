import { queries, type QueryLock } from '../src/facts/queries.js';
import { readingsOf } from '../src/facts/results.js';
import { createRule } from '../src/rule.js';

export default createRule({
  name: 'no-ignored-unlock-result',
  summary: 'Require the answer of an unlock to be read',
  tier: 'recommended',
  messages: {
    dropped:
      'Nobody reads the answer of `{{fn}}`: `false` means that this session does not hold the lock, and nothing else says so. Read the boolean and, when it is not true, destroy the connection instead of giving it back.',
    countOnly:
      '`{{method}}` answers with a number of rows, 1 even when `{{fn}}` answered false. Use `$queryRaw` and read the boolean.',
    performed: 'PERFORM throws the answer of `{{fn}}` away. Select it into a variable and raise an exception when it is not true.',
  },
  requires: [queries],
  *check([statements]) {
    for (const query of statements) {
      if (query.sent === 'never') continue;
      for (const lock of query.locks) {
        if (lock.operation.action !== 'release') continue;
        const messageId = neglectOf(lock);
        if (messageId) yield { node: query.node, messageId, data: { fn: lock.operation.name, method: query.method } };
      }
    }
  },
});

function neglectOf(lock: QueryLock): 'dropped' | 'countOnly' | 'performed' | null {
  const { operation, query } = lock;
  if (operation.body === 'do' && operation.clause === 'perform') return 'performed';
  if (operation.usedInSql) return null;
  if (!readingsOf(lock).every((reading) => reading.kind === 'dropped')) return null;
  return query.result.shape === 'count' ? 'countOnly' : 'dropped';
}
