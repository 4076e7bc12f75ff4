import { exampleFolder } from './examples.js';
import type { Finding } from './findings.js';
import { oxlint, oxlintFolder } from './oxlint.js';
import { variantsOf } from './run.js';

describe('the bad examples of the documentation', () => {
  it('are judged alike by both parsers, with and without types, and in oxlint', { timeout: 180_000 }, async () => {
    const folder = exampleFolder();
    const { espree, untyped, typed } = await variantsOf('10', ['espree', 'untyped', 'typed'], { folder });
    const plain = untyped.filter(({ file }) => file.endsWith('.js'));
    expect(plain.length).toBeGreaterThan(20);
    expect(untyped.length).toBeGreaterThan(2 * plain.length - 40);
    expect(espree).toEqual(plain);
    expect(typed).toEqual(untyped);
    expect(await oxlint(oxlintFolder(folder))).toEqual(untyped.map((finding): Finding => ({ ...finding, suggestions: [] })));
  });
});
