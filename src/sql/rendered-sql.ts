import type { SqlRange } from './model.js';
import type { NormalizedSql } from './normalize.js';
import { type Slot, spell, type Spelling } from './slots.js';

/** A stretch of the rendered text and where it comes from; offsets are UTF-16. */
interface Segment {
  from: number;
  length: number;
  start: number;
  end: number;
  /** Null for text taken over or only respelled. */
  slot: Slot | null;
  verbatim: boolean;
}

/** Text as the server's parser reads it, and the way back from its byte offsets to the text that came in. */
export interface RenderedSql {
  sql: string;
  /** UTF-8 byte offset in `sql` → UTF-16 offset in `sql`. */
  characterOf(byte: number): number;
  /** UTF-16 offset in `sql` → UTF-16 offset in the input text; inside a slot, the slot's start. */
  originalOffset(character: number): number;
  /** A range of UTF-16 offsets in `sql` → a range of the input text, slots included as a whole. */
  rangeOfCharacters(start: number, end: number): SqlRange;
  /** A range of UTF-8 bytes in `sql` → a range of the input text, slots included as a whole. */
  rangeOf(startByte: number, endByte: number): SqlRange;
  /** The slot that wrote what stands at a byte offset. */
  slotAt(byte: number): Slot | null;
  /** Whether a slot wrote any of the text between two byte offsets. */
  hasSlot(startByte: number, endByte: number): boolean;
}

/** UTF-8 byte offsets of `text` as UTF-16 offsets. A lone surrogate is written as U+FFFD, three bytes long. */
export function characterIndex(text: string): (byte: number) => number {
  if (/^[\x00-\x7F]*$/.test(text)) return (byte) => Math.min(byte, text.length);
  const offsets: number[] = [];
  for (let at = 0; at < text.length; at += 1) {
    const code = text.codePointAt(at) ?? 0;
    const bytes = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    for (let count = 0; count < bytes; count += 1) offsets.push(at);
    if (bytes === 4) at += 1;
  }
  return (byte) => offsets[byte] ?? text.length;
}

/** The UTF-16 offset of a character counted in code points, as the server counts them in its errors. */
export function offsetOfCharacter(text: string, character: number): number {
  if (!/[\uD800-\uDBFF]/.test(text)) return Math.min(character, text.length);
  let offset = 0;
  for (let count = 0; count < character && offset < text.length; count += 1) {
    offset += (text.codePointAt(offset) ?? 0) > 0xffff ? 2 : 1;
  }
  return offset;
}

function segmentsOf(normalized: NormalizedSql, spellingOf: (slot: Slot) => Spelling): { sql: string; segments: Segment[] } {
  const { text, edits, window } = normalized;
  const segments: Segment[] = [];
  const pieces: string[] = [];
  let from = 0;
  let reached = window.start;
  const add = (piece: string, start: number, end: number, slot: Slot | null, verbatim: boolean): void => {
    pieces.push(piece);
    segments.push({ from, length: piece.length, start, end, slot, verbatim });
    from += piece.length;
    reached = end;
  };
  for (const edit of edits) {
    if (edit.start > reached) add(text.slice(reached, edit.start), reached, edit.start, null, true);
    if (edit.kind === 'respelling') add(edit.replacement, edit.start, edit.end, null, false);
    else add(spell(spellingOf(edit.slot), edit.slot, text), edit.start, edit.end, edit.slot, false);
  }
  if (window.end > reached) add(text.slice(reached, window.end), reached, window.end, null, true);
  return { sql: pieces.join(''), segments };
}

/**
 * Spells out every slot.
 * @param wrapper text the parser needs around a fragment; offsets in it map to the nearest end of the input text
 */
export function render(
  normalized: NormalizedSql,
  spellingOf: (slot: Slot) => Spelling,
  wrapper: { before: string; after: string } = { before: '', after: '' },
): RenderedSql {
  const { sql: inner, segments } = segmentsOf(normalized, spellingOf);
  const sql = wrapper.before + inner + wrapper.after;
  const characterOf = characterIndex(sql);
  const shift = wrapper.before.length;
  const { window } = normalized;

  /** The index of the last segment that begins at or before an offset of the inner text. */
  function segmentIndexAt(offset: number): number {
    let low = 0;
    let high = segments.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((segments[middle]?.from ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  const segmentAt = (offset: number): Segment | undefined => segments[segmentIndexAt(offset)];

  function originalOffset(character: number): number {
    const offset = character - shift;
    if (offset <= 0) return window.start;
    const segment = segmentAt(offset);
    if (!segment) return window.start;
    if (offset >= segment.from + segment.length) return segment.end;
    return segment.verbatim ? segment.start + offset - segment.from : segment.start;
  }

  function originalEnd(character: number): number {
    const offset = character - shift;
    if (offset <= 0) return window.start;
    const segment = segmentAt(offset - 1);
    if (!segment) return window.end;
    return segment.verbatim ? Math.min(segment.start + offset - segment.from, segment.end) : segment.end;
  }

  const rangeOfCharacters = (start: number, end: number): SqlRange => ({
    start: originalOffset(start),
    end: originalEnd(end),
  });

  return {
    sql,
    characterOf,
    originalOffset,
    rangeOfCharacters,
    rangeOf: (startByte, endByte) => rangeOfCharacters(characterOf(startByte), characterOf(endByte)),
    hasSlot(startByte, endByte) {
      const end = characterOf(endByte) - shift;
      let index = segmentIndexAt(Math.max(0, characterOf(startByte) - shift));
      for (let segment = segments[index]; segment && segment.from < end; segment = segments[index]) {
        if (segment.slot) return true;
        index += 1;
      }
      return false;
    },
    slotAt(byte) {
      const offset = characterOf(byte) - shift;
      const segment = offset < 0 ? undefined : segmentAt(offset);
      return segment && offset < segment.from + segment.length ? segment.slot : null;
    },
  };
}
