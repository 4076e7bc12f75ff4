import mysql from 'mysql';
import { inject } from 'vitest';
import descriptor from '../../../src/drivers/mysql.js';
import { type LiveDriver, calling, detailsOf, invoke, promised, taken } from './live-driver.js';
import { testClaims, testCoverage } from './test-claims.js';

/** Of connections that are no pool's. */
const own = { ...inject('servers').mariadb, user: 'root' };

const driver: LiveDriver = {
  descriptor,
  packages: ['mysql'],
  dialect: 'mysql',
  pools: [
    {
      kind: 'pool',
      details: detailsOf(descriptor, 'createPool'),
      arguments: ({ host, port, user, database }) => [{ host, port, user, database, connectionLimit: 2 }],
      open: calling(mysql.createPool),
      close: (pool) => promised(pool, 'end'),
      lends: {
        'pool-connection': taken(
          (pool) => promised(pool, 'getConnection'),
          (connection) => invoke(connection, 'release'),
        ),
        connection: taken(
          () => mysql.createConnection(own),
          (connection) => promised(connection, 'end'),
        ),
      },
      untried: {
        'connection.give back': 'a connection of its own is ended, not given back',
        'resetsOnReleaseWhen.connection': 'it is of no pool',
      },
    },
  ],
};

describe.skipIf(!inject('servers').mariadb)('on MariaDB', () => {
  testClaims(driver);
});
testCoverage(driver);
