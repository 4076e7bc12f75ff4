import { parseArgs } from 'node:util';
import { didYouMean } from '../did-you-mean.js';
import type { ConfigName } from '../plugin.js';
import { formats, type FormatName } from '../formats/formats.js';
import { UsageError } from './usage-error.js';

/** Where settings and rule options come from: the nearest `eslint.config.*`, nowhere, or one file for everything. */
export type ConfigChoice = { from: 'nearest' } | { from: 'nowhere' } | { from: 'file'; path: string };

export type Invocation =
  | { do: 'help' }
  | { do: 'version' }
  | { do: 'lint'; paths: readonly string[]; preset: ConfigName | null; format: FormatName; config: ConfigChoice };

const presets: readonly ConfigName[] = ['recommended', 'strict', 'all', 'pgbouncer'];
const formatNames: readonly FormatName[] = formats.map(({ name }) => name);
const subcommands = ['locks', 'facts', 'explain'];

const options = {
  preset: { type: 'string' },
  format: { type: 'string', short: 'f' },
  config: { type: 'string', short: 'c' },
  'no-config': { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean', short: 'v' },
} as const;

export const help = `Usage: eslint-plugin-advisory-lock [options] [paths]

Finds misuse of PostgreSQL advisory locks and MySQL GET_LOCK in JavaScript, TypeScript and .sql files.
Paths are files, folders or glob patterns; without one, the current folder. Files that Git ignores are left out.

Options:
  --preset NAME      the rules to apply: ${presets.join(', ')}
                     (default: those that eslint.config.* turns on, else recommended)
  -f, --format NAME  how to print findings: ${formatNames.join(', ')} (default: stylish)
  -c, --config FILE  take settings and options of the rules from this ESLint configuration
                     (default: the nearest eslint.config.* of each file)
  --no-config        read no ESLint configuration
  -h, --help         print this text
  -v, --version      print the version

Exit status: 0 nothing found, 1 findings, 2 the run failed or a file could not be analysed.
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
    if (token.kind === 'option') given.set(token.name, checkedValue(token.name, token.rawName, token.value));
  }
  if (given.has('help')) return { do: 'help' };
  if (given.has('version')) return { do: 'version' };

  const [first] = tokens;
  const [word = ''] = positionals;
  if (subcommands.includes(word) && first?.kind === 'positional') {
    throw new UsageError(`The subcommand ${word} is not available in this version. For a folder of that name write ./${word}.`);
  }
  return {
    do: 'lint',
    paths: positionals.length > 0 ? positionals : ['.'],
    preset: oneOf('--preset', given.get('preset'), presets),
    format: oneOf('--format', given.get('format'), formatNames) ?? 'stylish',
    config: configChoice(given),
  };
}

function checkedValue(name: string, rawName: string, value: string | undefined): string | undefined {
  if (!isOption(name)) {
    const names = Object.keys(options).map((each) => `--${each}`);
    const guess = didYouMean(`--${name}`, names);
    throw new UsageError(`Unknown option ${rawName}; allowed: ${names.join(', ')}.${guess ? ` Did you mean ${guess}?` : ''}`);
  }
  const takesValue = options[name].type === 'string';
  if (takesValue && (value === undefined || value === '')) throw new UsageError(`${rawName} needs a value; see --help.`);
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
