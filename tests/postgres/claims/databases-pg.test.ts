import createConnectionPool, { sql } from '@databases/pg';
import descriptor from '../../../src/drivers/databases-pg.js';
import { type LiveDriver, calling, detailsOf, inCallback, invoke } from './live-driver.js';
import { testClaims, testCoverage } from './test-claims.js';

const driver: LiveDriver = {
  descriptor,
  packages: ['@databases/pg'],
  dialect: 'postgres',
  pools: [
    {
      kind: 'pool',
      details: detailsOf(descriptor, 'default', '@databases/pg'),
      arguments: ({ host, port, user, database }) => [{ host, port, user, database, ssl: false, poolSize: 2, bigIntMode: 'number' }],
      open: calling(createConnectionPool),
      close: (pool) => invoke(pool, 'dispose'),
      statement: (text) => sql.__dangerous__rawValue(text),
      lends: { connection: inCallback('task'), transaction: inCallback('tx') },
      untried: { '*.queryStream': 'it is sent when it is iterated', '*.queryNodeStream': 'its result is not claimed' },
    },
  ],
};

testClaims(driver);
testCoverage(driver);
