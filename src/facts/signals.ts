import type { TSESTree } from '@typescript-eslint/utils';
import { definePass } from '../pass.js';
import type { Edit } from '../source/edit.js';
import { isFunction, isInside, keyName, memberName, unwrap, type FunctionNode } from '../source/ast.js';
import { scopes, type Variable } from '../source/scope.js';
import { evaluation } from './evaluation.js';
import { queries, type Query } from './queries.js';

export interface Signals {
  /**
   * Somebody else decides when the signal is aborted: a parameter, `request.signal`, a combination with such a one, or a
   * signal that the work under the lock has, too. `unlock` is the call that is sent with it.
   */
  isForeign(expression: TSESTree.Node, unlock: TSESTree.Node): boolean;
  /** The edit that takes the signal out of the statement's own options; null where that needs a look by hand. */
  removal(query: Query): Edit | null;
}

/** Knows AbortSignals by where they come from. */
export const signals = definePass('signals', [scopes, queries, evaluation], ([scopesOfFile, statements, { callers, evaluator, frames }], { text }): Signals => {
  const acquires = statements.filter(({ locks }) => locks.some(({ operation }) => operation.action === 'acquire' || operation.action === 'try'));
  return { isForeign: (expression, unlock) => isForeign(expression, unlock, new Set()), removal };

  function isForeign(expression: TSESTree.Node, unlock: TSESTree.Node, seen: Set<TSESTree.Node>): boolean {
    const node = unwrap(expression);
    if (seen.has(node)) return false;
    seen.add(node);
    switch (node.type) {
      case 'Identifier':
        return isForeignVariable(node, unlock, seen);
      case 'MemberExpression':
        return /signal$/i.test(memberName(node) ?? '') || node.object.type === 'ThisExpression' ? isForeignOwner(node.object, unlock) : false;
      case 'CallExpression': {
        const callee = unwrap(node.callee);
        if (callee.type !== 'MemberExpression' || callee.object.type !== 'Identifier' || callee.object.name !== 'AbortSignal') return false;
        if (memberName(callee) === 'abort') return true;
        const [list] = node.arguments;
        return memberName(callee) === 'any' && list?.type === 'ArrayExpression' && list.elements.some((element) => element !== null && isForeign(element, unlock, seen));
      }
      case 'ConditionalExpression':
        return isForeign(node.consequent, unlock, seen) || isForeign(node.alternate, unlock, seen);
      case 'LogicalExpression':
        return isForeign(node.left, unlock, seen) || isForeign(node.right, unlock, seen);
      default:
        return false;
    }
  }

  function isForeignVariable(node: TSESTree.Identifier, unlock: TSESTree.Node, seen: Set<TSESTree.Node>): boolean {
    const variable = scopesOfFile.variableOf(node);
    const definition = variable && scopesOfFile.definitionOf(variable);
    switch (definition?.kind) {
      case 'import':
        return true;
      case 'parameter':
        return isForeignParameter(node, definition.function, seen);
      case 'value': {
        const { init, path } = definition;
        // Destructured out of something: that thing's signal.
        if (path.length > 0) return isForeignOwner(init, unlock);
        return isForeign(init, unlock, seen) || (makesSignal(init) && isShared(variable, init, unlock));
      }
      default:
        return false;
    }
  }

  /** A helper of this file gets the signals that its callers give it. */
  function isForeignParameter(node: TSESTree.Identifier, fn: FunctionNode, seen: Set<TSESTree.Node>): boolean {
    if (callers.hasUnknownCallers(fn)) return true;
    return callers.callSitesOf(fn, evaluator).some((call) => {
      const argument = frames.argumentFor(node, [{ function: fn, call }]);
      return argument !== null && isForeign(argument.node, call, seen);
    });
  }

  /** A controller made for the unlock is the function's own; everything else is somebody else's. */
  function isForeignOwner(expression: TSESTree.Node, unlock: TSESTree.Node): boolean {
    const node = unwrap(expression);
    if (node.type === 'ThisExpression') return true;
    if (node.type === 'MemberExpression') return isForeignOwner(node.object, unlock);
    if (node.type !== 'Identifier') return false;
    const variable = scopesOfFile.variableOf(node);
    const definition = variable && scopesOfFile.definitionOf(variable);
    switch (definition?.kind) {
      case 'parameter':
      case 'import':
        return true;
      case 'value':
        if (definition.init.type === 'NewExpression') return isShared(variable, definition.init, unlock);
        return definition.init.type !== 'CallExpression' && isForeignOwner(definition.init, unlock);
      default:
        return false;
    }
  }

  /** Older than the lock, or used outside the cleanup that the unlock stands in: it may be aborted before that begins. */
  function isShared(variable: Variable | null, init: TSESTree.Node, unlock: TSESTree.Node): boolean {
    if (!variable) return false;
    if (scopesOfFile.isModuleLevel(variable)) return true;
    if (acquires.some(({ node }) => node.range[0] > init.range[1] && node.range[1] < unlock.range[0])) return true;
    const cleanup = cleanupAround(unlock);
    if (!cleanup || isInside(init, cleanup)) return false;
    return scopesOfFile.readsOf(variable).some(({ identifier }) => !isInside(identifier, cleanup));
  }

  function removal(query: Query): Edit | null {
    const { sending, signal } = query;
    if (!signal || sending !== query.node || sending.type !== 'CallExpression') return null;
    for (const argument of sending.arguments) {
      const options = unwrap(argument);
      if (options.type !== 'ObjectExpression') continue;
      const property = options.properties.find((candidate) => candidate.type === 'Property' && keyName(candidate) === 'signal');
      if (property) return options.properties.length === 1 ? withoutItem(argument, sending.arguments) : withoutItem(property, options.properties);
    }
    return null;
  }

  /** Takes an item out of a list together with the comma that separates it. */
  function withoutItem(item: TSESTree.Node, list: readonly TSESTree.Node[]): Edit {
    const index = list.indexOf(item);
    const previous = list[index - 1];
    const following = list[index + 1];
    if (previous) return { range: [previous.range[1], item.range[1]], text: '' };
    if (following) return { range: [item.range[0], following.range[0]], text: '' };
    // A trailing comma may stand behind the only item.
    const comma = /^\s*,/.exec(text.slice(item.range[1]));
    return { range: [item.range[0], item.range[1] + (comma?.[0].length ?? 0)], text: '' };
  }
});

function makesSignal(node: TSESTree.Node): boolean {
  const callee = node.type === 'CallExpression' ? unwrap(node.callee) : null;
  return callee?.type === 'MemberExpression' && callee.object.type === 'Identifier' && callee.object.name === 'AbortSignal';
}

function cleanupAround(node: TSESTree.Node): TSESTree.Node | null {
  for (let child = node, parent = node.parent; parent && !isFunction(child); child = parent, parent = parent.parent) {
    if (parent.type === 'TryStatement' && parent.finalizer === child) return child;
  }
  return null;
}
