import rule from '../../rules/no-pool-session-lock.js';
import { runRuleTests, type InvalidCase, type ValidCase } from '../rule-tester.js';
import { contexts, forEveryDriver, lockSql } from './contexts.js';
import { errorAt } from './error-at.js';

const transactionOrConnection = 'Take a transaction-level lock inside a transaction, or check out one connection for lock, work and unlock.';
const oneConnection = 'Check out one connection for lock, work and unlock.';

const spellings = {
  pg: 'pool.query',
  'postgres.js': 'sql`…`',
  prisma: 'prisma.$queryRaw`…`',
  drizzle: 'db.execute',
  knex: 'db.raw',
  kysely: 'sql`…`.execute',
  typeorm: 'dataSource.query',
  sequelize: 'sequelize.query',
  mysql2: 'pool.query',
} as const;

const perDriver = forEveryDriver(({ pool, connection, dialect }, name): { bad: InvalidCase; good: ValidCase } => {
  const sql = lockSql(dialect);
  const lock = pool.send(sql.tryLock);
  const unlock = pool.send(sql.unlock);
  const code = pool.wrap(`await ${lock};\n  await work();\n  await ${unlock};`);
  const cure = dialect === 'mysql' ? oneConnection : transactionOrConnection;
  return {
    bad: {
      name: `lock and unlock through a pool of ${name}`,
      drivers: [name],
      code,
      errors: [
        errorAt(code, lock, { messageId: 'acquired', data: { fn: sql.tryName, call: spellings[name], cure } }),
        errorAt(code, unlock, { messageId: 'released', data: { fn: sql.unlockName, call: spellings[name], no: sql.no } }),
      ],
    },
    good: {
      name: `lock and unlock on one handle of ${name}`,
      drivers: [name],
      code: connection.wrap(`await ${connection.send(sql.tryLock)};\n  await work();\n  await ${connection.send(sql.unlock)};`),
    },
  };
});

const pg = "import { Pool } from 'pg';\nconst pool = new Pool();\n";

/** One report of the whole call. */
function bad(name: string, code: string, call: string, messageId: string, data: Record<string, string>, options?: [object]): InvalidCase {
  return { name, code, ...(options && { options }), errors: [errorAt(code, call, { messageId, data })] };
}

runRuleTests(rule, {
  notApplicable: {},
  valid: [
    ...perDriver.map(({ good }) => good),
    { name: 'a transaction-level lock on a pool is the business of another rule', code: `${pg}await pool.query('SELECT pg_advisory_xact_lock(1)');` },
    { name: 'a pool of one connection is one connection that all callers share', code: "import { Pool } from 'pg';\nconst pool = new Pool({ max: 1 });\nawait pool.query('SELECT pg_advisory_lock(1)');" },
    { name: 'lock and unlock in one string run on one connection', code: `${pg}await pool.query('SELECT pg_advisory_lock(1); UPDATE t SET n = n + 1; SELECT pg_advisory_unlock(1)');` },
    { name: 'lock and unlock in one statement', code: `${pg}await pool.query('SELECT pg_try_advisory_lock(1) AS got, pg_advisory_unlock(1) AS freed');` },
    { name: 'a string that ends with unlocking everything', code: `${pg}await pool.query('SELECT pg_advisory_lock(1); SELECT pg_advisory_unlock_all()');` },
    { name: 'keys that may be equal in one string', code: `${pg}export const run = (a, b) => pool.query(\`SELECT pg_advisory_lock(\${a}); SELECT pg_advisory_unlock(\${b})\`);` },
    { name: 'a parameter without an annotation', code: "export const lock = (pool) => pool.query('SELECT pg_advisory_lock(1)');" },
    { name: 'a handle that may be either', code: "import type { Pool, PoolClient } from 'pg';\nexport const lock = (db: Pool | PoolClient) => db.query('SELECT pg_advisory_lock(1)');" },
    { name: 'a type whose objects play several roles', code: "import type { EntityManager } from 'typeorm';\nexport const lock = (em: EntityManager) => em.query('SELECT pg_advisory_lock(1)');" },
    { name: 'a question about a lock takes none', code: "import mysql from 'mysql2/promise';\nconst pool = mysql.createPool('mysql://localhost/app');\nawait pool.query(\"SELECT IS_USED_LOCK('a')\");" },
    { name: 'a statement that is never sent', code: "import postgres from 'postgres';\nconst sql = postgres();\nsql`SELECT pg_advisory_lock(1)`;" },
    { name: 'the text of a lock that nobody sends', code: `${pg}console.log('SELECT pg_advisory_lock(1)');\nexpect(pool.query).toHaveBeenCalledWith('SELECT pg_advisory_lock(1)');` },
    { name: 'functions of similar names', code: `${pg}await pool.query('SELECT my_pg_advisory_lock(1), app.pg_advisory_lock(2)');` },
    {
      name: 'a facade in front of a connection, named and typed like a pool',
      code: "import type { Pool } from 'pg';\nasync function inTransaction(pool: Pool, body: (db: Pool) => Promise<void>) {\n  const c = await pool.connect();\n  try {\n    await body({ query: (text, values) => c.query(text, values) } as Pool);\n  } finally {\n    c.release();\n  }\n}\nexport const run = (pool: Pool) => inTransaction(pool, async (pool) => { await pool.query('SELECT pg_advisory_lock(1)'); });",
    },
  ],
  invalid: [
    ...perDriver.map(({ bad: invalid }) => invalid),
    bad('a parameter annotated as a pool', "import type { Pool } from 'pg';\nexport const lock = (db: Pool) => db.query('SELECT pg_advisory_lock(1)');", "db.query('SELECT pg_advisory_lock(1)')", 'acquired', {
      fn: 'pg_advisory_lock',
      call: 'db.query',
      cure: transactionOrConnection,
    }),
    bad('a parameter that a caller in this file gives a pool', `${pg}const lock = (db) => db.query('SELECT pg_advisory_lock(1)');\nlock(pool);`, "db.query('SELECT pg_advisory_lock(1)')", 'acquired', {
      fn: 'pg_advisory_lock',
      call: 'db.query',
      cure: transactionOrConnection,
    }),
    bad(
      'a helper that one caller gives a connection and another one the pool',
      `${pg}const lock = (db) => db.query('SELECT pg_advisory_lock(1)');\nexport async function run() {\n  const c = await pool.connect();\n  await lock(c);\n  await lock(pool);\n}`,
      "db.query('SELECT pg_advisory_lock(1)')",
      'acquired',
      { fn: 'pg_advisory_lock', call: 'db.query', cure: transactionOrConnection },
    ),
    bad(
      'a wrapper that forwards SQL: the report stands where the text is',
      `${pg}const run = (text) => pool.query(text);\nawait run('SELECT pg_advisory_lock(1)');`,
      "run('SELECT pg_advisory_lock(1)')",
      'acquired',
      { fn: 'pg_advisory_lock', call: 'pool.query', cure: transactionOrConnection },
    ),
    bad('upper case and a schema', `${pg}await pool.query('SELECT PG_CATALOG.PG_ADVISORY_LOCK(1)');`, "pool.query('SELECT PG_CATALOG.PG_ADVISORY_LOCK(1)')", 'acquired', {
      fn: 'pg_advisory_lock',
      call: 'pool.query',
      cure: transactionOrConnection,
    }),
    bad(
      'a query builder',
      "import knex from 'knex';\nconst db = knex({ client: 'pg' });\nexport const lock = async () => { const [row] = await db.select(db.raw('pg_try_advisory_lock(1) AS ok')).limit(1); return row.ok; };",
      "db.select(db.raw('pg_try_advisory_lock(1) AS ok')).limit(1)",
      'acquired',
      { fn: 'pg_try_advisory_lock', call: 'db.select(…).limit', cure: transactionOrConnection },
    ),
    bad(
      'the outer handle inside a transaction',
      "import { PrismaClient } from '@prisma/client';\nconst prisma = new PrismaClient();\nawait prisma.$transaction(async (tx) => {\n  await prisma.$executeRaw`SELECT pg_advisory_lock(1)`;\n});",
      'prisma.$executeRaw`SELECT pg_advisory_lock(1)`',
      'acquired',
      { fn: 'pg_advisory_lock', call: 'prisma.$executeRaw`…`', cure: transactionOrConnection },
    ),
    bad('a lock function that is called by its name', "import pgPromise from 'pg-promise';\nconst db = pgPromise()('postgres://localhost/app');\nawait db.func('pg_advisory_lock', [1]);", "db.func('pg_advisory_lock', [1])", 'acquired', {
      fn: 'pg_advisory_lock',
      call: 'db.func',
      cure: transactionOrConnection,
    }),
    bad(
      'a remote procedure call',
      "import { createClient } from '@supabase/supabase-js';\nconst supabase = createClient('https://app.supabase.co', 'key');\nconst { data } = await supabase.rpc('pg_try_advisory_lock', { key: 1 });\nif (!data) throw new Error('busy');",
      "supabase.rpc('pg_try_advisory_lock', { key: 1 })",
      'http',
      { fn: 'pg_try_advisory_lock', call: 'supabase.rpc' },
    ),
    bad('a driver over HTTP', "import { neon } from '@neondatabase/serverless';\nconst sql = neon('postgres://localhost/app');\nawait sql`SELECT pg_advisory_lock(1)`;", 'sql`SELECT pg_advisory_lock(1)`', 'http', {
      fn: 'pg_advisory_lock',
      call: 'sql`…`',
    }),
    bad(
      'a pool that resets its connections',
      "import { createPool, sql } from 'slonik';\nconst pool = await createPool('postgres://localhost/app');\nawait pool.query(sql.unsafe`SELECT pg_advisory_lock(1)`);",
      'pool.query(sql.unsafe`SELECT pg_advisory_lock(1)`)',
      'reset',
      { fn: 'pg_advisory_lock', call: 'pool.query' },
    ),
    bad('a handle imported from a file that is not read', "import { db } from './db.js';\nawait db.query('SELECT pg_advisory_lock(1)');", "db.query('SELECT pg_advisory_lock(1)')", 'assumed', {
      fn: 'pg_advisory_lock',
      call: 'db.query',
      cure: transactionOrConnection,
    }),
    bad("what is locked with one key stays when another one's lock is released in the same string", `${pg}await pool.query('SELECT pg_advisory_lock(1); SELECT pg_advisory_unlock(2)');`, "pool.query('SELECT pg_advisory_lock(1); SELECT pg_advisory_unlock(2)')", 'acquired', {
      fn: 'pg_advisory_lock',
      call: 'pool.query',
      cure: transactionOrConnection,
    }),
    bad(
      'an unlock before the lock in one string needs the connection of an earlier one',
      `${pg}await pool.query('SELECT pg_advisory_unlock(1); SELECT pg_advisory_lock(1)');`,
      "pool.query('SELECT pg_advisory_unlock(1); SELECT pg_advisory_lock(1)')",
      'released',
      { fn: 'pg_advisory_unlock', call: 'pool.query', no: 'false' },
    ),
    bad(
      'a shared lock is not released by the unlock of an exclusive one in the same string',
      `${pg}await pool.query('SELECT pg_advisory_lock_shared(1); SELECT pg_advisory_unlock(1)');`,
      "pool.query('SELECT pg_advisory_lock_shared(1); SELECT pg_advisory_unlock(1)')",
      'acquired',
      { fn: 'pg_advisory_lock_shared', call: 'pool.query', cure: transactionOrConnection },
    ),
    bad(
      'alternatives of one text are one statement',
      `${pg}export const lock = (shared) => pool.query(shared ? 'SELECT pg_advisory_lock_shared(1)' : 'SELECT pg_advisory_lock(1)');`,
      "pool.query(shared ? 'SELECT pg_advisory_lock_shared(1)' : 'SELECT pg_advisory_lock(1)')",
      'acquired',
      { fn: 'pg_advisory_lock_shared', call: 'pool.query', cure: transactionOrConnection },
    ),
    bad(
      'an unknown handle, when asked for',
      "import type { PoolClient, Pool } from 'pg';\nexport const lock = (db: Pool | PoolClient) => db.query('SELECT pg_advisory_lock(1)');",
      "db.query('SELECT pg_advisory_lock(1)')",
      'potential',
      { fn: 'pg_advisory_lock', call: 'db.query' },
      [{ report: 'potential' }],
    ),
  ],
});

it('has a spelling for every driver', () => {
  expect(Object.keys(spellings).sort()).toEqual(Object.keys(contexts).sort());
});
