import type { TSESTree } from '@typescript-eslint/utils';
import type { Step } from '../flow/model.js';
import type { WitnessStep } from '../flow/solve.js';
import { unwrap } from '../source/ast.js';
import type { HeldLock, PathStep } from './model.js';
import type { State } from './state.js';

export type Path = readonly WitnessStep<State>[];

/** Tells a path in words: where the lock is taken, where it fails, where it ends. */
export interface Teller {
  /** Of a path that ends at an exit. */
  toExit(path: Path, held: HeldLock): readonly PathStep[];
  /** Of a path that ends at some step, with that step last. */
  toStep(path: Path, held: HeldLock, node: TSESTree.Node, text: string): readonly PathStep[];
  /** The statement by which the path ends, or the call that fails. */
  endOf(path: Path, unit: TSESTree.Node): TSESTree.Node;
  /** What fails on the path after the lock was taken. */
  failureOf(path: Path, held: HeldLock): TSESTree.Node | null;
  name(node: TSESTree.Node): string;
}

const line = (node: TSESTree.Node): number => node.loc.start.line;

/** Longer spellings of calls are cut in messages. */
const nameLimit = 40;

export function createTeller(text: string): Teller {
  return { toExit, toStep, endOf, failureOf, name };

  function name(node: TSESTree.Node): string {
    const call = unwrap(node.type === 'AwaitExpression' ? node.argument : node);
    const callee = call.type === 'CallExpression' || call.type === 'NewExpression' ? call.callee : call.type === 'TaggedTemplateExpression' ? call.tag : call;
    const written = text.slice(callee.range[0], callee.range[1]).replace(/\s+/g, '');
    return written.length > nameLimit ? `…${written.slice(-nameLimit + 10)}` : written;
  }

  function takenAt(path: Path, held: HeldLock): readonly PathStep[] {
    const isHeld = ({ state }: WitnessStep<State>): boolean => state.locks.some((taken) => taken.held === held) || state.lost.some((taken) => taken.held === held);
    const at = path.findLastIndex((step, index) => isHeld(step) && index > 0 && !isHeld(path[index - 1] ?? step));
    return at < 0 ? [] : [{ node: held.call, text: `\`${held.lock.operation.name}\` is taken on line ${line(held.call)}` }];
  }

  function toStep(path: Path, held: HeldLock, node: TSESTree.Node, words: string): readonly PathStep[] {
    return [...takenAt(path, held), { node, text: words }];
  }

  function toExit(path: Path, held: HeldLock): readonly PathStep[] {
    const events: { readonly at: number; readonly step: PathStep }[] = [];
    const isGivenBack = ({ state }: WitnessStep<State>): boolean => state.locks.some((taken) => taken.held === held && taken.givenBack !== null);
    const back = path.at(-1)?.state.locks.find((taken) => taken.held === held)?.givenBack;
    if (back) events.push({ at: path.findIndex(isGivenBack), step: { node: back.call, text: `\`${name(back.call)}\` on line ${line(back.call)} gives the connection back` } });
    const thrown = path.findLast(({ edge }) => edge?.label === 'throw');
    const isThrow = path.at(-1)?.step.kind === 'exit' && isThrowExit(path.at(-1)?.step);
    if (thrown && (isThrow || !back)) {
      const failing = firstThrow(path) ?? thrown;
      const { step } = failing;
      const words = step.kind === 'throw' ? `line ${line(step.node)} throws` : `\`${name(step.node)}\` on line ${line(step.node)} throws`;
      events.push({ at: path.indexOf(failing), step: { node: step.node, text: words } });
    }
    // A finalizer gives back after the failure that it runs for.
    const found = [...takenAt(path, held), ...events.sort((one, other) => one.at - other.at).map(({ step }) => step)];
    if (!isThrow) {
      const end = path.findLast(({ step }) => step.kind === 'return');
      found.push(end ? { node: end.step.node, text: `the function returns on line ${line(end.step.node)}` } : { node: path.at(-1)?.step.node ?? held.call, text: 'the function ends' });
    }
    return found;
  }

  function failureOf(path: Path, held: HeldLock): TSESTree.Node | null {
    const taken = path.findIndex(({ state }) => state.locks.some((other) => other.held === held));
    const failures = path.slice(Math.max(taken, 0)).flatMap(({ step, edge }) => (edge?.label === 'throw' && step.kind !== 'callback-end' ? [step.node] : []));
    // What a handler throws on has failed before.
    while (failures.length > 1 && isRethrow(failures.at(-1))) failures.pop();
    return failures.at(-1) ?? null;
  }

  /** The failure that set the path on its way out: finalizers run after it. */
  function firstThrow(path: Path): WitnessStep<State> | undefined {
    let last: WitnessStep<State> | undefined;
    for (const step of path) {
      if (step.edge?.label === 'throw' && step.step.kind !== 'callback-end') last = step;
    }
    return last;
  }

  function endOf(path: Path, unit: TSESTree.Node): TSESTree.Node {
    if (isThrowExit(path.at(-1)?.step)) return firstThrow(path)?.step.node ?? unit;
    const end = path.findLast(({ step }) => step.kind === 'return' && step.owner === unit);
    return end ? end.step.node : unit;
  }
}

const isThrowExit = (step: Step | undefined): boolean => step?.kind === 'exit' && step.completion === 'throw';

/** `catch (error) { …; throw error; }` */
function isRethrow(node: TSESTree.Node | undefined): boolean {
  if (node?.type !== 'ThrowStatement' || node.argument.type !== 'Identifier') return false;
  for (let outer: TSESTree.Node | undefined = node.parent; outer; outer = outer.parent) {
    if (outer.type === 'CatchClause') return outer.param?.type === 'Identifier' && outer.param.name === node.argument.name;
  }
  return false;
}
