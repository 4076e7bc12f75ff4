import type { TSESTree } from '@typescript-eslint/utils';
import { definePass } from '../pass.js';
import { isFunction, isInside, unwrap } from '../source/ast.js';
import { staticValue } from '../source/constants.js';
import { scopes } from '../source/scope.js';
import { readingsOf } from './results.js';
import type { QueryLock } from './query.js';

export type Loop = TSESTree.WhileStatement | TSESTree.DoWhileStatement | TSESTree.ForStatement | TSESTree.ForOfStatement | TSESTree.ForInStatement;

export interface Polling {
  /**
   * The loop around a try-lock that can also end without the lock, when the code behind it goes on as if it had it; null
   * when there is no such loop, or somebody looks at the answer in some other way.
   */
  loopThatFallsThrough(lock: QueryLock): Loop | null;
}

/**
 * Finds loops that ask for a lock until a deadline or a number of rounds is over. Two ways to write them are known: the
 * answer breaks the loop and is asked about nowhere else, or it is one of several conditions of the loop.
 */
export const polling = definePass('polling', [scopes], ([scopesOfFile]): Polling => {
  return { loopThatFallsThrough };

  function loopThatFallsThrough(lock: QueryLock): Loop | null {
    const [reading, ...others] = readingsOf(lock);
    if (reading?.kind !== 'read' || others.length > 0 || reading.use.sink.kind !== 'tested') return null;
    const { node, negated, expression } = reading.use;
    const loop = loopAround(node);
    if (!loop || !goesOnBehind(loop)) return null;
    if (node.type !== 'IfStatement') return negated && isOneOfSeveral(loop, expression) ? loop : null;
    const breaks = !negated && isMereBreak(node.consequent) && node.alternate === null;
    return breaks && asksAnew(loop, expression) && canEndByItself(loop) ? loop : null;
  }

  /** The answer comes from this round: it is asked for in the test, or kept in a variable of the loop's body. */
  function asksAnew(loop: Loop, expression: TSESTree.Node): boolean {
    let root = unwrap(expression);
    while (root.type === 'MemberExpression') root = unwrap(root.object);
    if (root.type !== 'Identifier') return true;
    const variable = scopesOfFile.variableOf(root);
    return variable !== null && scopesOfFile.writesOf(variable).some(({ identifier }) => isInside(identifier, loop.body));
  }

  /** The loop has a condition of its own, or a list to go through. */
  function canEndByItself(loop: Loop): boolean {
    if (loop.type === 'ForOfStatement' || loop.type === 'ForInStatement') return !(loop.type === 'ForOfStatement' && loop.await);
    const constant = loop.test && staticValue(loop.test, scopesOfFile);
    return loop.test !== null && !constant?.value;
  }
});

/** The innermost loop around a node of the same function. */
export function loopAround(node: TSESTree.Node): Loop | null {
  for (let parent = node.parent; parent && !isFunction(parent); parent = parent.parent) {
    switch (parent.type) {
      case 'WhileStatement':
      case 'DoWhileStatement':
      case 'ForStatement':
      case 'ForOfStatement':
      case 'ForInStatement':
        return parent;
      default:
    }
  }
  return null;
}

/** What follows the loop runs at once; an `if` or a `throw` there may be about the lock after all. */
function goesOnBehind(loop: Loop): boolean {
  const { parent } = loop;
  if (parent.type !== 'BlockStatement' && parent.type !== 'Program') return false;
  const at = parent.body.findIndex((statement) => statement === loop);
  const rest = parent.body.slice(at + 1);
  const [next] = rest;
  if (!next) return false;
  return !rest.some((statement) => statement.type === 'IfStatement' || statement.type === 'ThrowStatement' || statement.type === 'SwitchStatement') && holdsCall(next);
}

const holdsCall = (statement: TSESTree.Node): boolean =>
  ['ExpressionStatement', 'VariableDeclaration', 'TryStatement', 'ReturnStatement', 'ForOfStatement', 'ForStatement', 'WhileStatement'].includes(statement.type) &&
  !(statement.type === 'ReturnStatement' && !isAwaitedCall(statement.argument));

function isAwaitedCall(node: TSESTree.Node | null): boolean {
  if (!node) return false;
  const inner = unwrap(node);
  return inner.type === 'AwaitExpression' || inner.type === 'CallExpression';
}

/** `break`, alone or in a block: nothing notes that the lock was granted. */
function isMereBreak(statement: TSESTree.Statement): boolean {
  if (statement.type === 'BlockStatement') {
    const [only, ...others] = statement.body;
    return only !== undefined && others.length === 0 && isMereBreak(only);
  }
  return statement.type === 'BreakStatement' && statement.label === null;
}

/** `while (!granted && rounds-- > 0)`: the loop also ends when the other condition does. */
function isOneOfSeveral(loop: Loop, expression: TSESTree.Node): boolean {
  if (loop.type !== 'WhileStatement' && loop.type !== 'DoWhileStatement' && loop.type !== 'ForStatement') return false;
  const test = loop.test && unwrap(loop.test);
  return test?.type === 'LogicalExpression' && test.operator === '&&' && isInside(expression, test);
}
