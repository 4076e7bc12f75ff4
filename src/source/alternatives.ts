import type { TSESTree } from '@typescript-eslint/utils';
import { memberName, unwrap } from './ast.js';
import { isTooLarge } from './evaluate.js';
import { elementsOf, sourceOf, valuesOf } from './objects.js';
import type { Scopes, Variable } from './scope.js';
import { isDecidedBy, staticValue, type StaticValue } from './static-value.js';

/** More alternatives than this are as good as unknown. */
const alternativesLimit = 8;
const depthLimit = 10;

/**
 * Every value an expression can have, when the file shows that there are only a few (at most 8): both branches of a
 * conditional, the writes of a variable, the members of a constant table. Null when there may be others.
 */
export function alternatives(expression: TSESTree.Node, scopes: Scopes): readonly StaticValue[] | null {
  const found = enumerate(expression, scopes, 0);
  if (!found) return null;
  const distinct = [...new Set(found.map(({ value }) => value))];
  return distinct.length <= alternativesLimit ? distinct.map((value) => ({ value })) : null;
}

function enumerate(expression: TSESTree.Node, scopes: Scopes, depth: number): readonly StaticValue[] | null {
  const known = staticValue(expression, scopes);
  if (known) return [known];
  if (depth > depthLimit) return null;
  const node = unwrap(expression);
  const union = (parts: readonly TSESTree.Node[]): readonly StaticValue[] | null => {
    if (parts.length === 0 || parts.length > alternativesLimit) return null;
    const values: StaticValue[] = [];
    for (const part of parts) {
      const found = enumerate(part, scopes, depth + 1);
      if (!found) return null;
      values.push(...found);
    }
    return values.length <= alternativesLimit * 2 ? values : null;
  };
  switch (node.type) {
    case 'ConditionalExpression':
      return union([node.consequent, node.alternate]);
    case 'LogicalExpression': {
      const left = enumerate(node.left, scopes, depth + 1);
      const right = left && enumerate(node.right, scopes, depth + 1);
      if (!right) return null;
      const decided = left.filter(({ value }) => isDecidedBy(node.operator, value));
      return decided.length === left.length ? decided : [...decided, ...right];
    }
    case 'TemplateLiteral':
      return product(
        node.quasis.flatMap((quasi, index) => {
          const inner = node.expressions[index];
          const text: readonly StaticValue[] = [{ value: quasi.value.cooked }];
          return inner ? [text, enumerate(inner, scopes, depth + 1)] : [text];
        }),
      );
    case 'BinaryExpression': {
      if (node.operator !== '+') return null;
      const parts = [enumerate(node.left, scopes, depth + 1), enumerate(node.right, scopes, depth + 1)];
      return parts.some((part) => part?.every(({ value }) => typeof value === 'string')) ? product(parts) : null;
    }
    case 'MemberExpression': {
      const source = sourceOf(node, scopes);
      if (source) return enumerate(source, scopes, depth + 1);
      const values = node.computed && memberName(node) === null ? valuesOf(node.object, scopes) : null;
      return values && union(values);
    }
    case 'Identifier': {
      const source = sourceOf(node, scopes);
      if (source) return enumerate(source, scopes, depth + 1);
      const variable = scopes.variableOf(node);
      const parts = variable && (writtenValues(variable, scopes) ?? annotatedValues(variable, scopes));
      return parts && union(parts);
    }
    default:
      return null;
  }
}

/** All texts that one part of each list makes; null when a part is unknown or there are too many. */
function product(parts: readonly (readonly StaticValue[] | null)[]): readonly StaticValue[] | null {
  let texts: readonly string[] = [''];
  for (const part of parts) {
    if (!part) return null;
    texts = texts.flatMap((text) => part.map(({ value }) => text + String(value)));
    if (texts.length > alternativesLimit || texts.some(isTooLarge)) return null;
  }
  return texts.map((value) => ({ value }));
}

/** The expressions a variable gets its values from: its plain assignments, or the elements it loops over. */
export function writtenValues(variable: Variable, scopes: Scopes): readonly TSESTree.Node[] | null {
  const definition = scopes.definitionOf(variable);
  if (definition.kind === 'element') return definition.path.length === 0 ? elementsOf(definition.of, scopes) : null;
  if (definition.kind !== 'unknown' || variable.defs.length !== 1) return null;
  if (variable.defs[0]?.node.type !== 'VariableDeclarator') return null;
  const values: TSESTree.Node[] = [];
  for (const { identifier } of scopes.writesOf(variable)) {
    const { parent } = identifier;
    if (parent?.type === 'VariableDeclarator' && parent.id === identifier && parent.init) {
      values.push(parent.init);
    } else if (parent?.type === 'AssignmentExpression' && parent.operator === '=' && parent.left === identifier) {
      values.push(parent.right);
    } else {
      return null;
    }
  }
  return values;
}

/** The literals of a parameter's annotation: `fn: 'pg_advisory_lock' | 'pg_advisory_xact_lock'`. */
function annotatedValues(variable: Variable, scopes: Scopes): readonly TSESTree.Node[] | null {
  const definition = scopes.definitionOf(variable);
  if (definition.kind !== 'parameter' || definition.path.length > 0 || definition.rest) return null;
  const { node } = definition;
  const pattern = node.type === 'TSParameterProperty' ? node.parameter : node;
  const target = pattern.type === 'AssignmentPattern' ? pattern.left : pattern;
  const annotation = target.type === 'Identifier' ? target.typeAnnotation?.typeAnnotation : undefined;
  if (!annotation) return null;
  const members = annotation.type === 'TSUnionType' ? annotation.types : [annotation];
  const literals = members.flatMap((member) => (member.type === 'TSLiteralType' ? [member.literal] : []));
  return literals.length === members.length ? literals : null;
}
