import { rules } from '../../src/rules.js';
import { examplesOf } from '../meta/documented-examples.js';
import { judgeGood, type GoodVerdict } from './judge.js';
import { openLaboratories, type Laboratories } from './laboratories.js';
import { scenarioFor } from './scenarios/index.js';

let laboratories: Laboratories;
beforeAll(async () => {
  laboratories = await openLaboratories();
});
afterAll(() => laboratories.close());

/** Several pages show the same code; it is run once. */
const verdicts = new Map<string, Promise<GoodVerdict>>();

describe.each(rules.map(({ name }) => name))('the page of %s', (rule) => {
  for (const example of examplesOf(rule).filter(({ kind }) => kind === 'good')) {
    it(`leaves nothing behind after good example ${example.number}`, async ({ skip }) => {
      const laboratory = laboratories.for(example.code, scenarioFor(example));
      if (typeof laboratory === 'string') return skip(laboratory);
      const scenario = scenarioFor(example);
      const known = Object.keys(scenario).length === 0 ? example.code : `${rule}: ${example.code}`;
      const verdict = verdicts.get(known) ?? judgeGood(laboratory, example);
      verdicts.set(known, verdict);
      expect((await verdict).problems).toEqual([]);
    });
  }
});
