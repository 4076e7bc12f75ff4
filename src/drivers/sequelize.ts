import { defineDriver } from './driver.js';
import { nestTransactions } from './shared/nest.js';
import { sequelize, sequelizeBinding, sequelizeKinds, sequelizePlaceholders } from './shared/sequelize.js';

export default defineDriver({
  name: 'sequelize',
  dialect: 'either',
  modules: ['sequelize', 'sequelize-typescript', '@nestjs/sequelize'],
  defaultIsNamespace: true,
  placeholders: sequelizePlaceholders,
  implicitTransactions: [{ call: 'Sequelize.useCLS' }, ...nestTransactions],
  binding: sequelizeBinding,
  exports: [
    { names: ['Transaction', 'Sequelize.Transaction'], type: 'transaction' },
    { names: ['Sequelize', 'default'], new: sequelize },
    { names: ['QueryInterface'], type: 'query-interface' },
    { names: ['Model'], is: 'model' },
    { names: ['literal', 'Sequelize.literal'], call: { fragment: { sql: [{ argument: 0 }], as: 'sql' } } },
    {
      names: ['fn', 'Sequelize.fn'],
      call: { fragment: { sql: [], functionName: { argument: 0 }, values: [{ rest: 1 }], as: 'sql' } },
    },
  ],
  distinctiveProperties: { sequelize: 'sequelize' },
  importedHandle: { kind: 'sequelize', methods: ['query', 'transaction'] },
  kinds: sequelizeKinds,
  examples: [
    {
      code: `import { Sequelize, QueryTypes } from 'sequelize';
        const sequelize = new Sequelize(process.env.DATABASE_URL);
        const [rows] = await sequelize.query('SELECT pg_try_advisory_lock(1) AS ok');
        await sequelize.query('SELECT pg_try_advisory_lock(?) AS ok', { type: QueryTypes.SELECT, replacements: [2] });
        await sequelize.query('SELECT pg_try_advisory_lock($1) AS ok', { type: 'SELECT', bind: [3] });
        await sequelize.query('SELECT pg_try_advisory_lock(:id) AS ok', { plain: true, replacements: { id: 4 } });
        await sequelize.query({ query: 'SELECT pg_try_advisory_lock(?) AS ok', values: [5] }, { type: QueryTypes.RAW });
        await sequelize.query('SELECT pg_try_advisory_lock(6) AS ok', { nest: true });
        await sequelize.query('SELECT pg_try_advisory_lock(7) AS ok', { model: Job });
        await sequelize.query('SELECT pg_try_advisory_lock(8) AS ok', { instance: job });
        await sequelize.query('SELECT pg_try_advisory_lock(9) AS ok', { type: QueryTypes.UPDATE });
        await sequelize.close();`,
      sends: [
        { over: 'pool', cell: '[0][0].ok' },
        { over: 'pool', cell: '[0].ok' },
        { over: 'pool', cell: '[0].ok' },
        { over: 'pool', cell: 'ok' },
        { over: 'pool', cell: '[0][0].ok' },
        { over: 'pool', cell: '[0].ok' },
        { over: 'pool' },
        { over: 'pool' },
        { over: 'pool' },
      ],
      effects: ['closes'],
    },
    {
      code: `const Sequelize = require('sequelize');
        const sequelize = new Sequelize('app', 'user', 'secret', { dialect: 'mysql', pool: { max: 1 } });
        await sequelize.query("SELECT GET_LOCK('jobs', 5) AS ok", { type: Sequelize.QueryTypes.SELECT, useMaster: true });`,
      sends: [{ over: 'single', cell: '[0].ok' }],
    },
    {
      code: `import { Sequelize } from 'sequelize-typescript';
        const sequelize = new Sequelize({ dialect: 'postgres' });
        await sequelize.transaction({ isolationLevel: 'SERIALIZABLE' }, async (t) => {
          await sequelize.query('SELECT pg_advisory_xact_lock(1)', { transaction: t });
          await sequelize.query('SELECT pg_advisory_lock(2)');
          await sequelize.query('SELECT pg_advisory_lock(3)', { transaction: null });
        });`,
      sends: [{ over: 'transaction' }, { over: 'pool' }, { over: 'pool' }],
    },
    {
      code: `import { Sequelize } from 'sequelize';
        const sequelize = new Sequelize(process.env.URL, { replication: { read: [], write: {} } });
        export async function run() {
          const t = await sequelize.transaction();
          await sequelize.query('SELECT pg_advisory_xact_lock(1)', { transaction: t });
          if (process.env.DRY) await t.rollback();
          else await t.commit();
        }`,
      sends: [{ over: 'transaction' }],
      effects: ['rolls-back', 'commits'],
    },
    {
      code: `import { Sequelize } from 'sequelize';
        const sequelize = new Sequelize(process.env.URL);
        export async function run() {
          const client = await sequelize.connectionManager.getConnection({ type: 'write' });
          await client.query('SELECT pg_advisory_lock(1)');
          if (process.env.KEEP) sequelize.connectionManager.releaseConnection(client);
          else await sequelize.connectionManager.destroyConnection(client);
        }`,
      sends: [{ over: 'connection' }],
      effects: ['gives-back', 'closes'],
    },
    {
      code: `import { Sequelize, Model } from 'sequelize';
        import db from './models';
        const sequelize = new Sequelize(process.env.URL);
        const Task = sequelize.define('task', {});
        class Job extends Model {}
        await Task.sequelize.query('SELECT pg_advisory_lock(1)');
        await Job.sequelize.query('SELECT pg_advisory_lock(2)');
        await sequelize.model('task').sequelize.query('SELECT pg_advisory_lock(3)');
        await sequelize.getQueryInterface().sequelize.query('SELECT pg_advisory_lock(4)');
        await db.sequelize.query('SELECT pg_advisory_lock(5)');
        await Task.findAll({ attributes: [[Sequelize.fn('pg_try_advisory_lock', 1), 'ok'], [Sequelize.literal('1'), 'one']] });
        await Task.findOne();
        await Task.findByPk(1);
        await Task.create({});
        await Task.update({}, { where: {} });
        await Task.destroy({ where: {} });
        await Task.count();
        await sequelize.sync();
        await sequelize.authenticate();
        await sequelize.drop();
        await sequelize.truncate();`,
      sends: [{ over: 'pool' }, { over: 'pool' }, { over: 'pool' }, { over: 'pool' }, { over: 'pool' }],
    },
    {
      code: `import type { QueryInterface, Sequelize, Transaction } from 'sequelize';
        import { InjectConnection } from '@nestjs/sequelize';
        export const up = (queryInterface: QueryInterface) => queryInterface.sequelize.query('SELECT pg_advisory_lock(1)');
        export class Jobs {
          constructor(@InjectConnection() private readonly sequelize: Sequelize) {}
          run(transaction: Transaction) {
            return this.sequelize.query('SELECT pg_advisory_xact_lock(2)', { transaction });
          }
        }`,
      sends: [{ over: 'pool' }, { over: 'transaction' }],
    },
    {
      code: `import { Sequelize } from 'sequelize';
        import { createNamespace } from 'cls-hooked';
        Sequelize.useCLS(createNamespace('app'));
        const sequelize = new Sequelize(process.env.URL);
        await sequelize.query('SELECT pg_advisory_xact_lock(1)');`,
      sends: [{ over: 'unknown' }],
    },
  ],
});
