import type { TSESTree } from '@typescript-eslint/utils';
import type { Call, Condition, DriverDescriptor, Give, GiveDetails, Position, Role, Sends } from '../drivers/driver.js';
import { enclosingClass, isClass, isFunction, keyName, memberName, returnedExpressions, unwrap, type ClassNode, type FunctionNode } from '../source/ast.js';
import type { PatternStep, Scopes, Variable } from '../source/scope.js';
import type { Callers } from './callers.js';
import { methodOfKind, ownProperty, readKind, roleOfKind } from './kinds.js';
import type { KnownExport, Modules } from './modules.js';
import { unknown, type DriverObject, type Evidence, type Handle, type HandleIdentity, type Value } from './values.js';

type CallNode = TSESTree.CallExpression | TSESTree.NewExpression | TSESTree.TaggedTemplateExpression;

/** What stands at a place in a call. */
export type Placed = { kind: 'found'; node: TSESTree.Node } | { kind: 'absent' } | { kind: 'unknown' };

export interface Evaluator {
  /** What the expression is. Never throws; `unknown` where the file does not prove it. */
  valueOf(expression: TSESTree.Node): Value;
  /** What the variable holds. */
  valueOfVariable(variable: Variable): Value;
  /** What a member of the value is; `node` is where it is read. */
  memberOf(value: Value, name: string, node: TSESTree.Node): Value;
  /** The descriptor's meaning of a call, variants resolved, with the object it is made on; null for other calls. */
  meaningOf(node: CallNode): CallMeaning | null;
  /** The expression at a position of a call. */
  placed(node: CallNode, position: Position): Placed;
  holds(node: CallNode, condition: Condition): boolean;
  /** How the object is sent when it is awaited; null for an object that awaiting does not send. */
  awaitsOf(object: DriverObject): Sends | null;
  /** The functions a call may run, when they are in this file. */
  calleeOf(node: CallNode): FunctionNode | null;
  /** A driver's export that a name or member expression refers to; null for other expressions. */
  exportNamedBy(node: TSESTree.Node): KnownExport | null;
}

export interface CallMeaning {
  readonly call: Call;
  readonly driver: DriverDescriptor;
  /** The object whose method is called; null for an exported function. */
  readonly receiver: DriverObject | null;
  /** The method's or export's name as written. */
  readonly name: string;
  /** What else the receiver may be, when callers of the function pass different objects. */
  readonly otherReceivers: readonly DriverObject[];
}

export interface EvaluatorParts {
  readonly scopes: Scopes;
  readonly modules: Modules;
  readonly callers: Callers;
  readonly propertyOf: (expression: TSESTree.Node, path: string) => Placed;
  readonly constantOf: (expression: TSESTree.Node) => { readonly value: unknown } | null;
  /** Reads an annotation; created with the evaluator, because `typeof x` and `x: T` refer to each other. */
  readonly typeValue: (annotation: TSESTree.TypeNode, at: TSESTree.Node, evaluator: Evaluator) => Value;
  /** What the parser's type checker says of an expression that syntax leaves unknown. */
  readonly typed: (expression: TSESTree.Node) => Value;
}

/** Expressions may refer to each other in circles and chains of any length; beyond this depth nothing is claimed. */
const maximumDepth = 60;

/**
 * Answers what expressions are, on demand and memoised. The answer does not depend on the path through the program:
 * a variable with several values is unknown unless they all agree.
 */
export function createEvaluator(parts: EvaluatorParts): Evaluator {
  const { scopes, modules, callers } = parts;
  const memo = new Map<TSESTree.Node, Value>();
  const running = new Set<TSESTree.Node | Variable>();
  // A result that was cut short by a circle is right for the question that was asked, but not worth remembering.
  let cuts = 0;

  const evaluator: Evaluator = { valueOf, valueOfVariable, memberOf, meaningOf, placed, holds, awaitsOf, calleeOf, exportNamedBy };
  return evaluator;

  function valueOf(expression: TSESTree.Node): Value {
    const node = unwrap(expression);
    const known = memo.get(node);
    if (known) return known;
    return guarded(node, () => {
      const cutsBefore = cuts;
      const value = evaluate(node);
      if (cuts === cutsBefore || running.size === 1) memo.set(node, value);
      return value;
    });
  }

  function guarded(key: TSESTree.Node | Variable, compute: () => Value): Value {
    if (running.has(key) || running.size > maximumDepth) {
      cuts++;
      return unknown;
    }
    running.add(key);
    try {
      return compute();
    } finally {
      running.delete(key);
    }
  }

  function evaluate(node: TSESTree.Node): Value {
    switch (node.type) {
      case 'Identifier': {
        const variable = scopes.variableOf(node);
        if (variable) return valueOfVariable(variable);
        return node.name === 'undefined' ? { type: 'nothing' } : globalValue(node);
      }
      case 'Literal':
        return node.value === null && node.raw === 'null' ? { type: 'nothing' } : unknown;
      case 'ThisExpression': {
        const home = enclosingClass(node);
        if (home) return home.static ? { type: 'class', node: home.class } : instanceOf(home.class, null);
        return thisOfRecord(node);
      }
      case 'Super': {
        const home = enclosingClass(node);
        return home ? instanceOf(home.class, null) : unknown;
      }
      case 'MemberExpression': {
        const name = memberName(node);
        const object = receiverValue(node.object, name);
        if (name === null) return elementsOf(object);
        return memberOf(object, name, node);
      }
      case 'AwaitExpression':
        return awaited(valueOf(node.argument));
      case 'YieldExpression':
        return unknown;
      case 'CallExpression':
      case 'TaggedTemplateExpression':
        return resultOfCall(node);
      case 'NewExpression':
        return constructed(node);
      case 'ImportExpression': {
        const source = parts.constantOf(node.source);
        return typeof source?.value === 'string' ? { type: 'promise', of: namespace(source.value, []) } : unknown;
      }
      case 'ConditionalExpression':
        return unify([valueOf(node.consequent), valueOf(node.alternate)]);
      case 'LogicalExpression':
        // A handle is truthy, so the left side of `||` and `??` decides unless it can be absent.
        return node.operator === '&&' ? valueOf(node.right) : eitherOf(node.left, node.right);
      case 'AssignmentExpression':
        if (node.operator === '=') return valueOf(node.right);
        if (node.operator === '??=' || node.operator === '||=') return eitherOf(node.left, node.right);
        return unknown;
      case 'SequenceExpression': {
        const last = node.expressions.at(-1);
        return last ? valueOf(last) : unknown;
      }
      case 'ArrowFunctionExpression':
      case 'FunctionExpression':
      case 'FunctionDeclaration':
        return { type: 'function', node, self: null };
      case 'ClassExpression':
      case 'ClassDeclaration':
        return { type: 'class', node };
      case 'ObjectExpression':
        return { type: 'record', node };
      case 'ArrayExpression':
        return { type: 'list', elements: node.elements.map((element) => (element && element.type !== 'SpreadElement' ? valueOf(element) : null)) };
      default:
        return unknown;
    }
  }

  /** `a ?? b`. In `globalThis.client ?? new Client()` the left side is what an earlier run of the right side left there. */
  function eitherOf(left: TSESTree.Node, right: TSESTree.Node): Value {
    const [first, second] = [valueOf(left), valueOf(right)];
    const creation = unwrap(right);
    const isModuleSingleton = (creation.type === 'NewExpression' || creation.type === 'CallExpression') && isModuleLevelCreation(creation);
    if (isModuleSingleton && second.type === 'object' && first.type === 'unknown' && first.alternatives.length === 0) return second;
    return unify([first, second].filter((value) => value.type !== 'nothing'));
  }

  /** Types are asked only where a driver's method may be called: for every expression they would cost too much. */
  function receiverValue(object: TSESTree.Expression, name: string | null): Value {
    const value = valueOf(object);
    const isOpen = value.type === 'unknown' && value.alternatives.length === 0;
    return isOpen && name !== null && modules.isMethod(name) ? parts.typed(object) : value;
  }

  function globalValue(node: TSESTree.Identifier): Value {
    // Bun's client is a global as well as a module.
    return node.name === 'Bun' ? namespace('bun', []) : unknown;
  }

  function valueOfVariable(variable: Variable): Value {
    return guarded(variable, () => {
      const definition = scopes.definitionOf(variable);
      switch (definition.kind) {
        case 'value': {
          const annotation = annotationOf(definition.declaration?.id);
          const value = follow(valueOf(definition.init), definition.path, definition.init);
          if (isDecided(value) || !annotation || definition.path.length > 0) return value;
          return typeAt(annotation, variable, definition.init) ?? value;
        }
        case 'parameter':
          return valueOfParameter(variable, definition);
        case 'import':
          return imported(definition.module, definition.name);
        case 'function':
          return { type: 'function', node: definition.node, self: null };
        case 'class':
          return { type: 'class', node: definition.node };
        case 'element':
          return follow(elementsOf(valueOf(definition.of)), definition.path, definition.of);
        case 'unknown': {
          const annotation = annotationOf(variable.identifiers[0]);
          const written = unify(definition.writes.map((write) => valueOf(write)).filter((value) => value.type !== 'nothing'), variable);
          if (isDecided(written) || !annotation) return written;
          return typeAt(annotation, variable, annotation) ?? written;
        }
        default:
          return unknown;
      }
    });
  }

  function typeAt(annotation: TSESTree.TypeNode, variable: Variable, at: TSESTree.Node): Value | null {
    const value = parts.typeValue(annotation, at, evaluator);
    return value.type === 'unknown' ? null : identified(value, variable);
  }

  type ParameterDefinition = Extract<ReturnType<Scopes['definitionOf']>, { kind: 'parameter' }>;

  function valueOfParameter(variable: Variable, definition: ParameterDefinition): Value {
    const given = callers.callbackUseOf(definition.function, evaluator);
    if (given) {
      const value = callbackParameter(given, definition);
      if (isDecided(value)) return value;
    }
    const annotation = annotationOf(definition.node);
    const declared = annotation ? follow(parts.typeValue(annotation, definition.node, evaluator), definition.path, definition.node) : unknown;
    if (isDecided(declared)) return identified(declared, variable);
    const passed = unify(
      callers.argumentsFor(definition.function, definition.index, evaluator).map((argument) => follow(valueOf(argument), definition.path, argument)),
      variable,
    );
    if (isDecided(passed)) return passed;
    if (declared.type !== 'unknown') return identified(declared, variable);
    return passed;
  }

  /** The parameter of a function that is handed to a call: a driver's transaction callback, `.then`, a local helper. */
  function callbackParameter(use: { call: TSESTree.CallExpression; index: number; function: FunctionNode }, definition: ParameterDefinition): Value {
    const { call, index } = use;
    const meaning = meaningOf(call);
    const callback = meaning?.call.callback;
    if (meaning && callback && (callback.argument === 'last' ? index === call.arguments.length - 1 : callback.argument === index)) {
      const parameterOf = (position: number, receiver: DriverObject | null): Value => {
        const give = callback.parameters[position];
        const node = definition.function.params[position];
        if (give === undefined || !node) return unknown;
        const bound = typeof give === 'string' || give.sameAsParameter === undefined ? null : parameterOf(give.sameAsParameter, receiver);
        return objectFrom(give, meaning.driver, bound?.type === 'object' ? bound : receiver, call, {
          evidence: { because: 'callback-parameter', node },
          identity: node,
          lifetime: callback.runs === 'later' ? null : definition.function,
        });
      };
      return follow(parameterOf(definition.index, meaning.receiver), definition.path, definition.node);
    }
    const callee = unwrap(call.callee);
    if (callee.type === 'MemberExpression' && memberName(callee) === 'then' && index === 0 && definition.index === 0) {
      return follow(awaited(valueOf(callee.object)), definition.path, call);
    }
    return unknown;
  }

  function imported(module: string, name: string): Value {
    return resolveExport(module, name === '*' ? [] : [name], name);
  }

  function resolveExport(module: string, path: readonly string[], _name: string): Value {
    const known = path.length > 0 ? modules.exportOf(module, path) : null;
    if (known) return exported(known);
    return namespace(module, path);
  }

  function exported(known: NonNullable<ReturnType<Modules['exportOf']>>): Value {
    const { driver, entry } = known;
    if (entry.is !== undefined) {
      const name = entry.names[0] ?? '';
      return objectFrom(entry.is, driver, null, null, {
        evidence: { because: 'export', node: callers.program },
        identity: `${driver.name}#${name}`,
        moduleLevel: true,
      });
    }
    return { type: 'export', driver, entry, node: callers.program };
  }

  function namespace(module: string, path: readonly string[]): Value {
    return modules.isDriver(module) ? { type: 'namespace', module, path } : { type: 'foreign', module, path };
  }

  function memberOf(value: Value, name: string, node: TSESTree.Node): Value {
    switch (value.type) {
      case 'object':
        return memberOfObject(value, name, node);
      case 'namespace':
        return resolveExport(value.module, [...value.path, name], name);
      case 'foreign': {
        const path = [...value.path, name];
        const known = modules.exportOf(value.module, value.path[0] === '*' ? path.slice(1) : path);
        if (known) return exported(known);
        return { type: 'foreign', module: value.module, path };
      }
      case 'instance':
        return memberOfInstance(value.class, name, node);
      case 'class':
        return memberOfClass(value.node, name, true, node) ?? unknown;
      case 'record':
        return memberOfRecord(value.node, name);
      case 'shape': {
        const found = value.members.find((member) => (member.type === 'TSPropertySignature' || member.type === 'TSMethodSignature') && keyName(member) === name);
        const annotation = found?.type === 'TSPropertySignature' ? found.typeAnnotation?.typeAnnotation : undefined;
        return annotation && found ? identified(parts.typeValue(annotation, node, evaluator), found) : unknown;
      }
      case 'list': {
        const element = value.elements[Number(name)];
        return element ?? unknown;
      }
      case 'delegate':
        return value;
      case 'unknown':
        return unify(value.alternatives.map((alternative) => memberOf(alternative, name, node)));
      default:
        return unknown;
    }
  }

  function memberOfObject(object: DriverObject, name: string, node: TSESTree.Node): Value {
    const property = readKind(object.driver, object.kind, (kind) => ownProperty(kind.properties, name));
    if (property !== undefined) {
      return objectFrom(property, object.driver, object, null, { evidence: { because: 'factory', node }, identity: memberIdentity(object, name, node) });
    }
    const call = methodOfKind(object.driver, object.kind, name);
    if (call) return { type: 'method', receiver: object, name, call };
    if (readKind(object.driver, object.kind, (kind) => kind.otherMembers) !== undefined) return { type: 'delegate', receiver: object };
    return unknown;
  }

  /** A property of a handle that is a handle itself has an identity of its own for each handle it is read from. */
  function memberIdentity(object: DriverObject, name: string, node: TSESTree.Node): HandleIdentity {
    const base = object.handle?.identity;
    return typeof base === 'string' ? `${base}.${name}` : (base ?? node);
  }

  function memberOfInstance(node: ClassNode, name: string, at: TSESTree.Node): Value {
    return memberOfClass(node, name, false, at) ?? unknown;
  }

  function memberOfClass(node: ClassNode, name: string, isStatic: boolean, at: TSESTree.Node): Value | null {
    const self: Value = isStatic ? { type: 'class', node } : { type: 'instance', class: node, created: null };
    for (const member of node.body.body) {
      if (member.type === 'MethodDefinition' && member.static === isStatic && keyName(member) === name) {
        if (!isFunction(member.value)) continue;
        if (member.kind === 'method') return { type: 'function', node: member.value, self };
        if (member.kind === 'get') return unify(returnedExpressions(member.value).map((expression) => valueOf(expression)));
      }
      if (member.type === 'MethodDefinition' && member.kind === 'constructor' && !isStatic) {
        const property = member.value.params.find((parameter) => parameter.type === 'TSParameterProperty' && parameterName(parameter) === name);
        if (property?.type === 'TSParameterProperty') {
          const variable = scopes.variableOf(parameterIdentifier(property));
          if (variable) return valueOfVariable(variable);
        }
      }
      if ((member.type === 'PropertyDefinition' || member.type === 'AccessorProperty') && member.static === isStatic && keyName(member) === name) {
        return valueOfField(node, name, member, isStatic);
      }
    }
    const assigned = callers.assignmentsTo(node, name, isStatic);
    if (assigned.length > 0) return unify(assigned.map((expression) => valueOf(expression)).filter((value) => value.type !== 'nothing'));
    return inherited(node, name, isStatic, at);
  }

  function valueOfField(home: ClassNode, name: string, member: TSESTree.PropertyDefinition | TSESTree.AccessorProperty, isStatic: boolean): Value {
    return guarded(member, () => {
      const values = [...(member.value ? [member.value] : []), ...callers.assignmentsTo(home, name, isStatic)];
      const written = unify(values.map((expression) => valueOf(expression)).filter((value) => value.type !== 'nothing'), member);
      if (isDecided(written)) return written;
      const annotation = member.typeAnnotation?.typeAnnotation;
      const declared = annotation ? parts.typeValue(annotation, member, evaluator) : unknown;
      return declared.type === 'unknown' ? written : identified(declared, member);
    });
  }

  function inherited(node: ClassNode, name: string, isStatic: boolean, at: TSESTree.Node): Value | null {
    if (!node.superClass) return null;
    const parent = valueOf(node.superClass);
    if (parent.type === 'class') return memberOfClass(parent.node, name, isStatic, at);
    // `class Job extends Model`: the driver's object is the class itself.
    if (isStatic) return parent.type === 'object' ? memberOf(parent, name, at) : null;
    const object = subclassObject(parent, node);
    return object ? memberOf(object, name, at) : null;
  }

  /** An instance of `class X extends PrismaClient` is a client with members of its own. */
  function subclassObject(parent: Value, node: ClassNode): Value | null {
    if (parent.type !== 'export' || parent.entry.new === undefined) return null;
    return objectFrom(parent.entry.new, parent.driver, null, null, { evidence: { because: 'constructor', node }, identity: node });
  }

  function memberOfRecord(record: TSESTree.ObjectExpression, name: string): Value {
    const found = parts.propertyOf(record, name);
    if (found.kind !== 'found') return unknown;
    const value = valueOf(found.node);
    return value.type === 'function' ? { ...value, self: { type: 'record', node: record } } : value;
  }

  /** `this` in a method of an object literal. */
  function thisOfRecord(node: TSESTree.Node): Value {
    for (let ancestor = node.parent; ancestor; ancestor = ancestor.parent) {
      if (ancestor.type === 'FunctionDeclaration') return unknown;
      if (ancestor.type === 'FunctionExpression') {
        const property = ancestor.parent;
        return property.type === 'Property' && property.parent.type === 'ObjectExpression' ? { type: 'record', node: property.parent } : unknown;
      }
    }
    return unknown;
  }

  function instanceOf(node: ClassNode, created: TSESTree.NewExpression | null): Value {
    return { type: 'instance', class: node, created };
  }

  function constructed(node: TSESTree.NewExpression): Value {
    const callee = valueOf(node.callee);
    if (callee.type === 'class') return instanceOf(callee.node, node);
    // `const Sequelize = require('sequelize')`: the module is the class.
    const known = callee.type === 'export' ? callee : callee.type === 'namespace' ? modules.exportOf(callee.module, callee.path) : null;
    if (known?.entry.new === undefined) return unknown;
    return objectFrom(known.entry.new, known.driver, null, node, { evidence: { because: 'constructor', node }, identity: node });
  }

  function meaningOf(node: CallNode): CallMeaning | null {
    if (node.type === 'NewExpression') return null;
    const callee = unwrap(node.type === 'CallExpression' ? node.callee : node.tag);
    const value = valueOf(callee);
    const tagged = node.type === 'TaggedTemplateExpression';
    const name = callee.type === 'MemberExpression' ? (memberName(callee) ?? '') : callee.type === 'Identifier' ? callee.name : '';
    switch (value.type) {
      case 'method': {
        // A method used as a tag is described like the method; its positions say `template`.
        return meaning(value.call, value.receiver.driver, value.receiver, value.name);
      }
      case 'export': {
        const call = tagged ? value.entry.tag : value.entry.call;
        return call ? meaning(call, value.driver, null, name) : null;
      }
      case 'namespace': {
        const known = modules.exportOf(value.module, [...value.path]);
        const call = tagged ? known?.entry.tag : known?.entry.call;
        return known && call ? meaning(call, known.driver, null, name) : null;
      }
      case 'object': {
        const call = readKind(value.driver, value.kind, (kind) => (tagged ? kind.tag : kind.call));
        return call ? meaning(call, value.driver, value, name) : null;
      }
      case 'delegate':
        return meaning({ usesConnection: true }, value.receiver.driver, value.receiver, name);
      case 'foreign': {
        const owner = callee.type === 'MemberExpression' ? modules.ownerOfMethod(name) : null;
        if (!owner || callee.type !== 'MemberExpression') return null;
        const receiver = assumedHandle(owner.driver, owner.kind, value, callee.object);
        const call = methodOfKind(receiver.driver, receiver.kind, name);
        return call ? meaning(call, owner.driver, receiver, name) : null;
      }
      case 'unknown': {
        const [first, ...others] = value.alternatives.filter((alternative) => alternative.type === 'method');
        if (!first) return null;
        const receiver = first.receiver.handle ? { ...first.receiver, handle: { ...first.receiver.handle, role: 'unknown' as const } } : first.receiver;
        return { ...meaning(first.call, first.receiver.driver, receiver, first.name), otherReceivers: [first, ...others].map((other) => other.receiver) };
      }
      default:
        return null;
    }

    function meaning(call: Call, driver: DriverDescriptor, receiver: DriverObject | null, called: string): CallMeaning {
      return { call: variantOf(call, node), driver, receiver, name: called, otherReceivers: [] };
    }
  }

  /**
   * A handle imported from a file that was not read. At module level it cannot be a transaction or somebody's own
   * connection; a pool is the better of the two things it can be.
   */
  function assumedHandle(driver: DriverDescriptor, kind: string, value: Value & { type: 'foreign' }, node: TSESTree.Node): DriverObject {
    const path = value.path.slice(0, -1);
    return {
      type: 'object',
      driver,
      kind,
      node,
      handle: {
        role: 'pool',
        driver,
        kind,
        identity: `${value.module}#${path.join('.')}`,
        pool: null,
        evidence: { because: 'module-import', node },
        created: null,
        underlying: null,
        give: null,
        lifetime: null,
        moduleLevel: true,
        assumed: true,
      },
    };
  }

  function variantOf(call: Call, node: CallNode): Call {
    const variant = call.variants?.find((candidate) => (candidate.when ?? []).every((condition) => holds(node, condition)));
    return variant ? variantOf({ ...call, variants: [], ...variant }, node) : call;
  }

  function resultOfCall(node: TSESTree.CallExpression | TSESTree.TaggedTemplateExpression): Value {
    const meaning = meaningOf(node);
    if (meaning) return resultOfMeaning(meaning, node);
    if (node.type === 'TaggedTemplateExpression') return unknown;
    const callee = unwrap(node.callee);
    if (callee.type === 'Identifier' && callee.name === 'require' && !scopes.variableOf(callee)) return required(node);
    if (callee.type === 'MemberExpression') {
      const special = specialCall(node, callee);
      if (special) return special;
    }
    const value = valueOf(callee);
    if (value.type === 'function') return returnedBy(value.node);
    if (value.type === 'unknown') {
      const functions = value.alternatives.filter((alternative) => alternative.type === 'function');
      return functions.length > 0 ? unify(functions.map((alternative) => returnedBy(alternative.node))) : unknown;
    }
    return unknown;
  }

  function resultOfMeaning(meaning: CallMeaning, node: CallNode): Value {
    const { call, driver, receiver } = meaning;
    const because: Evidence['because'] = receiver ? 'taken-from-pool' : 'factory';
    const make = (give: Give): Value => objectFrom(give, driver, receiver, node, { evidence: { because, node }, identity: node });
    const gives = call.gives === undefined ? null : make(call.gives);
    const resolves = call.resolves === undefined ? null : make(call.resolves);
    if (gives) return gives;
    if (resolves) return { type: 'promise', of: resolves };
    // A builder's methods that say nothing else give the builder itself.
    const isFluent = receiver && readKind(driver, receiver.kind, (kind) => kind.fluent) === true;
    return isFluent && !call.sends ? receiver : unknown;
  }

  function required(node: TSESTree.CallExpression): Value {
    const [argument] = node.arguments;
    const source = argument ? parts.constantOf(argument) : null;
    return typeof source?.value === 'string' ? namespace(source.value, []) : unknown;
  }

  /** Calls of the language and its library that hand values through. */
  function specialCall(node: TSESTree.CallExpression, callee: TSESTree.MemberExpression): Value | null {
    const name = memberName(callee);
    const object = unwrap(callee.object);
    const [first] = node.arguments;
    if (object.type === 'Identifier' && !scopes.variableOf(object)) {
      if (object.name === 'Promise' && name === 'all' && first) {
        const list = valueOf(first);
        return list.type === 'list' ? { type: 'promise', of: { type: 'list', elements: list.elements.map((element) => element && awaited(element)) } } : unknown;
      }
      if (object.name === 'Promise' && name === 'resolve' && first) return { type: 'promise', of: awaited(valueOf(first)) };
      if (object.name === 'Object' && (name === 'freeze' || name === 'seal' || name === 'assign') && first) return valueOf(first);
    }
    if (name === 'bind') {
      const target = valueOf(object);
      return target.type === 'method' || target.type === 'function' ? target : null;
    }
    if (name === 'then' || name === 'catch' || name === 'finally') {
      const receiver = valueOf(object);
      if (receiver.type !== 'promise') return null;
      if (name !== 'then' || !first) return receiver;
      const handler = valueOf(first);
      return handler.type === 'function' ? { type: 'promise', of: awaited(returnedBy(handler.node)) } : unknown;
    }
    return null;
  }

  function returnedBy(fn: FunctionNode): Value {
    if (fn.generator) return unknown;
    return guarded(fn, () => {
      const value = unify(returnedExpressions(fn).map((expression) => valueOf(expression)).filter((candidate) => candidate.type !== 'nothing'));
      const annotation = fn.returnType?.typeAnnotation;
      const declared = !isDecided(value) && annotation ? parts.typeValue(annotation, fn, evaluator) : unknown;
      if (declared.type !== 'unknown') return declared;
      return fn.async ? { type: 'promise', of: awaited(value) } : value;
    });
  }

  function calleeOf(node: CallNode): FunctionNode | null {
    const callee = unwrap(node.type === 'TaggedTemplateExpression' ? node.tag : node.callee);
    const value = valueOf(callee);
    if (value.type === 'function') return value.node;
    if (value.type === 'class' && node.type === 'NewExpression') return callers.constructorOf(value.node);
    return null;
  }

  function exportNamedBy(node: TSESTree.Node): KnownExport | null {
    const expression = unwrap(node);
    if (expression.type !== 'MemberExpression') return null;
    const name = memberName(expression);
    const object = name === null ? unknown : valueOf(expression.object);
    if (name === null || (object.type !== 'namespace' && object.type !== 'foreign')) return null;
    return modules.exportOf(object.module, [...object.path, name]);
  }

  function awaitsOf(object: DriverObject): Sends | null {
    return readKind(object.driver, object.kind, (kind) => kind.awaits) ?? null;
  }

  function placed(node: CallNode, position: Position): Placed {
    if ('template' in position) return node.type === 'TaggedTemplateExpression' ? { kind: 'found', node: node.quasi } : { kind: 'absent' };
    if ('receiver' in position) {
      const callee = node.type === 'CallExpression' ? unwrap(node.callee) : null;
      return callee?.type === 'MemberExpression' ? { kind: 'found', node: callee.object } : { kind: 'absent' };
    }
    if (node.type === 'TaggedTemplateExpression') return { kind: 'absent' };
    const list = node.arguments;
    const index = 'rest' in position ? position.rest : position.argument === 'last' ? list.length - 1 : position.argument;
    const spread = list.findIndex((argument) => argument.type === 'SpreadElement');
    if (spread >= 0 && spread <= index) return { kind: 'unknown' };
    const argument = list[index];
    if (!argument) return { kind: 'absent' };
    if ('rest' in position || position.property === undefined) return { kind: 'found', node: argument };
    return parts.propertyOf(argument, position.property);
  }

  function holds(node: CallNode, condition: Condition): boolean {
    const place = placed(node, condition.at);
    if (condition.absent === true) return place.kind === 'absent' || (place.kind === 'found' && isFalsyConstant(place.node));
    if (place.kind !== 'found') return false;
    const expression = unwrap(place.node);
    if (condition.member !== undefined) return expression.type === 'MemberExpression' && memberName(expression) === condition.member;
    const constant = parts.constantOf(expression);
    if (condition.present === true) return !constant || (constant.value !== false && constant.value !== null && constant.value !== undefined);
    return constant !== null && constant.value === condition.equals;
  }

  function isFalsyConstant(expression: TSESTree.Node): boolean {
    if (evaluatesToNothing(expression)) return true;
    return parts.constantOf(expression)?.value === false;
  }

  const evaluatesToNothing = (expression: TSESTree.Node): boolean => valueOf(expression).type === 'nothing';

  interface Making {
    readonly evidence: Evidence;
    readonly identity: HandleIdentity;
    readonly lifetime?: FunctionNode | null;
    readonly moduleLevel?: boolean;
  }

  function objectFrom(give: Give, driver: DriverDescriptor, receiver: DriverObject | null, call: CallNode | null, making: Making): Value {
    const details: GiveDetails = typeof give === 'string' ? { kind: give } : give;
    const underlying = details.unwraps ? receiver?.handle?.underlying : null;
    if (underlying && receiver?.handle) {
      return { type: 'object', ...underlying, handle: { ...receiver.handle, ...underlying, underlying: null }, node: making.evidence.node };
    }
    return { type: 'object', driver, kind: details.kind, handle: handleFor(details, driver, receiver, call, making), node: making.evidence.node };
  }

  function handleFor(details: GiveDetails, driver: DriverDescriptor, receiver: DriverObject | null, call: CallNode | null, making: Making): Handle | null {
    const from = receiver?.handle ?? null;
    const role = roleOfKind(driver, details.kind);
    const wrapped = call && details.wraps ? wrappedHandle(details.wraps, call) : null;
    if (details.same) return wrapped && wrapped !== 'unknown' ? { ...wrapped, kind: details.kind } : from && { ...from, kind: details.kind };
    if (role === undefined) return from;
    const own: Handle = {
      role: roleOfNew(details, role, call),
      driver,
      kind: details.kind,
      identity: making.identity,
      pool: null,
      evidence: making.evidence,
      created: call,
      underlying: null,
      give: details,
      lifetime: making.lifetime ?? null,
      moduleLevel: making.moduleLevel ?? isModuleLevelCreation(call),
      assumed: false,
    };
    // What speaks HTTP has no session, whatever it is built on.
    if (wrapped === 'unknown') return role === 'http' ? own : { ...own, role: 'unknown' };
    if (wrapped) return { ...wrapped, driver, kind: details.kind, underlying: { driver: wrapped.driver, kind: wrapped.kind } };
    if (!from || (role !== 'connection' && role !== 'transaction')) return own;
    // A transaction begun on a connection, or a savepoint in a transaction, stays on its backend.
    const stays = from.role === 'connection' || from.role === 'transaction';
    return {
      ...own,
      identity: stays ? from.identity : own.identity,
      pool: stays ? from.pool : from.role === 'unknown' ? null : from,
      moduleLevel: own.moduleLevel,
    };
  }

  function roleOfNew(details: GiveDetails, role: Role, call: CallNode | null): Role {
    if (role !== 'pool' || !call) return role;
    return (details.singleWhen ?? []).some((condition) => holds(call, condition)) ? 'single' : role;
  }

  function isModuleLevelCreation(call: CallNode | null): boolean {
    if (!call) return false;
    for (let node: TSESTree.Node | undefined = call.parent; node; node = node.parent) {
      if (isFunction(node)) return false;
      if (isClass(node)) return false;
    }
    return true;
  }

  /** The handle another one is built on; null when it connects by itself, `unknown` when that cannot be told. */
  function wrappedHandle(positions: readonly Position[], call: CallNode): Handle | 'unknown' | null {
    let result: Handle | 'unknown' | null = null;
    for (const position of positions) {
      const place = placed(call, position);
      if (place.kind === 'absent') continue;
      if (place.kind === 'unknown') {
        result = 'unknown';
        continue;
      }
      const value = awaited(valueOf(place.node));
      if (value.type === 'object' && value.handle) return value.handle;
      if (value.type === 'foreign' || value.type === 'record') continue;
      if (isConnectionText(place.node)) return null;
      result = 'unknown';
    }
    return result;
  }

  /** A connection string or configuration, as opposed to a connection: a constant, or something from the environment. */
  function isConnectionText(expression: TSESTree.Node): boolean {
    const node = unwrap(expression);
    if (parts.constantOf(node) || node.type === 'TemplateLiteral') return true;
    const name = node.type === 'Identifier' ? node.name : node.type === 'MemberExpression' ? (memberName(node) ?? '') : '';
    return /ur[il]|dsn|string|config|options|env/i.test(name) || isEnvironment(node);
  }

  /** `process.env.X`, `import.meta.env.X`, `Bun.env.X`. */
  function isEnvironment(node: TSESTree.Node): boolean {
    for (let object = node; object.type === 'MemberExpression'; object = unwrap(object.object)) {
      if (memberName(object) === 'env') return true;
    }
    return false;
  }

  function awaited(value: Value): Value {
    switch (value.type) {
      case 'promise':
        return awaited(value.of);
      case 'object': {
        const resolves = readKind(value.driver, value.kind, (kind) => kind.resolves);
        return resolves === undefined ? value : objectFrom(resolves, value.driver, value, null, { evidence: { because: 'taken-from-pool', node: value.node }, identity: value.node });
      }
      case 'unknown':
        return value.alternatives.length > 0 ? unify(value.alternatives.map((alternative) => awaited(alternative))) : value;
      default:
        return value;
    }
  }

  function elementsOf(value: Value): Value {
    return value.type === 'list' ? unify(value.elements.flatMap((element) => (element ? [element] : []))) : unknown;
  }

  function follow(value: Value, path: readonly PatternStep[], node: TSESTree.Node): Value {
    let current = value;
    for (const step of path) {
      switch (step.kind) {
        case 'property':
          current = memberOf(current, step.name, node);
          break;
        case 'index':
          current = current.type === 'list' ? (current.elements[step.index] ?? unknown) : unknown;
          break;
        case 'rest':
          break;
        case 'unknown':
          return unknown;
      }
    }
    return current;
  }
}

/** Certain enough to be preferred over what an annotation or a caller would say. */
function isDecided(value: Value): boolean {
  if (value.type === 'unknown' || value.type === 'nothing') return false;
  if (value.type === 'promise') return isDecided(value.of);
  return !(value.type === 'object' && value.handle?.role === 'unknown');
}

/** The same value under an identity of its own: a parameter or field whose annotation says what it is. */
function identified(value: Value, identity: HandleIdentity): Value {
  if (value.type === 'promise') return { type: 'promise', of: identified(value.of, identity) };
  if (value.type !== 'object' || !value.handle) return value;
  return { ...value, handle: { ...value.handle, identity } };
}

/** One value if all agree on what it is; otherwise unknown, with the alternatives kept. */
export function unify(values: readonly Value[], identity?: HandleIdentity): Value {
  const [first, ...others] = values;
  if (!first) return unknown;
  if (others.length === 0) return first;
  if (others.every((other) => agrees(first, other))) {
    const sameBackend = others.every((other) => handleOf(other)?.identity === handleOf(first)?.identity);
    return sameBackend || identity === undefined ? first : identified(first, identity);
  }
  return { type: 'unknown', alternatives: values.flatMap((value) => (value.type === 'unknown' ? value.alternatives : [value])) };
}

const handleOf = (value: Value): Handle | null => (value.type === 'object' ? value.handle : value.type === 'promise' ? handleOf(value.of) : null);

function agrees(a: Value, b: Value): boolean {
  if (a.type !== b.type) return false;
  switch (a.type) {
    case 'object':
      return b.type === 'object' && a.driver === b.driver && a.kind === b.kind && a.handle?.role === b.handle?.role;
    case 'promise':
      return b.type === 'promise' && agrees(a.of, b.of);
    case 'function':
      return b.type === 'function' && a.node === b.node;
    case 'class':
      return b.type === 'class' && a.node === b.node;
    case 'instance':
      return b.type === 'instance' && a.class === b.class;
    case 'record':
      return b.type === 'record' && a.node === b.node;
    case 'foreign':
      return b.type === 'foreign' && a.module === b.module && a.path.join('.') === b.path.join('.');
    case 'nothing':
      return true;
    default:
      return false;
  }
}

/** The annotation written on a parameter, variable or field. */
function annotationOf(node: TSESTree.Node | undefined): TSESTree.TypeNode | null {
  switch (node?.type) {
    case 'TSParameterProperty':
      return annotationOf(node.parameter);
    case 'AssignmentPattern':
      return annotationOf(node.left);
    case 'Identifier':
    case 'ObjectPattern':
    case 'ArrayPattern':
    case 'RestElement':
      return node.typeAnnotation?.typeAnnotation ?? null;
    default:
      return null;
  }
}

function parameterIdentifier(property: TSESTree.TSParameterProperty): TSESTree.Identifier {
  const { parameter } = property;
  if (parameter.type === 'Identifier') return parameter;
  if (parameter.left.type === 'Identifier') return parameter.left;
  throw new TypeError('a parameter property is always an identifier');
}

const parameterName = (property: TSESTree.TSParameterProperty): string => parameterIdentifier(property).name;
