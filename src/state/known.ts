import type { TSESTree } from '@typescript-eslint/utils';
import { readingsOf } from '../facts/results.js';
import type { QueryLock } from '../facts/query.js';
import { keyName, memberName, unwrap } from '../source/ast.js';
import { staticValue } from '../source/constants.js';
import type { Scopes, Variable } from '../source/scope.js';
import type { Step, Use } from '../source/uses.js';
import { withEntry, type State } from './state.js';

/**
 * What is known of a value on one path. `tells` names the lock whose fate the value was made from: a test of such a value
 * is a test of whether the lock was got.
 */
export type Known =
  | { readonly kind: 'constant'; readonly value: string | number | bigint | boolean | null | undefined; readonly tells: QueryLock | null }
  | { readonly kind: 'truthy' | 'falsy'; readonly tells: QueryLock | null }
  /** The boolean or 1 and 0 that a try-lock answers; `negated` where the value is its opposite. */
  | { readonly kind: 'answer'; readonly granted: boolean; readonly negated: boolean; readonly tells: QueryLock }
  /** A statement's result, or a part of it on the way to the answer. */
  | { readonly kind: 'result'; readonly granted: boolean; readonly path: readonly Step[]; readonly tells: QueryLock }
  /** Made from the result in a way that is not understood. */
  | { readonly kind: 'derived'; readonly tells: QueryLock }
  | { readonly kind: 'record'; readonly fields: ReadonlyMap<string, Known> };

export type Truth = 'true' | 'false' | 'unknown';

const constant = (value: boolean | null | undefined, tells: QueryLock | null = null): Known => ({ kind: 'constant', value, tells });

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
      case 'TemplateLiteral':
        return node.expressions.map(again).map((part) => part && derivedFrom(part)).find((part) => part !== null) ?? null;
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
      if (object?.kind === 'result' && name !== null) {
        if (name === 'catch' || name === 'finally') return object;
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

function stepOf(node: TSESTree.MemberExpression): Step {
  const name = memberName(node);
  if (name === null) return { kind: 'unknown-member' };
  return node.computed && /^\d+$/.test(name) ? { kind: 'index', index: Number(name) } : { kind: 'property', name };
}

/** A part of a value: the answer, when the path through the result has reached it. */
function memberOf(value: Known, step: Step): Known | null {
  switch (value.kind) {
    case 'result': {
      const path = [...value.path, step];
      return isAnswer(value.tells, path) ? { kind: 'answer', granted: value.granted, negated: false, tells: value.tells } : { ...value, path };
    }
    case 'record':
      if (step.kind === 'index') return value.fields.get(String(step.index)) ?? null;
      return step.kind === 'property' ? (value.fields.get(step.name) ?? null) : null;
    case 'derived':
      return value;
    case 'answer':
      return { kind: 'derived', tells: value.tells };
    default:
      return null;
  }
}

/** The statement's result itself, before anything is taken out of it. */
export function resultOf(lock: QueryLock, granted: boolean): Known {
  const { operation } = lock;
  if (operation.usedInSql || operation.column?.direct === false) return { kind: 'derived', tells: lock };
  const path: readonly Step[] = [{ kind: 'await' }];
  return isAnswer(lock, path) ? { kind: 'answer', granted, negated: false, tells: lock } : { kind: 'result', granted, path, tells: lock };
}

function isAnswer(lock: QueryLock, path: readonly Step[]): boolean {
  const node = lock.query.node;
  const use: Use = { path, sink: { kind: 'tested' }, node, expression: node, inside: [], negated: false, converted: 'boolean', rejection: 'propagates', chained: false };
  const probe: QueryLock = { ...lock, query: { ...lock.query, uses: [use] } };
  return readingsOf(probe).some((reading) => reading.kind === 'read');
}

const asBoolean = (value: Known | null): Known | null => {
  const truth = truthOf(value);
  if (value === null || value.kind === 'answer' || value.kind === 'derived') return value;
  return truth === 'unknown' ? derivedFrom(value) : constant(truth === 'true', tellsOf(value));
};

function readUnary(node: TSESTree.UnaryExpression, again: (inner: TSESTree.Node) => Known | null): Known | null {
  const value = again(node.argument);
  switch (node.operator) {
    case '!': {
      if (value?.kind === 'answer') return { ...value, negated: !value.negated };
      if (value?.kind === 'derived') return value;
      const truth = truthOf(value);
      return truth === 'unknown' ? value && derivedFrom(value) : constant(truth === 'false', value && tellsOf(value));
    }
    case '+':
      return value;
    case 'void':
      return constant(undefined);
    default:
      return value && derivedFrom(value);
  }
}

function readLogical(node: TSESTree.LogicalExpression, again: (inner: TSESTree.Node) => Known | null): Known | null {
  const left = again(node.left);
  if (node.operator === '??') {
    const isNull = nullness(left);
    if (isNull !== 'unknown') return isNull === 'true' ? again(node.right) : left;
    return left && derivedFrom(left);
  }
  const truth = truthOf(left);
  if (truth === 'unknown') return (left && derivedFrom(left)) ?? derivedFrom(again(node.right));
  const decidedByLeft = (truth === 'true') === (node.operator === '||');
  return decidedByLeft ? left : telling(again(node.right), left);
}

function readComparison(node: TSESTree.BinaryExpression, again: (inner: TSESTree.Node) => Known | null): Known | null {
  if (node.left.type === 'PrivateIdentifier') return null;
  const [left, right] = [again(node.left), again(node.right)];
  const isEqual = ['===', '=='].includes(node.operator);
  const answer = left?.kind === 'answer' ? left : right?.kind === 'answer' ? right : null;
  const other = left?.kind === 'answer' ? right : left;
  if (isEqual || ['!==', '!='].includes(node.operator)) {
    if (answer && other?.kind === 'constant') {
      const meaning = meaningOf(other.value);
      if (meaning === null) return { kind: 'derived', tells: answer.tells };
      return { ...answer, negated: answer.negated !== (meaning !== isEqual) };
    }
    if (left?.kind === 'constant' && right?.kind === 'constant') {
      const loose = node.operator === '==' || node.operator === '!=';
      const equal = loose ? (left.value ?? null) === (right.value ?? null) : left.value === right.value;
      if (!loose || typeof left.value === typeof right.value || left.value == null || right.value == null) {
        return constant(equal === isEqual, left.tells ?? right.tells);
      }
    }
    const [known, literal] = left?.kind === 'constant' ? [right, left] : [left, right];
    if (literal?.kind === 'constant' && literal.value == null && known && nullness(known) === 'false') return constant(!isEqual, tellsOf(known));
  }
  return (left && derivedFrom(left)) ?? derivedFrom(right);
}

/** What comparing the answer with a value asks: is it granted, is it refused, or neither. */
function meaningOf(value: unknown): boolean | null {
  switch (value) {
    case true:
    case 1:
    case 1n:
    case '1':
    case 't':
    case 'true':
      return true;
    case false:
    case 0:
    case 0n:
    case '0':
    case 'f':
    case 'false':
      return false;
    default:
      return null;
  }
}

export function truthOf(value: Known | null): Truth {
  switch (value?.kind) {
    case 'constant':
      return value.value ? 'true' : 'false';
    case 'truthy':
    case 'record':
      return 'true';
    case 'falsy':
      return 'false';
    case 'answer':
      return value.granted !== value.negated ? 'true' : 'false';
    default:
      return 'unknown';
  }
}

/** Is the value null or undefined? */
export function nullness(value: Known | null): Truth {
  switch (value?.kind) {
    case 'constant':
      return value.value === null || value.value === undefined ? 'true' : 'false';
    case 'truthy':
    case 'record':
    case 'answer':
      return 'false';
    case 'result':
      // A statement without a table gives one row, and every row has its columns.
      return 'false';
    default:
      return 'unknown';
  }
}

export function tellsOf(value: Known): QueryLock | null {
  return value.kind === 'record' ? null : value.tells;
}

function derivedFrom(value: Known | null): Known | null {
  const tells = value && tellsOf(value);
  return tells ? { kind: 'derived', tells } : null;
}

/** The value is what it is because of an answer. */
function telling(value: Known | null, because: Known | null): Known | null {
  const tells = because && tellsOf(because);
  if (!tells || !value) return value ?? (because && derivedFrom(because));
  return (value.kind === 'constant' || value.kind === 'truthy' || value.kind === 'falsy') && value.tells === null ? { ...value, tells } : value;
}

/** Marks a value that a helper returned: testing it tells whether the lock was got. */
export function tellingOf(value: Known | null, tells: QueryLock): Known | null {
  if (value === null || value.kind === 'record') return value;
  return value.kind === 'constant' || value.kind === 'truthy' || value.kind === 'falsy' ? { ...value, tells } : value;
}

