import { describe, expect, test } from 'vitest';
import { solve } from '../../src/flow/solve.js';
import type { FlowAnalysis } from '../../src/flow/solve.js';
import { graphOfText } from './traces.js';

const REACHABILITY: FlowAnalysis<null> = { initial: [null], key: () => '', transfer: () => [null] };

/** Counts calls without end. */
const COUNTING: FlowAnalysis<number> = {
  initial: [0],
  key: String,
  transfer: (step, count) => [step.kind === 'call' ? count + 1 : count],
};

const ENDLESS = 'function f() { while (x) { g(); } }';

describe('solve', () => {
  test('reaches what can be reached', () => {
    const graph = graphOfText('function f() { for (;;) { g(); } h(); }');
    const solution = solve(graph, REACHABILITY);
    if (solution.kind !== 'solved') throw new Error('Not solved.');
    const calls = graph.steps.filter(({ kind }) => kind === 'call');
    expect(calls.map((step) => solution.reaches(step))).toEqual([true, false]);
    expect(solution.reaches(graph.exits.return)).toBe(false);
    expect(solution.reaches(graph.exits.throw)).toBe(true);
  });

  test('an edge without a state is not taken', () => {
    const graph = graphOfText('function f() { if (x) return; g(); }');
    const solution = solve(graph, { ...REACHABILITY, transfer: (_step, state, edge) => (edge.label === 'false' ? [] : [state]) });
    if (solution.kind !== 'solved') throw new Error('Not solved.');
    expect(graph.steps.filter(({ kind }) => kind === 'call').some((step) => solution.reaches(step))).toBe(false);
  });

  test('a step may split a state', () => {
    const graph = graphOfText('function f() { g(); }');
    const solution = solve<string>(graph, {
      initial: ['start'],
      key: (state) => state,
      transfer: (step, state, { label }) => (step.kind === 'call' && label === 'next' ? ['yes', 'no'] : [state]),
    });
    if (solution.kind !== 'solved') throw new Error('Not solved.');
    expect(solution.statesAt(graph.exits.return)).toEqual(['yes', 'no']);
    expect(solution.statesAt(graph.exits.throw)).toEqual(['start']);
  });

  test('several states may come in', () => {
    const graph = graphOfText('function f() { return; }');
    const solution = solve<number>(graph, { ...COUNTING, initial: [3, 4, 3] });
    if (solution.kind !== 'solved') throw new Error('Not solved.');
    expect(solution.statesAt(graph.exits.return)).toEqual([3, 4]);
  });

  test('too many states make the unit unknown', () => {
    const graph = graphOfText(ENDLESS);
    const solution = solve(graph, COUNTING);
    expect(solution.kind).toBe('unknown');
    if (solution.kind === 'unknown') expect(graph.steps).toContain(solution.step);
  });

  test('a join puts too many states into one', () => {
    const graph = graphOfText(ENDLESS);
    const solution = solve(graph, { ...COUNTING, maxStates: 4, join: () => Infinity });
    if (solution.kind !== 'solved') throw new Error('Not solved.');
    expect(solution.statesAt(graph.exits.return)).toEqual([0, 1, 2, 3, 4, Infinity]);
  });

  test('a join that never settles makes the unit unknown', () => {
    expect(solve(graphOfText(ENDLESS), { ...COUNTING, maxStates: 4, join: (one, other) => Math.max(one, other) }).kind).toBe('unknown');
  });

  test('the witness is one of the shortest paths, and the same each time', () => {
    const text = 'function f() { if (a) { g(); g(); } else { h(); } k(); }';
    const graph = graphOfText(text);
    const paths = [1, 2].map(() => {
      const solution = solve(graph, REACHABILITY);
      if (solution.kind !== 'solved') throw new Error('Not solved.');
      return solution.witness(graph.exits.return, null)?.map(({ step, edge }) => `${step.kind} ${edge?.label ?? ''}`);
    });
    expect(paths[0]).toEqual(['entry next', 'condition false', 'call next', 'call next', 'exit ']);
    expect(paths[1]).toEqual(paths[0]);
  });

  test('the witness carries the state on arrival at each step', () => {
    const graph = graphOfText('function f() { g(); h(); }');
    const solution = solve(graph, COUNTING);
    if (solution.kind !== 'solved') throw new Error('Not solved.');
    expect(solution.witness(graph.exits.return, 2)?.map(({ state }) => state)).toEqual([0, 0, 1, 2]);
    expect(solution.witness(graph.exits.return, 1)).toBeNull();
  });
});
