import type { TSESTree } from '@typescript-eslint/utils';
import type { Builder } from './builder.js';
import { THROW } from './frames.js';
import type { Frontier } from './frontier.js';
import { isCall, unwrap, unwrapChain } from './nodes.js';
import type { CallNode, Node } from './nodes.js';
import { callStep, evaluateOperands } from './operands.js';
import { inlineCall, settleExpression, startSequence } from './sequences.js';

/** A call, `new`, tagged template or `import()`: its operands in order, its own step, the callback it runs as part of itself. */
export function evaluateCall(builder: Builder, node: CallNode, at: Frontier): Frontier {
  const callback = builder.inlineCallback(node);
  if (callback !== null) return inlineCall(builder, node, callback, at);
  return callStep(builder, node, evaluateOperands(builder, node, at));
}

export function evaluateAwait(builder: Builder, node: TSESTree.AwaitExpression, at: Frontier): Frontier {
  const settles = unwrapChain(node.argument);
  const sequence = startSequence(builder, node.argument, at);
  if (sequence === null) {
    builder.awaited.add(settles);
    const argument = builder.evaluate(node.argument, at);
    return builder.attempt({ kind: 'await', node, settles }, argument, builder.awaitThrows(node, settles));
  }
  const { fulfilled, rejected } = sequence.settle(sequence.started);
  builder.leave(rejected, THROW);
  return builder.attempt(
    { kind: 'await', node, settles: null },
    builder.join(node, fulfilled, sequence.skipped),
    sequence.mayFailAfterwards ? builder.awaitThrows(node, settles) : 'never',
  );
}

/**
 * A returned promise is not waited for by the function, so its finalizers run first; then, if it is a chain, its
 * callbacks. An inlined callback's caller does wait for the promise that the callback returns.
 */
export function returnValue(builder: Builder, node: Node, argument: Node | null, at: Frontier): void {
  const leave = (value: Frontier, settle: ((later: Frontier) => ReturnType<typeof settleExpression>) | null): void => {
    const returned = builder.pass({ kind: 'return', node, argument }, value);
    builder.leaveReturning(returned, settle === null ? null : { id: builder.nextId(), settle });
  };
  if (argument === null) {
    leave(at, null);
    return;
  }
  const sequence = startSequence(builder, argument, at);
  if (sequence !== null) {
    leave(sequence.started, sequence.settle);
    if (sequence.skipped.length > 0) leave(sequence.skipped, null);
    return;
  }
  const call = unwrapChain(argument);
  if (!builder.settlesReturns() || !isCall(call) || call.type === 'NewExpression') {
    leave(builder.evaluate(argument, at), null);
    return;
  }
  builder.awaited.add(call);
  leave(builder.evaluate(argument, at), (later) => settleExpression(builder, call, later));
}

/**
 * An expression statement. A chain that nobody waits for runs as if it stood where it is written, after a `detached`
 * step; its rejection reaches nobody, so the code after the statement follows either way.
 */
export function evaluateStatement(builder: Builder, node: TSESTree.Expression, at: Frontier): Frontier {
  const inner = unwrap(node);
  const floating = inner.type === 'UnaryExpression' && inner.operator === 'void' ? inner.argument : inner;
  const sequence = startSequence(builder, floating, at);
  if (sequence === null) return builder.evaluate(node, at);
  const detached = builder.pass({ kind: 'detached', node: floating }, sequence.started);
  const { fulfilled, rejected } = sequence.settle(detached);
  return builder.join(node, fulfilled, rejected, sequence.skipped);
}
