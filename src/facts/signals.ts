import type { TSESTree } from '@typescript-eslint/utils';
import { definePass } from '../pass.js';
import type { Edit } from '../source/edit.js';
import { keyName, memberName, unwrap } from '../source/ast.js';
import { scopes } from '../source/scope.js';
import type { Query } from './query.js';

export interface Signals {
  /** Somebody else decides when the signal is aborted: a parameter, `request.signal`, a combination with such a one. */
  isForeign(expression: TSESTree.Node): boolean;
  /** The edit that takes the signal out of the statement's own options; null where that needs a look by hand. */
  removal(query: Query): Edit | null;
}

/** Knows AbortSignals by where they come from. */
export const signals = definePass('signals', [scopes], ([scopesOfFile], { text }): Signals => {
  return { isForeign: (expression) => isForeign(expression, new Set()), removal };

  function isForeign(expression: TSESTree.Node, seen: Set<TSESTree.Node>): boolean {
    const node = unwrap(expression);
    if (seen.has(node)) return false;
    seen.add(node);
    switch (node.type) {
      case 'Identifier': {
        const variable = scopesOfFile.variableOf(node);
        const definition = variable && scopesOfFile.definitionOf(variable);
        switch (definition?.kind) {
          case 'parameter':
          case 'import':
            return true;
          case 'value':
            // Destructured out of something: that thing's signal.
            if (definition.path.length > 0) return isForeignOwner(definition.init);
            return isForeign(definition.init, seen) || (variable !== null && scopesOfFile.isModuleLevel(variable) && isSignalCall(definition.init));
          default:
            return false;
        }
      }
      case 'MemberExpression':
        return memberName(node) === 'signal' || node.object.type === 'ThisExpression' ? isForeignOwner(node.object) : false;
      case 'CallExpression': {
        const callee = unwrap(node.callee);
        if (callee.type !== 'MemberExpression' || callee.object.type !== 'Identifier' || callee.object.name !== 'AbortSignal') return false;
        if (memberName(callee) === 'abort') return true;
        const [list] = node.arguments;
        return memberName(callee) === 'any' && list?.type === 'ArrayExpression' && list.elements.some((element) => element !== null && isForeign(element, seen));
      }
      case 'ConditionalExpression':
        return isForeign(node.consequent, seen) || isForeign(node.alternate, seen);
      case 'LogicalExpression':
        return isForeign(node.left, seen) || isForeign(node.right, seen);
      default:
        return false;
    }
  }

  /** A controller made in the same function is the function's own; everything else is somebody else's. */
  function isForeignOwner(expression: TSESTree.Node): boolean {
    const node = unwrap(expression);
    if (node.type === 'ThisExpression') return true;
    if (node.type === 'MemberExpression') return isForeignOwner(node.object);
    if (node.type !== 'Identifier') return false;
    const variable = scopesOfFile.variableOf(node);
    const definition = variable && scopesOfFile.definitionOf(variable);
    switch (definition?.kind) {
      case 'parameter':
      case 'import':
        return true;
      case 'value':
        if (definition.init.type === 'NewExpression') return variable !== null && scopesOfFile.isModuleLevel(variable);
        return definition.init.type !== 'CallExpression' && isForeignOwner(definition.init);
      default:
        return false;
    }
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

const isSignalCall = (node: TSESTree.Node): boolean => node.type === 'CallExpression';
