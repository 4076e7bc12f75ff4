import { queries, type Query } from '../../src/facts/queries.js';
import { resultOf } from '../../src/pass.js';
import { unitFor, type HarnessOptions } from '../harness.js';

/**
 * The statements with locks in a piece of code, one line each: where it stands, over what it is sent, which locks it takes
 * or gives. Further words appear only where they apply: `or pool` for the roles other callers bring, `via 3` for the line
 * of the call that hands the text to the driver, `unsent`, `alternative`.
 */
export function lockStatements(code: string, options: HarnessOptions = {}): string[] {
  return resultOf(queries, unitFor(code, options)).filter((query) => query.locks.length > 0).map(describeQuery);
}

function describeQuery(query: Query): string {
  const { node, sending, handle, otherHandles, locks } = query;
  const words = [String(node.loc.start.line), handle.role, locks.map(({ operation }) => operation.name).join('+')];
  if (otherHandles.length > 0) words.push(`or ${otherHandles.map(({ role }) => role).join('/')}`);
  if (sending !== node) words.push(`via ${String(sending.loc.start.line)}`);
  if (query.sent === 'never') words.push('unsent');
  if (query.isAlternative) words.push('alternative');
  return words.join(' ');
}

/** Why the analyzer believes what it says of each statement's handle. */
export const evidence = (code: string): string[] =>
  resultOf(queries, unitFor(code))
    .filter((query) => query.locks.length > 0)
    .map(({ handle }) => handle.evidence.because);

export interface Case {
  readonly title: string;
  readonly code: string;
  readonly expected: readonly string[];
}

/** Runs each case under the TypeScript parser and, where it is plain JavaScript, under ESLint's own as well. */
export function itFinds(cases: readonly Case[]): void {
  it.each(cases.map((example) => [example.title, example] as const))('%s', (_title, { code, expected }) => {
    expect(lockStatements(code)).toEqual(expected);
    if (isPlainJavaScript(code)) expect(lockStatements(code, { javascript: true, filename: 'test.js' })).toEqual(expected);
  });
}

function isPlainJavaScript(code: string): boolean {
  try {
    unitFor(code, { javascript: true, filename: 'test.js' });
    return true;
  } catch {
    return false;
  }
}
