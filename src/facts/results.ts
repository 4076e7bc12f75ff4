import type { TSESTree } from '@typescript-eslint/utils';
import type { Result } from '../drivers/driver.js';
import { isFunction, memberName, unwrap, unwrappedParent } from '../source/ast.js';
import type { Step, Use } from '../source/uses.js';
import type { QueryLock } from './query.js';

/** What one use of a statement's result does with the answer of one lock function in it. */
export type Reading =
  /** The answer itself is consumed, or handed on by itself. */
  | { readonly kind: 'read'; readonly use: Use }
  /** The result goes where it is not followed, the answer still in it. */
  | { readonly kind: 'passed'; readonly use: Use }
  /** Nobody looks at it. */
  | { readonly kind: 'dropped'; readonly use: Use }
  /** Something else is looked at, by the expression at `node`. */
  | { readonly kind: 'misread'; readonly use: Use; readonly node: TSESTree.Node; readonly misreading: Misreading }
  | { readonly kind: 'unknown'; readonly use: Use };

/** What is looked at instead of the answer; every one of these is the same whether the lock was granted or not. */
export type Misreading =
  | { readonly of: 'promise' | 'result' | 'rows' | 'row' | 'row-count' | 'affected-rows' | 'any-row' }
  /** A column the statement does not have. */
  | { readonly of: 'column'; readonly name: string; readonly expected: string }
  /** A member the driver's result does not have. */
  | { readonly of: 'member'; readonly name: string }
  /** A boolean cast to text: 'false' is truthy. */
  | { readonly of: 'text' }
  /** GET_LOCK answers NULL on an error, and the test lets it through. */
  | { readonly of: 'null' }
  /** Only NULL is looked for; a refusal is an answer, too. */
  | { readonly of: 'presence' };

/** Where the walk along a use's path stands in the driver's result. */
type Place =
  | { readonly at: 'result'; readonly remaining: readonly string[] }
  | { readonly at: 'rows' }
  | { readonly at: 'row' }
  | { readonly at: 'cell' }
  | { readonly at: 'row-count' }
  | { readonly at: 'other' }
  /** What the driver says besides, `error`: it is the same for every answer. */
  | { readonly at: 'beside' }
  | { readonly at: 'wrong'; readonly misreading: Misreading; readonly node: TSESTree.Node | null };

const rowCounts: ReadonlySet<string> = new Set(['length', 'rowCount', 'count', 'affectedRows', 'numAffectedRows', 'rowsAffected']);
/** Members of every result object that say nothing of rows. */
const resultMembers: ReadonlySet<string> = new Set(['rows', 'fields', 'command', 'oid', 'columns', 'statement', 'state', 'metaData', 'warningStatus']);
const rowMethods: ReadonlySet<string> = new Set(['shift', 'pop', 'at', 'find', 'findLast']);

/** Says of every use of the statement's result what it does with this lock's answer; one reading for each use. */
export function readingsOf(lock: QueryLock): readonly Reading[] {
  const readings = lock.query.uses.map((use) => bestReading(candidates(lock.query.result).map((result) => readingIn(result, lock, use)), use));
  const looksForNull = readings.some((reading) => isMisreading(reading, 'presence'));
  const looksForRefusal = readings.some((reading) => isMisreading(reading, 'null'));
  // Each of the two tests alone lets one of NULL and 0 pass; together they let none.
  if (!looksForNull || !looksForRefusal) return readings;
  return readings.map((reading) => (isMisreading(reading, 'presence') || isMisreading(reading, 'null') ? { kind: 'read', use: reading.use } : reading));
}

/**
 * Where the result may have several shapes: the first one that makes sense of everything the code does with it and finds
 * the answer there; all of them when none does.
 */
export function likeliestResult(lock: QueryLock): Result {
  const { result, uses } = lock.query;
  if (result.shape !== 'one-of') return result;
  const likeliest = candidates(result).find((candidate) => {
    const kinds = uses.map((use) => readingIn(candidate, lock, use).kind);
    return kinds.includes('read') && !kinds.includes('misread');
  });
  return likeliest ?? result;
}

const isMisreading = (reading: Reading, of: Misreading['of']): boolean => reading.kind === 'misread' && reading.misreading.of === of;

const candidates = (result: Result): readonly Result[] => (result.shape === 'one-of' ? result.results.flatMap((candidate) => candidates(candidate)) : [result]);

/** Where the result may have several shapes, the shape under which the code makes sense is the one it has. */
const preference: readonly Reading['kind'][] = ['read', 'passed', 'unknown', 'dropped', 'misread'];

function bestReading(readings: readonly Reading[], use: Use): Reading {
  for (const kind of preference) {
    const found = readings.find((reading) => reading.kind === kind);
    if (found) return found;
  }
  return { kind: 'unknown', use };
}

function readingIn(result: Result, lock: QueryLock, use: Use): Reading {
  if (isDropped(use)) return isLeftToCallback(lock, use) ? { kind: 'passed', use } : { kind: 'dropped', use };
  switch (result.shape) {
    case 'unknown':
    case 'one-of':
      return { kind: 'unknown', use };
    case 'nothing':
      return { kind: 'dropped', use };
    case 'count':
      // In a container it is the statement that is handed on, to be sent in a batch.
      if (use.inside.length > 0 && use.sink.kind === 'argument') return { kind: 'unknown', use };
      return misread(use, { of: 'affected-rows' });
    case 'any-row':
      return misread(use, { of: 'any-row' });
    default: {
      const { column } = lock.operation;
      // Consumed inside the statement: whatever comes back already depends on the answer.
      if (lock.operation.usedInSql) return { kind: 'read', use };
      if (!column) return { kind: 'unknown', use };
      const place = use.path.reduce<Place>((at, step) => next(at, step, result, lock), start(result));
      return judged(place, lock, use);
    }
  }
}

function isDropped({ sink, path }: Use): boolean {
  const isUnread = sink.kind === 'discarded' || sink.kind === 'never-read' || (sink.kind === 'returned' && isDroppedByCaller(sink.function));
  return isUnread && path.every((step) => step.kind === 'await' || step.kind === 'then' || step.kind === 'property' || step.kind === 'index');
}

const schedulers: ReadonlySet<string> = new Set(['setTimeout', 'setInterval', 'setImmediate', 'queueMicrotask']);
const listenerMethods: ReadonlySet<string> = new Set(['on', 'once', 'addListener', 'addEventListener']);

/** Timers and events look at nothing that their callbacks return. */
function isDroppedByCaller(callback: TSESTree.Node): boolean {
  const { parent: call, child } = unwrappedParent(callback);
  if (call?.type !== 'CallExpression') return false;
  const index = call.arguments.findIndex((argument) => argument === child);
  const callee = unwrap(call.callee);
  if (callee.type === 'Identifier') return index === 0 && schedulers.has(callee.name);
  return callee.type === 'MemberExpression' && index === 1 && listenerMethods.has(memberName(callee) ?? '');
}

/** `connection.query(text, done)`: the answer goes to a function that is not seen, not to the call's own value. */
function isLeftToCallback({ query }: QueryLock, { path, chained }: Use): boolean {
  if (!query.sends.callback || path.length > 0 || chained || query.sending.type !== 'CallExpression') return false;
  const last = query.sending.arguments.at(-1);
  const node = last && unwrap(last);
  const isOpaque = node?.type === 'Identifier' || node?.type === 'MemberExpression' || node?.type === 'CallExpression';
  return isOpaque && query.sending.arguments.length > 1;
}

function start(result: Exclude<Result, { shape: 'count' | 'any-row' | 'nothing' | 'one-of' | 'unknown' }>): Place {
  return arrived(result.at, result);
}

function arrived(remaining: readonly string[], result: Result): Place {
  if (remaining.length > 0) return { at: 'result', remaining };
  switch (result.shape) {
    case 'row':
      return { at: 'row' };
    case 'value':
      return { at: 'cell' };
    default:
      return { at: 'rows' };
  }
}

function next(place: Place, step: Step, result: Result, lock: QueryLock): Place {
  if (step.kind === 'await' || step.kind === 'then') return place;
  switch (place.at) {
    case 'result':
      return nextInResult(place.remaining, step, result);
    case 'rows':
      return nextInRows(step, lock);
    case 'row':
      return nextInRow(step, result, lock);
    case 'cell':
    case 'row-count':
    case 'other':
    case 'beside':
    case 'wrong':
      return place;
  }
}

const missing = (name: string, step: Step): Place => ({ at: 'wrong', misreading: { of: 'member', name }, node: 'node' in step ? (step.node ?? null) : null });

function nextInResult(remaining: readonly string[], step: Step, result: Result): Place {
  const name = nameOf(step);
  if (name === null) return { at: 'other' };
  if (name === remaining[0]) return arrived(remaining.slice(1), result);
  if (result.shape === 'value' && result.beside?.includes(name)) return { at: 'beside' };
  if (rowCounts.has(name)) return { at: 'row-count' };
  // Behind the rows of a pair stands what else the driver has to say.
  if (remaining[0] === '0' && /^\d+$/.test(name)) return { at: 'other' };
  // `result[0]` of a driver that answers with an object, `result.ok` where the rows stand under `rows`.
  return resultMembers.has(name) && remaining[0] !== '0' ? { at: 'other' } : missing(name, step);
}

function nextInRows(step: Step, lock: QueryLock): Place {
  switch (step.kind) {
    case 'index':
      return step.index > 0 && hasOneRow(lock) ? missing(String(step.index), step) : { at: 'row' };
    case 'element':
      return { at: 'row' };
    case 'rest':
      return { at: 'rows' };
    case 'method':
      return rowMethods.has(step.name) ? { at: 'row' } : { at: 'other' };
    case 'property':
      if (/^\d+$/.test(step.name)) return { at: 'row' };
      return rowCounts.has(step.name) ? { at: 'row-count' } : missing(step.name, step);
    default:
      return { at: 'other' };
  }
}

/** A SELECT of nothing but lock functions, without FROM, gives one row; a function that returns a set may give more. */
function hasOneRow({ level, operation, query }: QueryLock): boolean {
  const statement = query.analysis?.statements[operation.statement];
  if (level?.kind !== 'select' || level.place !== 'top' || level.hasFrom || query.builder) return false;
  return statement?.columns.length === 1 && operation.keys.every(({ kind }) => kind !== 'call' && kind !== 'unknown' && kind !== 'subquery');
}

function nextInRow(step: Step, result: Result, lock: QueryLock): Place {
  const { column } = lock.operation;
  const name = nameOf(step);
  if (!column || name === null) return step.kind === 'method' && step.name === 'Object.values' ? { at: 'rows' } : { at: 'other' };
  const columns = lock.query.analysis?.statements[lock.operation.statement]?.columns;
  const isKnown = columns !== undefined && columns.length > 0 && columns.every((candidate) => candidate !== null);
  if (result.shape === 'row-arrays') {
    if (name === String(column.index)) return { at: 'cell' };
    if (!isKnown || rowCounts.has(name) || Number(name) < columns.length) return { at: 'other' };
    return missing(name, step);
  }
  if (column.name === null) return { at: 'other' };
  if (name === column.name) return { at: 'cell' };
  if (!isKnown || columns.includes(name) || lock.query.renamesColumns) return { at: 'other' };
  if (step.kind === 'index') return missing(name, step);
  return { at: 'wrong', misreading: { of: 'column', name, expected: column.name }, node: 'node' in step ? (step.node ?? null) : null };
}

function nameOf(step: Step): string | null {
  if (step.kind === 'property') return step.name;
  return step.kind === 'index' ? String(step.index) : null;
}

/** The value decides something here, or only its truth is handed on. */
const isDecision = ({ sink, converted }: Use): boolean => sink.kind === 'tested' || sink.kind === 'compared' || converted === 'boolean';

const misread = (use: Use, misreading: Misreading, node: TSESTree.Node = use.expression): Reading => ({ kind: 'misread', use, misreading, node });

function judged(place: Place, lock: QueryLock, use: Use): Reading {
  switch (place.at) {
    case 'cell':
      return readCell(lock, use);
    case 'wrong':
      return isNeverThere(use) ? misread(use, place.misreading, place.node ?? use.expression) : { kind: 'unknown', use };
    case 'row-count':
      return isDecision(use) ? misread(use, { of: 'row-count' }) : { kind: 'passed', use };
    case 'result':
    case 'rows':
      if (!isDecision(use)) return { kind: 'passed', use };
      return misread(use, { of: isPromise(lock, use) ? 'promise' : place.at });
    case 'row':
      return isDecision(use) ? misread(use, { of: 'row' }) : { kind: 'passed', use };
    case 'other':
      return { kind: 'unknown', use };
    case 'beside':
      return { kind: 'dropped', use };
  }
}

/** A member that is never there is wrong however it is used, unless it is only looked for. */
function isNeverThere(use: Use): boolean {
  const { sink } = use;
  if (sink.kind === 'compared' && isNothing(sink.other)) return false;
  return isDecision(use) || sink.kind === 'returned' || sink.kind === 'stored';
}

/** The value is the call's own, not what a callback gets. */
function isPromise({ query }: QueryLock, { path }: Use): boolean {
  if (path.length > 0) return false;
  const last = query.sending.type === 'CallExpression' ? query.sending.arguments.at(-1) : undefined;
  return !query.sends.callback || !last || !isFunction(unwrap(last));
}

function readCell(lock: QueryLock, use: Use): Reading {
  const { operation } = lock;
  const { sink } = use;
  const isText = operation.returns === 'boolean' && operation.casts.some((cast) => /^(?:text|varchar|character varying|bpchar|name)$/i.test(cast));
  if (isText && (sink.kind === 'tested' || use.converted === 'boolean' || isComparedWithBoolean(use))) return misread(use, { of: 'text' });
  if (operation.action === 'try' && sink.kind === 'compared' && isNothing(sink.other)) return misread(use, { of: 'presence' });
  if (operation.action === 'try' && operation.dialect === 'mysql' && letsNullThrough(use)) return misread(use, { of: 'null' });
  return { kind: 'read', use };
}

function isComparedWithBoolean({ sink, converted }: Use): boolean {
  const other = sink.kind === 'compared' && sink.other && converted === null ? unwrap(sink.other) : null;
  return other?.type === 'Literal' && typeof other.value === 'boolean';
}

/** `res === 0` and `res !== 0` treat NULL, the answer to an error, like a granted lock; so does `res >= 0`. */
function letsNullThrough({ sink, converted }: Use): boolean {
  if (sink.kind !== 'compared' || converted !== null) return false;
  const other = sink.other && unwrap(sink.other);
  const isZero = other?.type === 'Literal' && (other.value === 0 || other.value === '0' || other.value === 0n);
  return isZero && ['===', '!==', '==', '!=', sink.side === 'left' ? '>=' : '<='].includes(sink.operator);
}

function isNothing(node: TSESTree.Node | null): boolean {
  const inner = node && unwrap(node);
  return inner?.type === 'Literal' ? inner.value === null : inner?.type === 'Identifier' && inner.name === 'undefined';
}
