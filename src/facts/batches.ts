import type { TSESTree } from '@typescript-eslint/utils';
import { enclosingFunction, memberName, unwrap, unwrappedParent, type FunctionNode } from '../source/ast.js';
import type { Scopes } from '../source/scope.js';
import type { Evaluation } from './evaluation.js';

/**
 * Finds the batch a lazy statement is an element of: `prisma.$transaction([lock, update])`. The statement may get there
 * through a variable, `push`, or a local helper that returns it.
 */
export function createBatches({ evaluator, callers }: Evaluation, scopes: Scopes) {
  const known = new Map<TSESTree.Node, TSESTree.Node | null>();
  return {
    batchOf(node: TSESTree.Node): TSESTree.Node | null {
      const answer = known.get(node);
      if (answer !== undefined) return answer;
      const batch = batchOf(node, new Set());
      known.set(node, batch);
      return batch;
    },
  };

  /** The call that runs the batch as one transaction. */
  function batchOf(node: TSESTree.Node, seen: Set<TSESTree.Node>): TSESTree.Node | null {
    if (seen.has(node)) return null;
    seen.add(node);
    const { parent, child } = unwrappedParent(node);
    switch (parent?.type) {
      case 'ArrayExpression':
        return batchOf(parent, seen);
      case 'CallExpression':
        return parent.callee === child ? null : (batchRunBy(parent, child) ?? pushedInto(parent, seen));
      case 'ArrowFunctionExpression':
        return parent.body === child ? batchOfResult(parent, seen) : null;
      case 'ReturnStatement': {
        const fn = enclosingFunction(parent);
        return fn && batchOfResult(fn, seen);
      }
      case 'VariableDeclarator':
        return parent.init === child && parent.id.type === 'Identifier' ? batchOfVariable(parent.id, seen) : null;
      default:
        return null;
    }
  }

  /** `batch` takes arrays only; a statement as the argument itself is none. */
  function batchRunBy(call: TSESTree.CallExpression, argument: TSESTree.Node): TSESTree.Node | null {
    const batch = evaluator.meaningOf(call)?.call.batch;
    const place = batch && evaluator.placed(call, batch);
    return place?.kind === 'found' && unwrap(place.node) === unwrap(argument) ? call : null;
  }

  /** `operations.push(statement)`. */
  function pushedInto(call: TSESTree.CallExpression, seen: Set<TSESTree.Node>): TSESTree.Node | null {
    const callee = unwrap(call.callee);
    if (callee.type !== 'MemberExpression' || memberName(callee) !== 'push' || callee.object.type !== 'Identifier') return null;
    return batchOfVariable(callee.object, seen);
  }

  function batchOfVariable(identifier: TSESTree.Identifier, seen: Set<TSESTree.Node>): TSESTree.Node | null {
    const variable = scopes.variableOf(identifier);
    for (const read of variable ? scopes.readsOf(variable) : []) {
      const batch = batchOf(read.identifier, seen);
      if (batch) return batch;
    }
    return null;
  }

  /** A callback that gives the batch, or a helper whose every call is part of one. */
  function batchOfResult(fn: FunctionNode, seen: Set<TSESTree.Node>): TSESTree.Node | null {
    if (fn.async) return null;
    const use = callers.callbackUseOf(fn);
    if (use && evaluator.meaningOf(use.call)?.call.callback?.returnsBatch === true) return use.call;
    const batches = callers.callSitesOf(fn, evaluator).map((site) => batchOf(site, seen));
    return batches.includes(null) ? null : (batches[0] ?? null);
  }
}
