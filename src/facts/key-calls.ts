import type { TSESTree } from '@typescript-eslint/utils';
import type { CalleeName } from './callee-names.js';
import { earliestTime, hexDigits, int32, toBigint, toNumber } from './key-arithmetic.js';
import {
  anyBigint, anyNumber, anyText, asText, bigintValue, bytesValue, concatenated, isConstant, numberValue, objectValue, scatterOf, shortest, textValue, unknownValue, constantText,
  type KeyValue, type NumberValue, type StringValue,
} from './key-domain.js';
import { digestLength, digestValue, importedHash, readNumber } from './key-hashes.js';

/** Milliseconds since 1970, to the last date there is. */
const clock = numberValue(earliestTime, 8.64e15, 'integer');

/** What a call of a function that is not this file's gives; null where nothing is known of it. */
export function resultOf(callee: CalleeName, values: readonly KeyValue[], call: TSESTree.CallExpression): KeyValue | null {
  switch (callee.kind) {
    case 'global':
      return globalResult(callee.name, values, call) ?? importedHash(null, callee.name, call);
    case 'import':
      return callee.module === 'crypto' || callee.module === 'uuid' ? randomResult(callee.name, values) : importedHash(callee.module, callee.name, call);
    case 'method':
    case 'other':
      return null;
  }
}

function globalResult(name: string, values: readonly KeyValue[], call: TSESTree.CallExpression): KeyValue | null {
  const [first = unknownValue, second = unknownValue] = values;
  switch (name) {
    case 'Number':
      return values.length === 0 ? numberValue(0, 0, 'integer') : toNumber(first);
    case 'BigInt':
      return toBigint(first);
    case 'BigInt.asIntN':
    case 'BigInt.asUintN':
      return truncated(name === 'BigInt.asIntN', first, second);
    case 'String':
      return asText(first);
    case 'Boolean':
      return { type: 'boolean' };
    case 'parseInt':
    case 'Number.parseInt':
      return parsed(first, second, call);
    case 'parseFloat':
    case 'Number.parseFloat':
      return first.type === 'number' ? first : anyNumber;
    case 'Date.now':
      return clock;
    case 'performance.now':
      return numberValue(0, Infinity, 'fraction', { spread: true, hash: null });
    case 'process.hrtime.bigint':
      return anyBigint;
    case 'JSON.stringify':
      return first.type === 'number' || first.type === 'bigint' ? asText(first) : anyText;
    default:
      if (name.startsWith('crypto.')) return randomResult(name.slice('crypto.'.length), values);
      return name.startsWith('Math.') ? mathResult(name.slice('Math.'.length), values) : null;
  }
}

function truncated(isSigned: boolean, bits: KeyValue, value: KeyValue): KeyValue {
  const width = bits.type === 'number' && isConstant(bits) && bits.min >= 1 && bits.min <= 256 ? BigInt(bits.min) : null;
  if (width === null) return anyBigint;
  const [min, max] = isSigned ? [-(1n << (width - 1n)), (1n << (width - 1n)) - 1n] : [0n, (1n << width) - 1n];
  const inner = value.type === 'bigint' ? value : anyBigint;
  if (inner.min !== null && inner.max !== null && inner.min >= min && inner.max <= max) return inner;
  return bigintValue(min, max, { spread: true, hash: scatterOf(value).hash }, inner.rounded);
}

/** `parseInt(text, radix)`: hexadecimal digits cut out of a text are a digest's, whatever its name. */
function parsed(text: KeyValue, radix: KeyValue, call: TSESTree.CallExpression): KeyValue {
  if (text.type === 'number' || text.type === 'bigint') return { ...anyNumber, integrality: 'integer', ...scatterOf(text) };
  if (text.type !== 'string') return { ...anyNumber, integrality: 'integer' };
  if (text.numeric) return toNumber(text.numeric);
  const isHexadecimal = (radix.type === 'number' && isConstant(radix) && radix.min === 16) || /^0x/i.test(text.head);
  const digits = isHexadecimal ? hexDigits(text, false) : null;
  if (digits === null) return numberValue(-Infinity, Infinity, 'integer', scatterOf(text));
  const how = text.hash ? `${String(digits)} hexadecimal digits of ${text.hash.how}` : `${String(digits)} hexadecimal digits`;
  return numberValue(0, 16 ** digits - 1, 'integer', { spread: true, hash: { how, node: call } });
}

function mathResult(name: string, values: readonly KeyValue[]): KeyValue {
  const numbers = values.map((value): NumberValue => (value.type === 'number' ? value : { ...anyNumber, ...scatterOf(value) }));
  const [first = anyNumber, second = anyNumber] = numbers;
  switch (name) {
    case 'floor':
    case 'trunc':
      return { ...first, min: Math.floor(first.min), max: Math.floor(first.max), integrality: 'integer' };
    case 'ceil':
    case 'round':
      return { ...first, min: Math.floor(first.min), max: Math.ceil(first.max), integrality: 'integer' };
    case 'abs': {
      const bound = Math.max(Math.abs(first.min), Math.abs(first.max));
      const hash = first.hash && { how: `Math.abs of ${first.hash.how}`, node: first.hash.node };
      return { ...first, min: first.min > 0 ? first.min : 0, max: bound, hash };
    }
    case 'max':
      return numberValue(Math.max(...numbers.map(({ min }) => min)), Math.max(...numbers.map(({ max }) => max)), integralityOf(numbers), mixedScatter(numbers));
    case 'min':
      return numberValue(Math.min(...numbers.map(({ min }) => min)), Math.min(...numbers.map(({ max }) => max)), integralityOf(numbers), mixedScatter(numbers));
    case 'random':
      return numberValue(0, 1, 'fraction', { spread: true, hash: null });
    case 'imul':
      return numberValue(int32.min, int32.max, 'integer', { spread: true, hash: first.hash ?? second.hash });
    case 'clz32':
      return numberValue(0, 32, 'integer');
    case 'sign':
      return numberValue(-1, 1, 'unknown');
    default:
      return anyNumber;
  }
}

const integralityOf = (numbers: readonly NumberValue[]): NumberValue['integrality'] => (numbers.every(({ integrality }) => integrality === 'integer') ? 'integer' : 'unknown');

/** The least or the greatest of a hash and constants is that hash, cut off. */
const mixedScatter = (numbers: readonly NumberValue[]) => ({
  spread: numbers.some(({ spread }) => spread),
  hash: numbers.every((number) => number.hash !== null || isConstant(number)) ? (numbers.find(({ hash }) => hash !== null)?.hash ?? null) : null,
});

function randomResult(name: string, values: readonly KeyValue[]): KeyValue | null {
  const [first, second] = values;
  switch (name) {
    case 'randomUUID':
    case 'v1':
    case 'v3':
    case 'v4':
    case 'v5':
    case 'v6':
    case 'v7':
      return textValue(36, 36, 'any', { spread: true, hash: null });
    case 'randomBytes':
      return bytesValue(first?.type === 'number' && isConstant(first) ? first.min : null, { spread: true, hash: null });
    case 'randomInt': {
      const [low, high] = second?.type === 'number' ? [first, second] : [numberValue(0, 0, 'integer'), first];
      const isKnown = low?.type === 'number' && high?.type === 'number';
      return isKnown ? numberValue(low.min, high.max - 1, 'integer', { spread: true, hash: null }) : anyNumber;
    }
    default:
      return null;
  }
}

/** A digest: of `createHash(algorithm)…digest(encoding)` and of `crypto.hash(algorithm, text, encoding)`. */
export function digestResult(algorithm: unknown, encoding: unknown, node: TSESTree.Node): KeyValue {
  return digestValue(digestLength(algorithm), encoding, { how: typeof algorithm === 'string' ? `a ${algorithm} digest` : 'a digest', node });
}

/** What a method of a value gives. `receiver` may be unknown: some names say enough. */
export function methodResult(name: string, receiver: KeyValue, values: readonly KeyValue[]): KeyValue {
  const [first, second] = values;
  const numberAt = (index: number): number | null => {
    const value = values[index];
    return value?.type === 'number' && isConstant(value) ? value.min : null;
  };
  const read = readNumber(name, numberAt(1), scatterOf(receiver));
  if (read) return read;
  switch (name) {
    case 'toString':
      return stringOf(receiver, first);
    case 'valueOf':
      return receiver;
    case 'charCodeAt':
    case 'codePointAt':
      return numberValue(0, name === 'charCodeAt' ? 0xffff : 0x10ffff, 'integer');
    case 'slice':
    case 'substring':
    case 'substr':
    case 'subarray':
      return part(name, receiver, numberAt(0), second === undefined ? undefined : numberAt(1));
    case 'replace':
    case 'replaceAll':
    case 'trim':
    case 'normalize': {
      if (receiver.type !== 'string') return anyText;
      return textValue(0, shortest(receiver) === receiver.head.length + receiver.rest.max ? shortest(receiver) : Infinity, receiver.rest.alphabet, receiver);
    }
    case 'toUpperCase':
    case 'toLowerCase': {
      if (receiver.type !== 'string') return anyText;
      return { ...receiver, head: name === 'toUpperCase' ? receiver.head.toUpperCase() : receiver.head.toLowerCase() };
    }
    case 'padStart':
    case 'padEnd':
    case 'repeat':
    case 'join':
      return { ...anyText, ...scatterOf(receiver) };
    case 'concat':
      return receiver.type === 'string' ? values.map((value) => asText(value)).reduce(concatenated, receiver) : unknownValue;
    case 'toFixed':
      return anyText;
    case 'toISOString':
      return textValue(24, 27);
    case 'getTime':
      return receiver.type === 'object' && receiver.what === 'a Date' ? clock : anyNumber;
    case 'includes':
    case 'startsWith':
    case 'endsWith':
      return { type: 'boolean' };
    default:
      return unknownValue;
  }
}

function stringOf(receiver: KeyValue, radix: KeyValue | undefined): KeyValue {
  if (receiver.type === 'bytes') {
    const encoding = radix?.type === 'string' ? constantText(radix) : 'utf8';
    return receiver.hash ? digestValue(receiver.length, encoding ?? 'utf8', receiver.hash) : anyText;
  }
  if (receiver.type === 'number' || receiver.type === 'bigint') {
    const isDecimal = radix === undefined || (radix.type === 'number' && isConstant(radix) && radix.min === 10);
    return isDecimal ? asText(receiver) : { ...anyText, ...scatterOf(receiver) };
  }
  if (receiver.type === 'string') return receiver;
  return { ...anyText, ...scatterOf(receiver) };
}

/** A part of a text or of bytes; `end` undefined for one that was left out, null for an unknown one. */
function part(method: string, receiver: KeyValue, start: number | null, end: number | null | undefined): KeyValue {
  if (receiver.type === 'bytes' || method === 'subarray') return bytesValue(null, scatterOf(receiver));
  const text: StringValue = receiver.type === 'string' ? receiver : { ...anyText, ...scatterOf(receiver) };
  const whole = { min: shortest(text), max: text.head.length + text.rest.max };
  const alphabet = /^[\da-f]*$/i.test(text.head) ? text.rest.alphabet : 'any';
  if (start === null || end === null) return textValue(0, whole.max, alphabet, text);
  const from = start < 0 && method !== 'substring' ? Math.max(0, whole.max + start) : Math.max(0, start);
  const size = lengthOf(method, start, end, from);
  const max = size === null ? whole.max : Math.min(size, Math.max(0, whole.max - (Number.isFinite(from) ? from : 0)));
  const min = Math.min(max, Math.max(0, whole.min - (Number.isFinite(from) ? from : 0)));
  return textValue(min, max, alphabet, text);
}

function lengthOf(method: string, start: number, end: number | undefined, from: number): number | null {
  if (end === undefined) return start < 0 ? -start : null;
  if (method === 'substr') return Math.max(0, end);
  if (start < 0 || end < 0) return null;
  return Number.isFinite(from) ? Math.abs(end - from) : null;
}

/** What `new X(…)` makes, as far as it matters for a key. */
export function constructed(name: CalleeName, values: readonly KeyValue[]): KeyValue {
  if (name.kind !== 'global') return unknownValue;
  switch (name.name) {
    case 'Date':
      return objectValue('a Date');
    case 'Array':
      return objectValue('an array');
    case 'Map':
    case 'Set':
    case 'WeakMap':
    case 'Promise':
    case 'Error':
    case 'URL':
      return objectValue(`a ${name.name}`);
    // Views on the bytes they are given.
    case 'Uint8Array':
    case 'DataView':
      return values[0]?.type === 'bytes' ? values[0] : bytesValue(null, values[0] ? scatterOf(values[0]) : undefined);
    default:
      return unknownValue;
  }
}
