import { rules } from '../../src/rules.js';
import { examplesOf } from '../examples-in-docs.js';
import { judgeBad, judgeGood } from './judge.js';
import { openLaboratory, type Laboratory } from './laboratory.js';
import { openMariadbLaboratory } from './mariadb-laboratory.js';
import { traitsOf } from './circumstances.js';

let postgres: Laboratory;
let mariadb: Laboratory | null;
beforeAll(async () => {
  [postgres, mariadb] = await Promise.all([openLaboratory(), openMariadbLaboratory()]);
});
afterAll(() => Promise.all([postgres.close(), mariadb?.close()]));

describe.each(rules.map(({ name }) => name))('%s', (rule) => {
  for (const example of examplesOf(rule)) {
    const name = example.kind === 'bad' ? 'shows the harm of' : 'leaves nothing behind after';
    it(`${name} ${example.kind} example ${example.number}`, async ({ skip }) => {
      const laboratory = traitsOf(example.code).isMysql ? mariadb : postgres;
      if (!laboratory) return skip('MariaDB is not installed');
      const { problems } = await (example.kind === 'bad' ? judgeBad : judgeGood)(laboratory, example);
      expect(problems).toEqual([]);
    });
  }
});
