import type {
  DeleteStmt,
  InsertStmt,
  MergeStmt,
  Node,
  ReturningClause,
  SelectStmt,
  UpdateStmt,
  WithClause,
} from '@pgsql/types';

import { addTarget, walkFrom } from './from-walk.js';
import type { CommonTable, QueryLevel } from './model.js';
import { columnNameOf, isValues, listItems, literalIn, nameParts } from './parse-tree.js';
import { AFTER_SELECT_ITEM, clauseEnd, limitOf, limitRange, newLevel, orderByRange, parenthesisedRange } from './query-levels.js';
import type { OutputColumn, Place } from './relations.js';
import { rangeOfRun } from './sql-source.js';
import { callAt } from './tokens.js';
import { addColumn, consumedIn, knownName, type Nesting, newRelation, type Scope, type Walker } from './walker.js';

/** Walks a query in the order the server evaluates it: WITH, FROM, WHERE, GROUP BY, select list, ORDER BY, LIMIT. */
export function walkQuery(walker: Walker, node: Node, nesting: Nesting): Scope | null {
  if ('SelectStmt' in node) return walkSelect(walker, node.SelectStmt, nesting);
  if ('InsertStmt' in node) return walkInsert(walker, node.InsertStmt, nesting);
  if ('UpdateStmt' in node) return walkUpdate(walker, node.UpdateStmt, nesting);
  if ('DeleteStmt' in node) return walkDelete(walker, node.DeleteStmt, nesting);
  if ('MergeStmt' in node) return walkMerge(walker, node.MergeStmt, nesting);
  return null;
}

function openScope(walker: Walker, kind: QueryLevel['kind'], nesting: Nesting, tree: object): Scope {
  const { scope, place, lateral, sublink, cte, outlet } = nesting;
  const level = newLevel(kind, { parent: scope?.shownLevel ?? null, place, lateral, sublink, cte });
  if (walker.context.wantsRanges && place !== 'top' && place !== 'set-operand' && place !== 'insert-source') {
    level.range = parenthesisedRange(walker.context.source, tree, walker.firstLocation);
  }
  return { parent: scope, level, shownLevel: level, relation: newRelation(outlet), entries: [], commonTables: new Map() };
}

function walkWith(walker: Walker, clause: WithClause | undefined, scope: Scope, nesting: Nesting): void {
  for (const node of clause?.ctes ?? []) {
    if (!('CommonTableExpr' in node)) continue;
    const { ctename, ctematerialized, ctequery, aliascolnames } = node.CommonTableExpr;
    const name = knownName(ctename) ?? '';
    const table: CommonTable = {
      name,
      materialized:
        ctematerialized === 'CTEMaterializeAlways'
          ? 'always'
          : ctematerialized === 'CTEMaterializeNever'
            ? 'never'
            : 'default',
      recursive: false,
      references: 0,
    };
    if (!ctequery) continue;
    walker.commonTables.push(table);
    const entry = {
      table,
      relation: newRelation({ kind: 'uses' }),
      columnNames: nameParts(aliascolnames),
      reading: true,
    };
    if (clause?.recursive === true && name !== '') scope.commonTables.set(name, entry);
    const inner = walker.walkQuery(ctequery, {
      ...nesting,
      scope,
      place: 'cte',
      lateral: false,
      sublink: null,
      cte: table,
      outlet: { kind: 'uses' },
      selectClause: 'select',
    });
    entry.reading = false;
    if (inner) entry.relation = inner.relation;
    if (name !== '') scope.commonTables.set(name, entry);
  }
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
  for (const key of keys ?? []) {
    const literal = literalIn(key);
    const path = 'ColumnRef' in key ? nameParts(key.ColumnRef.fields) : [];
    for (const column of relation.columns) {
      const named = path.length === 1 && column.name !== null && path[0] === column.name;
      const numbered = literal?.kind === 'integer' && column.index >= 0 && BigInt(column.index + 1) === literal.value;
      if (named || numbered) column.sortKey = true;
    }
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
      for (const { name } of walked.relation.columns) addColumn(scope.relation, name);
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

/** Whether a hole stands where a select item does, so that it may be several items. */
function mayBeSeveral(walker: Walker, value: Node | undefined): boolean {
  const location =
    value && 'ParamRef' in value
      ? value.ParamRef.location
      : value && 'ColumnRef' in value && knownName(nameParts(value.ColumnRef.fields).at(-1)) === null
        ? value.ColumnRef.location
        : undefined;
  if (location === undefined) return false;
  const origin = walker.context.source.slotAt(location)?.origin;
  return origin?.kind === 'hole' && (origin.hole === 'unknown' || origin.hole === 'fragment');
}

function walkTargets(
  walker: Walker,
  targets: readonly Node[] | undefined,
  scope: Scope,
  nesting: Nesting,
  clause: Place['clause'],
): void {
  const { relation } = scope;
  for (const target of targets ?? []) {
    if (!('ResTarget' in target)) continue;
    const { name, val } = target.ResTarget;
    const place = consumedIn(scope, clause, nesting);
    if (val && 'ColumnRef' in val && val.ColumnRef.fields?.some((field) => 'A_Star' in field)) {
      expandStar(scope, nameParts(val.ColumnRef.fields).at(-1), place);
      continue;
    }
    const written = name ?? (mayBeAliased(walker, val) ? undefined : unaliasedName(walker, val));
    const column = addColumn(relation, knownName(written));
    walker.walkExpression(val, scope, { ...place, sink: { kind: 'column', relation, column, direct: true } });
    if (name === undefined && mayBeSeveral(walker, val)) {
      column.name = null;
      relation.open = true;
    }
  }
}

/** Whether a hole stands between an unaliased select item and what follows it: it may hold an alias or a cast. */
function mayBeAliased(walker: Walker, value: Node | undefined): boolean {
  const { source, wantsRanges } = walker.context;
  const location = wantsRanges ? walker.firstLocation(value) : -1;
  if (location < 0 || !source.view) return false;
  const last = clauseEnd(source.view, source.view.indexAt(location), AFTER_SELECT_ITEM);
  const end = source.view.tokens[last]?.end ?? 0;
  return source.hasSlot(end, source.view.tokens[last + 1]?.start ?? Infinity);
}

/**
 * MySQL names an unaliased column by its text, which is certain only without holes and bound values; PostgreSQL by its
 * outermost function.
 */
function unaliasedName(walker: Walker, value: Node | undefined): string | undefined {
  const { dialect, source } = walker.context;
  if (dialect === 'postgres' || (value && 'ColumnRef' in value)) return columnNameOf(value);
  if (!value || !('FuncCall' in value) || !walker.context.wantsRanges) return undefined;
  const call = source.view && callAt(source.view, source.view.indexAt(value.FuncCall.location ?? 0));
  if (!source.view || !call) return undefined;
  const tokens = source.view.tokens.slice(call.run.first, call.run.last + 1);
  const written = tokens.every(({ start, tokenName }) => tokenName !== 'PARAM' && source.slotAt(start) === null);
  return written ? source.textOf(rangeOfRun(source, call.run)) : undefined;
}

/** `*` hands up every column of every FROM item, `t.*` those of one. */
function expandStar(scope: Scope, qualifier: string | undefined, place: Place): void {
  const { relation } = scope;
  const entries = scope.entries.filter((entry) => qualifier === undefined || entry.alias === qualifier);
  const add = (name: string | null): OutputColumn => addColumn(relation, name);
  if (entries.length === 0) {
    add(null);
    relation.open = true;
  }
  for (const entry of entries) {
    for (const { name, column } of entry.columns) {
      const outer = add(name);
      entry.relation?.uses.push({ column, place: { ...place, sink: { kind: 'column', relation, column: outer, direct: true } } });
    }
    if (entry.open && entry.relation === null) add(null);
    relation.open ||= entry.open;
  }
}

function walkReturning(walker: Walker, returning: ReturningClause | undefined, scope: Scope, nesting: Nesting): void {
  walkTargets(walker, returning?.exprs, scope, nesting, 'returning');
}

/** The right sides of SET, in UPDATE, ON CONFLICT and MERGE. */
function assignments(walker: Walker, targets: readonly Node[] | undefined, scope: Scope, around: Nesting): void {
  walker.walkExpression(targets, scope, consumedIn(scope, 'set', around));
}

function walkInsert(walker: Walker, insert: InsertStmt, nesting: Nesting): Scope {
  const scope = openScope(walker, 'insert', nesting, insert);
  walkWith(walker, insert.withClause, scope, nesting);
  if (insert.selectStmt) {
    walker.walkQuery(insert.selectStmt, {
      ...nesting,
      scope,
      place: 'insert-source',
      lateral: false,
      sublink: null,
      cte: null,
      outlet: { kind: 'stored' },
      selectClause: 'select',
    });
  }
  const conflict = insert.onConflictClause;
  if (conflict) {
    assignments(walker, conflict.targetList, scope, { ...nesting, guarded: true });
    walker.walkExpression(conflict.whereClause, scope, consumedIn(scope, 'where', { ...nesting, guarded: true }));
  }
  scope.entries.push({ alias: knownName(insert.relation?.relname), relation: null, columns: [], open: true });
  walkReturning(walker, insert.returningClause, scope, nesting);
  return scope;
}

function walkUpdate(walker: Walker, update: UpdateStmt, nesting: Nesting): Scope {
  const scope = openScope(walker, 'update', nesting, update);
  scope.level.hasFrom = true;
  scope.level.where = update.whereClause !== undefined;
  walkWith(walker, update.withClause, scope, nesting);
  addTarget(walker, update.relation, scope);
  walkFrom(walker, update.fromClause, scope, nesting);
  walker.walkExpression(update.whereClause, scope, consumedIn(scope, 'where', nesting));
  assignments(walker, update.targetList, scope, nesting);
  walkReturning(walker, update.returningClause, scope, nesting);
  return scope;
}

function walkDelete(walker: Walker, remove: DeleteStmt, nesting: Nesting): Scope {
  const scope = openScope(walker, 'delete', nesting, remove);
  scope.level.hasFrom = true;
  scope.level.where = remove.whereClause !== undefined;
  walkWith(walker, remove.withClause, scope, nesting);
  addTarget(walker, remove.relation, scope);
  walkFrom(walker, remove.usingClause, scope, nesting);
  walker.walkExpression(remove.whereClause, scope, consumedIn(scope, 'where', nesting));
  walkReturning(walker, remove.returningClause, scope, nesting);
  return scope;
}

function walkMerge(walker: Walker, merge: MergeStmt, nesting: Nesting): Scope {
  const scope = openScope(walker, 'merge', nesting, merge);
  scope.level.hasFrom = true;
  walkWith(walker, merge.withClause, scope, nesting);
  addTarget(walker, merge.relation, scope);
  walkFrom(walker, merge.sourceRelation ? [merge.sourceRelation] : [], scope, nesting);
  walker.walkExpression(merge.joinCondition, scope, consumedIn(scope, 'join-on', nesting));
  const guarded: Nesting = { ...nesting, guarded: true };
  for (const node of merge.mergeWhenClauses ?? []) {
    if (!('MergeWhenClause' in node)) continue;
    const { condition, targetList, values } = node.MergeWhenClause;
    walker.walkExpression(condition, scope, consumedIn(scope, 'where', nesting));
    assignments(walker, targetList, scope, guarded);
    walker.walkExpression(values, scope, consumedIn(scope, 'values', guarded));
  }
  walkReturning(walker, merge.returningClause, scope, nesting);
  return scope;
}
