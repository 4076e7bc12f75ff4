import * as parser from '@typescript-eslint/parser';
import { Linter } from 'eslint';
import { createPlugin } from '../../src/plugin.js';

/**
 * Code as people write it when they write it right, in the words of every driver that hands out connections. Opinions and
 * limits on waiting aside, no rule has anything to say about it.
 */
const quiet: readonly string[] = ['prefer-xact-lock', 'no-session-lock', 'require-lock-timeout'];

const plugin = createPlugin();
const rules = Object.fromEntries(Object.keys(plugin.rules).map((name) => [`advisory-lock/${name}`, quiet.includes(name) ? 'off' : 'error'] as const));

function reports(code: string): string[] {
  const messages = new Linter().verify(
    code,
    [{ files: ['**/*.ts'], languageOptions: { parser }, plugins: { 'advisory-lock': plugin }, rules }],
    'golden.ts',
  );
  return messages.map(({ line, ruleId, message }) => `${line} ${ruleId ?? 'fatal'} ${message}\n${code}`);
}

/** How one driver says it. */
interface Words {
  readonly head: string;
  /** Statements that put a connection of its own into `c`, and give it back. */
  readonly open: string;
  readonly close: string;
  /** An expression with the column `ok` of the statement's one row. */
  answer(sql: string): string;
  run(sql: string): string;
  readonly lock: string;
  readonly tryLock: string;
  readonly unlock: string;
}

const postgresLocks = { lock: 'SELECT pg_advisory_lock(7)', tryLock: 'SELECT pg_try_advisory_lock(7) AS ok', unlock: 'SELECT pg_advisory_unlock(7) AS ok' };
const outside = 'declare function work(): Promise<string>;\ndeclare function sleep(ms: number): Promise<void>;\n';

const drivers: Readonly<Record<string, Words>> = {
  pg: {
    ...postgresLocks,
    head: "import { Pool } from 'pg';\nconst pool = new Pool();\n",
    open: 'const c = await pool.connect();',
    close: 'c.release();',
    answer: (sql) => `(await c.query('${sql}')).rows[0].ok`,
    run: (sql) => `await c.query('${sql}');`,
  },
  'postgres.js': {
    ...postgresLocks,
    head: "import postgres from 'postgres';\nconst sql = postgres();\n",
    open: 'const c = await sql.reserve();',
    close: 'c.release();',
    answer: (sql) => `(await c\`${sql}\`)[0].ok`,
    run: (sql) => `await c\`${sql}\`;`,
  },
  drizzle: {
    ...postgresLocks,
    head: "import { Pool } from 'pg';\nimport { drizzle } from 'drizzle-orm/node-postgres';\nimport { sql } from 'drizzle-orm';\nconst pool = new Pool();\n",
    open: 'const client = await pool.connect();\nconst c = drizzle(client);',
    close: 'client.release();',
    answer: (sql) => `(await c.execute(sql\`${sql}\`)).rows[0].ok`,
    run: (sql) => `await c.execute(sql\`${sql}\`);`,
  },
  typeorm: {
    ...postgresLocks,
    head: "import { DataSource } from 'typeorm';\nconst dataSource = new DataSource({ type: 'postgres' });\n",
    open: 'const c = dataSource.createQueryRunner();\nawait c.connect();',
    close: 'await c.release();',
    answer: (sql) => `(await c.query('${sql}'))[0].ok`,
    run: (sql) => `await c.query('${sql}');`,
  },
  mysql2: {
    lock: "SELECT GET_LOCK(\\'jobs\\', 5) AS ok",
    tryLock: "SELECT GET_LOCK(\\'jobs\\', 0) AS ok",
    unlock: "SELECT RELEASE_LOCK(\\'jobs\\') AS ok",
    head: "import mysql from 'mysql2/promise';\nconst pool = mysql.createPool({ host: 'localhost' });\n",
    open: 'const c = await pool.getConnection();',
    close: 'c.release();',
    answer: (sql) => `(await c.query('${sql}'))[0][0].ok`,
    run: (sql) => `await c.query('${sql}');`,
  },
};

type Shape = (words: Words & { readonly unlocks: string; readonly takes: string; readonly tries: string }) => string;

const inFunction = (body: string): string => `export async function task(items: number[], withLock: boolean): Promise<unknown> {\n${body}\n}\n`;

const shapes: Readonly<Record<string, Shape>> = {
  'acquire before `try`': ({ open, close, takes, unlocks }) => inFunction(`${open}\ntry { ${takes}\ntry { return await work(); } finally { ${unlocks} } } finally { ${close} }`),
  'connection and lock before one `try`': ({ open, close, takes, unlocks }) =>
    inFunction(`${open}\ntry { ${takes} } catch (error) { ${close} throw error; }\ntry { return await work(); } finally { ${unlocks} ${close} }`),
  // Where GET_LOCK answers that it timed out there is nothing to release.
  'acquire inside `try`': ({ lock, open, close, takes, unlocks }) => lock.includes('GET_LOCK') ? '' : inFunction(`${open}\ntry { ${takes} return await work(); } finally { ${unlocks} ${close} }`),
  'a `locked` flag': ({ open, close, takes, unlocks }) =>
    inFunction(`${open}\nlet locked = false;\ntry { ${takes} locked = true; await work(); } finally { if (locked) { ${unlocks} } ${close} }`),
  'a try-lock, then `return`': ({ open, close, tries, unlocks }) =>
    inFunction(`${open}\ntry { if (!${tries}) return 'busy';\ntry { return await work(); } finally { ${unlocks} } } finally { ${close} }`),
  'a try-lock, then `throw`': ({ open, close, tries, unlocks }) =>
    inFunction(`${open}\ntry { const granted = ${tries}; if (!granted) throw new Error('busy');\ntry { return await work(); } finally { ${unlocks} } } finally { ${close} }`),
  'a try-lock kept in a flag': ({ open, close, tries, unlocks }) =>
    inFunction(`${open}\nlet granted = false;\ntry { granted = ${tries}; if (!granted) return null; return await work(); } finally { if (granted) { ${unlocks} } ${close} }`),
  'the work inside `if (granted)`': ({ open, close, tries, unlocks }) =>
    inFunction(`${open}\ntry { const granted = ${tries}; if (granted) { try { await work(); } finally { ${unlocks} } } } finally { ${close} }`),
  'the early return gives the connection back itself': ({ open, close, tries, unlocks }) =>
    inFunction(`${open}\nlet granted;\ntry { granted = ${tries}; } catch (error) { ${close} throw error; }\nif (!granted) { ${close} return 'busy'; }\ntry { return await work(); } finally { ${unlocks} ${close} }`),
  'a loop with `continue` and `break`': ({ open, close, takes, unlocks }) =>
    inFunction(`${open}\ntry { for (const item of items) { ${takes}\ntry { if (item < 0) continue; if (item === 0) break; await work(); } finally { ${unlocks} } } } finally { ${close} }`),
  'a connection per round': ({ open, close, takes, unlocks }) =>
    inFunction(`for (const item of items) { ${open}\ntry { ${takes}\ntry { if (item === 0) continue; await work(); } finally { ${unlocks} } } finally { ${close} } }`),
  'polling until granted': ({ open, close, tries, unlocks }) =>
    inFunction(`${open}\ntry { while (!${tries}) { await sleep(50); }\ntry { await work(); } finally { ${unlocks} } } finally { ${close} }`),
  'polling until a deadline': ({ open, close, tries, unlocks }) =>
    inFunction(
      `${open}\ntry { const deadline = Date.now() + 5000;\nlet granted = false;\nwhile (!granted && Date.now() < deadline) { granted = ${tries}; if (!granted) await sleep(50); }\nif (!granted) throw new Error('busy');\ntry { await work(); } finally { ${unlocks} } } finally { ${close} }`,
    ),
  'polling for ever with `break`': ({ open, close, tries, unlocks }) =>
    inFunction(`${open}\ntry { for (;;) { if (${tries}) break; await sleep(50); }\ntry { await work(); } finally { ${unlocks} } } finally { ${close} }`),
  '`Promise.all` under the lock': ({ open, close, takes, unlocks }) =>
    inFunction(`${open}\ntry { ${takes}\ntry { return await Promise.all(items.map(async () => work())); } finally { ${unlocks} } } finally { ${close} }`),
  'a lock only where one is wanted': ({ open, close, takes, unlocks }) =>
    inFunction(`${open}\ntry { if (withLock) { ${takes} }\ntry { await work(); } finally { if (withLock) { ${unlocks} } } } finally { ${close} }`),
  'an error that is logged and rethrown': ({ open, close, takes, unlocks }) =>
    inFunction(`${open}\ntry { ${takes}\ntry { await work(); } catch (error) { console.error(error); throw error; } finally { ${unlocks} } } finally { ${close} }`),
  'an early unlock': ({ open, close, takes, unlocks }) =>
    inFunction(`${open}\ntry { ${takes}\nlet result;\ntry { result = await work(); } finally { ${unlocks} }\nawait sleep(10);\nreturn result; } finally { ${close} }`),
  'a wrapper that takes a callback': ({ open, close, takes, unlocks }) =>
    `async function withLock<T>(fn: () => Promise<T>): Promise<T> {\n${open}\ntry { ${takes}\ntry { return await fn(); } finally { ${unlocks} } } finally { ${close} }\n}\nexport const task = () => withLock(() => work());\nexport const other = () => withLock(async () => { await sleep(5); return work(); });\n`,
  'a wrapper that answers when busy': ({ open, close, tries, unlocks }) =>
    `export async function tryWithLock<T>(fn: () => Promise<T>): Promise<{ granted: boolean; value?: T }> {\n${open}\ntry { if (!${tries}) return { granted: false };\ntry { return { granted: true, value: await fn() }; } finally { ${unlocks} } } finally { ${close} }\n}\nexport async function task() { const { granted } = await tryWithLock(work); return granted ? 'done' : 'busy'; }\n`,
  'a closure that releases': ({ open, close, takes, unlocks }) =>
    `async function acquire(): Promise<() => Promise<void>> {\n${open}\ntry { ${takes} } catch (error) { ${close} throw error; }\nreturn async () => { try { ${unlocks} } finally { ${close} } };\n}\nexport async function task() { const release = await acquire(); try { return await work(); } finally { await release(); } }\n`,
  'an object that releases': ({ open, close, tries, unlocks }) =>
    `export async function acquire() {\n${open}\nlet granted = false;\ntry { granted = ${tries}; } finally { if (!granted) { ${close} } }\nif (!granted) return null;\nreturn { async release() { try { ${unlocks} } finally { ${close} } } };\n}\nexport async function task() { const lock = await acquire(); if (!lock) return 'busy'; try { return await work(); } finally { await lock.release(); } }\n`,
  'an object that is disposed of': ({ open, close, takes, unlocks }) =>
    `async function acquire() {\n${open}\ntry { ${takes} } catch (error) { ${close} throw error; }\nreturn { async [Symbol.asyncDispose]() { try { ${unlocks} } finally { ${close} } } };\n}\nexport async function task() { await using lock = await acquire(); return work(); }\n`,
  'nested locks': ({ open, close, takes, unlocks }) => {
    const other = (code: string): string => code.replaceAll('(7)', '(8)').replaceAll('jobs', 'rows');
    return inFunction(`${open}\ntry { ${takes}\ntry { ${other(takes)}\ntry { return await work(); } finally { ${other(unlocks)} } } finally { ${unlocks} } } finally { ${close} }`);
  },
  'a function of its own for the unlock': ({ open, close, takes, unlocks }) =>
    inFunction(`${open}
const unlock = async () => { ${unlocks} };
try { ${takes}
try { return await work(); } finally { await unlock(); } } finally { ${close} }`),
  'hook pairs': ({ open, close, takes, unlocks }) => {
    const [, name = 'c'] = /const (\w+) = /.exec(open) ?? [];
    const assigned = open.replaceAll('const ', '');
    const declared = [...open.matchAll(/const (\w+) = /g)].map(([, variable]) => `let ${variable ?? name};`).join('\n');
    return `import { afterAll, beforeAll, it } from 'vitest';\n${declared}\nbeforeAll(async () => { ${assigned}\n${takes} });\nafterAll(async () => { ${unlocks} ${close} });\nit('works', async () => { await work(); });\n`;
  },
};

const cases = Object.entries(drivers).flatMap(([driver, words]) =>
  Object.entries(shapes).map(([shape, write]) => {
    const unlocks = `if (!${words.answer(words.unlock)}) console.warn('the lock was lost');`;
    const isMysql = driver === 'mysql2';
    // GET_LOCK waits and answers; its answer has to be looked at.
    const takes = isMysql ? `if (${words.answer(words.lock)} !== 1) throw new Error('busy');` : words.run(words.lock);
    const tries = isMysql ? `(${words.answer(words.tryLock)} === 1)` : words.answer(words.tryLock);
    return [driver, shape, `${words.head}${outside}${write({ ...words, unlocks, takes, tries })}`] as const;
  }),
);

const pgHead = `${drivers['pg']?.head ?? ''}${outside}`;
const unlocks = "if (!(await c.query('SELECT pg_advisory_unlock(7) AS ok')).rows[0].ok) console.warn('the lock was lost');";
const inPg = (body: string): string => `${pgHead}export async function task(): Promise<unknown> {\nconst c = await pool.connect();\n${body}\n}\n`;
const clientHead = `import { Client } from 'pg';\n${outside}`;

/** What users of neighbouring tools complain about, and what only one driver has. */
const others: Readonly<Record<string, string>> = {
  'pg: `release(error)`': inPg("let failed: Error | undefined;\ntry { await c.query('SELECT pg_advisory_lock(7)'); return await work(); } catch (error) { failed = error as Error; throw error; } finally { c.release(failed ?? true); }"),
  'pg: the connection is kept only when the unlock said true': inPg(
    "let unlocked = false;\ntry { await c.query('SELECT pg_advisory_lock(7)'); try { return await work(); } finally { unlocked = (await c.query('SELECT pg_advisory_unlock(7) AS ok')).rows[0].ok; } } finally { c.release(unlocked ? undefined : new Error('still locked')); }",
  ),
  'pg: `client.end()`': `${clientHead}export async function task() {\nconst c = new Client();\nc.on('error', console.error);\nawait c.connect();\ntry { await c.query('SELECT pg_advisory_lock(7)'); return await work(); } finally { await c.end(); }\n}`,
  'pg: a promise chain': inPg(`return c.query('SELECT pg_advisory_lock(7)').then(() => work().finally(async () => { ${unlocks} })).finally(() => c.release());`),
  'pg: an awaited promise chain': inPg(`try { await c.query('SELECT pg_advisory_lock(7)'); return await work().finally(async () => { ${unlocks} }); } finally { c.release(); }`),
  'pg: callbacks': `import { Pool } from 'pg';\nconst pool = new Pool();\nexport function task(done: (error?: Error) => void) {\n  pool.connect((error, c, release) => {\n    if (error || !c) return done(error);\n    c.query('SELECT pg_advisory_lock(7)', (failed) => {\n      release(failed ?? true);\n      done(failed);\n    });\n  });\n}`,
  'pg: a fresh connection for a leader that lives on': `${clientHead}export async function lead() {\nconst c = new Client();\nc.on('error', () => process.exit(1));\nawait c.connect();\ntry { await c.query('SELECT pg_advisory_lock(7)'); } catch (error) { await c.end(); throw error; }\nreturn c;\n}`,
  'pg: a class that keeps connection and lock': `import { Pool, type PoolClient } from 'pg';\n${outside}export class Mutex {\n  private c: PoolClient | null = null;\n  constructor(private readonly pool: Pool) {}\n  async acquire() {\n    const c = await this.pool.connect();\n    try { await c.query('SELECT pg_advisory_lock(7)'); } catch (error) { c.release(true); throw error; }\n    this.c = c;\n  }\n  async release() {\n    const { c } = this;\n    if (!c) return;\n    this.c = null;\n    try { ${unlocks} } finally { c.release(); }\n  }\n}`,
  'pg: connections in a map': `${pgHead}const held = new Map<string, import('pg').PoolClient>();\nexport async function lock(name: string) {\nconst c = await pool.connect();\ntry { await c.query('SELECT pg_advisory_lock(7)'); } catch (error) { c.release(true); throw error; }\nheld.set(name, c);\n}\nexport async function unlock(name: string) {\nconst c = held.get(name);\nif (!c) return;\nheld.delete(name);\ntry { ${unlocks} } finally { c.release(); }\n}`,
  'pg: a guard that is given the connection': `import type { Pool, PoolClient } from 'pg';\n${outside}class Guard {\n  constructor(private readonly c: PoolClient) {}\n  async release() { const { c } = this; try { ${unlocks} } finally { c.release(); } }\n}\nexport async function acquire(pool: Pool) {\nconst c = await pool.connect();\ntry { await c.query('SELECT pg_advisory_lock(7)'); } catch (error) { c.release(true); throw error; }\nreturn new Guard(c);\n}`,
  'pg: `AsyncDisposableStack`': inPg(`await using stack = new AsyncDisposableStack();\nstack.defer(() => c.release());\nawait c.query('SELECT pg_advisory_lock(7)');\nstack.defer(async () => { ${unlocks} });\nreturn work();`),
  'pg: unlock two calls away from `finally`': `${pgHead}async function releaseQuietly(c: import('pg').PoolClient) { const { rows } = await c.query('SELECT pg_advisory_unlock(7) AS ok'); if (!rows[0].ok) console.warn('lost'); }\nasync function unlockAndRelease(c: import('pg').PoolClient) { try { await releaseQuietly(c); } finally { c.release(); } }\nexport async function task() {\nconst c = await pool.connect();\ntry { await c.query('SELECT pg_advisory_lock(7)'); } catch (error) { c.release(); throw error; }\ntry { return await work(); } finally { await unlockAndRelease(c); }\n}`,
  'pg: `withX(handle, key, fn)`': `import type { PoolClient } from 'pg';\n${outside}export async function withLock<T>(c: PoolClient, key: number, fn: () => Promise<T>): Promise<T> {\nawait c.query('SELECT pg_advisory_lock($1)', [key]);\ntry { return await fn(); } finally { const { rows } = await c.query('SELECT pg_advisory_unlock($1) AS ok', [key]); if (!rows[0].ok) console.warn('lost'); }\n}`,
  'pg: a closure that forwards SQL': inPg("const query = (text: string) => c.query(text);\ntry { await query('SELECT pg_advisory_lock(7)'); try { return await work(); } finally { const { rows } = await query('SELECT pg_advisory_unlock(7) AS ok'); if (!rows[0].ok) console.warn('lost'); } } finally { c.release(); }"),
  'pg: a helper that runs transactions': `${pgHead}async function runTx<T>(fn: (c: import('pg').PoolClient) => Promise<T>): Promise<T> {\nconst c = await pool.connect();\ntry { await c.query('BEGIN'); const result = await fn(c); await c.query('COMMIT'); return result; } catch (error) { await c.query('ROLLBACK'); throw error; } finally { c.release(); }\n}\nexport const task = () => runTx(async (c) => { await c.query('SELECT pg_advisory_xact_lock(7)'); await c.query('UPDATE job SET n = n + 1'); });`,
  'pg: BEGIN, lock, COMMIT': inPg("try { await c.query('BEGIN'); await c.query('SELECT pg_advisory_xact_lock(7)'); await c.query('UPDATE job SET n = n + 1'); await c.query('COMMIT'); } catch (error) { await c.query('ROLLBACK'); throw error; } finally { c.release(); }"),
  'pg: a switch': inPg(`try { await c.query('SELECT pg_advisory_lock(7)'); try { switch (await work()) { case 'a': return 1; case 'b': break; default: await sleep(1); } } finally { ${unlocks} } } finally { c.release(); }`),
  'pg: retries': inPg("try { for (let attempt = 0; attempt < 3; attempt += 1) { const { rows } = await c.query('SELECT pg_try_advisory_lock(7) AS ok'); if (!rows[0].ok) { await sleep(100); continue; } try { return await work(); } finally { " + unlocks + " } } throw new Error('busy'); } finally { c.release(); }"),
  'pg: one lock per round, unlocked before the next': inPg("try { for (const key of [1, 2, 3]) { await c.query('SELECT pg_advisory_lock($1)', [key]); try { await work(); } finally { const { rows } = await c.query('SELECT pg_advisory_unlock($1) AS ok', [key]); if (!rows[0].ok) break; } } } finally { c.release(); }"),
  'pg: timing and logging around the lock': inPg(`try { await c.query('SELECT pg_advisory_lock(7)'); const start = Date.now(); console.info('locked'); try { return await work(); } finally { console.info('took', Date.now() - start); ${unlocks} } } finally { c.release(); }`),
  'postgres.js: `begin`': `import postgres from 'postgres';\nconst sql = postgres();\n${outside}export const task = () => sql.begin(async (tx) => { await tx\`SELECT pg_advisory_xact_lock(7)\`; await tx\`UPDATE job SET n = n + 1\`; });`,
  'postgres.js: a list of statements in `begin`': "import postgres from 'postgres';\nconst sql = postgres();\nexport const task = () => sql.begin((tx) => [tx`SELECT pg_advisory_xact_lock(7)`, tx`UPDATE job SET n = n + 1`]);",
  'prisma: an interactive transaction': "import { PrismaClient } from '@prisma/client';\nconst prisma = new PrismaClient();\nexport const task = (id: number) => prisma.$transaction(async (tx) => { await tx.$executeRaw`SELECT pg_advisory_xact_lock(7, ${id})`; return tx.job.update({ where: { id }, data: { n: 1 } }); });",
  'prisma: a try-lock': "import { PrismaClient } from '@prisma/client';\nconst prisma = new PrismaClient();\nexport const task = (id: number) => prisma.$transaction(async (tx) => { const [row] = await tx.$queryRaw<{ ok: boolean }[]>`SELECT pg_try_advisory_xact_lock(7) AS ok`; if (!row?.ok) return null; return tx.job.update({ where: { id }, data: { n: 1 } }); });",
  'knex: a transaction': "import knex from 'knex';\nconst db = knex({ client: 'pg' });\nexport const task = (id: number) => db.transaction(async (trx) => { await trx.raw('SELECT pg_advisory_xact_lock(7, ?)', [id]); await trx('job').where({ id }).update({ n: 1 }); });",
  'knex: a transaction handed to a helper': "import knex, { type Knex } from 'knex';\nconst db = knex({ client: 'pg' });\nconst enter = (trx: Knex.Transaction, id: number) => trx.raw('SELECT pg_advisory_xact_lock(7, ?)', [id]);\nexport const task = (id: number) => db.transaction(async (trx) => { await enter(trx, id); await trx('job').where({ id }).update({ n: 1 }); });",
  'knex: a transaction of its own making': "import knex from 'knex';\nconst db = knex({ client: 'pg' });\nexport async function task(id: number) { const trx = await db.transaction(); try { await trx.raw('SELECT pg_advisory_xact_lock(7, ?)', [id]); await trx('job').where({ id }).update({ n: 1 }); await trx.commit(); } catch (error) { await trx.rollback(); throw error; } }",
  'kysely: a transaction': "import { type Kysely, sql } from 'kysely';\nexport const task = (db: Kysely<any>) => db.transaction().execute(async (trx) => { await sql`SELECT pg_advisory_xact_lock(7)`.execute(trx); await trx.updateTable('job').set({ n: 1 }).execute(); });",
  'kysely: a connection': `import { type Kysely, sql } from 'kysely';\n${outside}export const task = (db: Kysely<any>) => db.connection().execute(async (c) => { await sql\`SELECT pg_advisory_lock(7)\`.execute(c); try { return await work(); } finally { const { rows } = await sql<{ ok: boolean }>\`SELECT pg_advisory_unlock(7) AS ok\`.execute(c); if (!rows[0]?.ok) console.warn('lost'); } });`,
  'sequelize: a transaction': "import { Sequelize } from 'sequelize';\nconst sequelize = new Sequelize('postgres://localhost/app');\nexport const task = () => sequelize.transaction(async (transaction) => { await sequelize.query('SELECT pg_advisory_xact_lock(7)', { transaction }); await sequelize.query('UPDATE job SET n = n + 1', { transaction }); });",
  'typeorm: a transaction': "import type { DataSource } from 'typeorm';\nexport const task = (dataSource: DataSource) => dataSource.transaction(async (manager) => { await manager.query('SELECT pg_advisory_xact_lock(7)'); await manager.query('UPDATE job SET n = n + 1'); });",
  'typeorm: a query runner with a transaction': "import type { DataSource } from 'typeorm';\nexport async function task(dataSource: DataSource) { const runner = dataSource.createQueryRunner(); await runner.connect(); await runner.startTransaction(); try { await runner.query('SELECT pg_advisory_xact_lock(7)'); await runner.query('UPDATE job SET n = n + 1'); await runner.commitTransaction(); } catch (error) { await runner.rollbackTransaction(); throw error; } finally { await runner.release(); } }",
  'drizzle: a transaction': "import { drizzle } from 'drizzle-orm/node-postgres';\nimport { sql } from 'drizzle-orm';\nconst db = drizzle('postgres://localhost/app');\nexport const task = () => db.transaction(async (tx) => { await tx.execute(sql`SELECT pg_advisory_xact_lock(7)`); await tx.execute(sql`UPDATE job SET n = n + 1`); });",
  'mysql2: a transaction inside the lock': `import mysql from 'mysql2/promise';\nconst pool = mysql.createPool({});\nexport async function task() { const c = await pool.getConnection(); let held = false; try { const [rows] = await c.query<any>("SELECT GET_LOCK('jobs', 5) AS ok"); held = rows[0].ok === 1; if (!held) return; await c.beginTransaction(); try { await c.query('UPDATE job SET n = n + 1'); await c.commit(); } catch (error) { await c.rollback(); throw error; } finally { const [done] = await c.query<any>("SELECT RELEASE_LOCK('jobs') AS ok"); held = done[0].ok !== 1; } } finally { if (held) c.destroy(); else c.release(); } }`,
  'mysql2: the connection is destroyed': `import mysql from 'mysql2/promise';\nconst pool = mysql.createPool({});\n${outside}export async function task() { const c = await pool.getConnection(); try { const [rows] = await c.query<any>("SELECT GET_LOCK('jobs', 5) AS ok"); if (rows[0].ok !== 1) return null; return await work(); } finally { c.destroy(); } }`,
  'slonik: a connection': `import { createPool, sql } from 'slonik';\n${outside}export async function task() { const pool = await createPool('postgres://localhost/app'); return pool.connect(async (c) => { await c.query(sql.unsafe\`SELECT pg_advisory_lock(7)\`); return work(); }); }`,
  'objects of other libraries with the same methods': `${outside}export async function task(door: any, cache: any) { await door.lock('pg_advisory_lock'); try { return await work(); } finally { await cache.release(); } }`,
  'SQL that nobody sends': "export const LOCK = 'SELECT pg_advisory_lock(7)';\nexport const messages = { busy: 'pg_try_advisory_lock answered false' };",
};

describe('code that is right', () => {
  it.each(Object.entries(others))('is left alone: %s', (_, code) => {
    expect(reports(code)).toEqual([]);
  });


  it.each(cases)('is left alone: %s, %s', (_driver, _shape, code) => {
    expect(reports(code)).toEqual([]);
  });
});
