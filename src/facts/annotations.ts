import type { TSESTree } from '@typescript-eslint/utils';
import type { Call, Callback, DriverDescriptor, Export, Give } from '../drivers/driver.js';
import { isClass, isFunction, memberName } from '../source/ast.js';
import { nameOfFunction } from '../source/function-names.js';
import type { Scopes, Variable } from '../source/scope.js';
import type { Evaluator } from './evaluator.js';
import type { DeclaredHandles } from './declared/handles.js';
import { createAdoption } from './imports/adoption.js';
import type { LinkedFiles } from './imports/linked-files.js';
import { kindOf, readKind, roleOfKind } from './kinds.js';
import type { Modules } from './modules.js';
import { bareHandle, unknown, type DriverObject, type Value } from './values.js';

/**
 * What an annotation written in the file says of a value. Only declarations that name a driver's type, a class or an
 * object type of this file say anything; a type imported from a file that is not read does not.
 */
export function createTypeReader(scopes: Scopes, modules: Modules, links: LinkedFiles, declaredHandles: DeclaredHandles) {
  const adopt = createAdoption(links);
  const running = new Set<TSESTree.Node>();
  return typeValue;

  function typeValue(annotation: TSESTree.TypeNode, at: TSESTree.Node, evaluator: Evaluator): Value {
    return once(annotation, () => read(annotation, at, evaluator));
  }

  /** Types may refer to themselves; while one is being read, it says nothing. */
  function once(node: TSESTree.Node, readIt: () => Value): Value {
    if (running.has(node)) return unknown;
    running.add(node);
    try {
      return readIt();
    } finally {
      running.delete(node);
    }
  }

  function read(annotation: TSESTree.TypeNode, at: TSESTree.Node, evaluator: Evaluator): Value {
    switch (annotation.type) {
      case 'TSTypeReference':
        return reference(annotation, at, evaluator);
      case 'TSTypeLiteral':
        return { type: 'shape', members: annotation.members };
      case 'TSTypeQuery':
        return query(annotation, at, evaluator);
      case 'TSIndexedAccessType':
        return indexed(annotation, at, evaluator);
      case 'TSUnionType': {
        const members = annotation.types.filter((member) => !['TSNullKeyword', 'TSUndefinedKeyword', 'TSVoidKeyword'].includes(member.type));
        const [only, ...others] = members;
        if (only && others.length === 0) return typeValue(only, at, evaluator);
        return ambiguousUnion(members.map((member) => typeValue(member, at, evaluator)));
      }
      case 'TSIntersectionType': {
        const known = annotation.types.map((member) => typeValue(member, at, evaluator)).filter((value) => value.type !== 'unknown');
        const shapes = known.flatMap((value) => (value.type === 'shape' ? value.members : []));
        return known.find((value) => value.type !== 'shape') ?? (shapes.length > 0 ? { type: 'shape', members: shapes } : unknown);
      }
      case 'TSTypeOperator':
        return annotation.typeAnnotation ? typeValue(annotation.typeAnnotation, at, evaluator) : unknown;
      case 'TSImportType': {
        const name = annotation.qualifier ? dottedName(annotation.qualifier) : [];
        const source = importedModule(annotation);
        return source === null ? unknown : exportedType(source, name, annotation, at, evaluator);
      }
      default:
        return unknown;
    }
  }

  function reference(annotation: TSESTree.TSTypeReference, at: TSESTree.Node, evaluator: Evaluator): Value {
    const path = dottedName(annotation.typeName);
    const [head, ...rest] = path;
    const root = rootIdentifier(annotation.typeName);
    const variable = root && scopes.variableOf(root);
    const [first] = annotation.typeArguments?.params ?? [];
    if (!variable) {
      if (!first || rest.length > 0) return unknown;
      switch (head) {
        case 'Promise':
        case 'PromiseLike':
          return { type: 'promise', of: typeValue(first, at, evaluator) };
        case 'Awaited': {
          const inner = typeValue(first, at, evaluator);
          return inner.type === 'promise' ? inner.of : inner;
        }
        case 'Readonly':
        case 'Required':
        case 'Partial':
        case 'NonNullable':
          return typeValue(first, at, evaluator);
        // A client without some of its methods may be the client or one of its transactions.
        case 'Omit':
        case 'Pick':
          return ambiguous(typeValue(first, at, evaluator));
        case 'InstanceType':
        case 'ReturnType':
          return made(subject(first, at, evaluator), head, at, evaluator);
        default:
          return unknown;
      }
    }
    const definition = scopes.definitionOf(variable);
    const setting = definition.kind === 'import' ? null : declaredHandles.type(path, null, annotation, at);
    if (setting) return setting;
    switch (definition.kind) {
      case 'import':
        return exportedType(definition.module, definition.name === '*' ? rest : [definition.name, ...rest], definition.node, at, evaluator);
      case 'class':
        return rest.length === 0 ? { type: 'instance', class: definition.node, created: null } : unknown;
      default:
        return rest.length === 0 ? localType(variable.defs.map((candidate) => candidate.node), at, evaluator) : unknown;
    }
  }

  function localType(declarations: readonly TSESTree.Node[], at: TSESTree.Node, evaluator: Evaluator): Value {
    for (const declaration of declarations) {
      if (declaration.type === 'TSTypeAliasDeclaration') return typeValue(declaration.typeAnnotation, at, evaluator);
      if (declaration.type === 'TSInterfaceDeclaration') {
        const parents = declaration.extends.map(({ expression }) => inheritedType(expression, at, evaluator));
        const inherited = parents.flatMap((parent) => (parent.type === 'shape' ? parent.members : []));
        return parents.find((parent) => parent.type !== 'unknown' && parent.type !== 'shape') ?? { type: 'shape', members: [...declaration.body.body, ...inherited] };
      }
      if (declaration.type === 'TSTypeParameter') return declaration.constraint ? typeValue(declaration.constraint, at, evaluator) : unknown;
      if (isClass(declaration)) return { type: 'instance', class: declaration, created: null };
    }
    return unknown;
  }

  /** What an interface extends: `Pool`, `pg.Pool`, another interface. */
  function inheritedType(expression: TSESTree.Expression, at: TSESTree.Node, evaluator: Evaluator): Value {
    if (expression.type === 'MemberExpression') {
      const name = memberName(expression);
      const object = name === null ? unknown : evaluator.valueOf(expression.object);
      return name !== null && (object.type === 'namespace' || object.type === 'export') ? exportedType(object.module, [...object.path, name], expression, at, evaluator) : unknown;
    }
    const variable = expression.type === 'Identifier' ? scopes.variableOf(expression) : null;
    const definition = variable && scopes.definitionOf(variable);
    if (definition?.kind === 'import') return exportedType(definition.module, [definition.name], definition.node, at, evaluator);
    return variable ? once(expression, () => localType(variable.defs.map(({ node }) => node), at, evaluator)) : unknown;
  }

  function exportedType(module: string, path: readonly string[], from: TSESTree.Node, at: TSESTree.Node, evaluator: Evaluator): Value {
    const setting = declaredHandles.type(path, module, from, at);
    if (setting) return setting;
    const known = modules.exportOf(module, path);
    if (!known) return path.length === 1 ? adopt(typeElsewhere(module, path[0] ?? '', from, at, evaluator), from) : unknown;
    const { driver, entry } = known;
    if (entry.type !== undefined) {
      return typeof entry.type === 'string' ? declared(driver, entry.type, at) : declared(driver, entry.type.kind, at, opennessOf(entry.type, at));
    }
    if (entry.new !== undefined) return declared(driver, kindOf(entry.new), at);
    return unknown;
  }

  /** A type or class that another file declares, or hands on. */
  function typeElsewhere(module: string, name: string, from: TSESTree.Node, at: TSESTree.Node, evaluator: Evaluator): Value {
    const origin = links.originOf(module, name, from);
    switch (origin?.kind) {
      case 'variable': {
        const definition = scopes.definitionOf(origin.variable);
        return definition.kind === 'import' ? unknown : localType(origin.variable.defs.map(({ node }) => node), at, evaluator);
      }
      case 'expression':
        return isClass(origin.node) ? { type: 'instance', class: origin.node, created: null } : unknown;
      case 'package':
        return origin.module === module ? unknown : exportedType(origin.module, [origin.name], from, at, evaluator);
      default:
        return unknown;
    }
  }

  /** `typeof db`, `typeof db.transaction`: names the kind, but people write it for transactions of that type as well. */
  function query(annotation: TSESTree.TSTypeQuery, at: TSESTree.Node, evaluator: Evaluator): Value {
    if (annotation.exprName.type === 'TSImportType') return unknown;
    const root = rootIdentifier(annotation.exprName);
    const variable = root && scopes.variableOf(root);
    if (!variable) return unknown;
    return ambiguous(named(annotation.exprName, variable, at, evaluator));
  }

  function named(name: TSESTree.EntityName, root: Variable, at: TSESTree.Node, evaluator: Evaluator): Value {
    return dottedName(name)
      .slice(1)
      .reduce<Value>((object, part) => evaluator.memberOf(object, part, at), evaluator.valueOfVariable(root));
  }

  /** What `typeof` names, where it is a function or class that something is made by: itself, in its own role. */
  function subject(type: TSESTree.TypeNode, at: TSESTree.Node, evaluator: Evaluator): Value {
    if (type.type !== 'TSTypeQuery' || type.exprName.type === 'TSImportType') return typeValue(type, at, evaluator);
    const root = rootIdentifier(type.exprName);
    const variable = root && scopes.variableOf(root);
    return variable ? named(type.exprName, variable, at, evaluator) : unknown;
  }

  /** `Parameters<Parameters<typeof db.transaction>[0]>[0]`: the usual spelling of a transaction's type. */
  function indexed(annotation: TSESTree.TSIndexedAccessType, at: TSESTree.Node, evaluator: Evaluator): Value {
    const index = literalIndex(annotation.indexType);
    const list = annotation.objectType;
    if (index === null || list.type !== 'TSTypeReference' || dottedName(list.typeName).join('.') !== 'Parameters') return unknown;
    const [callbackType] = list.typeArguments?.params ?? [];
    const callback = callbackType && callbackOf(callbackType, at, evaluator);
    const give = callback?.callback.parameters[index];
    if (!callback || give === undefined) return unknown;
    return declared(callback.driver, kindOf(give), at);
  }

  function callbackOf(type: TSESTree.TypeNode, at: TSESTree.Node, evaluator: Evaluator): { callback: Callback; driver: DriverDescriptor } | null {
    if (type.type !== 'TSIndexedAccessType' || literalIndex(type.indexType) === null) return null;
    const list = type.objectType;
    if (list.type !== 'TSTypeReference' || dottedName(list.typeName).join('.') !== 'Parameters') return null;
    const [method] = list.typeArguments?.params ?? [];
    if (!method) return null;
    const value = methodType(method, at, evaluator);
    if (!value) return null;
    const callback = callbackIn(value.call);
    return callback && { callback, driver: value.driver };
  }

  /** `typeof db.transaction` and `Database['transaction']`. */
  function methodType(type: TSESTree.TypeNode, at: TSESTree.Node, evaluator: Evaluator): { call: Call; driver: DriverDescriptor } | null {
    if (type.type === 'TSTypeQuery') {
      const value = query(type, at, evaluator);
      return value.type === 'method' ? { call: value.call, driver: value.receiver.driver } : null;
    }
    if (type.type !== 'TSIndexedAccessType' || type.indexType.type !== 'TSLiteralType') return null;
    const { literal } = type.indexType;
    if (literal.type !== 'Literal' || typeof literal.value !== 'string') return null;
    const member = evaluator.memberOf(typeValue(type.objectType, at, evaluator), literal.value, at);
    return member.type === 'method' ? { call: member.call, driver: member.receiver.driver } : null;
  }

  /** `InstanceType<typeof Pool>`, `ReturnType<typeof pool.connect>`, `ReturnType<typeof openPool>`. */
  function made(value: Value, by: 'InstanceType' | 'ReturnType', at: TSESTree.Node, evaluator: Evaluator): Value {
    switch (value.type) {
      case 'class':
        return by === 'InstanceType' ? { type: 'instance', class: value.node, created: null } : unknown;
      case 'function':
        return by === 'ReturnType' ? evaluator.returnedBy(value.node) : unknown;
      case 'export':
        return by === 'InstanceType' ? given(value.driver, value.entry.new, at) : resultOf(value.driver, value.entry.call, at);
      case 'method':
        return by === 'ReturnType' ? resultOf(value.receiver.driver, value.call, at) : unknown;
      default:
        return unknown;
    }
  }

  function resultOf(driver: DriverDescriptor, call: Call | undefined, at: TSESTree.Node): Value {
    if (call?.resolves !== undefined) return { type: 'promise', of: given(driver, call.resolves, at) };
    return given(driver, call?.gives, at);
  }

  /** What a call makes, as far as its kind says it: a type whose objects play several roles says no role here, either. */
  function given(driver: DriverDescriptor, give: Give | undefined, at: TSESTree.Node): Value {
    if (give === undefined) return unknown;
    const kind = kindOf(give);
    const isOpen = driver.exports.some(({ type }) => typeof type === 'object' && type.kind === kind && opennessOf(type, at) === 'any-role');
    return declared(driver, kind, at, isOpen ? 'any-role' : 'none');
  }
}

/** What a type leaves open: nothing, any role, or whether an object of its own role is a transaction instead. */
export type Openness = 'none' | 'any-role' | 'or-transaction';

/** What the type leaves open at this place. */
export function opennessOf(type: Export['type'], at: TSESTree.Node): Openness {
  if (typeof type !== 'object') return 'none';
  if (type.ambiguous === true || (type.ambiguous === 'in-migrations' && isInMigration(at))) return 'any-role';
  return 'or-transaction';
}

/** Is the place in a function that migration tools call by name: `exports.up = async (knex) => …`? */
function isInMigration(at: TSESTree.Node): boolean {
  for (let node: TSESTree.Node | undefined = at; node; node = node.parent) {
    if (isFunction(node) && /^(?:up|down)$/.test(nameOfFunction(node) ?? '')) return true;
  }
  return false;
}

/** A value known by a type only: what kind of object it is, and in which role when the type decides that. */
export function declared(driver: DriverDescriptor, kind: string, at: TSESTree.Node, open: Openness = 'none', because: 'annotation' | 'type' | 'comment' = 'annotation'): DriverObject {
  const role = roleOfKind(driver, kind);
  if (role === undefined && open === 'none') return { type: 'object', driver, kind, node: at, handle: null };
  const handle = bareHandle({ role: open === 'any-role' ? 'unknown' : (role ?? 'unknown'), driver, kind, identity: at, evidence: { because, node: at } });
  return { type: 'object', driver, kind, node: at, handle: { ...handle, mayBeTransaction: open === 'or-transaction' || readKind(driver, kind, ({ joinsUnseen }) => joinsUnseen) === true } };
}

/** The same kind of object, but in which role is open. */
function ambiguous(value: Value): Value {
  return value.type === 'object' && value.handle ? { ...value, handle: { ...value.handle, role: 'unknown' } } : value;
}

/** `Pool | PoolClient`: both have the methods, the role is open. */
export function ambiguousUnion(values: readonly Value[]): Value {
  const objects = values.filter((value) => value.type === 'object');
  const [first, ...others] = objects;
  if (!first || objects.length < values.length) return unknown;
  const sameRole = others.every((other) => other.handle?.role === first.handle?.role && other.driver === first.driver);
  return sameRole ? first : ambiguous(first);
}

const callbackIn = (call: Call): Callback | null =>
  call.callback ?? call.variants?.find((variant) => variant.callback)?.callback ?? null;

function literalIndex(type: TSESTree.TypeNode): number | null {
  if (type.type !== 'TSLiteralType' || type.literal.type !== 'Literal') return null;
  return typeof type.literal.value === 'number' ? type.literal.value : null;
}

function dottedName(name: TSESTree.EntityName): string[] {
  switch (name.type) {
    case 'Identifier':
      return [name.name];
    case 'TSQualifiedName':
      return [...dottedName(name.left), name.right.name];
    default:
      return ['this'];
  }
}

function rootIdentifier(name: TSESTree.EntityName): TSESTree.Identifier | null {
  if (name.type === 'Identifier') return name;
  return name.type === 'TSQualifiedName' ? rootIdentifier(name.left) : null;
}

/** The module of `import('module').Name`; older parsers of major version 8 give it as a type. */
function importedModule(node: TSESTree.TSImportType): string | null {
  if (Object.hasOwn(node, 'source')) return node.source.value;
  // eslint-disable-next-line @typescript-eslint/no-deprecated -- what those parsers have instead
  const { argument } = node;
  if (argument.type !== 'TSLiteralType' || argument.literal.type !== 'Literal') return null;
  return typeof argument.literal.value === 'string' ? argument.literal.value : null;
}
