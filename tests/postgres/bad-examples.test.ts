import { rules } from '../../src/rules.js';
import { examplesOf } from '../meta/documented-examples.js';
import { judgeBad } from './judge.js';
import { openLaboratories, type Laboratories } from './laboratories.js';
import { scenarioFor } from './scenarios/index.js';

let laboratories: Laboratories;
beforeAll(async () => {
  laboratories = await openLaboratories();
});
afterAll(() => laboratories.close());

describe.each(rules.map(({ name }) => name))('the page of %s', (rule) => {
  for (const example of examplesOf(rule).filter(({ kind }) => kind === 'bad')) {
    it(`shows the harm of bad example ${example.number}`, async ({ skip }) => {
      const laboratory = laboratories.for(example.code, scenarioFor(example));
      if (typeof laboratory === 'string') return skip(laboratory);
      expect((await judgeBad(laboratory, example)).problems).toEqual([]);
    });
  }
});
