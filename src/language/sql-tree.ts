import { regionsOf, type Region } from '../sql/lexical-regions.js';
import type { Dialect } from '../sql/model.js';

export interface SourcePosition {
  /** 1-based. */
  readonly line: number;
  /** 0-based, in UTF-16 units. */
  readonly column: number;
}

export interface SourcePlace {
  /** UTF-16 offsets into the file. */
  readonly range: [number, number];
  readonly loc: { readonly start: SourcePosition; readonly end: SourcePosition };
}

/** A `.sql` file as ESLint's rules see it: its statements, one after the other. They are not parsed yet. */
export interface SqlFile extends SourcePlace {
  readonly type: 'SqlFile';
  readonly dialect: Dialect;
  readonly body: readonly SqlStatementNode[];
  readonly comments: readonly SqlComment[];
}

/** From the first token of a statement to its last one, the semicolon left out. */
export interface SqlStatementNode extends SourcePlace {
  readonly type: 'SqlStatement';
}

export interface SqlComment extends SourcePlace {
  readonly type: 'SqlComment';
  /** Without its delimiters. */
  readonly value: string;
}

/** ECMAScript's line breaks, as in every other source that ESLint reads. */
export const lineBreak = /\r\n|[\n\r\u2028\u2029]/;

/**
 * Cuts a file at its semicolons, those in strings, comments, dollar-quoted bodies and `BEGIN ATOMIC … END` aside. Total: any text is
 * a file, and what is not terminated reaches to its end.
 */
export function sqlFile(text: string, dialect: Dialect): SqlFile {
  const placeOf = placesIn(text);
  const regions = regionsOf(text, dialect);
  return {
    type: 'SqlFile',
    dialect,
    body: statementRanges(text, regions).map(([start, end]) => ({ type: 'SqlStatement', ...placeOf(start, end) })),
    comments: regions.filter(({ kind }) => kind === 'comment').map(({ start, end }) => ({ type: 'SqlComment', value: commentValue(text.slice(start, end)), ...placeOf(start, end) })),
    ...placeOf(0, text.length),
  };
}

const commentValue = (comment: string): string => {
  if (!comment.startsWith('/*')) return comment.replace(/^(?:--|#)/, '');
  return comment.slice(2, comment.endsWith('*/') && comment.length > 3 ? -2 : undefined);
};

function placesIn(text: string): (start: number, end: number) => SourcePlace {
  const starts = [0];
  for (const match of text.matchAll(new RegExp(lineBreak, 'g'))) starts.push(match.index + match[0].length);
  const positionOf = (offset: number): SourcePosition => {
    let low = 0;
    for (let high = starts.length - 1; low < high; ) {
      const middle = Math.ceil((low + high) / 2);
      if ((starts[middle] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return { line: low + 1, column: offset - (starts[low] ?? 0) };
  };
  return (start, end) => ({ range: [start, end], loc: { start: positionOf(start), end: positionOf(end) } });
}

function statementRanges(text: string, regions: readonly Region[]): [number, number][] {
  const found: [number, number][] = [];
  let start = -1;
  let end = -1;
  let isInBody = false;
  const close = (): void => {
    if (start >= 0) found.push([start, end]);
    start = -1;
    isInBody = false;
  };
  const extend = (from: number, to: number): void => {
    if (start < 0) start = from;
    end = to;
  };
  for (const region of regions) {
    if (region.kind === 'comment') continue;
    if (region.kind !== 'code') {
      extend(region.start, region.end);
      continue;
    }
    for (const { index, 0: piece } of text.slice(region.start, region.end).matchAll(/[^;\s]+|;/g)) {
      const at = region.start + index;
      if (piece !== ';') {
        extend(at, at + piece.length);
        // https://www.postgresql.org/docs/18/sql-createfunction.html: a body of statements that ends with END.
        if (/^atomic$/i.test(piece) && start >= 0 && /\bbegin\s+atomic$/i.test(text.slice(Math.max(start, end - 200), end))) isInBody = true;
      } else if (!isInBody || /\bend$/i.test(text.slice(start, end))) {
        close();
      }
    }
  }
  close();
  return found;
}
