import { callsUnlock, functionFor } from '../../src/sql/lock-functions.js';

describe('a text that unlocks', () => {
  it.each([
    'SELECT pg_advisory_unlock(1)',
    'select PG_ADVISORY_UNLOCK_SHARED (1)',
    'SELECT pg_catalog.pg_advisory_unlock_all()',
    'DO RELEASE_LOCK("a")',
    'SELECT release_all_locks()',
  ])('calls the function: %s', (text) => {
    expect(callsUnlock(text)).toBe(true);
  });

  it.each(['pg_advisory_unlock answered false', 'SELECT pg_advisory_lock(1)', 'SELECT get_lock("a", 1)', ''])('does not, when it only names it or calls another: %s', (text) => {
    expect(callsUnlock(text)).toBe(false);
  });
});

describe('the function that does something to a lock', () => {
  it.each([
    ['release', 'session', 'postgres', 'pg_advisory_unlock'],
    ['release', 'session', 'mysql', 'release_lock'],
    ['release', 'transaction', 'postgres', null],
    ['try', 'transaction', 'postgres', 'pg_try_advisory_xact_lock'],
  ] as const)('%s at %s level in %s is %s', (action, level, dialect, name) => {
    expect(functionFor(action, level, dialect)).toBe(name);
  });
});
