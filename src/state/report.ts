import type { TSESTree } from '@typescript-eslint/utils';
import type { Query, QueryLock } from '../facts/query.js';
import type { Handle } from '../facts/values.js';
import type { FlowUnit } from '../flow/nodes.js';
import type { Step } from '../flow/model.js';
import { enclosingFunction, isInside } from '../source/ast.js';
import type { Analysis, FileParts } from './analysis.js';
import type {
  Acquire, FallThrough, FunctionState, GiveBack, HeldLock, Mismatch, Release, TransactionState,
} from './model.js';
import { lossesOf } from './losses.js';
import { identifiersIn } from './places.js';
import type { Recorder } from './recorder.js';
import { Numbering, type Connection, type State, type Taken } from './state.js';
import type { Teller } from './witness.js';

type Collected<K extends keyof FunctionState> = FunctionState[K] extends readonly (infer T)[] ? T[] : never;

const nothing: Omit<FunctionState, 'unit' | 'kind'> = {
  locks: [], acquires: [], helperAcquires: [], releases: [], leaks: [], connectionLeaks: [], giveBacks: [], giveBacksWhileHeld: [], poolUsesWhileHeld: [], localLimits: [],
  statementsWhileHeld: [], workWhileHeld: [], transactionEndsEarly: [], fallThroughs: [],
};

/** Goes through the solved function once more and writes down what the rules ask about. */
export function report(unit: FlowUnit, analysis: Analysis | null, parts: FileParts, teller: Teller, secondRun: ReadonlyMap<Query, HeldLock>): FunctionState {
  if (!analysis) return { ...nothing, unit, kind: 'unknown' };
  const collector = new Collector(analysis, parts, teller, secondRun);
  collector.walk();
  return collector.result();
}

interface AcquireSeen {
  readonly held: HeldLock;
  readonly transactions: Set<TransactionState>;
  readonly openedBy: Set<TSESTree.Node | null>;
  readonly others: Set<HeldLock>;
  readonly timeouts: Set<Connection['timeout']>;
  stacked: Acquire['stacked'];
}

interface ReleaseSeen {
  readonly lock: QueryLock;
  readonly call: TSESTree.Node;
  readonly handle: Handle;
  readonly key: Release['key'];
  readonly releases: Set<HeldLock>;
  readonly transactions: Set<TransactionState>;
  openedBy: TSESTree.Node | null;
  mayBeAborted: boolean;
  mismatch: Mismatch | null;
}

class Collector {
  private readonly acquires = new Map<HeldLock, AcquireSeen>();
  private readonly helperAcquires = new Map<HeldLock, AcquireSeen>();
  private readonly releases = new Map<QueryLock, Map<TSESTree.Node, ReleaseSeen>>();
  private readonly giveBacks: Collected<'giveBacks'> = [];
  private readonly poolUses: Collected<'poolUsesWhileHeld'> = [];
  private readonly statements: Collected<'statementsWhileHeld'> = [];
  private readonly work: Collected<'workWhileHeld'> = [];
  private readonly early: Collected<'transactionEndsEarly'> = [];
  private readonly localLimits = new Map<Query, { node: TSESTree.Node; handle: Handle; transactions: Set<TransactionState> }>();
  private readonly seen = new Set<string>();
  private readonly numbering = new Numbering();
  private step: Step;
  private state: State | null = null;

  constructor(
    private readonly analysis: Analysis,
    private readonly parts: FileParts,
    private readonly teller: Teller,
    private readonly secondRun: ReadonlyMap<Query, HeldLock>,
  ) {
    this.step = analysis.graph.entry;
  }

  walk(): void {
    const { graph, solution } = this.analysis;
    const transfer = this.analysis.listenWith(this.recorder());
    for (const step of graph.steps) {
      this.step = step;
      for (const state of solution.statesAt(step)) {
        this.state = state;
        this.workAt(step, state);
        for (const edge of step.edges) transfer(step, state, edge);
      }
    }
  }

  result(): FunctionState {
    const { unit, locks } = this.analysis;
    return {
      unit,
      kind: 'solved',
      locks,
      acquires: [...this.acquires.values()].map((seen) => this.acquireOf(seen)),
      helperAcquires: [...this.helperAcquires.values()].map((seen) => this.acquireOf(seen)),
      releases: [...this.releases.values()].flatMap((byCall) => [...byCall.values()]).map(releaseOf),
      ...lossesOf(this.analysis, this.parts, this.teller),
      giveBacks: this.giveBacks,
      localLimits: [...this.localLimits].map(([query, { node, handle, transactions }]) => ({ node, query, handle, transaction: only(transactions, 'unknown') })),
      poolUsesWhileHeld: this.poolUses,
      statementsWhileHeld: this.statements,
      workWhileHeld: this.work,
      transactionEndsEarly: this.early,
      fallThroughs: this.fallThroughs(),
    };
  }

  private recorder(): Recorder {
    const { backends, keys } = this.parts.events;
    return {
      acquired: (held, state, connection, implicit) => {
        sawAcquire(this.acquires, held, state, connection, implicit ? 'implicit' : connection.transaction);
      },
      acquiredThrough: (held, state, connection) => {
        sawAcquire(this.helperAcquires, held, state, connection, connection.transaction);
      },
      stacked: (held, before) => {
        const seen = this.acquires.get(held);
        if (!seen || seen.stacked || !isSure(before)) return;
        const witness = this.witnessHere(held, held.call, `\`${held.lock.operation.name}\` is taken again`);
        seen.stacked = { by: before.held === held ? 'loop' : 'earlier', held: before.held, witness };
      },
      released: (release, match, state) => {
        const seen = this.releaseSeen(release.lock, release.call, release.handle, keys.keyOf(release.lock, release.frames));
        if (match) seen.releases.add(match.held);
        const connection = state.connections.get(backends.idOf(release.handle));
        seen.transactions.add(connection?.transaction ?? (release.handle.role === 'transaction' ? 'open' : 'unknown'));
        seen.openedBy ??= connection?.openedBy ?? null;
        seen.mayBeAborted ||= connection?.mayBeAborted ?? false;
      },
      mismatch: (release, kind, held, state) => {
        const seen = this.releaseSeen(release.lock, release.call, release.handle, keys.keyOf(release.lock, release.frames));
        if (seen.mismatch || !held.certain) return;
        // Whether a lock that is left behind stays so is known at the exits.
        if (kind !== 'refused' && kind !== 'transaction-lock' && !this.staysHeld(held, release.lock)) return;
        if (kind === 'refused' && state.lent.includes(backends.idOf(release.handle))) return;
        seen.mismatch = { kind, held, witness: this.witnessHere(held, release.call, `\`${release.lock.operation.name}\` does not match`) };
      },
      gaveBack: (event, call, destroys, connection) => {
        const timeoutLeft = connection.timeout === 'set' && destroys === 'no' ? connection.timeoutBy : null;
        const known = this.giveBacks.findIndex((other) => other.node === event.node && other.call === call);
        const seen: GiveBack = { node: event.node, call, handle: event.handle, destroys, timeoutLeft };
        if (known < 0) this.giveBacks.push(seen);
        else if (timeoutLeft && !this.giveBacks[known]?.timeoutLeft) this.giveBacks[known] = seen;
      },
      usedPool: (node, pool, query, state) => {
        for (const taken of state.locks) {
          const { held } = taken;
          if (!isSure(taken) || !held.handle.pool || backends.relation(held.handle.pool, pool) !== 'same' || node === held.call) continue;
          if (this.isFirst(held, node, this.poolUses)) this.poolUses.push({ node, query, pool, held });
        }
      },
      sent: (node, query, handle, state) => {
        if (setsLocalLimit(query)) {
          const known = this.localLimits.get(query) ?? { node, handle, transactions: new Set() };
          const transaction = state.connections.get(backends.idOf(handle))?.transaction;
          known.transactions.add(transaction ?? (handle.role === 'transaction' ? 'open' : 'unknown'));
          this.localLimits.set(query, known);
        }
        for (const taken of state.locks) {
          const { held } = taken;
          if (!isSure(taken) || held.lock.query === query || !this.isFirst(held, node, query)) continue;
          const relation = backends.relation(held.handle, handle);
          const isPool = handle.role === 'pool' || handle.role === 'http';
          this.statements.push({ node, query, handle, held, onHolder: relation === 'same' ? 'yes' : relation === 'different' || isPool ? 'no' : 'unknown' });
        }
      },
      endedEarly: (held, node, how, begun, state) => {
        if (!held.certain || this.early.some((other) => other.held === held && other.node === node) || state.locks.find((taken) => taken.held === held)?.doubtful) return;
        this.early.push({ held, node, how, begun, witness: this.witnessHere(held, node, `\`${this.teller.name(node)}\` on line ${node.loc.start.line} ends the transaction`) });
      },
    };
  }

  /** Each lock, node and third thing are written down once. */
  private isFirst(held: HeldLock, node: TSESTree.Node, about: object): boolean {
    const key = `${this.numbering.of(held)} ${this.numbering.of(node)} ${this.numbering.of(about)}`;
    if (this.seen.has(key)) return false;
    this.seen.add(key);
    return true;
  }

  private releaseSeen(lock: QueryLock, call: TSESTree.Node, handle: Handle, key: Release['key']): ReleaseSeen {
    const byCall = this.releases.get(lock) ?? new Map<TSESTree.Node, ReleaseSeen>();
    this.releases.set(lock, byCall);
    const seen = byCall.get(call) ?? { lock, call, handle, key, releases: new Set(), transactions: new Set(), openedBy: null, mayBeAborted: false, mismatch: null };
    byCall.set(call, seen);
    return seen;
  }

  private witnessHere(held: HeldLock, node: TSESTree.Node, text: string) {
    const path = this.state && this.analysis.solution.witness(this.step, this.state);
    return path ? this.teller.toStep(path, held, node, text) : [];
  }

  /** Does some path end with the lock still held, marked by this unlock? */
  private staysHeld(held: HeldLock, unlock: QueryLock): boolean {
    return this.analysis.outcomes.some(({ state }) => state.locks.some((taken) => taken.held === held && taken.problem === 'mismatched' && taken.unlock === unlock && !taken.doubtful));
  }

  private workAt(step: Step, state: State): void {
    if (step.kind !== 'call' || state.locks.length === 0) return;
    const here = this.parts.events.of(step.node);
    const isUnlock = here.some((event) => event.kind === 'statement' && event.alternatives.some(({ query }) => query.locks.some(({ operation }) => operation.action === 'release')));
    if (isUnlock || here.some(({ kind }) => kind === 'give-back' || kind === 'close')) return;
    for (const taken of state.locks) {
      if (!isSure(taken) || taken.held.call === step.node || !this.isFirst(taken.held, step.node, this.work)) continue;
      const transactional = here.some(
        (event) =>
          event.kind === 'begin' || event.kind === 'commit' || event.kind === 'rollback' || (event.kind === 'statement' && event.alternatives.some(({ query }) => query.session.some(({ kind }) => kind === 'begin' || kind === 'commit' || kind === 'rollback'))),
      );
      this.work.push({ node: step.node, held: taken.held, transactional });
    }
  }

  private acquireOf({ held, transactions, openedBy, others, timeouts, stacked }: AcquireSeen): Acquire {
    const [opened] = openedBy;
    const before = stacked ? undefined : this.secondRun.get(held.lock.query);
    const repeated: Acquire['stacked'] = before ? { by: 'repeated', held: before, witness: [{ node: before.call, text: `\`${before.lock.operation.name}\` is still held when the function runs again` }] } : null;
    return {
      held,
      query: held.lock.query,
      transaction: only(transactions, 'unknown'),
      transactionOpenedBy: openedBy.size === 1 ? (opened ?? null) : null,
      others: [...others],
      stacked: stacked ?? repeated,
      lockTimeout: timeouts.has('unknown') ? 'unknown' : timeouts.has('not-set') ? 'not-set' : 'set',
      inLoop: isInLoop(held.call),
    };
  }

  /** Calls after a polling loop that run with the lock and without it. */
  private fallThroughs(): readonly FallThrough[] {
    const { graph, solution } = this.analysis;
    const found: FallThrough[] = [];
    for (const held of this.analysis.locks) {
      if (held.lock.operation.action !== 'try' || !held.certain) continue;
      const loop = loopAround(held.call);
      if (!loop) continue;
      const behind = graph.steps.filter((step) => step.kind === 'call' && step.node.range[0] >= loop.range[1] && !this.isCleanup(step.node));
      const withLock = behind.filter((step) => solution.statesAt(step).some((state) => state.locks.some((taken) => taken.held === held && isSure(taken))));
      const without = withLock.map((step) => ({ step, state: solution.statesAt(step).find((state) => state.refused.some((refused) => refused.held === held && refused.tested)) }));
      const [first] = without;
      // A test that keeps any of the calls for those who have the lock is a test for the lock; so may be one of what the loop leaves.
      if (!first?.state || !without.every(({ state }) => state !== undefined) || this.isAskedBehind(loop)) continue;
      const { step, state } = first;
      const path = solution.witness(step, state);
      const text = `\`${this.teller.name(step.node)}\` on line ${step.node.loc.start.line} runs without the lock`;
      found.push({ held, node: step.node, witness: path ? this.teller.toStep(path, held, step.node, text) : [] });
    }
    return found;
  }

  /** Does the code behind the loop, other than clean-up, look at a variable that the loop writes? */
  private isAskedBehind(loop: TSESTree.Node): boolean {
    const { scopes } = this.parts;
    const written = this.analysis.graph.steps.flatMap((step) => (step.kind === 'assign' && isInside(step.node, loop) ? identifiersIn(step.target) : []));
    const variables = new Set(written.map((target) => (target.type === 'Identifier' ? scopes.variableOf(target) : null)));
    const reads = [...variables].flatMap((variable) => (variable ? scopes.readsOf(variable) : []));
    return reads.some(({ identifier }) => identifier.range[0] >= loop.range[1] && !isInFinalizer(identifier));
  }

  /** Gives back what may not be there: an unlock, a connection. */
  private isCleanup(node: TSESTree.Node): boolean {
    return this.parts.events.of(node).some((event) => {
      if (event.kind === 'statement') return event.alternatives.some(({ query }) => query.locks.some(({ operation }) => operation.action === 'release' || operation.action === 'release-all'));
      return event.kind === 'give-back' || event.kind === 'close';
    });
  }
}

function isInFinalizer(node: TSESTree.Node): boolean {
  for (let inner: TSESTree.Node = node; inner.parent; inner = inner.parent) if (inner.parent.type === 'TryStatement' && inner.parent.finalizer === inner) return true;
  return false;
}

const isSure = (taken: Taken): boolean => !taken.doubtful && taken.held.certain && taken.status === 'held' && taken.givenBack === null;

function sawAcquire(into: Map<HeldLock, AcquireSeen>, held: HeldLock, state: State, connection: Connection, transaction: TransactionState): void {
  const seen = into.get(held) ?? { held, transactions: new Set(), openedBy: new Set(), others: new Set(), timeouts: new Set(), stacked: null };
  into.set(held, seen);
  seen.transactions.add(transaction);
  seen.openedBy.add(connection.openedBy);
  seen.timeouts.add(connection.timeout);
  for (const taken of state.locks) if (isSure(taken) && taken.held !== held) seen.others.add(taken.held);
}

function releaseOf({ lock, call, handle, key, releases, transactions, openedBy, mayBeAborted, mismatch }: ReleaseSeen): Release {
  const isOpen = transactions.has('open');
  return { lock, call, handle, key, releases: [...releases], transaction: isOpen ? 'open' : only(transactions, 'unknown'), transactionOpenedBy: openedBy, mayBeAborted, mismatch };
}

function only<T>(values: ReadonlySet<T>, otherwise: T): T {
  const [first] = values;
  return first !== undefined && values.size === 1 ? first : otherwise;
}

const loopTypes: ReadonlySet<string> = new Set(['WhileStatement', 'DoWhileStatement', 'ForStatement', 'ForOfStatement', 'ForInStatement']);

function loopAround(node: TSESTree.Node): TSESTree.Node | null {
  const fn = enclosingFunction(node);
  for (let ancestor = node.parent; ancestor && ancestor !== fn; ancestor = ancestor.parent) if (loopTypes.has(ancestor.type)) return ancestor;
  return null;
}

const isInLoop = (node: TSESTree.Node): boolean => loopAround(node) !== null;

/** In a string with other statements, or in one statement with the lock, SET LOCAL works without BEGIN, too. */
const setsLocalLimit = ({ session, locks, analysis }: Query): boolean =>
  analysis?.statements.length === 1 && locks.length === 0 && session.some((operation) => operation.kind === 'set' && operation.local && operation.name === 'lock_timeout');
