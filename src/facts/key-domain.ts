import type { TSESTree } from '@typescript-eslint/utils';
import type { Constant } from '../source/evaluate.js';

/**
 * What is known of a JavaScript value that a key is made of: its type and the range it lies in. Everything here is about
 * all values the expression can have, so a range that is too wide claims less, never something wrong.
 */
export type KeyValue = NumberValue | BigintValue | StringValue | BytesValue | Simple;

export type Simple =
  | { readonly type: 'boolean' | 'null' | 'undefined' | 'unknown' }
  /** No primitive: `what` names it in words, `a promise`, `an array`. */
  | { readonly type: 'object'; readonly what: string };

interface Scattered {
  /** Ordinary inputs give values all over the range: a hash, a random number, `x >>> 0`. */
  readonly spread: boolean;
  /** The hash or reduction that the value comes from, as long as nothing else has been mixed into it. */
  readonly hash: Hash | null;
}

export interface NumberValue extends Scattered {
  readonly type: 'number';
  /** Both included; the same number, which may be NaN, for a constant. */
  readonly min: number;
  readonly max: number;
  /** `fraction`: hardly ever a whole number, `Math.random()`. */
  readonly integrality: 'integer' | 'fraction' | 'unknown';
}

export interface BigintValue extends Scattered {
  readonly type: 'bigint';
  /** Both included; null for no bound. */
  readonly min: bigint | null;
  readonly max: bigint | null;
  /** Made from a number that had already lost digits. */
  readonly rounded: boolean;
}

export interface StringValue extends Scattered {
  readonly type: 'string';
  /** The text it surely begins with; all of it when `rest` is empty. */
  readonly head: string;
  /** What follows: lengths in UTF-16 units, `max` may be Infinity. */
  readonly rest: { readonly min: number; readonly max: number; readonly alphabet: Alphabet };
  /** The number that the text writes in decimal, when it is nothing else. */
  readonly numeric: NumberValue | BigintValue | null;
}

export type Alphabet = 'hex' | 'any';

export interface BytesValue extends Scattered {
  readonly type: 'bytes';
  readonly length: number | null;
}

export interface Hash {
  /** As a message says it: `crc32`, `% 1000`, `8 hexadecimal digits`. */
  readonly how: string;
  readonly node: TSESTree.Node;
}

export const unknownValue: Simple = { type: 'unknown' };
export const objectValue = (what: string): Simple => ({ type: 'object', what });

const plain: Scattered = { spread: false, hash: null };

/** The scatter of a value made of one other. */
export const scatterOf = (value: KeyValue): Scattered => ('spread' in value ? { spread: value.spread, hash: value.hash } : plain);

export const hashOf = (value: KeyValue): Hash | null => scatterOf(value).hash;

export const numberValue = (min: number, max: number, integrality: NumberValue['integrality'], scattered: Scattered = plain): NumberValue => ({
  type: 'number',
  min,
  max,
  integrality,
  spread: scattered.spread,
  hash: scattered.hash,
});

export const bigintValue = (min: bigint | null, max: bigint | null, scattered: Scattered = plain, rounded = false): BigintValue => ({
  type: 'bigint',
  min,
  max,
  rounded,
  spread: scattered.spread,
  hash: scattered.hash,
});

/** Text of which only the lengths are known. */
export const textValue = (min: number, max: number, alphabet: Alphabet = 'any', scattered: Scattered = plain): StringValue => ({
  type: 'string',
  head: '',
  rest: { min, max, alphabet },
  numeric: null,
  spread: scattered.spread,
  hash: scattered.hash,
});

export const bytesValue = (length: number | null, scattered: Scattered = plain): BytesValue => ({
  type: 'bytes',
  length,
  spread: scattered.spread,
  hash: scattered.hash,
});

export const anyNumber = numberValue(-Infinity, Infinity, 'unknown');
export const anyBigint = bigintValue(null, null);
export const anyText = textValue(0, Infinity);

export function valueOfConstant(value: Constant): KeyValue {
  switch (typeof value) {
    case 'number':
      return numberValue(value, value, Number.isInteger(value) ? 'integer' : 'fraction');
    case 'bigint':
      return bigintValue(value, value);
    case 'string':
      return { type: 'string', head: value, rest: { min: 0, max: 0, alphabet: 'any' }, numeric: null, spread: false, hash: null };
    case 'boolean':
      return { type: 'boolean' };
    case 'undefined':
      return { type: 'undefined' };
    default:
      return value === null ? { type: 'null' } : objectValue('a regular expression');
  }
}

/** The one text it is; null when it may be several. */
export const constantText = ({ head, rest }: StringValue): string | null => (rest.max === 0 ? head : null);

export const shortest = ({ head, rest }: StringValue): number => head.length + rest.min;
export const longest = ({ head, rest }: StringValue): number => head.length + rest.max;

export const isConstant = (value: NumberValue | BigintValue): boolean => value.min !== null && Object.is(value.min, value.max);

/** How many values a number can have; Infinity for unbounded ones and fractions. */
export function countOf(value: NumberValue | BigintValue): number {
  if (value.type === 'bigint') return value.min === null || value.max === null ? Infinity : Number(value.max - value.min) + 1;
  return value.integrality === 'integer' ? value.max - value.min + 1 : Infinity;
}

/** A value that is one of several; unknown where their types differ. */
export function either(values: readonly KeyValue[]): KeyValue {
  const [first, ...others] = values;
  if (!first) return unknownValue;
  return others.reduce<KeyValue>(join, first);
}

function join(one: KeyValue, other: KeyValue): KeyValue {
  // The constant that a hash starts from, or stands for when there is nothing to hash, takes nothing away from it.
  const scattered: Scattered = {
    spread: (scatterOf(one).spread && (scatterOf(other).spread || isFixed(other))) || (scatterOf(other).spread && isFixed(one)),
    hash: scatterOf(one).hash ?? scatterOf(other).hash,
  };
  if (one.type === 'number' && other.type === 'number') {
    return numberValue(Math.min(one.min, other.min), Math.max(one.max, other.max), one.integrality === other.integrality ? one.integrality : 'unknown', scattered);
  }
  if (one.type === 'bigint' && other.type === 'bigint') {
    return bigintValue(lowest([one.min, other.min]), highest([one.max, other.max]), scattered, one.rounded && other.rounded);
  }
  if (one.type === 'string' && other.type === 'string') {
    if (one.head === other.head && one.rest.max === 0 && other.rest.max === 0) return one;
    return textValue(Math.min(shortest(one), shortest(other)), Math.max(longest(one), longest(other)), 'any', scattered);
  }
  if (one.type === 'object' && other.type === 'object') return one;
  return one.type === other.type ? one : unknownValue;
}

const isFixed = (value: KeyValue): boolean => (value.type === 'number' || value.type === 'bigint') && isConstant(value);

/** The least of several bounds, null if one is missing. */
export function lowest(bounds: readonly (bigint | null)[]): bigint | null {
  return bounds.reduce((least, bound) => (least === null || bound === null ? null : bound < least ? bound : least));
}

export function highest(bounds: readonly (bigint | null)[]): bigint | null {
  return bounds.reduce((most, bound) => (most === null || bound === null ? null : bound > most ? bound : most));
}

/** Two texts in a row. */
export function concatenated(left: StringValue, right: StringValue): StringValue {
  const spread = left.spread || right.spread;
  const hash = left.hash ?? right.hash;
  const leftText = constantText(left);
  if (leftText === '') return right;
  if (constantText(right) === '') return left;
  if (leftText !== null) return { type: 'string', head: leftText + right.head, rest: right.rest, numeric: null, spread, hash };
  const rightText = constantText(right);
  const alphabet: Alphabet = left.rest.alphabet === 'hex' && right.rest.alphabet === 'hex' && /^[\da-f]*$/i.test(rightText ?? right.head) ? 'hex' : 'any';
  const rest = { min: left.rest.min + shortest(right), max: left.rest.max + longest(right), alphabet };
  return { type: 'string', head: left.head, rest, numeric: null, spread, hash };
}

/** What `String(value)` and a template make of a value. */
export function asText(value: KeyValue): StringValue {
  switch (value.type) {
    case 'string':
      return value;
    case 'number':
    case 'bigint': {
      const numeric = { ...textValue(1, Infinity, 'any', scatterOf(value)), numeric: value };
      if (!isConstant(value)) return numeric;
      return { ...numeric, head: String(value.min), rest: { min: 0, max: 0, alphabet: 'any' } };
    }
    case 'null':
    case 'undefined':
      return { ...anyText, head: value.type, rest: { min: 0, max: 0, alphabet: 'any' } };
    case 'bytes':
    case 'boolean':
    case 'object':
    case 'unknown':
      return { ...anyText, ...scatterOf(value) };
  }
}
