import type { TSESTree } from '@typescript-eslint/utils';
import type { GiveBackEvent } from '../facts/events.js';
import type { Frame } from '../facts/frames.js';
import type { Query, QueryLock } from '../facts/query.js';
import type { Handle } from '../facts/values.js';
import type { HeldLock, Origin } from './model.js';
import type { Known } from './known.js';

/** What is known of a connection at one place on one path. */
export interface Connection {
  readonly handle: Handle;
  readonly origin: Origin;
  readonly transaction: 'none' | 'open' | 'unknown';
  readonly openedBy: TSESTree.Node | null;
  /** The call of a helper that brought it; null for what the function opens itself. */
  readonly broughtBy: TSESTree.Node | null;
  /** Two calls of a helper have brought connections that go by one name: nothing is certain of either. */
  readonly several: boolean;
  /** A BEGIN in an open transaction, which opens nothing. */
  readonly nestedBegin: TSESTree.Node | null;
  readonly savepoints: readonly Savepoint[];
  /** A statement of the open transaction failed on this path, or may have. */
  readonly mayBeAborted: boolean;
  /**
   * `returned`, `stored`: somebody else's from here on. `given-back`: in its pool again, session and all. `maybe-gone`: in
   * its pool, unless the session was ended. `gone`: the session has ended.
   */
  readonly status: 'open' | 'returned' | 'stored' | 'given-back' | 'maybe-gone' | 'gone';
  readonly timeout: 'set' | 'not-set' | 'unknown';
  /** The statement whose SET is in force for the session. */
  readonly timeoutBy: Query | null;
  /** Both as they were when the open transaction began: ROLLBACK undoes its SET, too. Null where that was not seen. */
  readonly timeoutOutside: Pick<Connection, 'timeout' | 'timeoutBy'> | null;
}

export interface Savepoint {
  readonly name: string | null;
  readonly node: TSESTree.Node;
}

/** A lock that is held at one place on one path. */
export interface Taken {
  readonly held: HeldLock;
  /** How often it was taken, 2 standing for more. */
  readonly count: 1 | 2;
  /**
   * `failing`: its unlock was rejected, and the rejection is on its way. `failed`: the rejection was caught and the path goes
   * on. `unlocked`: after the connection was given back.
   */
  readonly status: 'held' | 'failing' | 'failed' | 'unlocked';
  readonly givenBack: (GiveBackEvent & { readonly call: TSESTree.Node }) | null;
  /** The unlock that failed, was never sent, or did not match. */
  readonly unlock: QueryLock | null;
  readonly problem: 'never-sent' | 'mismatched' | null;
  /** A test on the path was not understood, or code out of sight may have released it. */
  readonly doubtful: boolean;
  /** Its statement was sent, and nobody has waited for the answer. */
  readonly pending: boolean;
  readonly inTransaction: boolean;
  /** Savepoints that were set when it was taken. */
  readonly savepoints: number;
  /** A helper that runs this code as its callback holds it. */
  readonly around: TSESTree.Node | null;
}

/** A lock that was not got on this path. */
export interface Refused {
  readonly held: HeldLock;
  readonly because: 'refused' | 'rejected';
  /** The path has tested the answer. */
  readonly tested: boolean;
}

/** A release of something that was not taken in this function: it may be the caller's. */
export interface Unmatched {
  readonly lock: QueryLock;
  readonly handle: Handle;
  readonly frames: readonly Frame[];
  readonly node: TSESTree.Node;
  readonly outcome: 'done' | 'failing' | 'failed' | 'never-sent';
}

/** Where the function's parameter was called as a callback, and how that went. */
export interface Phase {
  readonly parameter: TSESTree.Identifier;
  /** Index into the analysis' list of states before the callback. */
  readonly entered: number;
  readonly ended: 'return' | 'throw';
}

/** The caller's argument, or a variable or field that caller and helper share, is truthy or falsy. */
export interface Assumption {
  readonly truth: 'true' | 'false';
  readonly test: TSESTree.Node;
}

export interface State {
  readonly locks: readonly Taken[];
  /** Locks lost for good: the connection was given back with them and taken anew. */
  readonly lost: readonly Taken[];
  readonly connections: ReadonlyMap<number, Connection>;
  readonly refused: readonly Refused[];
  readonly variables: ReadonlyMap<string, Known>;
  /** What the path has found out of values that come from outside: it is taken only where they are so. */
  readonly assumed: ReadonlyMap<string, Assumption>;
  /** What calls gave whose values the expression at hand has still to use. */
  readonly results: ReadonlyMap<TSESTree.Node, Known>;
  readonly unmatched: readonly Unmatched[];
  /** Connections from outside that code out of sight had in hand. */
  readonly lent: readonly number[];
  readonly phase: Phase | null;
  /** The calls that gave connections back, by the connection's number. */
  readonly givenBackBy: ReadonlyMap<number, TSESTree.Node>;
  /** Callbacks of helpers that are running, with the helper's state before them. */
  readonly running: ReadonlyMap<TSESTree.Node, number>;
}

export const emptyState: State = {
  locks: [],
  lost: [],
  connections: new Map(),
  refused: [],
  variables: new Map(),
  assumed: new Map(),
  results: new Map(),
  unmatched: [],
  lent: [],
  phase: null,
  givenBackBy: new Map(),
  running: new Map(),
};

export function withEntry<K, V>(map: ReadonlyMap<K, V>, key: K, value: V | null): ReadonlyMap<K, V> {
  if (value === null ? !map.has(key) : map.get(key) === value) return map;
  const copy = new Map(map);
  if (value === null) copy.delete(key);
  else copy.set(key, value);
  return copy;
}

/** Numbers objects in the order in which they are met, so that states have short keys. */
export class Numbering {
  private readonly numbers = new WeakMap<object, number>();
  private count = 0;

  of(object: object | null): number {
    if (object === null) return -1;
    const known = this.numbers.get(object);
    if (known !== undefined) return known;
    this.numbers.set(object, this.count);
    return this.count++;
  }
}

/** Writes a state so that two states with one text are one state. */
export function createStateKey(): (state: State) => string {
  const numbering = new Numbering();
  const memo = new WeakMap<State, string>();
  return (state) => {
    const known = memo.get(state);
    if (known !== undefined) return known;
    const key = write(state);
    memo.set(state, key);
    return key;
  };

  function write(state: State): string {
    if (state === emptyState) return '';
    const parts: string[] = [];
    for (const taken of state.locks) parts.push(`L${writeTaken(taken)}`);
    for (const taken of state.lost) parts.push(`X${writeTaken(taken)}`);
    for (const [id, connection] of sorted(state.connections, (a, b) => a - b)) parts.push(`C${id}${writeConnection(connection)}`);
    for (const { held, because, tested } of state.refused) parts.push(`R${numbering.of(held)}${because}${tested ? 't' : ''}`);
    for (const [name, value] of sorted(state.variables, (a, b) => (a < b ? -1 : 1))) parts.push(`V${name}=${writeKnown(value)}`);
    for (const [place, { truth }] of state.assumed) parts.push(`A${place}${truth}`);
    for (const [node, value] of state.results) parts.push(`P${numbering.of(node)}=${writeKnown(value)}`);
    for (const { lock, outcome, handle } of state.unmatched) parts.push(`U${numbering.of(lock)}${outcome}${numbering.of(handle)}`);
    if (state.lent.length > 0) parts.push(`B${state.lent.join()}`);
    if (state.phase) parts.push(`F${numbering.of(state.phase.parameter)}.${state.phase.entered}${state.phase.ended}`);
    for (const [node, index] of state.running) parts.push(`K${numbering.of(node)}.${index}`);
    return parts.join(' ');
  }

  function writeTaken(taken: Taken): string {
    const marks = [taken.doubtful && 'd', taken.pending && 'p', taken.inTransaction && 't'].filter(Boolean).join('');
    const back = taken.givenBack ? `b${numbering.of(taken.givenBack.node)}` : '';
    return `${numbering.of(taken.held)}x${taken.count}${taken.status}${marks}${back}u${numbering.of(taken.unlock)}${taken.problem ?? ''}s${taken.savepoints}a${numbering.of(taken.around)}`;
  }

  function writeConnection(connection: Connection): string {
    const { origin, transaction, openedBy, broughtBy, several, nestedBegin, savepoints, mayBeAborted, status, timeout, timeoutBy, timeoutOutside } = connection;
    const points = savepoints.map(({ name, node }) => `${name ?? '?'}@${numbering.of(node)}`).join();
    return `${origin}${transaction}${numbering.of(openedBy)}${several ? 'm' : ''}h${numbering.of(broughtBy)}n${numbering.of(nestedBegin)}[${points}]${mayBeAborted ? 'a' : ''}${status}${timeout}${numbering.of(timeoutBy)}o${timeoutOutside?.timeout ?? ''}${numbering.of(timeoutOutside?.timeoutBy ?? null)}`;
  }

  function writeKnown(value: Known): string {
    switch (value.kind) {
      case 'constant':
        return `${typeof value.value}:${String(value.value)}${numbering.of(value.tells)}`;
      case 'truthy':
      case 'falsy':
        return `${value.kind}${numbering.of(value.tells)}`;
      case 'answer':
        return `answer${value.granted ? 'y' : 'n'}${value.negated ? '!' : ''}${numbering.of(value.tells)}`;
      case 'result':
        return `result${value.granted ? 'y' : 'n'}${numbering.of(value.tells)}/${value.path.map(writeStep).join('/')}`;
      case 'derived':
        return `derived${numbering.of(value.tells)}`;
      case 'record':
        return `{${[...value.fields].map(([name, field]) => `${name}:${writeKnown(field)}`).join()}}`;
      default:
        return value satisfies never;
    }
  }

  function writeStep(step: (Known & { kind: 'result' })['path'][number]): string {
    switch (step.kind) {
      case 'property':
      case 'method':
        return `${step.kind}.${step.name}`;
      case 'index':
        return String(step.index);
      default:
        return step.kind;
    }
  }
}

function sorted<K, V>(map: ReadonlyMap<K, V>, compare: (a: K, b: K) => number): readonly (readonly [K, V])[] {
  return map.size < 2 ? [...map] : [...map].sort(([a], [b]) => compare(a, b));
}
