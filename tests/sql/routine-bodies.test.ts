import { loadModule, parsePlPgSQLSync } from 'libpg-query';
import { beforeAll, describe, expect, it } from 'vitest';

import { HOLE } from '../../src/sql/model.js';
import { analyze, lockOperations, locksIn, sessionOperations, short, sqlInput } from './sql-input.js';

const PROLOGUE = `select 'é😀'; `;

/** name, key, clause, body, and marks, of each lock. */
function summary(sql: string): string[] {
  return locksIn(sql).map(({ keys, clause, body, guarded, usedInSql, query }) =>
    [
      keys.map(short).join(','),
      clause,
      String(body),
      ...(guarded ? ['guarded'] : []),
      ...(usedInSql ? ['used'] : []),
      ...(query?.limit ? ['limited'] : []),
    ].join(' '),
  );
}

const inDo = (body: string, declarations = ''): string => `do $$ ${declarations} begin ${body} end $$`;

describe('PL/pgSQL statements', () => {
  it.each<[string, string[]]>([
    ['perform pg_advisory_lock(1);', ['1 perform do']],
    ['PERFORM pg_advisory_lock(id) FROM t ORDER BY id LIMIT 1;', ['id perform do limited']],
    ['perform 1 from t where pg_try_advisory_lock(1);', ['1 where do used']],
    ['select pg_try_advisory_lock(1) into ok;', ['1 select do used']],
    ['select pg_try_advisory_lock(1), 2 into strict ok, r.x from t limit 1;', ['1 select do used limited']],
    ['select into ok pg_try_advisory_lock(1) from t limit 1;', ['1 select do used limited']],
    ['ok := pg_try_advisory_lock(1);', ['1 expression do used']],
    ['r.ok = pg_try_advisory_lock(1);', ['1 expression do used']],
    ['a[1] := pg_try_advisory_lock(1);', ['1 expression do used']],
    ['if pg_try_advisory_lock(1) then null; end if;', ['1 expression do used']],
    [
      'if not pg_try_advisory_lock(1) then perform pg_advisory_lock(2); elsif pg_try_advisory_lock(3) then null; else perform pg_advisory_lock(4); end if; perform pg_advisory_lock(5);',
      ['1 expression do used', '2 perform do guarded', '3 expression do guarded used', '4 perform do guarded', '5 perform do'],
    ],
    ['if case when a then pg_try_advisory_lock(1) else false end then null; end if;', ['1 expression do guarded used']],
    ['while not pg_try_advisory_lock(1) loop perform pg_sleep(1); end loop;', ['1 expression do used']],
    ['loop exit when pg_try_advisory_lock(1); end loop;', ['1 expression do guarded used']],
    ['for r in select pg_try_advisory_lock(id) from t limit 2 loop null; end loop;', ['id select do used limited']],
    ['for r in (select pg_try_advisory_lock(id) from t) loop null; end loop;', ['id select do used']],
    [
      'for i in 1..pg_try_advisory_lock(1)::int by 2 loop perform pg_advisory_lock(i); end loop;',
      ['1 expression do used', 'i perform do guarded'],
    ],
    ['foreach k in array ks loop perform pg_advisory_lock(k); end loop;', ['k perform do guarded']],
    ['case when pg_try_advisory_lock(1) then null; else perform pg_advisory_lock(2); end case;', [
      '1 expression do guarded used',
      '2 perform do guarded',
    ]],
    ['case pg_try_advisory_lock(1) when true then null; end case;', ['1 expression do used']],
    ['begin perform pg_advisory_lock(1); exception when others then perform pg_advisory_lock(2); end; perform pg_advisory_lock(3);', [
      '1 perform do',
      '2 perform do guarded',
      '3 perform do',
    ]],
    ['insert into t values (pg_try_advisory_lock(1)) returning id into x;', ['1 values do used']],
    ['update t set a = 1 where pg_try_advisory_lock(1);', ['1 where do used']],
    ['with l as (select pg_try_advisory_lock(1) ok) select ok into ok from l;', ['1 select do used']],
    ['return query select pg_try_advisory_lock(1);', ['1 select do used']],
    ['return next pg_try_advisory_lock(1);', ['1 expression do used']],
    ['return pg_try_advisory_lock(1);', ['1 expression do used']],
    ['open c for select pg_advisory_lock(1);', ['1 select do used']],
    [`raise notice '%', pg_try_advisory_lock(1);`, ['1 unknown do used']],
    [`execute 'select $1' using pg_try_advisory_lock(1);`, ['1 unknown do used']],
    ['call p(pg_try_advisory_lock(1));', ['1 expression do used']],
    ['<<again>> loop perform pg_advisory_lock(1); exit again; end loop again;', ['1 perform do guarded']],
    [`perform 'pg_advisory_lock(1)'; -- pg_advisory_lock(2)`, []],
    ['perform pg_advisory_lock(«u»);', ['hole 0 perform do']],
    ['perform pg_advisory_lock(id) from t «u»;', ['id perform do']],
    ['perform pg_advisory_lock(1) frob nicate of;', ['1 unknown do']],
  ])('%s', (body, expected) => {
    expect(summary(inDo(body))).toEqual(expected);
  });

  it('may stand in declarations', () => {
    const declarations = `declare a int; ok constant boolean := pg_try_advisory_lock(1); b bool default pg_try_advisory_lock(2);
      c cursor (k int) for select pg_advisory_lock(k); d int not null = 4;`;
    expect(summary(inDo('null;', declarations))).toEqual([
      '1 expression do used',
      '2 expression do used',
      'k select do used',
    ]);
  });

  it('tell the gaps among their holes', () => {
    expect(analyze(inDo('perform pg_advisory_lock(«u») from t «u»;')).gaps).toEqual([1]);
  });
});

describe('ranges in bodies', () => {
  it.each([
    `do $$ begin perform pg_advisory_lock(1); end $$`,
    `do $é$ begin /* ü */ perform pg_advisory_lock(hashtext('ö'), «u»); end $é$`,
    `do 'begin perform pg_advisory_lock(hashtext(''ä'')); end'`,
    `create function f() returns void language plpgsql as $$ begin perform pg_catalog.pg_advisory_lock(1); end $$`,
    `create function f() returns void as ' select pg_advisory_lock(1) ' language sql`,
    `create function f() returns void begin atomic select pg_advisory_lock(1); end`,
  ])('%s', (sql) => {
    const { text } = sqlInput(PROLOGUE + sql);
    const [lock, ...others] = locksIn(PROLOGUE + sql);
    expect(others).toEqual([]);
    expect(lock && text.slice(lock.range.start, lock.range.end)).toBe(/(?:pg_catalog\.)?pg_advisory_lock\(.*?\)+(?=[; ])/.exec(text)?.[0]);
    expect(lock && text.slice(lock.nameRange.start, lock.nameRange.end)).toBe('pg_advisory_lock');
    expect(lock?.statement).toBe(1);
  });
});

describe('routines', () => {
  it.each<[string, string[]]>([
    [
      `create function f(k bigint) returns boolean language plpgsql as $$ begin return pg_try_advisory_lock(k); end $$`,
      ['k expression function used'],
    ],
    [`create function f() returns void as $$ select pg_advisory_lock(1); select 2 $$ language sql`, ['1 select function used']],
    [`create function f() returns void as $$ select pg_advisory_lock(1) from $$ language sql`, ['1 unknown function']],
    [`create function f() returns bool language sql return not pg_try_advisory_lock(1)`, ['1 expression function used']],
    [`create procedure p() language plpgsql as $$ begin perform pg_advisory_lock(1); end $$`, ['1 perform function']],
    [`create function f() returns trigger language plpgsql as $$ begin perform pg_advisory_lock(new.id); return new; end $$`, [
      'new.id perform function',
    ]],
    [`create function f() returns void language plv8 as $$ plv8.execute('select pg_advisory_lock(1)') $$`, []],
    [`create function f() returns int language c as 'lib', 'pg_advisory_lock(1)'`, []],
    [`do language plpgsql $$ begin perform pg_advisory_lock(1); end $$`, ['1 perform do']],
    [`create view v as select pg_try_advisory_lock(1)`, ['1 select function used']],
    [`prepare p as select pg_try_advisory_lock(1)`, ['1 select function']],
    [`create policy p on t using (pg_try_advisory_lock(id))`, ['id expression function used']],
    [`explain select pg_try_advisory_lock(1)`, []],
  ])('%s', (sql, expected) => {
    expect(summary(sql)).toEqual(expected);
  });
});

describe('session operations in bodies', () => {
  it.each<[string, string[]]>([
    [inDo(`set local lock_timeout = '5s'; perform pg_advisory_lock(1);`), ['set lock_timeout']],
    [inDo(`perform set_config('lock_timeout', '5s', true);`), ['set lock_timeout']],
    [inDo(`if a then set lock_timeout = 1; end if;`), ['set lock_timeout']],
    [inDo('commit;'), ['commit']],
    [inDo('if a then commit; end if;'), []],
    [`create function f() returns void language plpgsql as $$ begin set lock_timeout = 1; perform set_config('a.b', '', true); end $$`, []],
  ])('%s', (sql, expected) => {
    const found = sessionOperations(analyze(sql));
    expect(found.map((operation) => ('name' in operation ? `${operation.kind} ${String(operation.name)}` : operation.kind))).toEqual(expected);
  });
});

describe('bodies against libpg-query’s PL/pgSQL parser', () => {
  beforeAll(async () => {
    await loadModule();
  });

  /** All SQL texts in its tree that call a lock function. */
  function expressionsIn(tree: unknown): string[] {
    if (typeof tree !== 'object' || tree === null) return [];
    return Object.entries(tree).flatMap(([key, value]) =>
      key === 'query' && typeof value === 'string' ? [value] : expressionsIn(value),
    );
  }

  it.each([
    'perform pg_advisory_lock(1); perform pg_advisory_lock(2) from pg_class;',
    'if pg_try_advisory_lock(1) then perform pg_advisory_unlock(1); else raise exception $x$busy$x$; end if;',
    'while not pg_try_advisory_lock(1) loop perform pg_sleep(1), pg_advisory_lock(3); end loop;',
    'for r in select pg_try_advisory_lock(oid::int) from pg_class loop perform pg_advisory_unlock(1); end loop;',
    'select case when true then pg_try_advisory_lock(1) else false end into ok; ok := not pg_try_advisory_lock(2);',
    'begin perform pg_advisory_lock(1); exception when others then perform pg_advisory_lock(2); raise; end;',
    'case when ok then perform pg_advisory_lock(1); else perform pg_advisory_lock(2); end case;',
  ])('%s', (body) => {
    const sql = inDo(body, 'declare ok boolean; r record;');
    const calls = expressionsIn(parsePlPgSQLSync(sql)).flatMap((text) => text.match(/pg_\w*advisory_\w+\([^)]*\)/g) ?? []);
    const found = locksIn(sql).map(({ range }) => sql.slice(range.start, range.end));
    expect([...found].sort()).toEqual([...calls].sort());
    expect(calls.length).toBeGreaterThan(0);
    expect(lockOperations(analyze(sql)).every(({ clause }) => clause !== 'unknown')).toBe(true);
    expect(sql.includes(HOLE)).toBe(false);
  });
});
