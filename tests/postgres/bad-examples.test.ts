import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { rules } from '../../src/rules.js';
import { root } from '../built.js';
import { examplesOf } from '../meta/documented-examples.js';
import { directiveOf } from './directives.js';
import { evidenceFile, parseEvidence, type Evidence } from './evidence.js';
import { endingsOnPage, judgeBad } from './judge.js';
import { openLaboratories, type Laboratories } from './laboratories.js';
import { scenarioFor } from './scenarios/index.js';

let laboratories: Laboratories;
beforeAll(async () => {
  laboratories = await openLaboratories();
});
afterAll(() => laboratories.close());

describe.each(rules.map(({ name }) => name))('the page of %s', (rule) => {
  const examples = examplesOf(rule).filter((example) => example.kind === 'bad' && directiveOf(example).run);
  const seen = new Map<number, Evidence | null>();

  for (const example of examples) {
    it(`shows the harm of bad example ${example.number}`, async ({ skip }) => {
      const laboratory = laboratories.for(example.code, scenarioFor(example));
      if (typeof laboratory === 'string') return skip(laboratory);
      const { problems, evidence } = await judgeBad(laboratory, example);
      expect(problems).toEqual([]);
      seen.set(example.number, evidence);
    });
  }

  it('has evidence that is up to date', async ({ skip }) => {
    const path = join(root, evidenceFile(rule));
    // What this machine has no server for stays as it was recorded elsewhere.
    const recorded = existsSync(path) ? parseEvidence(readFileSync(path, 'utf8')).bad : [];
    const bad = examples.map(({ number }) => seen.get(number) ?? recorded.find((known) => known.number === number));
    if (bad.includes(undefined)) return skip('not everything was run');
    await expect(`${JSON.stringify({ bad, endings: endingsOnPage(rule) }, null, 2)}\n`).toMatchFileSnapshot(path);
  });
});
