import type { PlaceholderStyle } from './model.js';

/** A driver's placeholder in the text. */
export interface Placeholder {
  start: number;
  end: number;
  /** 0-based place among the bound values; null for a named one. */
  position: number | null;
  name: string | null;
  text: string;
  /** `value` is bound or quoted, `identifier` is quoted as a name, `raw` is inserted as it is. */
  kind: 'value' | 'identifier' | 'raw';
}

/** Finds the placeholders of one style in a run of code; `next` hands out positions to those that count. */
type Finder = (code: string, next: () => number) => Placeholder[];

const NAME = String.raw`[A-Za-z_]\w*`;
const QUESTION_MARK = /\\\?|\?\??/g;
const COLON = new RegExp(String.raw`(?<![:\w\])]):(${NAME})(:(?![:\w]))?`, 'g');
/** PgTyped marks a value that must be there: `$key!`. */
const DOLLAR_NAME = new RegExp(String.raw`(?<![\w$])\$(${NAME})(?:!(?![=~]))?`, 'g');
const AT = new RegExp(String.raw`(?<![\w@])@(${NAME})`, 'g');
const PG_PROMISE = new RegExp(
  [
    String.raw`\$\{([^{}]*)\}`,
    String.raw`\$\(([^()]*)\)`,
    String.raw`\$<([^<>]*)>`,
    String.raw`\$\[([^[\]]*)\]`,
    String.raw`\$/([^/]*)/`,
    String.raw`\$(\d+(?::[A-Za-z]+|[\^~#])?)`,
  ].join('|'),
  'g',
);
const PG_PROMISE_CONTENT = /^([\w.$]+)(?::([A-Za-z]+)|([\^~#]))?$/;
const PG_FORMAT = /%(?:%|(?:(\d+)\$)?([sIL]))/g;

function placed(match: RegExpMatchArray, rest: Omit<Placeholder, 'start' | 'end' | 'text'>): Placeholder {
  const start = match.index ?? 0;
  return { start, end: start + match[0].length, text: match[0], ...rest };
}

const named = (match: RegExpMatchArray, kind: Placeholder['kind']): Placeholder =>
  placed(match, { position: null, name: match[1] ?? null, kind });

function pgPromiseKind(modifier: string | undefined): Placeholder['kind'] {
  switch (modifier) {
    case '^':
    case 'raw':
      return 'raw';
    case '~':
    case 'name':
    case 'alias':
      return 'identifier';
    default:
      return 'value';
  }
}

const FINDERS: Readonly<Record<PlaceholderStyle, Finder>> = {
  'question-mark': (code, next) =>
    [...code.matchAll(QUESTION_MARK)]
      // `\?` is Knex's way to write the operator `?`.
      .filter((match) => match[0] !== '\\?')
      .map((match) => placed(match, { position: next(), name: null, kind: match[0] === '??' ? 'identifier' : 'value' })),
  colon: (code) => [...code.matchAll(COLON)].map((match) => named(match, match[2] === undefined ? 'value' : 'identifier')),
  'dollar-name': (code) => [...code.matchAll(DOLLAR_NAME)].map((match) => named(match, 'value')),
  at: (code) => [...code.matchAll(AT)].map((match) => named(match, 'value')),
  'pg-promise': (code) =>
    [...code.matchAll(PG_PROMISE)].flatMap((match) => {
      const content = PG_PROMISE_CONTENT.exec(match.slice(1).find((group) => group !== undefined)?.trim() ?? '');
      if (!content) return [];
      const variable = content[1] ?? '';
      const modifier = content[2] ?? content[3];
      const numbered = /^\d+$/.test(variable);
      // Plain `$1` is PostgreSQL's own.
      if (numbered && modifier === undefined && /^\$\d/.test(match[0])) return [];
      return [
        placed(match, {
          position: numbered ? Number(variable) - 1 : null,
          name: numbered ? null : variable,
          kind: pgPromiseKind(modifier),
        }),
      ];
    }),
  'pg-format': (code, next) =>
    [...code.matchAll(PG_FORMAT)].flatMap((match) => {
      const conversion = match[2];
      if (conversion === undefined) return [];
      const position = match[1] === undefined ? next() : Number(match[1]) - 1;
      const kind = conversion === 'I' ? 'identifier' : conversion === 'L' ? 'value' : 'raw';
      return [placed(match, { position, name: null, kind })];
    }),
};

/**
 * A finder for several styles at once that keeps count across the runs of text it is given, in text order. Inside quotes
 * only those drivers look for placeholders that format the text without regard to SQL. Where two
 * styles claim the same characters, the one named first wins.
 */
export function placeholderFinder(
  styles: readonly PlaceholderStyle[],
): (text: string, offset: number, where: 'code' | 'quotes') => Placeholder[] {
  const inQuotes = styles.filter((style) => style === 'pg-promise' || style === 'pg-format');
  let count = 0;
  const next = (): number => count++;
  return (code, offset, where) => {
    const all = (where === 'code' ? styles : inQuotes)
      .flatMap((style) => FINDERS[style](code, next))
      .sort((one, other) => one.start - other.start);
    let reached = 0;
    const found = all.filter(({ start, end }) => {
      if (start < reached) return false;
      reached = end;
      return true;
    });
    for (const placeholder of found) {
      placeholder.start += offset;
      placeholder.end += offset;
    }
    return found;
  };
}
