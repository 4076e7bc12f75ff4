import type { TSESTree } from '@typescript-eslint/utils';
import {
  enclosingFunction,
  isCompiledAwait,
  isFunction,
  isInside,
  keyName,
  memberName,
  unwrap,
  unwrappedParent,
  type FunctionNode,
} from './ast.js';
import { dottedName } from './mutations.js';
import { afterAwait, afterCombinator, afterThen, held, into, startOfFlow, type Flow } from './flow-state.js';
import { rejectionOf } from './rejections.js';
import type { Scopes, Variable } from './scope.js';
import { staticValue, type StaticValue } from './static-value.js';
import type { Sink, Step, Use } from './uses.js';
import { isWriteTarget } from './walk.js';

/** A value is followed to at most this many places; what lies beyond counts as escaped. */
const placeLimit = 5_000;
/** A node is met again with another path when a variable is reassigned from its own parts; this often is enough. */
const visitLimit = 4;
const bindingLimit = 16;
const pathLimit = 40;
/** Nested steps, each of them an expression around the last or a variable; bounds the stack. */
const depthLimit = 400;

const conversions: Readonly<Record<string, Flow['converted']>> = {
  Boolean: 'boolean',
  Number: 'number',
  parseInt: 'number',
  'Number.parseInt': 'number',
  String: 'string',
  BigInt: 'bigint',
};

/** Functions that throw, or end the program, when their argument is falsy. */
const assertions: ReadonlySet<string> = new Set(['assert', 'assert.ok', 'console.assert', 'invariant', 'ok']);

/** Functions that return their argument or a copy of it. */
const passThrough: ReadonlySet<string> = new Set(['Promise.resolve', 'Object.freeze', 'structuredClone', 'Array.from']);

const objectReaders: ReadonlySet<string> = new Set(['Object.values', 'Object.entries', 'Object.keys']);

/** Array methods that call their callback with the elements, and at which parameter. */
const elementParameter: Readonly<Record<string, number>> = {
  map: 0, flatMap: 0, forEach: 0, some: 0, every: 0, find: 0, findLast: 0, findIndex: 0, findLastIndex: 0, filter: 0,
  reduce: 1,
};

/** Of these, the ones whose callback's result decides about an element. */
const predicates: ReadonlySet<string> = new Set([
  'some', 'every', 'find', 'findLast', 'findIndex', 'findLastIndex', 'filter',
]);

/** A part a destructuring pattern takes, and the pattern or name that gets it. */
interface PatternPart {
  target: TSESTree.Node;
  step: Step;
}

/** Follows one value through a file. An instance answers one question. */
export class ValueFlow {
  readonly #uses: Use[] = [];
  readonly #visits = new Map<TSESTree.Node, number>();
  readonly #bindings = new Map<Variable, number>();
  #places = 0;
  #depth = 0;

  constructor(readonly scopes: Scopes) {}

  ofExpression(expression: TSESTree.Node): readonly Use[] {
    this.#follow(expression, startOfFlow);
    return this.#result(expression);
  }

  ofVariable(variable: Variable): readonly Use[] {
    const [identifier] = variable.identifiers;
    this.#followVariable(variable, null, startOfFlow);
    const anywhere = identifier ?? variable.defs[0]?.node;
    return anywhere ? this.#result(anywhere) : this.#uses;
  }

  ofParameter(fn: FunctionNode, index: number): readonly Use[] {
    this.#bindParameter(fn, index, startOfFlow);
    return this.#result(fn);
  }

  /** Every way ended at another part of a container: the value itself is read by nobody. */
  #result(from: TSESTree.Node): readonly Use[] {
    if (this.#uses.length === 0) this.#end({ kind: 'never-read', variable: null }, from, from, startOfFlow);
    return this.#uses.sort((a, b) => a.node.range[0] - b.node.range[0]);
  }

  #end(sink: Sink, node: TSESTree.Node, expression: TSESTree.Node, flow: Flow): void {
    this.#uses.push({ ...flow, sink, node, expression, inside: flow.inside.toReversed() });
  }

  /** Ends where the value itself matters; a container tested or compared says nothing about what it holds. */
  #endWithValue(sink: Sink, node: TSESTree.Node, expression: TSESTree.Node, flow: Flow): void {
    this.#end(flow.inside.length === 0 ? sink : { kind: 'escaped' }, node, expression, flow);
  }

  #test(node: TSESTree.Node, expression: TSESTree.Node, flow: Flow): void {
    this.#endWithValue({ kind: 'tested' }, node, expression, flow);
  }

  #escape(node: TSESTree.Node, expression: TSESTree.Node, flow: Flow): void {
    this.#end({ kind: 'escaped' }, node, expression, flow);
  }

  /** Continues with the expression that holds `expression`, whose value (or container) `flow` describes. */
  #follow(expression: TSESTree.Node, flow: Flow): void {
    const { parent, child } = unwrappedParent(expression);
    const visits = (this.#visits.get(expression) ?? 0) + 1;
    this.#visits.set(expression, visits);
    this.#places += 1;
    // One escape says all there is to say about the places beyond the limit.
    if (this.#places > placeLimit + 1) return;
    const isDeep = this.#depth > depthLimit || flow.path.length > pathLimit;
    const isTooFar = isDeep || this.#places > placeLimit || visits > visitLimit;
    if (!parent || isTooFar) return this.#escape(parent ?? child, child, flow);
    this.#depth += 1;
    this.#enter(parent, child, flow);
    this.#depth -= 1;
  }

  #enter(parent: TSESTree.Node, child: TSESTree.Node, flow: Flow): void {
    switch (parent.type) {
      case 'AwaitExpression':
        return this.#follow(parent, afterAwait(flow));
      case 'ExpressionStatement':
        return this.#end({ kind: 'discarded', voided: false }, parent, child, flow);
      case 'UnaryExpression':
        return this.#followUnary(parent, child, flow);
      case 'BinaryExpression':
        return this.#followBinary(parent, child, flow);
      case 'LogicalExpression':
        return this.#followLogical(parent, child, flow);
      case 'ConditionalExpression':
        return parent.test === child ? this.#test(parent, child, flow) : this.#follow(parent, flow);
      case 'SequenceExpression':
        if (parent.expressions.at(-1) === child) return this.#follow(parent, flow);
        return this.#end({ kind: 'discarded', voided: false }, parent, child, flow);
      case 'IfStatement':
      case 'WhileStatement':
      case 'DoWhileStatement':
        return this.#test(parent, child, flow);
      case 'ForStatement':
        if (parent.test === child) return this.#test(parent, child, flow);
        return this.#end({ kind: 'discarded', voided: false }, parent, child, flow);
      case 'SwitchStatement':
        return this.#endWithValue({ kind: 'compared', operator: 'switch', other: null, side: 'left' }, parent, child, flow);
      case 'SwitchCase': {
        const other = parent.parent.discriminant;
        return this.#endWithValue({ kind: 'compared', operator: 'switch', other, side: 'right' }, parent, child, flow);
      }
      case 'MemberExpression':
        if (parent.object === child) return this.#followMember(parent, child, flow);
        return this.#endWithValue({ kind: 'operand', operator: '[]' }, parent, child, flow);
      case 'CallExpression':
      case 'NewExpression':
        return this.#followCall(parent, child, flow);
      case 'VariableDeclarator':
        return this.#bind(parent.id, child, flow);
      case 'AssignmentExpression':
        return this.#followAssignment(parent, child, flow);
      case 'AssignmentPattern':
        return this.#bind(parent.left, child, flow);
      case 'ReturnStatement': {
        const fn = enclosingFunction(parent);
        return fn ? this.#followReturn(fn, parent, child, flow) : this.#escape(parent, child, flow);
      }
      case 'ArrowFunctionExpression':
        return this.#followReturn(parent, parent, child, flow);
      case 'Property': {
        const name = parent.value === child ? keyName(parent) : null;
        if (name === null || parent.parent.type !== 'ObjectExpression') return this.#escape(parent, child, flow);
        return this.#follow(parent.parent, held(flow, { kind: 'property', name }));
      }
      case 'ArrayExpression': {
        const index = parent.elements.findIndex((element) => element === child);
        const isShifted = parent.elements.slice(0, index).some((element) => element?.type === 'SpreadElement');
        return this.#follow(parent, held(flow, isShifted ? { kind: 'element' } : { kind: 'index', index }));
      }
      case 'SpreadElement':
        return this.#followSpread(parent, child, flow);
      case 'TemplateLiteral':
        return this.#endWithValue({ kind: 'interpolated', template: parent }, parent, child, flow);
      case 'TaggedTemplateExpression':
        return this.#end({ kind: 'called', call: parent }, parent, child, flow);
      case 'ForOfStatement': {
        const element = into(flow, { kind: 'element' });
        if (!element) return undefined;
        const target = parent.left.type === 'VariableDeclaration' ? parent.left.declarations[0]?.id : parent.left;
        const value = parent.await ? afterAwait(element) : element;
        return target ? this.#bind(target, child, value) : this.#escape(parent, child, value);
      }
      case 'ThrowStatement':
        return this.#end({ kind: 'thrown' }, parent, child, flow);
      case 'YieldExpression':
        // `yield*` gives what the generator returns, in Effect what the effect resolves to, as `await` does.
        if (parent.delegate || isCompiledAwait(parent)) return this.#follow(parent, afterAwait(flow));
        return this.#end({ kind: 'yielded', yield: parent }, parent, child, flow);
      case 'ExportDefaultDeclaration':
      case 'ExportSpecifier':
      case 'TSExportAssignment':
        return this.#end({ kind: 'exported' }, parent, child, flow);
      case 'PropertyDefinition':
      case 'AccessorProperty':
        return this.#end({ kind: 'stored', target: parent }, parent, child, flow);
      default:
        return this.#escape(parent, child, flow);
    }
  }

  #followUnary(parent: TSESTree.UnaryExpression, child: TSESTree.Node, flow: Flow): void {
    switch (parent.operator) {
      case '!':
        if (flow.inside.length > 0) return this.#escape(parent, child, flow);
        return this.#follow(parent, { ...flow, negated: !flow.negated, converted: 'boolean' });
      case '+':
        return this.#follow(parent, { ...flow, converted: 'number' });
      case 'void':
        return this.#end({ kind: 'discarded', voided: true }, parent, child, flow);
      default:
        return this.#endWithValue({ kind: 'operand', operator: parent.operator }, parent, child, flow);
    }
  }

  #followBinary(parent: TSESTree.BinaryExpression, child: TSESTree.Node, flow: Flow): void {
    const side = parent.left === child ? 'left' : 'right';
    const other = side === 'left' ? parent.right : parent.left;
    switch (parent.operator) {
      case '==':
      case '!=':
      case '===':
      case '!==':
      case '<':
      case '>':
      case '<=':
      case '>=':
        return this.#endWithValue({ kind: 'compared', operator: parent.operator, other, side }, parent, child, flow);
      default:
        return this.#endWithValue({ kind: 'operand', operator: parent.operator }, parent, child, flow);
    }
  }

  #followLogical(parent: TSESTree.LogicalExpression, child: TSESTree.Node, flow: Flow): void {
    // `ok ?? false` and `ok || false` give a default rather than decide anything.
    const isDefault = parent.operator !== '&&' && staticValue(parent.right, this.scopes) !== null;
    if (parent.right === child || parent.operator === '??' || isDefault) return this.#follow(parent, flow);
    this.#test(parent, child, flow);
    // What flows out of `ok && act()` matters only where more than its truth is looked at.
    const before = this.#uses.length;
    this.#follow(parent, flow);
    const flowedOut = this.#uses.splice(before);
    this.#uses.push(...flowedOut.filter(({ sink }) => sink.kind !== 'tested' && sink.kind !== 'discarded'));
  }

  #followMember(member: TSESTree.MemberExpression, child: TSESTree.Node, flow: Flow): void {
    if (isWriteTarget(member)) return this.#escape(member, child, flow);
    const { parent, child: callee } = unwrappedParent(member);
    if (parent?.type === 'CallExpression' && parent.callee === callee) {
      return this.#followMethod(memberName(member), parent, child, flow);
    }
    const next = into(flow, this.#stepOf(member));
    if (next) this.#follow(member, next);
  }

  #stepOf(member: TSESTree.MemberExpression): Step {
    const key = memberName(member) ?? (member.computed ? staticValue(member.property, this.scopes)?.value : null);
    return typeof key === 'string' || typeof key === 'number' ? stepTo(String(key), member) : { kind: 'unknown-member' };
  }

  #followMethod(name: string | null, call: TSESTree.CallExpression, child: TSESTree.Node, flow: Flow): void {
    switch (name) {
      case 'then':
        return this.#followThen(call, child, flow);
      case 'catch': {
        const rejection = flow.rejection === 'propagates' ? rejectionOf(call.arguments[0], this.scopes) : flow.rejection;
        return this.#follow(call, { ...flow, chained: true, rejection });
      }
      case 'finally':
        return this.#follow(call, { ...flow, chained: true });
      case 'includes':
      case 'indexOf': {
        const sink: Sink = { kind: 'compared', operator: name, other: call.arguments[0] ?? null, side: 'left' };
        return this.#endWithValue(sink, call, child, flow);
      }
      case null:
        return this.#escape(call, child, flow);
      default:
    }
    const parameter = Object.hasOwn(elementParameter, name) ? elementParameter[name] : undefined;
    if (parameter !== undefined) return this.#followElements(name, parameter, call, child, flow);
    if (flow.inside.length > 0) return this.#escape(call, child, flow);
    return this.#follow(call, { ...flow, path: [...flow.path, { kind: 'method', name, call }] });
  }

  #followThen(call: TSESTree.CallExpression, child: TSESTree.Node, flow: Flow): void {
    const [onFulfilled, onRejected] = call.arguments;
    const caught = onRejected && flow.rejection === 'propagates' ? rejectionOf(onRejected, this.scopes) : flow.rejection;
    const chain: Flow = { ...flow, chained: true, rejection: caught };
    const callback = onFulfilled ? unwrap(onFulfilled) : null;
    const isAbsent = !callback || (callback.type !== 'SpreadElement' && isNullish(staticValue(callback, this.scopes)));
    if (isAbsent) return this.#follow(call, chain);
    const value = afterThen(chain);
    if (isFunction(callback)) return this.#bindParameter(callback, 0, value);
    return this.#end({ kind: 'argument', call, index: 0 }, call, child, value);
  }

  #followElements(name: string, parameter: number, call: TSESTree.CallExpression, child: TSESTree.Node, flow: Flow): void {
    const element = into(flow, { kind: 'element' });
    const callback = call.arguments[0] ? unwrap(call.arguments[0]) : null;
    if (!element) return;
    const isTruth = callback?.type === 'Identifier' && callback.name === 'Boolean';
    if (isFunction(callback)) {
      // An unused parameter of a callback is no statement about the array.
      if (callback.params.length > parameter) this.#bindParameter(callback, parameter, element);
    } else if (isTruth && (name === 'some' || name === 'every')) {
      return this.#follow(call, { ...element, converted: 'boolean' });
    } else if (!isTruth) {
      this.#end({ kind: 'argument', call, index: 0 }, call, child, element);
    }
    if (name !== 'filter' && name !== 'find' && name !== 'findLast') return;
    if (flow.inside.length > 0) return this.#follow(call, name === 'filter' ? flow : element);
    this.#follow(call, { ...flow, path: [...flow.path, { kind: 'method', name, call }] });
  }

  #followCall(call: TSESTree.CallExpression | TSESTree.NewExpression, child: TSESTree.Node, flow: Flow): void {
    if (call.callee === child) return this.#end({ kind: 'called', call }, call, child, flow);
    const index = call.arguments.findIndex((argument) => argument === child);
    const argument: Sink = { kind: 'argument', call, index };
    const name = call.type === 'CallExpression' ? dottedName(call.callee) : null;
    if (name === null || call.type !== 'CallExpression' || index !== 0) return this.#end(argument, call, child, flow);
    const combined = afterCombinator(name, flow);
    if (combined) return this.#follow(call, combined);
    const converted = Object.hasOwn(conversions, name) ? conversions[name] : undefined;
    if (converted && flow.inside.length === 0) return this.#follow(call, { ...flow, converted });
    if (assertions.has(name)) return this.#test(call, child, flow);
    if (passThrough.has(name)) return this.#follow(call, flow);
    if (objectReaders.has(name) && flow.inside.length === 0) {
      return this.#follow(call, { ...flow, path: [...flow.path, { kind: 'method', name, call }] });
    }
    return this.#end(argument, call, child, flow);
  }

  #followSpread(spread: TSESTree.SpreadElement, child: TSESTree.Node, flow: Flow): void {
    const { parent } = spread;
    switch (parent.type) {
      case 'ObjectExpression':
        return this.#follow(parent, flow);
      case 'ArrayExpression': {
        if (parent.elements[0] === spread) return this.#follow(parent, flow);
        const element = into(flow, { kind: 'element' });
        return element ? this.#follow(parent, held(element, { kind: 'element' })) : undefined;
      }
      case 'CallExpression':
      case 'NewExpression': {
        const index = parent.arguments.indexOf(spread);
        const element = into(flow, { kind: 'element' });
        return element ? this.#end({ kind: 'argument', call: parent, index }, parent, child, element) : undefined;
      }
      default:
        return this.#escape(parent, child, flow);
    }
  }

  #followAssignment(parent: TSESTree.AssignmentExpression, child: TSESTree.Node, flow: Flow): void {
    switch (parent.operator) {
      case '=':
      case '||=':
      case '&&=':
      case '??=':
        break;
      default:
        return this.#endWithValue({ kind: 'operand', operator: parent.operator }, parent, child, flow);
    }
    this.#bind(parent.left, child, flow);
    if (unwrappedParent(parent).parent?.type !== 'ExpressionStatement') this.#follow(parent, flow);
  }

  /** A returned value: the result of the call for callbacks and functions called in place. */
  #followReturn(fn: FunctionNode, node: TSESTree.Node, child: TSESTree.Node, flow: Flow): void {
    const returned: Sink = { kind: 'returned', function: fn };
    const { parent: call, child: callback } = unwrappedParent(fn);
    if (call?.type !== 'CallExpression' || fn.generator) return this.#end(returned, node, child, flow);
    const result = fn.async ? inPromise(flow) : flow;
    if (call.callee === callback) return this.#follow(call, result);
    const callee = unwrap(call.callee);
    const method = callee.type === 'MemberExpression' ? memberName(callee) : null;
    const position = call.arguments.findIndex((argument) => argument === callback);
    switch (method) {
      case 'then':
      case 'catch':
        return this.#follow(call, inPromise(flow));
      case 'finally':
        return this.#end({ kind: 'discarded', voided: false }, node, child, flow);
      default:
    }
    const isElementCallback = method !== null && position === 0 && Object.hasOwn(elementParameter, method);
    if (!isElementCallback) return this.#end(returned, node, child, flow);
    if (predicates.has(method)) return this.#test(node, child, result);
    if (method === 'forEach') return this.#end({ kind: 'discarded', voided: false }, node, child, result);
    if (method === 'map') return this.#follow(call, held(result, { kind: 'element' }));
    // `flatMap` may take an array apart, `reduce` hands its result to the next round.
    return this.#end(returned, node, child, flow);
  }

  #bindParameter(fn: FunctionNode, index: number, flow: Flow): void {
    for (const [position, parameter] of fn.params.entries()) {
      const pattern = parameter.type === 'TSParameterProperty' ? parameter.parameter : parameter;
      if (pattern.type === 'RestElement') {
        return this.#bind(pattern.argument, pattern, held(flow, { kind: 'index', index: index - position }));
      }
      if (position !== index) continue;
      if (parameter.type === 'TSParameterProperty') {
        this.#end({ kind: 'stored', target: parameter }, parameter, pattern, flow);
      }
      return this.#bind(pattern, pattern, flow);
    }
    return this.#end({ kind: 'discarded', voided: false }, fn, fn, flow);
  }

  /** Gives the value to a pattern, a variable or a member. */
  #bind(pattern: TSESTree.Node, value: TSESTree.Node, flow: Flow): void {
    const target = unwrap(pattern);
    switch (target.type) {
      case 'Identifier': {
        const variable = this.scopes.variableOf(target);
        if (!variable) return this.#end({ kind: 'stored', target }, target, value, flow);
        return this.#followVariable(variable, target, flow);
      }
      case 'AssignmentPattern':
        return this.#bind(target.left, value, flow);
      case 'MemberExpression':
        return this.#end({ kind: 'stored', target }, target, value, flow);
      case 'ObjectPattern': {
        const parts = target.properties.map((property): PatternPart => {
          if (property.type === 'RestElement') return { target: property.argument, step: { kind: 'rest' } };
          const name = keyName(property);
          return { target: property.value, step: name === null ? { kind: 'unknown-member' } : stepTo(name, property) };
        });
        return this.#bindParts(parts, target, value, flow);
      }
      case 'ArrayPattern': {
        const parts = target.elements.flatMap((element, index): PatternPart[] => {
          if (!element) return [];
          if (element.type === 'RestElement') return [{ target: element.argument, step: { kind: 'rest' } }];
          return [{ target: element, step: { kind: 'index', index, node: element } }];
        });
        return this.#bindParts(parts, target, value, flow);
      }
      default:
        return this.#escape(target, value, flow);
    }
  }

  #bindParts(
    parts: readonly PatternPart[],
    pattern: TSESTree.Node,
    value: TSESTree.Node,
    flow: Flow,
  ): void {
    let isTaken = false;
    for (const part of parts) {
      const inner = into(flow, part.step);
      if (!inner) continue;
      isTaken = true;
      this.#bind(part.target, value, inner);
    }
    if (!isTaken) this.#end({ kind: 'discarded', voided: false }, pattern, value, flow);
  }

  /** Every read of the variable that can see the value written at `write`. */
  #followVariable(variable: Variable, write: TSESTree.Node | null, flow: Flow): void {
    const bindings = (this.#bindings.get(variable) ?? 0) + 1;
    this.#bindings.set(variable, bindings);
    if (bindings > bindingLimit && write) return this.#escape(write, write, flow);
    const reads = this.scopes.readsOf(variable).filter(({ identifier }) => !write || canSee(identifier, write));
    const place = write ?? variable.identifiers[0] ?? variable.defs[0]?.node;
    const declaration = variable.defs[0]?.node.parent;
    if (place && (declaration?.parent?.type === 'ExportNamedDeclaration' || this.scopes.isVisibleToTemplate(variable))) {
      this.#end({ kind: 'exported' }, place, place, flow);
    } else if (place && declaration?.type === 'VariableDeclaration' && declaration.kind.endsWith('using')) {
      // It is disposed of at the block's end, read or not.
      this.#end({ kind: 'stored', target: place }, place, place, flow);
    } else if (place && reads.length === 0) {
      this.#end({ kind: 'never-read', variable }, place, place, flow);
    }
    for (const { identifier } of reads) this.#follow(identifier, flow);
  }
}

/** A read before the write sees it only in a loop, or in another function. */
function canSee(read: TSESTree.Node, write: TSESTree.Node): boolean {
  if (read.range[0] > write.range[0] || enclosingFunction(read) !== enclosingFunction(write)) return true;
  for (let node = write.parent; node && !isFunction(node); node = node.parent) {
    switch (node.type) {
      case 'ForStatement':
      case 'ForInStatement':
      case 'ForOfStatement':
      case 'WhileStatement':
      case 'DoWhileStatement':
        if (isInside(read, node)) return true;
        break;
      default:
    }
  }
  return false;
}

const stepTo = (name: string, node: TSESTree.Node): Step =>
  /^(?:0|[1-9]\d{0,9})$/.test(name) ? { kind: 'index', index: Number(name), node } : { kind: 'property', name, node };

const isNullish = (known: StaticValue | null): boolean =>
  known !== null && (known.value === null || known.value === undefined);

/** What an async function or a promise's callback returns, as its caller sees it; promises are not nested. */
function inPromise(flow: Flow): Flow {
  const isSettled = flow.path.some(({ kind }) => kind === 'await' || kind === 'then');
  const isPromise = flow.inside.at(-1)?.kind === 'promise' || (flow.inside.length === 0 && !isSettled);
  return isPromise ? flow : held(flow, { kind: 'promise' });
}
