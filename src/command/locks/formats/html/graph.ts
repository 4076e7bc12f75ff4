import type { OrderGraph, Problem } from '../../model.js';
import { shownPlace } from '../format.js';
import { keyWords } from '../words.js';
import { layoutOf, nodeHeight, type PlacedEdge, type PlacedNode } from './graph-layout.js';
import { markup, type Markup } from './markup.js';

/** A drawing of more keys than this shows nothing; those of circles come first. */
const mostNodes = 80;

/** The order in which keys are taken, drawn, and again in words for those who cannot see it. */
export function orderSection(order: OrderGraph, problems: readonly Problem[], cwd: string): Markup {
  if (order.edges.length === 0) {
    return markup`<section aria-labelledby="order-title"><h2 id="order-title">Order</h2><p class="quiet">No code is seen to wait for one lock while it holds another.</p></section>`;
  }
  const cycles = problems.flatMap(({ cycle }) => (cycle.length > 0 ? [cycle] : []));
  const shown = withoutRest(order, new Set(cycles.flat()));
  const left = order.nodes.length - shown.nodes.length;
  return markup`<section aria-labelledby="order-title">
<h2 id="order-title">Order</h2>
<p class="quiet">An arrow leads from a lock that is held to the one that is waited for meanwhile. ${cycles.length > 0 ? 'Thick red arrows lead in a circle: sessions that meet on it wait for each other.' : 'No arrows lead in a circle.'}${left > 0 ? ` ${left} further keys are left out of the drawing.` : ''}</p>
<div class="drawing" tabindex="0" role="group" aria-label="Drawing of the order, scrolls sideways">${drawing(shown, cycles, cwd)}</div>
<details><summary>The same in words</summary><ul class="orders">${wordsOf(order, cycles, cwd)}</ul></details>
</section>`;
}

function withoutRest(order: OrderGraph, important: ReadonlySet<string>): OrderGraph {
  if (order.nodes.length <= mostNodes) return order;
  const nodes = [...order.nodes].sort((one, other) => Number(important.has(other.identity)) - Number(important.has(one.identity))).slice(0, mostNodes);
  const kept = new Set(nodes.map(({ identity }) => identity));
  return { nodes, edges: order.edges.filter(({ from, to }) => kept.has(from) && kept.has(to)) };
}

function drawing(order: OrderGraph, cycles: readonly (readonly string[])[], cwd: string): Markup {
  const { nodes, edges, width, height } = layoutOf(order, keyWords);
  const circular = edgesOf(cycles);
  const members = new Set(cycles.flat());
  const isCircular = ({ from, to }: PlacedEdge): boolean => circular.has(edgeKey(from.identity, to.identity));
  const full = new Map(order.nodes.map((node) => [node.identity, keyWords(node)]));
  const placesOf = ({ from, to }: PlacedEdge): string =>
    order.edges.filter((edge) => edge.from === from.identity && edge.to === to.identity).map(({ place }) => shownPlace(place, cwd)).join('\n');
  // Circles last, so that they lie on top.
  const sorted = [...edges].sort((one, other) => Number(isCircular(one)) - Number(isCircular(other)));
  return markup`<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-labelledby="drawing-title" width="${Math.ceil(width)}" height="${Math.ceil(height)}" viewBox="0 0 ${Math.ceil(width)} ${Math.ceil(height)}">
<title id="drawing-title">Order of ${nodes.length} keys${cycles.length > 0 ? `, with ${cycles.length} ${cycles.length === 1 ? 'circle' : 'circles'}` : ''}</title>
<defs><marker id="arrow" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="7" markerHeight="7" orient="auto"><path class="head" d="M0 0L10 5L0 10z"/></marker><marker id="red-arrow" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="5" markerHeight="5" orient="auto"><path class="red-head" d="M0 0L10 5L0 10z"/></marker></defs>
${sorted.map((edge) => markup`<path class="${isCircular(edge) ? 'edge circle' : 'edge'}" marker-end="url(#${isCircular(edge) ? 'red-arrow' : 'arrow'})" d="${pathOf(edge, height)}"><title>${full.get(edge.from.identity) ?? ''}, then ${full.get(edge.to.identity) ?? ''}:\n${placesOf(edge)}</title></path>`)}
${nodes.map((node) => markup`<g class="${members.has(node.identity) ? 'node circle' : 'node'}"><title>${full.get(node.identity) ?? ''}</title><rect x="${node.x}" y="${node.y}" width="${node.width}" height="${nodeHeight}" rx="8"/><text x="${node.x + node.width / 2}" y="${node.y + nodeHeight / 2}" dominant-baseline="central" text-anchor="middle">${node.label}</text></g>`)}
</svg>`;
}

/** Forward arrows leave above the middle, those that lead back below it, so that two keys in both orders show two arrows. */
function pathOf({ from, to }: PlacedEdge, height: number): string {
  const middle = (node: PlacedNode): number => node.y + nodeHeight / 2;
  if (to.x > from.x) {
    const [x1, y1, x2, y2] = [from.x + from.width, middle(from) - 7, to.x - 2, middle(to) - 7];
    const bend = Math.max(36, (x2 - x1) / 2);
    return `M${x1} ${y1}C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}`;
  }
  const [x1, y1, x2, y2] = [from.x, middle(from) + 7, to.x + to.width + 2, middle(to) + 7];
  const bend = Math.max(36, Math.abs(x1 - x2) / 2);
  // One that passes other columns goes below them.
  const dip = x1 - x2 > 200 ? Math.min(height - 8, Math.max(y1, y2) + 46) : null;
  return dip === null ? `M${x1} ${y1}C${x1 - bend} ${y1} ${x2 + bend} ${y2} ${x2} ${y2}` : `M${x1} ${y1}C${x1 - 60} ${dip} ${x2 + 60} ${dip} ${x2} ${y2}`;
}

function wordsOf(order: OrderGraph, cycles: readonly (readonly string[])[], cwd: string): readonly Markup[] {
  const circular = edgesOf(cycles);
  const full = new Map(order.nodes.map((node) => [node.identity, keyWords(node)]));
  return order.edges.map(
    ({ from, to, place, firstPlace }) =>
      markup`<li>${circular.has(edgeKey(from, to)) ? markup`<strong class="badge">in a circle</strong> ` : ''}<code>${full.get(from) ?? ''}</code> (${shownPlace(firstPlace, cwd)}), then <code>${full.get(to) ?? ''}</code> (${shownPlace(place, cwd)})</li>`,
  );
}

const edgeKey = (from: string, to: string): string => JSON.stringify([from, to]);

const edgesOf = (cycles: readonly (readonly string[])[]): ReadonlySet<string> =>
  new Set(cycles.flatMap((cycle) => cycle.map((from, index) => edgeKey(from, cycle[(index + 1) % cycle.length] ?? ''))));
