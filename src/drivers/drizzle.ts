import { defineDriver } from './driver.js';
import type { BuilderClause, Call, GiveDetails, Kind, Result } from './driver.js';
import { nestTransactions } from './shared/nest.js';
import { nodePostgresKinds } from './shared/node-postgres.js';

/** `db.execute` gives what the wrapped driver gives; awaiting the same object again sends the statement again. */
const sends = { sql: [{ argument: 0 }], lazy: 'resent' } as const;
const rows: Result = { shape: 'rows', at: ['rows'] };
const array: Result = { shape: 'rows', at: [] };
const tuple = { shape: 'rows', at: ['0'] } as const satisfies Result;

const selecting = (clause: BuilderClause): Call => ({ gives: { kind: 'select-builder', same: true }, clause });

const transaction = (kind: string): Call => ({
  callback: { argument: 0, parameters: { 0: kind } },
  isolation: [{ argument: 1, property: 'isolationLevel' }],
});

/** A database over whatever client is passed; `drizzle(url)` opens a pool. */
const wrap = (kind: string): GiveDetails => ({
  kind,
  wraps: [{ argument: 0 }, { argument: 0, property: 'client' }, { argument: 0, property: 'connection' }],
  singleWhen: [
    { at: { argument: 0, property: 'connection.max' }, equals: 1 },
    { at: { argument: 0, property: 'connection.connectionLimit' }, equals: 1 },
  ],
  url: [
    { argument: 0 },
    { argument: 0, property: 'connection' },
    { argument: 0, property: 'connection.connectionString' },
    { argument: 0, property: 'connection.url' },
    { argument: 0, property: 'connection.host' },
  ],
});

/** The settings of node-postgres and of postgres.js that bound a wait. */
const nodePostgresLimits = {
  lockTimeout: [{ argument: 0, property: 'connection.lock_timeout' }],
  clientTimeout: [{ argument: 0, property: 'connection.query_timeout' }],
} as const satisfies Partial<GiveDetails>;
const postgresLimits = {
  lockTimeout: [{ argument: 0, property: 'connection.connection.lock_timeout' }],
} as const satisfies Partial<GiveDetails>;

const selectionMethods = {
  select: selecting({ is: 'select' }),
  selectDistinct: selecting({ is: 'distinct' }),
  selectDistinctOn: selecting({ is: 'distinct' }),
  insert: { gives: { kind: 'builder', same: true } },
  update: { gives: { kind: 'builder', same: true } },
  delete: { gives: { kind: 'builder', same: true } },
} as const satisfies Record<string, Call>;

const sendsBuilder = { sql: [{ receiver: true }], result: array } as const;

const builderKind: Kind = {
  fluent: true,
  methods: {
    from: { clause: { is: 'from' } },
    where: { clause: { is: 'where' } },
    having: { clause: { is: 'having' } },
    groupBy: { clause: { is: 'group-by' } },
    orderBy: { clause: { is: 'order-by' } },
    limit: { clause: { is: 'limit', at: { argument: 0 } } },
    offset: { clause: { is: 'offset', at: { argument: 0 } } },
    for: { clause: { is: 'row-locking' } },
    innerJoin: { clause: { is: 'join-on' } },
    leftJoin: { clause: { is: 'join-on' } },
    rightJoin: { clause: { is: 'join-on' } },
    fullJoin: { clause: { is: 'join-on' } },
    set: { clause: { is: 'set' } },
    returning: { clause: { is: 'returning' } },
    execute: { sends: sendsBuilder },
  },
  awaits: { ...sendsBuilder, lazy: 'resent' },
};

/** With replicas, only what a SELECT builds goes to one of them. */
const selectBuilderKind: Kind = {
  extends: 'builder',
  fluent: true,
  methods: { execute: { sends: { ...sendsBuilder, replicaWhen: [] } } },
  awaits: { ...sendsBuilder, lazy: 'resent', replicaWhen: [] },
};

/** Each kind of database, with the transaction that its callback gets. */
const databaseKinds = {
  selection: { methods: selectionMethods },
  database: {
    role: 'pool',
    extends: 'selection',
    methods: {
      execute: { sends: { ...sends, result: rows } },
      transaction: transaction('transaction'),
      with: { gives: { kind: 'selection', same: true } },
      refreshMaterializedView: { usesConnection: true },
      $count: { usesConnection: true },
    },
    properties: { query: { kind: 'relational-queries', same: true }, $client: { kind: 'pool', same: true, unwraps: true } },
  },
  transaction: {
    role: 'transaction',
    extends: 'database',
    methods: { rollback: { effect: { does: 'rolls-back' } } },
  },
  'array-database': {
    role: 'pool',
    extends: 'database',
    methods: { execute: { sends: { ...sends, result: array } }, transaction: transaction('array-transaction') },
  },
  'array-transaction': {
    role: 'transaction',
    extends: 'array-database',
    methods: { rollback: { effect: { does: 'rolls-back' } } },
  },
  'mysql-database': {
    role: 'pool',
    extends: 'database',
    // Over mysql2, `execute` sends at once.
    methods: { execute: { sends: { sql: [{ argument: 0 }], result: tuple } }, transaction: transaction('mysql-transaction') },
  },
  'mysql-transaction': {
    role: 'transaction',
    extends: 'mysql-database',
    methods: { rollback: { effect: { does: 'rolls-back' } } },
  },
  /** One request per statement or batch; `transaction` throws. */
  'http-database': {
    role: 'http',
    extends: 'database',
    methods: { batch: { batch: { argument: 0 } }, transaction: {} },
  },
  'single-database': { role: 'single', extends: 'database' },
  /** The type that all PostgreSQL drivers share: the shape of `execute` is not known. */
  'any-database': {
    role: 'pool',
    extends: 'database',
    methods: {
      execute: { sends: { ...sends, result: { shape: 'one-of', results: [rows, array, { ...tuple, dialect: 'mysql' }] } } },
      transaction: transaction('any-transaction'),
      batch: { batch: { argument: 0 } },
    },
    properties: { $primary: 'any-database' },
  },
  'any-transaction': { role: 'transaction', extends: 'any-database' },
} as const satisfies Record<string, Kind>;

export default defineDriver({
  name: 'drizzle',
  dialect: 'either',
  modules: ['drizzle-orm', 'drizzle-orm/*'],
  implicitTransactions: nestTransactions,
  binding: { undefined: 'dropped', null: 'null' },
  exports: [
    { names: ['PgTransaction', 'PgAsyncTransaction'], modules: ['drizzle-orm/pg-core'], type: 'any-transaction' },
    { names: ['MySqlTransaction'], modules: ['drizzle-orm/mysql-core'], type: 'mysql-transaction' },
    { names: ['NodePgTransaction'], modules: ['drizzle-orm/node-postgres'], type: 'transaction' },
    { names: ['PostgresJsTransaction'], modules: ['drizzle-orm/postgres-js'], type: 'array-transaction' },
    { names: ['MySql2Transaction'], modules: ['drizzle-orm/mysql2'], type: 'mysql-transaction' },
    {
      names: ['drizzle'],
      modules: ['drizzle-orm/node-postgres', 'drizzle-orm/neon-serverless', 'drizzle-orm/vercel-postgres'],
      call: { gives: { ...wrap('database'), ...nodePostgresLimits } },
    },
    {
      names: ['drizzle'],
      modules: ['drizzle-orm/postgres-js', 'drizzle-orm/bun-sql'],
      call: { gives: { ...wrap('array-database'), ...postgresLimits } },
    },
    { names: ['drizzle'], modules: ['drizzle-orm/mysql2'], call: { gives: wrap('mysql-database') } },
    { names: ['drizzle'], modules: ['drizzle-orm/neon-http'], call: { gives: wrap('http-database') } },
    { names: ['drizzle'], modules: ['drizzle-orm/pglite'], call: { gives: wrap('single-database') } },
    {
      names: ['withReplicas'],
      call: {
        gives: {
          kind: 'any-database',
          wraps: [{ argument: 0 }],
          replicaWhen: [{ at: { argument: 1 }, present: true }],
        },
      },
    },
    { names: ['NodePgDatabase', 'NeonDatabase', 'VercelPgDatabase'], type: { kind: 'database', ambiguous: true } },
    { names: ['PostgresJsDatabase', 'BunSQLDatabase'], type: { kind: 'array-database', ambiguous: 'or-transaction' } },
    { names: ['MySql2Database'], type: { kind: 'mysql-database', ambiguous: true } },
    { names: ['NeonHttpDatabase'], type: 'http-database' },
    { names: ['PgliteDatabase'], type: 'single-database' },
    { names: ['PgDatabase', 'PgAsyncDatabase'], type: { kind: 'any-database', ambiguous: true } },
    { names: ['MySqlDatabase'], type: { kind: 'mysql-database', ambiguous: true } },
    { names: ['sql'], tag: { fragment: { sql: [{ template: true }], as: 'sql' }, gives: 'fragment' } },
    { names: ['sql.raw'], call: { fragment: { sql: [{ argument: 0 }], as: 'sql' }, gives: 'fragment' } },
    { names: ['sql.join'], call: { fragment: { sql: [{ argument: 0 }], as: 'list' }, gives: 'fragment' } },
    { names: ['sql.identifier'], call: { fragment: { sql: [{ argument: 0 }], as: 'identifier' } } },
    { names: ['sql.placeholder', 'sql.param'], call: { fragment: { sql: [{ argument: 0 }], as: 'value' } } },
    { names: ['sql.empty'], call: { fragment: { sql: [], as: 'sql' }, gives: 'open-fragment' } },
  ],
  importedHandle: { kind: 'any-database', methods: ['execute', 'transaction'] },
  kinds: {
    ...databaseKinds,
    ...nodePostgresKinds,
    builder: builderKind,
    'select-builder': selectBuilderKind,
    'relational-queries': { otherMembers: 'use-connection' },
    fragment: {
      methods: {
        as: { gives: 'fragment', alias: { argument: 0 } },
        mapWith: { gives: 'fragment' },
        inlineParams: { gives: 'fragment' },
        append: { gives: 'open-fragment' },
      },
    },
    /** Text is appended to it elsewhere, so it is not known here. */
    'open-fragment': {},
  },
  examples: [
    {
      code: `import { drizzle } from 'drizzle-orm/node-postgres';
        import { sql } from 'drizzle-orm';
        const db = drizzle(process.env.DATABASE_URL);
        const r = await db.execute(sql\`SELECT pg_try_advisory_lock(\${1}) AS ok\`);
        await db.execute('SELECT pg_advisory_unlock(1)');
        db.execute(sql\`SELECT pg_advisory_unlock(2)\`);`,
      sends: [
        { over: 'pool', cell: 'rows[0].ok' },
        { over: 'pool', cell: 'rows[0].pg_advisory_unlock' },
        { over: 'pool', sent: false },
      ],
    },
    {
      code: `import { drizzle } from 'drizzle-orm/node-postgres';
        import { sql } from 'drizzle-orm';
        import { Pool } from 'pg';
        const pool = new Pool();
        const db = drizzle({ client: pool });
        export async function run() {
          const client = await pool.connect();
          const pinned = drizzle(client);
          await pinned.execute(sql\`SELECT pg_advisory_lock(1)\`);
          await db.execute(sql\`SELECT pg_advisory_lock(2)\`);
          const own = await db.$client.connect();
          await own.query('SELECT pg_advisory_lock(3)');
          own.release();
          client.release();
        }`,
      sends: [{ over: 'connection' }, { over: 'pool' }, { over: 'connection' }],
      effects: ['gives-back', 'gives-back'],
    },
    {
      code: `import { drizzle } from 'drizzle-orm/postgres-js';
        import { sql } from 'drizzle-orm';
        import postgres from 'postgres';
        const db = drizzle(postgres(process.env.URL));
        const single = drizzle({ connection: { url: process.env.URL, max: 1 } });
        await db.execute(sql\`SELECT pg_try_advisory_lock(1) AS ok\`);
        await single.execute(sql\`SELECT pg_advisory_lock(1)\`);
        await db.transaction(async (tx) => {
          await tx.execute(sql\`SELECT pg_try_advisory_xact_lock(1) AS ok\`);
          tx.rollback();
        });`,
      sends: [
        { over: 'pool', cell: '[0].ok' },
        { over: 'single' },
        { over: 'transaction', cell: '[0].ok' },
      ],
      effects: ['rolls-back'],
    },
    {
      code: `import { drizzle } from 'drizzle-orm/bun-sql';
        import { drizzle as vercel } from 'drizzle-orm/vercel-postgres';
        import { drizzle as neon } from 'drizzle-orm/neon-serverless';
        import { sql } from 'drizzle-orm';
        await drizzle(process.env.URL).execute(sql\`SELECT pg_try_advisory_lock(1) AS ok\`);
        await vercel().execute(sql\`SELECT pg_try_advisory_lock(1) AS ok\`);
        await neon(process.env.URL).execute(sql\`SELECT pg_try_advisory_lock(1) AS ok\`);`,
      sends: [
        { over: 'pool', cell: '[0].ok' },
        { over: 'pool', cell: 'rows[0].ok' },
        { over: 'pool', cell: 'rows[0].ok' },
      ],
    },
    {
      code: `import { drizzle } from 'drizzle-orm/mysql2';
        import { sql } from 'drizzle-orm';
        const db = drizzle(process.env.URL);
        await db.execute(sql\`SELECT GET_LOCK('jobs', 5) AS ok\`);
        await db.transaction(async (tx) => {
          await tx.execute(sql\`SELECT RELEASE_LOCK('jobs') AS ok\`);
          tx.rollback();
        });`,
      sends: [
        { over: 'pool', cell: '[0][0].ok' },
        { over: 'transaction', cell: '[0][0].ok' },
      ],
      effects: ['rolls-back'],
    },
    {
      code: `import { drizzle } from 'drizzle-orm/neon-http';
        import { neon } from '@neondatabase/serverless';
        import { sql } from 'drizzle-orm';
        const db = drizzle(neon(process.env.URL));
        await db.execute(sql\`SELECT pg_try_advisory_lock(1) AS ok\`);
        await db.batch([db.execute(sql\`SELECT pg_advisory_xact_lock(1)\`), db.insert(jobs).values({ id: 1 })]);`,
      sends: [{ over: 'http', cell: 'rows[0].ok' }, { over: 'transaction' }],
    },
    {
      code: `import { drizzle } from 'drizzle-orm/pglite';
        import { sql } from 'drizzle-orm';
        await drizzle().execute(sql\`SELECT pg_try_advisory_lock(1) AS ok\`);`,
      sends: [{ over: 'single', cell: 'rows[0].ok' }],
    },
    {
      code: `import { drizzle } from 'drizzle-orm/node-postgres';
        import { and, eq, sql } from 'drizzle-orm';
        import { jobs } from './schema';
        const db = drizzle(process.env.URL);
        await db.transaction(async (tx) => {
          await tx.select({ ok: sql<boolean>\`pg_try_advisory_xact_lock(id)\`.as('ok') }).from(jobs)
            .where(and(eq(jobs.state, 'new'), sql\`pg_try_advisory_xact_lock(\${jobs.id})\`))
            .orderBy(sql\`pg_try_advisory_xact_lock(1)\`).limit(10).offset(5).for('update');
          await tx.execute(sql\`SELECT pg_advisory_xact_lock(2)\`);
          await db.execute(sql\`SELECT pg_advisory_lock(3)\`);
          await tx.transaction(async (nested) => nested.execute(sql\`SELECT pg_advisory_xact_lock(4)\`));
          tx.rollback();
        }, { isolationLevel: 'serializable' });`,
      sends: [{ over: 'transaction', cell: '[0].ok' }, { over: 'transaction' }, { over: 'pool' }, { over: 'transaction' }],
      effects: ['rolls-back'],
    },
    {
      code: `import { drizzle } from 'drizzle-orm/node-postgres';
        import { sql } from 'drizzle-orm';
        import { jobs, runs, latest } from './schema';
        const db = drizzle(process.env.URL);
        const locked = db.selectDistinct({ ok: sql\`pg_try_advisory_lock(1)\`.mapWith(Boolean) }).from(jobs);
        await locked.execute();
        await db.selectDistinctOn([jobs.kind], { ok: sql\`pg_try_advisory_lock(2)\` }).from(jobs);
        await db.with(recent).select({ ok: sql\`pg_try_advisory_lock(3)\` }).from(jobs)
          .innerJoin(runs, sql\`pg_try_advisory_lock(4)\`).leftJoin(runs, sql\`true\`).rightJoin(runs, sql\`true\`)
          .fullJoin(runs, sql\`true\`).groupBy(jobs.kind).having(sql\`pg_try_advisory_lock(5)\`);
        await db.update(jobs).set({ locked: sql\`pg_try_advisory_lock(6)\` }).returning({ ok: sql\`pg_try_advisory_lock(7)\` });
        await db.delete(jobs).returning({ ok: sql\`pg_advisory_unlock(8)\`.inlineParams() });
        await db.refreshMaterializedView(latest);
        await db.$count(jobs);
        await db.query.jobs.findFirst();`,
      sends: [
        { over: 'pool', cell: '[0].ok' },
        { over: 'pool' },
        { over: 'pool', cell: '[0].ok' },
        { over: 'pool', sql: 'pg_try_advisory_lock(6)' },
        { over: 'pool', cell: '[0].ok' },
      ],
    },
    {
      code: `import { drizzle } from 'drizzle-orm/node-postgres';
        import { sql } from 'drizzle-orm';
        const db = drizzle(process.env.URL);
        await db.execute(sql\`SELECT pg_try_advisory_lock(\${sql.placeholder('id')}) FROM \${sql.identifier('jobs')} \${sql.raw('LIMIT 1')}\`);
        await db.execute(sql\`SELECT pg_try_advisory_lock(\${sql.param(1)}) FROM jobs WHERE id IN (\${sql.join([sql\`1\`, sql\`2\`], sql\`, \`)})\`);
        await db.execute(sql.empty().append(sql\`SELECT pg_advisory_lock(1)\`));`,
      sends: [{ over: 'pool' }, { over: 'pool' }],
    },
    {
      code: `import { withReplicas } from 'drizzle-orm/pg-core';
        import { drizzle } from 'drizzle-orm/node-postgres';
        import { sql } from 'drizzle-orm';
        const db = withReplicas(drizzle(process.env.PRIMARY), [drizzle(process.env.REPLICA)]);
        await db.execute(sql\`SELECT pg_try_advisory_lock(1)\`);
        await db.$primary.select({ ok: sql\`pg_try_advisory_lock(2)\` }).from(jobs);`,
      sends: [{ over: 'pool' }, { over: 'pool' }],
    },
    {
      code: `import type { NodePgDatabase, NodePgTransaction } from 'drizzle-orm/node-postgres';
        import type { PostgresJsDatabase } from 'drizzle-orm/postgres-js';
        import type { PgTransaction } from 'drizzle-orm/pg-core';
        import { sql } from 'drizzle-orm';
        export const unknown = async (db: NodePgDatabase) => {
          await db.execute(sql\`SELECT pg_advisory_lock(1)\`);
          await db.transaction(async (tx) => { await tx.execute(sql\`SELECT pg_advisory_xact_lock(2)\`); });
        };
        export const inPgTransaction = async (tx: NodePgTransaction<any, any>) => { await tx.execute(sql\`SELECT pg_advisory_xact_lock(6)\`); };
        export const onPool = async (db: PostgresJsDatabase) => { await db.execute(sql\`SELECT pg_advisory_lock(3)\`); };
        export const inTransaction = async (tx: PgTransaction<any, any, any>) => {
          await tx.execute(sql\`SELECT pg_advisory_xact_lock(4)\`);
          await tx.transaction(async (nested) => { await nested.execute(sql\`SELECT pg_advisory_xact_lock(5)\`); });
        };`,
      sends: [
        { over: 'unknown' },
        { over: 'transaction' },
        { over: 'transaction' },
        { over: 'pool' },
        { over: 'transaction' },
        { over: 'transaction' },
      ],
    },
    {
      code: `import type { MySql2Database, MySql2Transaction } from 'drizzle-orm/mysql2';
        import type { MySqlDatabase, MySqlTransaction } from 'drizzle-orm/mysql-core';
        import { sql } from 'drizzle-orm';
        export const lock = (db: MySql2Database) => db.execute(sql\`SELECT GET_LOCK('jobs', 1) AS ok\`);
        export const any = (db: MySqlDatabase<any, any>) => db.execute(sql\`SELECT GET_LOCK('jobs', 2) AS ok\`);
        export const one = (tx: MySql2Transaction<any, any>) => tx.execute(sql\`SELECT GET_LOCK('jobs', 3) AS ok\`);
        export const other = (tx: MySqlTransaction<any, any>) => tx.execute(sql\`SELECT GET_LOCK('jobs', 4) AS ok\`);`,
      sends: [
        { over: 'unknown', cell: '[0][0].ok' },
        { over: 'unknown', cell: '[0][0].ok' },
        { over: 'transaction', cell: '[0][0].ok' },
        { over: 'transaction', cell: '[0][0].ok' },
      ],
    },
    {
      code: `import type { PgAsyncDatabase, PgAsyncTransaction, PgDatabase } from 'drizzle-orm/pg-core';
        import type { PostgresJsTransaction } from 'drizzle-orm/postgres-js';
        import type { BunSQLDatabase } from 'drizzle-orm/bun-sql';
        import type { NeonDatabase } from 'drizzle-orm/neon-serverless';
        import type { NeonHttpDatabase } from 'drizzle-orm/neon-http';
        import type { VercelPgDatabase } from 'drizzle-orm/vercel-postgres';
        import type { PgliteDatabase } from 'drizzle-orm/pglite';
        import { sql } from 'drizzle-orm';
        export const a = (db: PgAsyncDatabase<any, any>) => db.execute(sql\`SELECT pg_advisory_lock(1)\`);
        export const b = (tx: PgAsyncTransaction<any, any>) => tx.execute(sql\`SELECT pg_advisory_xact_lock(2)\`);
        export const c = (db: PgDatabase<any>) => db.execute(sql\`SELECT pg_advisory_lock(3)\`);
        export const d = (tx: PostgresJsTransaction<any, any>) => tx.execute(sql\`SELECT pg_try_advisory_xact_lock(4) AS ok\`);
        export const e = (db: BunSQLDatabase) => db.execute(sql\`SELECT pg_try_advisory_lock(5) AS ok\`);
        export const f = (db: NeonDatabase) => db.execute(sql\`SELECT pg_try_advisory_lock(6) AS ok\`);
        export const g = (db: NeonHttpDatabase) => db.execute(sql\`SELECT pg_try_advisory_lock(7) AS ok\`);
        export const h = (db: VercelPgDatabase) => db.execute(sql\`SELECT pg_try_advisory_lock(8) AS ok\`);
        export const i = (db: PgliteDatabase) => db.execute(sql\`SELECT pg_try_advisory_lock(9) AS ok\`);`,
      sends: [
        { over: 'unknown' },
        { over: 'transaction' },
        { over: 'unknown' },
        { over: 'transaction', cell: '[0].ok' },
        { over: 'pool', cell: '[0].ok' },
        { over: 'unknown', cell: 'rows[0].ok' },
        { over: 'http', cell: 'rows[0].ok' },
        { over: 'unknown', cell: 'rows[0].ok' },
        { over: 'single', cell: 'rows[0].ok' },
      ],
    },
    {
      code: `import { drizzle } from 'drizzle-orm/node-postgres';
        const db = drizzle(process.env.URL);
        db.$client.on('error', () => {});
        db.$client.once('error', () => {});
        db.$client.addListener('error', () => {});
        await db.$client.query('SELECT pg_advisory_lock(1)');
        await db.$client.end();`,
      sends: [{ over: 'pool' }],
      effects: ['listens', 'listens', 'listens', 'closes'],
    },
  ],
});
