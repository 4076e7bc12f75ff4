import type { TSESTree } from '@typescript-eslint/utils';
import { unwrap } from './ast.js';
import { Choices } from './choices.js';
import type { TextOptions } from './fragments.js';
import { isNeverText, sourceOf } from './objects.js';
import type { Scopes } from './scope.js';
import type { SqlText } from './sql-text.js';
import { TextReader } from './text-reader.js';

export { substitute, type SqlText, type TextHole, type TextSegment } from './sql-text.js';
export type { FragmentSource, TextOptions } from './fragments.js';
export { propertyOf, type PropertyLookup } from './objects.js';

/** More texts than this are not told apart. */
const alternativesLimit = 8;

/**
 * The text an expression evaluates to, with a hole for every part the file does not show. An expression that may be
 * text but shows none is one single hole; null for what is surely no text (a number, an object, a function).
 */
export function textOf(expression: TSESTree.Node, scopes: Scopes, options: TextOptions = {}): SqlText | null {
  if (isNoText(expression, scopes, options)) return null;
  return new TextReader(scopes, options, Choices.none()).textOf(expression);
}

/**
 * Every text an expression can evaluate to where it depends on conditionals, variables written on several branches or
 * look-ups in constant tables, in the text as a whole or in parts of it. Parts chosen by the same variable agree. With
 * more than 8 texts, the one of `textOf`, which has holes in those places; empty when there is no text.
 */
export function alternativesOfText(
  expression: TSESTree.Node,
  scopes: Scopes,
  options: TextOptions = {},
): readonly SqlText[] {
  if (isNoText(expression, scopes, options)) return [];
  const texts: SqlText[] = [];
  for (let choices: Choices | null = Choices.first(); choices; choices = choices.next()) {
    if (texts.length === alternativesLimit) return [new TextReader(scopes, options, Choices.none()).textOf(expression)];
    texts.push(new TextReader(scopes, options, choices).textOf(expression));
  }
  return texts;
}

function isNoText(expression: TSESTree.Node, scopes: Scopes, options: TextOptions): boolean {
  let node = unwrap(expression);
  for (let step = 0; step < 20; step += 1) {
    if (options.fragmentOf?.(node)) return false;
    const source = sourceOf(node, scopes);
    if (!source) break;
    node = unwrap(source);
  }
  if (node.type === 'Literal') return typeof node.value !== 'string';
  if (node.type === 'Identifier' && node.name === 'undefined') return scopes.variableOf(node) === null;
  return isNeverText(node);
}
