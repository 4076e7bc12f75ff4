import type { TSESTree } from '@typescript-eslint/utils';
import type { CallbackEvents, Events } from '../facts/events.js';
import type { Evaluation } from '../facts/evaluation.js';
import type { CallMeaning } from '../facts/evaluator.js';
import type { Frame } from '../facts/frames.js';
import { within, type Helpers } from '../facts/summaries.js';
import type { QueryLock } from '../facts/query.js';
import type { Handle } from '../facts/values.js';
import { buildGraph } from '../flow/graph.js';
import type { FlowGraph, InlineCallback } from '../flow/model.js';
import type { FlowUnit } from '../flow/nodes.js';
import { solve, type Solution } from '../flow/solve.js';
import { isFunction, isInside, memberName, unwrap, type FunctionNode } from '../source/ast.js';
import type { Scopes, Variable } from '../source/scope.js';
import type { Abroad, Callee } from './abroad.js';
import type { Escapes } from './escapes.js';
import type { Inventory } from './inventory.js';
import { createReader, type Reader } from './reader.js';
import { connectionOf, type Surroundings } from './locks.js';
import type { HeldLock } from './model.js';
import type { Outcome } from './outcomes.js';
import { placesOf, type Places } from './places.js';
import type { Recorder } from './recorder.js';
import { createStateKey, emptyState, type Numbering, type State } from './state.js';
import { createTransfer, type Transfer } from './transfer.js';

/** What all functions of a file share. */
export interface FileParts {
  readonly scopes: Scopes;
  readonly evaluated: Evaluation;
  readonly events: Events;
  readonly helpers: Helpers;
  readonly inventory: Inventory;
  readonly escapes: Escapes;
  readonly abroad: Abroad;
  readonly numbering: Numbering;
  /** The analysis of a helper; null while it is running, for a recursive one, or when nothing is known of its paths. */
  analysisOf(unit: FlowUnit): Analysis | null;
}

/** A call whose callback runs as part of the caller's graph. */
export type Plan =
  | { readonly kind: 'driver'; readonly inline: InlineCallback; readonly events: CallbackEvents }
  | { readonly kind: 'helper'; readonly inline: InlineCallback; readonly frame: Frame; readonly callee: Callee };

/** One function, solved: its graph, the states at its steps, and how it may end. */
export interface Analysis {
  readonly unit: FlowUnit;
  readonly graph: FlowGraph;
  readonly solution: Solution<State>;
  readonly outcomes: readonly Outcome[];
  /** The states in which the function's parameter is called as a callback. */
  readonly entered: readonly State[];
  readonly locks: readonly HeldLock[];
  /** The transfer once more, with an ear on what happens. */
  readonly listenWith: (recorder: Recorder) => Transfer;
}

/** More ways to end than this, and callers count the helper as out of sight. */
const maximumOutcomes = 24;

/** `initial`: what is so when the function begins; nothing is known by default. */
export function analyse(unit: FlowUnit, parts: FileParts, initial: readonly State[] = [emptyState]): Analysis | null {
  const { scopes, events, numbering } = parts;
  const plans = createPlans(unit, parts);
  const graph = buildGraph(unit, {
    isGlobal: (identifier) => scopes.variableOf(identifier) === null,
    inlineCallback: (call) => plans.of(call)?.inline ?? null,
    throws: (node) => (isQuiet(node, events, parts) ? 'never' : undefined),
  });
  if (graph.kind === 'too-large') return null;
  // Names say which variables outlive a run of the function.
  const nameOfVariable = (variable: Variable): string => {
    const [name] = variable.identifiers;
    const isOwn = name !== undefined && isInside(name, unit);
    return `${isOwn ? 'own' : 'outer'} ${numbering.of(variable)}`;
  };
  const register = createRegister(unit, parts);
  const reader: Reader = createReader(scopes, (place) => places.kept.has(place), nameOfVariable, (call) => events.of(call).some(({ kind }) => kind === 'take'));
  const places: Places = placesOf(graph, scopes, reader.placeOf, giveBackArguments(graph, events));
  const keyOf = createStateKey();
  const entered: State[] = [];
  const enteredKeys = new Map<string, number>();
  const enter = (state: State): number => {
    const key = keyOf(state);
    const known = enteredKeys.get(key);
    if (known !== undefined) return known;
    enteredKeys.set(key, entered.length);
    entered.push(state);
    return entered.length - 1;
  };
  const transferWith = (recorder: Recorder | null): Transfer => {
    const around: Surroundings = { events, recorder, heldLock: register.heldLock };
    return createTransfer({ unit, graph, parts, plans, places, reader, around, enter });
  };
  const transfer = transferWith(null);
  const solution = solve(graph, { initial, key: keyOf, transfer, maxStates: 64, join: (one) => ({ ...emptyState, connections: one.connections, variables: new Map() }) });
  if (solution.kind === 'unknown') return null;
  const outcomes = (['return', 'throw'] as const).flatMap((exit) =>
    solution.statesAt(graph.exits[exit]).map((state): Outcome => ({ exit, state, value: state.variables.get('return') ?? null, phase: state.phase })),
  );
  return { unit, graph, solution, outcomes: outcomes.length > maximumOutcomes ? [] : outcomes, entered, locks: register.all, listenWith: transferWith };
}

function createRegister(unit: FlowUnit, { events, inventory }: FileParts) {
  const { backends, keys } = events;
  const known = new Map<QueryLock, Map<TSESTree.Node, HeldLock>>();
  const all: HeldLock[] = [];
  return { heldLock, all };

  function heldLock(lock: QueryLock, call: TSESTree.Node, handle: Handle, frames: readonly Frame[], state: State): HeldLock {
    const byCall = known.get(lock) ?? new Map<TSESTree.Node, HeldLock>();
    known.set(lock, byCall);
    const found = byCall.get(call);
    if (found) return found;
    const key = keys.keyOf(lock, frames);
    const held = {
      lock,
      call,
      helper: frames.at(-1)?.function ?? null,
      handle,
      origin: connectionOf(state, handle, events).origin,
      key,
      certain: isCertain(lock, handle),
      get unlocks() {
        return unlocksFor(lock, handle, key);
      },
    };
    byCall.set(call, held);
    all.push(held);
    return held;
  }

  function unlocksFor(lock: QueryLock, handle: Handle, key: HeldLock['key']): readonly QueryLock[] {
    return inventory.releasesIn(unit).flatMap((release) => {
      if (backends.relation(release.handle, handle) === 'different' || lock.operation.level !== 'session') return [];
      if (release.lock.operation.action === 'release-all') return [release.lock];
      return keys.compare(key, keys.keyOf(release.lock, release.frames)).is === 'different' ? [] : [release.lock];
    });
  }
}

/** The statement takes exactly this one lock whenever it runs, on one session. */
function isCertain({ operation, query }: QueryLock, { role }: Handle): boolean {
  if (role !== 'connection' && role !== 'transaction' && role !== 'single') return false;
  if (operation.guarded || operation.aggregated || query.sent !== 'always' || query.mayJoinBatch) return false;
  const isPlain = ['select', 'perform', 'values', 'from', 'expression'].includes(operation.clause);
  const reads = operation.query?.hasFrom === true && operation.clause !== 'from';
  const isNested = operation.query !== null && (operation.query.cte !== null || operation.query.sublink !== null);
  return isPlain && !reads && !isNested;
}

export interface Plans {
  of(call: TSESTree.Node): Plan | null;
}

function createPlans(unit: FlowUnit, parts: FileParts): Plans {
  const { events, helpers, abroad, analysisOf } = parts;
  const memo = new Map<TSESTree.Node, Plan | null>();
  return { of };

  function of(call: TSESTree.Node): Plan | null {
    if (call.type !== 'CallExpression' && call.type !== 'NewExpression') return null;
    const known = memo.get(call);
    if (known !== undefined) return known;
    const plan = planFor(call);
    memo.set(call, plan);
    return plan;
  }

  function planFor(call: TSESTree.CallExpression | TSESTree.NewExpression): Plan | null {
    const driver = events.callbackOf(call);
    if (driver) {
      if (driver.function === unit) return null;
      // What matters to no connection need not be in the graph.
      const matters = driver.before.length > 0 || helpers.isRelevant(driver.function);
      return matters ? { kind: 'driver', inline: inlined(driver.function, driver.when, driver.synchronous), events: driver } : null;
    }
    const helped = helpers.callbackOf(call);
    if (!helped || helped.function === unit || !helpers.isRelevant(helped.function)) return null;
    const analysis = analysisOf(helped.frame.function);
    if (!analysis || analysis.entered.length === 0) return null;
    const mayPass = analysis.outcomes.some(({ exit, phase }) => exit === 'return' && phase === null);
    return { kind: 'helper', inline: inlined(helped.function, mayPass ? 'maybe' : 'fulfilled', false), frame: helped.frame, callee: abroad.calleeOf(analysis, helped.frame) };
  }
}

const inlined = (fn: FunctionNode, when: InlineCallback['when'], synchronous: boolean): InlineCallback => ({ function: fn, when, synchronous });

const logMethods: ReadonlySet<string> = new Set(['log', 'info', 'warn', 'error', 'debug', 'trace', 'verbose', 'fatal', 'silly', 'notice', 'success', 'child']);

const listenerMethods: ReadonlySet<string> = new Set(['on', 'once', 'off', 'addListener', 'removeListener', 'removeAllListeners', 'unref', 'ref']);

/** Calls that ordinary code need not survive: a give-back, a listener's registration, a line in the log. */
function isQuiet(node: TSESTree.Node, events: Events, parts: FileParts): boolean {
  const { evaluated } = parts;
  // Arrays and other collections give their items without fail.
  if (node.type === 'ForOfStatement') return !node.await;
  const here = events.of(node);
  if (here.length > 0) return here.every(({ kind }) => kind === 'give-back');
  if (node.type !== 'CallExpression' && node.type !== 'TaggedTemplateExpression') return false;
  if (isPartOfUnlock(node, events, parts)) return true;
  const meaning = evaluated.evaluator.meaningOf(node);
  if (meaning && isBuilding(meaning)) return true;
  if (node.type !== 'CallExpression') return false;
  const callee = unwrap(node.callee);
  if (callee.type !== 'MemberExpression') return false;
  if (evaluated.evaluator.valueOf(callee.object).type === 'export') return true;
  const method = memberName(callee);
  if (method !== null && logMethods.has(method) && isLogger(callee.object)) return true;
  return meaning?.call.effect?.does === 'listens' || (method !== null && listenerMethods.has(method));
}

/** `unlock(keyOf(name))`: what makes the key has made it before, for the lock. */
function isPartOfUnlock(node: TSESTree.Node, events: Events, { helpers, inventory }: FileParts): boolean {
  let ancestor = node.parent;
  for (; ancestor && !ancestor.type.endsWith('Statement') && ancestor.type !== 'VariableDeclaration' && !isFunction(ancestor); ancestor = ancestor.parent) {
    const unlocks = events.of(ancestor).some((event) => event.kind === 'statement' && event.alternatives.some(({ query }) => query.locks.some(({ operation }) => operation.action === 'release')));
    if (unlocks) return true;
    const frame = helpers.calledBy(ancestor);
    if (frame && inventory.releasesIn(frame.function).length > 0) return true;
  }
  return false;
}

/** Makes a piece of SQL, or a statement that something else sends: `` sql`…` `` before `.execute(db)`. */
function isBuilding({ call }: CallMeaning): boolean {
  if (call.effect || call.usesConnection || call.callback || call.resolves !== undefined) return false;
  return call.sends === undefined ? call.fragment !== undefined || call.gives !== undefined || call.clause !== undefined : call.sends.lazy !== undefined;
}

function isLogger(object: TSESTree.Node): boolean {
  const node = unwrap(object);
  const name = node.type === 'Identifier' ? node.name : node.type === 'MemberExpression' ? (memberName(node) ?? '') : '';
  return /^#?_?(?:log|logger|\w+log|\w+logger)$/i.test(name);
}

function giveBackArguments(graph: FlowGraph, events: Events): readonly TSESTree.Node[] {
  const unit = graph.unit;
  return within(events.places, unit).flatMap((place) =>
    events.of(place).flatMap((event) => (event.kind === 'give-back' && typeof event.destroys === 'object' ? [event.destroys.argument] : [])),
  );
}
