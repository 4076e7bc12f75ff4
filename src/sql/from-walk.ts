import type { JoinExpr, Node, RangeFunction, RangeVar } from '@pgsql/types';

import type { CommonTable, FromItem } from './model.js';
import { contentOf, functionName, isValues, listItems, nameParts } from './parse-tree.js';
import type { OutputColumn, Relation } from './relations.js';
import { rangeOfRun } from './sql-source.js';
import { textAt } from './tokens.js';
import {
  addColumn,
  type CommonTableEntry,
  consumedIn,
  type FromEntry,
  knownName,
  newRelation,
  openEntry,
  type Scope,
  type Walker,
} from './walker.js';

type Around = { guarded: boolean; aggregated: boolean };

/** Walks the items of a FROM clause in text order: their names become visible to what follows. */
export function walkFrom(walker: Walker, items: readonly Node[] | undefined, scope: Scope, around: Around): void {
  const found: FromItem[] = [...scope.level.from];
  for (const item of items ?? []) walkItem(walker, item, scope, around, found);
  scope.level.from = found;
}

/** The table that an UPDATE, DELETE or MERGE changes: its columns can be named like those of a FROM item. */
export function addTarget(walker: Walker, table: RangeVar | undefined, scope: Scope): void {
  if (!table) return;
  scope.level.from = [...scope.level.from, tableItem(walker, table, null)];
  scope.entries.push(openEntry(knownName(table.alias?.aliasname ?? table.relname)));
}

function walkItem(walker: Walker, item: Node, scope: Scope, around: Around, found: FromItem[]): void {
  if ('RangeVar' in item) {
    found.push(walkTable(walker, item.RangeVar, scope));
  } else if ('RangeSubselect' in item) {
    const { subquery, alias, lateral } = item.RangeSubselect;
    if (!subquery) return;
    const inner = walker.walkQuery(subquery, {
      scope,
      place: 'from',
      lateral: lateral === true,
      sublink: null,
      cte: null,
      outlet: { kind: 'uses' },
      guarded: around.guarded,
      aggregated: around.aggregated,
      selectClause: 'select',
    });
    if (!inner) return;
    const name = knownName(alias?.aliasname);
    scope.entries.push(entryOf(name, inner.relation, nameParts(alias?.colnames)));
    const values = 'SelectStmt' in subquery && isValues(subquery.SelectStmt);
    const { level } = inner;
    found.push({ kind: values ? 'values' : 'subquery', name: null, alias: name, range: level.range, level, cte: null });
  } else if ('RangeFunction' in item) {
    found.push(walkFunction(walker, item.RangeFunction, scope, around));
  } else if ('JoinExpr' in item) {
    walkJoin(walker, item.JoinExpr, scope, around, found);
  } else if ('RangeTableSample' in item) {
    const { relation, args, repeatable } = item.RangeTableSample;
    if (relation) walkItem(walker, relation, scope, around, found);
    walker.walkExpression([args, repeatable], scope, consumedIn(scope, 'from', around));
  } else {
    // XMLTABLE and JSON_TABLE: their columns are not followed.
    walker.walkExpression(contentOf(item), scope, consumedIn(scope, 'from', around));
    scope.entries.push(openEntry(null));
    found.push({ kind: 'function', name: null, alias: null, range: null, level: null, cte: null });
  }
}

function walkJoin(walker: Walker, join: JoinExpr, scope: Scope, around: Around, found: FromItem[]): void {
  if (join.larg) walkItem(walker, join.larg, scope, around, found);
  if (join.rarg) walkItem(walker, join.rarg, scope, around, found);
  walker.walkExpression(join.quals, scope, consumedIn(scope, 'join-on', around));
}

/** The columns of a relation under an alias, renamed where the alias lists names. */
function entryOf(alias: string | null, relation: Relation, names: readonly string[]): FromEntry {
  const columns = relation.columns.map((column, index) => {
    const renamed = names[index];
    return { name: renamed === undefined ? column.name : knownName(renamed), column };
  });
  const byName = new Map<string, OutputColumn>();
  for (const { name, column } of columns) {
    if (name !== null && !byName.has(name)) byName.set(name, column);
  }
  return { alias, relation, columns, byName, open: relation.open };
}

function findCommonTable(scope: Scope, name: string): CommonTableEntry | null {
  for (let around: Scope | null = scope; around; around = around.parent) {
    const entry = around.commonTables.get(name);
    if (entry) return entry;
  }
  return null;
}

function tableItem(walker: Walker, table: RangeVar, cte: CommonTable | null): FromItem {
  const schema = knownName(table.schemaname);
  const name = knownName(table.relname);
  return {
    kind: cte ? 'cte' : 'table',
    name: name !== null && schema !== null ? `${schema}.${name}` : name,
    alias: knownName(table.alias?.aliasname),
    range: tableRange(walker, table),
    level: null,
    cte,
  };
}

function tableRange(walker: Walker, table: RangeVar): FromItem['range'] {
  const { source, wantsRanges } = walker.context;
  const first = wantsRanges && source.view ? source.view.indexAt(table.location ?? 0) : -1;
  if (!source.view || first === -1) return null;
  let last = first;
  while (textAt(source.view, last + 1) === '.') last += 2;
  return rangeOfRun(source, { first, last });
}

function walkTable(walker: Walker, table: RangeVar, scope: Scope): FromItem {
  const name = knownName(table.relname);
  const alias = knownName(table.alias?.aliasname ?? table.relname);
  const common = name === null || table.schemaname !== undefined ? null : findCommonTable(scope, name);
  if (!common) {
    scope.entries.push(openEntry(alias));
    return tableItem(walker, table, null);
  }
  if (common.reading) common.table.recursive = true;
  else {
    common.table.references += 1;
    common.table.readers.push(scope.level);
  }
  const renamed = nameParts(table.alias?.colnames);
  scope.entries.push(entryOf(alias, common.relation, renamed.length > 0 ? renamed : common.columnNames));
  return tableItem(walker, table, common.table);
}

function walkFunction(walker: Walker, range: RangeFunction, scope: Scope, around: Around): FromItem {
  const { alias, functions, ordinality } = range;
  const calls = (functions ?? []).flatMap((item) => listItems(item).slice(0, 1));
  const first = calls[0];
  const functionAlias = first && 'FuncCall' in first ? knownName(functionName(first.FuncCall).split('.').at(-1)) : null;
  const aliasName = knownName(alias?.aliasname);
  const relation = newRelation({ kind: 'uses' });
  for (const call of calls) {
    // A scalar function's column is called like its alias:
    // https://www.postgresql.org/docs/18/queries-table-expressions.html#QUERIES-TABLEFUNCTIONS
    const own = 'FuncCall' in call ? knownName(functionName(call.FuncCall).split('.').at(-1)) : null;
    const column = addColumn(relation, calls.length === 1 && alias ? aliasName : own);
    const place = consumedIn(scope, 'from', around);
    walker.walkExpression(call, scope, { ...place, sink: { kind: 'column', relation, column, direct: true } });
  }
  if (ordinality === true) addColumn(relation, 'ordinality');
  scope.entries.push(entryOf(alias ? aliasName : functionAlias, relation, nameParts(alias?.colnames)));
  const location = walker.context.wantsRanges ? walker.firstLocation(first) : -1;
  const { source } = walker.context;
  const index = location < 0 || !source.view ? -1 : source.view.indexAt(location);
  return {
    kind: 'function',
    name: first && 'FuncCall' in first ? knownName(functionName(first.FuncCall)) : null,
    alias: aliasName,
    range: index < 0 ? null : rangeOfRun(source, { first: index, last: index }),
    level: null,
    cte: null,
  };
}
