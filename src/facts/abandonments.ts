import type { TSESTree } from '@typescript-eslint/utils';
import { definePass } from '../pass.js';
import { enclosingFunction, isFunction, isInside, memberName, unwrap, unwrappedParent, type FunctionNode } from '../source/ast.js';
import { staticValue } from '../source/constants.js';
import { dottedName } from '../source/mutations.js';
import { scopes } from '../source/scope.js';
import { nodes } from '../source/walk.js';
import { effects } from './effects.js';
import { evaluation } from './evaluation.js';
import { events } from './events.js';
import { queries, type Query } from './queries.js';
import { within } from './summaries.js';

/** Why the client may stop waiting for a statement that the server goes on with. */
export type Abandonment =
  /** `Promise.race` or `Promise.any`: another promise may win. */
  | { readonly by: 'race'; readonly node: TSESTree.CallExpression }
  /** A client-side limit: the option's value. */
  | { readonly by: 'timeout'; readonly node: TSESTree.Node }
  /** A signal whose abort does not stop the server. */
  | { readonly by: 'signal'; readonly node: TSESTree.Node };

export interface Abandonments {
  /** Null also where the connection is destroyed whenever the wait is abandoned, or the loser of the race is awaited after all. */
  of(query: Query): Abandonment | null;
}

/** Promises are handed on to other calls and functions; further than this they are not followed. */
const depthLimit = 6;
const chainMethods: ReadonlySet<string | null> = new Set(['then', 'catch', 'finally']);

/** Says which statements the client may abandon while the server goes on: a lock is then granted to nobody. */
export const abandonments = definePass(
  'abandonments',
  [scopes, nodes, evaluation, effects, events, queries],
  ([scopesOfFile, nodesOfFile, { evaluator, callers }, effectsOfFile, { backends }, statements]): Abandonments => {
    const releases = statements.filter(({ locks }) => locks.some(({ operation }) => operation.action === 'release' || operation.action === 'release-all'));
    return { of };

    function of(query: Query): Abandonment | null {
      const { clientTimeout, signal } = query;
      const race = query.route.map((call) => raceAround(call, 0)).find((found) => found !== null);
      if (race) return isDestroyedAfter(query, true) ? null : { by: 'race', node: race };
      const isLimited = clientTimeout !== null && !isOff(clientTimeout);
      const isAborted = signal !== null && !signal.ignored && !signal.refused && !signal.stopsServer;
      if ((!isLimited && !isAborted) || isDestroyedAfter(query, false)) return null;
      if (isLimited) return { by: 'timeout', node: clientTimeout };
      return signal && { by: 'signal', node: signal.node };
    }

    /** `query_timeout: 0` sets no limit. */
    function isOff(node: TSESTree.Node): boolean {
      const constant = staticValue(node, scopesOfFile);
      return constant !== null && !constant.value;
    }

    /** The race that decides how long somebody waits for the promise; null where somebody waits for it in any case. */
    function raceAround(promise: TSESTree.Node, depth: number): TSESTree.CallExpression | null {
      if (depth > depthLimit) return null;
      const { parent, child } = unwrappedParent(promise);
      switch (parent?.type) {
        case 'MemberExpression': {
          const call = unwrappedParent(parent).parent;
          const isChain = parent.object === child && call?.type === 'CallExpression' && unwrap(call.callee) === parent && chainMethods.has(memberName(parent));
          return isChain && call.arguments.every(isPlain) ? raceAround(call, depth) : null;
        }
        case 'ArrayExpression':
          return raceOver(parent, depth);
        case 'AwaitExpression': {
          const fn = enclosingFunction(parent);
          return fn?.async && !goesOnAfter(parent, fn) ? raceOfCalls(fn, depth) : null;
        }
        case 'ReturnStatement': {
          const fn = enclosingFunction(parent);
          return fn && raceOfCalls(fn, depth);
        }
        case 'ArrowFunctionExpression':
          return parent.body === child ? raceOfCalls(parent, depth) : null;
        case 'VariableDeclarator':
          return parent.init === child && parent.id.type === 'Identifier' ? raceOfVariable(parent.id, depth) : null;
        case 'CallExpression':
          return raceInCallee(parent, child, depth);
        default:
          return null;
      }
    }

    function raceOver(list: TSESTree.ArrayExpression, depth: number): TSESTree.CallExpression | null {
      const { parent: call, child } = unwrappedParent(list);
      if (call?.type !== 'CallExpression' || call.arguments[0] !== child) return null;
      switch (dottedName(call.callee)) {
        case 'Promise.race':
        case 'Promise.any':
          return list.elements.length > 1 ? call : null;
        case 'Promise.all':
        case 'Promise.allSettled':
          return raceAround(call, depth + 1);
        default:
          return null;
      }
    }

    /** A function that does more after the lock, or unlocks it, goes on by itself when it is granted late. */
    function goesOnAfter(awaited: TSESTree.Node, fn: FunctionNode): boolean {
      const later = within(nodesOfFile.calls, fn).filter((call) => call.range[0] >= awaited.range[1]);
      return later.length > 0 || releases.some(({ node }) => isInside(node, fn));
    }

    function raceOfCalls(fn: FunctionNode, depth: number): TSESTree.CallExpression | null {
      const sites = callers.callSitesOf(fn, evaluator);
      return sites.map((site) => raceAround(site, depth + 1)).find((found) => found !== null) ?? null;
    }

    /** A promise kept in a variable is abandoned when nothing but the race waits for it. */
    function raceOfVariable(identifier: TSESTree.Identifier, depth: number): TSESTree.CallExpression | null {
      const variable = scopesOfFile.variableOf(identifier);
      if (!variable || scopesOfFile.writesOf(variable).length > 1) return null;
      const [only, ...others] = scopesOfFile.readsOf(variable);
      return only && others.length === 0 ? raceAround(only.identifier, depth + 1) : null;
    }

    /** `withTimeout(client.query(…), 5_000)`, where the helper races what it is given. */
    function raceInCallee(call: TSESTree.CallExpression, argument: TSESTree.Node, depth: number): TSESTree.CallExpression | null {
      const callee = evaluator.calleeOf(call);
      const index = call.arguments.findIndex((candidate) => candidate === argument);
      const parameter = callee?.params[index];
      return parameter?.type === 'Identifier' ? raceOfVariable(parameter, depth + 1) : null;
    }

    /** Reads something of the result, and calls nothing that would go on with the lock. */
    function isPlain(callback: TSESTree.CallExpressionArgument): boolean {
      return isFunction(callback) && within(nodesOfFile.calls, callback).length === 0;
    }

    /**
     * Is the session ended where waiting fails? In a handler or finalizer around the statement, in its own chain, or, for a
     * race that may end with a value, on a branch behind it.
     */
    function isDestroyedAfter({ node, handle }: Query, mayEndWithValue: boolean): boolean {
      const fn = enclosingFunction(node);
      const ends = effectsOfFile.filter(
        (effect) =>
          (effect.effect.does === 'closes' || (effect.effect.does === 'gives-back' && effect.destroys !== 'no')) &&
          effect.handle !== null &&
          (backends.relation(effect.handle, handle) === 'same' || (handle.pool !== null && backends.relation(effect.handle, handle.pool) === 'same')),
      );
      return ends.some(({ node: end }) => isInCleanup(end, node) || isInSameStatement(end, node) || (mayEndWithValue && enclosingFunction(end) === fn && isOnBranchBehind(end, node)));
    }
  },
);

/** In the handler or finalizer of a `try` whose block holds the statement, or declared with `using` around it. */
function isInCleanup(end: TSESTree.Node, statement: TSESTree.Node): boolean {
  if (end.type === 'VariableDeclarator') return end.range[1] <= statement.range[0];
  for (let node: TSESTree.Node | undefined = end; node?.parent; node = node.parent) {
    const { parent }: TSESTree.Node = node;
    const isCleanup = parent?.type === 'TryStatement' && (parent.handler === node || parent.finalizer === node);
    if (isCleanup && isInside(statement, parent.block)) return true;
  }
  return false;
}

/** `client.query(…).catch((error) => { client.release(error); throw error; })` */
function isInSameStatement(end: TSESTree.Node, statement: TSESTree.Node): boolean {
  let outer: TSESTree.Node = statement;
  while (outer.parent && !/Statement$|^VariableDeclaration$/.test(outer.parent.type)) outer = outer.parent;
  return isInside(end, outer) && end.range[0] >= statement.range[0];
}

function isOnBranchBehind(end: TSESTree.Node, statement: TSESTree.Node): boolean {
  if (end.range[0] < statement.range[1]) return false;
  for (let node: TSESTree.Node | undefined = end; node && !isFunction(node); node = node.parent) {
    if (node.type === 'IfStatement' && !isInside(statement, node)) return true;
  }
  return false;
}
