import type { TSESTree } from '@typescript-eslint/utils';
import type { Query } from '../facts/query.js';
import type { Handle } from '../facts/values.js';
import type { SessionOperation } from '../sql/model.js';
import { close, connectionOf, releaseAll, withConnection, withLocks, type Surroundings } from './locks.js';
import type { State } from './state.js';

export function begin(state: State, handle: Handle, node: TSESTree.Node, { events }: Surroundings): State {
  const connection = connectionOf(state, handle, events);
  const change =
    connection.transaction === 'open'
      ? { nestedBegin: node }
      : {
          transaction: 'open' as const,
          openedBy: node,
          mayBeAborted: false,
          timeoutOutside: { timeout: connection.timeout, timeoutBy: connection.timeoutBy },
        };
  return withConnection(state, handle, change, events);
}

/** COMMIT or ROLLBACK: the transaction's locks are free, whether it succeeds or not. */
export function end(state: State, handle: Handle, node: TSESTree.Node, chain: boolean, around: Surroundings): State {
  const { events, recorder } = around;
  const connection = connectionOf(state, handle, events);
  const after = withLocks(state, (taken) => {
    if (taken.held.lock.operation.level !== 'transaction' || events.backends.relation(taken.held.handle, handle) !== 'same') return taken;
    if (connection.nestedBegin) recorder?.endedEarly(taken.held, node, 'nested', connection.nestedBegin, state);
    return null;
  });
  return withConnection(
    after,
    handle,
    {
      transaction: chain ? 'open' : 'none',
      openedBy: chain ? node : null,
      nestedBegin: null,
      savepoints: [],
      mayBeAborted: false,
      // SET LOCAL ends with the transaction.
      timeout: connection.timeoutBy ? 'set' : connection.timeout === 'set' ? 'not-set' : connection.timeout,
      timeoutOutside: null,
    },
    events,
  );
}

/** As `end`; what SET has changed since the transaction began is undone as well (PostgreSQL manual, SET). */
export function rollback(state: State, handle: Handle, node: TSESTree.Node, chain: boolean, around: Surroundings): State {
  const { timeoutBy, timeoutOutside } = connectionOf(state, handle, around.events);
  const after = end(state, handle, node, chain, around);
  if (timeoutOutside) return withConnection(after, handle, timeoutOutside, around.events);
  return timeoutBy ? withConnection(after, handle, { timeout: 'unknown', timeoutBy: null }, around.events) : after;
}

export function savepoint(state: State, handle: Handle, name: string | null, node: TSESTree.Node, { events }: Surroundings): State {
  const { savepoints } = connectionOf(state, handle, events);
  const others = savepoints.filter((point) => point.node !== node);
  return withConnection(state, handle, { savepoints: [...others, { name, node }] }, events);
}

export function releaseSavepoint(state: State, handle: Handle, name: string | null, { events }: Surroundings): State {
  const { savepoints } = connectionOf(state, handle, events);
  const at = savepoints.findLastIndex((point) => point.name === name);
  if (at < 0) return state;
  const after = withLocks(state, (taken) =>
    events.backends.relation(taken.held.handle, handle) === 'same' && taken.savepoints > at ? { ...taken, savepoints: at } : taken,
  );
  return withConnection(after, handle, { savepoints: savepoints.slice(0, at) }, events);
}

/** Frees the transaction locks taken since the savepoint; session locks stay (PostgreSQL manual, 13.3.5). */
export function rollbackTo(state: State, handle: Handle, name: string | null, node: TSESTree.Node, around: Surroundings): State {
  const { events, recorder } = around;
  const { savepoints } = connectionOf(state, handle, events);
  const at = savepoints.findLastIndex((point) => point.name === name);
  const point = savepoints[at];
  const after = withLocks(state, (taken) => {
    if (taken.held.lock.operation.level !== 'transaction' || events.backends.relation(taken.held.handle, handle) !== 'same') return taken;
    if (!point) return { ...taken, doubtful: true };
    if (taken.savepoints <= at) return taken;
    recorder?.endedEarly(taken.held, node, 'savepoint', point.node, state);
    return null;
  });
  return withConnection(after, handle, { mayBeAborted: false, savepoints: point ? savepoints.slice(0, at + 1) : savepoints }, events);
}

export function sessionOperation(state: State, operation: SessionOperation, query: Query, handle: Handle, node: TSESTree.Node, around: Surroundings): State {
  const { events } = around;
  switch (operation.kind) {
    case 'begin':
      return begin(state, handle, node, around);
    case 'commit':
      return end(state, handle, node, operation.chain, around);
    case 'rollback':
      return rollback(state, handle, node, operation.chain, around);
    case 'savepoint':
      return savepoint(state, handle, operation.name, node, around);
    case 'release-savepoint':
      return releaseSavepoint(state, handle, operation.name, around);
    case 'rollback-to':
      return rollbackTo(state, handle, operation.name, node, around);
    case 'set':
      return operation.name === 'lock_timeout' ? setTimeout(state, operation, query, handle, around) : state;
    case 'reset':
      return operation.name === 'lock_timeout' || operation.name === 'all' ? withConnection(state, handle, { timeout: 'not-set', timeoutBy: null }, events) : state;
    case 'discard':
      return operation.what === 'all' ? withConnection(releaseAll(state, handle, around), handle, { timeout: 'not-set', timeoutBy: null }, events) : state;
    case 'terminate-self':
      return close(state, handle, around);
    case 'set-isolation':
      return state;
    default:
      return operation satisfies never;
  }
}

function setTimeout(state: State, { value, local }: SessionOperation & { kind: 'set' }, query: Query, handle: Handle, { events }: Surroundings): State {
  const connection = connectionOf(state, handle, events);
  const isOff = value !== null && /^0\s*(?:ms|s|min|h|d|us)?$/.test(value.trim());
  // Outside a transaction SET LOCAL changes nothing, with no more than a warning.
  if (local && connection.transaction === 'none') return state;
  if (isOff) return withConnection(state, handle, { timeout: 'not-set', timeoutBy: null }, events);
  if (local && connection.transaction === 'unknown') return withConnection(state, handle, { timeout: connection.timeout === 'set' ? 'set' : 'unknown' }, events);
  return withConnection(state, handle, { timeout: 'set', timeoutBy: local ? connection.timeoutBy : query }, events);
}
