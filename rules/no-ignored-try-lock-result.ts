import { loopAround, polling } from '../src/facts/polling.js';
import { queries } from '../src/facts/queries.js';
import { readingsOf } from '../src/facts/results.js';
import { answerOf, lineOf } from '../src/point.js';
import { createRule } from '../src/rule.js';
import { callsElsewhere } from '../src/state/calls-elsewhere.js';
import { heldLocks } from '../src/state/held-locks.js';

export default createRule({
  name: 'no-ignored-try-lock-result',
  summary: 'Require the answer of a try-lock to be read',
  tier: 'recommended',
  messages: {
    dropped:
      'Nobody reads the answer of `{{fn}}`, so what follows runs whether the lock was granted or not. Read the {{answer}} and go on only when it is {{yes}}.',
    countOnly:
      '`{{method}}` answers with a number of rows, which is the same whether `{{fn}}` was granted or refused. Use `{{instead}}` and read the {{answer}}.',
    performed: '{{statement}} throws the answer of `{{fn}}` away. {{cure}}',
    fallsThrough:
      'The loop on line {{line}} also ends without `{{fn}}` having been granted, and what follows runs all the same. Remember whether it was granted, and leave when it was not.',
  },
  requires: [queries, polling, heldLocks, callsElsewhere],
  *check([statements, loops, functions, { droppedAnswers }]) {
    for (const { operation, query } of droppedAnswers) {
      const { word: answer, yes } = answerOf(operation);
      yield { node: query.node, messageId: 'dropped', data: { fn: operation.name, answer, yes } };
    }
    const fallThroughs = functions.flatMap((state) => state.fallThroughs);
    for (const query of statements) {
      if (query.sent === 'never') continue;
      for (const lock of query.locks) {
        const { operation } = lock;
        if (operation.action !== 'try' || operation.usedInSql) continue;
        const { word: answer, yes } = answerOf(operation);
        const fn = operation.name;
        if (operation.clause === 'perform') {
          const { body, dialect } = operation;
          if (body === 'do') {
            yield { node: query.node, messageId: 'performed', data: { fn, statement: 'PERFORM', cure: 'Select it into a variable and leave when it is not true.' } };
          } else if (dialect === 'mysql') {
            yield { node: query.node, messageId: 'performed', data: { fn, statement: 'DO', cure: 'Use SELECT, and go on only when the answer is 1.' } };
          }
          continue;
        }
        if (readingsOf(lock).every((reading) => reading.kind === 'dropped')) {
          const { method } = query;
          if (query.result.shape === 'count') {
            yield { node: query.node, messageId: 'countOnly', data: { fn, method, instead: method.replace('execute', 'query'), answer } };
          } else {
            yield { node: query.node, messageId: 'dropped', data: { fn, answer, yes } };
          }
          continue;
        }
        const found = fallThroughs.find(({ held }) => held.lock === lock);
        const loop = loops.loopThatFallsThrough(lock) ?? (found ? loopAround(found.held.call) : null);
        if (loop) yield { node: query.node, messageId: 'fallsThrough', data: { fn, line: lineOf(loop) }, ...(found && { witness: found.witness }) };
      }
    }
  },
});
