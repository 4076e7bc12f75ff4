import { createHash } from 'node:crypto';
import type { Linter } from 'eslint';
import type { Finding, Place, Step, Suppression } from '../formats/finding.js';
import type { AdvisoryLockPlugin } from '../plugin.js';
import type { ObservedProblem } from '../rule.js';
import { scopeName } from './scope-name.js';

type Message = Linter.LintMessage | Linter.SuppressedLintMessage;

type Anonymous = Omit<Finding, 'occurrence'>;

/**
 * Our rules' findings in one file: ESLint's messages, those included that comments turn off, with what the rules said
 * about each. By place.
 */
export function createFindings(messages: readonly Message[], observed: readonly ObservedProblem[], text: string, plugin: AdvisoryLockPlugin): Finding[] {
  const starts = lineStarts(text);
  const { namespace } = plugin.meta;
  const problems = new Map<string, ObservedProblem[]>();
  for (const problem of observed) {
    const key = keyOf(`${namespace}/${problem.rule}`, problem.messageId, problem.range);
    problems.set(key, [...(problems.get(key) ?? []), problem]);
  }
  const own = messages.filter(({ ruleId }) => ruleId?.startsWith(`${namespace}/`) === true);
  return numbered(own.map(findingOf).sort(byPlace));

  function findingOf(message: Message): Anonymous {
    const { messageId = '', line, column, endLine = line, endColumn = column } = message;
    const ruleId = message.ruleId ?? '';
    const range = [offsetOf(starts, line, column), offsetOf(starts, endLine, endColumn)] as const;
    const problem = problems.get(keyOf(ruleId, messageId, range))?.shift();
    const scope = problem ? scopeName(problem.node) : null;
    return {
      ruleId,
      messageId,
      message: message.message,
      severity: message.severity === 1 ? 'warning' : 'error',
      url: plugin.rules[ruleId.slice(namespace.length + 1)]?.meta?.docs?.url ?? null,
      line,
      column,
      endLine,
      endColumn,
      range,
      suggestions: (message.suggestions ?? []).map(({ messageId: id = '', desc, fix }) => ({ messageId: id, message: desc, fix })),
      witness: (problem?.witness ?? []).map(({ node, text: words }): Step => ({ ...placeOf(node), text: words })),
      scope,
      fingerprint: fingerprintOf([ruleId, messageId, scope ?? '', codeOf(text.slice(...range))]),
      suppressions: suppressionsOf(message),
    };
  }
}

/** Characters of code that tell a finding from others: enough for a call and its SQL, too few to change with a whole function. */
const codeLength = 100;

/** Without blanks, so that formatting does not count. */
const codeOf = (code: string): string => code.replace(/\s+/g, '').slice(0, codeLength);

const fingerprintOf = (parts: readonly string[]): string => createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 16);

/** Equal findings are told apart by their order. */
function numbered(findings: readonly Anonymous[]): Finding[] {
  const counts = new Map<string, number>();
  return findings.map((finding) => {
    const occurrence = (counts.get(finding.fingerprint) ?? 0) + 1;
    counts.set(finding.fingerprint, occurrence);
    return { ...finding, occurrence };
  });
}

const byPlace = (one: Anonymous, other: Anonymous): number => one.range[0] - other.range[0];

function suppressionsOf(message: Message): Suppression[] {
  if (!('suppressions' in message)) return [];
  return message.suppressions.map(({ justification }) => ({ by: 'comment', justification: justification === '' ? null : justification }));
}

const keyOf = (rule: string, messageId: string, [start, end]: readonly [number, number]): string => `${rule} ${messageId} ${start} ${end}`;

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
