import type { TSESTree } from '@typescript-eslint/utils';
import { memberName, unwrap } from './ast.js';
import { isWhitespacePattern } from './evaluate.js';

/** `[a, test && b].filter(Boolean)`: which elements stay depends on them; those that may go are read as holes. */
export function withoutFilter(receiver: TSESTree.Node): TSESTree.Node {
  const node = unwrap(receiver);
  if (node.type !== 'CallExpression') return node;
  const callee = unwrap(node.callee);
  const [first] = node.arguments;
  const isFilter = callee.type === 'MemberExpression' && memberName(callee) === 'filter';
  return isFilter && first?.type === 'Identifier' && first.name === 'Boolean' ? unwrap(callee.object) : node;
}

/** Where `replace` or `replaceAll` would replace; null for patterns that may take long to run. */
export function matchesOf(text: string, search: string | RegExp, method: 'replace' | 'replaceAll'): { index: number; length: number }[] | null {
  if (typeof search === 'string') {
    if (search === '') return null;
    const matches: { index: number; length: number }[] = [];
    for (let index = text.indexOf(search); index >= 0; index = text.indexOf(search, index + search.length)) {
      matches.push({ index, length: search.length });
      if (method === 'replace') break;
    }
    return matches;
  }
  if (!isWhitespacePattern(search, text)) return null;
  const all = [...text.matchAll(new RegExp(search.source, search.flags.includes('g') ? search.flags : `${search.flags}g`))];
  const matches = all.map((match) => ({ index: match.index, length: match[0].length }));
  return search.global ? matches : matches.slice(0, 1);
}
