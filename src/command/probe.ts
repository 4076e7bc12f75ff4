import type { Unit } from '../pass.js';
import type { AdvisoryLockPlugin } from '../plugin.js';
import { createRule } from '../rule.js';
import type { OwnConfig } from './project-config.js';

/** Hands over what the rules see of each file of a run, so that facts can be asked for that no finding carries. */
export interface Probe {
  /** The plugin with one more rule, which reports nothing. */
  inPlugin(plugin: AdvisoryLockPlugin): AdvisoryLockPlugin;
  /** The configuration with that rule turned on. */
  inConfig(config: OwnConfig): OwnConfig;
  /** The file analysed last, once; null when it was not parsed or mentions no lock. */
  take(): Unit | null;
}

const name = 'probe';

/** `reads`: the sources that mention a lock, which rules look at, or every source, `.sql` files included. */
export function createProbe(reads: 'mentions' | 'everything' = 'mentions'): Probe {
  let last: Unit | null = null;
  const rule = createRule({
    name,
    summary: 'Hand a file over to the command',
    tier: 'all',
    messages: {},
    requires: [],
    ...(reads === 'everything' && { inSqlFiles: true, inEveryFile: true }),
    *check(_results, _options, unit) {
      last = unit;
      yield* [];
    },
  });
  return {
    inPlugin: (plugin) => ({ ...plugin, rules: { ...plugin.rules, [name]: rule.toEslint() } }),
    inConfig: (config) => ({ ...config, rules: { ...config.rules, [`advisory-lock/${name}`]: 'error' } }),
    take() {
      const taken = last;
      last = null;
      return taken;
    },
  };
}
