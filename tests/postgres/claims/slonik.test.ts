import { createPool, sql, type DatabasePool } from 'slonik';
import descriptor from '../../../src/drivers/slonik.js';
import { asTemplate } from './calls.js';
import { type LiveDriver, calling, detailsOf, inCallback, invoke } from './live-driver.js';
import { testClaims, testCoverage } from './test-claims.js';

const driver: LiveDriver = {
  descriptor,
  packages: ['slonik'],
  dialect: 'postgres',
  pools: [
    {
      kind: 'pool',
      details: detailsOf(descriptor, 'createPool'),
      arguments: ({ host, port, user, database }) => [`postgres://${user}@${host}:${port}/${database}`, { maximumPoolSize: 2 }],
      open: calling(createPool),
      close: (pool) => invoke(pool, 'end'),
      statement: (text) => sql.unsafe(asTemplate(text)),
      lends: { connection: inCallback('connect'), transaction: inCallback('transaction') },
      bind: async (pool, values) => {
        // Whatever it is: what slonik makes of it is the question.
        const [key, second] = values as [number, number];
        const statement = values.length === 1 ? sql.unsafe`SELECT pg_try_advisory_xact_lock(${key}) AS ok` : sql.unsafe`SELECT pg_try_advisory_xact_lock(${key}, ${second}) AS ok`;
        const cell: unknown = await (pool as DatabasePool).oneFirst(statement);
        return cell;
      },
      untried: {
        'transaction.the outer handle': 'slonik refuses it inside',
        '*.exists': 'PostgreSQL leaves the select list inside EXISTS alone, so nothing is locked or counted', '*.stream': 'it takes a handler', '*.record': 'its result is not claimed' },
    },
  ],
};

testClaims(driver);
testCoverage(driver);
