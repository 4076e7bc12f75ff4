import { describe, expect, test } from 'vitest';
import { formatGraph } from '../../src/flow/format.js';
import { buildGraph } from '../../src/flow/graph.js';
import { CONSTRUCTS } from './constructs.js';
import { parse, unitsOf } from './parse.js';
import { tracesOfText } from './traces.js';

const MAX_EVENTS = 6;

describe('every construct of the language', () => {
  test.each(CONSTRUCTS.filter(({ traces }) => traces !== undefined))('$name: $text', ({ text, traces, events }) => {
    expect(tracesOfText(text, events ?? MAX_EVENTS)).toEqual([...(traces ?? [])].sort());
  });

  test.each(CONSTRUCTS)('has a graph: $text', ({ text }) => {
    for (const unit of unitsOf(parse(text))) {
      const graph = buildGraph(unit);
      if (graph.kind !== 'graph') throw new Error(graph.reason);
      expect(formatGraph(graph, text)).toMatch(/^0 entry/);
      expect(graph.steps.map(({ id }) => id)).toEqual(graph.steps.map((_, index) => index));
      for (const step of graph.steps) {
        for (const edge of step.edges) {
          expect(edge.from).toBe(step);
          expect(graph.steps[edge.to.id]).toBe(edge.to);
        }
      }
    }
  });
});
