import { defineDriver } from './driver.js';
import type { Call, Kind, Result } from './driver.js';

const send = (result: Result): Call => ({ sends: { sql: [{ argument: 0 }], result } });
const rows: Result = { shape: 'rows', at: [] };
const row: Result = { shape: 'row', at: [] };
const value: Result = { shape: 'value', at: [] };
const firstOfArray: Result = { shape: 'value', at: ['0'] };

const text: Call = { fragment: { sql: [{ template: true }], as: 'sql' } };
const list: Call = { fragment: { sql: [{ argument: 0 }], as: 'list' } };
const literal: Call = { fragment: { sql: [{ argument: 0 }], as: 'value' } };

const session: Kind = {
  methods: {
    query: send({ shape: 'rows', at: ['rows'] }),
    any: send(rows),
    many: send(rows),
    one: send(row),
    maybeOne: send(row),
    oneFirst: send(value),
    maybeOneFirst: send(value),
    anyFirst: send(firstOfArray),
    manyFirst: send(firstOfArray),
    exists: send({ shape: 'any-row' }),
    record: send({ shape: 'unknown' }),
    stream: send({ shape: 'unknown' }),
    transaction: { callback: { argument: 0, parameters: { 0: 'transaction' } } },
  },
};

export default defineDriver({
  name: 'slonik',
  dialect: 'postgres',
  modules: ['slonik', '@slonik/sql-tag'],
  /** DISCARD ALL, which frees session locks; a callback that throws ends the connection. */
  resetsOnRelease: true,
  binding: { undefined: 'throws', null: 'null' },
  exports: [
    { names: ['DatabaseTransactionConnection'], type: 'transaction' },
    { names: ['DatabasePoolConnection'], type: 'connection' },
    { names: ['DatabasePool'], type: 'pool' },
    { names: ['CommonQueryMethods', 'DatabaseConnection'], type: { kind: 'session', ambiguous: true } },
    {
      names: ['createPool'],
      call: {
        resolves: {
          kind: 'pool',
          singleWhen: [{ at: { argument: 1, property: 'maximumPoolSize' }, equals: 1 }],
          renamesColumnsWhen: [{ at: { argument: 1, property: 'interceptors' }, present: true }],
          url: [{ argument: 0 }],
        },
      },
    },
    { names: ['sql'], is: 'sql' },
    { names: ['createSqlTag'], call: { gives: 'sql' } },
  ],
  kinds: {
    session,
    pool: {
      role: 'pool',
      extends: 'session',
      methods: {
        connect: { callback: { argument: 0, parameters: { 0: 'connection' } } },
        end: { effect: { does: 'closes' } },
      },
    },
    connection: { role: 'connection', extends: 'session' },
    transaction: { role: 'transaction', extends: 'session' },
    sql: {
      tag: text,
      methods: {
        unsafe: text,
        fragment: text,
        type: { gives: 'typed-tag' },
        typeAlias: { gives: 'typed-tag' },
        join: list,
        unnest: list,
        array: list,
        identifier: { fragment: { sql: [{ argument: 0 }], as: 'identifier' } },
        literalValue: literal,
        json: literal,
      },
    },
    'typed-tag': { tag: text },
  },
  examples: [
    {
      code: `import { createPool, sql } from 'slonik';
        import { z } from 'zod';
        const pool = await createPool(process.env.DATABASE_URL);
        await pool.query(sql.unsafe\`SELECT pg_try_advisory_lock(\${1}) AS ok\`);
        await pool.any(sql.type(z.object({}))\`SELECT pg_try_advisory_lock(2) AS ok\`);
        await pool.many(sql.typeAlias('ok')\`SELECT pg_try_advisory_lock(3) AS ok\`);
        await pool.one(sql.fragment\`SELECT pg_try_advisory_lock(4) AS ok\`);
        await pool.maybeOne(sql.unsafe\`SELECT pg_try_advisory_lock(5) AS ok\`);
        await pool.oneFirst(sql.unsafe\`SELECT pg_try_advisory_lock(6) AS ok\`);
        await pool.maybeOneFirst(sql.unsafe\`SELECT pg_try_advisory_lock(7) AS ok\`);
        await pool.anyFirst(sql.unsafe\`SELECT pg_try_advisory_lock(8) AS ok\`);
        await pool.manyFirst(sql.unsafe\`SELECT pg_try_advisory_lock(9) AS ok\`);
        await pool.exists(sql.unsafe\`SELECT pg_advisory_unlock(10)\`);
        await pool.record(sql.unsafe\`SELECT pg_advisory_unlock(11)\`);
        await pool.stream(sql.unsafe\`SELECT pg_try_advisory_lock(id) FROM jobs\`, () => {});
        await pool.end();`,
      sends: [
        { over: 'pool', cell: 'rows[0].ok' },
        { over: 'pool', cell: '[0].ok' },
        { over: 'pool', cell: '[0].ok' },
        { over: 'pool', cell: 'ok' },
        { over: 'pool', cell: 'ok' },
        { over: 'pool' },
        { over: 'pool' },
        { over: 'pool', cell: '[0]' },
        { over: 'pool', cell: '[0]' },
        { over: 'pool' },
        { over: 'pool' },
        { over: 'pool' },
      ],
      effects: ['closes'],
    },
    {
      code: `import { createPool, createSqlTag } from 'slonik';
        const sql = createSqlTag();
        const pool = await createPool(process.env.DATABASE_URL, { maximumPoolSize: 1 });
        await pool.query(sql.unsafe\`SELECT pg_try_advisory_lock(id) FROM jobs WHERE id IN (\${sql.join([1, 2], sql.fragment\`, \`)}) AND kind = \${sql.literalValue('a')}\`);
        await pool.query(sql.unsafe\`SELECT pg_try_advisory_lock(id) FROM \${sql.identifier(['jobs'])} WHERE data = \${sql.json({})}\`);
        await pool.query(sql.unsafe\`SELECT pg_try_advisory_lock(id) FROM \${sql.unnest([[1]], ['int8'])} AS t (id)\`);
        await pool.query(sql.unsafe\`SELECT pg_try_advisory_lock(id) FROM jobs WHERE id = ANY(\${sql.array([1], 'int8')})\`);`,
      sends: [{ over: 'single' }, { over: 'single' }, { over: 'single' }, { over: 'single' }],
    },
    {
      code: `import { createPool } from 'slonik';
        import { sql } from '@slonik/sql-tag';
        const pool = await createPool(process.env.DATABASE_URL);
        await pool.connect(async (connection) => {
          await connection.query(sql.unsafe\`SELECT pg_advisory_lock(1)\`);
          await connection.transaction(async (transaction) => {
            await transaction.query(sql\`SELECT pg_advisory_xact_lock(2)\`);
            await transaction.transaction(async (nested) => { await nested.query(sql.unsafe\`SELECT pg_advisory_xact_lock(3)\`); });
          });
        });
        await pool.transaction(async (transaction) => { await transaction.query(sql.unsafe\`SELECT pg_advisory_xact_lock(4)\`); });`,
      sends: [{ over: 'connection' }, { over: 'transaction' }, { over: 'transaction' }, { over: 'transaction' }],
    },
    {
      code: `import { sql, type CommonQueryMethods, type DatabaseConnection, type DatabasePool, type DatabasePoolConnection, type DatabaseTransactionConnection } from 'slonik';
        export const a = (pool: DatabasePool) => pool.query(sql.unsafe\`SELECT pg_advisory_lock(1)\`);
        export const b = (connection: DatabasePoolConnection) => connection.query(sql.unsafe\`SELECT pg_advisory_lock(2)\`);
        export const c = (transaction: DatabaseTransactionConnection) => transaction.query(sql.unsafe\`SELECT pg_advisory_xact_lock(3)\`);
        export const d = (methods: CommonQueryMethods) => methods.query(sql.unsafe\`SELECT pg_advisory_lock(4)\`);
        export const e = (connection: DatabaseConnection) => connection.query(sql.unsafe\`SELECT pg_advisory_lock(5)\`);`,
      sends: [{ over: 'pool' }, { over: 'connection' }, { over: 'transaction' }, { over: 'unknown' }, { over: 'unknown' }],
    },
  ],
});
