import type { Knex } from 'knex';
import { CompiledQuery, type Kysely, type Transaction } from 'kysely';
import type mysql from 'mysql2/promise';
import type pg from 'pg';
import type postgres from 'postgres';
import type { Transaction as SequelizeTransaction } from 'sequelize';
import type { DatabasePool, DatabaseTransactionConnection } from 'slonik';
import type { DataSource, EntityManager } from 'typeorm';
import type { Recorded } from './packages.js';

/** A handle that an example is given, and that belongs to whoever calls it. */
export interface Lent {
  readonly value: unknown;
  /** A pool stays with the caller; a session or a transaction is lent for one call. */
  readonly role: 'pool' | 'session' | 'transaction';
  /** Runs a statement on this very session; rejects when it fails. */
  ask(sql: string): Promise<unknown>;
  /** Ends the loan as an orderly caller does. A session goes back as it is; a transaction is committed, or rolled back for an error. */
  giveBack(error?: Error): unknown;
  /** Ends the session itself, and with it whatever it holds. */
  destroy(): unknown;
}

/** Makes the handle for a parameter of this type, named so; null when the type is none of a database's. */
export async function lend(type: string, name: string, { pool, kysely, knex, sql, dataSource, sequelize, slonik, client, mysqlPool, mysqlConnection }: Recorded): Promise<Lent | null> {
  switch (type) {
    case 'pg#Pool':
    case '{ query(text: string): Promise<unknown> }':
      return poolOf(pool());
    case 'pg#PoolClient':
      return pooledClient(pool());
    case 'pg#Client':
      return ownClient(client());
    case 'kysely#Kysely':
      return name === 'connection' ? kyselySession(kysely()) : poolOf(kysely());
    case 'kysely#Transaction':
      return loan('transaction', (use) => kysely().transaction().execute(use), async (trx: Transaction<unknown>, text: string) => trx.executeQuery(CompiledQuery.raw(text)));
    case 'knex#Knex.Transaction':
      return loan('transaction', (use) => knex().transaction(use), async (trx: Knex.Transaction, text: string) => trx.raw(text));
    case 'postgres#TransactionSql':
      return loan('transaction', (use) => sql().begin(use), async (tx: postgres.TransactionSql, text: string) => tx.unsafe(text));
    case 'postgres#ReservedSql':
      return reserved(sql());
    case 'typeorm#DataSource':
      return poolOf(await dataSource());
    case 'typeorm#QueryRunner':
      return queryRunner(await dataSource());
    case 'typeorm#EntityManager': {
      const source = await dataSource();
      return loan('transaction', (use) => source.transaction(use), (manager: EntityManager, text: string) => manager.query(text));
    }
    case 'sequelize#Sequelize':
      return poolOf(sequelize());
    case 'sequelize#Transaction': {
      const database = sequelize();
      return loan('transaction', (use) => database.transaction(use), (transaction: SequelizeTransaction, text: string) => database.query(text, { transaction }));
    }
    case 'slonik#DatabaseTransactionConnection':
      return slonikTransaction(await slonik());
    case 'mysql2/promise#Connection': {
      const connection = await mysqlConnection();
      return { value: connection, role: 'session', ask: (text) => connection.query(text), giveBack: nothing, destroy: () => connection.end() };
    }
    case 'mysql2/promise#PoolConnection':
      return pooledMysqlConnection(mysqlPool());
    default:
      return null;
  }
}

const nothing = (): void => undefined;

function poolOf(value: unknown): Lent {
  return { value, role: 'pool', ask: () => Promise.reject(new Error('A pool is no session.')), giveBack: nothing, destroy: nothing };
}

async function pooledClient(pool: pg.Pool): Promise<Lent> {
  const client = await pool.connect();
  let isGiven = false;
  const release = client.release.bind(client);
  client.release = (failure) => {
    isGiven = true;
    release(failure);
  };
  return {
    value: client,
    role: 'session',
    ask: (text) => client.query(text),
    giveBack: () => {
      if (!isGiven) client.release();
    },
    destroy: () => {
      if (!isGiven) client.release(true);
    },
  };
}

async function pooledMysqlConnection(pool: mysql.Pool): Promise<Lent> {
  const connection = await pool.getConnection();
  let isGiven = false;
  const release = connection.release.bind(connection);
  const destroy = connection.destroy.bind(connection);
  connection.release = () => {
    isGiven = true;
    release();
  };
  connection.destroy = () => {
    isGiven = true;
    destroy();
  };
  return {
    value: connection,
    role: 'session',
    ask: (text) => connection.query(text),
    giveBack: () => {
      if (!isGiven) release();
    },
    destroy: () => {
      if (!isGiven) destroy();
    },
  };
}

async function ownClient(client: pg.Client): Promise<Lent> {
  await client.connect();
  // It is the caller's for good: nothing gives it back.
  return { value: client, role: 'session', ask: (text) => client.query(text), giveBack: nothing, destroy: () => client.end() };
}

async function kyselySession(db: Kysely<unknown>): Promise<Lent> {
  return loan('session', (use) => db.connection().execute(use), async (connection: Kysely<unknown>, text: string) => connection.executeQuery(CompiledQuery.raw(text)));
}

async function reserved(sql: postgres.Sql): Promise<Lent> {
  const connection = await sql.reserve();
  return {
    value: connection,
    role: 'session',
    ask: async (text) => connection.unsafe(text),
    giveBack: () => connection.release(),
    destroy: async () => {
      await connection`SELECT pg_terminate_backend(pg_backend_pid())`.catch(() => undefined);
      connection.release();
    },
  };
}

async function queryRunner(source: DataSource): Promise<Lent> {
  const runner = source.createQueryRunner();
  const client: pg.PoolClient = await runner.connect();
  return {
    value: runner,
    role: 'session',
    ask: (text) => runner.query(text),
    giveBack: () => runner.release(),
    destroy: () => {
      client.release(true);
    },
  };
}

async function slonikTransaction(pool: DatabasePool): Promise<Lent> {
  const { sql } = await import('slonik');
  return loan('transaction', (use) => pool.transaction(use), (connection: DatabaseTransactionConnection, text: string) => connection.query(sql.unsafe(Object.assign([text], { raw: [text] }))));
}

/** Turns a callback that a library calls with a connection inside out: the connection stays lent until it is given back. */
async function loan<Value>(
  role: Lent['role'],
  open: (use: (value: Value) => Promise<void>) => Promise<unknown>,
  ask: (value: Value, text: string) => Promise<unknown>,
): Promise<Lent> {
  const { promise: over, resolve: giveBack, reject: giveUp } = deferred<undefined>();
  over.catch(() => undefined);
  const { promise: lent, resolve: lendOut, reject: refuse } = deferred<Value>();
  const whole = open(async (value) => {
    lendOut(value);
    await over;
  });
  whole.catch(refuse);
  const value = await lent;
  const ended = whole.then(
    () => undefined,
    () => undefined,
  );
  return {
    value,
    role,
    ask: (text) => ask(value, text),
    giveBack: (error) => {
      if (error) giveUp(error);
      else giveBack(undefined);
      return ended;
    },
    destroy: async () => {
      await ask(value, 'SELECT pg_terminate_backend(pg_backend_pid())').catch(() => undefined);
      giveUp(new Error('the session was ended'));
      await ended;
    },
  };
}

export interface Deferred<Value> {
  readonly promise: Promise<Value>;
  readonly resolve: (value: Value) => void;
  readonly reject: (error: unknown) => void;
}

export function deferred<Value>(): Deferred<Value> {
  let resolve: (value: Value) => void = () => undefined;
  let reject: (error: unknown) => void = () => undefined;
  const promise = new Promise<Value>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  return { promise, resolve, reject };
}
