import type { TSESTree } from '@typescript-eslint/utils';
import { definePass } from '../pass.js';
import { enclosingFunction, isFunction, isInside, memberName, returnedExpressions, unwrap, unwrappedParent, type FunctionNode } from '../source/ast.js';
import { sourceOf } from '../source/objects.js';
import { scopes, type Reference, type Scopes, type Variable } from '../source/scope.js';
import type { SqlExpression } from '../sql/model.js';
import { hashChainOf, nameOf, type CalleeName } from './callee-names.js';
import { evaluation, type Evaluation } from './evaluation.js';
import type { Frame } from './frames.js';
import { givesOn, isHashing, methodsThatGiveOn, pureFunctions, reader, sourceNamed, sqlSources, type Instability } from './instability.js';
import { countOf } from './key-domain.js';
import { keyValues, type KeyValues } from './key-values.js';
import { queries, type Query, type QueryLock } from './queries.js';

export interface UnstableKeys {
  /** What surely makes one of the lock's keys unstable; null when nothing certainly does. */
  instabilityOf(lock: QueryLock): (Instability & { readonly index: number }) | null;
}

/** Keys that no other process computes again. */
export const unstableKeys = definePass('unstable keys', [scopes, evaluation, keyValues, queries], ([scopesOfFile, evaluated, values, statements]): UnstableKeys => ({
  instabilityOf(lock) {
    for (const [index, key] of lock.operation.keys.entries()) {
      const found = inSql(key, lock, (node) => new Search(scopesOfFile, evaluated, values, statements).inKey(node, lock.query.frames));
      if (found) return { ...found, index };
    }
    return null;
  },
}));

function inSql(expression: SqlExpression, lock: QueryLock, inJavaScript: (node: TSESTree.Node) => Instability | null): Instability | null {
  switch (expression.kind) {
    case 'hole':
    case 'placeholder': {
      const node = lock.boundValue(expression);
      return node && inJavaScript(node);
    }
    case 'cast':
      return inSql(expression.argument, lock, inJavaScript);
    case 'call': {
      const kind = Object.hasOwn(sqlSources, expression.name.toLowerCase()) ? sqlSources[expression.name.toLowerCase()] : undefined;
      // `random()` times something picks one of several slots more often than not.
      if (kind && expression.name.toLowerCase() !== 'random' && expression.name.toLowerCase() !== 'rand') return { source: `${expression.name}()`, node: lock.query.node, kind };
      if (!pureFunctions.has(expression.name.toLowerCase())) return null;
      return firstOf(expression.arguments, (argument) => inSql(argument, lock, inJavaScript));
    }
    case 'operator':
      return expression.operator === '||' || expression.operator === '+' ? firstOf(expression.arguments, (argument) => inSql(argument, lock, inJavaScript)) : null;
    default:
      return null;
  }
}

function firstOf<T, R>(list: readonly T[], find: (item: T) => R | null): R | null {
  for (const item of list) {
    const found = find(item);
    if (found !== null) return found;
  }
  return null;
}

/** One of so few keys is a slot that processes pick at random, not a key that nobody else has. */
const slotLimit = 10_000;
const workLimit = 1_000;
const depthLimit = 40;

class Search {
  #work = 0;
  #depth = 0;
  readonly #variables = new Set<Variable>();
  readonly #visited = new Set<TSESTree.Node>();
  readonly #functions: FunctionNode[] = [];

  constructor(
    readonly scopes: Scopes,
    readonly evaluated: Evaluation,
    readonly values: KeyValues,
    readonly statements: readonly Query[],
  ) {}

  inKey(node: TSESTree.Node, frames: readonly Frame[]): Instability | null {
    const found = this.#in(node, frames);
    if (!found) return null;
    const value = this.values.valueOf(node, frames);
    const isSlot = (value.type === 'number' || value.type === 'bigint') && countOf(value) <= slotLimit;
    return isSlot ? null : found;
  }

  #in(expression: TSESTree.Node, frames: readonly Frame[]): Instability | null {
    const node = unwrap(expression);
    this.#work += 1;
    if (this.#work > workLimit || this.#depth > depthLimit || this.evaluated.constantOf(node)) return null;
    this.#visited.add(node);
    this.#depth += 1;
    const found = this.#evaluate(node, frames);
    this.#depth -= 1;
    return found;
  }

  #evaluate(node: TSESTree.Node, frames: readonly Frame[]): Instability | null {
    switch (node.type) {
      case 'Identifier':
        return this.#variable(node, frames);
      case 'MemberExpression':
        return this.#member(node, frames);
      case 'TemplateLiteral':
        return firstOf(node.expressions, (part) => this.#in(part, frames));
      case 'BinaryExpression':
        return this.#operation(node, frames);
      case 'UnaryExpression':
        return node.operator === '-' || node.operator === '+' || node.operator === '~' ? this.#in(node.argument, frames) : null;
      case 'UpdateExpression':
        return this.#counter(node.argument);
      case 'AssignmentExpression':
        if (node.operator === '+=' || node.operator === '-=') return this.#counter(node.left);
        return node.operator === '=' || (node.operator === '??=' && isPlainCache(node.left, this.scopes)) ? this.#in(node.right, frames) : null;
      case 'ConditionalExpression':
        return this.#every([node.consequent, node.alternate], frames);
      case 'LogicalExpression':
        return this.#logical(node, frames);
      case 'SequenceExpression': {
        const last = node.expressions.at(-1);
        return last ? this.#in(last, frames) : null;
      }
      case 'AwaitExpression':
        return this.#in(node.argument, frames);
      case 'CallExpression':
        return this.#call(node, frames);
      case 'NewExpression':
        return node.arguments.length === 0 && this.#named(node.callee, 'Date') ? { source: 'new Date()', node, kind: 'clock' } : null;
      default:
        return null;
    }
  }

  #named(callee: TSESTree.Node, name: string): boolean {
    const named = nameOf(callee, this.scopes, this.evaluated.evaluator);
    return named.kind === 'global' && named.name === name;
  }

  /** Unstable only when every alternative is. */
  #every(nodes: readonly TSESTree.Node[], frames: readonly Frame[]): Instability | null {
    const found = nodes.map((node) => this.#in(node, frames));
    return found.length > 0 && found.every((one) => one !== null) ? (found[0] ?? null) : null;
  }

  #logical(node: TSESTree.LogicalExpression, frames: readonly Frame[]): Instability | null {
    // `keys.get(id) ?? make(id)`: what the cache holds is what was made before.
    if (node.operator !== '&&' && this.#isOwnCacheRead(node.left, frames)) return this.#in(node.right, frames);
    return this.#every([node.left, node.right], frames);
  }

  #operation(node: TSESTree.BinaryExpression, frames: readonly Frame[]): Instability | null {
    switch (node.operator) {
      case '+':
      case '|':
      case '^':
      case '*':
      case '-':
      case '%':
      case '&':
      case '<<':
      case '>>':
      case '>>>':
      case '/':
        break;
      default:
        return null;
    }
    const left = this.#in(node.left, frames);
    const right = this.#in(node.right, frames);
    // Dividing the time, or taking away what is left over, gives the same key to all within an interval.
    const isInterval = node.operator === '/' || node.operator === '>>' || node.operator === '>>>' || (node.operator === '-' && right !== null);
    const found = left ?? right;
    if (found?.kind === 'clock' && isInterval && !isZero(node.right)) return null;
    // A random number times a number of slots that is not known.
    const isScaled = node.operator === '*' || node.operator === '%';
    if (isScaled && found && this.#isOpen(left ? node.right : node.left, frames)) return null;
    return found;
  }

  #isOpen(node: TSESTree.Node, frames: readonly Frame[]): boolean {
    const value = this.values.valueOf(node, frames);
    return !(value.type === 'number' || value.type === 'bigint') || countOf(value) !== 1;
  }

  #variable(node: TSESTree.Identifier, frames: readonly Frame[]): Instability | null {
    const variable = this.scopes.variableOf(node);
    if (!variable || this.#variables.has(variable)) return null;
    this.#variables.add(variable);
    const found = this.#inVariable(node, variable, frames);
    this.#variables.delete(variable);
    // An id that is also put elsewhere, into a row or a message, is one that others may learn and lock.
    return found && found.kind !== 'counter' && !this.scopes.isModuleLevel(variable) && this.#isHandedOut(variable) ? null : found;
  }

  #inVariable(node: TSESTree.Identifier, variable: Variable, frames: readonly Frame[]): Instability | null {
    const definition = this.scopes.definitionOf(variable);
    switch (definition.kind) {
      case 'value': {
        const source = definition.path.length === 0 ? definition.init : sourceOf(node, this.scopes);
        return source && this.#in(source, frames);
      }
      case 'parameter': {
        const argument = frames.some((frame) => frame.function === definition.function) ? this.evaluated.frames.argumentFor(node, frames) : null;
        return argument && argument.node !== node ? this.#in(argument.node, argument.frames) : null;
      }
      case 'unknown':
        return this.#counterOf(variable, node) ?? this.#written(variable, frames);
      default:
        return null;
    }
  }

  /** `let key = keys.get(id); if (!key) { key = random(); keys.set(id, key) }`: whatever it holds was made here. */
  #written(variable: Variable, frames: readonly Frame[]): Instability | null {
    let found: Instability | null = null;
    for (const write of this.scopes.writesOf(variable)) {
      const value = write.writeExpr;
      const { parent } = write.identifier;
      const isPlain = parent?.type === 'VariableDeclarator' || (parent?.type === 'AssignmentExpression' && ['=', '??=', '||='].includes(parent.operator));
      if (!value || !isPlain) return null;
      if (isNothing(value) || this.#isOwnCacheRead(value, frames, variable)) continue;
      const inValue = this.#in(value, frames);
      if (!inValue) return null;
      found ??= inValue;
    }
    return found;
  }

  #counter(target: TSESTree.Node): Instability | null {
    const node = unwrap(target);
    const variable = node.type === 'Identifier' ? this.scopes.variableOf(node) : null;
    return variable && this.#counterOf(variable, node);
  }

  /** A module's own count: starts at a number, and every other write adds to it, some of them each time that a function runs. */
  #counterOf(variable: Variable, node: TSESTree.Node): Instability | null {
    const declarator = variable.defs[0]?.node;
    if (!this.scopes.isModuleLevel(variable) || declarator?.type !== 'VariableDeclarator' || !declarator.init) return null;
    const start = this.evaluated.constantOf(declarator.init)?.value;
    const additions = this.scopes.writesOf(variable).filter((write) => write.identifier !== declarator.id);
    const isCount = (typeof start === 'number' || typeof start === 'bigint') && additions.every(isAddition) && additions.some(({ identifier }) => enclosingFunction(identifier) !== null);
    return isCount ? { source: variable.name, node, kind: 'counter' } : null;
  }

  #member(node: TSESTree.MemberExpression, frames: readonly Frame[]): Instability | null {
    const named = nameOf(node, this.scopes, this.evaluated.evaluator);
    const isProcess = named.kind === 'global' || (named.kind === 'import' && named.module === 'process');
    if (isProcess && /^(?:process\.)?p?pid$/.test(named.name)) return { source: `process.${named.name.replace('process.', '')}`, node, kind: 'own' };
    if (named.kind === 'global' && named.name === 'process.env.HOSTNAME') return { source: named.name, node, kind: 'own' };
    const source = sourceOf(node, this.scopes);
    if (source) return this.#in(source, frames);
    // `crypto.randomBytes(8)[0]`
    return memberName(node) === 'length' ? null : node.computed ? this.#in(node.object, frames) : null;
  }

  #call(call: TSESTree.CallExpression, frames: readonly Frame[]): Instability | null {
    const { evaluator } = this.evaluated;
    const local = evaluator.calleeOf(call);
    if (local) return this.#returned(local, call, frames);
    const callee = nameOf(call.callee, this.scopes, evaluator);
    const known = sourceNamed(callee, call);
    if (known) return this.#isSlotPick(call, callee, frames) ? null : known;
    const [first] = call.arguments;
    if (callee.kind === 'global' && givesOn.test(callee.name)) return firstOf(call.arguments, (argument) => this.#in(argument, frames));
    if (callee.kind === 'import' && isHashing(callee)) return first ? this.#in(first, frames) : null;
    if (callee.kind !== 'method') return null;
    if (callee.name === 'digest') {
      const chain = hashChainOf(callee.object, this.scopes, evaluator);
      return chain && firstOf(chain.inputs, (input) => this.#in(input, frames));
    }
    if (callee.name === 'get') return this.#inOwnCache(call, frames);
    if (!methodsThatGiveOn.has(callee.name) && !reader.test(callee.name)) return null;
    const inObject = this.#in(callee.object, frames);
    // A part of the time, the date or the hour, is the same for all for a while.
    const isPart = inObject?.kind === 'clock' && /^(?:slice|substring|substr|replace|replaceAll|toFixed)$/.test(callee.name);
    return isPart ? null : inObject;
  }

  /** `randomInt(slots)`: how many there are is not known. */
  #isSlotPick(call: TSESTree.CallExpression, callee: CalleeName, frames: readonly Frame[]): boolean {
    return callee.kind !== 'other' && callee.name.endsWith('randomInt') && call.arguments.some((argument) => this.#isOpen(argument, frames));
  }

  #returned(fn: FunctionNode, call: TSESTree.CallExpression, frames: readonly Frame[]): Instability | null {
    if (fn.generator || this.#functions.includes(fn)) return null;
    this.#functions.push(fn);
    const found = this.#every(returnedExpressions(fn), [{ function: fn, call }, ...frames]);
    this.#functions.pop();
    return found;
  }

  /** `cache.get(id)` of a map that this file alone fills, with values that are unstable. */
  #inOwnCache(call: TSESTree.CallExpression, frames: readonly Frame[]): Instability | null {
    const values = this.#cachedValues(call);
    return values && this.#every(values, frames);
  }

  /** Reads the cache that the variable's own value, or one made in this file, was put into. */
  #isOwnCacheRead(expression: TSESTree.Node, frames: readonly Frame[], variable: Variable | null = null): boolean {
    const node = unwrap(expression);
    const values = node.type === 'CallExpression' ? this.#cachedValues(node) : null;
    const isOwn = (value: TSESTree.Node): boolean => {
      const inner = unwrap(value);
      if (inner.type === 'Identifier' && variable && this.scopes.variableOf(inner) === variable) return true;
      return this.#in(inner, frames) !== null;
    };
    return values?.every(isOwn) ?? false;
  }

  /** What is put into the map that `map.get(…)` reads, when all that happens to it is to be seen here. */
  #cachedValues(call: TSESTree.CallExpression): readonly TSESTree.Node[] | null {
    const callee = unwrap(call.callee);
    if (callee.type !== 'MemberExpression' || memberName(callee) !== 'get') return null;
    const object = unwrap(callee.object);
    const variable = object.type === 'Identifier' ? this.scopes.variableOf(object) : null;
    const definition = variable && this.scopes.definitionOf(variable);
    if (definition?.kind !== 'value') return null;
    const creation = unwrap(definition.init);
    const isMap = creation.type === 'NewExpression' && creation.arguments.length === 0 && (this.#named(creation.callee, 'Map') || this.#named(creation.callee, 'WeakMap'));
    if (!variable || !isMap) return null;
    const values: TSESTree.Node[] = [];
    for (const { identifier } of this.scopes.readsOf(variable)) {
      const { parent, child } = unwrappedParent(identifier);
      const method = parent?.type === 'MemberExpression' && parent.object === child ? memberName(parent) : null;
      if (method === null || !parent || !['get', 'set', 'has', 'delete', 'clear', 'size'].includes(method)) return null;
      const use = unwrappedParent(parent).parent;
      if (method !== 'set') continue;
      const value = use?.type === 'CallExpression' ? use.arguments[1] : undefined;
      if (!value || value.type === 'SpreadElement') return null;
      values.push(value);
    }
    return values.length > 0 ? values : null;
  }

  #isHandedOut(variable: Variable): boolean {
    return this.scopes.readsOf(variable).some(({ identifier }) => !this.#visited.has(identifier) && !this.#isHarmless(identifier));
  }

  /** Reads that tell nobody about the value: lock statements, caches, tests, logs, and the return to where it was asked for. */
  #isHarmless(identifier: TSESTree.Node): boolean {
    if (this.statements.some((query) => query.locks.length > 0 && query.route.some((call) => isInside(identifier, call)))) return true;
    for (let node: TSESTree.Node = identifier; node.parent; node = node.parent) {
      const { parent } = node;
      switch (parent.type) {
        case 'TemplateLiteral':
        case 'ObjectExpression':
        case 'Property':
        case 'TSNonNullExpression':
        case 'TSAsExpression':
        case 'ChainExpression':
          continue;
        case 'BinaryExpression':
          return !['+', '-', '*', '/', '%', '|', '&', '^'].includes(parent.operator);
        case 'UnaryExpression':
        case 'IfStatement':
        case 'LogicalExpression':
        case 'ExpressionStatement':
          return true;
        case 'ReturnStatement':
        case 'ArrowFunctionExpression': {
          const fn = isFunction(parent) ? parent : enclosingFunction(parent);
          // A helper that was read on the way here gives the value to the lock.
          return fn !== null && this.#functions.includes(fn);
        }
        case 'CallExpression': {
          const callee = unwrap(parent.callee);
          const method = callee.type === 'MemberExpression' ? memberName(callee) : null;
          return method !== null && /^(?:set|log|debug|info|warn|error|trace|verbose)$/.test(method);
        }
        default:
          return false;
      }
    }
    return false;
  }
}

const isAddition = ({ identifier }: Reference): boolean => {
  const { parent } = identifier;
  return parent?.type === 'UpdateExpression' || (parent?.type === 'AssignmentExpression' && parent.operator === '+=');
};

const isZero = (node: TSESTree.Node): boolean => {
  const inner = unwrap(node);
  return inner.type === 'Literal' && (inner.value === 0 || inner.value === 0n);
};

const isNothing = (node: TSESTree.Node): boolean => {
  const inner = unwrap(node);
  return inner.type === 'Literal' ? inner.value === null || inner.value === 0 || inner.value === '' : inner.type === 'Identifier' && inner.name === 'undefined';
};

/** `cache[id] ??= …` of an object of this file's own. */
function isPlainCache(target: TSESTree.Node, scopesOfFile: Scopes): boolean {
  const node = unwrap(target);
  if (node.type !== 'MemberExpression') return false;
  const object = unwrap(node.object);
  const variable = object.type === 'Identifier' ? scopesOfFile.variableOf(object) : null;
  const definition = variable && scopesOfFile.definitionOf(variable);
  return definition?.kind === 'value' && unwrap(definition.init).type === 'ObjectExpression';
}
