import type { TSESTree } from '@typescript-eslint/utils';
import { isFunction, unwrap } from './ast.js';
import { dottedName } from './mutations.js';
import type { Scopes } from './scope.js';
import { staticValue } from './static-value.js';
import type { Rejection } from './uses.js';

/**
 * What a rejection handler does with the rejection. A handler that throws anywhere, or rejects anew, lets it propagate;
 * so does a missing one. A function that is not written in place handles it, in ways not looked into.
 */
export function rejectionOf(handler: TSESTree.Node | undefined, scopes: Scopes): Rejection {
  if (!handler) return 'propagates';
  const callback = unwrap(handler);
  if (!isFunction(callback)) {
    const known = staticValue(callback, scopes);
    return known && (known.value === null || known.value === undefined) ? 'propagates' : 'handled';
  }
  const { body } = callback;
  if (body.type !== 'BlockStatement') {
    if (rejects(body)) return 'propagates';
    return isIdle(body, scopes) ? 'ignored' : 'handled';
  }
  if (body.body.some(throws)) return 'propagates';
  const isEmpty = body.body.every(
    (statement) => statement.type === 'ReturnStatement' && (!statement.argument || isIdle(statement.argument, scopes)),
  );
  return isEmpty ? 'ignored' : 'handled';
}

/** A constant or nothing: the error is not looked at. */
function isIdle(expression: TSESTree.Expression, scopes: Scopes): boolean {
  const node = unwrap(expression);
  if (node.type === 'ObjectExpression') return node.properties.length === 0;
  if (node.type === 'ArrayExpression') return node.elements.length === 0;
  return staticValue(node, scopes) !== null;
}

const rejects = (expression: TSESTree.Node): boolean => {
  const node = unwrap(expression);
  return node.type === 'CallExpression' && dottedName(node.callee) === 'Promise.reject';
};

/** Does the statement throw on some path, functions inside it aside? */
function throws(statement: TSESTree.Statement): boolean {
  switch (statement.type) {
    case 'ThrowStatement':
      return true;
    case 'ReturnStatement':
      return statement.argument !== null && rejects(statement.argument);
    case 'BlockStatement':
      return statement.body.some(throws);
    case 'IfStatement':
      return throws(statement.consequent) || (statement.alternate !== null && throws(statement.alternate));
    case 'TryStatement':
      return [statement.block, statement.handler?.body, statement.finalizer].some((block) => block?.body.some(throws));
    case 'SwitchStatement':
      return statement.cases.some((clause) => clause.consequent.some(throws));
    case 'ForStatement':
    case 'ForInStatement':
    case 'ForOfStatement':
    case 'WhileStatement':
    case 'DoWhileStatement':
    case 'LabeledStatement':
      return throws(statement.body);
    default:
      return false;
  }
}
