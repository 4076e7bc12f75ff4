import type { Node } from '@pgsql/types';

import { columnNameOf, nameParts } from './parse-tree.js';
import { AFTER_SELECT_ITEM, clauseEnd } from './query-levels.js';
import { addUse, type OutputColumn, type Place } from './relations.js';
import { rangeOfRun } from './sql-source.js';
import { callAt, textAt } from './tokens.js';
import { addColumn, consumedIn, knownName, type Nesting, noteColumn, type Scope, type Walker } from './walker.js';

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

/**
 * Walks the items of a select list or of RETURNING, which become the columns of the query.
 * @param clause where calls in them are said to stand
 */
export function walkTargets(
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
      expandStar(walker, scope, nameParts(val.ColumnRef.fields).at(-1), place);
      continue;
    }
    const written = name ?? (mayBeAliased(walker, val) ? undefined : unaliasedName(walker, val));
    const column = addColumn(relation, knownName(written), shownName(walker, knownName(written), val));
    walker.walkExpression(val, scope, { ...place, sink: { kind: 'column', relation, column, direct: true } });
    if (name === undefined && mayBeSeveral(walker, val)) {
      column.name = null;
      column.shownName = null;
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

/** MySQL answers a column under its name as it is written at the end of the item; null where the text does not show it. */
function shownName(walker: Walker, name: string | null, value: Node | undefined): string | null {
  const { dialect, source, wantsRanges } = walker.context;
  if (dialect === 'postgres' || name !== name?.toLowerCase()) return name;
  const location = wantsRanges ? walker.firstLocation(value) : -1;
  if (location < 0 || !source.view) return name;
  const last = textAt(source.view, clauseEnd(source.view, source.view.indexAt(location), AFTER_SELECT_ITEM));
  const written = last.startsWith('"') ? last.slice(1, -1) : last;
  return written.toLowerCase() === name ? written : name;
}

/** `*` hands up every column of every FROM item, `t.*` those of one. */
function expandStar(walker: Walker, scope: Scope, qualifier: string | undefined, place: Place): void {
  const { relation } = scope;
  const entries = scope.entries.filter((entry) => qualifier === undefined || entry.alias === qualifier);
  const add = (name: string | null, shown = name): OutputColumn => addColumn(relation, name, shown);
  if (entries.length === 0) {
    add(null);
    relation.open = true;
  }
  for (const entry of entries) {
    for (const { name, column } of entry.columns) {
      const outer = add(name, name === column.name ? column.shownName : name);
      const sink = { kind: 'column', relation, column: outer, direct: true } as const;
      if (entry.relation) addUse(entry.relation, column, { ...place, sink });
    }
    if (entry.open && entry.relation === null) {
      const sink = { kind: 'column', relation, column: add(null), direct: true } as const;
      noteColumn(walker, '*', { ...place, sink });
    }
    relation.open ||= entry.open;
  }
}
