import type { TSESTree } from '@typescript-eslint/utils';
import type { Frame } from '../facts/frames.js';
import type { Handle } from '../facts/values.js';
import { tellingOf, type Known, type Truth } from './known.js';
import { close, connectionOf, giveBack, release, take, takeConnection, withConnection, withLocks, type Surroundings } from './locks.js';
import type { HeldLock } from './model.js';
import { end } from './transactions.js';
import { withEntry, type Assumption, type Connection, type Phase, type State, type Taken } from './state.js';

/** One way in which a helper may end, as its own analysis found it. */
export interface Outcome {
  readonly exit: 'return' | 'throw';
  readonly state: State;
  readonly value: Known | null;
  readonly phase: Phase | null;
}

export interface Application {
  readonly frame: Frame;
  readonly call: TSESTree.Node;
  readonly around: Surroundings;
  readonly lend: (state: State, handle: Handle) => State;
  /** Is what the helper's path assumes so in the caller's state? */
  readonly holds: (place: string, assumption: Assumption, state: State) => Truth;
  /** Gives a variable or field that both share its new value. */
  readonly assign: (place: string, value: Known, state: State) => State;
  /** Locks that the helper can release, by the path it takes. */
  readonly mayRelease: (held: HeldLock) => boolean;
}

/** What a call of the helper makes of the caller's state, when the helper ends in this way; null when it cannot. */
export function applyOutcome(before: State, outcome: Outcome, application: Application): State | null {
  const { frame, call, around } = application;
  let isOpen = false;
  for (const [place, assumption] of outcome.state.assumed) {
    const truth = application.holds(place, assumption, before);
    if (truth === 'false') return null;
    isOpen ||= truth === 'unknown';
  }
  // Whether the helper goes this way hangs on what is not known here.
  const state = isOpen ? withLocks(before, (taken) => (application.mayRelease(taken.held) ? { ...taken, doubtful: true } : taken)) : before;
  let after = applyReleases(state, outcome, application);
  for (const [place, value] of outcome.state.variables) {
    const isShared = place.startsWith('outer ') || place.startsWith('this.');
    if (isShared && !outcome.state.assumed.has(place)) after = application.assign(place, value, after);
  }
  for (const connection of outcome.state.connections.values()) after = applyConnection(after, connection, outcome, application);
  for (const taken of outcome.state.locks) after = applyLock(after, taken, outcome.state, null, application);
  for (const refused of outcome.state.refused) {
    const held = translated(refused.held, application, after);
    if (isOver(connectionOf(outcome.state, refused.held.handle, around.events))) continue;
    const tested = outcome.exit === 'throw' || refused.because === 'rejected';
    after = { ...after, refused: [...after.refused.filter((other) => other.held !== held), { held, because: refused.because, tested: tested && refused.tested }] };
  }
  for (const id of outcome.state.lent) {
    const lent = outcome.state.connections.get(id);
    if (lent) after = application.lend(after, around.events.backends.through(lent.handle, frame));
  }
  const value = valueOf(outcome);
  return value ? { ...after, results: withEntry(after.results, call, value) } : after;
}

/** What a helper that runs a callback has done when the callback begins: its locks are held around the callback. */
export function applyBefore(state: State, entered: State, application: Application): State {
  const outcome: Outcome = { exit: 'return', state: entered, value: null, phase: null };
  let after = applyReleases(state, outcome, application);
  for (const connection of entered.connections.values()) after = applyConnection(after, connection, outcome, application);
  for (const taken of entered.locks) after = applyLock(after, taken, entered, application.call, application);
  return after;
}

/** What the helper does when the callback has ended: unlocks, gives back, ends transactions. */
export function applyAfter(state: State, entered: State, outcome: Outcome, application: Application): State {
  const { frame, call, around } = application;
  const { events } = around;
  let after = applyReleases(state, { ...outcome, state: { ...outcome.state, unmatched: outcome.state.unmatched.filter((release) => !entered.unmatched.includes(release)) } }, application);
  after = withLocks(after, (taken) => (taken.around === call ? null : taken));
  for (const [id, connection] of outcome.state.connections) {
    const before = entered.connections.get(id);
    const handle = events.backends.through(connection.handle, frame);
    if (before && before.transaction !== 'none' && connection.transaction === 'none') after = end(after, handle, call, false, around);
    if (before?.status !== connection.status) after = applyStatus(after, handle, connection, call, around, outcome.state);
  }
  return after;
}

function applyReleases(state: State, outcome: Outcome, { frame, call, around }: Application): State {
  const { backends } = around.events;
  return outcome.state.unmatched.reduce((after, { lock, handle, frames, outcome: ended }) => {
    // A rejection that leaves the helper is on its way in the caller, too.
    const done = ended === 'failing' && outcome.exit === 'return' ? 'failed' : ended;
    return release(after, { lock, handle: backends.through(handle, frame), frames: [...frames, frame], call, outcome: done }, around);
  }, state);
}

function applyConnection(state: State, connection: Connection, outcome: Outcome, { frame, call, around }: Application): State {
  const { events } = around;
  const handle = events.backends.through(connection.handle, frame);
  if (connection.origin === 'here') {
    if (isOver(connection) || (connection.status === 'open' && outcome.exit === 'throw')) return state;
    const { transaction, openedBy, savepoints, mayBeAborted, timeout, timeoutBy } = connection;
    const status = connection.status === 'stored' ? 'stored' : 'open';
    if (isInUse(state, handle, call, events)) return withSeveral(state, handle, events);
    return withConnection(takeConnection(state, handle, around), handle, { transaction, openedBy, broughtBy: call, savepoints, mayBeAborted, timeout, timeoutBy, status }, events);
  }
  if (handle.role === 'pool' || handle.role === 'http') return connection.status === 'gone' ? close(state, handle, around) : state;
  let after = state;
  if (connection.transaction === 'open' && connection.openedBy) after = withConnection(after, handle, { transaction: 'open', openedBy: call, mayBeAborted: connection.mayBeAborted }, events);
  if (connection.transaction === 'none') after = end(after, handle, call, false, { ...around, recorder: null });
  if (connection.timeout !== 'unknown') after = withConnection(after, handle, { timeout: connection.timeout, timeoutBy: connection.timeoutBy }, events);
  return applyStatus(after, handle, connection, call, around, outcome.state);
}

/**
 * Has another call of the helper brought one that nobody has given back? The same call may run again in a loop, and lose it; a
 * callback that the helper runs is inside the other one's.
 */
function isInUse(state: State, handle: Handle, call: TSESTree.Node, { backends }: Surroundings['events']): boolean {
  const connection = state.connections.get(backends.idOf(handle));
  if (connection?.origin !== 'here' || connection.broughtBy === null || connection.broughtBy === call || isOver(connection)) return false;
  const locks = state.locks.filter(({ held }) => backends.relation(held.handle, handle) === 'same');
  return locks.length === 0 || locks.some(({ around }) => around === null);
}

function withSeveral(state: State, handle: Handle, events: Surroundings['events']): State {
  const after = withLocks(state, (taken) => (events.backends.relation(taken.held.handle, handle) === 'same' ? { ...taken, doubtful: true } : taken));
  return withConnection(after, handle, { several: true }, events);
}

const isOver = ({ origin, status }: Connection): boolean => origin === 'here' && (status === 'given-back' || status === 'gone' || status === 'maybe-gone');

function applyStatus(state: State, handle: Handle, { status }: Connection, call: TSESTree.Node, around: Surroundings, helper: State): State {
  switch (status) {
    case 'gone':
      return close(state, handle, around);
    case 'given-back':
    case 'maybe-gone': {
      const node = helper.givenBackBy.get(around.events.backends.idOf(handle)) ?? call;
      return giveBack(state, { kind: 'give-back', node, handle, how: 'call', destroys: 'no' }, call, status === 'maybe-gone' ? 'unknown' : 'no', around);
    }
    case 'stored':
      return withConnection(state, handle, { status }, around.events);
    default:
      return state;
  }
}

function applyLock(state: State, taken: Taken, inHelper: State, holder: TSESTree.Node | null, application: Application): State {
  const { around } = application;
  // What the helper lost is the helper's own matter; what it has on its way out of a failed unlock counts as released.
  if (taken.givenBack || taken.status === 'failing' || taken.status === 'unlocked') return state;
  const held = translated(taken.held, application, state);
  const { inTransaction, doubtful } = taken;
  const connection = connectionOf(state, held.handle, around.events);
  // Where the helper neither begins nor ends a transaction, it is the caller's that the lock is taken in.
  if (connectionOf(inHelper, taken.held.handle, around.events).transaction === 'unknown') around.recorder?.acquired(held, state, connection, false);
  around.recorder?.acquiredThrough(held, state, connection);
  const after = take(state, held, { inTransaction: inTransaction || connection.transaction === 'open', doubtful, pending: false, around: holder }, { ...around, recorder: holder ? null : around.recorder });
  if (taken.status !== 'failed' && taken.problem === null) return after;
  return withLocks(after, (other) => (other.held === held ? { ...other, status: taken.status, unlock: taken.unlock, problem: taken.problem } : other));
}

function translated(held: HeldLock, { frame, call, around }: Application, state: State): HeldLock {
  return around.heldLock(held.lock, call, around.events.backends.through(held.handle, frame), [...held.key.frames, frame], state);
}

/** A helper's answer tells its caller whether the lock was got. */
function valueOf({ state, value, exit }: Outcome): Known | null {
  if (exit === 'throw' || value === null) return null;
  const [refused] = state.refused.filter(({ because }) => because === 'refused');
  const [taken] = state.locks;
  const lock = refused?.held.lock ?? (taken?.held.lock.operation.action === 'try' ? taken.held.lock : null);
  return lock ? tellingOf(value, lock) : value;
}
