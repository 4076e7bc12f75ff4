import { describe, expect, it } from 'vitest';

import { analyze, lockIn } from './sql-input.js';

describe('the table columns that a statement returns, and those its lock keys are made of', () => {
  it.each<[string, readonly string[], readonly string[]]>([
    ['SELECT pg_advisory_lock($1)', [], []],
    ['SELECT pg_advisory_lock(id) FROM t', [], ['id']],
    ['SELECT id, pg_advisory_lock(id) FROM t', ['id'], ['id']],
    ['SELECT t.id AS job, pg_advisory_lock(hashtext(t.name), t.id::int) FROM t', ['id'], ['name', 'id']],
    ['SELECT *, pg_advisory_lock(id) FROM t', ['*'], ['id']],
    ['SELECT a.*, pg_advisory_lock(b.id) FROM (SELECT x FROM t) a, t b', ['x'], ['id']],
    ['SELECT row_to_json(t), pg_advisory_lock(1) FROM t', ['*'], []],
    ['SELECT max(v) + 1, pg_advisory_lock(1) FROM t', ['v'], []],
    ['SELECT q.k, pg_advisory_lock(q.k) FROM (SELECT id AS k, v FROM t) q', ['id'], ['id']],
    ['SELECT q.w, pg_advisory_lock(q.k) FROM (SELECT id AS k, v AS w FROM t) q', ['v'], ['id']],
    ['SELECT q.v FROM (SELECT * FROM t) q, pg_advisory_lock(1)', ['v'], []],
    ['WITH l AS (SELECT pg_advisory_lock(1)) SELECT v FROM t, l', ['v'], []],
    ['WITH l AS (SELECT id, pg_advisory_lock(id) FROM t) SELECT id FROM l', ['id'], ['id']],
    ['WITH l AS (SELECT id, v, pg_advisory_lock(id) FROM t) SELECT id FROM l WHERE v', ['id'], ['id']],
    ['SELECT pg_advisory_lock(1), (SELECT v FROM t WHERE id = 1)', ['v'], []],
    ['SELECT pg_advisory_lock((SELECT id FROM t WHERE v = 1))', [], ['id']],
    ['SELECT 1 FROM t WHERE v = 1 AND pg_try_advisory_lock(id) ORDER BY w', [], ['id']],
    ['SELECT count(*) FROM (SELECT pg_advisory_lock(id) FROM t) s', [], ['id']],
    ['SELECT id FROM t WHERE pg_try_advisory_lock(id) UNION ALL SELECT v FROM u', ['id', 'v'], ['id']],
    ['SELECT k, pg_advisory_lock(k) FROM unnest($1::bigint[]) AS k', [], []],
    ['WITH RECURSIVE r AS (SELECT id, pg_try_advisory_lock(id) FROM t UNION ALL SELECT r.id, true FROM r) SELECT id FROM r', ['id'], ['id']],
    ['INSERT INTO u SELECT v, pg_try_advisory_lock(id) FROM t', [], ['id']],
    ['UPDATE t SET v = 1 WHERE pg_try_advisory_lock(id) RETURNING w', ['w'], ['id']],
    ['SELECT v FROM t', [], []],
  ])('%s', (sql, returned, keys) => {
    const [statement] = analyze(sql).statements;
    expect([...(statement?.returnedColumns ?? [])].sort()).toEqual([...returned].sort());
    expect([...(statement?.keyColumns ?? [])].sort()).toEqual([...keys].sort());
  });
});

describe('the items of a FROM clause', () => {
  it('lead to the query of a subquery', () => {
    const { query } = lockIn('SELECT id FROM (SELECT id FROM t OFFSET 0) q WHERE pg_try_advisory_lock(id)');
    expect(query?.from).toMatchObject([{ kind: 'subquery', alias: 'q', level: { kind: 'select', limit: { offset: { value: 0 } } } }]);
  });

  it('lead to the WITH query they name, which knows its readers', () => {
    const { query } = lockIn('WITH q AS (SELECT id FROM t LIMIT 5) SELECT id FROM q WHERE pg_try_advisory_lock(id)');
    const [item] = query?.from ?? [];
    expect(item).toMatchObject({ kind: 'cte', name: 'q', level: null, cte: { name: 'q', level: { limit: { count: { value: 5 } } } } });
    expect(item?.cte?.readers).toEqual([query]);
  });
});
