import pgPromise from 'pg-promise';
import descriptor from '../../../src/drivers/pg-promise.js';
import { type LiveDriver, calling, inCallback, invoke, member, taken } from './live-driver.js';
import { testClaims, testCoverage } from './test-claims.js';

const initialized = pgPromise({ noWarnings: true });
const details = descriptor.kinds['initialized']?.call?.gives;

const driver: LiveDriver = {
  descriptor,
  packages: ['pg-promise', 'pg'],
  dialect: 'postgres',
  pools: [
    {
      kind: 'database',
      details: typeof details === 'object' ? details : undefined,
      arguments: ({ host, port, user, database }) => [{ host, port, user, database, max: 2 }],
      open: calling(initialized),
      close: (db) => invoke(member(db, '$pool'), 'end'),
      lends: {
        task: inCallback('task'),
        transaction: inCallback('tx'),
        connected: taken(
          (db) => invoke(db, 'connect'),
          (connected) => invoke(connected, 'done'),
        ),
      },
      insists: { each: [[], () => undefined], map: [[], () => undefined] },
      untried: { '*.stream': 'it needs another package' },
    },
  ],
};

testClaims(driver);
testCoverage(driver);
