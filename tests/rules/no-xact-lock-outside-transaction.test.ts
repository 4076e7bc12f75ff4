import rule from '../../rules/no-xact-lock-outside-transaction.js';
import { runRuleTests, type InvalidCase, type ValidCase } from '../rule-tester.js';
import { contexts, forEveryDriver } from './contexts.js';
import { errorAt } from './error-at.js';

const xact = 'SELECT pg_advisory_xact_lock(7)';
const fn = 'pg_advisory_xact_lock';

/** What the report calls the call: what is written before its arguments. */
const calls: Readonly<Record<string, string>> = {
  pg: 'pool.query', 'postgres.js': 'sql`…`', prisma: 'prisma.$queryRaw`…`', drizzle: 'db.execute', knex: 'db.raw', kysely: 'sql`…`.execute', typeorm: 'dataSource.query', sequelize: 'sequelize.query',
};
/** Transactions as each driver opens them; the handle is `t`. */
const transactions: Readonly<Record<string, { readonly open: string; readonly send: string }>> = {
  pg: { open: '', send: '' },
  'postgres.js': { open: 'sql.begin', send: `t\`${xact}\`` },
  prisma: { open: 'prisma.$transaction', send: `t.$executeRaw\`${xact}\`` },
  drizzle: { open: 'db.transaction', send: `t.execute(sql\`${xact}\`)` },
  knex: { open: 'db.transaction', send: `t.raw('${xact}')` },
  kysely: { open: 'db.transaction().execute', send: `sql\`${xact}\`.execute(t)` },
  typeorm: { open: 'dataSource.transaction', send: `t.query('${xact}')` },
  sequelize: { open: 'sequelize.transaction', send: `sequelize.query('${xact}', { transaction: t })` },
};

const perDriver = forEveryDriver(({ pool }, name): { bad: InvalidCase[]; good: ValidCase } => {
  const call = calls[name] ?? '';
  const { open, send } = transactions[name] ?? { open: '', send: '' };
  const lock = pool.send(xact);
  const alone = pool.wrap(`await ${lock};`);
  const bad: InvalidCase = { name: `autocommit, with ${name}`, drivers: [name], code: alone, errors: [errorAt(alone, lock, { messageId: 'pool', data: { fn, call } })] };
  if (open === '') {
    const good = contexts.pg.connection.wrap("await c.query('BEGIN');\n  await c.query('SELECT pg_advisory_xact_lock(7)');\n  await c.query('COMMIT');");
    return { bad: [bad], good: { name: `a transaction, with ${name}`, drivers: [name], code: good } };
  }
  const outside = pool.wrap(`await ${open}(async (t) => {\n    await ${lock};\n    await work(t);\n  });`);
  const line = outside.split('\n').findIndex((written) => written.includes(open)) + 1;
  return {
    bad: [bad, { name: `the outer handle in a transaction's callback, with ${name}`, drivers: [name], code: outside, errors: [errorAt(outside, lock, { messageId: 'outer', data: { fn, call, line } })] }],
    good: { name: `a transaction, with ${name}`, drivers: [name], code: pool.wrap(`await ${open}(async (t) => {\n    await ${send};\n    await work(t);\n  });`) },
  };
}, ['mysql2']);

const pool = (body: string): string => contexts.pg.pool.wrap(body);
const owner = (body: string): string => contexts.pg.connection.wrap(body);
const lock = `c.query('${xact}')`;
const silent = (name: string, code: string): ValidCase => ({ name, code });
function onPool(name: string, code: string, marked: string, data: Record<string, string | number> = {}): InvalidCase {
  return { name, code, errors: [errorAt(code, marked, { messageId: 'pool', data: { fn, call: 'pool.query', ...data } })] };
}
const onConnection = (name: string, code: string, call = 'c.query', marked = lock): InvalidCase => ({ name, code, errors: [errorAt(code, marked, { messageId: 'connection', data: { fn, call } })] });
const tryLock = "pool.query('SELECT pg_try_advisory_xact_lock(7) AS ok')";

const nested = owner(`await c.query('BEGIN');\n  await ${lock};\n  await c.query('BEGIN');\n  await c.query('UPDATE job SET n = n + 1');\n  await c.query('COMMIT');\n  await c.query('UPDATE job SET n = n + 2');\n  await c.query('COMMIT');`);
const savepoint = owner(`await c.query('BEGIN');\n  await c.query('SAVEPOINT s');\n  await ${lock};\n  await work();\n  await c.query('ROLLBACK TO s');\n  await work();\n  await c.query('COMMIT');`);
const after = owner(`await c.query('BEGIN');\n  await work(c);\n  await c.query('COMMIT');\n  await ${lock};\n  await work(c);`);
const kysely = "import { type Kysely, sql } from 'kysely';\nexport const run = (db: Kysely<any>, work) => db.connection().execute(async (c) => {\n  await sql`SELECT pg_advisory_xact_lock(7)`.execute(c);\n  await work(c);\n});";
const injected = (members = '', before = ''): string => `import type { Knex } from 'knex';\n${before}export class Store {\n  constructor(private readonly db: Knex) {}\n  async enter() { await this.db.raw('${xact}'); }\n${members}}`;
const prismaHead = "import { PrismaClient } from '@prisma/client';\nconst prisma = new PrismaClient();\n";
const mikro = (last: string): string => `import { MikroORM } from '@mikro-orm/postgresql';\nexport async function run(orm: MikroORM) {\n  await orm.em.fork().transactional(async (t) => {\n    await t.getConnection().execute('${xact}'${last});\n  });\n}`;

runRuleTests(rule, {
  notApplicable: { mysql2: 'MySQL has no locks that end with the transaction' },
  valid: [
    ...perDriver.map(({ good }) => good),
    silent('one string of several statements is one transaction', pool("await pool.query('SELECT pg_advisory_xact_lock(7); UPDATE job SET n = n + 1');")),
    silent('a lock that guards its own statement', pool("await pool.query('WITH l AS MATERIALIZED (SELECT pg_advisory_xact_lock(7)) UPDATE job SET n = n + 1 FROM l');")),
    silent('a lock that guards the rows it is read with', pool("await pool.query('SELECT id, pg_advisory_xact_lock(id) FROM job');")),
    silent(
      'a try-lock whose answer the same statement uses',
      pool("await pool.query(`with l as materialized (select pg_try_advisory_xact_lock($1) as ok), b as materialized (select id from q, l where l.ok limit $2) delete from q where id in (select id from b)`, [7, 100]);"),
    ),
    silent('a body that runs as one statement', pool("await pool.query('DO $$ BEGIN PERFORM pg_advisory_xact_lock(7); UPDATE job SET n = n + 1; END $$');")),
    silent('a probe that returns the answer', pool(`const { rows } = await ${tryLock};\n  return rows[0].ok;`)),
    silent('a probe that returns the opposite', pool(`return !(await ${tryLock}).rows[0].ok;`)),
    silent('a probe in SQL', pool("return (await pool.query('SELECT NOT pg_try_advisory_xact_lock(7) AS busy')).rows[0].busy;")),
    silent('a probe that reports', pool(`const { rows } = await ${tryLock};\n  work.report({ free: rows[0].ok });`)),
    silent('a batch', `${prismaHead}export const run = (data) => prisma.$transaction([prisma.$executeRaw\`${xact}\`, prisma.user.create({ data })]);`),
    silent('a batch, with a statement from a helper', `${prismaHead}const guard = () => prisma.$executeRaw\`${xact}\`;\nexport const run = (data) => prisma.$transaction([guard(), prisma.user.create({ data })]);`),
    silent('a statement that a caller may put into a batch', `${prismaHead}export const guard = () => prisma.$executeRaw\`${xact}\`;`),
    silent('a connection from outside may be in a transaction', `import type { PoolClient } from 'pg';\nexport const enter = (c: PoolClient) => ${lock};`),
    silent('a handle of a type that transactions have, too', `import type { Knex } from 'knex';\nexport const enter = (db: Knex) => db.raw('${xact}');`),
    silent('a class that the file makes with a transaction', injected('', "import { db } from './db.js';\n") + '\nexport const run = () => db.transaction((t) => new Store(t).enter());'),
    silent('a facade named pool', `import { Pool } from 'pg';\nasync function inTransaction(pool: Pool, run) {\n  const c = await pool.connect();\n  await c.query('BEGIN');\n  try { await run({ query: (text, values) => c.query(text, values) }); await c.query('COMMIT'); } finally { c.release(); }\n}\nexport const go = (pool: Pool) => inTransaction(pool, async (pool) => { await pool.query('${xact}'); });`),
    silent('BEGIN in a string with the lock', owner("await c.query('BEGIN; SELECT pg_advisory_xact_lock(7)');\n  await work(c);\n  await c.query('COMMIT');")),
    silent('BEGIN in a helper', `import { Pool } from 'pg';\nconst pool = new Pool();\nconst begin = (c) => c.query('BEGIN');\nexport async function run(work) {\n  const c = await pool.connect();\n  await begin(c);\n  await ${lock};\n  await work(c);\n}`),
    silent('BEGIN on some paths', owner(`if (work.wantsTransaction) await c.query('BEGIN');\n  await ${lock};`)),
    silent('a handle from a file that is not read, with BEGIN on it', `import { client } from './client.js';\nexport async function run(work) {\n  await client.query('BEGIN');\n  await client.query('${xact}');\n  await work();\n  await client.query('COMMIT');\n}`),
    silent('the connection of the transaction, named by the call', mikro(", [], 'all', t.getTransactionContext()")),
    silent('a nested transaction that is a savepoint', owner(`await c.query('BEGIN');\n  await ${lock};\n  await c.query('SAVEPOINT s');\n  await work(c);\n  await c.query('ROLLBACK TO s');\n  await c.query('COMMIT');`)),
    silent('a nested callback that is rolled back with its lock', "import knex from 'knex';\nconst db = knex({ client: 'pg' });\nexport const run = (work) => db.transaction(async (t) => {\n  await t.transaction(async (s) => { await s.raw('SELECT pg_advisory_xact_lock(7)'); await work(s); }).catch(() => {});\n});"),
    silent('a session lock', pool("await pool.query('SELECT pg_advisory_lock(7)');")),
    silent('a Knex that the caller passes, a transaction perhaps', `import type { Knex } from 'knex';\nexport const run = async (db: Knex) => { await db.raw('${xact}'); return db('job').first(); };`),
    silent('a Drizzle database that the caller passes', `import type { PostgresJsDatabase } from 'drizzle-orm/postgres-js';\nimport { sql } from 'drizzle-orm';\nexport const run = async (db: PostgresJsDatabase) => { await db.execute(sql\`${xact}\`); return db.select().from(jobs); };`),
    silent('a statement in a batch of a handle from a file that is not read', `import { db } from './db.js';\nimport { sql } from 'drizzle-orm';\nexport const run = () => db.batch([db.execute(sql\`${xact}\`), db.delete(jobs)]);`),
    silent('a raw statement that is handed to a transaction', `import bookshelf from './bookshelf.js';\nexport const run = (trx) => bookshelf.knex.raw('${xact}').transacting(trx);`),
    silent('a raw statement of anything that is handed to a transaction', `import { db } from './db.js';\nexport const run = async (trx) => { await db.raw('${xact}').transacting(trx); };`),
    silent('an injected object of unknown type, which may know the open transaction', `@Injectable()\nexport class Jobs {\n  constructor(private readonly store: Store) {}\n  async run() { await this.store.query('${xact}'); await this.store.query('UPDATE job SET n = 1'); }\n}`),
    silent('nothing but the lock over an injected handle of a library that can join transactions unseen', `import { DataSource } from 'typeorm';\n@Injectable()\nexport class Locks {\n  constructor(private readonly db: DataSource) {}\n  async lock() { await this.db.query('${xact}'); }\n}`),
    silent('an object of the project in a file that imports a library', `import { sql } from 'drizzle-orm';\n@Injectable()\nexport class Jobs {\n  constructor(private readonly locks: LockRepository) {}\n  async run() { await this.locks.execute(sql\`${xact}\`); await this.locks.execute(sql\`UPDATE job SET n = 1\`); }\n}`),
    silent('an entity manager of MikroORM, which joins the transaction that is open', `import { EntityManager } from '@mikro-orm/core';\n@Injectable()\nexport class Jobs {\n  constructor(private readonly em: EntityManager) {}\n  async run() { await this.em.execute('${xact}'); await this.em.flush(); }\n}`),
    silent("Effect's client, which finds the transaction in its context", `import { SqlClient } from '@effect/sql';\nexport const run = Effect.gen(function* () { const sql = yield* SqlClient.SqlClient; yield* sql\`${xact}\`; yield* sql\`UPDATE job SET n = 1\`; });`),
    silent('an unknown handle', `export const run = (pool) => pool.query('${xact}');`),
    silent('a look-alike', pool("await pool.query('SELECT my_advisory_xact_lock(7)');")),
  ],
  invalid: [
    ...perDriver.flatMap(({ bad }) => bad),
    onPool('BEGIN through a pool begins nothing', pool(`await pool.query('BEGIN');\n  await pool.query('${xact}');\n  await pool.query('COMMIT');`), `pool.query('${xact}')`),
    onPool('a try-lock whose answer decides', pool(`const { rows } = await ${tryLock};\n  if (!rows[0].ok) return;\n  await work();`), tryLock, { fn: 'pg_try_advisory_xact_lock' }),
    onPool('a try-lock in a helper whose caller decides', `import { Pool } from 'pg';\nconst pool = new Pool();\nasync function enter() { return (await ${tryLock}).rows[0].ok; }\nexport async function run(work) { if (await enter()) await work(); }`, tryLock, { fn: 'pg_try_advisory_xact_lock' }),
    onPool('a pool that is given to a class', injected(), `this.db.raw('${xact}')`, { call: 'this.db.raw' }),
    onPool(
      'a handle that a container hands out',
      `import { Kysely, sql } from 'kysely';\n@Injectable()\nexport class Jobs {\n  constructor(private readonly db: Kysely<Tables>) {}\n  async run() {\n    await sql\`${xact}\`.execute(this.db);\n    await this.db.deleteFrom('job').execute();\n  }\n}`,
      `sql\`${xact}\`.execute(this.db)`,
      { call: 'sql`…`.execute' },
    ),
    onPool('a lock in DML of another string', pool(`await pool.query('${xact}');\n  await pool.query('UPDATE job SET n = n + 1');`), `pool.query('${xact}')`),
    onConnection('a connection of its own, and no transaction', owner(`await ${lock};\n  await work(c);`)),
    onConnection('behind the end of the transaction', after),
    onConnection('a connection lent to a callback', kysely, 'sql`…`.execute', 'sql`SELECT pg_advisory_xact_lock(7)`.execute(c)'),
    onConnection('a helper that is called without a transaction', `import { Pool } from 'pg';\nconst pool = new Pool();\nconst enter = (c) => ${lock};\nexport async function run(work) {\n  const c = await pool.connect();\n  await enter(c);\n  await work(c);\n}`),
    {
      name: 'a second BEGIN, whose COMMIT ends everything',
      code: nested,
      errors: [errorAt(nested, "c.query('COMMIT')", { messageId: 'nested', data: { fn, lockLine: 6, line: 7 }, nth: 0 })],
    },
    {
      name: 'ROLLBACK TO a savepoint set before the lock',
      code: savepoint,
      errors: [errorAt(savepoint, "c.query('ROLLBACK TO s')", { messageId: 'savepoint', data: { fn, lockLine: 7, line: 6 } })],
    },
    { name: 'the connection escapes the transaction', code: mikro(''), errors: [errorAt(mikro(''), `t.getConnection().execute('${xact}')`, { messageId: 'pool', data: { fn, call: 't.getConnection(…).execute' } })] },
  ],
});
