import rule from '../../rules/no-pool-query-while-locked.js';
import { runRuleTests, type InvalidCase, type ValidCase } from '../rule-tester.js';
import { contexts, forEveryDriver } from './contexts.js';
import { errorAt } from './error-at.js';

/** What the report calls the call: what is written before the arguments. */
const spelled = (call: string): string => (call.includes('`') && !call.includes('(') ? `${call.slice(0, call.indexOf('`'))}\`…\`` : call.endsWith('.execute(db)') ? 'sql`…`.execute' : call.slice(0, call.indexOf('(')));

const perDriver = forEveryDriver(({ connection, pool, dialect }, name): { bad: InvalidCase; good: ValidCase } => {
  const isMysql = dialect === 'mysql';
  const lock = connection.send(isMysql ? "SELECT GET_LOCK('jobs', -1)" : 'SELECT pg_advisory_lock(7)');
  const write = (query: string): string => connection.wrap(`await ${lock};\n  await ${query};`);
  const query = pool.send('SELECT 1 AS ok');
  const code = write(query);
  const line = code.split('\n').findIndex((written) => written.includes(lock)) + 1;
  return {
    bad: {
      name: `a query through the pool, with ${name}`,
      drivers: [name],
      code,
      errors: [errorAt(code, query, { messageId: 'query', data: { call: spelled(query), fn: isMysql ? 'get_lock' : 'pg_advisory_lock', line } })],
    },
    good: { name: `a query over the connection that holds the lock, with ${name}`, drivers: [name], code: write(connection.send('SELECT 1 AS ok')) },
  };
});

const { pg } = contexts;
const lock = pg.connection.send('SELECT pg_advisory_lock(7)');
const imported = {
  prisma: "import { prisma } from './prisma';\nexport async function run() {\n  await prisma.$transaction(async (tx) => {\n    await tx.$executeRaw`SELECT pg_advisory_xact_lock(7)`;\n    await prisma.ticket.count();\n  });\n}",
  drizzle:
    "import { db } from './db';\nimport { sql } from 'drizzle-orm';\nexport async function run(tickets) {\n  await db.transaction(async (tx) => {\n    await tx.execute(sql`SELECT pg_advisory_xact_lock(7)`);\n    await db.insert(tickets).values({ id: 1 });\n  });\n}",
  knex: "const db = require('../db');\nexport async function run() {\n  await db.transaction(async (trx) => {\n    await trx.raw('SELECT pg_advisory_xact_lock(7)');\n    await db('tickets').insert({ id: 1 });\n  });\n}",
  typeorm:
    "import { Repository } from 'typeorm';\n@Injectable()\nexport class Jobs {\n  constructor(@InjectRepository(Job) private readonly jobs: Repository<Job>) {}\n  async run(job) {\n    await this.jobs.manager.transaction(async (manager) => {\n      await manager.query('SELECT pg_advisory_xact_lock(7)');\n      await this.jobs.save(job);\n    });\n  }\n}",
};
const silent = (name: string, code: string): ValidCase => ({ name, code });
function uses(name: string, code: string, marked: string, messageId: string, data: Record<string, string | number>): InvalidCase {
  return { name, code, errors: [errorAt(code, marked, { messageId, data: { fn: 'pg_advisory_lock', ...data } })] };
}

const connect = pg.connection.wrap(`await ${lock};\n  const other = await pool.connect();\n  other.release();`);
const xact = pg.connection.wrap("await c.query('BEGIN');\n  await c.query('SELECT pg_advisory_xact_lock(7)');\n  await pool.query('SELECT 1');\n  await c.query('COMMIT');");
const prismaHead = "import { PrismaClient } from '@prisma/client';\nconst prisma = new PrismaClient();\n";
const model = `${prismaHead}export const run = (id) =>\n  prisma.$transaction(async (tx) => {\n    await tx.$executeRaw\`SELECT pg_advisory_xact_lock(7)\`;\n    return prisma.user.findUnique({ where: { id } });\n  });`;
const wrapper = `${prismaHead}const serialized = (fn) =>\n  prisma.$transaction(async (tx) => {\n    await tx.$executeRaw\`SELECT pg_advisory_xact_lock(7)\`;\n    return fn(tx);\n  });\nexport const run = () => serialized(async () => prisma.user.count());`;
const migrations = "import { DataSource } from 'typeorm';\nexport async function run(dataSource: DataSource) {\n  const c = dataSource.createQueryRunner();\n  await c.query('SELECT pg_advisory_lock(7)');\n  try { await dataSource.runMigrations(); } finally { await c.query('SELECT pg_advisory_unlock(7)'); await c.release(); }\n}";
const helper = `import { Pool } from 'pg';\nconst pool = new Pool();\nconst save = async (row) => { await pool.query('INSERT INTO t VALUES ($1)', [row]); };\nexport async function run(row) {\n  const c = await pool.connect();\n  await ${lock};\n  await save(row);\n}`;

const sequelize = (call: string): string =>
  `import { Sequelize } from 'sequelize';\nconst sequelize = new Sequelize('postgres://localhost/app');\nconst User = sequelize.define('User', {});\nexport const run = (work) =>
  sequelize.transaction(async (transaction) => {\n    await sequelize.query('SELECT pg_advisory_xact_lock(7)', { transaction });\n    await ${call};\n  });`;

runRuleTests(rule, {
  notApplicable: {},
  valid: [
    ...perDriver.map(({ good }) => good),
    silent('something that is no database in a file that imports a library', "import { db } from './db';\nimport { bus } from './bus';\nimport { sql } from 'drizzle-orm';\nexport async function run() {\n  await db.transaction(async (tx) => {\n    await tx.execute(sql`SELECT pg_advisory_xact_lock(7)`);\n    await bus.execute(new Refresh());\n  });\n}"),
    silent('a manager of MikroORM, which joins the transaction', "import { EntityManager } from '@mikro-orm/core';\nexport class Jobs {\n  constructor(em: EntityManager) { this.em = em; }\n  async run() {\n    await this.em.transactional(async (tem) => {\n      await tem.execute('SELECT pg_advisory_xact_lock(7)');\n      await this.em.flush();\n      await this.em.execute('SELECT 1');\n    });\n  }\n}"),
    silent('before the lock', pg.connection.wrap(`await pool.query('SELECT 1');\n  await ${lock};`)),
    silent('after the unlock', pg.connection.wrap(`await ${lock};\n  await c.query('SELECT pg_advisory_unlock(7)');\n  await pool.query('SELECT 1');`)),
    silent('after the session has ended', pg.connection.wrap(`await ${lock};\n  c.release(true);\n  await pool.query('SELECT 1');`)),
    silent('where the lock was refused', pg.connection.wrap("const { rows } = await c.query('SELECT pg_try_advisory_lock(7) AS ok');\n  if (!rows[0].ok) await pool.query('SELECT 1');")),
    silent('another pool', `import { Pool } from 'pg';\nconst locks = new Pool();\nconst pool = new Pool();\nexport async function run() {\n  const c = await locks.connect();\n  await ${lock};\n  await pool.query('SELECT 1');\n}`),
    silent('a connection that comes from no pool', `import { Client, Pool } from 'pg';\nconst pool = new Pool();\nexport async function run() {\n  const c = new Client();\n  await c.connect();\n  await ${lock};\n  await pool.query('SELECT 1');\n  await c.end();\n}`),
    silent('a connection from outside', `import { Pool, type PoolClient } from 'pg';\nconst pool = new Pool();\nexport async function run(c: PoolClient) {\n  await ${lock};\n  await pool.query('SELECT 1');\n}`),
    silent('a lock through the pool is another matter', pg.pool.wrap("await pool.query('SELECT pg_advisory_lock(7)');\n  await pool.query('SELECT 1');")),
    silent('a model that is told the transaction', sequelize("User.create({}, { transaction })")),
    silent('a model that may be told the transaction', sequelize('User.create({}, work.options)')),
    silent('unknown handles', `export async function run(pool) {\n  const c = await pool.connect();\n  await ${lock};\n  await pool.query('SELECT 1');\n}`),
    silent('a look-alike', pg.connection.wrap("await c.query('SELECT my_advisory_lock(7)');\n  await pool.query('SELECT 1');")),
  ],
  invalid: [
    ...perDriver.map(({ bad }) => bad),
    { name: 'another connection is checked out', code: connect, errors: [errorAt(connect, 'pool.connect()', { messageId: 'connection', data: { call: 'pool.connect', fn: 'pg_advisory_lock', line: 5 }, nth: 1 })] },
    uses('a transaction lock pins its connection, too', xact, "pool.query('SELECT 1')", 'query', { call: 'pool.query', fn: 'pg_advisory_xact_lock', line: 6 }),
    uses("a model's method outside the transaction", model, 'prisma.user.findUnique({ where: { id } })', 'connection', { call: 'prisma.user.findUnique', fn: 'pg_advisory_xact_lock', line: 5 }),
    uses("in the callback of a wrapper", wrapper, 'prisma.user.count()', 'connection', { call: 'prisma.user.count', fn: 'pg_advisory_xact_lock', line: 5 }),
    uses('migrations that take their own connection', migrations, 'dataSource.runMigrations()', 'connection', { call: 'dataSource.runMigrations', line: 4 }),
    uses('a model that is not told the transaction', sequelize('User.create({})'), 'User.create({})', 'connection', { call: 'User.create', fn: 'pg_advisory_xact_lock', line: 6 }),
    uses('a model of an imported client', imported.prisma, 'prisma.ticket.count()', 'connection', { call: 'prisma.ticket.count', fn: 'pg_advisory_xact_lock', line: 4 }),
    uses('a builder of an imported Drizzle database', imported.drizzle, 'db.insert(tickets).values({ id: 1 })', 'query', { call: 'db.insert(…).values', fn: 'pg_advisory_xact_lock', line: 5 }),
    uses('a table of an imported Knex', imported.knex, "db('tickets').insert({ id: 1 })", 'query', { call: 'db(…).insert', fn: 'pg_advisory_xact_lock', line: 4 }),
    uses('an injected repository', imported.typeorm, 'this.jobs.save(job)', 'connection', { call: 'this.jobs.save', fn: 'pg_advisory_xact_lock', line: 7 }),
    uses('in a helper that is called', helper, 'save(row)', 'query', { call: 'save', line: 6 }),
  ],
});
