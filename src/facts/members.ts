import type { TSESTree } from '@typescript-eslint/utils';
import type { Give } from '../drivers/driver.js';
import { isFunction, keyName, returnedExpressions, unwrap, type ClassNode } from '../source/ast.js';
import { identified, isDecided, unify, unifyPresent } from './agreement.js';
import type { Core } from './core.js';
import { handedOut, isToldApart } from './application-wide.js';
import { createDocumentedTypes } from './documented-types.js';
import { hasTransactionsLike, methodOfKind, ownProperty, readKind } from './kinds.js';
import { createReceiverIdentity } from './receiver-identity.js';
import { circular, unknown, type DriverObject, type HandleIdentity, type Value } from './values.js';

/** Base classes in other files, one above the other. */
const maximumParentsElsewhere = 8;

/** Says what the members of values are: of drivers' objects, modules, classes and object literals. */
export function createMembers(core: Core) {
  const { scopes, callers, modules, propertyOf } = core.parts;
  const identityOf = createReceiverIdentity(core.parts.links);
  const documented = createDocumentedTypes(core);
  let parentsElsewhere = 0;
  return { memberOf };

  function memberOf(value: Value, name: string, at: TSESTree.Node): Value {
    switch (value.type) {
      case 'object':
        return memberOfObject(value, name, at);
      case 'namespace':
        return core.exportOf(value.module, [...value.path, name]);
      case 'export':
        return modules.exportOf(value.module, [...value.path, name]) ? core.exportOf(value.module, [...value.path, name]) : unknown;
      case 'foreign':
        return core.exportOf(value.module, [...value.path, name]);
      case 'elsewhere':
        return core.elsewhere.memberOf(value, name, at);
      case 'module':
        return core.elsewhere.memberOfModule(value.unit, name);
      case 'instance':
        return memberOfClass(value.class, name, false, at) ?? unknown;
      case 'class':
        return memberOfClass(value.node, name, true, at) ?? unknown;
      case 'record':
        return memberOfRecord(value.node, name);
      case 'shape':
        return memberOfShape(value.members, name, at);
      case 'list':
        return value.elements[Number(name)] ?? unknown;
      case 'delegate':
        return distinctiveOf(value.receiver, name) ?? value;
      case 'global':
        return memberOfGlobal(name);
      case 'unknown':
        if (value === circular) return circular;
        if (value.alternatives.length === 0) return provenAt(at) ?? distinctiveProperty(name, at) ?? unknown;
        return unify(value.alternatives.map((alternative) => memberOf(alternative, name, at)), undefined, value.from);
      case 'promise':
      case 'method':
      case 'function':
      case 'nothing':
        return unknown;
      default:
        return value satisfies never;
    }
  }

  /** `ctx.db`, on which the file elsewhere calls a method that only one library's clients have, not its transactions. */
  function provenAt(at: TSESTree.Node): Value | null {
    const identity = at.type === 'MemberExpression' ? identityOf(at) : null;
    if (typeof identity !== 'string') return null;
    for (const [method, { driver, kind }] of modules.provingMethods) {
      const isProven = callers.callsOfMethod(method, at).some(({ callee }) => {
        const member = unwrap(callee);
        return member.type === 'MemberExpression' && identityOf(member.object) === identity;
      });
      if (isProven && !isToldApart(scopes.textOf(at), method)) return core.make(kind, driver, null, null, { evidence: { because: 'type', node: at }, identity, moduleLevel: false });
    }
    return null;
  }

  /** `prisma.client.$queryRaw`: what a service calls its client is the client. */
  function distinctiveOf(receiver: DriverObject, name: string): Value | null {
    const call = modules.isDistinctive(name) ? methodOfKind(receiver.driver, receiver.kind, name) : null;
    return call && { type: 'method', receiver, name, call };
  }

  /** `queryInterface.sequelize`, whatever `queryInterface` is. */
  function distinctiveProperty(name: string, at: TSESTree.Node): Value | null {
    const owner = modules.ownerOfProperty(name);
    if (!owner) return null;
    const object = core.make(owner.kind, owner.driver, null, null, { evidence: { because: 'type', node: at }, identity: identityOf(at), moduleLevel: false });
    const mayBeTransaction = hasTransactionsLike(owner.driver, owner.kind);
    return object.handle ? { ...object, handle: { ...object.handle, mayBeTransaction } } : object;
  }

  function memberOfObject(object: DriverObject, name: string, at: TSESTree.Node): Value {
    const path = object.exported ? [...object.exported.path, name] : [];
    if (object.exported && modules.exportOf(object.exported.module, path)) return core.exportOf(object.exported.module, path);
    const asProperty = (give: Give): Value =>
      core.make(give, object.driver, object, null, { evidence: { because: 'factory', node: at }, identity: memberIdentity(object, name, at) });
    const property = readKind(object.driver, object.kind, (kind) => ownProperty(kind.properties, name));
    if (property !== undefined) return asProperty(property);
    const call = methodOfKind(object.driver, object.kind, name);
    if (call) return { type: 'method', receiver: object, name, call };
    const otherProperty = readKind(object.driver, object.kind, (kind) => kind.otherProperties);
    if (otherProperty !== undefined) return asProperty(otherProperty);
    if (readKind(object.driver, object.kind, (kind) => kind.otherMembers) !== undefined) return { type: 'delegate', receiver: object };
    return unknown;
  }

  /** A property of a handle that is a handle itself has an identity of its own for each handle it is read from. */
  function memberIdentity(object: DriverObject, name: string, at: TSESTree.Node): HandleIdentity {
    const base = object.handle?.identity;
    return typeof base === 'string' ? `${base}.${name}` : (base ?? at);
  }

  /** Null where neither the class nor what it extends has such a member. `below`: the classes that extend it. */
  function memberOfClass(node: ClassNode, name: string, isStatic: boolean, at: TSESTree.Node, below: readonly ClassNode[] = []): Value | null {
    const self: Value = isStatic ? { type: 'class', node } : { type: 'instance', class: node, created: null };
    for (const member of node.body.body) {
      switch (member.type) {
        case 'MethodDefinition': {
          if (member.kind === 'constructor' && !isStatic) {
            const property = parameterProperty(member.value, name);
            if (property) return property;
          }
          if (member.static !== isStatic || keyName(member) !== name || !isFunction(member.value)) continue;
          if (member.kind === 'method') return { type: 'function', node: member.value, self };
          if (member.kind === 'get') return gotten(member.value);
          continue;
        }
        case 'PropertyDefinition':
        case 'AccessorProperty':
          if (member.static === isStatic && keyName(member) === name) return valueOfField(node, name, member, isStatic);
          continue;
        default:
      }
    }
    const assigned = callers.assignmentsTo(node, name, isStatic);
    if (assigned.length > 0) return describedOr(unifyPresent(assigned.map(({ right }) => core.valueOf(right))), assigned);
    return inherited(node, name, isStatic, at, [...below, node]);
  }

  /** A getter gives what it returns, or what its annotation says. */
  function gotten(getter: TSESTree.FunctionExpression): Value {
    const value = unifyPresent(returnedExpressions(getter).map((expression) => core.valueOf(expression)));
    const annotation = getter.returnType?.typeAnnotation;
    return isDecided(value) || !annotation ? value : (core.declaredAs(annotation, getter, getter) ?? value);
  }

  /** `constructor(private readonly pool: Pool)`. */
  function parameterProperty(constructor: TSESTree.MethodDefinition['value'], name: string): Value | null {
    for (const parameter of constructor.params) {
      if (parameter.type !== 'TSParameterProperty') continue;
      const identifier = parameter.parameter.type === 'AssignmentPattern' ? parameter.parameter.left : parameter.parameter;
      if (identifier.type !== 'Identifier' || identifier.name !== name) continue;
      const variable = scopes.variableOf(identifier);
      return variable && core.valueOfVariable(variable);
    }
    return null;
  }

  function valueOfField(home: ClassNode, name: string, member: TSESTree.PropertyDefinition | TSESTree.AccessorProperty, isStatic: boolean): Value {
    return core.guarded(member, () => {
      const values = [...(member.value ? [member.value] : []), ...callers.assignmentsTo(home, name, isStatic).map(({ right }) => right)];
      const written = unifyPresent(
        values.map((expression) => core.valueOf(expression)),
        member,
      );
      const annotation = member.typeAnnotation?.typeAnnotation;
      if (isDecided(written) || !annotation) return describedOr(written, [member]);
      const declared = core.declaredAs(annotation, member, member);
      if (!declared) return written;
      return core.parts.injection.ofField(member) ? handedOut(declared) : declared;
    });
  }

  /** `/** @type {import('pg').Pool} *\/ this.pool = …`, where what is assigned does not say it. */
  function describedOr(value: Value, places: readonly TSESTree.Node[]): Value {
    if (isDecided(value)) return value;
    const [described] = places.flatMap((place) => documented.ofName(place, null)).filter(({ type }) => type !== 'unknown');
    const [place] = places;
    return described && place ? identified(described, place) : value;
  }

  function inherited(node: ClassNode, name: string, isStatic: boolean, at: TSESTree.Node, below: readonly ClassNode[]): Value | null {
    if (!node.superClass) return null;
    const parent = core.valueOf(node.superClass);
    if (parent.type === 'class') return below.includes(parent.node) ? null : memberOfClass(parent.node, name, isStatic, at, below);
    if (parent.type === 'elsewhere') return inheritedElsewhere(parent, name, isStatic, node);
    // `class Job extends Model`: the driver's object is the class itself.
    if (isStatic) return parent.type === 'object' ? memberOf(parent, name, at) : null;
    // An instance of `class X extends PrismaClient` is a client with members of its own.
    if (parent.type !== 'export' || parent.entry.new === undefined) return null;
    const object = core.make(parent.entry.new, parent.driver, null, null, { evidence: { because: 'constructor', node }, identity: node });
    return memberOf(object, name, at);
  }

  /** Files may import each other, and their classes extend each other, in circles. */
  function inheritedElsewhere(parent: Value & { type: 'elsewhere' }, name: string, isStatic: boolean, node: ClassNode): Value | null {
    if (parentsElsewhere >= maximumParentsElsewhere) return null;
    parentsElsewhere++;
    try {
      const { of } = parent;
      const object = of.type === 'class' && !isStatic ? ({ ...parent, of: { type: 'instance', class: of.node, created: null } } as const) : parent;
      return core.elsewhere.memberOf(object, name, node);
    } finally {
      parentsElsewhere--;
    }
  }

  function memberOfRecord(record: TSESTree.ObjectExpression, name: string): Value {
    const found = propertyOf(record, name);
    if (found.kind === 'found') {
      const value = core.valueOf(found.node);
      return value.type === 'function' ? { ...value, self: { type: 'record', node: record } } : value;
    }
    const getter = record.properties.find((property) => property.type === 'Property' && property.kind === 'get' && keyName(property) === name);
    if (getter?.type === 'Property' && getter.value.type === 'FunctionExpression') return gotten(getter.value);
    return unifyPresent(callers.assignmentsToRecord(record, name, core.evaluator).map(({ right }) => core.valueOf(right)));
  }

  function memberOfShape(members: readonly TSESTree.TypeElement[], name: string, at: TSESTree.Node): Value {
    const found = members.find((member) => (member.type === 'TSPropertySignature' || member.type === 'TSMethodSignature') && keyName(member) === name);
    const annotation = found?.type === 'TSPropertySignature' ? found.typeAnnotation?.typeAnnotation : undefined;
    const value = annotation && found ? core.declaredAs(annotation, found, at) : null;
    return value && found ? identified(value, found) : unknown;
  }

  /** `globalThis.pool`, wherever the file gives it its value. */
  function memberOfGlobal(name: string): Value {
    return unifyPresent(callers.assignmentsToGlobal(name, core.evaluator).map(({ right }) => core.valueOf(right)));
  }
}

