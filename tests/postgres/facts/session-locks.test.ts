import type { Socket } from 'node:net';
import type pg from 'pg';
import { backendsWithLock, heldLocks, outcomeOf, until, useOwnDatabase } from '../own-database.js';

/** node-postgres names it nowhere in its types. */
const socketOf = (client: pg.Client): Socket => (client as unknown as { connection: { stream: Socket } }).connection.stream;

describe('a session lock', () => {
  const database = useOwnDatabase();
  const cell = async (client: pg.Client, sql: string): Promise<unknown> => {
    const { rows } = await client.query<{ cell: unknown }>(sql);
    return rows[0]?.cell;
  };
  const backendOf = async (client: pg.Client): Promise<number> => Number(await cell(client, 'SELECT pg_backend_pid() AS cell'));

  describe('is freed by', () => {
    const table: [string, (client: pg.Client) => Promise<unknown>][] = [
      ['DISCARD ALL', (client) => client.query('DISCARD ALL')],
      ['pg_advisory_unlock_all()', (client) => client.query('SELECT pg_advisory_unlock_all()')],
      ['the end of the session', (client) => client.end()],
      ['the loss of the socket', (client) => Promise.resolve(socketOf(client).destroy())],
      ['pg_terminate_backend', async (client) => database.observer.query('SELECT pg_terminate_backend($1)', [await backendOf(client)])],
      ['idle_session_timeout', (client) => client.query("SET idle_session_timeout = '20ms'")],
      ['idle_in_transaction_session_timeout', (client) => client.query("SET idle_in_transaction_session_timeout = '20ms'; BEGIN")],
    ];
    it.each(table)('%s', async (_, free) => {
      const client = await database.newClient();
      await client.query('SELECT pg_advisory_lock(1), pg_advisory_lock(1)');
      expect(await heldLocks(database.observer)).toBe(1);
      await free(client);
      await until('the lock was freed', async () => (await heldLocks(database.observer)) === 0);
    });
  });

  describe('is kept through', () => {
    it.each([
      ['COMMIT', ['COMMIT']],
      ['ROLLBACK', ['ROLLBACK']],
      ['an error and ROLLBACK', ['SELECT 1 / 0', 'ROLLBACK']],
      ['RESET ALL', ['COMMIT', 'RESET ALL']],
      ['the other kinds of DISCARD', ['COMMIT', 'DISCARD PLANS', 'DISCARD TEMP', 'DISCARD SEQUENCES']],
      ['DEALLOCATE, CLOSE and UNLISTEN', ['COMMIT', 'DEALLOCATE ALL', 'CLOSE ALL', 'UNLISTEN *']],
      ['ROLLBACK TO a savepoint', ['ROLLBACK TO before', 'COMMIT']],
    ])('%s', async (_, statements) => {
      const client = await database.newClient();
      await client.query('BEGIN; SAVEPOINT before; SELECT pg_advisory_lock(2)');
      for (const sql of statements) await outcomeOf(client, sql);
      expect(await backendsWithLock(database.observer, 2)).toHaveLength(1);
      await client.end();
      await until('the lock was freed', async () => (await heldLocks(database.observer)) === 0);
    });

    it('pg_cancel_backend', async () => {
      const client = await database.newClient();
      await client.query('SELECT pg_advisory_lock(3)');
      const backend = await backendOf(client);
      const sleeping = outcomeOf(client, 'SELECT pg_sleep(60)');
      await until('the session slept', async () => {
        const { rows } = await database.observer.query("SELECT 1 FROM pg_stat_activity WHERE pid = $1 AND wait_event = 'PgSleep'", [backend]);
        return rows.length === 1;
      });
      await database.observer.query('SELECT pg_cancel_backend($1)', [backend]);
      expect(await sleeping).toBe('57014');
      expect(await backendsWithLock(database.observer, 3)).toEqual([backend]);
      await client.end();
    });
  });

  describe('and its unlock', () => {
    it.each([
      ['of another key', 'SELECT pg_advisory_unlock(5) AS cell'],
      ['of the other mode', 'SELECT pg_advisory_unlock_shared(4) AS cell'],
      ['of the form with two keys', 'SELECT pg_advisory_unlock(0, 4) AS cell'],
    ])('%s answers false, warns, and leaves the lock', async (_, sql) => {
      const client = await database.newClient();
      const warnings: (string | undefined)[] = [];
      client.on('notice', ({ code, message }) => warnings.push(`${code} ${message}`));
      await client.query('SELECT pg_advisory_lock(4)');
      expect(await cell(client, sql)).toBe(false);
      expect(warnings).toEqual([expect.stringMatching(/^01000 you don't own a lock of type/)]);
      expect(await backendsWithLock(database.observer, 4)).toHaveLength(1);
      await client.end();
    });

    it('counts: two acquisitions need two unlocks, and a third answers false', async () => {
      const client = await database.newClient();
      await client.query('SELECT pg_advisory_lock(6)');
      expect(await cell(client, 'SELECT pg_try_advisory_lock(6) AS cell')).toBe(true);
      const answers = [];
      for (let count = 0; count < 3; count += 1) answers.push(await cell(client, 'SELECT pg_advisory_unlock(6) AS cell'));
      expect(answers).toEqual([true, true, false]);
      await client.end();
    });

    it('of all locks counts nothing, answers nothing and never warns, and leaves those of the transaction', async () => {
      const client = await database.newClient();
      const warnings: unknown[] = [];
      client.on('notice', (notice) => warnings.push(notice));
      await client.query('BEGIN');
      await client.query('SELECT pg_advisory_lock(7), pg_advisory_lock(7), pg_advisory_lock_shared(8), pg_advisory_lock(1, 2), pg_advisory_xact_lock(9)');
      expect(await cell(client, 'SELECT pg_advisory_unlock_all() AS cell')).toBe('');
      expect(await heldLocks(database.observer)).toBe(1);
      expect(await backendsWithLock(database.observer, 9)).toHaveLength(1);
      await client.query('COMMIT');
      await client.query('SELECT pg_advisory_unlock_all()');
      expect(warnings).toEqual([]);
      await client.end();
    });

    it('does not run in an aborted transaction, and works after its rollback', async () => {
      const client = await database.newClient();
      await client.query('BEGIN; SELECT pg_advisory_lock(10)');
      expect(await outcomeOf(client, 'SELECT 1 / 0')).toBe('22012');
      expect(await outcomeOf(client, 'SELECT pg_advisory_unlock(10)')).toBe('25P02');
      expect(await outcomeOf(client, 'SELECT pg_advisory_unlock_all()')).toBe('25P02');
      await client.query('ROLLBACK');
      expect(await cell(client, 'SELECT pg_advisory_unlock(10) AS cell')).toBe(true);
      await client.end();
    });

    it('is not taken back by ROLLBACK', async () => {
      const client = await database.newClient();
      await client.query('SELECT pg_advisory_lock(11)');
      await client.query('BEGIN; SELECT pg_advisory_unlock(11); ROLLBACK');
      expect(await backendsWithLock(database.observer, 11)).toEqual([]);
      await client.end();
    });
  });

  it('and a void column arrives as an empty string', async () => {
    const client = await database.newClient();
    expect(await cell(client, 'SELECT pg_advisory_lock(12) AS cell')).toBe('');
    await client.end();
  });

  it('is of one database', async () => {
    const other = `${database.address.database}_other`;
    await database.observer.query(`CREATE DATABASE ${other}`);
    const here = await database.newClient();
    const there = await database.newClient({ database: other });
    await here.query('SELECT pg_advisory_lock(13)');
    expect(await cell(there, 'SELECT pg_try_advisory_lock(13) AS cell')).toBe(true);
    await Promise.all([here.end(), there.end()]);
  });
});
