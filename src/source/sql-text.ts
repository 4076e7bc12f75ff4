import type { TSESTree } from '@typescript-eslint/utils';
import { HOLE, type HoleKind } from '../sql/model.js';

/** A JavaScript value interpolated into the text whose own text is not known. */
export interface TextHole {
  /** Index of its `HOLE` character in the text. */
  readonly at: number;
  readonly kind: HoleKind;
  /** The interpolated expression; for a parameter of a local function that was read through, the call's argument. */
  readonly node: TSESTree.Node;
}

/** Where a stretch of text comes from. It ends where the next segment begins. */
export interface TextSegment {
  /** Index of its first character in the text. */
  readonly at: number;
  /** Its source in the file, UTF-16 offsets. */
  readonly source: readonly [number, number];
  /** The text is its source, character by character. */
  readonly verbatim: boolean;
  /** The literal, quasi or other expression the source belongs to. */
  readonly origin: TSESTree.Node;
  /** Where it stands in the expression that was read, when its source stands elsewhere; otherwise the same range. */
  readonly home: readonly [number, number];
  /** Other code reads the same source, a shared constant or function, so a fix made here must leave it alone. */
  readonly shared: boolean;
}

/** SQL text read from an expression, each unknown part one `HOLE` character. */
export interface SqlText {
  readonly text: string;
  /** In order of appearance, one for each `HOLE` character. */
  readonly holes: readonly TextHole[];
  /** The expression it was read from. */
  readonly node: TSESTree.Node;
  readonly segments: readonly TextSegment[];
  /**
   * Where to point for a range of the text: UTF-16 offsets in the file. Exact inside one literal, wherever it stands;
   * a range over pieces from several places maps to where these stand in `node`.
   */
  toSource(start: number, end: number): readonly [number, number];
  /** What a fix may replace: the range's source, if all of it stands verbatim in one literal nobody else reads. */
  editable(start: number, end: number): readonly [number, number] | null;
}

/** Collects text piece by piece and remembers where each comes from. */
export class TextBuilder {
  readonly #parts: string[] = [];
  readonly #segments: TextSegment[] = [];
  readonly #holes: TextHole[] = [];
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** Appends known text. A `HOLE` character in it is text, too, and becomes U+FFFD so that it is not taken for a hole. */
  append(value: string, segment: Omit<TextSegment, 'at'>): void {
    if (value === '') return;
    const hasHoleCharacter = value.includes(HOLE);
    this.#segments.push({ ...segment, at: this.#length, verbatim: segment.verbatim && !hasHoleCharacter });
    this.#parts.push(hasHoleCharacter ? value.replaceAll(HOLE, '\uFFFD') : value);
    this.#length += value.length;
  }

  appendHole(kind: HoleKind, node: TSESTree.Node, segment: Omit<TextSegment, 'at' | 'verbatim' | 'origin'>): void {
    this.#segments.push({ ...segment, at: this.#length, verbatim: false, origin: node });
    this.#holes.push({ at: this.#length, kind, node });
    this.#parts.push(HOLE);
    this.#length += HOLE.length;
  }

  /**
   * Appends a part of another text, holes included. `home` says where the part stands in the expression that is read,
   * when its own source stands elsewhere.
   */
  appendText(other: SqlText, start: number, end: number, home: readonly [number, number] | null = null): void {
    const base = this.#length - start;
    for (let index = segmentIndex(other.segments, start); index < other.segments.length; index += 1) {
      const segment = other.segments[index];
      if (!segment || segment.at >= end) break;
      const from = Math.max(segment.at, start);
      const to = Math.min(endOf(other, index), end);
      if (to <= from) continue;
      const source = sourceWithin(segment, from, to);
      const ownHome = isAway(segment) ? segment.home : source;
      this.#segments.push({ ...segment, at: base + from, source, home: home ?? ownHome });
    }
    for (const hole of other.holes) {
      if (hole.at >= start && hole.at < end) this.#holes.push({ ...hole, at: base + hole.at });
    }
    this.#parts.push(other.text.slice(start, end));
    this.#length += end - start;
  }

  build(node: TSESTree.Node): SqlText {
    return createText(this.#parts.join(''), this.#holes, this.#segments, node);
  }
}

/**
 * The text with holes replaced by what `textFor` gives for them; a hole stays where it gives null. Pieces keep pointing
 * at their own source: of `run('select …')` the wrapper's text points into the wrapper, the argument's at the call.
 */
export function substitute(text: SqlText, textFor: (hole: TextHole, index: number) => SqlText | null): SqlText {
  const builder = new TextBuilder();
  let copied = 0;
  for (const [index, hole] of text.holes.entries()) {
    const replacement = textFor(hole, index);
    if (!replacement) continue;
    builder.appendText(text, copied, hole.at);
    const home = text.segments[segmentIndex(text.segments, hole.at)]?.home ?? hole.node.range;
    builder.appendText(replacement, 0, replacement.text.length, home);
    copied = hole.at + HOLE.length;
  }
  builder.appendText(text, copied, text.text.length);
  return builder.build(text.node);
}

function createText(
  text: string,
  holes: readonly TextHole[],
  segments: readonly TextSegment[],
  node: TSESTree.Node,
): SqlText {
  const sqlText: SqlText = {
    text,
    holes,
    node,
    segments,
    toSource: (start, end) => toSource(sqlText, start, end),
    editable: (start, end) => editable(sqlText, start, end),
  };
  return sqlText;
}

/** The index of the segment that holds the character at `offset`; of the last one for offsets at or past the end. */
function segmentIndex(segments: readonly TextSegment[], offset: number): number {
  let low = 0;
  let high = segments.length - 1;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((segments[middle]?.at ?? 0) <= offset) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** Does the segment's source stand elsewhere than where it is used? */
const isAway = ({ source, home }: TextSegment): boolean => source[0] !== home[0] || source[1] !== home[1];

const endOf = (text: SqlText, index: number): number => text.segments[index + 1]?.at ?? text.text.length;

/** The source of a part of a segment: exact for verbatim ones, the whole segment's for others. */
function sourceWithin(segment: TextSegment, from: number, to: number): readonly [number, number] {
  if (!segment.verbatim) return segment.source;
  return [segment.source[0] + from - segment.at, segment.source[0] + to - segment.at];
}

function toSource(text: SqlText, start: number, end: number): readonly [number, number] {
  const firstIndex = segmentIndex(text.segments, start);
  const lastIndex = end > start ? segmentIndex(text.segments, end - 1) : firstIndex;
  const first = text.segments[firstIndex];
  const last = text.segments[lastIndex];
  if (!first || !last) return text.node.range;
  const begin = sourceWithin(first, Math.min(Math.max(start, first.at), endOf(text, firstIndex)), endOf(text, firstIndex));
  const finish = sourceWithin(last, last.at, Math.max(Math.min(end, endOf(text, lastIndex)), last.at));
  if (first.origin === last.origin && begin[0] <= finish[1]) return [begin[0], end > start ? finish[1] : begin[0]];
  const homeStart = isAway(first) ? first.home[0] : begin[0];
  const homeEnd = isAway(last) ? last.home[1] : finish[1];
  return homeStart <= homeEnd ? [homeStart, homeEnd] : text.node.range;
}

function editable(text: SqlText, start: number, end: number): readonly [number, number] | null {
  const firstIndex = segmentIndex(text.segments, start);
  const lastIndex = end > start ? segmentIndex(text.segments, end - 1) : firstIndex;
  const origin = text.segments[firstIndex]?.origin;
  for (let index = firstIndex; index <= lastIndex; index += 1) {
    const segment = text.segments[index];
    if (!segment || !segment.verbatim || segment.shared || segment.origin !== origin) return null;
  }
  const range = toSource(text, start, end);
  // A line continuation leaves no text, but it stands between the pieces.
  return range[1] - range[0] === end - start ? range : null;
}
