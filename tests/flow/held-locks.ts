import { formatStep } from '../../src/flow/format.js';
import type { FlowGraph, Step } from '../../src/flow/model.js';
import { unwrapChain } from '../../src/flow/nodes.js';
import type { Node } from '../../src/flow/nodes.js';
import { solve } from '../../src/flow/solve.js';
import type { FlowAnalysis, WitnessStep } from '../../src/flow/solve.js';

/** A lock of the toy domain: `tried` is one whose `tryAcquire()` has been answered, by a variable or not, and not yet tested. */
type Lock = 'free' | 'held' | 'tried';

interface State {
  readonly lock: Lock;
  /** The variable that holds the answer of `tryAcquire()`. */
  readonly answer: string | null;
}

const FREE: State = { lock: 'free', answer: null };

const ANALYSIS: FlowAnalysis<State> = {
  initial: [FREE],
  key: ({ lock, answer }) => `${lock} ${answer ?? ''}`,
  transfer: (step, state, { label }) => {
    const effect = label === 'throw' ? '' : effectOf(step);
    if (effect === 'acquire') return [{ lock: 'held', answer: null }];
    if (effect === 'tryAcquire') return [{ lock: 'tried', answer: null }];
    // What may happen to a lock whose release fails is not this function's business.
    if (effect === 'release' || (label === 'throw' && effectOf(step) === 'release')) return [FREE];
    if (step.kind === 'assign' && state.lock === 'tried' && nameOf(step.target) !== '') {
      return [{ lock: 'tried', answer: nameOf(step.target) }];
    }
    if (step.kind !== 'condition' || step.asks !== 'truthy' || state.lock !== 'tried') return [state];
    const isAnswer = state.answer === null ? callName(step.test) === 'tryAcquire' : nameOf(step.test) === state.answer;
    if (!isAnswer) return [state];
    return [label === 'true' ? { lock: 'held', answer: null } : FREE];
  },
};

/** A call has its effect when it is done: where it is waited for, if it is. */
function effectOf(step: Step): string {
  if (step.kind === 'call') return step.awaited ? '' : callName(step.node);
  return step.kind === 'await' && step.settles !== null ? callName(step.settles) : '';
}

function callName(node: Node): string {
  const inner = node.type === 'AwaitExpression' ? node.argument : node;
  const call = unwrapChain(inner);
  return call.type === 'CallExpression' ? nameOf(call.callee) : '';
}

function nameOf(node: Node): string {
  return node.type === 'Identifier' ? node.name : '';
}

export interface Leak {
  readonly exit: 'return' | 'throw';
  /** The path, from the acquire to the exit. */
  readonly path: readonly string[];
}

/** Where the lock of the toy domain may be held when the unit ends. */
export function leaksOf(graph: FlowGraph, text: string): readonly Leak[] {
  const solution = solve(graph, ANALYSIS);
  if (solution.kind !== 'solved') throw new Error('Not solved.');
  return (['return', 'throw'] as const).flatMap((exit) =>
    solution
      .statesAt(graph.exits[exit])
      .filter(({ lock }) => lock !== 'free')
      .map((state) => ({ exit, path: describe(solution.witness(graph.exits[exit], state) ?? [], text) })),
  );
}

function describe(witness: readonly WitnessStep<State>[], text: string): readonly string[] {
  const held = witness.filter(({ step, state, edge }) => (state.lock !== 'free' || isAcquire(step, edge?.label)) && isShown(step));
  return held.map(({ step, edge }) => {
    const source = formatStep(step, text).replace(/^\d+ /, '');
    return edge === null || edge.label === 'next' ? source : `${source} ${edge.label}`;
  });
}

function isAcquire(step: Step, label: string | undefined): boolean {
  return label !== 'throw' && ['acquire', 'tryAcquire'].includes(effectOf(step));
}

function isShown(step: Step): boolean {
  return step.kind !== 'mark' && step.kind !== 'call' && step.kind !== 'function';
}
