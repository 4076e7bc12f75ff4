import { itFinds, type Case } from './lock-statements.js';

const one = (title: string, code: string, ...expected: string[]): Case => ({ title, code, expected });
const POOL = `import { Pool } from 'pg';\nconst pool = new Pool();\n`;

describe('functions that forward SQL', () => {
  itFinds([
    one('a function', `${POOL}const run = (text, values) => pool.query(text, values);\nawait run('SELECT pg_advisory_lock($1)', [1]);`, '4 pool pg_advisory_lock via 3'),
    one('a function declaration', `${POOL}await run('SELECT pg_advisory_lock(1)');\nasync function run(text) { return await pool.query(text); }`, '3 pool pg_advisory_lock via 4'),
    one('two levels', `${POOL}const run = (text) => pool.query(text);\nconst lock = (sql) => run(sql);\nawait lock('SELECT pg_advisory_lock(1)');`, '5 pool pg_advisory_lock via 3'),
    one('several callers', `${POOL}const run = (text) => pool.query(text);\nawait run('SELECT pg_advisory_lock(1)');\nawait run('SELECT 1');\nawait run('SELECT pg_advisory_unlock(1)');`, '4 pool pg_advisory_lock via 3', '6 pool pg_advisory_unlock via 3'),
    one('a local closure', `import type { PoolClient } from 'pg';\nexport async function work(client: PoolClient) {\n  const query = (s: string) => client.query({ text: s });\n  await query('SELECT pg_advisory_lock(1)');\n}`, '4 connection pg_advisory_lock via 3'),
    one('an object with the text', `${POOL}const run = (query) => pool.query(query);\nawait run({ text: 'SELECT pg_advisory_lock($1)', values: [1] });`, '4 pool pg_advisory_lock via 3'),
    one('a destructured object', `${POOL}const run = ({ sql, values }) => pool.query(sql, values);\nawait run({ sql: 'SELECT pg_advisory_lock($1)', values: [1] });`, '4 pool pg_advisory_lock via 3'),
    one('an object taken apart later', `${POOL}const run = (options) => pool.query({ text: options.sql });\nawait run({ sql: 'SELECT pg_advisory_lock(1)' });`, '4 pool pg_advisory_lock via 3'),
    one('rest parameters', `${POOL}const run = (...args) => pool.query(...args);\nawait run('SELECT pg_advisory_lock($1)', [1]);`, '4 pool pg_advisory_lock via 3'),
    one('rest parameters, twice', `${POOL}const run = (...args) => pool.query(...args);\nconst lock = (...args) => run(...args);\nawait lock('SELECT pg_advisory_lock($1)', [1]);`, '5 pool pg_advisory_lock via 3'),
    one('rest parameters after others', `${POOL}const run = (label, ...args) => pool.query(...args);\nawait run('lock', 'SELECT pg_advisory_lock($1)', [1]);`, '4 pool pg_advisory_lock via 3'),
    one('elements of rest parameters', `${POOL}const run = (...args) => pool.query(args[0], args[1]);\nawait run('SELECT pg_advisory_lock($1)', [1]);`, '4 pool pg_advisory_lock via 3'),
    one('text around the argument', `${POOL}const run = (s) => pool.query(\`BEGIN; SET LOCAL lock_timeout = 30000; \${s}; COMMIT\`);\nawait run('SELECT pg_advisory_xact_lock(1)');`, '4 pool pg_advisory_xact_lock via 3'),
    one('the function name as data', `${POOL}const run = (fn, key) => pool.query(\`select \${fn}($1)\`, [key]);\nexport const lock = (k) => run('pg_advisory_lock', k);\nexport const unlock = (k) => run('pg_advisory_unlock', k).then(() => undefined);`, '4 pool pg_advisory_lock via 3', '5 pool pg_advisory_unlock via 3'),
    one('the function name from a constant', `${POOL}const LOCK = 'pg_advisory_lock';\nconst run = (fn) => pool.query('select ' + fn + '(1)');\nawait run(LOCK);`, '5 pool pg_advisory_lock via 4'),
    one('the handle as an argument', `${POOL}const run = (db, text) => db.query(text);\nawait run(pool, 'SELECT pg_advisory_lock(1)');\nconst client = await pool.connect();\nawait run(client, 'SELECT pg_advisory_lock(2)');`, '4 pool pg_advisory_lock via 3', '6 connection pg_advisory_lock via 3'),
    one('a default handle', `${POOL}const run = (text, db = pool) => db.query(text);\nconst client = await pool.connect();\nawait run('SELECT pg_advisory_lock(1)');\nawait run('SELECT pg_advisory_lock(2)', client);`, '5 pool pg_advisory_lock via 3', '6 connection pg_advisory_lock via 3'),
    one('a recursive function', `${POOL}async function run(text, tries = 3) { try { return await pool.query(text); } catch (error) { if (tries === 0) throw error; return run(text, tries - 1); } }\nawait run('SELECT pg_advisory_lock(1)');`, '4 pool pg_advisory_lock via 3'),
    one('a tag of the driver', `import postgres from 'postgres';\nconst sql = postgres();\nconst run = (text) => sql.unsafe(text);\nawait run('SELECT pg_advisory_lock(1)');`, '4 pool pg_advisory_lock via 3'),
    one('a fragment as the argument', `import { drizzle } from 'drizzle-orm/node-postgres';\nimport { sql } from 'drizzle-orm';\nconst db = drizzle(process.env.URL);\nconst run = (query) => db.execute(query);\nawait run(sql\`SELECT pg_advisory_lock(\${1})\`);`, '5 pool pg_advisory_lock via 4'),
    one('a call by name', `import { createClient } from '@supabase/supabase-js';\nconst supabase = createClient(url, key);\nconst call = (fn, args) => supabase.rpc(fn, args);\nawait call('pg_try_advisory_lock', { key: 1 });`, '4 http pg_try_advisory_lock via 3'),
    one('an exported wrapper without callers', `${POOL}export const run = (text) => pool.query(text);\n// advisory`),
  ]);
});

describe('functions that send a fixed statement', () => {
  itFinds([
    one('over a module-level handle', `${POOL}const lock = (key) => pool.query('SELECT pg_advisory_lock($1)', [key]);\nawait lock(1);`, '3 pool pg_advisory_lock'),
    one('over an argument of one kind', `${POOL}const lock = (db) => db.query('SELECT pg_advisory_lock(1)');\nexport async function a() { await lock(pool); }\nexport async function b() { await lock(pool); }`, '3 pool pg_advisory_lock'),
    one('over an argument of two kinds', `${POOL}const lock = (db) => db.query('SELECT pg_advisory_lock(1)');\nawait lock(pool);\nawait lock(await pool.connect());`, '3 unknown pg_advisory_lock or pool/connection'),
    one('over an argument two calls away', `${POOL}const lock = (db) => db.query('SELECT pg_advisory_lock(1)');\nconst outer = (handle) => lock(handle);\nawait outer(pool);`, '3 pool pg_advisory_lock'),
  ]);
});

describe('classes and objects', () => {
  itFinds([
    one(
      'a method that forwards',
      `import { Pool } from 'pg';\nclass PgStore {\n  constructor(private pool: Pool) {}\n  run(text: string) { return this.pool.query(text); }\n}\nconst store = new PgStore(new Pool());\nawait store.run('SELECT pg_advisory_lock(1)');`,
      '7 pool pg_advisory_lock via 4',
    ),
    one(
      'a method called by another one',
      `import type { PoolClient } from 'pg';\nexport class Locks {\n  constructor(private readonly client: PoolClient) {}\n  async lock() { await this.run('SELECT pg_advisory_lock(1)'); }\n  private run(text: string) { return this.client.query(text); }\n}`,
      '4 connection pg_advisory_lock via 5',
    ),
    one(
      'a private method',
      `import { Pool } from 'pg';\nexport class Locks {\n  #pool = new Pool();\n  lock() { return this.#run('SELECT pg_advisory_lock(1)'); }\n  #run(text) { return this.#pool.query(text); }\n}`,
      '4 pool pg_advisory_lock via 5',
    ),
    one(
      'a method of the class it extends',
      `import { Pool } from 'pg';\nclass Base { pool = new Pool(); run(text) { return this.pool.query(text); } }\nexport class Locks extends Base { lock() { return this.run('SELECT pg_advisory_lock(1)'); } }`,
      '3 pool pg_advisory_lock via 2',
    ),
    one(
      'a static method',
      `import { Pool } from 'pg';\nclass Db { static pool = new Pool(); static run(text) { return Db.pool.query(text); } }\nawait Db.run('SELECT pg_advisory_lock(1)');`,
      '3 pool pg_advisory_lock via 2',
    ),
    one('an object of functions', `${POOL}export const db = { run: (text) => pool.query(text) };\nawait db.run('SELECT pg_advisory_lock(1)');`, '4 pool pg_advisory_lock via 3'),
    one('an object of methods', `${POOL}const db = { run(text) { return pool.query(text); }, lock() { return this.run('SELECT pg_advisory_lock(1)'); } };`, '3 pool pg_advisory_lock via 3'),
    one('a factory of an object of functions', `${POOL}function makeDb() { return { query: (text) => pool.query(text) }; }\nconst db = makeDb();\nawait db.query('SELECT pg_advisory_lock(1)');`, '5 pool pg_advisory_lock via 3'),
    one('two instances with different handles', `import { Pool, Client } from 'pg';\nclass Store { constructor(db) { this.db = db; } lock() { return this.db.query('SELECT pg_advisory_lock(1)'); } }\nnew Store(new Pool());\nnew Store(new Client());`, '2 unknown pg_advisory_lock or pool/connection'),
  ]);
});

describe('facades', () => {
  itFinds([
    one(
      'a transaction behind an object that has the methods of a pool',
      `${POOL}async function inTx(pool, cb) {
  const c = await pool.connect(); await c.query('BEGIN');
  try { await cb({ query: (t, v) => c.query(t, v) }); await c.query('COMMIT'); } finally { c.release(); }
}
await inTx(pool, async (pool) => { await pool.query('select pg_advisory_xact_lock(1)'); });`,
      '7 connection pg_advisory_xact_lock via 5',
    ),
    one(
      'a helper that opens a transaction',
      `import { PrismaClient } from '@prisma/client';\nconst prisma = new PrismaClient();\nconst inTx = (fn) => prisma.$transaction((tx) => fn(tx));\nawait inTx(async (t) => { await t.$executeRaw\`SELECT pg_advisory_xact_lock(1)\`; });`,
      '4 transaction pg_advisory_xact_lock',
    ),
    one(
      'a helper that hands its callback to the driver',
      `import { knex } from 'knex';\nconst db = knex({});\nconst inTx = (fn) => db.transaction(fn);\nawait inTx(async (trx) => { await trx.raw('SELECT pg_advisory_xact_lock(1)'); });`,
      '4 transaction pg_advisory_xact_lock',
    ),
    one(
      'a transaction behind the type of the pool',
      `import { drizzle } from 'drizzle-orm/node-postgres';\nimport type { Database } from './db';\nconst db = drizzle(process.env.URL);\nawait db.transaction(async (tx) => { const target = tx as unknown as Database; await target.execute('SELECT pg_advisory_xact_lock(1)'); });`,
      '4 transaction pg_advisory_xact_lock',
    ),
  ]);
});

describe('statements made elsewhere', () => {
  itFinds([
    one(
      'a lazy statement that a helper returns into a batch',
      `import { PrismaClient } from '@prisma/client';\nconst prisma = new PrismaClient();\nconst guard = (id) => prisma.$executeRaw\`select pg_advisory_xact_lock(7, hashtext(\${id}))\`;\nawait prisma.$transaction([guard(1), prisma.row.create({ data })]);`,
      '3 transaction pg_advisory_xact_lock',
    ),
    one(
      'the same helper awaited by itself as well',
      `import { PrismaClient } from '@prisma/client';\nconst prisma = new PrismaClient();\nconst guard = (id) => prisma.$executeRaw\`select pg_advisory_xact_lock(7, hashtext(\${id}))\`;\nawait prisma.$transaction([guard(1)]);\nawait guard(2);`,
      '3 pool pg_advisory_xact_lock',
    ),
    one(
      'a lazy statement in a variable',
      `import { PrismaClient } from '@prisma/client';\nconst prisma = new PrismaClient();\nconst lock = prisma.$executeRaw\`select pg_advisory_xact_lock(1)\`;\nconst all = [lock];\nall.push(prisma.$executeRaw\`select pg_advisory_xact_lock(2)\`);\nawait prisma.$transaction(all);`,
      '3 transaction pg_advisory_xact_lock',
      '5 transaction pg_advisory_xact_lock',
    ),
    one(
      'one statement or the other',
      `${POOL}export async function run(opts, sql, exec) {\n  const f = opts.keep ? 'pg_advisory_lock' : 'pg_advisory_xact_lock';\n  await pool.query(\`select \${f}(\${opts.id})\`);\n}`,
      '5 pool pg_advisory_lock',
      '5 pool pg_advisory_xact_lock alternative',
    ),
    one(
      'fragments joined',
      `import { createPool, sql } from 'slonik';\nconst pool = await createPool(process.env.URL);\nconst key = sql.fragment\`hashtextextended(\${name}, 0)\`;\nawait pool.query(sql.unsafe\`SELECT pg_advisory_lock(\${key})\`);`,
      '4 pool pg_advisory_lock',
    ),
    one('a fragment from a helper', `import postgres from 'postgres';\nconst sql = postgres();\nconst key = (name) => sql\`hashtextextended(\${name}, 0)\`;\nawait sql\`SELECT pg_advisory_lock(\${key('a')})\`;`, '4 pool pg_advisory_lock'),
    one('locks made by a loop', `${POOL}const c = await pool.connect();\nawait c.query(\`select \${ids.map((i) => \`pg_try_advisory_lock(7, \${i}) as "k\${i}"\`).join(', ')}\`);`, '4 connection pg_try_advisory_lock'),
    one('a statement in a constant', `${POOL}const SQL = { lock: 'SELECT pg_advisory_lock($1)', unlock: 'SELECT pg_advisory_unlock($1)' };\nawait pool.query(SQL.lock, [1]);\nawait pool.query(SQL.unlock, [1]);`, '4 pool pg_advisory_lock', '5 pool pg_advisory_unlock'),
    one(
      'fragments nested in a loop',
      `import postgres from 'postgres';\nconst sql = postgres();\nconst key = names.reduce((s, x) => sql\`hashtextextended(\${x}, \${s})\`, sql\`0\`);\nawait sql\`select from (select pg_advisory_lock(\${key})) x offset 1\`;`,
      '4 pool pg_advisory_lock',
    ),
    one(
      'a transaction around the text, made by another function',
      `${POOL}const tx = (s) => \`BEGIN; SET LOCAL lock_timeout=30000; \${s}; COMMIT;\`;\nawait pool.query(tx('SELECT pg_advisory_xact_lock(1)'));`,
      '4 pool pg_advisory_xact_lock',
    ),
    one('a lock without SQL text', `import { createClient } from '@supabase/supabase-js';\nconst supabase = createClient(url, key);\nawait supabase.rpc('pg_try_advisory_lock', { key: 1 });`, '3 http pg_try_advisory_lock'),
    one('a lock as a method', `import db from '@adonisjs/lucid/services/db';\nawait db.connection().getAdvisoryLock(1);`, '2 pool pg_try_advisory_lock'),
    one('a builder in a variable', `import { knex } from 'knex';\nconst db = knex({});\nlet q = db('jobs').select(db.raw('pg_try_advisory_lock(id)'));\nif (kind) q = q.where({ kind });\nq.orderBy('id');\nconst rows = await q.limit(10);`, '6 pool pg_try_advisory_lock'),
    one('a builder that a helper returns', `import { knex } from 'knex';\nconst db = knex({});\nconst jobs = () => db('jobs').select(db.raw('pg_try_advisory_lock(id)'));\nconst rows = await jobs().limit(10);`, '4 pool pg_try_advisory_lock'),
  ]);
});
