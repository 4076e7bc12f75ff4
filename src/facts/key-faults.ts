import type { Binding } from '../drivers/driver.js';
import { builtInCatalogue } from '../sql/lock-functions.js';
import type { SqlExpression } from '../sql/model.js';
import { constantText, isConstant, longest, shortest, type BigintValue, type KeyValue, type NumberValue, type StringValue } from './key-domain.js';
import type { QueryLock } from './query.js';
import { foreignTypes, integerTypes } from './sql-types.js';
import type { SqlKey } from './sql-keys.js';

/** Why a key cannot do what it is there for. Every kind is certain for ordinary inputs. */
export type KeyFault =
  /** No function takes so many arguments. */
  | { readonly kind: 'arity'; readonly count: number }
  /** No function takes an argument of this type. */
  | { readonly kind: 'type'; readonly type: string }
  /** The driver declares the value as bigint, and the functions with two keys take none. */
  | { readonly kind: 'declared-bigint' }
  | { readonly kind: 'cast'; readonly expression: SqlExpression }
  | { readonly kind: 'null' }
  | { readonly kind: 'undefined'; readonly outcome: 'null' | 'throws' | 'dropped' | 'pasted' | 'unknown' }
  /** A fraction, NaN, a text that writes no integer, a promise. */
  | { readonly kind: 'no-integer' }
  /** A number beyond 2^53, where JavaScript has no digits left to tell integers apart. */
  | { readonly kind: 'rounded' }
  /** Outside the type: `always`, or for the part of its values that lies beyond. */
  | { readonly kind: 'range'; readonly always: boolean; readonly bits: 32 | 64; readonly unsigned: boolean }
  | { readonly kind: 'long-name'; readonly length: number }
  | { readonly kind: 'null-name' }
  | { readonly kind: 'negative-timeout' }
  | { readonly kind: 'null-timeout' };

/** A fault and the argument it is in, 0-based; null for a wrong number of arguments. */
export interface FaultyKey {
  readonly fault: KeyFault;
  readonly index: number | null;
}

/** Names are at most so long in MySQL, in characters: https://dev.mysql.com/doc/refman/8.4/en/locking-functions.html */
const mysqlNameLimit = 64;

/** The first thing that is wrong with an acquire's arguments; null when nothing certainly is. */
export function faultOf(lock: QueryLock, keys: readonly SqlKey[]): FaultyKey | null {
  const { operation, query } = lock;
  if (operation.action !== 'acquire' && operation.action !== 'try') return null;
  const count = operation.arguments.length;
  // What a user's function takes is not known.
  if (builtInCatalogue.find([operation.name]) === undefined) return null;
  if (operation.dialect === 'mysql') {
    if (count !== 2) return isWholeCall(lock) ? { fault: { kind: 'arity', count }, index: null } : null;
    return mysqlFault(keys, query.driver.binding);
  }
  if (count === 0 || count > 2) return isWholeCall(lock) ? { fault: { kind: 'arity', count }, index: null } : null;
  for (const [index, key] of keys.entries()) {
    const fault = postgresFault(key, count === 2, query.driver.binding, query.sends.functionName === undefined);
    if (fault) return { fault, index };
  }
  return null;
}

/** The arguments are all there is: no hole among them that may stand for several or for none. */
function isWholeCall({ operation, query, text }: QueryLock): boolean {
  if (query.analysis?.status !== 'parsed' || query.sends.functionName !== undefined || query.sends.runs !== undefined) return false;
  const isBoundOnly = text.holes.every((hole) => hole.kind === 'value' || hole.at < operation.range.start || hole.at >= operation.range.end);
  return isBoundOnly && operation.arguments.every((argument) => argument.kind !== 'unknown' && argument.kind !== 'placeholder');
}

function postgresFault(key: SqlKey, isPair: boolean, binding: Binding | undefined, isSql: boolean): KeyFault | null {
  const { type, value } = key;
  if (key.failure) return { kind: 'cast', expression: key.failure };
  if (key.from !== 'quoted') {
    if (value.type === 'null') return binding?.null === 'throws' && key.from === 'bound' ? null : { kind: 'null' };
    if (value.type === 'undefined') return { kind: 'undefined', outcome: key.from === 'pasted' ? 'pasted' : (binding?.undefined ?? 'unknown') };
  }
  const isLiteralNumber = key.from === 'pasted' || value.type === 'bigint';
  const isJudgedByValue = integerTypes.has(type) || type === 'parameter' || type === 'literal' || type === 'unknown' || (type === 'numeric' && isLiteralNumber);
  if (!isJudgedByValue) return foreignTypes.has(type) ? { kind: 'type', type } : null;
  const isFixed = (value.type === 'bigint' || value.type === 'number') && isConstant(value);
  if (isPair && type === 'int8' && !(isFixed && key.from !== 'bound')) return { kind: 'type', type };
  const isDeclared = (value.type === 'bigint' && binding?.bigint === 'bigint') || (value.type === 'number' && binding?.number === 'bigint');
  if (isPair && type === 'parameter' && isDeclared) return { kind: 'declared-bigint' };
  return valueFault(value, isPair || type === 'int4' || type === 'int2' ? 32 : 64, key, isSql);
}

function valueFault(value: KeyValue, bits: 32 | 64, key: SqlKey, isSql: boolean): KeyFault | null {
  switch (value.type) {
    case 'number':
      return numberFault(value, bits);
    case 'bigint':
      // What SQL computes is checked as it is computed: only a literal is certain, and what JavaScript made.
      return key.from === 'sql' && !isConstant(value) ? null : bigintFault(value, bits);
    case 'string':
      return textFault(value, bits);
    case 'boolean':
    case 'bytes':
      return key.from === 'bound' ? { kind: 'no-integer' } : null;
    case 'object':
      return key.from === 'bound' && isSql && (value.what === 'a promise' || value.what === 'a Date') ? { kind: 'no-integer' } : null;
    case 'null':
    case 'undefined':
    case 'unknown':
      return null;
  }
}

/** Values that ordinary inputs give with a share below this one are no certain fault. */
const rareShare = 0.01;

function numberFault(value: NumberValue, bits: 32 | 64): KeyFault | null {
  if (value.integrality === 'fraction') return { kind: 'no-integer' };
  const limit = 2 ** (bits - 1);
  if (value.min > limit - 1 || value.max < -limit) return { kind: 'range', always: true, bits, unsigned: false };
  const share = (bound: number): number => (Math.max(0, value.max - bound) + Math.max(0, -bound - value.min)) / (value.max - value.min);
  const safe = Number.MAX_SAFE_INTEGER;
  const isUnsafe = isConstant(value) ? Math.abs(value.min) > safe : value.spread && Number.isFinite(value.max - value.min) && share(safe) > rareShare;
  if (bits === 64) return isUnsafe ? { kind: 'rounded' } : null;
  const isBeyond = value.spread && Number.isFinite(value.max - value.min) && share(limit) > rareShare;
  return isBeyond ? { kind: 'range', always: false, bits, unsigned: value.min >= 0 && value.max < 2 ** 32 } : null;
}

function bigintFault({ min, max, spread, rounded }: BigintValue, bits: 32 | 64): KeyFault | null {
  if (min === null || max === null) return null;
  if (rounded) return { kind: 'rounded' };
  const limit = 1n << BigInt(bits - 1);
  if (min >= limit || max < -limit) return { kind: 'range', always: true, bits, unsigned: false };
  const beyond = (max >= limit ? max - limit + 1n : 0n) + (min < -limit ? -limit - min : 0n);
  const isBeyond = spread && Number(beyond) / Number(max - min + 1n) > rareShare;
  return isBeyond ? { kind: 'range', always: false, bits, unsigned: min >= 0n && max < 2n * limit } : null;
}

function textFault(value: StringValue, bits: 32 | 64): KeyFault | null {
  if (value.numeric) return value.numeric.type === 'number' ? numberFault(value.numeric, bits) : bigintFault(value.numeric, bits);
  const text = constantText(value);
  if (text !== null) {
    if (/^\s*[-+]?\d+\s*$/.test(text)) {
      const written = BigInt(text.trim().replace('+', ''));
      return bigintFault({ type: 'bigint', min: written, max: written, rounded: false, spread: false, hash: null }, bits);
    }
    // Hexadecimal, octal and binary integers and digit separators are input syntax from PostgreSQL 16 on.
    return /^\s*[-+]?(?:0x[\da-f_]+|0o[0-7_]+|0b[01_]+|\d[\d_]*)\s*$/i.test(text) ? null : { kind: 'no-integer' };
  }
  const isDigest = value.spread && shortest(value) >= 8 && shortest(value) === longest(value);
  return isDigest || !/^\s*[-+]?\d*$/.test(value.head) ? { kind: 'no-integer' } : null;
}

function mysqlFault([name, timeout]: readonly SqlKey[], binding: Binding | undefined): FaultyKey | null {
  if (!name || !timeout) return null;
  for (const [index, { value, from }] of [name, timeout].entries()) {
    if (value.type === 'null' && from !== 'quoted') return { fault: { kind: index === 0 ? 'null-name' : 'null-timeout' }, index };
    // Whether the driver refuses it or sends NULL depends on the method.
    if (value.type === 'undefined' && from === 'bound') return { fault: { kind: 'undefined', outcome: binding?.undefined === 'dropped' ? 'dropped' : 'unknown' }, index };
  }
  if (name.value.type === 'string') {
    const length = Array.from(name.value.head).length + name.value.rest.min;
    if (length > mysqlNameLimit) return { fault: { kind: 'long-name', length }, index: 0 };
  }
  const { value } = timeout;
  const isNegative = (value.type === 'number' && value.max < 0) || (value.type === 'bigint' && value.max !== null && value.max < 0n);
  return isNegative ? { fault: { kind: 'negative-timeout' }, index: 1 } : null;
}
