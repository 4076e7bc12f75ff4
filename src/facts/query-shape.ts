import type { CommonTable, FromItem, LimitClause, QueryLevel } from '../sql/model.js';

/**
 * What the shape of a query says about the rows its functions are evaluated for. The facts are PostgreSQL's; where its
 * manual leaves the order of evaluation open, so do these answers:
 * https://www.postgresql.org/docs/18/sql-expressions.html#SYNTAX-EXPRESS-EVAL
 */

export const skipsRows = ({ offset }: LimitClause): boolean => offset.kind === 'expression' || (offset.kind === 'number' && offset.value > 0);

/** LIMIT ALL, LIMIT NULL and OFFSET 0 cut nothing off. */
export const cutsOff = (limit: LimitClause): boolean => limit.count.kind === 'number' || limit.count.kind === 'expression' || skipsRows(limit);

/**
 * May the planner mix the level's conditions with those of the tables it reads? It pulls plain subqueries up into the
 * query around them, but neither those with LIMIT or OFFSET nor WITH queries that are evaluated by themselves. False
 * where that is not known, and where there are no table's rows to choose from.
 */
export function filtersTable({ kind, hasFrom, from }: QueryLevel): boolean {
  if (kind === 'update' || kind === 'delete' || kind === 'merge') return true;
  return hasFrom && from.some((item) => isMixedIn(item));
}

function isMixedIn({ kind, level, cte }: FromItem): boolean {
  switch (kind) {
    case 'table':
      return true;
    case 'subquery':
      return level !== null && isPulledUp(level);
    case 'cte':
      return cte !== null && cte.level !== null && isFolded(cte) && isPulledUp(cte.level);
    case 'function':
    case 'values':
      return false;
  }
}

/** https://www.postgresql.org/docs/18/queries-with.html#QUERIES-WITH-CTE-MATERIALIZATION */
const isFolded = ({ materialized, recursive, references }: CommonTable): boolean =>
  !recursive && (materialized === 'never' || (materialized === 'default' && references === 1));

function isPulledUp(level: QueryLevel): boolean {
  const { kind, limit, distinct, groupBy, aggregates, windows } = level;
  if (kind !== 'select' || limit || distinct !== 'none' || groupBy || aggregates || windows) return false;
  return filtersTable(level);
}

/** Are the functions of its select list evaluated more than once, as far as the text tells? */
export function hasManyRows(level: QueryLevel): boolean {
  if (level.lateral || level.place === 'set-operand') return true;
  return level.hasFrom && !hasOneRowAtMost(level);
}

function hasOneRowAtMost({ hasFrom, from, limit }: QueryLevel): boolean {
  if (limit?.count.kind === 'number' && limit.count.value <= 1) return true;
  const [only, ...others] = from;
  if (!hasFrom || !only || others.length > 0) return !hasFrom;
  const source = only.level ?? only.cte?.level;
  return source?.kind === 'select' && hasOneRowAtMost(source);
}

/** The queries through which a level's rows go on their way to the result, innermost first. */
export function queriesAround(own: QueryLevel): readonly QueryLevel[] {
  const found = new Set<QueryLevel>();
  const open = [own];
  for (let level = open.shift(); level; level = open.shift()) {
    const isHandedUp = level.place === 'from' || level.place === 'set-operand';
    for (const next of level.cte ? level.cte.readers : isHandedUp && level.parent ? [level.parent] : []) {
      if (found.has(next) || next === own) continue;
      found.add(next);
      open.push(next);
    }
  }
  return [...found];
}

/** The WITH query around the level that nothing reads, so that PostgreSQL does not evaluate it; null for none. */
export function unreadCommonTable(own: QueryLevel): CommonTable | null {
  for (let level: QueryLevel | null = own; level; level = level.parent) {
    if (level.cte && !isRead(level, level.cte, new Set())) return level.cte;
  }
  return null;
}

function isRead(level: QueryLevel, table: CommonTable, seen: Set<QueryLevel>): boolean {
  const { kind } = level;
  // A query that writes is run to its end, whoever reads it.
  if (seen.has(level) || kind === 'insert' || kind === 'update' || kind === 'delete' || kind === 'merge') return true;
  seen.add(level);
  // References without readers: a hole may hold one.
  if (table.readers.length === 0) return table.references > 0;
  return table.readers.some((reader) => {
    const home = commonTableAround(reader);
    return home === null || isRead(home.level, home.table, seen);
  });
}

function commonTableAround(own: QueryLevel): { level: QueryLevel; table: CommonTable } | null {
  for (let level: QueryLevel | null = own; level; level = level.parent) {
    if (level.cte) return { level, table: level.cte };
  }
  return null;
}

/** The WITH query around the level that NOT MATERIALIZED asks to evaluate for each of several readers; null for none. */
export function repeatedCommonTable(own: QueryLevel): CommonTable | null {
  for (let level: QueryLevel | null = own; level; level = level.parent) {
    const { cte } = level;
    if (cte?.materialized === 'never' && !cte.recursive && cte.references > 1) return cte;
  }
  return null;
}

/** An EXISTS whose select list PostgreSQL drops unevaluated: one without aggregates, windows and rows to skip. */
export function dropsSelectList({ kind, sublink, aggregates, windows, groupBy, limit }: QueryLevel): boolean {
  if (sublink !== 'exists' || kind !== 'select') return false;
  return !aggregates && !windows && !groupBy && !(limit && skipsRows(limit));
}
