import postgres from 'postgres';
import descriptor from '../../../src/drivers/postgres.js';
import { type LiveDriver, calling, detailsOf, invoke, member } from './live-driver.js';
import { testClaims, testCoverage } from './test-claims.js';

const inCallback = (pool: unknown, use: (handle: unknown) => Promise<void>): Promise<unknown> => (pool as postgres.Sql).begin(use);

const driver: LiveDriver = {
  descriptor,
  packages: ['postgres'],
  dialect: 'postgres',
  pools: [
    {
      kind: 'pool',
      details: detailsOf(descriptor, 'default'),
      arguments: ({ host, port, user, database }) => [{ host, port, user, database, max: 2, onnotice: () => undefined }],
      open: calling(postgres),
      close: (pool) => invoke(pool, 'end'),
      lends: {
        reserved: async (pool, use, giveBack = (reserved) => invoke(reserved, 'release')) => {
          const reserved = await (pool as postgres.Sql).reserve();
          try {
            await use(reserved);
          } finally {
            await giveBack(reserved);
          }
        },
        transaction: inCallback,
      },
      queries: {
        query: (sql, text) => (sql as postgres.Sql).unsafe(text),
        'value-query': (sql, text) => (sql as postgres.Sql).unsafe(text).values(),
      },
      insists: { forEach: [() => undefined] },
      untried: { '*.cursor': 'it is sent when it is iterated' },
      bind: async (pool, values) => {
        const sql = pool as postgres.Sql;
        const [key, second] = values as [postgres.ParameterOrFragment<never>, postgres.ParameterOrFragment<never>];
        const rows = values.length === 1
          ? await sql`SELECT pg_try_advisory_xact_lock(${key}) AS ok`
          : await sql`SELECT pg_try_advisory_xact_lock(${key}, ${second}) AS ok`;
        return member(rows[0], 'ok');
      },
    },
  ],
};

testClaims(driver);
testCoverage(driver);
