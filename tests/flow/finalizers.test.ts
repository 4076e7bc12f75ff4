import { describe, expect, test } from 'vitest';
import { buildGraph } from '../../src/flow/graph.js';
import { solve } from '../../src/flow/solve.js';
import { firstFunction } from './parse.js';
import { graphOfText, tracedThrows, tracesOfGraph, tracesOfText } from './traces.js';

/** `try { c(1); } finally { try { c(2); } finally { … } }`, so many finalizers inside each other. */
function inFinalizers(depth: number, innermost: string, level = 1): string {
  if (level > depth) return innermost;
  return `try { c(${level}); } finally { ${inFinalizers(depth, innermost, level + 1)} }`;
}

/** `try { try { … } finally { c(2); } } finally { c(1); }`. */
function inBlocks(depth: number, innermost: string, level = 1): string {
  if (level > depth) return innermost;
  return `try { ${inBlocks(depth, innermost, level + 1)} } finally { c(${level}); }`;
}

/** Each finalizer's throw is caught inside the next one out, so that all pending completions stay alive. */
function inCaughtFinalizers(depth: number, innermost: string, level = 1): string {
  if (level > depth) return innermost;
  return `try { c(${level}); } finally { try { ${inCaughtFinalizers(depth, innermost, level + 1)} } catch { c(${100 + level}); } }`;
}

function sizeOf(text: string): number {
  return graphOfText(`function f() { ${text} }`).steps.length;
}

describe('finalizers', () => {
  test('in blocks of each other grow linearly', () => {
    const growth = [10, 20, 30].map((depth) => sizeOf(inBlocks(depth, 'c(0);')));
    expect(growth).toEqual([growth[0], (growth[0] ?? 0) + 40, (growth[0] ?? 0) + 80]);
  });

  test('in finalizers grow linearly', () => {
    const [small, middle, large] = [10, 20, 30].map((depth) => sizeOf(inFinalizers(depth, 'c(0);')));
    expect((large ?? 0) - (middle ?? 0)).toBe((middle ?? 0) - (small ?? 0));
    expect(sizeOf(inFinalizers(12, 'c(0);'))).toBeLessThan(200);
  });

  test('a finalizer inside a finalizer is in the graph once for each copy of the outer one', () => {
    const graph = graphOfText('function f() { try { c(1); } finally { try { c(2); } finally { c(3); } } }');
    const counts = new Map<string, number>();
    for (const step of graph.steps) {
      if (step.kind !== 'call') continue;
      const name = step.node.type === 'CallExpression' && step.node.arguments[0]?.type === 'Literal' ? step.node.arguments[0].raw : '';
      counts.set(name, (counts.get(name) ?? 0) + 1);
    }
    expect([...counts]).toEqual([['1', 1], ['2', 2], ['3', 2]]);
  });

  test('twelve inside each other keep every completion apart', () => {
    const graph = graphOfText(`function f() { ${inFinalizers(12, 'c(0);')} c(99); }`);
    // The state: whether the last call that could throw out of everything did.
    const solution = solve<'ok' | 'failed'>(graph, {
      initial: ['ok'],
      key: (state) => state,
      transfer: (step, state, { label }) => [step.kind === 'call' && label === 'throw' ? 'failed' : state],
    });
    if (solution.kind !== 'solved') throw new Error('Not solved.');
    expect(solution.statesAt(graph.exits.return)).toEqual(['ok']);
    expect(solution.statesAt(graph.exits.throw)).toEqual(['failed']);
    const last = graph.steps.find(({ kind, node }) => kind === 'call' && node.type === 'CallExpression' && node.arguments[0]?.type === 'Literal' && node.arguments[0].raw === '99');
    expect(last === undefined ? [] : solution.statesAt(last)).toEqual(['ok']);
  });

  test('twelve inside each other have exactly the paths there are', () => {
    // Every one of the calls fails or not, whatever the others do, and the next finalizer runs all the same.
    const traces = tracesOfText(`function f() { ${inFinalizers(11, 'c(12);')} }`, 12);
    expect(traces).toHaveLength(2 ** 12);
    for (const trace of traces) expect(trace.endsWith('throw')).toBe(trace.includes('!'));
  });

  test('completions that stay alive through caught throws are not mixed', () => {
    const graph = graphOfText(`function f() { ${inCaughtFinalizers(12, 'c(0);')} }`);
    expect(graph.steps.length).toBeLessThan(400);
    // The outermost call alone decides how the function ends, unless a handler throws.
    const solution = solve<string>(graph, {
      initial: ['?'],
      key: (state) => state,
      transfer: (step, state, { label }) => {
        if (step.kind !== 'call' || step.node.type !== 'CallExpression') return [state];
        const [id] = step.node.arguments;
        const number = id?.type === 'Literal' ? Number(id.value) : 0;
        if (number > 100 && label === 'throw') return [];
        return [state === '?' ? (label === 'throw' ? 'failed' : 'ok') : state];
      },
    });
    if (solution.kind !== 'solved') throw new Error('Not solved.');
    expect(solution.statesAt(graph.exits.return)).toEqual(['ok']);
    expect(solution.statesAt(graph.exits.throw)).toEqual(['failed']);
  });

  test('jumps and returns out of a shared finalizer override what came in', () => {
    const text = `function f() {
      a: for (;;) {
        try { c(1); } finally {
          try { if (t(2)) return; } finally { if (t(3)) continue a; if (t(4)) break a; }
        }
      }
      c(5);
    }`;
    expect([...tracesOfGraph(graphOfText(text, { throws: tracedThrows }), 5)].sort()).toEqual([
      'c1 t2+ t3- t4+ c5 return',
      'c1 t2+ t3- t4+ c5! throw',
      'c1 t2+ t3- t4- return',
      'c1 t2- t3- t4+ c5 return',
      'c1 t2- t3- t4+ c5! throw',
      'c1! t2+ t3- t4+ c5 return',
      'c1! t2+ t3- t4+ c5! throw',
      'c1! t2+ t3- t4- return',
      'c1! t2- t3- t4+ c5 return',
      'c1! t2- t3- t4+ c5! throw',
      'c1! t2- t3- t4- throw',
    ]);
  });

  test('the witness of a path through shared finalizers keeps to one completion', () => {
    const text = 'function f() { try { c(1); } finally { try { c(2); } finally { try { c(3); } finally { c(4); } } } }';
    const graph = graphOfText(text);
    const solution = solve<string>(graph, {
      initial: [''],
      key: (state) => state,
      transfer: (step, state, { label }) => [step.kind === 'call' && label === 'throw' ? `${state}!` : state],
    });
    if (solution.kind !== 'solved') throw new Error('Not solved.');
    for (const exit of [graph.exits.return, graph.exits.throw]) {
      for (const state of solution.statesAt(exit)) {
        const witness = solution.witness(exit, state) ?? [];
        expect(witness[0]?.step).toBe(graph.entry);
        for (const [index, { step, edge }] of witness.entries()) {
          const next = witness[index + 1];
          expect(edge?.to).toBe(next?.step);
          if (edge !== null) expect(edge.from).toBe(step);
          if (edge?.enteredBy !== null && edge?.enteredBy !== undefined) {
            expect(witness.slice(0, index).map((earlier) => earlier.step)).toContain(edge.enteredBy);
          }
        }
        const throwing = witness.filter(({ step, edge }) => step.kind === 'call' && edge?.label === 'throw');
        expect('!'.repeat(throwing.length)).toBe(state);
      }
    }
  });

  test('using and iterators inside finalizers are shared too', () => {
    const text = 'function f() { try { c(1); } finally { for (const x of it(2)) { using u = r(3); if (t(4)) break; } } }';
    expect(buildGraph(firstFunction(text)).kind).toBe('graph');
    expect(tracesOfText(text, 5)).toContain('c1! i2. t4+ d3 i2x throw');
    expect(tracesOfText(text, 5)).toContain('c1 i2. t4+ d3 i2x return');
    expect(tracesOfText(text, 5)).not.toContain('c1! i2. t4+ d3 i2x return');
  });
});
