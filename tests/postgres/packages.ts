import { createRequire } from 'node:module';
import { PGlite } from '@electric-sql/pglite';
import * as drizzleOrm from 'drizzle-orm';
import * as drizzleNodePostgres from 'drizzle-orm/node-postgres';
import * as drizzlePgCore from 'drizzle-orm/pg-core';
import knexFactory, { type Knex } from 'knex';
import * as kyselyModule from 'kysely';
import mysql from 'mysql2/promise';
import pg from 'pg';
import pgPromise from 'pg-promise';
import postgresFactory from 'postgres';
import * as sequelizeModule from 'sequelize';
import * as slonikModule from 'slonik';
import * as typeormModule from 'typeorm';
import type { Tap } from './tap.js';

/** Where a server is, and as whom to connect to it. */
export interface Address {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly database: string;
}

/** A pool that an example or the laboratory has made. */
export interface MadePool {
  /** How many connections it has at most. */
  readonly size: number;
  /** Takes a connection as another caller would, and answers how to give it back. */
  occupy(): Promise<() => unknown>;
  end(): unknown;
}

/** Makes handles of each library, all of them connected to one address, and remembers them. */
export interface Recorded {
  /** What `require` finds in an example: the real packages, whose factories record what they make; and stand-ins for the example's neighbours. */
  require(name: string, machine: string): unknown;
  readonly pools: readonly MadePool[];
  readonly clients: readonly pg.Client[];
  pool(): pg.Pool;
  client(): pg.Client;
  kysely(): kyselyModule.Kysely<unknown>;
  knex(): Knex;
  sql(): postgresFactory.Sql;
  dataSource(): Promise<typeormModule.DataSource>;
  sequelize(): sequelizeModule.Sequelize;
  slonik(): Promise<slonikModule.DatabasePool>;
  mysqlPool(): mysql.Pool;
  /** Starts the embedded database, which takes seconds the first time. */
  startPglite(): Promise<void>;
  mysqlConnection(): Promise<mysql.Connection>;
  /** Ends everything that was made and has not ended by itself. */
  end(): Promise<void>;
}

/** The part of Knex's client that its types leave out. */
interface KnexClient {
  acquireConnection(): Promise<unknown>;
  releaseConnection(connection: unknown): Promise<void>;
}

/** The part of Sequelize's connection manager that its types leave out. */
interface SequelizeConnections {
  getConnection(options: { type: 'write' }): Promise<unknown>;
  releaseConnection(connection: unknown): void;
}

/** It takes seconds to start, so all runs share it. */
let theOnlyPglite: PGlite | undefined;

const nodeRequire = createRequire(import.meta.url);

/** Pools have two connections, unless the example says one: enough to be on the wrong one, and to be starved. */
const connections = 2;

/**
 * The packages as an example finds them. Addresses are replaced and pools are made small; every other option is the example's own.
 */
export function recordPackages(address: Address, tap: Tap): Recorded {
  const pools: MadePool[] = [];
  const clients: pg.Client[] = [];
  const ends: (() => unknown)[] = [];
  const url = `postgres://${address.user}@${address.host}:${address.port}/${address.database}`;

  class Client extends pg.Client {
    constructor(config?: string | pg.ClientConfig) {
      super(relocated(config));
      clients.push(this);
      // Code that listens to nothing must not bring down the laboratory; that it brings down its process is shown in one of its own.
      this.on('error', () => undefined);
      ends.push(() => this.end());
    }
  }

  class Pool extends pg.Pool {
    constructor(config: pg.PoolConfig = {}) {
      const { max = connections, ...rest } = config;
      super({ ...relocated(rest), max: Math.min(max, connections) });
      this.on('connect', (client) => client.on('error', () => undefined));
      this.on('error', () => undefined);
      record({
        size: Math.min(max, connections),
        occupy: async () => {
          const client = await this.connect();
          return () => client.release();
        },
        end: () => (this.ended ? undefined : this.end()),
      });
    }
  }

  function relocated(config: string | pg.ClientConfig | undefined): pg.ClientConfig {
    const { connectionString: _, password: __, ssl: ___, ...rest } = typeof config === 'object' ? config : {};
    return { ...rest, ...address };
  }

  function record(pool: MadePool): void {
    pools.push(pool);
    ends.push(() => pool.end());
  }

  function postgres(first?: unknown, second?: postgresFactory.Options<Record<string, never>>): postgresFactory.Sql {
    const options = typeof first === 'object' ? (first as postgresFactory.Options<Record<string, never>>) : second;
    const { max = connections, ...rest } = options ?? {};
    const sql = postgresFactory({ ...rest, ...address, max: Math.min(max, connections), onnotice: () => undefined });
    record({
      size: Math.min(max, connections),
      occupy: async () => {
        const connection = await sql.reserve();
        return () => connection.release();
      },
      end: () => sql.end({ timeout: 0 }),
    });
    return sql;
  }
  Object.assign(postgres, postgresFactory);

  function knex(config: Knex.Config = {}): Knex {
    const db = knexFactory({ ...config, connection: address, pool: { ...config.pool, min: 0, max: connections } });
    record({
      size: connections,
      occupy: async () => {
        const client = db.client as KnexClient;
        const connection = await client.acquireConnection();
        return () => client.releaseConnection(connection);
      },
      end: () => db.destroy(),
    });
    return db;
  }

  class Sequelize extends sequelizeModule.Sequelize {
    constructor(...given: unknown[]) {
      const options = given.find((argument): argument is sequelizeModule.Options => typeof argument === 'object') ?? {};
      // A replica is the same server here: what is sent to the one and the other stays to be seen.
      const replication = options.replication ? { read: [{ ...address, username: address.user }], write: { ...address, username: address.user } } : false;
      super({ ...options, replication, ...address, username: address.user, dialect: 'postgres', logging: false, pool: { max: connections } });
      const manager = Reflect.get(this, 'connectionManager') as SequelizeConnections;
      record({
        size: connections,
        occupy: async () => {
          const connection = await manager.getConnection({ type: 'write' });
          return () => manager.releaseConnection(connection);
        },
        end: () => this.close(),
      });
    }
  }

  class DataSource extends typeormModule.DataSource {
    constructor(options: Partial<typeormModule.DataSourceOptions> = {}) {
      const given = options as { extra?: object };
      super({ ...given, type: 'postgres', ...address, username: address.user, extra: { ...given.extra, max: connections } });
      record({
        size: connections,
        occupy: async () => {
          const runner = this.createQueryRunner();
          await runner.connect();
          return () => runner.release();
        },
        end: () => (this.isInitialized ? this.destroy() : undefined),
      });
    }
  }

  const drizzle = (given?: unknown, ...rest: unknown[]): unknown => {
    const client = given instanceof pg.Pool ? given : new Pool();
    return Reflect.apply(drizzleNodePostgres.drizzle, undefined, [client, ...rest]);
  };

  const promised = pgPromise({ noWarnings: true });
  const pgPromiseOf = (): unknown => {
    const initialized = (): unknown => {
      const db = promised({ ...address, max: connections });
      record({
        size: connections,
        occupy: async () => {
          const connection = await db.connect();
          return async () => {
            await connection.done();
          };
        },
        end: () => db.$pool.end(),
      });
      return db;
    };
    return Object.assign(initialized, promised);
  };

  const mysqlAddress = { host: address.host, port: address.port, user: address.user, database: address.database };

  /** The protocol of MySQL is not listened to: the connection itself says what it sends. */
  function observed<Connection extends mysql.Connection>(connection: Connection): Connection {
    const send = connection.query.bind(connection) as (...given: unknown[]) => Promise<[unknown, unknown]>;
    const query = (...given: unknown[]): Promise<[unknown, unknown]> =>
      tap.observe?.(String(given[0]), connection.threadId, () => send(...given), ([rows]) => (Array.isArray(rows) ? rows.map(firstCell) : [])) ?? send(...given);
    Object.assign(connection, { query });
    return connection;
  }

  function mysqlPool(options: mysql.PoolOptions = {}): mysql.Pool {
    const { connectionLimit = connections, ...rest } = options;
    const pool = mysql.createPool({ ...rest, ...mysqlAddress, connectionLimit: Math.min(connectionLimit, connections) });
    const getConnection = pool.getConnection.bind(pool);
    pool.getConnection = async () => observed(await getConnection());
    record({
      size: Math.min(connectionLimit, connections),
      occupy: async () => {
        const connection = await getConnection();
        return () => connection.release();
      },
      end: () => pool.end(),
    });
    return pool;
  }

  async function mysqlConnection(options: mysql.ConnectionOptions = {}): Promise<mysql.Connection> {
    const connection = observed(await mysql.createConnection({ ...options, ...mysqlAddress }));
    connection.on('error', () => undefined);
    ends.push(() => connection.end());
    return connection;
  }

  function embedded(): PGlite {
    const db = (theOnlyPglite ??= new PGlite());
    record({
      size: 1,
      occupy: async () => {
        const { rows } = await db.query("SELECT 1 FROM pg_locks WHERE locktype = 'advisory'");
        if (rows.length > 0) throw new Error('A lock is left in the embedded database.');
        return () => undefined;
      },
      end: () => undefined,
    });
    return db;
  }

  const asDefault = (value: unknown, named: object): unknown => ({ ...named, __esModule: true, default: value });
  const packages: Record<string, () => unknown> = {
    pg: () => ({ ...pg, Pool, Client }),
    postgres: () => asDefault(postgres, {}),
    kysely: () => kyselyModule,
    knex: () => asDefault(knex, { knex }),
    'drizzle-orm': () => drizzleOrm,
    'drizzle-orm/node-postgres': () => ({ ...drizzleNodePostgres, drizzle }),
    'drizzle-orm/pg-core': () => drizzlePgCore,
    sequelize: () => ({ ...sequelizeModule, Sequelize }),
    typeorm: () => ({ ...typeormModule, DataSource }),
    'pg-promise': () => asDefault(pgPromiseOf, {}),
    slonik: () => slonikModule,
    'mysql2/promise': () => asDefault({ ...mysql, createPool: mysqlPool, createConnection: mysqlConnection }, mysql),
    '@electric-sql/pglite': () => ({ PGlite: embedded }),
    './schema.js': () => drizzleTables,
    './database.js': () => ({}),
  };

  return {
    pools,
    clients,
    require(name, machine) {
      if (Object.hasOwn(packages, name)) return packages[name]?.();
      // Every caller with a process of its own has a machine of its own, too.
      if (name === 'node:os') return { hostname: () => machine };
      if (name.startsWith('node:')) return nodeRequire(name) as unknown;
      throw new Error(`The laboratory has no ${JSON.stringify(name)} for an example.`);
    },
    pool: () => new Pool(),
    client: () => new Client(),
    kysely: () => {
      const pool = new Pool();
      return new kyselyModule.Kysely({ dialect: new kyselyModule.PostgresDialect({ pool, controlClient: pg.Client }) });
    },
    knex: () => knex({ client: 'pg' }),
    sql: () => postgres(),
    dataSource: () => new DataSource().initialize(),
    sequelize: () => new Sequelize(),
    async slonik() {
      const pool = await slonikModule.createPool(url, { maximumPoolSize: connections });
      ends.push(() => pool.end());
      return pool;
    },
    mysqlPool: () => mysqlPool(),
    startPglite: () => (theOnlyPglite ??= new PGlite()).waitReady,
    mysqlConnection: () => mysqlConnection(),
    async end() {
      for (const end of ends.splice(0)) {
        try {
          await end();
        } catch {
          // It has ended already, or cannot: the laboratory ends its sessions.
        }
      }
    },
  };
}

function firstCell(row: unknown): string | null {
  const [cell]: unknown[] = typeof row === 'object' && row !== null ? Object.values(row) : [];
  return typeof cell === 'number' || typeof cell === 'string' ? String(cell) : null;
}

const { bigint, boolean, integer, pgTable, text } = drizzlePgCore;

/** What the examples import as `./schema.js`. */
const drizzleTables = {
  accounts: pgTable('account', { id: integer().primaryKey(), balance: integer().notNull() }),
  jobs: pgTable('jobs', { id: bigint({ mode: 'number' }).primaryKey(), status: text().notNull(), created: integer().notNull() }),
  days: pgTable('days', { day: integer().primaryKey(), closed: boolean().notNull() }),
};
