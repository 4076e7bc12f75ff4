import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

/** A place as ESLint counts: lines and columns from 1, columns in UTF-16 units, the byte order mark left out. */
export interface Place {
  readonly line: number;
  readonly column: number;
  readonly endLine: number;
  readonly endColumn: number;
}

export interface Suggestion {
  readonly description: string;
  /** UTF-16 offsets into the text without its byte order mark. */
  readonly range: readonly [number, number];
  readonly text: string;
}

/** What a user sees of a finding, whatever host showed it. */
export interface Finding extends Place {
  readonly file: string;
  /** Without the plugin's namespace. */
  readonly rule: string;
  readonly message: string;
  readonly suggestions: readonly Suggestion[];
}

/** The part of ESLint's results that all its versions and all its formatters have in common. */
export interface LintResult {
  readonly filePath: string;
  readonly messages: readonly {
    readonly ruleId: string | null;
    readonly message: string;
    readonly line: number;
    readonly column: number;
    readonly endLine?: number;
    readonly endColumn?: number;
    readonly suggestions?: readonly { readonly desc: string; readonly fix: { readonly range: [number, number]; readonly text: string } }[];
  }[];
}

const namespace = 'advisory-lock/';

/**
 * ESLint's results as findings with paths from `folder`, sorted by place. A message that is not a rule's, such as a parsing
 * error, is a finding of the rule `''`, so that it cannot go unnoticed.
 */
export function findingsOf(results: readonly LintResult[], folder: string): Finding[] {
  const findings = results.flatMap(({ filePath, messages }) =>
    messages.map((message): Finding => ({
      file: relative(folder, filePath).replaceAll('\\', '/'),
      rule: message.ruleId?.replace(namespace, '') ?? '',
      line: message.line,
      column: message.column,
      endLine: message.endLine ?? 0,
      endColumn: message.endColumn ?? 0,
      message: message.message,
      suggestions: (message.suggestions ?? []).map(({ desc, fix: { range, text } }) => ({ description: desc, range, text })),
    })),
  );
  return sorted(findings);
}

/** By file, place and rule: the order in which hosts print is their own. */
export function sorted(findings: readonly Finding[]): Finding[] {
  const order = ({ file, line, column, rule, message }: Finding): string =>
    [file, String(line).padStart(6, '0'), String(column).padStart(6, '0'), rule, message].join('\0');
  return [...findings].sort((one, other) => (order(one) < order(other) ? -1 : 1));
}

/** A file's text as ESLint counts in it: without its byte order mark. */
export const textOf = (folder: string, file: string): string => readFileSync(join(folder, file), 'utf8').replace(/^\uFEFF/, '');

/** The lines of a text start here, by ECMAScript's line terminators or by those of the language server protocol. */
function lineStarts(text: string, terminators: RegExp): number[] {
  return [0, ...[...text.matchAll(terminators)].map(({ index, 0: terminator }) => index + terminator.length)];
}

const ecmaScript = /\r\n|[\n\r\u2028\u2029]/g;
const protocol = /\r\n|[\n\r]/g;

/** The place of a range of UTF-16 offsets. */
export function placeOf(text: string, start: number, end: number): Place {
  const starts = lineStarts(text, ecmaScript);
  const lineAt = (offset: number): number => starts.findLastIndex((lineStart) => lineStart <= offset);
  const columnAt = (offset: number): number => offset - (starts[lineAt(offset)] ?? 0) + 1;
  return { line: lineAt(start) + 1, column: columnAt(start), endLine: lineAt(end) + 1, endColumn: columnAt(end) };
}

/** The UTF-16 offset of a position of the language server protocol: line and character from 0. */
export function offsetOf(text: string, { line, character }: { readonly line: number; readonly character: number }): number {
  const start = lineStarts(text, protocol)[line];
  if (start === undefined) throw new RangeError(`the text has no line ${line}`);
  return start + character;
}
