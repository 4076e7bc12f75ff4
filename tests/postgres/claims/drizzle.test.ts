import { sql } from 'drizzle-orm';
import { drizzle as overMysql } from 'drizzle-orm/mysql2';
import { drizzle as overPg } from 'drizzle-orm/node-postgres';
import { drizzle as overPostgres } from 'drizzle-orm/postgres-js';
import { inject } from 'vitest';
import descriptor from '../../../src/drivers/drizzle.js';
import { type LiveDriver, type LivePool, calling, detailsOf, inCallback, invoke, member } from './live-driver.js';
import { testClaims, testCoverage } from './test-claims.js';

const common: Omit<LivePool, 'kind' | 'open'> = {
  arguments: ({ host, port, user, database }) => [{ connection: { host, port, user, database, max: 2, onnotice: () => undefined } }],
  close: (db) => invoke(member(db, '$client'), 'end'),
  statement: (text) => sql.raw(text),
  untried: {
    pool: 'it is pg’s',
    client: 'it is pg’s',
    'pool-client': 'it is pg’s',
    'http-database': 'it speaks to a service',
    'any-database': 'it stands for the others',
    'any-transaction': 'it stands for the others',
    'single-database': 'PGlite is tried by itself',
  },
};

const onPostgres: LiveDriver = {
  descriptor,
  packages: ['drizzle-orm', 'pg', 'postgres'],
  dialect: 'postgres',
  pools: [
    {
      ...common,
      kind: 'database',
      details: detailsOf(descriptor, 'drizzle', 'drizzle-orm/node-postgres'),
      open: calling(overPg),
      lends: { transaction: inCallback('transaction') },
      untried: { ...common.untried, 'singleWhen.connection.connectionLimit': 'it is MySQL’s' },
      queries: { 'select-builder': (db, text) => (db as ReturnType<typeof overPg>).select({ ok: sql.raw(text.replace(/^SELECT (.*) AS \w+$/s, '$1')) }).from(sql.raw('(SELECT 1) AS one')) },
      bind: async (db, values) => {
        const { rows } = await (db as ReturnType<typeof overPg>).execute(sql`SELECT pg_try_advisory_xact_lock(${sql.join(values.map((value) => sql`${value}`), sql`, `)}) AS ok`);
        return member(rows[0], 'ok');
      },
    },
    {
      ...common,
      kind: 'array-database',
      details: detailsOf(descriptor, 'drizzle', 'drizzle-orm/postgres-js'),
      open: calling(overPostgres),
      lends: { 'array-transaction': inCallback('transaction') },
      untried: { ...common.untried, 'singleWhen.connection.connectionLimit': 'it is MySQL’s' },
    },
  ],
};

const onMariadb: LiveDriver = {
  descriptor,
  packages: ['drizzle-orm', 'mysql2'],
  dialect: 'mysql',
  pools: [
    {
      ...common,
      kind: 'mysql-database',
      details: detailsOf(descriptor, 'drizzle', 'drizzle-orm/mysql2'),
      arguments: ({ host, port, user, database }) => [{ connection: { host, port, user, database, connectionLimit: 2 } }],
      open: calling(overMysql),
      lends: { 'mysql-transaction': inCallback('transaction') },
      untried: { ...common.untried, 'singleWhen.connection.max': 'it is PostgreSQL’s' },
    },
  ],
};

testClaims(onPostgres);
describe.skipIf(!inject('servers').mariadb)('on MariaDB', () => {
  testClaims(onMariadb);
});
testCoverage({ ...onPostgres, pools: [...onPostgres.pools, ...onMariadb.pools] });
