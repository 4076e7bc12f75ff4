import { defineDriver, type Call, type Kind, type Result } from './driver.js';

/** Every way in which the known libraries hand rows back. */
const anyResult: Result = {
  shape: 'one-of',
  results: [
    { shape: 'rows', at: ['rows'] },
    { shape: 'rows', at: [] },
    { shape: 'rows', at: ['0'] },
    { shape: 'row', at: [] },
    { shape: 'row-arrays', at: ['rows'] },
    { shape: 'row-arrays', at: [] },
    { shape: 'value', at: [] },
  ],
};

const send: Call = {
  sends: {
    sql: [{ argument: 0 }, { argument: 0, property: 'text' }, { argument: 0, property: 'sql' }],
    values: [{ argument: 1 }, { argument: 0, property: 'values' }],
    result: anyResult,
  },
};

/** Knex and its like: `db.raw('…').transacting(trx)`. */
const sendWithToken: Call = { ...send, gives: { kind: 'raw', same: true } };
const token: Call = { clause: { is: 'handle', at: { argument: 0 } } };

const sendTemplate: Call = {
  sends: { sql: [{ template: true }], result: anyResult },
  fragment: { sql: [{ template: true }], as: 'sql' },
};

const transaction: Call = { callback: { argument: 'last', parameters: { 0: 'transaction' } }, resolves: 'transaction' };
const connection: Call = { callback: { argument: 'last', parameters: { 0: 'connection' } } };

const session: Kind = {
  call: send,
  tag: sendTemplate,
  methods: {
    query: send,
    execute: send,
    raw: sendWithToken,
    rawQuery: sendWithToken,
    unsafe: send,
    exec: send,
    run: send,
    any: send,
    many: send,
    manyOrNone: send,
    none: send,
    one: send,
    oneOrNone: send,
    oneFirst: send,
    maybeOne: send,
    transaction,
    begin: transaction,
    tx: transaction,
    withTransaction: transaction,
    savepoint: transaction,
    batch: { batch: { argument: 0 } },
  },
};

/**
 * A handle imported from a file that was not read, with a method that every such library has. At module level it is a
 * pool or one shared connection; what its results look like is open.
 */
export default defineDriver({
  name: 'unknown driver',
  dialect: 'either',
  modules: [],
  placeholders: ['question-mark', 'colon'],
  /** Functions that other files export under these names send their argument. */
  exports: [{ names: ['query', 'execute', 'exec', 'runQuery', 'executeQuery', 'queryRaw', 'executeRaw', 'sql'], call: send }],
  kinds: {
    session,
    pool: {
      role: 'pool',
      extends: 'session',
      methods: {
        connect: { resolves: 'connection', callback: { argument: 'last', parameters: { 1: 'connection' } } },
        getConnection: { resolves: 'connection', callback: { argument: 'last', parameters: { 1: 'connection' } } },
        reserve: { resolves: 'connection' },
        acquire: { resolves: 'connection' },
        releaseConnection: { effect: { does: 'gives-back', of: { argument: 0 } } },
        task: connection,
        withConnection: connection,
        end: { effect: { does: 'closes' } },
      },
    },
    connection: {
      role: 'connection',
      extends: 'session',
      methods: {
        beginTransaction: { effect: { does: 'begins' } },
        startTransaction: { effect: { does: 'begins' } },
        commit: { effect: { does: 'commits' } },
        commitTransaction: { effect: { does: 'commits' } },
        rollback: { effect: { does: 'rolls-back' } },
        rollbackTransaction: { effect: { does: 'rolls-back' } },
        release: { effect: { does: 'gives-back', destroysWhen: 'truthy-argument' } },
        end: { effect: { does: 'closes' } },
        destroy: { effect: { does: 'closes' } },
      },
    },
    transaction: {
      role: 'transaction',
      extends: 'session',
      methods: { commit: { effect: { does: 'commits' } }, rollback: { effect: { does: 'rolls-back' } } },
    },
    raw: { fluent: true, methods: { transacting: token, connection: token, useTransaction: token } },
  },
  examples: [
    {
      code: `import { db } from './db';
        await db.query('SELECT pg_advisory_lock(1)');`,
      sends: [{ over: 'pool' }],
    },
    {
      code: `import { query, sql } from './db';
        await query('SELECT pg_advisory_lock($1)', [1]);
        await sql\`SELECT pg_advisory_unlock(\${1})\`;`,
      sends: [{ over: 'pool' }, { over: 'pool' }],
    },
    {
      code: `export async function run(client) {
          await client.query('SELECT pg_advisory_lock(1)');
        }`,
      sends: [{ over: 'unknown' }],
    },
    {
      code: `export async function run(pool) {
          const c = await pool.getConnection();
          await c.beginTransaction();
          await c.query('SELECT pg_advisory_xact_lock(1)');
          await c.commit();
          c.release();
        }`,
      sends: [{ over: 'connection' }],
      effects: ['begins', 'commits', 'gives-back'],
    },
  ],
});
