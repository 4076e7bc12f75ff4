import { CompiledQuery, Kysely, PostgresDialect, sql } from 'kysely';
import pg from 'pg';
import descriptor from '../../../src/drivers/kysely.js';
import { type LiveDriver, invoke, tryLockWith } from './live-driver.js';
import { testClaims, testCoverage } from './test-claims.js';

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
