import type { HoleIndexAt } from './expressions.js';
import type { Catalogue } from './lock-functions.js';
import { type StatementWalk, walkStatement } from './lock-operations.js';
import { HOLE, type SqlInput } from './model.js';
import type { NormalizedSql } from './normalize.js';
import type { SqlParser } from './parser.js';
import type { Repaired } from './repair.js';
import type { Slot, Spelling } from './slots.js';
import type { SqlSource } from './sql-source.js';
import type { WalkContext } from './walker.js';

export type Parsed = Extract<Repaired, { kind: 'parsed' }>;
export type Failed = Extract<Repaired, { kind: 'failed' }>;

/** What one analysis passes around. */
export interface AnalysisContext {
  input: SqlInput;
  catalogue: Catalogue;
  parser: SqlParser;
  /** The text, or the part of it that is analysed. */
  normalized: NormalizedSql;
  /** The text names a lock function or a function that changes the session. */
  mentions: boolean;
  holeIndexAt: HoleIndexAt;
}

/** The holes that are read as nothing at all, or as a query that is not in parentheses and may have any clause. */
export function gapsOf({ slots, text }: NormalizedSql, spellingOf: (slot: Slot) => Spelling): number[] {
  return slots.flatMap((slot) => {
    const { origin, end } = slot;
    const spelling = spellingOf(slot);
    const isGap = spelling === 'gap' || (spelling === 'query' && !/^\s*\)/.test(text.slice(end)));
    return origin.kind === 'hole' && isGap ? [origin.index] : [];
  });
}

/** Whether a hole may hold SQL of its own, which could read any column. */
export function isUncertain({ slots }: NormalizedSql): boolean {
  return slots.some(({ origin }) => origin.kind === 'hole' && (origin.hole === 'unknown' || origin.hole === 'fragment'));
}

/** A walk through one statement of the text. */
export function walkIn(
  context: AnalysisContext,
  source: SqlSource,
  at: Pick<WalkContext, 'statement' | 'body' | 'guarded'>,
): StatementWalk {
  const { input, catalogue, mentions, holeIndexAt } = context;
  return walkStatement({ source, dialect: input.dialect, catalogue, wantsRanges: mentions, holeIndexAt, ...at });
}

/** How many holes stand before an offset. */
export function holeCounter(text: string): HoleIndexAt {
  const places: number[] = [];
  for (let at = text.indexOf(HOLE); at !== -1; at = text.indexOf(HOLE, at + 1)) places.push(at);
  return (offset) => {
    let low = 0;
    let high = places.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((places[middle] ?? 0) < offset) low = middle + 1;
      else high = middle;
    }
    return low;
  };
}
