import type { OrderEdge, OrderGraph, Problem } from '../model.js';
import { stronglyConnectedComponents } from './components.js';

/** Longer circles are not looked for: each of their parts is nearly always in a shorter one. */
const longestCycle = 8;

/** Paths looked at for one edge. */
const workLimit = 20_000;

/**
 * Orders that lead in a circle: with A before B here and B before A there, two sessions can each hold what the other waits
 * for. Every edge that lies on a circle is shown by a shortest one.
 */
export function orderCycles({ nodes, edges }: OrderGraph, lockIdsOf: (key: string) => readonly string[]): readonly Problem[] {
  const outgoing = new Map<string, OrderEdge[]>(nodes.map(({ identity }) => [identity, []]));
  for (const edge of edges) outgoing.get(edge.from)?.push(edge);
  const successors = new Map([...outgoing].map(([node, list]) => [node, list.map(({ to }) => to)]));
  const component = new Map<string, number>();
  for (const [index, members] of stronglyConnectedComponents(successors).entries()) for (const member of members) component.set(member, index);

  const cycles = new Map<string, readonly OrderEdge[]>();
  const covered = new Set<OrderEdge>();
  for (const edge of edges) {
    if (covered.has(edge) || component.get(edge.from) !== component.get(edge.to)) continue;
    const cycle = shortestThrough(edge, (node) => (outgoing.get(node) ?? []).filter(({ to }) => component.get(to) === component.get(edge.from)));
    if (!cycle) continue;
    for (const each of cycle) covered.add(each);
    const key = JSON.stringify(rotated(cycle.map(({ from }) => from)));
    if (!cycles.has(key)) cycles.set(key, cycle);
  }
  return [...cycles.values()].map((cycle) => problemFor(cycle, nodes, lockIdsOf));
}

/** The shortest circle through the edge on which sessions can wait for each other; by length, one after the other. */
function shortestThrough(start: OrderEdge, next: (node: string) => readonly OrderEdge[]): readonly OrderEdge[] | null {
  let frontier: (readonly OrderEdge[])[] = [[start]];
  let work = 0;
  for (let length = 1; length < longestCycle; length += 1) {
    const longer: (readonly OrderEdge[])[] = [];
    for (const path of frontier) {
      for (const edge of next(path.at(-1)?.to ?? '')) {
        work += 1;
        if (work > workLimit) return null;
        const candidate = [...path, edge];
        if (edge.to === start.from) {
          if (canDeadlock(candidate)) return candidate;
        } else if (!path.some(({ from }) => from === edge.to)) {
          longer.push(candidate);
        }
      }
    }
    frontier = longer;
  }
  return null;
}

/** No lock that all take before keeps them apart, and nobody waits for a lock that both only share. */
function canDeadlock(cycle: readonly OrderEdge[]): boolean {
  const [first, ...others] = cycle;
  if (first?.guards.some((guard) => others.every(({ guards }) => guards.includes(guard)))) return false;
  const addresses = new Set(cycle.flatMap(({ database }) => database.address ?? []));
  if (addresses.size > 1) return false;
  return cycle.every((edge, index) => {
    const holder = cycle[(index + 1) % cycle.length];
    return edge.modes[1] === 'exclusive' || holder?.modes[0] === 'exclusive';
  });
}

/** The circle, begun at its least member, so that one circle has one form. */
function rotated(members: readonly string[]): readonly string[] {
  const least = members.reduce((best, member, index) => (member < (members[best] ?? '') ? index : best), 0);
  return [...members.slice(least), ...members.slice(0, least)];
}

function problemFor(cycle: readonly OrderEdge[], nodes: OrderGraph['nodes'], lockIdsOf: (key: string) => readonly string[]): Problem {
  const nameOf = (identity: string): string => {
    const node = nodes.find((each) => each.identity === identity);
    return node ? nameOfKey(node) : '…';
  };
  const members = cycle.map(({ from }) => from);
  return {
    kind: 'order-cycle',
    message: `Locks are taken in a circle, ${[...members, ...members.slice(0, 1)].map(nameOf).join(' → ')}, so that sessions can wait for each other. Take them in one order everywhere.`,
    places: cycle.map(({ place, from, to }) => ({ ...place, text: `waits for ${nameOf(to)} while holding ${nameOf(from)}` })),
    locks: members.flatMap(lockIdsOf),
    cycle: members,
  };
}

/** By its constant where it has one: `JOBS (42)`. */
export const nameOfKey = ({ text, names }: { readonly text: string; readonly names: readonly string[] }): string => (names.length > 0 ? `${names.join(', ')} (${text})` : text);
