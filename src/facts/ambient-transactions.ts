import type { TSESTree } from '@typescript-eslint/utils';
import { isFunction, memberName, unwrap, unwrappedParent, type FunctionNode } from '../source/ast.js';
import type { Scopes } from '../source/scope.js';
import type { Evaluator } from './evaluator.js';
import { wordsOf } from './name-words.js';

const transactionWords: ReadonlySet<string> = new Set(['transaction', 'transactional', 'transactionally', 'tx', 'txn', 'trx', 'atomic', 'atomically']);

/**
 * The function whose transaction a statement may join unseen: `withTransaction(async () => { … })` hands its callback no
 * handle, so that handles of other files find the transaction by themselves (AsyncLocalStorage), or else it would be of no
 * use. Null where no such callback is around the node.
 */
export function ambientTransactionAround(node: TSESTree.Node, evaluator: Evaluator, scopes: Scopes): FunctionNode | null {
  for (let inner: TSESTree.Node | undefined = node; inner; inner = inner.parent) {
    if (isFunction(inner) && inner.params.length === 0 && opensTransaction(inner, evaluator, scopes)) return inner;
  }
  return null;
}

function opensTransaction(callback: FunctionNode, evaluator: Evaluator, scopes: Scopes): boolean {
  const { parent: call, child } = unwrappedParent(callback);
  if (call?.type !== 'CallExpression' || call.callee === child) return false;
  const callee = unwrap(call.callee);
  const name = callee.type === 'MemberExpression' ? memberName(callee) : callee.type === 'Identifier' ? callee.name : null;
  if (name === null || !wordsOf(name).some((word) => transactionWords.has(word))) return false;
  const helper = evaluator.calleeOf(call);
  // A function of this file shows whether it keeps the transaction where others find it.
  return helper === null || /\b(?:run|enterWith)\s*\(/.test(scopes.textOf(helper).slice(...helper.range));
}
