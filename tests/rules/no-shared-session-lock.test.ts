import rule from '../../rules/no-shared-session-lock.js';
import { runRuleTests, type InvalidCase, type ValidCase } from '../rule-tester.js';
import { errorAt } from './error-at.js';

const postgresCure = 'Take the lock on a connection of the caller’s own, or a transaction-level lock in a transaction of its own.';
const mysqlCure = 'Take the lock on a connection of the caller’s own.';

interface Sending {
  readonly head: string;
  readonly send: (sql: string) => string;
  readonly spelled: string;
  readonly driver?: string;
  /** Where the handle is made; 0 when no call in the file makes it. */
  readonly line: number;
}

const lockSql = 'SELECT pg_advisory_lock(1)';
const unlockSql = 'SELECT pg_advisory_unlock(1) AS ok';
const text = (method: string) => (sql: string): string => `${method}('${sql}')`;

/** A function that takes the lock, works and unlocks. */
const section = (send: (sql: string) => string, lock = lockSql, unlock = unlockSql): string =>
  `export async function exclusive(work) { await ${send(lock)}; try { return await work(); } finally { await ${send(unlock)}; } }`;

function reported(name: string, { head, send, spelled, driver, line }: Sending, lock = lockSql, unlock = unlockSql): InvalidCase {
  const code = `${head}\n${section(send, lock, unlock)}`;
  const fn = /pg_\w+|GET_LOCK/.exec(lock)?.[0].toLowerCase() ?? '';
  return {
    name,
    code,
    ...(driver !== undefined && { drivers: [driver] }),
    errors: [
      errorAt(code, send(lock), {
        messageId: line > 0 ? 'shared' : 'single',
        data: { fn, call: spelled, line, cure: fn === 'get_lock' ? mysqlCure : postgresCure },
      }),
    ],
  };
}
const silent = (name: string, code: string, driver?: string): ValidCase => ({ name, code, ...(driver !== undefined && { drivers: [driver] }) });

const pg = "import { Client, Pool } from 'pg';\n";
const shared: Sending = { head: `${pg}const c = new Client();`, send: text('c.query'), spelled: 'c.query', driver: 'pg', line: 2 };

const kyselyHead = "import { Kysely, PostgresDialect, sql } from 'kysely';\nimport { Pool } from 'pg';\nconst db = new Kysely({ dialect: new PostgresDialect({ pool: new Pool({ max: 1 }) }) });";
const drizzleImports = `${pg}import { drizzle } from 'drizzle-orm/node-postgres';\nimport { sql } from 'drizzle-orm';`;

/** A method of somebody else's object that happens to be called like a hook. */
function reportedBefore(): InvalidCase {
  const code = `${pg}const c = new Client();\ngateway.before(async () => { await c.query('${lockSql}'); });\ngateway.after(() => c.query('${unlockSql}'));`;
  return { name: 'a method called before', code, errors: [errorAt(code, `c.query('${lockSql}')`, { messageId: 'shared', data: { fn: 'pg_advisory_lock', call: 'c.query', line: 2, cure: postgresCure } })] };
}

runRuleTests(rule, {
  notApplicable: {},
  valid: [
    silent('a client made in the function', `${pg}export async function run(work) { const c = new Client(); await c.connect(); await c.query('${lockSql}'); await work(); await c.query('${unlockSql}'); await c.end(); }`, 'pg'),
    silent('a connection taken from a pool of one', `${pg}const pool = new Pool({ max: 1 });\nexport async function run(work) { const c = await pool.connect(); await c.query('${lockSql}'); await work(); await c.query('${unlockSql}'); c.release(); }`),
    silent('a pool, which another rule speaks of', `${pg}const pool = new Pool();\n${section(text('pool.query'))}`),
    silent('a connection that is passed in', `${pg}export async function run(c: Client, work) { await c.query('${lockSql}'); await work(); await c.query('${unlockSql}'); }`),
    silent('a field, of which every holder may have one', `${pg}export class Lock { client = new Client(); async take() { await this.client.query('${lockSql}'); } async give() { await this.client.query('${unlockSql}'); } }`),
    silent('a lock held for the life of the process', `${pg}const c = new Client();\nexport async function lead() { await c.connect(); const r = await c.query('SELECT pg_try_advisory_lock(1) AS ok'); return r.rows[0].ok; }`),
    silent('an unlock of another lock', `${pg}const c = new Client();\nexport const lead = () => c.query('SELECT pg_advisory_lock(1)');\nexport const free = () => c.query('SELECT pg_advisory_unlock(2)');`),
    silent('an unlock on another connection', `${pg}const c = new Client();\nconst d = new Client();\nexport const lead = () => c.query('SELECT pg_advisory_lock(1)');\nexport const free = () => d.query('SELECT pg_advisory_unlock(1)');`),
    silent('module level', `${pg}const c = new Client();\nawait c.query('${lockSql}');\nexport const stop = () => c.query('${unlockSql}');`),
    silent('hooks of a suite', `${pg}const c = new Client();\nbeforeAll(async () => { await c.connect(); await c.query('${lockSql}'); });\nafterAll(async () => { await c.query('${unlockSql}'); await c.end(); });`, 'pg'),
    silent('hooks in a group, of a runner that is an object', `${pg}const c = new Client();\ntest.describe('group', () => { test.beforeEach(async () => { await take(); }); test.afterEach(() => c.query('${unlockSql}')); });\nasync function take() { await c.query('${lockSql}'); }`),
    silent('the hooks of Mocha', `${pg}const c = new Client();\ndescribe('group', function () { before(async function () { await c.query('${lockSql}'); }); after(() => c.query('${unlockSql}')); });`),
    silent('start-up', `${pg}const c = new Client();\nasync function main() { await c.query('${lockSql}'); process.on('SIGTERM', () => c.query('${unlockSql}')); }\nmain();`),
    silent('start-up in an expression', `${pg}const c = new Client();\n(async () => { await c.query('${lockSql}'); await c.query('${unlockSql}'); })();`),
    silent('a client that the function makes and keeps for another one', `${pg}let c;\nexport async function lead() { c = new Client(); await c.query('${lockSql}'); }\nexport const resign = () => c.query('${unlockSql}');`),
    silent('hooks around all tests', `${pg}const c = new Client();\nbeforeAll(async () => { await c.query('${lockSql}'); });\nafterAll(async () => { await c.query('${unlockSql}'); });`),
    silent('lock and unlock in one text', `${pg}const c = new Client();\nexport const run = () => c.query('SELECT pg_advisory_lock(1); UPDATE t SET a = 1; SELECT pg_advisory_unlock(1)');`),
    silent('a transaction-level lock', `${pg}const c = new Client();\nexport async function run(work) { await c.query('BEGIN'); await c.query('SELECT pg_advisory_xact_lock(1)'); await work(); await c.query('COMMIT'); }`),
    silent('a look-alike', `${pg}const c = new Client();\n${section(text('c.query'), 'SELECT app.pg_advisory_lock_for(1)', "SELECT ''pg_advisory_unlock(1)''").replaceAll("''", '"')}`),
    silent('an unknown handle', section(text('handle.query'))),
    silent('an imported handle, which may be a pool', `import { db } from './db';\n${section(text('db.query'))}`),
    silent("PGlite's transaction", `import { PGlite } from '@electric-sql/pglite';\nconst db = new PGlite();\nexport const run = (work) => db.transaction(async (tx) => { await tx.query('${lockSql}'); await work(tx); await tx.query('${unlockSql}'); });`),
    silent('PGlite made in the function', `import { PGlite } from '@electric-sql/pglite';\nexport async function run(work) { const db = new PGlite(); await db.query('${lockSql}'); await work(); await db.query('${unlockSql}'); }`),
    silent('a reserved connection', `import postgres from 'postgres';\nconst sql = postgres(process.env.URL, { max: 1 });\nexport async function run(work) { const c = await sql.reserve(); await c\`SELECT pg_advisory_lock(1)\`; await work(); await c\`SELECT pg_advisory_unlock(1)\`; c.release(); }`, 'postgres.js'),
    silent('a transaction of Prisma', "import { PrismaClient } from '@prisma/client';\nimport { PrismaPg } from '@prisma/adapter-pg';\nconst prisma = new PrismaClient({ adapter: new PrismaPg({ max: 1 }) });\nexport const run = () => prisma.$transaction((tx) => tx.$executeRaw`SELECT pg_advisory_xact_lock(1)`);", 'prisma'),
    silent('Drizzle over a connection of its own', `${drizzleImports}\nconst pool = new Pool();\nexport async function run(work) { const c = await pool.connect(); const db = drizzle(c); await db.execute(sql\`SELECT pg_advisory_lock(1)\`); await work(); await db.execute(sql\`SELECT pg_advisory_unlock(1)\`); c.release(); }`, 'drizzle'),
    silent('a transaction of Knex', `import knex from 'knex';\nconst db = knex({ client: 'pg', pool: { min: 1, max: 1 } });\nexport const run = (work) => db.transaction(async (trx) => { await trx.raw('${lockSql}'); await work(trx); await trx.raw('${unlockSql}'); });`, 'knex'),
    silent('a connection of Kysely', `${kyselyHead}\nexport const run = (work) => db.connection().execute(async (c) => { await sql\`SELECT pg_advisory_lock(1)\`.execute(c); await work(); await sql\`SELECT pg_advisory_unlock(1)\`.execute(c); });`, 'kysely'),
    silent('a query runner', `import { DataSource } from 'typeorm';\nconst source = new DataSource({ type: 'postgres', poolSize: 1 });\nexport async function run(work) { const r = source.createQueryRunner(); await r.query('${lockSql}'); await work(); await r.query('${unlockSql}'); await r.release(); }`, 'typeorm'),
    silent('a transaction of Sequelize', `import { Sequelize } from 'sequelize';\nconst sequelize = new Sequelize(process.env.URL, { pool: { max: 1 } });\nexport const run = () => sequelize.transaction((transaction) => sequelize.query('SELECT pg_advisory_xact_lock(1)', { transaction }));`, 'sequelize'),
    silent('a MySQL connection made in the function', "import mysql from 'mysql2/promise';\nexport async function run(work) { const c = await mysql.createConnection(process.env.URL); await c.query(\"SELECT GET_LOCK('a', 5)\"); await work(); await c.query(\"SELECT RELEASE_LOCK('a')\"); await c.end(); }", 'mysql2'),
  ],
  invalid: [
    reportedBefore(),
    reported("the module's client", shared),
    reported('a try-lock', shared, 'SELECT pg_try_advisory_lock(1) AS ok'),
    reported('a release of everything', shared, lockSql, 'SELECT pg_advisory_unlock_all()'),
    reported('a pool of one connection', { ...shared, head: `${pg}const pool = new Pool({ max: 1 });`, send: text('pool.query'), spelled: 'pool.query' }),
    reported('a connection that the module took from a pool', { ...shared, head: `${pg}const pool = new Pool();\nconst c = await pool.connect();`, line: 3 }),
    reported('postgres.js', { head: "import postgres from 'postgres';\nconst sql = postgres(process.env.URL, { max: 1 });", send: (sql) => `sql\`${sql}\``, spelled: 'sql`…`', driver: 'postgres.js', line: 2 }),
    reported('Prisma', {
      head: "import { PrismaClient } from '@prisma/client';\nimport { PrismaPg } from '@prisma/adapter-pg';\nconst prisma = new PrismaClient({ adapter: new PrismaPg({ max: 1 }) });",
      send: (sql) => `prisma.$queryRaw\`${sql}\``,
      spelled: 'prisma.$queryRaw`…`',
      driver: 'prisma',
      line: 3,
    }),
    reported('Drizzle', { head: `${drizzleImports}\nconst db = drizzle(new Client());`, send: (sql) => `db.execute(sql\`${sql}\`)`, spelled: 'db.execute', driver: 'drizzle', line: 4 }),
    reported('Knex', { head: "import knex from 'knex';\nconst db = knex({ client: 'pg', pool: { min: 1, max: 1 } });", send: text('db.raw'), spelled: 'db.raw', driver: 'knex', line: 2 }),
    reported('Kysely', { head: kyselyHead, send: (sql) => `sql\`${sql}\`.execute(db)`, spelled: 'sql`…`.execute', driver: 'kysely', line: 3 }),
    reported('TypeORM', { head: "import { DataSource } from 'typeorm';\nconst source = new DataSource({ type: 'postgres', poolSize: 1 });", send: text('source.query'), spelled: 'source.query', driver: 'typeorm', line: 2 }),
    reported('Sequelize', { head: "import { Sequelize } from 'sequelize';\nconst sequelize = new Sequelize(process.env.URL, { pool: { max: 1 } });", send: text('sequelize.query'), spelled: 'sequelize.query', driver: 'sequelize', line: 2 }),
    reported(
      'MySQL',
      { head: "import mysql from 'mysql2/promise';\nconst c = await mysql.createConnection(process.env.URL);", send: (sql) => `c.query("${sql}")`, spelled: 'c.query', driver: 'mysql2', line: 2 },
      "SELECT GET_LOCK('a', 5) AS ok",
      "SELECT RELEASE_LOCK('a') AS ok",
    ),
    reported('PGlite', { head: "import { PGlite } from '@electric-sql/pglite';\nconst db = new PGlite();", send: text('db.query'), spelled: 'db.query', line: 2 }),
    {
      name: 'PGlite that is passed in',
      code: `import type { PGlite } from '@electric-sql/pglite';\nexport async function run(db: PGlite, work) { await db.query('${lockSql}'); await work(); await db.query('${unlockSql}'); }`,
      errors: [
        errorAt(`import type { PGlite } from '@electric-sql/pglite';\nexport async function run(db: PGlite, work) { await db.query('${lockSql}'); await work(); await db.query('${unlockSql}'); }`, `db.query('${lockSql}')`, {
          messageId: 'single',
          data: { fn: 'pg_advisory_lock', call: 'db.query', line: 0, cure: postgresCure },
        }),
      ],
    },
    {
      name: 'a handler that the start-up registers',
      code: `${pg}const c = new Client();\nfunction main(app) { app.post('/', async () => { await c.query('${lockSql}'); await c.query('${unlockSql}'); }); }\nmain(server);`,
      errors: [
        errorAt(`${pg}const c = new Client();\nfunction main(app) { app.post('/', async () => { await c.query('${lockSql}'); await c.query('${unlockSql}'); }); }\nmain(server);`, `c.query('${lockSql}')`, {
          messageId: 'shared',
          data: { fn: 'pg_advisory_lock', call: 'c.query', line: 2, cure: postgresCure },
        }),
      ],
    },
  ],
});
