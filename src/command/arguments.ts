import { parseArgs } from 'node:util';
import { didYouMean } from '../did-you-mean.js';
import type { ConfigName } from '../plugin.js';
import { formats, type FormatName } from '../formats/formats.js';
import type { BaselineChoice } from './apply-baseline.js';
import { locksFormats, type LocksFormatName } from './locks/formats/names.js';
import { UsageError } from './usage-error.js';

/** Where settings and rule options come from: the nearest `eslint.config.*`, nowhere, or one file for everything. */
export type ConfigChoice = { from: 'nearest' } | { from: 'nowhere' } | { from: 'file'; path: string };

export type Invocation =
  | { do: 'help' }
  | { do: 'version' }
  /** What the analyzer thinks of the statements on one line, counted from 1. */
  | { do: 'explain'; path: string; line: number; config: ConfigChoice }
  /** What it has learned across files; `output` is a file to write, null for printing. */
  | { do: 'facts'; paths: readonly string[]; output: string | null; config: ConfigChoice }
  /** Every lock of the project; `format` is null where the output's name decides. */
  | { do: 'locks'; paths: readonly string[]; format: LocksFormatName | null; output: string | null; config: ConfigChoice }
  | {
      do: 'lint';
      paths: readonly string[];
      preset: ConfigName | null;
      format: FormatName;
      config: ConfigChoice;
      /** A revision: only what changed since then is judged. */
      changedSince: string | null;
      baseline: BaselineChoice | null;
      includeSuppressed: boolean;
    };

const presets: readonly ConfigName[] = ['recommended', 'strict', 'all', 'pgbouncer'];
const formatNames: readonly FormatName[] = formats.map(({ name }) => name);

const options = {
  preset: { type: 'string' },
  format: { type: 'string', short: 'f' },
  config: { type: 'string', short: 'c' },
  'no-config': { type: 'boolean' },
  'changed-since': { type: 'string' },
  baseline: { type: 'string' },
  'update-baseline': { type: 'boolean' },
  'include-suppressed': { type: 'boolean' },
  output: { type: 'string', short: 'o' },
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean', short: 'v' },
} as const;

export const help = `Usage: eslint-plugin-advisory-lock [options] [paths]
       eslint-plugin-advisory-lock explain FILE:LINE
       eslint-plugin-advisory-lock facts [--output FILE] [paths]
       eslint-plugin-advisory-lock locks [--format NAME] [--output FILE] [paths]

Finds misuse of PostgreSQL advisory locks and MySQL GET_LOCK in JavaScript, TypeScript and .sql files.
Paths are files, folders or glob patterns; without one, the current folder. Files that Git ignores are left out.

explain prints what the analysis knows of the SQL sent on a line, and which rules speak about it.
facts writes what it has learned of handles and helpers across files, for settings['advisory-lock'] of a configuration.
locks lists every lock of the project and reports keys with two purposes, locks that nothing releases, and orders that deadlock.

Options:
  --preset NAME      the rules to apply: ${presets.join(', ')}
                     (default: those that eslint.config.* turns on, else recommended)
  -f, --format NAME  how to print findings: ${formatNames.join(', ')} (default: stylish)
                     of locks: ${locksFormats.join(', ')} (default: by the name of FILE, else table)
  -c, --config FILE  take settings and options of the rules from this ESLint configuration
                     (default: the nearest eslint.config.* of each file)
  --no-config        read no ESLint configuration
  --changed-since REV
                     judge only files that differ from where the branch left this Git revision, and files that
                     import what changed and are judged by it
  --baseline FILE    leave out the findings that this file knows
  --update-baseline  write what is found to the file of --baseline, so that only new findings speak
  --include-suppressed
                     in json and sarif, tell also of findings that comments or the baseline suppress, marked as such
  -o, --output FILE  of facts: the file to write, .json or a JavaScript module (default: print JSON)
                     of locks: the file to write (default: print)
  -h, --help         print this text
  -v, --version      print the version

Exit status: 0 nothing found, 1 findings (of locks: problems), 2 the run failed or a file could not be analysed.
`;

/** Understands the command line (without the program's name). Throws a UsageError that says what is allowed. */
export function parseInvocation(commandLine: readonly string[]): Invocation {
  const { tokens, positionals } = parseArgs({
    args: [...commandLine],
    options,
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const given = new Map<string, string | undefined>();
  for (const token of tokens) {
    if (token.kind === 'option') given.set(token.name, checkedValue(token));
  }
  if (given.has('help')) return { do: 'help' };
  if (given.has('version')) return { do: 'version' };

  const [first] = tokens;
  const [word = ''] = positionals;
  const isSubcommand = first?.kind === 'positional';
  if (isSubcommand && word === 'explain') return { do: 'explain', ...lineOf(positionals.slice(1)), config: configFor('explain', given) };
  if (isSubcommand && word === 'facts') {
    const config = configFor('facts', given);
    return { do: 'facts', paths: positionals.length > 1 ? positionals.slice(1) : ['.'], output: given.get('output') ?? null, config };
  }
  if (isSubcommand && word === 'locks') {
    const config = configFor('locks', given);
    const format = oneOf('--format', given.get('format'), locksFormats);
    return { do: 'locks', paths: positionals.length > 1 ? positionals.slice(1) : ['.'], format, output: given.get('output') ?? null, config };
  }
  if (given.has('output')) throw new UsageError('--output belongs to the subcommands facts and locks; to write findings to a file, redirect the output.');
  const format = oneOf('--format', given.get('format'), formatNames) ?? 'stylish';
  return {
    do: 'lint',
    paths: positionals.length > 0 ? positionals : ['.'],
    preset: oneOf('--preset', given.get('preset'), presets),
    format,
    config: configChoice(given),
    changedSince: given.get('changed-since') ?? null,
    baseline: baselineChoice(given),
    includeSuppressed: showsSuppressed(format, given),
  };
}

function baselineChoice(given: ReadonlyMap<string, string | undefined>): BaselineChoice | null {
  const path = given.get('baseline');
  const update = given.has('update-baseline');
  if (path !== undefined) return { path, update };
  if (update) throw new UsageError('--update-baseline needs --baseline FILE, which says what to write.');
  return null;
}

function showsSuppressed(format: FormatName, given: ReadonlyMap<string, string | undefined>): boolean {
  if (!given.has('include-suppressed')) return false;
  const able = formats.flatMap((each) => (each.showsSuppressed ? [each.name] : []));
  if (!able.includes(format)) throw new UsageError(`--include-suppressed belongs to --format ${able.join(' and ')}; --format is ${JSON.stringify(format)}.`);
  return true;
}

type Subcommand = 'explain' | 'facts' | 'locks';

/** The options a subcommand takes, besides those about the configuration. */
const ownOptions: Readonly<Record<Subcommand, readonly string[]>> = { explain: [], facts: ['output'], locks: ['format', 'output'] };

function configFor(subcommand: Subcommand, given: ReadonlyMap<string, string | undefined>): ConfigChoice {
  const allowed = [...ownOptions[subcommand], 'config', 'no-config'];
  const foreign = [...given.keys()].find((name) => !allowed.includes(name));
  if (foreign !== undefined) throw new UsageError(`${subcommand} does not take --${foreign}; allowed: ${allowed.map((name) => `--${name}`).join(', ')}.`);
  return configChoice(given);
}

/** `src/job.ts:12`; a column behind the line, as editors and compilers write it, does not matter. */
function lineOf(positionals: readonly string[]): { path: string; line: number } {
  const [place, ...others] = positionals;
  const parts = place === undefined ? null : /^(.+?):(\d+)(?::\d+)?$/.exec(place);
  const line = Number(parts?.[2]);
  if (!parts?.[1] || line < 1 || others.length > 0) {
    throw new UsageError(`explain takes one file and line, as in explain src/job.ts:12; given: ${positionals.join(' ') || 'nothing'}.`);
  }
  return { path: parts[1], line };
}

interface OptionToken {
  readonly name: string;
  readonly rawName: string;
  readonly value?: string | undefined;
  /** Given as `--name=value`; undefined without a value. */
  readonly inlineValue?: boolean | undefined;
}

function checkedValue({ name, rawName, value, inlineValue }: OptionToken): string | undefined {
  if (!isOption(name)) {
    const names = Object.keys(options).map((each) => `--${each}`);
    const guess = didYouMean(`--${name}`, names);
    throw new UsageError(`Unknown option ${rawName}; allowed: ${names.join(', ')}.${guess ? ` Did you mean ${guess}?` : ''}`);
  }
  const takesValue = options[name].type === 'string';
  if (takesValue && (value === undefined || value === '')) throw new UsageError(`${rawName} needs a value; see --help.`);
  if (takesValue && inlineValue === false && value?.startsWith('-')) {
    throw new UsageError(`${rawName} needs a value, but ${value} follows; a value that begins so is written ${rawName}=${value}.`);
  }
  if (!takesValue && value !== undefined) {
    throw new UsageError(`${rawName} takes no value, but was given ${JSON.stringify(value)}.`);
  }
  return value;
}

const isOption = (name: string): name is keyof typeof options => Object.hasOwn(options, name);

function oneOf<T extends string>(option: string, value: string | undefined, allowed: readonly T[]): T | null {
  if (value === undefined) return null;
  const found = allowed.find((each) => each === value);
  if (found !== undefined) return found;
  const guess = didYouMean(value, allowed);
  throw new UsageError(
    `${option} is ${JSON.stringify(value)}; allowed: ${allowed.join(', ')}.${guess === null ? '' : ` Did you mean ${guess}?`}`,
  );
}

function configChoice(given: ReadonlyMap<string, string | undefined>): ConfigChoice {
  const path = given.get('config');
  if (!given.has('no-config')) return path === undefined ? { from: 'nearest' } : { from: 'file', path };
  if (path !== undefined) throw new UsageError(`--config ${path} and --no-config contradict each other; give one of them.`);
  return { from: 'nowhere' };
}
