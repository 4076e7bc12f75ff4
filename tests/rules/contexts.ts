/**
 * The same statement in the code of each driver. `wrap` puts statements into a module in which `send` has its handle;
 * the result rules, for instance, ask the same of every driver and differ in where the answer stands.
 */
export interface Sender {
  /** A whole module with `body` inside an async function. */
  wrap(body: string): string;
  /** The call that sends SQL without quotes or bound values. */
  send(sql: string): string;
}

export interface Context {
  readonly dialect: 'postgres' | 'mysql';
  readonly pool: Sender;
  /** One connection, or, where the library hands out none, a transaction. */
  readonly connection: Sender;
  /** From the awaited value to the column `ok` of the first row. */
  readonly cell: string;
  /** From the awaited value to something that looks like the answer and is not. */
  readonly rows: string;
}

const quoted = (sql: string): string => `"${sql}"`;
const tagged = (tag: string) => (sql: string): string => `${tag}\`${sql}\``;
const called = (method: string, behind = '') => (sql: string): string => `${method}(${quoted(sql)}${behind})`;

const inFunction = (head: string, before = '') => (body: string): string =>
  `${head}\nexport async function run(work, signal) {\n${before === '' ? '' : `  ${before}\n`}  ${body}\n}\n`;
const inCallback = (head: string, opening: string) => (body: string): string =>
  `${head}\nexport async function run(work, signal) {\n  await ${opening} => {\n  ${body}\n  });\n}\n`;

const pg = "import { Pool } from 'pg';\nconst pool = new Pool();";
const postgres = "import postgres from 'postgres';\nconst sql = postgres();";
const prisma = "import { PrismaClient } from '@prisma/client';\nconst prisma = new PrismaClient();";
const drizzle = `${pg}\nimport { drizzle } from 'drizzle-orm/node-postgres';\nimport { sql } from 'drizzle-orm';\nconst db = drizzle(pool);`;
const knex = "import knex from 'knex';\nconst db = knex({ client: 'pg' });";
const kysely = "import { Kysely, PostgresDialect, sql } from 'kysely';\nimport { Pool } from 'pg';\nconst db = new Kysely({ dialect: new PostgresDialect({ pool: new Pool() }) });";
const typeorm = "import { DataSource } from 'typeorm';\nconst dataSource = new DataSource({ type: 'postgres' });";
const sequelize = "import { QueryTypes, Sequelize } from 'sequelize';\nconst sequelize = new Sequelize('postgres://localhost/app');";
const mysql2 = "import mysql from 'mysql2/promise';\nconst pool = mysql.createPool({ host: 'localhost' });";

export const contexts = {
  pg: {
    dialect: 'postgres',
    pool: { wrap: inFunction(pg), send: called('pool.query') },
    connection: { wrap: inFunction(pg, 'const c = await pool.connect();'), send: called('c.query') },
    cell: '.rows[0].ok',
    rows: '.rows[0]',
  },
  'postgres.js': {
    dialect: 'postgres',
    pool: { wrap: inFunction(postgres), send: tagged('sql') },
    connection: { wrap: inFunction(postgres, 'const c = await sql.reserve();'), send: tagged('c') },
    cell: '[0].ok',
    rows: '.count',
  },
  prisma: {
    dialect: 'postgres',
    pool: { wrap: inFunction(prisma), send: tagged('prisma.$queryRaw') },
    connection: { wrap: inCallback(prisma, 'prisma.$transaction(async (c)'), send: tagged('c.$queryRaw') },
    cell: '[0].ok',
    rows: '[0]',
  },
  drizzle: {
    dialect: 'postgres',
    pool: { wrap: inFunction(drizzle), send: (sql) => `db.execute(sql\`${sql}\`)` },
    connection: { wrap: inFunction(drizzle, 'const c = drizzle(await pool.connect());'), send: (sql) => `c.execute(sql\`${sql}\`)` },
    cell: '.rows[0].ok',
    rows: '.rowCount',
  },
  knex: {
    dialect: 'postgres',
    pool: { wrap: inFunction(knex), send: called('db.raw') },
    connection: { wrap: inCallback(knex, 'db.transaction(async (c)'), send: called('c.raw') },
    cell: '.rows[0].ok',
    rows: '.rows.length',
  },
  kysely: {
    dialect: 'postgres',
    pool: { wrap: inFunction(kysely), send: (sql) => `sql\`${sql}\`.execute(db)` },
    connection: { wrap: inCallback(kysely, 'db.connection().execute(async (c)'), send: (sql) => `sql\`${sql}\`.execute(c)` },
    cell: '.rows[0].ok',
    rows: '.rows[0]',
  },
  typeorm: {
    dialect: 'postgres',
    pool: { wrap: inFunction(typeorm), send: called('dataSource.query') },
    connection: { wrap: inFunction(typeorm, 'const c = dataSource.createQueryRunner();'), send: called('c.query') },
    cell: '[0].ok',
    rows: '[0]',
  },
  sequelize: {
    dialect: 'postgres',
    pool: { wrap: inFunction(sequelize), send: called('sequelize.query', ', { type: QueryTypes.SELECT }') },
    connection: {
      wrap: inCallback(sequelize, 'sequelize.transaction(async (transaction)'),
      send: called('sequelize.query', ', { transaction, type: QueryTypes.SELECT }'),
    },
    cell: '[0].ok',
    rows: '.length',
  },
  mysql2: {
    dialect: 'mysql',
    pool: { wrap: inFunction(mysql2), send: called('pool.query') },
    connection: { wrap: inFunction(mysql2, 'const c = await pool.getConnection();'), send: called('c.query') },
    cell: '[0][0].ok',
    rows: '[0][0]',
  },
} as const satisfies Record<string, Context>;

export type DriverName = keyof typeof contexts;

/** Gives the driver's context to `make`, for every driver but those left out. */
export function forEveryDriver<T>(make: (context: Context, name: DriverName) => T, except: readonly DriverName[] = []): T[] {
  const names: DriverName[] = ['pg', 'postgres.js', 'prisma', 'drizzle', 'knex', 'kysely', 'typeorm', 'sequelize', 'mysql2'];
  return names.filter((name) => !except.includes(name)).map((name) => make(contexts[name], name));
}

/** SQL of one meaning in the driver's dialect; the answer's column is `ok`. */
export const lockSql = (dialect: Context['dialect']) =>
  dialect === 'mysql'
    ? { tryLock: "SELECT GET_LOCK('jobs', 5) AS ok", unlock: "SELECT RELEASE_LOCK('jobs') AS ok", tryName: 'get_lock', unlockName: 'release_lock', yes: '1', no: '0', answer: 'number' }
    : {
        tryLock: 'SELECT pg_try_advisory_lock(7) AS ok',
        unlock: 'SELECT pg_advisory_unlock(7) AS ok',
        tryName: 'pg_try_advisory_lock',
        unlockName: 'pg_advisory_unlock',
        yes: 'true',
        no: 'false',
        answer: 'boolean',
      };
