import type { TSESTree } from '@typescript-eslint/utils';
import { isFunction, memberName, unwrap, unwrappedParent, type FunctionNode } from '../../source/ast.js';
import { nameOfFunction } from '../../source/function-names.js';

/** The function's name, or that of the nearest function around it that has one. */
export function nameAround(fn: FunctionNode): string | null {
  for (let node: TSESTree.Node | undefined = fn; node; node = node.parent) {
    const name = isFunction(node) ? nameOfFunction(node) : null;
    if (name !== null) return name;
  }
  return null;
}

/** What the call calls, by its last name. */
export function calledName(call: TSESTree.CallExpression | TSESTree.NewExpression): string | null {
  const callee = unwrap(call.callee);
  if (callee.type === 'Identifier') return callee.name;
  return callee.type === 'MemberExpression' ? memberName(callee) : null;
}

/** Awaited, returned, or an element of a list that is. */
export function isAwaited(call: TSESTree.Node): boolean {
  const { parent } = unwrappedParent(call);
  switch (parent?.type) {
    case 'AwaitExpression':
    case 'ReturnStatement':
    case 'YieldExpression':
    case 'ArrayExpression':
    case 'ArrowFunctionExpression':
      return true;
    default:
      return false;
  }
}
