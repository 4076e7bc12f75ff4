/** A small language to say what a JSON-like value must look like, and to say what is wrong with one that does not. */
import { didYouMean } from './did-you-mean.js';

/** Nothing when the value fits; otherwise the first mistake. `path` leads to the value, as an expression. */
export type Shape = (value: unknown, path: string) => Mistake | null;

export interface Mistake {
  /** The place and what is wrong there: `handles[0].role is "pools"`. */
  readonly problem: string;
  readonly allowed: string;
  readonly guess: string | null;
  /** How far from the root the mistake stands; of several alternatives the one that fits furthest is explained. */
  readonly depth: number;
}

/** A whole sentence or two: the place, the value found, what is allowed. */
export const explain = ({ problem, allowed, guess }: Mistake): string =>
  `${problem}; ${allowed}.${guess === null ? '' : ` Did you mean ${show(guess)}?`}`;

export const string: Shape = (value, path) =>
  typeof value === 'string' && value !== '' ? null : expected(path, value, 'a string that is not empty');

export const boolean: Shape = (value, path) => (typeof value === 'boolean' ? null : expected(path, value, 'true or false'));

export const number: Shape = (value, path) => (typeof value === 'number' ? null : expected(path, value, 'a number'));

/** The 0-based position of an argument or parameter. */
export const index: Shape = (value, path) =>
  Number.isInteger(value) && Number(value) >= 0 ? null : expected(path, value, 'a position, counted from 0');

/** Exactly one of these values. */
export const oneOf =
  (...allowed: readonly (string | number | boolean | null)[]): Shape =>
  (value, path) => {
    if (allowed.some((each) => each === value)) return null;
    const guess = typeof value === 'string' ? didYouMean(value, allowed.filter((each) => typeof each === 'string')) : null;
    return expected(path, value, allowed.map((each) => show(each)).join(', '), guess);
  };

export const list =
  (element: Shape, atLeast = 0): Shape =>
  (value, path) => {
    if (!Array.isArray(value)) return expected(path, value, 'an array');
    if (value.length < atLeast) return expected(path, value, `an array with at least ${atLeast} entry`);
    for (const [position, each] of value.entries()) {
      const mistake = element(each, `${path}[${position}]`);
      if (mistake) return mistake;
    }
    return null;
  };

/** An object whose keys are the user's own. */
export const record =
  (element: Shape): Shape =>
  (value, path) => {
    if (!isRecord(value)) return expected(path, value, 'an object');
    for (const [key, each] of Object.entries(value)) {
      const mistake = element(each, member(path, key));
      if (mistake) return mistake;
    }
    return null;
  };

type KeysOf<T> = T extends unknown ? keyof T : never;

/**
 * An object with these keys and no others. The type parameter is the interface it describes, so that a key added there
 * and forgotten here does not compile.
 */
export const object =
  <T extends object>(required: readonly KeysOf<T>[], properties: Readonly<Record<KeysOf<T>, Shape>>): Shape =>
  (value, path) => {
    if (!isRecord(value)) return expected(path, value, 'an object');
    const shapes = new Map(Object.entries<Shape>(properties));
    for (const [key, each] of Object.entries(value)) {
      const shape = shapes.get(key);
      if (!shape) return unknownKey(path, key, [...shapes.keys()]);
      if (each === undefined) continue;
      const mistake = shape(each, member(path, key));
      if (mistake) return mistake;
    }
    const missing = required.map(String).find((key) => value[key] === undefined);
    if (missing === undefined) return null;
    return {
      problem: `${path} lacks ${show(missing)}`,
      allowed: `it needs ${required.map(String).join(', ')}`,
      guess: null,
      depth: depthOf(path) + 1,
    };
  };

/** Any of these; when none fits, the mistake is explained by the one that fits furthest. */
export const either =
  (...alternatives: readonly [Shape, ...Shape[]]): Shape =>
  (value, path) => {
    let nearest: Mistake | null = null;
    for (const alternative of alternatives) {
      const mistake = alternative(value, path);
      if (!mistake) return null;
      nearest = nearest ? nearerOf(nearest, mistake) : mistake;
    }
    return nearest;
  };

function nearerOf(one: Mistake, other: Mistake): Mistake {
  if (other.problem !== one.problem) return other.depth > one.depth ? other : one;
  return {
    ...one,
    allowed: `${one.allowed}, or ${other.allowed.replace('allowed: ', '')}`,
    guess: one.guess ?? other.guess,
  };
}

/** Objects told apart by the value of one key. */
export const tagged =
  (key: string, alternatives: Readonly<Record<string, Shape>>): Shape =>
  (value, path) => {
    if (!isRecord(value)) return expected(path, value, 'an object');
    const tags = Object.keys(alternatives);
    const tag = value[key];
    const shape = typeof tag === 'string' && tags.includes(tag) ? alternatives[tag] : undefined;
    return shape ? shape(value, path) : oneOf(...tags)(tag, member(path, key));
  };

/** For shapes that contain themselves. */
export const lazy =
  (shape: () => Shape): Shape =>
  (value, path) =>
    shape()(value, path);

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const expected = (path: string, value: unknown, allowed: string, guess: string | null = null): Mistake => ({
  problem: `${path} is ${show(value)}`,
  allowed: `allowed: ${allowed}`,
  guess,
  depth: depthOf(path),
});

// The object is of the right kind already, so this fits further than a value that is no object.
const unknownKey = (path: string, key: string, known: readonly string[]): Mistake => ({
  problem: `${member(path, key)} is not known`,
  allowed: `allowed in ${path}: ${known.join(', ')}`,
  guess: didYouMean(key, known),
  depth: depthOf(path) + 1,
});

const member = (path: string, key: string): string =>
  /^[A-Za-z_$][\w$]*$/.test(key) ? `${path}.${key}` : `${path}[${show(key)}]`;

const depthOf = (path: string): number => path.split(/[.[]/).length;

/** A value as it may stand in a message: short, on one line, whatever it is. */
function show(value: unknown): string {
  if (value === undefined) return 'missing';
  if (typeof value === 'function' || typeof value === 'symbol' || typeof value === 'bigint') return `a ${typeof value}`;
  try {
    const text = JSON.stringify(value);
    return text.length > 80 ? `${text.slice(0, 77)}…` : text;
  } catch {
    return 'an object with cycles';
  }
}
