import pg from 'pg';
import { inject } from 'vitest';
import { backendsWithLock, heldLocks, outcomeOf, until, useOwnDatabase } from '../own-database.js';
import { type PoolMode, pgbouncerIsInstalled, startPgbouncer } from '../servers/pgbouncer.js';
import type { RunningServer } from '../servers/server-process.js';

describe.skipIf(!pgbouncerIsInstalled())('through PgBouncer', () => {
  const database = useOwnDatabase();
  const opened: { stop(): Promise<unknown> }[] = [];
  afterEach(async () => {
    for (const { stop } of opened.splice(0).reverse()) await stop();
    await until('its server connections were gone', async () => (await heldLocks(database.observer)) === 0);
  });

  const start = async (mode: PoolMode, settings: Record<string, string> = {}): Promise<RunningServer> => {
    const server = await startPgbouncer(inject('servers').postgres, mode, settings);
    opened.push(server);
    return server;
  };
  const connect = async ({ host, port }: RunningServer): Promise<pg.Client> => {
    const client = new pg.Client({ host, port, database: database.address.database, user: 'anybody' });
    client.on('error', () => undefined);
    await client.connect();
    opened.push({ stop: () => client.end() });
    return client;
  };
  const cell = async (client: pg.Client, sql: string): Promise<unknown> => {
    const { rows } = await client.query<{ cell: unknown }>(sql);
    return rows[0]?.cell;
  };
  /** Lets a client have the server connection that the next statement would go to. */
  const occupy = async (server: RunningServer): Promise<pg.Client> => {
    const client = await connect(server);
    await client.query('BEGIN');
    return client;
  };

  describe('in transaction mode', () => {
    it('a session lock stays on the server connection, and its unlock runs on another', async () => {
      const server = await start('transaction');
      const client = await connect(server);
      await client.query('SELECT pg_advisory_lock(1)');
      const other = await occupy(server);
      expect([Number(await cell(other, 'SELECT pg_backend_pid() AS cell'))]).toEqual(await backendsWithLock(database.observer, 1));
      expect(await cell(client, 'SELECT pg_advisory_unlock(1) AS cell')).toBe(false);
      expect(await cell(other, 'SELECT pg_advisory_unlock(1) AS cell')).toBe(true);
    });

    it('two clients get the same lock at once', async () => {
      const server = await start('transaction', { default_pool_size: '1' });
      const [one, other] = [await connect(server), await connect(server)];
      expect(await cell(one, 'SELECT pg_try_advisory_lock(2) AS cell')).toBe(true);
      expect(await cell(other, 'SELECT pg_try_advisory_lock(2) AS cell')).toBe(true);
      expect(await cell(database.observer, 'SELECT pg_try_advisory_lock(2) AS cell')).toBe(false);
    });

    it('a session lock outlives its client', async () => {
      const server = await start('transaction', { default_pool_size: '1' });
      const client = await connect(server);
      await client.query('SELECT pg_advisory_lock(3)');
      await client.end();
      const next = await connect(server);
      await next.query('SELECT 1');
      expect(await backendsWithLock(database.observer, 3)).toHaveLength(1);
    });

    it('a transaction lock excludes, and ends with its transaction', async () => {
      const server = await start('transaction');
      const [one, other] = [await connect(server), await connect(server)];
      await one.query('BEGIN');
      await one.query('SELECT pg_advisory_xact_lock(4)');
      expect(await cell(other, 'SELECT pg_try_advisory_xact_lock(4) AS cell')).toBe(false);
      await one.query('COMMIT');
      expect(await cell(other, 'SELECT pg_try_advisory_xact_lock(4) AS cell')).toBe(true);
    });

    it('a setting of one client is that of the next', async () => {
      const server = await start('transaction', { default_pool_size: '1' });
      const [one, other] = [await connect(server), await connect(server)];
      await one.query("SET lock_timeout = '1234ms'");
      expect(await cell(other, "SELECT current_setting('lock_timeout') AS cell")).toBe('1234ms');
    });

    it('with server_reset_query_always nothing is left behind, and nothing is protected', async () => {
      const server = await start('transaction', { server_reset_query_always: '1' });
      const client = await connect(server);
      await client.query('SELECT pg_advisory_lock(5)');
      await until('the lock was freed', async () => (await backendsWithLock(database.observer, 5)).length === 0);
      expect(await cell(client, 'SELECT pg_advisory_unlock(5) AS cell')).toBe(false);
    });
  });

  describe('in session mode', () => {
    it('a session lock lasts as long as its client', async () => {
      const server = await start('session');
      const client = await connect(server);
      await client.query('SELECT pg_advisory_lock(6)');
      expect(await backendsWithLock(database.observer, 6)).toHaveLength(1);
      await client.end();
      await until('DISCARD ALL freed the lock', async () => (await backendsWithLock(database.observer, 6)).length === 0);
    });

    it('without a server_reset_query it outlives its client', async () => {
      const server = await start('session', { server_reset_query: '', default_pool_size: '1' });
      const client = await connect(server);
      await client.query('SELECT pg_advisory_lock(7)');
      await client.end();
      const next = await connect(server);
      expect(await cell(next, 'SELECT pg_try_advisory_lock(7) AS cell')).toBe(true);
    });
  });

  describe('in statement mode', () => {
    it('there is no transaction, and a session lock stays behind', async () => {
      const server = await start('statement', { default_pool_size: '1' });
      const client = await connect(server);
      await client.query('SELECT pg_advisory_lock(8)');
      await client.end();
      const other = await connect(server);
      expect(await cell(other, 'SELECT pg_try_advisory_lock(8) AS cell')).toBe(true);
      expect(await outcomeOf(other, 'BEGIN')).toBe('08P01');
    });
  });
});
