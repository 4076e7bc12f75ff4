import { defineDriver } from './driver.js';
import type { Call, Fragment, Kind } from './driver.js';
import { nodePostgresQuery } from './shared/node-postgres.js';
import { pgPromiseMethods, pgPromisePlaceholders } from './shared/pg-promise.js';

const statement: Fragment = {
  sql: [{ argument: 0, property: 'text' }, { argument: 0 }],
  values: [{ argument: 0, property: 'values' }, { argument: 1 }],
  as: 'sql',
};

const call = { sql: [], functionName: { argument: 0 }, values: [{ argument: 1 }] } as const;

const inside = (kind: string): Call => ({
  callback: { argument: 'last', parameters: { 0: kind } },
  isolation: [{ argument: 0, property: 'mode.tiLevel' }],
});

const protocol: Kind = {
  methods: {
    ...pgPromiseMethods,
    func: {
      sends: { ...call, result: { shape: 'rows', at: [] } },
      variants: [{ when: [{ at: { argument: 2 }, present: true }], sends: { ...call, result: { shape: 'unknown' } } }],
    },
    proc: { usesConnection: true },
    stream: { sends: { sql: [{ argument: 0 }], result: { shape: 'unknown' } } },
    task: inside('task'),
    taskIf: inside('task'),
    tx: inside('transaction'),
    txIf: inside('transaction'),
  },
};

export default defineDriver({
  name: 'pg-promise',
  dialect: 'postgres',
  modules: ['pg-promise'],
  defaultIsNamespace: true,
  placeholders: pgPromisePlaceholders,
  exports: [
    { names: ['IDatabase'], type: 'database' },
    { names: ['IConnected'], type: 'connected' },
    { names: ['ITask', 'IBaseProtocol'], type: { kind: 'protocol', ambiguous: true } },
    { names: ['default'], call: { gives: 'initialized' } },
    { names: ['PreparedStatement', 'ParameterizedQuery'], new: 'statement', fragment: statement },
  ],
  kinds: {
    initialized: {
      call: {
        gives: {
          kind: 'database',
          singleWhen: [{ at: { argument: 0, property: 'max' }, equals: 1 }],
          lockTimeout: [{ argument: 0, property: 'lock_timeout' }],
          clientTimeout: [{ argument: 0, property: 'query_timeout' }],
          url: [
            { argument: 0 },
            { argument: 0, property: 'connectionString' },
            { argument: 0, property: 'host' },
            { argument: 0, property: 'port' },
          ],
        },
      },
      methods: { end: { effect: { does: 'closes' } } },
    },
    protocol,
    database: { role: 'pool', extends: 'protocol', methods: { connect: { resolves: 'connected' } } },
    connected: {
      role: 'connection',
      extends: 'protocol',
      methods: { done: { effect: { does: 'gives-back', destroysWhen: 'truthy-argument' } } },
      properties: { client: { kind: 'client', same: true } },
    },
    task: { role: 'connection', extends: 'protocol' },
    /** A task inside a transaction is part of it. */
    transaction: {
      role: 'transaction',
      extends: 'protocol',
      methods: { task: inside('transaction'), taskIf: inside('transaction') },
    },
    client: { methods: { query: nodePostgresQuery } },
    statement: {},
  },
  examples: [
    {
      code: `import pgPromise from 'pg-promise';
        const pgp = pgPromise();
        const db = pgp(process.env.DATABASE_URL);
        await db.query('SELECT pg_try_advisory_lock($1) AS ok', [1]);
        await db.any('SELECT pg_try_advisory_lock($(id)) AS ok', { id: 2 });
        await db.many('SELECT pg_try_advisory_lock($<id>) AS ok', { id: 3 });
        await db.manyOrNone('SELECT pg_try_advisory_lock(4) AS ok');
        await db.one('SELECT pg_try_advisory_lock(5) AS ok');
        await db.oneOrNone('SELECT pg_try_advisory_lock(6) AS ok');
        await db.none('SELECT pg_advisory_unlock(7)');
        await db.result('SELECT pg_try_advisory_lock(8) AS ok');
        await db.multi('SELECT pg_try_advisory_lock(9) AS ok');
        await db.multiResult('SELECT pg_try_advisory_lock(10) AS ok');
        await db.each('SELECT pg_try_advisory_lock(11) AS ok', [], console.log);
        await db.map('SELECT pg_try_advisory_lock(12) AS ok', [], (row) => row.ok);
        await db.one('SELECT pg_try_advisory_lock(13) AS ok', [], (row) => row.ok);
        await db.proc('refresh');
        pgp.end();`,
      sends: [
        { over: 'pool', cell: '[0].ok' },
        { over: 'pool', cell: '[0].ok' },
        { over: 'pool', cell: '[0].ok' },
        { over: 'pool', cell: '[0].ok' },
        { over: 'pool', cell: 'ok' },
        { over: 'pool', cell: 'ok' },
        { over: 'pool' },
        { over: 'pool', cell: 'rows[0].ok' },
        { over: 'pool', cell: '[0][0].ok' },
        { over: 'pool', cell: '[0].rows[0].ok' },
        { over: 'pool', cell: '[0].ok' },
        { over: 'pool' },
        { over: 'pool' },
      ],
      effects: ['closes'],
    },
    {
      code: `import pgPromise from 'pg-promise';
        import QueryStream from 'pg-query-stream';
        const db = pgPromise()({ connectionString: process.env.URL, max: 1 });
        await db.func('pg_try_advisory_lock', [1]);
        await db.func('pg_try_advisory_lock', [2], pgPromise.queryResult.one);
        await db.one(new pgPromise.PreparedStatement({ name: 'lock', text: 'SELECT pg_try_advisory_lock($1) AS ok', values: [3] }));
        await db.one(new pgPromise.ParameterizedQuery('SELECT pg_try_advisory_lock($1) AS ok'), [4]);
        await db.stream(new QueryStream('SELECT pg_try_advisory_lock(id) FROM jobs'), console.log);`,
      sends: [
        { over: 'single', sql: 'pg_try_advisory_lock', cell: '[0].pg_try_advisory_lock' },
        { over: 'single', sql: 'pg_try_advisory_lock' },
        { over: 'single', cell: 'ok' },
        { over: 'single', cell: 'ok' },
        { over: 'single', sql: 'FROM jobs' },
      ],
    },
    {
      code: `const pgp = require('pg-promise')();
        const db = pgp(process.env.DATABASE_URL);
        async function run() {
          await db.task('lock', async (t) => {
            await t.any('SELECT pg_advisory_lock(1)');
            await t.tx(async (tx) => {
              await tx.any('SELECT pg_advisory_xact_lock(2)');
              await tx.task(async (inner) => { await inner.any('SELECT pg_advisory_xact_lock(3)'); });
              await tx.taskIf(async (inner) => { await inner.any('SELECT pg_advisory_xact_lock(4)'); });
              await db.any('SELECT pg_advisory_lock(5)');
            });
          });
          await db.taskIf({ cnd: true }, async (t) => { await t.any('SELECT pg_advisory_lock(6)'); });
          await db.tx({ mode }, async (t) => { await t.any('SELECT pg_advisory_xact_lock(7)'); });
          await db.txIf(async (t) => { await t.any('SELECT pg_advisory_xact_lock(8)'); });
          const connected = await db.connect();
          await connected.any('SELECT pg_advisory_lock(9)');
          await connected.client.query('SELECT pg_advisory_lock(10)');
          connected.done(true);
        }`,
      sends: [
        { over: 'connection' },
        { over: 'transaction' },
        { over: 'transaction' },
        { over: 'transaction' },
        { over: 'pool' },
        { over: 'connection' },
        { over: 'transaction' },
        { over: 'transaction' },
        { over: 'connection' },
        { over: 'connection' },
      ],
      effects: ['gives-back'],
    },
    {
      code: `import type { IBaseProtocol, IConnected, IDatabase, ITask } from 'pg-promise';
        export const a = (db: IDatabase<{}>) => db.any('SELECT pg_advisory_lock(1)');
        export const b = (connected: IConnected<{}, any>) => connected.any('SELECT pg_advisory_lock(2)');
        export const c = (t: ITask<{}>) => t.any('SELECT pg_advisory_lock(3)');
        export const d = (protocol: IBaseProtocol<{}>) => protocol.any('SELECT pg_advisory_lock(4)');`,
      sends: [{ over: 'pool' }, { over: 'connection' }, { over: 'unknown' }, { over: 'unknown' }],
    },
  ],
});
