import type { Shape } from './shapes.js';

const of = (imports: string) => (name: string, code: string, losses: readonly string[] = []): Shape => ({ name, code: `${imports}\n${code.trim()}`, losses });

const postgresJs = of("import postgres from 'postgres'; import { work } from './work.js'; const sql = postgres();");
const mysql = of("import mysql from 'mysql2/promise'; import { work } from './work.js'; const pool = mysql.createPool({});");
const callbacks = of("import mysql from 'mysql2'; import { work } from './work.js'; const pool = mysql.createPool({});");
const typeorm = of("import { DataSource } from 'typeorm'; import { work } from './work.js'; const source = new DataSource({ type: 'postgres' });");
const kysely = of("import { Kysely, sql, PostgresDialect } from 'kysely'; import { Pool } from 'pg'; import { work } from './work.js'; const db = new Kysely<any>({ dialect: new PostgresDialect({ pool: new Pool() }) });");
const prisma = of("import { PrismaClient } from '@prisma/client'; import { work } from './work.js'; const prisma = new PrismaClient();");
const knex = of("import createKnex from 'knex'; import { work } from './work.js'; const knex = createKnex({ client: 'pg' });");
const drizzle = of("import { drizzle } from 'drizzle-orm/node-postgres'; import { sql } from 'drizzle-orm'; import { work } from './work.js'; const db = drizzle(process.env.URL!);");
const sequelize = of("import { Sequelize } from 'sequelize'; import { work } from './work.js'; const sequelize = new Sequelize('postgres://x');");
const slonik = of("import { createPool, sql } from 'slonik'; import { work } from './work.js'; const pool = await createPool('postgres://x');");
const pgPromise = of("import pgPromise from 'pg-promise'; import { work } from './work.js'; const db = pgPromise()('postgres://x');");

/** Lines of the code count from 2. */
export const driverShapes: readonly Shape[] = [
  postgresJs('postgres.js: reserved', `
export async function run() {
  const reserved = await sql.reserve();
  try {
    await reserved\`SELECT pg_advisory_lock(1)\`;
    try { await work(); } finally { await reserved\`SELECT pg_advisory_unlock(1)\`; }
  } finally { reserved.release(); }
}`),
  postgresJs('postgres.js: unlock never sent', `
export async function run() {
  const reserved = await sql.reserve();
  try {
    await reserved\`SELECT pg_advisory_lock(1)\`;
    try { await work(); } finally { reserved\`SELECT pg_advisory_unlock(1)\`; }
  } finally { reserved.release(); }
}`, ['leak pg_advisory_lock@5 return@2 unlock-never-sent', 'leak pg_advisory_lock@5 throw@6 unlock-never-sent', 'give-back pg_advisory_lock@5 unlock-never-sent call@7']),
  postgresJs('postgres.js: early return', `
export async function run(ready: boolean) {
  const reserved = await sql.reserve();
  const [{ ok }] = await reserved\`SELECT pg_try_advisory_lock(1) AS ok\`;
  if (!ok) { reserved.release(); return; }
  if (!ready) { reserved.release(); return; }
  try { await work(); } finally { await reserved\`SELECT pg_advisory_unlock(1)\`; reserved.release(); }
}`, ['leak pg_try_advisory_lock@4 return@6 given-back', 'give-back pg_try_advisory_lock@4 path-misses-unlock call@6']),
  postgresJs('postgres.js: transaction lock', `
export const run = () => sql.begin(async (tx) => { await tx\`SELECT pg_advisory_xact_lock(1)\`; await work(); });`),
  mysql('mysql2: GET_LOCK', `
export async function run() {
  const connection = await pool.getConnection();
  try {
    const [rows] = await connection.query<any[]>("SELECT GET_LOCK('job', 5) AS got");
    if (rows[0].got !== 1) return;
    try { await work(); } finally { await connection.query("SELECT RELEASE_LOCK('job')"); }
  } finally { connection.release(); }
}`),
  mysql('mysql2: held flag, destroyed while held', `
export async function run(name: string) {
  const connection = await pool.getConnection();
  let held = false;
  try {
    const [[row]] = await connection.query<any[]>('SELECT GET_LOCK(?, 5) AS got', [name]);
    if (Number(row.got) !== 1) throw new Error('busy');
    held = true;
    await work();
    await connection.query('SELECT RELEASE_LOCK(?)', [name]);
    held = false;
  } finally { if (held) connection.destroy(); else connection.release(); }
}`),
  mysql('mysql2: given back when busy work throws', `
export async function run(name: string) {
  const connection = await pool.getConnection();
  try {
    const [[row]] = await connection.query<any[]>('SELECT GET_LOCK(?, 5) AS got', [name]);
    if (row.got !== 1) throw new Error('busy');
    await work();
    await connection.query('SELECT RELEASE_LOCK(?)', [name]);
  } finally { connection.release(); }
}`, ['leak get_lock@5 throw@7 given-back', 'give-back get_lock@5 path-misses-unlock call@9']),
  callbacks('mysql2: callbacks', `
export function run(done: (error: Error | null) => void) {
  pool.getConnection((error, connection) => {
    if (error) return done(error);
    connection.query("SELECT GET_LOCK('job', 5) AS got", (failure, rows: any) => {
      if (failure || rows[0].got !== 1) { connection.release(); return done(failure); }
      work();
      connection.query("SELECT RELEASE_LOCK('job')", () => { connection.release(); done(null); });
    });
  });
}`, ['leak get_lock@5 return@2 not-unlocked']),
  callbacks('mysql2: callbacks that forget the lock', `
export function run(done: (error: Error | null) => void) {
  pool.getConnection((error, connection) => {
    if (error) return done(error);
    connection.query("SELECT GET_LOCK('job', 5) AS got", (failure, rows: any) => {
      connection.release();
      done(failure);
    });
  });
}`, ['leak get_lock@5 return@2 given-back no-unlock', 'give-back get_lock@5 no-unlock call@6']),
  typeorm('TypeORM: query runner', `
export async function run() {
  const runner = source.createQueryRunner();
  await runner.connect();
  try {
    await runner.query('SELECT pg_advisory_lock(1)');
    try { await work(); } finally { await runner.query('SELECT pg_advisory_unlock(1)'); }
  } finally { await runner.release(); }
}`),
  typeorm('TypeORM: query runner, no unlock', `
export async function run() {
  const runner = source.createQueryRunner();
  await runner.connect();
  try { await runner.query('SELECT pg_advisory_lock(1)'); await work(); } finally { await runner.release(); }
}`, ['leak pg_advisory_lock@5 return@2 given-back no-unlock', 'leak pg_advisory_lock@5 throw@5 given-back no-unlock', 'give-back pg_advisory_lock@5 no-unlock call@5']),
  typeorm('TypeORM: transaction lock', `
export async function run() {
  const runner = source.createQueryRunner();
  await runner.startTransaction();
  try {
    await runner.query('SELECT pg_advisory_xact_lock(1)');
    await work();
    await runner.commitTransaction();
  } catch (error) { await runner.rollbackTransaction(); throw error; } finally { await runner.release(); }
}`),
  kysely('Kysely: connection callback', `
export const run = () => db.connection().execute(async (connection) => {
  await sql\`SELECT pg_advisory_lock(1)\`.execute(connection);
  try { await work(); } finally { await sql\`SELECT pg_advisory_unlock(1)\`.execute(connection); }
});`),
  kysely('Kysely: connection callback without unlock', `
export const run = () => db.connection().execute(async (connection) => {
  const { rows } = await sql<{ ok: boolean }>\`SELECT pg_try_advisory_lock(1) AS ok\`.execute(connection);
  if (!rows[0].ok) return;
  await work();
});`, ['leak pg_try_advisory_lock@3 return@2 given-back no-unlock', 'leak pg_try_advisory_lock@3 throw@5 given-back no-unlock', 'give-back pg_try_advisory_lock@3 no-unlock callback-end@2']),
  kysely('Kysely: the pool is destroyed in the end', `
export async function main() {
  try {
    await db.connection().execute(async (connection) => {
      await sql\`SELECT pg_advisory_lock(1)\`.execute(connection);
      await work();
    });
  } finally { await db.destroy(); }
}`),
  prisma('Prisma: transaction lock', `
export const run = () => prisma.$transaction(async (tx) => {
  await tx.$executeRaw\`SELECT pg_advisory_xact_lock(1)\`;
  await work();
});`),
  prisma('Prisma: session lock in a transaction, unlock missed', `
export const run = () => prisma.$transaction(async (tx) => {
  await tx.$executeRaw\`SELECT pg_advisory_lock(1)\`;
  await work();
  await tx.$executeRaw\`SELECT pg_advisory_unlock(1)\`;
});`, ['leak pg_advisory_lock@3 throw@4 given-back', 'give-back pg_advisory_lock@3 path-misses-unlock callback-end@2']),
  knex('Knex: transaction lock', `
export const run = () => knex.transaction(async (trx) => {
  await trx.raw('SELECT pg_advisory_xact_lock(?)', [1]);
  await work();
});`),
  knex('Knex: transaction by hand', `
export async function run() {
  const trx = await knex.transaction();
  try {
    await trx.raw('SELECT pg_advisory_xact_lock(?)', [1]);
    await work();
    await trx.commit();
  } catch (error) { await trx.rollback(); throw error; }
}`),
  drizzle('Drizzle: transaction lock', `
export const run = () => db.transaction(async (tx) => {
  await tx.execute(sql\`SELECT pg_advisory_xact_lock(1)\`);
  await work();
});`),
  drizzle('Drizzle: session lock, swallowed unlock', `
export const run = (k: number) => db.transaction(async (tx) => {
  const { rows } = await tx.execute(sql\`SELECT pg_try_advisory_lock(1, \${k}) AS ok\`);
  if (!rows[0]?.ok) return;
  try { return await work(); } finally { try { await tx.execute(sql\`SELECT pg_advisory_unlock(1, \${k})\`); } catch {} }
});`, ['leak pg_try_advisory_lock@3 return@2 unlock-swallowed', 'give-back pg_try_advisory_lock@3 unlock-swallowed callback-end@2']),
  sequelize('Sequelize: session lock in a managed transaction', `
export const run = () => sequelize.transaction(async (transaction) => {
  await sequelize.query('SELECT pg_advisory_lock(1)', { transaction });
  try { await work(); } finally { await sequelize.query('SELECT pg_advisory_unlock(1)', { transaction }); }
});`),
  sequelize('Sequelize: left in the transaction', `
export const run = () => sequelize.transaction(async (transaction) => {
  await sequelize.query('SELECT pg_advisory_lock(1)', { transaction });
  await work();
});`, ['leak pg_advisory_lock@3 return@2 given-back no-unlock', 'leak pg_advisory_lock@3 throw@4 given-back no-unlock', 'give-back pg_advisory_lock@3 no-unlock callback-end@2']),
  slonik('slonik resets the connection', `
export const run = () => pool.connect(async (connection) => {
  await connection.query(sql.unsafe\`SELECT pg_advisory_lock(1)\`);
  await work();
});`),
  pgPromise('pg-promise: task', `
export const run = () => db.task(async (t) => {
  await t.any('SELECT pg_advisory_lock($1)', [1]);
  try { await work(); } finally { await t.any('SELECT pg_advisory_unlock($1)', [1]); }
});`),
  pgPromise('pg-promise: task that keeps the lock', `
export const run = () => db.task(async (t) => {
  await t.any('SELECT pg_advisory_lock($1)', [1]);
  await work();
});`, ['leak pg_advisory_lock@3 return@2 given-back no-unlock', 'leak pg_advisory_lock@3 throw@4 given-back no-unlock', 'give-back pg_advisory_lock@3 no-unlock callback-end@2']),
];
