import { autocommit } from '../src/facts/autocommit.js';
import { queries, type QueryLock } from '../src/facts/queries.js';
import { lineOf, spelling } from '../src/point.js';
import { createRule } from '../src/rule.js';
import { heldLocks } from '../src/state/held-locks.js';

export default createRule({
  name: 'no-xact-lock-outside-transaction',
  summary: 'Disallow transaction-level locks where no transaction is open',
  tier: 'recommended',
  messages: {
    pool: '`{{fn}}` is sent over `{{call}}`, where every statement is a transaction of its own: the lock is gone before the next statement runs. Take it in the transaction that does the work.',
    connection:
      '`{{fn}}` is sent over `{{call}}` with no transaction open: the lock is gone before the next statement runs. Begin a transaction first.',
    outer:
      '`{{fn}}` is sent over `{{call}}`, not in the transaction that begins on line {{line}}: it runs on another connection and is gone before the next statement runs. Send it over the handle of the transaction.',
    nested:
      'This ends the whole transaction and with it `{{fn}}` of line {{lockLine}}: the second BEGIN, on line {{line}}, opened nothing. Use a savepoint inside a transaction.',
    savepoint: 'This releases `{{fn}}` of line {{lockLine}}, which was taken after the savepoint of line {{line}}. Take the lock before the savepoint.',
  },
  requires: [queries, autocommit, heldLocks],
  inSqlFiles: true,
  *check([statements, lone, functions]) {
    for (const query of statements) {
      for (const lock of query.locks) {
        if (!isTransactionLock(lock) || !lone.isOnPool(query) || lone.isPointless(lock)) continue;
        const transaction = lone.transactionAround(query);
        yield {
          node: query.node,
          messageId: transaction ? 'outer' : 'pool',
          data: { fn: lock.operation.name, call: spelling(lock), line: transaction ? lineOf(transaction) : 0 },
        };
      }
    }
    for (const { acquires, transactionEndsEarly } of functions) {
      for (const { held, transaction } of acquires) {
        const { lock } = held;
        const { role } = held.handle;
        if (!isTransactionLock(lock) || transaction !== 'none' || role === 'pool' || role === 'http' || lone.isPointless(lock)) continue;
        yield { node: lock.query.node, messageId: 'connection', data: { fn: lock.operation.name, call: spelling(lock) } };
      }
      for (const { held, node, how, begun, witness } of transactionEndsEarly) {
        // A callback's own savepoint: what is rolled back is what the callback took.
        if (how === 'savepoint' && begun === node) continue;
        const { operation, query } = held.lock;
        yield { node, messageId: how, data: { fn: operation.name, lockLine: lineOf(query.node), line: lineOf(begun) }, witness };
      }
    }
  },
});

const isTransactionLock = ({ operation }: QueryLock): boolean =>
  operation.level === 'transaction' && (operation.action === 'acquire' || operation.action === 'try');
