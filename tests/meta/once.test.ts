import css from '@eslint/css';
import json from '@eslint/json';
import markdown from '@eslint/markdown';
import { Linter, type Rule as EslintRule } from 'eslint';
import { definePass } from '../../src/pass.js';
import { createPlugin } from '../../src/plugin.js';
import { createRule } from '../../src/rule.js';
import { rules } from '../../src/rules.js';

const lock = 'pool.query("select pg_advisory_lock(1)");';

/** A rule that takes from others what they would listen to. */
function listensTo(modules: Readonly<Record<string, EslintRule.RuleModule>>, code: string, config: Linter.Config, filename: string): string[] {
  const listened: string[] = [];
  const spies = Object.entries(modules).map(([name, module]) => {
    const spy: EslintRule.RuleModule = {
      meta: module.meta ?? {},
      create(context) {
        const listeners = module.create(context);
        listened.push(...Object.keys(listeners).map((event) => `${name}: ${event}`));
        return {};
      },
    };
    return [name, spy] as const;
  });
  const messages = new Linter().verify(
    code,
    [
      {
        ...config,
        files: [`**/${filename}`],
        plugins: { ...config.plugins, 'advisory-lock': { rules: Object.fromEntries(spies) } },
        rules: Object.fromEntries(spies.map(([name]) => [`advisory-lock/${name}`, 'error'])),
      },
    ],
    filename,
  );
  expect(messages).toEqual([]);
  return listened;
}

const fake = createRule({ name: 'fake', summary: 'Do nothing', tier: 'all', messages: {}, requires: [], *check() {} });
const all = createPlugin(undefined, [fake, ...rules]).rules;

describe('the rules', () => {
  it('listen to one event in a file that mentions a lock', () => {
    expect(listensTo(all, lock, {}, 'a.js')).toEqual(Object.keys(all).map((name) => `${name}: Program`));
  });

  it('listen to nothing in a file that mentions no lock', () => {
    expect(listensTo(all, 'pool.query("select 1");', {}, 'a.js')).toEqual([]);
  });

  it.each<[string, string, Linter.Config]>([
    ['a.json', '{ "sql": "select pg_advisory_lock(1)" }', { plugins: { json }, language: 'json/json' }],
    ['a.css', '.pg_advisory_lock { color: red }', { plugins: { css }, language: 'css/css' }],
    ['a.md', '# pg_advisory_lock', { plugins: { markdown }, language: 'markdown/gfm' }],
  ])("listen to nothing in a source of ESLint's other languages: %s", (filename, code, config) => {
    expect(listensTo(all, code, config, filename)).toEqual([]);
  });
});

describe('passes', () => {
  it('run once per file, for all rules together, and not at all for a file that mentions no lock', () => {
    const analysed: string[] = [];
    const base = definePass('base', [], (_, unit) => analysed.push(`base ${unit.filename}`));
    const upper = definePass('upper', [base], (_, unit) => analysed.push(`upper ${unit.filename}`));
    const requiring = (name: string) => createRule({ name, summary: 'Require', tier: 'all', messages: {}, requires: [upper, base], *check() {} });
    const plugin = createPlugin(undefined, [requiring('one'), requiring('two'), requiring('three')]);
    const linter = new Linter();
    linter.verify(lock, plugin.configs.all, 'a.js');
    linter.verify('pool.query("select 1");', plugin.configs.all, 'b.js');
    linter.verify(lock, plugin.configs.all, 'c.js');
    expect(analysed).toEqual(['base a.js', 'upper a.js', 'base c.js', 'upper c.js']);
  });
});
