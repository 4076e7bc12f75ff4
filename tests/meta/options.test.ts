import { Linter } from 'eslint';
import { createPlugin } from '../../src/plugin.js';
import { rules } from '../../src/rules.js';

const plugin = createPlugin();
const contracts = rules.map((rule) => {
  const { schema, defaultOptions } = rule.toEslint().meta ?? {};
  return { name: rule.name, schema, defaultOptions: defaultOptions as unknown[] | undefined };
});
const withOptions = contracts.filter(({ defaultOptions }) => defaultOptions !== undefined);

/** What ESLint says of a configuration; null where it takes it. */
function refusal(rule: string, ...options: unknown[]): string | null {
  const config: Linter.Config = { plugins: { 'advisory-lock': plugin }, rules: { [`advisory-lock/${rule}`]: ['error', ...options] } };
  try {
    new Linter().verify('', [config], 'file.js');
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

describe('the options', () => {
  it('are a contract: a change of a schema or a default is a change that users notice', async () => {
    const contract = Object.fromEntries(withOptions.map(({ name, schema, defaultOptions }) => [name, { schema, defaultOptions }]));
    await expect(`${JSON.stringify(contract, null, 2)}\n`).toMatchFileSnapshot('options.json');
  });

  it.each(contracts)('of $name refuse what they do not know', ({ name }) => {
    expect(refusal(name, { arbitrary: true })).toMatch(name);
    expect(refusal(name, 'always')).toMatch(name);
  });

  it.each(withOptions)('of $name have defaults that they take, and need none', ({ name, defaultOptions }) => {
    expect(refusal(name, ...(defaultOptions ?? []))).toBeNull();
    expect(refusal(name, {})).toBeNull();
  });
});
