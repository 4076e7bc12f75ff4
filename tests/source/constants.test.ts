import { alternatives, staticValue } from '../../src/source/constants.js';
import { marked, parse, type Language } from './harness.js';

const valueOf = (code: string, language: Language = 'ts'): unknown => {
  const parsed = parse(code, language);
  return staticValue(marked(parsed), parsed.scopes);
};

describe('staticValue proves', () => {
  test.each<[string, unknown]>([
    [`$('a')`, 'a'],
    ['$(`a${1}b`)', 'a1b'],
    [`$(1 + 2 * 3)`, 7],
    [`$(10n ** 3n)`, 1000n],
    [`$(1 << 4 | 1)`, 17],
    [`$(-(5n))`, -5n],
    [`$('a' + 1 + 2)`, 'a12'],
    [`$(1 + 2 + 'a')`, '3a'],
    [`$(0x7fff_ffff)`, 2147483647],
    [`$(BigInt('42'))`, 42n],
    [`$(BigInt(5))`, 5n],
    [`$(BigInt.asIntN(64, 18446744073709551615n))`, -1n],
    [`$(Number('5'))`, 5],
    [`$(parseInt('12abc', 10))`, 12],
    [`$(String(5n))`, '5'],
    [`$(Math.max(1, 3, 2))`, 3],
    [`$(Number.MAX_SAFE_INTEGER)`, Number.MAX_SAFE_INTEGER],
    [`$(undefined)`, undefined],
    [`$(null)`, null],
    [`$(void 0)`, undefined],
    [`$(' a '.trim())`, 'a'],
    [`$('a'.toUpperCase().concat('b', 1).repeat(2))`, 'Ab1Ab1'],
    [`$('x-y-x'.replace('x', 'z'))`, 'z-y-x'],
    [`$('a  b'.replace(/\\s+/g, ' '))`, 'a b'],
    [`$(['a', 'b', 1].join('_'))`, 'a_b_1'],
    [`$(['a', 'b'].length)`, 2],
    ['$(String.raw`a\\n`)', 'a\\n'],
    [`$(true ? 1 : 2)`, 1],
    [`$(null ?? 'a')`, 'a'],
    [`$('' || 'a')`, 'a'],
    [`$((1, 2))`, 2],
    [`$(5 as number)`, 5],
    [`$(<const>'a')`, 'a'],
    [`$('a'!)`, 'a'],
    [`const A = 'x'; $(A)`, 'x'],
    [`const A = 'x' as const; const B = A; $(\`\${B}y\`)`, 'xy'],
    [`let a = 5; $(a)`, 5],
    [`let a; a = 5; $(a)`, 5],
    [`const K = { a: 1, b: { c: 2n } }; $(K.b.c)`, 2n],
    [`const K = { a: 1 }; $(K['a'])`, 1],
    [`const K = { a: 1 }; const n = 'a'; $(K[n])`, 1],
    [`const K = Object.freeze({ a: 1 }); f(K); $(K.a)`, 1],
    [`const k = { a: 1 } as const; f(k); $(k.a)`, 1],
    [`const KEYS = { a: 1 }; f(KEYS); $(KEYS.a)`, 1],
    [`export const keys = { a: 1 }; $(keys.a)`, 1],
    [`const base = { a: 1 }; const K = { ...base, b: 2 }; $(K.a)`, 1],
    [`const { a } = { a: 1 }; $(a)`, 1],
    [`const { b = 7 } = { a: 1 }; $(b)`, 7],
    [`const [, second] = [1, 2]; $(second)`, 2],
    [`const L = [10, 20]; $(L[1])`, 20],
    [`enum E { A, B = 5, C } $(E.C)`, 6],
    [`enum E { A, B } $(E.B)`, 1],
    [`const enum E { A = 'x' } $(E.A)`, 'x'],
    [`enum E { A = 1 << 3, B = A | 1 } $(E.B)`, 9],
    [`enum E { 'a-b' = 3 } $(E['a-b'])`, 3],
    [`class A { static KEY = 5; } $(A.KEY)`, 5],
    [`class A { static readonly KEYS = { x: 5 }; } $(A.KEYS.x)`, 5],
    [`class A { static #k = 5; m() { return $(A.#k); } }`, 5],
    [`class A { readonly key = 5; m() { return $(this.key); } }`, 5],
    [`class A { private key = 5; m() { return $(this.key); } }`, 5],
    [`class A { #key = 5; m = () => $(this.#key); }`, 5],
    [`class A { static K = 5; } class B extends A {} $(B.K)`, 5],
    [`const K = { f() {}, a: 1 }; $(K.a)`, 1],
  ])('%s', (code, value) => {
    expect(valueOf(code)).toEqual({ value });
  });
});

describe('staticValue stays silent on', () => {
  test.each([
    `$(x)`,
    `let a = 1; a = 2; $(a)`,
    `let a = 1; a++; $(a)`,
    `let a; if (c) a = 5; $(a ?? 6)`,
    `let a; function set() { a = 5; } $(a)`,
    `function f(a = 5) { $(a); }`,
    `const K = { a: 1 }; K.a = 2; $(K.a)`,
    `const K = { a: 1 }; K[x] = 2; $(K.a)`,
    `const K = { a: 1 }; delete K.a; $(K.a)`,
    `const K = { a: 1 }; Object.assign(K, o); $(K.a)`,
    `const k = { a: 1 }; f(k); $(k.a)`,
    `const k = { a: 1 }; const alias = k; alias.a = 2; $(k.a)`,
    `const K = { a: 1, ...o }; $(K.a)`,
    `const K = { get a() { return 1; } }; $(K.a)`,
    `const L = ['a']; L.push('b'); $(L.join())`,
    `class A { key = 5; m() { return $(this.key); } }`,
    `class A { readonly key: number = 5; constructor() { this.key = 6; } m() { return $(this.key); } }`,
    `class A { static KEY = 5; } A.KEY = 6; $(A.KEY)`,
    `declare enum E { A } $(E.A)`,
    `const BigInt = (x) => 5n; $(BigInt('1'))`,
    `$(BigInt('x'))`,
    `$(1n + 1)`,
    `$(2n ** 10000000000n)`,
    `$('x'.repeat(1e9))`,
    `$('x'.padEnd(1e9))`,
    `$('aaaa'.replace(/(a+)+$/, ''))`,
    `const a = b; const b = a; $(a)`,
    `const a = a + 'x'; $(a)`,
    `class A extends A { } $(A.K)`,
    `const a = { ...a }; $(a.x)`,
  ])('%s', (code) => {
    expect(valueOf(code)).toBeNull();
  });
});

test('plain JavaScript gives the same values', () => {
  expect(valueOf(`class A { static K = 5n; static { $(A.K << 2n); } }`, 'js')).toEqual({ value: 20n });
  expect(valueOf(`const { a: [b] } = { a: ['x'] }; $(b?.toUpperCase())`, 'js')).toEqual({ value: 'X' });
});

test('constants that double each time are given up on quickly', () => {
  const lines = Array.from({ length: 60 }, (_, index) => `const a${index + 1} = a${index} + a${index};`);
  expect(valueOf(`const a0 = 'xxxxxxxxxx';\n${lines.join('\n')}\n$(a60)`)).toBeNull();
  expect(valueOf(`const a0 = f();\n${lines.join('\n')}\n$(a60)`)).toBeNull();
});

test('a sum of thousands of operands is folded', () => {
  const parts = Array.from({ length: 1500 }, () => `'ab'`);
  expect(valueOf(`$(${parts.join(' + ')})`)).toEqual({ value: 'ab'.repeat(1500) });
});

describe('alternatives', () => {
  const listOf = (code: string): unknown => {
    const parsed = parse(code);
    return alternatives(marked(parsed), parsed.scopes)?.map(({ value }) => value) ?? null;
  };

  test.each<[string, unknown]>([
    [`$('a')`, ['a']],
    [`const f = opts.keep ? 'a' : 'b'; $(f)`, ['a', 'b']],
    [`let f = 'a'; if (x) f = 'b'; $(f)`, ['a', 'b']],
    [`let f; if (x) { f = 'a'; } else { f = 'b'; } $(f)`, ['a', 'b']],
    [`const MAP = { x: 'a', y: 'b' }; $(MAP[k])`, ['a', 'b']],
    [`const MAP = { x: { s: 'a' } }; $(MAP.x[k])`, ['a']],
    ['$(`pg_${x ? "a" : "b"}_lock`)', ['pg_a_lock', 'pg_b_lock']],
    [`$('x' + (c ? 'a' : 'b'))`, ['xa', 'xb']],
    [`for (const f of ['a', 'b']) $(f)`, ['a', 'b']],
    [`const f = (c ? null : 'a') ?? 'b'; $(f)`, ['a', 'b']],
    [`function lock(fn: 'a' | 'b') { $(fn); }`, ['a', 'b']],
    [`function lock(fn: 'a' | string) { $(fn); }`, null],
    [`$(c ? 'a' : x)`, null],
    [`$(x)`, null],
    [`let f = 'a'; f += 'b'; $(f)`, null],
    [`const m = { x: 'a' }; m[k] = 'b'; $(m[q])`, null],
    [`$(\`\${c ? 1 : 2}\${c ? 1 : 2}\${c ? 1 : 2}\${c ? 1 : 2}\`)`, null],
  ])('%s', (code, values) => {
    expect(listOf(code)).toEqual(values);
  });
});
