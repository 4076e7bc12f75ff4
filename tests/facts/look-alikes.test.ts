import { lockStatements } from './lock-statements.js';

describe('what sends no statement', () => {
  it.each([
    ['SQL in a comment', `// await pool.query('SELECT pg_advisory_lock(1)')\n/* SELECT pg_advisory_unlock(1) */`],
    ['SQL in a constant', `export const LOCK = 'SELECT pg_advisory_lock($1)';`],
    ['an error message', `throw new Error('SELECT pg_advisory_lock(1) failed');`],
    ['a log line', `console.log('SELECT pg_advisory_lock(1)');`],
    ['a logger', `import { logger } from './log';\nlogger.info('SELECT pg_advisory_lock(1)');`],
    ['an assertion', `expect(sql).toBe('SELECT pg_advisory_lock(1)');`],
    ['an assertion on a mock', `expect(client.query).toHaveBeenCalledWith('SELECT pg_advisory_lock(1)', [1]);`],
    ['a mock', `vi.fn().mockImplementation((text) => (text === 'SELECT pg_advisory_lock(1)' ? { rows: [] } : null));`],
    ['a mocked result', `client.query.mockResolvedValueOnce({ sql: 'SELECT pg_advisory_lock(1)' });`],
    ['a case label', `switch (text) { case 'SELECT pg_advisory_lock(1)': break; }`],
    ['a comparison', `if (text === 'SELECT pg_advisory_lock(1)') stop();`],
    ['a list of words', `const names = ['pg_advisory_lock', 'pg_advisory_unlock'];\nfor (const name of names) registerFunction(name);`],
    ['a test title', `it('SELECT pg_advisory_lock(1) waits', () => {});`],
    ['an object of the file with a method of that name', `class Search { query(text) { return text.length; } }\nnew Search().query('SELECT pg_advisory_lock(1)');`],
    ['an object literal with a method of that name', `const search = { query: (text) => text.length };\nsearch.query('SELECT pg_advisory_lock(1)');`],
    ['a function of the file', `const query = (text) => text.length;\nquery('SELECT pg_advisory_lock(1)');`],
    ['a function of unknown origin', `query('SELECT pg_advisory_lock(1)');`],
    ['another method of a driver', `import { Pool } from 'pg';\nnew Pool().on('SELECT pg_advisory_lock(1)', () => {});`],
    ['a builder for something else', `import { Client } from 'pg';\nnew Client({ application_name: 'SELECT pg_advisory_lock(1)' });`],
    ['releaseAllLocks of something else', `import { redlock } from './redlock';\nredlock.releaseAllLocks('RELEASE_ALL_LOCKS');`],
    ['a lock name without a call', `import { db } from './db';\ndb.query('pg_advisory_lock');`],
    ['a fragment that nobody sends', `import { sql } from 'drizzle-orm';\nexport const lock = sql\`SELECT pg_advisory_lock(1)\`;`],
    ['an EventEmitter', `import { EventEmitter } from 'node:events';\nnew EventEmitter().emit('SELECT pg_advisory_lock(1)');`],
    ['a statement that merely defines a function', `import { Pool } from 'pg';\nnew Pool().query('CREATE FUNCTION f() RETURNS void LANGUAGE sql AS $$ SELECT pg_advisory_lock(1) $$');`],
  ])('%s', (_title, code) => {
    expect(lockStatements(code.includes('advisory') ? code : `${code}\n// advisory`)).toEqual([]);
  });

  it('is not JSX text or an attribute', () => {
    const code = 'export const Help = () => <p title="SELECT pg_advisory_lock(1)">SELECT pg_advisory_lock(1)</p>;';
    expect(lockStatements(code, { filename: 'help.tsx' })).toEqual([]);
  });
});
