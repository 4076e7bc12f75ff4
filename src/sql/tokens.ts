import { type ScanToken, type SqlParser, SqlSyntaxError } from './parser.js';

/** The tokens of a text without its comments, with the places of names, parentheses and commas worked out. */
export interface TokenView {
  readonly tokens: readonly ScanToken[];
  /** The index of the token that starts at a byte offset, -1 for none. */
  indexAt(byte: number): number;
  /** The index of the parenthesis or bracket that closes the one at an index, -1 when it stays open. */
  closing(open: number): number;
  /** The index of the innermost parenthesis open before a token, -1 at the outermost level. */
  enclosing(index: number): number;
}

/** First and last token of a run, inclusive. */
export interface TokenRun {
  first: number;
  last: number;
}

/** A call as the tokens show it. */
export interface TokenCall {
  /** From the first part of the (qualified) name to the closing parenthesis. */
  run: TokenRun;
  /** The last part of the name. */
  name: number;
  open: number;
  arguments: readonly TokenRun[];
}

export function isComment(token: ScanToken): boolean {
  return token.tokenName === 'SQL_COMMENT' || token.tokenName === 'C_COMMENT';
}

export function tokenView(all: readonly ScanToken[]): TokenView {
  const tokens = all.filter((token) => !isComment(token));
  const closings = new Map<number, number>();
  const enclosings: number[] = [];
  const opened: number[] = [];
  tokens.forEach((token, index) => {
    if (token.text === ')' || token.text === ']') {
      const open = opened.pop();
      if (open !== undefined) closings.set(open, index);
    }
    enclosings.push(opened.at(-1) ?? -1);
    if (token.text === '(' || token.text === '[') opened.push(index);
  });
  return {
    tokens,
    indexAt(byte) {
      let low = 0;
      let high = tokens.length - 1;
      while (low <= high) {
        const middle = (low + high) >> 1;
        const start = tokens[middle]?.start ?? 0;
        if (start === byte) return middle;
        if (start < byte) low = middle + 1;
        else high = middle - 1;
      }
      return -1;
    },
    closing: (open) => closings.get(open) ?? -1,
    enclosing: (index) => enclosings[index] ?? -1,
  };
}

/** The tokens of a text; null when even the scanner rejects it. */
export function scanTokens(parser: SqlParser, sql: string): TokenView | null {
  try {
    return tokenView(parser.scan(sql));
  } catch (error) {
    if (error instanceof SqlSyntaxError) return null;
    throw error;
  }
}

export function textAt(view: TokenView, index: number): string {
  return view.tokens[index]?.text ?? '';
}

/** Whether a token can be part of a name. */
export function isNameToken(token: ScanToken | undefined): boolean {
  return token !== undefined && (token.tokenName === 'IDENT' || (token.keywordKind > 0 && token.keywordKind < 4));
}

/** The runs between the commas of a parenthesised list. */
function listRuns(view: TokenView, open: number, close: number): TokenRun[] {
  if (close <= open + 1) return [];
  const runs: TokenRun[] = [];
  let first = open + 1;
  for (let index = open + 1; index < close; index += 1) {
    const text = textAt(view, index);
    if (text === ',') {
      runs.push({ first, last: index - 1 });
      first = index + 1;
    } else if (text === '(' || text === '[') {
      const inner = view.closing(index);
      if (inner > index) index = inner;
    }
  }
  runs.push({ first, last: close - 1 });
  return runs.filter((run) => run.last >= run.first);
}

/** Reads the call whose (qualified) name begins at a token; null when the tokens show no call there. */
export function callAt(view: TokenView, first: number): TokenCall | null {
  if (first < 0 || !isNameToken(view.tokens[first])) return null;
  let name = first;
  while (textAt(view, name + 1) === '.' && isNameToken(view.tokens[name + 2])) name += 2;
  const open = name + 1;
  if (textAt(view, open) !== '(') return null;
  const close = view.closing(open);
  if (close === -1) return null;
  return { run: { first, last: close }, name, open, arguments: listRuns(view, open, close) };
}

/** The parts of a token name as the parser would give them: unquoted ones folded, quoted ones as they are. */
export function foldedName(view: TokenView, first: number, last: number): string[] {
  const parts: string[] = [];
  for (let index = first; index <= last; index += 2) {
    const text = textAt(view, index);
    parts.push(text.startsWith('"') ? text.slice(1, -1).replaceAll('""', '"') : text.toLowerCase());
  }
  return parts;
}
