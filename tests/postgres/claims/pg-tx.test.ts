import pg from 'pg';
import tx from 'pg-tx';
import pgDescriptor from '../../../src/drivers/pg.js';
import descriptor from '../../../src/drivers/pg-tx.js';
import { type LiveDriver, calling, construct, invoke, resolvedKind } from './live-driver.js';
import { testClaims } from './test-claims.js';

const driver: LiveDriver = {
  // pg-tx has no pool of its own: it is given pg's.
  descriptor: { ...descriptor, kinds: { ...descriptor.kinds, pool: resolvedKind(pgDescriptor, 'pool') } },
  packages: ['pg-tx', 'pg'],
  dialect: 'postgres',
  pools: [
    {
      kind: 'pool',
      arguments: ({ host, port, user, database }) => [{ host, port, user, database, max: 2 }],
      open: construct(pg.Pool),
      close: (pool) => invoke(pool, 'end'),
      lends: { transaction: (pool, use) => Promise.resolve(calling(tx)(pool, use)) },
    },
  ],
};

testClaims(driver);
