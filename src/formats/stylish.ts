import { relative } from 'node:path';
import type { FileReport, Finding, Report } from './finding.js';

type Style = 'underline' | 'dim' | 'red' | 'yellow';

const codes: Readonly<Record<Style, readonly [number, number]>> = {
  underline: [4, 24],
  dim: [2, 22],
  red: [31, 39],
  yellow: [33, 39],
};

/** For people: one block per file, one line per finding, and below it the steps that lead there. */
export function* stylish({ files, cwd, color }: Report): Iterable<string> {
  const styled = (style: Style, text: string): string => {
    const [on, off] = codes[style];
    return color ? `\u001b[${on}m${text}\u001b[${off}m` : text;
  };
  const total = files.reduce((sum, { findings }) => sum + findings.length, 0);
  if (total === 0) return;
  yield '\n';
  for (const file of files) if (file.findings.length > 0) yield `${block(file).join('\n')}\n`;
  yield `${styled('red', `✖ ${total} ${total === 1 ? 'problem' : 'problems'}`)}\n\n`;

  function block({ path, findings }: FileReport): string[] {
    const places = findings.map(({ line, column }) => `${line}:${column}`);
    const width = Math.max(...places.map((place) => place.length));
    return [
      styled('underline', relative(cwd, path) || path),
      ...findings.flatMap((finding, index) => findingLines(finding, (places[index] ?? '').padStart(width))),
      '',
    ];
  }

  function findingLines({ severity, message, ruleId, witness }: Finding, place: string): string[] {
    const mark = styled(severity === 'error' ? 'red' : 'yellow', severity);
    const indent = ' '.repeat(place.length + 4);
    return [
      `  ${styled('dim', place)}  ${mark}  ${message}  ${styled('dim', ruleId)}`,
      ...witness.map((step) => styled('dim', `${indent}${step.line}:${step.column}  ${step.text}`)),
    ];
  }
}
