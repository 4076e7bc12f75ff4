import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TSESTree } from '@typescript-eslint/utils';
import { alternatives, staticValue } from '../../src/source/constants.js';
import type { Scopes } from '../../src/source/scope.js';
import { alternativesOfText, propertyOf, textOf } from '../../src/source/text.js';
import { settles, usesOf } from '../../src/source/uses.js';
import { descendants } from '../../src/source/walk.js';
import { parse, type Language } from './harness.js';

function ask(node: TSESTree.Node, scopes: Scopes): void {
  staticValue(node, scopes);
  alternatives(node, scopes);
  const text = textOf(node, scopes);
  if (text) {
    expect(text.toSource(0, text.text.length)[0]).toBeGreaterThanOrEqual(0);
    text.editable(0, text.text.length);
  }
  alternativesOfText(node, scopes);
  propertyOf(node, 'a.b', scopes);
  usesOf(node, scopes);
  settles(node, scopes);
}

/** Asks every question about every node of the file. */
function askEverything(code: string, language: Language): number {
  const { unit, scopes } = parse(code, language);
  let asked = 0;
  for (const node of descendants(unit.program, unit.visitorKeys)) {
    ask(node, scopes);
    asked += 1;
  }
  return asked;
}

test.each<[string, Language]>([
  ['', 'js'],
  ['label: for (const [a = 1, ...b] of c) { if (a) continue label; else break label; }', 'js'],
  ['class A extends (await x) { static { this.a = 1; } #p = 1; get [k]() { return this.#p; } static async *g() { yield* super.g(); } }', 'js'],
  ['function T() { new.target; } import.meta.url; import("x"); a?.b?.[c]?.(d); a ??= b; a **= 2; [, ...[a]] = b; ({ ...a } = b);', 'js'],
  ['for await (const x of y); for (a.b in c); try { } catch { } finally { } debugger; with_ = 1; void 0; (0, a.b)();', 'js'],
  ['const el = <div a="x" {...b}>{c} text {`t`}<></></div>;', 'js'],
  ['tag`\\unicode and \\xerxes ${a}`; `\\u{10FFFF}`; "\\u2028"; /[/]\\//u; 1_000n;', 'js'],
  ['abstract class A<T> { declare a: T; abstract b(): void; constructor(readonly c?: T, protected d = 1) {} @dec() e!: string; accessor f = 1; }', 'ts'],
  ['enum E { A = B, B = A } declare module "x" { export const a: 1; } namespace N.M { export let x = 1 } import a = require("a"); export = a;', 'ts'],
  ['function f(this: X, a?: string): asserts a is string; function f(a) { } let x = <T,>(y: T) => y; x<string>; (x as any)!.y = 1;', 'ts'],
  ['using a = f(); await using b = g(); const c = { __proto__: null, ...c, get x() { return 1 }, async *[Symbol.iterator]() {} } satisfies C;', 'ts'],
  ['const { a: { b = a } = {}, ...rest } = rest; let x = x; var y = y + y; const f = () => f(); f(f(f()));', 'ts'],
  ['const a = [...a], b = { ...b }, c = Object.assign(c, c), d = d.e.f, [g] = [g], e = Object.freeze(e);', 'ts'],
])('%s', (code, language) => {
  expect(askEverything(code, language)).toBeGreaterThan(0);
});

describe('code that grows exponentially is given up on', () => {
  const lines = (count: number, line: (index: number) => string): string => Array.from({ length: count }, (_, index) => line(index)).join('\n');

  test.each<[string, string]>([
    ['spreads of objects', lines(60, (index) => `const a${index + 1} = { ...a${index}, ...a${index} };`)],
    ['spreads of arrays', lines(60, (index) => `const a${index + 1} = [...a${index}, ...a${index}];`)],
    ['Object.assign', lines(60, (index) => `const a${index + 1} = Object.assign({}, a${index}, a${index});`)],
    ['conditionals', lines(60, (index) => `const a${index + 1} = c ? a${index} : a${index};`)],
    ['defaults', lines(60, (index) => `const a${index + 1} = a${index} ?? a${index};`)],
    ['joined arrays', lines(60, (index) => `const a${index + 1} = [a${index}, a${index}].join('');`)],
    ['replacements', lines(60, (index) => `const a${index + 1} = a${index}.replaceAll('a', 'aaaaaaaaaa');`)],
    ['functions', lines(60, (index) => `const f${index + 1} = (x) => f${index}(x) + f${index}(x); const a${index + 1} = f${index + 1}('a');`)],
    ['reassignments', `let a60 = a0;\n${lines(2_000, () => 'a60 = a60.next;')}`],
    ['a long member chain', `const a60 = a0${'.b'.repeat(800)};`],
    ['a deep expression', `const a60 = ${'!('.repeat(400)}a0${')'.repeat(400)};`],
  ])('%s', (_, code) => {
    for (const first of ["'a'", '{}', 'f0()', 'c ? null : null']) {
      const { unit, scopes } = parse(`const a0 = ${first};\n${code}\n$(a60, a60.x, \`\${a60}\`, 'a' + a60)`);
      const started = performance.now();
      const last = unit.program.body.at(-1);
      if (last?.type !== 'ExpressionStatement' || last.expression.type !== 'CallExpression') throw new Error('no call');
      for (const node of [last.expression, ...last.expression.arguments]) ask(node, scopes);
      const [declaration] = unit.program.body;
      if (declaration?.type === 'VariableDeclaration') ask(declaration.declarations[0]?.init ?? declaration, scopes);
      expect(performance.now() - started).toBeLessThan(5_000);
    }
  });
});

test('every question about every node of this project ends in time', () => {
  const folders = ['src/source', 'tests/source'];
  const files = folders.flatMap((folder) => readdirSync(folder).map((name) => join(folder, name)));
  for (const file of files) {
    const started = performance.now();
    expect(askEverything(readFileSync(file, 'utf8'), 'ts')).toBeGreaterThan(0);
    expect(performance.now() - started, file).toBeLessThan(10_000);
  }
});
