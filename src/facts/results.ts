import type { TSESTree } from '@typescript-eslint/utils';
import type { Result } from '../drivers/driver.js';
import { unwrap } from '../source/ast.js';
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
  | { readonly kind: 'misread'; readonly use: Use; readonly misreading: Misreading }
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
  | { readonly of: 'null' };

/** Where the walk along a use's path stands in the driver's result. */
type Place =
  | { readonly at: 'result'; readonly remaining: readonly string[] }
  | { readonly at: 'rows' }
  | { readonly at: 'row' }
  | { readonly at: 'cell' }
  | { readonly at: 'row-count' }
  | { readonly at: 'other' }
  | { readonly at: 'wrong'; readonly misreading: Misreading };

const rowCounts: ReadonlySet<string> = new Set(['length', 'rowCount', 'count', 'affectedRows', 'numAffectedRows', 'rowsAffected']);
/** Members of every result object that say nothing of rows. */
const resultMembers: ReadonlySet<string> = new Set(['rows', 'fields', 'command', 'oid', 'columns', 'statement', 'state', 'metaData', 'warningStatus']);
const rowMethods: ReadonlySet<string> = new Set(['shift', 'pop', 'at', 'find', 'findLast']);

/** Says of every use of the statement's result what it does with this lock's answer; one reading for each use. */
export function readingsOf(lock: QueryLock): readonly Reading[] {
  return lock.query.uses.map((use) => bestReading(candidates(lock.query.result).map((result) => readingIn(result, lock, use)), use));
}

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
  if (isDropped(use)) return { kind: 'dropped', use };
  switch (result.shape) {
    case 'unknown':
    case 'one-of':
      return { kind: 'unknown', use };
    case 'nothing':
      return { kind: 'dropped', use };
    case 'count':
      return judged({ at: 'wrong', misreading: { of: 'affected-rows' } }, lock, use);
    case 'any-row':
      return judged({ at: 'wrong', misreading: { of: 'any-row' } }, lock, use);
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

const isDropped = ({ sink, path }: Use): boolean =>
  (sink.kind === 'discarded' || sink.kind === 'never-read') && path.every((step) => step.kind === 'await' || step.kind === 'then' || step.kind === 'property' || step.kind === 'index');

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
      return nextInRows(step);
    case 'row':
      return nextInRow(step, result, lock);
    case 'cell':
    case 'row-count':
    case 'other':
    case 'wrong':
      return place;
  }
}

function nextInResult(remaining: readonly string[], step: Step, result: Result): Place {
  const name = nameOf(step);
  if (name === null) return { at: 'other' };
  if (name === remaining[0]) return arrived(remaining.slice(1), result);
  if (rowCounts.has(name)) return { at: 'row-count' };
  // `result[0]` of a driver that answers with an object, `result.ok` where the rows stand under `rows`.
  return resultMembers.has(name) ? { at: 'other' } : { at: 'wrong', misreading: { of: 'member', name } };
}

function nextInRows(step: Step): Place {
  switch (step.kind) {
    case 'index':
    case 'element':
      return { at: 'row' };
    case 'rest':
      return { at: 'rows' };
    case 'method':
      return rowMethods.has(step.name) ? { at: 'row' } : { at: 'other' };
    case 'property':
      if (/^\d+$/.test(step.name)) return { at: 'row' };
      if (rowCounts.has(step.name)) return { at: 'row-count' };
      return { at: 'wrong', misreading: { of: 'member', name: step.name } };
    default:
      return { at: 'other' };
  }
}

function nextInRow(step: Step, result: Result, lock: QueryLock): Place {
  const { column } = lock.operation;
  const name = nameOf(step);
  if (!column || name === null) return step.kind === 'method' && step.name === 'Object.values' ? { at: 'rows' } : { at: 'other' };
  if (result.shape === 'row-arrays') return name === String(column.index) ? { at: 'cell' } : { at: 'other' };
  if (column.name === null) return { at: 'other' };
  if (name === column.name) return { at: 'cell' };
  const columns = lock.query.analysis?.statements[lock.operation.statement]?.columns;
  const isKnown = columns !== undefined && columns.length > 0 && columns.every((candidate) => candidate !== null);
  if (!isKnown || columns.includes(name) || lock.query.renamesColumns) return { at: 'other' };
  return { at: 'wrong', misreading: { of: 'column', name, expected: column.name } };
}

function nameOf(step: Step): string | null {
  if (step.kind === 'property') return step.name;
  return step.kind === 'index' ? String(step.index) : null;
}

function judged(place: Place, lock: QueryLock, use: Use): Reading {
  const { sink } = use;
  const isDecision = sink.kind === 'tested' || sink.kind === 'compared';
  switch (place.at) {
    case 'cell':
      return readCell(lock, use);
    case 'wrong':
      return isDecision || place.misreading.of !== 'affected-rows' ? misread(use, place.misreading, isDecision) : { kind: 'misread', use, misreading: place.misreading };
    case 'row-count':
      return isDecision ? { kind: 'misread', use, misreading: { of: 'row-count' } } : { kind: 'passed', use };
    case 'result':
      if (!isDecision) return { kind: 'passed', use };
      return { kind: 'misread', use, misreading: { of: use.path.length === 0 && !isCallbackValue(lock) ? 'promise' : 'result' } };
    case 'rows':
      return isDecision ? { kind: 'misread', use, misreading: { of: use.path.length === 0 && !isCallbackValue(lock) ? 'promise' : 'rows' } } : { kind: 'passed', use };
    case 'row':
      return isDecision ? { kind: 'misread', use, misreading: { of: 'row' } } : { kind: 'passed', use };
    case 'other':
      return { kind: 'unknown', use };
  }
}

/** A member that is never there is wrong however it is used, unless it is only looked for. */
function misread(use: Use, misreading: Misreading, isDecision: boolean): Reading {
  const looksForIt = use.sink.kind === 'compared' && isNothing(use.sink.other);
  if (looksForIt) return { kind: 'unknown', use };
  return isDecision || use.sink.kind === 'returned' || use.sink.kind === 'stored' || misreading.of === 'any-row' ? { kind: 'misread', use, misreading } : { kind: 'unknown', use };
}

const isCallbackValue = (lock: QueryLock): boolean => lock.query.sends.callback !== undefined && lock.query.uses.every((use) => use.path[0]?.kind !== 'await');

function readCell(lock: QueryLock, use: Use): Reading {
  const { operation } = lock;
  const isText = operation.casts.some((cast) => /^(?:text|varchar|character varying|char|bpchar)$/i.test(cast));
  if (isText && use.sink.kind === 'tested') return { kind: 'misread', use, misreading: { of: 'text' } };
  if (operation.name === 'get_lock' && letsNullThrough(use)) return { kind: 'misread', use, misreading: { of: 'null' } };
  return { kind: 'read', use };
}

/** `res === 0` and `res !== 0` treat NULL, the answer to an error, like a granted lock. */
function letsNullThrough({ sink, converted }: Use): boolean {
  if (sink.kind !== 'compared' || converted !== null) return false;
  const other = sink.other && unwrap(sink.other);
  const isZero = other?.type === 'Literal' && (other.value === 0 || other.value === '0' || other.value === 0n);
  return isZero && ['===', '!==', '==', '!='].includes(sink.operator);
}

function isNothing(node: TSESTree.Node | null): boolean {
  const inner = node && unwrap(node);
  return inner?.type === 'Literal' ? inner.value === null : inner?.type === 'Identifier' && inner.name === 'undefined';
}
