import type { DriverDescriptor } from './driver.js';
import drizzle from './drizzle.js';
import knex from './knex.js';
import kysely from './kysely.js';
import mysql2 from './mysql2.js';
import pg from './pg.js';
import postgres from './postgres.js';
import prisma from './prisma.js';
import sequelizeCore from './sequelize-core.js';
import sequelize from './sequelize.js';
import typeorm from './typeorm.js';

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
];
