import type { Node, SelectStmt } from '@pgsql/types';

import type { LimitClause, QueryLevel, SqlRange } from './model.js';
import { literalIn } from './parse-tree.js';
import { rangeOfRun, type SqlSource } from './sql-source.js';
import { textAt, type TokenView } from './tokens.js';

/** A level with nothing in it yet. */
export function newLevel(
  kind: QueryLevel['kind'],
  nesting: Pick<QueryLevel, 'parent' | 'place' | 'lateral' | 'sublink' | 'cte'>,
): QueryLevel {
  return {
    kind,
    ...nesting,
    hasFrom: false,
    from: [],
    limit: null,
    orderBy: false,
    orderByRange: null,
    distinct: 'none',
    groupBy: false,
    aggregates: false,
    windows: false,
    where: false,
    fixedColumns: [],
    rowLocking: false,
    deduplicates: false,
    range: null,
  };
}

const AGGREGATES = new Set(
  (
    'any_value array_agg avg bit_and bit_or bit_xor bool_and bool_or corr count covar_pop covar_samp every group_concat ' +
    'json_agg json_agg_strict json_arrayagg json_object_agg json_objectagg jsonb_agg jsonb_agg_strict jsonb_object_agg ' +
    'max min mode percentile_cont percentile_disc range_agg range_intersect_agg regr_avgx regr_avgy regr_count ' +
    'regr_intercept regr_r2 regr_slope regr_sxx regr_sxy regr_syy stddev stddev_pop stddev_samp string_agg sum ' +
    'var_pop var_samp variance xmlagg'
  ).split(' '),
);

/** Whether a function of that name is one of the servers' own aggregates. */
export function isAggregateName(name: string): boolean {
  return AGGREGATES.has(name);
}

/** Finds the smallest byte offset noted anywhere in a part of a parse tree; -1 for none. */
export type FirstLocation = (value: unknown) => number;

/** A finder that looks at each part of a tree once, however deep queries are nested. */
export function firstLocationFinder(): FirstLocation {
  const known = new WeakMap<object, number>();
  const find: FirstLocation = (value) => {
    if (typeof value !== 'object' || value === null) return -1;
    const memoised = known.get(value);
    if (memoised !== undefined) return memoised;
    let first = -1;
    for (const [key, child] of Object.entries(value)) {
      const location: number = key === 'location' && typeof child === 'number' ? child : find(child);
      if (location >= 0 && (first === -1 || location < first)) first = location;
    }
    known.set(value, first);
    return first;
  };
  return find;
}

function amount(node: Node | undefined): LimitClause['offset'] | { kind: 'null' } {
  if (!node) return { kind: 'none' };
  const literal = literalIn(node);
  if (literal?.kind === 'null') return { kind: 'null' };
  return literal?.kind === 'integer' ? { kind: 'number', value: Number(literal.value) } : { kind: 'expression' };
}

/** The LIMIT, OFFSET or FETCH clause of a query; null without one. The range is filled in by `limitRange`. */
export function limitOf({ limitCount, limitOffset, limitOption }: SelectStmt): LimitClause | null {
  if (!limitCount && !limitOffset) return null;
  const count = amount(limitCount);
  const offset = amount(limitOffset);
  return {
    count: count.kind === 'null' ? { kind: 'all' } : count,
    // OFFSET NULL skips nothing: https://www.postgresql.org/docs/18/queries-limit.html
    offset: offset.kind === 'null' ? { kind: 'number', value: 0 } : offset,
    withTies: limitOption === 'LIMIT_OPTION_WITH_TIES',
    range: null,
  };
}

const AFTER_LIMIT = new Set(['for', 'returning', 'on', ';']);
const AFTER_ORDER_BY = new Set([...AFTER_LIMIT, 'limit', 'offset', 'fetch']);

/** What can follow an item of a select list. */
export const AFTER_SELECT_ITEM: ReadonlySet<string> = new Set([
  ...AFTER_ORDER_BY,
  ...[',', 'except', 'from', 'group', 'having', 'intersect', 'into', 'order', 'union', 'where', 'window'],
]);

/** The last token of a clause that starts at `from`: it ends before a terminator or where its parentheses close. */
export function clauseEnd(view: TokenView, from: number, terminators: ReadonlySet<string>): number {
  for (let index = from; index < view.tokens.length; index += 1) {
    const text = textAt(view, index);
    if (text === ')' || terminators.has(text.toLowerCase())) return index - 1;
    if (text === '(' || text === '[') {
      const close = view.closing(index);
      if (close === -1) break;
      index = close;
    }
  }
  return view.tokens.length - 1;
}

/** The nearest token before `from` that is one of the given keywords, a few tokens back at most; -1 for none. */
function keywordBefore(view: TokenView, from: number, keywords: readonly string[]): number {
  for (let index = from - 1; index >= 0 && index >= from - 8; index -= 1) {
    if (keywords.includes(textAt(view, index).toLowerCase())) return index;
  }
  return -1;
}

export function limitRange(
  source: SqlSource,
  { limitCount, limitOffset }: SelectStmt,
  firstLocation: FirstLocation,
): SqlRange | null {
  const { view } = source;
  if (!view) return null;
  const starts = [limitCount, limitOffset].flatMap((node) => {
    const location = firstLocation(node);
    const index = location < 0 ? -1 : view.indexAt(location);
    const keyword = index < 0 ? -1 : keywordBefore(view, index, ['limit', 'offset', 'fetch']);
    return keyword < 0 ? [] : [keyword];
  });
  if (limitCount && firstLocation(limitCount) < 0) {
    // FETCH FIRST ROW ONLY: the grammar makes the count up, so only a single FETCH in the text is certain to be this one.
    const fetches = view.tokens.flatMap((token, index) => (token.text.toLowerCase() === 'fetch' ? [index] : []));
    if (fetches.length === 1) starts.push(...fetches);
  }
  if (starts.length === 0) return null;
  const first = Math.min(...starts);
  return rangeOfRun(source, { first, last: clauseEnd(view, first, AFTER_LIMIT) });
}

export function orderByRange(
  source: SqlSource,
  { sortClause }: SelectStmt,
  firstLocation: FirstLocation,
): SqlRange | null {
  const { view } = source;
  const location = firstLocation(sortClause);
  if (!view || location < 0) return null;
  const index = view.indexAt(location);
  const by = index < 0 ? -1 : keywordBefore(view, index, ['by']);
  return by < 0 ? null : rangeOfRun(source, { first: by + 1, last: clauseEnd(view, by + 1, AFTER_ORDER_BY) });
}

const QUERY_START = new Set(['select', 'with', 'values', 'insert', 'update', 'delete', 'merge', 'table']);

/** What stands between the parentheses around a nested query, found by any place inside it. */
export function parenthesisedRange(source: SqlSource, query: unknown, firstLocation: FirstLocation): SqlRange | null {
  const { view } = source;
  const location = firstLocation(query);
  const index = !view || location < 0 ? -1 : view.indexAt(location);
  if (!view || index < 0) return null;
  for (let open = view.enclosing(index); open >= 0; open = view.enclosing(open)) {
    const close = view.closing(open);
    if (close === -1) return null;
    if (QUERY_START.has(textAt(view, open + 1).toLowerCase())) {
      return rangeOfRun(source, { first: open + 1, last: close - 1 });
    }
  }
  return null;
}
