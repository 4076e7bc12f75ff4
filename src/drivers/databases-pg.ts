import { defineDriver } from './driver.js';
import type { Call, GiveDetails, Kind } from './driver.js';

const pool: GiveDetails = {
  kind: 'pool',
  singleWhen: [{ at: { argument: 0, property: 'poolSize' }, equals: 1 }],
  lockTimeout: [{ argument: 0, property: 'lockTimeoutMilliseconds' }],
  clientTimeout: [{ argument: 0, property: 'queryTimeoutMilliseconds' }],
  url: [{ argument: 0 }, { argument: 0, property: 'connectionString' }, { argument: 0, property: 'host' }],
};

const signal = { at: [{ argument: 1, property: 'signal' }] } as const;

const inside = (kind: string): Call => ({
  callback: { argument: 0, parameters: { 0: kind } },
  isolation: [{ argument: 1, property: 'isolationLevel' }],
});

const lock = (name: string): Call => ({
  sends: { sql: [], runs: name, values: [{ argument: 0 }], result: { shape: 'nothing' } },
});
const tryLock = (name: string): Call => ({
  sends: { sql: [], runs: name, values: [{ argument: 0 }], result: { shape: 'value', at: [] } },
});

const queryable: Kind = {
  methods: {
    query: { sends: { sql: [{ argument: 0 }], result: { shape: 'rows', at: [] }, multipleStatements: true } },
    queryStream: { sends: { sql: [{ argument: 0 }], result: { shape: 'unknown' }, signal } },
    queryNodeStream: { sends: { sql: [{ argument: 0 }], result: { shape: 'unknown' } } },
    task: inside('connection'),
    tx: inside('transaction'),
  },
};

export default defineDriver({
  name: 'databases-pg',
  dialect: 'either',
  modules: ['@databases/pg', '@databases/mysql', '@databases/sql'],
  defaultIsNamespace: true,
  exports: [
    { names: ['Transaction'], type: 'transaction' },
    { names: ['Connection'], type: 'connection' },
    { names: ['ConnectionPool'], type: 'pool' },
    { names: ['Queryable'], type: { kind: 'queryable', ambiguous: true } },
    { names: ['default'], modules: ['@databases/pg', '@databases/mysql'], call: { gives: pool } },
    { names: ['default'], modules: ['@databases/sql'], is: 'sql' },
    { names: ['sql'], is: 'sql' },
  ],
  kinds: {
    queryable,
    pool: {
      role: 'pool',
      extends: 'queryable',
      methods: { dispose: { effect: { does: 'closes' } } },
      properties: { sql: 'sql' },
    },
    connection: { role: 'connection', extends: 'queryable', properties: { sql: 'sql' } },
    transaction: {
      role: 'transaction',
      extends: 'queryable',
      methods: {
        task: inside('transaction'),
        advisoryTxLock: lock('pg_advisory_xact_lock'),
        advisoryTxLockShared: lock('pg_advisory_xact_lock_shared'),
        tryAdvisoryTxLock: tryLock('pg_try_advisory_xact_lock'),
        tryAdvisoryTxLockShared: tryLock('pg_try_advisory_xact_lock_shared'),
      },
      properties: { sql: 'sql' },
    },
    sql: {
      tag: { fragment: { sql: [{ template: true }], as: 'sql' } },
      methods: {
        join: { fragment: { sql: [{ argument: 0 }], as: 'list' } },
        ident: { fragment: { sql: [{ argument: 0 }], as: 'identifier' } },
        value: { fragment: { sql: [{ argument: 0 }], as: 'value' } },
        __dangerous__rawValue: { fragment: { sql: [{ argument: 0 }], as: 'sql' } },
      },
    },
  },
  distinctiveMethods: {
    advisoryTxLock: 'transaction',
    advisoryTxLockShared: 'transaction',
    tryAdvisoryTxLock: 'transaction',
    tryAdvisoryTxLockShared: 'transaction',
  },
  examples: [
    {
      code: `import createConnectionPool, { sql } from '@databases/pg';
        const db = createConnectionPool(process.env.DATABASE_URL);
        await db.query(sql\`SELECT pg_try_advisory_lock(\${1}) AS ok\`);
        await db.query(sql\`SELECT pg_try_advisory_lock(\${sql.value(2)}) FROM \${sql.ident('jobs')} WHERE id IN (\${sql.join([sql\`1\`], ',')})\`);
        await db.query(sql\`SELECT pg_advisory_lock(id) FROM jobs \${sql.__dangerous__rawValue('LIMIT 1')}\`);
        for await (const row of db.queryStream(sql\`SELECT pg_try_advisory_lock(id) FROM jobs\`, {})) console.log(row);
        db.queryNodeStream(sql\`SELECT pg_try_advisory_lock(id) FROM tasks\`);
        await createConnectionPool({ poolSize: 1 }).query(sql\`SELECT pg_advisory_lock(3)\`);
        await db.dispose();`,
      sends: [
        { over: 'pool', cell: '[0].ok' },
        { over: 'pool' },
        { over: 'pool' },
        { over: 'pool' },
        { over: 'pool' },
        { over: 'single' },
      ],
      effects: ['closes'],
    },
    {
      code: `import createConnectionPool from '@databases/pg';
        import sql from '@databases/sql';
        const db = createConnectionPool();
        await db.task(async (connection) => {
          await connection.query(connection.sql\`SELECT pg_advisory_lock(1)\`);
          await connection.tx(async (tx) => { await tx.query(sql\`SELECT pg_advisory_xact_lock(2)\`); });
        });
        await db.tx(async (tx) => {
          await tx.advisoryTxLock(3);
          await tx.advisoryTxLockShared(4);
          if (!(await tx.tryAdvisoryTxLock(5))) return;
          if (!(await tx.tryAdvisoryTxLockShared(6))) return;
          await tx.task(async (inner) => { await inner.query(sql\`SELECT pg_advisory_xact_lock(7)\`); });
        }, { isolationLevel: 'SERIALIZABLE' });`,
      sends: [
        { over: 'connection' },
        { over: 'transaction' },
        { over: 'transaction', sql: 'pg_advisory_xact_lock' },
        { over: 'transaction', sql: 'pg_advisory_xact_lock_shared' },
        { over: 'transaction', sql: 'pg_try_advisory_xact_lock' },
        { over: 'transaction', sql: 'pg_try_advisory_xact_lock_shared' },
        { over: 'transaction' },
      ],
    },
    {
      code: `import createConnectionPool, { sql, type Connection, type ConnectionPool, type Queryable, type Transaction } from '@databases/mysql';
        export const a = (db: ConnectionPool) => db.query(sql\`SELECT GET_LOCK('jobs', 1)\`);
        export const b = (connection: Connection) => connection.query(sql\`SELECT GET_LOCK('jobs', 2)\`);
        export const c = (tx: Transaction) => tx.query(sql\`SELECT GET_LOCK('jobs', 3)\`);
        export const d = (queryable: Queryable) => queryable.query(sql\`SELECT GET_LOCK('jobs', 4)\`);
        export const e = () => createConnectionPool().query(sql\`SELECT GET_LOCK('jobs', 5) AS ok\`);`,
      sends: [
        { over: 'pool' },
        { over: 'connection' },
        { over: 'transaction' },
        { over: 'unknown' },
        { over: 'pool', cell: '[0].ok' },
      ],
    },
  ],
});
