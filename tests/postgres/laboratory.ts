import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { inject } from 'vitest';
import { root } from '../built.js';
import type { Circumstance } from './circumstances.js';
import { openTap, type Statement, type Tap } from './tap.js';

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

/** A database with the tables of the examples, and sessions of the laboratory's own to look at it. */
export interface Laboratory {
  readonly version: string;
  readonly sql: {
    readonly begin: string;
    take(key: string, isShared: boolean): string;
    free(lock: Pick<Lock, 'key' | 'mode'>): string;
  };
  /** As whom an example connects, and to what, under a circumstance. */
  account(circumstance: Circumstance): { readonly user: string; readonly database: string };
  /** Opens a way to the server that writes down what passes. */
  openTap(ended: (statement: Statement) => Promise<void>): Promise<Tap>;
  /** The advisory locks that others hold or wait for, oldest backend and lowest key first. */
  locks(): Promise<Lock[]>;
  /** The sessions of the examples that are alive, and what each is doing. */
  sessions(): Promise<{ backend: number; state: string }[]>;
  /** Whether a session of the examples has a transaction open. */
  hasOpenTransactions(): Promise<boolean>;
  ask(sql: string): Promise<Record<string, unknown>[]>;
  /** Takes a lock as another session would, if nobody has it. */
  takeElsewhere(lock: Pick<Lock, 'key' | 'mode'>): Promise<boolean>;
  letGoElsewhere(): Promise<void>;
  /** Makes the server refuse every unlock of the examples, until `clear`. */
  refuseUnlocks(): Promise<void>;
  /** Ends the sessions of the examples and waits until they are gone. */
  clear(): Promise<void>;
  close(): Promise<void>;
}

const ours = ['observer', 'rival'];
const theirs = `a.datname = current_database() AND a.application_name NOT IN (${ours.map((name) => `'${name}'`).join(', ')})`;

const unlocks = ['pg_advisory_unlock', 'pg_advisory_unlock_shared'].flatMap((name) => [`${name}(bigint)`, `${name}(int, int)`]).join(', ');

/** Makes a database of its own on the shared server. */
export async function openLaboratory(): Promise<Laboratory> {
  const server = { ...inject('servers').postgres, user: 'postgres' };
  const database = `laboratory_${process.pid}_${Math.random().toString(36).slice(2)}`;
  const founder = await connected({ ...server, database: 'postgres' });
  await founder.query(`CREATE DATABASE ${database}`);
  await founder.end();
  const [observer, rival] = await Promise.all(ours.map((name) => connected({ ...server, database, application_name: name })));
  if (!observer || !rival) throw new Error('The laboratory has no sessions of its own.');
  await observer.query(readFileSync(join(root, 'tests/postgres/schema.sql'), 'utf8'));
  const { rows } = await observer.query<{ server_version: string }>('SHOW server_version');

  const sessions = async (): Promise<{ backend: number; state: string }[]> => {
    const { rows } = await observer.query<{ backend: number; state: string }>(
      `SELECT a.pid AS backend, coalesce(a.state, 'starting') AS state FROM pg_stat_activity a WHERE ${theirs} ORDER BY a.backend_start, a.pid`,
    );
    return rows;
  };

  return {
    sql: {
      begin: 'BEGIN',
      take: (key, isShared) => `SELECT pg_advisory_lock${isShared ? '_shared' : ''}(${bare(key)})`,
      free: ({ key, mode }) => `SELECT pg_advisory_unlock${mode === 'ShareLock' ? '_shared' : ''}(${bare(key)})`,
    },
    account: (circumstance) => ({ user: userFor(circumstance), database }),
    openTap: (ended) => openTap(server, ended),
    version: rows[0]?.server_version ?? '',
    sessions,
    async locks() {
      const { rows } = await observer.query<Lock>(
        `SELECT l.pid AS backend, a.state, l.mode, l.granted,
           CASE l.objsubid WHEN 1 THEN ((l.classid::bigint << 32) | l.objid::bigint)::text
             ELSE format('(%s, %s)', l.classid::bigint::bit(32)::int, l.objid::bigint::bit(32)::int) END AS key
         FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid
         WHERE l.locktype = 'advisory' AND ${theirs}
         ORDER BY a.backend_start, a.pid, l.classid, l.objid`,
      );
      return rows;
    },
    hasOpenTransactions: async () => (await sessions()).some(({ state }) => state.includes('transaction')),
    async ask(sql) {
      const { rows } = await observer.query<Record<string, unknown>>(sql);
      return rows;
    },
    async takeElsewhere({ key, mode }) {
      const suffix = mode === 'ShareLock' ? '_shared' : '';
      const { rows } = await rival.query<{ taken: boolean }>(`SELECT pg_try_advisory_lock${suffix}(${bare(key)}) AS taken`);
      return rows[0]?.taken === true;
    },
    async letGoElsewhere() {
      await rival.query('SELECT pg_advisory_unlock_all()');
    },
    async refuseUnlocks() {
      await observer.query(`REVOKE EXECUTE ON FUNCTION ${unlocks} FROM PUBLIC`);
    },
    async clear() {
      await rival.query('SELECT pg_advisory_unlock_all()');
      await observer.query(`SELECT pg_terminate_backend(a.pid) FROM pg_stat_activity a WHERE ${theirs}`);
      while ((await sessions()).length > 0) await pause(2);
      await observer.query(`DROP INDEX IF EXISTS item_name, jobs_created; GRANT EXECUTE ON FUNCTION ${unlocks} TO PUBLIC`);
    },
    async close() {
      await Promise.all([observer.end(), rival.end()]);
    },
  };
}

const bare = (key: string): string => key.replaceAll(/[()]/g, '');

/** The roles of `schema.sql`. */
function userFor(circumstance: Circumstance): string {
  switch (circumstance) {
    case 'a statement fails':
      return 'app_without_tables';
    case 'the server limits the wait':
      return 'app_impatient';
    case 'another session has the lock, time and again':
      return 'app_with_few_connections';
    default:
      return 'app';
  }
}

async function connected(config: pg.ClientConfig): Promise<pg.Client> {
  const client = new pg.Client(config);
  // The server's end is reported here and needs no answer.
  client.on('error', () => undefined);
  await client.connect();
  return client;
}
