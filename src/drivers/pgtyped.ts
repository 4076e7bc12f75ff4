import { defineDriver } from './driver.js';
import type { Call, Kind, Result } from './driver.js';

/** `sql` stays in the query; the handle is the second argument of `run`. */
const run = (result: Result): Call => ({
  sends: {
    sql: [{ receiver: true }],
    values: [{ argument: 0 }],
    on: { at: [{ argument: 1 }], required: true },
    result,
  },
});

const query: Kind = {
  methods: {
    run: run({ shape: 'rows', at: [] }),
    runWithCounts: run({ shape: 'rows', at: ['result'] }),
    stream: run({ shape: 'unknown' }),
  },
};

export default defineDriver({
  name: 'pgtyped',
  dialect: 'postgres',
  modules: ['@pgtyped/runtime', '@pgtyped/query'],
  /** `$key` in a tagged template, `:key` in what was generated from an SQL file. */
  placeholders: ['dollar-name', 'colon'],
  exports: [
    {
      names: ['sql', 'default'],
      tag: { fragment: { sql: [{ template: true }], as: 'sql' }, gives: 'query' },
    },
    {
      names: ['PreparedQuery'],
      new: 'query',
      fragment: { sql: [{ argument: 0, property: 'statement' }], as: 'sql' },
    },
    { names: ['TaggedQuery'], type: 'query' },
    { names: ['IDatabaseConnection'], type: { kind: 'connection', ambiguous: true } },
  ],
  kinds: { query, connection: {} },
  examples: [
    {
      code: `import { sql } from '@pgtyped/runtime';
        import { Pool } from 'pg';
        const pool = new Pool();
        const lock = sql\`SELECT pg_try_advisory_lock($key) AS ok\`;
        await lock.run({ key: 1 }, pool);
        await lock.stream({ key: 1 }, pool).read(1);
        export async function run() {
          const client = await pool.connect();
          await lock.run({ key: 2 }, client);
          client.release();
        }`,
      sends: [{ over: 'pool', cell: '[0].ok' }, { over: 'pool' }, { over: 'connection', cell: '[0].ok' }],
      effects: ['gives-back'],
    },
    {
      code: `import { PreparedQuery, TaggedQuery, type IDatabaseConnection } from '@pgtyped/runtime';
        const lockIR = { usedParamSet: { key: true }, params: [], statement: 'SELECT pg_try_advisory_lock(:key) AS ok' };
        export const lock = new PreparedQuery(lockIR);
        export const run = (connection: IDatabaseConnection) => lock.run({ key: 1 }, connection);
        export const counted = (connection: IDatabaseConnection) => lock.runWithCounts({ key: 1 }, connection);
        export const tagged = (query: TaggedQuery<any>) => query;`,
      sends: [
        { over: 'unknown', cell: '[0].ok' },
        { over: 'unknown', cell: 'result[0].ok' },
      ],
    },
    {
      code: `import sql from '@pgtyped/query';
        import type { PoolClient } from 'pg';
        const unlock = sql\`SELECT pg_advisory_unlock($key!)\`;
        export const run = (client: PoolClient) => unlock.run({ key: 1 }, client);`,
      sends: [{ over: 'connection' }],
    },
  ],
});
