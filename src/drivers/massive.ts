import { defineDriver } from './driver.js';
import type { Call, Kind, Result } from './driver.js';
import { pgPromiseMethods, pgPromisePlaceholders } from './shared/pg-promise.js';

const text = { sql: [{ argument: 0 }], values: [{ argument: 1 }], multipleStatements: true } as const;
const row: Result = { shape: 'row', at: [] };

const query: Call = {
  sends: { ...text, result: { shape: 'rows', at: [] } },
  variants: [
    { when: [{ at: { argument: 2, property: 'single' }, equals: true }], sends: { ...text, result: row } },
    {
      when: [{ at: { argument: 2, property: 'stream' }, equals: true }],
      sends: { ...text, result: { shape: 'unknown' } },
    },
  ],
};

/** pg-promise's own object for the same database. */
const instance: Kind = {
  methods: { one: pgPromiseMethods.one, any: pgPromiseMethods.any, none: pgPromiseMethods.none },
};

export default defineDriver({
  name: 'massive',
  dialect: 'postgres',
  modules: ['massive'],
  defaultIsNamespace: true,
  placeholders: pgPromisePlaceholders,
  exports: [
    {
      names: ['default'],
      call: {
        resolves: {
          kind: 'database',
          singleWhen: [{ at: { argument: 0, property: 'poolSize' }, equals: 1 }],
          url: [{ argument: 0 }, { argument: 0, property: 'connectionString' }, { argument: 0, property: 'host' }],
        },
      },
    },
    { names: ['Database'], type: { kind: 'database', ambiguous: true } },
  ],
  distinctiveMethods: { withConnection: 'database' },
  kinds: {
    database: {
      role: 'pool',
      methods: {
        query,
        withConnection: { callback: { argument: 0, parameters: { 0: 'connection' } } },
        withTransaction: { callback: { argument: 0, parameters: { 0: 'transaction' } } },
      },
      properties: { instance: { kind: 'instance', same: true } },
      otherMembers: 'use-connection',
    },
    connection: { role: 'connection', extends: 'database', otherMembers: 'use-connection' },
    transaction: { role: 'transaction', extends: 'database', otherMembers: 'use-connection' },
    instance,
  },
  examples: [
    {
      code: `const massive = require('massive');
        async function run() {
          const db = await massive(process.env.DATABASE_URL);
          await db.query('SELECT pg_try_advisory_lock($1) AS ok', [1]);
          await db.query('SELECT pg_try_advisory_lock($1) AS ok', [2], { single: true });
          await db.query('SELECT pg_try_advisory_lock(id) FROM jobs', [], { stream: true });
          await db.instance.one('SELECT pg_try_advisory_lock(3) AS ok');
          await db.instance.any('SELECT pg_try_advisory_lock(4) AS ok');
          await db.instance.none('SELECT pg_advisory_unlock(4)');
          await db.refreshJobs();
        }`,
      sends: [
        { over: 'pool', cell: '[0].ok' },
        { over: 'pool', cell: 'ok' },
        { over: 'pool' },
        { over: 'pool', cell: 'ok' },
        { over: 'pool', cell: '[0].ok' },
        { over: 'pool' },
      ],
    },
    {
      code: `import massive from 'massive';
        const db = await massive({ poolSize: 1 });
        await db.query('SELECT pg_advisory_lock(1)');
        await db.withConnection(async (connection) => { await connection.query('SELECT pg_advisory_lock(2)'); });
        await db.withTransaction(async (tx) => {
          await tx.query('SELECT pg_advisory_xact_lock(3)');
          await db.query('SELECT pg_advisory_lock(4)');
        });`,
      sends: [{ over: 'single' }, { over: 'connection' }, { over: 'transaction' }, { over: 'single' }],
    },
    {
      code: `import type { Database } from 'massive';
        export const lock = (db: Database) => db.query('SELECT pg_advisory_lock(1)');`,
      sends: [{ over: 'unknown' }],
    },
  ],
});
