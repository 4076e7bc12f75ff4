import type { TSESTree } from '@typescript-eslint/utils';
import type { Events, GiveBackEvent } from '../facts/events.js';
import type { Frame } from '../facts/frames.js';
import type { QueryLock } from '../facts/query.js';
import type { Handle } from '../facts/values.js';
import type { HeldLock, Mismatch } from './model.js';
import type { Recorder } from './recorder.js';
import { withEntry, type Connection, type Refused, type State, type Taken, type Unmatched } from './state.js';

/** What the operations need to know of the function they run in. */
export interface Surroundings {
  readonly events: Events;
  readonly recorder: Recorder | null;
  /** The function's one record of a lock taken by this call. */
  heldLock(lock: QueryLock, call: TSESTree.Node, handle: Handle, frames: readonly Frame[], state: State): HeldLock;
}

export interface Release {
  readonly lock: QueryLock;
  readonly handle: Handle;
  readonly frames: readonly Frame[];
  readonly call: TSESTree.Node;
  readonly outcome: Unmatched['outcome'];
}

export function connectionOf(state: State, handle: Handle, events: Events): Connection {
  return state.connections.get(events.backends.idOf(handle)) ?? unseen(handle);
}

/** A connection that was there before the function began. */
function unseen(handle: Handle): Connection {
  return {
    handle,
    origin: 'outside',
    transaction: handle.role === 'transaction' ? 'open' : handle.role === 'pool' || handle.role === 'http' ? 'none' : 'unknown',
    openedBy: null,
    broughtBy: null,
    several: false,
    nestedBegin: null,
    savepoints: [],
    mayBeAborted: false,
    status: 'open',
    timeout: handle.role === 'pool' || handle.role === 'http' ? 'not-set' : 'unknown',
    timeoutBy: null,
    timeoutOutside: null,
  };
}

export function withConnection(state: State, handle: Handle, change: Partial<Connection>, events: Events): State {
  const id = events.backends.idOf(handle);
  const connection = { ...connectionOf(state, handle, events), ...change };
  return { ...state, connections: withEntry(state.connections, id, connection) };
}

export const withLocks = (state: State, change: (taken: Taken) => Taken | null): State => {
  const locks = state.locks.map(change).filter((taken): taken is Taken => taken !== null);
  const isSame = locks.length === state.locks.length && locks.every((taken, index) => taken === state.locks[index]);
  return isSame ? state : { ...state, locks };
};

export const withoutRefusal = (state: State, lock: QueryLock): State =>
  state.refused.some(({ held }) => held.lock === lock) ? { ...state, refused: state.refused.filter(({ held }) => held.lock !== lock) } : state;

/** More locks at a time are not told apart: nothing is said of the further ones. */
const maximumLocks = 16;

function withoutRefusals(state: State, handle: Handle, { backends }: Events): State {
  const others = state.refused.filter(({ held }) => backends.idOf(held.handle) !== backends.idOf(handle));
  return others.length === state.refused.length ? state : { ...state, refused: others };
}

export function take(state: State, held: HeldLock, details: Pick<Taken, 'inTransaction' | 'pending' | 'doubtful' | 'around'>, around: Surroundings): State {
  const { events, recorder } = around;
  // On a connection that has got a lock, what was refused before matters no more.
  const before = withoutRefusals(state, held.handle, events);
  if (before.locks.length >= maximumLocks) return before;
  const { several, savepoints } = connectionOf(before, held.handle, events);
  const stacked = several ? undefined : held.lock.operation.level === 'session' ? before.locks.find((taken) => isSameLock(taken.held, held, events) && taken.status === 'held' && !taken.givenBack) : undefined;
  if (stacked) {
    // The same statement again: an earlier round of a loop may have had another key.
    if (stacked.held === held && !events.keys.isSteady(held.key, held.call)) return before;
    recorder?.stacked(held, stacked, before);
    return withLocks(before, (taken) => (taken === stacked ? { ...taken, count: 2 } : taken));
  }
  const taken: Taken = { held, count: 1, status: 'held', givenBack: null, unlock: null, problem: null, savepoints: savepoints.length, ...details, doubtful: details.doubtful || several };
  return { ...before, locks: [...before.locks, taken] };
}

function isSameLock(one: HeldLock, other: HeldLock, { backends, keys }: Events): boolean {
  const [a, b] = [one.lock.operation, other.lock.operation];
  if (a.level !== b.level || a.mode !== b.mode || backends.relation(one.handle, other.handle) !== 'same') return false;
  return keys.sameKey(one.key, other.key) === 'same';
}

export function refuse(state: State, held: HeldLock, because: Refused['because'], { events }: Surroundings): State {
  const before = withoutRefusals(state, held.handle, events);
  return { ...before, refused: [...before.refused, { held, because, tested: because === 'rejected' }] };
}

/** `pg_advisory_unlock` and its like. */
export function release(state: State, request: Release, around: Surroundings): State {
  const { events, recorder } = around;
  const { backends, keys } = events;
  const { lock, handle, frames, call, outcome } = request;
  const key = keys.keyOf(lock, frames);
  const { mode } = lock.operation;
  const session = state.locks.filter(({ held }) => held.lock.operation.level === 'session' && backends.relation(held.handle, handle) !== 'different');
  const exact = session.filter(
    ({ held }) => held.lock.operation.mode === mode && backends.relation(held.handle, handle) === 'same' && keys.sameKey(held.key, key) === 'same',
  );
  const own = exact.filter(({ around: helper }) => helper === null);
  const [match] = own.length > 0 ? own : exact;
  if (match) {
    recorder?.released(request, match, state);
    const isAmbiguous = exact.length > 1 && match.held.key.frames.length > 0;
    return withLocks(state, (taken) => {
      if (taken === match) return unlocked(taken, request);
      return isAmbiguous && exact.includes(taken) ? { ...taken, doubtful: true } : taken;
    });
  }
  const possible = session.filter(({ held }) => held.lock.operation.mode === mode && keys.sameKey(held.key, key) !== 'different');
  if (possible.length > 0) {
    const [only] = possible;
    if (possible.length === 1 && only) recorder?.released(request, only, state);
    return withLocks(state, (taken) => (possible.includes(taken) ? { ...taken, doubtful: true } : taken));
  }
  recorder?.released(request, null, state);
  const marked = mismatched(state, request, around);
  const isKnown = marked !== state || state.refused.some(({ held }) => held.lock.operation.level === 'session' && isCounterpart(held, request, around));
  return isKnown ? marked : withUnmatched(marked, { lock, handle, frames, node: call, outcome });
}

function withUnmatched(state: State, release: Unmatched): State {
  const known = state.unmatched.some((other) => other.lock === release.lock && other.node === release.node && other.outcome === release.outcome);
  return known ? state : { ...state, unmatched: [...state.unmatched.filter((other) => other.node !== release.node || other.lock !== release.lock), release] };
}

function unlocked(taken: Taken, { lock, outcome }: Release): Taken | null {
  switch (outcome) {
    case 'never-sent':
      return { ...taken, problem: 'never-sent', unlock: lock };
    case 'failing':
      return { ...taken, status: 'failing', unlock: lock };
    case 'failed':
      return { ...taken, status: 'failed', unlock: lock };
    case 'done':
      if (taken.count === 2) return { ...taken, count: 1 };
      return taken.givenBack ? { ...taken, status: 'unlocked', unlock: lock } : null;
    default:
      return outcome satisfies never;
  }
}

/** Is the lock what this unlock would free, had it been got? */
function isCounterpart(held: HeldLock, { lock, handle, frames }: Release, { events }: Surroundings): boolean {
  const { backends, keys } = events;
  return backends.relation(held.handle, handle) === 'same' && held.lock.operation.mode === lock.operation.mode && keys.sameKey(held.key, keys.keyOf(lock, frames)) === 'same';
}

/** The unlock frees nothing that this path has taken: says why, and remembers it with the lock it leaves behind. */
function mismatched(state: State, request: Release, around: Surroundings): State {
  const { recorder } = around;
  if (request.outcome !== 'done') return state;
  for (const refused of state.refused) {
    if (refused.because === 'refused' && refused.tested && isCounterpart(refused.held, request, around)) {
      recorder?.mismatch(request, 'refused', refused.held, state);
      return state;
    }
  }
  const candidates = state.locks.filter((taken) => !taken.doubtful && taken.held.certain && taken.status === 'held');
  const differing = candidates.flatMap((taken) => {
    const kind = differenceTo(taken, request, around);
    return kind ? [{ taken, kind }] : [];
  });
  const [only, ...others] = differing;
  if (!only || others.length > 0) return state;
  recorder?.mismatch(request, only.kind, only.taken.held, state);
  if (only.kind === 'transaction-lock') return state;
  return withLocks(state, (taken) => (taken === only.taken ? { ...taken, problem: 'mismatched', unlock: request.lock } : taken));
}

function differenceTo({ held }: Taken, { lock, handle, frames }: Release, { events }: Surroundings): Mismatch['kind'] | null {
  const { backends, keys } = events;
  const relation = backends.relation(held.handle, handle);
  const compared = keys.compare(held.key, keys.keyOf(lock, frames));
  if (held.lock.operation.level === 'transaction') return relation === 'same' && compared.is === 'same' ? 'transaction-lock' : null;
  if (relation === 'different') return compared.is === 'same' ? 'connection' : null;
  if (relation === 'unknown') return null;
  if (compared.is === 'same') return held.lock.operation.mode === lock.operation.mode ? null : 'mode';
  return compared.is === 'different' ? compared.by : null;
}

/** `pg_advisory_unlock_all`, DISCARD ALL: the session's own locks are free, those of a transaction are not. */
export function releaseAll(state: State, handle: Handle, { events }: Surroundings): State {
  return withLocks(state, (taken) => {
    if (taken.held.lock.operation.level !== 'session') return taken;
    const relation = events.backends.relation(taken.held.handle, handle);
    return relation === 'same' ? null : relation === 'unknown' ? { ...taken, doubtful: true } : taken;
  });
}

/** The session ended, or all sessions of a pool. */
export function close(state: State, handle: Handle, around: Surroundings): State {
  const { events } = around;
  const isEnded = (other: Handle): boolean =>
    events.backends.relation(other, handle) === 'same' || (other.pool !== null && events.backends.relation(other.pool, handle) === 'same');
  let result = withLocks(state, (taken) => (isEnded(taken.held.handle) ? null : taken));
  if (result.lost.some(({ held }) => isEnded(held.handle))) result = { ...result, lost: result.lost.filter(({ held }) => !isEnded(held.handle)) };
  for (const { handle: other } of state.connections.values()) {
    if (isEnded(other)) result = withConnection(result, other, { status: 'gone' }, events);
  }
  return handle.role === 'pool' || handle.role === 'http' ? result : withConnection(result, handle, { status: 'gone' }, events);
}

export function giveBack(state: State, event: GiveBackEvent, call: TSESTree.Node, destroys: 'yes' | 'no' | 'unknown', around: Surroundings): State {
  const { events, recorder } = around;
  const connection = connectionOf(state, event.handle, events);
  recorder?.gaveBack(event, call, destroys, connection);
  if (destroys === 'yes') return close(state, event.handle, around);
  const isHere = (taken: Taken): boolean => events.backends.relation(taken.held.handle, event.handle) === 'same';
  if (destroys === 'unknown') {
    const after = withLocks(state, (taken) => (isHere(taken) ? { ...taken, doubtful: true } : taken));
    return withConnection(after, event.handle, { status: 'maybe-gone' }, events);
  }
  if (connection.status === 'gone') return state;
  const after = withLocks(state, (taken) => (isHere(taken) && !taken.givenBack ? { ...taken, givenBack: { ...event, call } } : taken));
  const givenBackBy = withEntry(after.givenBackBy, events.backends.idOf(event.handle), event.node);
  return withConnection({ ...after, givenBackBy }, event.handle, { status: 'given-back' }, events);
}

/** A connection is opened or taken from its pool. What an earlier round of a loop left on it is lost. */
export function takeConnection(state: State, handle: Handle, { events }: Surroundings): State {
  const isHere = (taken: Taken): boolean => events.backends.relation(taken.held.handle, handle) === 'same';
  const left = state.locks.filter((taken) => isHere(taken) && (taken.givenBack !== null || connectionOf(state, handle, events).status === 'open'));
  const lost = [...state.lost, ...left.filter((taken) => !state.lost.some(({ held }) => held === taken.held))];
  const connection: Connection = { ...unseen(handle), origin: 'here', transaction: 'none', timeout: 'not-set' };
  return {
    ...state,
    lost: lost.length === state.lost.length ? state.lost : lost,
    locks: state.locks.filter((taken) => !isHere(taken)),
    refused: state.refused.filter(({ held }) => events.backends.relation(held.handle, handle) !== 'same'),
    connections: withEntry(state.connections, events.backends.idOf(handle), connection),
  };
}
