import type { TSESTree } from '@typescript-eslint/utils';
import { memberName, unwrapChain } from './nodes.js';
import type { Node } from './nodes.js';

/**
 * What a step may do besides going on: `may` throw, `never` throw, or `ends`: the process ends with it.
 *
 * The model asks what ordinary code can be expected to survive, not what is impossible: a property read of `undefined`
 * throws in JavaScript and never here, since a path through every such read says nothing about the code.
 */
export type Throws = 'may' | 'never' | 'ends';

type IsGlobal = (identifier: TSESTree.Identifier) => boolean;

/** Objects whose methods run no foreign code and take what callers give them. `*` stands for every method. */
const QUIET_METHODS: ReadonlyMap<string, readonly string[] | '*'> = new Map<string, readonly string[] | '*'>([
  ['console', '*'],
  ['Math', '*'],
  ['Date', ['now', 'UTC', 'parse']],
  ['performance', ['now', 'mark', 'measure', 'timeOrigin']],
  ['Array', ['isArray', 'of']],
  ['ArrayBuffer', ['isView']],
  ['Number', ['isFinite', 'isInteger', 'isNaN', 'isSafeInteger', 'parseFloat', 'parseInt']],
  [
    'Object',
    ['keys', 'values', 'entries', 'fromEntries', 'assign', 'freeze', 'seal', 'is', 'create', 'hasOwn', 'isFrozen', 'isSealed'],
  ],
  ['Symbol', ['for', 'keyFor']],
  ['AbortSignal', ['timeout', 'any', 'abort']],
  // They make a promise; a failure is its rejection, which shows where somebody waits for it.
  ['Promise', ['resolve', 'reject', 'all', 'allSettled', 'any', 'race', 'withResolvers']],
  ['process', ['on', 'once', 'off', 'addListener', 'removeListener', 'hrtime', 'uptime', 'memoryUsage', 'cwd', 'nextTick']],
  ['crypto', ['randomUUID']],
]);

const QUIET_FUNCTIONS: ReadonlySet<string> = new Set([
  'Number',
  'String',
  'Boolean',
  'Symbol',
  'parseInt',
  'parseFloat',
  'isNaN',
  'isFinite',
  'setTimeout',
  'setInterval',
  'setImmediate',
  'queueMicrotask',
  'clearTimeout',
  'clearInterval',
  'clearImmediate',
]);

const QUIET_CONSTRUCTORS: ReadonlySet<string> = new Set([
  'Error',
  'AggregateError',
  'EvalError',
  'RangeError',
  'ReferenceError',
  'SyntaxError',
  'TypeError',
  'URIError',
  'DOMException',
  'AbortController',
  'Date',
  'Map',
  'Object',
  'Promise',
  'Set',
  'WeakMap',
  'WeakRef',
  'WeakSet',
]);

/**
 * Methods of arrays, strings, maps, sets, dates and promises that take no callback, on any receiver: what has such a
 * name and can fail nearly always gives a promise, and its failure shows at the `await`.
 */
const QUIET_NAMES: ReadonlySet<string> = new Set([
  ...['at', 'concat', 'includes', 'indexOf', 'join', 'lastIndexOf', 'pop', 'push', 'reverse', 'shift', 'slice', 'unshift'],
  ...['charAt', 'charCodeAt', 'codePointAt', 'endsWith', 'padEnd', 'padStart', 'split', 'startsWith', 'substring'],
  ...['toLowerCase', 'toUpperCase', 'trim', 'trimEnd', 'trimStart'],
  ...['add', 'clear', 'delete', 'entries', 'get', 'has', 'keys', 'set', 'values'],
  ...['getTime', 'toFixed', 'toString', 'valueOf'],
  ...['catch', 'finally', 'then'],
]);

const ENDING_METHODS: ReadonlySet<string> = new Set(['exit', 'abort', 'reallyExit']);

/**
 * The throw model: what the step of this node may do. Names are trusted to mean the built-in global where `isGlobal`
 * says so. A node that is no step of its own never throws.
 */
export function throwsByModel(node: Node, isGlobal: IsGlobal): Throws {
  switch (node.type) {
    case 'CallExpression':
      return callThrows(node.callee, isGlobal);
    case 'NewExpression': {
      const callee = unwrapChain(node.callee);
      return callee.type === 'Identifier' && QUIET_CONSTRUCTORS.has(callee.name) && isGlobal(callee) ? 'never' : 'may';
    }
    case 'TaggedTemplateExpression':
      return isStringRaw(node.tag, isGlobal) ? 'never' : 'may';
    case 'ImportExpression':
    case 'AwaitExpression':
    case 'YieldExpression':
    case 'ThrowStatement':
    case 'ForOfStatement':
    // A resource declared with `using`: the step is its disposal.
    case 'VariableDeclarator':
      return 'may';
    default:
      return 'never';
  }
}

function callThrows(node: Node, isGlobal: IsGlobal): Throws {
  const callee = unwrapChain(node);
  if (callee.type === 'Identifier') {
    return QUIET_FUNCTIONS.has(callee.name) && isGlobal(callee) ? 'never' : 'may';
  }
  if (callee.type !== 'MemberExpression') return 'may';
  const method = memberName(callee);
  if (method === null) return 'may';
  const object = unwrapChain(callee.object);
  if (object.type === 'Identifier' && isGlobal(object)) {
    if (object.name === 'process' && ENDING_METHODS.has(method)) return 'ends';
    const quiet = QUIET_METHODS.get(object.name);
    if (quiet !== undefined) return quiet === '*' || quiet.includes(method) ? 'never' : 'may';
  }
  return QUIET_NAMES.has(method) ? 'never' : 'may';
}

function isStringRaw(node: Node, isGlobal: IsGlobal): boolean {
  const tag = unwrapChain(node);
  if (tag.type !== 'MemberExpression' || memberName(tag) !== 'raw') return false;
  const object = unwrapChain(tag.object);
  return object.type === 'Identifier' && object.name === 'String' && isGlobal(object);
}
