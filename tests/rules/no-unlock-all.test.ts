import rule from '../../rules/no-unlock-all.js';
import { runRuleTests, type InvalidCase, type ValidCase } from '../rule-tester.js';
import { errorAt } from './error-at.js';

const silent = (name: string, code: string, driver?: string): ValidCase => ({ name, code, ...(driver !== undefined && { drivers: [driver] }) });
function reported(name: string, head: string, call: string, spelled: string, driver?: string, fn = 'pg_advisory_unlock_all'): InvalidCase {
  const code = `${head}\nexport async function free() { await ${call}; }`;
  const release = fn === 'release_all_locks' ? 'release_lock' : 'pg_advisory_unlock';
  return {
    name,
    code,
    ...(driver !== undefined && { drivers: [driver] }),
    errors: [errorAt(code, call, { messageId: 'others', data: { fn, call: spelled, release } })],
  };
}

const all = "'SELECT pg_advisory_unlock_all()'";
const pg = "import { Client, Pool } from 'pg';\n";

runRuleTests(rule, {
  notApplicable: {},
  valid: [
    silent('a client made in the function', `${pg}export async function run() { const c = new Client(); await c.connect(); await c.query(${all}); await c.end(); }`, 'pg'),
    silent('a connection taken from a pool', `${pg}const pool = new Pool();\nexport async function run() { const c = await pool.connect(); await c.query(${all}); c.release(); }`),
    silent('a connection that is passed in', `${pg}export const run = (c: Client) => c.query(${all});`),
    silent('a pool, which another rule speaks of', `${pg}const pool = new Pool();\nexport const run = () => pool.query(${all});`),
    silent('one lock', `${pg}const c = new Client();\nexport const run = () => c.query('SELECT pg_advisory_unlock(1)');`),
    silent('module level, before anybody else', `${pg}const c = new Client();\nawait c.connect();\nawait c.query(${all});`),
    silent('a function that runs once, at module level', `${pg}const c = new Client();\nasync function start() { await c.query(${all}); }\nawait start();`),
    silent('a look-alike', `${pg}const c = new Client();\nexport const run = () => c.query('SELECT app.release_all_locks_of($1)');\n// pg_advisory_unlock_all`),
    silent('an unknown handle', `export const run = (c) => c.query(${all});`),
    silent('an imported handle, which may be a pool', `import { db } from './db';\nexport const run = () => db.query(${all});`),
    silent('text that is not sent', `${pg}export const text = ${all};`),
    silent('a reserved connection', `import postgres from 'postgres';\nconst sql = postgres({ max: 1 });\nexport async function run() { const c = await sql.reserve(); await c\`SELECT pg_advisory_unlock_all()\`; c.release(); }`, 'postgres.js'),
    silent('a transaction of a pool', "import { PrismaClient } from '@prisma/client';\nconst prisma = new PrismaClient();\nexport const run = () => prisma.$transaction((tx) => tx.$executeRaw`SELECT pg_advisory_unlock_all()`);", 'prisma'),
    silent('a database over a connection of its own', `${pg}import { drizzle } from 'drizzle-orm/node-postgres';\nimport { sql } from 'drizzle-orm';\nconst pool = new Pool();\nexport async function run() { const c = await pool.connect(); await drizzle(c).execute(sql\`SELECT pg_advisory_unlock_all()\`); c.release(); }`, 'drizzle'),
    silent('a transaction of Knex', `import knex from 'knex';\nconst db = knex({ client: 'pg', pool: { min: 1, max: 1 } });\nexport const run = () => db.transaction((trx) => trx.raw(${all}));`, 'knex'),
    silent('a connection of Kysely', "import { Kysely, PostgresDialect, sql } from 'kysely';\nimport { Pool } from 'pg';\nconst db = new Kysely({ dialect: new PostgresDialect({ pool: new Pool({ max: 1 }) }) });\nexport const run = () => db.connection().execute((c) => sql`SELECT pg_advisory_unlock_all()`.execute(c));", 'kysely'),
    silent('a query runner', `import { DataSource } from 'typeorm';\nconst source = new DataSource({ type: 'postgres', poolSize: 1 });\nexport const run = () => source.createQueryRunner().query(${all});`, 'typeorm'),
    silent('a transaction of Sequelize', `import { Sequelize } from 'sequelize';\nconst sequelize = new Sequelize(process.env.URL, { pool: { max: 1 } });\nexport const run = () => sequelize.transaction((transaction) => sequelize.query(${all}, { transaction }));`, 'sequelize'),
    silent('a connection made in the function', "import mysql from 'mysql2/promise';\nexport async function run() { const c = await mysql.createConnection(process.env.URL); await c.query('SELECT RELEASE_ALL_LOCKS()'); await c.end(); }", 'mysql2'),
  ],
  invalid: [
    reported("the module's client", `${pg}const c = new Client();`, `c.query(${all})`, 'c.query', 'pg'),
    reported('a pool of one connection', `${pg}const pool = new Pool({ max: 1 });`, `pool.query(${all})`, 'pool.query'),
    reported('postgres.js with one connection', "import postgres from 'postgres';\nconst sql = postgres(process.env.URL, { max: 1 });", 'sql`SELECT pg_advisory_unlock_all()`', 'sql`…`', 'postgres.js'),
    reported('Prisma over an adapter of one connection', "import { PrismaClient } from '@prisma/client';\nimport { PrismaPg } from '@prisma/adapter-pg';\nconst prisma = new PrismaClient({ adapter: new PrismaPg({ max: 1 }) });", 'prisma.$executeRaw`SELECT pg_advisory_unlock_all()`', 'prisma.$executeRaw`…`', 'prisma'),
    reported("Drizzle over the module's client", `${pg}import { drizzle } from 'drizzle-orm/node-postgres';\nimport { sql } from 'drizzle-orm';\nconst db = drizzle(new Client());`, 'db.execute(sql`SELECT pg_advisory_unlock_all()`)', 'db.execute', 'drizzle'),
    reported('Knex with one connection', "import knex from 'knex';\nconst db = knex({ client: 'pg', pool: { min: 1, max: 1 } });", `db.raw(${all})`, 'db.raw', 'knex'),
    reported('Kysely over a pool of one connection', "import { Kysely, PostgresDialect, sql } from 'kysely';\nimport { Pool } from 'pg';\nconst db = new Kysely({ dialect: new PostgresDialect({ pool: new Pool({ max: 1 }) }) });", 'sql`SELECT pg_advisory_unlock_all()`.execute(db)', 'sql`…`.execute', 'kysely'),
    reported('TypeORM with one connection', "import { DataSource } from 'typeorm';\nconst source = new DataSource({ type: 'postgres', poolSize: 1 });", `source.query(${all})`, 'source.query', 'typeorm'),
    reported('Sequelize with one connection', "import { Sequelize } from 'sequelize';\nconst sequelize = new Sequelize(process.env.URL, { pool: { max: 1 } });", `sequelize.query(${all})`, 'sequelize.query', 'sequelize'),
    reported('MySQL', "import mysql from 'mysql2/promise';\nconst c = await mysql.createConnection(process.env.URL);", "c.query('SELECT RELEASE_ALL_LOCKS()')", 'c.query', 'mysql2', 'release_all_locks'),
    reported('PGlite', "import { PGlite } from '@electric-sql/pglite';\nconst db = new PGlite();", `db.query(${all})`, 'db.query'),
  ],
});
