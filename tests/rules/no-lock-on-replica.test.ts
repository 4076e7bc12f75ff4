import rule from '../../rules/no-lock-on-replica.js';
import { runRuleTests, type InvalidCase, type ValidCase } from '../rule-tester.js';
import { errorAt } from './error-at.js';

const sequelizeHead = `import { QueryTypes, Sequelize } from 'sequelize';
const sequelize = new Sequelize('shop', null, null, { dialect: 'postgres', replication: { read: [{ host: 'replica' }], write: { host: 'primary' } } });
`;
const typeormHead = `import { DataSource } from 'typeorm';
const source = new DataSource({ type: 'postgres', replication: { master: {}, slaves: [{}] } });
`;
const drizzleHead = `import { sql } from 'drizzle-orm';
import { withReplicas } from 'drizzle-orm/pg-core';
import { drizzle } from 'drizzle-orm/node-postgres';
import { jobs } from './schema';
const db = withReplicas(drizzle(process.env.PRIMARY), [drizzle(process.env.REPLICA)]);
`;
const prismaHead = `import { PrismaClient } from '@prisma/client';
import { readReplicas } from '@prisma/extension-read-replicas';
const prisma = new PrismaClient().$extends(readReplicas({ url: process.env.REPLICA_URL }));
`;

const tryLock = "'SELECT pg_try_advisory_lock(1) AS ok'";
const silent = (name: string, code: string, driver?: string): ValidCase => ({ name, code, ...(driver !== undefined && { drivers: [driver] }) });
function reported(name: string, head: string, call: string, spelled: string, driver?: string, fn = 'pg_try_advisory_lock'): InvalidCase {
  const code = `${head}export async function run() { return ${call}; }`;
  return {
    name,
    code,
    ...(driver !== undefined && { drivers: [driver] }),
    errors: [errorAt(code, call, { messageId: 'replica', data: { fn, call: spelled } })],
  };
}

const none = 'sends nothing to replicas by itself';

runRuleTests(rule, {
  notApplicable: { pg: none, 'postgres.js': none, knex: none, kysely: none, mysql2: 'a pool cluster chooses by name, and the name says nothing certain' },
  valid: [
    silent('Sequelize with useMaster', `${sequelizeHead}export const run = () => sequelize.query(${tryLock}, { type: QueryTypes.SELECT, useMaster: true });`, 'sequelize'),
    silent('Sequelize in a transaction', `${sequelizeHead}export const run = () => sequelize.transaction(async (transaction) => sequelize.query(${tryLock}, { type: QueryTypes.SELECT, transaction }));`),
    silent('Sequelize without a type', `${sequelizeHead}export const run = () => sequelize.query(${tryLock});`),
    silent('Sequelize without replicas', `import { QueryTypes, Sequelize } from 'sequelize';\nconst sequelize = new Sequelize('postgres://db/app');\nexport const run = () => sequelize.query(${tryLock}, { type: QueryTypes.SELECT });`),
    silent('Sequelize where the options are not to be seen', `import { QueryTypes } from 'sequelize';\nimport { sequelize } from './db';\nexport const run = () => sequelize.query(${tryLock}, { type: QueryTypes.SELECT });`),
    silent('a SELECT without a lock', `${sequelizeHead}export const run = () => sequelize.query('SELECT mode FROM pg_locks -- pg_advisory_lock', { type: QueryTypes.SELECT });`),
    silent("TypeORM's master", `${typeormHead}export async function run() { const runner = source.createQueryRunner('master'); await runner.query(${tryLock}); }`, 'typeorm'),
    silent("TypeORM's query, which goes to the master", `${typeormHead}export const run = () => source.query(${tryLock});`),
    silent("Drizzle's execute, which goes to the primary", `${drizzleHead}export const run = () => db.execute(sql\`SELECT pg_try_advisory_lock(1)\`);`, 'drizzle'),
    silent("Drizzle's primary", `${drizzleHead}export const run = () => db.$primary.select({ ok: sql\`pg_try_advisory_lock(id)\` }).from(jobs);`),
    silent("Drizzle's UPDATE", `${drizzleHead}export const run = () => db.update(jobs).set({ a: 1 }).where(sql\`pg_try_advisory_lock(id)\`);`),
    silent("Drizzle's transaction", `${drizzleHead}export const run = () => db.transaction((tx) => tx.select({ ok: sql\`pg_try_advisory_lock(id)\` }).from(jobs));`),
    silent("Prisma's primary", `${prismaHead}export const run = () => prisma.$primary().$queryRaw\`SELECT pg_try_advisory_lock(1) AS ok\`;`, 'prisma'),
    silent('a Prisma client that has replicas, with the server not chosen', `${prismaHead}export const run = () => prisma.$queryRaw\`SELECT pg_try_advisory_lock(1) AS ok\`;`),
    silent('an unknown handle', `export const run = (replica) => replica.query(${tryLock});`),
  ],
  invalid: [
    reported('Sequelize: a SELECT', sequelizeHead, `sequelize.query(${tryLock}, { type: QueryTypes.SELECT })`, 'sequelize.query', 'sequelize'),
    reported('Sequelize: plain', sequelizeHead, `sequelize.query(${tryLock}, { plain: true })`, 'sequelize.query'),
    reported('Sequelize: an unlock', sequelizeHead, "sequelize.query('SELECT pg_advisory_unlock(1) AS ok', { type: QueryTypes.SELECT })", 'sequelize.query', undefined, 'pg_advisory_unlock'),
    reported('Sequelize: a transaction-level lock', sequelizeHead, "sequelize.query('SELECT pg_advisory_xact_lock(1)', { type: QueryTypes.SELECT })", 'sequelize.query', undefined, 'pg_advisory_xact_lock'),
    reported('TypeORM: a query runner on a slave', typeormHead, `source.createQueryRunner('slave').query(${tryLock})`, 'source.createQueryRunner(…).query', 'typeorm'),
    reported('TypeORM: a query builder', typeormHead, "source.createQueryBuilder().select('pg_try_advisory_lock(1)', 'ok').getRawOne()", 'source.createQueryBuilder(…).select(…).getRawOne'),
    reported("Drizzle: a query builder's SELECT", drizzleHead, 'db.select({ ok: sql`pg_try_advisory_lock(id)` }).from(jobs)', 'db.select(…).from', 'drizzle'),
    reported('Prisma: a replica', prismaHead, 'prisma.$replica().$queryRaw`SELECT pg_try_advisory_lock(1) AS ok`', 'prisma.$replica(…).$queryRaw`…`', 'prisma'),
    reported('Prisma: a replica of an imported client', "import { prisma } from './db';\n", 'prisma.$replica().$executeRaw`SELECT pg_advisory_xact_lock(1)`', 'prisma.$replica(…).$executeRaw`…`', undefined, 'pg_advisory_xact_lock'),
  ],
});
