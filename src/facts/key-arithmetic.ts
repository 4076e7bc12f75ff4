import type { TSESTree } from '@typescript-eslint/utils';
import {
  anyBigint, anyNumber, asText, bigintValue, concatenated, countOf, isConstant, numberValue, scatterOf, unknownValue,
  type BigintValue, type Hash, type KeyValue, type NumberValue,
} from './key-domain.js';

export const int32 = { min: -(2 ** 31), max: 2 ** 31 - 1 } as const;
const uint32Max = 2 ** 32 - 1;
/** No clock shows an earlier time, in milliseconds since 1970, and nothing else is known to be so great at the least. */
export const earliestTime = 1.5e12;
/** Reductions to at most this many values make unrelated keys collide. */
export const weakCount = 2 ** 32;

/** What an operator makes of two values; `node` is the operation. */
export function combine(operator: string, left: KeyValue, right: KeyValue, node: TSESTree.Node): KeyValue {
  switch (operator) {
    case '===':
    case '!==':
    case '==':
    case '!=':
    case '<':
    case '>':
    case '<=':
    case '>=':
    case 'in':
    case 'instanceof':
      return { type: 'boolean' };
    case '+':
      if (left.type === 'string' || right.type === 'string') return concatenated(asText(left), asText(right));
  }
  if (left.type === 'bigint' || right.type === 'bigint') return combineBigints(operator, asBigint(left), asBigint(right), node);
  // A number on one side says that the other one is a number, too: JavaScript throws on a bigint beside it.
  const isNumeric = left.type === 'number' || right.type === 'number' || operator === '>>>';
  const isSum = operator === '+' && !(left.type === 'number' && right.type === 'number');
  if (!isNumeric || isSum) return unknownValue;
  return combineNumbers(operator, asNumber(left), asNumber(right), node);
}

const asNumber = (value: KeyValue): NumberValue => (value.type === 'number' ? value : { ...anyNumber, ...scatterOf(value) });
const asBigint = (value: KeyValue): BigintValue => (value.type === 'bigint' ? value : { ...anyBigint, ...scatterOf(value) });

/** A hash stays one when a constant scales it, and not when something else is added: a class id makes a name space. */
function mixed(left: KeyValue, right: KeyValue): { spread: boolean; hash: Hash | null } {
  const [one, other] = [scatterOf(left), scatterOf(right)];
  return { spread: one.spread || other.spread, hash: one.hash && other.hash ? one.hash : null };
}

function combineNumbers(operator: string, left: NumberValue, right: NumberValue, node: TSESTree.Node): KeyValue {
  const integrality = left.integrality === 'integer' && right.integrality === 'integer' ? 'integer' : hasFraction(left, right) ? 'fraction' : 'unknown';
  const scaled = { spread: left.spread || right.spread, hash: isConstant(right) ? left.hash : isConstant(left) ? right.hash : (left.hash ?? right.hash) };
  switch (operator) {
    case '+':
      return numberValue(left.min + right.min, left.max + right.max, integrality, mixed(left, right));
    case '-':
      return numberValue(left.min - right.max, left.max - right.min, integrality, mixed(left, right));
    case '*': {
      const products = [left.min * right.min, left.min * right.max, left.max * right.min, left.max * right.max].map((product) => (Number.isNaN(product) ? 0 : product));
      return numberValue(Math.min(...products), Math.max(...products), integrality, scaled);
    }
    case '/': {
      if (!isConstant(right) || right.min === 0) return { ...anyNumber, ...scaled };
      const ends = [left.min / right.min, left.max / right.min];
      const isFraction = (left.spread || (!isConstant(left) && left.min >= earliestTime)) && Math.abs(right.min) > 1;
      return numberValue(Math.min(...ends), Math.max(...ends), isFraction || left.integrality === 'fraction' ? 'fraction' : 'unknown', scaled);
    }
    case '%':
      return remainder(left, right, node);
    case '**':
      return anyNumber;
    default:
      return combineBits(operator, left, right);
  }
}

const hasFraction = (left: NumberValue, right: NumberValue): boolean =>
  (left.integrality === 'fraction' && (right.integrality === 'integer' || !left.spread || left.hash === null)) || (right.integrality === 'fraction' && left.integrality === 'integer');

function remainder(left: NumberValue, right: NumberValue, node: TSESTree.Node): NumberValue {
  if (!isConstant(right) || right.integrality !== 'integer' || right.min === 0) return { ...anyNumber, ...scatterOf(left) };
  const modulus = Math.abs(right.min);
  const max = Math.min(Math.max(left.max, 0), modulus - 1);
  const min = left.min >= 0 ? 0 : Math.max(left.min, 1 - modulus);
  const reduces = countOf(left) > modulus && !isConstant(left);
  const hash = reduces && modulus <= weakCount ? (left.hash ?? { how: `% ${String(modulus)}`, node }) : left.hash;
  return numberValue(min, max, left.integrality, { spread: left.spread, hash });
}

function combineBits(operator: string, left: NumberValue, right: NumberValue): KeyValue {
  const amount = isConstant(right) ? right.min & 31 : null;
  const isNarrow = left.integrality === 'integer' && left.min >= int32.min && left.max <= int32.max;
  // `x | 0` and `x >>> 0` only change the type; a constant mask or shift keeps a hash a hash.
  const kept = { spread: left.spread, hash: left.hash };
  switch (operator) {
    case '>>>': {
      if (amount === null) return numberValue(0, uint32Max, 'integer', kept);
      if (amount === 0 && left.integrality === 'integer' && left.min >= 0 && left.max <= uint32Max) return left;
      return numberValue(0, Math.floor(uint32Max / 2 ** amount), 'integer', { spread: true, hash: left.hash });
    }
    case '>>':
      if (amount === null) return numberValue(int32.min, int32.max, 'integer', kept);
      if (amount === 0 && isNarrow) return left;
      return numberValue(Math.floor(int32.min / 2 ** amount), Math.floor(int32.max / 2 ** amount), 'integer', kept);
    case '<<':
      if (amount !== null && isNarrow && left.min * 2 ** amount >= int32.min && left.max * 2 ** amount <= int32.max) {
        return numberValue(left.min * 2 ** amount, left.max * 2 ** amount, 'integer', kept);
      }
      return numberValue(int32.min, int32.max, 'integer', kept);
    case '&': {
      const masks = [left, right].filter((side) => side.integrality === 'integer' && side.min >= 0 && side.max <= int32.max);
      const hash = isConstant(right) ? left.hash : isConstant(left) ? right.hash : (left.hash ?? right.hash);
      if (masks.length > 0) return numberValue(0, Math.min(...masks.map((side) => side.max)), 'integer', { spread: left.spread || right.spread, hash });
      return numberValue(int32.min, int32.max, 'integer', { spread: left.spread || right.spread, hash });
    }
    case '|':
    case '^': {
      if (isConstant(right) && right.min === 0) return isNarrow ? left : numberValue(int32.min, int32.max, 'integer', kept);
      if (isConstant(left) && left.min === 0) return combineBits(operator, right, left);
      const isPositive = [left, right].every((side) => side.integrality === 'integer' && side.min >= 0 && side.max <= int32.max);
      const max = isPositive ? 2 ** Math.ceil(Math.log2(Math.max(left.max, right.max) + 1)) - 1 : int32.max;
      return numberValue(isPositive ? 0 : int32.min, max, 'integer', mixed(left, right));
    }
    default:
      return anyNumber;
  }
}

/** The bits that masks and shifts handle; wider ones are left unbounded. */
const bitLimit = 256n;

function combineBigints(operator: string, left: BigintValue, right: BigintValue, node: TSESTree.Node): KeyValue {
  const both = left.min !== null && left.max !== null && right.min !== null && right.max !== null ? { a: left.min, b: left.max, c: right.min, d: right.max } : null;
  const constant = isConstant(right) ? right.min : null;
  const scaled = { spread: left.spread || right.spread, hash: isConstant(right) ? left.hash : isConstant(left) ? right.hash : (left.hash ?? right.hash) };
  const kept = { spread: left.spread, hash: left.hash };
  switch (operator) {
    case '+':
      return both ? bigintValue(both.a + both.c, both.b + both.d, mixed(left, right)) : bigintValue(null, null, mixed(left, right));
    case '-':
      return both ? bigintValue(both.a - both.d, both.b - both.c, mixed(left, right)) : bigintValue(null, null, mixed(left, right));
    case '*':
      return both ? bigintBetween([both.a * both.c, both.a * both.d, both.b * both.c, both.b * both.d], scaled) : bigintValue(null, null, scaled);
    case '/':
      return both && constant !== null && constant !== 0n ? bigintBetween([both.a / constant, both.b / constant], scaled) : bigintValue(null, null, scaled);
    case '%': {
      if (constant === null || constant === 0n) return bigintValue(null, null, kept);
      const modulus = constant < 0n ? -constant : constant;
      const isPositive = left.min !== null && left.min >= 0n;
      const isSmaller = isPositive && left.max !== null && left.max < modulus;
      if (isSmaller) return left;
      const hash = !isConstant(left) && modulus <= BigInt(weakCount) ? (left.hash ?? { how: `% ${String(modulus)}n`, node }) : left.hash;
      return bigintValue(isPositive ? 0n : 1n - modulus, modulus - 1n, { spread: left.spread || isWide(modulus), hash });
    }
    case '<<':
    case '>>': {
      if (!both || constant === null || constant < 0n || constant > bitLimit) return bigintValue(null, null, kept);
      const shifted = (value: bigint): bigint => (operator === '<<' ? value << constant : value >> constant);
      return bigintValue(shifted(both.a), shifted(both.b), kept);
    }
    case '&': {
      const masks = [left, right].filter((side) => side.min !== null && side.min >= 0n && side.max !== null);
      const max = masks.map((side) => side.max).reduce<bigint | null>((least, bound) => (bound !== null && (least === null || bound < least) ? bound : least), null);
      if (max === null) return bigintValue(null, null, scaled);
      return bigintValue(0n, max, { spread: scaled.spread || isWide(max), hash: scaled.hash });
    }
    case '|':
    case '^': {
      if (constant === 0n) return left;
      if (isConstant(left) && left.min === 0n) return right;
      if (!both || both.a < 0n || both.c < 0n) return bigintValue(null, null, mixed(left, right));
      const bits = (both.b > both.d ? both.b : both.d).toString(2).length;
      return bigintValue(0n, (1n << BigInt(bits)) - 1n, mixed(left, right));
    }
    default:
      return anyBigint;
  }
}

/** A mask or modulus beyond what a number holds is there because the value before it fills 64 bits. */
const isWide = (bound: bigint): boolean => bound > BigInt(Number.MAX_SAFE_INTEGER);

function bigintBetween(ends: readonly bigint[], scattered: { spread: boolean; hash: Hash | null }): BigintValue {
  const sorted = [...ends].sort((one, other) => (one < other ? -1 : one > other ? 1 : 0));
  return bigintValue(sorted[0] ?? null, sorted.at(-1) ?? null, scattered);
}

/** `-x`, `~x`, `+x`, `!x` and the other unary operators. */
export function applyUnary(operator: string, value: KeyValue): KeyValue {
  switch (operator) {
    case '-':
      if (value.type === 'number') return { ...value, min: -value.max, max: -value.min };
      if (value.type === 'bigint') return { ...value, min: value.max === null ? null : -value.max, max: value.min === null ? null : -value.min };
      return unknownValue;
    case '~':
      if (value.type === 'bigint') return { ...value, min: value.max === null ? null : ~value.max, max: value.min === null ? null : ~value.min };
      return value.type === 'number' ? numberValue(int32.min, int32.max, 'integer', scatterOf(value)) : unknownValue;
    case '+':
      return toNumber(value);
    case '!':
    case 'delete':
      return { type: 'boolean' };
    case 'typeof':
      return asText(unknownValue);
    case 'void':
      return { type: 'undefined' };
    default:
      return unknownValue;
  }
}

/** `Number(value)`. */
export function toNumber(value: KeyValue): KeyValue {
  switch (value.type) {
    case 'number':
      return value;
    case 'bigint':
      return numberValue(value.min === null ? -Infinity : Number(value.min), value.max === null ? Infinity : Number(value.max), 'integer', scatterOf(value));
    case 'boolean':
      return numberValue(0, 1, 'integer');
    case 'string': {
      if (value.numeric) return toNumber(value.numeric);
      const digits = hexDigits(value, true);
      return digits === null ? { ...anyNumber, ...scatterOf(value) } : numberValue(0, 16 ** digits - 1, 'integer', scatterOf(value));
    }
    case 'null':
      return numberValue(0, 0, 'integer');
    case 'undefined':
      return numberValue(NaN, NaN, 'fraction');
    case 'bytes':
    case 'object':
    case 'unknown':
      return anyNumber;
  }
}

/** `BigInt(value)`, where it does not throw. */
export function toBigint(value: KeyValue): KeyValue {
  switch (value.type) {
    case 'bigint':
      return value;
    case 'number': {
      const isRounded = value.spread && (value.max > Number.MAX_SAFE_INTEGER || value.min < -Number.MAX_SAFE_INTEGER);
      const bound = (end: number): bigint | null => (Number.isFinite(end) ? BigInt(Math.trunc(end)) : null);
      return bigintValue(bound(value.min), bound(value.max), scatterOf(value), isRounded || (isConstant(value) && Math.abs(value.min) > Number.MAX_SAFE_INTEGER));
    }
    case 'string': {
      if (value.numeric) return toBigint(value.numeric);
      const digits = hexDigits(value, true);
      return digits === null || digits > 256 ? { ...anyBigint, ...scatterOf(value) } : bigintValue(0n, (1n << BigInt(4 * digits)) - 1n, { spread: true, hash: value.hash });
    }
    case 'boolean':
      return bigintValue(0n, 1n);
    case 'bytes':
    case 'null':
    case 'undefined':
    case 'object':
    case 'unknown':
      return anyBigint;
  }
}

/** How many hexadecimal digits a text has at most: after `0x` with `prefixed`; null when it may be any number. */
export function hexDigits(value: { head: string; rest: { max: number } }, prefixed: boolean): number | null {
  const head = /^0x/i.test(value.head) ? value.head.slice(2) : prefixed ? null : value.head;
  if (head === null || !/^[\da-f]*$/i.test(head)) return null;
  const digits = head.length + value.rest.max;
  return Number.isFinite(digits) && digits > 0 ? digits : null;
}
