import mariadb from 'mariadb';
import knex from 'knex';
import mysql2 from 'mysql2/promise';
import pg from 'pg';
import postgres from 'postgres';
import { Sequelize } from 'sequelize';
import { inject } from 'vitest';
import { heldLocks, until, useOwnDatabase } from '../own-database.js';

/** A pool of two connections, both open, asked for the session that answers. */
interface AskedPool {
  backend(): Promise<unknown>;
  close(): Promise<unknown>;
}

describe('which connection a pool takes when two are idle', () => {
  const database = useOwnDatabase();
  const openings: [string, 'the last' | 'the next', () => AskedPool][] = [
    ['pg', 'the last', () => {
      const pool = new pg.Pool({ ...database.address, max: 2 });
      return { backend: async () => (await pool.query<{ pid: number }>('SELECT pg_backend_pid() AS pid, pg_sleep(0.02)')).rows[0]?.pid, close: () => pool.end() };
    }],
    ['knex', 'the last', () => {
      const db = knex({ client: 'pg', connection: { ...database.address }, pool: { min: 0, max: 2 } });
      return {
        backend: async () => (await db.raw<{ rows: { pid: number }[] }>('SELECT pg_backend_pid() AS pid, pg_sleep(0.02)')).rows[0]?.pid,
        close: () => db.destroy(),
      };
    }],
    ['sequelize', 'the last', () => {
      const sequelize = new Sequelize(database.url, { logging: false, pool: { max: 2 } });
      return { backend: async () => JSON.stringify((await sequelize.query('SELECT pg_backend_pid() AS pid, pg_sleep(0.02)'))[0]), close: () => sequelize.close() };
    }],
    ['postgres', 'the next', () => {
      const sql = postgres(database.url, { max: 2 });
      return { backend: async () => (await sql<{ pid: number }[]>`SELECT pg_backend_pid() AS pid, pg_sleep(0.02)`)[0]?.pid, close: () => sql.end() };
    }],
  ];
  const onMariadb: typeof openings = [
    ['mysql2', 'the last', () => {
      const pool = mysql2.createPool({ ...inject('servers').mariadb, user: 'root', connectionLimit: 2 });
      return { backend: async () => JSON.stringify((await pool.query('SELECT CONNECTION_ID(), SLEEP(0.02)'))[0]), close: () => pool.end() };
    }],
    ['mariadb', 'the next', () => {
      const pool = mariadb.createPool({ ...inject('servers').mariadb, user: 'root', connectionLimit: 2 });
      return { backend: async () => JSON.stringify(await pool.query('SELECT CAST(CONNECTION_ID() AS CHAR), SLEEP(0.02)')), close: () => pool.end() };
    }],
  ];

  const test = async (opening: () => AskedPool, which: 'the last' | 'the next'): Promise<void> => {
    const pool = opening();
    try {
      expect(new Set(await Promise.all([pool.backend(), pool.backend()])).size).toBe(2);
      const answers = [await pool.backend(), await pool.backend(), await pool.backend(), await pool.backend()];
      expect(new Set(answers).size).toBe(which === 'the last' ? 1 : 2);
    } finally {
      await pool.close();
    }
  };

  it.each(openings)('%s: %s, so a lock and its unlock through the pool meet the same one by luck, or never', (_, which, opening) => test(opening, which));
  it.skipIf(!inject('servers').mariadb).each(onMariadb)('%s: %s', (_, which, opening) => test(opening, which));

  it('pg gives a failed query’s connection up, and with it whatever lock it has', async () => {
    const pool = new pg.Pool({ ...database.address, max: 1 });
    await pool.query('SELECT pg_advisory_lock(1)');
    expect(await heldLocks(database.observer)).toBe(1);
    await expect(pool.query('SELECT 1 / 0')).rejects.toThrow('division by zero');
    await until('the lock was freed', async () => (await heldLocks(database.observer)) === 0);
    await pool.end();
  });

  it('pg closes a connection that has been idle, and frees its lock behind the program’s back', async () => {
    const pool = new pg.Pool({ ...database.address, idleTimeoutMillis: 20 });
    await pool.query('SELECT pg_advisory_lock(2)');
    await until('the lock was freed', async () => (await heldLocks(database.observer)) === 0);
    await pool.end();
  });
});
