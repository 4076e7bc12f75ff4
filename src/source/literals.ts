import type { TSESTree } from '@typescript-eslint/utils';

/** A piece of a literal's value and the source it is written as. */
export interface LiteralPiece {
  value: string;
  /** UTF-16 offsets in the file. */
  start: number;
  end: number;
  /** The value is the source, character by character. */
  verbatim: boolean;
}

export type LiteralKind = 'string' | 'template' | 'raw-template';

/**
 * Takes a literal's source between its delimiters apart into runs that stand for themselves and escapes. Line
 * continuations give nothing; CRLF in a template is one line feed, as the language says. An escape the language does
 * not allow stands for itself.
 */
export function literalPieces(text: string, start: number, end: number, kind: LiteralKind): LiteralPiece[] {
  const pieces: LiteralPiece[] = [];
  let runStart = start;
  const endRun = (at: number): void => {
    if (at > runStart) pieces.push({ value: text.slice(runStart, at), start: runStart, end: at, verbatim: true });
  };
  let at = start;
  while (at < end) {
    const character = text.charCodeAt(at);
    const special =
      character === backslash && kind !== 'raw-template'
        ? escapeAt(text, at, end)
        : character === carriageReturn && kind !== 'string'
          ? { value: '\n', length: text[at + 1] === '\n' && at + 1 < end ? 2 : 1 }
          : null;
    if (!special) {
      at += 1;
      continue;
    }
    endRun(at);
    if (special.value !== '') pieces.push({ value: special.value, start: at, end: at + special.length, verbatim: false });
    at += special.length;
    runStart = at;
  }
  endRun(end);
  return pieces;
}

const backslash = 0x5c;
const carriageReturn = 0x0d;

const singleEscapes: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', b: '\b', f: '\f', v: '\v' };

function escapeAt(text: string, at: number, end: number): { value: string; length: number } {
  const character = text[at + 1];
  if (character === undefined || at + 1 >= end) return { value: '\\', length: 1 };
  switch (character) {
    case '\r':
      return { value: '', length: text[at + 2] === '\n' ? 3 : 2 };
    case '\n':
    case '\u2028':
    case '\u2029':
      return { value: '', length: 2 };
    case 'x':
    case 'u':
      return hexEscape(text.slice(at, Math.min(end, at + 64))) ?? { value: character, length: 2 };
    default: {
      const octal = /^\\(?:[0-3][0-7]{0,2}|[4-7][0-7]?)/.exec(text.slice(at, Math.min(end, at + 4)))?.[0];
      if (octal) return { value: String.fromCharCode(parseInt(octal.slice(1), 8)), length: octal.length };
      return { value: singleEscapes[character] ?? character, length: 2 };
    }
  }
}

function hexEscape(source: string): { value: string; length: number } | null {
  const match = /^\\(?:x([0-9a-f]{2})|u([0-9a-f]{4})|u\{([0-9a-f]+)\})/i.exec(source);
  const digits = match?.[1] ?? match?.[2] ?? match?.[3];
  if (!match || digits === undefined) return null;
  const codePoint = parseInt(digits, 16);
  return codePoint > 0x10ffff ? null : { value: String.fromCodePoint(codePoint), length: match[0].length };
}

/**
 * The source between a quasi's delimiters. Parsers disagree on whether a TemplateElement's range holds them; the first
 * quasi of the same template tells which kind of parser this is.
 */
export function quasiRange(template: TSESTree.TemplateLiteral, quasi: TSESTree.TemplateElement): readonly [number, number] {
  const [start, end] = quasi.range;
  const holdsDelimiters = template.quasis[0]?.range[0] === template.range[0];
  return holdsDelimiters ? [start + 1, end - (quasi.tail ? 1 : 2)] : [start, end];
}
