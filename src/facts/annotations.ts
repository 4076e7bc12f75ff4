import type { TSESTree } from '@typescript-eslint/utils';
import type { Call, Callback, DriverDescriptor } from '../drivers/driver.js';
import { isClass } from '../source/ast.js';
import type { Scopes } from '../source/scope.js';
import type { Evaluator } from './evaluator.js';
import { createAdoption } from './imports/adoption.js';
import type { LinkedFiles } from './imports/linked-files.js';
import { kindOf, roleOfKind } from './kinds.js';
import type { Modules } from './modules.js';
import { bareHandle, unknown, type DriverObject, type Value } from './values.js';

/**
 * What an annotation written in the file says of a value. Only declarations that name a driver's type, a class or an
 * object type of this file say anything; a type imported from a file that is not read does not.
 */
export function createTypeReader(scopes: Scopes, modules: Modules, links: LinkedFiles) {
  const adopt = createAdoption(links);
  const running = new Set<TSESTree.Node>();
  return typeValue;

  function typeValue(annotation: TSESTree.TypeNode, at: TSESTree.Node, evaluator: Evaluator): Value {
    if (running.has(annotation)) return unknown;
    running.add(annotation);
    try {
      return read(annotation, at, evaluator);
    } finally {
      running.delete(annotation);
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
        return known.find((value) => value.type === 'object') ?? known[0] ?? unknown;
      }
      case 'TSTypeOperator':
        return annotation.typeAnnotation ? typeValue(annotation.typeAnnotation, at, evaluator) : unknown;
      case 'TSImportType': {
        const name = annotation.qualifier ? dottedName(annotation.qualifier) : [];
        const source = annotation.source.value;
        return exportedType(source, name, annotation, at, evaluator);
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
          return made(typeValue(first, at, evaluator), head, at);
        default:
          return unknown;
      }
    }
    const definition = scopes.definitionOf(variable);
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
        for (const heritage of declaration.extends) {
          const parent = heritage.expression;
          const variable = parent.type === 'Identifier' ? scopes.variableOf(parent) : null;
          const definition = variable && scopes.definitionOf(variable);
          if (definition?.kind === 'import') {
            const value = exportedType(definition.module, [definition.name], definition.node, at, evaluator);
            if (value.type !== 'unknown') return value;
          }
        }
        return { type: 'shape', members: declaration.body.body };
      }
      if (isClass(declaration)) return { type: 'instance', class: declaration, created: null };
    }
    return unknown;
  }

  function exportedType(module: string, path: readonly string[], from: TSESTree.Node, at: TSESTree.Node, evaluator: Evaluator): Value {
    const known = modules.exportOf(module, path);
    if (!known) return path.length === 1 ? adopt(typeElsewhere(module, path[0] ?? '', from, at, evaluator), from) : unknown;
    const { driver, entry } = known;
    if (entry.type !== undefined) {
      return typeof entry.type === 'string' ? declared(driver, entry.type, at, false) : declared(driver, entry.type.kind, at, true);
    }
    if (entry.new !== undefined) return declared(driver, kindOf(entry.new), at, false);
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
    const value = dottedName(annotation.exprName)
      .slice(1)
      .reduce<Value>((object, name) => evaluator.memberOf(object, name, at), evaluator.valueOfVariable(variable));
    return ambiguous(value);
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
    return declared(callback.driver, kindOf(give), at, false);
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

  function made(value: Value, by: 'InstanceType' | 'ReturnType', at: TSESTree.Node): Value {
    if (value.type === 'class' && by === 'InstanceType') return { type: 'instance', class: value.node, created: null };
    if (value.type !== 'export') return unknown;
    const give = by === 'InstanceType' ? value.entry.new : value.entry.call?.gives;
    return give === undefined ? unknown : declared(value.driver, kindOf(give), at, false);
  }
}

/** A value known by a type only: what kind of object it is, and in which role when the type decides that. */
export function declared(driver: DriverDescriptor, kind: string, at: TSESTree.Node, isAmbiguous: boolean, because: 'annotation' | 'type' = 'annotation'): DriverObject {
  const role = roleOfKind(driver, kind);
  if (role === undefined && !isAmbiguous) return { type: 'object', driver, kind, node: at, handle: null };
  return {
    type: 'object',
    driver,
    kind,
    node: at,
    handle: bareHandle({ role: isAmbiguous ? 'unknown' : (role ?? 'unknown'), driver, kind, identity: at, evidence: { because, node: at } }),
  };
}

/** The same kind of object, but in which role is open. */
function ambiguous(value: Value): Value {
  return value.type === 'object' && value.handle ? { ...value, handle: { ...value.handle, role: 'unknown' } } : value;
}

/** `Pool | PoolClient`: both have the methods, the role is open. */
function ambiguousUnion(values: readonly Value[]): Value {
  const objects = values.filter((value) => value.type === 'object');
  const [first, ...others] = objects;
  if (!first || objects.length < values.length) return { type: 'unknown', alternatives: [] };
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
