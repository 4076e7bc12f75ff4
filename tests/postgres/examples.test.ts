import { rules } from '../../src/rules.js';
import { examplesOf } from '../examples-in-docs.js';
import { directiveOf } from './directives.js';
import { judgeBad, judgeGood } from './judge.js';
import { openLaboratory, type Laboratory } from './laboratory.js';

let laboratory: Laboratory;
beforeAll(async () => {
  laboratory = await openLaboratory();
});
afterAll(() => laboratory.close());

describe.each(rules.map(({ name }) => name))('%s', (rule) => {
  const examples = examplesOf(rule);

  it.each(examples.filter(({ kind }) => kind === 'bad').map((example) => [example.number, example] as const))('shows the harm of bad example %i', async (_, example) => {
    expect(directiveOf(example)).toBeDefined();
    expect((await judgeBad(laboratory, example)).problems).toEqual([]);
  });

  it.each(examples.filter(({ kind }) => kind === 'good').map((example) => [example.number, example] as const))('leaves nothing behind after good example %i', async (_, example) => {
    expect((await judgeGood(laboratory, example)).problems).toEqual([]);
  });
});
