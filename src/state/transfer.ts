import type { TSESTree } from '@typescript-eslint/utils';
import type { Event } from '../facts/events.js';
import type { Frame } from '../facts/frames.js';
import { disposerOf } from '../facts/summaries.js';
import type { Handle } from '../facts/values.js';
import type { Edge, FlowGraph, Step } from '../flow/model.js';
import type { FlowUnit } from '../flow/nodes.js';
import { isFunction, memberName, unwrap, type FunctionNode } from '../source/ast.js';
import type { Callee } from './abroad.js';
import type { FileParts, Plans } from './analysis.js';
import { createDecisions } from './decisions.js';
import { nullness, truthOf, type Known, type Truth } from './known.js';
import { connectionOf, withConnection, withLocks, type Surroundings } from './locks.js';
import { applyEvent, type Occasion } from './operations.js';
import { applyAfter, applyBefore, applyOutcome, type Application } from './outcomes.js';
import type { Places } from './places.js';
import type { Reader } from './reader.js';
import { createResultDisposal } from './spent-results.js';
import { withEntry, type Assumption, type State } from './state.js';

export type Transfer = (step: Step, state: State, edge: Edge) => readonly State[];

export interface TransferParts {
  readonly unit: FlowUnit;
  readonly graph: FlowGraph;
  readonly parts: FileParts;
  readonly plans: Plans;
  readonly places: Places;
  readonly reader: Reader;
  readonly around: Surroundings;
  /** Remembers a state in which the function's callback parameter is called. */
  readonly enter: (state: State) => number;
}

const storingMethods: ReadonlySet<string> = new Set(['set', 'push', 'add', 'unshift', 'resolve', 'addFinalizer', 'use', 'defer']);

/** What each step makes of a state, along each of its edges. */
export function createTransfer({ unit, graph, parts, plans, places, reader, around, enter }: TransferParts): Transfer {
  const { scopes, evaluated, events, helpers, inventory, escapes } = parts;
  const callOf = callsOfInlined(graph);
  const own = isFunction(unit) ? unit : null;
  const withoutUsedResults = createResultDisposal();
  // Only what other functions of the file call needs to tell them what it assumes.
  const isHelper = own !== null && helpers.isCalled(own) && inventory.endsSomething(own);
  const decide = createDecisions(scopes, places, reader, isHelper);
  return (step, state, edge) => {
    const current = state.results.size === 0 ? state : withoutUsedResults(state, step.node);
    return transfer(step, edge.label === 'throw' && step.kind !== 'throw' && step.kind !== 'callback-end' ? unanswered(current) : current, edge);
  };

  /** Something failed while a statement's answer was not waited for: whether it was the lock's is not known. */
  function unanswered(state: State): State {
    const after = withLocks(state, (taken) => (taken.pending && !taken.doubtful ? { ...taken, doubtful: true } : taken));
    // Where something else fails after a refusal, the path is not the refusal's own.
    return after.refused.length === 0 ? after : { ...after, refused: [] };
  }

  function transfer(step: Step, state: State, edge: Edge): readonly State[] {
    switch (step.kind) {
      case 'jump':
      case 'mark':
        return [withoutDeadVariables(state, step.node)];
      case 'call':
        return step.awaited ? [state] : settled(step.node, state, edge, true);
      case 'await':
        return step.settles === null ? [state] : settled(unwrap(step.settles), state, edge, false);
      case 'dispose':
        return disposed(step.node, state, edge);
      case 'assign':
        return [assigned(step.target, step.operator === '=' || step.operator.length === 3 ? assignedValue(step, state) : null, step.value, state)];
      case 'condition':
        return decide(step, withoutDeadVariables(state, step.test), edge);
      case 'return':
        return [returned(step, state)];
      case 'yield':
        return [step.node.argument ? escaped(step.node.argument, 'stored', state) : state];
      case 'catch':
        return [caught(state)];
      case 'callback-start':
        return callbackStarted(step, state);
      case 'callback-end':
        return callbackEnded(step, state);
      default:
        return [state];
    }
  }

  /** What is read no more tells no paths apart. */
  function withoutDeadVariables(state: State, node: TSESTree.Node): State {
    if (state.variables.size === 0 || node.type.endsWith('Function') || node.type.startsWith('Function')) return state;
    let { variables } = state;
    for (const place of variables.keys()) {
      const last = places.lastRead.get(place);
      if (last !== undefined && last <= node.range[0]) variables = withEntry(variables, place, null);
    }
    return variables === state.variables ? state : { ...state, variables };
  }

  function assignedValue({ value, takes }: Step & { kind: 'assign' }, state: State): Known | null {
    return value === null || takes === 'item' ? null : reader.read(value, state);
  }

  function assigned(target: TSESTree.Node, value: Known | null, expression: TSESTree.Node | null, state: State): State {
    const bound = reader.bind(target, value, withoutDeadVariables(state, target));
    return expression && isForeign(target) ? escaped(expression, 'stored', bound) : bound;
  }

  /** A member, or a variable of the code around: what is put there is not this function's own any more. */
  function isForeign(target: TSESTree.Node): boolean {
    const node = unwrap(target);
    if (node.type === 'MemberExpression') return true;
    const variable = node.type === 'Identifier' ? scopes.variableOf(node) : null;
    const [name] = variable?.identifiers ?? [];
    if (!name || unit.type === 'Program') return false;
    return (name.range[0] < unit.range[0] || name.range[1] > unit.range[1]) && ![...graph.inlined].some((fn) => name.range[0] >= fn.range[0] && name.range[1] <= fn.range[1]);
  }

  /** A call whose outcome shows here. */
  function settled(node: TSESTree.Node, state: State, edge: Edge, unawaited: boolean): readonly State[] {
    const failed = edge.label === 'throw';
    const here = events.of(node);
    const plan = plans.of(node);
    const occasion: Occasion = { call: node, failed, pending: unawaited && here.some(({ kind }) => kind === 'statement') && !isReturned(node), read: reader.read, lend };
    let states: readonly State[] = [unawaited ? state : answered(node, state, failed)];
    for (const event of here) states = states.flatMap((current) => applyEvent(current, event, occasion, around));
    if (!failed) states = states.map((current) => here.reduce(withKeysOf, current));
    if (edge.to.kind === 'callback-start' && edge.to.call === node) {
      return plan?.kind === 'driver' && plan.events.errorFirst ? states.flatMap((current) => errorFirst(node, current, failed, occasion)) : states;
    }
    const frame = helpers.calledBy(node);
    if (frame) return states.flatMap((current) => helped(node, frame, current, edge, unawaited));
    states = states.map((current) => calledParameter(node, current, failed));
    return here.length > 0 || plan ? states : states.map((current) => unseenCall(node, current));
  }

  /** A lock was asked for on the key, so there is one: `if (key) …` and `if (key !== null) …` say nothing new. */
  function withKeysOf(state: State, event: Event): State {
    if (event.kind !== 'statement') return state;
    let { variables } = state;
    for (const { operation, boundValue } of event.alternatives.flatMap(({ query }) => query.locks)) {
      if (operation.action !== 'acquire' && operation.action !== 'try') continue;
      for (const key of operation.keys) {
        const value = boundValue(key);
        const place = value && reader.placeOf(value);
        if (place && places.kept.has(place) && !variables.has(place)) variables = withEntry(variables, place, { kind: 'truthy', tells: null });
      }
    }
    return variables === state.variables ? state : { ...state, variables };
  }

  /** Somebody waits: whatever was sent without waiting has its answer, or one of them has not succeeded. */
  function answered(node: TSESTree.Node, state: State, failed: boolean): State {
    const isCaughtElsewhere = node.type === 'CallExpression' && node.callee.type === 'MemberExpression' && memberName(node.callee) === 'catch' && !failed;
    const after = isCaughtElsewhere ? caught(state) : state;
    return withLocks(after, (taken) => (taken.pending ? { ...taken, pending: false } : taken));
  }

  function errorFirst(node: TSESTree.Node, state: State, failed: boolean, occasion: Occasion): readonly State[] {
    const plan = plans.of(node);
    if (plan?.kind !== 'driver') return [state];
    const [error, result] = plan.events.function.params;
    let after = error ? reader.bind(error, failed ? { kind: 'truthy', tells: null } : { kind: 'constant', value: null, tells: null }, state) : state;
    // Who gets the error may look at it or not; no claim is made of an unlock that failed so.
    if (failed) return [withLocks(after, (taken) => (taken.status === 'failing' ? { ...taken, doubtful: true } : taken))];
    const value = after.results.get(node) ?? (plan.events.before.some(({ kind }) => kind === 'take') ? { kind: 'truthy' as const, tells: null } : null);
    if (result) after = reader.bind(result, value, after);
    return plan.events.before.reduce<readonly State[]>((states, event) => states.flatMap((current) => applyEvent(current, event, occasion, around)), [after]);
  }

  function callbackStarted(step: Step & { kind: 'callback-start' }, state: State): readonly State[] {
    const call = unwrap(step.call);
    if (isRejectionHandler(call, step.node)) return [caught(state)];
    const plan = plans.of(call);
    if (!plan) return [state];
    if (plan.kind === 'driver') {
      return plan.events.errorFirst ? [state] : applyAll(plan.events.before, call, state, false);
    }
    const application = applicationOf(plan.frame, call);
    return plan.callee.entered.map((entered, index) => {
      const after = applyBefore(state, entered, application);
      return { ...after, running: withEntry(after.running, call, index) };
    });
  }

  function callbackEnded(step: Step & { kind: 'callback-end' }, state: State): readonly State[] {
    const call = unwrap(step.call);
    const plan = plans.of(call);
    if (!plan || isRejectionHandler(call, step.node)) return [state];
    if (plan.kind === 'driver') return applyAll(step.completion === 'return' ? plan.events.afterReturn : plan.events.afterThrow, call, state, false);
    const index = state.running.get(call);
    const entered = index === undefined ? undefined : plan.callee.entered[index];
    const over = { ...state, running: withEntry(state.running, call, null) };
    if (!entered) return [over];
    const endings = plan.callee.outcomes.filter(({ phase }) => phase !== null && phase.entered === index && phase.ended === step.completion);
    const usual = endings.filter(({ exit }) => exit === step.completion);
    const application = applicationOf(plan.frame, call);
    const chosen = usual.length > 0 ? usual : endings;
    if (chosen.length === 0) return [withLocks(over, (taken) => (taken.around === call ? null : taken))];
    return chosen.map((outcome) => applyAfter(over, entered, outcome, application));
  }

  function applyAll(list: readonly Parameters<typeof applyEvent>[1][], call: TSESTree.Node, state: State, failed: boolean): readonly State[] {
    const occasion: Occasion = { call, failed, pending: false, read: reader.read, lend };
    return list.reduce<readonly State[]>((states, event) => states.flatMap((current) => applyEvent(current, event, occasion, around)), [state]);
  }

  function applicationOf(frame: Frame, call: TSESTree.Node): Application {
    const released = inventory.releasesIn(frame.function).map((release) => ({ handle: events.backends.through(release.handle, frame), lock: release.lock }));
    return {
      frame,
      call,
      around,
      lend,
      holds: (place, assumption, state) => holds(frame, place, assumption, state),
      assign: (place, value, state) => {
        const here = sharedPlace(place);
        if (here.startsWith('this.') && !isOnThis(frame)) return state;
        return places.kept.has(here) ? { ...state, variables: withEntry(state.variables, here, value) } : state;
      },
      mayRelease: (held) => released.some(({ handle }) => events.backends.relation(handle, held.handle) !== 'different'),
    };
  }

  /** The name in this function of a variable that a function inside it knows as an outer one. */
  function sharedPlace(place: string): string {
    const own = place.replace(/^outer /, 'own ');
    return places.kept.has(own) ? own : place;
  }

  function holds(frame: Frame, place: string, { truth, test }: Assumption, state: State): Truth {
    const argument = place.startsWith('own ') ? evaluated.frames.argumentFor(test, [frame]) : null;
    const isOther = place.startsWith('this.') && !isOnThis(frame);
    const known = argument ? (argument.node === test ? null : reader.read(argument.node, state)) : isOther ? null : state.variables.get(sharedPlace(place));
    const found = truthOf(known ?? null);
    return found === 'unknown' ? 'unknown' : found === truth ? 'true' : 'false';
  }

  /** A helper was called. */
  function helped(node: TSESTree.Node, frame: Frame, state: State, edge: Edge, unawaited: boolean): readonly State[] {
    const failed = edge.label === 'throw';
    const plan = plans.of(node);
    const callee = calleeAt(frame);
    const isDetached = unawaited && frame.function.async && isStatement(node);
    if (!callee || isDetached || callee.outcomes.length === 0) return [calledParameter(node, unseenCall(node, state), failed)];
    const exit = failed ? 'throw' : 'return';
    const outcomes = callee.outcomes.filter((outcome) => outcome.exit === exit && (plan === null || outcome.phase === null));
    const application = applicationOf(frame, node);
    recordHelper(callee, frame, node, state);
    const before = own && helpers.parameterCalledBy(node, own) ? callee.entered[0] : undefined;
    const parameter = own && before ? helpers.parameterCalledBy(node, own) : null;
    const entered = before && parameter ? enter(applyBefore(state, before, application)) : null;
    return outcomes.flatMap((outcome) => {
      const after = applyOutcome(state, outcome, application);
      if (!after) return [];
      if (entered === null || !parameter || outcome.phase === null) return after;
      return { ...after, phase: { parameter, entered, ended: outcome.phase.ended } };
    });
  }

  /** What a helper asks of pools, and what it sends, stands for its call. */
  function recordHelper({ unit: helper }: Callee, frame: Frame, node: TSESTree.Node, state: State): void {
    const { recorder } = around;
    if (!recorder || state.locks.length === 0) return;
    for (const { pool, query } of inventory.poolUsesIn(helper)) recorder.usedPool(node, events.backends.through(pool, frame), query && parts.abroad.queryOf(query, frame), state);
    for (const { query, handle } of inventory.statementsIn(helper)) recorder.sent(node, parts.abroad.queryOf(query, frame), events.backends.through(handle, frame), state);
  }

  function calleeAt(frame: Frame): Callee | null {
    const analysis = parts.analysisOf(frame.function);
    return analysis && parts.abroad.calleeOf(analysis, frame);
  }

  /** `fn()` in `withLock(key, fn)`: what is held here is held while the caller's function runs. */
  function calledParameter(node: TSESTree.Node, state: State, failed: boolean): State {
    const parameter = own && helpers.parameterCalledBy(node, own);
    if (!parameter || helpers.calledBy(node)) return state;
    return { ...state, phase: { parameter, entered: enter({ ...state, phase: null }), ended: failed ? 'throw' : 'return' } };
  }

  function isStatement(node: TSESTree.Node): boolean {
    const parent = node.parent;
    return parent?.type === 'ExpressionStatement' || (parent?.type === 'UnaryExpression' && parent.operator === 'void');
  }

  /** A call that is not looked into: it may do anything with what it is given. */
  function unseenCall(node: TSESTree.Node, state: State): State {
    if (state.connections.size === 0 && state.locks.length === 0) return state;
    if (node.type === 'NewExpression') {
      const value = evaluated.evaluator.valueOf(node);
      return value.type === 'object' ? state : node.arguments.reduce((after, argument) => escaped(argument, 'stored', after), state);
    }
    if (node.type !== 'CallExpression' || evaluated.evaluator.meaningOf(node) !== null) return state;
    const callee = unwrap(node.callee);
    const method = callee.type === 'MemberExpression' ? memberName(callee) : callee.type === 'Identifier' ? callee.name : null;
    if (method !== null && storingMethods.has(method)) return node.arguments.reduce((after, argument) => escaped(argument, 'stored', after), state);
    return node.arguments.reduce((after, argument) => {
      const fn = unwrap(argument);
      if (isFunction(fn)) {
        if (graph.inlined.has(fn)) return after;
        return inventory.endsSomething(fn) ? escaped(fn, 'stored', after) : after;
      }
      if (fn.type === 'CallExpression' || fn.type === 'TaggedTemplateExpression') return after;
      const named = functionNamedBy(fn);
      if (named && inventory.endsSomething(named)) return escaped(fn, 'stored', after);
      return escapes.handlesIn(argument).reduce((lent, handle) => lend(lent, handle), after);
    }, state);
  }

  function functionNamedBy(node: TSESTree.Node): FunctionNode | null {
    const value = evaluated.evaluator.valueOf(node);
    const named = value.type === 'elsewhere' ? value.of : value;
    return named.type === 'function' ? named.node : null;
  }

  function lend(state: State, handle: Handle): State {
    const { backends } = events;
    const after = withLocks(state, (taken) =>
      !taken.doubtful && backends.relation(taken.held.handle, handle) === 'same' && taken.held.unlocks.length === 0 ? { ...taken, doubtful: true } : taken,
    );
    const connection = connectionOf(after, handle, events);
    const isOwn = handle.role === 'transaction' || inventory.handlesTransactions(unit, handle);
    const change = { ...(isOwn ? {} : { transaction: 'unknown' as const }), ...(connection.timeout === 'not-set' ? { timeout: 'unknown' as const } : {}) };
    const known = withConnection(after, handle, change, events);
    const id = backends.idOf(handle);
    return connection.origin === 'outside' && !known.lent.includes(id) ? { ...known, lent: [...known.lent, id] } : known;
  }

  function escaped(expression: TSESTree.Node, status: 'returned' | 'stored', state: State): State {
    if (state.connections.size === 0) return state;
    return escapes.handlesIn(expression).reduce((after, handle) => {
      const connection = after.connections.get(events.backends.idOf(handle));
      return connection?.status === 'open' && connection.origin === 'here' ? withConnection(after, handle, { status }, events) : after;
    }, state);
  }

  function returned({ argument, owner }: Step & { kind: 'return' }, state: State): State {
    const value = argument && reader.read(argument, state);
    if (owner !== unit) {
      const call = callOf.get(owner);
      return call && value ? { ...state, results: withEntry(state.results, call, value) } : state;
    }
    if (!argument) return state;
    const after = escaped(argument, 'returned', state);
    return { ...after, variables: withEntry(after.variables, 'return', value) };
  }

  function disposed(node: TSESTree.VariableDeclarator, state: State, edge: Edge): readonly State[] {
    const value = reader.read(node.id, state);
    if (nullness(value) === 'true') return edge.label === 'throw' ? [] : [state];
    const here = events.of(node);
    if (here.length > 0) return applyAll(here, node, state, edge.label === 'throw');
    const disposer = disposerOf(evaluated.evaluator.valueOf(node.id), evaluated.evaluator, node);
    const site = node.init && unwrap(node.init.type === 'AwaitExpression' ? node.init.argument : node.init);
    if (!disposer || (site?.type !== 'CallExpression' && site?.type !== 'NewExpression')) return [state];
    const frame = { function: disposer, call: site };
    const callee = calleeAt(frame);
    if (!callee) return [state];
    const exit = edge.label === 'throw' ? 'throw' : 'return';
    const application = applicationOf(frame, node);
    return callee.outcomes.filter((outcome) => outcome.exit === exit).flatMap((outcome) => applyOutcome(state, outcome, application) ?? []);
  }

  /** A rejection stops here: an unlock that failed has failed for good, and the path goes on. */
  function caught(state: State): State {
    const after = withLocks(state, (taken) => (taken.status === 'failing' ? { ...taken, status: 'failed' } : taken));
    if (!after.unmatched.some(({ outcome }) => outcome === 'failing')) return after;
    return { ...after, unmatched: after.unmatched.map((release) => (release.outcome === 'failing' ? { ...release, outcome: 'failed' } : release)) };
  }
}

/** Are the fields of the called method's object those of the caller's own? */
function isOnThis({ call }: Frame): boolean {
  const callee = unwrap(call.callee);
  const object = callee.type === 'MemberExpression' ? unwrap(callee.object) : null;
  return object === null || object.type === 'ThisExpression' || object.type === 'Super';
}

function callsOfInlined(graph: FlowGraph): ReadonlyMap<TSESTree.Node, TSESTree.Node> {
  const calls = new Map<TSESTree.Node, TSESTree.Node>();
  for (const step of graph.steps) if (step.kind === 'callback-start') calls.set(step.node, unwrap(step.call));
  return calls;
}

function isRejectionHandler(call: TSESTree.Node, fn: TSESTree.Node): boolean {
  if (call.type !== 'CallExpression' || call.callee.type !== 'MemberExpression') return false;
  const name = memberName(call.callee);
  const index = call.arguments.findIndex((argument) => unwrap(argument) === fn);
  return (name === 'catch' && index === 0) || (name === 'then' && index === 1);
}

function isReturned(node: TSESTree.Node): boolean {
  const { parent } = node;
  return parent?.type === 'ReturnStatement' || (parent?.type === 'ArrowFunctionExpression' && parent.body === node);
}
