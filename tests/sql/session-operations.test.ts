import { describe, expect, it } from 'vitest';

import { HOLE, type SessionOperation } from '../../src/sql/model.js';
import { analyze, sessionOperations } from './sql-input.js';

/** The operation without its place. */
function essence({ statement: _, range: __, ...rest }: SessionOperation): object {
  return rest;
}

const set = (name: string, value: string | null, local = false, through = 'SET'): object => ({
  kind: 'set',
  name,
  value,
  local,
  through,
});

describe('statements that change the session or its transaction', () => {
  it.each<[string, object[]]>([
    ['begin', [{ kind: 'begin', isolation: null }]],
    ['BEGIN WORK', [{ kind: 'begin', isolation: null }]],
    ['start transaction', [{ kind: 'begin', isolation: null }]],
    ['begin isolation level serializable', [{ kind: 'begin', isolation: 'serializable' }]],
    ['START TRANSACTION READ ONLY, ISOLATION LEVEL REPEATABLE READ', [{ kind: 'begin', isolation: 'repeatable read' }]],
    ['begin transaction isolation level read uncommitted', [{ kind: 'begin', isolation: 'read uncommitted' }]],
    ['commit', [{ kind: 'commit', chain: false }]],
    ['end', [{ kind: 'commit', chain: false }]],
    ['COMMIT AND CHAIN', [{ kind: 'commit', chain: true }]],
    ["prepare transaction 'x'", [{ kind: 'commit', chain: false }]],
    ["commit prepared 'x'", []],
    ['rollback', [{ kind: 'rollback', chain: false }]],
    ['abort', [{ kind: 'rollback', chain: false }]],
    ['rollback and chain', [{ kind: 'rollback', chain: true }]],
    ['savepoint s', [{ kind: 'savepoint', name: 's' }]],
    ['savepoint «u»', [{ kind: 'savepoint', name: null }]],
    ['release savepoint s', [{ kind: 'release-savepoint', name: 's' }]],
    ['release s', [{ kind: 'release-savepoint', name: 's' }]],
    ['rollback to savepoint s', [{ kind: 'rollback-to', name: 's' }]],
    ['rollback to s', [{ kind: 'rollback-to', name: 's' }]],
    ['set transaction isolation level serializable', [{ kind: 'set-isolation', isolation: 'serializable', session: false }]],
    [
      'set session characteristics as transaction isolation level repeatable read',
      [{ kind: 'set-isolation', isolation: 'repeatable read', session: true }],
    ],
    ["set transaction_isolation = 'serializable'", [{ kind: 'set-isolation', isolation: 'serializable', session: false }]],
    [
      "set default_transaction_isolation to 'Read Committed'",
      [{ kind: 'set-isolation', isolation: 'read committed', session: true }],
    ],
    ['set transaction read only', []],
    ["set lock_timeout = '5s'", [set('lock_timeout', '5s')]],
    ['SET LOCK_TIMEOUT TO 5000', [set('lock_timeout', '5000')]],
    ['set session lock_timeout = 0', [set('lock_timeout', '0')]],
    ["set local lock_timeout = '5s'", [set('lock_timeout', '5s', true)]],
    ['set local lock_timeout = «u»', [set('lock_timeout', null, true)]],
    ["set local lock_timeout = '«u»ms'", [set('lock_timeout', null, true)]],
    ['set lock_timeout to default', [{ kind: 'reset', name: 'lock_timeout' }]],
    ['set lock_timeout = $1', [set('lock_timeout', null)]],
    ['set search_path = a, b', [set('search_path', 'a, b')]],
    ['set jit = off', [set('jit', 'off')]],
    ['set app.level = -1', [set('app.level', '-1')]],
    ["set time zone 'UTC'", [set('timezone', 'UTC')]],
    ['set «i» = 5', []],
    ['reset all', [{ kind: 'reset', name: 'all' }]],
    ['reset lock_timeout', [{ kind: 'reset', name: 'lock_timeout' }]],
    ['discard all', [{ kind: 'discard', what: 'all' }]],
    ['discard temp', [{ kind: 'discard', what: 'other' }]],
    ["select set_config('lock_timeout', '5s', true)", [set('lock_timeout', '5s', true, 'set_config')]],
    ["select pg_catalog.set_config('Lock_Timeout', $1, false)", [set('lock_timeout', null, false, 'set_config')]],
    ["select set_config('lock_timeout', '5s', 'on')", [set('lock_timeout', '5s', true, 'set_config')]],
    ["select set_config('lock_timeout', 5::text, $1)", [set('lock_timeout', '5', false, 'set_config')]],
    ["select set_config($1, '5s', true)", []],
    ["select set_config('«u»', '5s', true)", []],
    [
      "select set_config('transaction_isolation', 'serializable', true)",
      [{ kind: 'set-isolation', isolation: 'serializable', session: false }],
    ],
    ["select 1 from t where (select set_config('a.b', 'c', true)) is not null", [set('a.b', 'c', true, 'set_config')]],
    ['select pg_terminate_backend(pg_backend_pid())', [{ kind: 'terminate-self' }]],
    ['select pg_terminate_backend(pid) from pg_stat_activity', []],
    ['lock table t', []],
    ['deallocate all', []],
  ])('%s', (sql, expected) => {
    const analysis = analyze(sql);
    expect(analysis.status).toBe('parsed');
    expect(sessionOperations(analysis).map(essence)).toEqual(expected);
  });

  it('start and end with the statement', () => {
    const sql = "  -- first\nbegin ; /* é */ set local lock_timeout = '1s'  ;\n commit\n";
    expect(sessionOperations(analyze(sql)).map(({ range }) => sql.slice(range.start, range.end))).toEqual([
      'begin',
      "set local lock_timeout = '1s'",
      'commit',
    ]);
  });

  it('come in the order of execution, between the locks', () => {
    const { operations } = analyze(
      "begin; select set_config('lock_timeout', '5s', true), pg_advisory_lock(1), pg_advisory_unlock(1); rollback",
    );
    expect(operations.map((operation) => (operation.kind === 'lock' ? operation.name : operation.kind))).toEqual([
      'begin',
      'set',
      'pg_advisory_lock',
      'pg_advisory_unlock',
      'rollback',
    ]);
  });

  it('come before a lock that reads from their query', () => {
    const { operations } = analyze(
      "with t as (select set_config('lock_timeout', '5s', true)) select pg_advisory_lock(1) from t",
    );
    expect(operations.map(({ kind }) => kind)).toEqual(['set', 'lock']);
  });
});

describe('statements', () => {
  it.each([
    ['select 1', 'select', false, false],
    ['values (1)', 'values', false, false],
    ['table t', 'select', false, false],
    ['insert into t values (1)', 'insert', false, true],
    ['update t set a = 1', 'update', false, true],
    ['delete from t', 'delete', false, true],
    ['merge into t using s on t.id = s.id when matched then do nothing', 'merge', false, true],
    ['with d as (delete from t returning id) select * from d', 'select', false, true],
    ['call p()', 'call', false, false],
    ['begin', 'begin', false, false],
    ['end', 'commit', false, false],
    ['abort', 'rollback', false, false],
    ['savepoint s', 'savepoint', false, false],
    ['rollback to s', 'savepoint', false, false],
    ['set a.b = 1', 'set', false, false],
    ['reset all', 'set', false, false],
    ['discard all', 'discard', false, false],
    ['create index on t (a)', 'create-index', false, false],
    ['create unique index concurrently if not exists i on t (a)', 'create-index', true, false],
    ['drop index i', 'drop-index', false, false],
    ['drop index concurrently if exists i', 'drop-index', true, false],
    ['drop table t', 'other', false, false],
    ['reindex table t', 'reindex', false, false],
    ['reindex index concurrently i', 'reindex', true, false],
    ['reindex (concurrently) table t', 'reindex', true, false],
    ['reindex (concurrently off, verbose) table t', 'reindex', false, false],
    ['do $$ begin delete from t; end $$', 'do', false, false],
    ["create function f() returns int language sql as 'select 1'", 'create-function', false, false],
    ['create procedure p() language plpgsql as $$ begin end $$', 'create-function', false, false],
    ['vacuum t', 'other', false, false],
  ])('%s is %s', (sql, kind, concurrently, writes) => {
    expect(analyze(sql).statements).toMatchObject([{ index: 0, kind, concurrently, writes }]);
  });

  it.each<[string, (string | null)[]]>([
    ['select 1', ['?column?']],
    ['select a, b.c, d as e, f(1), f(1)::text, g::int, 1::int, count(*) from t', ['a', 'c', 'e', 'f', 'f', 'g', 'int4', 'count']],
    ['select now(), current_timestamp, coalesce(a, b), nullif(a, b), greatest(1, 2), array[1], row(1), not a', [
      'now', 'current_timestamp', 'coalesce', 'nullif', 'greatest', 'array', 'row', '?column?',
    ]],
    ['select case when a then b end, case when a then 1 else f(2) end', ['case', 'f']],
    ['select exists(select 1), array(select 1), (select x from t), (select y as z), (values (1))', [
      'exists', 'array', 'x', 'z', 'column1',
    ]],
    ['select (a).b, (f(1)).c, d[1], pg_catalog.f(1)', ['b', 'c', 'd', 'f']],
    ['select * from t', [null]],
    ['select id, * from t', ['id', null]],
    ['select s.* from (select 1 as a, 2 as b) s', ['a', 'b']],
    ['select * from (values (1, 2)) v(x, y)', ['x', 'y']],
    ['select * from f(1) as g', ['g']],
    ['select * from f(1) with ordinality as g(a, n)', ['a', 'n']],
    ['with c(x) as (select 1) select * from c', ['x']],
    ['values (1, 2)', ['column1', 'column2']],
    ['select a from t union select b from u', ['a']],
    ['insert into t values (1) returning id, a as b', ['id', 'b']],
    ['update t set a = 1 returning *', [null]],
    ['select «u» from t', [null]],
    ['select a as "k«u»" from t', [null]],
    ['select 1 into x', []],
    ['begin', []],
    ['', []],
  ])('%s has its columns', (sql, columns) => {
    expect(analyze(sql).statements[0]?.columns ?? []).toEqual(columns);
  });

  it('know where they stand', () => {
    const sql = `/* x */ select 'é' ;; update «i» set a = 1\n; -- end`;
    const text = sql.replace('«i»', HOLE);
    expect(analyze(sql).statements.map(({ range }) => text.slice(range.start, range.end))).toEqual([
      "select 'é'",
      `update ${HOLE} set a = 1`,
    ]);
  });
});
