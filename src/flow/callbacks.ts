import type { Builder } from './builder.js';
import type { Settled } from './frames.js';
import { after, DEAD } from './frontier.js';
import type { Frontier } from './frontier.js';
import type { FunctionNode, Node } from './nodes.js';
import { bindPattern } from './patterns.js';

/** A function that a call runs as part of itself. */
export interface Callback {
  readonly function: FunctionNode;
  readonly call: Node;
  /** The promise it returns is waited for before the call counts as done. */
  readonly settlesReturns: boolean;
  /** The expression whose fulfilled value the first parameter gets. */
  readonly receives: Node | null;
}

/** Parameters and body of a function; gives where it runs off its end. An arrow's expression is a `return`. */
export function buildBody(builder: Builder, node: FunctionNode, at: Frontier): Frontier {
  const bound = node.params.reduce((end, parameter) => bindPattern(builder, parameter, end), at);
  if (node.body.type === 'BlockStatement') return builder.evaluate(node.body, bound);
  builder.returnValue(node.body, node.body, bound);
  return DEAD;
}

/** Runs a function as part of the graph. Its `return` and `throw` end it, not what stands around it. */
export function runCallback(builder: Builder, callback: Callback, at: Frontier): Settled {
  const { function: node, call } = callback;
  const start = builder.pass({ kind: 'callback-start', node, call }, at);
  const { end, frame } = builder.inline(node, callback.settlesReturns, () =>
    buildBody(builder, node, receiveValue(builder, callback, start)),
  );
  const { fulfilled, rejected } = builder.endings(frame);
  return {
    fulfilled: builder.pass({ kind: 'callback-end', node, call, completion: 'return' }, builder.join(node, end, fulfilled)),
    rejected:
      rejected.length === 0
        ? DEAD
        : after(builder.step({ kind: 'callback-end', node, call, completion: 'throw' }, rejected), 'throw'),
  };
}

function receiveValue(builder: Builder, callback: Callback, at: Frontier): Frontier {
  const [node] = callback.function.params;
  const value = callback.receives;
  if (value === null || node === undefined) return at;
  const target = node.type === 'AssignmentPattern' ? node.left : node;
  return builder.pass({ kind: 'assign', node, target, value, operator: '=', takes: 'settled' }, at);
}
