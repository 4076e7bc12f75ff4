import { drivers } from '../../src/drivers/index.js';
import unknownDriver from '../../src/drivers/unknown-driver.js';
import { effects } from '../../src/facts/effects.js';
import { queries } from '../../src/facts/queries.js';
import { resultOf } from '../../src/pass.js';
import { unitFor } from '../harness.js';

for (const driver of [...drivers, unknownDriver]) {
  describe(driver.name, () => {
    for (const [index, example] of driver.examples.entries()) {
      it(`example ${String(index + 1)} means what the descriptor says`, () => {
        const unit = unitFor(`${example.code}\n// advisory`);
        const found = resultOf(queries, unit).filter((query) => query.locks.length > 0);
        const described = found.map((query) => `${query.handle.role}${query.sent === 'never' ? ' (never sent)' : ''}`).join(', ');
        expect(described).toBe((example.sends ?? []).map(({ over, sent }) => `${over}${sent === false ? ' (never sent)' : ''}`).join(', '));
        for (const [position, { sql }] of (example.sends ?? []).entries()) {
          if (sql !== undefined) expect(found[position]?.sql?.text ?? found[position]?.locks[0]?.text.text).toContain(sql);
        }
        expect(resultOf(effects, unit).map(({ effect }) => effect.does)).toEqual(example.effects ?? []);
      });
    }
  });
}
