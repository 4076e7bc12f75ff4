import { queries, type QueryLock } from '../src/facts/queries.js';
import { readingsOf, type Misreading, type Reading } from '../src/facts/results.js';
import { answerOf } from '../src/point.js';
import { createRule } from '../src/rule.js';

type Misread = Extract<Reading, { kind: 'misread' }>;

export default createRule({
  name: 'no-misread-lock-result',
  summary: 'Require the answer of a lock function to be read from the cell that holds it',
  tier: 'recommended',
  messages: {
    truthy:
      'This tests {{what}} of `{{fn}}`, which is the same whether the answer is {{yes}} or {{no}}. Read the {{answer}} in column `{{column}}` of the first row.',
    column: 'The statement has no column `{{name}}`, so this is always undefined: the answer of `{{fn}}` is in column `{{column}}`. Read that column.',
    member:
      'The result of `{{method}}` has no `{{name}}`, so this is always undefined and never the answer of `{{fn}}`. Read column `{{column}}` of the first row where this driver puts the rows.',
    count: '`{{method}}` answers with a number of rows, which is the same whether `{{fn}}` answered {{yes}} or {{no}}. Use `{{instead}}` and read the {{answer}}.',
    anyRow: '`{{method}}` answers true for any row, also when `{{fn}}` answered {{no}}. Read the value itself.',
    text: "The answer of `{{fn}}` is cast to text: 'false' is as truthy as 'true', and neither equals a boolean. Drop the cast, or compare with 'true'.",
    nullPasses: '`{{fn}}` answers NULL on an error, and this test lets NULL pass for a granted lock. Compare with 1.',
    presence: 'This asks only whether `{{fn}}` answered NULL, and a refusal is {{no}}, not NULL. Compare the answer with {{yes}}.',
  },
  requires: [queries],
  *check([statements]) {
    for (const query of statements) {
      if (query.sent === 'never') continue;
      for (const lock of query.locks) {
        const { operation } = lock;
        if (operation.action !== 'try' && operation.action !== 'release') continue;
        const found = misreadOf(readingsOf(lock));
        if (!found) continue;
        const { misreading } = found;
        const { yes, no, word } = answerOf(operation);
        yield {
          node: found.node,
          messageId: messageFor(misreading),
          data: {
            fn: operation.name,
            method: query.method,
            instead: query.method.replace('execute', 'query'),
            column: columnOf(lock),
            what: wordsFor(misreading),
            name: 'name' in misreading ? misreading.name : '',
            yes,
            no,
            answer: word,
          },
        };
      }
    }
  },
});

/** A look at the rows before the boolean is read is a guard, not a mistake. */
function misreadOf(readings: readonly Reading[]): Misread | null {
  const misread = readings.find((reading) => reading.kind === 'misread');
  if (!misread) return null;
  const isRead = readings.some((reading) => reading.kind === 'read' || reading.kind === 'passed');
  return isRead ? null : misread;
}

const columnOf = ({ operation }: QueryLock): string => operation.column?.name ?? operation.name;

function messageFor(misreading: Misreading) {
  switch (misreading.of) {
    case 'column':
      return 'column';
    case 'member':
      return 'member';
    case 'affected-rows':
      return 'count';
    case 'any-row':
      return 'anyRow';
    case 'text':
      return 'text';
    case 'null':
      return 'nullPasses';
    case 'presence':
      return 'presence';
    default:
      return 'truthy';
  }
}

function wordsFor({ of }: Misreading): string {
  switch (of) {
    case 'promise':
      return 'the promise';
    case 'rows':
      return 'the rows';
    case 'row':
      return 'the row';
    case 'row-count':
      return 'the number of rows';
    default:
      return 'the result object';
  }
}
