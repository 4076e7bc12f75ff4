import type { TSESTree } from '@typescript-eslint/utils';
import { keyName, memberName, unwrap } from '../source/ast.js';
import { staticValue } from '../source/constants.js';
import type { Scopes, Variable } from '../source/scope.js';
import { asBoolean, derivedFrom, memberOf, readComparison, readLogical, readUnary, stepOf, telling, tellsOf, truthOf, type Known } from './known.js';
import { withEntry, type State } from './state.js';

/** Texts in variables are kept only when they are as short as a status or a mode. */
const textLimit = 40;
const depthLimit = 40;

/** Reads expressions on one path, with what is known of variables and results there. */
export interface Reader {
  read(expression: TSESTree.Node, state: State): Known | null;
  /** The name under which a variable or field of `this` is kept; null for anything that is not kept. */
  placeOf(expression: TSESTree.Node): string | null;
  /** Assigns to a variable, field or pattern; what nothing is known of is forgotten. */
  bind(target: TSESTree.Node, value: Known | null, state: State): State;
}

/** `isKept` says which variables and fields are worth remembering. */
export function createReader(scopes: Scopes, isKept: (place: string) => boolean, variableName: (variable: Variable) => string, isTruthyCall: (call: TSESTree.Node) => boolean): Reader {
  return { read: (expression, state) => read(expression, state, 0) ?? leftover(expression, state), placeOf, bind };

  /** An expression around a call whose answer was not followed to its end. */
  function leftover(expression: TSESTree.Node, state: State): Known | null {
    for (const [call, value] of state.results) {
      const isAround = expression.range[0] <= call.range[0] && expression.range[1] >= call.range[1];
      if (isAround) return derivedFrom(value);
    }
    return null;
  }

  function placeOf(expression: TSESTree.Node): string | null {
    const node = unwrap(expression);
    if (node.type === 'Identifier') {
      const variable = scopes.variableOf(node);
      return variable ? variableName(variable) : null;
    }
    if (node.type !== 'MemberExpression' || node.object.type !== 'ThisExpression') return null;
    const name = memberName(node);
    return name === null ? null : `this.${name}`;
  }

  function read(expression: TSESTree.Node, state: State, depth: number): Known | null {
    if (depth > depthLimit) return null;
    const node = unwrap(expression);
    const result = state.results.get(node);
    if (result) return result;
    const place = placeOf(node);
    const kept = place === null ? undefined : state.variables.get(place);
    if (kept) return kept;
    return readNode(node, state, depth) ?? fixed(node);
  }

  /** A value that is the same on every path. */
  function fixed(node: TSESTree.Node): Known | null {
    const known = staticValue(node, scopes);
    if (!known || known.value instanceof RegExp) return null;
    if (typeof known.value === 'string' && known.value.length > textLimit) return { kind: 'truthy', tells: null };
    return { kind: 'constant', value: known.value, tells: null };
  }

  function readNode(node: TSESTree.Node, state: State, depth: number): Known | null {
    const again = (inner: TSESTree.Node): Known | null => read(inner, state, depth + 1);
    switch (node.type) {
      case 'AwaitExpression':
        return again(node.argument);
      case 'MemberExpression': {
        const object = again(node.object);
        return object && memberOf(object, stepOf(node));
      }
      case 'CallExpression':
        return readCall(node, state, depth) ?? (isTruthyCall(node) ? { kind: 'truthy', tells: null } : null);
      case 'NewExpression':
      case 'FunctionExpression':
      case 'ArrowFunctionExpression':
      case 'ClassExpression':
        return { kind: 'truthy', tells: null };
      case 'ObjectExpression':
        return recordOf(node, again);
      case 'ArrayExpression':
        return listOf(node.elements, again);
      case 'UnaryExpression':
        return readUnary(node, again);
      case 'BinaryExpression':
        return readComparison(node, again);
      case 'LogicalExpression':
        return readLogical(node, again);
      case 'ConditionalExpression': {
        const test = again(node.test);
        const truth = truthOf(test);
        if (truth !== 'unknown') return telling(again(truth === 'true' ? node.consequent : node.alternate), test);
        return test && derivedFrom(test);
      }
      case 'SequenceExpression': {
        const last = node.expressions.at(-1);
        return last ? again(last) : null;
      }
      case 'AssignmentExpression':
        return node.operator === '=' ? again(node.right) : null;
      case 'TemplateLiteral': {
        const derived = node.expressions.map(again).map((part) => part && derivedFrom(part)).find((part) => part !== null);
        return derived ?? (node.quasis.some(({ value }) => value.raw !== '') ? { kind: 'truthy', tells: null } : null);
      }
      default:
        return null;
    }
  }

  function readCall(node: TSESTree.CallExpression, state: State, depth: number): Known | null {
    const callee = unwrap(node.callee);
    const [argument] = node.arguments;
    if (callee.type === 'Identifier' && !scopes.variableOf(callee) && argument && argument.type !== 'SpreadElement') {
      const value = read(argument, state, depth + 1);
      if (callee.name === 'Boolean') return asBoolean(value);
      if (callee.name === 'Number' || callee.name === 'String') return value;
    }
    if (callee.type === 'MemberExpression') {
      const name = memberName(callee);
      if (isPromise(callee.object) && argument && argument.type !== 'SpreadElement' && name !== null) return readCombined(name, argument, state, depth);
      const object = read(callee.object, state, depth + 1);
      if (name === 'catch' || name === 'finally') return object;
      if (object?.kind === 'result' && name !== null) {
        return memberOf(object, { kind: 'method', name, call: node });
      }
      if (object) return derivedFrom(object);
    }
    // `isGranted(rows)`: made from the answer, one cannot say how.
    return node.arguments.map((part) => derivedFrom(read(part.type === 'SpreadElement' ? part.argument : part, state, depth + 1))).find((part) => part !== null) ?? null;
  }

  /** `Promise.race([client.query(…), timeout(…)])` gives what the statement gives, where it is the statement that answers. */
  function readCombined(name: string, argument: TSESTree.Node, state: State, depth: number): Known | null {
    const list = unwrap(argument);
    const elements = list.type === 'ArrayExpression' ? list.elements : [];
    const again = (inner: TSESTree.Node): Known | null => read(inner, state, depth + 1);
    if (name === 'all') return listOf(elements, again);
    if (name === 'resolve') return again(list);
    const values = elements.flatMap((element) => (element && element.type !== 'SpreadElement' ? (again(element) ?? []) : []));
    const [only, ...others] = values.filter((value) => tellsOf(value) !== null);
    return (name === 'race' || name === 'any') && only && others.length === 0 ? only : null;
  }

  function isPromise(node: TSESTree.Node): boolean {
    const object = unwrap(node);
    return object.type === 'Identifier' && object.name === 'Promise' && !scopes.variableOf(object);
  }

  function recordOf(node: TSESTree.ObjectExpression, again: (inner: TSESTree.Node) => Known | null): Known {
    const fields = new Map<string, Known>();
    for (const property of node.properties) {
      if (property.type !== 'Property') continue;
      const name = keyName(property);
      const value = name === null ? null : again(property.value);
      if (name !== null && value && fields.size < 8) fields.set(name, value);
    }
    return fields.size > 0 ? { kind: 'record', fields } : { kind: 'truthy', tells: null };
  }

  function listOf(elements: readonly (TSESTree.Node | null)[], again: (inner: TSESTree.Node) => Known | null): Known {
    const fields = new Map<string, Known>();
    for (const [index, element] of elements.slice(0, 8).entries()) {
      if (element?.type === 'SpreadElement') break;
      const value = element && again(element);
      if (value) fields.set(String(index), value);
    }
    return fields.size > 0 ? { kind: 'record', fields } : { kind: 'truthy', tells: null };
  }

  /** `lock.held = …` changes what is known of `lock`. */
  function bindMember(target: TSESTree.MemberExpression, value: Known | null, state: State): State {
    const place = placeOf(target.object);
    const known = place === null ? undefined : state.variables.get(place);
    if (place === null || !isKept(place)) return state;
    const name = memberName(target);
    const fields = new Map(known?.kind === 'record' ? known.fields : []);
    if (name === null) fields.clear();
    else if (value) fields.set(name, value);
    else fields.delete(name);
    const after: Known = fields.size > 0 && fields.size <= 8 ? { kind: 'record', fields } : { kind: 'truthy', tells: null };
    return { ...state, variables: withEntry(state.variables, place, after) };
  }

  function bind(target: TSESTree.Node, value: Known | null, state: State): State {
    const pattern = unwrap(target);
    switch (pattern.type) {
      case 'ObjectPattern':
        return pattern.properties.reduce((after, property) => {
          if (property.type === 'RestElement') return bind(property.argument, value && memberOf(value, { kind: 'rest' }), after);
          const name = keyName(property);
          return bind(property.value, value && name !== null ? memberOf(value, { kind: 'property', name }) : null, after);
        }, state);
      case 'ArrayPattern':
        return pattern.elements.reduce<State>((after, element, index) => {
          if (!element) return after;
          if (element.type === 'RestElement') return bind(element.argument, value && memberOf(value, { kind: 'rest' }), after);
          return bind(element, value && memberOf(value, { kind: 'index', index }), after);
        }, state);
      case 'AssignmentPattern':
        return bind(pattern.left, value, state);
      default: {
        const place = placeOf(pattern);
        if (place === null && pattern.type === 'MemberExpression') return bindMember(pattern, value, state);
        if (place === null || !isKept(place)) return state;
        const variables = withEntry(state.variables, place, value);
        return variables === state.variables ? state : { ...state, variables };
      }
    }
  }
}
