import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { root } from '../built.js';
import { startPostgres } from './servers/postgres.js';

/** An advisory lock, or the wish for one, as `pg_locks` and `pg_stat_activity` show it. */
export interface Lock {
  readonly backend: number;
  /** `idle`, `active`, `idle in transaction` or `idle in transaction (aborted)`. */
  readonly state: string;
  /** The key in the form it was asked for: `4201`, or `(12, 1)` for the form with two arguments. */
  readonly key: string;
  readonly mode: string;
  /** False while it is waited for. */
  readonly granted: boolean;
}

/** The users of the database that examples connect as. All of them may do everything with the tables. */
export const users = {
  usual: 'app',
  /** Finds no table, so every statement about one fails. */
  withoutTables: 'app_without_tables',
  /** Waits for a lock for a fifth of a second at most. */
  impatient: 'app_impatient',
} as const;

/** A server with the tables of the examples, and a session of the laboratory's own to look at it. */
export interface Laboratory {
  readonly host: string;
  readonly port: number;
  readonly version: string;
  /** The advisory locks that others hold or wait for, oldest backend and lowest key first. */
  locks(): Promise<Lock[]>;
  /** The sessions of the examples that are alive: what each is doing. */
  sessions(): Promise<{ backend: number; state: string }[]>;
  ask(sql: string, values?: unknown[]): Promise<Record<string, unknown>[]>;
  /** Takes a lock as another session would, if nobody has it. */
  takeElsewhere(lock: Pick<Lock, 'key' | 'mode'>): Promise<boolean>;
  letGoElsewhere(): Promise<void>;
  /** Ends the sessions of the examples and waits until they are gone. */
  clear(): Promise<void>;
  close(): Promise<void>;
}

export async function openLaboratory(): Promise<Laboratory> {
  const server = await startPostgres({ statement_timeout: '10s', client_connection_check_interval: '50ms', log_min_messages: 'fatal' });
  const connection = { host: server.host, port: server.port, user: 'postgres', database: 'app', statement_timeout: 0 };
  const founder = new pg.Client({ ...connection, database: 'postgres' });
  const observer = new pg.Client(connection);
  const rival = new pg.Client(connection);
  try {
    await founder.connect();
    await founder.query('CREATE DATABASE app');
    await founder.end();
    await Promise.all([observer.connect(), rival.connect()]);
    await observer.query(readFileSync(join(root, 'tests/postgres/schema.sql'), 'utf8'));
    await observer.query(
      Object.values(users)
        .map((user) => `CREATE ROLE ${user} LOGIN SUPERUSER;`)
        .join(''),
    );
    await observer.query(`CREATE SCHEMA nowhere; ALTER ROLE ${users.withoutTables} SET search_path = nowhere; ALTER ROLE ${users.impatient} SET lock_timeout = '200ms'`);
  } catch (error) {
    await server.stop();
    throw error;
  }
  const { rows } = await observer.query<{ server_version: string }>('SHOW server_version');

  const sessions = async (): Promise<{ backend: number; state: string }[]> => {
    const { rows } = await observer.query<{ backend: number; state: string }>(
      "SELECT pid AS backend, coalesce(state, 'starting') AS state FROM pg_stat_activity WHERE usename LIKE 'app%' ORDER BY backend_start, pid",
    );
    return rows;
  };

  return {
    host: server.host,
    port: server.port,
    version: rows[0]?.server_version ?? '',
    sessions,
    async locks() {
      const { rows } = await observer.query<Lock>(
        `SELECT l.pid AS backend, a.state, l.mode, l.granted,
           CASE l.objsubid WHEN 1 THEN ((l.classid::bigint << 32) | l.objid::bigint)::text
             ELSE format('(%s, %s)', l.classid::bigint::bit(32)::int, l.objid::bigint::bit(32)::int) END AS key
         FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid
         WHERE l.locktype = 'advisory' AND a.usename LIKE 'app%'
         ORDER BY a.backend_start, a.pid, l.classid, l.objid`,
      );
      return rows;
    },
    async ask(sql, values = []) {
      const { rows } = await observer.query<Record<string, unknown>>(sql, values);
      return rows;
    },
    async takeElsewhere({ key, mode }) {
      const suffix = mode === 'ShareLock' ? '_shared' : '';
      const { rows } = await rival.query<{ taken: boolean }>(`SELECT pg_try_advisory_lock${suffix}(${key.replace(/[()]/g, '')}) AS taken`);
      return rows[0]?.taken === true;
    },
    async letGoElsewhere() {
      await rival.query('SELECT pg_advisory_unlock_all()');
    },
    async clear() {
      await rival.query('SELECT pg_advisory_unlock_all()');
      await observer.query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename LIKE 'app%'");
      while ((await sessions()).length > 0) await pause(2);
    },
    async close() {
      await Promise.all([observer.end(), rival.end()]);
      await server.stop();
    },
  };
}
