import type { TSESTree } from '@typescript-eslint/utils';
import { enclosingClass, memberName, unwrap } from '../source/ast.js';
import type { LinkedFiles } from './imports/linked-files.js';
import type { HandleIdentity } from './values.js';

/**
 * The identity of an object of which nothing is known but the expression that names it: two uses of one variable, or of one
 * member of it, mean the same object. Files share no names.
 */
export function createReceiverIdentity(links: LinkedFiles): (expression: TSESTree.Node) => HandleIdentity {
  const { scopes } = links;
  return (expression) => {
    const { filename } = links.unitOf(expression);
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
      return [filename, variable ? `${root.name}@${String(variable.identifiers[0]?.range[0])}` : root.name, ...path].join('.');
    }
    const home = root.type === 'ThisExpression' ? enclosingClass(root) : null;
    return home ? [filename, `this@${String(home.class.range[0])}`, ...path].join('.') : expression;
  };
}
