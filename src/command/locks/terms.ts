import type { FunctionId, Origin, Term } from './model.js';

/** What the parameters of a function stand for in one call; null where the call does not say. */
export interface Binding {
  readonly function: FunctionId;
  readonly argument: (index: number) => Term | null;
}

/** Stands for what is not known. */
const hole = '…';

export const unknownTerm = (text: string, within: string): Term => ({ is: 'unknown', text, within });

/** The term with the function's parameters replaced. */
export function bound(term: Term, binding: Binding): Term {
  switch (term.is) {
    case 'parameter': {
      if (term.function !== binding.function) return term;
      const given = binding.argument(term.index);
      return given ? (member(given, term.path) ?? unknownTerm(term.text, term.function)) : unknownTerm(term.text, term.function);
    }
    case 'call':
      return { ...term, parts: term.parts.map((part) => bound(part, binding)) };
    case 'text':
      return textOf(term.parts.map((part) => bound(part, binding)));
    case 'record':
      return { is: 'record', properties: Object.fromEntries(Object.entries(term.properties).map(([name, value]) => [name, bound(value, binding)])) };
    case 'constant':
    case 'unknown':
      return term;
    default:
      return term satisfies never;
  }
}

/** What stands at a path in the term; null where it does not show. */
export function member(term: Term, path: readonly string[]): Term | null {
  const [name, ...rest] = path;
  if (name === undefined) return term;
  switch (term.is) {
    case 'record':
      return Object.hasOwn(term.properties, name) && term.properties[name] ? member(term.properties[name], rest) : null;
    case 'parameter':
      return { ...term, path: [...term.path, ...path], text: `${term.text}.${path.join('.')}` };
    case 'unknown':
      return unknownTerm(`${term.text}.${path.join('.')}`, term.within);
    default:
      return null;
  }
}

/** Texts in a row; one constant where all of them are. */
export function textOf(parts: readonly Term[]): Term {
  const flat = parts.flatMap((part) => (part.is === 'text' ? part.parts : [part]));
  const merged: Term[] = [];
  for (const part of flat) {
    const before = merged.at(-1);
    if (before?.is === 'constant' && part.is === 'constant') merged[merged.length - 1] = { ...before, value: String(before.value) + String(part.value) };
    else merged.push(part);
  }
  const [only] = merged;
  return merged.length === 1 && only?.is === 'constant' ? only : { is: 'text', parts: merged };
}

export const parametersIn = (term: Term): readonly FunctionId[] => {
  switch (term.is) {
    case 'parameter':
      return [term.function];
    case 'call':
    case 'text':
      return term.parts.flatMap(parametersIn);
    case 'record':
      return Object.values(term.properties).flatMap(parametersIn);
    default:
      return [];
  }
};

/** Is the value the same whenever and wherever it is computed? */
export function isKnown(term: Term): boolean {
  switch (term.is) {
    case 'constant':
      return true;
    case 'call':
    case 'text':
      return term.parts.every(isKnown);
    default:
      return false;
  }
}

/** Does it have a part that is known, so that uses of it belong together? */
export function isPartlyKnown(term: Term): boolean {
  switch (term.is) {
    case 'constant':
      return true;
    case 'call':
    case 'text':
      return term.parts.some(isPartlyKnown);
    default:
      return false;
  }
}

/**
 * Equal for terms that are equal as far as they are known: what is not known is a hole, and two holes may well differ.
 * `'42'`, 42 and 42n are one key.
 */
export function identityOf(term: Term, ignoresCase: boolean): string {
  switch (term.is) {
    case 'constant': {
      const text = constantText(term.value);
      return JSON.stringify(ignoresCase ? text.toLowerCase() : text);
    }
    case 'call':
      return `${term.identity}(${term.parts.map((part) => identityOf(part, false)).join()})`;
    case 'text':
      return `[${term.parts.map((part) => identityOf(part, ignoresCase)).join()}]`;
    default:
      return hole;
  }
}

/** What tells unknown terms apart: equal only for what is written alike in one function. */
export function writtenIdentityOf(term: Term): string {
  switch (term.is) {
    case 'parameter':
      return `${term.function} ${term.text}`;
    case 'unknown':
      return `${term.within} ${term.text}`;
    case 'call':
      return `${term.identity}(${term.parts.map(writtenIdentityOf).join()})`;
    case 'text':
      return term.parts.map(writtenIdentityOf).join();
    default:
      return identityOf(term, false);
  }
}

/** As a person reads it. */
export function wordsOf(term: Term): string {
  switch (term.is) {
    case 'constant':
      return typeof term.value === 'string' && !isWhole(term.value) ? `'${term.value}'` : constantText(term.value);
    case 'call':
      return `${term.name}(${term.parts.map(wordsOf).join(', ')})`;
    case 'text':
      return `'${term.parts.map((part) => (part.is === 'constant' ? String(part.value) : `\${${wordsOf(part)}}`)).join('')}'`;
    case 'parameter':
    case 'unknown':
      return term.text;
    case 'record':
      return '{…}';
    default:
      return term satisfies never;
  }
}

/** The same, with a hole for everything that is not known. */
export function patternOf(term: Term): string {
  switch (term.is) {
    case 'constant':
      return wordsOf(term);
    case 'call':
      return `${term.name}(${term.parts.map(patternOf).join(', ')})`;
    case 'text':
      return `'${term.parts.map((part) => (part.is === 'constant' ? String(part.value) : hole)).join('')}'`;
    default:
      return hole;
  }
}

/** Where the constants in it are written. */
export function originsIn(term: Term): readonly Origin[] {
  switch (term.is) {
    case 'constant':
      return [term.origin];
    case 'call':
    case 'text':
      return term.parts.flatMap(originsIn);
    default:
      return [];
  }
}

/** Can two terms have one value? Hash functions and texts that begin or end differently are taken to differ. */
export function mayBeEqual(one: Term, other: Term): boolean {
  if (one.is === 'constant' && other.is === 'constant') return identityOf(one, false) === identityOf(other, false);
  if (isOpen(one) || isOpen(other)) return true;
  if (one.is === 'call' && other.is === 'call') {
    return one.identity === other.identity && one.parts.length === other.parts.length && one.parts.every((part, index) => mayBeEqual(part, other.parts[index] ?? part));
  }
  if (one.is === 'call' || other.is === 'call') return false;
  return startsAlike(textStart(one), textStart(other));
}

const isOpen = (term: Term): boolean => term.is === 'parameter' || term.is === 'unknown' || term.is === 'record';

const startsAlike = (one: string, other: string): boolean => one.startsWith(other) || other.startsWith(one);

function textStart(term: Term): string {
  if (term.is === 'constant') return constantText(term.value);
  const [first] = term.is === 'text' ? term.parts : [];
  return first?.is === 'constant' ? String(first.value) : '';
}

const isWhole = (value: string): boolean => /^\s*[-+]?\d+\s*$/.test(value);

/** PostgreSQL reads `'42'`, 42 and 42n as one key. */
function constantText(value: string | number | bigint | boolean | null): string {
  const text = String(value);
  return isWhole(text) ? String(BigInt(text.trim().replace(/^\+/, ''))) : text;
}
