import type { TSESLint, TSESTree } from '@typescript-eslint/utils';
import { definePass, type Unit } from '../pass.js';
import { keyName, type ClassNode, type FunctionNode } from './ast.js';
import { nodes } from './walk.js';

export type Variable = TSESLint.Scope.Variable;
export type Reference = TSESLint.Scope.Reference;

/** One step from a value into a part of it, as destructuring writes it. */
export type PatternStep = { kind: 'property'; name: string } | { kind: 'index'; index: number } | { kind: 'rest' } | { kind: 'unknown' };

/** How a variable gets its value, when there is exactly one way. */
export type Definition =
  /** `const { rows: [first] } = init`, or `let x; … x = init`: `path` leads from the value to the variable's. */
  | { kind: 'value'; init: TSESTree.Expression; path: readonly PatternStep[]; defaultValue: TSESTree.Expression | null; declaration: TSESTree.VariableDeclarator | null }
  | { kind: 'parameter'; function: FunctionNode; index: number; path: readonly PatternStep[]; rest: boolean; node: TSESTree.Parameter }
  | { kind: 'import'; module: string; name: string; node: TSESTree.Node }
  | { kind: 'function'; node: FunctionNode }
  | { kind: 'class'; node: ClassNode }
  | { kind: 'enum'; node: TSESTree.TSEnumDeclaration }
  /** `for (const x of list)`. */
  | { kind: 'element'; of: TSESTree.Expression; path: readonly PatternStep[]; node: TSESTree.ForOfStatement }
  | { kind: 'catch' }
  /** Written in several places, or in a way that is not followed. */
  | { kind: 'unknown'; writes: readonly TSESTree.Expression[] };

export interface Scopes {
  /** The file's text, which every node's range indexes. */
  readonly text: string;
  /** The text that the range of this node indexes, where nodes of several files are at hand. */
  textOf(node: TSESTree.Node): string;
  /** The variable an identifier refers to; null for globals that nothing in the file declares. */
  variableOf(identifier: TSESTree.Identifier | TSESTree.JSXIdentifier): Variable | null;
  definitionOf(variable: Variable): Definition;
  /** True when the variable lives at module (or script) level. */
  isModuleLevel(variable: Variable): boolean;
  /** True when code that is not part of this tree can read the variable by its name: the template of a Vue component. */
  isVisibleToTemplate(variable: Variable): boolean;
  /** Reads of the variable, in source order; type-only references are left out. */
  readsOf(variable: Variable): readonly Reference[];
  /** Places that give it a new value, its initialiser included. */
  writesOf(variable: Variable): readonly Reference[];
  /** Does the file write, update or delete a property of this name on any object: `x.name = …`, `delete this.name`? */
  isMemberWritten(name: string): boolean;
}

/** Scope questions over one file, memoised. */
export const scopes = definePass('scopes', [nodes], ([{ writtenMembers }], unit): Scopes => createScopes(unit, writtenMembers));

function createScopes(unit: Unit, writtenMembers: ReadonlySet<string>): Scopes {
  const byIdentifier = new Map<TSESTree.Node, Variable | null>();
  for (const scope of unit.scopes.scopes) {
    for (const reference of scope.references) byIdentifier.set(reference.identifier, reference.resolved);
    for (const variable of scope.variables) {
      for (const identifier of variable.identifiers) if (!byIdentifier.has(identifier)) byIdentifier.set(identifier, variable);
    }
  }
  const definitions = new Map<Variable, Definition>();
  // vue-eslint-parser keeps the template beside the program, and its reads out of the scopes.
  const hasTemplate = 'templateBody' in unit.program && Boolean(unit.program.templateBody);
  const isModuleLevel = (variable: Variable): boolean => variable.scope.type === 'module' || variable.scope.type === 'global';
  return {
    variableOf: (identifier) => {
      const variable = byIdentifier.get(identifier) ?? null;
      // ESLint declares configured globals as variables without a definition.
      return variable && variable.defs.length > 0 ? variable : null;
    },
    definitionOf(variable) {
      const known = definitions.get(variable);
      if (known) return known;
      const definition = define(variable);
      definitions.set(variable, definition);
      return definition;
    },
    isModuleLevel,
    isVisibleToTemplate: (variable) => hasTemplate && isModuleLevel(variable),
    readsOf: (variable) => variable.references.filter((reference) => reference.isRead() && !isTypeReference(reference)),
    writesOf: (variable) => variable.references.filter((reference) => reference.isWrite()),
    text: unit.text,
    textOf: () => unit.text,
    isMemberWritten: (name) => writtenMembers.has(name),
  };
}

function isTypeReference(reference: Reference): boolean {
  return 'isTypeReference' in reference && reference.isTypeReference && !reference.isValueReference;
}

/** What scope analysis gives as the written value always is an expression, only its type does not say so. */
const isExpression = (node: TSESTree.Node | null | undefined): node is TSESTree.Expression => Boolean(node);

function define(variable: Variable): Definition {
  const [first, ...others] = variable.defs;
  if (!first) return { kind: 'unknown', writes: [] };
  const writes = variable.references.filter((reference) => reference.isWrite());
  const expressions = writes.map((reference) => reference.writeExpr).filter(isExpression);
  const unknown: Definition = { kind: 'unknown', writes: expressions };
  // Overload signatures are further definitions of one function.
  if (others.some((other) => other.node.type !== 'TSDeclareFunction' && first.node.type !== 'TSDeclareFunction')) return unknown;
  const definition = variable.defs.find((candidate) => candidate.node.type !== 'TSDeclareFunction') ?? first;
  const { node } = definition;
  switch (node.type) {
    case 'ImportSpecifier':
    case 'ImportDefaultSpecifier':
    case 'ImportNamespaceSpecifier': {
      const declaration = node.parent;
      if (declaration.type !== 'ImportDeclaration') return unknown;
      return { kind: 'import', module: declaration.source.value, name: importedName(node), node };
    }
    case 'FunctionDeclaration':
    case 'FunctionExpression':
    case 'ArrowFunctionExpression': {
      if (definition.type === 'FunctionName') return writes.length === 0 ? { kind: 'function', node } : unknown;
      return parameterDefinition(node, definition.name, writes.length, unknown);
    }
    case 'ClassDeclaration':
    case 'ClassExpression':
      return writes.length === 0 ? { kind: 'class', node } : unknown;
    case 'TSEnumDeclaration':
      return { kind: 'enum', node };
    case 'CatchClause':
      return { kind: 'catch' };
    case 'VariableDeclarator':
      return declaratorDefinition(node, definition.name, writes, unknown);
    default:
      return unknown;
  }
}

function importedName(node: TSESTree.ImportSpecifier | TSESTree.ImportDefaultSpecifier | TSESTree.ImportNamespaceSpecifier): string {
  if (node.type === 'ImportDefaultSpecifier') return 'default';
  if (node.type === 'ImportNamespaceSpecifier') return '*';
  return node.imported.type === 'Identifier' ? node.imported.name : node.imported.value;
}

function parameterDefinition(fn: FunctionNode, name: TSESTree.Node, writes: number, unknown: Definition): Definition {
  for (const [index, parameter] of fn.params.entries()) {
    const pattern = parameter.type === 'TSParameterProperty' ? parameter.parameter : parameter;
    const hasDefault = pattern.type === 'AssignmentPattern';
    const target = hasDefault ? pattern.left : pattern;
    const rest = target.type === 'RestElement';
    const path = pathTo(name, rest ? target.argument : target);
    if (!path) continue;
    // A default value counts as a write of the parameter, and so does that of every pattern around it.
    const ownWrites = Math.max(defaultsAround(name, pattern), path.some((step) => step.kind === 'unknown') ? 1 : 0);
    return writes > ownWrites ? unknown : { kind: 'parameter', function: fn, index, path, rest, node: parameter };
  }
  return unknown;
}

function defaultsAround(name: TSESTree.Node, pattern: TSESTree.Node): number {
  let count = 0;
  for (let node: TSESTree.Node | undefined = name; node; node = node.parent) {
    if (node.type === 'AssignmentPattern') count++;
    if (node === pattern) break;
  }
  return count;
}

function declaratorDefinition(
  node: TSESTree.VariableDeclarator,
  name: TSESTree.Node,
  writes: readonly Reference[],
  unknown: Definition,
): Definition {
  const path = pathTo(name, node.id);
  if (!path) return unknown;
  const loop = node.parent.parent;
  if (loop.type === 'ForOfStatement' && loop.left === node.parent) {
    return writes.length <= 1 ? { kind: 'element', of: loop.right, path, node: loop } : unknown;
  }
  const fallback = defaultOf(name);
  if (node.init) {
    const others = writes.filter((reference) => reference.init !== true);
    if (others.length > 0) return unknown;
    return { kind: 'value', init: node.init, path, defaultValue: fallback, declaration: node };
  }
  const [only, ...more] = writes;
  if (!only?.writeExpr || more.length > 0) return unknown;
  return assignmentDefinition(only, unknown);
}

/** `let client; …; client = await pool.connect();` has one value as much as a const has. */
function assignmentDefinition(write: Reference, unknown: Definition): Definition {
  let pattern: TSESTree.Node = write.identifier;
  while (pattern.parent && pattern.parent.type !== 'AssignmentExpression') pattern = pattern.parent;
  const assignment = pattern.parent;
  if (assignment?.type !== 'AssignmentExpression' || assignment.operator !== '=' || assignment.left !== pattern) return unknown;
  const path = pathTo(write.identifier, assignment.left);
  if (!path) return unknown;
  return { kind: 'value', init: assignment.right, path, defaultValue: defaultOf(write.identifier), declaration: null };
}

function defaultOf(name: TSESTree.Node): TSESTree.Expression | null {
  return name.parent?.type === 'AssignmentPattern' && name.parent.left === name ? name.parent.right : null;
}

/** The steps from the value a pattern takes apart to the identifier in it; null when the identifier is elsewhere. */
export function pathTo(target: TSESTree.Node, pattern: TSESTree.Node): readonly PatternStep[] | null {
  if (pattern === target) return [];
  switch (pattern.type) {
    case 'AssignmentPattern':
      return pathTo(target, pattern.left);
    case 'ArrayPattern':
      for (const [index, element] of pattern.elements.entries()) {
        if (!element) continue;
        const inner = pathTo(target, element.type === 'RestElement' ? element.argument : element);
        if (inner) return [element.type === 'RestElement' ? { kind: 'rest' } : { kind: 'index', index }, ...inner];
      }
      return null;
    case 'ObjectPattern':
      for (const property of pattern.properties) {
        if (property.type === 'RestElement') {
          const inner = pathTo(target, property.argument);
          if (inner) return [{ kind: 'rest' }, ...inner];
          continue;
        }
        const inner = pathTo(target, property.value);
        const name = keyName(property);
        if (inner) return [name === null ? { kind: 'unknown' } : { kind: 'property', name }, ...inner];
      }
      return null;
    default:
      return null;
  }
}
