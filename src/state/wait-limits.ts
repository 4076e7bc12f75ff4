import { configuration } from '../facts/configuration.js';
import { events } from '../facts/events.js';
import { queries } from '../facts/queries.js';
import { definePass } from '../pass.js';
import { isInside } from '../source/ast.js';
import type { FunctionState, HeldLock } from './model.js';

export interface WaitLimits {
  /** May the blocking acquire be refused after a while, by the server or by the client? False where nothing shows it. */
  isLimited(held: HeldLock, state: FunctionState): boolean;
}

/** The server's own limits on a statement, and node-postgres' name for the client's. */
const limitingOptions = /\b(?:lock_timeout|statement_timeout|query_timeout)\b/;

/** Where waiting for a lock ends without the lock: by options, by SET before the lock, by a limit of the client. */
export const waitLimits = definePass('waitLimits', [queries, events, configuration], ([statements, { backends }, options], { settings, text }): WaitLimits => {
  return { isLimited };

  function isLimited(held: HeldLock, state: FunctionState): boolean {
    const { query } = held.lock;
    if (query.clientTimeout !== null || settings.lockTimeout === 'role') return true;
    if (state.acquires.some((acquire) => acquire.held === held && acquire.lockTimeout === 'set')) return true;
    if (options.lockTimeoutOf(held.handle) !== null) return true;
    return isLimitedWhereMade(held) || isLimitedBefore(held, state);
  }

  function isLimitedWhereMade({ handle }: HeldLock): boolean {
    return handle.configured.some(({ call }) => limitingOptions.test(text.slice(call.range[0], call.range[1])));
  }

  function isLimitedBefore({ handle, call }: HeldLock, { unit }: FunctionState): boolean {
    return statements.some(
      ({ node, session, handle: other }) =>
        node.range[1] <= call.range[0] &&
        isInside(node, unit) &&
        session.some((operation) => operation.kind === 'set' && operation.name === 'statement_timeout') &&
        backends.relation(other, handle) === 'same',
    );
  }
});
