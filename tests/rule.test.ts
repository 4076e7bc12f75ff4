import { Linter } from 'eslint';
import { definePass } from '../src/pass.js';
import { createRule, type ObservedProblem } from '../src/rule.js';
import { runRuleTests } from './rule-tester.js';

const firstStatement = definePass('first statement', [], (_, unit) => unit.program.body[0] ?? null);

/** Reports the first statement of any file that is analysed at all. */
const fake = createRule({
  name: 'fake',
  summary: 'Report the first statement',
  tier: 'all',
  messages: {
    found: '`{{word}}` stands here.',
    empty: 'Empty the file.',
  },
  options: { schema: { word: { type: 'string', description: 'The word to say.' } }, defaults: { word: 'lock' } },
  hasSuggestions: true,
  requires: [firstStatement],
  *check([statement], { word }, unit) {
    if (!statement) return;
    yield {
      node: statement,
      messageId: 'found',
      data: { word },
      witness: [{ node: statement, text: 'starts here' }],
      suggestions: [{ messageId: 'empty', edits: [{ range: [0, unit.text.length], text: '' }] }],
    };
  },
});

const position = { line: 1, column: 1, endLine: 1, endColumn: 29 };

runRuleTests(fake, {
  valid: [
    { name: 'a file that mentions no lock is not analysed', code: 'releases("nothing");' },
    '',
  ],
  invalid: [
    {
      name: 'defaults fill in the options',
      code: "query('pg_advisory_lock(1)')",
      errors: [{ messageId: 'found', data: { word: 'lock' }, ...position, suggestions: [{ messageId: 'empty', output: '' }] }],
    },
    {
      name: 'options reach the rule',
      code: "query('pg_advisory_lock(1)')",
      options: [{ word: 'other' }],
      errors: [{ messageId: 'found', data: { word: 'other' }, ...position, suggestions: [{ messageId: 'empty', output: '' }] }],
    },
    {
      name: 'a word of the settings makes a file worth analysing',
      code: 'withMutex(db as never);     ',
      settings: { wrappers: [{ call: 'withMutex', does: 'hold', level: 'session' }] },
      errors: [
        { messageId: 'found', data: { word: 'lock' }, ...position, endColumn: 24, suggestions: [{ messageId: 'empty', output: '' }] },
      ],
    },
  ],
});

describe('createRule', () => {
  const lint = (code: string, observe?: (problem: ObservedProblem) => void, options?: object) =>
    new Linter().verify(code, {
      plugins: { 'advisory-lock': { rules: { fake: fake.toEslint(observe) } } },
      rules: { 'advisory-lock/fake': ['error', ...(options ? [options] : [])] },
    });

  it('gives every problem and its witness to the observer', () => {
    const observed: ObservedProblem[] = [];
    lint('advisory();', (problem) => observed.push(problem));
    expect(observed).toMatchObject([
      { rule: 'fake', range: [0, 11], messageId: 'found', data: { word: 'lock' }, witness: [{ text: 'starts here' }] },
    ]);
  });

  it('rejects options that the schema does not name', () => {
    expect(() => lint('advisory();', undefined, { words: 'x' })).toThrow(/Unexpected property "words"/);
  });

  it('has a description and the address of its documentation', () => {
    expect(fake.toEslint().meta?.docs).toEqual({
      description: 'Report the first statement',
      url: expect.stringMatching(/^https:.*\/docs\/rules\/fake\.md$/) as unknown,
    });
  });

  it('reports the same of the same place once', () => {
    const repeating = createRule({
      name: 'repeating',
      summary: 'Report twice',
      tier: 'all',
      messages: { said: '{{word}}.' },
      requires: [],
      *check(_, __, unit) {
        for (const word of ['a', 'a', 'b']) yield { node: unit.program, messageId: 'said', data: { word } };
      },
    });
    const messages = new Linter().verify('advisory();', { plugins: { x: { rules: { repeating: repeating.toEslint() } } }, rules: { 'x/repeating': 'error' } });
    expect(messages.map(({ message }) => message)).toEqual(['a.', 'b.']);
  });

  it('reports at the range that a problem gives instead of its node', () => {
    const partial = createRule({
      name: 'partial',
      summary: 'Report four characters',
      tier: 'all',
      messages: { part: 'Here.' },
      requires: [],
      *check(_, __, unit) {
        yield { node: unit.program, range: [12, 16], messageId: 'part' };
      },
    });
    const messages = new Linter().verify('advisory();\nlock();', {
      plugins: { x: { rules: { partial: partial.toEslint() } } },
      rules: { 'x/partial': 'error' },
    });
    expect(messages).toMatchObject([{ line: 2, column: 1, endLine: 2, endColumn: 5 }]);
  });
});
