import { CompiledQuery, Kysely, PostgresDialect, sql } from 'kysely';
import pg from 'pg';
import descriptor from '../../../src/drivers/kysely.js';
import { type LiveDriver, invoke, tryLockWith } from './live-driver.js';
import { until } from '../own-database.js';
import { testClaims, testCoverage } from './test-claims.js';
import { usePostgresWatch } from './watch.js';

type Database = Kysely<Record<string, never>>;

const driver: LiveDriver = {
  descriptor,
  packages: ['kysely', 'pg'],
  dialect: 'postgres',
  pools: [
    {
      kind: 'kysely',
      arguments: ({ host, port, user, database }) => [{ host, port, user, database, max: 2 }],
      open: (settings) => new Kysely({ dialect: new PostgresDialect({ pool: new pg.Pool(settings as pg.PoolConfig) }) }),
      close: (db) => invoke(db, 'destroy'),
      statement: (text) => CompiledQuery.raw(text),
      lends: {
        connection: (db, use) => (db as Database).connection().execute(use),
        transaction: (db, use) => (db as Database).transaction().execute(use),
      },
      queries: {
        'raw-builder': (_, text) => sql.raw(text),
        builder: (db, text) => {
          const [, expression = '', alias = ''] = /^SELECT (.*) AS (\w+)$/s.exec(text) ?? [];
          return (db as Database).selectNoFrom(sql.raw(expression).as(alias));
        },
      },
      bind: async (db, values) => {
        const { rows } = await (db as Database).executeQuery<{ ok: unknown }>(
          CompiledQuery.raw(tryLockWith(values.map((_, index) => `$${index + 1}`)), [...values]),
        );
        return rows[0]?.ok;
      },
      untried: {
        dialect: 'it sends nothing by itself',
        '*.destroy': 'a connection’s own is the pool’s',
        'connection.dispose': 'a connection’s own is the pool’s',
        'transaction.dispose': 'it is refused',
        '*.stream': 'it needs another package',
        'kysely.give back': 'it is the pool',
      },
    },
  ],
};

testClaims(driver);
testCoverage(driver);

describe('an abort in flight', () => {
  const watch = usePostgresWatch();
  const { safeWhen = [] } = descriptor.kinds['raw-builder']?.methods?.['execute']?.sends?.signal ?? {};

  it.each(safeWhen.map(({ equals }) => String(equals)))('with the strategy %s leaves no statement that takes the lock later', async (strategy) => {
    const { host, port, user, database } = watch;
    const pool = new pg.Pool({ host, port, user, database, max: 2 });
    // A killed session is reported here as well.
    pool.on('error', () => undefined);
    pool.on('connect', (client) => client.on('error', () => undefined));
    const db = new Kysely<Record<string, never>>({ dialect: new PostgresDialect({ pool, controlClient: pg.Client }) });
    const key = 1;
    await watch.hold(key);
    const abort = new AbortController();
    const waiting = sql
      .raw(watch.statements.lock(key))
      .execute(db, { signal: abort.signal, inflightQueryAbortStrategy: strategy as 'cancel query' | 'kill session' });
    await until('the statement waited', async () => (await watch.waiters(key)).length === 1);
    abort.abort();
    await expect(waiting, `src/drivers/kysely.ts says that ${strategy} stops the server`).rejects.toThrow();
    await until('nobody waited any more', async () => (await watch.waiters(key)).length === 0);
    await watch.free(key);
    expect(await watch.holders(key)).toEqual([]);
    await db.destroy();
  });
});
