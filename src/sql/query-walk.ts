import type { Node, SelectStmt } from '@pgsql/types';

import { walkFrom } from './from-walk.js';
import { fixedColumnsIn, isValues, listItems, literalIn, nameParts } from './parse-tree.js';
import { limitOf, limitRange, orderByRange } from './query-levels.js';
import { openScope, walkWith } from './query-scope.js';
import type { Place } from './relations.js';
import { walkTargets } from './select-list.js';
import { addColumn, consumedIn, type Nesting, type Scope, type Walker } from './walker.js';
import { walkDelete, walkInsert, walkMerge, walkUpdate } from './write-walk.js';

/** Walks a query in the order the server evaluates it: WITH, FROM, WHERE, GROUP BY, select list, ORDER BY, LIMIT. */
export function walkQuery(walker: Walker, node: Node, nesting: Nesting): Scope | null {
  if ('SelectStmt' in node) return walkSelect(walker, node.SelectStmt, nesting);
  if ('InsertStmt' in node) return walkInsert(walker, node.InsertStmt, nesting);
  if ('UpdateStmt' in node) return walkUpdate(walker, node.UpdateStmt, nesting);
  if ('DeleteStmt' in node) return walkDelete(walker, node.DeleteStmt, nesting);
  if ('MergeStmt' in node) return walkMerge(walker, node.MergeStmt, nesting);
  return null;
}

function walkSelect(walker: Walker, select: SelectStmt, nesting: Nesting): Scope {
  const { op, larg, rarg } = select;
  const isSetOperation = op !== undefined && op !== 'SETOP_NONE' && larg !== undefined && rarg !== undefined;
  const kind = isSetOperation ? 'set-operation' : isValues(select) ? 'values' : 'select';
  const into = select.intoClause !== undefined && nesting.outlet.kind === 'result';
  const scope = openScope(walker, kind, into ? { ...nesting, outlet: { kind: 'stored' } } : nesting, select);
  const { level } = scope;
  level.limit = limitOf(select);
  level.orderBy = (select.sortClause?.length ?? 0) > 0;
  level.groupBy = (select.groupClause?.length ?? 0) > 0;
  level.where = select.whereClause !== undefined;
  level.fixedColumns = fixedColumnsIn(select.whereClause);
  level.rowLocking = (select.lockingClause?.length ?? 0) > 0;
  level.windows = (select.windowClause?.length ?? 0) > 0;
  if (walker.context.wantsRanges) {
    if (level.limit) level.limit.range = limitRange(walker.context.source, select, walker.firstLocation);
    if (level.orderBy) level.orderByRange = orderByRange(walker.context.source, select, walker.firstLocation);
  }

  walkWith(walker, select.withClause, scope, nesting);
  if (isSetOperation) walkOperands(walker, [larg, rarg], scope, nesting, select.all === true);
  else if (isValues(select)) walkValues(walker, select, scope, nesting);
  walkClauses(walker, select, scope, nesting);
  return scope;
}

/** The clauses of a SELECT, from FROM to LIMIT, in a scope of their own or in that of a query whose head is unknown. */
export function walkClauses(walker: Walker, select: SelectStmt, scope: Scope, nesting: Nesting): void {
  const { level } = scope;
  const consumed = (clause: Place['clause']): Place => consumedIn(scope, clause, nesting);
  walkFrom(walker, select.fromClause, scope, nesting);
  level.hasFrom ||=
    (select.fromClause?.length ?? 0) > 0 &&
    !(walker.context.dialect === 'mysql' && level.from.every(({ name }) => name === 'dual'));
  walker.walkExpression(select.whereClause, scope, consumed('where'));
  walker.walkExpression(select.groupClause, scope, consumed('group-by'));
  walker.walkExpression(select.havingClause, scope, consumed('having'));
  walker.walkExpression(select.windowClause, scope, consumed('window'));
  walkTargets(walker, select.targetList, scope, nesting, nesting.selectClause);
  const distinct = select.distinctClause;
  if (distinct) {
    // A plain DISTINCT is a list with one empty node.
    const keys = distinct.filter((key) => Object.keys(key).length > 0);
    level.distinct = keys.length > 0 ? 'on' : 'all';
    walker.walkExpression(keys, scope, consumed('distinct-on'));
    markSortKeys(keys, scope);
  }
  walker.walkExpression(select.sortClause, scope, consumed('order-by'));
  walker.walkExpression([select.limitOffset, select.limitCount], scope, consumed('limit'));
  markSortKeys(select.groupClause, scope);
  markSortKeys(
    select.sortClause?.flatMap((key) => ('SortBy' in key && key.SortBy.node ? [key.SortBy.node] : [])),
    scope,
  );
}

/** ORDER BY and its like may name a result column instead of an expression. */
function markSortKeys(keys: readonly Node[] | undefined, { relation }: Scope): void {
  const names = new Set<string>();
  const numbers = new Set<number>();
  for (const key of keys ?? []) {
    const literal = literalIn(key);
    const [name, ...others] = 'ColumnRef' in key ? nameParts(key.ColumnRef.fields) : [];
    if (name !== undefined && others.length === 0) names.add(name);
    if (literal?.kind === 'integer') numbers.add(Number(literal.value));
  }
  if (names.size + numbers.size === 0) return;
  for (const column of relation.columns) {
    column.sortKey ||= (column.name !== null && names.has(column.name)) || numbers.has(column.index + 1);
  }
}

function walkOperands(
  walker: Walker,
  operands: readonly SelectStmt[],
  scope: Scope,
  nesting: Nesting,
  all: boolean,
): void {
  scope.level.deduplicates = !all;
  const inner: Scope[] = operands.map((operand) => {
    // The columns are named by the first operand, so they must exist before a value can be followed through them.
    const walked = walkSelect(walker, operand, {
      ...nesting,
      scope,
      place: 'set-operand',
      lateral: false,
      sublink: null,
      cte: null,
      outlet: { kind: 'operand', of: scope.relation },
      selectClause: 'select',
    });
    if (scope.relation.columns.length === 0) {
      for (const { name, shownName } of walked.relation.columns) addColumn(scope.relation, name, shownName);
      scope.relation.open = walked.relation.open;
    }
    return walked;
  });
  scope.level.hasFrom = inner.some(({ level }) => level.hasFrom);
}

function walkValues(walker: Walker, select: SelectStmt, scope: Scope, nesting: Nesting): void {
  const { relation } = scope;
  for (const row of select.valuesLists ?? []) {
    listItems(row).forEach((value, index) => {
      const column = relation.columns[index] ?? addColumn(relation, `column${String(index + 1)}`);
      walker.walkExpression(value, scope, {
        ...consumedIn(scope, 'values', nesting),
        sink: { kind: 'column', relation, column, direct: true },
      });
    });
  }
}
