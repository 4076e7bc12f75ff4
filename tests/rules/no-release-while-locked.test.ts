import rule from '../../rules/no-release-while-locked.js';
import { runRuleTests, type InvalidCase, type ValidCase } from '../rule-tester.js';
import { errorAt } from './error-at.js';

interface Words {
  readonly head: string;
  readonly open: string;
  readonly lock: string;
  readonly unlock: string;
  readonly release: string;
  readonly fn?: string;
}

const pg: Words = {
  head: "import { Client, Pool } from 'pg';\nconst pool = new Pool();\n",
  open: 'const c = await pool.connect();',
  lock: "c.query('SELECT pg_advisory_lock(7)')",
  unlock: "c.query('SELECT pg_advisory_unlock(7)')",
  release: 'c.release()',
};

/** The drivers whose connections are given back by a call. */
const byCall: Readonly<Record<string, Words>> = {
  pg,
  'postgres.js': {
    head: "import postgres from 'postgres';\nconst sql = postgres();\n",
    open: 'const c = await sql.reserve();',
    lock: 'c`SELECT pg_advisory_lock(7)`',
    unlock: 'c`SELECT pg_advisory_unlock(7)`',
    release: 'c.release()',
  },
  drizzle: {
    head: "import { Pool } from 'pg';\nimport { drizzle } from 'drizzle-orm/node-postgres';\nimport { sql } from 'drizzle-orm';\nconst pool = new Pool();\n",
    open: 'const client = await pool.connect();\n  const c = drizzle(client);',
    lock: 'c.execute(sql`SELECT pg_advisory_lock(7)`)',
    unlock: 'c.execute(sql`SELECT pg_advisory_unlock(7)`)',
    release: 'client.release()',
  },
  typeorm: {
    head: "import { DataSource } from 'typeorm';\nconst dataSource = new DataSource({ type: 'postgres' });\n",
    open: 'const c = dataSource.createQueryRunner();',
    lock: "c.query('SELECT pg_advisory_lock(7)')",
    unlock: "c.query('SELECT pg_advisory_unlock(7)')",
    release: 'c.release()',
  },
  mysql2: {
    head: "import mysql from 'mysql2/promise';\nconst pool = mysql.createPool({ host: 'localhost' });\n",
    open: 'const c = await pool.getConnection();',
    lock: 'c.query("SELECT GET_LOCK(\'jobs\', -1)")',
    unlock: 'c.query("SELECT RELEASE_LOCK(\'jobs\')")',
    release: 'c.release()',
    fn: 'get_lock',
  },
};

/** Those whose connections or transactions end with a callback. */
const byCallback: Readonly<Record<string, Omit<Words, 'release'>>> = {
  kysely: {
    head: "import { Kysely, PostgresDialect, sql } from 'kysely';\nimport { Pool } from 'pg';\nconst db = new Kysely({ dialect: new PostgresDialect({ pool: new Pool() }) });\n",
    open: 'db.connection().execute',
    lock: 'sql`SELECT pg_advisory_lock(7)`.execute(c)',
    unlock: 'sql`SELECT pg_advisory_unlock(7)`.execute(c)',
  },
  prisma: {
    head: "import { PrismaClient } from '@prisma/client';\nconst prisma = new PrismaClient();\n",
    open: 'prisma.$transaction',
    lock: 'c.$executeRaw`SELECT pg_advisory_lock(7)`',
    unlock: 'c.$queryRaw`SELECT pg_advisory_unlock(7)`',
  },
  knex: {
    head: "import knex from 'knex';\nconst db = knex({ client: 'pg' });\n",
    open: 'db.transaction',
    lock: "c.raw('SELECT pg_advisory_lock(7)')",
    unlock: "c.raw('SELECT pg_advisory_unlock(7)')",
  },
  sequelize: {
    head: "import { Sequelize } from 'sequelize';\nconst sequelize = new Sequelize('postgres://localhost/app');\n",
    open: 'sequelize.transaction',
    lock: "sequelize.query('SELECT pg_advisory_lock(7)', { transaction: c })",
    unlock: "sequelize.query('SELECT pg_advisory_unlock(7)', { transaction: c })",
  },
};

const within = ({ head, open }: Pick<Words, 'head' | 'open'>, body: string): string => `${head}export async function run(work) {\n  ${open}\n${body}\n}`;
const lineIn = (code: string, text: string): number => code.slice(0, code.indexOf(text)).split('\n').length;

const fromCalls = Object.entries(byCall).flatMap(([driver, words]): { bad: InvalidCase; good: ValidCase }[] => {
  const { lock, unlock, release, fn = 'pg_advisory_lock' } = words;
  const forgotten = within(words, `  try {\n    await ${lock};\n    await work();\n  } finally { await ${release}; }`);
  const data = { fn, line: lineIn(forgotten, lock), this: 'This' };
  return [
    {
      bad: { name: `${driver}: no unlock`, drivers: [driver], code: forgotten, errors: [errorAt(forgotten, release, { messageId: 'noUnlock', data })] },
      good: { name: `${driver}: the unlock comes first`, drivers: [driver], code: within(words, `  try {\n    await ${lock};\n    try { await work(); } finally { await ${unlock}; }\n  } finally { await ${release}; }`) },
    },
  ];
});

const fromCallbacks = Object.entries(byCallback).map(([driver, words]): { bad: InvalidCase; good: ValidCase } => {
  const task = (body: string): string => `${words.head}export async function run(work) {\n  await ${words.open}(async (c) => {\n${body}\n  });\n}`;
  const code = task(`    await ${words.lock};\n    await work();`);
  const call = code.slice(code.indexOf(words.open), code.lastIndexOf(')') + 1);
  return {
    bad: { name: `${driver}: the callback ends`, drivers: [driver], code, errors: [errorAt(code, call, { messageId: 'noUnlock', data: { fn: 'pg_advisory_lock', line: lineIn(code, words.lock), this: 'The end of this callback' } })] },
    good: { name: `${driver}: the unlock comes before the callback ends`, drivers: [driver], code: task(`    await ${words.lock};\n    try { await work(); } finally { await ${words.unlock}; }`) },
  };
});

const { lock, unlock, release } = pg;
const fn = 'pg_advisory_lock';
function givesBack(name: string, body: string, messageId: string, data: Record<string, string | number>): InvalidCase {
  const code = within(pg, body);
  return { name, code, errors: [errorAt(code, release, { messageId, data: { fn, ...data } })] };
}
const silent = (name: string, code: string): ValidCase => ({ name, code });

const kept = within(pg, `  await ${lock};\n  await work();\n  c.release(false);`);
const guard = `import { Pool } from 'pg';\nclass Guard {\n  constructor(private readonly c) {}\n  [Symbol.dispose]() { this.c.release(); }\n}\nexport async function run(pool: Pool, work) {\n  const c = await pool.connect();\n  await ${lock};\n  const guard = new Guard(c);\n  try { await work(); } finally { guard[Symbol.dispose](); }\n}`;
const using = `import { DataSource } from 'typeorm';\nexport async function run(dataSource: DataSource, work) {\n  await using c = dataSource.createQueryRunner();\n  await ${lock};\n  await work();\n}`;
const lent = `export async function run(db, work) {\n  const c = await db.connect();\n  await ${lock};\n  try { await work(); } finally {\n    await ${unlock}.catch(() => {});\n    ${release};\n  }\n}`;
const defaults = `${pg.head}export async function run({ id = 1 } = {}, work) {
  const c = await pool.connect();
  await c.query('SELECT pg_advisory_lock($1)', [id]);
  try { await work(); } finally {
    await c.query('SELECT pg_advisory_unlock($1)', [id]).catch(() => {});
    ${release};
  }
}`;
const slonik = "import { createPool, sql } from 'slonik';\nexport async function run(work) {\n  const pool = await createPool('postgres://localhost/app');\n  await pool.connect(async (c) => {\n    await c.query(sql.unsafe`SELECT pg_advisory_lock(7)`);\n    await work();\n  });\n}";

runRuleTests(rule, {
  notApplicable: {},
  valid: [
    ...[...fromCalls, ...fromCallbacks].map(({ good }) => good),
    silent('the session is ended: `release(true)`', within(pg, `  try { await ${lock}; await work(); } finally { c.release(true); }`)),
    silent('the session is ended: an error is passed', within(pg, `  try { await ${lock}; await work(); } finally { c.release(new Error('locked')); }`)),
    silent('the session may be ended: a value that is not known', within(pg, `  let error;\n  try { await ${lock}; await work(); } catch (e) { error = e; } finally { c.release(error); }`)),
    silent('the connection is destroyed', `import mysql from 'mysql2/promise';\nexport async function run(work) {\n  const c = await mysql.createPool({}).getConnection();\n  try { await c.query("SELECT GET_LOCK('jobs', -1)"); await work(); } finally { c.destroy(); }\n}`),
    silent('the session is ended before', within(pg, `  await ${lock};\n  await c.end();\n  ${release};`)),
    silent('the pool is ended after', within(pg, `  await ${lock};\n  ${release};\n  await pool.end();`)),
    silent('the unlock may fail, and says so', within(pg, `  await ${lock};\n  try { await work(); } finally { await ${unlock}; ${release}; }`)),
    silent('the unlock answered that the lock is not held', within(pg, `  await ${lock};\n  try { await work(); } finally {\n    const { rows } = await ${unlock};\n    if (!rows[0].pg_advisory_unlock) console.warn('lost');\n    ${release};\n  }`)),
    silent('a failed unlock destroys the connection', within(pg, `  await ${lock};\n  let failed;\n  try { await work(); } finally {\n    await ${unlock}.catch((error) => { failed = error; });\n    c.release(failed);\n  }`)),
    silent('a failed unlock ends the session', within(pg, `  await ${lock};\n  try { await work(); } finally {\n    await ${unlock}.catch(() => c.query('select pg_terminate_backend(pg_backend_pid())'));\n    ${release};\n  }`)),
    silent('a path misses the unlock: that is missing', within(pg, `  try {\n    await ${lock};\n    await work();\n    await ${unlock};\n  } finally { ${release}; }`)),
    silent('a handler swallows what leaves the lock behind: the unlock is missing', within(pg, `  try {\n    await ${lock};\n    await work();\n    await ${unlock};\n  } catch {}\n  ${release};`)),
    silent('the unlock does not match', within(pg, `  await ${lock};\n  await c.query('SELECT pg_advisory_unlock_shared(7)');\n  ${release};`)),
    silent('the refused path', within(pg, `  const { rows } = await c.query('SELECT pg_try_advisory_lock(7) AS ok');\n  if (!rows[0].ok) { ${release}; return; }\n  try { await work(); } finally { await ${unlock}; c.release(true); }`)),
    silent('the pool resets its connections', slonik),
    silent('a transaction lock', within(pg, `  await c.query('BEGIN');\n  await c.query('SELECT pg_advisory_xact_lock(7)');\n  await c.query('COMMIT');\n  ${release};`)),
    silent('a pool', `${pg.head}export async function run(work) {\n  await pool.query('SELECT pg_advisory_lock(7)');\n  const c = await pool.connect();\n  ${release};\n}`),
    silent('another connection', within(pg, `  const other = await pool.connect();\n  await ${lock};\n  other.release();\n  try { await work(); } finally { await ${unlock}; ${release}; }`)),
    silent('an unknown handle', `export async function run(c, work) {\n  await ${lock};\n  await work();\n  ${release};\n}`),
    silent('a look-alike', `${pg.head}export async function run(work) {\n  const c = await pool.connect();\n  await c.query('SELECT my_advisory_lock(7)');\n  ${release};\n}`),
  ],
  invalid: [
    ...[...fromCalls, ...fromCallbacks].map(({ bad }) => bad),
    { name: '`release(false)` keeps the session', code: kept, errors: [errorAt(kept, 'c.release(false)', { messageId: 'noUnlock', data: { fn, line: 5, this: 'This' } })] },
    givesBack('the unlock comes after', `  await ${lock};\n  ${release};\n  await ${unlock};`, 'beforeUnlock', { line: 5, this: 'This', unlockLine: 7 }),
    givesBack('the unlock is swallowed', `  await ${lock};\n  try { await work(); } finally {\n    await ${unlock}.catch(() => {});\n    ${release};\n  }`, 'swallowed', { line: 5, that: 'this', unlockLine: 7 }),
    givesBack('the unlock is swallowed by a `catch`', `  await ${lock};\n  try { await work(); } finally {\n    try { await ${unlock}; } catch (error) { console.error(error); }\n    ${release};\n  }`, 'swallowed', { line: 5, that: 'this', unlockLine: 7 }),
    { name: 'a connection that somebody unknown lends', code: lent, errors: [errorAt(lent, release, { messageId: 'swallowed', data: { fn, line: 3, that: 'this', unlockLine: 5 } })] },
    { name: 'a key from a parameter with defaults', code: defaults, errors: [errorAt(defaults, release, { messageId: 'swallowed', data: { fn, line: 5, that: 'this', unlockLine: 7 } })] },
    { name: 'a guard that gives the connection back', code: guard, errors: [errorAt(guard, 'this.c.release()', { messageId: 'noUnlock', data: { fn, line: 8, this: 'This' } })] },
    { name: 'the end of a block with `await using`', code: using, errors: [errorAt(using, 'c = dataSource.createQueryRunner()', { messageId: 'noUnlock', data: { fn, line: 4, this: 'The end of this block' } })] },
  ],
});
