import { describe, expect, it } from 'vitest';

import { analyze, type InputOptions, lockIn, locksIn, short } from './sql-input.js';

const MYSQL: InputOptions = { dialect: 'mysql', placeholders: ['question-mark', 'colon'] };

describe('MySQL', () => {
  it.each([
    ['SELECT GET_LOCK(?, 10)', 'bound 0', 'bound 0, 10'],
    ['SELECT GET_LOCK(:name, :wait)', 'bound name', 'bound name, bound wait'],
    ['SELECT GET_LOCK("jobs", -1)', `'jobs'`, `'jobs', -1`],
    [`SELECT GET_LOCK('it\\'s', 0)`, `'it's'`, `'it's', 0`],
    [`SELECT GET_LOCK("it's", 0)`, `'it's'`, `'it's', 0`],
    [`SELECT GET_LOCK("say ""hi""", 0)`, `'say "hi"'`, `'say "hi"', 0`],
    ['SELECT GET_LOCK("a\\nb", 0)', `'a\nb'`, `'a\nb', 0`],
    ['SELECT GET_LOCK(NULL, 0)', 'null', 'null, 0'],
    [`SELECT GET_LOCK("«u»", 0)`, 'hole 0', 'hole 0, 0'],
    [`SELECT GET_LOCK(CONCAT('a', ?), 0.5)`, `concat('a', bound 0)`, `concat('a', bound 0), number 0.5`],
    ['SELECT GET_LOCK(`name`, 0)', 'name', 'name, 0'],
    ['SELECT RELEASE_ALL_LOCKS()', '', ''],
    ['SELECT IS_FREE_LOCK(?)', 'bound 0', 'bound 0'],
  ])('%s', (sql, keys, all) => {
    const lock = lockIn(sql, MYSQL);
    expect(lock.dialect).toBe('mysql');
    expect(lock.keys.map(short).join(', ')).toBe(keys);
    expect(lock.arguments.map(short).join(', ')).toBe(all);
  });

  it.each([
    ['DO RELEASE_LOCK(?)', 1],
    ['do release_lock(?), release_all_locks()', 2],
    ['/* x */ DO RELEASE_LOCK("a")', 1],
    ['SELECT 1; DO RELEASE_LOCK("a");', 1],
  ])('%s drops its results', (sql, count) => {
    const locks = locksIn(sql, MYSQL);
    expect(locks).toHaveLength(count);
    for (const { clause, column, usedInSql } of locks) {
      expect({ clause, column, usedInSql }).toEqual({ clause: 'perform', column: null, usedInSql: false });
    }
    expect(analyze(sql, MYSQL).statements.at(-1)).toMatchObject({ kind: 'do', columns: [] });
  });

  it.each([
    ['SELECT id, GET_LOCK(id, 0) FROM t LIMIT 5, 10', { kind: 'number', value: 10 }, { kind: 'number', value: 5 }, 'LIMIT 5, 10'],
    ['SELECT id, GET_LOCK(id, 0) FROM t LIMIT ?, ?', { kind: 'expression' }, { kind: 'expression' }, 'LIMIT ?, ?'],
    ['SELECT id, GET_LOCK(id, 0) FROM t LIMIT 10 OFFSET 5', { kind: 'number', value: 10 }, { kind: 'number', value: 5 }, 'LIMIT 10 OFFSET 5'],
    ['SELECT id, GET_LOCK(id, 0) FROM t LIMIT 10', { kind: 'number', value: 10 }, { kind: 'none' }, 'LIMIT 10'],
  ])('%s', (sql, count, offset, text) => {
    const limit = lockIn(sql, MYSQL).query?.limit;
    expect(limit).toMatchObject({ count, offset });
    expect(limit?.range && sql.slice(limit.range.start, limit.range.end)).toBe(text);
  });

  it.each([
    ['SELECT GET_LOCK("a", 10)', 'GET_LOCK("a", 10)'],
    ['SELECT GET_LOCK("a", 10) AS l', 'l'],
    ['SELECT GET_LOCK("a", 10) AS `l`', 'l'],
    ['SELECT GET_LOCK(?, 10)', null],
    ['SELECT GET_LOCK("«u»", 10)', null],
    ['SELECT IFNULL(GET_LOCK("a", 10), 0) ok', 'ok'],
  ])('%s has a column', (sql, name) => {
    expect(lockIn(sql, MYSQL).column).toEqual({ index: 0, name, direct: true });
  });

  it.each([
    ['SELECT GET_LOCK("a", 10) AS gotLock', 'gotLock'],
    ['SELECT GET_LOCK(?, 10) gotLock FROM t LIMIT 1', 'gotLock'],
    ['SELECT GET_LOCK(?, 10) AS `gotLock`', 'gotLock'],
    ['SELECT 1 AS one, GET_LOCK(?, 10) AS GOT_LOCK', 'GOT_LOCK'],
    ['SELECT * FROM (SELECT GET_LOCK(?, 10) AS gotLock) AS l', 'gotLock'],
    ['SELECT l.GotLock FROM (SELECT GET_LOCK(?, 10) AS gotLock) AS l', 'GotLock'],
    ['SELECT GET_LOCK(?, 10) AS gotLock UNION ALL SELECT 1', 'gotLock'],
  ])('%s answers under the name as written', (sql, name) => {
    expect(lockIn(sql, MYSQL).column).toMatchObject({ name, direct: true });
  });

  it('reads IF like CASE', () => {
    const [condition, then] = locksIn('SELECT IF(GET_LOCK("a", 1), RELEASE_LOCK("a"), 0)', MYSQL);
    expect([condition?.guarded, then?.guarded]).toEqual([false, true]);
  });

  it('knows that DUAL is no table', () => {
    expect(lockIn('SELECT GET_LOCK("a", 1) FROM DUAL LIMIT 1', MYSQL).query?.hasFrom).toBe(false);
    expect(lockIn('SELECT GET_LOCK("a", 1) FROM dual_jobs LIMIT 1', MYSQL).query?.hasFrom).toBe(true);
  });

  it.each([
    ['SELECT GET_LOCK(?, 1) INTO @ok', 'get_lock', 'bound 0'],
    ['SET @ok = GET_LOCK("x", 10)', 'get_lock', `'x'`],
    ['SELECT a FROM t FORCE INDEX (i) WHERE RELEASE_LOCK(CONCAT("a", `b`))', 'release_lock', `concat('a', b)`],
  ])('%s is scanned', (sql, name, keys) => {
    const analysis = analyze(sql, MYSQL);
    expect(analysis.status).toBe('scanned');
    expect(analysis.operations).toMatchObject([{ kind: 'lock', name, clause: 'unknown', query: null, column: null }]);
    expect(lockIn(sql, MYSQL).keys.map(short).join(', ')).toBe(keys);
  });

  it('keeps ranges across its comments and quotes', () => {
    const sql = '# é comment\nSELECT `größe`, "it\'s \\"so\\"", /* DO */ GET_LOCK("a\\"b", 1) -- end';
    const { range } = lockIn(sql, MYSQL);
    expect(sql.slice(range.start, range.end)).toBe('GET_LOCK("a\\"b", 1)');
  });

  it('opens transactions', () => {
    expect(analyze('START TRANSACTION WITH CONSISTENT SNAPSHOT', MYSQL).operations).toMatchObject([{ kind: 'begin' }]);
  });
});
