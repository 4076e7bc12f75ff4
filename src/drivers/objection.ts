import { defineDriver } from './driver.js';
import type { Call, GiveDetails } from './driver.js';
import { knexFirstRow, knexKinds, knexPlaceholders, knexQueryKinds } from './shared/knex.js';

const boundModel: GiveDetails = { kind: 'model', same: true, wraps: [{ argument: 0 }] };
const onTransaction: Call = {
  gives: { kind: 'builder', same: true, wraps: [{ argument: 0 }] },
};
const start: Call = { resolves: 'transaction' };
const raw: Call = { fragment: { sql: [{ argument: 0 }], values: [{ rest: 1 }], as: 'sql' }, gives: 'raw-fragment' };

export default defineDriver({
  name: 'objection',
  dialect: 'either',
  modules: ['objection'],
  placeholders: knexPlaceholders,
  binding: { undefined: 'throws', null: 'null' },
  exports: [
    { names: ['Transaction'], type: 'transaction' },
    { names: ['TransactionOrKnex'], type: { kind: 'knex', ambiguous: true } },
    { names: ['Model'], is: 'model' },
    {
      names: ['transaction'],
      call: {
        callback: {
          argument: 'last',
          parameters: { 0: 'bound-model', 1: 'bound-model', 2: 'bound-model', 3: 'bound-model' },
          lastParameter: 'transaction',
        },
      },
    },
    { names: ['transaction.start'], call: start },
    { names: ['raw'], call: raw },
    { names: ['ref'], call: { fragment: { sql: [{ argument: 0 }], as: 'identifier' } } },
    { names: ['fn'], call: { fragment: { sql: [], functionName: { argument: 0 }, values: [{ rest: 1 }], as: 'sql' } } },
  ],
  kinds: {
    ...knexKinds,
    builder: {
      ...knexQueryKinds.builder,
      methods: {
        ...knexQueryKinds.builder.methods,
        findOne: { gives: { kind: 'row-builder', same: true }, clause: { is: 'where' } },
        findById: knexFirstRow,
        execute: { sends: { sql: [{ receiver: true }], result: { shape: 'rows', at: [] } } },
      },
    },
    'row-builder': {
      ...knexQueryKinds['row-builder'],
      methods: { execute: { sends: { sql: [{ receiver: true }], result: { shape: 'row', at: [] } } } },
    },
    /** The class itself; a subclass is one, too. */
    model: {
      role: 'pool',
      methods: {
        knex: { gives: { kind: 'knex', same: true } },
        knexQuery: { gives: { kind: 'builder', same: true } },
        query: onTransaction,
        transaction: { callback: { argument: 'last', parameters: { 0: 'transaction' } } },
        startTransaction: start,
        bindKnex: { gives: boundModel },
        bindTransaction: { gives: boundModel },
        raw,
      },
    },
    'bound-model': { role: 'transaction', extends: 'model' },
    /** Cannot be sent by itself. */
    'raw-fragment': { fluent: true, methods: { as: { alias: { argument: 0 } } } },
  },
  examples: [
    {
      code: `import { Model, raw, ref } from 'objection';
        class Job extends Model {}
        await Job.knex().raw('SELECT pg_try_advisory_lock(?) AS ok', [1]);
        await Job.query().select(raw('pg_try_advisory_lock(?)', 2).as('ok'));
        await Job.query().select(Model.raw('pg_try_advisory_lock(3) AS ok')).first();
        await Job.query().findOne(raw('pg_try_advisory_lock(?)', ref('id')));
        await Job.query().select(raw('pg_try_advisory_lock(4) AS ok')).findById(1);
        await Job.query().select(raw('pg_try_advisory_lock(5) AS ok')).execute();
        await Job.knexQuery().select(Job.knex().raw('pg_try_advisory_lock(6) AS ok'));
        Job.query().whereRaw('pg_try_advisory_lock(7)');`,
      sends: [
        { over: 'pool', cell: 'rows[0].ok' },
        { over: 'pool', cell: '[0].ok' },
        { over: 'pool', cell: 'ok' },
        { over: 'pool' },
        { over: 'pool', cell: 'ok' },
        { over: 'pool', cell: '[0].ok' },
        { over: 'pool', cell: '[0].ok' },
        { over: 'pool', sent: false },
      ],
    },
    {
      code: `import { Model, raw, fn, transaction } from 'objection';
        class Job extends Model {}
        class Run extends Model {}
        await Model.transaction(async (trx) => {
          await trx.raw('SELECT pg_advisory_xact_lock(1)');
          await Job.query(trx).select(fn('pg_try_advisory_xact_lock', 2).as('ok'));
          await Job.bindKnex(trx).query().select(raw('pg_try_advisory_xact_lock(3)'));
          await Job.bindTransaction(trx).query().select(raw('pg_try_advisory_xact_lock(4)'));
          await trx.savepoint(async (nested) => { await nested.raw('SELECT pg_advisory_xact_lock(5)'); });
          await Job.query().select(raw('pg_try_advisory_lock(6)'));
        });
        await transaction(Job, Run, async (BoundJob, BoundRun, trx) => {
          await BoundJob.query().select(raw('pg_try_advisory_xact_lock(7)'));
          await BoundRun.query().select(raw('pg_try_advisory_xact_lock(8)'));
          await trx.raw('SELECT pg_advisory_xact_lock(9)');
        });
        await transaction(Job.knex(), async (trx) => { await trx.raw('SELECT pg_advisory_xact_lock(10)'); });`,
      sends: [
        { over: 'transaction' },
        { over: 'transaction' },
        { over: 'transaction' },
        { over: 'transaction' },
        { over: 'transaction' },
        { over: 'pool' },
        { over: 'transaction' },
        { over: 'transaction' },
        { over: 'transaction' },
        { over: 'transaction' },
      ],
    },
    {
      code: `import { Model, transaction, type Transaction, type TransactionOrKnex } from 'objection';
        class Job extends Model {}
        export async function run() {
          const trx = await Job.startTransaction();
          await trx.raw('SELECT pg_advisory_xact_lock(1)');
          await trx.commit();
          const other = await transaction.start(Job);
          await other.raw('SELECT pg_advisory_xact_lock(2)');
          await other.rollback();
        }
        export const lock = async (trx: Transaction) => { await trx.raw('SELECT pg_advisory_xact_lock(3)'); };
        export const unknown = async (db: TransactionOrKnex) => { await db.raw('SELECT pg_advisory_lock(4)'); };`,
      sends: [{ over: 'transaction' }, { over: 'transaction' }, { over: 'transaction' }, { over: 'unknown' }],
      effects: ['commits', 'rolls-back'],
    },
    {
      code: `import { Model, raw } from 'objection';
        class Job extends Model {}
        export async function run() {
          const knex = Job.knex();
          const connection = await knex.client.acquireConnection();
          await knex.raw('SELECT pg_advisory_lock(1)').connection(connection);
          await connection.query('SELECT pg_advisory_unlock(1)');
          await knex.client.query(connection, 'SELECT pg_advisory_lock(2)');
          await knex.client.releaseConnection(connection);
          const own = await knex.client.acquireRawConnection();
          await own.query('SELECT pg_advisory_lock(3)');
          await knex.client.destroyRawConnection(own);
          Job.query().select(raw('pg_try_advisory_lock(4)')).asCallback(console.log);
          Job.query().select(raw('pg_try_advisory_lock(5)')).stream();
          await knex.schema.raw('SELECT pg_advisory_lock(6)');
          await knex.destroy();
        }`,
      sends: [
        { over: 'connection' },
        { over: 'connection' },
        { over: 'connection' },
        { over: 'connection' },
        { over: 'pool' },
        { over: 'pool' },
        { over: 'pool' },
      ],
      effects: ['gives-back', 'closes', 'closes'],
    },
  ],
});
