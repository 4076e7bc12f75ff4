import type { Finding } from './finding.js';

/** A place in a text as Git, code hosts and CI count it: lines end with `\n` or `\r\n` only. Both count from 1. */
export interface Position {
  readonly line: number;
  /** In UTF-16 units. */
  readonly column: number;
}

export interface Region {
  readonly start: Position;
  /** Behind the last character. */
  readonly end: Position;
}

/**
 * ECMAScript also ends lines at U+2028, U+2029 and lone carriage returns, which shifts ESLint's lines against those of
 * everybody else; so what leaves for services is counted anew, from offsets.
 */
export interface TextPositions {
  /** Of an offset in UTF-16 units, from 0; offsets outside the text count as its ends. */
  at(offset: number): Position;
  region(range: Finding['range']): Region;
  /** The column in bytes of UTF-8, from 1. */
  byteColumn(offset: number): number;
}

export function createPositions(text: string): TextPositions {
  const starts = [0];
  for (let index = text.indexOf('\n'); index >= 0; index = text.indexOf('\n', index + 1)) starts.push(index + 1);

  const lineAt = (offset: number): number => {
    let [low, high] = [0, starts.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((starts[middle] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return low;
  };
  const within = (offset: number): number => Math.min(Math.max(offset, 0), text.length);
  const startOf = (line: number): number => starts[line] ?? 0;
  const at = (offset: number): Position => {
    const line = lineAt(within(offset));
    return { line: line + 1, column: within(offset) - startOf(line) + 1 };
  };
  return {
    at,
    region: ([start, end]) => ({ start: at(start), end: at(end) }),
    byteColumn: (offset) => Buffer.byteLength(text.slice(startOf(lineAt(within(offset))), within(offset))) + 1,
  };
}
