import type { TSESTree } from '@typescript-eslint/utils';
import type { Builder } from './builder.js';
import type { Frame } from './frames.js';
import { after, DEAD } from './frontier.js';
import type { Branches, Frontier } from './frontier.js';
import type { Node } from './nodes.js';
import { bindPattern } from './patterns.js';
import { buildDeclaration, closeResources, isUsing, openResources, pathsOf } from './statements.js';

type Resources = Parameters<typeof openResources>[2];

function openLoop(builder: Builder): Frame {
  const { labels } = builder;
  builder.labels = [];
  return builder.open('loop', { labels });
}

/** A literal test is no choice: `while (true)` ends by `break` only. */
function branchOnLoopTest(builder: Builder, test: Node, at: Frontier): Branches {
  if (test.type !== 'Literal') return builder.branch(test, at);
  const isTrue = 'bigint' in test ? test.bigint !== '0' : 'regex' in test || Boolean(test.value);
  return isTrue ? { yes: at, no: DEAD } : { yes: DEAD, no: at };
}

export function buildWhile(builder: Builder, node: TSESTree.WhileStatement, at: Frontier): Frontier {
  const frame = openLoop(builder);
  const head = builder.step({ kind: 'mark', node, role: 'loop' }, at);
  const { yes, no } = branchOnLoopTest(builder, node.test, after(head));
  const end = builder.evaluate(node.body, yes);
  builder.close(frame);
  builder.link(builder.join(node, end, pathsOf(frame, 'continue')), head);
  return builder.join(node, no, pathsOf(frame, 'break'));
}

export function buildDoWhile(builder: Builder, node: TSESTree.DoWhileStatement, at: Frontier): Frontier {
  const frame = openLoop(builder);
  const head = builder.step({ kind: 'mark', node, role: 'loop' }, at);
  const end = builder.evaluate(node.body, after(head));
  builder.close(frame);
  const { yes, no } = branchOnLoopTest(builder, node.test, builder.join(node, end, pathsOf(frame, 'continue')));
  builder.link(yes, head);
  return builder.join(node, no, pathsOf(frame, 'break'));
}

export function buildFor(builder: Builder, node: TSESTree.ForStatement, at: Frontier): Frontier {
  const { labels } = builder;
  builder.labels = [];
  const resources: Resources = [];
  let start = at;
  if (node.init?.type === 'VariableDeclaration') {
    start = isUsing(node.init)
      ? openResources(builder, node.init, resources, at)
      : buildDeclaration(builder, node.init, at);
  } else {
    start = builder.evaluate(node.init, at);
  }
  builder.labels = labels;
  return closeResources(builder, resources, buildForLoop(builder, node, start));
}

function buildForLoop(builder: Builder, node: TSESTree.ForStatement, at: Frontier): Frontier {
  const frame = openLoop(builder);
  const head = builder.step({ kind: 'mark', node, role: 'loop' }, at);
  const { yes, no } =
    node.test === null ? { yes: after(head), no: DEAD } : branchOnLoopTest(builder, node.test, after(head));
  const end = builder.evaluate(node.body, yes);
  builder.close(frame);
  builder.link(builder.evaluate(node.update, builder.join(node, end, pathsOf(frame, 'continue'))), head);
  return builder.join(node, no, pathsOf(frame, 'break'));
}

/** `for`-`in` and `for`-`of`; leaving a `for`-`of` before its end closes the iterator. */
export function buildForEach(
  builder: Builder,
  node: TSESTree.ForInStatement | TSESTree.ForOfStatement,
  at: Frontier,
): Frontier {
  const { labels } = builder;
  builder.labels = [];
  const iterable = builder.evaluate(node.right, at);
  builder.labels = labels;
  const frame = openLoop(builder);
  const head = builder.step({ kind: 'iterate', node }, iterable);
  const { failed } = builder.outcome(head, builder.throwsOf(node));
  builder.leave(failed, { kind: 'throw' });
  const end =
    node.type === 'ForOfStatement'
      ? buildClosing(builder, node, frame, after(head, 'item'))
      : buildItem(builder, node, after(head, 'item'));
  builder.close(frame);
  builder.link(builder.join(node, end, pathsOf(frame, 'continue')), head);
  return builder.join(node, after(head, 'done'), pathsOf(frame, 'break'));
}

function buildClosing(builder: Builder, node: TSESTree.ForOfStatement, loop: Frame, at: Frontier): Frontier {
  const frame = builder.open('finally', { ignoresContinueOf: loop });
  const end = buildItem(builder, node, at);
  builder.close(frame);
  // The iterators of arrays, maps and sets have nothing to close.
  const throws = node.await ? builder.throwsOf(node) : 'never';
  builder.finalize(frame, node, null, (start) => builder.attempt({ kind: 'close', node }, start, throws));
  return end;
}

/** One round of the loop: the item is assigned, then the body runs. */
function buildItem(builder: Builder, node: TSESTree.ForInStatement | TSESTree.ForOfStatement, at: Frontier): Frontier {
  const { left, right } = node;
  const declarator = left.type === 'VariableDeclaration' ? left.declarations.at(0) : undefined;
  const target = declarator === undefined ? left : declarator.id;
  const isPattern = target.type === 'ObjectPattern' || target.type === 'ArrayPattern';
  const assigned = builder.pass(
    { kind: 'assign', node: left, target, value: right, operator: '=', takes: 'item' },
    isPattern ? at : bindPattern(builder, target, at),
  );
  const bound = isPattern ? bindPattern(builder, target, assigned) : assigned;
  if (left.type !== 'VariableDeclaration' || declarator === undefined || !isUsing(left)) {
    return builder.evaluate(node.body, bound);
  }
  const resource = { frame: builder.open('finally'), node: declarator, declaration: left };
  return closeResources(builder, [resource], builder.evaluate(node.body, bound));
}
