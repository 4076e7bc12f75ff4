import type { TSESTree } from '@typescript-eslint/utils';
import type { Builder } from './builder.js';
import { after, DEAD } from './frontier.js';
import type { Branches, Frontier } from './frontier.js';
import { unwrap } from './nodes.js';
import type { CallNode, Node } from './nodes.js';

/** Everything a call evaluates before it happens. */
export function evaluateOperands(builder: Builder, node: CallNode, at: Frontier): Frontier {
  switch (node.type) {
    case 'CallExpression': {
      const callee = builder.evaluate(node.callee, at);
      return builder.evaluateAll(node.arguments, node.optional ? skipNullish(builder, node.callee, callee) : callee);
    }
    case 'NewExpression':
      return builder.evaluateAll(node.arguments, builder.evaluate(node.callee, at));
    case 'TaggedTemplateExpression':
      return builder.evaluate(node.quasi, builder.evaluate(node.tag, at));
    case 'ImportExpression':
      return builder.evaluate(node.options, builder.evaluate(node.source, at));
    default:
      return node satisfies never;
  }
}

/** The step of a call whose operands have been evaluated. Where the call is awaited, its failure shows at the `await`. */
export function callStep(builder: Builder, node: CallNode, at: Frontier): Frontier {
  const awaited = builder.awaited.has(node);
  const throws = builder.throwsOf(node);
  return builder.attempt({ kind: 'call', node, awaited }, at, awaited && throws === 'may' ? 'never' : throws);
}

export function evaluateMember(builder: Builder, node: TSESTree.MemberExpression, at: Frontier): Frontier {
  const object = builder.evaluate(node.object, at);
  const present = node.optional ? skipNullish(builder, node.object, object) : object;
  return node.computed ? builder.evaluate(node.property, present) : present;
}

/** `?.` after a value: goes on where the value is there, and cuts the chain short where it is not. */
export function skipNullish(builder: Builder, value: Node, at: Frontier): Frontier {
  const { yes: nullish, no: given } = askNullish(builder, value, at);
  const shortCircuit = builder.shortCircuits.at(-1);
  if (shortCircuit === undefined) return [...nullish, ...given];
  shortCircuit.push(...nullish);
  return given;
}

/** Builds an optional chain; `skipped` are the paths on which it was cut short. */
export function withinChain<T>(builder: Builder, build: () => T): { result: T; skipped: Frontier } {
  builder.shortCircuits.push([]);
  const result = build();
  return { result, skipped: builder.shortCircuits.pop() ?? DEAD };
}

/** Asks whether a value that has been evaluated is truthy. */
export function askTruthy(builder: Builder, node: Node, at: Frontier): Branches {
  const step = builder.step({ kind: 'condition', node, test: unwrap(node), asks: 'truthy', subject: null }, at);
  return { yes: after(step, 'true'), no: after(step, 'false') };
}

/** Asks whether a value that has been evaluated is null or undefined. */
export function askNullish(builder: Builder, node: Node, at: Frontier): Branches {
  const step = builder.step({ kind: 'condition', node, test: unwrap(node), asks: 'nullish', subject: null }, at);
  return { yes: after(step, 'nullish'), no: after(step, 'non-nullish') };
}
