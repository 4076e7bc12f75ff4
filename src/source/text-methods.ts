import type { TSESTree } from '@typescript-eslint/utils';
import { memberName, unwrap } from './ast.js';
import { isWhitespacePattern } from './evaluate.js';

/** More replacements than this in one text are not followed. */
const matchLimit = 1_000;

/** `[a, test && b].filter(Boolean)`: which elements stay depends on them; those that may go are read as holes. */
export function withoutFilter(receiver: TSESTree.Node): TSESTree.Node {
  const node = unwrap(receiver);
  if (node.type !== 'CallExpression') return node;
  const callee = unwrap(node.callee);
  const [first] = node.arguments;
  const isFilter = callee.type === 'MemberExpression' && memberName(callee) === 'filter';
  return isFilter && first?.type === 'Identifier' && first.name === 'Boolean' ? unwrap(callee.object) : node;
}

/** Where `replace` or `replaceAll` would replace; null for too many places, or a pattern that may take long to run. */
export function matchesOf(
  text: string,
  search: string | RegExp,
  method: 'replace' | 'replaceAll',
): readonly { index: number; length: number }[] | null {
  if (typeof search === 'string') {
    if (search === '') return null;
    const matches: { index: number; length: number }[] = [];
    for (let index = text.indexOf(search); index >= 0; index = text.indexOf(search, index + search.length)) {
      matches.push({ index, length: search.length });
      if (matches.length > matchLimit) return null;
      if (method === 'replace') break;
    }
    return matches;
  }
  if (!isWhitespacePattern(search, text)) return null;
  const everywhere = new RegExp(search.source, search.global ? search.flags : `${search.flags}g`);
  const matches = [...text.matchAll(everywhere)].map((match) => ({ index: match.index, length: match[0].length }));
  if (!search.global) return matches.slice(0, 1);
  return matches.length > matchLimit ? null : matches;
}
