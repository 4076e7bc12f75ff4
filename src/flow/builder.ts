import type { TSESTree } from '@typescript-eslint/utils';
import { completionKey, NORMAL, RETURN, takes, THROW } from './frames.js';
import type { Completion, Deferred, Frame, Settled } from './frames.js';
import { after, DEAD } from './frontier.js';
import type { Branches, Dangling, Frontier } from './frontier.js';
import type { Edge, GraphOptions, InlineCallback, SharedFinalizer, Step, TooLarge } from './model.js';
import { isFunction } from './nodes.js';
import type { FlowUnit, FunctionNode, Node } from './nodes.js';
import { throwsByModel } from './throws.js';
import type { Throws } from './throws.js';

/** Ends the building of a graph that passes a limit; `buildGraph` turns it into a value. */
export class LimitReached extends Error {
  constructor(readonly reason: TooLarge['reason']) {
    super(reason);
  }
}

/** Lowers any node: evaluates an expression, executes a statement, or branches on a test. */
export interface Lowering {
  evaluate(builder: Builder, node: Node, at: Frontier): Frontier;
  branch(builder: Builder, node: Node, at: Frontier): Branches;
  /** Builds a `return` of a value, or of an arrow function's expression. Nothing follows it. */
  returnValue(builder: Builder, node: Node, argument: Node | null, at: Frontier): void;
}

type Omitted<T> = T extends unknown ? Omit<T, 'id' | 'owner' | 'edges' | 'shared'> : never;

/** A step before it is in the graph. */
export type StepDetails = Omitted<Step>;

/** The two ways out of a step that may fail. */
interface Outcome {
  readonly done: Frontier;
  readonly failed: Frontier;
}

interface Way {
  readonly completion: Completion;
  readonly paths: Frontier;
}

interface FinalizedWay {
  readonly completion: Completion;
  readonly end: Frontier;
}

const DEFAULT_MAX_STEPS = 50_000;
const MAX_DEPTH = 1_500;
/** So many edges may wait for one step before they are joined: keeps the joining of long branches linear. */
const MAX_PATHS = 16;

/** The graph under construction: its steps, and where completions go at the place that is being built. */
export class Builder {
  readonly steps: Step[] = [];
  readonly inlined = new Set<FunctionNode>();
  /** Calls whose failure shows at an `await` step. */
  readonly awaited = new Set<Node>();
  owner: FlowUnit;
  frame: Frame;
  /** Labels directly before the statement that is built next. */
  labels: readonly string[] = [];
  /** Per enclosing optional chain, the paths that cut it short. */
  readonly shortCircuits: Dangling[][] = [];

  private readonly edgesOf: Edge[][] = [];
  private readonly inlining: FunctionNode[] = [];
  private shared: SharedFinalizer | null = null;
  private finalizerDepth = 0;
  private depth = 0;
  private lastId = 0;

  constructor(
    readonly unit: FlowUnit,
    private readonly options: GraphOptions,
    private readonly lowering: Lowering,
  ) {
    this.owner = unit;
    this.frame = this.newFrame('root', null);
  }

  nextId(): number {
    this.lastId += 1;
    return this.lastId;
  }

  evaluate(node: Node | null | undefined, at: Frontier): Frontier {
    if (node === null || node === undefined) return at;
    this.depth += 1;
    if (this.depth > MAX_DEPTH) throw new LimitReached('depth');
    const end = this.lowering.evaluate(this, node, at);
    this.depth -= 1;
    return end;
  }

  evaluateAll(nodes: readonly (Node | null)[], at: Frontier): Frontier {
    return nodes.reduce<Frontier>((end, node) => this.evaluate(node, end), at);
  }

  branch(node: Node, at: Frontier): Branches {
    this.depth += 1;
    if (this.depth > MAX_DEPTH) throw new LimitReached('depth');
    const branches = this.lowering.branch(this, node, at);
    this.depth -= 1;
    return branches;
  }

  returnValue(node: Node, argument: Node | null, at: Frontier): void {
    this.lowering.returnValue(this, node, argument, at);
  }

  /** Whether who called the code that is being built waits for the promise it returns. */
  settlesReturns(): boolean {
    let frame = this.frame;
    while (frame.kind !== 'callback' && frame.parent !== null) frame = frame.parent;
    return frame.settlesReturns;
  }

  step(details: StepDetails, at: Frontier): Step {
    if (this.steps.length >= (this.options.maxSteps ?? DEFAULT_MAX_STEPS)) throw new LimitReached('steps');
    const edges: Edge[] = [];
    const step: Step = { ...details, id: this.steps.length, owner: this.owner, edges, shared: this.shared };
    this.steps.push(step);
    this.edgesOf.push(edges);
    this.link(at, step);
    return step;
  }

  /** A step that cannot fail, and what follows it. */
  pass(details: StepDetails, at: Frontier): Frontier {
    return after(this.step(details, at));
  }

  /** A step that fails as the throw model says for its node; the failure leaves as a throw. */
  attempt(details: StepDetails, at: Frontier, throws: Throws = this.throwsOf(details.node)): Frontier {
    const { done, failed } = this.outcome(this.step(details, at), throws);
    this.leave(failed, THROW);
    return done;
  }

  outcome(step: Step, throws: Throws): Outcome {
    return {
      done: throws === 'ends' ? DEAD : after(step),
      failed: throws === 'may' ? after(step, 'throw') : DEAD,
    };
  }

  link(at: Frontier, to: Step): void {
    for (const { from, label, enteredBy } of at) this.edgesOf[from.id]?.push({ from, to, label, enteredBy });
  }

  /** Many paths become one frontier. */
  join(node: Node, ...frontiers: readonly Frontier[]): Frontier {
    const paths = frontiers.flat();
    return paths.length > MAX_PATHS ? this.pass({ kind: 'mark', node, role: 'join' }, paths) : paths;
  }

  throwsOf(node: Node): Throws {
    return this.options.throws?.(node) ?? throwsByModel(node, this.isGlobal);
  }

  /** What an `await` may do: a client that knows its call to be safe means the promise too, the model's table does not. */
  awaitThrows(node: Node, settles: Node): Throws {
    return this.options.throws?.(node) ?? this.options.throws?.(settles) ?? 'may';
  }

  private readonly isGlobal = (identifier: TSESTree.Identifier): boolean => this.options.isGlobal?.(identifier) ?? true;

  inlineCallback(node: Node): InlineCallback | null {
    if (node.type !== 'CallExpression' && node.type !== 'NewExpression') return null;
    const callback = this.options.inlineCallback?.(node) ?? null;
    return callback !== null && this.canInline(callback.function) ? callback : null;
  }

  /** A call of a generator function runs none of its body. */
  canInline(node: Node): node is FunctionNode {
    return isFunction(node) && !node.generator && !this.inlining.includes(node);
  }

  /** Builds an inlined function's body inside a frame that takes its returns and throws. */
  inline(callback: FunctionNode, settlesReturns: boolean, build: () => Frontier): { end: Frontier; frame: Frame } {
    const owner = this.owner;
    const frame = this.open('callback', { settlesReturns });
    this.owner = callback;
    this.inlining.push(callback);
    const end = build();
    this.inlining.pop();
    this.owner = owner;
    this.close(frame);
    return { end, frame };
  }

  open(kind: Frame['kind'], details: Partial<Frame> = {}): Frame {
    this.frame = this.newFrame(kind, this.frame, details);
    return this.frame;
  }

  close(frame: Frame): void {
    if (frame.parent !== null) this.frame = frame.parent;
  }

  private newFrame(kind: Frame['kind'], parent: Frame | null, details: Partial<Frame> = {}): Frame {
    return {
      labels: [],
      ignoresContinueOf: null,
      settlesReturns: false,
      ...details,
      id: this.nextId(),
      kind,
      parent,
      pending: new Map(),
    };
  }

  /** The paths leave the code that is being built, by a completion: they wait in the first frame that takes it. */
  leave(at: Frontier, completion: Completion): void {
    if (at.length === 0) return;
    let frame = this.frame;
    while (!takes(frame, completion) && frame.parent !== null) frame = frame.parent;
    const key = completionKey(completion);
    const pending = frame.pending.get(key);
    if (pending === undefined) frame.pending.set(key, { completion, paths: [...at] });
    else for (const path of at) pending.paths.push(path);
  }

  /** The paths that ended in a unit or an inlined function: returned ones have waited for what they returned. */
  endings(frame: Frame): Settled {
    const fulfilled: Frontier[] = [];
    const rejected: Frontier[] = [];
    for (const { completion, paths } of frame.pending.values()) {
      if (completion.kind === 'throw') {
        rejected.push(paths);
      } else if (completion.kind === 'return' && completion.deferred !== null) {
        const settled = completion.deferred.settle(paths);
        fulfilled.push(settled.fulfilled);
        rejected.push(settled.rejected);
      } else {
        fulfilled.push(paths);
      }
    }
    return { fulfilled: fulfilled.flat(), rejected: rejected.flat() };
  }

  leaveReturning(at: Frontier, deferred: Deferred | null): void {
    this.leave(at, deferred === null ? RETURN : { kind: 'return', deferred });
  }

  /**
   * Runs a finalizer for everything that waits in a closed `finally` frame, and for the normal end of its code, if it is
   * run then (`null`: it is not). Outside other finalizers it is built once per completion, so that each copy has one way
   * on; inside another finalizer it is built once and shared, since copies of copies would grow exponentially.
   *
   * Gives what follows the normal end; every other completion goes on outwards by itself.
   */
  finalize(frame: Frame, node: Node, normal: Frontier | null, build: (at: Frontier) => Frontier): Frontier {
    const ways: Way[] = [...frame.pending.values()];
    if (normal !== null && (normal.length > 0 || ways.length === 0)) {
      ways.unshift({ completion: NORMAL, paths: normal });
    }
    let result = DEAD;
    for (const { completion, end } of this.runFinalizer(node, ways, build)) {
      if (completion.kind === 'normal') result = end;
      else this.leave(end, completion);
    }
    return result;
  }

  /** Like `finalize`, for given completions, each of which comes back with the paths that have run the finalizer. */
  runFinalizer(node: Node, ways: readonly Way[], build: (at: Frontier) => Frontier): readonly FinalizedWay[] {
    if (ways.length === 0) return [];
    this.finalizerDepth += 1;
    const ends = this.finalizerDepth === 1 ? this.copyPerWay(node, ways, build) : this.share(node, ways, build);
    this.finalizerDepth -= 1;
    return ends;
  }

  private copyPerWay(node: Node, ways: readonly Way[], build: (at: Frontier) => Frontier): readonly FinalizedWay[] {
    return ways.map(({ completion, paths }) => ({
      completion,
      end: build(this.pass({ kind: 'finally', node, completion: completion.kind }, paths)),
    }));
  }

  private share(node: Node, ways: readonly Way[], build: (at: Frontier) => Frontier): readonly FinalizedWay[] {
    const starts = ways.map(({ completion, paths }) => ({
      completion,
      start: this.step({ kind: 'finally', node, completion: completion.kind }, paths),
    }));
    const around = this.shared;
    this.shared = { id: this.nextId(), parent: around };
    const begin = this.pass(
      { kind: 'mark', node, role: 'shared-start' },
      starts.flatMap(({ start }) => after(start)),
    );
    const end = this.step({ kind: 'mark', node, role: 'shared-end' }, build(begin));
    this.shared = around;
    return starts.map(({ completion, start }) => ({ completion, end: after(end, 'next', start) }));
  }
}
