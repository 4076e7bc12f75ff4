import { evaluation } from '../../src/facts/evaluation.js';
import { queries } from '../../src/facts/queries.js';
import { resultOf } from '../../src/pass.js';
import { unitFor } from '../harness.js';

/** Compares the keys of the first two lock calls of a function that gets a pg client `c`, a row `task` and two ids. */
function compared(one: string, other: string): string {
  const code = `import type { PoolClient } from 'pg'; import { lockId } from './lock-id.js'; import { randomInt } from 'node:crypto';
    const FIVE = 5; enum Lock { Five = 5 }
    export class Jobs { key = lockId(1); async f(c: PoolClient, task: { key: number; other: number }, a: number, b: number) {
      let changing = a; changing = b; const copy = a; const made = lockId(a, b);
      await c.query(${one});
      await c.query(${other});
    } }`;
  const unit = unitFor(code);
  const { keys } = resultOf(evaluation, unit);
  const [first, second] = resultOf(queries, unit).flatMap(({ locks }) => locks).map((lock) => keys.keyOf(lock, []));
  if (!first || !second) throw new Error('two locks are needed');
  const result = keys.compare(first, second);
  return result.is === 'different' ? `different by ${result.by}` : result.is;
}

describe('lock keys compared by value', () => {
  it.each([
    ['one constant', `'SELECT pg_advisory_lock(5)'`, `'SELECT pg_advisory_unlock(5)'`, 'same'],
    ['a constant and its text', `'SELECT pg_advisory_lock(5)'`, `"SELECT pg_advisory_unlock('5')"`, 'same'],
    ['a literal and a bound constant', `'SELECT pg_advisory_lock(5)'`, `'SELECT pg_advisory_unlock($1)', [FIVE]`, 'same'],
    ['a number and a bigint', `'SELECT pg_advisory_lock($1)', [5n]`, `'SELECT pg_advisory_unlock($1)', ['5']`, 'same'],
    ['an enum member', `'SELECT pg_advisory_lock($1)', [Lock.Five]`, `'SELECT pg_advisory_unlock(5)'`, 'same'],
    ['casts', `'SELECT pg_advisory_lock($1::bigint)', [5]`, `'SELECT pg_advisory_unlock(5)'`, 'same'],
    ['interpolated', '`SELECT pg_advisory_lock(${FIVE})`', `'SELECT pg_advisory_unlock(5)'`, 'same'],
    ['other constants', `'SELECT pg_advisory_lock(5)'`, `'SELECT pg_advisory_unlock(6)'`, 'different by key'],
    ['one argument and two', `'SELECT pg_advisory_lock(0, 5)'`, `'SELECT pg_advisory_unlock(5)'`, 'different by form'],
    ['one part of two', `'SELECT pg_advisory_lock($1, 5)', [a]`, `'SELECT pg_advisory_unlock($1, 6)', [a]`, 'different by key'],
    ['swapped placeholders', `'SELECT pg_advisory_lock($2, $1)', [1, 2]`, `'SELECT pg_advisory_unlock(2, 1)'`, 'same'],
    ['one variable', `'SELECT pg_advisory_lock($1)', [a]`, `'SELECT pg_advisory_unlock($1)', [a]`, 'same'],
    ['a copy of it', `'SELECT pg_advisory_lock($1)', [a]`, `'SELECT pg_advisory_unlock($1)', [copy]`, 'same'],
    ['two variables', `'SELECT pg_advisory_lock($1)', [a]`, `'SELECT pg_advisory_unlock($1)', [b]`, 'unknown'],
    ['a variable that changes', `'SELECT pg_advisory_lock($1)', [changing]`, `'SELECT pg_advisory_unlock($1)', [changing]`, 'unknown'],
    ['a variable and a constant', `'SELECT pg_advisory_lock($1)', [a]`, `'SELECT pg_advisory_unlock(5)'`, 'unknown'],
    ['a field', `'SELECT pg_advisory_lock($1)', [this.key]`, `'SELECT pg_advisory_unlock($1)', [this.key]`, 'same'],
    ['a column of a row', `'SELECT pg_advisory_lock($1)', [task.key]`, `'SELECT pg_advisory_unlock($1)', [task.key]`, 'same'],
    ['two columns of a row', `'SELECT pg_advisory_lock($1)', [task.key]`, `'SELECT pg_advisory_unlock($1)', [task.other]`, 'unknown'],
    ['a hash in SQL', `'SELECT pg_advisory_lock(hashtext($1))', [a]`, `'SELECT pg_advisory_unlock(hashtext($1::text))', [a]`, 'same'],
    ['hashes of two constants', `"SELECT pg_advisory_lock(hashtext('a'))"`, `"SELECT pg_advisory_unlock(hashtext('b'))"`, 'unknown'],
    ['a key function', `'SELECT pg_advisory_lock($1)', [lockId(a, b)]`, `'SELECT pg_advisory_unlock($1)', [lockId(a, b)]`, 'same'],
    ['a key function and its result', `'SELECT pg_advisory_lock($1)', [made]`, `'SELECT pg_advisory_unlock($1)', [lockId(a, b)]`, 'same'],
    ['a key function with fewer arguments', `'SELECT pg_advisory_lock($1)', [lockId(a, b)]`, `'SELECT pg_advisory_unlock($1)', [lockId(a)]`, 'different by key-arguments'],
    ['a key function with other arguments', `'SELECT pg_advisory_lock($1)', [lockId(a)]`, `'SELECT pg_advisory_unlock($1)', [lockId(b)]`, 'unknown'],
    ['a template', "'SELECT pg_advisory_lock(hashtext($1))', [`job:${a}`]", "'SELECT pg_advisory_unlock(hashtext($1))', [`job:${a}`]", 'same'],
    ['a sum', `'SELECT pg_advisory_lock($1)', [a + 1]`, `'SELECT pg_advisory_unlock($1)', [a + 1]`, 'same'],
    ['chance', `'SELECT pg_advisory_lock($1)', [randomInt(9)]`, `'SELECT pg_advisory_unlock($1)', [randomInt(9)]`, 'unknown'],
    ['conversions', `'SELECT pg_advisory_lock($1)', [String(a)]`, `'SELECT pg_advisory_unlock($1)', [a]`, 'same'],
  ])('%s', (_, one, other, expected) => {
    expect(compared(one, other)).toBe(expected);
    expect(compared(other, one)).toBe(expected);
  });
});
