import type { Query } from '../src/facts/queries.js';
import { lineOf } from '../src/point.js';
import { createRule } from '../src/rule.js';
import { heldLocks } from '../src/state/held-locks.js';
import type { StatementWhileHeld } from '../src/state/model.js';

export default createRule({
  name: 'no-concurrent-ddl-while-locked',
  summary: 'Disallow CREATE INDEX and REINDEX CONCURRENTLY under a lock that others wait for',
  tier: 'recommended',
  messages: {
    holder:
      '{{statement}} waits for every older transaction, also for those that wait in `{{fn}}` of line {{line}}, held by this connection: a deadlock (40P01), usually in the waiter. Poll with `{{poll}}` instead.',
    other:
      '{{statement}} waits for every older transaction, also for those that wait in `{{fn}}` of line {{line}}, which is let go only after it: both hang. Poll with `{{poll}}` instead.',
  },
  requires: [heldLocks],
  inSqlFiles: true,
  *check([functions]) {
    for (const { statementsWhileHeld } of functions) {
      for (const sent of statementsWhileHeld) {
        const statement = concurrentBuild(sent.query);
        const { operation, query } = sent.held.lock;
        if (statement === null || !hasWaiters(sent)) continue;
        yield {
          node: sent.query.node,
          messageId: sent.onHolder === 'no' ? 'other' : 'holder',
          data: { statement, fn: operation.name, line: lineOf(query.node), poll: operation.name.replace('pg_', 'pg_try_') },
          witness: [
            { node: query.node, text: `\`${operation.name}\` on line ${lineOf(query.node)} is granted` },
            { node: sent.query.node, text: `${statement} on line ${lineOf(sent.query.node)} waits for those who wait for the lock` },
          ],
        };
      }
    }
  },
});

/** DROP INDEX CONCURRENTLY does not wait for transactions that have not touched the table. */
function concurrentBuild({ analysis }: Query): string | null {
  const statement = analysis?.statements.find(({ concurrently, kind }) => concurrently && (kind === 'create-index' || kind === 'reindex'));
  return statement ? (statement.kind === 'reindex' ? 'REINDEX CONCURRENTLY' : 'CREATE INDEX CONCURRENTLY') : null;
}

/** Who polls is not in a transaction while it waits; in a transaction of the holder's own the statement fails at once. */
const hasWaiters = ({ held, onHolder }: StatementWhileHeld): boolean =>
  held.certain && held.lock.operation.action === 'acquire' && (held.lock.operation.level === 'session' || onHolder === 'no');
