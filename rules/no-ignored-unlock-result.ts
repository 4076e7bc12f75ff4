import { answerChecks } from '../src/facts/answer-checks.js';
import { queries, type QueryLock } from '../src/facts/queries.js';
import { readingsOf } from '../src/facts/results.js';
import { answerOf } from '../src/point.js';
import { createRule } from '../src/rule.js';

export default createRule({
  name: 'no-ignored-unlock-result',
  summary: 'Require the answer of an unlock to be read',
  tier: 'recommended',
  messages: {
    dropped:
      'Nobody reads the answer of `{{fn}}`: {{no}} means that this session does not hold the lock, and nothing else says so. Read the {{answer}} and, when it is not {{yes}}, destroy the connection instead of giving it back.',
    countOnly:
      '`{{method}}` answers with a number of rows, which is the same whether `{{fn}}` answered {{yes}} or {{no}}. Use `{{instead}}` and read the {{answer}}.',
    performed: '{{statement}} throws the answer of `{{fn}}` away. {{cure}}',
    destroys: 'Read the answer, and destroy the connection when the lock was not released.',
    throws: 'Read the answer, and throw when the lock was not released.',
  },
  hasSuggestions: true,
  requires: [queries, answerChecks],
  *check([statements, checks]) {
    for (const query of statements) {
      if (query.sent === 'never') continue;
      for (const lock of query.locks) {
        const { operation } = lock;
        if (operation.action !== 'release') continue;
        const { word: answer, yes, no } = answerOf(operation);
        const fn = operation.name;
        switch (neglectOf(lock)) {
          case 'dropped': {
            const check = checks.checkFor(lock);
            yield {
              node: query.node,
              messageId: 'dropped',
              data: { fn, answer, yes, no },
              suggestions: check ? [{ messageId: check.kind, edits: check.edits }] : [],
            };
            break;
          }
          case 'countOnly': {
            const { method } = query;
            yield { node: query.node, messageId: 'countOnly', data: { fn, method, instead: method.replace('execute', 'query'), answer, yes, no } };
            break;
          }
          case 'performed':
            yield { node: query.node, messageId: 'performed', data: { fn, ...performerOf(lock) } };
            break;
          case null:
        }
      }
    }
  },
});

function neglectOf(lock: QueryLock): 'dropped' | 'countOnly' | 'performed' | null {
  const { operation, query } = lock;
  const isThrownAwayInSql = operation.body === 'do' || operation.dialect === 'mysql';
  if (operation.clause === 'perform') return isThrownAwayInSql ? 'performed' : null;
  if (operation.usedInSql) return null;
  if (!readingsOf(lock).every((reading) => reading.kind === 'dropped')) return null;
  return query.result.shape === 'count' ? 'countOnly' : 'dropped';
}

const performerOf = ({ operation }: QueryLock): { statement: string; cure: string } =>
  operation.body === 'do'
    ? { statement: 'PERFORM', cure: 'Select it into a variable and raise an exception when it is not true.' }
    : { statement: 'DO', cure: 'Use SELECT, and destroy the connection when the answer is not 1.' };
