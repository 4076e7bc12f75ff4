import type { SqlRange } from './model.js';
import type { SqlParser } from './parser.js';
import { scanTokens, textAt, type TokenRun, type TokenView } from './tokens.js';

/** A piece of SQL in a PL/pgSQL body; its run is one of the body's tokens. */
export interface BodyPiece {
  run: TokenRun;
  kind:
    | 'expression'
    /** a query or another SQL command */
    | 'command'
    /** PERFORM: the run begins with that keyword */
    | 'perform'
    /** no single piece of SQL: RAISE, EXECUTE … USING */
    | 'mixed';
  /** The INTO clause in a command, whose rows PL/pgSQL keeps; null without one. */
  into: TokenRun | null;
  /** Its rows or its value go on: into a variable, a loop, a condition, the function's result. */
  used: boolean;
  /** It runs only if a condition holds: in a branch, a loop or an exception handler. */
  guarded: boolean;
}

type Construct = { kind: 'if' | 'loop' | 'case' | 'block'; handling: boolean };

const COMMAND_WORDS = new Set(
  (
    'alter analyze call comment copy create delete do drop explain grant import insert listen lock merge notify refresh ' +
    'reindex reset revoke select set truncate update vacuum values with'
  ).split(' '),
);

/**
 * Splits a PL/pgSQL body into the SQL it is made of. PL/pgSQL is lexically SQL, and its statements are told apart by
 * keywords: https://www.postgresql.org/docs/18/plpgsql-statements.html. libpg-query's own PL/pgSQL parser gives no
 * offsets, and rejects bodies with undeclared variables, which those with holes are.
 */
export function plpgsqlPieces(view: TokenView): BodyPiece[] {
  const pieces: BodyPiece[] = [];
  const constructs: Construct[] = [];
  const end = view.tokens.length;
  let at = 0;

  const word = (index: number): string => textAt(view, index).toLowerCase();

  /** The next token outside parentheses and CASE expressions that is one of the given; `end` when there is none. */
  function find(from: number, targets: readonly string[]): number {
    let cases = 0;
    for (let index = from; index < end; index += 1) {
      const text = word(index);
      if (text === '(' || text === '[') {
        const close = view.closing(index);
        if (close > index) index = close;
      } else if (cases === 0 && (targets.includes(text) || text === ';')) {
        return index;
      } else if (text === 'case') {
        cases += 1;
      } else if (text === 'end' && cases > 0) {
        cases -= 1;
      }
    }
    return end;
  }

  const guarded = (): boolean => constructs.some(({ kind, handling }) => kind !== 'block' || handling);

  function add(kind: BodyPiece['kind'], first: number, until: number, used: boolean, into: TokenRun | null = null): void {
    if (until > first) pieces.push({ run: { first, last: until - 1 }, kind, into, used, guarded: guarded() });
  }

  function expressionUntil(first: number, targets: readonly string[]): number {
    const until = find(first, targets);
    add('expression', first, until, true);
    return until;
  }

  function command(first: number, until: number, used: boolean): void {
    let into = find(first, ['into']);
    if (word(into - 1) === 'insert' || word(into - 1) === 'merge') into = find(into + 1, ['into']);
    if (into >= until) {
      add('command', first, until, used);
      return;
    }
    add('command', first, until, true, { first: into, last: targetsEnd(into + 1) - 1 });
  }

  /** Where the variables after INTO end. */
  function targetsEnd(from: number): number {
    let index = word(from) === 'strict' ? from + 1 : from;
    for (;;) {
      index += 1;
      while (textAt(view, index) === '.') index += 2;
      if (textAt(view, index) === '[') index = view.closing(index) + 1;
      if (textAt(view, index) !== ',' || index >= end) return index;
      index += 1;
    }
  }

  function declarations(from: number): number {
    let index = from;
    while (index < end && word(index) !== 'begin') {
      const stop = find(index, ['begin']);
      if (word(stop) === 'begin') return stop;
      const value = find(index, ['default', ':=', '=', 'cursor']);
      if (word(value) === 'cursor') {
        const query = find(value, ['for', 'is']) + 1;
        if (query < stop) add('command', query, stop, true);
      } else if (value < stop) {
        add('expression', value + 1, stop, true);
      }
      index = stop + 1;
    }
    return index;
  }

  function loopOver(from: number): number {
    const loop = find(from, ['loop']);
    const source = find(from, ['in']) + 1;
    if (source > loop) return loop;
    const first = word(source) === 'reverse' ? source + 1 : source;
    const opening = textAt(view, first) === '(' ? word(first + 1) : word(first);
    if (word(first) === 'array') add('expression', first + 1, loop, true);
    else if (COMMAND_WORDS.has(opening)) add('command', first, loop, true);
    else if (opening === 'execute') add('mixed', first + 1, loop, true);
    else {
      const bounds = find(first, ['..']);
      add('expression', first, Math.min(bounds, loop), true);
      if (bounds < loop) {
        const step = find(bounds, ['by', 'loop']);
        add('expression', bounds + 1, step, true);
        if (word(step) === 'by') add('expression', step + 1, loop, true);
      }
    }
    return loop;
  }

  function returned(from: number, until: number): void {
    const keyword = word(from);
    if (keyword === 'query') {
      if (word(from + 1) === 'execute') add('mixed', from + 2, until, true);
      else add('command', from + 1, until, true);
    } else {
      add('expression', keyword === 'next' ? from + 1 : from, until, true);
    }
  }

  /** A statement that ends with its semicolon. */
  function plainStatement(first: number): number {
    const until = find(first, []);
    const keyword = word(first);
    switch (keyword) {
      case 'perform':
        add('perform', first, until, false);
        break;
      case 'return':
        returned(first + 1, until);
        break;
      case 'exit':
      case 'continue': {
        const when = find(first, ['when']);
        if (when < until) add('expression', when + 1, until, true);
        break;
      }
      case 'open': {
        const query = find(first, ['for']) + 1;
        if (query < until) add(word(query) === 'execute' ? 'mixed' : 'command', query, until, true);
        break;
      }
      case 'execute':
      case 'raise':
      case 'assert':
        add('mixed', first + 1, until, true);
        break;
      case 'commit':
      case 'rollback':
        add('command', first, until, false);
        break;
      default: {
        const assignment = find(first, [':=', '=']);
        if (COMMAND_WORDS.has(keyword)) command(first, until, false);
        else if (assignment < until) add('expression', assignment + 1, until, true);
      }
    }
    return until + 1;
  }

  while (at < end) {
    switch (word(at)) {
      case '<<':
        at += 3;
        break;
      case 'declare':
        at = declarations(at + 1);
        break;
      case 'begin':
        constructs.push({ kind: 'block', handling: false });
        at += 1;
        break;
      case 'exception': {
        const block = constructs.findLast(({ kind }) => kind === 'block');
        if (block) block.handling = true;
        at += 1;
        break;
      }
      case 'if':
        at = expressionUntil(at + 1, ['then']) + 1;
        constructs.push({ kind: 'if', handling: false });
        break;
      case 'case':
        at = expressionUntil(at + 1, ['when']);
        constructs.push({ kind: 'case', handling: false });
        break;
      case 'elsif':
      case 'elseif':
      case 'when':
        at = expressionUntil(at + 1, ['then']) + 1;
        break;
      case 'while':
        at = expressionUntil(at + 1, ['loop']);
        break;
      case 'for':
      case 'foreach':
        at = loopOver(at + 1);
        break;
      case 'loop':
        constructs.push({ kind: 'loop', handling: false });
        at += 1;
        break;
      case 'else':
      case ';':
        at += 1;
        break;
      case 'end':
        constructs.pop();
        at = find(at, []) + 1;
        break;
      default:
        at = plainStatement(at);
    }
  }
  return pieces;
}

/** The tokens of a body, and the pieces in it; null when the scanner rejects it. */
export function readBody(parser: SqlParser, sql: string): { view: TokenView; pieces: BodyPiece[] } | null {
  const view = scanTokens(parser, sql);
  return view && { view, pieces: plpgsqlPieces(view) };
}

/** The part of a literal between its delimiters, and how the text reads there; null where escapes move its characters. */
export function literalBody(text: string, literal: SqlRange): { text: string; window: SqlRange } | null {
  const written = text.slice(literal.start, literal.end);
  const tag = /^\$[^$]*\$/.exec(written)?.[0];
  if (tag !== undefined) {
    return { text, window: { start: literal.start + tag.length, end: literal.end - tag.length } };
  }
  if (!written.startsWith("'")) return null;
  const window = { start: literal.start + 1, end: literal.end - 1 };
  // A doubled quote is one quote: the blank that fills it up stands outside of the inner string.
  let opening = false;
  const inner = text.slice(window.start, window.end).replaceAll("''", () => {
    opening = !opening;
    return opening ? " '" : "' ";
  });
  return { text: text.slice(0, window.start) + inner + text.slice(window.end), window };
}
