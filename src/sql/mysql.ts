import type { Region } from './lexical-regions.js';

/** A replacement that only changes the spelling: text between `start` and `end` (UTF-16) becomes `replacement`. */
export interface Respelling {
  start: number;
  end: number;
  replacement: string;
}

const DO_STATEMENT = /(?:^|;)\s*do(?=\s)/gi;
const CONSISTENT_SNAPSHOT = /(\bstart\s+transaction\s+)with\s+consistent\s+snapshot\b/gi;
const LIMIT_PAIR = /\blimit(\s+[^\s,();]+\s*),(?=\s*[^\s,();]+)/gi;

/** Each occurrence of `character` inside a quoted region becomes `replacement`. */
function replaceInside(text: string, region: Region, character: string, replacement: string): Respelling[] {
  const found: Respelling[] = [];
  const offset = region.start + 1;
  const content = text.slice(offset, region.end - 1);
  for (let at = content.indexOf(character); at !== -1; at = content.indexOf(character, at + 1)) {
    found.push({ start: offset + at, end: offset + at + 1, replacement });
  }
  return found;
}

function respellString(text: string, region: Region): Respelling[] {
  const { start, end } = region;
  const escaped = text.slice(start + 1, end - 1).includes('\\');
  // MySQL's backslash escapes are those of PostgreSQL's E'' strings, near enough.
  const opening = escaped ? "E'" : "'";
  if (text[start] === "'") return escaped ? [{ start, end: start, replacement: ' E' }] : [];
  const content = text.slice(start + 1, end - 1);
  const inner = [...content.matchAll(/\\[^]|'|""/g)].flatMap((match) => {
    if (match[0].startsWith('\\')) return [];
    const at = start + 1 + match.index;
    return [{ start: at, end: at + match[0].length, replacement: match[0] === "'" ? "''" : '"' }];
  });
  return [
    { start, end: start + 1, replacement: opening },
    ...inner,
    { start: end - 1, end, replacement: "'" },
  ];
}

function respellCode(code: string, offset: number, first: boolean): Respelling[] {
  const found: Respelling[] = [];
  for (const match of code.matchAll(DO_STATEMENT)) {
    // Inside a statement DO is a keyword of another clause; a region of code may begin in the middle of one.
    if (match.index === 0 && !first && !match[0].startsWith(';')) continue;
    const end = offset + match.index + match[0].length;
    found.push({ start: end - 2, end, replacement: 'SELECT' });
  }
  for (const match of code.matchAll(LIMIT_PAIR)) {
    // `LIMIT skip, count` reads as `OFFSET skip LIMIT count`.
    const start = offset + match.index;
    const comma = start + match[0].length - 1;
    found.push({ start, end: start + 'limit'.length, replacement: 'OFFSET' });
    found.push({ start: comma, end: comma + 1, replacement: ' LIMIT ' });
  }
  for (const match of code.matchAll(CONSISTENT_SNAPSHOT)) {
    const end = offset + match.index + match[0].length;
    found.push({ start: offset + match.index + (match[1] ?? '').length, end, replacement: '' });
  }
  return found;
}

/**
 * How MySQL's spelling of a region reads in PostgreSQL's: quotes, comments, DO, LIMIT with two numbers.
 * @param first no code stands before the region
 */
export function respellMysql(text: string, region: Region, first: boolean): Respelling[] {
  const { start, end } = region;
  switch (region.kind) {
    case 'code':
      return respellCode(text.slice(start, end), start, first);
    case 'comment':
      return text[start] === '#' ? [{ start, end: start + 1, replacement: '--' }] : [];
    case 'backtick':
      if (end - start < 2) return [];
      return [
        { start, end: start + 1, replacement: '"' },
        ...replaceInside(text, region, '"', '""'),
        { start: end - 1, end, replacement: '"' },
      ];
    case 'string':
    case 'quoted':
      return end - start < 2 ? [] : respellString(text, region);
    case 'dollar':
      return [];
    default:
      return region.kind satisfies never;
  }
}
