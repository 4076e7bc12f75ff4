import type { TSESTree } from '@typescript-eslint/utils';
import { keyName, memberName, unwrappedParent, type FunctionNode } from './ast.js';

/** The name a function is declared, assigned or kept under. */
export const nameOfFunction = (fn: FunctionNode): string | null => fn.id?.name ?? nameByPlace(fn);

/** The name of the variable, field, property or method that a function or class without a declaration is the value of. */
export function nameByPlace(node: TSESTree.Node): string | null {
  const { parent } = unwrappedParent(node);
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
