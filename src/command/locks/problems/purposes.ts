import { insertedOrigin, type LockSite, type Origin, type Term } from '../model.js';

/**
 * What a number that stands in a key is for, as far as the code tells. Two purposes are told apart by where the value is
 * written: a constant has one purpose, wherever it is imported or handed on to.
 */
export interface Purpose {
  readonly origin: Origin;
  readonly site: LockSite;
}

/** The number's origin; null for texts, which say themselves what they are for, and for what is not written anywhere. */
export const originOf = (term: Term | undefined): Origin | null =>
  term?.is === 'constant' && term.origin.id !== insertedOrigin && (typeof term.value === 'number' || typeof term.value === 'bigint' || (typeof term.value === 'string' && /^\s*[-+]?\d+\s*$/.test(term.value))) ? term.origin : null;

/**
 * One purpose for each that certainly differs from those before: two constants of one file by different names, or values of
 * two files that do not go by one telling name. A value without a name belongs to whatever else its file says.
 */
export function differentPurposes(candidates: readonly Purpose[]): readonly Purpose[] {
  const found: Purpose[] = [];
  for (const candidate of candidates) if (found.every((other) => areDifferent(other.origin, candidate.origin))) found.push(candidate);
  return found;
}

function areDifferent(one: Origin, other: Origin): boolean {
  if (one.id === other.id) return false;
  const [name, otherName] = [lastPart(one.name), lastPart(other.name)];
  if (one.place.path === other.place.path) return name !== null && otherName !== null && name !== otherName && isTelling(name) && isTelling(otherName);
  return name === null || otherName === null || name !== otherName || !isTelling(name);
}

const lastPart = (name: string | null): string | null => name?.slice(name.lastIndexOf('.') + 1) ?? null;

const plainWords: ReadonlySet<string> = new Set(['lock', 'locks', 'key', 'keys', 'id', 'ids', 'pg', 'db', 'advisory', 'default', 'name', 'value', 'number', 'num', 'const', 'my', 'the', 'ns', 'namespace', 'class', 'k', 'a', 'b', 'n', 'x']);

/** Does the name say what the lock is for? `LOCK_KEY` does not. */
function isTelling(name: string): boolean {
  const words = name.replace(/([a-z\d])([A-Z])/g, '$1 $2').toLowerCase().split(/[^a-z]+/);
  return words.some((word) => word !== '' && !plainWords.has(word));
}
