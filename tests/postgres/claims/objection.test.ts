import knex, { type Knex } from 'knex';
import { Model, type QueryBuilder, raw } from 'objection';
import descriptor from '../../../src/drivers/objection.js';
import { type LiveDriver, inCallback } from './live-driver.js';
import { testClaims, testCoverage } from './test-claims.js';

const expressionOf = (sql: string): string => sql.replace(/^SELECT /, '');
const queryOf = (model: unknown): QueryBuilder<Model> => (model as typeof Model).query();

const driver: LiveDriver = {
  descriptor,
  packages: ['objection', 'knex', 'pg'],
  dialect: 'postgres',
  pools: [
    {
      kind: 'model',
      arguments: ({ host, port, user, database }) => [{ client: 'pg', connection: { host, port, user, database }, pool: { min: 0, max: 2 } }],
      open: async (settings) => {
        const db = knex(settings as Knex.Config);
        await db.raw('CREATE TABLE IF NOT EXISTS jobs (id int)');
        await db.raw('DELETE FROM jobs');
        await db.raw('INSERT INTO jobs VALUES (1)');
        class Job extends Model {
          static override readonly tableName = 'jobs';
        }
        return Job.bindKnex(db);
      },
      close: (model) => (model as typeof Model).knex().destroy(),
      lends: { transaction: inCallback('transaction') },
      queries: {
        builder: (model, sql) => queryOf(model).select(raw(expressionOf(sql))),
        'row-builder': (model, sql) => queryOf(model).select(raw(expressionOf(sql))).first(),
      },
      untried: {
        knex: 'it is tried as Knex',
        'raw-connection': 'it is tried as Knex',
        'bound-model': 'it is a model in a transaction',
        '*.transaction': 'it is tried as Knex',
        '*.stream': 'it needs another package',
        '*.asCallback': 'Objection has it no more',
        'transaction.destroy': 'it is the pool’s',
      },
    },
  ],
};

testClaims(driver);
testCoverage(driver);
