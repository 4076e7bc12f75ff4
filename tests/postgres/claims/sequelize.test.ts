import { QueryTypes, Sequelize, type Transaction } from 'sequelize';
import descriptor from '../../../src/drivers/sequelize.js';
import { type LiveDriver, construct, detailsOf, inCallback, invoke, member, taken } from './live-driver.js';
import { testClaims, testCoverage } from './test-claims.js';

const driver: LiveDriver = {
  descriptor,
  packages: ['sequelize', 'pg'],
  dialect: 'postgres',
  pools: [
    {
      kind: 'sequelize',
      details: detailsOf(descriptor, 'Sequelize'),
      arguments: ({ host, port, user, database }) => [
        { dialect: 'postgres', host, port, username: user, database, logging: false, pool: { max: 2 } },
      ],
      open: construct(Sequelize),
      close: (sequelize) => invoke(sequelize, 'close'),
      lends: {
        transaction: inCallback('transaction'),
        'raw-connection': async (sequelize, use, giveBack) => {
          const manager = member(sequelize, 'connectionManager');
          return taken(
            () => invoke(manager, 'getConnection'),
            (connection) => invoke(manager, 'releaseConnection', connection),
          )(sequelize, use, giveBack);
        },
      },
      asks: {
        transaction: async (sequelize, transaction, sql) => {
          const rows = await (sequelize as Sequelize).query(sql, { transaction: transaction as Transaction, type: QueryTypes.SELECT });
          const [cell]: unknown[] = Object.values(rows[0] ?? {});
          return cell;
        },
      },
      bind: async (sequelize, values) => {
        const sql = `SELECT pg_try_advisory_xact_lock(${values.map((_, index) => `$${index + 1}`).join(', ')}) AS ok`;
        const rows = await (sequelize as Sequelize).query(sql, { bind: [...values], type: QueryTypes.SELECT });
        return member(rows[0], 'ok');
      },
      untried: {
        model: 'it builds its own statements',
        'query-interface': 'it builds its own statements',
      },
    },
  ],
};

testClaims(driver);
testCoverage(driver);
