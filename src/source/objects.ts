import type { TSESTree } from '@typescript-eslint/utils';
import { enclosingClass, isFunction, keyName, memberName, unwrap, type ClassNode } from './ast.js';
import { dottedName, mutationsOf } from './mutations.js';
import type { PatternStep, Scopes, Variable } from './scope.js';

/** Where a property's value stands, `absent` when the object surely has no such property. */
export type PropertyLookup =
  | { kind: 'found'; node: TSESTree.Node }
  | { kind: 'absent' }
  | { kind: 'unknown' };

/**
 * How sure a lookup has to be. `constant`: no other code can have changed the property. `local`: this file's own
 * writes through the variable count, but handing the object to somebody else does not (options objects are handed over).
 */
export type LookupMode = 'constant' | 'local';

const unknown: PropertyLookup = { kind: 'unknown' };
const absent: PropertyLookup = { kind: 'absent' };

/** Variables and nested objects followed in one question; cyclic definitions end here. */
const depthLimit = 50;
/** Objects looked at for one question, and elements of one array; more is unknown. */
const lookupLimit = 1_000;
const elementLimit = 10_000;

/**
 * Finds the expression a property gets its value from, through variables, spreads, `Object.freeze` and
 * `Object.assign`. `path` may be dotted: `connection.max`. A value that is no object at all has no properties
 * (`absent`); anything the file does not show makes the answer `unknown`.
 */
export function propertyOf(
  expression: TSESTree.Node,
  path: string,
  scopes: Scopes,
  mode: LookupMode = 'local',
): PropertyLookup {
  let node = expression;
  for (const name of path.split('.')) {
    const step = lookup(node, name, questionIn(scopes, mode), 0);
    if (step.kind !== 'found') return step;
    node = step.node;
  }
  return { kind: 'found', node };
}

/**
 * One step back from an expression to the expression its value comes from: a variable's initialiser, or the value of
 * a constant object's, array's or class's member. Null when the file does not show it, or nothing is to be followed.
 */
export function sourceOf(expression: TSESTree.Node, scopes: Scopes): TSESTree.Node | null {
  return followed(unwrap(expression), questionIn(scopes, 'constant'), 0);
}

/** The member of a constant object, array or class by a name that need not stand in the source: `KEYS[name]`. */
export function memberOf(object: TSESTree.Node, name: string, scopes: Scopes): PropertyLookup {
  return lookup(object, name, questionIn(scopes, 'constant'), 0);
}

/** The elements of an array that is never changed; null when it may be, or holds holes or spreads of unknown arrays. */
export function elementsOf(expression: TSESTree.Node, scopes: Scopes): readonly TSESTree.Expression[] | null {
  const array = literalOf(expression, questionIn(scopes, 'constant'), null, 0);
  return array?.type === 'ArrayExpression' ? flatElements(array, scopes, 0) : null;
}

/** The values of all properties of an object that is never changed, for a look-up by an unknown key. */
export function valuesOf(expression: TSESTree.Node, scopes: Scopes): readonly TSESTree.Node[] | null {
  const literal = literalOf(expression, questionIn(scopes, 'constant'), null, 0);
  if (literal?.type === 'ArrayExpression') return flatElements(literal, scopes, 0);
  if (literal?.type !== 'ObjectExpression') return null;
  const values: TSESTree.Node[] = [];
  for (const property of literal.properties) {
    if (property.type === 'SpreadElement' || property.kind !== 'init') return null;
    values.push(property.value);
  }
  return values;
}

/** The enum an expression names, if any. */
export function enumOf(expression: TSESTree.Node, scopes: Scopes): TSESTree.TSEnumDeclaration | null {
  const node = unwrap(expression);
  if (node.type !== 'Identifier') return null;
  const variable = scopes.variableOf(node);
  const definition = variable && scopes.definitionOf(variable);
  return definition?.kind === 'enum' ? definition.node : null;
}

interface Question {
  scopes: Scopes;
  mode: LookupMode;
  /** Members of an instance are asked for, not of the class itself. */
  instance: boolean;
  /** Objects that may still be looked at: spreads of spreads would take exponential time. */
  readonly budget: { left: number };
}

const questionIn = (scopes: Scopes, mode: LookupMode): Question => ({
  scopes,
  mode,
  instance: false,
  budget: { left: lookupLimit },
});

function flatElements(
  array: TSESTree.ArrayExpression,
  scopes: Scopes,
  depth: number,
): readonly TSESTree.Expression[] | null {
  const elements: TSESTree.Expression[] = [];
  for (const element of array.elements) {
    if (!element || depth > depthLimit || elements.length > elementLimit) return null;
    if (element.type !== 'SpreadElement') {
      elements.push(element);
      continue;
    }
    const inner = literalOf(element.argument, questionIn(scopes, 'constant'), null, depth + 1);
    const spread = inner?.type === 'ArrayExpression' ? flatElements(inner, scopes, depth + 1) : null;
    if (!spread) return null;
    if (elements.length + spread.length > elementLimit) return null;
    elements.push(...spread);
  }
  return elements;
}

function followed(node: TSESTree.Node, question: Question, depth: number): TSESTree.Node | null {
  if (depth > depthLimit) return null;
  const { scopes } = question;
  if (node.type === 'Identifier') {
    const variable = scopes.variableOf(node);
    const definition = variable && scopes.definitionOf(variable);
    if (definition?.kind !== 'value') return null;
    return destructured(definition.init, definition.path, definition.defaultValue, question, depth);
  }
  if (node.type === 'MemberExpression') {
    const name = memberName(node);
    if (name === null) return null;
    const found = lookup(node.object, name, question, depth + 1);
    return found.kind === 'found' ? found.node : null;
  }
  return isFreeze(node, scopes) ? (node.arguments[0] ?? null) : null;
}

function destructured(
  init: TSESTree.Expression,
  path: readonly PatternStep[],
  defaultValue: TSESTree.Expression | null,
  question: Question,
  depth: number,
): TSESTree.Node | null {
  let node: TSESTree.Node = init;
  for (const [position, step] of path.entries()) {
    if (step.kind === 'rest' || step.kind === 'unknown') return null;
    const found = lookup(node, step.kind === 'index' ? String(step.index) : step.name, question, depth + 1);
    if (found.kind === 'absent' && position === path.length - 1) return defaultValue;
    if (found.kind !== 'found') return null;
    node = found.node;
  }
  // A default also replaces `undefined`, and whether the found value is that is not known here.
  return defaultValue && !isDefinite(node) ? null : node;
}

const isDefinite = (node: TSESTree.Node): boolean => {
  const { type } = unwrap(node);
  return type === 'Literal' || type === 'TemplateLiteral' || type === 'ObjectExpression' || type === 'ArrayExpression';
};

function lookup(object: TSESTree.Node, name: string, question: Question, depth: number): PropertyLookup {
  question.budget.left -= 1;
  if (depth > depthLimit || question.budget.left < 0) return unknown;
  const target = literalOf(object, question, name, depth);
  switch (target?.type) {
    case 'ObjectExpression':
      return objectProperty(target, name, question, depth);
    case 'ArrayExpression':
      return arrayElement(target, name);
    case 'ClassDeclaration':
    case 'ClassExpression':
      return classMember(target, name, question, depth);
    case 'ThisExpression': {
      const owner = enclosingClass(target);
      return owner ? classMember(owner.class, name, { ...question, instance: !owner.static }, depth) : unknown;
    }
    case 'CallExpression':
      return assigned(target, name, question, depth);
    case 'Literal':
    case 'TemplateLiteral':
    case 'FunctionExpression':
    case 'ArrowFunctionExpression':
      return absent;
    case 'Identifier':
      return target.name === 'undefined' && question.scopes.variableOf(target) === null ? absent : unknown;
    default:
      return unknown;
  }
}

/**
 * The literal, class or `this` an expression stands for, provided nothing changes property `name` (any property, when
 * null) on the way. Null when it is not known.
 */
function literalOf(
  expression: TSESTree.Node,
  question: Question,
  name: string | null,
  depth: number,
): TSESTree.Node | null {
  let node = unwrap(expression);
  for (let step = depth; step <= depthLimit; step += 1) {
    if (node.type === 'Identifier') {
      const variable = question.scopes.variableOf(node);
      if (!variable) return node;
      const definition = question.scopes.definitionOf(variable);
      if (definition.kind === 'class') return definition.node;
      if (definition.kind !== 'value' || isChanged(variable, definition.init, question.mode, name)) return null;
    }
    const next = followed(node, question, step);
    if (!next) return node;
    node = unwrap(next);
  }
  return null;
}

function isChanged(variable: Variable, init: TSESTree.Node, mode: LookupMode, name: string | null): boolean {
  if (isFrozen(init)) return false;
  const mutations = mutationsOf(variable);
  if (mutations.unknownProperties) return true;
  if (name === null ? mutations.properties.size > 0 : mutations.properties.has(name)) return true;
  return mode === 'constant' && mutations.escapes && !/^[A-Z][A-Z0-9_$]*$/.test(variable.name);
}

/** `Object.freeze(…)`, or `as const`, which lets TypeScript reject every write. */
function isFrozen(init: TSESTree.Node): boolean {
  let node = init;
  for (;;) {
    if (node.type === 'TSAsExpression' || node.type === 'TSTypeAssertion') {
      const name = node.typeAnnotation.type === 'TSTypeReference' ? node.typeAnnotation.typeName : null;
      if (name?.type === 'Identifier' && name.name === 'const') return true;
    }
    if (node.type === 'CallExpression') return dottedName(node.callee) === 'Object.freeze';
    if (!('expression' in node) || typeof node.expression !== 'object' || unwrap(node) === node) return false;
    node = node.expression;
  }
}

const isFreeze = (node: TSESTree.Node, scopes: Scopes): node is TSESTree.CallExpression =>
  node.type === 'CallExpression' && isObjectMethod(node, 'freeze', scopes);

/** A call of the global `Object`'s method, which takes the object first. */
function isObjectMethod(call: TSESTree.CallExpression, method: string, scopes: Scopes): boolean {
  const callee = unwrap(call.callee);
  return (
    callee.type === 'MemberExpression' &&
    callee.object.type === 'Identifier' &&
    callee.object.name === 'Object' &&
    memberName(callee) === method &&
    scopes.variableOf(callee.object) === null
  );
}

function objectProperty(
  object: TSESTree.ObjectExpression,
  name: string,
  question: Question,
  depth: number,
): PropertyLookup {
  for (const property of object.properties.toReversed()) {
    if (property.type === 'SpreadElement') {
      const inner = spreadProperty(property.argument, name, question, depth + 1);
      if (inner.kind !== 'absent') return inner;
      continue;
    }
    const key = keyName(property);
    if (key === null || (key === '__proto__' && !property.shorthand)) return unknown;
    if (key !== name) continue;
    return property.kind === 'init' ? { kind: 'found', node: property.value } : unknown;
  }
  return absent;
}

/** `...options`, `...(test && { a })`, `...(test ? { a } : {})`: a property that may be there or not is unknown. */
function spreadProperty(argument: TSESTree.Node, name: string, question: Question, depth: number): PropertyLookup {
  const node = unwrap(argument);
  if (depth > depthLimit) return unknown;
  switch (node.type) {
    case 'LogicalExpression':
      if (node.operator !== '&&') return unknown;
      return spreadProperty(node.right, name, question, depth + 1).kind === 'absent' ? absent : unknown;
    case 'ConditionalExpression': {
      const branches = [node.consequent, node.alternate];
      const all = branches.every((branch) => spreadProperty(branch, name, question, depth + 1).kind === 'absent');
      return all ? absent : unknown;
    }
    default:
      return lookup(node, name, question, depth);
  }
}

function assigned(call: TSESTree.CallExpression, name: string, question: Question, depth: number): PropertyLookup {
  if (!isObjectMethod(call, 'assign', question.scopes)) return unknown;
  for (const argument of call.arguments.toReversed()) {
    if (argument.type === 'SpreadElement') return unknown;
    const inner = spreadProperty(argument, name, question, depth + 1);
    if (inner.kind !== 'absent') return inner;
  }
  return absent;
}

function arrayElement(array: TSESTree.ArrayExpression, name: string): PropertyLookup {
  const index = Number(name);
  if (!Number.isInteger(index) || index < 0) return name === 'length' ? unknown : absent;
  const before = array.elements.slice(0, index + 1);
  if (before.some((element) => element?.type === 'SpreadElement')) return unknown;
  const element = array.elements[index];
  return element ? { kind: 'found', node: element } : absent;
}

function classMember(owner: ClassNode, name: string, question: Question, depth: number): PropertyLookup {
  for (const member of owner.body.body) {
    if (!('key' in member) || keyName(member) !== name || member.static === question.instance) continue;
    if (member.type === 'MethodDefinition' && member.kind === 'method' && !question.scopes.isMemberWritten(name)) {
      return { kind: 'found', node: member.value };
    }
    if (member.type !== 'PropertyDefinition' || !member.value || question.scopes.isMemberWritten(name)) return unknown;
    // Code elsewhere can write a public field of an instance, and a subclass can declare it anew.
    const closed = member.static || member.readonly || member.accessibility === 'private' || name.startsWith('#');
    return closed ? { kind: 'found', node: member.value } : unknown;
  }
  if (!owner.superClass) return question.instance ? unknown : absent;
  const base = literalOf(owner.superClass, question, name, depth + 1);
  if (base?.type !== 'ClassDeclaration' && base?.type !== 'ClassExpression') return unknown;
  return base === owner || depth > depthLimit ? unknown : classMember(base, name, question, depth + 1);
}

/** Can the node be no text whatever happens: a function, an object, a class? */
export const isNeverText = (node: TSESTree.Node): boolean => {
  const inner = unwrap(node);
  return (
    isFunction(inner) ||
    inner.type === 'ObjectExpression' ||
    inner.type === 'ArrayExpression' ||
    inner.type === 'ClassExpression' ||
    inner.type === 'NewExpression'
  );
};
