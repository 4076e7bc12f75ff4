import type { TSESTree } from '@typescript-eslint/utils';
import { isFunction } from '../source/ast.js';
import { withEntry, type State } from './state.js';

/** Results of calls are for the expression they stand in; what comes after it reads variables. */
export function createResultDisposal(): (state: State, node: TSESTree.Node) => State {
  const roots = new WeakMap<TSESTree.Node, TSESTree.Node>();
  return (state, node) => {
    let { results } = state;
    for (const call of results.keys()) {
      const root = rootOf(call);
      if (node.range[1] <= root.range[0] || node.range[0] >= root.range[1]) results = withEntry(results, call, null);
    }
    return results === state.results ? state : { ...state, results };
  };

  /** The whole expression a call stands in, with the declaration it initialises. */
  function rootOf(call: TSESTree.Node): TSESTree.Node {
    const known = roots.get(call);
    if (known) return known;
    let node = call;
    while (node.parent && !endsExpression(node.parent)) node = node.parent;
    roots.set(call, node);
    return node;
  }
}

const endsExpression = (node: TSESTree.Node): boolean =>
  node.type.endsWith('Statement') || node.type === 'VariableDeclaration' || node.type === 'Program' || isFunction(node);
