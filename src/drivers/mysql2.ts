import { defineDriver } from './driver.js';
import type { Call } from './driver.js';
import { mysql2Query, mysql2Text, mysqlKinds, mysqlPlaceholders, mysqlPoolConfiguration } from './shared/mysql.js';

const query: Call = {
  sends: { ...mysql2Text, result: { shape: 'rows', at: ['0'] } },
  variants: [
    {
      when: [{ at: { argument: 0, property: 'rowsAsArray' }, equals: true }],
      sends: { ...mysql2Text, result: { shape: 'row-arrays', at: ['0'] } },
    },
    {
      when: [{ at: { argument: 0, property: 'nestTables' }, present: true }],
      sends: { ...mysql2Text, result: { shape: 'unknown' } },
    },
  ],
};

const prepare: Call = {
  fragment: { sql: [{ argument: 0, property: 'sql' }, { argument: 0 }], as: 'sql' },
  resolves: { kind: 'promise-statement', same: true },
};

const pool = {
  ...mysqlPoolConfiguration,
  resetsOnReleaseWhen: [{ at: { argument: 0, property: 'resetOnRelease' }, equals: true }],
} as const;

const promise = ['mysql2/promise'] as const;
const callback = ['mysql2'] as const;

export default defineDriver({
  name: 'mysql2',
  dialect: 'mysql',
  modules: ['mysql2', 'mysql2/promise'],
  defaultIsNamespace: true,
  placeholders: mysqlPlaceholders,
  binding: { undefined: 'throws', null: 'null' },
  exports: [
    {
      names: ['Pool'],
      modules: promise,
      type: 'promise-pool',
    },
    { names: ['createPool'], modules: promise, call: { gives: { kind: 'promise-pool', ...pool } } },
    { names: ['createConnection'], modules: promise, call: { resolves: 'promise-connection' } },
    { names: ['createPoolCluster'], modules: promise, call: { gives: 'promise-cluster' } },
    { names: ['PoolNamespace'], modules: promise, type: 'promise-pool' },
    { names: ['PoolCluster'], modules: promise, type: 'promise-cluster' },
    { names: ['PoolConnection'], modules: promise, type: 'promise-pool-connection' },
    { names: ['Connection'], modules: promise, type: 'promise-connection' },
    { names: ['Pool'], modules: callback, type: 'pool' },
    { names: ['createPool'], modules: callback, call: { gives: { kind: 'pool', ...pool } } },
    { names: ['createConnection'], modules: callback, call: { gives: 'connection' } },
    { names: ['createPoolCluster'], modules: callback, call: { gives: 'cluster' } },
    { names: ['PoolNamespace'], modules: callback, type: 'pool' },
    { names: ['PoolCluster'], modules: callback, type: 'cluster' },
    { names: ['PoolConnection'], modules: callback, type: 'pool-connection' },
    { names: ['Connection'], modules: callback, type: 'connection' },
  ],
  kinds: {
    ...mysqlKinds,
    pool: {
      ...mysqlKinds.pool,
      methods: {
        ...mysqlKinds.pool.methods,
        query: mysql2Query,
        execute: mysql2Query,
        releaseConnection: { effect: { does: 'gives-back', of: { argument: 0 } } },
        promise: { gives: { kind: 'promise-pool', same: true } },
      },
      dispose: { does: 'closes' },
    },
    connection: {
      ...mysqlKinds.connection,
      methods: {
        ...mysqlKinds.connection.methods,
        query: mysql2Query,
        execute: mysql2Query,
        promise: { gives: { kind: 'promise-connection', same: true } },
        prepare: {
          ...prepare,
          callback: { argument: 'last', parameters: { 1: { kind: 'statement', same: true } }, runs: 'later' },
        },
      },
      dispose: { does: 'closes' },
    },
    'pool-connection': {
      ...mysqlKinds['pool-connection'],
      methods: {
        ...mysqlKinds['pool-connection'].methods,
        promise: { gives: { kind: 'promise-pool-connection', same: true } },
      },
      dispose: { does: 'gives-back' },
    },
    statement: {
      methods: {
        execute: {
          sends: {
            sql: [{ receiver: true }],
            values: [{ argument: 0 }],
            result: { shape: 'unknown' },
            callback: { argument: 'last', parameter: 1, result: { shape: 'rows', at: [] } },
          },
        },
      },
    },
    'promise-pool': {
      role: 'pool',
      methods: {
        query,
        execute: query,
        getConnection: { resolves: 'promise-pool-connection' },
        releaseConnection: { effect: { does: 'gives-back', of: { argument: 0 } } },
        end: { effect: { does: 'closes' } },
      },
      dispose: { does: 'closes' },
    },
    'promise-connection': {
      role: 'connection',
      methods: {
        query,
        execute: query,
        prepare,
        beginTransaction: { effect: { does: 'begins' } },
        commit: { effect: { does: 'commits' } },
        rollback: { effect: { does: 'rolls-back' } },
        end: { effect: { does: 'closes' } },
        destroy: { effect: { does: 'closes' } },
      },
      dispose: { does: 'closes' },
    },
    'promise-pool-connection': {
      role: 'connection',
      extends: 'promise-connection',
      methods: { release: { effect: { does: 'gives-back' } }, end: { effect: { does: 'gives-back' } } },
      properties: { connection: { kind: 'promise-connection', same: true } },
      dispose: { does: 'gives-back' },
    },
    'promise-statement': {
      methods: {
        execute: {
          sends: { sql: [{ receiver: true }], values: [{ argument: 0 }], result: { shape: 'rows', at: ['0'] } },
        },
      },
    },
    'promise-cluster': {
      methods: {
        of: { gives: 'promise-pool' },
        getConnection: { resolves: 'promise-pool-connection' },
        end: { effect: { does: 'closes' } },
      },
      dispose: { does: 'closes' },
    },
  },
  examples: [
    {
      code: `import mysql from 'mysql2/promise';
        const pool = mysql.createPool({ uri: process.env.DATABASE_URL });
        const [rows] = await pool.query('SELECT GET_LOCK(?, 5) AS ok', ['jobs']);
        await pool.execute({ sql: "SELECT RELEASE_LOCK('jobs') AS ok", timeout: 1000 });
        await pool.query({ sql: "SELECT RELEASE_LOCK('jobs') AS ok", rowsAsArray: true });
        await pool.query({ sql: "SELECT RELEASE_LOCK('jobs') AS ok", nestTables: '_' });
        await pool.end();`,
      sends: [
        { over: 'pool', cell: '[0][0].ok' },
        { over: 'pool', cell: '[0][0].ok' },
        { over: 'pool', cell: '[0][0][0]' },
        { over: 'pool' },
      ],
      effects: ['closes'],
    },
    {
      code: `import { createPool } from 'mysql2/promise';
        const pool = createPool({ connectionLimit: 1, resetOnRelease: true });
        await pool.query("SELECT GET_LOCK('jobs', 5)");`,
      sends: [{ over: 'single' }],
    },
    {
      code: `import { createPool } from 'mysql2/promise';
        const pool = createPool({});
        export async function run(failed: boolean) {
          const connection = await pool.getConnection();
          await connection.beginTransaction();
          await connection.query("SELECT GET_LOCK('jobs', 5) AS ok");
          await connection.connection.query("SELECT IS_FREE_LOCK('jobs')");
          if (failed) await connection.rollback();
          else await connection.commit();
          if (failed) connection.destroy();
          else connection.release();
          const other = await pool.getConnection();
          await other.query("SELECT GET_LOCK('other', 5)");
          pool.releaseConnection(other);
          const third = await pool.getConnection();
          await third.execute("SELECT GET_LOCK('third', 5)");
          await third.end();
        }`,
      sends: [
        { over: 'connection', cell: '[0][0].ok' },
        { over: 'connection' },
        { over: 'connection' },
        { over: 'connection' },
      ],
      effects: ['begins', 'rolls-back', 'commits', 'closes', 'gives-back', 'gives-back', 'gives-back'],
    },
    {
      code: `import { createConnection, createPool } from 'mysql2/promise';
        export async function run() {
          const connection = await createConnection(process.env.URL);
          const statement = await connection.prepare('SELECT GET_LOCK(?, 5) AS ok');
          await statement.execute(['jobs']);
          await connection.end();
        }
        export async function scoped() {
          await using connection = await createPool({}).getConnection();
          await connection.query("SELECT GET_LOCK('jobs', 5)");
        }`,
      sends: [{ over: 'connection', cell: '[0][0].ok' }, { over: 'connection' }],
      effects: ['closes', 'gives-back'],
    },
    {
      code: `import { createPoolCluster } from 'mysql2/promise';
        const cluster = createPoolCluster();
        await cluster.of('*').query("SELECT GET_LOCK('jobs', 5)");
        export async function run() {
          const connection = await cluster.getConnection('primary');
          await connection.query("SELECT GET_LOCK('jobs', 5)");
          connection.release();
          await cluster.end();
        }`,
      sends: [{ over: 'pool' }, { over: 'connection' }],
      effects: ['gives-back', 'closes'],
    },
    {
      code: `const mysql = require('mysql2');
        const pool = mysql.createPool({});
        pool.query("SELECT GET_LOCK('jobs', 5) AS ok", (err, rows) => console.log(rows[0].ok));
        pool.execute({ sql: "SELECT GET_LOCK('jobs', 5)", rowsAsArray: true }, (err, rows) => console.log(rows[0][0]));
        pool.promise().query("SELECT GET_LOCK('jobs', 5) AS ok");
        pool.getConnection((err, connection) => {
          connection.query("SELECT GET_LOCK('jobs', 5)", () => connection.release());
          connection.promise().query("SELECT RELEASE_LOCK('jobs') AS ok");
        });
        pool.getConnection((err, connection) => {
          connection.execute("SELECT GET_LOCK('jobs', 5)", () => pool.releaseConnection(connection));
        });
        pool.getConnection((err, connection) => {
          connection.query("SELECT GET_LOCK('jobs', 5)", () => connection.end());
        });
        pool.end();`,
      sends: [
        { over: 'pool' },
        { over: 'pool' },
        { over: 'pool', cell: '[0][0].ok' },
        { over: 'connection' },
        { over: 'connection', cell: '[0][0].ok' },
        { over: 'connection' },
        { over: 'connection' },
      ],
      effects: ['gives-back', 'gives-back', 'gives-back', 'closes'],
    },
    {
      code: `import { createConnection, createPoolCluster } from 'mysql2';
        export function run() {
          const connection = createConnection({});
          connection.beginTransaction((err) => {
            connection.query("SELECT GET_LOCK('jobs', 5)", (error) => {
              if (error) connection.rollback(() => connection.destroy());
              else connection.commit(() => connection.end());
            });
          });
          connection.prepare('SELECT GET_LOCK(?, 5)', (err, statement) => statement.execute(['jobs'], console.log));
          connection.promise().execute("SELECT RELEASE_LOCK('jobs')");
          const cluster = createPoolCluster();
          cluster.of('*').query("SELECT GET_LOCK('jobs', 5)");
          cluster.getConnection((err, member) => {
            member.query("SELECT GET_LOCK('jobs', 5)");
            member.release();
          });
          cluster.end();
        }`,
      effects: ['begins', 'rolls-back', 'closes', 'commits', 'closes', 'gives-back', 'closes'],
      sends: [
        { over: 'connection' },
        { over: 'connection' },
        { over: 'connection' },
        { over: 'pool' },
        { over: 'connection' },
      ],
    },
    {
      code: `import type { Connection, Pool, PoolCluster, PoolConnection, PoolNamespace } from 'mysql2/promise';
        export const onPool = (pool: Pool) => pool.query("SELECT GET_LOCK('jobs', 5)");
        export const onNamespace = (pool: PoolNamespace) => pool.query("SELECT GET_LOCK('jobs', 5)");
        export const onCluster = (cluster: PoolCluster) => cluster.of('*').query("SELECT GET_LOCK('jobs', 5)");
        export const onConnection = (connection: Connection) => connection.query("SELECT GET_LOCK('jobs', 5)");
        export const onPoolConnection = (connection: PoolConnection) => connection.query("SELECT GET_LOCK('jobs', 5)");`,
      sends: [{ over: 'pool' }, { over: 'pool' }, { over: 'pool' }, { over: 'connection' }, { over: 'connection' }],
    },
    {
      code: `import type { Connection, Pool, PoolCluster, PoolConnection, PoolNamespace } from 'mysql2';
        export const onPool = (pool: Pool) => pool.promise().query("SELECT GET_LOCK('jobs', 5)");
        export const onNamespace = (pool: PoolNamespace) => pool.query("SELECT GET_LOCK('jobs', 5)");
        export const onCluster = (cluster: PoolCluster) => cluster.of('*').query("SELECT GET_LOCK('jobs', 5)");
        export const onConnection = (connection: Connection) => connection.promise().query("SELECT GET_LOCK('jobs', 5)");
        export const onPoolConnection = (connection: PoolConnection) => connection.query("SELECT GET_LOCK('jobs', 5)");`,
      sends: [{ over: 'pool' }, { over: 'pool' }, { over: 'pool' }, { over: 'connection' }, { over: 'connection' }],
    },
  ],
});
