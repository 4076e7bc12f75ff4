import type { TSESTree } from '@typescript-eslint/utils';
import type { Placed } from './core.js';
import type { Fragments } from './fragments.js';

/** Where a fragment's own values stand: `knex.raw('… ?', [key])`; null when the text is no fragment with values. */
export function ownFragmentValues(fragments: Fragments, node: TSESTree.Node): Placed | null {
  const made = fragments.fragmentBehind(node);
  if (!made?.fragment.values) return null;
  return fragments.firstOf(made.node, made.fragment.values);
}
