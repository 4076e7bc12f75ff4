import * as parser from '@typescript-eslint/parser';
import { Linter } from 'eslint';
import { createPlugin } from '../../src/plugin.js';

/** Code from real projects whose right reading hangs on one detail, with its look-alikes. */
interface Case {
  readonly name: string;
  readonly code: string;
  /** `rule line` of every finding of the recommended rules, in source order. */
  readonly finds: readonly string[];
}

const plugin = createPlugin();
function findings(code: string): string[] {
  const messages = new Linter().verify(code, [{ files: ['**/*.ts'], languageOptions: { parser } }, { ...plugin.configs.recommended, files: ['**/*.ts'] }], 'case.ts');
  return messages.map(({ ruleId, line, message }) => `${ruleId?.replace('advisory-lock/', '') ?? message} ${line}`);
}

const drizzle = "import { drizzle } from 'drizzle-orm/node-postgres';\nimport { and, sql } from 'drizzle-orm';\nimport { jobs, old } from './schema.js';\nconst db = drizzle('postgres://localhost/app');\n";
const prisma = "import { PrismaClient } from '@prisma/client';\nconst prisma = new PrismaClient();\n";
const pg = (body: string): string => `import type { Client } from 'pg';\nexport async function run(client: Client, k: number, work: () => Promise<void>) {\n${body}\n}`;
const postgres = (options: string): string =>
  `import postgres from 'postgres';\nconst sql = postgres('postgres://localhost/app', ${options});\nexport async function run(work: () => Promise<void>) {\n  await sql\`SELECT pg_advisory_lock(1)\`;\n  await work();\n  const [row] = await sql\`SELECT pg_advisory_unlock(1) AS ok\`;\n  return row.ok;\n}`;
const pooled = (cleanup: string): string =>
  `import type { Pool } from 'pg';\nexport async function run(pool: Pool, work: () => Promise<void>) {\n  const c = await pool.connect();\n  await c.query('SELECT pg_advisory_lock(1)');\n  try {\n    await work();\n  } finally {\n    ${cleanup}\n  }\n}`;
const mikro = (last: string): string => `import { MikroORM } from '@mikro-orm/postgresql';\nexport async function run(orm: MikroORM, k: number) {\n  await orm.em.fork().transactional(async (tx) => {\n    await tx.getConnection().execute('select pg_advisory_xact_lock(?)', [k]${last});\n  });\n}`;
const UNLOCK = "const UNLOCK = 'SELECT pg_advisory_unlock(1) AS ok';\n";

const cases: readonly Case[] = [
  {
    name: '1: a facade named pool',
    code: "import type { Pool } from 'pg';\nasync function inTx(pool: Pool, cb: (p: { query: Function }) => Promise<void>) {\n  const c = await pool.connect();\n  await c.query('BEGIN');\n  try {\n    await cb({ query: (t: string, v: unknown[]) => c.query(t, v) });\n    await c.query('COMMIT');\n  } finally {\n    c.release();\n  }\n}\nexport const run = (pool: Pool) =>\n  inTx(pool, async (pool) => {\n    await pool.query('select pg_advisory_xact_lock(1)');\n  });",
    finds: [],
  },
  { name: '2: a connection that escapes the transaction', code: mikro(''), finds: ['no-xact-lock-outside-transaction 4'] },
  { name: '2: … and the one that is told to stay in it', code: mikro(", 'all', tx.getTransactionContext()"), finds: [] },
  {
    name: '3: a lazy statement from a helper, in a batch',
    code: `${prisma}const guard = (id: string) => prisma.$executeRaw\`select pg_advisory_xact_lock(7, hashtext(\${id}))\`;\nexport const run = (id: string, data: object) => prisma.$transaction([guard(id), prisma.row.create({ data })]);`,
    finds: [],
  },
  {
    name: '3: … and awaited by itself',
    code: `${prisma}const guard = (id: string) => prisma.$executeRaw\`select pg_advisory_xact_lock(7, hashtext(\${id}))\`;\nexport async function run(id: string) {\n  await guard(id);\n}`,
    finds: ['no-xact-lock-outside-transaction 3'],
  },
  {
    name: "4: the function's name as data",
    code: "import { Client } from 'pg';\nconst client = new Client();\nconst run = (fn: string, k: number) => client.query(`select ${fn}(${k})`);\nexport const lock = (k: number) => run('pg_advisory_lock', k);\nexport const unlock = (k: number) => run('pg_advisory_unlock', k).then(() => undefined);",
    finds: ['no-shared-session-lock 4', 'no-ignored-unlock-result 5'],
  },
  {
    name: '5: one helper, two levels',
    code: "import { Pool } from 'pg';\nconst pool = new Pool();\nexport async function enter(opts: { keep: boolean; id: number }) {\n  const f = opts.keep ? 'pg_advisory_lock' : 'pg_advisory_xact_lock';\n  await pool.query(`select ${f}($1)`, [opts.id]);\n}",
    finds: ['no-pool-session-lock 5', 'no-xact-lock-outside-transaction 5'],
  },
  {
    name: "6: a try-lock in a builder's where, with a limit far below",
    code: `${drizzle}export const claim = () =>\n  db.transaction((tx) => tx.select().from(jobs).where(and(old, sql\`pg_try_advisory_xact_lock(\${jobs.id})\`)).orderBy(jobs.id).limit(50));`,
    finds: ['no-lock-in-filter 6', 'no-lock-with-limit 6'],
  },
  {
    name: '7: a lock for as long as its statement runs',
    code: "import { Pool } from 'pg';\nconst pool = new Pool();\nexport const prune = (k: number) =>\n  pool.query(`with l as materialized (select pg_try_advisory_xact_lock($1) as ok),\n  b as materialized (select id from q, l where l.ok order by id limit $2) delete from q where id in (select id from b)`, [k, 100]);",
    finds: [],
  },
  {
    name: '7: a probe in autocommit',
    code: "import { Pool } from 'pg';\nconst pool = new Pool();\nexport async function isBusy(k: number) {\n  const { rows } = await pool.query('select not pg_try_advisory_xact_lock($1) as busy', [k]);\n  return rows[0].busy;\n}",
    finds: [],
  },
  {
    name: '8: a session lock in a transaction, its unlock swallowed',
    code: `${drizzle}export const run = (k: number, work: (tx: unknown) => Promise<void>) =>\n  db.transaction(async (tx) => {\n    const { rows } = await tx.execute(sql\`select pg_try_advisory_lock(1, \${k}) ok\`);\n    if (!rows[0].ok) return;\n    try {\n      return await work(tx);\n    } finally {\n      try {\n        await tx.execute(sql\`select pg_advisory_unlock(1, \${k})\`);\n      } catch {}\n    }\n  });`,
    finds: ['no-release-while-locked 6', 'no-session-lock-in-transaction 7', 'no-ignored-unlock-result 13', 'no-session-lock-in-transaction 13'],
  },
  {
    name: '9: an unlock on the path where the lock was refused',
    code: pg("  try {\n    const { rows } = await client.query('select pg_try_advisory_lock($1) ok', [k]);\n    if (!rows[0].ok) return;\n    await work();\n  } finally {\n    const { rows } = await client.query('select pg_advisory_unlock($1) ok', [k]);\n    if (!rows[0].ok) console.warn('lost');\n  }"),
    finds: ['no-mismatched-unlock 8'],
  },
  {
    name: '9: … the `locked` flag',
    code: pg("  let locked = false;\n  try {\n    const { rows } = await client.query('select pg_try_advisory_lock($1) ok', [k]);\n    locked = rows[0].ok;\n    if (!locked) return;\n    await work();\n  } finally {\n    if (locked) {\n      const { rows } = await client.query('select pg_advisory_unlock($1) ok', [k]);\n      if (!rows[0].ok) console.warn('lost');\n    }\n  }"),
    finds: [],
  },
  {
    name: '9: … `try` behind the check',
    code: pg("  const { rows } = await client.query('select pg_try_advisory_lock($1) ok', [k]);\n  if (!rows[0].ok) return;\n  try {\n    await work();\n  } finally {\n    const { rows } = await client.query('select pg_advisory_unlock($1) ok', [k]);\n    if (!rows[0].ok) console.warn('lost');\n  }"),
    finds: [],
  },
  { name: '10: an unlock that fails quietly', code: UNLOCK + pooled('await c.query(UNLOCK).catch(() => {});\n    c.release();'), finds: ['no-ignored-unlock-result 9', 'no-release-while-locked 10'] },
  {
    name: '10: … the connection is destroyed',
    code: UNLOCK + pooled('let e: Error | undefined;\n    const done = await c.query(UNLOCK).catch((x) => {\n      e = x;\n    });\n    c.release(e ?? (done?.rows[0].ok ? undefined : new Error("lost")));'),
    finds: [],
  },
  {
    name: '10: … the session is ended on the server',
    code: UNLOCK + pooled("await c.query(UNLOCK).then(({ rows }) => rows[0].ok || console.warn('lost')).catch(() => c.query('select pg_terminate_backend(pg_backend_pid())'));\n    c.release();"),
    finds: [],
  },
  { name: '11: one connection that may be replaced under the lock', code: postgres('{ max: 1, idle_timeout: 10 }'), finds: ['no-shared-session-lock 4'] },
  { name: '11: one session for as long as the process lives', code: postgres('{ max: 1, idle_timeout: 0, max_lifetime: null }'), finds: ['no-shared-session-lock 4'] },
  { name: '12: a time-out that does not count is a matter of the strict rules', code: pg("  await client.query(\"set lock_timeout = '5s'\");\n  await client.query('select pg_advisory_lock($1)', [k]);"), finds: [] },
  {
    name: '13: a transaction behind the type of a pool',
    code: `${drizzle}export async function log(tx: typeof db) {\n  await tx.execute(sql\`select pg_advisory_xact_lock(1)\`);\n}\nexport const run = () => db.transaction(async (tx) => log(tx as unknown as typeof db));`,
    finds: [],
  },
  {
    name: "13: a transaction under the global's name",
    code: `${prisma}export const run = (k: number) =>\n  prisma.$transaction(async (prisma) => {\n    await prisma.$executeRaw\`select pg_advisory_xact_lock(\${k})\`;\n  });`,
    finds: [],
  },
  {
    name: '13: no type at all',
    code: "import { sql } from 'drizzle-orm';\nexport class L {\n  constructor(private db: any) {}\n  lock = () => this.db.execute(sql`select pg_advisory_lock(1)`);\n}",
    finds: [],
  },
  {
    name: '14: fragments that are no SQL one by one',
    code: "import type { Client } from 'pg';\nexport async function lockAll(c: Client, ids: number[]) {\n  const { rows } = await c.query(`select ${ids.map((i) => `pg_try_advisory_lock(7, ${i}) as \"k${i}\"`).join(', ')}`);\n  return rows[0];\n}",
    finds: [],
  },
  {
    name: '14: BEGIN in another function',
    code: "import { Pool } from 'pg';\nconst pool = new Pool();\nconst tx = (s: string) => `BEGIN; SET LOCAL lock_timeout=30000; ${s}; COMMIT;`;\nexport const run = () => pool.query(tx('select pg_advisory_xact_lock(1)'));",
    finds: [],
  },
  {
    name: '15: a lock without SQL text, over HTTP',
    code: "import { createClient } from '@supabase/supabase-js';\nconst supabase = createClient('http://localhost', 'key');\nexport async function run() {\n  const { data } = await supabase.rpc('pg_try_advisory_lock', { key: 1 });\n  return data;\n}",
    finds: ['no-pool-session-lock 4'],
  },
  {
    name: '15: SQL that lives elsewhere',
    code: "import { db } from './db.js';\nexport const run = (id: number) => db.sql.course_advisory_lock({ id });",
    finds: [],
  },
];

describe('the hardest cases', () => {
  it.each(cases.map((each) => [each.name, each] as const))('%s', (_, { code, finds }) => {
    expect(findings(code), code).toEqual(finds);
  });
});
