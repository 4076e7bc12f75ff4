import * as typescriptParser from '@typescript-eslint/parser';
import { Linter } from 'eslint';
import { createPlugin } from '../../src/plugin.js';
import { hostileFiles } from './hostile.js';

const plugin = createPlugin();

/** Far more than any of them takes: what is looked for is time that explodes. */
const tooLongMs = 5_000;

describe.each([
  ['espree', 'js', {}, hostileFiles.filter(({ typed }) => typed !== true)],
  ['typescript-eslint', 'ts', { parser: typescriptParser }, hostileFiles],
] as const)('under %s', (_, extension, languageOptions, files) => {
  it.each(files)('no rule crashes over $name', ({ code, jsx = false }) => {
    const config: Linter.Config = {
      ...plugin.configs.all,
      files: ['**/*.{js,jsx,ts,tsx}'],
      languageOptions: { ...languageOptions, parserOptions: { ecmaFeatures: { jsx } } },
    };
    const startedAt = performance.now();
    const messages = new Linter().verify(code, config, `file.${extension}${jsx ? 'x' : ''}`);
    expect(performance.now() - startedAt).toBeLessThan(tooLongMs);
    // A file that the parser rejects would prove nothing.
    expect(messages.filter(({ ruleId }) => ruleId?.startsWith('advisory-lock/') !== true)).toEqual([]);
  });
});
