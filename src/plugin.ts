import type { ESLint, Linter, Rule as EslintRule } from 'eslint';
import manifest from '../package.json' with { type: 'json' };
import { sql, type Language } from './language/sql-language.js';
import type { Observer, Rule } from './rule.js';
import { rules as allRules } from './rules.js';

const namespace = 'advisory-lock';

export type ConfigName = 'recommended' | 'strict' | 'all' | 'pgbouncer';

/** The plugin object that ESLint configurations use. */
export interface AdvisoryLockPlugin extends ESLint.Plugin {
  meta: { name: string; version: string; namespace: string };
  rules: Record<string, EslintRule.RuleModule>;
  configs: Record<ConfigName, Linter.Config>;
  languages: { sql: Language };
}

/**
 * Builds the plugin object. An `observe` function is called with every problem and its witness, which ESLint's own
 * report cannot carry; the configurations refer to the very object that is returned.
 */
export function createPlugin(observe?: Observer, rules: readonly Rule[] = allRules): AdvisoryLockPlugin {
  const plugin: AdvisoryLockPlugin = {
    meta: { name: manifest.name, version: manifest.version, namespace },
    rules: Object.fromEntries(rules.map((rule) => [rule.name, rule.toEslint(observe)])),
    configs: { recommended: {}, strict: {}, all: {}, pgbouncer: {} },
    languages: { sql },
  };
  const configOf = (name: ConfigName, isIncluded: (rule: Rule) => boolean): Linter.Config => ({
    name: `${namespace}/${name}`,
    plugins: { [namespace]: plugin },
    rules: Object.fromEntries(rules.filter(isIncluded).map((rule) => [`${namespace}/${rule.name}`, 'error'])),
  });
  plugin.configs.recommended = configOf('recommended', ({ tier }) => tier === 'recommended');
  plugin.configs.strict = configOf('strict', ({ tier }) => tier !== 'all');
  plugin.configs.all = configOf('all', () => true);
  plugin.configs.pgbouncer = {
    ...configOf('pgbouncer', ({ name, tier }) => tier === 'recommended' || poolerRules.includes(name)),
    settings: { [namespace]: { pooler: 'transaction' } },
  };
  return plugin;
}

/** Behind a transaction pooler even a dedicated connection has no session of its own. */
const poolerRules: readonly string[] = ['no-session-lock'];
