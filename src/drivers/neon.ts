import { defineDriver } from './driver.js';
import type { Call, GiveDetails, Kind, Result, Sends } from './driver.js';
import { nodePostgresKinds } from './shared/node-postgres.js';

const rows: Result = { shape: 'rows', at: [] };
const fullRows: Result = { shape: 'rows', at: ['rows'] };
const arrays: Result = { shape: 'row-arrays', at: [] };
const unknown: Result = { shape: 'unknown' };

const signal: Sends['signal'] = { at: [{ argument: 2, property: 'fetchOptions.signal' }] };
const text = { sql: [{ argument: 0 }], values: [{ argument: 1 }], lazy: 'resent', signal } as const;

/** Every await sends the statement again. Options of the call come before those of `neon(url, options)`. */
const http = (result: Result): Kind => ({
  role: 'http',
  tag: { sends: { sql: [{ template: true }], result, lazy: 'resent' } },
  call: { sends: { ...text, result } },
  methods: {
    query: {
      sends: { ...text, result },
      variants: [
        { when: [{ at: { argument: 2, property: 'fullResults' }, equals: true }], sends: { ...text, result: fullRows } },
        { when: [{ at: { argument: 2, property: 'arrayMode' }, equals: true }], sends: { ...text, result: arrays } },
      ],
    },
    unsafe: { fragment: { sql: [{ argument: 0 }], as: 'sql' } },
    transaction: {
      batch: { argument: 0 },
      callback: { argument: 0, parameters: { 0: 'http-transaction' }, returnsBatch: true },
      isolation: [{ argument: 1, property: 'isolationLevel' }],
      signal: { at: [{ argument: 1, property: 'fetchOptions.signal' }] },
    },
  },
});

const configuration = {
  lockTimeout: [{ argument: 0, property: 'lock_timeout' }],
  clientTimeout: [{ argument: 0, property: 'query_timeout' }],
  url: [
    { argument: 0 },
    { argument: 0, property: 'connectionString' },
    { argument: 0, property: 'host' },
  ],
} as const;

const option = (property: string) => ({ at: { argument: 1, property }, equals: true }) as const;
const neon = (kind: string): Call => ({
  gives: { kind, url: [{ argument: 0 }] } satisfies GiveDetails,
  signal: { at: [{ argument: 1, property: 'fetchOptions.signal' }] },
});

export default defineDriver({
  name: 'neon',
  dialect: 'postgres',
  modules: ['@neondatabase/serverless'],
  errorEventEndsProcess: true,
  binding: { undefined: 'null', null: 'null', number: 'untyped' },
  exports: [
    { names: ['NeonQueryFunctionInTransaction'], type: 'http-transaction' },
    { names: ['NeonQueryFunction'], type: 'unknown-http' },
    {
      names: ['neon'],
      call: {
        ...neon('http'),
        variants: [
          { when: [option('fullResults'), option('arrayMode')], ...neon('unknown-http') },
          { when: [option('fullResults')], ...neon('full-http') },
          { when: [option('arrayMode')], ...neon('array-http') },
        ],
      },
    },
    {
      names: ['Pool'],
      new: { kind: 'pool', singleWhen: [{ at: { argument: 0, property: 'max' }, equals: 1 }], ...configuration },
    },
    { names: ['PoolClient'], type: 'pool-client' },
    { names: ['Client'], new: { kind: 'client', ...configuration } },
  ],
  kinds: {
    ...nodePostgresKinds,
    http: http(rows),
    'full-http': http(fullRows),
    'array-http': http(arrays),
    'unknown-http': http(unknown),
    'http-transaction': {
      role: 'transaction',
      tag: { sends: { sql: [{ template: true }], result: unknown, lazy: 'resent' } },
      methods: {
        query: { sends: { sql: [{ argument: 0 }], values: [{ argument: 1 }], result: unknown, lazy: 'resent' } },
        unsafe: { fragment: { sql: [{ argument: 0 }], as: 'sql' } },
      },
    },
  },
  examples: [
    {
      code: `import { neon } from '@neondatabase/serverless';
        const sql = neon(process.env.DATABASE_URL);
        await sql\`SELECT pg_try_advisory_lock(\${1}) AS ok\`;
        await sql.query('SELECT pg_try_advisory_lock($1) AS ok', [2]);
        await sql.query('SELECT pg_try_advisory_lock($1) AS ok', [3], { fullResults: true });
        await sql.query('SELECT pg_try_advisory_lock($1) AS ok', [4], { arrayMode: true });
        await sql('SELECT pg_try_advisory_lock($1) AS ok', [5]);
        await sql\`SELECT pg_try_advisory_lock(id) FROM \${sql.unsafe('jobs')}\`;
        sql\`SELECT pg_advisory_unlock(6)\`;`,
      sends: [
        { over: 'http', cell: '[0].ok' },
        { over: 'http', cell: '[0].ok' },
        { over: 'http', cell: 'rows[0].ok' },
        { over: 'http', cell: '[0][0]' },
        { over: 'http', cell: '[0].ok' },
        { over: 'http' },
        { over: 'http', sent: false },
      ],
    },
    {
      code: `import { neon } from '@neondatabase/serverless';
        const full = neon(process.env.URL, { fullResults: true });
        const arrays = neon(process.env.URL, { arrayMode: true });
        const both = neon(process.env.URL, { arrayMode: true, fullResults: true });
        await full\`SELECT pg_try_advisory_lock(1) AS ok\`;
        await arrays\`SELECT pg_try_advisory_lock(2) AS ok\`;
        await both\`SELECT pg_try_advisory_lock(3) AS ok\`;`,
      sends: [{ over: 'http', cell: 'rows[0].ok' }, { over: 'http', cell: '[0][0]' }, { over: 'http' }],
    },
    {
      code: `import { neon } from '@neondatabase/serverless';
        const sql = neon(process.env.DATABASE_URL);
        await sql.transaction([sql\`SELECT pg_advisory_xact_lock(1)\`, sql\`UPDATE jobs SET done = true\`]);
        await sql.transaction((tx) => [tx\`SELECT pg_advisory_xact_lock(2)\`, tx.query('UPDATE jobs SET done = true')], { isolationLevel: 'Serializable' });`,
      sends: [{ over: 'transaction' }, { over: 'transaction' }, { over: 'transaction' }, { over: 'transaction' }],
    },
    {
      code: `import { Client, Pool } from '@neondatabase/serverless';
        const pool = new Pool({ connectionString: process.env.DATABASE_URL });
        pool.on('error', () => {});
        await pool.query('SELECT pg_try_advisory_lock(1) AS ok');
        await new Pool({ max: 1 }).query('SELECT pg_advisory_lock(2)');
        export async function run() {
          const client = await pool.connect();
          client.once('error', () => {});
          await client.query('SELECT pg_advisory_lock(3)');
          client.release();
          const own = new Client(process.env.DATABASE_URL);
          own.addListener('error', () => {});
          await own.connect();
          await own.query('SELECT pg_advisory_lock(4)');
          await own.end();
        }`,
      sends: [
        { over: 'pool', cell: 'rows[0].ok' },
        { over: 'single' },
        { over: 'connection' },
        { over: 'connection' },
      ],
      effects: ['listens', 'listens', 'gives-back', 'listens', 'closes'],
    },
    {
      code: `import { Pool } from '@neondatabase/serverless';
        export function run(pool: Pool) {
          pool.connect((err, client, done) => {
            client.query('SELECT pg_advisory_lock(1)', () => done(err));
          });
        }`,
      sends: [{ over: 'connection' }],
      effects: ['gives-back'],
    },
    {
      code: `import type { Client, NeonQueryFunction, NeonQueryFunctionInTransaction, PoolClient } from '@neondatabase/serverless';
        export const a = async (sql: NeonQueryFunction<false, false>) => { await sql\`SELECT pg_advisory_lock(1)\`; };
        export const b = async (sql: NeonQueryFunctionInTransaction<false, false>) => { await sql\`SELECT pg_advisory_xact_lock(2)\`; };
        export const c = (client: PoolClient) => client.query('SELECT pg_advisory_lock(3)');
        export const d = (client: Client) => client.query('SELECT pg_advisory_lock(4)');`,
      sends: [{ over: 'http' }, { over: 'transaction' }, { over: 'connection' }, { over: 'connection' }],
    },
  ],
});
