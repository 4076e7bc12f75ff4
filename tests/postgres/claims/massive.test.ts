import massive from 'massive';
import descriptor from '../../../src/drivers/massive.js';
import { type LiveDriver, calling, detailsOf, inCallback, invoke, member } from './live-driver.js';
import { testClaims, testCoverage } from './test-claims.js';

const driver: LiveDriver = {
  descriptor,
  packages: ['massive', 'pg-promise'],
  dialect: 'postgres',
  pools: [
    {
      kind: 'database',
      details: detailsOf(descriptor, 'default'),
      arguments: ({ host, port, user, database }) => [{ host, port, user, database, poolSize: 2 }, {}, { noWarnings: true }],
      open: calling(massive),
      close: (db) => invoke(member(member(db, 'instance'), '$pool'), 'end'),
      lends: {
        connection: inCallback('withConnection'),
        transaction: inCallback('withTransaction'),
        instance: (db, use) => use(member(db, 'instance')),
      },
    },
  ],
};

testClaims(driver);
testCoverage(driver);
