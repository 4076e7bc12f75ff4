import { describe, expect, it } from 'vitest';

import type { LockOperation, QueryLevel } from '../../src/sql/model.js';
import { analyze, lockIn, locksIn, short } from './sql-input.js';

function limitOf({ limit }: QueryLevel): string[] {
  if (!limit) return [];
  const { count, offset, withTies } = limit;
  return [
    ...(count.kind === 'none' ? [] : [`limit ${count.kind === 'number' ? String(count.value) : count.kind}`]),
    ...(offset.kind === 'none' ? [] : [`offset ${offset.kind === 'number' ? String(offset.value) : offset.kind}`]),
    ...(withTies ? ['ties'] : []),
  ];
}

/** A query level and those around it, innermost first. */
function levels(query: QueryLevel | null): string {
  const found: string[] = [];
  for (let level = query; level; level = level.parent) {
    const { kind, place, sublink, cte, lateral } = level;
    const where = place === 'cte' ? `cte ${String(cte?.materialized)}×${String(cte?.references)}` : (sublink ?? place);
    found.push(
      [
        `${kind}@${lateral ? 'lateral ' : ''}${where}`,
        ...limitOf(level),
        ...(level.orderBy ? ['order'] : []),
        ...(level.distinct === 'none' ? [] : [`distinct ${level.distinct}`]),
        ...(level.groupBy ? ['group'] : []),
        ...(level.aggregates ? ['aggregate'] : []),
        ...(level.windows ? ['window'] : []),
        ...(level.where ? ['where'] : []),
        ...(level.rowLocking ? ['for'] : []),
        ...(level.deduplicates ? ['dedup'] : []),
        ...(level.hasFrom ? [] : ['no from']),
      ].join(' '),
    );
  }
  return found.join(' < ');
}

const place = (operation: LockOperation): string => `${operation.clause}: ${levels(operation.query)}`;

describe('the shapes that do not take more locks than rows', () => {
  it.each([
    ['SELECT pg_advisory_lock(id) FROM t LIMIT 1', 'select: select@top limit 1'],
    [`SELECT pg_advisory_lock(id) FROM t WHERE status='rare' LIMIT 1`, 'select: select@top limit 1 where'],
    ['SELECT pg_advisory_lock(id) FROM t LIMIT $1', 'select: select@top limit expression'],
    ['SELECT pg_advisory_lock(id) FROM t WHERE id > 12 LIMIT 10', 'select: select@top limit 10 where'],
    ['SELECT pg_advisory_lock(id) FROM t FETCH FIRST 1 ROW ONLY', 'select: select@top limit 1'],
    ['SELECT pg_advisory_lock(id) FROM t FETCH FIRST ROW ONLY', 'select: select@top limit 1'],
    ['SELECT pg_advisory_lock(id) FROM t ORDER BY created LIMIT 1', 'select: select@top limit 1 order'],
    ['SELECT pg_advisory_lock(id) FROM t ORDER BY random() LIMIT 1', 'select: select@top limit 1 order'],
    ['SELECT pg_advisory_lock(id) FROM t GROUP BY id LIMIT 1', 'select: select@top limit 1 group'],
    ['SELECT pg_advisory_lock(id), row_number() OVER () FROM t LIMIT 1', 'select: select@top limit 1 window'],
    ['SELECT pg_advisory_lock(id) FROM t LIMIT 1 FOR UPDATE SKIP LOCKED', 'select: select@top limit 1 for'],
    ['SELECT pg_advisory_lock(1) LIMIT 1', 'select: select@top limit 1 no from'],
    ['SELECT pg_advisory_lock(id) FROM t LIMIT 0', 'select: select@top limit 0'],
    [
      'SELECT pg_advisory_lock(id) FROM t UNION ALL SELECT 1 LIMIT 1',
      'select: select@set-operand < set-operation@top limit 1',
    ],
    ['VALUES (pg_advisory_lock(1)), (2) LIMIT 1', 'values: values@top limit 1 no from'],
    ['SELECT id FROM t WHERE pg_try_advisory_lock(id) LIMIT 1', 'where: select@top limit 1 where'],
    [
      'SELECT id FROM t WHERE pg_try_advisory_lock(id) ORDER BY id LIMIT 1',
      'where: select@top limit 1 order where',
    ],
    [
      'SELECT * FROM (SELECT id, pg_try_advisory_lock(id) FROM t) s LIMIT 1',
      'select: select@from < select@top limit 1',
    ],
    [
      'WITH s AS MATERIALIZED (SELECT pg_try_advisory_lock(id) FROM t) SELECT * FROM s LIMIT 1',
      'select: select@cte always×1 < select@top limit 1',
    ],
    ['SELECT pg_advisory_lock(q.id) FROM (SELECT id FROM t ORDER BY created LIMIT 5) q', 'select: select@top'],
    [
      'WITH q AS NOT MATERIALIZED (SELECT id FROM t LIMIT 5) SELECT pg_advisory_lock(q.id) FROM q',
      'select: select@top',
    ],
    [
      'UPDATE t SET a = 1 WHERE id = (SELECT id FROM t WHERE pg_try_advisory_lock(id) LIMIT 1)',
      'where: select@scalar limit 1 where < update@top where',
    ],
    [
      'UPDATE t SET a = 1 WHERE id IN (SELECT id FROM t WHERE pg_try_advisory_lock(id) LIMIT 1)',
      'where: select@any limit 1 where < update@top where',
    ],
  ])('%s', (sql, expected) => {
    expect(place(lockIn(sql))).toBe(expected);
  });
});

describe('the shapes that take more locks than rows', () => {
  it.each([
    [
      'SELECT id FROM t WHERE pg_try_advisory_lock(id) ORDER BY created LIMIT 1',
      'where: select@top limit 1 order where',
    ],
    ['SELECT pg_advisory_lock(id) FROM t LIMIT 1 OFFSET 5', 'select: select@top limit 1 offset 5'],
    ['SELECT pg_advisory_lock(id) FROM t OFFSET 5', 'select: select@top offset 5'],
    ['SELECT pg_advisory_lock(id) FROM t OFFSET $1 ROWS', 'select: select@top offset expression'],
    ['SELECT pg_advisory_lock(id) FROM t OFFSET 0', 'select: select@top offset 0'],
    [
      'SELECT pg_advisory_lock(id) FROM t ORDER BY a FETCH FIRST 1 ROW WITH TIES',
      'select: select@top limit 1 ties order',
    ],
    ['SELECT id FROM t ORDER BY pg_try_advisory_lock(id) LIMIT 1', 'order-by: select@top limit 1 order'],
    ['SELECT DISTINCT pg_try_advisory_lock(id) FROM t LIMIT 1', 'select: select@top limit 1 distinct all'],
    [
      'SELECT DISTINCT ON (status) pg_try_advisory_lock(id) FROM t LIMIT 1',
      'select: select@top limit 1 distinct on',
    ],
    [
      'SELECT DISTINCT ON (pg_try_advisory_lock(id)) id FROM t LIMIT 1',
      'distinct-on: select@top limit 1 distinct on',
    ],
    [
      'SELECT * FROM (SELECT id, pg_try_advisory_lock(id) ok FROM t) s ORDER BY id LIMIT 1',
      'select: select@from < select@top limit 1 order',
    ],
    [
      'WITH s AS (SELECT id, pg_try_advisory_lock(id) ok FROM t) SELECT * FROM s ORDER BY id LIMIT 1',
      'select: select@cte default×1 < select@top limit 1 order',
    ],
    [
      'SELECT t.id FROM t, LATERAL (SELECT pg_try_advisory_lock(t.id)) l ORDER BY created LIMIT 1',
      'select: select@lateral from no from < select@top limit 1 order',
    ],
    ['SELECT t.id FROM t, pg_try_advisory_lock(t.id) ORDER BY created LIMIT 1', 'from: select@top limit 1 order'],
    ['SELECT bool_and(pg_try_advisory_lock(id)) FROM t LIMIT 1', 'select: select@top limit 1 aggregate'],
    ['SELECT count(pg_advisory_lock(id)) FROM t LIMIT 1', 'select: select@top limit 1 aggregate'],
    [
      'SELECT count(*) FROM (SELECT pg_advisory_lock(id) FROM t) s LIMIT 1',
      'select: select@from < select@top limit 1 aggregate',
    ],
    [
      'SELECT pg_try_advisory_lock(1) UNION SELECT false LIMIT 1',
      'select: select@set-operand no from < set-operation@top limit 1 dedup no from',
    ],
    [
      'SELECT pg_try_advisory_lock(1) k UNION ALL SELECT true ORDER BY k LIMIT 1',
      'select: select@set-operand no from < set-operation@top limit 1 order no from',
    ],
    ['SELECT pg_advisory_lock(id) FROM t LIMIT ALL', 'select: select@top limit all'],
    ['SELECT pg_advisory_lock(id) FROM t LIMIT NULL', 'select: select@top limit all'],
    [`SELECT id FROM t WHERE status='rare' AND pg_try_advisory_lock(id) LIMIT 1`, 'where: select@top limit 1 where'],
  ])('%s', (sql, expected) => {
    expect(place(lockIn(sql))).toBe(expected);
  });
});

describe('locks that are taken twice, never, or by other rows', () => {
  it.each([
    ['SELECT EXISTS (SELECT pg_advisory_lock(id) FROM t)', 'select: select@exists < select@top no from'],
    [
      'WITH s AS (SELECT pg_advisory_lock(id) FROM t) SELECT 1',
      'select: select@cte default×0 < select@top no from',
    ],
    [
      'WITH s AS (SELECT pg_advisory_lock(id) AS l FROM t) SELECT * FROM s a JOIN s b ON true',
      'select: select@cte default×2 < select@top',
    ],
    [
      'WITH s AS (SELECT pg_advisory_lock(1)) SELECT * FROM x.s',
      'select: select@cte default×0 no from < select@top',
    ],
    [
      'WITH s AS (SELECT pg_advisory_lock(1)) SELECT * FROM «u»',
      'select: select@cte default×1 no from < select@top',
    ],
    [
      'WITH a AS (SELECT pg_advisory_lock(1)), b AS (SELECT * FROM a) SELECT * FROM b, a',
      'select: select@cte default×2 no from < select@top',
    ],
    [
      'WITH a AS (SELECT pg_advisory_lock(1)) SELECT * FROM (WITH a AS (SELECT 2) SELECT * FROM a) x',
      'select: select@cte default×0 no from < select@top',
    ],
    ['SELECT pg_advisory_lock(7) FROM t', 'select: select@top'],
  ])('%s', (sql, expected) => {
    expect(place(lockIn(sql))).toBe(expected);
  });

  it('tells a recursive WITH query from the references to it', () => {
    const [lock] = locksIn(
      'WITH RECURSIVE r AS (SELECT 1 AS n, pg_advisory_lock(1) UNION ALL SELECT n + 1, NULL FROM r) SELECT * FROM r',
    );
    expect(lock?.query?.parent?.cte).toMatchObject({ name: 'r', materialized: 'default', recursive: true, references: 1 });
  });
});

describe('filters', () => {
  it.each([
    [`SELECT id FROM t WHERE status='rare' AND pg_try_advisory_lock(id)`, 'where'],
    [`SELECT id FROM t WHERE pg_try_advisory_lock(id) AND status=$1`, 'where'],
    [`SELECT id FROM t WHERE lower(status)='rare' AND pg_try_advisory_lock(1, id::int)`, 'where'],
    [`SELECT id FROM (SELECT id FROM t WHERE status='rare') q WHERE pg_try_advisory_lock(id)`, 'where'],
    [`SELECT id FROM (SELECT id FROM t WHERE status='rare' OFFSET 0) q WHERE pg_try_advisory_lock(id)`, 'where'],
    [`SELECT kind FROM t GROUP BY kind HAVING pg_try_advisory_lock(kind)`, 'having'],
    [`SELECT kind FROM t GROUP BY pg_try_advisory_lock(id), kind`, 'group-by'],
    [`SELECT 1 FROM t JOIN u ON t.id = u.id AND pg_try_advisory_lock(t.id)`, 'join-on'],
    [`SELECT 1 FROM t LEFT JOIN (u JOIN v ON pg_try_advisory_lock(u.id)) ON true`, 'join-on'],
    [`SELECT id FROM t LIMIT CASE WHEN pg_try_advisory_lock(1) THEN 1 END`, 'limit'],
    [`SELECT sum(a) OVER w FROM t WINDOW w AS (ORDER BY pg_try_advisory_lock(id))`, 'window'],
    [`SELECT sum(a) OVER (ORDER BY pg_try_advisory_lock(id)) FROM t`, 'window'],
    [`UPDATE t SET a = pg_try_advisory_lock(id)`, 'set'],
    [`UPDATE t SET (a, b) = (pg_try_advisory_lock(id), 1)`, 'set'],
    [`UPDATE t SET a = 1 RETURNING pg_advisory_unlock(id)`, 'returning'],
    [`DELETE FROM t USING u WHERE pg_advisory_unlock(t.id)`, 'where'],
    [`INSERT INTO t VALUES (1, pg_try_advisory_lock(1))`, 'values'],
    [`INSERT INTO t VALUES (1) ON CONFLICT (id) DO UPDATE SET a = pg_try_advisory_lock(1)`, 'set'],
    [`INSERT INTO t VALUES (1) ON CONFLICT (id) DO UPDATE SET a = 1 WHERE pg_try_advisory_lock(1)`, 'where'],
    [`MERGE INTO t USING s ON pg_try_advisory_lock(s.id) WHEN MATCHED THEN DELETE`, 'join-on'],
    [`SELECT * FROM ROWS FROM (pg_try_advisory_lock(1), f(2)) AS x(a, b)`, 'from'],
    [`SELECT * FROM t TABLESAMPLE system (pg_try_advisory_lock(1)::int)`, 'from'],
    [`CALL p(pg_try_advisory_lock(1))`, 'expression'],
  ])('%s', (sql, clause) => {
    expect(lockIn(sql).clause).toBe(clause);
  });

  it.each([
    [`SELECT id FROM t WHERE CASE WHEN status='rare' THEN pg_try_advisory_lock(id) ELSE false END`, true],
    [`SELECT CASE WHEN pg_try_advisory_lock(1) THEN 1 END`, false],
    [`SELECT CASE pg_try_advisory_lock(1) WHEN true THEN 1 END`, false],
    [`SELECT CASE WHEN a THEN 1 WHEN pg_try_advisory_lock(1) THEN 2 END FROM t`, true],
    [`SELECT CASE WHEN a THEN 1 ELSE pg_advisory_unlock(1)::int END FROM t`, true],
    [`SELECT coalesce(pg_try_advisory_lock(1), false)`, false],
    [`SELECT coalesce(a, pg_try_advisory_lock(1)) FROM t`, true],
    [`SELECT a OR pg_try_advisory_lock(1) FROM t`, false],
    [`SELECT count(pg_try_advisory_lock(id)) FILTER (WHERE a) FROM t`, true],
    [`SELECT CASE WHEN a THEN (SELECT pg_try_advisory_lock(1)) END FROM t`, true],
  ])('guarded: %s', (sql, guarded) => {
    expect(lockIn(sql).guarded).toBe(guarded);
  });

  it.each([
    ['SELECT bool_and(pg_try_advisory_lock(id)) FROM t', true],
    ['SELECT my_sum(DISTINCT pg_try_advisory_lock(id)) FROM t', true],
    ['SELECT my_sum(pg_try_advisory_lock(id) ORDER BY id) FROM t', true],
    ['SELECT lag(pg_try_advisory_lock(id)) OVER () FROM t', true],
    ['SELECT count(*) FILTER (WHERE pg_try_advisory_lock(id)) FROM t', true],
    ['SELECT abs(pg_try_advisory_lock(id)::int) FROM t', false],
    ['SELECT bool_and(ok) FROM (SELECT pg_try_advisory_lock(id) ok FROM t) s', false],
  ])('aggregated: %s', (sql, aggregated) => {
    expect(lockIn(sql).aggregated).toBe(aggregated);
  });
});

describe('what becomes of the value', () => {
  const directly = (name: string | null, index = 0): string => `${String(index)} ${String(name)}`;

  it.each<[string, string | null, boolean]>([
    ['SELECT pg_try_advisory_lock(1)', directly('pg_try_advisory_lock'), false],
    ['SELECT pg_try_advisory_lock(1) AS ok', directly('ok'), false],
    ['SELECT pg_try_advisory_lock(1) "OK"', directly('OK'), false],
    ['SELECT a, pg_try_advisory_lock(1)::text FROM t', directly('pg_try_advisory_lock', 1), false],
    ['SELECT cast(pg_try_advisory_lock(1) AS int) AS n', directly('n'), false],
    ['SELECT (pg_try_advisory_lock(1))', directly('pg_try_advisory_lock'), false],
    ['SELECT *, pg_try_advisory_lock(1) AS ok FROM t', directly('ok', -1), false],
    ['SELECT pg_try_advisory_lock(1) AS "k«u»"', directly(null), false],
    ['SELECT pg_try_advisory_lock(1) «u»', directly(null), false],
    ['SELECT pg_try_advisory_lock(1)«u»', directly(null), false],
    ['SELECT pg_try_advisory_lock(1) AS ok «u»', directly('ok'), false],
    ['SELECT «u», pg_try_advisory_lock(1) AS ok', directly('ok', -1), false],
    ['SELECT «v», pg_try_advisory_lock(1) AS ok', directly('ok', 1), false],
    ['SELECT coalesce(pg_try_advisory_lock(1), false)', directly('coalesce'), false],
    ['SELECT (SELECT pg_try_advisory_lock(1)) AS ok', directly('ok'), false],
    ['SELECT (SELECT pg_try_advisory_lock(1))', directly('pg_try_advisory_lock'), false],
    ['SELECT (SELECT ok FROM (SELECT pg_try_advisory_lock(1) ok) s) fine', directly('fine'), false],
    ['VALUES (1, pg_try_advisory_lock(1))', directly('column2', 1), false],
    ['SELECT ok FROM (SELECT pg_try_advisory_lock(1) AS ok) s', directly('ok'), false],
    ['SELECT s.ok AS fine FROM (SELECT pg_try_advisory_lock(1) AS ok) s', directly('fine'), false],
    ['SELECT x FROM (SELECT pg_try_advisory_lock(1)) s(x)', directly('x'), false],
    ['SELECT * FROM (SELECT 1, pg_try_advisory_lock(1) AS ok) s', directly('ok', 1), false],
    ['SELECT t.*, s.* FROM t, (SELECT pg_try_advisory_lock(1) AS ok) s', directly('ok', -1), false],
    ['SELECT s.* FROM t, (SELECT pg_try_advisory_lock(1) AS ok) s', directly('ok'), false],
    ['SELECT (s).ok FROM (SELECT pg_try_advisory_lock(1) AS ok) s', directly('ok'), false],
    ['WITH l AS (SELECT pg_try_advisory_lock(1) AS ok) SELECT l.ok FROM l', directly('ok'), false],
    ['WITH l(fine) AS (SELECT pg_try_advisory_lock(1)) SELECT fine FROM l', directly('fine'), false],
    ['WITH l AS (SELECT pg_try_advisory_lock(1) AS ok) SELECT * FROM l AS m', directly('ok'), false],
    ['WITH l AS (SELECT pg_try_advisory_lock(1) AS ok), m AS (SELECT ok FROM l) TABLE m', directly('ok'), false],
    ['WITH l AS (SELECT pg_try_advisory_lock(1) AS ok) SELECT a FROM t WHERE (SELECT ok FROM l)', null, true],
    ['SELECT * FROM pg_try_advisory_lock(1)', directly('pg_try_advisory_lock'), false],
    ['SELECT * FROM pg_try_advisory_lock(1) AS ok', directly('ok'), false],
    ['SELECT ok FROM pg_try_advisory_lock(1) ok', directly('ok'), false],
    ['SELECT x.ok FROM pg_try_advisory_lock(1) AS x(ok)', directly('ok'), false],
    ['SELECT pg_try_advisory_lock(1) AS a UNION ALL SELECT true AS b', directly('a'), false],
    ['SELECT true AS a UNION ALL SELECT pg_try_advisory_lock(1) AS b', directly('a'), false],
    ['SELECT a FROM (SELECT true AS a UNION SELECT pg_try_advisory_lock(1)) s', directly('a'), false],
    ['INSERT INTO t VALUES (1) RETURNING id, pg_try_advisory_lock(id) AS ok', directly('ok', 1), false],
    [
      'WITH d AS (DELETE FROM t RETURNING pg_advisory_unlock(id) AS ok) SELECT ok FROM d',
      directly('ok'),
      false,
    ],
    ['SELECT count(*) FROM (SELECT pg_try_advisory_lock(id) FROM t) s', null, false],
    ['SELECT 1 FROM (SELECT pg_try_advisory_lock(1) AS ok) s', null, false],
    ['SELECT «u» FROM (SELECT pg_try_advisory_lock(1) AS ok) s', null, true],
    ['SELECT 1 FROM (SELECT pg_try_advisory_lock(1) AS ok) s WHERE ok', null, true],
    ['SELECT 1 FROM pg_try_advisory_lock(1) AS ok WHERE ok', null, true],
    ['SELECT 1 WHERE pg_try_advisory_lock(1)', null, true],
    ['INSERT INTO t VALUES (pg_try_advisory_lock(1))', null, true],
    ['INSERT INTO t SELECT pg_try_advisory_lock(1)', null, true],
    ['CREATE TABLE x AS SELECT pg_try_advisory_lock(1)', null, true],
    ['SELECT pg_try_advisory_lock(1) INTO x', null, true],
    ['UPDATE t SET got = pg_try_advisory_lock(1)', null, true],
    ['EXPLAIN ANALYZE SELECT pg_try_advisory_lock(1)', null, false],
  ])('%s', (sql, column, usedInSql) => {
    const lock = lockIn(sql);
    expect(lock.column && `${String(lock.column.index)} ${String(lock.column.name)}`).toBe(column);
    if (lock.column) expect(lock.column.direct).toBe(true);
    expect(lock.usedInSql).toBe(usedInSql);
  });

  it.each([
    ['SELECT NOT pg_try_advisory_lock(1) AS busy', 'busy'],
    ['SELECT pg_try_advisory_lock(1) = true', '?column?'],
    ['SELECT pg_try_advisory_lock(1) AND true', '?column?'],
    ['SELECT pg_try_advisory_lock(1) IS NULL', '?column?'],
    ['SELECT CASE WHEN pg_try_advisory_lock(1) THEN 1 END', 'case'],
    ['SELECT bool_or(pg_try_advisory_lock(1))', 'bool_or'],
    ['SELECT EXISTS (SELECT pg_try_advisory_lock(1))', 'exists'],
    ['SELECT ARRAY(SELECT pg_try_advisory_lock(1))', 'array'],
    ['SELECT true IN (SELECT pg_try_advisory_lock(1))', '?column?'],
    ['SELECT not ok AS busy FROM (SELECT pg_try_advisory_lock(1) AS ok) s', 'busy'],
    ['SELECT ok FROM (SELECT not pg_try_advisory_lock(1) AS ok) s', 'ok'],
    ['SELECT to_json(s) FROM (SELECT pg_try_advisory_lock(1) AS ok) s', 'to_json'],
    [`SELECT jsonb_build_object('ok', pg_try_advisory_lock(1)) AS x`, 'x'],
  ])('not the value itself: %s', (sql, name) => {
    const { column, usedInSql } = lockIn(sql);
    expect(column).toEqual({ index: 0, name, direct: false });
    expect(usedInSql).toBe(true);
  });

  it.each([
    ['SELECT pg_try_advisory_lock(1)', []],
    ['SELECT pg_try_advisory_lock(1)::text', ['text']],
    ['SELECT pg_try_advisory_lock(1)::int::text', ['int4', 'text']],
    ['SELECT CAST(pg_try_advisory_lock(1) AS varchar)', ['varchar']],
    ['SELECT pg_advisory_lock(1)::text::void', ['text', 'void']],
    ['SELECT ok::text FROM (SELECT pg_try_advisory_lock(1)::int AS ok) s', ['int4', 'text']],
    ['SELECT (SELECT pg_try_advisory_lock(1))::text', ['text']],
    ['SELECT (NOT pg_try_advisory_lock(1))::text', []],
  ])('casts: %s', (sql, casts) => {
    expect(lockIn(sql).casts).toEqual(casts);
  });

  it.each([
    ['SELECT pg_try_advisory_lock(id) AS ok FROM t ORDER BY ok', true],
    ['SELECT id, pg_try_advisory_lock(id) FROM t ORDER BY 2 DESC', true],
    ['SELECT pg_try_advisory_lock(id) AS ok FROM t GROUP BY ok', true],
    ['SELECT DISTINCT ON (ok) pg_try_advisory_lock(id) AS ok FROM t', true],
    ['SELECT pg_try_advisory_lock(id) AS ok FROM t ORDER BY id', false],
    ['SELECT pg_try_advisory_lock(id) AS ok FROM t ORDER BY t.ok', false],
  ])('sort key: %s', (sql, sortKey) => {
    expect(lockIn(sql).sortKey).toBe(sortKey);
  });
});

describe('keys', () => {
  it.each([
    ['SELECT pg_advisory_lock(42)', '42'],
    ['SELECT pg_advisory_lock(-42)', '-42'],
    ['SELECT pg_advisory_lock(- 42)', '-42'],
    ['SELECT pg_advisory_lock(0)', '0'],
    ['SELECT pg_advisory_lock(9223372036854775807)', '9223372036854775807'],
    ['SELECT pg_advisory_lock(-9223372036854775808)', '-9223372036854775808'],
    ['SELECT pg_advisory_lock(9223372036854775808)', '9223372036854775808'],
    ['SELECT pg_advisory_lock(0x10)', '16'],
    ['SELECT pg_advisory_lock(0x1FFFFFFFFFF)', '2199023255551'],
    ['SELECT pg_advisory_lock(1_000)', '1000'],
    ['SELECT pg_advisory_lock(1.5)', 'number 1.5'],
    ['SELECT pg_advisory_lock(1e3)', 'number 1e3'],
    [`SELECT pg_advisory_lock('42')`, `'42'`],
    [`SELECT pg_advisory_lock(E'a\\'b')`, `'a'b'`],
    ['SELECT pg_advisory_lock(NULL)', 'null'],
    ['SELECT pg_advisory_lock(true)', 'true'],
    ['SELECT pg_advisory_lock(false)', 'false'],
    ['SELECT pg_advisory_lock()', ''],
    ['SELECT pg_advisory_lock(1, 2)', '1, 2'],
    ['SELECT pg_advisory_lock(1, 2, 3)', '1, 2, 3'],
    ['SELECT pg_advisory_lock($2, $1)', 'bound 1, bound 0'],
    ['SELECT pg_advisory_lock($1::bigint)', 'bound 0::int8'],
    ['SELECT pg_advisory_lock(«v», «v»)', 'hole 0, hole 1'],
    [`SELECT '«u»', pg_advisory_lock('«u»')`, 'hole 1'],
    [`SELECT pg_advisory_lock('a«u»')`, 'unknown'],
    ['SELECT pg_advisory_lock(1«u»)', 'unknown'],
    ['SELECT pg_advisory_lock($«u»)', 'bound null'],
    ['SELECT pg_advisory_lock(«i»)', 'hole 0'],
    ['SELECT pg_advisory_lock(j.«u»)', 'unknown'],
    ['SELECT pg_advisory_lock(id)', 'id'],
    ['SELECT pg_advisory_lock(s.t.id)', 's.t.id'],
    [`SELECT pg_advisory_lock(hashtext('jobs'))`, `hashtext('jobs')`],
    [`SELECT pg_advisory_lock(pg_catalog.hashtextextended($1, 0))`, 'hashtextextended(bound 0, 0)'],
    [`SELECT pg_advisory_lock(app.key($1))`, 'app.key(bound 0)'],
    [`SELECT pg_advisory_lock(hashtext('a' || $1)::bigint)`, `hashtext((|| 'a' bound 0))::int8`],
    ['SELECT pg_advisory_lock(abs(hashtext($1)) % 1000)', '(% abs(hashtext(bound 0)) 1000)'],
    ['SELECT pg_advisory_lock(-$1)', '(- bound 0)'],
    ['SELECT pg_advisory_lock((SELECT 1))', 'subquery'],
    ['SELECT pg_advisory_lock(coalesce(a, 1))', 'coalesce(a, 1)'],
    ['SELECT pg_advisory_lock(nullif(a, 1))', 'nullif(a, 1)'],
    ['SELECT pg_advisory_lock(least(a, b))', 'least(a, b)'],
    ['SELECT pg_advisory_lock(extract(epoch FROM current_timestamp)::int)', `extract('epoch', current_timestamp())::int4`],
    ['SELECT pg_advisory_lock(a[1])', 'unknown'],
    ['SELECT pg_advisory_lock(CASE WHEN a THEN 1 END)', 'unknown'],
    ['SELECT pg_advisory_lock(a IS NULL)', 'unknown'],
    ['SELECT pg_advisory_lock(a AND b)', '(and a b)'],
    ['SELECT pg_advisory_lock(key => 1)', '1'],
    ['SELECT pg_advisory_unlock_all()', ''],
  ])('%s', (sql, keys) => {
    expect(lockIn(sql).keys.map(short).join(', ')).toBe(keys);
  });

  it.each<[string, 'question-mark' | 'colon' | 'dollar-name' | 'at' | 'pg-promise' | 'pg-format', string]>([
    ['SELECT pg_advisory_lock(?, ?)', 'question-mark', 'bound 0, bound 1'],
    ['SELECT ?? FROM t WHERE a = ? AND pg_try_advisory_lock(?)', 'question-mark', 'bound 2'],
    ['SELECT pg_advisory_lock(:ns, :key)', 'colon', 'bound ns, bound key'],
    ['SELECT pg_advisory_lock(:key::bigint)', 'colon', 'bound key::int8'],
    ['SELECT pg_advisory_lock($key)', 'dollar-name', 'bound key'],
    ['SELECT pg_advisory_lock(@key)', 'at', 'bound key'],
    ['SELECT pg_advisory_lock($2:raw)', 'pg-promise', 'bound 1'],
    ['SELECT pg_advisory_lock($3^, ${key})', 'pg-promise', 'bound 2, bound key'],
    ['SELECT pg_advisory_lock($<a.b>)', 'pg-promise', 'bound a.b'],
    [`SELECT pg_advisory_lock(hashtext('$1#'))`, 'pg-promise', 'hashtext(unknown)'],
    ['SELECT %I, pg_advisory_lock(%s, %1$L)', 'pg-format', 'bound 1, bound 0'],
    [`SELECT pg_advisory_lock(hashtext('%s'), %s)`, 'pg-format', 'hashtext(unknown), bound 1'],
  ])('%s with %s', (sql, style, keys) => {
    expect(lockIn(sql, { placeholders: [style] }).keys.map(short).join(', ')).toBe(keys);
  });

  it('stand where they are written', () => {
    const sql = `SELECT 'é', pg_advisory_lock( -1 , hashtext('ü' || $1)::int )`;
    const [first, second] = lockIn(sql).keys;
    expect(first && sql.slice(first.range.start, first.range.end)).toBe('-1');
    expect(second && sql.slice(second.range.start, second.range.end)).toBe(`hashtext('ü' || $1)::int`);
    if (second?.kind !== 'cast' || second.argument.kind !== 'call') throw new Error('no cast call');
    expect(sql.slice(second.argument.range.start, second.argument.range.end)).toBe(`hashtext('ü' || $1)`);
  });
});

describe('ranges of clauses', () => {
  it.each([
    ['SELECT pg_advisory_lock(id) FROM t LIMIT 1', 'LIMIT 1'],
    ['SELECT pg_advisory_lock(id) FROM t LIMIT $1 OFFSET 2 FOR UPDATE', 'LIMIT $1 OFFSET 2'],
    ['SELECT pg_advisory_lock(id) FROM t OFFSET 2 LIMIT (1 + 1); SELECT 1', 'OFFSET 2 LIMIT (1 + 1)'],
    ['SELECT pg_advisory_lock(id) FROM t FETCH FIRST (2) ROWS ONLY', 'FETCH FIRST (2) ROWS ONLY'],
    ['SELECT pg_advisory_lock(id) FROM t FETCH NEXT ROW ONLY', 'FETCH NEXT ROW ONLY'],
    ['INSERT INTO u SELECT pg_advisory_lock(id) FROM t LIMIT 3 RETURNING 1', 'LIMIT 3'],
    ['SELECT * FROM (SELECT pg_advisory_lock(id) FROM t LIMIT 3) s LIMIT 4', 'LIMIT 3'],
  ])('LIMIT: %s', (sql, text) => {
    const range = lockIn(sql).query?.limit?.range;
    expect(range && sql.slice(range.start, range.end)).toBe(text);
  });

  it.each([
    ['SELECT pg_advisory_lock(id) FROM t ORDER BY a DESC, lower(b) LIMIT 1', 'a DESC, lower(b)'],
    ['SELECT pg_advisory_lock(id) FROM t ORDER BY (a), b NULLS LAST', '(a), b NULLS LAST'],
    ['SELECT * FROM (SELECT pg_advisory_lock(id) FROM t ORDER BY -a) s', '-a'],
  ])('ORDER BY: %s', (sql, text) => {
    const range = lockIn(sql).query?.orderByRange;
    expect(range && sql.slice(range.start, range.end)).toBe(text);
  });

  it.each([
    ['SELECT pg_advisory_lock(1) ; SELECT 1', 'SELECT pg_advisory_lock(1)'],
    ['SELECT * FROM ( SELECT pg_advisory_lock(id) FROM t LIMIT 3 ) s', 'SELECT pg_advisory_lock(id) FROM t LIMIT 3'],
    ['WITH s AS (SELECT pg_advisory_lock((1)) x) TABLE s', 'SELECT pg_advisory_lock((1)) x'],
    ['SELECT (SELECT pg_advisory_lock(1))', 'SELECT pg_advisory_lock(1)'],
  ])('query: %s', (sql, text) => {
    const range = lockIn(sql).query?.range;
    expect(range && sql.slice(range.start, range.end)).toBe(text);
  });
});

describe('FROM', () => {
  it.each([
    ['SELECT pg_advisory_lock(1) FROM t', ['table t -']],
    ['SELECT pg_advisory_lock(1) FROM s.t AS x, u', ['table s.t x', 'table u -']],
    ['SELECT pg_advisory_lock(1) FROM a JOIN b ON true LEFT JOIN c USING (id)', ['table a -', 'table b -', 'table c -']],
    ['SELECT pg_advisory_lock(1) FROM unnest($1) AS k', ['function unnest k']],
    ['SELECT pg_advisory_lock(1) FROM (SELECT 1) s', ['subquery - s']],
    ['SELECT pg_advisory_lock(1) FROM (VALUES (1)) v(x)', ['values - v']],
    ['WITH q AS (SELECT 1) SELECT pg_advisory_lock(1) FROM q z', ['cte q z']],
    ['SELECT pg_advisory_lock(1) FROM «u»', ['table - -']],
    ['SELECT pg_advisory_lock(1) FROM «u».jobs', ['table jobs -']],
    ['UPDATE t SET a = 1 FROM u WHERE pg_try_advisory_lock(1)', ['table t -', 'table u -']],
    ['SELECT pg_advisory_lock(1)', []],
  ])('%s', (sql, items) => {
    const found = lockIn(sql).query?.from.map(({ kind, name, alias }) => `${kind} ${name ?? '-'} ${alias ?? '-'}`);
    expect(found).toEqual(items);
  });
});

describe('several locks', () => {
  it('come in the order in which the server takes them', () => {
    const keys = locksIn(`WITH c AS (SELECT pg_advisory_lock(1))
      SELECT pg_advisory_lock(5), pg_advisory_lock(6) FROM c, (SELECT pg_advisory_lock(2)) s
      JOIN t ON pg_try_advisory_lock(3) WHERE pg_try_advisory_lock(4) ORDER BY pg_try_advisory_lock(7)
      LIMIT pg_try_advisory_lock(8)::int; SELECT pg_advisory_lock(9)`).map(({ keys: [key] }) => key && short(key));
    expect(keys).toEqual(['1', '2', '3', '4', '5', '6', '7', '8', '9']);
  });

  it('belong to their statements', () => {
    const { operations } = analyze('select 1; select pg_advisory_lock(1); begin; select pg_advisory_lock(2)');
    expect(operations.map(({ statement }) => statement)).toEqual([1, 2, 3]);
  });
});

describe('fragments', () => {
  const shape = (sql: string): string =>
    locksIn(sql, { form: 'expression', placeholders: ['question-mark'] })
      .map(({ clause, query, column, usedInSql }) =>
        [clause, query && levels(query), column && `${String(column.name)}${column.direct ? '' : ' indirect'}`, usedInSql && 'used']
          .filter(Boolean)
          .join(' | '),
      )
      .join(' + ');

  it.each([
    ['pg_try_advisory_lock(?)', 'expression | pg_try_advisory_lock'],
    ['pg_try_advisory_lock(?) as ok', 'expression | ok'],
    ['not pg_try_advisory_lock(?)', 'expression | ?column? indirect | used'],
    ['and pg_try_advisory_lock(?)', 'expression | used'],
    ['a = ? and pg_try_advisory_lock(?)', 'expression | ?column? indirect | used'],
    ['where pg_try_advisory_lock(id) limit 1', 'where | used'],
    ['order by pg_try_advisory_lock(id)', 'order-by | used'],
    ['pg_try_advisory_lock(id) desc', 'expression | used'],
    ['join l on pg_try_advisory_lock(l.id)', 'join-on | used'],
    ['exists (select 1 from t where pg_try_advisory_lock(id) limit 1)', 'where | select@exists limit 1 where | used'],
    ['(select pg_try_advisory_lock(?))', 'select | select@scalar no from | pg_try_advisory_lock'],
  ])('%s', (sql, expected) => {
    expect(shape(sql)).toBe(expected);
  });

  it.each<[string, 'statement' | 'expression']>([
    ['select pg_try_advisory_lock(1)', 'statement'],
    ['pg_try_advisory_lock(1)', 'expression'],
    ['and pg_try_advisory_lock(1)', 'expression'],
    ['(select pg_try_advisory_lock(1))', 'statement'],
    ['with l as (select 1) select pg_try_advisory_lock(1) from l', 'statement'],
    ['select select pg_try_advisory_lock(1)', 'statement'],
    ['pg_try_advisory_lock(1) pg_try', 'expression'],
  ])('may be either: %s', (sql, form) => {
    const analysis = analyze(sql, { form: 'either' });
    expect(analysis.form).toBe(form);
    expect(analysis.operations).toHaveLength(1);
  });

  it('may turn out to be a statement', () => {
    expect(analyze('select pg_try_advisory_lock(1)', { form: 'expression' })).toMatchObject({
      status: 'parsed',
      form: 'statement',
    });
  });
});
