import type { DriverDescriptor } from './driver.js';
import bunSql from './bun-sql.js';
import databasesPg from './databases-pg.js';
import denoPostgres from './deno-postgres.js';
import drizzle from './drizzle.js';
import effectSql from './effect-sql.js';
import fastifyPostgres from './fastify-postgres.js';
import knex from './knex.js';
import kysely from './kysely.js';
import lucid from './lucid.js';
import mariadb from './mariadb.js';
import massive from './massive.js';
import mikroOrm from './mikro-orm.js';
import mysql from './mysql.js';
import mysql2 from './mysql2.js';
import neon from './neon.js';
import objection from './objection.js';
import pg from './pg.js';
import pgPromise from './pg-promise.js';
import pgTx from './pg-tx.js';
import pglite from './pglite.js';
import pgtyped from './pgtyped.js';
import postgres from './postgres.js';
import prisma from './prisma.js';
import sequelize from './sequelize.js';
import sequelizeCore from './sequelize-core.js';
import slonik from './slonik.js';
import supabase from './supabase.js';
import typeorm from './typeorm.js';
import vercelPostgres from './vercel-postgres.js';
import zapatos from './zapatos.js';

/**
 * Every library the analyzer knows. No two claim the same export of the same module, so the list's order carries no
 * meaning between drivers. Within one, `exports` are in order: a sub-type stands before the type it extends
 * (`TransactionSql` before `Sql`, `PoolConnection` before `Connection`), so the first that fits is the narrowest.
 */
export const drivers: readonly DriverDescriptor[] = [
  pg,
  postgres,
  prisma,
  drizzle,
  knex,
  kysely,
  typeorm,
  sequelize,
  sequelizeCore,
  mysql2,
  bunSql,
  databasesPg,
  denoPostgres,
  effectSql,
  fastifyPostgres,
  lucid,
  mariadb,
  massive,
  mikroOrm,
  mysql,
  neon,
  objection,
  pgPromise,
  pgTx,
  pglite,
  pgtyped,
  slonik,
  supabase,
  vercelPostgres,
  zapatos,
];
