import type { Dialect } from './model.js';

/** A run of SQL text in one lexical state. Regions follow each other without gaps and cover the whole text. */
export interface Region {
  kind: 'code' | 'string' | 'quoted' | 'backtick' | 'comment' | 'dollar';
  /** UTF-16 offsets; delimiters belong to the region. */
  start: number;
  end: number;
}

const WORD = /[\w$\u0080-\uFFFF]/;

function lineEnd(text: string, from: number): number {
  const newline = text.indexOf('\n', from);
  return newline === -1 ? text.length : newline;
}

/** PostgreSQL nests block comments, MySQL does not. */
function blockCommentEnd(text: string, from: number, nests: boolean): number {
  const delimiters = /\/\*|\*\//g;
  delimiters.lastIndex = from + 2;
  let depth = 1;
  for (let match = delimiters.exec(text); match; match = delimiters.exec(text)) {
    if (match[0] === '*/') depth -= 1;
    else if (nests) depth += 1;
    if (depth === 0) return delimiters.lastIndex;
  }
  return text.length;
}

/** The end of a quoted run; a doubled quote stays inside it, and so does an escaped one where backslashes escape. */
function quotedEnd(text: string, from: number, quote: string, backslashes: boolean): number {
  let at = from + 1;
  while (at < text.length) {
    const character = text[at];
    if (backslashes && character === '\\') at += 2;
    else if (character !== quote) at += 1;
    else if (text[at + 1] === quote) at += 2;
    else return at + 1;
  }
  return text.length;
}

/**
 * Splits SQL text into code, strings, quoted identifiers, comments and dollar-quoted bodies. Never fails: what is not
 * terminated reaches to the end of the text. Linear in the length of the text.
 */
export function regionsOf(text: string, dialect: Dialect): Region[] {
  const mysql = dialect === 'mysql';
  const regions: Region[] = [];
  let codeStart = 0;
  const openers = /['"`$#]|--|\/\*/g;
  const dollarTag = /\$(?:[A-Za-z_\u0080-\uFFFF][\w\u0080-\uFFFF]*)?\$/y;

  const close = (kind: Region['kind'], start: number, end: number): void => {
    if (start > codeStart) regions.push({ kind: 'code', start: codeStart, end: start });
    const stop = Math.min(end, text.length);
    regions.push({ kind, start, end: stop });
    codeStart = stop;
    openers.lastIndex = stop;
  };

  for (let match = openers.exec(text); match; match = openers.exec(text)) {
    const at = match.index;
    switch (match[0]) {
      case '--':
        close('comment', at, lineEnd(text, at));
        break;
      case '#':
        if (mysql) close('comment', at, lineEnd(text, at));
        break;
      case '/*':
        close('comment', at, blockCommentEnd(text, at, !mysql));
        break;
      case "'": {
        const prefix = text[at - 1];
        const escapes = (prefix === 'e' || prefix === 'E') && !WORD.test(text[at - 2] ?? ' ');
        close('string', at, quotedEnd(text, at, "'", mysql || escapes));
        break;
      }
      case '"':
        close('quoted', at, quotedEnd(text, at, '"', mysql));
        break;
      case '`':
        close('backtick', at, quotedEnd(text, at, '`', false));
        break;
      case '$': {
        if (mysql || WORD.test(text[at - 1] ?? ' ')) break;
        dollarTag.lastIndex = at;
        const tag = dollarTag.exec(text)?.[0];
        if (tag === undefined) break;
        const end = text.indexOf(tag, at + tag.length);
        close('dollar', at, end === -1 ? text.length : end + tag.length);
        break;
      }
    }
  }
  if (text.length > codeStart) regions.push({ kind: 'code', start: codeStart, end: text.length });
  return regions;
}
