import type { ESLint, Linter } from 'eslint';
import type { FileReport, Finding, Place, Step } from '../formats/finding.js';
import type { AdvisoryLockPlugin } from '../plugin.js';
import type { ObservedProblem, Observer } from '../rule.js';
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

  async function messagesOf({ path, text, config }: Candidate): Promise<readonly Linter.LintMessage[]> {
    const [result] = await linterOf(config, null).lintText(text, { filePath: path });
    const messages = result?.messages ?? [];
    if (!messages.some(isParseError) || !path.endsWith('.js')) return messages;
    // A `.js` file may be a CommonJS module: `with`, octal literals and a `return` at its top are then no mistakes.
    observed = [];
    const [again] = await linterOf(config, 'commonjs').lintText(text, { filePath: path });
    return again && !again.messages.some(isParseError) ? again.messages : messages;
  }

  return {
    async analyse(candidate) {
      observed = [];
      try {
        const messages = await messagesOf(candidate);
        const own = messages.filter(({ ruleId }) => ruleId?.startsWith(`${plugin.meta.namespace}/`) === true);
        const findings = withWitnesses(own, observed, candidate.text.replace(/^\uFEFF/, ''), plugin);
        const failure = messages.find(isParseError);
        return {
          path: candidate.path,
          findings,
          failure: failure ? { message: failure.message, line: failure.line, column: failure.column } : null,
        };
      } catch (error) {
        const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
        return { path: candidate.path, findings: [], failure: { message, line: null, column: null } };
      }
    },
  };
}

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

/** Joins ESLint's messages, which disable comments have thinned out, with what the rules said about each. */
function withWitnesses(
  messages: readonly Linter.LintMessage[],
  observed: readonly ObservedProblem[],
  text: string,
  plugin: AdvisoryLockPlugin,
): Finding[] {
  const starts = lineStarts(text);
  const problems = new Map<string, ObservedProblem[]>();
  for (const problem of observed) {
    const key = keyOf(`${plugin.meta.namespace}/${problem.rule}`, problem.messageId, problem.range);
    problems.set(key, [...(problems.get(key) ?? []), problem]);
  }
  return messages.map((message) => {
    const { ruleId, messageId = '', line, column, endLine = line, endColumn = column } = message;
    const range = [offsetOf(starts, line, column), offsetOf(starts, endLine, endColumn)] as const;
    const problem = problems.get(keyOf(ruleId ?? '', messageId, range))?.shift();
    const name = (ruleId ?? '').slice(plugin.meta.namespace.length + 1);
    return {
      ruleId: ruleId ?? '',
      messageId,
      message: message.message,
      severity: message.severity === 1 ? ('warning' as const) : ('error' as const),
      url: plugin.rules[name]?.meta?.docs?.url ?? null,
      line,
      column,
      endLine,
      endColumn,
      range,
      suggestions: (message.suggestions ?? []).map(({ messageId: id = '', desc, fix }) => ({ messageId: id, message: desc, fix })),
      witness: (problem?.witness ?? []).map(({ node, text: words }): Step => ({ ...placeOf(node), text: words })),
    };
  });
}

const keyOf = (rule: string, messageId: string, [start, end]: readonly [number, number]): string =>
  `${rule} ${messageId} ${start} ${end}`;

const placeOf = ({ loc, range }: ObservedProblem['witness'][number]['node']): Place => ({
  line: loc.start.line,
  column: loc.start.column + 1,
  endLine: loc.end.line,
  endColumn: loc.end.column + 1,
  range: [range[0], range[1]],
});

/** The offset at which each line starts, by the line breaks of ECMAScript. */
function lineStarts(text: string): number[] {
  const starts = [0];
  for (const { index, 0: lineBreak } of text.matchAll(/\r\n|[\n\r\u2028\u2029]/g)) starts.push(index + lineBreak.length);
  return starts;
}

const offsetOf = (starts: readonly number[], line: number, column: number): number => (starts[line - 1] ?? 0) + column - 1;
