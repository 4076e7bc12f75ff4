import { defineDriver } from './driver.js';
import type { Call, Kind } from './driver.js';
import { nodePostgresKinds, nodePostgresResult } from './shared/node-postgres.js';

const url = [{ argument: 0, property: 'connectionString' }] as const;

/** The tag goes over HTTP, one session per statement, though `query` goes over a WebSocket. */
const overHttp: Call = { sends: { sql: [{ template: true }], result: nodePostgresResult, over: 'http' } };
const overConnection: Call = { sends: { sql: [{ template: true }], result: nodePostgresResult } };

/** A pool refuses every URL that does not lead to the pooler; only a client connects directly. */
const pool: Kind = {
  ...nodePostgresKinds.pool,
  behindPooler: true,
  tag: overHttp,
  methods: { ...nodePostgresKinds.pool.methods, sql: overHttp },
};

export default defineDriver({
  name: 'vercel-postgres',
  dialect: 'postgres',
  modules: ['@vercel/postgres'],
  errorEventEndsProcess: true,
  binding: { undefined: 'null', null: 'null', number: 'untyped' },
  exports: [
    { names: ['VercelPoolClient'], type: 'pool-client' },
    { names: ['VercelClient'], new: { kind: 'client', url } },
    { names: ['VercelPool'], new: { kind: 'pool', url } },
    { names: ['sql', 'db'], is: 'pool' },
    {
      names: ['createPool'],
      call: { gives: { kind: 'pool', singleWhen: [{ at: { argument: 0, property: 'max' }, equals: 1 }], url } },
    },
    { names: ['createClient'], call: { gives: { kind: 'client', url } } },
  ],
  kinds: {
    ...nodePostgresKinds,
    pool,
    'pool-client': { ...nodePostgresKinds['pool-client'], behindPooler: true },
    client: {
      ...nodePostgresKinds.client,
      methods: { ...nodePostgresKinds.client.methods, sql: overConnection },
    },
  },
  examples: [
    {
      code: `import { sql, db } from '@vercel/postgres';
        await sql\`SELECT pg_try_advisory_lock(\${1}) AS ok\`;
        await sql.query('SELECT pg_try_advisory_lock($1) AS ok', [2]);
        await db.sql\`SELECT pg_try_advisory_lock(3) AS ok\`;
        await db.query('SELECT pg_try_advisory_lock(4) AS ok');
        db.on('error', () => {});`,
      sends: [
        { over: 'http', cell: 'rows[0].ok' },
        { over: 'pool', cell: 'rows[0].ok' },
        { over: 'http', cell: 'rows[0].ok' },
        { over: 'pool', cell: 'rows[0].ok' },
      ],
      effects: ['listens'],
    },
    {
      code: `import { sql, createClient, createPool } from '@vercel/postgres';
        export async function run() {
          const client = await sql.connect();
          await client.sql\`SELECT pg_advisory_lock(1)\`;
          await client.query('SELECT pg_advisory_unlock(1)');
          client.release();
          const own = createClient();
          own.once('error', () => {});
          own.addListener('error', () => {});
          await own.connect();
          await own.sql\`SELECT pg_advisory_lock(2)\`;
          await own.end();
          await createPool({ connectionString: process.env.URL }).query('SELECT pg_advisory_lock(3)');
          await createPool({ max: 1 }).query('SELECT pg_advisory_lock(4)');
        }`,
      sends: [
        { over: 'connection' },
        { over: 'connection' },
        { over: 'connection' },
        { over: 'pool' },
        { over: 'single' },
      ],
      effects: ['gives-back', 'listens', 'listens', 'closes'],
    },
    {
      code: `import { VercelClient, VercelPool, type VercelPoolClient } from '@vercel/postgres';
        const pool = new VercelPool({});
        export const a = () => pool.query('SELECT pg_advisory_lock(1)');
        export const b = (client: VercelPoolClient) => client.query('SELECT pg_advisory_lock(2)');
        export const c = (client: VercelClient) => client.query('SELECT pg_advisory_lock(3)');`,
      sends: [{ over: 'pool' }, { over: 'connection' }, { over: 'connection' }],
    },
  ],
});
