import { defineDriver } from './driver.js';
import type { GiveDetails, Kind } from './driver.js';
import { postgresBegin, postgresHelper, postgresQueryKinds, postgresTag, postgresUnsafe } from './shared/postgres.js';

const pool: GiveDetails = {
  kind: 'pool',
  singleWhen: [{ at: { argument: 'last', property: 'max' }, equals: 1 }],
  renamesColumnsWhen: [{ at: { argument: 'last', property: 'transform' }, present: true }],
  lockTimeout: [{ argument: 'last', property: 'connection.lock_timeout' }],
  url: [{ argument: 0 }, { argument: 'last', property: 'host' }, { argument: 'last', property: 'port' }],
};

const session: Kind = { tag: postgresTag, call: postgresHelper, methods: { unsafe: postgresUnsafe } };

const query: Kind = {
  ...postgresQueryKinds.query,
  methods: {
    ...postgresQueryKinds.query.methods,
    /** Asks for the types only; the statement does not run. */
    describe: { gives: 'description' },
    forEach: { sends: { sql: [{ receiver: true }], result: { shape: 'nothing' } } },
    cursor: { sends: { sql: [{ receiver: true }], result: { shape: 'unknown' } } },
  },
};

export default defineDriver({
  name: 'postgres',
  dialect: 'postgres',
  untypedRows: true,
  modules: ['postgres'],
  defaultIsNamespace: true,
  binding: { undefined: 'throws', null: 'null', number: 'untyped', bigint: 'bigint' },
  exports: [
    { names: ['ReservedSql', 'postgres.ReservedSql'], type: 'reserved' },
    { names: ['TransactionSql', 'postgres.TransactionSql'], type: 'transaction' },
    { names: ['default', 'postgres'], call: { gives: pool } },
    { names: ['Sql', 'postgres.Sql'], type: 'pool' },
    { names: ['ISql', 'postgres.ISql'], type: { kind: 'session', ambiguous: true } },
  ],
  kinds: {
    session,
    pool: {
      role: 'pool',
      extends: 'session',
      methods: { reserve: { resolves: 'reserved' }, begin: postgresBegin, end: { effect: { does: 'closes' } } },
    },
    reserved: {
      role: 'connection',
      extends: 'session',
      methods: { release: { effect: { does: 'gives-back' } } },
    },
    transaction: { role: 'transaction', extends: 'session', methods: { savepoint: postgresBegin } },
    ...postgresQueryKinds,
    query,
    description: {},
  },
  examples: [
    {
      code: `import postgres from 'postgres';
        const sql = postgres(process.env.DATABASE_URL, { max: 10 });
        const [row] = await sql\`SELECT pg_try_advisory_lock(\${1}) AS ok\`;`,
      sends: [{ over: 'pool', cell: '[0].ok' }],
    },
    {
      code: `import postgres from 'postgres';
        const sql = postgres();
        sql\`SELECT pg_advisory_unlock(1)\`;`,
      sends: [{ over: 'pool', sent: false }],
    },
    {
      code: `import postgres from 'postgres';
        const sql = postgres({ max: 1, connection: { lock_timeout: 1000 } });
        await sql.unsafe('SELECT pg_advisory_lock($1)', [1]);
        await sql.end();`,
      sends: [{ over: 'single', cell: '[0].pg_advisory_lock' }],
      effects: ['closes'],
    },
    {
      code: `import postgres from 'postgres';
        const sql = postgres();
        await sql\`SELECT pg_try_advisory_lock(1) AS ok\`.values();
        await sql\`SELECT pg_try_advisory_lock(2) AS ok\`.simple();
        sql\`SELECT pg_try_advisory_lock(3)\`.execute();
        await sql\`SELECT pg_try_advisory_lock(4)\`.raw();
        await sql\`SELECT pg_try_advisory_lock(id) FROM jobs\`.forEach((row) => console.log(row));
        for await (const [row] of sql\`SELECT pg_try_advisory_lock(id) FROM tasks\`.cursor()) console.log(row);
        await sql\`SELECT pg_try_advisory_lock(5)\`.describe();`,
      sends: [
        { over: 'pool', cell: '[0][0]' },
        { over: 'pool', cell: '[0].ok' },
        { over: 'pool' },
        { over: 'pool' },
        { over: 'pool', sql: 'FROM jobs' },
        { over: 'pool', sql: 'FROM tasks' },
        { over: 'pool', sent: false },
      ],
    },
    {
      code: `import postgres from 'postgres';
        const sql = postgres();
        export async function run() {
          const reserved = await sql.reserve();
          await reserved\`SELECT pg_advisory_lock(1)\`;
          await reserved.unsafe('SELECT pg_advisory_unlock(1)');
          reserved.release();
        }`,
      sends: [{ over: 'connection' }, { over: 'connection', cell: '[0].pg_advisory_unlock' }],
      effects: ['gives-back'],
    },
    {
      code: `import postgres from 'postgres';
        const sql = postgres();
        await sql.begin('isolation level serializable', async (tx) => {
          await tx\`SELECT pg_advisory_xact_lock(1) FROM \${tx('jobs')} WHERE \${tx\`id = \${7}\`}\`;
          await tx.savepoint('inner', async (nested) => {
            await nested\`SELECT pg_advisory_xact_lock(2)\`;
          });
          await sql\`SELECT pg_advisory_lock(3)\`;
        });`,
      sends: [{ over: 'transaction' }, { over: 'transaction' }, { over: 'pool' }],
    },
    {
      code: `import postgres from 'postgres';
        const sql = postgres();
        await sql.begin((tx) => [tx\`SELECT pg_advisory_xact_lock(1)\`, tx\`SELECT pg_advisory_xact_lock(2)\`]);`,
      sends: [{ over: 'transaction' }, { over: 'transaction' }],
    },
    {
      code: `import type { ReservedSql, TransactionSql, Sql } from 'postgres';
        export const onReserved = async (sql: ReservedSql) => { await sql\`SELECT pg_advisory_lock(1)\`; };
        export const inTransaction = async (sql: TransactionSql) => { await sql\`SELECT pg_advisory_xact_lock(1)\`; };
        export const onPool = async (sql: Sql) => { await sql\`SELECT pg_advisory_lock(1)\`; };`,
      sends: [{ over: 'connection' }, { over: 'transaction' }, { over: 'pool' }],
    },
    {
      code: `import type postgres from 'postgres';
        export const lock = async (sql: postgres.ISql) => { await sql\`SELECT pg_advisory_lock(1)\`; };
        export const unlock = async (sql: postgres.Sql) => { await sql\`SELECT pg_advisory_unlock(1)\`; };`,
      sends: [{ over: 'unknown' }, { over: 'pool' }],
    },
    {
      code: `import postgres from 'postgres';
        const sql = postgres();
        await sql.file('lock.sql');
        const query = sql\`SELECT pg_try_advisory_lock(1) AS ok\`;
        setTimeout(() => query.cancel(), 100);
        await query;`,
      sends: [{ over: 'pool', cell: '[0].ok' }],
    },
  ],
});
