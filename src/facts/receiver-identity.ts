import type { TSESTree } from '@typescript-eslint/utils';
import { enclosingClass, memberName, unwrap } from '../source/ast.js';
import type { Scopes } from '../source/scope.js';
import type { HandleIdentity } from './values.js';

/**
 * The identity of an object of which nothing is known but the expression that names it: two uses of one variable, or of one
 * member of it, mean the same object.
 */
export function createReceiverIdentity(scopes: Scopes): (expression: TSESTree.Node) => HandleIdentity {
  return (expression) => {
    const path: string[] = [];
    let root = unwrap(expression);
    while (root.type === 'MemberExpression') {
      const name = memberName(root);
      if (name === null) return expression;
      path.unshift(name);
      root = unwrap(root.object);
    }
    if (root.type === 'Identifier') {
      const variable = scopes.variableOf(root);
      if (variable && path.length === 0) return variable;
      return [variable ? `${root.name}@${String(variable.identifiers[0]?.range[0])}` : root.name, ...path].join('.');
    }
    const home = root.type === 'ThisExpression' ? enclosingClass(root) : null;
    return home ? [`this@${String(home.class.range[0])}`, ...path].join('.') : expression;
  };
}
