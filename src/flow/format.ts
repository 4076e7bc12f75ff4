import type { Edge, FlowGraph, Step } from './model.js';
import type { Node } from './nodes.js';

const EXCERPT_LENGTH = 40;

/**
 * The graph as text, one step a line: number, kind, line of the source, excerpt, edges. Steps that nothing leads to are
 * marked `unreachable`. `text` is the source the nodes' ranges refer to.
 */
export function formatGraph(graph: FlowGraph, text: string): string {
  const reachable = reachableSteps(graph);
  return graph.steps
    .map((step) => {
      const edges = inReadingOrder(step.edges).map((edge) => ` ${formatEdge(edge)}`).join('');
      const note = reachable.has(step) ? '' : ' (unreachable)';
      return `${formatStep(step, text)}${note}${edges === '' ? '' : ` ->${edges}`}\n`;
    })
    .join('');
}

/** The graph in Graphviz's language. */
export function formatDot(graph: FlowGraph, text: string): string {
  const lines = graph.steps.flatMap((step) => [
    `  ${step.id} [label=${JSON.stringify(formatStep(step, text))}];`,
    ...inReadingOrder(step.edges).map(({ to, label }) => `  ${step.id} -> ${to.id}${label === 'next' ? '' : ` [label="${label}"]`};`),
  ]);
  return `digraph {\n  node [shape=box];\n${lines.join('\n')}\n}\n`;
}

export function formatStep(step: Step, text: string): string {
  const details = detailsOf(step);
  const parts = [`${step.id}`, step.kind, ...(details === '' ? [] : [details]), `${step.node.loc.start.line}`];
  return [...parts, ...(showsSource(step) ? [`\`${excerpt(shownNode(step), text)}\``] : [])].join(' ');
}

/** Failures last. */
function inReadingOrder(edges: readonly Edge[]): readonly Edge[] {
  const rank = ({ label }: Edge): number => (label === 'throw' ? 2 : label === 'abandon' ? 1 : 0);
  return [...edges].sort((a, b) => rank(a) - rank(b));
}

function formatEdge({ to, label, enteredBy }: Edge): string {
  const guard = enteredBy === null ? '' : ` if ${enteredBy.id}`;
  return `${label === 'next' ? '' : `${label}:`}${to.id}${guard}`;
}

function detailsOf(step: Step): string {
  switch (step.kind) {
    case 'exit':
    case 'finally':
    case 'callback-end':
      return step.completion;
    case 'mark':
      return step.role;
    case 'call':
      return step.awaited ? 'awaited' : '';
    case 'await':
      return step.settles === step.node ? 'settle' : '';
    case 'condition':
      return step.asks;
    case 'assign':
      return step.takes === 'value' ? '' : step.takes;
    case 'function':
      return step.inlined ? 'inlined' : '';
    case 'entry':
    case 'yield':
    case 'iterate':
    case 'close':
    case 'return':
    case 'throw':
    case 'jump':
    case 'dispose':
    case 'callback-start':
    case 'detached':
    case 'catch':
      return '';
    default:
      return step satisfies never;
  }
}

function showsSource(step: Step): boolean {
  switch (step.kind) {
    case 'entry':
    case 'exit':
    case 'mark':
    case 'finally':
    case 'catch':
      return false;
    default:
      return true;
  }
}

function shownNode(step: Step): Node {
  return step.kind === 'condition' && step.asks === 'equals' ? step.test : step.node;
}

function excerpt(node: Node, text: string): string {
  const source = text.slice(node.range[0], node.range[1]).replace(/\s+/g, ' ');
  return source.length <= EXCERPT_LENGTH ? source : `${source.slice(0, EXCERPT_LENGTH - 1)}…`;
}

/** By edges alone: may hold more than a solver, which keeps the completions of shared finalizers apart, would reach. */
function reachableSteps(graph: FlowGraph): ReadonlySet<Step> {
  const reached = new Set<Step>([graph.entry]);
  for (const step of reached) for (const { to } of step.edges) reached.add(to);
  return reached;
}
