import type { TSESTree } from '@typescript-eslint/utils';
import type { Builder } from './builder.js';
import { jumpTarget, THROW } from './frames.js';
import type { Frame } from './frames.js';
import { after, DEAD } from './frontier.js';
import type { Dangling, Frontier } from './frontier.js';
import type { Node } from './nodes.js';
import { bindPattern } from './patterns.js';

/** Statements of one block. What they declare with `using` is disposed of, last first, however the block is left. */
export function buildStatements(builder: Builder, statements: readonly Node[], at: Frontier): Frontier {
  const resources: Resource[] = [];
  let end = at;
  for (const statement of statements) {
    end =
      statement.type === 'VariableDeclaration' && isUsing(statement)
        ? openResources(builder, statement, resources, end)
        : builder.evaluate(statement, end);
  }
  return closeResources(builder, resources, end);
}

interface Resource {
  readonly frame: Frame;
  readonly node: TSESTree.VariableDeclarator;
  readonly declaration: TSESTree.VariableDeclaration;
}

export function isUsing(declaration: TSESTree.VariableDeclaration): boolean {
  return declaration.kind === 'using' || declaration.kind === 'await using';
}

export function openResources(
  builder: Builder,
  declaration: TSESTree.VariableDeclaration,
  resources: Resource[],
  at: Frontier,
): Frontier {
  let end = at;
  for (const node of declaration.declarations) {
    end = buildDeclarator(builder, node, end);
    resources.push({ frame: builder.open('finally'), node, declaration });
  }
  return end;
}

export function closeResources(builder: Builder, resources: readonly Resource[], at: Frontier): Frontier {
  return resources.reduceRight((end, { frame, node, declaration }) => {
    builder.close(frame);
    return builder.finalize(frame, node, end, (start) => builder.attempt({ kind: 'dispose', node, declaration }, start));
  }, at);
}

export function buildDeclaration(builder: Builder, node: TSESTree.VariableDeclaration, at: Frontier): Frontier {
  return node.declarations.reduce<Frontier>((end, declarator) => buildDeclarator(builder, declarator, end), at);
}

function buildDeclarator(builder: Builder, node: TSESTree.VariableDeclarator, at: Frontier): Frontier {
  const { id, init } = node;
  if (init === null) return at;
  const assigned = builder.pass(
    { kind: 'assign', node, target: id, value: init, operator: '=', takes: 'value' },
    builder.evaluate(init, at),
  );
  return bindPattern(builder, id, assigned);
}

export function buildIf(builder: Builder, node: TSESTree.IfStatement, at: Frontier): Frontier {
  const { yes, no } = builder.branch(node.test, at);
  const consequent = builder.evaluate(node.consequent, yes);
  return builder.join(node, consequent, builder.evaluate(node.alternate, no));
}

export function buildThrow(builder: Builder, node: TSESTree.ThrowStatement, at: Frontier): Frontier {
  const step = builder.step({ kind: 'throw', node }, builder.evaluate(node.argument, at));
  builder.leave(after(step, 'throw'), THROW);
  return DEAD;
}

export function buildJump(
  builder: Builder,
  node: TSESTree.BreakStatement | TSESTree.ContinueStatement,
  at: Frontier,
): Frontier {
  const kind = node.type === 'BreakStatement' ? 'break' : 'continue';
  const target = jumpTarget(builder.frame, kind, node.label?.name ?? null);
  const jump = builder.pass({ kind: 'jump', node }, at);
  if (target !== null) builder.leave(jump, { kind, target });
  return DEAD;
}

/** A loop takes its own labels; any other statement can only be left by `break`. */
export function buildLabeled(builder: Builder, node: TSESTree.LabeledStatement, at: Frontier): Frontier {
  const labels = [...builder.labels, node.label.name];
  switch (node.body.type) {
    case 'LabeledStatement':
    case 'WhileStatement':
    case 'DoWhileStatement':
    case 'ForStatement':
    case 'ForInStatement':
    case 'ForOfStatement':
      builder.labels = labels;
      return builder.evaluate(node.body, at);
    default: {
      builder.labels = [];
      const frame = builder.open('label', { labels });
      const end = builder.evaluate(node.body, at);
      builder.close(frame);
      return builder.join(node, end, pathsOf(frame, 'break'));
    }
  }
}

/** Where the jumps of one kind that aim at a loop, `switch` or label come from. */
export function pathsOf(frame: Frame, kind: 'break' | 'continue'): Frontier {
  const paths: Dangling[][] = [];
  for (const pending of frame.pending.values()) if (pending.completion.kind === kind) paths.push(pending.paths);
  return paths.flat();
}

/**
 * The tests are asked in order, whatever their bodies do; where none fits, the default body runs, wherever it stands.
 * Each body runs on into the next.
 */
export function buildSwitch(builder: Builder, node: TSESTree.SwitchStatement, at: Frontier): Frontier {
  let untested = builder.evaluate(node.discriminant, at);
  const frame = builder.open('switch');
  const entries = new Map<TSESTree.SwitchCase, Frontier>();
  for (const clause of node.cases) {
    if (clause.test === null) continue;
    const condition = builder.step(
      { kind: 'condition', node: clause, test: clause.test, asks: 'equals', subject: node.discriminant },
      builder.evaluate(clause.test, untested),
    );
    entries.set(clause, after(condition, 'true'));
    untested = after(condition, 'false');
  }
  let fallthrough = DEAD;
  let hasDefault = false;
  for (const clause of node.cases) {
    hasDefault ||= clause.test === null;
    const entry = builder.join(clause, entries.get(clause) ?? untested, fallthrough);
    fallthrough = buildStatements(builder, clause.consequent, entry);
  }
  builder.close(frame);
  return builder.join(node, fallthrough, hasDefault ? DEAD : untested, pathsOf(frame, 'break'));
}

export function buildTry(builder: Builder, node: TSESTree.TryStatement, at: Frontier): Frontier {
  const { handler, finalizer } = node;
  const finallyFrame = finalizer === null ? null : builder.open('finally');
  const end = handler === null ? builder.evaluate(node.block, at) : buildCatch(builder, node, handler, at);
  if (finallyFrame === null || finalizer === null) return end;
  builder.close(finallyFrame);
  return builder.finalize(finallyFrame, finalizer, end, (start) => builder.evaluate(finalizer, start));
}

/**
 * A handler that no step of its block can reach is reached from the block's start: who wrote it expects a throw that the
 * model does not know of, a property read of null perhaps.
 */
function buildCatch(
  builder: Builder,
  node: TSESTree.TryStatement,
  handler: TSESTree.CatchClause,
  at: Frontier,
): Frontier {
  const frame = builder.open('catch');
  const begin = builder.step({ kind: 'mark', node, role: 'try' }, at);
  const end = builder.evaluate(node.block, after(begin));
  builder.close(frame);
  const thrown = frame.pending.get('throw')?.paths ?? after(begin, 'throw');
  const caught = builder.pass({ kind: 'catch', node: handler }, thrown);
  const bound = handler.param === null ? caught : bindPattern(builder, handler.param, caught);
  return builder.join(node, end, builder.evaluate(handler.body, bound));
}
