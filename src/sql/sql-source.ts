import type { SqlRange } from './model.js';
import type { SqlParser } from './parser.js';
import type { RenderedSql } from './rendered-sql.js';
import type { Slot } from './slots.js';
import { scanTokens, type TokenRun, type TokenView } from './tokens.js';

/** The text a parse tree came from: tokens, and the way back to the input text. Byte offsets are UTF-8. */
export interface SqlSource {
  /** Null when the text could not be scanned. Scanned at first use. */
  readonly view: TokenView | null;
  rangeOf(startByte: number, endByte: number): SqlRange;
  slotAt(byte: number): Slot | null;
  /** See `RenderedSql.hasSlot`. */
  hasSlot(startByte: number, endByte: number): boolean;
  /** The input text of a range. */
  textOf(range: SqlRange): string;
}

export function sourceOf(parser: SqlParser, rendered: RenderedSql, text: string): SqlSource {
  let view: TokenView | null | undefined;
  return {
    get view() {
      return (view ??= scanTokens(parser, rendered.sql));
    },
    rangeOf: (startByte, endByte) => rendered.rangeOf(startByte, endByte),
    slotAt: (byte) => rendered.slotAt(byte),
    hasSlot: (startByte, endByte) => rendered.hasSlot(startByte, endByte),
    textOf: ({ start, end }) => text.slice(start, end),
  };
}

/** The range of a run of tokens in the input text. */
export function rangeOfRun(source: SqlSource, run: TokenRun): SqlRange {
  const first = source.view?.tokens[run.first];
  const last = source.view?.tokens[run.last];
  return first && last ? source.rangeOf(first.start, last.end) : { start: 0, end: 0 };
}

/**
 * A source for a part of another one's text.
 * @param view the tokens of the part
 * @param shift what to add to a byte offset of the part to get one of the whole
 */
export function shiftedSource(source: SqlSource, view: TokenView | null, shift: number): SqlSource {
  return {
    view,
    rangeOf: (startByte, endByte) => source.rangeOf(startByte + shift, endByte + shift),
    slotAt: (byte) => source.slotAt(byte + shift),
    hasSlot: (startByte, endByte) => source.hasSlot(startByte + shift, endByte + shift),
    textOf: (range) => source.textOf(range),
  };
}
