import type { TSESTree } from '@typescript-eslint/utils';
import type { Evaluator } from '../facts/evaluator.js';
import { within, type Helpers } from '../facts/summaries.js';
import { isFunction, memberName, unwrap, type FunctionNode } from '../source/ast.js';
import { analyse, type Analysis, type FileParts } from './analysis.js';
import type { Acquire, HeldLock } from './model.js';
import type { Recorder } from './recorder.js';
import { emptyState, type State, type Taken } from './state.js';

/** Calls that run a function again and again: timers, schedulers, listeners of events. */
const repeatingFunctions: ReadonlySet<string> = new Set(['setInterval', 'schedule', 'scheduleJob', 'every', 'cron', 'on', 'addListener', 'addEventListener', 'subscribe', 'process', 'consume']);

/** Does the file hand the function to something that runs it again and again, by itself or in a function that calls it? */
export function isRepeated(fn: FunctionNode, calls: readonly TSESTree.CallExpression[], helpers: Helpers, evaluator: Evaluator): boolean {
  return calls.some((call) => {
    const callee = unwrap(call.callee);
    const name = callee.type === 'Identifier' ? callee.name : callee.type === 'MemberExpression' ? memberName(callee) : null;
    // A function that sets a timer for itself comes back, too.
    const repeats = name !== null && (repeatingFunctions.has(name) || (name === 'setTimeout' && isInside(call, fn)));
    return repeats && call.arguments.some((argument) => runs(argument));
  });

  function runs(argument: TSESTree.Node): boolean {
    const node = unwrap(argument);
    if (node === fn) return true;
    if (isFunction(node)) return within(calls, node).some((call) => helpers.calledBy(call)?.function === fn);
    if (node.type !== 'Identifier' && node.type !== 'MemberExpression' && node.type !== 'CallExpression') return false;
    const value = evaluator.valueOf(node);
    return value.type === 'function' && value.node === fn;
  }
}

const isInside = (node: TSESTree.Node, fn: TSESTree.Node): boolean => node.range[0] > fn.range[0] && node.range[1] < fn.range[1];

/** Locks that a second run of the function takes while it holds them from the first, and what holds them. */
export function stackedBySecondRun(analysis: Analysis, parts: FileParts): ReadonlyMap<Acquire['query'], HeldLock> {
  const found = new Map<Acquire['query'], HeldLock>();
  const left = analysis.outcomes.filter(({ exit }) => exit === 'return').map(({ state }) => leftBehind(state)).filter((state) => state.locks.length > 0);
  if (left.length === 0) return found;
  const again = analyse(analysis.unit, parts, left);
  if (!again) return found;
  const transfer = again.listenWith({ ...deaf, stacked });
  function stacked(held: HeldLock, before: Taken): void {
    if (!before.doubtful) found.set(held.lock.query, before.held);
  }
  for (const step of again.graph.steps) {
    for (const state of again.solution.statesAt(step)) for (const edge of step.edges) transfer(step, state, edge);
  }
  return found;
}

/** What outlives a run: session locks on connections from outside, and fields. */
function leftBehind(state: State): State {
  const locks = state.locks.filter(({ held, doubtful, status, givenBack }) => held.origin === 'outside' && held.certain && !doubtful && status === 'held' && !givenBack && held.lock.operation.level === 'session');
  const variables = new Map([...state.variables].filter(([place]) => place.startsWith('this.') || place.startsWith('outer ')));
  return { ...emptyState, locks, variables };
}

const nothing = (): void => undefined;

const deaf: Recorder = { acquired: nothing, acquiredThrough: nothing, stacked: nothing, released: nothing, mismatch: nothing, gaveBack: nothing, usedPool: nothing, sent: nothing, endedEarly: nothing };
