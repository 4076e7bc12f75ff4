import pg from 'pg';
import descriptor from '../../../src/drivers/pg.js';
import { type LiveDriver, attempt, construct, detailsOf, invoke } from './live-driver.js';
import { testClaims, testCoverage } from './test-claims.js';

const driver: LiveDriver = {
  descriptor,
  packages: ['pg', 'pg-pool'],
  dialect: 'postgres',
  pools: [
    {
      kind: 'pool',
      details: detailsOf(descriptor, 'Pool', 'pg'),
      arguments: ({ host, port, user, database }) => [{ host, port, user, database, max: 2 }],
      open: construct(pg.Pool),
      close: (pool) => invoke(pool, 'end'),
      lends: {
        'pool-client': async (pool, use, giveBack) => {
          const client = await (pool as pg.Pool).connect();
          client.on('error', () => undefined);
          try {
            await use(client);
            await giveBack?.(client);
          } finally {
            // Refused when it has been given back.
            if (giveBack) attempt(() => client.release(true));
            else client.release();
          }
        },
        client: async (pool, use, giveBack = (client) => invoke(client, 'end')) => {
          const client = new pg.Client((pool as pg.Pool).options);
          client.on('error', () => undefined);
          await client.connect();
          try {
            await use(client);
          } finally {
            await giveBack(client);
          }
        },
      },
      bind: async (pool, values) => {
        const sql = `SELECT pg_try_advisory_xact_lock(${values.map((_, index) => `$${index + 1}`).join(', ')}) AS ok`;
        const { rows } = await (pool as pg.Pool).query<{ ok: unknown }>(sql, [...values]);
        return rows[0]?.ok;
      },
      untried: {
        'client.give back': 'a client of its own is ended, not given back',
        'native-client': 'pg-native is compiled against libpq',
      },
    },
  ],
};

testClaims(driver);
testCoverage(driver);
