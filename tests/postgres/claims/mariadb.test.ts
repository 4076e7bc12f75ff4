import * as promises from 'mariadb';
import * as callbacks from 'mariadb/callback';
import { inject } from 'vitest';
import descriptor from '../../../src/drivers/mariadb.js';
import { type LiveDriver, calling, detailsOf, invoke, promised, taken } from './live-driver.js';
import { testClaims, testCoverage } from './test-claims.js';
import type { Watch } from './watch.js';

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
      },
      untried: { '*.batch': 'it inserts many rows', connection: 'it is a pool’s connection without a pool' },
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
      },
      untried: { '*.batch': 'it inserts many rows', 'callback-connection': 'it is a pool’s connection without a pool' },
    },
  ],
};

describe.skipIf(!inject('servers').mariadb)('on MariaDB', () => {
  testClaims(driver);
});
testCoverage(driver);
