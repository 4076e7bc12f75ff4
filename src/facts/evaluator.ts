import type { TSESTree } from '@typescript-eslint/utils';
import type { Call, Condition, DriverDescriptor, Position, Sends } from '../drivers/driver.js';
import { enclosingClass, enclosingFunction, isInside, memberName, unwrap, unwrappedParent, type FunctionNode } from '../source/ast.js';
import { mentionsLock } from '../sql/lock-functions.js';
import type { PatternStep, Variable } from '../source/scope.js';
import { accessorOn, namedPool } from './accessors.js';
import { identified, isDecided, ofModule, unify, unifyPresent } from './agreement.js';
import { applicationWide } from './application-wide.js';
import { createCalls } from './calls.js';
import type { Core, EvaluatorParts, Placed } from './core.js';
import { readKind, roleOfKind } from './kinds.js';
import { createMaking, isModuleLevel } from './making.js';
import { createMeanings } from './meanings.js';
import { createMembers } from './members.js';
import { createElsewhere } from './imports/elsewhere.js';
import type { KnownExport } from './modules.js';
import { createPositions } from './positions.js';
import { createReceiverIdentity } from './receiver-identity.js';
import { bareHandle, circular, unknown, type DriverObject, type HandleIdentity, type MakingNode, type Value } from './values.js';
import { createVariables } from './variables.js';

export interface Evaluator {
  /** What the expression is. Never throws; `unknown` where the file does not prove it. */
  valueOf(expression: TSESTree.Node): Value;
  /** The same; where syntax leaves the expression unknown, what the parser's types say of it. */
  typedValueOf(expression: TSESTree.Node): Value;
  /** What the variable holds. */
  valueOfVariable(variable: Variable): Value;
  /** What a member of the value is; `node` is where it is read. */
  memberOf(value: Value, name: string, node: TSESTree.Node): Value;
  /** The descriptor's meaning of a call, variants resolved, with the object it is made on; null for other calls. */
  meaningOf(node: MakingNode): CallMeaning | null;
  /** The expression at a position of a call. */
  placed(node: MakingNode, position: Position): Placed;
  holds(node: MakingNode, condition: Condition): boolean;
  /** How the object is sent when it is awaited; null for an object that awaiting does not send. */
  awaitsOf(object: DriverObject): Sends | null;
  /** The functions a call may run, when they are in this file. */
  calleeOf(node: MakingNode): FunctionNode | null;
  /** What a call of the function gives. */
  returnedBy(fn: FunctionNode): Value;
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

/** Expressions may refer to each other in circles and chains of any length; beyond this depth nothing is claimed. */
const maximumDepth = 80;

/** Nor beyond this many steps for one question: circles of many members could lead on and on. */
const maximumSteps = 4000;

/** Stands among the open questions where one was given up. */
const tooMuch = {};

/** A receiver chain longer than this is answered from its beginning, so that its length does not count as depth. */
const longChain = 8;

/**
 * Answers what expressions are, on demand and memoised. The answer does not depend on the path through the program:
 * a variable with several values is unknown unless they all agree.
 */
export function createEvaluator(parts: EvaluatorParts): Evaluator {
  const { scopes, modules, callers } = parts;
  const memo = new Map<object, Value>();
  const meaningMemo = new Map<MakingNode, CallMeaning | null>();
  const running = new Set<object>();
  // The questions that the answer being worked out has run into while they were open themselves. Until they are answered it
  // is not worth remembering.
  let pending = new Set<object>();
  let steps = 0;

  const identityOf = createReceiverIdentity(parts.links);
  const evaluator: Evaluator = {
    valueOf,
    typedValueOf: (expression) => typedIfUnknown(expression, valueOf(expression)),
    valueOfVariable: (variable) => variables.valueOfVariable(variable),
    memberOf: (value, name, node) => members.memberOf(value, name, node),
    meaningOf,
    placed: (node, position) => positions.placed(node, position),
    holds: (node, condition) => positions.holds(node, condition),
    awaitsOf,
    calleeOf,
    returnedBy: (fn) => calls.returnedBy(fn),
    exportNamedBy,
  };
  const core: Core = {
    ...evaluator,
    parts,
    evaluator,
    declaredAs,
    exportOf,
    assumedObject,
    get elsewhere() {
      return elsewhere;
    },
    awaited,
    follow,
    elementsOf,
    make: (give, driver, receiver, call, making) => creations.make(give, driver, receiver, call, making),
    guarded,
  };
  const elsewhere = createElsewhere(core, parts.links);
  const positions = createPositions(core);
  const creations = createMaking(core);
  const variables = createVariables(core);
  const members = createMembers(core);
  const meanings = createMeanings(core);
  const calls = createCalls(core);
  return evaluator;

  function valueOf(expression: TSESTree.Node): Value {
    const node = unwrap(expression);
    const known = memo.get(node);
    if (known) return known;
    for (const receiver of receiversOf(node)) guarded(receiver, () => evaluate(receiver));
    return guarded(node, () => evaluate(node));
  }

  /** As long as other questions are open, the answer may still be cut short by one of them. */
  function meaningOf(node: MakingNode): CallMeaning | null {
    const known = meaningMemo.get(node);
    if (known !== undefined) return known;
    const meaning = meanings.meaningOf(node);
    if (running.size === 0) meaningMemo.set(node, meaning);
    return meaning;
  }

  /** The objects of a long chain `a.b().c()…`, innermost first; none for a short one. */
  function receiversOf(node: TSESTree.Node): readonly TSESTree.Node[] {
    const chain: TSESTree.Node[] = [];
    for (let inner = receiverIn(node); inner && !memo.has(inner); inner = receiverIn(inner)) chain.push(inner);
    return chain.length > longChain ? chain.reverse() : [];
  }

  function guarded(key: object, compute: () => Value): Value {
    const known = memo.get(key);
    if (known) return known;
    if (running.size === 0) {
      steps = 0;
      pending = new Set();
    }
    if (running.has(key)) {
      pending.add(key);
      return circular;
    }
    if (running.size > maximumDepth || ++steps > maximumSteps) {
      pending.add(tooMuch);
      return unknown;
    }
    const pendingBefore = pending;
    pending = new Set();
    running.add(key);
    try {
      const value = compute();
      pending.delete(key);
      if (pending.size === 0 || running.size === 1) memo.set(key, value);
      return value;
    } finally {
      running.delete(key);
      for (const question of pendingBefore) pending.add(question);
    }
  }

  function evaluate(node: TSESTree.Node): Value {
    switch (node.type) {
      case 'Identifier': {
        const variable = scopes.variableOf(node);
        return variable ? seenFrom(node, core.valueOfVariable(variable)) : globalValue(node.name);
      }
      case 'Literal':
        return node.value === null && node.raw === 'null' ? { type: 'nothing' } : unknown;
      case 'UnaryExpression':
        return node.operator === 'void' ? { type: 'nothing' } : unknown;
      case 'ThisExpression':
      case 'Super':
        return thisValue(node);
      case 'MemberExpression': {
        const name = memberName(node);
        const object = receiverValue(node, name);
        const value = name === null ? elementsOf(object) : core.memberOf(object, name, node);
        return isDecided(value) && value.type !== 'foreign' ? value : (parts.declaredHandles.member(node) ?? value);
      }
      case 'AwaitExpression':
        return awaited(valueOf(node.argument));
      case 'YieldExpression':
        // `yield*` hands over what an effect resolves to, as `await` does with a promise.
        return node.delegate && node.argument ? awaited(valueOf(node.argument)) : unknown;
      case 'CallExpression':
      case 'TaggedTemplateExpression':
        return calls.resultOfCall(node);
      case 'NewExpression':
        return calls.constructed(node);
      case 'ImportExpression': {
        const source = parts.constantOf(node.source);
        return typeof source?.value === 'string' ? { type: 'promise', of: exportOf(source.value, [], node) } : unknown;
      }
      case 'ConditionalExpression':
        return unifyPresent([valueOf(node.consequent), valueOf(node.alternate)]);
      case 'LogicalExpression':
        // A handle is truthy, so the left side of `||` and `??` decides unless it can be absent.
        return node.operator === '&&' ? valueOf(node.right) : eitherOf(node.left, node.right);
      case 'AssignmentExpression':
        if (node.operator === '=') return valueOf(node.right);
        return node.operator === '??=' || node.operator === '||=' ? eitherOf(node.left, node.right) : unknown;
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
    const isModuleSingleton = (creation.type === 'NewExpression' || creation.type === 'CallExpression') && isModuleLevel(creation);
    if (isModuleSingleton && second.type === 'object' && first.type === 'unknown' && first.alternatives.length === 0) return second;
    const name = nameOf(left);
    const isOpen = first.type === 'unknown' && first.alternatives.length === 0;
    return (isOpen && name !== null ? namedPool(name, second, identityOf(left)) : null) ?? unifyPresent([first, second]);
  }

  /** What a function puts into a variable of the module is its own until the function ends, and the module's for all others. */
  function seenFrom(node: TSESTree.Identifier, value: Value): Value {
    if (value.type !== 'object' || !value.handle?.moduleLevel || !value.handle.created) return value;
    const maker = enclosingFunction(value.handle.created);
    return maker && isInside(node, maker) ? { ...value, handle: { ...value.handle, moduleLevel: false } } : value;
  }

  function thisValue(node: TSESTree.ThisExpression | TSESTree.Super): Value {
    const home = enclosingClass(node);
    if (home) return home.static ? { type: 'class', node: home.class } : { type: 'instance', class: home.class, created: null };
    const record = recordAround(node);
    return record ? { type: 'record', node: record } : unknown;
  }

  /** Types are asked only where SQL may be sent: for every expression they would cost too much. */
  function receiverValue(member: TSESTree.MemberExpression, name: string | null): Value {
    const value = valueOf(member.object);
    const maySend = name !== null && (modules.isMethod(name) || isGivenLockStatement(member));
    return maySend ? typedIfUnknown(member.object, value) : value;
  }

  /** `db.ask('SELECT pg_advisory_lock(1)')`. */
  function isGivenLockStatement(callee: TSESTree.MemberExpression): boolean {
    const { parent, child } = unwrappedParent(callee);
    if (parent?.type !== 'CallExpression' || parent.callee !== child) return false;
    const [argument] = parent.arguments;
    return argument !== undefined && mentionsLock(scopes.textOf(callee).slice(argument.range[0], parent.range[1]));
  }

  function typedIfUnknown(expression: TSESTree.Node, value: Value): Value {
    const isOpen = value.type === 'foreign' || (value.type === 'unknown' && value.alternatives.length === 0);
    const typed = isOpen ? parts.typed(expression) : unknown;
    if (typed.type === 'unknown') return value;
    if (value.type !== 'foreign') return identified(typed, identityOf(expression));
    return ofModule(applicationWide(identified(typed, parts.links.nameOf(value.module, value.path, expression))));
  }

  function globalValue(name: string): Value {
    switch (name) {
      case 'undefined':
        return { type: 'nothing' };
      case 'globalThis':
      case 'global':
      case 'window':
      case 'self':
        return { type: 'global' };
      default: {
        const module = modules.moduleOfGlobal(name);
        return module === null ? unknown : exportOf(module, [name]);
      }
    }
  }

  function declaredAs(annotation: TSESTree.TypeNode, identity: HandleIdentity, at: TSESTree.Node): Value | null {
    const value = parts.typeValue(annotation, at, evaluator);
    return value.type === 'unknown' ? null : identified(value, identity);
  }

  /** What a module exports at a path; the module itself for an empty one. */
  function exportOf(module: string, path: readonly string[], from?: TSESTree.Node): Value {
    const setting = from ? parts.declaredHandles.exported(module, path, from, false) : null;
    if (setting) return setting;
    const known = path.length > 0 ? modules.exportOf(module, path) : null;
    if (known) return exported(known, module, path);
    if (modules.isDriver(module)) return { type: 'namespace', module, path };
    const read = from ? elsewhere.exportOf(module, path, from) : null;
    if (read) return read;
    const named = from ? parts.declaredHandles.exported(module, path, from, true) : null;
    if (named) return named;
    const owner = modules.ownerOfProperty(path.at(-1) ?? '');
    return owner ? assumedObject(owner, module, path, from ?? callers.program) : { type: 'foreign', module, path };
  }

  function exported({ driver, entry }: KnownExport, module: string, path: readonly string[]): Value {
    if (entry.is === undefined) return { type: 'export', driver, entry, module, path };
    const object = creations.make(entry.is, driver, null, null, {
      evidence: { because: 'export', node: callers.program },
      identity: `${driver.name}#${entry.names[0] ?? ''}`,
      moduleLevel: true,
    });
    return { ...object, exported: { module, path } };
  }

  /** `models.sequelize`, of a module that was not read. */
  function assumedObject({ driver, kind }: { driver: DriverDescriptor; kind: string }, module: string, path: readonly string[], from: TSESTree.Node): DriverObject {
    const accessor = accessorOn(path);
    const evidence = { because: accessor === null || accessor === 'pool' ? 'module-import' : 'accessor', node: callers.program } as const;
    const handle = bareHandle({ role: roleOfKind(driver, kind) ?? 'pool', driver, kind, identity: parts.links.nameOf(module, path, from), evidence });
    return { type: 'object', driver, kind, node: callers.program, handle: { ...handle, moduleLevel: true } };
  }

  function calleeOf(node: MakingNode): FunctionNode | null {
    const callee = unwrap(node.type === 'TaggedTemplateExpression' ? node.tag : node.callee);
    const value = valueOf(callee);
    if (value.type === 'function') return value.node;
    if (value.type === 'class' && node.type === 'NewExpression') return callers.constructorOf(value.node);
    return null;
  }

  function exportNamedBy(node: TSESTree.Node): KnownExport | null {
    const expression = unwrap(node);
    const name = expression.type === 'MemberExpression' ? memberName(expression) : null;
    if (expression.type !== 'MemberExpression' || name === null) return null;
    const object = valueOf(expression.object);
    if (object.type !== 'namespace' && object.type !== 'foreign' && object.type !== 'export') return null;
    return modules.exportOf(object.module, [...object.path, name]);
  }

  function awaitsOf(object: DriverObject): Sends | null {
    return readKind(object.driver, object.kind, (kind) => kind.awaits) ?? null;
  }

  function awaited(value: Value): Value {
    switch (value.type) {
      case 'promise':
        return awaited(value.of);
      case 'object': {
        const resolves = readKind(value.driver, value.kind, (kind) => kind.resolves);
        if (resolves === undefined) return value;
        return creations.make(resolves, value.driver, value, null, { evidence: { because: 'taken-from-pool', node: value.node }, identity: value.node });
      }
      case 'foreign': {
        // What is worth waiting for may be made, or checked out, for whoever waits.
        const accessor = accessorOn(value.path);
        return accessor === null || accessor === 'pool' ? value : unknown;
      }
      case 'unknown':
        return value.alternatives.length > 0 ? unify(value.alternatives.map(awaited), undefined, value.from) : value;
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
          current = core.memberOf(current, step.name, node);
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

/** What a call or member expression is made on. */
function receiverIn(node: TSESTree.Node): TSESTree.Node | null {
  switch (node.type) {
    case 'CallExpression':
      return unwrap(node.callee);
    case 'TaggedTemplateExpression':
      return unwrap(node.tag);
    case 'MemberExpression':
      return unwrap(node.object);
    default:
      return null;
  }
}

/** The object literal whose `this` an expression in one of its methods means. */
function recordAround(node: TSESTree.Node): TSESTree.ObjectExpression | null {
  for (let ancestor = node.parent; ancestor; ancestor = ancestor.parent) {
    if (ancestor.type === 'FunctionDeclaration') return null;
    if (ancestor.type !== 'FunctionExpression') continue;
    const property = ancestor.parent;
    return property.type === 'Property' && property.parent.type === 'ObjectExpression' ? property.parent : null;
  }
  return null;
}

/** The last name of `pool`, `options.pool`. */
function nameOf(expression: TSESTree.Node): string | null {
  const node = unwrap(expression);
  if (node.type === 'Identifier') return node.name;
  return node.type === 'MemberExpression' ? memberName(node) : null;
}
