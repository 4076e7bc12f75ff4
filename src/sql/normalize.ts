import { type Region, regionsOf } from './lexical-regions.js';
import { type Dialect, HOLE, type HoleKind, type SqlInput, type SqlRange } from './model.js';
import { respellMysql, type Respelling } from './mysql.js';
import { placeholderFinder, type Placeholder } from './placeholders.js';
import { type Before, type Slot, spellingsFor } from './slots.js';
import { VARYING } from './unknown-text.js';

/** SQL text with everything marked that the server's parser could not read as it stands. */
export interface NormalizedSql {
  text: string;
  /** In text order, without overlaps. */
  edits: readonly Edit[];
  /** The slots among the edits. */
  slots: readonly Slot[];
  /** The part of the text that is to be parsed. */
  window: SqlRange;
}

/** The same text with only a part of it to be parsed; slots keep their places and positions. */
export function withWindow(normalized: NormalizedSql, window: SqlRange): NormalizedSql {
  const inside = ({ start, end }: SqlRange): boolean => start >= window.start && end <= window.end;
  return { ...normalized, window, edits: normalized.edits.filter(inside), slots: normalized.slots.filter(inside) };
}

export type Edit = ({ kind: 'respelling' } & Respelling) | { kind: 'slot'; start: number; end: number; slot: Slot };

const TOKEN_BEFORE = /([\w$\u0080-\uFFFF]+|[^\s\w$\u0080-\uFFFF])\s*$/;

/** Long enough for two words and what stands between them. */
const LOOK_BEHIND = 200;

/** The nearest tokens before an offset, skipping comments; a string or quoted identifier counts by its quote. */
function tokensBefore(text: string, regions: readonly Region[], regionIndex: number, offset: number): Before {
  const tokens: string[] = [];
  let end = offset;
  for (let index = regionIndex; index >= 0 && tokens.length < 2; index -= 1) {
    const region = regions[index];
    if (region === undefined) break;
    if (region.kind === 'code') {
      let from = Math.min(end, region.end);
      while (tokens.length < 2) {
        const match = TOKEN_BEFORE.exec(text.slice(Math.max(region.start, from - LOOK_BEHIND), from));
        if (!match) break;
        const token = match[1] ?? '';
        tokens.push(token.toLowerCase());
        from -= match[0].length;
      }
    } else if (region.kind !== 'comment') {
      tokens.push("'");
    }
    end = region.start;
  }
  const token = tokens[0] === ';' ? '' : (tokens[0] ?? '');
  return { token, previous: tokens[1] ?? '' };
}

function placeholderHole(kind: Placeholder['kind']): HoleKind {
  switch (kind) {
    case 'value':
      return 'value';
    case 'identifier':
      return 'identifier';
    case 'raw':
      return 'fragment';
    default:
      return kind satisfies never;
  }
}

/** The regions of a part of a text, with offsets of the whole. */
function regionsWithin(text: string, { start, end }: SqlRange, dialect: Dialect): Region[] {
  const regions = regionsOf(text.slice(start, end), dialect);
  return start === 0
    ? regions
    : regions.map((region) => ({ kind: region.kind, start: region.start + start, end: region.end + start }));
}

/**
 * Marks holes and placeholders in the code of the text, and respells MySQL's syntax. Holes inside strings, quoted
 * identifiers, comments and dollar-quoted bodies stay as they are: U+E000 is an ordinary character there.
 * @param window the part of the text to look at: the body of a routine, which is SQL of its own
 * @param firstHole how many holes stand before the window
 */
export function normalize(
  { text, holes, dialect, placeholders }: SqlInput,
  window: SqlRange = { start: 0, end: text.length },
  firstHole = 0,
): NormalizedSql {
  const regions = regionsWithin(text, window, dialect);
  const edits: Edit[] = [];
  const findPlaceholders = placeholderFinder(placeholders);
  let holeIndex = firstHole;
  let codeSeen = false;

  regions.forEach((region, regionIndex) => {
    const { start, end } = region;
    const slot = (from: number, to: number, kind: HoleKind, origin: Slot['origin']): void => {
      const touching = { before: text[from - 1] ?? '', after: text[to] ?? '' };
      const spellings = spellingsFor(kind, tokensBefore(text, regions, regionIndex, from), touching);
      edits.push({ kind: 'slot', start: from, end: to, slot: { start: from, end: to, origin, spellings } });
    };
    const content = text.slice(start, end);
    for (let at = content.indexOf(HOLE); at !== -1; at = content.indexOf(HOLE, at + 1)) {
      const index = holeIndex;
      holeIndex += 1;
      const hole = holes[index] ?? 'unknown';
      if (region.kind === 'code') slot(start + at, start + at + 1, hole, { kind: 'hole', index, hole });
    }
    if (region.kind === 'code') {
      for (const placeholder of findPlaceholders(content, start, 'code')) {
        slot(placeholder.start, placeholder.end, placeholderHole(placeholder.kind), { kind: 'placeholder', placeholder });
      }
      for (const match of content.matchAll(/\\(?=\?)|%(?=%)/g)) {
        const style = match[0] === '%' ? 'pg-format' : 'question-mark';
        if (!placeholders.includes(style)) continue;
        edits.push({ kind: 'respelling', start: start + match.index, end: start + match.index + 1, replacement: '' });
      }
    } else if (region.kind === 'string' || region.kind === 'quoted') {
      for (const placeholder of findPlaceholders(content, start, 'quotes')) {
        edits.push({ kind: 'respelling', start: placeholder.start, end: placeholder.end, replacement: VARYING });
      }
    }
    if (dialect === 'mysql') {
      for (const respelling of respellMysql(text, region, !codeSeen)) edits.push({ kind: 'respelling', ...respelling });
    }
    codeSeen ||= region.kind === 'code' && content.trim() !== '';
  });

  edits.sort((one, other) => one.start - other.start);
  let reached = 0;
  const disjoint = edits.filter((edit) => {
    if (edit.start < reached) return false;
    reached = edit.end;
    return true;
  });
  const slots = disjoint.flatMap((edit) => (edit.kind === 'slot' ? [edit.slot] : []));
  return { text, edits: disjoint, slots, window };
}
