import { describe, expect, test } from 'vitest';
import { buildGraph } from '../../src/flow/graph.js';
import type { Step } from '../../src/flow/model.js';
import { firstFunction } from './parse.js';
import { graphOf, graphOfText } from './traces.js';

function labelsOf(steps: readonly Step[]): readonly string[] {
  return steps.flatMap(({ edges }) => edges.map(({ label }) => label));
}

/** The labels of the edges of the steps of one kind in `async function* f() { … }`. */
function labels(body: string, kind: Step['kind']): readonly string[] {
  return labelsOf(graphOfText(`async function* f() { ${body} }`).steps.filter((step) => step.kind === kind));
}

describe('the throw model', () => {
  test.each([
    ['g();', 'call'],
    ['new G();', 'call'],
    ['tag`x`;', 'call'],
    ['import("x");', 'call'],
    ['a.b.c();', 'call'],
    ['console();', 'call'],
    ['Object.defineProperty(a, b);', 'call'],
    ['process.send(1);', 'call'],
    ['JSON.parse(x);', 'call'],
    ['xs.forEach(g);', 'call'],
    ['a[b]();', 'call'],
    ['await x;', 'await'],
    ['await g();', 'await'],
    ['using x = y;', 'dispose'],
  ] as const)('%s may throw', (body, kind) => {
    expect(labels(body, kind)).toEqual(['next', 'throw']);
  });

  test.each([
    'console.log(x);',
    'console?.debug?.(x);',
    'Math.max(1, 2);',
    'Date.now();',
    'performance.now();',
    'Number(x);',
    'String(x);',
    'Boolean(x);',
    'Symbol("x");',
    'clearTimeout(x);',
    'setTimeout(g, 1);',
    'Array.isArray(x);',
    'AbortSignal.timeout(1);',
    'Object.keys(x);',
    'process.on("exit", g);',
    'process["once"]("exit", g);',
    'xs.push(1);',
    'map.set(k, v);',
    'new Error("x");',
    'new Map();',
    'new Promise(g);',
    'Promise.all([]);',
    'String.raw`x`;',
  ])('%s does not throw', (body) => {
    expect(labels(body, 'call')).toEqual(['next']);
  });

  test.each(['process.exit(1);', 'process.abort();'])('%s ends the path', (body) => {
    expect(labels(body, 'call')).toEqual([]);
  });

  test('a call that is awaited fails at the await only', () => {
    expect(labels('await g();', 'call')).toEqual(['next']);
    expect(labels('await (g() as X)!;', 'call')).toEqual(['next']);
    expect(labels('await g?.();', 'call')).toEqual(['next']);
    expect(labels('await Promise.all([g()]);', 'call')).toEqual(['next', 'throw', 'next']);
  });

  test('what a built-in promises may be rejected', () => {
    expect(labels('await Promise.all([]);', 'await')).toEqual(['next', 'throw']);
  });

  test('yield may throw or be abandoned', () => {
    expect([...labels('yield x;', 'yield')].sort()).toEqual(['abandon', 'next', 'throw']);
    expect([...labels('yield* x;', 'yield')].sort()).toEqual(['abandon', 'next', 'throw']);
  });

  test.each([
    ['for (const x of xs) {}', ['item', 'throw', 'done']],
    ['for await (const x of xs) {}', ['item', 'throw', 'done']],
    ['for (const x in xs) {}', ['item', 'done']],
  ])('%s', (body, expected) => {
    expect([...labels(body, 'iterate')].sort()).toEqual([...expected].sort());
  });

  test('closing an iterator throws where closing waits', () => {
    expect(labels('for (const x of xs) break;', 'close')).toEqual(['next']);
    expect(labels('for await (const x of xs) break;', 'close')).toEqual(['next', 'throw']);
  });

  test.each(['a.b.c;', 'a + b;', 'const { x: [y] } = z;', '({ ...a });', 'delete a.b;', 'a.b = c;', 'a.b++;', '() => g();', 'class A { m() {} }', '`${a}`;'])(
    '%s has no throw edge',
    (body) => {
      const graph = graphOfText(`function f() { ${body} }`);
      expect(labelsOf(graph.steps)).not.toContain('throw');
    },
  );

  test('the client overrules the model', () => {
    const unit = firstFunction('async function f() { quiet(); await quiet(); console.log(1); stop(); never(); }');
    const graph = graphOf(unit, {
      throws: (node) => {
        if (node.type !== 'CallExpression') return undefined;
        if (node.callee.type === 'MemberExpression') return 'may';
        if (node.callee.type !== 'Identifier') return undefined;
        return node.callee.name === 'quiet' ? 'never' : node.callee.name === 'stop' ? 'ends' : undefined;
      },
    });
    expect(graph.steps.filter(({ kind }) => kind === 'call').map(({ edges }) => edges.map(({ label }) => label))).toEqual([
      ['next'],
      ['next'],
      ['next', 'throw'],
      [],
      ['next', 'throw'],
    ]);
    expect(labelsOf(graph.steps.filter(({ kind }) => kind === 'await'))).toEqual(['next']);
  });

  test('a name that is not the global’s means nothing', () => {
    const unit = firstFunction('function f(console) { console.log(1); process.exit(); xs.push(1); }');
    const graph = graphOf(unit, { isGlobal: () => false });
    expect(graph.steps.filter(({ kind }) => kind === 'call').map(({ edges }) => edges.map(({ label }) => label))).toEqual([
      ['next', 'throw'],
      ['next', 'throw'],
      ['next'],
    ]);
  });

  test('a graph with too many steps is too large', () => {
    const unit = firstFunction(`function f() { ${'g();'.repeat(100)} }`);
    expect(buildGraph(unit, { maxSteps: 50 })).toEqual({ kind: 'too-large', unit, reason: 'steps' });
    expect(buildGraph(unit, { maxSteps: 103 }).kind).toBe('graph');
    expect(buildGraph(unit, { maxSteps: 102 }).kind).toBe('too-large');
  });
});
