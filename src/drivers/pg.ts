import { defineDriver } from './driver.js';
import type { Call, GiveDetails, Result } from './driver.js';
import { nodePostgresKinds } from './shared/node-postgres.js';

const configuration = {
  lockTimeout: [{ argument: 0, property: 'lock_timeout' }],
  clientTimeout: [{ argument: 0, property: 'query_timeout' }],
  url: [
    { argument: 0 },
    { argument: 0, property: 'connectionString' },
    { argument: 0, property: 'host' },
    { argument: 0, property: 'port' },
    { argument: 0, property: 'options' },
  ],
} as const;

const pool: GiveDetails = {
  kind: 'pool',
  singleWhen: [{ at: { argument: 0, property: 'max' }, equals: 1 }],
  ...configuration,
};

const nativeRows: Result = { shape: 'rows', at: [] };
const nativeQuery: Call = {
  sends: {
    sql: [{ argument: 0 }],
    values: [{ argument: 1 }],
    result: nativeRows,
    callback: { argument: 'last', parameter: 1, result: nativeRows },
    multipleStatements: true,
  },
};

export default defineDriver({
  name: 'pg',
  dialect: 'postgres',
  untypedRows: true,
  modules: ['pg', 'pg-pool', 'pg-native', 'pg-cursor', 'pg-query-stream'],
  defaultIsNamespace: true,
  errorEventEndsProcess: true,
  binding: { undefined: 'null', null: 'null', number: 'untyped' },
  exports: [
    { names: ['Pool', 'native.Pool'], modules: ['pg'], new: pool, call: { gives: pool } },
    { names: ['default', 'Pool'], modules: ['pg-pool'], new: pool, call: { gives: pool } },
    { names: ['PoolClient'], modules: ['pg'], type: 'pool-client' },
    { names: ['Client', 'native.Client'], modules: ['pg'], new: { kind: 'client', ...configuration } },
    { names: ['ClientBase'], modules: ['pg'], type: 'client' },
    { names: ['default', 'Client'], modules: ['pg-native'], new: 'native-client', call: { gives: 'native-client' } },
    {
      names: ['Query'],
      modules: ['pg'],
      new: 'submittable',
      fragment: {
        sql: [{ argument: 0, property: 'text' }, { argument: 0 }],
        values: [{ argument: 0, property: 'values' }, { argument: 1 }],
        as: 'sql',
        result: { shape: 'unknown' },
      },
    },
    {
      names: ['default'],
      modules: ['pg-cursor', 'pg-query-stream'],
      new: 'submittable',
      fragment: { sql: [{ argument: 0 }], values: [{ argument: 1 }], as: 'sql', result: { shape: 'unknown' } },
    },
  ],
  kinds: {
    ...nodePostgresKinds,
    submittable: {},
    'native-client': {
      role: 'connection',
      methods: {
        query: nativeQuery,
        querySync: nativeQuery,
        end: { effect: { does: 'closes' } },
      },
    },
  },
  examples: [
    {
      code: `import { Pool } from 'pg';
        const pool = new Pool();
        const r = await pool.query('SELECT pg_try_advisory_lock(1) AS ok');`,
      sends: [{ over: 'pool', cell: 'rows[0].ok' }],
    },
    {
      code: `import pg from 'pg';
        const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL });
        await pool.query({ text: 'SELECT pg_try_advisory_lock($1)', values: [1] });`,
      sends: [{ over: 'pool', sql: 'pg_try_advisory_lock($1)', cell: 'rows[0].pg_try_advisory_lock' }],
    },
    {
      code: `import Pool from 'pg-pool';
        const pool = new Pool({ host: 'localhost' });
        await pool.query({ text: 'SELECT pg_advisory_unlock($1)', rowMode: 'array' }, [1]);`,
      sends: [{ over: 'pool', cell: 'rows[0][0]' }],
    },
    {
      code: `import * as pg from 'pg';
        const pool = new pg.native.Pool();
        pool.query('SELECT pg_try_advisory_lock(1) AS ok', (err, r) => console.log(r.rows[0].ok));`,
      sends: [{ over: 'pool' }],
    },
    {
      code: `import { Pool } from 'pg';
        const pool = new Pool({ max: 1 });
        await pool.query('SELECT pg_advisory_lock(1)');`,
      sends: [{ over: 'single' }],
    },
    {
      code: `const { Pool } = require('pg');
        const pool = new Pool();
        pool.on('error', (err) => console.error(err));
        pool.once('acquire', (client) => client.query('SELECT pg_advisory_unlock_all()'));
        pool.addListener('connect', (client) => client.query('SELECT pg_try_advisory_lock_shared(1)'));`,
      sends: [{ over: 'connection' }, { over: 'connection' }],
      effects: ['listens', 'listens', 'listens'],
    },
    {
      code: `import { Pool } from 'pg';
        const pool = new Pool();
        export async function run(failed: boolean) {
          const client = await pool.connect();
          client.on('error', () => {});
          await client.query('SELECT pg_advisory_lock($1)', [1]);
          const r = await client.query('SELECT pg_advisory_unlock($1) AS ok', [1]);
          client.release(r.rows[0].ok ? undefined : new Error('not unlocked'));
          await pool.end();
        }`,
      sends: [{ over: 'connection' }, { over: 'connection', cell: 'rows[0].ok' }],
      effects: ['listens', 'gives-back', 'closes'],
    },
    {
      code: `import { Pool } from 'pg';
        const pool = new Pool();
        export function run() {
          pool.connect((err, client, done) => {
            client.query('SELECT pg_try_advisory_xact_lock(1)', () => done());
          });
        }`,
      sends: [{ over: 'connection' }],
      effects: ['gives-back'],
    },
    {
      code: `import { Client } from 'pg';
        export async function run() {
          const client = new Client({ lock_timeout: 2000, query_timeout: 5000 });
          client.once('error', () => {});
          client.addListener('notice', () => {});
          await client.connect();
          await client.query('SELECT pg_advisory_lock(1)');
          await client.end();
        }`,
      sends: [{ over: 'connection' }],
      effects: ['listens', 'listens', 'closes'],
    },
    {
      code: `import type { ClientBase, PoolClient } from 'pg';
        export const lock = (client: PoolClient) => client.query('SELECT pg_advisory_lock(1)');
        export const unlock = (client: ClientBase) => client.query('SELECT pg_advisory_unlock(1)');`,
      sends: [{ over: 'connection' }, { over: 'connection' }],
    },
    {
      code: `import { native, Query } from 'pg';
        import Cursor from 'pg-cursor';
        import QueryStream from 'pg-query-stream';
        export async function run() {
          const client = await new native.Client().connect();
          client.query(new Query('SELECT pg_advisory_lock(1)'));
          client.query(new Cursor('SELECT pg_advisory_lock(id) FROM jobs WHERE kind = $1', ['a']));
          client.query(new QueryStream('SELECT pg_advisory_lock(id) FROM tasks'));
        }`,
      sends: [{ over: 'connection' }, { over: 'connection', sql: 'FROM jobs' }, { over: 'connection', sql: 'FROM tasks' }],
    },
    {
      code: `import Client from 'pg-native';
        export function run() {
          const client = new Client();
          client.connectSync();
          const rows = client.querySync('SELECT pg_try_advisory_lock($1) AS ok', [1]);
          client.query('SELECT pg_advisory_unlock($1)', [1], (err, unlocked) => console.log(rows, unlocked));
          client.end();
        }`,
      sends: [{ over: 'connection', cell: '[0].ok' }, { over: 'connection' }],
      effects: ['closes'],
    },
  ],
});
