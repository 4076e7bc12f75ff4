import { defineDriver } from './driver.js';
import type { GiveDetails } from './driver.js';
import { knexKinds, knexPlaceholders } from './shared/knex.js';
import { nestTransactions } from './shared/nest.js';

const pool: GiveDetails = {
  kind: 'knex',
  singleWhen: [{ at: { argument: 0, property: 'pool.max' }, equals: 1 }],
  renamesColumnsWhen: [{ at: { argument: 0, property: 'postProcessResponse' }, present: true }],
  lockTimeout: [{ argument: 0, property: 'connection.lock_timeout' }],
  clientTimeout: [{ argument: 0, property: 'connection.query_timeout' }],
  url: [
    { argument: 0 },
    { argument: 0, property: 'connection' },
    { argument: 0, property: 'connection.connectionString' },
    { argument: 0, property: 'connection.host' },
    { argument: 0, property: 'connection.port' },
  ],
};

export default defineDriver({
  name: 'knex',
  dialect: 'either',
  untypedRows: true,
  modules: ['knex', '@strapi/strapi', '@strapi/types'],
  defaultIsNamespace: true,
  placeholders: knexPlaceholders,
  implicitTransactions: nestTransactions,
  binding: { undefined: 'throws', null: 'null' },
  exports: [
    { names: ['Knex.Transaction', 'default.Transaction'], type: 'transaction' },
    { names: ['default', 'knex'], modules: ['knex'], call: { gives: pool } },
    { names: ['strapi'], global: true, is: 'strapi' },
    { names: ['Strapi', 'Core.Strapi'], type: 'strapi' },
    /** Migrations get a transaction under this type. */
    { names: ['Knex'], call: { gives: pool }, type: { kind: 'knex', ambiguous: 'in-migrations' } },
  ],
  distinctiveMethods: { transactionProvider: 'knex' },
  distinctiveProperties: { knex: 'knex', strapi: 'strapi' },
  importedHandle: { kind: 'knex', methods: ['raw', 'transaction'], calledToo: true },
  kinds: {
    ...knexKinds,
    /** Strapi hands out its Knex. What goes through its own queries joins an open transaction; the Knex does not. */
    strapi: { role: 'pool', properties: { db: { kind: 'strapi-database', same: true } } },
    'strapi-database': {
      methods: { transaction: { callback: { argument: 0, parameters: { 0: 'strapi-transaction' } }, resolves: 'strapi-transaction' } },
      properties: { connection: { kind: 'knex', same: true } },
    },
    'strapi-transaction': {
      role: 'transaction',
      methods: { commit: { effect: { does: 'commits' } }, rollback: { effect: { does: 'rolls-back' } } },
      properties: { trx: { kind: 'transaction', same: true } },
    },
  },
  examples: [
    {
      code: `import type { Core } from '@strapi/strapi';
        import type { Strapi } from '@strapi/types';
        export const lock = async (strapi: Core.Strapi) => { await strapi.db.connection.raw('SELECT pg_advisory_lock(1)'); };
        export const unlock = async (app: Strapi) => { await app.db.connection.raw('SELECT pg_advisory_unlock(1)'); };
        export const bootstrap = async ({ strapi }) => { await strapi.db.connection.raw('SELECT pg_advisory_lock(2)'); };`,
      sends: [{ over: 'pool' }, { over: 'pool' }, { over: 'pool' }],
    },
    {
      code: `export default {
          async beforeCreate() {
            await strapi.db.transaction(async ({ trx }) => {
              await trx.raw('SELECT pg_advisory_xact_lock(1)');
              await strapi.db.connection.raw('SELECT pg_advisory_lock(2)');
            });
            const scope = await strapi.db.transaction();
            await scope.trx.raw('SELECT pg_advisory_xact_lock(3)');
            if (scope.failed) await scope.rollback();
            else await scope.commit();
          },
        };`,
      sends: [{ over: 'transaction' }, { over: 'pool' }, { over: 'transaction' }],
      effects: ['rolls-back', 'commits'],
    },
    {
      code: `import knex from 'knex';
        const db = knex({ client: 'pg', connection: process.env.DATABASE_URL });
        const r = await db.raw('SELECT pg_try_advisory_lock(?) AS ok', [1]);
        await db.raw('SELECT pg_advisory_unlock(:key)', { key: 1 });
        db.raw('SELECT pg_advisory_unlock(2)');
        await db.destroy();`,
      sends: [
        { over: 'pool', cell: 'rows[0].ok' },
        { over: 'pool', cell: 'rows[0].pg_advisory_unlock' },
        { over: 'pool', sent: false },
      ],
      effects: ['closes'],
    },
    {
      code: `const db = require('knex')({ client: 'mysql2', pool: { min: 1, max: 1 } });
        await db.raw("SELECT GET_LOCK(?, 5) AS ok", ['jobs']).timeout(1000);
        await db.raw("SELECT RELEASE_LOCK('jobs') AS ok").timeout(1000, { cancel: true });`,
      sends: [
        { over: 'single', cell: '[0][0].ok' },
        { over: 'single', cell: '[0][0].ok' },
      ],
    },
    {
      code: `import { knex } from 'knex';
        const db = knex({ client: 'pg' });
        await db.transaction(async (trx) => {
          await trx.raw('SELECT pg_advisory_xact_lock(1)');
          await db.raw('SELECT pg_advisory_lock(2)');
          await db.raw('SELECT pg_advisory_xact_lock(3)').transacting(trx);
          await trx.savepoint(async (nested) => { await nested.raw('SELECT pg_advisory_xact_lock(4)'); });
          await trx.transaction(async (nested) => { await nested.raw('SELECT pg_advisory_xact_lock(5)'); });
        }, { isolationLevel: 'serializable' });`,
      sends: [
        { over: 'transaction' },
        { over: 'pool' },
        { over: 'transaction' },
        { over: 'transaction' },
        { over: 'transaction' },
      ],
    },
    {
      code: `import { knex } from 'knex';
        const db = knex({ client: 'pg' });
        const provide = db.transactionProvider();
        export async function run() {
          const trx = await db.transaction();
          await trx.raw('SELECT pg_advisory_xact_lock(1)');
          await trx.commit();
          const other = await provide();
          await other('jobs').select(other.raw('pg_try_advisory_xact_lock(2) AS ok'));
          await other.rollback();
        }`,
      sends: [{ over: 'transaction' }, { over: 'transaction', cell: '[0].ok' }],
      effects: ['commits', 'rolls-back'],
    },
    {
      code: `import { knex } from 'knex';
        const db = knex({ client: 'pg' });
        export async function run() {
          const connection = await db.client.acquireConnection();
          await db.raw('SELECT pg_advisory_lock(1)').connection(connection);
          await connection.query('SELECT pg_advisory_lock(2)');
          await db.client.query(connection, { sql: 'SELECT pg_advisory_unlock(2)', bindings: [] });
          await db.client.releaseConnection(connection);
          const raw = await db.client.acquireRawConnection();
          await raw.query('SELECT pg_advisory_lock(3)');
          await db.client.destroyRawConnection(raw);
        }`,
      sends: [{ over: 'connection' }, { over: 'connection' }, { over: 'connection' }, { over: 'connection' }],
      effects: ['gives-back', 'closes'],
    },
    {
      code: `import { knex } from 'knex';
        const db = knex({ client: 'pg' });
        const row = await db.select(db.raw('pg_try_advisory_lock(1) AS ok')).first();
        const [ok] = await db.queryBuilder().pluck(db.raw('pg_try_advisory_lock(2)'));
        await db('jobs').column(db.raw('pg_try_advisory_lock(id) AS ok')).where('kind', 'a').limit(10).offset(5).forUpdate().skipLocked();
        await db.first(db.raw('pg_try_advisory_lock(3) AS ok'));
        await db.column(db.raw('pg_try_advisory_lock(4) AS ok')).from('jobs').forShare();
        await db.columns(db.raw('pg_try_advisory_lock(5) AS ok')).from('jobs');
        await db.distinct(db.raw('pg_try_advisory_lock(6) AS ok')).from('jobs');
        await db.withSchema('app').select(db.raw('pg_try_advisory_lock(7) AS ok'));`,
      sends: [
        { over: 'pool', cell: 'ok' },
        { over: 'pool', cell: '[0]' },
        { over: 'pool', cell: '[0].ok' },
        { over: 'pool', cell: 'ok' },
        { over: 'pool', cell: '[0].ok' },
        { over: 'pool', cell: '[0].ok' },
        { over: 'pool', cell: '[0].ok' },
        { over: 'pool', cell: '[0].ok' },
      ],
    },
    {
      code: `import { knex } from 'knex';
        const db = knex({ client: 'pg' });
        await db('jobs').whereRaw('pg_try_advisory_lock(?)', [1]);
        await db.from('jobs').andWhereRaw('pg_try_advisory_lock(2)').orWhereRaw('pg_try_advisory_lock(3)');
        await db.table('jobs').orderByRaw('pg_try_advisory_lock(4)').groupByRaw('kind');
        await db('jobs').groupBy('kind').havingRaw('pg_try_advisory_lock(5)');
        await db('jobs').joinRaw('JOIN runs ON pg_try_advisory_lock(6)');
        await db('jobs').fromRaw('unnest(pg_try_advisory_lock(7))');
        await db('jobs').where(db.raw('pg_try_advisory_lock(8)')).andWhere('a', 1).orWhere('b', 2).whereIn('c', [3]).whereExists(db('runs'));
        await db('jobs').distinctOn('kind').having(db.raw('pg_try_advisory_lock(9)')).orderBy('kind');
        await db('jobs').join('a', db.raw('pg_try_advisory_lock(10)')).innerJoin('b', 'x', 'y').leftJoin('c', 'x', 'y').rightJoin('d', 'x', 'y').fullOuterJoin('e', 'x', 'y');
        await db('jobs').update({ locked: db.raw('pg_try_advisory_lock(11)') }).returning(db.raw('pg_try_advisory_lock(12) AS ok'));
        await db.with('locked', db.raw('SELECT pg_try_advisory_lock(13)')).select('*').from('locked');`,
      sends: [
        { over: 'pool', sql: 'pg_try_advisory_lock(?)' },
        { over: 'pool', sql: 'pg_try_advisory_lock(2)' },
        { over: 'pool', sql: 'pg_try_advisory_lock(4)' },
        { over: 'pool', sql: 'pg_try_advisory_lock(5)' },
        { over: 'pool', sql: 'pg_try_advisory_lock(6)' },
        { over: 'pool', sql: 'pg_try_advisory_lock(7)' },
        { over: 'pool', sql: 'pg_try_advisory_lock(8)' },
        { over: 'pool', sql: 'pg_try_advisory_lock(9)' },
        { over: 'pool', sql: 'pg_try_advisory_lock(10)' },
        { over: 'pool', sql: 'pg_try_advisory_lock(11)' },
        { over: 'pool', sql: 'pg_try_advisory_lock(13)' },
      ],
    },
    {
      code: `import { knex } from 'knex';
        const db = knex({ client: 'pg' }).withUserParams({ tenant: 1 });
        db.raw('SELECT pg_try_advisory_lock(1)').asCallback((err, r) => console.log(r));
        db.raw('SELECT pg_try_advisory_lock(id) FROM jobs').stream();
        await db.schema.raw('SELECT pg_advisory_lock(3)');
        await db.schema.createTable('jobs', () => {});
        await db.migrate.latest();
        await db.seed.run();
        await db.batchInsert('jobs', []);
        console.log(db.raw('SELECT pg_advisory_lock(4)').toSQL(), db.select(1).toQuery(), db.select(2).toString());`,
      sends: [{ over: 'pool' }, { over: 'pool' }, { over: 'pool' }, { over: 'pool', sent: false }],
    },
    {
      code: `import type { Knex } from 'knex';
        import { InjectModel } from 'nest-knexjs';
        export async function up(knex: Knex) { await knex.raw('SELECT pg_advisory_lock(1)'); }
        export async function run(trx: Knex.Transaction) { await trx.raw('SELECT pg_advisory_xact_lock(1)'); }
        export class Jobs {
          constructor(@InjectModel() private readonly knex: Knex) {}
          async run() { await this.knex.raw('SELECT pg_advisory_lock(2)'); }
        }`,
      sends: [{ over: 'unknown' }, { over: 'transaction' }, { over: 'pool' }],
    },
  ],
});
