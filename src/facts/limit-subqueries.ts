import { definePass, type Unit } from '../pass.js';
import type { Edit } from '../source/edit.js';
import { analyzeSql } from '../sql/analyze.js';
import { createCatalogue } from '../sql/lock-functions.js';
import type { SqlAnalysis, SqlInput } from '../sql/model.js';
import type { QueryLock } from './query.js';

export interface LimitSubqueries {
  /**
   * The edits that put the rows of a query into a subquery, LIMIT and all, so that only its select list is left above:
   * `SELECT lock(id) FROM (SELECT * FROM t … LIMIT 1) AS t`. Null where names could then mean something else.
   */
  moveLimitOf(lock: QueryLock): readonly Edit[] | null;
}

/** `id`, `t.id`, `id AS key`. */
const plainItem = /^\s*(?:[a-z_][\w$]*\.)?[a-z_][\w$]*\s*$/i;

export const limitSubqueries = definePass('limitSubqueries', [], (_, unit: Unit): LimitSubqueries => {
  const catalogue = createCatalogue(unit.settings.lockFunctions);
  return { moveLimitOf };

  function moveLimitOf(lock: QueryLock): readonly Edit[] | null {
    const { text, query, level, operation } = lock;
    const sql = query.sql === text ? text.text : null;
    if (sql === null || query.analysis?.status !== 'parsed' || query.analysis.statements.length !== 1 || query.analysis.gaps.length > 0) return null;
    if (level?.kind !== 'select' || level.place !== 'top' || operation.clause !== 'select' || level.from.length !== 1) return null;
    if (level.groupBy || level.aggregates || level.windows || level.distinct !== 'none' || operation.sortKey) return null;
    const [table] = level.from;
    if (table?.kind !== 'table' || table.name === null || !table.range || !level.limit?.range) return null;
    const alias = table.alias ?? table.name;
    const from = fromKeywordBefore(sql, table.range.start);
    if (!/^[a-z_][\w$]*$/i.test(alias) || from === null || !isSimpleHead(sql.slice(0, from), lock) || !sortsByColumns(sql, lock)) return null;
    const end = sql.replace(/[\s;]+$/, '').length;
    const edited = `${sql.slice(0, table.range.start)}(SELECT * FROM ${sql.slice(table.range.start, end)}) AS ${alias}${sql.slice(end)}`;
    const opening = text.editable(table.range.start, table.range.start + 1);
    const closing = text.editable(end - 1, end) ?? holeEnd(lock, end);
    if (!opening || closing === null || !isCured(edited, lock)) return null;
    const closingAt = typeof closing === 'number' ? closing : closing[1];
    return [
      { range: [opening[0], opening[0]], text: '(SELECT * FROM ' },
      { range: [closingAt, closingAt], text: `) AS ${alias}` },
    ];
  }

  /** A bound value at the end of a template literal: the text goes on behind its closing brace. */
  function holeEnd({ text }: QueryLock, end: number): number | null {
    const hole = text.holes.find(({ at }) => at === end - 1);
    const rest = hole && unit.text.slice(hole.node.range[1]);
    const brace = rest && /^\s*\}/.exec(rest);
    const isOwn = hole && hole.node.range[0] > text.node.range[0] && hole.node.range[1] < text.node.range[1];
    return hole && brace && isOwn ? hole.node.range[1] + brace[0].length : null;
  }

  function isCured(edited: string, { query, text, operation }: QueryLock): boolean {
    const input: SqlInput = {
      text: edited,
      holes: text.holes.map(({ kind }) => kind),
      dialect: operation.dialect,
      placeholders: query.sends.placeholders ?? query.driver.placeholders ?? [],
      form: 'statement',
    };
    const analysis = analyzeSql(input, catalogue);
    return analysis.status === 'parsed' && locksOf(analysis).every(({ query: level }) => level !== null && level.limit === null) && sameColumns(analysis, query.analysis);
  }
});

const locksOf = (analysis: SqlAnalysis) => analysis.operations.flatMap((operation) => (operation.kind === 'lock' ? [operation] : []));

const sameColumns = (one: SqlAnalysis, other: SqlAnalysis | null): boolean =>
  JSON.stringify(one.statements.map(({ columns }) => columns)) === JSON.stringify(other?.statements.map(({ columns }) => columns));

function fromKeywordBefore(sql: string, at: number): number | null {
  const found = /\bfrom\s+$/i.exec(sql.slice(0, at));
  return found ? found.index : null;
}

/** Between SELECT and FROM stand plain columns and this lock's call, which may have an alias and casts. */
function isSimpleHead(head: string, { operation }: QueryLock): boolean {
  const { start, end } = operation.range;
  const withoutCall = `${head.slice(0, start)}\0${head.slice(end)}`;
  const select = /^\s*select\s/i.exec(withoutCall);
  if (!select) return false;
  return withoutCall
    .slice(select[0].length)
    .split(',')
    .every((item) => plainItem.test(item) || /^\s*\0(?:::\w+)*(?:\s+(?:as\s+)?(?:\w+|"[^"]+"))?\s*$/i.test(item));
}

/** ORDER BY moves along: it must not name the lock's own column, nor count the select list's columns. */
function sortsByColumns(sql: string, { level, operation }: QueryLock): boolean {
  if (!level?.orderBy) return true;
  if (!level.orderByRange) return false;
  const written = sql.slice(level.orderByRange.start, level.orderByRange.end);
  const names = [operation.name, operation.column?.name ?? operation.name];
  return !/(?:^|,)\s*\d/.test(written) && !names.some((name) => written.toLowerCase().includes(name.toLowerCase()));
}
