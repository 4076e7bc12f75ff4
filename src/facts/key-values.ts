import type { TSESTree } from '@typescript-eslint/utils';
import { definePass } from '../pass.js';
import { enclosingFunction, isFunction, isInside, memberName, returnedExpressions, unwrap, type FunctionNode } from '../source/ast.js';
import { memberOf, sourceOf } from '../source/objects.js';
import { scopes, type Reference, type Scopes, type Variable } from '../source/scope.js';
import { hashChainOf, nameOf } from './callee-names.js';
import { evaluation, type Evaluation } from './evaluation.js';
import type { Frame } from './frames.js';
import { applyUnary, combine } from './key-arithmetic.js';
import { constructed, digestResult, methodResult, resultOf } from './key-calls.js';
import {
  anyBigint, anyNumber, anyText, asText, concatenated, constantText, either, isConstant, numberValue, objectValue, scatterOf, unknownValue, valueOfConstant,
  type KeyValue, type StringValue,
} from './key-domain.js';

export interface KeyValues {
  /** What is known of an expression's value, its parameters read in the light of the calls that lead to it. */
  valueOf(expression: TSESTree.Node, frames: readonly Frame[]): KeyValue;
}

/** The type and range that expressions have as lock keys. */
export const keyValues = definePass('key values', [scopes, evaluation], ([scopesOfFile, evaluated]): KeyValues => ({
  valueOf: (expression, frames) => new Question(scopesOfFile, evaluated).valueOf(expression, frames),
}));

/** Expressions looked at for one key, and how deep they may be nested; what lies beyond is unknown. */
const workLimit = 2_000;
const depthLimit = 60;

/** Text whose characters a loop reads to make a hash. */
const readsCharacters = /\b(?:charCodeAt|codePointAt|TextEncoder|Buffer)\b/;

class Question {
  #work = 0;
  #depth = 0;
  /** Variables whose values are being asked for, with what their own reads stand for meanwhile. */
  readonly #active = new Map<Variable, KeyValue>();
  readonly #functions: FunctionNode[] = [];

  constructor(
    readonly scopes: Scopes,
    readonly evaluated: Evaluation,
  ) {}

  valueOf(expression: TSESTree.Node, frames: readonly Frame[]): KeyValue {
    this.#work += 1;
    if (this.#work > workLimit || this.#depth > depthLimit) return unknownValue;
    this.#depth += 1;
    const node = unwrap(expression);
    const known = this.evaluated.constantOf(node);
    const value = known ? valueOfConstant(known.value) : this.#evaluate(node, frames);
    this.#depth -= 1;
    return value;
  }

  #evaluate(node: TSESTree.Node, frames: readonly Frame[]): KeyValue {
    switch (node.type) {
      case 'Identifier':
        return this.#variableNamed(node, frames);
      case 'MemberExpression':
        return this.#member(node, frames);
      case 'TemplateLiteral':
        return this.#template(node, frames);
      case 'BinaryExpression':
        return combine(node.operator, this.valueOf(node.left, frames), this.valueOf(node.right, frames), node);
      case 'UnaryExpression':
        return applyUnary(node.operator, this.valueOf(node.argument, frames));
      case 'ConditionalExpression':
        return either([this.valueOf(node.consequent, frames), this.valueOf(node.alternate, frames)]);
      case 'LogicalExpression':
        return this.#logical(node, frames);
      case 'AssignmentExpression':
        return node.operator === '=' ? this.valueOf(node.right, frames) : unknownValue;
      case 'SequenceExpression': {
        const last = node.expressions.at(-1);
        return last ? this.valueOf(last, frames) : unknownValue;
      }
      case 'AwaitExpression': {
        const inner = unwrap(node.argument);
        return inner.type === 'CallExpression' ? this.#call(inner, frames, true) : this.valueOf(inner, frames);
      }
      case 'CallExpression':
        return this.#call(node, frames, false);
      case 'NewExpression': {
        const values = this.#arguments(node.arguments, frames);
        return constructed(nameOf(node.callee, this.scopes, this.evaluated.evaluator), values);
      }
      case 'ArrayExpression':
        return objectValue('an array');
      case 'ObjectExpression':
        return objectValue('an object');
      case 'ArrowFunctionExpression':
      case 'FunctionExpression':
      case 'ClassExpression':
        return objectValue('a function');
      default:
        return unknownValue;
    }
  }

  #logical(node: TSESTree.LogicalExpression, frames: readonly Frame[]): KeyValue {
    const left = this.valueOf(node.left, frames);
    // `a ?? b` is never nothing because of `a`.
    if (node.operator !== '&&' && (left.type === 'null' || left.type === 'undefined')) return this.valueOf(node.right, frames);
    return either([left, this.valueOf(node.right, frames)]);
  }

  #template(node: TSESTree.TemplateLiteral, frames: readonly Frame[]): StringValue {
    return node.quasis.reduce<StringValue>((text, quasi, index) => {
      const expression = node.expressions[index];
      const withQuasi = concatenated(text, asText(valueOfConstant(quasi.value.cooked ?? quasi.value.raw)));
      return expression ? concatenated(withQuasi, asText(this.valueOf(expression, frames))) : withQuasi;
    }, { ...anyText, rest: { min: 0, max: 0, alphabet: 'any' } });
  }

  #variableNamed(node: TSESTree.Identifier, frames: readonly Frame[]): KeyValue {
    const variable = this.scopes.variableOf(node);
    if (!variable) return unknownValue;
    const running = this.#active.get(variable);
    if (running) return running;
    const definition = this.scopes.definitionOf(variable);
    switch (definition.kind) {
      case 'value': {
        const source = definition.path.length === 0 ? definition.init : sourceOf(node, this.scopes);
        return source ? this.#guarded(variable, unknownValue, () => this.valueOf(source, frames)) : unknownValue;
      }
      case 'parameter': {
        if (!frames.some((frame) => frame.function === definition.function)) return annotated(definition.path.length === 0 ? definition.node : null);
        const argument = this.evaluated.frames.argumentFor(node, frames);
        return argument && argument.node !== node ? this.#guarded(variable, unknownValue, () => this.valueOf(argument.node, argument.frames)) : unknownValue;
      }
      case 'unknown':
        return this.#written(variable, node, frames);
      case 'function':
      case 'class':
        return objectValue('a function');
      default:
        return unknownValue;
    }
  }

  #guarded(variable: Variable, meanwhile: KeyValue, compute: () => KeyValue): KeyValue {
    const known = this.#active.get(variable);
    if (known) return known;
    this.#active.set(variable, meanwhile);
    const value = compute();
    this.#active.delete(variable);
    return value;
  }

  /** A variable that is written in several places: one of the values it is given that no later one replaces. */
  #written(variable: Variable, read: TSESTree.Node, frames: readonly Frame[]): KeyValue {
    const declarator = variable.defs[0]?.node;
    if (variable.defs.length !== 1 || declarator?.type !== 'VariableDeclarator' || declarator.id.type !== 'Identifier') return unknownValue;
    const writes = this.scopes.writesOf(variable);
    if (writes.length === 0) {
      const isDeclared = declarator.parent.declare || declarator.parent.parent.type === 'ForInStatement';
      return isDeclared ? unknownValue : { type: 'undefined' };
    }
    const own = enclosingFunction(declarator);
    const meanwhile = this.#accumulated(declarator, writes, frames);
    // What another function writes may come at any time, and then the order of the writes says nothing.
    const isOrdered = [read, ...writes.map(({ identifier }) => identifier)].every((node) => enclosingFunction(node) === own);
    const last = isOrdered ? lastWrites(writes, read, this.scopes.text) : writes;
    return this.#guarded(variable, meanwhile, () => either(last.map((write) => hashed(this.#valueWritten(write, meanwhile, frames), meanwhile))));
  }

  /** What a variable holds inside the loop that hashes a text into it: a number of unknown size. */
  #accumulated(declarator: TSESTree.VariableDeclarator, writes: readonly Reference[], frames: readonly Frame[]): KeyValue {
    const initial = declarator.init ? this.valueOf(declarator.init, frames) : unknownValue;
    const loop = writes.map(({ identifier }) => loopAround(identifier, declarator)).find((found) => found !== null);
    if (!loop) return unknownValue;
    const isHash = readsCharacters.test(this.scopes.text.slice(loop.range[0], loop.range[1]));
    return accumulator(initial, isHash ? loop : null);
  }

  #valueWritten(write: Reference, before: KeyValue, frames: readonly Frame[]): KeyValue {
    const { parent } = write.identifier;
    if (parent?.type === 'VariableDeclarator' && parent.id === write.identifier) return parent.init ? this.valueOf(parent.init, frames) : unknownValue;
    if (parent?.type === 'AssignmentExpression' && parent.left === write.identifier) {
      const right = this.valueOf(parent.right, frames);
      if (parent.operator === '=') return right;
      return ['&&=', '||=', '??='].includes(parent.operator) ? either([before, right]) : combine(parent.operator.slice(0, -1), before, right, parent);
    }
    if (parent?.type === 'UpdateExpression') return before.type === 'bigint' ? anyBigint : numberValue(-Infinity, Infinity, before.type === 'number' ? before.integrality : 'unknown');
    return unknownValue;
  }

  #member(node: TSESTree.MemberExpression, frames: readonly Frame[]): KeyValue {
    const source = sourceOf(node, this.scopes);
    if (source) return this.valueOf(source, frames);
    const named = nameOf(node, this.scopes, this.evaluated.evaluator);
    if (named.kind === 'global' && (named.name === 'process.pid' || named.name === 'process.ppid')) return numberValue(1, 2 ** 22, 'integer');
    if (named.kind === 'import') return unknownValue;
    const name = memberName(node);
    if (name === 'length') return numberValue(0, Number.MAX_SAFE_INTEGER, 'integer');
    if (name !== null && isMissing(node.object, name, this.scopes)) return { type: 'undefined' };
    const object = this.valueOf(node.object, frames);
    // One byte of a digest, or one number of another typed array.
    return object.type === 'bytes' && (node.computed || name === null) ? numberValue(0, 0xff, 'integer', scatterOf(object)) : unknownValue;
  }

  #arguments(list: readonly TSESTree.CallExpressionArgument[], frames: readonly Frame[]): readonly KeyValue[] {
    return list.map((argument) => (argument.type === 'SpreadElement' ? unknownValue : this.valueOf(argument, frames)));
  }

  #call(call: TSESTree.CallExpression, frames: readonly Frame[], awaited: boolean): KeyValue {
    const { evaluator } = this.evaluated;
    const local = evaluator.calleeOf(call);
    if (local) return this.#returned(local, call, frames, awaited);
    const callee = nameOf(call.callee, this.scopes, evaluator);
    const values = this.#arguments(call.arguments, frames);
    const text = (index: number): unknown => {
      const value = values[index];
      return value?.type === 'string' ? (constantText(value) ?? null) : value === undefined ? undefined : null;
    };
    if ((callee.kind === 'import' && callee.module === 'crypto' && callee.name === 'hash') || (callee.kind === 'global' && callee.name === 'crypto.hash')) {
      return digestResult(text(0), text(2) ?? 'hex', call);
    }
    // WebCrypto, awaited: an ArrayBuffer.
    if (callee.kind !== 'other' && callee.name.endsWith('subtle.digest')) return awaited ? digestResult(text(0), undefined, call) : objectValue('a promise');
    const result = resultOf(callee, values, call);
    if (result) return result;
    if (callee.kind !== 'method') return unknownValue;
    const chain = callee.name === 'digest' ? hashChainOf(callee.object, this.scopes, evaluator) : null;
    if (chain) {
      const [algorithm] = chain.creation.arguments;
      return digestResult(algorithm ? (this.evaluated.constantOf(algorithm)?.value ?? null) : null, text(0), call);
    }
    if (callee.name === 'digest' && awaited && /\bsubtle$/.test(this.scopes.text.slice(...callee.object.range))) return digestResult(text(0), undefined, call);
    if (callee.name === 'reduce') return this.#reduced(call, frames);
    if (callee.name === 'from' && this.scopes.text.slice(...callee.object.range) === 'Buffer') return this.#bufferFrom(values);
    return methodResult(callee.name, this.valueOf(callee.object, frames), values);
  }

  #bufferFrom([content]: readonly KeyValue[]): KeyValue {
    return content ? { type: 'bytes', length: null, ...scatterOf(content) } : unknownValue;
  }

  /** `[...text].reduce((hash, character) => …, 0)` hashes as a loop does. */
  #reduced(call: TSESTree.CallExpression, frames: readonly Frame[]): KeyValue {
    const [callback, initial] = call.arguments;
    if (!isFunction(callback) || !initial || initial.type === 'SpreadElement') return unknownValue;
    const [parameter] = callback.params;
    const variable = parameter?.type === 'Identifier' ? this.scopes.variableOf(parameter) : null;
    if (!variable) return unknownValue;
    const isHash = readsCharacters.test(this.scopes.text.slice(...callback.range));
    const first = this.valueOf(initial, frames);
    const accumulated = accumulator(first, isHash ? call : null);
    return this.#guarded(variable, accumulated, () =>
      either([first, ...returnedExpressions(callback).map((expression) => hashed(this.valueOf(expression, frames), accumulated))]),
    );
  }

  #returned(fn: FunctionNode, call: TSESTree.CallExpression, frames: readonly Frame[], awaited: boolean): KeyValue {
    if (fn.generator) return objectValue('a generator');
    if (fn.async && !awaited) return objectValue('a promise');
    if (this.#functions.includes(fn)) return unknownValue;
    this.#functions.push(fn);
    const inner: readonly Frame[] = [{ function: fn, call }, ...frames];
    const value = either(returnedExpressions(fn).map((expression) => this.valueOf(expression, inner)));
    this.#functions.pop();
    return value;
  }
}

function accumulator(initial: KeyValue, hashing: TSESTree.Node | null): KeyValue {
  const scattered = { spread: hashing !== null, hash: hashing && { how: 'a hash made character by character', node: hashing } };
  if (initial.type === 'number') return { ...anyNumber, ...scattered };
  return initial.type === 'bigint' ? { ...anyBigint, ...scattered } : unknownValue;
}

/** What a round of the loop makes of the accumulator and the next character is the same hash, in the range it is cut to. */
function hashed(value: KeyValue, accumulated: KeyValue): KeyValue {
  const { hash } = scatterOf(accumulated);
  if (!hash || (value.type !== 'number' && value.type !== 'bigint') || isConstant(value)) return value;
  return { ...value, spread: true, hash };
}

/** What an annotation says of a parameter. */
function annotated(parameter: TSESTree.Parameter | null): KeyValue {
  const annotation = parameter && 'typeAnnotation' in parameter ? parameter.typeAnnotation?.typeAnnotation : undefined;
  const isOptional = parameter?.type === 'Identifier' && parameter.optional;
  if (isOptional) return unknownValue;
  switch (annotation?.type) {
    case 'TSNumberKeyword':
      return anyNumber;
    case 'TSBigIntKeyword':
      return anyBigint;
    case 'TSStringKeyword':
      return anyText;
    default:
      return unknownValue;
  }
}

/** Is the object a literal that surely has no such member, own or inherited? */
function isMissing(object: TSESTree.Node, name: string, scopesOfFile: Scopes): boolean {
  const node = unwrap(object);
  const literal = node.type === 'Identifier' ? sourceOf(node, scopesOfFile) : null;
  if (!literal || unwrap(literal).type !== 'ObjectExpression') return false;
  return memberOf(node, name, scopesOfFile).kind === 'absent' && !(name in Object.prototype);
}

/** The loop, or callback that runs for each element, that a write stands in and the declaration does not. */
function loopAround(write: TSESTree.Node, declarator: TSESTree.Node): TSESTree.Node | null {
  for (let node = write.parent; node && !isInside(declarator, node); node = node.parent) {
    switch (node.type) {
      case 'ForStatement':
      case 'ForInStatement':
      case 'ForOfStatement':
      case 'WhileStatement':
      case 'DoWhileStatement':
        return node;
      case 'CallExpression': {
        const callee = unwrap(node.callee);
        if (callee.type === 'MemberExpression' && memberName(callee) === 'forEach') return node;
        break;
      }
      default:
    }
  }
  return null;
}

/** Without the writes that another one in the same block always follows before the read. */
function lastWrites(writes: readonly Reference[], read: TSESTree.Node, text: string): readonly Reference[] {
  return writes.filter((write) => {
    const block = blockOf(write.identifier);
    if (!block) return true;
    return !writes.some((other) => {
      const later = blockOf(other.identifier);
      const isLater = later?.block === block.block && other.identifier.range[0] > block.statement.range[1];
      const isBeforeRead = later !== null && later.statement.range[1] <= read.range[0];
      return isLater && isBeforeRead && !/\b(?:break|continue|return|throw|yield)\b/.test(text.slice(block.statement.range[1], later.statement.range[0]));
    });
  });
}

function blockOf(identifier: TSESTree.Node): { statement: TSESTree.Node; block: TSESTree.Node } | null {
  const write = identifier.parent;
  const statement = write?.type === 'AssignmentExpression' || write?.type === 'UpdateExpression' ? write.parent : write?.type === 'VariableDeclarator' ? write.parent : null;
  const isStatement = statement?.type === 'ExpressionStatement' || statement?.type === 'VariableDeclaration';
  return isStatement ? { statement, block: statement.parent } : null;
}
