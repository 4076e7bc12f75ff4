import { execFile } from 'node:child_process';
import { dirname, join } from 'node:path';
import { built, projectRequire } from '../built.js';
import { findingsOf, type Finding, type LintResult } from './findings.js';

export const fixtures = join(import.meta.dirname, 'fixtures');

/** The packages under which this project has its versions of ESLint. */
export const eslints = { '9.15': 'eslint9-15', '9.39': 'eslint9', '10': 'eslint' } as const;
export type EslintVersion = keyof typeof eslints;
export const eslintVersions = Object.keys(eslints) as EslintVersion[];

export type Variant = 'espree' | 'untyped' | 'typed';

export interface Run {
  /** What is linted is its folder `source`. */
  readonly folder?: string;
  /** The Node that runs the host. */
  readonly node?: string;
  /** Where typescript-eslint's parser is, when it is not this project's. */
  readonly parser?: string;
}

/** Runs a program of Node's, which may end with the status 1 of a linter that found something, and gives its output. */
export function output({ folder = fixtures, node = process.execPath }: Pick<Run, 'folder' | 'node'>, ...parameters: readonly string[]): Promise<string> {
  return new Promise((done, fail) => {
    const environment = {
      ...process.env,
      NODE_OPTIONS: '',
      // jiti's cache mixes up what it transpiled for different versions of ESLint.
      JITI_FS_CACHE: 'false',
    };
    const options = { cwd: folder, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024, env: environment } as const;
    execFile(node, parameters, options, (error, stdout, stderr) => {
      if (error && error.code !== 1) fail(new Error(`${parameters.join(' ')}: ${error.message}\n${stdout.slice(0, 2_000)}${stderr}`));
      else if (stdout === '') fail(new Error(`${parameters.join(' ')} printed nothing:\n${stderr}`));
      else done(stdout);
    });
  });
}

/** The findings of ESLint's API under several variants of the configuration, from one process. */
export async function variantsOf<const Name extends Variant>(
  version: EslintVersion,
  variants: readonly Name[],
  run: Run = {},
): Promise<Record<Name, Finding[]>> {
  const printed = await output(run, join(import.meta.dirname, 'lint.mjs'), eslints[version], run.parser ?? '@typescript-eslint/parser', ...variants);
  const results = JSON.parse(printed) as Record<Name, LintResult[]>;
  const entries = variants.map((variant) => [variant, findingsOf(results[variant], run.folder ?? fixtures)] as const);
  return Object.fromEntries(entries) as Record<Name, Finding[]>;
}

export const configFormats = ['mjs', 'cjs', 'ts', 'cts'] as const;

/** The findings of ESLint's command with a configuration file of the given ending. */
export async function commandLineOf(
  version: EslintVersion,
  format: (typeof configFormats)[number],
  flags: readonly string[] = [],
  run: Run = {},
): Promise<Finding[]> {
  const program = join(dirname(projectRequire.resolve(`${eslints[version]}/package.json`)), 'bin/eslint.js');
  const config = join(import.meta.dirname, 'fixtures/configs', `eslint.config.${format}`);
  // TypeScript configurations became part of ESLint's contract in 9.18.
  const unstable = version === '9.15' && format.endsWith('ts') ? ['--flag', 'unstable_ts_config'] : [];
  const printed = await output(run, program, ...unstable, ...flags, '--config', config, '--format', 'json', 'source');
  return findingsOf(JSON.parse(printed) as LintResult[], run.folder ?? fixtures);
}

/** The findings of the plugin's own command, which has no types. */
export async function ownCommand(run: Run = {}): Promise<Finding[]> {
  const printed = await output(run, built('command.cjs'), '--preset', 'all', '--no-config', '--format', 'json', 'source');
  return findingsOf(JSON.parse(printed) as LintResult[], run.folder ?? fixtures);
}
