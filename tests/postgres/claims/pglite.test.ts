import { PGlite } from '@electric-sql/pglite';
import descriptor from '../../../src/drivers/pglite.js';
import { type LiveDriver, inCallback, invoke } from './live-driver.js';
import { testCoverage } from './test-claims.js';
import { createBench } from './bench.js';
import { testWay } from './way-claims.js';
import type { Watch } from './watch.js';

/** PGlite is a server of its own in this process, with one session: nobody can watch it from outside. */
let database: PGlite | undefined;
const cell = async (sql: string): Promise<number> => {
  const { rows } = (await database?.query<{ cell: number }>(sql)) ?? { rows: [] };
  return rows[0]?.cell ?? 0;
};
const nobody = (): Promise<never> => Promise.reject(new Error('There is one session only.'));

const watch: Watch = {
  dialect: 'postgres',
  host: '',
  port: 0,
  user: '',
  database: '',
  statements: {
    yes: 'SELECT pg_try_advisory_xact_lock(1) AS ok',
    no: 'SELECT pg_advisory_unlock(2) AS ok',
    backend: 'SELECT pg_backend_pid() AS backend',
    count: "SELECT nextval('sent') AS number",
    transaction: 'SELECT pg_current_xact_id()::text AS id',
    lockTimeout: "SELECT current_setting('lock_timeout') AS timeout",
    lock: (key) => `SELECT pg_advisory_lock(${key}) AS locked`,
  },
  keys: { free: 1, taken: 2 },
  holders: nobody,
  waiters: nobody,
  hold: nobody,
  free: nobody,
  sent: () => cell('SELECT CASE WHEN is_called THEN last_value ELSE 0 END::int AS cell FROM sent'),
};

const driver: LiveDriver = {
  descriptor,
  packages: ['@electric-sql/pglite'],
  dialect: 'postgres',
  pools: [
    {
      kind: 'database',
      arguments: () => [],
      open: async () => {
        database = await PGlite.create();
        await database.exec('CREATE SEQUENCE sent');
        return database;
      },
      close: (opened) => invoke(opened, 'close'),
      lends: { transaction: inCallback('transaction') },
    },
  ],
};

describe('database', () => {
  const bench = createBench(driver, driver.pools[0], watch);
  for (const way of bench.ways('database')) testWay(bench, 'database', way);

  bench.claim('database is one session that all callers share, locks included', () =>
    bench.withHandle('database', async (handle) => {
      const asked = await Promise.all([1, 2, 3].map(() => bench.ask('database', handle, watch.statements.yes.replace('_xact', ''))));
      expect(asked).toEqual([true, true, true]);
    }),
  );

  bench.claim('transaction keeps a session lock when it ends', () =>
    bench.withHandle('database', async (handle) => {
      await bench.lend(handle, 'transaction', async (transaction) => {
        await bench.ask('transaction', transaction, watch.statements.lock(3));
      });
      expect(await cell("SELECT count(*)::int AS cell FROM pg_locks WHERE locktype = 'advisory' AND objid = 3")).toBe(1);
    }),
  );
});

testCoverage(driver);
