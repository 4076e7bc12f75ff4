import type { TSESTree } from '@typescript-eslint/utils';
import type { Give, Position } from '../drivers/driver.js';
import { definePass } from '../pass.js';
import { isFunction, unwrap, type FunctionNode } from '../source/ast.js';
import { nodes } from '../source/walk.js';
import { createConfiguration } from './configuration.js';
import { evaluation } from './evaluation.js';
import type { CallMeaning, Evaluator } from './evaluator.js';
import { kindOf, roleOfKind } from './kinds.js';
import type { Handle } from './values.js';

/** A call of a driver that opens a transaction; transactions opened by SQL text are session operations of a query. */
export interface OpenedTransaction {
  readonly node: TSESTree.CallExpression;
  /** The function that runs inside it, when it has one and the file shows it. */
  readonly callback: FunctionNode | null;
  /** What it is opened on: the pool, a connection, or a transaction that it nests in. Null where the library alone knows. */
  readonly on: Handle | null;
  /** The expression that sets the isolation level; null when none is set here. */
  readonly isolation: TSESTree.Node | null;
  /** The client-side limit: the expression that sets it, or the library's default in milliseconds. Null for no limit. */
  readonly timeout: { readonly node: TSESTree.Node } | { readonly milliseconds: number } | null;
}

/** The transactions that calls of drivers open, in source order. */
export const transactions = definePass('transactions', [nodes, evaluation], ([nodesOfFile, { evaluator }]): readonly OpenedTransaction[] => {
  const configuration = createConfiguration(evaluator);
  return nodesOfFile.calls.flatMap((node): OpenedTransaction[] => {
    const meaning = evaluator.meaningOf(node);
    if (!meaning || !opens(meaning)) return [];
    const on = meaning.receiver?.handle ?? null;
    return [{ node, callback: callbackOf(node, meaning), on, isolation: isolationOf(node), timeout: timeoutOf(node, meaning, on) }];
  });

  function callbackOf(node: TSESTree.CallExpression, { call }: CallMeaning): FunctionNode | null {
    const place = call.callback && evaluator.placed(node, { argument: call.callback.argument });
    if (place?.kind !== 'found') return null;
    const inline = unwrap(place.node);
    if (isFunction(inline)) return inline;
    const value = evaluator.valueOf(place.node);
    return value.type === 'function' ? value.node : null;
  }

  /** Set by the call itself, or by one before it in the chain: `db.transaction().setIsolationLevel('serializable').execute(…)`. */
  function isolationOf(node: TSESTree.CallExpression): TSESTree.Node | null {
    for (let call: TSESTree.Node = node; call.type === 'CallExpression'; ) {
      const found = firstFound(evaluator, call, evaluator.meaningOf(call)?.call.isolation);
      if (found) return found;
      const callee = unwrap(call.callee);
      if (callee.type !== 'MemberExpression') return null;
      call = unwrap(callee.object);
    }
    return null;
  }

  function timeoutOf(node: TSESTree.CallExpression, { call }: CallMeaning, on: Handle | null): OpenedTransaction['timeout'] {
    if (!call.transactionTimeout) return null;
    const set = firstFound(evaluator, node, call.transactionTimeout.at) ?? (on && configuration.transactionTimeoutOf(on));
    return set ? { node: set } : { milliseconds: call.transactionTimeout.default };
  }
});

function opens({ call, driver }: CallMeaning): boolean {
  if (call.batch || call.effect?.does === 'begins') return true;
  const made: readonly (Give | undefined)[] = [call.gives, call.resolves, ...Object.values(call.callback?.parameters ?? {}), call.callback?.lastParameter];
  return made.some((give) => give !== undefined && (typeof give === 'string' || !give.same) && roleOfKind(driver, kindOf(give)) === 'transaction');
}

/** The first place that holds an expression which can be an option: the callback itself is none. */
function firstFound(evaluator: Evaluator, node: TSESTree.CallExpression, positions: readonly Position[] | undefined): TSESTree.Node | null {
  for (const position of positions ?? []) {
    const place = evaluator.placed(node, position);
    if (place.kind !== 'found' || isFunction(unwrap(place.node))) continue;
    if (evaluator.valueOf(place.node).type !== 'nothing') return place.node;
  }
  return null;
}
