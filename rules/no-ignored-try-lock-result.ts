import { queries } from '../src/facts/queries.js';
import { readingsOf } from '../src/facts/results.js';
import { createRule } from '../src/rule.js';

export default createRule({
  name: 'no-ignored-try-lock-result',
  summary: 'Require the answer of a try-lock to be read',
  tier: 'recommended',
  messages: {
    dropped:
      'Nobody reads the answer of `{{fn}}`, so what follows runs whether the lock was granted or not. Read the {{answer}} and go on only when it is {{granted}}.',
    countOnly:
      '`{{method}}` answers with a number of rows, 1 even when `{{fn}}` refused the lock. Use `$queryRaw` and read the {{answer}}.',
    performed: 'PERFORM throws the answer of `{{fn}}` away. Select it into a variable and leave when it is not true.',
  },
  requires: [queries],
  *check([statements]) {
    for (const query of statements) {
      if (query.sent === 'never') continue;
      for (const lock of query.locks) {
        const { operation } = lock;
        if (operation.action !== 'try' || operation.usedInSql) continue;
        const data = {
          fn: operation.name,
          method: query.method,
          answer: operation.returns === 'integer' ? 'number' : 'boolean',
          granted: operation.returns === 'integer' ? '1' : 'true',
        };
        if (operation.body === 'do' && operation.clause === 'perform') {
          yield { node: query.node, messageId: 'performed', data };
        } else if (readingsOf(lock).every((reading) => reading.kind === 'dropped')) {
          yield { node: query.node, messageId: query.result.shape === 'count' ? 'countOnly' : 'dropped', data };
        }
      }
    }
  },
});
