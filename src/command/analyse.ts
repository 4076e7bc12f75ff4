import type { ESLint, Linter } from 'eslint';
import type { FileReport } from '../formats/finding.js';
import type { AdvisoryLockPlugin } from '../plugin.js';
import type { ObservedProblem, Observer } from '../rule.js';
import { createFindings } from './findings.js';
import type { Host } from './host.js';
import type { OwnConfig } from './project-config.js';

/** A file that mentions a lock, with the configuration it is linted with. */
export interface Candidate {
  readonly path: string;
  /** As read, a byte order mark included. */
  readonly text: string;
  readonly config: OwnConfig;
}

export interface Analyser {
  analyse(candidate: Candidate): Promise<FileReport>;
}

/** Runs our rules, and no others, over single files. `cwd` is a folder that holds all of them. */
export function createAnalyser(
  host: Host,
  cwd: string,
  createPlugin: (observe: Observer) => AdvisoryLockPlugin,
): Analyser {
  let observed: ObservedProblem[] = [];
  const plugin = createPlugin((problem) => observed.push(problem));
  // One ESLint per configuration: it caches what it prepares.
  const linters = new Map<string, ESLint>();

  function linterOf(config: OwnConfig, sourceType: Linter.SourceType | null): ESLint {
    const key = JSON.stringify([config.settings, config.rules, sourceType]);
    let linter = linters.get(key);
    if (!linter) {
      const Eslint = host.eslint();
      linter = new Eslint({ cwd, overrideConfigFile: true, overrideConfig: eslintConfig(config, plugin, host, sourceType) });
      linters.set(key, linter);
    }
    return linter;
  }

  async function resultOf({ path, text, config }: Candidate): Promise<Result> {
    const [result = noResult] = await linterOf(config, null).lintText(text, { filePath: path });
    if (!result.messages.some(isParseError) || !path.endsWith('.js')) return result;
    // A `.js` file may be a CommonJS module: `with`, octal literals and a `return` at its top are then no mistakes.
    observed = [];
    const [again] = await linterOf(config, 'commonjs').lintText(text, { filePath: path });
    return again && !again.messages.some(isParseError) ? again : result;
  }

  return {
    async analyse(candidate) {
      observed = [];
      const { path } = candidate;
      const text = candidate.text.replace(/^\uFEFF/, '');
      const file = { path, text, hasByteOrderMark: text !== candidate.text };
      try {
        const { messages, suppressedMessages } = await resultOf(candidate);
        const findings = createFindings([...messages, ...suppressedMessages], observed, text, plugin);
        const failure = messages.find(isParseError);
        return {
          ...file,
          findings: findings.filter(({ suppressions }) => suppressions.length === 0),
          suppressed: findings.filter(({ suppressions }) => suppressions.length > 0),
          failure: failure ? { message: failure.message, line: failure.line, column: failure.column } : null,
        };
      } catch (error) {
        const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
        return { ...file, findings: [], suppressed: [], failure: { message, line: null, column: null } };
      }
    },
  };
}

type Result = Pick<ESLint.LintResult, 'messages' | 'suppressedMessages'>;

const noResult: Result = { messages: [], suppressedMessages: [] };

// Mistakes in inline configuration are reported without a rule, too, but they are none of ours.
const isParseError = (message: Linter.LintMessage): boolean => message.fatal === true && message.message.startsWith('Parsing error');

function eslintConfig(
  { settings, rules }: OwnConfig,
  plugin: AdvisoryLockPlugin,
  host: Host,
  sourceType: Linter.SourceType | null,
): Linter.Config[] {
  const parser = host.typescriptParser();
  const { namespace } = plugin.meta;
  const common = { plugins: { [namespace]: plugin }, rules, settings, linterOptions: { reportUnusedDisableDirectives: 'off' } } as const;
  return [
    { ...common, files: ['**/*.{js,mjs,cjs,jsx,ts,mts,cts,tsx}'], languageOptions: { parserOptions: { ecmaFeatures: { jsx: true } } } },
    { ...common, files: ['**/*.sql'], language: `${namespace}/sql` },
    ...(parser ? [{ files: ['**/*.{ts,mts,cts,tsx}'], languageOptions: { parser } }] : []),
    ...(sourceType ? [{ files: ['**/*.js'], languageOptions: { sourceType } }] : []),
  ];
}
