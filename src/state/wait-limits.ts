import type { TSESTree } from '@typescript-eslint/utils';
import { connectListeners } from '../facts/connect-listeners.js';
import { configuredLimits } from '../facts/configured-limits.js';
import { events } from '../facts/events.js';
import { queries, type Query, type QueryLock } from '../facts/queries.js';
import { definePass } from '../pass.js';
import { enclosingFunction, isFunction, isInside } from '../source/ast.js';
import type { SessionOperation } from '../sql/model.js';
import type { FunctionState, HeldLock } from './model.js';

export interface WaitLimits {
  /** May the blocking acquire be refused after a while, by the server or by the client? False where nothing shows it. */
  isLimited(held: HeldLock, state: FunctionState): boolean;
}

/** Where waiting for a lock ends without the lock: by options, by SET before the lock, by a limit of the client. */
export const waitLimits = definePass('waitLimits', [queries, events, configuredLimits, connectListeners], ([statements, { backends }, options, listeners], { settings }): WaitLimits => {
  return { isLimited };

  function isLimited(held: HeldLock, state: FunctionState): boolean {
    const { query } = held.lock;
    const lockTimeout = state.acquires.find((acquire) => acquire.held === held)?.lockTimeout;
    if (query.clientTimeout !== null || settings.lockTimeout === 'role' || lockTimeout === 'set') return true;
    return isLimitedInText(held.lock) || options.areSetFor(held.handle) || isPrepared(held) || isLimitedBefore(held, state);
  }

  /** A listener of the pool sets it on every connection, whatever else it does. */
  function isPrepared({ handle }: HeldLock): boolean {
    const functions = handle.pool ? listeners.of(handle.pool) : [];
    return functions.some((fn) => statements.some((statement) => enclosingFunction(statement.node) === fn && isUnconditional(statement.node) && setsForSession(statement)));
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

const limits: ReadonlySet<string> = new Set(['lock_timeout', 'statement_timeout']);

const isLimit = (operation: SessionOperation): boolean => operation.kind === 'set' && limits.has(operation.name) && !isOff(operation.value);

const isOff = (value: string | null): boolean => value !== null && /^\s*0\s*(?:us|ms|s|min|h|d)?\s*$/.test(value);

const setsForSession = ({ session }: Query): boolean => session.some((operation) => operation.kind === 'set' && !operation.local && isLimit(operation));

/**
 * The lock's own statement sets a limit on the way to the lock, or a statement before it in the same string does: such a
 * string runs as one transaction, so that even SET LOCAL lasts (PostgreSQL manual, 53.2.2.1).
 */
function isLimitedInText({ operation: lock, query }: QueryLock): boolean {
  const operations = query.analysis?.operations ?? [];
  let isSet = false;
  for (const operation of operations.slice(0, Math.max(0, operations.indexOf(lock)))) {
    if (operation.kind === 'lock') continue;
    if (isLimit(operation)) isSet = true;
    else if (operation.kind === 'commit' || operation.kind === 'rollback' || operation.kind === 'reset') isSet = false;
  }
  return isSet;
}

const branching: ReadonlySet<string> = new Set(['IfStatement', 'ConditionalExpression', 'LogicalExpression', 'SwitchCase', 'CatchClause', 'WhileStatement', 'ForStatement', 'ForOfStatement', 'ForInStatement']);

function isUnconditional(statement: TSESTree.Node): boolean {
  for (let node = statement.parent; node && !isFunction(node); node = node.parent) if (branching.has(node.type)) return false;
  return true;
}
