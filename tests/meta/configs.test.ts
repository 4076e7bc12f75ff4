import { ESLint as ESLint10, Linter as Linter10 } from 'eslint';
import { defineConfig as defineConfig10 } from 'eslint/config';
import { ESLint as ESLint9, Linter as Linter9 } from 'eslint9';
import { defineConfig as defineConfig9 } from 'eslint9/config';
import { ESLint as ESLint915, Linter as Linter915 } from 'eslint9-15';
import { createPlugin } from '../../src/plugin.js';
import { rules } from '../../src/rules.js';
import { read } from './project.js';

const plugin = createPlugin();
const { recommended, strict, all, pgbouncer } = plugin.configs;
const namesOf = (config: { rules?: object }): string[] => Object.keys(config.rules ?? {});
const named = (tiers: readonly string[]): string[] =>
  rules.filter(({ tier }) => tiers.includes(tier)).map(({ name }) => `advisory-lock/${name}`);

describe('configs', () => {
  it('hold the rules of their tiers', () => {
    expect(namesOf(recommended)).toEqual(named(['recommended']));
    expect(namesOf(strict)).toEqual(named(['recommended', 'strict']));
    expect(namesOf(all)).toEqual(named(['recommended', 'strict', 'all']));
    expect(namesOf(all)).toHaveLength(rules.length);
    expect(namesOf(pgbouncer).filter((name) => !namesOf(recommended).includes(name))).toEqual(
      rules.some(({ name }) => name === 'no-session-lock') ? ['advisory-lock/no-session-lock'] : [],
    );
  });

  it('say that a transaction pooler stands between, where the name says so', () => {
    expect(pgbouncer.settings).toEqual({ 'advisory-lock': { pooler: 'transaction' } });
    for (const config of [recommended, strict, all]) expect(config).not.toHaveProperty('settings');
  });

  it.each(Object.entries(plugin.configs))('are flat, have a name and report errors: %s', (name, config) => {
    expect(config.name).toBe(`advisory-lock/${name}`);
    expect(config.plugins).toEqual({ 'advisory-lock': plugin });
    expect(new Set(Object.values(config.rules ?? {}))).toEqual(new Set(namesOf(config).length > 0 ? ['error'] : []));
  });

  it('change only with a major version: what is added to them reports more in code that was clean', () => {
    const promised = JSON.parse(read('tests/meta/configs.json')) as Record<string, object>;
    const found = Object.entries(plugin.configs).map(([name, { rules, settings }]) => [name, { rules, ...(settings && { settings }) }]);
    // Not a snapshot, which an update would overwrite: whoever changes this file decides about the next version.
    expect(Object.fromEntries(found)).toEqual(promised);
  });

  it('name the plugin', () => {
    expect(plugin.meta).toEqual({
      name: 'eslint-plugin-advisory-lock',
      version: expect.stringMatching(/^\d+\.\d+\.\d+/) as unknown,
      namespace: 'advisory-lock',
    });
  });
});

/** What the test needs of an ESLint; the versions' own types differ in ways that do not matter here. */
interface Version {
  ESLint: { version: string; new (options: object): { calculateConfigForFile(path: string): Promise<unknown> } };
  Linter: new () => { verify(code: string, config: unknown, filename: string): unknown[] };
  /** Exists from 9.22 on. */
  defineConfig: ((config: unknown) => unknown) | null;
}

const versions: [string, Version][] = [
  ['9.15', { ESLint: ESLint915, Linter: Linter915, defineConfig: null }],
  ['9.39', { ESLint: ESLint9, Linter: Linter9, defineConfig: defineConfig9 } as unknown as Version],
  ['10', { ESLint: ESLint10, Linter: Linter10, defineConfig: defineConfig10 } as unknown as Version],
];

describe.each(versions)('ESLint %s', (version, { ESLint, Linter, defineConfig }) => {
  it.each(Object.entries(plugin.configs))('takes the config %s', async (_, config) => {
    const configs = defineConfig ? defineConfig(config) : [config];
    expect(ESLint.version).toContain(version);
    expect(new Linter().verify('// advisory\nx;', configs, 'file.js')).toEqual([]);
    const eslint = new ESLint({ overrideConfigFile: true, overrideConfig: configs, cwd: import.meta.dirname });
    const calculated = await eslint.calculateConfigForFile('file.js');
    expect(namesOf(calculated as { rules?: object })).toEqual(namesOf(config));
  });
});
