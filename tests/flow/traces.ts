import { buildGraph } from '../../src/flow/graph.js';
import type { Edge, FlowGraph, GraphOptions, Step } from '../../src/flow/model.js';
import { unwrapChain } from '../../src/flow/nodes.js';
import type { FlowUnit, Node } from '../../src/flow/nodes.js';
import { solve } from '../../src/flow/solve.js';
import { firstFunction } from './parse.js';

/**
 * Programs of the tests call a handful of functions, each with a number, and a trace says how each call ended:
 *
 * - `c(1)`: `c1` it returned, `c1!` it threw
 * - `p(1)`: `p1` it gave a promise, then `p1+` fulfilled or `p1-` rejected, where somebody waits
 * - `t(1)` in a test: `t1+` or `t1-`
 * - `n(1)` before `??` or `?.`: `n1?` it was nullish, `n1.` it was not
 * - `of it(1)`: `i1.` an item, `i1|` the end, `i1!` it threw, `i1x` it was closed
 * - `using x = r(1)`: `d1` it was disposed of, `d1!` and that threw
 * - `yield 1`: `y1` the consumer went on, `y1!` threw, `y1x` abandoned the generator
 *
 * The last word is how the function ended: `return` or `throw`.
 */
export type Trace = string;

export function graphOf(unit: FlowUnit, options: GraphOptions = {}): FlowGraph {
  const graph = buildGraph(unit, options);
  if (graph.kind !== 'graph') throw new Error(`No graph: ${graph.reason}`);
  return graph;
}

export function graphOfText(text: string, options: GraphOptions = {}): FlowGraph {
  return graphOf(firstFunction(text), options);
}

const NEVER_THROWS: ReadonlySet<string> = new Set(['t', 'n', 'it', 'r']);

export function tracedThrows(node: Node): 'never' | 'may' | undefined {
  if (node.type !== 'CallExpression') return undefined;
  const name = node.callee.type === 'Identifier' ? node.callee.name : '';
  return NEVER_THROWS.has(name) ? 'never' : undefined;
}

/** The traces of a function with at most so many events that its graph allows. */
export function tracesOfGraph(graph: FlowGraph, maxEvents: number): ReadonlySet<Trace> {
  const solution = solve<string>(graph, {
    initial: [''],
    key: (trace) => trace,
    transfer: (step, trace, edge) => {
      const event = eventOf(step, edge);
      if (event === null) return [trace];
      return eventCount(trace) < maxEvents ? [`${trace}${event} `] : [];
    },
    maxStates: 1_000_000,
  });
  if (solution.kind !== 'solved') throw new Error('Too many traces.');
  return new Set([
    ...solution.statesAt(graph.exits.return).map((trace) => `${trace}return`),
    ...solution.statesAt(graph.exits.throw).map((trace) => `${trace}throw`),
  ]);
}

function eventCount(trace: string): number {
  let count = 0;
  for (const character of trace) if (character === ' ') count += 1;
  return count;
}

function eventOf(step: Step, { label }: Edge): string | null {
  switch (step.kind) {
    case 'call': {
      const { name, id } = callOf(step.node);
      if (name === 'p') return `p${id}`;
      return name === 'c' ? `c${id}${label === 'throw' ? '!' : ''}` : null;
    }
    case 'await': {
      if (step.settles === null) return null;
      const { name, id } = callOf(step.settles);
      return name === 'p' ? `p${id}${label === 'throw' ? '-' : '+'}` : null;
    }
    case 'condition': {
      const { name, id } = callOf(step.test);
      if (name === 't' && (step.asks === 'truthy' || step.asks === 'equals')) return `t${id}${label === 'true' ? '+' : '-'}`;
      return name === 'n' && step.asks === 'nullish' ? `n${id}${label === 'nullish' ? '?' : '.'}` : null;
    }
    case 'iterate':
      return `i${callOf(step.node.right).id}${label === 'item' ? '.' : label === 'done' ? '|' : '!'}`;
    case 'close':
      return `i${callOf(step.node.right).id}x`;
    case 'dispose':
      return step.node.init === null ? null : `d${callOf(step.node.init).id}${label === 'throw' ? '!' : ''}`;
    case 'yield': {
      const { argument } = step.node;
      const id = argument?.type === 'Literal' ? argument.raw : '';
      return `y${id}${label === 'throw' ? '!' : label === 'abandon' ? 'x' : ''}`;
    }
    default:
      return null;
  }
}

/** The name and number of a call such as `c(1)`; empty for anything else. */
function callOf(node: Node): { name: string; id: string } {
  const call = unwrapChain(node);
  if (call.type !== 'CallExpression' || call.callee.type !== 'Identifier') return { name: '', id: '' };
  const argument = call.arguments.at(0);
  return { name: call.callee.name, id: argument?.type === 'Literal' ? argument.raw : '' };
}

export function tracesOfText(text: string, maxEvents: number): readonly Trace[] {
  return [...tracesOfGraph(graphOfText(text, { throws: tracedThrows }), maxEvents)].sort();
}
