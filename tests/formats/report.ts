import type { FileReport, Finding, Report } from '../../src/formats/finding.js';
import { formats, type FormatName } from '../../src/formats/formats.js';

interface Sketch {
  /** What is underlined: its first occurrence in the text. */
  readonly at: string;
  readonly rule?: string;
  readonly message?: string;
  readonly severity?: 'warning' | 'error';
  readonly steps?: readonly { at: string; text: string }[];
  readonly replacements?: readonly { of: string; by: string }[];
  readonly suppressedBy?: 'comment' | 'baseline';
  readonly occurrence?: number;
}

/** A report on a file of `/repo` (or an absolute path), whose lines are counted the way ESLint does. */
export function fileReport(path: string, text: string, sketches: readonly Sketch[], more: Partial<FileReport> = {}): FileReport {
  const rangeOf = (code: string): readonly [number, number] => {
    const start = text.indexOf(code);
    if (start < 0) throw new Error(`${code} does not occur`);
    return [start, start + code.length];
  };
  const position = (offset: number): { line: number; column: number } => {
    const lines = text.slice(0, offset).split(/\r\n|[\n\r\u2028\u2029]/);
    return { line: lines.length, column: (lines.at(-1) ?? '').length + 1 };
  };
  const place = (code: string) => {
    const range = rangeOf(code);
    const end = position(range[1]);
    return { ...position(range[0]), endLine: end.line, endColumn: end.column, range };
  };
  const findings = sketches.map(
    ({ at, rule = 'require-unlock', message = `About ${at}.`, severity = 'error', steps = [], replacements = [], suppressedBy, occurrence = 1 }): Finding => ({
      ...place(at),
      ruleId: `advisory-lock/${rule}`,
      messageId: 'any',
      message,
      severity,
      url: `https://example.org/${rule}.md`,
      suggestions: replacements.map(({ of, by }) => ({ messageId: 'cure', message: 'Cure it.', fix: { range: rangeOf(of), text: by } })),
      witness: steps.map((step) => ({ ...place(step.at), text: step.text })),
      scope: 'Queue.take',
      fingerprint: '00112233aabbccdd',
      occurrence,
      suppressions: suppressedBy ? [{ by: suppressedBy, justification: suppressedBy === 'comment' ? 'on purpose' : null }] : [],
    }),
  );
  return {
    path: path.startsWith('/') ? path : `/repo/${path}`,
    text,
    hasByteOrderMark: false,
    findings: findings.filter(({ suppressions }) => suppressions.length === 0),
    suppressed: findings.filter(({ suppressions }) => suppressions.length > 0),
    failure: null,
    ...more,
  };
}

export function print(format: FormatName, files: readonly FileReport[], more: Partial<Report> = {}): string {
  const report: Report = {
    version: '1.2.3',
    cwd: '/repo/app',
    root: '/repo',
    color: false,
    files,
    problems: [],
    exitStatus: files.some(({ failure }) => failure) ? 2 : files.length > 0 ? 1 : 0,
    includeSuppressed: false,
    rules: () => [
      { id: 'advisory-lock/no-unlock-all', summary: 'Disallow it', url: 'https://example.org/no-unlock-all.md', tier: 'strict', help: null },
      { id: 'advisory-lock/require-unlock', summary: 'Require it', url: 'https://example.org/require-unlock.md', tier: 'recommended', help: '# A page' },
    ],
    ...more,
  };
  const { format: write } = formats.find(({ name }) => name === format) ?? {};
  return [...(write?.(report) ?? [])].join('');
}
