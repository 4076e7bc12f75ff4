import * as promises from 'mariadb';
import * as callbacks from 'mariadb/callback';
import { inject } from 'vitest';
import descriptor from '../../../src/drivers/mariadb.js';
import { type LiveDriver, calling, detailsOf, invoke, promised, taken } from './live-driver.js';
import { testClaims, testCoverage } from './test-claims.js';
import type { Watch } from './watch.js';

/** Of connections that are no pool's. */
const own = { ...inject('servers').mariadb, user: 'root' };
const connection = ({ host, port, user, database }: Watch): Record<string, unknown> => ({ host, port, user, database });

const driver: LiveDriver = {
  descriptor,
  packages: ['mariadb'],
  dialect: 'mysql',
  pools: [
    {
      kind: 'pool',
      details: detailsOf(descriptor, 'createPool', 'mariadb'),
      arguments: (watch) => [{ ...connection(watch), connectionLimit: 2 }],
      open: calling(promises.createPool),
      close: (pool) => invoke(pool, 'end'),
      lends: {
        'pool-connection': taken(
          (pool) => invoke(pool, 'getConnection'),
          (taken) => invoke(taken, 'release'),
        ),
        connection: taken(
          () => promises.createConnection(own),
          (taken) => invoke(taken, 'end'),
        ),
      },
      untried: {
        '*.batch': 'it inserts many rows',
        'connection.give back': 'a connection of its own is ended, not given back',
        'resetsOnReleaseWhen.connection': 'it is of no pool',
      },
    },
    {
      kind: 'callback-pool',
      details: detailsOf(descriptor, 'createPool', 'mariadb/callback'),
      arguments: (watch) => [{ ...connection(watch), connectionLimit: 2 }],
      open: calling(callbacks.createPool),
      close: (pool) => promised(pool, 'end'),
      lends: {
        'callback-pool-connection': taken(
          (pool) => promised(pool, 'getConnection'),
          (taken) => promised(taken, 'release'),
        ),
        'callback-connection': taken(
          async () => {
            const opened = callbacks.createConnection(own);
            await promised(opened, 'connect');
            return opened;
          },
          (taken) => promised(taken, 'end'),
        ),
      },
      untried: {
        '*.batch': 'it inserts many rows',
        'callback-connection.give back': 'a connection of its own is ended, not given back',
        'resetsOnReleaseWhen.callback-connection': 'it is of no pool',
        '*.release with a truthy argument': 'it takes a callback',
        '*.end with a truthy argument': 'it takes a callback',
        '*.close with a truthy argument': 'it takes a callback',
      },
    },
  ],
};

describe.skipIf(!inject('servers').mariadb)('on MariaDB', () => {
  testClaims(driver);
});
testCoverage(driver);
