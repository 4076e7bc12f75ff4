import type { TSESTree } from '@typescript-eslint/utils';
import { handleIn } from '../facts/backends.js';
import { connectListeners } from '../facts/connect-listeners.js';
import { evaluation } from '../facts/evaluation.js';
import { events } from '../facts/events.js';
import type { Handle, Value } from '../facts/values.js';
import { definePass } from '../pass.js';
import { isFunction, isInside, memberName, unwrap, unwrappedParent } from '../source/ast.js';
import { staticValue } from '../source/constants.js';
import { scopes } from '../source/scope.js';
import { nodes } from '../source/walk.js';
import { escapes } from './escapes.js';
import type { HeldLock } from './model.js';

export interface ErrorListeners {
  /**
   * May somebody listen to 'error' on the connection of the lock? Also true where the connection was in the hands of code out
   * of sight before the lock, or can be imported.
   */
  mayBeOn(held: HeldLock): boolean;
}

interface Place {
  readonly node: TSESTree.Node;
  readonly handle: Handle;
}

const listening: ReadonlySet<string | null> = new Set(['on', 'once', 'addListener', 'prependListener', 'prependOnceListener']);

/** Finds listeners to the 'error' events of connections. */
export const errorListeners = definePass('errorListeners', [scopes, nodes, evaluation, events, connectListeners, escapes], ([scopesOfFile, nodesOfFile, { evaluator }, { backends }, prepared, escapesOfFile]): ErrorListeners => {
  const listeners = nodesOfFile.calls.flatMap(listenersAt);
  const handedOut = [...nodesOfFile.calls, ...nodesOfFile.news].flatMap(handedOutAt);
  return { mayBeOn };

  function mayBeOn({ handle, call }: HeldLock): boolean {
    const isOnIt = (place: Place): boolean => backends.relation(place.handle, handle) === 'same';
    if (listeners.some(isOnIt) || isExported(handle.created)) return true;
    const functions = handle.pool ? prepared.of(handle.pool) : [];
    if (listeners.some(({ node }) => functions.some((fn) => isInside(node, fn)))) return true;
    return handedOut.some((place) => isOnIt(place) && place.node.range[0] < call.range[0]);
  }

  /** An event whose name the file does not show may be 'error'. */
  function listenersAt(node: TSESTree.CallExpression): Place[] {
    const callee = unwrap(node.callee);
    const [event, listener] = node.arguments;
    if (callee.type !== 'MemberExpression' || !listening.has(memberName(callee)) || !event || !listener) return [];
    const name = staticValue(event, scopesOfFile);
    if (name && name.value !== 'error') return [];
    return handlesOf(evaluator.valueOf(emitterOf(callee.object))).map((handle) => ({ node, handle }));
  }

  /** `client.on('notice', …).on('error', …)`: every call gives the emitter back. */
  function emitterOf(expression: TSESTree.Node): TSESTree.Node {
    const node = unwrap(expression);
    if (node.type !== 'CallExpression') return node;
    const callee = unwrap(node.callee);
    return callee.type === 'MemberExpression' && listening.has(memberName(callee)) ? emitterOf(callee.object) : node;
  }

  /** A helper's parameter may be any of the connections that its callers pass. */
  function handlesOf(value: Value): readonly Handle[] {
    if (value.type === 'unknown') return value.alternatives.flatMap(handlesOf);
    const handle = handleIn(value);
    return handle ? [handle] : [];
  }

  function handedOutAt(node: TSESTree.CallExpression | TSESTree.NewExpression): Place[] {
    if (node.type === 'CallExpression' ? evaluator.meaningOf(node) !== null || evaluator.calleeOf(node) !== null : evaluator.valueOf(node).type === 'object') return [];
    const given = node.arguments.filter((argument) => !isFunction(unwrap(argument)));
    return given.flatMap((argument) => escapesOfFile.handlesIn(argument).map((handle) => ({ node, handle })));
  }

  /** `export const client = new Client()`, or a variable that is exported by its name. */
  function isExported(created: TSESTree.Node | null): boolean {
    const declarator = created && unwrappedParent(created).parent;
    if (declarator?.type !== 'VariableDeclarator' || declarator.id.type !== 'Identifier') return false;
    if (declarator.parent.parent?.type === 'ExportNamedDeclaration') return true;
    const variable = scopesOfFile.variableOf(declarator.id);
    return variable?.references.some(({ identifier: { parent } }) => parent?.type === 'ExportSpecifier' || parent?.type === 'ExportDefaultDeclaration') === true;
  }
});
