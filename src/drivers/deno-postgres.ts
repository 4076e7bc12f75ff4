import { defineDriver } from './driver.js';
import type { Call, Kind, Result } from './driver.js';

const text = {
  sql: [{ template: true }, { argument: 0, property: 'text' }, { argument: 0 }],
  values: [{ argument: 0, property: 'args' }, { argument: 1 }],
} as const;

const send = (result: Result): Call => ({ sends: { ...text, result } });

const session: Kind = {
  methods: {
    queryObject: {
      ...send({ shape: 'rows', at: ['rows'] }),
      variants: [
        { when: [{ at: { argument: 0, property: 'camelCase' }, equals: true }], ...send({ shape: 'unknown' }) },
        { when: [{ at: { argument: 0, property: 'fields' }, present: true }], ...send({ shape: 'unknown' }) },
      ],
    },
    queryArray: send({ shape: 'row-arrays', at: ['rows'] }),
  },
};

export default defineDriver({
  name: 'deno-postgres',
  dialect: 'postgres',
  modules: ['jsr:@db/postgres', '@db/postgres', 'https://deno.land/x/postgres/mod.ts'],
  placeholders: ['dollar-name'],
  exports: [
    { names: ['Transaction'], type: 'transaction' },
    { names: ['PoolClient'], type: 'pool-client' },
    { names: ['Client'], new: { kind: 'client', url: [{ argument: 0 }, { argument: 0, property: 'hostname' }] } },
    {
      names: ['Pool'],
      new: {
        kind: 'pool',
        singleWhen: [{ at: { argument: 1 }, equals: 1 }],
        url: [{ argument: 0 }, { argument: 0, property: 'hostname' }],
      },
    },
  ],
  kinds: {
    session,
    /** Cannot query. */
    pool: { role: 'pool', methods: { connect: { resolves: 'pool-client' }, end: { effect: { does: 'closes' } } } },
    client: {
      role: 'connection',
      extends: 'session',
      methods: {
        createTransaction: { gives: 'transaction' },
        end: { effect: { does: 'closes' } },
      },
    },
    'pool-client': {
      role: 'connection',
      extends: 'client',
      methods: { release: { effect: { does: 'gives-back' } } },
      dispose: { does: 'gives-back' },
    },
    transaction: {
      role: 'transaction',
      extends: 'session',
      methods: {
        begin: { effect: { does: 'begins' } },
        commit: { effect: { does: 'commits' } },
        rollback: { effect: { does: 'rolls-back' } },
      },
    },
  },
  examples: [
    {
      code: `import { Client, Pool } from 'jsr:@db/postgres';
        const pool = new Pool(process.env.URL, 3);
        export async function run() {
          const client = await pool.connect();
          await client.queryObject('SELECT pg_try_advisory_lock($1) AS ok', [1]);
          await client.queryObject\`SELECT pg_try_advisory_lock(\${2}) AS ok\`;
          await client.queryObject({ text: 'SELECT pg_try_advisory_lock($id) AS ok', args: { id: 3 } });
          await client.queryArray('SELECT pg_try_advisory_lock(4) AS ok');
          await client.queryObject({ text: 'SELECT pg_try_advisory_lock(5) AS ok', camelCase: true });
          await client.queryObject({ text: 'SELECT pg_try_advisory_lock(6) AS ok', fields: ['held'] });
          client.release();
          const own = new Client({ hostname: 'localhost' });
          await own.queryArray\`SELECT pg_advisory_lock(7)\`;
          await own.end();
        }`,
      sends: [
        { over: 'connection', cell: 'rows[0].ok' },
        { over: 'connection', cell: 'rows[0].ok' },
        { over: 'connection', cell: 'rows[0].ok' },
        { over: 'connection', cell: 'rows[0][0]' },
        { over: 'connection' },
        { over: 'connection' },
        { over: 'connection', cell: 'rows[0][0]' },
      ],
      effects: ['gives-back', 'closes'],
    },
    {
      code: `import { Pool } from '@db/postgres';
        const pool = new Pool({}, 1);
        export async function run(failed: boolean) {
          using client = await pool.connect();
          const transaction = client.createTransaction('work');
          await transaction.begin();
          await transaction.queryObject('SELECT pg_advisory_xact_lock(1)');
          if (failed) await transaction.rollback();
          else await transaction.commit();
        }`,
      sends: [{ over: 'transaction' }],
      effects: ['begins', 'rolls-back', 'commits', 'gives-back'],
    },
    {
      code: `import { type Client, type PoolClient, type Transaction } from 'https://deno.land/x/postgres/mod.ts';
        export const a = (client: Client) => client.queryObject('SELECT pg_advisory_lock(1)');
        export const b = (client: PoolClient) => client.queryObject('SELECT pg_advisory_lock(2)');
        export const c = (transaction: Transaction) => transaction.queryObject('SELECT pg_advisory_xact_lock(3)');`,
      sends: [{ over: 'connection' }, { over: 'connection' }, { over: 'transaction' }],
    },
  ],
});
