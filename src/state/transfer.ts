import type { TSESTree } from '@typescript-eslint/utils';
import type { Frame } from '../facts/frames.js';
import { disposerOf } from '../facts/summaries.js';
import type { Handle } from '../facts/values.js';
import type { Edge, FlowGraph, Step } from '../flow/model.js';
import type { FlowUnit } from '../flow/nodes.js';
import { isFunction, memberName, unwrap } from '../source/ast.js';
import type { Analysis, FileParts, Plans } from './analysis.js';
import { nullness, tellsOf, truthOf, type Known, type Reader, type Truth } from './known.js';
import { connectionOf, withConnection, withLocks, type Surroundings } from './locks.js';
import { applyEvent, type Occasion } from './operations.js';
import { applyAfter, applyBefore, applyOutcome, type Application } from './outcomes.js';
import { askedPlace, type Places } from './places.js';
import { withEntry, type State } from './state.js';

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
  return (step, state, edge) => {
    const current = state.results.size === 0 ? state : withoutUsedResults(state, step.node);
    return transfer(step, edge.label === 'throw' ? unanswered(current) : current, edge);
  };

  /** Something failed while a statement's answer was not waited for: whether it was the lock's is not known. */
  function unanswered(state: State): State {
    return withLocks(state, (taken) => (taken.pending && !taken.doubtful ? { ...taken, doubtful: true } : taken));
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
        return decided(step, state, edge);
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
    if (edge.to.kind === 'callback-start' && edge.to.call === node) {
      return plan?.kind === 'driver' && plan.events.errorFirst ? states.flatMap((current) => errorFirst(node, current, failed, occasion)) : states;
    }
    const frame = helpers.calledBy(node);
    if (frame) return states.flatMap((current) => helped(node, frame, current, edge, unawaited));
    states = states.map((current) => calledParameter(node, current, failed));
    return here.length > 0 || plan ? states : states.map((current) => unseenCall(node, current));
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
    return plan.analysis.entered.map((entered, index) => {
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
    const entered = index === undefined ? undefined : plan.analysis.entered[index];
    const over = { ...state, running: withEntry(state.running, call, null) };
    if (!entered) return [over];
    const endings = plan.analysis.outcomes.filter(({ phase }) => phase !== null && phase.entered === index && phase.ended === step.completion);
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
    return { frame, call, around, lend };
  }

  /** A helper of this file was called. */
  function helped(node: TSESTree.Node, frame: Frame, state: State, edge: Edge, unawaited: boolean): readonly State[] {
    const failed = edge.label === 'throw';
    const plan = plans.of(node);
    const analysis = parts.analysisOf(frame.function);
    const isDetached = unawaited && frame.function.async && isStatement(node);
    if (!analysis || isDetached || analysis.outcomes.length === 0) return [calledParameter(node, unseenCall(node, state), failed)];
    const exit = failed ? 'throw' : 'return';
    const outcomes = analysis.outcomes.filter((outcome) => outcome.exit === exit && (plan === null || outcome.phase === null));
    const application = applicationOf(frame, node);
    recordHelper(analysis, node, state);
    const before = own && helpers.parameterCalledBy(node, own) ? analysis.entered[0] : undefined;
    const parameter = own && before ? helpers.parameterCalledBy(node, own) : null;
    const entered = before && parameter ? enter(applyBefore(state, before, application)) : null;
    return outcomes.map((outcome) => {
      const after = applyOutcome(state, outcome, application);
      if (entered === null || !parameter || outcome.phase === null) return after;
      return { ...after, phase: { parameter, entered, ended: outcome.phase.ended } };
    });
  }

  /** What a helper asks of pools, and what it sends, stands for its call. */
  function recordHelper(analysis: Analysis, node: TSESTree.Node, state: State): void {
    const { recorder } = around;
    if (!recorder || state.locks.length === 0) return;
    for (const { pool, query } of inventory.poolUsesIn(analysis.unit)) recorder.usedPool(node, pool, query, state);
    for (const { query, handle } of inventory.statementsIn(analysis.unit)) recorder.sent(node, query, handle, state);
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
      return escapes.handlesIn(argument).reduce((lent, handle) => lend(lent, handle), after);
    }, state);
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
    const analysis = disposer && parts.analysisOf(disposer);
    const site = node.init && unwrap(node.init.type === 'AwaitExpression' ? node.init.argument : node.init);
    if (!disposer || !analysis || (site?.type !== 'CallExpression' && site?.type !== 'NewExpression')) return [state];
    const exit = edge.label === 'throw' ? 'throw' : 'return';
    const application = applicationOf({ function: disposer, call: site }, node);
    return analysis.outcomes.filter((outcome) => outcome.exit === exit).map((outcome) => applyOutcome(state, outcome, application));
  }

  /** A rejection stops here: an unlock that failed has failed for good, and the path goes on. */
  function caught(state: State): State {
    const after = withLocks(state, (taken) => (taken.status === 'failing' ? { ...taken, status: 'failed' } : taken));
    if (!after.unmatched.some(({ outcome }) => outcome === 'failing')) return after;
    return { ...after, unmatched: after.unmatched.map((release) => (release.outcome === 'failing' ? { ...release, outcome: 'failed' } : release)) };
  }

  function decided(step: Step & { kind: 'condition' }, before: State, edge: Edge): readonly State[] {
    const state = withoutDeadVariables(before, step.test);
    const value = reader.read(step.test, state);
    const subject = step.subject && reader.read(step.subject, state);
    const truth = answerTo(step.asks, value, subject);
    const isYes = edge.label === 'true' || edge.label === 'nullish' || edge.label === 'undefined';
    if (truth !== 'unknown') return (truth === 'true') === isYes ? [tested(state, value, subject)] : [];
    const place = step.asks === 'truthy' ? askedPlace(step.test, scopes, reader.placeOf) : null;
    const found = place === null ? undefined : state.variables.get(place);
    if (found && truthOf(found) !== 'unknown') return (truthOf(found) === 'true') === isYes ? [state] : [];
    const doubted = doubt(state, value, subject);
    if (place === null || !places.askedAgain.has(place) || (!place.startsWith('test ') && !places.kept.has(place))) return [doubted];
    const learnt: Known = { kind: isYes ? 'truthy' : 'falsy', tells: value && tellsOf(value) };
    return [{ ...doubted, variables: withEntry(doubted.variables, place, learnt) }];
  }

  /** The path has found out whether the lock was got. */
  function tested(state: State, ...values: readonly (Known | null)[]): State {
    return values.reduce((after, value) => {
      const lock = value && tellsOf(value);
      if (!lock || !after.refused.some(({ held, tested: known }) => held.lock === lock && !known)) return after;
      return { ...after, refused: after.refused.map((refused) => (refused.held.lock === lock ? { ...refused, tested: true } : refused)) };
    }, state);
  }

  /** The answer was asked about in a way that is not understood. */
  function doubt(state: State, ...values: readonly (Known | null)[]): State {
    return values.reduce((after, value) => {
      const lock = value && tellsOf(value);
      if (!lock) return after;
      const doubted = withLocks(after, (taken) => (taken.held.lock === lock && !taken.doubtful ? { ...taken, doubtful: true } : taken));
      return doubted.refused.some(({ held }) => held.lock === lock) ? { ...doubted, refused: doubted.refused.filter(({ held }) => held.lock !== lock) } : doubted;
    }, state);
  }
}

function answerTo(asks: (Step & { kind: 'condition' })['asks'], value: Known | null, subject: Known | null): Truth {
  switch (asks) {
    case 'truthy':
      return truthOf(value);
    case 'nullish':
      return nullness(value);
    case 'undefined':
      if (value?.kind === 'constant') return value.value === undefined ? 'true' : 'false';
      return nullness(value) === 'false' && value?.kind !== 'result' ? 'false' : 'unknown';
    case 'equals':
      return value?.kind === 'constant' && subject?.kind === 'constant' ? (value.value === subject.value ? 'true' : 'false') : 'unknown';
    default:
      return asks satisfies never;
  }
}

function callsOfInlined(graph: FlowGraph): ReadonlyMap<TSESTree.Node, TSESTree.Node> {
  return new Map(graph.steps.flatMap((step) => (step.kind === 'callback-start' ? [[step.node as TSESTree.Node, unwrap(step.call)] as const] : [])));
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

/** Results of calls are for the expression they stand in; what comes after it reads variables. */
function createResultDisposal(): (state: State, node: TSESTree.Node) => State {
  const roots = new WeakMap<TSESTree.Node, TSESTree.Node>();
  return (state, node) => {
    let { results } = state;
    for (const call of results.keys()) {
      const root = rootOf(call);
      if (node.range[1] <= root.range[0] || node.range[0] >= root.range[1]) results = withEntry(results, call, null);
    }
    return results === state.results ? state : { ...state, results };
  };

  /** The whole expression a call stands in, with the declaration it initialises. */
  function rootOf(call: TSESTree.Node): TSESTree.Node {
    const known = roots.get(call);
    if (known) return known;
    let node = call;
    while (node.parent && !endsExpression(node.parent)) node = node.parent;
    roots.set(call, node);
    return node;
  }
}

const endsExpression = (node: TSESTree.Node): boolean =>
  node.type.endsWith('Statement') || node.type === 'VariableDeclaration' || node.type === 'Program' || isFunction(node);
