import { setTimeout as pause } from 'node:timers/promises';
import mysql, { type RowDataPacket } from 'mysql2/promise';
import { inject } from 'vitest';
import type { Laboratory, Lock } from './laboratory.js';
import type { Statement, Tap } from './tap.js';

const schema = `
  CREATE TABLE price (amount int NOT NULL);
  CREATE TABLE jobs (id int PRIMARY KEY, name varchar(60) NOT NULL, created int NOT NULL);
  INSERT INTO jobs VALUES (1, 'job 1', 2), (2, 'job 2', 1);
`;

/** The laboratory for MySQL's locks, on the shared MariaDB server; null where there is none. Names of locks belong to the whole server. */
export async function openMariadbLaboratory(): Promise<Laboratory | null> {
  const server = inject('servers').mariadb;
  if (!server) return null;
  const database = `laboratory_${process.pid}_${Math.random().toString(36).slice(2)}`;
  const observer = await mysql.createConnection({ ...server, user: 'root', multipleStatements: true });
  const rival = await mysql.createConnection({ ...server, user: 'root' });
  // The plugin shows user locks in a table, as pg_locks does.
  await observer.query("INSTALL SONAME 'metadata_lock_info'").catch(() => undefined);
  await observer.query(`CREATE DATABASE ${database}_empty; CREATE DATABASE ${database}; USE ${database}; ${schema}`);
  const [[version]] = await observer.query<RowDataPacket[]>('SELECT version() AS version');
  const theirs = `p.DB IN ('${database}', '${database}_empty') AND p.ID <> connection_id()`;

  const sessions = async (): Promise<{ backend: number; state: string }[]> => {
    const [rows] = await observer.query<RowDataPacket[]>(
      `SELECT p.ID AS backend, if(p.COMMAND = 'Sleep', 'idle', 'active') AS state FROM information_schema.PROCESSLIST p WHERE ${theirs} ORDER BY p.ID`,
    );
    return rows.map(({ backend, state }) => ({ backend: Number(backend), state: String(state) }));
  };

  return {
    version: String(version?.['version']),
    sql: {
      begin: 'BEGIN',
      take: (key) => `SELECT GET_LOCK(${mysql.escape(key)}, 0)`,
      free: ({ key }) => `SELECT RELEASE_LOCK(${mysql.escape(key)})`,
    },
    account: (circumstance) => ({ user: 'root', database: circumstance === 'a statement fails' ? `${database}_empty` : database }),
    openTap(ended) {
      const statements: Statement[] = [];
      return Promise.resolve<Tap>({
        port: server.port,
        statements,
        left: new Set(),
        async observe(sql, backend, run, answersIn) {
          const statement: Statement = { sql, backend, rows: 0, answers: [], notices: [], error: null, sentAt: performance.now(), endedAt: Infinity };
          statements.push(statement);
          try {
            const result = await run();
            const answers = answersIn(result);
            statement.answers.push(...answers);
            statement.rows = answers.length;
            return result;
          } catch (error) {
            statement.error = { code: String(error instanceof Error && 'errno' in error ? error.errno : ''), message: String(error) };
            throw error;
          } finally {
            statement.endedAt = performance.now();
            await ended(statement);
          }
        },
        close: async () => {},
      });
    },
    sessions,
    async locks() {
      const [rows] = await observer.query<RowDataPacket[]>(
        `SELECT p.ID AS backend, if(p.COMMAND = 'Sleep', 'idle', 'active') AS state, m.TABLE_SCHEMA AS name, true AS granted
         FROM information_schema.METADATA_LOCK_INFO m JOIN information_schema.PROCESSLIST p ON p.ID = m.THREAD_ID
         WHERE m.LOCK_TYPE = 'User lock' AND ${theirs}
         UNION ALL
         SELECT p.ID, 'active', '', false FROM information_schema.PROCESSLIST p WHERE p.STATE = 'User lock' AND ${theirs}
         ORDER BY backend, name`,
      );
      return rows.map(({ backend, state, name, granted }): Lock => ({ backend: Number(backend), state: String(state), key: String(name), mode: 'User lock', granted: Boolean(granted) }));
    },
    async hasOpenTransactions() {
      const open = async (): Promise<boolean> => {
        const [rows] = await observer.query<RowDataPacket[]>(
          `SELECT 1 FROM information_schema.INNODB_TRX t JOIN information_schema.PROCESSLIST p ON p.ID = t.trx_mysql_thread_id WHERE ${theirs}`,
        );
        return rows.length > 0;
      };
      // The server shows what it saw up to a tenth of a second ago.
      for (let attempt = 0; attempt < 4; attempt++) {
        if (!(await open())) return false;
        await pause(120);
      }
      return true;
    },
    async ask(sql) {
      const [rows] = await observer.query<RowDataPacket[]>(sql);
      return rows;
    },
    async takeElsewhere({ key }) {
      const [[row]] = await rival.query<RowDataPacket[]>('SELECT GET_LOCK(?, 0) AS ok', [key]);
      return row?.['ok'] === 1;
    },
    async letGoElsewhere() {
      await rival.query('SELECT RELEASE_ALL_LOCKS()');
    },
    refuseUnlocks: () => Promise.reject(new Error('MariaDB has no right to unlock that could be taken away.')),
    async clear() {
      await rival.query('SELECT RELEASE_ALL_LOCKS()');
      for (const { backend } of await sessions()) await observer.query(`KILL ${backend}`).catch(() => undefined);
      while ((await sessions()).length > 0) await pause(2);
    },
    async close() {
      await observer.query(`DROP DATABASE ${database}; DROP DATABASE ${database}_empty`);
      await Promise.all([observer.end(), rival.end()]);
    },
  };
}
