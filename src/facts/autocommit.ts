import type { TSESTree } from '@typescript-eslint/utils';
import { definePass } from '../pass.js';
import { enclosingFunction, isFunction, isInside, unwrappedParent } from '../source/ast.js';
import { scopes } from '../source/scope.js';
import { nodes } from '../source/walk.js';
import { usesOf, type Use } from '../source/uses.js';
import type { QueryLevel } from '../sql/model.js';
import { isVariable } from './backends.js';
import { connectionUses } from './connection-uses.js';
import { effects } from './effects.js';
import { evaluation } from './evaluation.js';
import { events } from './events.js';
import { queries, type Query, type QueryLock } from './queries.js';
import type { Handle, Value } from './values.js';

/** Statements that run in a transaction of their own, and what a transaction lock may be good for in them. */
export interface Autocommit {
  /** Sent through a pool, for certain in no transaction that other statements share. */
  isOnPool(query: Query): boolean;
  /** The call whose transaction the statement stands in without being sent over it. */
  transactionAround(query: Query): TSESTree.Node | null;
  /** Is there nothing to guard behind the statement: a probe whose answer is handed on, a lock for its own statement? */
  isPointless(lock: QueryLock): boolean;
}

export const autocommit = definePass('autocommit', [scopes, nodes, evaluation, queries, connectionUses, effects, events], ([scopesOfFile, nodesOfFile, { evaluator }, statements, uses, effectsOfFile, { backends, callbackOf }]): Autocommit => {
  return { isOnPool, transactionAround, isPointless };

  function isOnPool(query: Query): boolean {
    const { handle, sent, mayJoinBatch, analysis } = query;
    if ((handle.role !== 'pool' && handle.role !== 'http') || handle.mayBeTransaction || isMadeWithUnknown(handle)) return false;
    if (handle.evidence.because === 'accessor' || isCallersPart(query)) return false;
    if (sent === 'never' || mayJoinBatch || (analysis?.statements.length ?? 0) > 1) return false;
    // What is imported may be one connection, and then a BEGIN on it begins a transaction.
    return !handle.assumed || !beginsTransaction(query);
  }

  /**
   * A function that does nothing but take the lock over a handle that a container hands out, of a library that can be made to
   * let handles join the caller's transaction, whichever file begins it.
   */
  function isCallersPart({ handle, sending }: Query): boolean {
    if (handle.evidence.because !== 'injection' || handle.driver.implicitTransactions?.some(({ everywhere }) => everywhere) !== true) return false;
    const fn = enclosingFunction(sending);
    return fn !== null && ![...statements, ...uses].some((other) => other.node !== sending && isInside(other.node, fn) && !('locks' in other && other.locks.length > 0));
  }

  /** A field whose type says pool, of a class that this file makes with something it does not know: a transaction, perhaps. */
  function isMadeWithUnknown({ identity }: Handle): boolean {
    const definition = isVariable(identity) ? scopesOfFile.definitionOf(identity) : null;
    if (definition?.kind !== 'parameter') return false;
    const { function: fn, index } = definition;
    return nodesOfFile.news.some((made) => {
      const argument = made.arguments[index];
      if (!isOf(evaluator.valueOf(made.callee), fn.parent) || !argument || argument.type === 'SpreadElement') return false;
      const value = evaluator.valueOf(argument);
      return value.type !== 'object' || value.handle?.role !== 'pool';
    });
  }

  function beginsTransaction({ handle }: Query): boolean {
    const begins = [
      ...statements.filter(({ session }) => session.some(({ kind }) => kind === 'begin')).map((statement) => statement.handle),
      ...effectsOfFile.flatMap(({ effect, handle: begun }) => (effect.does === 'begins' && begun ? [begun] : [])),
    ];
    return begins.some((begun) => backends.relation(begun, handle) === 'same');
  }

  function transactionAround({ node, handle }: Query): TSESTree.Node | null {
    for (let inner: TSESTree.Node | undefined = node; inner; inner = inner.parent) {
      if (!isFunction(inner)) continue;
      const { parent: call } = unwrappedParent(inner);
      const callback = call?.type === 'CallExpression' ? callbackOf(call) : null;
      if (!call || callback?.function !== inner) continue;
      const isOfPool = callback.before.some(
        (event) => event.kind === 'take' && event.handle.role === 'transaction' && event.handle.pool !== null && backends.relation(event.handle.pool, handle) === 'same',
      );
      if (isOfPool) return call;
    }
    return null;
  }

  function isPointless(lock: QueryLock): boolean {
    const { operation, query } = lock;
    if (operation.body === 'do' || guardsOwnStatement(lock)) return true;
    return operation.action === 'try' && query.uses.some(({ sink }) => sink.kind !== 'discarded' && sink.kind !== 'never-read') && query.uses.every(isHandedOn);
  }

  /** Returned, passed on or written somewhere: nothing here depends on the answer. */
  function isHandedOn(use: Use): boolean {
    switch (use.sink.kind) {
      case 'returned':
      case 'argument':
      case 'interpolated':
      case 'stored':
      case 'yielded':
      case 'exported':
      case 'escaped':
      case 'discarded':
      case 'never-read':
        return true;
      case 'compared':
        return usesOf(use.node, scopesOfFile).every(isHandedOn);
      case 'tested':
      case 'called':
      case 'thrown':
      case 'operand':
        return false;
      default:
        return use.sink satisfies never;
    }
  }
});

/** Is it the class that the method belongs to? */
const isOf = (value: Value, method: TSESTree.Node): boolean => value.type === 'class' && value.node === method.parent?.parent;

/** The same statement reads or changes rows: the lock is held for as long as that takes. Also true where that cannot be told. */
function guardsOwnStatement({ operation, level, query }: QueryLock): boolean {
  if (!level || query.analysis?.status === 'scanned' || query.analysis?.status === 'unknown') return true;
  const statement = query.analysis?.statements[operation.statement];
  if (statement?.writes === true) return true;
  const ownTable = commonTableOf(level);
  const levels: (QueryLevel | null)[] = [statement?.query ?? null];
  for (let outer: QueryLevel | null = level; outer; outer = outer.parent) levels.push(outer);
  return levels.some((each) => each?.from.some(({ kind, name }) => kind === 'table' || (kind === 'cte' && name !== ownTable)) === true);
}

/** The common table in which the lock stands. */
function commonTableOf(level: QueryLevel): string | null {
  for (let outer: QueryLevel | null = level; outer; outer = outer.parent) if (outer.cte) return outer.cte.name;
  return null;
}
