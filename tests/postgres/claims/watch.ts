/** What the tests look at from outside the driver: who holds locks, who waits, and what has been sent. */
import { type Connection, createConnection } from 'mariadb';
import { inject } from 'vitest';
import { backendsWithLock, useOwnDatabase } from '../own-database.js';

/** A database of the test's own and a session that watches it. Keys are small numbers. */
export interface Watch {
  readonly dialect: 'postgres' | 'mysql';
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly database: string;
  /** Statements of one row and one column. */
  readonly statements: {
    /** Answers yes or no: a boolean, in MySQL 1 or 0. */
    yes: string;
    no: string;
    /** Answers with the id of the session that runs it. */
    backend: string;
    /** Adds one to what `sent` gives. */
    count: string;
    /** Answers with the server's lock_timeout; MySQL has none. */
    lockTimeout: string;
    /** Takes a session lock, waiting for it. */
    lock(key: number): string;
    /** Answers the same to two statements of one transaction, and differently to others. */
    transaction: string;
  };
  /** The key that `yes` can have and the key that `no` cannot. */
  readonly keys: { free: number; taken: number };
  /** The sessions that hold a key, other than this one. */
  holders(key: number): Promise<number[]>;
  waiters(key: number): Promise<number[]>;
  hold(key: number): Promise<void>;
  free(key: number): Promise<void>;
  /** How many statements `count` have run. */
  sent(): Promise<number>;
}

const keys = { free: 901, taken: 902 };

/** Watches a PostgreSQL database of the surrounding tests' own; its fields exist from `beforeAll` on. */
export function usePostgresWatch(): Watch {
  const database = useOwnDatabase();
  let own = 0;
  beforeAll(async () => {
    const { observer } = database;
    await observer.query('CREATE SEQUENCE sent');
    await observer.query('SELECT pg_advisory_lock($1)', [keys.taken]);
    const { rows } = await observer.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    own = rows[0]?.pid ?? 0;
  });
  return {
    dialect: 'postgres',
    get host() {
      return database.address.host;
    },
    get port() {
      return database.address.port;
    },
    get user() {
      return database.address.user;
    },
    get database() {
      return database.address.database;
    },
    statements: {
      yes: `SELECT pg_try_advisory_xact_lock(${keys.free}) AS ok`,
      no: `SELECT pg_try_advisory_xact_lock(${keys.taken}) AS ok`,
      backend: 'SELECT pg_backend_pid() AS backend',
      count: "SELECT nextval('sent') AS number",
      lockTimeout: "SELECT current_setting('lock_timeout') AS timeout",
      lock: (key) => `SELECT pg_advisory_lock(${key}) AS locked`,
      transaction: 'SELECT pg_current_xact_id()::text AS id',
    },
    keys,
    holders: async (key) => (await backendsWithLock(database.observer, key)).filter((backend) => backend !== own),
    waiters: (key) => backendsWithLock(database.observer, key, false),
    hold: async (key) => {
      await database.observer.query('SELECT pg_advisory_lock($1)', [key]);
    },
    free: async (key) => {
      const { rows } = await database.observer.query<{ freed: boolean }>('SELECT pg_advisory_unlock($1) AS freed', [key]);
      if (rows[0]?.freed !== true) throw new Error(`Key ${key} was not held.`);
    },
    sent: async () => {
      const { rows } = await database.observer.query<{ sent: number }>(
        'SELECT CASE WHEN is_called THEN last_value ELSE 0 END::int AS sent FROM sent',
      );
      return rows[0]?.sent ?? 0;
    },
  };
}

/** The same for MariaDB, where keys are names. */
export function useMariadbWatch(): Watch {
  const server = inject('servers').mariadb;
  const database = `own_${process.pid}_${Math.random().toString(36).slice(2)}`;
  let connection: Connection | undefined;
  const ask = async (sql: string): Promise<Record<string, unknown>[]> => {
    if (!connection) throw new Error('The connection exists only while tests and hooks run.');
    return connection.query<Record<string, unknown>[]>(sql);
  };
  const numbers = (rows: Record<string, unknown>[]): number[] =>
    rows.flatMap((row) => Object.values(row)).flatMap((value) => (value === null ? [] : [Number(value)]));
  const mustBeOne = async (sql: string): Promise<void> => {
    if (numbers(await ask(sql))[0] !== 1) throw new Error(`${sql} does not give 1.`);
  };
  const name = (key: number): string => `'${database}.${key}'`;
  let own = 0;
  beforeAll(async () => {
    connection = await createConnection({ ...server, user: 'root', multipleStatements: true });
    await ask(`CREATE DATABASE ${database}; USE ${database}; CREATE SEQUENCE sent NOCACHE`);
    await mustBeOne(`SELECT GET_LOCK(${name(keys.taken)}, 0)`);
    own = numbers(await ask('SELECT CONNECTION_ID()'))[0] ?? 0;
  });
  afterAll(() => connection?.end());
  return {
    dialect: 'mysql',
    host: server?.host ?? '',
    port: server?.port ?? 0,
    user: 'root',
    database,
    statements: {
      yes: `SELECT IS_FREE_LOCK(${name(keys.free)}) AS ok`,
      no: `SELECT IS_FREE_LOCK(${name(keys.taken)}) AS ok`,
      backend: 'SELECT CONNECTION_ID() AS backend',
      count: `SELECT NEXT VALUE FOR ${database}.sent AS number`,
      lockTimeout: 'SELECT NULL AS timeout',
      lock: (key) => `SELECT GET_LOCK(${name(key)}, 20) AS locked`,
      transaction: 'SELECT IF(@@in_transaction, CONCAT(CONNECTION_ID()), CONCAT(UUID())) AS id',
    },
    keys,
    holders: async (key) => numbers(await ask(`SELECT IS_USED_LOCK(${name(key)})`)).filter((holder) => holder !== own),
    waiters: async (key) =>
      numbers(
        await ask(
          `SELECT id FROM information_schema.processlist WHERE state = 'User lock' AND info LIKE '%${database}.${key}%' AND id <> CONNECTION_ID()`,
        ),
      ),
    hold: (key) => mustBeOne(`SELECT GET_LOCK(${name(key)}, 0)`),
    free: (key) => mustBeOne(`SELECT RELEASE_LOCK(${name(key)})`),
    sent: async () => (numbers(await ask('SELECT next_not_cached_value FROM sent'))[0] ?? 1) - 1,
  };
}
