import type { TSESTree } from '@typescript-eslint/utils';
import { enclosingFunction, isInside, returnedExpressions, unwrap, type FunctionNode } from '../source/ast.js';
import type { Core } from './core.js';
import { unknown, type Handle, type Value } from './values.js';

/**
 * Functions of this file that open a connection, or choose one: `await open()`, `connectionOf('a')`. The function is one, what
 * its calls give is not: where somebody calls it twice, nothing says which of the connections he means.
 */
export function createOpenedConnections({ parts: { scopes, callers }, evaluator }: Core) {
  return { givenBy };

  /** `value`, which the function returns, as what this call of it gives; unknown where another call around may give another connection. */
  function givenBy(call: TSESTree.CallExpression, fn: FunctionNode, value: Value): Value {
    const handle = handleOf(value);
    if (!handle || (handle.role !== 'connection' && handle.role !== 'transaction')) return value;
    const isChosen = handle.identity === fn;
    if (!isChosen && !isOpenedBy(fn, handle)) return value;
    const mayBeAnother = callers
      .callSitesOf(fn, evaluator)
      .some((other) => other !== call && isWithin(call, other) && !(isChosen && value.type !== 'promise' && chooseTheSame(call, other)));
    return mayBeAnother ? unknown : value;
  }

  /** What a field or an outer variable keeps is opened once. */
  function isOpenedBy(fn: FunctionNode, { created }: Handle): boolean {
    if (!created || !isInside(created, fn)) return false;
    return returnedExpressions(fn).every((expression) => {
      const node = unwrap(expression);
      if (node.type === 'MemberExpression') return false;
      const variable = node.type === 'Identifier' ? scopes.variableOf(node) : null;
      return !variable || variable.identifiers.every((identifier) => isInside(identifier, fn));
    });
  }

  function chooseTheSame(call: TSESTree.CallExpression, other: TSESTree.CallExpression | TSESTree.NewExpression): boolean {
    return argumentsOf(call) === argumentsOf(other) && call.arguments.every(isFixed);
  }

  function argumentsOf(call: TSESTree.CallExpression | TSESTree.NewExpression): string {
    return call.arguments.map(({ range }) => scopes.textOf(call).slice(...range)).join(', ');
  }

  function isFixed(argument: TSESTree.CallExpressionArgument): boolean {
    const node = unwrap(argument);
    if (node.type === 'Literal') return true;
    const variable = node.type === 'Identifier' ? scopes.variableOf(node) : null;
    return variable !== null && scopes.writesOf(variable).every(({ init }) => init === true);
  }
}

/** Is one of them in the function of the other? */
function isWithin(call: TSESTree.Node, other: TSESTree.Node): boolean {
  const [home, otherHome] = [enclosingFunction(call), enclosingFunction(other)];
  return home === otherHome || (home !== null && isInside(other, home)) || (otherHome !== null && isInside(call, otherHome));
}

function handleOf(value: Value): Handle | null {
  if (value.type === 'promise') return handleOf(value.of);
  return value.type === 'object' ? value.handle : null;
}
