import { Builder, LimitReached } from './builder.js';
import { buildBody } from './callbacks.js';
import { after } from './frontier.js';
import type { Frontier } from './frontier.js';
import { lowering } from './lowering.js';
import type { FlowGraph, GraphOptions, Step, TooLarge } from './model.js';
import type { FlowUnit, Node } from './nodes.js';

/**
 * The control flow of one unit: a function, a `Program`, a class field's initialiser or a static block, as ESLint's own
 * parser or `@typescript-eslint/parser` gives it. Functions inside it are not entered, but for callbacks that run in
 * sequence (`docs/flow-model.md`). Syntax it does not know runs its parts in source order.
 *
 * Time and size grow linearly with the unit; one that passes a limit gives `too-large`.
 */
export function buildGraph(unit: FlowUnit, options: GraphOptions = {}): FlowGraph | TooLarge {
  const builder = new Builder(unit, options, lowering);
  try {
    return build(builder, unit);
  } catch (error) {
    if (error instanceof LimitReached) return { kind: 'too-large', unit, reason: error.reason };
    throw error;
  }
}

function build(builder: Builder, unit: FlowUnit): FlowGraph {
  const entry = builder.step({ kind: 'entry', node: unit }, []);
  const end = buildUnit(builder, unit, after(entry));
  const { fulfilled, rejected } = builder.endings(builder.frame);
  const exits = {
    return: builder.step({ kind: 'exit', node: unit, completion: 'return' }, [...end, ...fulfilled]),
    throw: builder.step({ kind: 'exit', node: unit, completion: 'throw' }, rejected),
  };
  const { steps, inlined } = builder;
  const byNode = new Map<Node, Step[]>();
  for (const step of steps) {
    const others = byNode.get(step.node);
    if (others === undefined) byNode.set(step.node, [step]);
    else others.push(step);
  }
  return { kind: 'graph', unit, steps, entry, exits, inlined, stepsOf: (node) => byNode.get(node) ?? [] };
}

function buildUnit(builder: Builder, unit: FlowUnit, at: Frontier): Frontier {
  switch (unit.type) {
    case 'FunctionDeclaration':
    case 'FunctionExpression':
    case 'ArrowFunctionExpression':
      return buildBody(builder, unit, at);
    case 'PropertyDefinition':
    case 'AccessorProperty':
      return builder.evaluate(unit.value, at);
    case 'Program':
    case 'StaticBlock':
      return builder.evaluate(unit, at);
    default:
      return unit satisfies never;
  }
}
