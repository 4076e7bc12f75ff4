import type { ExpectedError, ExpectedSuggestion } from '../rule-tester.js';

/** An expected report that underlines exactly `marked`, which must stand in the code once; otherwise `nth` says which. */
export function errorAt(
  code: string,
  marked: string,
  error: { messageId: string; data?: Readonly<Record<string, string | number>>; suggestions?: readonly ExpectedSuggestion[]; nth?: number },
): ExpectedError {
  const { nth, ...expected } = error;
  const places: number[] = [];
  for (let at = code.indexOf(marked); at >= 0; at = code.indexOf(marked, at + 1)) places.push(at);
  const at = nth === undefined && places.length === 1 ? places[0] : places[nth ?? -1];
  if (at === undefined) throw new Error(`${places.length} places of ${JSON.stringify(marked)} in:\n${code}`);
  const start = positionOf(code, at);
  const end = positionOf(code, at + marked.length);
  return { ...expected, line: start.line, column: start.column, endLine: end.line, endColumn: end.column };
}

function positionOf(code: string, at: number): { line: number; column: number } {
  const before = code.slice(0, at).split('\n');
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}
