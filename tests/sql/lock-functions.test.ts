import { describe, expect, it } from 'vitest';

import { analyzeSql } from '../../src/sql/analyze.js';
import { builtInCatalogue, createCatalogue, mentionsLock } from '../../src/sql/lock-functions.js';
import { lockOperations, locksIn, sqlInput } from './sql-input.js';

describe('the catalogue', () => {
  it.each([
    ['pg_advisory_lock', 'acquire', 'session', 'exclusive', 'void'],
    ['pg_advisory_lock_shared', 'acquire', 'session', 'shared', 'void'],
    ['pg_advisory_unlock', 'release', 'session', 'exclusive', 'boolean'],
    ['pg_advisory_unlock_all', 'release-all', 'session', 'exclusive', 'void'],
    ['pg_advisory_unlock_shared', 'release', 'session', 'shared', 'boolean'],
    ['pg_advisory_xact_lock', 'acquire', 'transaction', 'exclusive', 'void'],
    ['pg_advisory_xact_lock_shared', 'acquire', 'transaction', 'shared', 'void'],
    ['pg_try_advisory_lock', 'try', 'session', 'exclusive', 'boolean'],
    ['pg_try_advisory_lock_shared', 'try', 'session', 'shared', 'boolean'],
    ['pg_try_advisory_xact_lock', 'try', 'transaction', 'exclusive', 'boolean'],
    ['pg_try_advisory_xact_lock_shared', 'try', 'transaction', 'shared', 'boolean'],
    ['get_lock', 'try', 'session', 'exclusive', 'integer'],
    ['release_lock', 'release', 'session', 'exclusive', 'integer'],
    ['release_all_locks', 'release-all', 'session', 'exclusive', 'integer'],
    ['is_free_lock', 'inspect', 'session', 'exclusive', 'integer'],
    ['is_used_lock', 'inspect', 'session', 'exclusive', 'integer'],
  ])('knows %s', (name, action, level, mode, returns) => {
    expect(builtInCatalogue.find([name])).toMatchObject({ name, action, level, mode, returns });
  });

  it.each(['pg_advisory_xact_unlock', 'pg_advisory_locks', 'pg_try_advisory_unlock', 'get_locks', ''])(
    'does not know %j',
    (name) => {
      expect(builtInCatalogue.find([name])).toBeUndefined();
    },
  );
});

describe('names in SQL', () => {
  it.each([
    ['select pg_advisory_lock(1)', 1],
    ['SELECT PG_ADVISORY_LOCK(1)', 1],
    ['select Pg_Advisory_Lock (1)', 1],
    ['select pg_catalog.pg_advisory_lock(1)', 1],
    ['select PG_CATALOG . pg_advisory_lock(1)', 1],
    ['select "pg_advisory_lock"(1)', 1],
    ['select "pg_catalog"."pg_advisory_lock"(1)', 1],
    ['select db.pg_catalog.pg_advisory_lock(1)', 1],
    ['select /* here */ pg_advisory_lock /* and here */ (1)', 1],
    ['select app.pg_advisory_lock(1)', 0],
    ['select "PG_ADVISORY_LOCK"(1)', 0],
    ['select "PG_CATALOG".pg_advisory_lock(1)', 0],
    ['select pg_advisory_lock', 0],
    ["select 'pg_advisory_lock(1)'", 0],
    ['select 1 -- pg_advisory_lock(1)', 0],
    ['select 1 /* pg_advisory_lock(1) */', 0],
    ['select pg_advisory_lock_count(1)', 0],
    ['select * from pg_locks where locktype = \'advisory\'', 0],
    ['drop function app.pg_advisory_lock(bigint)', 0],
  ])('%s holds %i', (sql, count) => {
    expect(locksIn(sql)).toHaveLength(count);
  });

  it.each([
    ['SELECT GET_LOCK(?, 10)', 'get_lock'],
    ['select Release_Lock("a")', 'release_lock'],
    ['SELECT `GET_LOCK`("a", 1)', 'get_lock'],
    ['SELECT RELEASE_ALL_LOCKS()', 'release_all_locks'],
    ['SELECT IS_USED_LOCK("a") IS NULL', 'is_used_lock'],
  ])('%s calls %s', (sql, name) => {
    const found = locksIn(sql, { dialect: 'mysql', placeholders: ['question-mark'] });
    expect(found.map((operation) => operation.name)).toEqual([name]);
  });
});

describe('functions of the user’s own', () => {
  const catalogue = createCatalogue([
    { name: 'app.Take_Lock', action: 'acquire', level: 'session' },
    { name: 'try_leader', action: 'try', level: 'transaction', mode: 'shared' },
    { name: '"app"."drop_lock"', action: 'release', level: 'session' },
    { name: 'app.pg_advisory_lock', action: 'acquire', level: 'transaction' },
  ]);
  const found = (sql: string): string[] =>
    lockOperations(analyzeSql(sqlInput(sql), catalogue)).map(({ name, action, level, mode }) =>
      [name, action, level, mode].join(' '),
    );

  it.each([
    ['select app.take_lock(1)', ['take_lock acquire session exclusive']],
    ['select APP.TAKE_LOCK(1)', ['take_lock acquire session exclusive']],
    ['select take_lock(1)', ['take_lock acquire session exclusive']],
    ['select other.take_lock(1)', []],
    ['select anything.try_leader(1)', ['try_leader try transaction shared']],
    ['select app.drop_lock(1)', ['drop_lock release session exclusive']],
    ['select app.pg_advisory_lock(1)', ['pg_advisory_lock acquire transaction exclusive']],
    ['select pg_catalog.pg_advisory_lock(1)', ['pg_advisory_lock acquire session exclusive']],
  ])('%s', (sql, expected) => {
    expect(found(sql)).toEqual(expected);
  });

  it('are gated by their bare names', () => {
    expect(catalogue.extraNames).toEqual(['take_lock', 'try_leader', 'drop_lock', 'pg_advisory_lock']);
  });
});

describe('the text gate', () => {
  it.each([
    'pg_advisory_lock',
    'PG_TRY_ADVISORY_XACT_LOCK',
    'get_lock',
    'GET_LOCK',
    'release_lock',
    'release_all_locks',
    'is_free_lock',
    'is_used_lock',
    'AdvisoryLock',
  ])('opens for %s', (word) => {
    expect(mentionsLock(`x ${word} y`)).toBe(true);
  });

  it.each(['', 'select 1', 'lock table t', 'unlock', 'getLock', 'releaselock'])('stays shut for %j', (text) => {
    expect(mentionsLock(text)).toBe(false);
  });

  it('opens for further names in any case', () => {
    expect(mentionsLock('SELECT Take_Lock(1)', ['take_lock'])).toBe(true);
    expect(mentionsLock('select 1', ['take_lock'])).toBe(false);
  });
});
