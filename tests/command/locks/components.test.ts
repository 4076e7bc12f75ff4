import { stronglyConnectedComponents } from '../../../src/command/locks/problems/components.js';

type Graph = ReadonlyMap<string, readonly string[]>;

const sorted = (components: readonly (readonly string[])[]): string[] => components.map((members) => [...members].sort().join(' ')).sort();

/** By definition: nodes that reach each other. */
function byReachability(graph: Graph): string[] {
  const reach = new Map([...graph.keys()].map((start) => {
    const seen = new Set([start]);
    for (const node of seen) for (const next of graph.get(node) ?? []) seen.add(next);
    return [start, seen] as const;
  }));
  const groups = [...graph.keys()].map((node) => [...graph.keys()].filter((other) => reach.get(node)?.has(other) && reach.get(other)?.has(node)));
  return [...new Set(sorted(groups))].sort();
}

describe('strongly connected components', () => {
  it.each<[string, Graph, string[]]>([
    ['none', new Map(), []],
    ['a node that leads to itself', new Map([['a', ['a']]]), ['a']],
    ['a chain', new Map([['a', ['b']], ['b', ['c']], ['c', []]]), ['a', 'b', 'c']],
    ['two circles that touch', new Map([['a', ['b']], ['b', ['a', 'c']], ['c', ['b']], ['d', ['a']]]), ['a b c', 'd']],
    ['two circles with a bridge', new Map([['a', ['b']], ['b', ['a', 'c']], ['c', ['d']], ['d', ['c']]]), ['a b', 'c d']],
  ])('of %s', (_, graph, expected) => {
    expect(sorted(stronglyConnectedComponents(graph))).toEqual(expected);
  });

  it('are the nodes that reach each other, in 300 graphs', () => {
    let seed = 1;
    const random = (limit: number): number => {
      seed = (seed * 48_271) % 2_147_483_647;
      return seed % limit;
    };
    for (let round = 0; round < 300; round += 1) {
      const nodes = Array.from({ length: 1 + random(9) }, (_, index) => `n${index}`);
      const graph = new Map(nodes.map((node) => [node, nodes.filter(() => random(4) === 0)]));
      expect(sorted(stronglyConnectedComponents(graph))).toEqual(byReachability(graph));
    }
  });

  it('are found in a chain of 50,000 without running out of stack', () => {
    const graph = new Map(Array.from({ length: 50_000 }, (_, index) => [`n${index}`, [`n${(index + 1) % 50_000}`]]));
    expect(stronglyConnectedComponents(graph)).toHaveLength(1);
  });
});
