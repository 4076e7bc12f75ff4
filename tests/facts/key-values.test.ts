import { evaluation } from '../../src/facts/evaluation.js';
import { hashOf, type KeyValue } from '../../src/facts/key-domain.js';
import { keyValues } from '../../src/facts/key-values.js';
import { resultOf } from '../../src/pass.js';
import { nodes } from '../../src/source/walk.js';
import { unitFor } from '../harness.js';

/** What is known of the argument of the first `$(…)`; the code's first line only has to mention a lock. */
function valueIn(code: string, javascript = false): KeyValue {
  const unit = unitFor(`// advisory\n${code}`, javascript ? { javascript, filename: 'test.js' } : {});
  const call = resultOf(nodes, unit).calls.find(({ callee }) => callee.type === 'Identifier' && callee.name === '$');
  const argument = call?.arguments[0];
  if (!argument) throw new Error(`no $(…) in:\n${code}`);
  expect(resultOf(evaluation, unit)).toBeDefined();
  return resultOf(keyValues, unit).valueOf(argument, []);
}

/** One line for a value: `number 0..255 integer`, `bigint 0..∞`, `string "job:" +36..36`; `~` when it is scattered, `#how` for a hash. */
function described(value: KeyValue): string {
  const marks = `${'spread' in value && value.spread ? ' ~' : ''}${hashOf(value) ? ` #${hashOf(value)?.how ?? ''}` : ''}`;
  switch (value.type) {
    case 'number': {
      const range = Object.is(value.min, value.max) ? String(value.min) : `${String(value.min)}..${String(value.max)}`;
      return `number ${range} ${value.integrality}${marks}`;
    }
    case 'bigint': {
      const range = value.min !== null && value.min === value.max ? String(value.min) : `${String(value.min ?? '-∞')}..${String(value.max ?? '∞')}`;
      return `bigint ${range}${value.rounded ? ' rounded' : ''}${marks}`;
    }
    case 'string': {
      const rest = value.rest.max === 0 ? '' : ` +${String(value.rest.min)}..${String(value.rest.max)}${value.rest.alphabet === 'hex' ? ' hex' : ''}`;
      return `string "${value.head}"${rest}${value.numeric ? ` of ${described(value.numeric)}` : ''}${marks}`;
    }
    case 'bytes':
      return `bytes ${String(value.length)}${marks}`;
    case 'object':
      return value.what;
    default:
      return value.type;
  }
}

const createHash = "import { createHash } from 'node:crypto';";
const digest = "createHash('sha256').update(text).digest";
const int32 = '-2147483648..2147483647';
const uint32 = '0..4294967295';
const int64 = '-9223372036854775808..9223372036854775807';
const loopHash = '#a hash made character by character';

const table: readonly (readonly [code: string, expected: string])[] = [
  // Constants
  ['$(42)', 'number 42 integer'],
  ['$(1.5)', 'number 1.5 fraction'],
  ['$(NaN)', 'number NaN fraction'],
  ['$(2n ** 63n)', 'bigint 9223372036854775808'],
  ["$('job')", 'string "job"'],
  ['$(null)', 'null'],
  ['$(undefined)', 'undefined'],
  ['$(void 0)', 'undefined'],
  ['$(true)', 'boolean'],
  ['$(a === b)', 'boolean'],
  ['$(!a)', 'boolean'],
  ['$({ a: 1 })', 'an object'],
  ['$([1])', 'an array'],
  ['$(() => 1)', 'a function'],
  ['$(new Date())', 'a Date'],
  ['$(/x/)', 'a regular expression'],
  ['$(unknown)', 'unknown'],
  ['$(unknown + unknown)', 'unknown'],
  // Variables, members, parameters
  ['const KEYS = { a: 7 }; $(KEYS.b)', 'undefined'],
  ['const KEYS = { a: 7 }; $(KEYS.a)', 'number 7 integer'],
  ['const KEYS = { a: 7 }; $(KEYS.toString)', 'unknown'],
  ['let key; $(key)', 'undefined'],
  ['let key = 1; if (x) key = 5; $(key)', 'number 1..5 integer'],
  ['let key = 1; key = 5; $(key)', 'number 5 integer'],
  ['let key = 5; $(key); key = undefined;', 'unknown'],
  ['let key = 1; for (const x of y) { key += 1; } $(key)', 'number -Infinity..Infinity unknown'],
  ['const key = x ? 1 : 9; $(key)', 'number 1..9 integer'],
  ['const key = x ? 1 : "a"; $(key)', 'unknown'],
  ['$(x ?? 5)', 'unknown'],
  ['$(null ?? 5)', 'number 5 integer'],
  ['$((0, 7))', 'number 7 integer'],
  ['let key; $(key = 7)', 'number 7 integer'],
  ['$(-(x | 0))', 'number -2147483647..2147483648 integer'],
  // Operators on numbers
  ['$(x >>> 0)', `number ${uint32} integer ~`],
  ['$(x | 0)', `number ${int32} integer`],
  ['$(~x)', 'unknown'],
  ['$(x >> 1)', 'number -1073741824..1073741823 integer'],
  ['$(x >>> 1)', 'number 0..2147483647 integer ~'],
  ['$((x & 0xff) << 4)', 'number 0..4080 integer'],
  ['$((x & 0xff) | (y & 0xf))', 'number 0..255 integer'],
  ['$(x & 0x7fffffff)', 'number 0..2147483647 integer'],
  ['$((x & 7) + 10)', 'number 10..17 integer'],
  ['$((x & 7) - 10)', 'number -10..-3 integer'],
  ['$((x & 7) * 3)', 'number 0..21 integer'],
  ['$((x & 7) / 2)', 'number 0..3.5 unknown'],
  ['$(x % 10)', 'number -9..9 unknown #% 10'],
  ['$((x & 0xffff) % 10)', 'number 0..9 integer #% 10'],
  ['$((x & 7) % 10)', 'number 0..7 integer'],
  ['$(x % y)', 'unknown'],
  ['$(x * 1)', 'number -Infinity..Infinity unknown'],
  // Operators on bigints
  ['$(x & 0xffffn)', 'bigint 0..65535'],
  ['$(x & 0x7fffffffffffffffn)', 'bigint 0..9223372036854775807 ~'],
  ['$(x % 10n)', 'bigint -9..9 #% 10n'],
  ['$(x % (2n ** 63n))', 'bigint -9223372036854775807..9223372036854775807 ~'],
  ['$((x & 1n) << 40n)', 'bigint 0..1099511627776'],
  ['$((x & 7n) >> 1n)', 'bigint 0..3'],
  ['$((x & 7n) + 1n)', 'bigint 1..8'],
  ['$((x & 7n) - 1n)', 'bigint -1..6'],
  ['$((x & 7n) * 2n)', 'bigint 0..14'],
  ['$((x & 6n) / 2n)', 'bigint 0..3'],
  ['$((x & 8n) | (y & 1n))', 'bigint 0..15'],
  ['$(x << 400n)', 'bigint -∞..∞'],
  ['$(-(x & 7n))', 'bigint -7..0'],
  ['$(~(x & 7n))', 'bigint -8..-1'],
  // Conversions
  ['$(Number(x & 0x7fffffffffffffffn))', 'number 0..9223372036854776000 integer ~'],
  ['$(Number(x))', 'number -Infinity..Infinity unknown'],
  ['$(BigInt(x | 0))', `bigint ${int32}`],
  ['$(BigInt(x))', 'bigint -∞..∞'],
  ['$(BigInt(Number(x & 0x7fffffffffffffffn)))', 'bigint 0..9223372036854775808 rounded ~'],
  ['$(BigInt.asIntN(64, x))', `bigint ${int64} ~`],
  ['$(BigInt.asUintN(64, x))', 'bigint 0..18446744073709551615 ~'],
  ['$(BigInt.asIntN(64, x & 7n))', 'bigint 0..7'],
  ['$(BigInt.asIntN(bits, x))', 'bigint -∞..∞'],
  ['$(String(x | 0))', `string "" +1..Infinity of number ${int32} integer`],
  ['$((x & 7n).toString())', 'string "" +1..Infinity of bigint 0..7'],
  ['$((x & 7n).toString(16))', 'string "" +0..Infinity'],
  ['$(`${x | 0}`)', `string "" +1..Infinity of number ${int32} integer`],
  ["$('0x' + x.slice(0, 8))", 'string "0x" +0..8'],
  ["$(BigInt('0x' + x.slice(0, 15)))", 'bigint 0..1152921504606846975 ~'],
  ['$(parseInt(x.slice(0, 8), 16))', `number ${uint32} integer ~ #8 hexadecimal digits`],
  ['$(parseInt(x.substring(0, 7), 16))', 'number 0..268435455 integer ~ #7 hexadecimal digits'],
  ['$(parseInt(x.substr(4, 6), 16))', 'number 0..16777215 integer ~ #6 hexadecimal digits'],
  ['$(parseInt(x, 10))', 'number -Infinity..Infinity integer'],
  ['$(parseFloat(x))', 'number -Infinity..Infinity unknown'],
  ['$(Math.floor(x / 2))', 'number -Infinity..Infinity integer'],
  ['$(Math.random())', 'number 0..1 fraction ~'],
  ['$(Math.floor(Math.random() * 100))', 'number 0..100 integer ~'],
  ['$(Math.random() * 100)', 'number 0..100 fraction ~'],
  ['$(Math.abs(x | 0))', 'number 0..2147483648 integer'],
  ['$(Math.min(x & 7, 3))', 'number 0..3 integer'],
  ['$(Math.max(x & 7, 3))', 'number 3..7 integer'],
  ['$(Math.imul(x, 31))', `number ${int32} integer ~`],
  ['$(Date.now())', 'number 1500000000000..8640000000000000 integer'],
  ['$(Date.now() / 1000)', 'number 1500000000..8640000000000 fraction'],
  ['$(Math.floor(Date.now() / 1000))', 'number 1500000000..8640000000000 integer'],
  ['$(process.pid)', 'number 1..4194304 integer'],
  ['$(list.length)', 'number 0..9007199254740991 integer'],
  ["$(`job:${x}`)", 'string "job:" +0..Infinity'],
  ["import { randomUUID } from 'crypto'; $('job:' + randomUUID())", 'string "job:" +36..36 ~'],
  // Bytes and digests
  ['$(buffer.readInt32BE(0))', `number ${int32} integer ~`],
  ['$(buffer.readUInt32LE(0))', `number ${uint32} integer ~`],
  ['$(buffer.readUInt8(0))', 'number 0..255 integer ~'],
  ['$(buffer.readUIntBE(0, 6))', 'number 0..281474976710655 integer ~'],
  ['$(buffer.readBigInt64BE())', `bigint ${int64} ~`],
  ['$(buffer.readBigUInt64BE())', 'bigint 0..18446744073709551615 ~'],
  ['$(new DataView(bytes).getBigInt64(0))', `bigint ${int64} ~`],
  [`${createHash} $(${digest}())`, 'bytes 32 ~ #a sha256 digest'],
  [`${createHash} $(${digest}('hex'))`, 'string "" +64..64 hex ~ #a sha256 digest'],
  [`${createHash} $(${digest}('base64'))`, 'string "" +44..44 ~ #a sha256 digest'],
  [`${createHash} $(${digest}('hex').slice(0, 16))`, 'string "" +16..16 hex ~ #a sha256 digest'],
  [`${createHash} $(${digest}().readInt32BE(0))`, `number ${int32} integer ~ #32 bits of a sha256 digest`],
  [`${createHash} $(${digest}()[0])`, 'number 0..255 integer ~ #a sha256 digest'],
  [`${createHash} const h = createHash('md5'); h.update(text); $(h.digest('hex'))`, 'string "" +32..32 hex ~ #a md5 digest'],
  [`${createHash} $(parseInt(${digest}('hex').slice(0, 8), 16))`, `number ${uint32} integer ~ #8 hexadecimal digits of a sha256 digest`],
  ["$(await crypto.subtle.digest('SHA-256', data))", 'bytes 32 ~ #a SHA-256 digest'],
  ["import { crc32 } from 'node:zlib'; $(crc32(text))", `number ${uint32} integer ~ #crc32`],
  ["import CRC32 from 'crc-32'; $(CRC32.str(text))", `number ${int32} integer ~ #crc-32`],
  ["import { crc32 } from './crc.js'; $(crc32(text))", `number ${uint32} integer #crc32`],
  ["import { hash } from './hash.js'; $(hash(text))", 'unknown'],
  ["function createHash() { return 5; } $(createHash('sha256'))", 'number 5 integer'],
  // Functions of the file
  ['const key = (n) => n | 0; $(key(x))', `number ${int32} integer`],
  ['const key = (n) => n + 1; $(key(4))', 'number 5 integer'],
  ['const key = async () => 5; $(key())', 'a promise'],
  ['const key = async () => 5; $(await key())', 'number 5 integer'],
  ['function* keys() { return 5; } $(keys())', 'a generator'],
  ['function key(n) { if (n) return 1; return 9; } $(key(x))', 'number 1..9 integer'],
  ['function key(n) { return key(n - 1); } $(key(x))', 'unknown'],
  ['function h(s) { let h = 5381; for (let i = 0; i < s.length; i++) { h = (h << 5) + h + s.charCodeAt(i); } return h >>> 0; } $(h(x))', `number ${uint32} integer ~ ${loopHash}`],
  ['function h(s) { let h = 0; for (const c of s) { h = (h << 5) - h + c.charCodeAt(0); h |= 0; } return h; } $(h(x))', `number ${int32} integer ~ ${loopHash}`],
  ['function h(s) { let h = 0; for (const c of s) { h = (h << 5) - h + c.charCodeAt(0); } return h; } $(h(x))', `number -Infinity..Infinity unknown ~ ${loopHash}`],
  ['const h = (s) => [...s].reduce((h, c) => (h * 31 + c.charCodeAt(0)) | 0, 0); $(h(x))', `number ${int32} integer ~ ${loopHash}`],
  ['function h(s) { let h = 0xcbfn; for (const c of s) { h = BigInt.asUintN(64, (h ^ BigInt(c.charCodeAt(0))) * 0x1b3n); } return h; } $(h(x))', `bigint 0..18446744073709551615 ~ ${loopHash}`],
  // A class id before a hash makes a name space, and the whole is no hash any more.
  [`${createHash} $((BigInt(CLASS) << 32n) | BigInt(${digest}().readUInt32BE(0)))`, 'bigint -∞..∞ ~'],
  [`${createHash} $((7n << 32n) | BigInt(${digest}().readUInt32BE(0)))`, 'bigint 0..34359738367 ~'],
];

describe('what is known of a key', () => {
  it.each(table)('%s', (code, expected) => {
    expect(described(valueIn(code))).toBe(expected);
    expect(described(valueIn(code, true)), 'under the other parser').toBe(expected);
  });

  it.each([
    ['declare const f: (n: number) => void; function g(key: bigint) { $(key) }', 'bigint -∞..∞'],
    ['function g(key: number) { $(key) }', 'number -Infinity..Infinity unknown'],
    ['function g(key: string) { $(key) }', 'string "" +0..Infinity'],
    ['function g(key?: string) { $(key) }', 'unknown'],
    ['function g(key: number | undefined) { $(key) }', 'unknown'],
    ['declare let key: number; $(key)', 'unknown'],
    ['enum Keys { A = 3 } $(Keys.A)', 'number 3 integer'],
    ['class A { static readonly KEY = 2n ** 64n; f() { $(A.KEY) } }', 'bigint 18446744073709551616'],
    ['$((x as number) >>> 0)', `number ${uint32} integer ~`],
  ])('in TypeScript: %s', (code, expected) => {
    expect(described(valueIn(code))).toBe(expected);
  });

  it('is found in time for constants that double with every line', () => {
    const lines = Array.from({ length: 60 }, (_, index) => `const k${String(index + 1)} = f(k${String(index)}) ? k${String(index)} : k${String(index)} + 1;`);
    const before = performance.now();
    expect(valueIn(`const k0 = x; ${lines.join('\n')} $(k60)`).type).toBe('unknown');
    expect(performance.now() - before).toBeLessThan(2_000);
  });

  it('is unknown beyond a depth, and does not overflow the stack', () => {
    expect(valueIn(`$(${'-('.repeat(400)}x${')'.repeat(400)})`).type).toBe('unknown');
  });
});
