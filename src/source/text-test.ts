import type { TSESTree } from '@typescript-eslint/utils';
import { memberName, unwrap } from './ast.js';
import type { TextOptions } from './fragments.js';
import { dottedName } from './mutations.js';
import { sourceOf } from './objects.js';
import type { Scopes } from './scope.js';
import { staticValue } from './static-value.js';

const depthLimit = 100;

const dedentTags: ReadonlySet<string> = new Set(['dedent', 'outdent', 'stripIndent', 'stripIndents', 'oneLine']);

/** Template tags that only take out indentation, which means nothing to SQL. */
export function isDedentTag(tag: TSESTree.Node): boolean {
  const name = dottedName(tag);
  return name !== null && dedentTags.has(name.split('.')[0] ?? '');
}

/** Methods that give text whatever they are called on, as far as programs write them. */
const textMethods: ReadonlySet<string> = new Set([
  'join', 'trim', 'trimStart', 'trimEnd', 'toString', 'toUpperCase', 'toLowerCase', 'replace', 'replaceAll', 'padStart',
  'padEnd', 'repeat', 'toFixed', 'substring',
]);

/** Tells text from numbers, for `a + b`, which joins or adds. Remembers its answers. */
export class TextTest {
  readonly #known = new Map<TSESTree.Node, boolean>();
  readonly #scopes: Scopes;
  readonly #options: TextOptions;

  constructor(scopes: Scopes, options: TextOptions) {
    this.#scopes = scopes;
    this.#options = options;
  }

  /** Is the value surely a string, whatever it says? */
  isText(expression: TSESTree.Node): boolean {
    return this.#isText(expression, 0);
  }

  #isText(expression: TSESTree.Node, depth: number): boolean {
    const node = unwrap(expression);
    const known = this.#known.get(node);
    if (known !== undefined) return known;
    if (depth > depthLimit) return false;
    // Also the answer for a definition that leads back here.
    this.#known.set(node, false);
    const result = this.#isNode(node, depth + 1);
    this.#known.set(node, result);
    return result;
  }

  #isNode(node: TSESTree.Node, depth: number): boolean {
    switch (node.type) {
      case 'TemplateLiteral':
        return true;
      case 'TaggedTemplateExpression':
        return dottedName(node.tag) === 'String.raw' || isDedentTag(node.tag);
      case 'BinaryExpression':
        return node.operator === '+' && (this.#isText(node.right, depth) || this.#isText(node.left, depth));
      case 'ConditionalExpression':
        return this.#isText(node.consequent, depth) && this.#isText(node.alternate, depth);
      case 'CallExpression': {
        const callee = unwrap(node.callee);
        if (callee.type === 'MemberExpression') return textMethods.has(memberName(callee) ?? '');
        return callee.type === 'Identifier' && callee.name === 'String';
      }
      case 'Identifier':
      case 'MemberExpression':
      case 'Literal': {
        const value = staticValue(node, this.#scopes);
        if (value) return typeof value.value === 'string';
        const source = sourceOf(node, this.#scopes);
        if (source) return this.#isText(source, depth);
        return node.type === 'Identifier' && this.#isVariable(node, depth);
      }
      default:
        return false;
    }
  }

  #isVariable(node: TSESTree.Identifier, depth: number): boolean {
    const variable = this.#scopes.variableOf(node);
    if (!variable) return false;
    const definition = this.#scopes.definitionOf(variable);
    if (definition.kind === 'unknown') return definition.writes.some((write) => this.#isText(write, depth));
    if (definition.kind !== 'parameter') return false;
    const bound = this.#options.resolveParameter?.(variable);
    if (bound) return this.#isText(bound, depth);
    return variable.identifiers.some(
      (name) => 'typeAnnotation' in name && name.typeAnnotation?.typeAnnotation.type === 'TSStringKeyword',
    );
  }
}
