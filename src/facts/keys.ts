import type { TSESTree } from '@typescript-eslint/utils';
import { childNodes } from '../flow/nodes.js';
import { isFunction, isInside, memberName, unwrap } from '../source/ast.js';
import type { StaticValue } from '../source/constants.js';
import { dottedName } from '../source/mutations.js';
import type { Scopes, Variable } from '../source/scope.js';
import type { SqlExpression } from '../sql/model.js';
import type { Frame, FrameReader } from './frames.js';
import type { QueryLock } from './query.js';

/** What a lock is taken on: the key arguments of one lock function, seen from the function that calls it. */
export interface LockKey {
  readonly lock: QueryLock;
  /** One or two for PostgreSQL, the name for MySQL; none for a function that releases all. */
  readonly parts: readonly SqlExpression[];
  /** The calls of helpers between the statement and the function that asks, innermost first. */
  readonly frames: readonly Frame[];
  /** The bound JavaScript values of the parts, null where the SQL itself says it or nothing is known. */
  readonly values: readonly (TSESTree.Node | null)[];
}

export type Sameness = 'same' | 'different' | 'unknown';

/**
 * How two keys certainly differ: by value, by form (one argument and two are separate key spaces), or because one
 * function computes both from different numbers of arguments.
 */
export type Difference = 'key' | 'form' | 'key-arguments';

export type Comparison = { readonly is: 'same' } | { readonly is: 'different'; readonly by: Difference } | { readonly is: 'unknown' };

/** Compares lock keys by value. */
export interface Keys {
  /** The key of a lock operation, whose statement was reached through these calls of helpers. */
  keyOf(lock: QueryLock, frames: readonly Frame[]): LockKey;
  compare(one: LockKey, other: LockKey): Comparison;
  sameKey(one: LockKey, other: LockKey): Sameness;
  /** Is the key the same in every round of the loops around the call? False also where its values are not seen. */
  isSteady(key: LockKey, call: TSESTree.Node): boolean;
}

const same: Comparison = { is: 'same' };
const unknown: Comparison = { is: 'unknown' };
const differentBy = (by: Difference): Comparison => ({ is: 'different', by });

/** Did one and the same call of the helper lead to both? */
const isOneRun = (one: LockKey, other: LockKey): boolean =>
  one.frames.length === other.frames.length && one.frames.every(({ call }, index) => call === other.frames[index]?.call);

/** Definitions of variables that are followed in one comparison. */
const depthLimit = 12;

/** A key argument reduced to what decides its value. */
type Term =
  | { readonly is: 'constant'; readonly text: string }
  | { readonly is: 'call'; readonly name: string; readonly parts: readonly Term[] }
  | { readonly is: 'column'; readonly name: string }
  | { readonly is: 'expression'; readonly node: TSESTree.Node; readonly frames: readonly Frame[] }
  | { readonly is: 'unknown' };

export function createKeys(scopes: Scopes, frameReader: FrameReader, constantOf: (expression: TSESTree.Node) => StaticValue | null): Keys {
  return { keyOf, compare, sameKey: (one, other) => compare(one, other).is, isSteady: (key, call) => isSteadyKey(key, outermostLoop(call)) };

  function keyOf(lock: QueryLock, frames: readonly Frame[]): LockKey {
    const parts = lock.operation.keys;
    return { lock, parts, frames, values: parts.map((part) => lock.boundValue(part)) };
  }

  function compare(one: LockKey, other: LockKey): Comparison {
    if (one.lock.operation.dialect !== other.lock.operation.dialect) return unknown;
    // Two keys of one run of a helper are compared as the helper writes them: its variables are the same ones.
    const asWritten = isOneRun(one, other) ? compareParts(one, other, []) : unknown;
    return asWritten.is === 'same' || (one.frames.length === 0 && other.frames.length === 0) ? asWritten : compareParts(one, other, null);
  }

  /** `frames` given: in the light of those; null: each in the light of its own. */
  function compareParts(one: LockKey, other: LockKey, frames: readonly Frame[] | null): Comparison {
    const left = termsOf(one, frames ?? one.frames);
    const right = termsOf(other, frames ?? other.frames);
    if (left.length !== right.length) {
      const isOpen = [...left, ...right].some((term) => term.is === 'unknown') || [one, other].some(mayHideArguments);
      return isOpen ? unknown : differentBy('form');
    }
    return allOf(left, right, one.lock.operation.dialect === 'mysql');
  }

  function isSteadyKey(key: LockKey, loop: TSESTree.Node | null): boolean {
    if (!loop) return true;
    const isSteadyPart = (part: SqlExpression): boolean => {
      switch (part.kind) {
        case 'cast':
          return isSteadyPart(part.argument);
        case 'call':
        case 'operator':
          return part.arguments.every(isSteadyPart);
        case 'hole':
        case 'placeholder': {
          const value = key.lock.boundValue(part);
          const place = value && frameReader.argumentFor(value, key.frames);
          return place !== null && isFixedIn(place.node, loop);
        }
        case 'column':
        case 'subquery':
        case 'unknown':
          return false;
        default:
          return true;
      }
    };
    return key.parts.every(isSteadyPart);
  }

  /** Uses nothing that the loop declares or assigns. */
  function isFixedIn(expression: TSESTree.Node, loop: TSESTree.Node): boolean {
    const node = unwrap(expression);
    if (isImpure(node)) return false;
    if (node.type !== 'Identifier') return childNodes(node).every((child) => isFixedIn(child, loop));
    const variable = scopes.variableOf(node);
    if (!variable) return true;
    const isDeclaredThere = variable.identifiers.some((identifier) => isInside(identifier, loop));
    return !isDeclaredThere && !scopes.writesOf(variable).some(({ identifier }) => isInside(identifier, loop));
  }

  function termsOf(key: LockKey, frames: readonly Frame[]): readonly Term[] {
    return key.parts.map((part) => termOf(part, key.lock, frames));
  }

  function termOf(expression: SqlExpression, lock: QueryLock, frames: readonly Frame[]): Term {
    switch (expression.kind) {
      case 'integer':
        return { is: 'constant', text: String(expression.value) };
      case 'number':
        return { is: 'constant', text: expression.text };
      case 'string':
        return { is: 'constant', text: constantText(expression.value) };
      case 'boolean':
        return { is: 'constant', text: String(expression.value) };
      case 'null':
        return { is: 'constant', text: 'null' };
      case 'cast':
        return termOf(expression.argument, lock, frames);
      case 'call':
        return { is: 'call', name: expression.name.toLowerCase(), parts: expression.arguments.map((argument) => termOf(argument, lock, frames)) };
      case 'operator':
        return { is: 'call', name: `operator ${expression.operator}`, parts: expression.arguments.map((argument) => termOf(argument, lock, frames)) };
      case 'column':
        return { is: 'column', name: expression.path.join('.').toLowerCase() };
      case 'hole':
      case 'placeholder': {
        const node = lock.boundValue(expression);
        return node ? { is: 'expression', node, frames } : { is: 'unknown' };
      }
      default:
        return { is: 'unknown' };
    }
  }

  function allOf(left: readonly Term[], right: readonly Term[], ignoresCase: boolean): Comparison {
    let result: Comparison = same;
    for (const [index, term] of left.entries()) {
      const other = right[index];
      const compared = other ? compareTerms(term, other, ignoresCase) : unknown;
      if (compared.is === 'different') return compared;
      if (compared.is === 'unknown') result = unknown;
    }
    return result;
  }

  function compareTerms(one: Term, other: Term, ignoresCase: boolean): Comparison {
    const [left, right] = [reduced(one), reduced(other)];
    if (left.is === 'constant' && right.is === 'constant') {
      // MySQL's lock names are not case-sensitive.
      const [a, b] = ignoresCase ? [left.text.toLowerCase(), right.text.toLowerCase()] : [left.text, right.text];
      return a === b ? same : differentBy('key');
    }
    if (left.is === 'expression' && right.is === 'expression') return compareExpressions(left.node, left.frames, right.node, right.frames, 0);
    if (left.is === 'call' && right.is === 'call') {
      if (left.name !== right.name) return unknown;
      if (left.parts.length !== right.parts.length) return differentBy('key-arguments');
      // Other arguments to one hash function may still give one key, if hardly ever.
      return allOf(left.parts, right.parts, false).is === 'same' ? same : unknown;
    }
    if (left.is === 'column' && right.is === 'column') return left.name === right.name ? same : unknown;
    return unknown;
  }

  function reduced(term: Term): Term {
    if (term.is !== 'expression') return term;
    const resolved = frameReader.argumentFor(term.node, term.frames);
    const known = constantOf(resolved?.node ?? term.node);
    return known && isPlain(known.value) ? { is: 'constant', text: constantText(String(known.value)) } : term;
  }

  function compareExpressions(one: TSESTree.Node, oneFrames: readonly Frame[], other: TSESTree.Node, otherFrames: readonly Frame[], depth: number): Comparison {
    if (depth > depthLimit) return unknown;
    const left = resolved(one, oneFrames);
    const right = resolved(other, otherFrames);
    if (!left || !right) return unknown;
    const [a, b] = [left.node, right.node];
    if (a === b) return isImpure(a) ? unknown : same;
    const again = (x: TSESTree.Node, y: TSESTree.Node): Comparison => compareExpressions(x, left.frames, y, right.frames, depth + 1);
    const constants = [constantOf(a), constantOf(b)] as const;
    if (constants[0] && constants[1]) {
      return constantText(String(constants[0].value)) === constantText(String(constants[1].value)) ? same : differentBy('key');
    }
    if (a.type === 'Identifier' && b.type === 'Identifier') {
      const [x, y] = [scopes.variableOf(a), scopes.variableOf(b)];
      if (x !== null && x === y) return isSteady(x) ? same : unknown;
      if (x === null && y === null) return a.name === b.name ? same : unknown;
    }
    const written = compareWritten(a, b, again);
    if (written.is !== 'unknown') return written;
    const [source, otherSource] = [sourceOf(a), sourceOf(b)];
    if (source && otherSource) return again(source, otherSource);
    if (source) return again(source, b);
    return otherSource ? again(a, otherSource) : unknown;
  }

  function compareWritten(a: TSESTree.Node, b: TSESTree.Node, again: (x: TSESTree.Node, y: TSESTree.Node) => Comparison): Comparison {
    if (a.type === 'ThisExpression' && b.type === 'ThisExpression') return same;
    if (a.type === 'MemberExpression' && b.type === 'MemberExpression') {
      const [name, otherName] = [memberName(a), memberName(b)];
      if (again(a.object, b.object).is !== 'same') return unknown;
      if (name === null && otherName === null) return again(a.property, b.property).is === 'same' ? same : unknown;
      if (name === null || name !== otherName) return unknown;
      return a.object.type === 'ThisExpression' || !scopes.isMemberWritten(name) ? same : unknown;
    }
    if (a.type === 'CallExpression' && b.type === 'CallExpression') return compareCalls(a, b, again);
    if (a.type === 'TemplateLiteral' && b.type === 'TemplateLiteral') {
      if (a.expressions.length !== b.expressions.length) return unknown;
      const values = a.expressions.every((expression, index) => isSame(again, expression, b.expressions[index]));
      if (!values) return unknown;
      const texts = a.quasis.every((quasi, index) => quasi.value.cooked === b.quasis[index]?.value.cooked);
      return texts ? same : unknown;
    }
    if (a.type === 'BinaryExpression' && b.type === 'BinaryExpression') {
      return a.operator === b.operator && isSame(again, a.left, b.left) && isSame(again, a.right, b.right) ? same : unknown;
    }
    if (a.type === 'UnaryExpression' && b.type === 'UnaryExpression') return a.operator === b.operator && isSame(again, a.argument, b.argument) ? same : unknown;
    if (a.type === 'AwaitExpression' && b.type === 'AwaitExpression') return again(a.argument, b.argument);
    return unknown;
  }

  function compareCalls(a: TSESTree.CallExpression, b: TSESTree.CallExpression, again: (x: TSESTree.Node, y: TSESTree.Node) => Comparison): Comparison {
    if (again(a.callee, b.callee).is !== 'same' || isImpure(a)) return unknown;
    if ([...a.arguments, ...b.arguments].some((argument) => argument.type === 'SpreadElement')) return unknown;
    if (a.arguments.length !== b.arguments.length) return differentBy('key-arguments');
    return a.arguments.every((argument, index) => isSame(again, argument, b.arguments[index])) ? same : unknown;
  }

  /** Without conversions that change the type of a key and not its value, and with helpers' parameters replaced. */
  function resolved(node: TSESTree.Node, frames: readonly Frame[]): { node: TSESTree.Node; frames: readonly Frame[] } | null {
    const place = frameReader.argumentFor(node, frames);
    if (!place) return null;
    const inner = unwrap(place.node);
    const converted = inner.type === 'CallExpression' ? conversionOf(inner) : null;
    return converted ? resolved(converted, place.frames) : { node: inner, frames: place.frames };
  }

  function conversionOf(call: TSESTree.CallExpression): TSESTree.Node | null {
    const callee = unwrap(call.callee);
    const [argument] = call.arguments;
    if (callee.type === 'Identifier' && ['String', 'Number', 'BigInt'].includes(callee.name) && !scopes.variableOf(callee)) return argument ?? null;
    return callee.type === 'MemberExpression' && memberName(callee) === 'toString' && call.arguments.length === 0 ? callee.object : null;
  }

  /** One step back: what a variable was given, if it was given a value once. */
  function sourceOf(node: TSESTree.Node): TSESTree.Node | null {
    const variable = node.type === 'Identifier' ? scopes.variableOf(node) : null;
    const definition = variable && scopes.definitionOf(variable);
    return definition?.kind === 'value' && definition.path.length === 0 ? definition.init : null;
  }

  /** One value for as long as it is in scope. */
  function isSteady(variable: Variable): boolean {
    return scopes.definitionOf(variable).kind !== 'unknown';
  }
}

/** The loop that holds all other loops around the call. */
function outermostLoop(call: TSESTree.Node): TSESTree.Node | null {
  let found: TSESTree.Node | null = null;
  for (let outer = call.parent; outer && !isFunction(outer); outer = outer.parent) if (/^(?:For|While|DoWhile)/.test(outer.type)) found = outer;
  return found;
}

const isSame = (again: (x: TSESTree.Node, y: TSESTree.Node) => Comparison, x: TSESTree.Node, y: TSESTree.Node | undefined): boolean =>
  y !== undefined && again(x, y).is === 'same';

/** A fragment of SQL in the place of one argument may hold two. */
function mayHideArguments(key: LockKey): boolean {
  return key.parts.some((part) => part.kind === 'hole' && key.lock.text.holes[part.index]?.kind !== 'value');
}

/** PostgreSQL reads `'42'`, 42 and 42n as one key. */
const constantText = (value: string): string => (/^\s*[-+]?\d+\s*$/.test(value) ? String(BigInt(value.trim().replace(/^\+/, ''))) : value);

const isPlain = (value: unknown): value is string | number | bigint | boolean | null | undefined => !(value instanceof RegExp);

const impureNames: ReadonlySet<string> = new Set([
  'Math.random', 'Date.now', 'performance.now', 'process.hrtime', 'process.hrtime.bigint', 'crypto.randomUUID', 'randomUUID', 'crypto.randomInt', 'randomInt', 'uuid', 'nanoid', 'uuidv4',
]);

/** Two calls with the same arguments give different values. */
function isImpure(node: TSESTree.Node): boolean {
  if (node.type !== 'CallExpression') return false;
  const name = dottedName(node.callee);
  return name !== null && impureNames.has(name);
}
