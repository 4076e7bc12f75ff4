import type { TSESTree } from '@typescript-eslint/utils';
import { keyName, memberName } from '../source/ast.js';

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
      return nameByParent(node) ?? node.id?.name ?? null;
    default:
      return null;
  }
}

/** What a function or class without a declaration is kept under. */
function nameByParent(node: TSESTree.Node): string | null {
  const { parent } = node;
  switch (parent?.type) {
    case 'VariableDeclarator':
      return parent.id.type === 'Identifier' ? parent.id.name : null;
    case 'AssignmentExpression':
      if (parent.left.type === 'Identifier') return parent.left.name;
      return parent.left.type === 'MemberExpression' ? memberName(parent.left) : null;
    case 'MethodDefinition':
    case 'PropertyDefinition':
    case 'Property':
      return keyName(parent);
    default:
      return null;
  }
}
