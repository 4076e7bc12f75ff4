import type { ESLint, Linter } from 'eslint';
import manifest from '../package.json' with { type: 'json' };
import type { Observer, Tier } from './rule.js';
import { rules } from './rules.js';

const namespace = 'advisory-lock';

export type ConfigName = 'recommended' | 'strict' | 'all' | 'pgbouncer';

/** The plugin object that ESLint configurations use. */
export interface AdvisoryLockPlugin extends ESLint.Plugin {
  meta: { name: string; version: string; namespace: string };
  rules: NonNullable<ESLint.Plugin['rules']>;
  configs: Record<ConfigName, Linter.Config>;
}

/**
 * Builds the plugin object. An `observe` function is called with every problem and its witness, which ESLint's own
 * report cannot carry; the configurations refer to the very object that is returned.
 */
export function createPlugin(observe?: Observer): AdvisoryLockPlugin {
  const plugin: AdvisoryLockPlugin = {
    meta: { name: manifest.name, version: manifest.version, namespace },
    rules: Object.fromEntries(rules.map((rule) => [rule.name, rule.toEslint(observe)])),
    configs: {
      recommended: {},
      strict: {},
      all: {},
      pgbouncer: {},
    },
  };
  const configOf = (name: ConfigName, ruleNames: readonly string[]): Linter.Config => ({
    name: `${namespace}/${name}`,
    plugins: { [namespace]: plugin },
    rules: Object.fromEntries(ruleNames.map((rule) => [`${namespace}/${rule}`, 'error'])),
  });
  plugin.configs.recommended = configOf('recommended', namesOf('recommended'));
  plugin.configs.strict = configOf('strict', namesOf('recommended', 'strict'));
  plugin.configs.all = configOf('all', namesOf('recommended', 'strict', 'all'));
  plugin.configs.pgbouncer = {
    ...configOf('pgbouncer', [...namesOf('recommended'), ...poolerRules]),
    settings: { [namespace]: { pooler: 'transaction' } },
  };
  return plugin;
}

/** Behind a transaction pooler even a dedicated connection has no session of its own. */
const poolerRules = rules.filter((rule) => rule.name === 'no-session-lock').map((rule) => rule.name);

const namesOf = (...tiers: readonly Tier[]): string[] =>
  rules.filter((rule) => tiers.includes(rule.tier)).map((rule) => rule.name);
