import type { FileReport, Report } from './finding.js';
import { portablePath } from './paths.js';
import { createPositions } from './positions.js';
import { failureWords, toolName, wordsOf } from './words.js';

type Level = 'error' | 'warning';

/**
 * Workflow commands of GitHub Actions, which become annotations: one line each. GitHub shows columns only for what stands
 * on one line, and the first ten errors and ten warnings of a step.
 */
export function* github({ files, problems, root }: Report): Iterable<string> {
  for (const file of files) yield* annotationsOf(file, root);
  for (const problem of problems) yield command('error', { title: toolName }, problem);
}

function* annotationsOf({ path, text, findings, failure }: FileReport, root: string): Iterable<string> {
  const file = portablePath(root, path);
  if (failure) {
    const place = failure.line === null ? {} : { line: failure.line, col: failure.column ?? 1 };
    yield command('error', { file, ...place, title: toolName }, failureWords(failure));
  }
  const positions = createPositions(text);
  for (const finding of findings) {
    const { start, end } = positions.region(finding.range);
    const columns = start.line === end.line ? { endColumn: end.column } : {};
    yield command(
      finding.severity,
      { file, line: start.line, endLine: end.line, col: start.column, ...columns, title: finding.ruleId },
      wordsOf(finding),
    );
  }
}

function command(level: Level, properties: Readonly<Record<string, string | number>>, message: string): string {
  const list = Object.entries(properties).map(([name, value]) => `${name}=${propertyValue(String(value))}`);
  return `::${level} ${list.join(',')}::${data(message)}\n`;
}

/** What would end the line, or be read as an escape. */
const data = (text: string): string => text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');

const propertyValue = (text: string): string => data(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
