import type { TSESTree } from '@typescript-eslint/utils';
import type { Builder } from './builder.js';
import { THROW } from './frames.js';
import { after } from './frontier.js';
import type { Branches, Frontier } from './frontier.js';
import { childNodes, unwrap } from './nodes.js';
import type { Node } from './nodes.js';
import { askNullish, askTruthy, withinChain } from './operands.js';
import { bindPattern } from './patterns.js';

/** A logical expression whose value matters, not only its truth. */
export function evaluateLogical(builder: Builder, node: TSESTree.LogicalExpression, at: Frontier): Frontier {
  if (node.operator === '??') {
    const { yes: nullish, no: given } = askNullish(builder, node.left, builder.evaluate(node.left, at));
    return builder.join(node, builder.evaluate(node.right, nullish), given);
  }
  const { yes, no } = builder.branch(node.left, at);
  return node.operator === '&&'
    ? builder.join(node, builder.evaluate(node.right, yes), no)
    : builder.join(node, yes, builder.evaluate(node.right, no));
}

export function evaluateConditional(builder: Builder, node: TSESTree.ConditionalExpression, at: Frontier): Frontier {
  const { yes, no } = builder.branch(node.test, at);
  return builder.join(node, builder.evaluate(node.consequent, yes), builder.evaluate(node.alternate, no));
}

export function evaluateChain(builder: Builder, node: TSESTree.ChainExpression, at: Frontier): Frontier {
  const { result, skipped } = withinChain(builder, () => builder.evaluate(node.expression, at));
  return builder.join(node, result, skipped);
}

export function evaluateAssignment(builder: Builder, node: TSESTree.AssignmentExpression, at: Frontier): Frontier {
  const { left, right, operator } = node;
  const assign = (value: Frontier): Frontier =>
    builder.pass({ kind: 'assign', node, target: unwrap(left), value: right, operator, takes: 'value' }, value);
  if (left.type === 'ObjectPattern' || left.type === 'ArrayPattern') {
    return bindPattern(builder, left, assign(builder.evaluate(right, at)));
  }
  const reference = builder.evaluate(left, at);
  switch (operator) {
    case '&&=': {
      const { yes, no } = askTruthy(builder, left, reference);
      return builder.join(node, assign(builder.evaluate(right, yes)), no);
    }
    case '||=': {
      const { yes, no } = askTruthy(builder, left, reference);
      return builder.join(node, yes, assign(builder.evaluate(right, no)));
    }
    case '??=': {
      const { yes: nullish, no: given } = askNullish(builder, left, reference);
      return builder.join(node, assign(builder.evaluate(right, nullish)), given);
    }
    default:
      return assign(builder.evaluate(right, reference));
  }
}

export function evaluateUpdate(builder: Builder, node: TSESTree.UpdateExpression, at: Frontier): Frontier {
  const { argument, operator } = node;
  return builder.pass(
    { kind: 'assign', node, target: unwrap(argument), value: null, operator, takes: 'value' },
    builder.evaluate(argument, at),
  );
}

export function evaluateYield(builder: Builder, node: TSESTree.YieldExpression, at: Frontier): Frontier {
  const step = builder.step({ kind: 'yield', node }, builder.evaluate(node.argument, at));
  const { done, failed } = builder.outcome(step, builder.throwsOf(node));
  builder.leave(failed, THROW);
  builder.leaveReturning(after(step, 'abandon'), null);
  return done;
}

/** A chain of binary operators, which generated code has thousands of links long, is walked without recursion. */
export function evaluateBinary(builder: Builder, node: TSESTree.BinaryExpression, at: Frontier): Frontier {
  const rights: Node[] = [];
  let left: Node = node;
  while (left.type === 'BinaryExpression') {
    rights.push(left.right);
    left = left.left;
  }
  return builder.evaluateAll(rights.reverse(), builder.evaluate(left, at));
}

/** Whatever the node is: its parts in source order. */
export function evaluateChildren(builder: Builder, node: Node, at: Frontier): Frontier {
  return builder.evaluateAll(childNodes(node), at);
}

/**
 * Evaluates a test and branches on its truth. `!`, `&&`, `||`, `??`, `?:`, `,` and a chain cut short by `?.` become
 * branches themselves, so that each condition step asks about one atomic expression.
 */
export function branchOn(builder: Builder, node: Node, at: Frontier): Branches {
  const test = unwrap(node);
  switch (test.type) {
    case 'UnaryExpression': {
      if (test.operator !== '!') break;
      const { yes, no } = builder.branch(test.argument, at);
      return { yes: no, no: yes };
    }
    case 'LogicalExpression':
      return branchOnLogical(builder, test, at);
    case 'ConditionalExpression': {
      const { yes, no } = builder.branch(test.test, at);
      return either(builder, node, builder.branch(test.consequent, yes), builder.branch(test.alternate, no));
    }
    case 'SequenceExpression': {
      const last = test.expressions.at(-1);
      if (last === undefined) break;
      return builder.branch(last, builder.evaluateAll(test.expressions.slice(0, -1), at));
    }
    case 'ChainExpression': {
      const { result, skipped } = withinChain(builder, () => builder.evaluate(test.expression, at));
      const { yes, no } = askTruthy(builder, node, result);
      return { yes, no: builder.join(node, no, skipped) };
    }
    default:
      break;
  }
  return askTruthy(builder, node, builder.evaluate(test, at));
}

function branchOnLogical(builder: Builder, node: TSESTree.LogicalExpression, at: Frontier): Branches {
  if (node.operator === '??') {
    const { yes: nullish, no: given } = askNullish(builder, node.left, builder.evaluate(node.left, at));
    return either(builder, node, builder.branch(node.right, nullish), askTruthy(builder, node.left, given));
  }
  const left = builder.branch(node.left, at);
  if (node.operator === '&&') {
    const right = builder.branch(node.right, left.yes);
    return { yes: right.yes, no: builder.join(node, left.no, right.no) };
  }
  const right = builder.branch(node.right, left.no);
  return { yes: builder.join(node, left.yes, right.yes), no: right.no };
}

function either(builder: Builder, node: Node, one: Branches, other: Branches): Branches {
  return { yes: builder.join(node, one.yes, other.yes), no: builder.join(node, one.no, other.no) };
}
