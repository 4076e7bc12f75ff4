import type { TSESTree } from '@typescript-eslint/utils';
import { nameByPlace } from '../source/function-names.js';

/**
 * The classes and functions around a node that have a name, outermost first: `JobQueue.take`. Functions without one, such
 * as callbacks, do not count. Null where nothing has a name.
 */
export function scopeName(node: TSESTree.Node): string | null {
  const names: string[] = [];
  for (let outer: TSESTree.Node | undefined = node; outer; outer = outer.parent) {
    const name = ownName(outer);
    if (name !== null) names.unshift(name);
  }
  return names.length > 0 ? names.join('.') : null;
}

function ownName(node: TSESTree.Node): string | null {
  switch (node.type) {
    case 'FunctionDeclaration':
    case 'ClassDeclaration':
      return node.id?.name ?? null;
    case 'ClassExpression':
    case 'FunctionExpression':
    case 'ArrowFunctionExpression':
      return nameByPlace(node) ?? node.id?.name ?? null;
    default:
      return null;
  }
}
