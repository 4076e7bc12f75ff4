import rule from '../../rules/no-session-lock-in-transaction.js';
import { runRuleTests, type ExpectedError, type InvalidCase, type ValidCase } from '../rule-tester.js';
import { errorAt } from './error-at.js';

interface Words {
  readonly head: string;
  /** Opens the transaction's callback, whose parameter is `t`. */
  readonly open: string;
  send(sql: string): string;
}

const tagged = (tag: string) => (sql: string): string => `${tag}\`${sql}\``;
const called = (method: string) => (sql: string): string => `${method}("${sql}")`;
const drizzleHead = "import { drizzle } from 'drizzle-orm/node-postgres';\nimport { sql } from 'drizzle-orm';\nconst db = drizzle('postgres://localhost/app');\n";

const byCallback: Readonly<Record<string, Words>> = {
  'postgres.js': { head: "import postgres from 'postgres';\nconst sql = postgres();\n", open: 'sql.begin', send: tagged('t') },
  prisma: { head: "import { PrismaClient } from '@prisma/client';\nconst prisma = new PrismaClient();\n", open: 'prisma.$transaction', send: tagged('t.$executeRaw') },
  drizzle: { head: drizzleHead, open: 'db.transaction', send: (sql) => `t.execute(sql\`${sql}\`)` },
  knex: { head: "import knex from 'knex';\nconst db = knex({ client: 'pg' });\n", open: 'db.transaction', send: called('t.raw') },
  kysely: {
    head: "import { Kysely, PostgresDialect, sql } from 'kysely';\nimport { Pool } from 'pg';\nconst db = new Kysely({ dialect: new PostgresDialect({ pool: new Pool() }) });\n",
    open: 'db.transaction().execute',
    send: (sql) => `sql\`${sql}\`.execute(t)`,
  },
  typeorm: { head: "import { DataSource } from 'typeorm';\nconst dataSource = new DataSource({ type: 'postgres' });\n", open: 'dataSource.transaction', send: called('t.query') },
  sequelize: {
    head: "import { Sequelize } from 'sequelize';\nconst sequelize = new Sequelize('postgres://localhost/app');\n",
    open: 'sequelize.transaction',
    send: (sql) => `sequelize.query('${sql}', { transaction: t })`,
  },
};

const inCallback = ({ head, open }: Words, body: string): string => `${head}export async function run(work) {\n  await ${open}(async (t) => {\n${body}\n  });\n}`;
const lineIn = (code: string, text: string): number => code.slice(0, code.indexOf(text)).split('\n').length;

const perDriver = Object.entries(byCallback).map(([driver, words]): { bad: InvalidCase; good: ValidCase } => {
  const lock = words.send('SELECT pg_advisory_lock(7)');
  const unlock = words.send('SELECT pg_advisory_unlock(7)');
  const code = inCallback(words, `    await ${lock};\n    try { await work(t); } finally { await ${unlock}; }`);
  const transaction = `the transaction that begins on line ${lineIn(code, words.open)}`;
  const instead = '`pg_advisory_xact_lock`';
  return {
    bad: {
      name: `${driver}: lock and unlock in a transaction's callback`,
      drivers: [driver],
      code,
      errors: [
        errorAt(code, lock, { messageId: 'acquired', data: { fn: 'pg_advisory_lock', transaction, instead } }),
        errorAt(code, unlock, { messageId: 'released', data: { fn: 'pg_advisory_unlock', transaction, instead } }),
      ],
    },
    good: { name: `${driver}: a transaction lock`, drivers: [driver], code: inCallback(words, `    await ${words.send('SELECT pg_advisory_xact_lock(7)')};\n    await work(t);`) },
  };
});

const pg = (body: string): string => `import { Pool } from 'pg';\nconst pool = new Pool();\nexport async function run(work) {\n  const c = await pool.connect();\n${body}\n}`;
const lock = "c.query('SELECT pg_advisory_lock(7)')";
const unlock = "c.query('SELECT pg_advisory_unlock(7)')";
const begin = "await c.query('BEGIN');";
const commit = "await c.query('COMMIT');";
const transaction = 'the transaction that begins on line 5';
const instead = '`pg_advisory_xact_lock`';
type Suggestions = ExpectedError['suggestions'];

function acquires(name: string, code: string, output: string | null, marked = lock, data: Record<string, string> = {}): InvalidCase {
  const suggestions: Suggestions = output === null ? undefined : [{ messageId: 'toTransactionLevel', data: { fn: data['suggested'] ?? 'pg_advisory_xact_lock' }, output }];
  const { suggested: _, ...words } = data;
  return { name, code, errors: [errorAt(code, marked, { messageId: 'acquired', data: { fn: 'pg_advisory_lock', transaction, instead, ...words }, ...(suggestions && { suggestions }) })] };
}
const silent = (name: string, code: string): ValidCase => ({ name, code });

const both = pg(`  ${begin}\n  await ${lock};\n  await work(c);\n  await ${unlock};\n  ${commit}\n  c.release();`);
const bothCured = pg(`  ${begin}\n  await c.query('SELECT pg_advisory_xact_lock(7)');\n  await work(c);\n  ${commit}\n  c.release();`);
const ended = pg(`  ${begin}\n  await ${lock};\n  await work(c);\n  await c.end();`);
const tried = pg(`  ${begin}\n  const { rows } = await c.query('SELECT pg_try_advisory_lock_shared(7) AS ok');\n  if (rows[0].ok) await work(c);\n  await c.end();`);
const triedByName = pg(`  ${begin}\n  const { rows } = await c.query('SELECT pg_try_advisory_lock(7)');\n  if (rows[0].pg_try_advisory_lock) await work(c);\n  await c.end();`);
const serializable = pg(`  await c.query('BEGIN ISOLATION LEVEL SERIALIZABLE');\n  await ${lock};\n  await work(c);\n  await c.end();`);
const released = pg(`  await ${lock};\n  ${begin}\n  await work(c);\n  const { rows } = await ${unlock};\n  ${commit}\n  c.release(!rows[0].pg_advisory_unlock);`);
const failed = pg(`  await ${lock};\n  try { ${begin} await work(c); ${commit} } finally { await ${unlock}; c.release(); }`);
const all = pg(`  ${begin}\n  await work(c);\n  await c.query('SELECT pg_advisory_unlock_all()');\n  ${commit}\n  c.release();`);
const mysql = "import mysql from 'mysql2/promise';\nconst pool = mysql.createPool({ host: 'localhost' });\n";
const getLock = 'c.query("SELECT GET_LOCK(\'jobs\', -1)")';
const releaseLock = 'c.query("SELECT RELEASE_LOCK(\'jobs\')")';
const named = `${mysql}export async function run(work) {\n  const c = await pool.getConnection();\n  await c.beginTransaction();\n  await ${getLock};\n  await work(c);\n  await ${releaseLock};\n  await c.commit();\n  c.release();\n}`;
const namedOutside = `${mysql}export async function run(work) {\n  const c = await pool.getConnection();\n  await ${getLock};\n  await c.beginTransaction();\n  await work(c);\n  await c.commit();\n  await ${releaseLock};\n  c.release();\n}`;
const helper = `const enter = (c) => ${lock};\n${pg(`  ${begin}\n  await enter(c);\n  await work(c);\n  ${commit}\n  c.release(true);`)}`;
const wrapper = `async function withLock(c, fn) {\n  await ${lock};\n  try { await fn(); } finally { await ${unlock}; }\n}\n${pg(`  ${begin}\n  await withLock(c, work);\n  ${commit}\n  c.release();`)}`;
const given = "import type { TransactionSql } from 'postgres';\nexport async function run(t: TransactionSql, work) {\n  await t`SELECT pg_advisory_lock(7)`;\n  await work(t);\n}";

runRuleTests(rule, {
  notApplicable: {},
  valid: [
    ...perDriver.map(({ good }) => good),
    { name: 'pg: the transaction is inside the lock', drivers: ['pg'], code: pg(`  await ${lock};\n  try { ${begin} try { await work(c); ${commit} } catch (error) { await c.query('ROLLBACK'); throw error; } } finally { await ${unlock}; c.release(); }`) },
    { name: 'mysql2: the transaction is inside the lock', drivers: ['mysql2'], code: namedOutside },
    silent('a transaction lock', pg(`  ${begin}\n  await c.query('SELECT pg_advisory_xact_lock(7)');\n  ${commit}\n  c.release();`)),
    silent('an unlock that is meant for a transaction lock, which releases nothing', pg(`  ${begin}\n  await c.query('SELECT pg_advisory_xact_lock(7)');\n  await c.query('SELECT pg_advisory_unlock(7)');\n  ${commit}\n  c.release();`)),
    ...[
      ['a connection chosen by name', 'function connectionOf(name: string): Client { return clients.get(name)!; }', "connectionOf('a')", "connectionOf('b')"],
      ['a connection chosen by a variable that changes', 'let name = "a";\nfunction connectionOf(key: string): Client { return clients.get(key)!; }', 'connectionOf(name)', 'connectionOf((name = "b"))'],
      ['a connection out of a record that a function chooses', 'const connectionOf = (name: string): Client => sessions.get(name).client;', "connectionOf('a')", "connectionOf('b')"],
      ['two connections that a function opens', 'async function open() { const c = new Client(); await c.connect(); return c; }', '(await open())', '(await open())'],
      ['two connections of which only the type is known', 'async function open(): Promise<Client> { return (await import("./open")).open(); }', '(await open())', '(await open())'],
    ].map(([name = '', declared = '', first = '', second = '']) =>
      silent(
        name,
        `import { Client } from 'pg';\n${declared}\nexport async function run(clients: Map<string, Client>, sessions) {\n  const a = ${first};\n  const b = ${second};\n  await a.query('BEGIN');\n  await b.query('SELECT pg_advisory_lock(7)');\n  await a.query('COMMIT');\n}`,
      ),
    ),
    silent('a lock after the transaction', pg(`  ${begin}\n  await work(c);\n  ${commit}\n  await ${lock};\n  await c.end();`)),
    silent('a lock after a rollback', pg(`  ${begin}\n  try { await work(c); ${commit} } catch { await c.query('ROLLBACK'); }\n  await ${lock};\n  await c.end();`)),
    silent('a transaction on some paths only', pg(`  if (work.wantsTransaction) ${begin}\n  await ${lock};\n  await c.end();`)),
    silent('a connection from outside', `import type { PoolClient } from 'pg';\nexport async function run(c: PoolClient) {\n  await ${lock};\n}`),
    silent('one string of several statements', pg(`  await c.query('SELECT pg_advisory_lock(7); UPDATE job SET n = n + 1; SELECT pg_advisory_unlock(7)');\n  c.release();`)),
    silent('a transaction on another connection', pg(`  const other = await pool.connect();\n  await other.query('BEGIN');\n  await ${lock};\n  await other.query('COMMIT');\n  await c.end();`)),
    silent('an unknown handle', `export async function run(c) {\n  ${begin}\n  await ${lock};\n  ${commit}\n}`),
    silent('a look-alike', pg(`  ${begin}\n  await c.query('SELECT my_advisory_lock(7)');\n  ${commit}\n  c.release();`)),
  ],
  invalid: [
    ...perDriver.map(({ bad }) => bad),
    ...['', "'a'"].map((chosen): InvalidCase => {
      const code = `import { Client } from 'pg';\nfunction connectionOf(name?: string): Client { return lookUp(name); }\nexport async function run() {\n  await connectionOf(${chosen}).query('BEGIN');\n  await connectionOf(${chosen}).query('SELECT pg_advisory_lock(7)');\n  await connectionOf(${chosen}).query('COMMIT');\n}`;
      const sent = `connectionOf(${chosen}).query('SELECT pg_advisory_lock(7)')`;
      return { name: `the same connection, chosen twice by (${chosen})`, code, errors: [errorAt(code, sent, { messageId: 'acquired', data: { fn: 'pg_advisory_lock', transaction: 'the transaction that begins on line 4', instead } })] };
    }),
    {
      name: 'pg: lock and unlock between BEGIN and COMMIT',
      drivers: ['pg'],
      code: both,
      errors: [
        errorAt(both, lock, {
          messageId: 'acquired',
          data: { fn: 'pg_advisory_lock', transaction, instead },
          suggestions: [{ messageId: 'toTransactionLevel', data: { fn: 'pg_advisory_xact_lock' }, output: bothCured }],
        }),
        errorAt(both, unlock, { messageId: 'released', data: { fn: 'pg_advisory_unlock', transaction, instead } }),
      ],
    },
    acquires('the session ends with the function', ended, ended.replace('pg_advisory_lock', 'pg_advisory_xact_lock')),
    acquires('a try-lock whose answer has a name of its own', tried, tried.replace('pg_try_advisory_lock_shared', 'pg_try_advisory_xact_lock_shared'), "c.query('SELECT pg_try_advisory_lock_shared(7) AS ok')", {
      fn: 'pg_try_advisory_lock_shared',
      instead: '`pg_try_advisory_xact_lock_shared`',
      suggested: 'pg_try_advisory_xact_lock_shared',
    }),
    acquires("a try-lock whose answer has the function's name", triedByName, null, "c.query('SELECT pg_try_advisory_lock(7)')", { fn: 'pg_try_advisory_lock', instead: '`pg_try_advisory_xact_lock`' }),
    acquires('a transaction whose snapshot is older than the lock', serializable, null),
    {
      name: 'an unlock before COMMIT, of a lock that was taken before BEGIN',
      code: released,
      errors: [errorAt(released, unlock, { messageId: 'released', data: { fn: 'pg_advisory_unlock', transaction: 'the transaction that begins on line 6', instead } })],
    },
    {
      name: 'an unlock where the transaction has failed and nobody has rolled it back',
      code: failed,
      errors: [errorAt(failed, unlock, { messageId: 'released', data: { fn: 'pg_advisory_unlock', transaction: 'the transaction that begins on line 6', instead } })],
    },
    {
      name: 'unlock all',
      code: all,
      errors: [errorAt(all, "c.query('SELECT pg_advisory_unlock_all()')", { messageId: 'released', data: { fn: 'pg_advisory_unlock_all', transaction, instead: 'a transaction-level lock' } })],
    },
    {
      name: 'mysql2: lock and unlock in a transaction',
      drivers: ['mysql2'],
      code: named,
      errors: [
        errorAt(named, getLock, { messageId: 'acquiredByName', data: { fn: 'get_lock', transaction } }),
        errorAt(named, releaseLock, { messageId: 'releasedByName', data: { fn: 'release_lock', transaction } }),
      ],
    },
    { name: 'a helper that is called in a transaction', code: helper, errors: [errorAt(helper, lock, { messageId: 'acquired', data: { fn: 'pg_advisory_lock', transaction: 'the transaction that begins on line 6', instead } })] },
    { name: 'a wrapper that is called in a transaction', code: wrapper, errors: [errorAt(wrapper, lock, { messageId: 'acquired', data: { fn: 'pg_advisory_lock', transaction: 'the transaction that begins on line 9', instead } })] },
    {
      name: 'a transaction from outside',
      code: given,
      errors: [errorAt(given, 't`SELECT pg_advisory_lock(7)`', { messageId: 'acquired', data: { fn: 'pg_advisory_lock', transaction: 'a transaction', instead } })],
    },
  ],
});
