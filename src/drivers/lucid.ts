import { defineDriver } from './driver.js';
import type { Call } from './driver.js';
import { knexFirstRow, knexFragment, knexPlaceholders, knexQueryKinds, knexRaw, knexStarts } from './shared/knex.js';

/** On another connection than the transaction's, even when called on one. */
const lock = (name: string): Call => ({
  sends: { sql: [], runs: name, values: [{ argument: 0 }], result: { shape: 'value', at: [] }, over: 'pool' },
});

const exec: Call = { sends: { sql: [{ receiver: true }], result: { shape: 'rows', at: [] } } };
const useTransaction: Call = { clause: { is: 'handle', at: { argument: 0 } } };

export default defineDriver({
  name: 'lucid',
  dialect: 'either',
  modules: [
    '@adonisjs/lucid/services/db',
    '@adonisjs/lucid/database',
    '@adonisjs/lucid/types/database',
    '@adonisjs/lucid/orm',
    '@ioc:Adonis/Lucid/Database',
  ],
  placeholders: knexPlaceholders,
  implicitTransactions: [{ call: 'beginGlobalTransaction' }],
  exports: [
    { names: ['TransactionClientContract'], type: 'transaction' },
    { names: ['QueryClientContract'], type: 'database' },
    { names: ['default'], modules: ['@adonisjs/lucid/services/db', '@ioc:Adonis/Lucid/Database'], is: 'database' },
    { names: ['Database'], modules: ['@adonisjs/lucid/database'], type: 'database' },
    { names: ['BaseModel'], modules: ['@adonisjs/lucid/orm'], is: 'model' },
  ],
  distinctiveMethods: { knexRawQuery: 'database', getAdvisoryLock: 'database', releaseAdvisoryLock: 'database' },
  kinds: {
    ...knexQueryKinds,
    builder: {
      ...knexQueryKinds.builder,
      methods: { ...knexQueryKinds.builder.methods, firstOrFail: knexFirstRow, exec, useTransaction },
    },
    raw: { ...knexQueryKinds.raw, methods: { ...knexQueryKinds.raw.methods, exec, useTransaction } },
    database: {
      role: 'pool',
      methods: {
        ...knexStarts,
        query: { gives: { kind: 'builder', same: true } },
        rawQuery: knexRaw,
        knexRawQuery: knexRaw,
        raw: knexFragment,
        connection: { gives: { kind: 'database', same: true } },
        transaction: {
          resolves: 'transaction',
          callback: { argument: 0, parameters: { 0: 'transaction' } },
          isolation: [
            { argument: 0, property: 'isolationLevel' },
            { argument: 1, property: 'isolationLevel' },
          ],
        },
        getAdvisoryLock: lock('pg_try_advisory_lock'),
        releaseAdvisoryLock: lock('pg_advisory_unlock'),
      },
    },
    transaction: {
      role: 'transaction',
      extends: 'database',
      methods: { commit: { effect: { does: 'commits' } }, rollback: { effect: { does: 'rolls-back' } } },
    },
    model: {
      role: 'pool',
      methods: {
        query: { gives: { kind: 'builder', same: true, wraps: [{ argument: 0, property: 'client' }] } },
        find: { usesConnection: true },
        findOrFail: { usesConnection: true },
        create: { usesConnection: true },
      },
    },
  },
  examples: [
    {
      code: `import db from '@adonisjs/lucid/services/db';
        await db.rawQuery('SELECT pg_try_advisory_lock(?) AS ok', [1]);
        await db.connection('replica').rawQuery('SELECT pg_try_advisory_lock(:id) AS ok', { id: 2 }).exec();
        await db.knexRawQuery('SELECT pg_try_advisory_lock(3) AS ok');
        await db.query().select(db.raw('pg_try_advisory_lock(4) AS ok')).firstOrFail();
        await db.from('jobs').whereRaw('pg_try_advisory_lock(5)').exec();
        db.rawQuery('SELECT pg_advisory_unlock(6)');`,
      sends: [
        { over: 'pool', cell: 'rows[0].ok' },
        { over: 'pool' },
        { over: 'pool', cell: 'rows[0].ok' },
        { over: 'pool', cell: 'ok' },
        { over: 'pool' },
        { over: 'pool', sent: false },
      ],
    },
    {
      code: `import db from '@adonisjs/lucid/services/db';
        if (await db.connection().getAdvisoryLock(1)) await db.connection().releaseAdvisoryLock(1);
        await db.transaction(async (trx) => {
          await trx.rawQuery('SELECT pg_advisory_xact_lock(2)');
          await trx.getAdvisoryLock(3);
          await db.rawQuery('SELECT pg_advisory_lock(4)');
          await db.query().useTransaction(trx).select(db.raw('pg_try_advisory_xact_lock(5) AS ok'));
          await db.rawQuery('SELECT pg_advisory_xact_lock(6)').useTransaction(trx);
        }, { isolationLevel: 'serializable' });`,
      sends: [
        { over: 'pool', sql: 'pg_try_advisory_lock' },
        { over: 'pool', sql: 'pg_advisory_unlock' },
        { over: 'transaction' },
        { over: 'pool', sql: 'pg_try_advisory_lock' },
        { over: 'pool' },
        { over: 'transaction' },
        { over: 'transaction' },
      ],
    },
    {
      code: `import Database from '@ioc:Adonis/Lucid/Database';
        import { BaseModel } from '@adonisjs/lucid/orm';
        class Job extends BaseModel {}
        export async function run(failed: boolean) {
          const trx = await Database.transaction();
          await trx.rawQuery('SELECT pg_advisory_xact_lock(1)');
          await Job.query({ client: trx }).select(trx.raw('pg_try_advisory_xact_lock(2) AS ok'));
          if (failed) await trx.rollback();
          else await trx.commit();
          await Job.query().whereRaw('pg_try_advisory_lock(3)');
          await Job.find(1);
          await Job.findOrFail(1);
          await Job.create({});
        }`,
      sends: [{ over: 'transaction' }, { over: 'transaction' }, { over: 'pool' }],
      effects: ['rolls-back', 'commits'],
    },
    {
      code: `import type { QueryClientContract, TransactionClientContract } from '@adonisjs/lucid/types/database';
        import type { Database } from '@adonisjs/lucid/database';
        export const a = async (db: Database) => { await db.rawQuery('SELECT pg_advisory_lock(1)'); };
        export const b = async (client: QueryClientContract) => { await client.rawQuery('SELECT pg_advisory_lock(2)'); };
        export const c = async (trx: TransactionClientContract) => { await trx.rawQuery('SELECT pg_advisory_xact_lock(3)'); };`,
      sends: [{ over: 'pool' }, { over: 'pool' }, { over: 'transaction' }],
    },
    {
      code: `import db from '@adonisjs/lucid/services/db';
        await db.beginGlobalTransaction();
        await db.rawQuery('SELECT pg_advisory_xact_lock(1)').timeout(1000);
        db.rawQuery('SELECT pg_advisory_xact_lock(2)').asCallback(console.log);
        db.rawQuery('SELECT pg_try_advisory_xact_lock(id) FROM jobs').stream();`,
      sends: [{ over: 'unknown' }, { over: 'unknown' }, { over: 'unknown' }],
    },
  ],
});
