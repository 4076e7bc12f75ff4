import pg from 'pg';
import { inject } from 'vitest';
import type { Address } from './shared-servers.js';

/** How to reach one database as its superuser, without a password. */
export interface DatabaseAddress extends Address {
  readonly user: string;
  readonly database: string;
}

/** A database of the test file's own, and a session that watches it. Advisory locks of other databases do not meet its own. */
export interface OwnDatabase {
  readonly address: DatabaseAddress;
  /** `postgres://…` */
  readonly url: string;
  /** A session that no driver under test has. */
  readonly observer: pg.Client;
  /** Another session, ended with the test file. */
  newClient(settings?: pg.ClientConfig): Promise<pg.Client>;
}

/** Gives the test file, or the surrounding `describe`, a database of its own. What it holds exists from `beforeAll` on. */
export function useOwnDatabase(): OwnDatabase {
  let address: DatabaseAddress | undefined;
  let observer: pg.Client | undefined;
  const clients: pg.Client[] = [];
  const exists = <T>(value: T | undefined): T => {
    if (value === undefined) throw new Error('The database exists only while tests and hooks run.');
    return value;
  };

  const newClient = async (settings?: pg.ClientConfig): Promise<pg.Client> => {
    const client = new pg.Client({ ...exists(address), ...settings });
    // A terminated backend, or the server's end, is reported here and needs no answer.
    client.on('error', () => undefined);
    await client.connect();
    clients.push(client);
    return client;
  };

  beforeAll(async () => {
    const server = { ...inject('servers').postgres, user: 'postgres' };
    const database = `own_${process.pid}_${Math.random().toString(36).slice(2)}`;
    const creator = new pg.Client({ ...server, database: 'postgres' });
    creator.on('error', () => undefined);
    await creator.connect();
    await creator.query(`CREATE DATABASE ${database}`);
    await creator.end();
    address = { ...server, database };
    observer = await newClient({ application_name: 'observer' });
  });
  afterAll(async () => {
    await Promise.all(clients.map((client) => client.end()));
  });

  return {
    get address() {
      return exists(address);
    },
    get url() {
      const { user, host, port, database } = exists(address);
      return `postgres://${user}@${host}:${port}/${database}`;
    },
    get observer() {
      return exists(observer);
    },
    newClient,
  };
}

/** Waits until a condition holds, looking every few milliseconds. @throws after ten seconds, with what was waited for */
export async function until(what: string, condition: () => Promise<boolean>): Promise<void> {
  const giveUp = Date.now() + 10_000;
  while (!(await condition())) {
    if (Date.now() > giveUp) throw new Error(`It never happened that ${what}.`);
    await new Promise((resolve) => setTimeout(resolve, 3));
  }
}

/** The process ids of the sessions of the observer's database that hold the lock on a key; without `granted`, that wait for it. */
export async function backendsWithLock(observer: pg.Client, key: bigint | number, granted = true): Promise<number[]> {
  const { rows } = await observer.query<{ pid: number }>(
    `SELECT pid FROM pg_locks
     WHERE locktype = 'advisory' AND granted = $2 AND objsubid = 1
       AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
       AND (classid::bigint << 32 | objid::bigint) = $1
     ORDER BY pid`,
    [key, granted],
  );
  return rows.map(({ pid }) => pid);
}

/** What becomes of a statement: `ok`, or the SQLSTATE of its error. */
export async function outcomeOf(client: pg.Client, sql: string, values: unknown[] = []): Promise<string> {
  try {
    await client.query(sql, values);
    return 'ok';
  } catch (error) {
    return error instanceof pg.DatabaseError ? (error.code ?? '') : String(error);
  }
}

/** How many advisory locks the sessions other than the observer's hold in the observer's database. */
export async function heldLocks(observer: pg.Client): Promise<number> {
  const { rows } = await observer.query<{ held: number }>(
    `SELECT count(*)::int AS held FROM pg_locks
     WHERE locktype = 'advisory' AND granted AND pid <> pg_backend_pid()
       AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
  );
  return rows[0]?.held ?? 0;
}
