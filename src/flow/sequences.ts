import type { TSESTree } from '@typescript-eslint/utils';
import type { Builder } from './builder.js';
import { runCallback } from './callbacks.js';
import { NORMAL, THROW } from './frames.js';
import type { Settled } from './frames.js';
import { DEAD } from './frontier.js';
import type { Frontier } from './frontier.js';
import type { InlineCallback } from './model.js';
import { isFunction, memberName, unwrap } from './nodes.js';
import type { CallNode, FunctionNode, Node } from './nodes.js';
import { callStep, evaluateOperands, skipNullish, withinChain } from './operands.js';

/**
 * An expression whose callbacks run in sequence with it: a promise chain, or a call whose callback the client inlines.
 * It comes in two parts, since a `return` runs finalizers between them: the calls themselves, and what happens when the
 * promises settle.
 */
export interface Sequence {
  /** Where the first part, which runs at once, is done. */
  readonly started: Frontier;
  /** Where `?.` cut it short, so that there is nothing to wait for. */
  readonly skipped: Frontier;
  readonly settle: (at: Frontier) => Settled;
  /** The whole may still fail when all its callbacks are done, as a transaction may at its commit. */
  readonly mayFailAfterwards: boolean;
}

/** Builds the first part of a sequence; null, with nothing built, for any other expression. */
export function startSequence(builder: Builder, node: Node, at: Frontier): Sequence | null {
  const inner = unwrap(node);
  if (inner.type === 'ChainExpression') {
    const { result, skipped } = withinChain(builder, () => startSequence(builder, inner.expression, at));
    return result === null ? null : { ...result, skipped: [...result.skipped, ...skipped] };
  }
  const links = linksOf(inner);
  const first = links.at(0);
  if (first !== undefined) return startChain(builder, links, first.receiver, at);
  const callback = builder.inlineCallback(inner);
  if (callback === null || callback.synchronous === true || !isInlinable(inner)) return null;
  return startInlined(builder, inner, callback, at);
}

function isInlinable(node: Node): node is TSESTree.CallExpression | TSESTree.NewExpression {
  return node.type === 'CallExpression' || node.type === 'NewExpression';
}

function startInlined(builder: Builder, node: CallNode, callback: InlineCallback, at: Frontier): Sequence {
  builder.inlined.add(callback.function);
  builder.awaited.add(node);
  return {
    started: callStep(builder, node, evaluateOperands(builder, node, at)),
    skipped: DEAD,
    settle: (later) => {
      const { fulfilled, rejected } = settleExpression(builder, node, later);
      return runInlined(builder, node, callback, fulfilled, rejected);
    },
    mayFailAfterwards: true,
  };
}

/** A call with an inlined callback, where nobody waits for the call: it is waited for all the same. */
export function inlineCall(builder: Builder, node: CallNode, callback: InlineCallback, at: Frontier): Frontier {
  const { fulfilled, rejected } = callback.synchronous === true
    ? runSynchronously(builder, node, callback, at)
    : settleNow(startInlined(builder, node, callback, at));
  builder.leave(rejected, THROW);
  return fulfilled;
}

function settleNow(sequence: Sequence): Settled {
  return sequence.settle(sequence.started);
}

function runSynchronously(builder: Builder, node: CallNode, callback: InlineCallback, at: Frontier): Settled {
  builder.inlined.add(callback.function);
  const operands = evaluateOperands(builder, node, at);
  const awaited = builder.awaited.has(node);
  const throws = builder.throwsOf(node);
  const step = builder.step({ kind: 'call', node, awaited }, operands);
  const { done, failed } = builder.outcome(step, awaited && throws === 'may' ? 'never' : throws);
  return runInlined(builder, node, callback, done, failed);
}

function runInlined(builder: Builder, call: CallNode, callback: InlineCallback, done: Frontier, failed: Frontier): Settled {
  const run = (at: Frontier): Settled =>
    runCallback(
      builder,
      { function: callback.function, call, settlesReturns: callback.synchronous !== true, receives: null },
      at,
    );
  switch (callback.when) {
    case 'fulfilled': {
      const { fulfilled, rejected } = run(done);
      return { fulfilled, rejected: [...rejected, ...failed] };
    }
    case 'rejected': {
      const { fulfilled, rejected } = run(failed);
      return { fulfilled: [...done, ...fulfilled], rejected };
    }
    case 'always':
      return run([...done, ...failed]);
    case 'maybe': {
      const { fulfilled, rejected } = run(done);
      return { fulfilled: [...done, ...fulfilled], rejected: [...rejected, ...failed] };
    }
    default:
      return callback.when satisfies never;
  }
}

/** Waits for an expression that has been evaluated. */
export function settleExpression(builder: Builder, node: Node, at: Frontier): Settled {
  const step = builder.step({ kind: 'await', node, settles: node }, at);
  const { done, failed } = builder.outcome(step, builder.awaitThrows(node, node));
  return { fulfilled: done, rejected: failed };
}

type Handler = { kind: 'none' } | { kind: 'inline'; function: FunctionNode } | { kind: 'other' };

/** One `.then`, `.catch` or `.finally` of a promise chain. */
interface Link {
  readonly call: TSESTree.CallExpression;
  readonly callee: TSESTree.MemberExpression;
  readonly receiver: Node;
  readonly onFulfilled: Handler;
  readonly onRejected: Handler;
  readonly onSettled: Handler;
}

const NO_HANDLER: Handler = { kind: 'none' };

/** The links of a promise chain, in the order they run; none for any other expression. */
function linksOf(node: Node): readonly Link[] {
  const links: Link[] = [];
  for (let link = linkOf(node); link !== null; link = linkOf(unwrap(link.receiver))) links.push(link);
  return links.reverse();
}

function linkOf(node: Node): Link | null {
  if (node.type !== 'CallExpression') return null;
  const callee = unwrap(node.callee);
  if (callee.type !== 'MemberExpression') return null;
  const [first, second] = node.arguments.map(handlerOf);
  if (first === undefined || node.arguments.length > 2) return null;
  const link = { call: node, callee, receiver: callee.object };
  const none = { onFulfilled: NO_HANDLER, onRejected: NO_HANDLER, onSettled: NO_HANDLER };
  switch (memberName(callee)) {
    case 'then':
      return { ...link, ...none, onFulfilled: first, onRejected: second ?? NO_HANDLER };
    case 'catch':
      return { ...link, ...none, onRejected: first };
    case 'finally':
      return { ...link, ...none, onSettled: first };
    default:
      return null;
  }
}

function handlerOf(argument: Node): Handler {
  const node = unwrap(argument);
  if (isFunction(node)) return node.generator ? { kind: 'other' } : { kind: 'inline', function: node };
  const nothing =
    (node.type === 'Literal' && node.value === null) || (node.type === 'Identifier' && node.name === 'undefined');
  return nothing ? NO_HANDLER : { kind: 'other' };
}

function startChain(builder: Builder, links: readonly Link[], root: Node, at: Frontier): Sequence {
  const inner = startSequence(builder, root, at);
  const settled = unwrap(root);
  if (inner === null) builder.awaited.add(settled);
  let started = inner === null ? builder.evaluate(root, at) : builder.join(root, inner.started, inner.skipped);
  for (const link of links) started = startLink(builder, link, started);
  return {
    started,
    skipped: DEAD,
    settle: (later) => {
      const first = inner === null ? settleExpression(builder, settled, later) : inner.settle(later);
      return links.reduce((state, link) => settleLink(builder, link, state), first);
    },
    mayFailAfterwards: false,
  };
}

/** The call of `.then` itself, which only registers its callbacks. */
function startLink(builder: Builder, link: Link, at: Frontier): Frontier {
  const { call, callee } = link;
  const present = callee.optional ? skipNullish(builder, callee.object, at) : at;
  const callable = call.optional ? skipNullish(builder, callee, present) : present;
  const handlers = [link.onFulfilled, link.onRejected, link.onSettled];
  for (const handler of handlers) if (handler.kind === 'inline') builder.inlined.add(handler.function);
  if (handlers.some((handler) => handler.kind === 'other')) builder.awaited.add(call);
  return callStep(builder, call, builder.evaluateAll(call.arguments, callable));
}

function settleLink(builder: Builder, link: Link, { fulfilled, rejected }: Settled): Settled {
  if (link.onSettled.kind !== 'none') return settleFinally(builder, link, link.onSettled, { fulfilled, rejected });
  const one = settleHandler(builder, link, link.onFulfilled, link.receiver, fulfilled);
  const other = settleHandler(builder, link, link.onRejected, null, rejected);
  return {
    fulfilled: builder.join(link.call, one?.fulfilled ?? fulfilled, other?.fulfilled ?? DEAD),
    rejected: builder.join(link.call, one?.rejected ?? DEAD, other?.rejected ?? rejected),
  };
}

function settleHandler(
  builder: Builder,
  link: Link,
  handler: Handler,
  receives: Node | null,
  at: Frontier,
): Settled | null {
  switch (handler.kind) {
    case 'none':
      return null;
    case 'inline':
      return runCallback(builder, { function: handler.function, call: link.call, settlesReturns: true, receives }, at);
    case 'other':
      return settleExpression(builder, link.call, at);
    default:
      return handler satisfies never;
  }
}

/** The callback of `.finally` is a finalizer: it runs either way, and what it was entered with goes on. */
function settleFinally(builder: Builder, link: Link, handler: Handler, state: Settled): Settled {
  const ways = [
    { completion: NORMAL, paths: state.fulfilled },
    { completion: THROW, paths: state.rejected },
  ].filter(({ paths }, index) => paths.length > 0 || index === 0);
  const failed: Frontier[] = [];
  const ends = builder.runFinalizer(link.call, ways, (at) => {
    const settled = settleHandler(builder, link, handler, null, at);
    failed.push(settled?.rejected ?? DEAD);
    return settled?.fulfilled ?? at;
  });
  const endsOf = (kind: 'normal' | 'throw'): Frontier[] =>
    ends.filter(({ completion }) => completion.kind === kind).map(({ end }) => end);
  return {
    fulfilled: builder.join(link.call, ...endsOf('normal')),
    rejected: builder.join(link.call, ...endsOf('throw'), ...failed),
  };
}
