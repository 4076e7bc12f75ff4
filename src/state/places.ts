import type { TSESTree } from '@typescript-eslint/utils';
import type { FlowGraph, Step } from '../flow/model.js';
import { enclosingFunction, isFunction, isInside, memberName, unwrap } from '../source/ast.js';
import type { Scopes, Variable } from '../source/scope.js';

export interface Places {
  /** Variables and fields whose values decide a branch or a give-back, and which only the graph's own code writes. */
  readonly kept: ReadonlySet<string>;
  /** Those, and texts of other tests, that several conditions ask about: what one finds out holds for the next. */
  readonly askedAgain: ReadonlySet<string>;
  /** Offsets in the file behind which a place is read no more. */
  readonly lastRead: ReadonlyMap<string, number>;
}

/** Finds what is worth remembering along the paths of a graph. `placeOf` names variables and fields of `this`. */
export function placesOf(graph: FlowGraph, scopes: Scopes, placeOf: (node: TSESTree.Node) => string | null, decisive: readonly TSESTree.Node[]): Places {
  const kept = new Set<string>();
  const conditions = new Map<string, Set<TSESTree.Node>>();
  const roots: TSESTree.Node[] = [...decisive];
  for (const step of graph.steps) {
    if (step.kind === 'condition') {
      roots.push(step.test, ...(step.subject ? [step.subject] : []));
      const name = step.asks === 'truthy' ? askedPlace(step.test, scopes, placeOf) : null;
      const compared = equalityOf(step.asks, step.test, step.subject);
      const variable = compared && placeOf(compared.variable);
      for (const asked of [name, variable]) if (asked !== null) conditions.set(asked, (conditions.get(asked) ?? new Set()).add(step.test));
    }
    if (step.kind === 'return' && step.argument) roots.push(step.argument);
  }
  for (const root of roots) addPlaces(root, kept, placeOf, 0);
  // What is assigned to a kept variable decides through it.
  const assignments = graph.steps.filter((step): step is Step & { kind: 'assign' } => step.kind === 'assign' && step.value !== null);
  for (let round = 0; round < 3; round++) {
    const before = kept.size;
    for (const { target, value } of assignments) {
      if (value && boundPlaces(target, placeOf).some((place) => kept.has(place))) addPlaces(value, kept, placeOf, 0);
    }
    if (kept.size === before) break;
  }
  const lastRead = new Map<string, number>();
  for (const [name, nodes] of conditions) lastRead.set(name, Math.max(...[...nodes].map((node) => endOfUse(node, graph.unit))));
  for (const place of writtenElsewhere(graph, scopes, placeOf)) kept.delete(place);
  const askedAgain = new Set([...conditions].flatMap(([name, nodes]) => (nodes.size > 1 ? [name] : [])));
  for (const [place, variable] of variablesIn(graph, scopes, placeOf)) {
    const end = lastReadOf(variable, scopes, graph);
    if (end === null) lastRead.delete(place);
    else lastRead.set(place, end);
  }
  return { kept, askedAgain, lastRead };
}

/** A comparison that, where it is true, says what a variable or field is. */
export function equalityOf(asks: string, test: TSESTree.Node, subject: TSESTree.Node | null): { variable: TSESTree.Node; constant: TSESTree.Node } | null {
  if (asks === 'equals') return subject && { variable: subject, constant: test };
  const node = unwrap(test);
  if (asks !== 'truthy' || node.type !== 'BinaryExpression' || node.operator !== '===') return null;
  return unwrap(node.right).type === 'Literal' ? { variable: node.left, constant: node.right } : { variable: node.right, constant: node.left };
}

/** The name under which the answer to a test is kept: a variable's or field's, or the text of a test of things that stay the same. */
export function askedPlace(test: TSESTree.Node, scopes: Scopes, placeOf: (node: TSESTree.Node) => string | null): string | null {
  const place = placeOf(test);
  if (place !== null) return place;
  return isSteady(test, scopes) ? `test ${scopes.text.slice(test.range[0], test.range[1])}` : null;
}

/** Gives the same value whenever it is evaluated in one run of the function. */
function isSteady(expression: TSESTree.Node, scopes: Scopes): boolean {
  const node = unwrap(expression);
  switch (node.type) {
    case 'Literal':
      return true;
    case 'Identifier': {
      const variable = scopes.variableOf(node);
      return variable === null ? node.name === 'undefined' : scopes.writesOf(variable).length <= 1 && scopes.definitionOf(variable).kind !== 'element';
    }
    case 'MemberExpression': {
      const name = memberName(node);
      return name !== null && isSteady(node.object, scopes) && !scopes.isMemberWritten(name);
    }
    case 'BinaryExpression':
      return node.left.type !== 'PrivateIdentifier' && isSteady(node.left, scopes) && isSteady(node.right, scopes);
    case 'UnaryExpression':
      return node.operator !== 'delete' && isSteady(node.argument, scopes);
    default:
      return false;
  }
}

function addPlaces(expression: TSESTree.Node, kept: Set<string>, placeOf: (node: TSESTree.Node) => string | null, depth: number): void {
  if (depth > 12) return;
  const node = unwrap(expression);
  const place = placeOf(node);
  if (place !== null) {
    kept.add(place);
    return;
  }
  for (const part of partsOf(node)) addPlaces(part, kept, placeOf, depth + 1);
}

function partsOf(node: TSESTree.Node): readonly TSESTree.Node[] {
  switch (node.type) {
    case 'MemberExpression':
      return [node.object];
    case 'CallExpression':
      return [node.callee, ...node.arguments];
    case 'AwaitExpression':
    case 'UnaryExpression':
    case 'SpreadElement':
      return [node.argument];
    case 'BinaryExpression':
    case 'LogicalExpression':
      return [node.left, node.right];
    case 'ConditionalExpression':
      return [node.test, node.consequent, node.alternate];
    case 'AssignmentExpression':
      return [node.left, node.right];
    case 'SequenceExpression':
      return node.expressions;
    case 'ObjectExpression':
      return node.properties.map((property) => (property.type === 'Property' ? property.value : property.argument));
    case 'ArrayExpression':
      return node.elements.flatMap((element) => (element ? [element] : []));
    default:
      return [];
  }
}

function boundPlaces(target: TSESTree.Node, placeOf: (node: TSESTree.Node) => string | null): readonly string[] {
  const pattern = unwrap(target);
  switch (pattern.type) {
    case 'ObjectPattern':
      return pattern.properties.flatMap((property) => boundPlaces(property.type === 'Property' ? property.value : property.argument, placeOf));
    case 'ArrayPattern':
      return pattern.elements.flatMap((element) => (element ? boundPlaces(element, placeOf) : []));
    case 'AssignmentPattern':
      return boundPlaces(pattern.left, placeOf);
    case 'RestElement':
      return boundPlaces(pattern.argument, placeOf);
    default: {
      const place = placeOf(pattern) ?? (pattern.type === 'MemberExpression' ? placeOf(pattern.object) : null);
      return place === null ? [] : [place];
    }
  }
}

/**
 * Variables of the function that a function inside it writes at a time of its own. What others write to a variable from
 * outside, a path through this function takes no account of.
 */
function writtenElsewhere(graph: FlowGraph, scopes: Scopes, placeOf: (node: TSESTree.Node) => string | null): readonly string[] {
  const own = new Set<TSESTree.Node | null>([...graph.inlined, isFunction(graph.unit) ? graph.unit : null]);
  const found: string[] = [];
  for (const [place, variable] of variablesIn(graph, scopes, placeOf)) {
    const [name] = variable.identifiers;
    if (!name || !isInside(name, graph.unit)) continue;
    const isOwn = scopes.writesOf(variable).every(({ identifier }) => own.has(enclosingFunction(identifier)));
    if (!isOwn) found.push(place);
  }
  return found;
}

/** The variables that the graph assigns or tests, by the names of their places. */
function variablesIn(graph: FlowGraph, scopes: Scopes, placeOf: (node: TSESTree.Node) => string | null): ReadonlyMap<string, Variable> {
  const found = new Map<string, Variable>();
  const visit = (node: TSESTree.Node): void => {
    const target = unwrap(node);
    const variable = target.type === 'Identifier' ? scopes.variableOf(target) : null;
    const place = placeOf(target);
    if (variable && place !== null) found.set(place, variable);
  };
  for (const step of graph.steps) {
    if (step.kind === 'assign') for (const target of identifiersIn(step.target)) visit(target);
    if (step.kind === 'condition') for (const identifier of identifiersIn(step.test)) visit(identifier);
  }
  return found;
}

/** Where the variable is read for the last time; null when that may be anywhere. */
function lastReadOf(variable: Variable, scopes: Scopes, graph: FlowGraph): number | null {
  const [name] = variable.identifiers;
  if (!name || !isInside(name, graph.unit)) return null;
  let last = 0;
  for (const { identifier } of scopes.readsOf(variable)) {
    // A named function runs wherever it is called.
    const fn = enclosingFunction(identifier);
    if (fn && fn !== graph.unit && !graph.inlined.has(fn)) return null;
    if (fn !== graph.unit && fn?.type === 'FunctionDeclaration') return null;
    last = Math.max(last, endOfUse(identifier, variable.defs[0]?.node ?? graph.unit));
  }
  return last;
}

/** A use in a loop may come again until the loop ends, unless the loop is around the declaration, too. */
function endOfUse(node: TSESTree.Node, declaration: TSESTree.Node): number {
  let end = node.range[1];
  for (let ancestor = node.parent; ancestor && !isInside(declaration, ancestor); ancestor = ancestor.parent) {
    if (loopTypes.has(ancestor.type) || isFunction(ancestor)) end = ancestor.range[1];
  }
  return end;
}

const loopTypes: ReadonlySet<string> = new Set(['WhileStatement', 'DoWhileStatement', 'ForStatement', 'ForOfStatement', 'ForInStatement']);

/** The names in a pattern, or in an expression's operands. */
export function identifiersIn(expression: TSESTree.Node): readonly TSESTree.Node[] {
  const node = unwrap(expression);
  switch (node.type) {
    case 'Identifier':
      return [node];
    case 'ObjectPattern':
      return node.properties.flatMap((property) => identifiersIn(property.type === 'Property' ? property.value : property.argument));
    case 'ArrayPattern':
      return node.elements.flatMap((element) => (element ? identifiersIn(element) : []));
    case 'AssignmentPattern':
      return identifiersIn(node.left);
    case 'RestElement':
      return identifiersIn(node.argument);
    default:
      return partsOf(node).flatMap(identifiersIn);
  }
}
