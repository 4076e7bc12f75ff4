import { defineDriver } from './driver.js';
import { mysqlKinds, mysqlPoolConfiguration } from './shared/mysql.js';

export default defineDriver({
  name: 'mysql',
  dialect: 'mysql',
  modules: ['mysql'],
  defaultIsNamespace: true,
  placeholders: ['question-mark'],
  binding: { undefined: 'null', null: 'null' },
  exports: [
    { names: ['Pool'], type: 'pool' },
    { names: ['PoolConnection'], type: 'pool-connection' },
    { names: ['Connection'], type: 'connection' },
    { names: ['createPool'], call: { gives: { kind: 'pool', ...mysqlPoolConfiguration } } },
    { names: ['createConnection'], call: { gives: 'connection' } },
    { names: ['createPoolCluster'], call: { gives: 'cluster' } },
  ],
  kinds: mysqlKinds,
  examples: [
    {
      code: `import mysql from 'mysql';
        const pool = mysql.createPool({ host: 'localhost' });
        pool.query("SELECT GET_LOCK('jobs', 5) AS ok", (err, rows) => console.log(rows[0].ok));
        pool.query({ sql: "SELECT GET_LOCK(?, 5) AS ok", values: ['jobs'], timeout: 1000 }, (err, rows) => console.log(rows));
        pool.getConnection((err, connection) => {
          connection.query("SELECT RELEASE_LOCK('jobs') AS ok", () => connection.release());
        });
        pool.getConnection((err, connection) => {
          connection.query("SELECT RELEASE_LOCK('jobs') AS ok", () => connection.destroy());
        });
        pool.end();`,
      sends: [{ over: 'pool' }, { over: 'pool' }, { over: 'connection' }, { over: 'connection' }],
      effects: ['gives-back', 'closes', 'closes'],
    },
    {
      code: `const mysql = require('mysql');
        function run() {
          const connection = mysql.createConnection(process.env.URL);
          connection.beginTransaction((err) => {
            connection.query("SELECT GET_LOCK('jobs', 5)", (error) => {
              if (error) connection.rollback(() => connection.end());
              else connection.commit(() => connection.end());
            });
          });
        }
        function cluster() {
          const members = mysql.createPoolCluster();
          members.of('*').query("SELECT GET_LOCK('jobs', 5)");
          members.getConnection((err, connection) => connection.query("SELECT GET_LOCK('jobs', 5)"));
          members.end();
        }
        function single() {
          const pool = mysql.createPool({ connectionLimit: 1 });
          pool.query("SELECT GET_LOCK('jobs', 5)");
        }`,
      sends: [{ over: 'connection' }, { over: 'pool' }, { over: 'connection' }, { over: 'single' }],
      effects: ['begins', 'rolls-back', 'closes', 'commits', 'closes', 'closes'],
    },
    {
      code: `import type { Connection, Pool, PoolConnection } from 'mysql';
        export const a = (pool: Pool) => pool.query("SELECT GET_LOCK('jobs', 5)");
        export const b = (connection: PoolConnection) => connection.query("SELECT GET_LOCK('jobs', 5)");
        export const c = (connection: Connection) => connection.query("SELECT GET_LOCK('jobs', 5)");`,
      sends: [{ over: 'pool' }, { over: 'connection' }, { over: 'connection' }],
    },
  ],
});
