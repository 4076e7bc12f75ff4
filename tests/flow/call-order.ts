import type { FlowGraph } from '../../src/flow/model.js';
import type { Node } from '../../src/flow/nodes.js';
import { solve } from '../../src/flow/solve.js';

export interface CallOrder {
  readonly reachable: ReadonlySet<Node>;
  /** Whether a path runs from one call to the other, past no third one that is done; null is the entry or an exit. */
  readonly follows: (from: Node | null, to: Node | null) => boolean;
}

/** The call that was done last, and the awaited ones that may still fail, each with the call before it. */
interface LastCall {
  readonly last: number;
  readonly open: readonly { readonly id: number; readonly before: number }[];
}

/** The calls of a graph's own unit, and which may come next after which. A call that fails may be passed over. */
export function callOrderOf(graph: FlowGraph): CallOrder {
  const own = new Map<Node, number>();
  for (const step of graph.steps) {
    if (step.kind === 'call' && step.owner === graph.unit && !own.has(step.node)) own.set(step.node, own.size + 1);
  }
  const solution = solve<LastCall>(graph, {
    initial: [{ last: 0, open: [] }],
    key: ({ last, open }) => `${last} ${open.map(({ id, before }) => `${id}:${before}`).join()}`,
    transfer: (step, state, edge) => {
      const { last, open } = state;
      if (step.kind === 'call') {
        const id = own.get(step.node);
        if (id === undefined) return [state];
        const others = open.filter((other) => other.id !== id);
        const done = { last: id, open: step.awaited ? [...others, { id, before: last }] : others };
        return edge.label === 'throw' ? [state, done] : [done];
      }
      const settled = step.kind === 'await' && step.settles !== null ? own.get(step.settles) : undefined;
      const call = open.find(({ id }) => id === settled);
      if (call === undefined) return [state];
      const others = open.filter((other) => other !== call);
      // An awaited call fails where it is waited for: then it may be passed over too.
      return edge.label === 'throw' ? [{ last, open: others }, { last: call.before, open: others }] : [{ last, open: others }];
    },
    maxStates: 20_000,
  });
  if (solution.kind !== 'solved') throw new Error('Too many calls.');
  const reachable = new Set<Node>();
  const order = new Map<Node | null, Set<number>>();
  for (const node of own.keys()) {
    const steps = graph.stepsOf(node).filter((step) => step.kind === 'call');
    if (steps.some((step) => solution.reaches(step))) reachable.add(node);
    order.set(node, new Set(steps.flatMap((step) => solution.statesAt(step).map(({ last }) => last))));
  }
  order.set(null, new Set([graph.exits.return, graph.exits.throw].flatMap((step) => solution.statesAt(step).map(({ last }) => last))));
  return {
    reachable,
    follows: (from, to) => order.get(to)?.has(from === null ? 0 : (own.get(from) ?? -1)) ?? false,
  };
}
