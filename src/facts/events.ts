import type { TSESTree } from '@typescript-eslint/utils';
import { definePass } from '../pass.js';
import type { DriverDescriptor } from '../drivers/driver.js';
import { isFunction, keyName, memberName, unwrap, unwrappedParent, type FunctionNode } from '../source/ast.js';
import { scopes } from '../source/scope.js';
import { nodes } from '../source/walk.js';
import type { SessionOperation } from '../sql/model.js';
import { handleIn, type Backends } from './backends.js';
import { effects, type ConnectionEffect } from './effects.js';
import type { CallMeaning } from './evaluator.js';
import { evaluation } from './evaluation.js';
import type { Keys } from './keys.js';
import { createImplicitTransactions } from './implicit-transactions.js';
import { readKind } from './kinds.js';
import { lockHelpers, type LockHelperCall } from './lock-helpers.js';
import { queries, type Query, type QueryLock } from './queries.js';
import type { Handle } from './values.js';

/**
 * What one call, `new`, tagged template or disposal does to connections, transactions and locks. A call has its effects
 * when its promise is fulfilled. Where it fails: an acquire has taken nothing, an unlock and a give-back count as done, the
 * end of a transaction has ended it, and everything else has not happened.
 */
export type Event =
  /** A connection or transaction comes into being for the function; `pool` of its handle says where it was taken from. */
  | { readonly kind: 'take'; readonly node: TSESTree.Node; readonly handle: Handle }
  | StatementEvent
  /** A statement that is never sent: a lazy query that nobody awaits. */
  | { readonly kind: 'never-sent'; readonly node: TSESTree.Node; readonly query: Query; readonly handle: Handle }
  | { readonly kind: 'begin' | 'commit' | 'rollback'; readonly node: TSESTree.Node; readonly handle: Handle }
  /** A transaction in a transaction; `rollback-to` undoes it, with the locks taken since. */
  | { readonly kind: 'savepoint' | 'release-savepoint' | 'rollback-to'; readonly node: TSESTree.Node; readonly handle: Handle; readonly name: string }
  | GiveBackEvent
  /** The session ends; on a pool, the sessions of all its connections. */
  | { readonly kind: 'close'; readonly node: TSESTree.Node; readonly handle: Handle }
  /** Another connection of the pool is used, by a statement, `connect()`, or a call without SQL text. */
  | { readonly kind: 'use-pool'; readonly node: TSESTree.Node; readonly pool: Handle; readonly query: Query | null };

export interface StatementEvent {
  readonly kind: 'statement';
  /** Where a finding about it stands. */
  readonly node: TSESTree.Node;
  readonly handle: Handle;
  /** The statements the call may send, more than one where the text has alternatives. */
  readonly alternatives: readonly Statement[];
}

export interface Statement {
  readonly query: Query;
  /** Lock and session operations in the order in which the server performs them. */
  readonly operations: readonly StatementOperation[];
  /** The string holds several statements and no BEGIN: they run in a transaction of their own. */
  readonly implicitTransaction: boolean;
}

export type StatementOperation = { readonly kind: 'lock'; readonly lock: QueryLock } | { readonly kind: 'session'; readonly operation: SessionOperation };

export interface GiveBackEvent {
  readonly kind: 'give-back';
  readonly node: TSESTree.Node;
  readonly handle: Handle;
  readonly how: 'call' | 'callback-end' | 'dispose';
  /** `argument`: the session ends if the argument is truthy. */
  readonly destroys: 'yes' | 'no' | 'unknown' | { readonly argument: TSESTree.Node };
}

/** A callback that a call runs as part of itself, and what the call does around it. */
export interface CallbackEvents {
  readonly function: FunctionNode;
  readonly when: 'fulfilled' | 'always' | 'maybe';
  readonly synchronous: boolean;
  readonly before: readonly Event[];
  readonly afterReturn: readonly Event[];
  readonly afterThrow: readonly Event[];
  /** An error-first callback: its first parameter is null where the call succeeded, and an error where it failed. */
  readonly errorFirst: boolean;
}

export interface Events {
  /** In the order in which they happen; none for a node that does nothing of the kind. */
  of(node: TSESTree.Node): readonly Event[];
  /** A callback that a driver, a promise's constructor or a method of arrays runs. */
  callbackOf(call: TSESTree.CallExpression | TSESTree.NewExpression): CallbackEvents | null;
  readonly backends: Backends;
  readonly keys: Keys;
  /** Nodes with events, in source order: what lies in between needs no analysis. */
  readonly places: readonly TSESTree.Node[];
}

const arrayMethods: ReadonlySet<string> = new Set(['map', 'forEach', 'filter', 'flatMap', 'every', 'some', 'find', 'findIndex', 'reduce']);

/** What each call of the file does to connections, transactions and locks, by the drivers' descriptors. */
export const events = definePass(
  'events',
  [scopes, nodes, evaluation, queries, effects, lockHelpers],
  ([scopesOfFile, nodesOfFile, evaluated, statements, effectsOfFile, helperCalls], unit): Events => {
    const { evaluator, backends, keys } = evaluated;
    const mayJoinTransaction = createImplicitTransactions(unit, evaluated.drivers);
    const sent = bySendingCall(statements);
    const effectsByNode = new Map<TSESTree.Node, ConnectionEffect>(effectsOfFile.map((effect) => [effect.node, effect]));
    const helperByNode = new Map<TSESTree.Node, LockHelperCall>(helperCalls.map((call) => [call.node, call]));
    const memo = new Map<TSESTree.Node, readonly Event[]>();
    return { of, callbackOf, backends, keys, places: placesWithEvents() };

    function of(node: TSESTree.Node): readonly Event[] {
      const known = memo.get(node);
      if (known) return known;
      const found = eventsAt(node);
      memo.set(node, found);
      return found;
    }

    function eventsAt(node: TSESTree.Node): readonly Event[] {
      const found: Event[] = [];
      for (const group of sent.get(node)?.values() ?? []) found.push(...statementEvents(node, group));
      const helper = helperByNode.get(node);
      if (helper && helper.does !== 'hold') found.push(...helper.statements.flatMap((query) => statementEvents(node, [query])));
      const effect = effectsByNode.get(node);
      if (effect) found.push(...effectEvents(effect));
      if (node.type === 'CallExpression' || node.type === 'NewExpression' || node.type === 'TaggedTemplateExpression') {
        found.push(...takes(node), ...poolUses(node));
      }
      return found;
    }

    function statementEvents(node: TSESTree.Node, group: readonly Query[]): readonly Event[] {
      const [first] = group;
      if (!first) return [];
      const handle = handleOf(first);
      if (first.sent === 'never') return [{ kind: 'never-sent', node: first.node, query: first, handle }];
      const event: StatementEvent = { kind: 'statement', node: first.node, handle, alternatives: group.map(statementOf) };
      if (!takesAnother(handle)) return [event];
      return [event, { kind: 'use-pool', node, pool: handle, query: first }];
    }

    /** What joins an open transaction by itself sends over that one's connection. */
    function takesAnother(handle: Handle): boolean {
      if (handle.role !== 'pool' && handle.role !== 'http') return false;
      return handle.evidence.because !== 'accessor' && !mayJoinTransaction(handle) && readKind(handle.driver, handle.kind, ({ joinsUnseen }) => joinsUnseen) !== true;
    }

    /** A parameter to which callers pass several connections is one connection at a time. */
    function handleOf(query: Query): Handle {
      const { handle, otherHandles } = query;
      if (handle.role !== 'unknown') return handle;
      const receiver = receiverOf(query);
      const variable = receiver?.type === 'Identifier' ? scopesOfFile.variableOf(receiver) : null;
      if (!variable) return handle;
      const [other] = otherHandles;
      const agree = other !== undefined && otherHandles.every(({ role, driver }) => role === other.role && driver === other.driver);
      const isSession = other?.role === 'connection' || other?.role === 'transaction';
      return agree && isSession ? { ...other, identity: variable, created: null, pool: null, lifetime: null } : { ...handle, identity: variable };
    }

    function receiverOf({ sending, sends }: Query): TSESTree.Node | null {
      for (const position of sends.on?.at ?? []) {
        const place = evaluator.placed(sending, position);
        if (place.kind === 'found') return unwrap(place.node);
      }
      const callee = unwrap(sending.type === 'CallExpression' ? sending.callee : sending.tag);
      return callee.type === 'MemberExpression' ? unwrap(callee.object) : callee;
    }

    function effectEvents({ node, effect, handle, destroys }: ConnectionEffect): readonly Event[] {
      if (!handle) return [];
      const how = node.type === 'VariableDeclarator' ? ('dispose' as const) : ('call' as const);
      switch (effect.does) {
        case 'closes':
          return [{ kind: 'close', node, handle }];
        case 'begins':
          return [{ kind: 'begin', node, handle }];
        case 'commits':
          return ended('commit', node, handle);
        case 'rolls-back':
          return ended('rollback', node, handle);
        case 'gives-back': {
          const argument = node.type === 'CallExpression' ? node.arguments[0] : undefined;
          const decides = destroys === 'unknown' && argument && argument.type !== 'SpreadElement' ? { argument } : destroys;
          const back: Event = { kind: 'give-back', node, handle, how, destroys: resets(handle) ? 'yes' : decides };
          return effect.rollsBack ? [{ kind: 'rollback', node, handle }, back] : [back];
        }
        case 'commits-and-gives-back':
          return [{ kind: 'commit', node, handle }, { kind: 'give-back', node, handle, how, destroys: resets(handle) ? 'yes' : 'no' }];
        case 'listens':
          return [];
        default:
          return effect satisfies never;
      }
    }

    /** A transaction that a call opened has a connection of its own, which goes back at its end. */
    function ended(kind: 'commit' | 'rollback', node: TSESTree.Node, handle: Handle): readonly Event[] {
      const end: Event = { kind, node, handle };
      const isUnmanaged = handle.role === 'transaction' && handle.lifetime === null && handle.created !== null;
      return isUnmanaged ? [end, { kind: 'give-back', node, handle, how: 'call', destroys: resets(handle) ? 'yes' : 'no' }] : [end];
    }

    /** The pool resets the session when the connection comes back: session locks are gone. */
    function resets(handle: Handle): boolean {
      if (handle.driver.resetsOnRelease) return true;
      const { created, give } = handle.pool ?? handle;
      return created !== null && give?.resetsOnReleaseWhen?.some((condition) => evaluator.holds(created, condition)) === true;
    }

    function takes(node: TSESTree.CallExpression | TSESTree.NewExpression | TSESTree.TaggedTemplateExpression): readonly Event[] {
      const handle = handleIn(evaluator.valueOf(node));
      if (handle?.identity !== node || (handle.role !== 'connection' && handle.role !== 'transaction')) return [];
      if (handle.evidence.because === 'batch' || (node.type === 'CallExpression' && givesToCallback(node))) return [];
      const take: Event = { kind: 'take', node, handle };
      const use: readonly Event[] = handle.pool ? [{ kind: 'use-pool', node, pool: handle.pool, query: null }] : [];
      return handle.role === 'transaction' ? [...use, take, { kind: 'begin', node, handle }] : [...use, take];
    }

    /** `knex.transaction(async (trx) => …)` gives its transaction to the callback, not to the caller. */
    function givesToCallback(call: TSESTree.CallExpression): boolean {
      const callback = evaluator.meaningOf(call)?.call.callback;
      const place = callback && evaluator.placed(call, { argument: callback.argument });
      return place?.kind === 'found' && functionAt(place.node) !== null;
    }

    function poolUses(node: TSESTree.CallExpression | TSESTree.NewExpression | TSESTree.TaggedTemplateExpression): readonly Event[] {
      const meaning = evaluator.meaningOf(node);
      const pool = meaning?.receiver?.handle;
      if (!meaning?.call.usesConnection || !pool || !takesAnother(pool) || mayBeToldItsHandle(node, meaning)) return [];
      return [{ kind: 'use-pool', node, pool, query: null }];
    }

    /** `User.create({ … }, { transaction })`: the library takes the handle as an option, and one may be there. */
    function mayBeToldItsHandle(node: TSESTree.Node, { driver }: CallMeaning): boolean {
      const options = handleOptions(driver);
      if (options.size === 0 || node.type !== 'CallExpression') return false;
      return node.arguments.some((argument) => {
        const given = unwrap(argument);
        if (given.type !== 'ObjectExpression') return given.type !== 'Literal' && given.type !== 'ArrayExpression' && !isFunction(given) && handleIn(evaluator.valueOf(given)) === null;
        return given.properties.some((property) => property.type === 'SpreadElement' || options.has(keyName(property) ?? ''));
      });
    }

    function callbackOf(call: TSESTree.CallExpression | TSESTree.NewExpression): CallbackEvents | null {
      if (call.type === 'NewExpression') return executorOf(call);
      const meaning = evaluator.meaningOf(call);
      return heldCallback(call) ?? (meaning && driverCallback(call, meaning)) ?? iterationCallback(call);
    }

    /** The settings say that the call runs its callback under a lock, and gives it back however the callback ends. */
    function heldCallback(call: TSESTree.CallExpression): CallbackEvents | null {
      const helper = helperByNode.get(call);
      const fn = helper?.does === 'hold' && helper.callback ? functionAt(helper.callback) : null;
      const [acquire, ...release] = helper?.statements ?? [];
      if (!fn || !acquire) return null;
      const after = release.flatMap((query) => statementEvents(call, [query]));
      return { ...plain(fn), when: 'fulfilled', synchronous: false, before: statementEvents(call, [acquire]), afterReturn: after, afterThrow: after };
    }

    function driverCallback(call: TSESTree.CallExpression, { call: described, receiver }: CallMeaning): CallbackEvents | null {
      if (described.effect?.does === 'listens') return null;
      const { callback, sends } = described;
      const argument = callback?.argument ?? sends?.callback?.argument;
      const place = argument === undefined ? null : evaluator.placed(call, { argument });
      const fn = place?.kind === 'found' ? functionAt(place.node) : null;
      if (!fn) return null;
      if (!callback || callback.runs === 'later') {
        // `query(text, (error, rows) => …)` and `pool.connect((error, client, done) => …)`.
        return { function: fn, when: 'always', synchronous: false, before: callback ? takenFor(fn, call) : [], afterReturn: [], afterThrow: [], errorFirst: true };
      }
      const around = aroundCallback(fn, call, receiver?.handle ?? null);
      return { function: fn, when: 'fulfilled', synchronous: false, ...around, errorFirst: false };
    }

    /** The connection an error-first callback gets: its holder gives it back by a call of its own. */
    function takenFor(fn: FunctionNode, call: TSESTree.Node): readonly Event[] {
      return fn.params.slice(1, 2).flatMap((parameter): Event[] => {
        const handle = handleIn(evaluator.valueOf(parameter));
        if (handle?.identity !== parameter) return [];
        const use: readonly Event[] = handle.pool ? [{ kind: 'use-pool', node: call, pool: handle.pool, query: null }] : [];
        return [...use, { kind: 'take', node: call, handle }];
      });
    }

    function aroundCallback(fn: FunctionNode, call: TSESTree.Node, receiver: Handle | null): Pick<CallbackEvents, 'before' | 'afterReturn' | 'afterThrow'> {
      const none = { before: [], afterReturn: [], afterThrow: [] };
      const handle = fn.params.map((parameter) => handleIn(evaluator.valueOf(parameter))).find((candidate) => candidate !== null);
      if (!handle || (handle.role !== 'connection' && handle.role !== 'transaction')) return none;
      const stays = receiver?.role === 'connection' || receiver?.role === 'transaction';
      const use: readonly Event[] = receiver && !stays ? [{ kind: 'use-pool', node: call, pool: receiver, query: null }] : [];
      const take: readonly Event[] = stays ? [] : [...use, { kind: 'take', node: call, handle }];
      const isLent = handle.give?.owned === false;
      const back: readonly Event[] = stays || isLent ? [] : [{ kind: 'give-back', node: call, handle, how: 'callback-end', destroys: resets(handle) ? 'yes' : 'no' }];
      if (handle.role === 'connection') return { before: take, afterReturn: back, afterThrow: back };
      if (receiver?.role === 'transaction') {
        const name = `callback at ${call.range[0]}`;
        return {
          before: [{ kind: 'savepoint', node: call, handle, name }],
          afterReturn: [{ kind: 'release-savepoint', node: call, handle, name }],
          afterThrow: [{ kind: 'rollback-to', node: call, handle, name }],
        };
      }
      return {
        before: [...take, { kind: 'begin', node: call, handle }],
        afterReturn: [{ kind: 'commit', node: call, handle }, ...back],
        afterThrow: [{ kind: 'rollback', node: call, handle }, ...back],
      };
    }

    /** `new Promise((resolve, reject) => …)` runs its function before it returns. */
    function executorOf(call: TSESTree.NewExpression): CallbackEvents | null {
      const callee = unwrap(call.callee);
      const [argument] = call.arguments;
      if (callee.type !== 'Identifier' || callee.name !== 'Promise' || scopesOfFile.variableOf(callee) || !argument) return null;
      const fn = unwrap(argument);
      return isFunction(fn) ? { ...plain(fn), when: 'fulfilled', synchronous: true } : null;
    }

    /** `items.map(async (item) => …)`: what happens in one of the rounds. */
    function iterationCallback(call: TSESTree.CallExpression): CallbackEvents | null {
      const callee = unwrap(call.callee);
      const [argument] = call.arguments;
      if (callee.type !== 'MemberExpression' || !argument) return null;
      const name = memberName(callee);
      const fn = unwrap(argument);
      return name !== null && arrayMethods.has(name) && isFunction(fn) ? { ...plain(fn), when: 'maybe', synchronous: true } : null;
    }

    function plain(fn: FunctionNode) {
      return { function: fn, before: [], afterReturn: [], afterThrow: [], errorFirst: false };
    }

    function functionAt(node: TSESTree.Node): FunctionNode | null {
      const expression = unwrap(node);
      if (isFunction(expression)) return expression;
      const value = evaluator.valueOf(expression);
      return value.type === 'function' ? value.node : null;
    }

    function placesWithEvents(): readonly TSESTree.Node[] {
      const calls = [...nodesOfFile.calls, ...nodesOfFile.news, ...nodesOfFile.taggedTemplates];
      const declarations = effectsOfFile.map(({ node }) => node).filter((node) => node.type === 'VariableDeclarator');
      return [...calls, ...declarations].filter((node) => of(node).length > 0 || helperByNode.has(node)).sort((a, b) => a.range[0] - b.range[0]);
    }
  },
);

/** The names of the options in which the library's calls are told what to send over. */
function handleOptions({ kinds }: DriverDescriptor): ReadonlySet<string> {
  const calls = Object.values(kinds).flatMap(({ methods }) => Object.values(methods ?? {}));
  const positions = calls.flatMap((call) => [call, ...(call.variants ?? [])]).flatMap(({ sends }) => sends?.on?.at ?? []);
  return new Set(positions.flatMap((position) => ('property' in position && position.property !== undefined ? [position.property] : [])));
}

/**
 * Statements by the call that makes them happen: the wrapper's call where one forwards the text, the last call of a lazy
 * statement's chain, else the call that sends. Statements of one call and one place in a wrapper are alternatives.
 */
function bySendingCall(statements: readonly Query[]): ReadonlyMap<TSESTree.Node, ReadonlyMap<TSESTree.Node, readonly Query[]>> {
  const found = new Map<TSESTree.Node, Map<TSESTree.Node, Query[]>>();
  for (const query of statements) {
    const node = query.frames.length > 0 ? query.node : endOfChain(query);
    const groups = found.get(node) ?? new Map<TSESTree.Node, Query[]>();
    found.set(node, groups);
    const group = groups.get(query.sending);
    if (group) group.push(query);
    else groups.set(query.sending, [query]);
  }
  return found;
}

const promiseMethods: ReadonlySet<string> = new Set(['then', 'catch', 'finally']);

/** `` sql`…`.values() ``, `knex.raw(…).transacting(trx)`: the statement is sent when the whole chain is awaited. */
function endOfChain({ sending, sends }: Query): TSESTree.Node {
  let node: TSESTree.Node = sending;
  if (sends.lazy === undefined) return node;
  for (;;) {
    const { parent, child } = unwrappedParent(node);
    if (parent?.type !== 'MemberExpression' || parent.object !== child) return node;
    const name = memberName(parent);
    const call = unwrappedParent(parent).parent;
    if (call?.type !== 'CallExpression' || unwrap(call.callee) !== parent || name === null || promiseMethods.has(name)) return node;
    node = call;
  }
}

function statementOf(query: Query): Statement {
  const locks = new Map(query.locks.map((lock) => [lock.operation, lock]));
  const operations = (query.analysis?.operations ?? []).flatMap((operation): StatementOperation[] => {
    if (operation.kind !== 'lock') return [{ kind: 'session', operation }];
    const lock = locks.get(operation);
    return lock ? [{ kind: 'lock', lock }] : [];
  });
  const inText: readonly StatementOperation[] = query.analysis ? operations : query.locks.map((lock) => ({ kind: 'lock', lock }));
  const several = (query.analysis?.statements.length ?? 0) > 1;
  return { query, operations: inText, implicitTransaction: several && !query.session.some(({ kind }) => kind === 'begin') };
}
