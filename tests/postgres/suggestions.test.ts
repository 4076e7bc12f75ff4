import { Linter } from 'eslint';
import { createPlugin } from '../../src/plugin.js';
import { rules } from '../../src/rules.js';
import { examplesOf, type RuleExample } from '../meta/documented-examples.js';
import { typescript } from '../meta/project.js';
import { directiveOf } from './directives.js';
import { judgeGood } from './judge.js';
import { openLaboratories, type Laboratories } from './laboratories.js';
import { scenarioFor } from './scenarios/index.js';

// What a suggestion makes of bad code is run as good code is.
let laboratories: Laboratories;
beforeAll(async () => {
  laboratories = await openLaboratories();
});
afterAll(() => laboratories.close());

const plugin = createPlugin();
const linter = new Linter();

/** The example as each suggestion of the rule leaves it. */
function suggested(example: RuleExample): RuleExample[] {
  const messages = linter.verify(example.code, [typescript, { ...plugin.configs.all, files: ['**/*.ts'] }], { filename: 'example.ts' });
  return messages
    .filter(({ ruleId }) => ruleId === `advisory-lock/${example.rule}`)
    .flatMap(({ suggestions = [] }) => suggestions)
    .map(({ fix: { range, text } }) => ({
      ...example,
      kind: 'good',
      comments: new Map(),
      code: `${example.code.slice(0, range[0])}${text}${example.code.slice(range[1])}`,
    }));
}

const cases = rules.flatMap(({ name }) =>
  examplesOf(name)
    .filter((example) => example.kind === 'bad' && directiveOf(example).run)
    .flatMap((example) => suggested(example).map((code, index) => [name, example.number, index + 1, code] as const)),
);

/** A suggestion mends what its rule reports. pg-promise's tasks give a connection back whose unlock has failed, whatever took the lock. */
const isKnown = (rule: string, problem: string): boolean => rule === 'no-void-lock-result' && problem.includes('the unlock fails: left in pg_locks');

describe('what a suggestion leaves', () => {
  it('is something', () => {
    expect(cases.length).toBeGreaterThan(5);
  });

  it.each(cases)('leaves nothing behind: %s, bad example %i, suggestion %i', async (_rule, _number, _index, example) => {
    const laboratory = laboratories.for(example.code, scenarioFor(example));
    if (typeof laboratory === 'string') return;
    const { problems } = await judgeGood(laboratory, example);
    expect(problems.filter((problem) => !isKnown(example.rule, problem))).toEqual([]);
  });
});
