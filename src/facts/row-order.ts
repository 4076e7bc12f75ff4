import type { TSESTree } from '@typescript-eslint/utils';
import { HOLE, type FromItem, type QueryLevel, type SqlExpression } from '../sql/model.js';
import type { QueryLock } from './query.js';

/**
 * Does the statement take one lock per row, with keys from the rows, that come in no certain order? `isOrdered` says whether
 * the order of a list bound to the statement is certain. Only an ORDER BY at the level of the lock or below it counts:
 * PostgreSQL evaluates the select list before the ORDER BY of an outer query.
 */
export function takesRowsUnordered(lock: QueryLock, isOrdered: (list: TSESTree.Node) => boolean): boolean {
  const { operation, level } = lock;
  if (!level || operation.guarded || operation.aggregated || (operation.clause !== 'select' && operation.clause !== 'perform')) return false;
  if (level.orderBy || isOneRow(level)) return false;
  if (!level.hasFrom) return operation.keys.flatMap(unnestedIn).some((list) => !isBoundInOrder(lock, list, isOrdered));
  const columns = operation.keys.flatMap(columnsIn);
  if (columns.length === 0 || columns.every((column) => level.fixedColumns.includes(column))) return false;
  return !level.from.some((item) => isOrderedItem(lock, item, isOrdered));
}

const isOneRow = ({ limit, aggregates, groupBy }: QueryLevel): boolean => (limit?.count.kind === 'number' && limit.count.value <= 1) || (aggregates && !groupBy);

function columnsIn(expression: SqlExpression): string[] {
  switch (expression.kind) {
    case 'column':
      return [expression.path.at(-1) ?? ''];
    case 'call':
    case 'operator':
      return expression.arguments.flatMap(columnsIn);
    case 'cast':
      return columnsIn(expression.argument);
    default:
      return [];
  }
}

/** `SELECT pg_advisory_lock(unnest($1))`: the lists. */
function unnestedIn(expression: SqlExpression): SqlExpression[] {
  switch (expression.kind) {
    case 'call':
      return expression.name === 'unnest' ? [...expression.arguments] : expression.arguments.flatMap(unnestedIn);
    case 'operator':
      return expression.arguments.flatMap(unnestedIn);
    case 'cast':
      return unnestedIn(expression.argument);
    default:
      return [];
  }
}

function isBoundInOrder(lock: QueryLock, list: SqlExpression, isOrdered: (list: TSESTree.Node) => boolean): boolean {
  const value = list.kind === 'cast' ? list.argument : list;
  if (value.kind !== 'placeholder' && value.kind !== 'hole') return true;
  const node = lock.boundValue(value);
  return node !== null && isOrdered(node);
}

/** Rows that come in the same order whoever asks. */
function isOrderedItem(lock: QueryLock, { kind, name, level, cte, range }: FromItem, isOrdered: (list: TSESTree.Node) => boolean): boolean {
  if ((level ?? cte?.level)?.orderBy) return true;
  const text = range ? lock.text.text.slice(range.start, kind === 'function' ? endOfCall(lock.text.text, range.end) : range.end) : '';
  if (kind === 'values') return range !== null && !/[$?:]/.test(text) && !text.includes(HOLE);
  if (kind !== 'function') return false;
  if (name === 'generate_series' || /\border\s+by\b|\bsort/i.test(text)) return true;
  const list = placeholderIn(lock, text, range?.start ?? 0);
  return list !== null && isBoundInOrder(lock, list, isOrdered);
}

/** Behind the parenthesis that closes the call whose name ends here; the end of the text where none does. */
function endOfCall(text: string, nameEnd: number): number {
  let depth = 0;
  for (let at = nameEnd; at < text.length; at += 1) {
    if (text[at] === '(') depth += 1;
    else if (text[at] === ')' && (depth -= 1) <= 0) return at + 1;
  }
  return text.length;
}

/** The first bound value in a stretch of the text. */
function placeholderIn({ text: { text } }: QueryLock, stretch: string, start: number): SqlExpression | null {
  const found = /\$(\d+)|\?|\uE000/.exec(stretch);
  if (!found) return null;
  const [written, number] = found;
  const range = { start: start + found.index, end: start + found.index + written.length };
  const before = text.slice(0, range.start);
  if (written === HOLE) return { kind: 'hole', index: before.split(HOLE).length - 1, range };
  return { kind: 'placeholder', position: number === undefined ? before.split('?').length - 1 : Number(number) - 1, name: null, text: written, range };
}
