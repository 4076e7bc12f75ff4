import * as callbacks from 'mysql2';
import * as promises from 'mysql2/promise';
import { inject } from 'vitest';
import descriptor from '../../../src/drivers/mysql2.js';
import { type LiveDriver, calling, detailsOf, invoke, promised, taken } from './live-driver.js';
import { testClaims, testCoverage } from './test-claims.js';
import type { Watch } from './watch.js';

const settings = ({ host, port, user, database }: Watch): unknown[] => [{ host, port, user, database, connectionLimit: 2 }];

/** Of connections that are no pool's. */
const own = { ...inject('servers').mariadb, user: 'root' };

const driver: LiveDriver = {
  descriptor,
  packages: ['mysql2'],
  dialect: 'mysql',
  pools: [
    {
      kind: 'promise-pool',
      details: detailsOf(descriptor, 'createPool', 'mysql2/promise'),
      arguments: settings,
      open: calling(promises.createPool),
      close: (pool) => invoke(pool, 'end'),
      lends: {
        'promise-pool-connection': taken(
          (pool) => invoke(pool, 'getConnection'),
          (connection) => invoke(connection, 'release'),
        ),
        'promise-connection': taken(
          () => promises.createConnection(own),
          (connection) => invoke(connection, 'end'),
        ),
      },
      untried: {
        'promise-connection.give back': 'a connection of its own is ended, not given back',
        'resetsOnReleaseWhen.promise-connection': 'it is of no pool',
      },
    },
    {
      kind: 'pool',
      details: detailsOf(descriptor, 'createPool', 'mysql2'),
      arguments: settings,
      open: calling(callbacks.createPool),
      close: (pool) => promised(pool, 'end'),
      lends: {
        'pool-connection': taken(
          (pool) => promised(pool, 'getConnection'),
          (connection) => invoke(connection, 'release'),
        ),
        connection: taken(
          () => callbacks.createConnection(own),
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
