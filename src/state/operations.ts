import type { TSESTree } from '@typescript-eslint/utils';
import type { Event, Statement, StatementEvent } from '../facts/events.js';
import type { QueryLock } from '../facts/query.js';
import type { Handle } from '../facts/values.js';
import { resultOf, truthOf, type Known } from './known.js';
import { close, connectionOf, giveBack, refuse, release, releaseAll, take, takeConnection, withConnection, withLocks, withoutRefusal, type Surroundings } from './locks.js';
import { begin, end, releaseSavepoint, rollback, rollbackTo, savepoint, sessionOperation } from './transactions.js';
import { withEntry, type State } from './state.js';

/** How a call that has events went, at the place where its outcome shows. */
export interface Occasion {
  /** The call in this function. */
  readonly call: TSESTree.Node;
  readonly failed: boolean;
  /** Nobody waits for it here. */
  readonly pending: boolean;
  /** Reads an argument on this path. */
  readonly read: (expression: TSESTree.Node, state: State) => Known | null;
  /** Code out of sight gets hold of the connection. */
  readonly lend: (state: State, handle: Handle) => State;
}

/** What one event makes of a state: several states where a try-lock may be granted or refused, or the text has alternatives. */
export function applyEvent(state: State, event: Event, occasion: Occasion, around: Surroundings): readonly State[] {
  const { events, recorder } = around;
  const { call, failed } = occasion;
  switch (event.kind) {
    case 'statement':
      return failed ? [failedStatement(state, event, occasion, around)] : statement(state, event, occasion, around);
    case 'never-sent':
      return [neverSent(state, event.query.locks, event.handle, call, around)];
    case 'take':
      return [failed ? state : takeConnection(state, event.handle, around)];
    case 'begin':
      return [failed ? state : begin(state, event.handle, call, around)];
    case 'commit':
      return [end(state, event.handle, call, false, around)];
    case 'rollback':
      return [rollback(state, event.handle, call, false, around)];
    case 'savepoint':
      return [failed ? state : savepoint(state, event.handle, event.name, call, around)];
    case 'release-savepoint':
      return [releaseSavepoint(state, event.handle, event.name, around)];
    case 'rollback-to':
      return [rollbackTo(state, event.handle, event.name, call, around)];
    case 'give-back': {
      const { destroys } = event;
      const decided = typeof destroys === 'string' ? destroys : byTruth[truthOf(occasion.read(destroys.argument, state))];
      return [giveBack(state, event, call, decided, around)];
    }
    case 'close':
      return [close(state, event.handle, around)];
    case 'use-pool':
      if (!failed) recorder?.usedPool(event.node, event.pool, event.query, state);
      return [state];
    default:
      return event satisfies never;
  }

  function statement(before: State, sent: StatementEvent, at: Occasion, where: Surroundings): readonly State[] {
    const matching = matchingAlternatives(before, sent, where);
    return matching.flatMap((alternative) => runStatement(before, alternative, sent.handle, at, where)).map((after) => ({ ...after, connections: seen(after, sent.handle) }));
  }

  function seen(after: State, handle: Handle): State['connections'] {
    const id = events.backends.idOf(handle);
    return after.connections.has(id) ? after.connections : withEntry(after.connections, id, connectionOf(after, handle, events));
  }
}

const byTruth = { true: 'yes', false: 'no', unknown: 'unknown' } as const;

/** Where the text has alternatives, an unlock that fits what is held was chosen by whatever chose the lock. */
function matchingAlternatives(state: State, { alternatives, handle }: StatementEvent, { events }: Surroundings): readonly Statement[] {
  if (alternatives.length < 2) return alternatives;
  const fitting = alternatives.filter(({ query }) =>
    query.locks.some(
      (lock) =>
        lock.operation.action === 'release' &&
        state.locks.some(({ held }) => held.lock.operation.mode === lock.operation.mode && events.backends.relation(held.handle, handle) !== 'different'),
    ),
  );
  return fitting.length > 0 ? fitting.slice(0, 1) : alternatives;
}

function runStatement(state: State, { query, operations, implicitTransaction }: Statement, handle: Handle, occasion: Occasion, around: Surroundings): readonly State[] {
  around.recorder?.sent(occasion.call, query, handle, state);
  const isHidden = query.builder === null && (query.analysis === null || query.analysis.status === 'unknown');
  const start = isHidden && operations.length === 0 ? occasion.lend(state, handle) : state;
  const tries = operations.filter((operation) => operation.kind === 'lock' && operation.lock.operation.action === 'try').length;
  let states: readonly State[] = [start];
  for (const operation of operations) {
    states = states.flatMap((current) => {
      if (operation.kind === 'session') return [sessionOperation(current, operation.operation, query, handle, occasion.call, around)];
      return lockOperation(current, operation.lock, handle, implicitTransaction, tries > 1, occasion, around);
    });
  }
  return states;
}

function lockOperation(
  state: State,
  lock: QueryLock,
  handle: Handle,
  implicitTransaction: boolean,
  isOneOfMany: boolean,
  occasion: Occasion,
  around: Surroundings,
): readonly State[] {
  const { operation } = lock;
  switch (operation.action) {
    case 'inspect':
      return [state];
    case 'release':
      return [release(state, { lock, handle, frames: [], call: occasion.call, outcome: 'done' }, around)];
    case 'release-all':
      around.recorder?.released({ lock, handle, frames: [], call: occasion.call, outcome: 'done' }, state.locks.find(({ held }) => held.lock.operation.level === 'session') ?? null, state);
      return [releaseAll(state, handle, around)];
    case 'acquire':
    case 'try': {
      const held = around.heldLock(lock, occasion.call, handle, [], state);
      const connection = connectionOf(state, handle, around.events);
      around.recorder?.acquired(held, state, connection, implicitTransaction);
      const isShort = operation.level === 'transaction' && (implicitTransaction || connection.transaction === 'none');
      // A pool's connection goes back when the statement ends; what becomes of a session lock there is no matter of paths.
      const isKept = !isShort && handle.role !== 'pool' && handle.role !== 'http' && handle.evidence.because !== 'batch';
      const doubtful = isOneOfMany || (operation.level === 'transaction' && connection.transaction === 'unknown');
      const inTransaction = connection.transaction === 'open';
      const granted = isKept ? take(state, held, { inTransaction, pending: occasion.pending, doubtful, around: null }, around) : withoutRefusal(state, lock);
      if (operation.action === 'acquire') return [granted];
      const answer = (after: State, isGranted: boolean): State => ({
        ...after,
        results: withEntry(after.results, occasion.call, isOneOfMany ? { kind: 'derived', tells: lock } : resultOf(lock, isGranted)),
      });
      return isOneOfMany ? [answer(granted, true)] : [answer(granted, true), answer(refuse(state, held, 'refused', around), false)];
    }
    default:
      return operation.action satisfies never;
  }
}

function failedStatement(state: State, { alternatives, handle }: StatementEvent, occasion: Occasion, around: Surroundings): State {
  const { events } = around;
  let after = state;
  const matching = matchingAlternatives(state, { kind: 'statement', node: occasion.call, handle, alternatives }, around);
  for (const { operations, query } of matching) {
    for (const operation of operations) {
      if (operation.kind === 'session') {
        const { kind } = operation.operation;
        if (kind === 'commit' || kind === 'rollback' || kind === 'terminate-self') after = sessionOperation(after, operation.operation, query, handle, occasion.call, around);
        continue;
      }
      const { lock } = operation;
      switch (lock.operation.action) {
        case 'release':
          after = release(after, { lock, handle, frames: [], call: occasion.call, outcome: 'failing' }, { ...around, recorder: null });
          break;
        case 'release-all':
          after = withLocks(after, (taken) =>
            taken.held.lock.operation.level === 'session' && events.backends.relation(taken.held.handle, handle) === 'same' ? { ...taken, status: 'failing', unlock: lock } : taken,
          );
          break;
        case 'acquire':
          if (handle.role === 'connection' || handle.role === 'transaction') after = refuse(after, around.heldLock(lock, occasion.call, handle, [], after), 'rejected', around);
          break;
        case 'try':
          after = withoutRefusal(after, lock);
          break;
        default:
      }
    }
  }
  // A cleanup that fails is no path of the refusal's own.
  const isOfBefore = (refused: State['refused'][number]): boolean => state.refused.includes(refused) && events.backends.relation(refused.held.handle, handle) === 'same';
  if (after.refused.some(isOfBefore)) after = { ...after, refused: after.refused.filter((refused) => !isOfBefore(refused)) };
  // Such a statement fails with its connection, and the session's locks are gone then.
  if (matching.length > 0 && matching.every(isSetting)) {
    after = withLocks(after, (taken) => (events.backends.relation(taken.held.handle, handle) === 'same' ? { ...taken, doubtful: true } : taken));
  }
  return connectionOf(after, handle, events).transaction === 'open' ? withConnection(after, handle, { mayBeAborted: true }, events) : after;
}

const settings: ReadonlySet<string> = new Set(['set', 'reset', 'begin', 'rollback', 'discard']);

/** Nothing but SET, RESET, BEGIN or ROLLBACK. */
const isSetting = ({ operations, query }: Statement): boolean =>
  operations.length > 0 && query.analysis?.statements.length === operations.length && operations.every((operation) => operation.kind === 'session' && settings.has(operation.operation.kind));

function neverSent(state: State, locks: readonly QueryLock[], handle: Handle, call: TSESTree.Node, around: Surroundings): State {
  return locks
    .filter((lock) => lock.operation.action === 'release')
    .reduce((after, lock) => release(after, { lock, handle, frames: [], call, outcome: 'never-sent' }, { ...around, recorder: null }), state);
}
