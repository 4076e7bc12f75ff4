import { defineDriver } from './driver.js';
import type { Call, GiveDetails, Kind } from './driver.js';
import { postgresBegin, postgresHelper, postgresQueryKinds, postgresTag, postgresUnsafe } from './shared/postgres.js';

const pool: GiveDetails = {
  kind: 'pool',
  singleWhen: [{ at: { argument: 'last', property: 'max' }, equals: 1 }],
  url: [
    { argument: 0 },
    { argument: 'last', property: 'url' },
    { argument: 'last', property: 'hostname' },
    { argument: 'last', property: 'port' },
  ],
};

/** Waiting for a connection ends with the signal; queries take none. */
const reserve: Call = { resolves: 'reserved' };

const session: Kind = {
  tag: postgresTag,
  call: postgresHelper,
  methods: {
    unsafe: postgresUnsafe,
    reserve,
    begin: postgresBegin,
    transaction: postgresBegin,
    beginDistributed: postgresBegin,
    distributed: postgresBegin,
  },
};

export default defineDriver({
  name: 'bun-sql',
  dialect: 'either',
  modules: ['bun'],
  placeholders: ['question-mark'],
  exports: [
    { names: ['ReservedSQL'], type: 'reserved' },
    { names: ['TransactionSQL', 'SavepointSQL'], type: 'transaction' },
    { names: ['SQL'], new: pool },
    { names: ['sql'], is: 'pool' },
    { names: ['Bun.SQL'], global: true, new: pool },
    { names: ['Bun.sql'], global: true, is: 'pool' },
  ],
  kinds: {
    session,
    pool: {
      role: 'pool',
      extends: 'session',
      methods: { close: { effect: { does: 'closes' } }, end: { effect: { does: 'closes' } } },
      dispose: { does: 'closes' },
    },
    reserved: {
      role: 'connection',
      extends: 'session',
      methods: { release: { effect: { does: 'gives-back' } }, close: { effect: { does: 'closes' } } },
      dispose: { does: 'gives-back' },
    },
    transaction: { role: 'transaction', extends: 'session', methods: { savepoint: postgresBegin } },
    ...postgresQueryKinds,
  },
  examples: [
    {
      code: `import { sql, SQL } from 'bun';
        const [row] = await sql\`SELECT pg_try_advisory_lock(\${1}) AS ok\`;
        await sql.unsafe('SELECT pg_try_advisory_lock($1) AS ok', [2]);
        sql\`SELECT pg_advisory_unlock(1)\`;
        const single = new SQL(process.env.URL, { max: 1 });
        await single\`SELECT pg_advisory_lock(3) FROM \${single('jobs')}\`;
        await single.close();
        await single.end();`,
      sends: [
        { over: 'pool', cell: '[0].ok' },
        { over: 'pool', cell: '[0].ok' },
        { over: 'pool', sent: false },
        { over: 'single' },
      ],
      effects: ['closes', 'closes'],
    },
    {
      code: `await Bun.sql\`SELECT pg_try_advisory_lock(1) AS ok\`.values();
        const db = new Bun.SQL(process.env.URL);
        await db\`SELECT pg_try_advisory_lock(2) AS ok\`.simple();
        await db\`SELECT pg_try_advisory_lock(3) AS ok\`.raw();
        db\`SELECT pg_try_advisory_lock(4) AS ok\`.execute();
        const query = db\`SELECT pg_try_advisory_lock(5) AS ok\`;
        query.cancel();
        await query;
        await db.file('lock.sql');`,
      sends: [
        { over: 'pool', cell: '[0][0]' },
        { over: 'pool', cell: '[0].ok' },
        { over: 'pool' },
        { over: 'pool' },
        { over: 'pool', cell: '[0].ok' },
      ],
    },
    {
      code: `import { sql } from 'bun';
        export async function run(signal: AbortSignal) {
          const reserved = await sql.reserve({ signal });
          await reserved\`SELECT pg_advisory_lock(1)\`;
          reserved.release();
          const other = await sql.reserve();
          await other\`SELECT pg_advisory_lock(2)\`;
          await other.close();
        }
        export async function scoped() {
          using reserved = await sql.reserve();
          await reserved\`SELECT pg_advisory_lock(3)\`;
        }`,
      sends: [{ over: 'connection' }, { over: 'connection' }, { over: 'connection' }],
      effects: ['gives-back', 'closes', 'gives-back'],
    },
    {
      code: `import { sql } from 'bun';
        await sql.begin('read write', async (tx) => {
          await tx\`SELECT pg_advisory_xact_lock(1)\`;
          await tx.savepoint('inner', async (nested) => { await nested\`SELECT pg_advisory_xact_lock(2)\`; });
          await sql\`SELECT pg_advisory_lock(3)\`;
        });
        await sql.transaction(async (tx) => { await tx\`SELECT pg_advisory_xact_lock(4)\`; });
        await sql.beginDistributed('a', async (tx) => { await tx\`SELECT pg_advisory_xact_lock(5)\`; });
        await sql.distributed('b', async (tx) => { await tx\`SELECT pg_advisory_xact_lock(6)\`; });
        await sql.begin((tx) => [tx\`SELECT pg_advisory_xact_lock(7)\`]);`,
      sends: [
        { over: 'transaction' },
        { over: 'transaction' },
        { over: 'pool' },
        { over: 'transaction' },
        { over: 'transaction' },
        { over: 'transaction' },
        { over: 'transaction' },
      ],
    },
    {
      code: `import type { ReservedSQL, SavepointSQL, SQL, TransactionSQL } from 'bun';
        export const a = async (sql: SQL) => { await sql\`SELECT pg_advisory_lock(1)\`; };
        export const b = async (sql: ReservedSQL) => { await sql\`SELECT pg_advisory_lock(2)\`; };
        export const c = async (sql: TransactionSQL) => { await sql\`SELECT pg_advisory_xact_lock(3)\`; };
        export const d = async (sql: SavepointSQL) => { await sql\`SELECT pg_advisory_xact_lock(4)\`; };`,
      sends: [{ over: 'pool' }, { over: 'connection' }, { over: 'transaction' }, { over: 'transaction' }],
    },
  ],
});
