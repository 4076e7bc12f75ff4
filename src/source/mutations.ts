import type { TSESTree } from '@typescript-eslint/utils';
import { memberName, unwrap, unwrappedParent } from './ast.js';
import type { Variable } from './scope.js';
import { isWriteTarget } from './walk.js';

/** What the file does to the object a variable holds, apart from giving the variable another object. */
export interface Mutations {
  /** Properties it writes, updates, deletes, or changes below: `x.a = …`, `x.a.b = …`, `x.a.push(…)`. */
  readonly properties: ReadonlySet<string>;
  /** It changes properties whose names the source does not show: `x[key] = …`, `Object.assign(x, …)`, `x.push(…)`. */
  readonly unknownProperties: boolean;
  /** Something else gets hold of the object and may change it: an argument, an alias, a return value. */
  readonly escapes: boolean;
}

const memo = new WeakMap<Variable, Mutations>();

/** Mutations of the object a variable holds, by the variable's own references; aliases count as escaping. */
export function mutationsOf(variable: Variable): Mutations {
  const known = memo.get(variable);
  if (known) return known;
  const properties = new Set<string>();
  let unknownProperties = false;
  let escapes = false;
  for (const reference of variable.references) {
    if (!reference.isRead()) continue;
    const use = useOf(reference.identifier);
    switch (use.kind) {
      case 'harmless':
        break;
      case 'escapes':
        escapes = true;
        break;
      case 'writes':
        if (use.property === null) unknownProperties = true;
        else properties.add(use.property);
        break;
      default:
        use satisfies never;
    }
  }
  const mutations: Mutations = { properties, unknownProperties, escapes };
  memo.set(variable, mutations);
  return mutations;
}

type ObjectUse = { kind: 'harmless' } | { kind: 'escapes' } | { kind: 'writes'; property: string | null };

const harmless: ObjectUse = { kind: 'harmless' };
const escapes: ObjectUse = { kind: 'escapes' };

const arrayMutators: ReadonlySet<string> = new Set([
  'copyWithin', 'fill', 'pop', 'push', 'reverse', 'shift', 'sort', 'splice', 'unshift', 'set', 'add', 'clear', 'delete',
]);

// They read an object and keep nothing of it that could change it.
const readers: ReadonlySet<string> = new Set([
  'Object.freeze', 'Object.keys', 'Object.values', 'Object.entries', 'Object.fromEntries', 'Object.hasOwn',
  'Object.isFrozen', 'Array.isArray', 'JSON.stringify', 'String', 'Boolean', 'structuredClone', 'console.log',
  'console.error', 'console.warn', 'console.info', 'console.debug',
]);

const writers: ReadonlySet<string> = new Set([
  'Object.assign', 'Object.defineProperty', 'Object.defineProperties', 'Object.setPrototypeOf', 'Reflect.set',
  'Reflect.deleteProperty', 'Reflect.defineProperty',
]);

function useOf(identifier: TSESTree.Node): ObjectUse {
  const { parent, child } = unwrappedParent(identifier);
  if (parent?.type === 'MemberExpression' && parent.object === child) return memberUse(parent);
  switch (parent?.type) {
    case 'CallExpression':
    case 'NewExpression': {
      if (parent.callee === child) return harmless;
      const callee = dottedName(parent.callee);
      if (callee !== null && readers.has(callee)) return harmless;
      if (callee !== null && writers.has(callee)) return { kind: 'writes', property: null };
      return escapes;
    }
    case 'SpreadElement':
    case 'ExpressionStatement':
    case 'UnaryExpression':
    case 'BinaryExpression':
    case 'TemplateLiteral':
    case 'IfStatement':
    case 'ExportSpecifier':
    case 'ExportDefaultDeclaration':
    case 'TSTypeQuery':
    case 'TSQualifiedName':
      return harmless;
    case 'ForInStatement':
    case 'ForOfStatement':
      return parent.right === child ? harmless : escapes;
    case 'VariableDeclarator':
      // Taking primitives out of it is harmless; a nested object taken out may be changed there.
      return parent.init === child && parent.id.type !== 'Identifier' ? harmless : escapes;
    default:
      return escapes;
  }
}

/** The outermost member expression over the object, for `x.a.b.c = …`, and what is done with it. */
function memberUse(first: TSESTree.MemberExpression): ObjectUse {
  const property = memberName(first);
  let outer: TSESTree.MemberExpression = first;
  for (;;) {
    if (isWriteTarget(outer)) return { kind: 'writes', property };
    const { parent, child } = unwrappedParent(outer);
    if (parent?.type === 'CallExpression' && parent.callee === child) {
      const method = memberName(outer);
      if (method === null || !arrayMutators.has(method)) return harmless;
      return { kind: 'writes', property: outer === first ? null : property };
    }
    if (parent?.type !== 'MemberExpression' || parent.object !== child) return harmless;
    outer = parent;
  }
}

/** `Object.freeze` as written: up to four names joined by plain member access; null for anything else. */
export function dottedName(node: TSESTree.Node): string | null {
  const names: string[] = [];
  let object = unwrap(node);
  while (object.type === 'MemberExpression' && names.length < 3) {
    if (object.computed || object.property.type !== 'Identifier') return null;
    names.unshift(object.property.name);
    object = unwrap(object.object);
  }
  return object.type === 'Identifier' ? [object.name, ...names].join('.') : null;
}
