import type { TSESTree } from '@typescript-eslint/utils';
import type { Variable } from './scope.js';

/**
 * What a node is to a driver when it makes a piece of SQL for something else to send, and where its contents stand. The
 * source layer knows no drivers: whoever reads text tells it, through `TextOptions.fragmentOf`.
 */
export type FragmentSource =
  /** SQL text. With `binds`, values in the template are bound, not pasted: `` sql`…` `` does, `sql.raw(…)` does not. */
  | { as: 'sql'; text: TSESTree.Node; binds: boolean }
  /** One bound value: `sql.param(x)`; null when the node does not show which. */
  | { as: 'value'; value: TSESTree.Node | null }
  /** One quoted name: `sql.identifier('users')`. */
  | { as: 'identifier'; value: TSESTree.Node | null }
  /** Pieces with a separator between: `sql.join(items, separator)`; a comma when none is given. */
  | { as: 'list'; items: TSESTree.Node; separator: TSESTree.Node | null }
  /** A call of the SQL function named by an expression, with values as its arguments: `fn('lower', name)`. */
  | { as: 'call'; name: TSESTree.Node; values: readonly TSESTree.Node[] }
  /** A list of texts with one bound value between each two: `new Sql(['SELECT f(', ')'], [key])`. */
  | { as: 'pieces'; pieces: TSESTree.Node; values: TSESTree.Node | null }
  /** No text at all: `Prisma.empty`. */
  | { as: 'nothing' }
  /** SQL of unknown contents. */
  | { as: 'unknown' };

export interface TextOptions {
  /** Says which nodes are a driver's SQL fragments; without it no tag or call is one. */
  fragmentOf?: (node: TSESTree.Node) => FragmentSource | null;
  /** The expression a function's parameter stands for, where the caller knows it; null leaves a hole. */
  resolveParameter?: (variable: Variable) => TSESTree.Node | null;
}
