import type { Edge, FlowGraph, SharedFinalizer, Step } from './model.js';

/** A forward analysis: what is known at a step is a set of small immutable states, one per way of getting there that matters. */
export interface FlowAnalysis<S> {
  /** The states at the entry. */
  readonly initial: readonly S[];
  /** Two states with one key are one state. */
  readonly key: (state: S) => string;
  /**
   * What a state becomes when a step is left along one of its edges; nothing when it cannot leave that way, and several
   * states where the step decides what the analysis wants to tell apart. Called for every edge, those of structural steps
   * too; may be called more than once for the same edge and state.
   */
  readonly transfer: (step: Step, state: S, edge: Edge) => readonly S[];
  /** More states than this at one step are too many to tell apart. Default 128. */
  readonly maxStates?: number;
  /**
   * Gives one state that stands for both. With it, a step with too many states puts all further ones into one; without it,
   * or if that one still changes after `maxStates` rounds, the solution is `unknown`.
   */
  readonly join?: (one: S, other: S) => S;
}

/** A step as a path passes it: the state on arrival, and the edge it is left by. */
export interface WitnessStep<S> {
  readonly step: Step;
  readonly state: S;
  /** Null at the end of the path. */
  readonly edge: Edge | null;
}

export interface Solution<S> {
  readonly kind: 'solved';
  /** The states a step may be reached with, before it does anything; none if nothing reaches it. */
  statesAt(step: Step): readonly S[];
  reaches(step: Step): boolean;
  /** One of the shortest paths from the entry to a step in a given state; null if it is not reached so. */
  witness(step: Step, state: S): readonly WitnessStep<S>[] | null;
}

/** A step had too many states: nothing is known about the whole unit. */
export interface Unsolved {
  readonly kind: 'unknown';
  readonly step: Step;
}

/** A state at a step, in the context of the shared finalizer's call it belongs to. */
interface Place<S> {
  readonly step: Step;
  readonly context: Context<S>;
  readonly state: S;
  /** How it was reached first; null at the entry of the unit or of a context. */
  readonly from: Arrival<S> | null;
}

interface Arrival<S> {
  readonly place: Place<S>;
  readonly edge: Edge;
  /** The calls of shared finalizers that this step returns from, innermost first. */
  readonly returnsTo: readonly Call<S>[];
}

/** A shared finalizer is entered: a step along an ordinary edge, which returns from nothing. */
type Call<S> = Arrival<S>;

/** A shared finalizer is left, with the calls already returned from. */
interface Exit<S> {
  readonly place: Place<S>;
  readonly edge: Edge;
  readonly state: S;
  readonly returnsTo: readonly Call<S>[];
}

/** A shared finalizer, entered in one state. All calls that enter it so are solved together and return each to its own place. */
interface Context<S> {
  readonly shared: SharedFinalizer | null;
  readonly places: Map<Step, Map<string, Place<S>>>;
  readonly calls: Call<S>[];
  readonly exits: Map<string, Exit<S>>;
}

const DEFAULT_MAX_STATES = 128;

/**
 * Solves a forward analysis to its fixpoint, breadth first and in the order of the edges, so that the same graph gives the
 * same answers and the same witnesses.
 *
 * A finalizer that the graph holds once for several completions is solved like a procedure: per state it is entered with,
 * and what leaves it goes on only where the completion that came in would. Paths of different completions never mix.
 */
export function solve<S>(graph: FlowGraph, analysis: FlowAnalysis<S>): Solution<S> | Unsolved {
  const solver = new Solver(analysis);
  const overfull = solver.run(graph.entry);
  return overfull === null ? solver : { kind: 'unknown', step: overfull };
}

class Solver<S> implements Solution<S> {
  readonly kind = 'solved';
  private readonly root: Context<S> = newContext(null);
  private readonly contexts = new Map<string, Context<S>>();
  private readonly byStep = new Map<Step, Map<string, Place<S>>>();
  private readonly counts = new Map<Step, number>();
  private readonly joined = new Map<Step, S>();
  private readonly work: Place<S>[] = [];
  private overfull: Step | null = null;

  constructor(private readonly analysis: FlowAnalysis<S>) {}

  /** Gives the step with too many states, if there is one. */
  run(entry: Step): Step | null {
    for (const state of this.analysis.initial) this.arrive(entry, this.root, state, null);
    // The list grows while it is walked.
    for (const place of this.work) {
      if (this.overfull !== null) break;
      for (const edge of place.step.edges) this.follow(place, edge);
    }
    return this.overfull;
  }

  statesAt(step: Step): readonly S[] {
    return [...(this.byStep.get(step)?.values() ?? [])].map(({ state }) => state);
  }

  reaches(step: Step): boolean {
    return this.byStep.has(step);
  }

  witness(step: Step, state: S): readonly WitnessStep<S>[] | null {
    const end = this.byStep.get(step)?.get(this.analysis.key(state));
    if (end === undefined) return null;
    const path: WitnessStep<S>[] = [{ step, state: end.state, edge: null }];
    const returns: Call<S>[] = [];
    let place = end;
    for (;;) {
      const arrival = place.from ?? returns.pop() ?? place.context.calls.at(0);
      if (arrival === undefined) break;
      returns.push(...[...arrival.returnsTo].reverse());
      path.push({ step: arrival.place.step, state: arrival.place.state, edge: arrival.edge });
      place = arrival.place;
    }
    return path.reverse();
  }

  private follow(place: Place<S>, edge: Edge): void {
    const { context } = place;
    const { to } = edge;
    for (const state of this.analysis.transfer(place.step, place.state, edge)) {
      if (to.shared === context.shared) {
        this.arrive(to, context, state, { place, edge, returnsTo: [] });
      } else if (to.shared !== null && to.shared.parent === context.shared) {
        this.enter(to, to.shared, state, { place, edge, returnsTo: [] });
      } else {
        this.exit(context, { place, edge, state, returnsTo: [] });
      }
    }
  }

  private enter(to: Step, shared: SharedFinalizer, state: S, call: Call<S>): void {
    const key = `${shared.id} ${this.analysis.key(state)}`;
    let context = this.contexts.get(key);
    if (context === undefined) {
      context = newContext(shared);
      this.contexts.set(key, context);
    }
    context.calls.push(call);
    this.arrive(to, context, state, null);
    for (const exit of [...context.exits.values()]) this.return(exit, call);
  }

  private exit(context: Context<S>, exit: Exit<S>): void {
    const { from, to, label, enteredBy } = exit.edge;
    const key = `${from.id} ${to.id} ${label} ${enteredBy?.id ?? ''} ${this.analysis.key(exit.state)}`;
    if (context.exits.has(key)) return;
    context.exits.set(key, exit);
    for (const call of [...context.calls]) this.return(exit, call);
  }

  private return(exit: Exit<S>, call: Call<S>): void {
    const { place, edge, state } = exit;
    // The edge names its completion's way into the innermost finalizer it leaves.
    if (edge.enteredBy !== null && exit.returnsTo.length === 0 && edge.enteredBy !== call.place.step) return;
    const outer = call.place.context;
    const returnsTo = [...exit.returnsTo, call];
    if (edge.to.shared === outer.shared) this.arrive(edge.to, outer, state, { place, edge, returnsTo });
    else this.exit(outer, { place, edge, state, returnsTo });
  }

  private arrive(step: Step, context: Context<S>, arriving: S, from: Arrival<S> | null): void {
    const states = getOrAdd(context.places, step);
    let state = arriving;
    let key = this.analysis.key(state);
    if (states.has(key)) return;
    const max = this.analysis.maxStates ?? DEFAULT_MAX_STATES;
    const count = (this.counts.get(step) ?? 0) + 1;
    if (count > max) {
      const { join } = this.analysis;
      if (join === undefined || count > 2 * max) {
        this.overfull ??= step;
        return;
      }
      const joined = this.joined.get(step);
      state = joined === undefined ? state : join(joined, state);
      key = this.analysis.key(state);
      this.joined.set(step, state);
      if (states.has(key)) return;
    }
    this.counts.set(step, count);
    const place = { step, context, state, from };
    states.set(key, place);
    const all = getOrAdd(this.byStep, step);
    if (!all.has(key)) all.set(key, place);
    this.work.push(place);
  }
}

function getOrAdd<S>(map: Map<Step, Map<string, Place<S>>>, step: Step): Map<string, Place<S>> {
  const found = map.get(step);
  if (found !== undefined) return found;
  const added = new Map<string, Place<S>>();
  map.set(step, added);
  return added;
}

function newContext<S>(shared: SharedFinalizer | null): Context<S> {
  return { shared, places: new Map(), calls: [], exits: new Map() };
}
