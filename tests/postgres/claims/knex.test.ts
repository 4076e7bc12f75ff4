import knex, { type Knex } from 'knex';
import { inject } from 'vitest';
import descriptor from '../../../src/drivers/knex.js';
import { type LiveDriver, type LivePool, calling, detailsOf, inCallback, invoke, member, taken, tryLockWith } from './live-driver.js';
import { testClaims, testCoverage } from './test-claims.js';

const bind: NonNullable<LivePool['bind']> = async (db, values) => {
  const { rows } = await (db as Knex).raw<{ rows: { ok: unknown }[] }>(tryLockWith(values.map(() => '?')), [...values] as Knex.RawBinding[]);
  return rows[0]?.ok;
};

const pool: LivePool = {
  kind: 'knex',
  details: detailsOf(descriptor, 'knex'),
  arguments: ({ host, port, user, database }) => [
    { client: 'pg', connection: { host, port, user, database }, pool: { min: 0, max: 2 }, acquireConnectionTimeout: 5_000 },
  ],
  open: calling(knex),
  close: (db) => invoke(db, 'destroy'),
  lends: {
    transaction: inCallback('transaction'),
    'raw-connection': async (db, use, giveBack) => {
      const client = member(db, 'client');
      return taken(
        () => invoke(client, 'acquireConnection'),
        (connection) => invoke(client, 'releaseConnection', connection),
      )(db, use, giveBack);
    },
  },
  queries: {
    raw: (db, text) => (db as Knex).raw(text),
    builder: (db, text) => (db as Knex).select((db as Knex).raw(text.replace(/^SELECT /, ''))),
    'row-builder': (db, text) => (db as Knex).first((db as Knex).raw(text.replace(/^SELECT /, ''))),
  },
  untried: {
    'transaction.destroy': 'it is the pool’s',
    '*.stream': 'it needs another package',
    '*.asCallback': 'its result is not claimed',
    strapi: 'it is an application framework',
    'strapi-transaction': 'it is an application framework',
    'value-builder': 'it plucks a column of a table',
  },
};

const driver: LiveDriver = { descriptor, packages: ['knex', 'pg'], dialect: 'postgres', pools: [{ ...pool, bind }] };

testClaims(driver);
describe.skipIf(!inject('servers').mariadb)('on MariaDB', () => {
  testClaims({
    descriptor,
    packages: ['knex', 'mysql2'],
    dialect: 'mysql',
    pools: [
      {
        ...pool,
        arguments: ({ host, port, user, database }) => [{ client: 'mysql2', connection: { host, port, user, database }, pool: { min: 0, max: 2 } }],
        untried: { ...pool.untried, 'raw-connection': 'its methods are described for PostgreSQL' },
      },
    ],
  });
});
testCoverage(driver);
