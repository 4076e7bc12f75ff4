import type { TSESTree } from '@typescript-eslint/utils';
import { enclosingFunction, memberName, unwrap } from './ast.js';
import { callBuiltin, binary, isTooLarge, unary, wellKnown, type Constant } from './evaluate.js';
import { dottedName } from './mutations.js';
import { elementsOf, enumOf, memberOf, sourceOf } from './objects.js';
import type { Scopes, Variable } from './scope.js';

export interface StaticValue {
  readonly value: Constant;
}

/** Expressions nested deeper than this are unknown, which also bounds the stack. */
const depthLimit = 200;

// By the view of names, too: through one that sees other files, an expression may be known that is unknown otherwise.
const memos = new WeakMap<Scopes, WeakMap<TSESTree.Node, StaticValue | null>>();

/**
 * The value an expression surely has whenever it is evaluated, as far as this file proves it; null when it does not.
 *
 * `getStaticValue` of `@eslint-community/eslint-utils` answers the same question, but knows neither enums nor class
 * members, takes time exponential in the number of constants that name each other, and would run
 * `'x'.padEnd(2 ** 29)`.
 */
export function staticValue(expression: TSESTree.Node, scopes: Scopes): StaticValue | null {
  let memo = memos.get(scopes);
  if (!memo) {
    memo = new WeakMap();
    memos.set(scopes, memo);
  }
  return evaluate(expression, { scopes, memo, active: new Set(), depth: 0 });
}

interface Evaluation {
  readonly scopes: Scopes;
  readonly memo: WeakMap<TSESTree.Node, StaticValue | null>;
  /** Expressions being evaluated: meeting one again means a cyclic definition. */
  active: Set<TSESTree.Node>;
  depth: number;
}

function evaluate(expression: TSESTree.Node, evaluation: Evaluation): StaticValue | null {
  const node = unwrap(expression);
  const { memo } = evaluation;
  const known = memo.get(node);
  if (known !== undefined) return known;
  if (evaluation.active.has(node) || evaluation.depth > depthLimit) return null;
  evaluation.active.add(node);
  evaluation.depth += 1;
  const result = evaluateNode(node, evaluation);
  evaluation.depth -= 1;
  evaluation.active.delete(node);
  // A null found deep inside may be due to the limit or a cycle, and is still right: both make the value unknown.
  memo.set(node, result);
  return result;
}

function evaluateNode(node: TSESTree.Node, evaluation: Evaluation): StaticValue | null {
  switch (node.type) {
    case 'Literal':
      return literalValue(node);
    case 'TemplateLiteral':
      return joined(node, (quasi) => quasi.value.cooked, evaluation);
    case 'TaggedTemplateExpression': {
      const isRaw = dottedName(node.tag) === 'String.raw' && isGlobalCall(node.tag, evaluation.scopes);
      return isRaw ? joined(node.quasi, (quasi) => quasi.value.raw, evaluation) : null;
    }
    case 'Identifier':
      return identifierValue(node, evaluation);
    case 'MemberExpression':
      return memberValue(node, evaluation);
    case 'TSEnumMember':
      return enumMemberValue(node, evaluation);
    case 'UnaryExpression': {
      const argument = evaluate(node.argument, evaluation);
      return argument && unary(node.operator, argument.value);
    }
    case 'BinaryExpression':
      return binaryValue(node, evaluation);
    case 'LogicalExpression': {
      const left = evaluate(node.left, evaluation);
      if (!left) return null;
      return isDecidedBy(node.operator, left.value) ? left : evaluate(node.right, evaluation);
    }
    case 'ConditionalExpression': {
      const test = evaluate(node.test, evaluation);
      return test && evaluate(test.value ? node.consequent : node.alternate, evaluation);
    }
    case 'SequenceExpression': {
      const last = node.expressions.at(-1);
      return last ? evaluate(last, evaluation) : null;
    }
    case 'AssignmentExpression':
      return node.operator === '=' ? evaluate(node.right, evaluation) : null;
    case 'CallExpression':
      return callValue(node, evaluation);
    default:
      return null;
  }
}

function literalValue(node: TSESTree.Literal): StaticValue | null {
  if ('regex' in node) return node.value instanceof RegExp ? { value: node.value } : null;
  if ('bigint' in node) return { value: BigInt(node.bigint) };
  return { value: node.value };
}

function joined(
  template: TSESTree.TemplateLiteral,
  textOf: (quasi: TSESTree.TemplateElement) => string | null | undefined,
  evaluation: Evaluation,
): StaticValue | null {
  let text = '';
  for (const [index, quasi] of template.quasis.entries()) {
    const part = textOf(quasi);
    if (part === null || part === undefined) return null;
    text += part;
    const expression = template.expressions[index];
    if (!expression) continue;
    const value = evaluate(expression, evaluation);
    if (!value) return null;
    text += String(value.value);
    if (isTooLarge(text)) return null;
  }
  return { value: text };
}

function identifierValue(node: TSESTree.Identifier, evaluation: Evaluation): StaticValue | null {
  const { scopes } = evaluation;
  const variable = scopes.variableOf(node);
  if (!variable) return wellKnown(node.name);
  const declaredAs = variable.defs[0]?.node;
  if (declaredAs?.type === 'TSEnumMember') return evaluate(declaredAs, evaluation);
  const definition = scopes.definitionOf(variable);
  if (definition.kind !== 'value') return null;
  if (!definition.declaration && !isAssignedBefore(definition.init, variable, node)) return null;
  const source = sourceOf(node, scopes);
  return source && evaluate(source, evaluation);
}

/** `let x; x = init; … x`: on every path to the read the one assignment has happened. */
function isAssignedBefore(init: TSESTree.Expression, variable: Variable, read: TSESTree.Node): boolean {
  const statement = init.parent.parent;
  const declaration = variable.defs[0]?.node.parent;
  return (
    statement?.type === 'ExpressionStatement' &&
    declaration?.type === 'VariableDeclaration' &&
    statement.parent === declaration.parent &&
    statement.range[1] <= read.range[0] &&
    enclosingFunction(statement) === enclosingFunction(read)
  );
}

function memberValue(node: TSESTree.MemberExpression, evaluation: Evaluation): StaticValue | null {
  const { scopes } = evaluation;
  const key = memberKey(node, evaluation);
  if (key === null) return null;
  const enumeration = enumOf(node.object, scopes);
  if (enumeration) {
    const member = membersOf(enumeration).find((candidate) => enumKey(candidate) === key);
    return member ? evaluate(member, evaluation) : null;
  }
  const source = memberOf(node.object, key, scopes);
  if (source.kind === 'found') return evaluate(source.node, evaluation);
  if (key === 'length') return lengthOf(node.object, evaluation);
  const name = dottedName(node);
  return name !== null && isGlobalCall(node, scopes) ? wellKnown(name) : null;
}

function lengthOf(object: TSESTree.Node, evaluation: Evaluation): StaticValue | null {
  const text = evaluate(object, evaluation);
  if (text) return typeof text.value === 'string' ? { value: text.value.length } : null;
  const elements = elementsOf(object, evaluation.scopes);
  return elements && { value: elements.length };
}

function memberKey(node: TSESTree.MemberExpression, evaluation: Evaluation): string | null {
  const name = memberName(node);
  if (name !== null || !node.computed) return name;
  const key = evaluate(node.property, evaluation);
  return key && (typeof key.value === 'string' || typeof key.value === 'number') ? String(key.value) : null;
}

function membersOf(enumeration: TSESTree.TSEnumDeclaration): readonly TSESTree.TSEnumMember[] {
  return enumeration.body.members;
}

const enumKey = (member: TSESTree.TSEnumMember): string | null => {
  if (member.id.type === 'Identifier') return member.id.name;
  return member.id.type === 'Literal' ? member.id.value : null;
};

/** The initialiser, or one more than the member before; `declare enum` says nothing about members without one. */
function enumMemberValue(member: TSESTree.TSEnumMember, evaluation: Evaluation): StaticValue | null {
  if (member.initializer) return evaluate(member.initializer, evaluation);
  const enumeration = member.parent.parent;
  if (enumeration?.type !== 'TSEnumDeclaration' || enumeration.declare) return null;
  const members = enumeration.body.members;
  let offset = 0;
  for (let index = members.indexOf(member); index >= 0; index -= 1, offset += 1) {
    const initializer = members[index]?.initializer;
    if (!initializer) continue;
    const base = evaluate(initializer, evaluation);
    return base && typeof base.value === 'number' ? { value: base.value + offset } : null;
  }
  return { value: offset - 1 };
}

/** Chains of `a + b + c …` are folded in a loop: generated code has thousands of operands. */
function binaryValue(node: TSESTree.BinaryExpression, evaluation: Evaluation): StaticValue | null {
  const spine: TSESTree.BinaryExpression[] = [node];
  let left: TSESTree.Node = node.left;
  while (left.type === 'BinaryExpression') {
    spine.push(left);
    left = left.left;
  }
  let result = evaluate(left, evaluation);
  for (const operation of spine.toReversed()) {
    if (!result) return null;
    const right = evaluate(operation.right, evaluation);
    result = right && binary(operation.operator, result.value, right.value);
  }
  return result;
}

/** Does the left value alone decide a logical expression? */
export const isDecidedBy = (operator: TSESTree.LogicalExpression['operator'], left: Constant): boolean => {
  switch (operator) {
    case '??':
      return left !== null && left !== undefined;
    case '||':
      return Boolean(left);
    case '&&':
      return !left;
    default:
      operator satisfies never;
      return false;
  }
};

/** Does `Math.max`, `BigInt` … mean the global, not something the file declares under that name? */
function isGlobalCall(callee: TSESTree.Node, scopes: Scopes): boolean {
  let root = unwrap(callee);
  while (root.type === 'MemberExpression') root = unwrap(root.object);
  return root.type === 'Identifier' && scopes.variableOf(root) === null;
}

function callValue(call: TSESTree.CallExpression, evaluation: Evaluation): StaticValue | null {
  const { scopes } = evaluation;
  const callee = unwrap(call.callee);
  const name = dottedName(callee);
  if (name !== null && isGlobalCall(callee, scopes)) {
    if (name === 'Object.freeze') return call.arguments[0] ? evaluate(call.arguments[0], evaluation) : null;
    const values = argumentValues(call, evaluation);
    return values && callBuiltin(name, null, values);
  }
  if (callee.type !== 'MemberExpression') return null;
  const method = memberName(callee);
  if (method === null) return null;
  const receiver = evaluate(callee.object, evaluation);
  if (receiver) {
    const values = argumentValues(call, evaluation);
    return values && callBuiltin(method, receiver, values);
  }
  return method === 'join' ? joinedValue(callee.object, call, evaluation) : null;
}

function argumentValues(call: TSESTree.CallExpression, evaluation: Evaluation): readonly Constant[] | null {
  const values: Constant[] = [];
  for (const argument of call.arguments) {
    const value = argument.type === 'SpreadElement' ? null : evaluate(argument, evaluation);
    if (!value) return null;
    values.push(value.value);
  }
  return values;
}

function joinedValue(array: TSESTree.Node, call: TSESTree.CallExpression, evaluation: Evaluation): StaticValue | null {
  const elements = elementsOf(array, evaluation.scopes);
  const [separator = ','] = argumentValues(call, evaluation) ?? [null];
  if (!elements || typeof separator !== 'string') return null;
  let text = '';
  for (const [index, element] of elements.entries()) {
    const value = evaluate(element, evaluation);
    if (!value) return null;
    const part = value.value === null || value.value === undefined ? '' : String(value.value);
    text += index > 0 ? separator + part : part;
    if (isTooLarge(text)) return null;
  }
  return { value: text };
}
