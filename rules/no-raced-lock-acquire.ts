import { abandonments, type Abandonment } from '../src/facts/abandonments.js';
import { queries, type QueryLock } from '../src/facts/queries.js';
import type { Handle } from '../src/facts/values.js';
import { lineOf } from '../src/point.js';
import { createRule } from '../src/rule.js';

export default createRule({
  name: 'no-raced-lock-acquire',
  summary: 'Disallow waiting for a lock in a way that the client may give up and the server may not',
  tier: 'recommended',
  messages: {
    race: '`{{fn}}` races in the call on line {{line}}: when it loses, {{late}}. {{cure}}',
    timeout: '`{{fn}}` is given up by the client after the time limit on line {{line}}, not by the server: {{late}}. {{cure}}',
    signal: '`{{fn}}` is given up by the client when `{{signal}}` is aborted, not by the server: {{late}}. {{cure}}',
  },
  requires: [queries, abandonments],
  *check([statements, found], _options, { text }) {
    for (const query of statements) {
      if (query.sent === 'never' || !isWaitedFor(query.handle)) continue;
      const lock = query.locks.find(({ operation }) => operation.action === 'acquire' || operation.action === 'try');
      const abandonment = lock ? found.of(query) : null;
      if (!lock || !abandonment || isHarmless(lock, abandonment)) continue;
      yield {
        node: query.node,
        messageId: abandonment.by,
        data: {
          fn: lock.operation.name,
          line: lineOf(abandonment.node),
          signal: text.slice(abandonment.node.range[0], abandonment.node.range[1]).replace(/\s+/g, ' ').slice(0, 60),
          ...wordsFor(lock),
        },
        witness: [
          { node: query.node, text: `\`${lock.operation.name}\` on line ${lineOf(query.node)} is sent` },
          { node: abandonment.node, text: `the client gives up on line ${lineOf(abandonment.node)}` },
        ],
      };
    }
  },
});

const isWaitedFor = ({ role }: Handle): boolean => role !== 'unknown' && role !== 'http';

/**
 * A transaction lock in autocommit ends with its own statement, granted late or not. And a pool throws away the connection
 * of a statement that failed, whatever made it fail.
 */
function isHarmless({ operation, query }: QueryLock, { by }: Abandonment): boolean {
  return query.handle.role === 'pool' && (operation.level === 'transaction' || by === 'timeout');
}

function wordsFor({ operation }: QueryLock): { late: string; cure: string } {
  if (operation.action === 'acquire') {
    return { late: 'the server goes on waiting and grants the lock later, to nobody', cure: 'Limit the wait on the server, with `lock_timeout`, or destroy the connection.' };
  }
  const late = 'the server may grant the lock all the same, to nobody';
  if (operation.dialect === 'mysql') return { late, cure: 'Limit the wait by the time-out that the function takes, or destroy the connection.' };
  return { late, cure: 'Await the answer, or destroy the connection.' };
}
