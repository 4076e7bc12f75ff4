import type { TSESTree } from '@typescript-eslint/utils';
import { descendants } from '../../src/source/walk.js';
import { parse } from './harness.js';

const texts = (code: string, found: readonly TSESTree.Node[]): string[] => found.map((node) => code.slice(...node.range));

test('nodes are found in source order, outer ones first', () => {
  const code = 'a(`x ${b(1)}`, c`y`).d(new E(() => f("s"))); class G { m() { h(); } }';
  const { nodes } = parse(code);
  expect(nodes.calls.map(({ callee }) => code.slice(...callee.range))).toEqual(['a(`x ${b(1)}`, c`y`).d', 'a', 'b', 'f', 'h']);
  expect(texts(code, nodes.news)).toEqual(['new E(() => f("s"))']);
  expect(texts(code, nodes.taggedTemplates)).toEqual(['c`y`']);
  expect(texts(code, nodes.strings)).toEqual(['`x ${b(1)}`', '`y`', '"s"']);
  expect(nodes.functions).toHaveLength(2);
  expect(nodes.classes).toHaveLength(1);
});

test('types are not walked, what TypeScript leaves at run time is', () => {
  const code = `
    type A = 'in a type'; interface I { a: 'in an interface' } declare function f(a: 'in a signature'): void;
    const a: 'in an annotation' = 'value' as 'in an assertion'; g<'in an argument'>('argument');
    enum E { A = 'enum' } namespace N { export const x = 'namespace'; }
    class C { constructor(private a = 'parameter') {} abstract m(): 'in a method'; }
    const s = 'satisfied' satisfies string;
  `;
  expect(parse(code).nodes.strings.map((node) => node.type === 'Literal' && node.value)).toEqual([
    'value', 'argument', 'enum', 'namespace', 'parameter', 'satisfied',
  ]);
});

test('written members', () => {
  const code = 'this.a = 1; x.b++; delete x.c; [x.d] = y; ({ p: x.e = 1 } = y); for (x.f of y); x.g(); x.h.i = 1; (x.j as any) = 2; z = x.k;';
  expect([...parse(code).nodes.writtenMembers].sort()).toEqual(['a', 'b', 'c', 'd', 'e', 'f', 'i', 'j']);
});

test('a tree a hundred thousand levels deep is walked', () => {
  let node: Record<string, unknown> = { type: 'Literal', range: [0, 1], value: 1 };
  for (let level = 0; level < 100_000; level += 1) node = { type: 'AwaitExpression', range: [0, 1], argument: node };
  const isNode = (value: unknown): value is TSESTree.Node => typeof value === 'object' && value !== null;
  if (!isNode(node)) throw new Error('unreachable');
  let count = 0;
  for (const _ of descendants(node, { AwaitExpression: ['argument'] })) count += 1;
  expect(count).toBe(100_001);
});
