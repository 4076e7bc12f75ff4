import type { OrderGraph } from '../../model.js';

export interface PlacedNode {
  readonly identity: string;
  readonly label: string;
  readonly x: number;
  readonly y: number;
  readonly width: number;
}

export interface PlacedEdge {
  readonly from: PlacedNode;
  readonly to: PlacedNode;
}

export interface Layout {
  readonly nodes: readonly PlacedNode[];
  readonly edges: readonly PlacedEdge[];
  readonly width: number;
  readonly height: number;
}

export const nodeHeight = 34;
const rowGap = 26;
const columnGap = 96;
const margin = 24;
const characterWidth = 7.9;
const longestLabel = 36;
const sweeps = 4;

/** Places keys in columns from left to right, each after those that are taken before it, in pixels. Edges that lead back close a circle. */
export function layoutOf({ nodes, edges }: OrderGraph, labelOf: (node: OrderGraph['nodes'][number]) => string): Layout {
  const pairs = [...new Map(edges.map(({ from, to }) => [JSON.stringify([from, to]), { from, to }])).values()];
  const columns = columnsOf(
    nodes.map(({ identity }) => identity),
    pairs,
  );
  const members = new Map<number, string[]>();
  for (const { identity } of nodes) {
    const column = columns.get(identity) ?? 0;
    members.set(column, [...(members.get(column) ?? []), identity]);
  }
  const ordered = [...members].sort(([one], [other]) => one - other).map(([, list]) => list);
  for (let sweep = 0; sweep < sweeps; sweep += 1) sortByNeighbours(sweep % 2 === 0 ? ordered : [...ordered].reverse(), pairs);

  const labels = new Map(nodes.map((node) => [node.identity, shortened(labelOf(node))]));
  const tallest = Math.max(0, ...ordered.map((list) => list.length));
  const placed = new Map<string, PlacedNode>();
  let x = margin;
  for (const list of ordered) {
    const width = Math.max(...list.map((identity) => (labels.get(identity)?.length ?? 0) * characterWidth + 28));
    const top = margin + ((tallest - list.length) * (nodeHeight + rowGap)) / 2;
    for (const [row, identity] of list.entries()) {
      placed.set(identity, { identity, label: labels.get(identity) ?? '', x, y: top + row * (nodeHeight + rowGap), width });
    }
    x += width + columnGap;
  }
  return {
    nodes: [...placed.values()],
    edges: pairs.flatMap(({ from, to }) => {
      const [one, other] = [placed.get(from), placed.get(to)];
      return one && other ? [{ from: one, to: other }] : [];
    }),
    width: Math.max(x - columnGap + margin, 2 * margin),
    height: 2 * margin + tallest * (nodeHeight + rowGap) - rowGap,
  };
}

interface Pair {
  readonly from: string;
  readonly to: string;
}

/** The longest way to each node, edges that lead back aside. */
function columnsOf(nodes: readonly string[], pairs: readonly Pair[]): ReadonlyMap<string, number> {
  const successors = new Map<string, string[]>(nodes.map((node) => [node, []]));
  for (const { from, to } of pairs) successors.get(from)?.push(to);
  const hasPredecessor = new Set(pairs.map(({ to }) => to));
  const finished: string[] = [];
  const state = new Map<string, 'open' | 'done'>();
  const back = new Set<string>();
  const roots = [...nodes.filter((node) => !hasPredecessor.has(node)), ...nodes];
  for (const root of roots) {
    if (state.has(root)) continue;
    state.set(root, 'open');
    const path = [{ node: root, next: 0 }];
    for (let step = path.at(-1); step; step = path.at(-1)) {
      const next = successors.get(step.node)?.[step.next];
      step.next += 1;
      if (next === undefined) {
        state.set(step.node, 'done');
        finished.push(step.node);
        path.pop();
      } else if (state.get(next) === 'open') {
        back.add(JSON.stringify([step.node, next]));
      } else if (!state.has(next)) {
        state.set(next, 'open');
        path.push({ node: next, next: 0 });
      }
    }
  }
  const columns = new Map<string, number>(nodes.map((node) => [node, 0]));
  for (const node of finished.reverse()) {
    for (const next of successors.get(node) ?? []) {
      if (!back.has(JSON.stringify([node, next]))) columns.set(next, Math.max(columns.get(next) ?? 0, (columns.get(node) ?? 0) + 1));
    }
  }
  return columns;
}

/** Puts every node near those it is connected with in the column before. */
function sortByNeighbours(columns: readonly string[][], pairs: readonly Pair[]): void {
  const row = new Map<string, number>(columns.flatMap((list) => list.map((node, index) => [node, index] as const)));
  for (const list of columns) {
    const weight = new Map(
      list.map((node) => {
        const rows = pairs.flatMap(({ from, to }) => (from === node ? [row.get(to) ?? 0] : to === node ? [row.get(from) ?? 0] : []));
        return [node, rows.length === 0 ? (row.get(node) ?? 0) : rows.reduce((sum, each) => sum + each, 0) / rows.length] as const;
      }),
    );
    list.sort((one, other) => (weight.get(one) ?? 0) - (weight.get(other) ?? 0));
    for (const [index, node] of list.entries()) row.set(node, index);
  }
}

const shortened = (text: string): string => (text.length > longestLabel ? `${text.slice(0, longestLabel - 1)}…` : text);
