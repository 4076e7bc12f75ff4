import { defineDriver } from './driver.js';
import type { Call } from './driver.js';
import {
  sequelize,
  sequelizeBinding,
  sequelizeKinds,
  sequelizePlaceholders,
  sequelizeQuery,
  sequelizeTransaction,
} from './shared/sequelize.js';

const text: Call = { fragment: { sql: [{ argument: 0 }], as: 'sql' } };

export default defineDriver({
  name: '@sequelize/core',
  dialect: 'either',
  modules: ['@sequelize/core'],
  placeholders: sequelizePlaceholders,
  /** Queries inside `transaction(callback)` join it by themselves unless `disableClsTransactions` is set. */
  implicitTransactions: [{ module: '@sequelize/core' }],
  binding: sequelizeBinding,
  exports: [
    { names: ['Transaction'], type: 'transaction' },
    { names: ['AbstractConnection'], type: 'raw-connection' },
    { names: ['Sequelize'], new: sequelize },
    { names: ['QueryInterface', 'AbstractQueryInterface'], type: 'query-interface' },
    { names: ['Model'], is: 'model' },
    { names: ['sql'], tag: { fragment: { sql: [{ template: true }], as: 'sql' } } },
    { names: ['literal', 'sql.literal'], call: text },
    { names: ['sql.identifier'], call: { fragment: { sql: [{ argument: 0 }], as: 'identifier' } } },
    {
      names: ['fn', 'sql.fn'],
      call: { fragment: { sql: [], functionName: { argument: 0 }, values: [{ rest: 1 }], as: 'sql' } },
    },
  ],
  kinds: {
    ...sequelizeKinds,
    sequelize: {
      ...sequelizeKinds.sequelize,
      methods: {
        ...sequelizeKinds.sequelize.methods,
        queryRaw: sequelizeQuery,
        transaction: { ...sequelizeTransaction, resolves: { kind: 'result' } },
        startUnmanagedTransaction: {
          resolves: 'transaction',
          isolation: [{ argument: 0, property: 'isolationLevel' }],
        },
        withConnection: { callback: { argument: 'last', parameters: { 0: { kind: 'raw-connection', owned: false } } } },
      },
    },
    result: {},
  },
  examples: [
    {
      code: `import { Sequelize, sql, QueryTypes } from '@sequelize/core';
        const sequelize = new Sequelize({ dialect: PostgresDialect, url: process.env.URL });
        const [rows] = await sequelize.query(sql\`SELECT pg_try_advisory_lock(\${1}) AS ok\`);
        await sequelize.queryRaw('SELECT pg_try_advisory_lock($1) AS ok', { bind: [1], type: QueryTypes.SELECT });
        await sequelize.query(sql\`SELECT pg_advisory_lock(id) FROM \${sql.identifier('jobs')} \${sql.literal('LIMIT 1')}\`);
        await sequelize.close();`,
      sends: [
        { over: 'unknown', cell: '[0][0].ok' },
        { over: 'unknown', cell: '[0].ok' },
        { over: 'unknown' },
      ],
      effects: ['closes'],
    },
    {
      code: `import { Sequelize } from '@sequelize/core';
        const sequelize = new Sequelize({});
        await sequelize.withConnection({ destroyConnection: true }, async (connection) => {
          await sequelize.query('SELECT pg_advisory_lock(1)', { connection });
        });
        await sequelize.transaction({ isolationLevel: 'SERIALIZABLE' }, async (transaction) => {
          await sequelize.query('SELECT pg_advisory_xact_lock(2)', { transaction });
          await sequelize.query('SELECT pg_advisory_xact_lock(3)');
        });
        export async function run() {
          const transaction = await sequelize.startUnmanagedTransaction();
          await sequelize.query('SELECT pg_advisory_xact_lock(4)', { transaction });
          if (process.env.DRY) await transaction.rollback();
          else await transaction.commit();
        }`,
      sends: [{ over: 'connection' }, { over: 'transaction' }, { over: 'unknown' }, { over: 'transaction' }],
      effects: ['rolls-back', 'commits'],
    },
    {
      code: `import { Sequelize, type Transaction, type AbstractConnection } from '@sequelize/core';
        export const inTransaction = (sequelize: Sequelize, transaction: Transaction) =>
          sequelize.query('SELECT pg_advisory_xact_lock(1)', { transaction });
        export const onConnection = (sequelize: Sequelize, connection: AbstractConnection) =>
          sequelize.query('SELECT pg_advisory_lock(2)', { connection });`,
      sends: [{ over: 'transaction' }, { over: 'connection' }],
    },
    {
      code: `import { Sequelize, type AbstractQueryInterface, type QueryInterface } from '@sequelize/core';
        export const up = (queryInterface: QueryInterface) => queryInterface.sequelize.query('SELECT pg_advisory_lock(1)');
        export const down = (queryInterface: AbstractQueryInterface) => queryInterface.sequelize.query('SELECT pg_advisory_lock(2)');
        export async function run(sequelize: Sequelize) {
          const client = await sequelize.connectionManager.getConnection();
          await client.query('SELECT pg_advisory_lock(3)');
          if (process.env.KEEP) sequelize.connectionManager.releaseConnection(client);
          else await sequelize.connectionManager.destroyConnection(client);
        }`,
      sends: [{ over: 'unknown' }, { over: 'unknown' }, { over: 'connection' }],
      effects: ['gives-back', 'closes'],
    },
    {
      code: `import { Sequelize, Model, fn, literal } from '@sequelize/core';
        const sequelize = new Sequelize({});
        const Task = sequelize.define('task', {});
        class Job extends Model {}
        await Task.sequelize.query('SELECT pg_advisory_lock(1)', { plain: true });
        await Job.findAll({ attributes: [[fn('pg_try_advisory_lock', 1), 'ok'], [literal('1'), 'one']] });`,
      sends: [{ over: 'unknown', cell: 'pg_advisory_lock' }],
    },
  ],
});
