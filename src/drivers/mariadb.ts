import { defineDriver } from './driver.js';
import type { Call, GiveDetails, Kind, Result, Sends } from './driver.js';

/** The option `timeout` is the server's own `max_statement_time`, so no statement outlives it. */
const text = {
  sql: [{ argument: 0, property: 'sql' }, { argument: 0 }],
  values: [{ argument: 1 }],
} as const;

const rows: Result = { shape: 'rows', at: [] };
const rowArrays: Result = { shape: 'row-arrays', at: [] };
const unknown: Result = { shape: 'unknown' };
const option = (property: string) => ({ at: { argument: 0, property }, equals: true }) as const;

const sendBy = (send: (result: Result) => Sends): Call => ({
  sends: send(rows),
  variants: [
    { when: [option('rowsAsArray'), option('metaAsArray')], sends: send({ shape: 'row-arrays', at: ['0'] }) },
    { when: [option('rowsAsArray')], sends: send(rowArrays) },
    { when: [option('metaAsArray')], sends: send({ shape: 'rows', at: ['0'] }) },
    { when: [{ at: { argument: 0, property: 'nestTables' }, present: true }], sends: send(unknown) },
  ],
});

const query = sendBy((result) => ({ ...text, result }));

/** The callback gets the meta data as a parameter of its own, whatever `metaAsArray` says. */
const sendByCallback = (result: Result): Sends => ({
  ...text,
  result: unknown,
  callback: { argument: 'last', parameter: 1, result },
});
const callbackQuery: Call = {
  sends: sendByCallback(rows),
  variants: [
    { when: [option('rowsAsArray')], sends: sendByCallback(rowArrays) },
    { when: [{ at: { argument: 0, property: 'nestTables' }, present: true }], sends: sendByCallback(unknown) },
  ],
};

const pool: Omit<GiveDetails, 'kind'> = {
  singleWhen: [{ at: { argument: 0, property: 'connectionLimit' }, equals: 1 }],
  resetsOnReleaseWhen: [{ at: { argument: 0, property: 'resetAfterUse' }, equals: true }],
  url: [{ argument: 0 }, { argument: 0, property: 'host' }, { argument: 0, property: 'port' }],
};

const closes: Call = { effect: { does: 'closes' } };

const poolOf = (send: Call, getConnection: Call): Kind => ({
  role: 'pool',
  methods: { query: send, execute: send, batch: send, getConnection, end: closes },
});

const connectionOf = (send: Call, statement: string): Kind => ({
  role: 'connection',
  methods: {
    query: send,
    execute: send,
    batch: send,
    prepare: {
      fragment: { sql: [{ argument: 0, property: 'sql' }, { argument: 0 }], as: 'sql' },
      resolves: { kind: statement, same: true },
      callback: { argument: 'last', parameters: { 1: { kind: statement, same: true } }, runs: 'later' },
    },
    beginTransaction: { effect: { does: 'begins' } },
    commit: { effect: { does: 'commits' } },
    rollback: { effect: { does: 'rolls-back' } },
    end: closes,
    destroy: closes,
    close: closes,
  },
});

/** An open transaction is rolled back; locks stay. On a connection of a pool, `end` and `close` are other names for `release`. */
const givesBack: Call = { effect: { does: 'gives-back', rollsBack: true } };
const release = { release: givesBack, end: givesBack, close: givesBack } as const satisfies Kind['methods'];

const promise = ['mariadb', 'mariadb/promise'] as const;
const callback = ['mariadb/callback'] as const;
const takeConnection: Call = { resolves: 'pool-connection' };
const takeByCallback: Call = {
  callback: { argument: 'last', parameters: { 1: 'callback-pool-connection' }, runs: 'later' },
};

export default defineDriver({
  name: 'mariadb',
  dialect: 'mysql',
  modules: ['mariadb', 'mariadb/promise', 'mariadb/callback'],
  defaultIsNamespace: true,
  placeholders: ['question-mark', 'colon'],
  exports: [
    { names: ['PoolConnection'], modules: promise, type: 'pool-connection' },
    { names: ['Connection'], modules: promise, type: 'connection' },
    { names: ['Pool', 'FilteredPoolCluster'], modules: promise, type: 'pool' },
    { names: ['createPool'], modules: promise, call: { gives: { kind: 'pool', ...pool } } },
    { names: ['createConnection'], modules: promise, call: { resolves: 'connection' } },
    { names: ['createPoolCluster'], modules: promise, call: { gives: 'cluster' } },
    { names: ['PoolConnection'], modules: callback, type: 'callback-pool-connection' },
    { names: ['Connection'], modules: callback, type: 'callback-connection' },
    { names: ['Pool', 'FilteredPoolCluster'], modules: callback, type: 'callback-pool' },
    { names: ['createPool'], modules: callback, call: { gives: { kind: 'callback-pool', ...pool } } },
    { names: ['createConnection'], modules: callback, call: { gives: 'callback-connection' } },
    { names: ['createPoolCluster'], modules: callback, call: { gives: 'callback-cluster' } },
  ],
  kinds: {
    pool: { ...poolOf(query, takeConnection), dispose: { does: 'closes' } },
    connection: { ...connectionOf(query, 'statement'), dispose: { does: 'closes' } },
    'pool-connection': { role: 'connection', extends: 'connection', methods: release, dispose: { does: 'gives-back' } },
    statement: { methods: { execute: { sends: { sql: [{ receiver: true }], values: [{ argument: 0 }], result: rows } } } },
    cluster: { methods: { of: { gives: 'pool' }, getConnection: takeConnection, end: closes } },
    'callback-pool': poolOf(callbackQuery, takeByCallback),
    'callback-connection': connectionOf(callbackQuery, 'callback-statement'),
    'callback-pool-connection': { role: 'connection', extends: 'callback-connection', methods: release },
    'callback-statement': {
      methods: {
        execute: {
          sends: {
            sql: [{ receiver: true }],
            values: [{ argument: 0 }],
            result: unknown,
            callback: { argument: 'last', parameter: 1, result: rows },
          },
        },
      },
    },
    'callback-cluster': { methods: { of: { gives: 'callback-pool' }, getConnection: takeByCallback, end: closes } },
  },
  examples: [
    {
      code: `import mariadb from 'mariadb';
        const pool = mariadb.createPool({ host: 'localhost', resetAfterUse: true });
        const rows = await pool.query('SELECT GET_LOCK(?, 5) AS ok', ['jobs']);
        await pool.execute({ sql: "SELECT RELEASE_LOCK('jobs') AS ok", timeout: 1000 });
        await pool.query({ sql: "SELECT RELEASE_LOCK('jobs') AS ok", rowsAsArray: true });
        await pool.query({ sql: "SELECT RELEASE_LOCK('jobs') AS ok", metaAsArray: true });
        await pool.query({ sql: "SELECT RELEASE_LOCK('jobs') AS ok", metaAsArray: true, rowsAsArray: true });
        await pool.query({ sql: "SELECT RELEASE_LOCK('jobs') AS ok", nestTables: '_' });
        await pool.batch("SELECT RELEASE_LOCK(?) AS ok", [['a'], ['b']]);
        await pool.end();`,
      sends: [
        { over: 'pool', cell: '[0].ok' },
        { over: 'pool', cell: '[0].ok' },
        { over: 'pool', cell: '[0][0]' },
        { over: 'pool', cell: '[0][0].ok' },
        { over: 'pool', cell: '[0][0][0]' },
        { over: 'pool' },
        { over: 'pool' },
      ],
      effects: ['closes'],
    },
    {
      code: `import { createConnection, createPool, createPoolCluster } from 'mariadb/promise';
        const pool = createPool({ connectionLimit: 1 });
        await pool.query("SELECT GET_LOCK('jobs', 5)");
        export async function run(failed: boolean) {
          const connection = await createPool({}).getConnection();
          await connection.beginTransaction();
          await connection.query("SELECT GET_LOCK('jobs', 5) AS ok");
          if (failed) await connection.rollback();
          else await connection.commit();
          if (failed) connection.destroy();
          else await connection.release();
          const own = await createConnection({});
          const statement = await own.prepare('SELECT GET_LOCK(?, 5) AS ok');
          await statement.execute(['jobs']);
          if (failed) own.close();
          else await own.end();
          const cluster = createPoolCluster();
          await cluster.of('*').query("SELECT GET_LOCK('jobs', 5)");
          const member = await cluster.getConnection();
          await member.query("SELECT GET_LOCK('jobs', 5)");
          await member.release();
          await cluster.end();
        }
        export async function scoped() {
          await using connection = await createPool({}).getConnection();
          await connection.query("SELECT GET_LOCK('jobs', 5)");
        }`,
      sends: [
        { over: 'single' },
        { over: 'connection', cell: '[0].ok' },
        { over: 'connection', cell: '[0].ok' },
        { over: 'pool' },
        { over: 'connection' },
        { over: 'connection' },
      ],
      effects: [
        'begins',
        'rolls-back',
        'commits',
        'closes',
        'gives-back',
        'closes',
        'closes',
        'gives-back',
        'closes',
        'gives-back',
      ],
    },
    {
      code: `import { createConnection, createPool, createPoolCluster } from 'mariadb/callback';
        const pool = createPool({});
        pool.query("SELECT GET_LOCK('jobs', 5) AS ok", (err, rows) => console.log(rows[0].ok));
        pool.getConnection((err, connection) => {
          connection.query("SELECT GET_LOCK('jobs', 5)", () => connection.release());
        });
        export function run() {
          const connection = createConnection({});
          connection.prepare('SELECT GET_LOCK(?, 5)', (err, statement) => statement.execute(['jobs'], console.log));
          connection.end();
          createPoolCluster().of('*').query("SELECT GET_LOCK('jobs', 5)");
        }`,
      sends: [{ over: 'pool' }, { over: 'connection' }, { over: 'connection' }, { over: 'pool' }],
      effects: ['gives-back', 'closes'],
    },
    {
      code: `import type { Connection, FilteredPoolCluster, Pool, PoolConnection } from 'mariadb';
        export const a = (pool: Pool) => pool.query("SELECT GET_LOCK('jobs', 5)");
        export const b = (cluster: FilteredPoolCluster) => cluster.query("SELECT GET_LOCK('jobs', 5)");
        export const c = (connection: Connection) => connection.query("SELECT GET_LOCK('jobs', 5)");
        export const d = (connection: PoolConnection) => connection.query("SELECT GET_LOCK('jobs', 5)");`,
      sends: [{ over: 'pool' }, { over: 'pool' }, { over: 'connection' }, { over: 'connection' }],
    },
    {
      code: `import type { Connection, FilteredPoolCluster, Pool, PoolConnection } from 'mariadb/callback';
        export const a = (pool: Pool) => pool.query("SELECT GET_LOCK('jobs', 5)");
        export const b = (cluster: FilteredPoolCluster) => cluster.query("SELECT GET_LOCK('jobs', 5)");
        export const c = (connection: Connection) => connection.query("SELECT GET_LOCK('jobs', 5)");
        export const d = (connection: PoolConnection) => connection.query("SELECT GET_LOCK('jobs', 5)");`,
      sends: [{ over: 'pool' }, { over: 'pool' }, { over: 'connection' }, { over: 'connection' }],
    },
  ],
});
