import { existsSync } from 'node:fs';
import { dirname, extname, join, resolve } from 'node:path';
import type { ESLint, Linter } from 'eslint';
import type { AdvisoryLockPlugin, ConfigName } from '../plugin.js';
import { readSettings } from '../settings.js';
import { isRecord } from '../shape.js';
import type { ConfigChoice } from './arguments.js';
import type { Host } from './host.js';
import { UsageError } from './usage-error.js';

const configFileNames = ['js', 'mjs', 'cjs', 'ts', 'mts', 'cts'].map((extension) => `eslint.config.${extension}`);

/** The part of a file's configuration that this plugin's rules are linted with. */
export interface OwnConfig {
  readonly settings: Record<string, unknown>;
  readonly rules: Partial<Linter.RulesRecord>;
  readonly triggerWords: readonly string[];
}

export type FileConfig =
  | { is: 'known'; config: OwnConfig }
  /** The project's configuration ignores the file. */
  | { is: 'ignored' }
  /** The project's configuration cannot be loaded, or holds a mistake about our settings. */
  | { is: 'broken'; configFile: string; message: string };

export interface ProjectConfigs {
  /** What holds where no configuration says anything. */
  readonly fallback: OwnConfig;
  /** The configuration of one file. */
  of(file: string): Promise<FileConfig>;
  /** That of any file with this extension in the same folder: near enough to know which words to look for. */
  near(file: string): Promise<FileConfig>;
  /** The configuration file that says what holds for a file; null for none. */
  fileFor(file: string): string | null;
}

/**
 * Reads settings and options of our rules out of the project's ESLint configurations. The rules that run are those of
 * the preset, or, without one, those that the configuration turns on, or else the recommended ones; a rule that the
 * configuration turns off stays off.
 */
export function projectConfigs(
  choice: ConfigChoice,
  preset: ConfigName | null,
  cwd: string,
  host: Host,
  plugin: AdvisoryLockPlugin,
): ProjectConfigs {
  const nearFiles = new Map<string, Promise<FileConfig>>();
  const loaders = new Map<string, ESLint>();
  const broken = new Map<string, FileConfig>();
  const fallback = ownConfig({}, preset, plugin);
  const withoutConfig: FileConfig = { is: 'known', config: fallback };
  const chosen = choice.from === 'file' ? resolve(cwd, choice.path) : null;
  if (choice.from === 'file' && chosen !== null && !existsSync(chosen)) {
    throw new UsageError(`--config is ${JSON.stringify(choice.path)}, which does not exist (looked in ${cwd}).`);
  }

  async function of(file: string): Promise<FileConfig> {
    const configFile = fileFor(file);
    if (configFile === null) return withoutConfig;
    const known = broken.get(configFile);
    if (known) return known;
    const loader = loaderOf(configFile);
    try {
      const config: unknown = await loader.calculateConfigForFile(file);
      if (!isRecord(config)) return { is: 'ignored' };
      return { is: 'known', config: ownConfig(config, preset, plugin) };
    } catch (error) {
      const found: FileConfig = { is: 'broken', configFile, message: error instanceof Error ? error.message : String(error) };
      broken.set(configFile, found);
      return found;
    }
  }

  function fileFor(file: string): string | null {
    return choice.from === 'nowhere' ? null : (chosen ?? nearestConfigFile(dirname(file)));
  }

  function loaderOf(configFile: string): ESLint {
    let loader = loaders.get(configFile);
    if (!loader) {
      const Eslint = host.eslint();
      loader = new Eslint({
        cwd: chosen === null ? dirname(configFile) : cwd,
        overrideConfigFile: configFile,
        // Makes every source file known to the configuration, so that "none" can only mean "ignored".
        overrideConfig: [{ files: ['**/*.{js,mjs,cjs,jsx,ts,mts,cts,tsx,sql}'] }],
      });
      loaders.set(configFile, loader);
    }
    return loader;
  }

  return {
    fallback,
    of,
    fileFor,
    near(file) {
      const key = `${dirname(file)}\0${extname(file)}`;
      let config = nearFiles.get(key);
      if (!config) {
        config = of(file);
        nearFiles.set(key, config);
      }
      return config;
    },
  };
}

function nearestConfigFile(start: string): string | null {
  for (let folder = start; ; folder = dirname(folder)) {
    for (const name of configFileNames) {
      const path = join(folder, name);
      if (existsSync(path)) return path;
    }
    if (dirname(folder) === folder) return null;
  }
}

/** Takes what concerns us out of a file's calculated configuration. Throws when our settings hold a mistake. */
function ownConfig(config: Record<string, unknown>, preset: ConfigName | null, plugin: AdvisoryLockPlugin): OwnConfig {
  const { namespace } = plugin.meta;
  const configured = configuredRules(config, plugin);
  const isOff = (entry: Linter.RuleEntry): boolean => ['off', 0].includes(Array.isArray(entry) ? entry[0] : entry);
  const turnedOn = Object.entries(configured).filter(([, entry]) => !isOff(entry));
  const chosen = plugin.configs[preset ?? 'recommended'];
  const rules = preset === null && turnedOn.length > 0 ? Object.fromEntries(turnedOn) : { ...chosen.rules };
  for (const [rule, entry] of Object.entries(configured)) {
    if (!(rule in rules)) continue;
    if (isOff(entry)) Reflect.deleteProperty(rules, rule);
    else rules[rule] = entry;
  }
  const given = isRecord(config['settings']) ? config['settings'][namespace] : undefined;
  const own = isRecord(given) || given === undefined ? { ...ownSettings(chosen), ...given } : given;
  const settings = { [namespace]: own };
  return { settings, rules, triggerWords: readSettings(settings).triggerWords };
}

const ownSettings = (config: Linter.Config): Record<string, unknown> => {
  const settings = config.settings?.['advisory-lock'];
  return isRecord(settings) ? settings : {};
};

/** Our rules' entries under the name we know them by; a project may have given the plugin another namespace. */
function configuredRules(config: Record<string, unknown>, plugin: AdvisoryLockPlugin): Record<string, Linter.RuleEntry> {
  const { plugins, rules } = config;
  if (!isRecord(rules)) return {};
  const prefixes = Object.entries(isRecord(plugins) ? plugins : {}).flatMap(([prefix, each]) =>
    isRecord(each) && isRecord(each['meta']) && each['meta']['name'] === plugin.meta.name ? [prefix] : [],
  );
  const found: Record<string, Linter.RuleEntry> = {};
  for (const prefix of prefixes) {
    for (const name of Object.keys(plugin.rules)) {
      const entry = rules[`${prefix}/${name}`];
      if (isRuleEntry(entry)) found[`${plugin.meta.namespace}/${name}`] = entry;
    }
  }
  return found;
}

const isRuleEntry = (value: unknown): value is Linter.RuleEntry =>
  Array.isArray(value) || typeof value === 'number' || typeof value === 'string';
