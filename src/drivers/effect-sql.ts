import { defineDriver } from './driver.js';
import type { Call, GiveDetails, Kind, Result } from './driver.js';

const rows: Result = { shape: 'rows', at: [] };
const rowArrays: Result = { shape: 'row-arrays', at: [] };
const unknown: Result = { shape: 'unknown' };

const collected = { sql: [{ receiver: true }], lazy: 'resent' } as const;
const text = { sql: [{ argument: 0 }], values: [{ argument: 1 }], lazy: 'resent' } as const;
const effect = (result: Result): Call => ({ sends: { ...text, result } });

/** A package's index exports each file as a namespace: `SqlClient.SqlClient`. */
const packages = ['@effect/sql', '@effect/sql-pg', 'effect/sql', 'effect/unstable/sql'] as const;
const files = ['@effect/sql/*', '@effect/sql-pg/*', 'effect/sql/*', 'effect/unstable/sql/*'] as const;

const clientOptions: GiveDetails = {
  kind: 'client',
  url: [
    { argument: 0, property: 'url' },
    { argument: 0, property: 'host' },
  ],
};

/** Also what `Effect` runs when the statement is yielded with a transaction in its context. */
const session: Kind = {
  tag: {
    sends: { sql: [{ template: true }], result: rows, lazy: 'resent' },
    fragment: { sql: [{ template: true }], as: 'sql' },
    gives: { kind: 'statement', same: true },
  },
  call: { fragment: { sql: [{ argument: 0 }], as: 'identifier' } },
  methods: {
    unsafe: { ...effect(rows), fragment: { sql: text.sql, values: text.values, as: 'sql' }, gives: { kind: 'statement', same: true } },
    literal: { fragment: { sql: [{ argument: 0 }], as: 'sql' } },
    in: { fragment: { sql: [{ argument: 0 }], as: 'list' } },
    withoutTransforms: { gives: { kind: 'client', same: true } },
  },
};

export default defineDriver({
  name: 'effect-sql',
  dialect: 'either',
  modules: [...packages, ...files],
  exports: [
    { names: ['SqlClient.SqlClient', 'PgClient.PgClient'], modules: packages, is: 'service', type: 'client' },
    { names: ['SqlClient', 'PgClient'], modules: files, is: 'service', type: 'client' },
    { names: ['PgClient.make'], modules: packages, call: { gives: 'acquirer' } },
    { names: ['make'], modules: files, call: { gives: 'acquirer' } },
    { names: ['PgClient.makeClient'], modules: packages, call: { gives: 'single-acquirer' } },
    { names: ['makeClient'], modules: files, call: { gives: 'single-acquirer' } },
    { names: ['SqlConnection.Connection'], modules: packages, type: 'connection' },
    { names: ['Connection'], modules: files, type: 'connection' },
  ],
  kinds: {
    session,
    service: { resolves: 'client' },
    acquirer: { resolves: clientOptions },
    'single-acquirer': { resolves: 'single-client' },
    /** The Effect context decides whether a transaction is open: `sql.withTransaction(effect)`. */
    client: {
      role: 'pool',
      joinsUnseen: true,
      extends: 'session',
      properties: { reserve: 'reservation' },
    },
    'single-client': { role: 'single', extends: 'session' },
    reservation: { resolves: { kind: 'connection', owned: false } },
    statement: {
      properties: {
        values: { kind: 'value-statement', same: true },
        raw: { kind: 'unknown-statement', same: true },
        unprepared: { kind: 'statement', same: true },
        withoutTransform: { kind: 'statement', same: true },
        stream: { kind: 'unknown-statement', same: true },
      },
      awaits: { ...collected, result: rows },
    },
    'value-statement': { awaits: { ...collected, result: rowArrays } },
    'unknown-statement': { awaits: { ...collected, result: unknown } },
    /** Given back when the scope closes. */
    connection: {
      role: 'connection',
      methods: {
        execute: effect(rows),
        executeUnprepared: effect(rows),
        executeValues: effect(rowArrays),
        executeRaw: effect(unknown),
        executeStream: effect(unknown),
      },
    },
  },
  examples: [
    {
      code: `import { SqlClient } from '@effect/sql';
        import { Effect } from 'effect';
        export const program = Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient;
          yield* sql\`SELECT pg_try_advisory_lock(\${1}) AS ok\`;
          yield* sql.unsafe('SELECT pg_try_advisory_lock($1) AS ok', [2]);
          yield* sql\`SELECT pg_try_advisory_lock(3) AS ok\`.values;
          yield* sql\`SELECT pg_try_advisory_lock(4)\`.raw;
          yield* sql\`SELECT pg_try_advisory_lock(5) AS ok\`.unprepared;
          yield* sql\`SELECT pg_try_advisory_lock(6) AS ok\`.withoutTransform;
          yield* sql.withoutTransforms()\`SELECT pg_try_advisory_lock(id) FROM \${sql('jobs')} WHERE id IN \${sql.in([1])} \${sql.literal('LIMIT 1')}\`;
          sql\`SELECT pg_advisory_unlock(1)\`;
        });`,
      sends: [
        { over: 'pool', cell: '[0].ok' },
        { over: 'pool', cell: '[0].ok' },
        { over: 'pool', cell: '[0][0]' },
        { over: 'pool' },
        { over: 'pool', cell: '[0].ok' },
        { over: 'pool', cell: '[0].ok' },
        { over: 'pool' },
        { over: 'pool', sent: false },
      ],
    },
    {
      code: `import { PgClient } from '@effect/sql-pg';
        import { Effect } from 'effect';
        export const program = Effect.gen(function* () {
          const sql = yield* PgClient.PgClient;
          const connection = yield* sql.reserve;
          yield* connection.execute('SELECT pg_advisory_lock($1)', [1], undefined);
          yield* connection.executeUnprepared('SELECT pg_try_advisory_lock(2) AS ok', [], undefined);
          yield* connection.executeValues('SELECT pg_try_advisory_lock(3)', []);
          yield* connection.executeRaw('SELECT pg_try_advisory_lock(4)', []);
          connection.executeStream('SELECT pg_try_advisory_lock(id) FROM jobs', [], undefined);
          yield* sql\`SELECT pg_advisory_lock(5)\`;
          yield* sql.withTransaction(sql\`SELECT pg_advisory_xact_lock(6)\`);
        });
        export const made = Effect.gen(function* () {
          const sql = yield* PgClient.make({ url });
          yield* sql\`SELECT pg_advisory_lock(7)\`;
          const single = yield* PgClient.makeClient({ url });
          yield* single\`SELECT pg_advisory_lock(8)\`;
        });`,
      sends: [
        { over: 'connection' },
        { over: 'connection', cell: '[0].ok' },
        { over: 'connection', cell: '[0][0]' },
        { over: 'connection' },
        { over: 'connection', sent: false },
        { over: 'pool' },
        { over: 'pool' },
        { over: 'pool' },
        { over: 'single' },
      ],
    },
    {
      code: `import { SqlClient } from '@effect/sql/SqlClient';
        import { make, makeClient } from '@effect/sql-pg/PgClient';
        import { SqlClient as Unstable } from 'effect/unstable/sql/SqlClient';
        import type { Connection } from 'effect/sql/SqlConnection';
        import type { SqlConnection } from 'effect/sql';
        import type { SqlClient as Current } from 'effect/sql/SqlClient';
        import { Effect } from 'effect';
        export const a = (sql: SqlClient) => Effect.gen(function* () { yield* sql\`SELECT pg_advisory_lock(1)\`; });
        export const current = (sql: Current) => Effect.gen(function* () { yield* sql\`SELECT pg_advisory_lock(7)\`; });
        export const b = (connection: Connection) => Effect.gen(function* () { yield* connection.execute('SELECT pg_advisory_lock(2)', [], undefined); });
        export const c = (connection: SqlConnection.Connection) => Effect.gen(function* () { yield* connection.execute('SELECT pg_advisory_lock(3)', [], undefined); });
        export const d = Effect.gen(function* () {
          const sql = yield* Unstable;
          yield* sql\`SELECT pg_advisory_lock(4)\`;
          const made = yield* make({ url });
          yield* made\`SELECT pg_advisory_lock(5)\`;
          const single = yield* makeClient({ url });
          yield* single\`SELECT pg_advisory_lock(6)\`;
        });`,
      sends: [
        { over: 'pool' },
        { over: 'pool' },
        { over: 'connection' },
        { over: 'connection' },
        { over: 'pool' },
        { over: 'pool' },
        { over: 'single' },
      ],
    },
  ],
});
