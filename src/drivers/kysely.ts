import { defineDriver } from './driver.js';
import type { BuilderClause, Call, GiveDetails, Kind, Result, Sends } from './driver.js';
import { nestTransactions } from './shared/nest.js';

const rows: Result = { shape: 'rows', at: [] };
const row: Result = { shape: 'row', at: [] };

/** Since 0.29. By default an abort in flight leaves the statement running on the server. */
const signalAt = (argument: number): NonNullable<Sends['signal']> => ({
  at: [{ argument, property: 'signal' }],
  safeWhen: [
    { at: { argument, property: 'inflightQueryAbortStrategy' }, equals: 'kill session' },
    { at: { argument, property: 'inflightQueryAbortStrategy' }, equals: 'cancel query' },
  ],
});

const self: GiveDetails = { kind: 'kysely', same: true };
const withPlugin: GiveDetails = { ...self, renamesColumnsWhen: [{ at: { argument: 0 }, present: true }] };

const withExpressions: Call = { callback: { argument: 'last', parameters: { 0: 'expression-builder' } } };

const clause = (is: Exclude<BuilderClause['is'], 'limit' | 'offset' | 'handle'>): Call => ({
  ...withExpressions,
  clause: { is },
});
const start = (is: 'select' | 'from' | 'set'): Call => ({
  ...clause(is),
  gives: { kind: 'builder', same: true },
});
const execute = (result: Result): Call => ({
  sends: { sql: [{ receiver: true }], result, signal: signalAt(0) },
});
const fn: Call = {
  fragment: { sql: [], functionName: { argument: 0 }, values: [{ argument: 1 }], as: 'sql' },
  gives: 'raw-builder',
};
const sameText: Call = { fragment: { sql: [{ receiver: true }], as: 'sql' }, gives: 'raw-builder' };
const value: Call = { fragment: { sql: [{ argument: 0 }], as: 'value' } };
const identifier: Call = { fragment: { sql: [{ argument: 0 }], as: 'identifier' } };

const builder: Kind = {
  fluent: true,
  methods: {
    select: clause('select'),
    where: clause('where'),
    having: clause('having'),
    innerJoin: clause('join-on'),
    leftJoin: clause('join-on'),
    rightJoin: clause('join-on'),
    fullJoin: clause('join-on'),
    innerJoinLateral: clause('join-on'),
    leftJoinLateral: clause('join-on'),
    orderBy: clause('order-by'),
    groupBy: clause('group-by'),
    distinct: clause('distinct'),
    distinctOn: clause('distinct-on'),
    set: clause('set'),
    values: clause('set'),
    returning: clause('returning'),
    limit: { clause: { is: 'limit', at: { argument: 0 } } },
    fetch: { clause: { is: 'limit', at: { argument: 0 } } },
    offset: { clause: { is: 'offset', at: { argument: 0 } } },
    forUpdate: clause('row-locking'),
    forNoKeyUpdate: clause('row-locking'),
    forShare: clause('row-locking'),
    skipLocked: clause('row-locking'),
    as: { alias: { argument: 0 } },
    compile: { fragment: { sql: [{ receiver: true }], as: 'sql' } },
    execute: execute(rows),
    executeTakeFirst: execute(row),
    executeTakeFirstOrThrow: execute(row),
    stream: { sends: { sql: [{ receiver: true }], result: { shape: 'unknown' } } },
  },
};

export default defineDriver({
  name: 'kysely',
  dialect: 'either',
  modules: ['kysely', 'kysely-postgres-js'],
  implicitTransactions: nestTransactions,
  binding: { undefined: 'null', null: 'null', number: 'untyped' },
  exports: [
    { names: ['Transaction', 'ControlledTransaction'], modules: ['kysely'], type: 'transaction' },
    {
      names: ['Kysely'],
      modules: ['kysely'],
      new: {
        kind: 'kysely',
        wraps: [{ argument: 0, property: 'dialect' }],
        renamesColumnsWhen: [{ at: { argument: 0, property: 'plugins' }, present: true }],
      },
      type: { kind: 'kysely', ambiguous: true },
    },
    {
      names: ['PostgresDialect', 'MysqlDialect'],
      modules: ['kysely'],
      new: { kind: 'dialect', wraps: [{ argument: 0, property: 'pool' }] },
    },
    {
      names: ['PostgresJSDialect'],
      modules: ['kysely-postgres-js'],
      new: { kind: 'dialect', wraps: [{ argument: 0, property: 'postgres' }] },
    },
    { names: ['sql'], tag: { fragment: { sql: [{ template: true }], as: 'sql' }, gives: 'raw-builder' } },
    { names: ['sql.raw'], call: { fragment: { sql: [{ argument: 0 }], as: 'sql' }, gives: 'raw-builder' } },
    { names: ['sql.join'], call: { fragment: { sql: [{ argument: 0 }], as: 'list' }, gives: 'raw-builder' } },
    { names: ['sql.lit', 'sql.literal', 'sql.val', 'sql.value'], call: { ...value, gives: 'raw-builder' } },
    { names: ['sql.ref', 'sql.id', 'sql.table'], call: { ...identifier, gives: 'raw-builder' } },
    {
      names: ['CompiledQuery.raw'],
      call: { fragment: { sql: [{ argument: 0 }], values: [{ argument: 1 }], as: 'sql' } },
    },
  ],
  distinctiveMethods: { selectFrom: 'kysely', selectNoFrom: 'kysely' },
  importedHandle: { kind: 'kysely', methods: ['transaction', 'startTransaction', 'connection', 'insertInto', 'updateTable', 'deleteFrom'] },
  kinds: {
    kysely: {
      role: 'pool',
      notInTransactions: ['transaction', 'startTransaction', 'connection'],
      methods: {
        executeQuery: { sends: { sql: [{ argument: 0 }], result: { shape: 'rows', at: ['rows'] }, signal: signalAt(1) } },
        transaction: { gives: { kind: 'transaction-builder', same: true } },
        startTransaction: { gives: { kind: 'controlled-transaction-builder', same: true } },
        connection: { gives: { kind: 'connection-builder', same: true } },
        selectFrom: start('from'),
        selectNoFrom: start('select'),
        insertInto: start('from'),
        updateTable: start('from'),
        deleteFrom: start('from'),
        with: { gives: self },
        withRecursive: { gives: self },
        withSchema: { gives: self },
        withTables: { gives: self },
        withoutPlugins: { gives: self },
        withPlugin: { gives: withPlugin },
        fn,
        destroy: { effect: { does: 'closes' } },
      },
      properties: { fn: 'function-module', schema: { kind: 'schema', same: true } },
      dispose: { does: 'closes' },
    },
    connection: { role: 'connection', extends: 'kysely' },
    transaction: {
      role: 'transaction',
      extends: 'kysely',
      methods: {
        commit: { gives: { kind: 'commit', same: true } },
        rollback: { gives: { kind: 'rollback', same: true } },
        savepoint: { gives: { kind: 'savepoint', same: true } },
        rollbackToSavepoint: { gives: { kind: 'savepoint', same: true } },
        releaseSavepoint: { gives: { kind: 'savepoint', same: true } },
      },
    },
    dialect: { role: 'pool' },
    'connection-builder': {
      methods: {
        execute: {
          callback: { argument: 0, parameters: { 0: 'connection' } },
          signal: { at: [{ argument: 1, property: 'signal' }] },
        },
      },
    },
    'transaction-builder': {
      fluent: true,
      methods: {
        setIsolationLevel: { isolation: [{ argument: 0 }] },
        execute: { callback: { argument: 0, parameters: { 0: 'transaction' } } },
      },
    },
    'controlled-transaction-builder': {
      fluent: true,
      methods: { setIsolationLevel: { isolation: [{ argument: 0 }] }, execute: { resolves: 'transaction' } },
    },
    commit: { methods: { execute: { effect: { does: 'commits' } } } },
    rollback: { methods: { execute: { effect: { does: 'rolls-back' } } } },
    savepoint: { methods: { execute: { resolves: { kind: 'transaction', same: true } } } },
    schema: { otherMembers: 'use-connection' },
    builder,
    'raw-builder': {
      methods: {
        $castTo: sameText,
        $notNull: sameText,
        withPlugin: sameText,
        execute: {
          sends: {
            sql: [{ receiver: true }],
            on: { at: [{ argument: 0 }], required: true },
            result: { shape: 'rows', at: ['rows'] },
            signal: signalAt(1),
          },
        },
        as: { gives: 'raw-builder', alias: { argument: 0 } },
        compile: { fragment: { sql: [{ receiver: true }], as: 'sql' } },
      },
    },
    'expression-builder': {
      methods: { fn, val: value, lit: value, ref: identifier },
      properties: { fn: 'function-module' },
    },
    'function-module': { call: fn },
  },
  examples: [
    {
      code: `import { Kysely, PostgresDialect, sql } from 'kysely';
        import { Pool } from 'pg';
        const db = new Kysely({ dialect: new PostgresDialect({ pool: new Pool() }) });
        const r = await sql\`SELECT pg_try_advisory_lock(\${1}) AS ok\`.execute(db);
        const unlock = sql\`SELECT pg_advisory_unlock(1) AS ok\`;
        await unlock.$castTo<{ ok: boolean }>().execute(db);
        sql\`SELECT pg_advisory_unlock(2)\`;
        await db.destroy();`,
      sends: [
        { over: 'pool', cell: 'rows[0].ok' },
        { over: 'pool', cell: 'rows[0].ok' },
      ],
      effects: ['closes'],
    },
    {
      code: `import { Kysely, PostgresDialect, MysqlDialect, sql } from 'kysely';
        import { PostgresJSDialect } from 'kysely-postgres-js';
        import postgres from 'postgres';
        import { Pool } from 'pg';
        import { createPool } from 'mysql2';
        const single = new Kysely({ dialect: new PostgresDialect({ pool: new Pool({ max: 1 }) }) });
        const overPostgresJs = new Kysely({ dialect: new PostgresJSDialect({ postgres: postgres() }) });
        const mysql = new Kysely({ dialect: new MysqlDialect({ pool: createPool({}) }) });
        await sql\`SELECT pg_advisory_lock(1)\`.execute(single);
        await sql\`SELECT pg_advisory_lock(2)\`.execute(overPostgresJs);
        await sql\`SELECT GET_LOCK('jobs', 5) AS ok\`.execute(mysql);`,
      sends: [{ over: 'single' }, { over: 'pool' }, { over: 'pool', cell: 'rows[0].ok' }],
    },
    {
      code: `import { Kysely, sql } from 'kysely';
        export async function run(db: Kysely<any>, signal: AbortSignal) {
          await sql\`SELECT pg_advisory_lock(0)\`.execute(db);
          await db.connection().execute(async (connection) => {
            await sql\`SELECT pg_advisory_lock(1)\`.execute(connection, { signal, inflightQueryAbortStrategy: 'kill session' });
            await connection.transaction().execute(async (trx) => sql\`SELECT pg_advisory_xact_lock(2)\`.execute(trx));
          }, { signal });
        }`,
      sends: [{ over: 'pool' }, { over: 'connection' }, { over: 'transaction' }],
    },
    {
      code: `import { Kysely, sql } from 'kysely';
        export const lock = (db: Kysely<any>) => sql\`SELECT pg_advisory_lock(1)\`.execute(db);
        export class Jobs {
          constructor(private readonly db: Kysely<any>) {}
          async run() {
            await sql\`SELECT pg_advisory_lock(2)\`.execute(this.db);
            await this.db.transaction().execute(async (trx) => sql\`SELECT pg_advisory_xact_lock(3)\`.execute(trx));
          }
        }`,
      sends: [{ over: 'unknown' }, { over: 'pool' }, { over: 'transaction' }],
    },
    {
      code: `import { sql } from 'kysely';
        import { db } from './database';
        await db.updateTable('jobs').set({ done: true }).execute();
        await sql\`SELECT pg_try_advisory_lock(1) AS ok\`.execute(db);`,
      sends: [{ over: 'pool', cell: 'rows[0].ok' }],
    },
    {
      code: `import { Kysely, sql } from 'kysely';
        import { dialect } from './dialect';
        const db = new Kysely({ dialect });
        await db.transaction().setIsolationLevel('serializable').execute(async (trx) => {
          await sql\`SELECT pg_advisory_xact_lock(1)\`.execute(trx);
          await sql\`SELECT pg_advisory_lock(2)\`.execute(db);
        });
        export async function run() {
          const trx = await db.startTransaction().setIsolationLevel('repeatable read').execute();
          await sql\`SELECT pg_advisory_xact_lock(3)\`.execute(trx);
          const inner = await trx.savepoint('inner').execute();
          await sql\`SELECT pg_advisory_xact_lock(4)\`.execute(inner);
          await inner.rollbackToSavepoint('inner').execute();
          await inner.releaseSavepoint('inner').execute();
          if (process.env.DRY) await trx.rollback().execute();
          else await trx.commit().execute();
        }`,
      sends: [{ over: 'transaction' }, { over: 'pool' }, { over: 'transaction' }, { over: 'transaction' }],
      effects: ['rolls-back', 'commits'],
    },
    {
      code: `import { Kysely, CompiledQuery, CamelCasePlugin, sql } from 'kysely';
        import { dialect } from './dialect';
        const db = new Kysely({ dialect }).withPlugin(new CamelCasePlugin()).withoutPlugins().withSchema('app').withTables();
        await db.executeQuery(CompiledQuery.raw('SELECT pg_try_advisory_lock($1) AS ok', [1]));
        await db.executeQuery(sql\`SELECT pg_try_advisory_lock(2) AS ok\`.compile(db));
        await db.executeQuery(db.selectNoFrom(sql\`pg_try_advisory_lock(3)\`.as('ok')).compile());`,
      sends: [
        { over: 'pool', cell: 'rows[0].ok' },
        { over: 'pool', cell: 'rows[0].ok' },
        { over: 'pool', cell: 'rows[0].ok' },
      ],
    },
    {
      code: `import { Kysely, sql } from 'kysely';
        import { dialect } from './dialect';
        const db = new Kysely({ dialect });
        await db.selectNoFrom(sql<boolean>\`pg_try_advisory_lock(1)\`.as('ok')).executeTakeFirst();
        await db.selectNoFrom((eb) => eb.fn('pg_try_advisory_lock', [eb.val(2)]).as('ok')).executeTakeFirstOrThrow();
        await db.selectFrom('jobs').select(({ fn, ref }) => fn('pg_try_advisory_lock', [ref('id')]).as('ok'))
          .where(sql<boolean>\`pg_try_advisory_lock(3)\`).orderBy(sql\`pg_try_advisory_lock(4)\`).limit(10).offset(5)
          .forUpdate().skipLocked().execute();
        await db.selectFrom('jobs').select((eb) => eb.fn('pg_try_advisory_lock', [eb.lit(5)]).as('ok')).distinct().fetch(1).execute();
        await db.selectNoFrom([db.fn('pg_try_advisory_lock', [sql.val(6)]).as('ok')]).execute();
        for await (const row of db.selectFrom('jobs').where(sql\`pg_try_advisory_lock(7)\`).stream()) console.log(row);`,
      sends: [
        { over: 'pool', cell: 'ok' },
        { over: 'pool', cell: 'ok' },
        { over: 'pool', cell: '[0].ok' },
        { over: 'pool', cell: '[0].ok' },
        { over: 'pool', cell: '[0].ok' },
        { over: 'pool' },
      ],
    },
    {
      code: `import { Kysely, sql } from 'kysely';
        import { dialect } from './dialect';
        const db = new Kysely({ dialect });
        await db.selectFrom('jobs').innerJoin('runs', (join) => join.on(sql\`pg_try_advisory_lock(1)\`)).leftJoin('a', 'x', 'y')
          .rightJoin('b', 'x', 'y').fullJoin('c', 'x', 'y').innerJoinLateral(sub, (join) => join.onTrue())
          .leftJoinLateral(sub, (join) => join.onTrue()).groupBy('kind').having(sql\`pg_try_advisory_lock(2)\`).execute();
        await db.selectFrom('jobs').distinctOn('kind').select(sql\`pg_try_advisory_lock(3)\`.as('ok')).forShare().execute();
        await db.selectFrom('jobs').select(sql\`pg_try_advisory_lock(4)\`.as('ok')).forNoKeyUpdate().execute();
        await db.updateTable('jobs').set({ locked: sql\`pg_try_advisory_lock(5)\` }).returning(sql\`pg_try_advisory_lock(6)\`.as('ok')).execute();
        await db.insertInto('jobs').values({ locked: sql\`pg_try_advisory_lock(7)\` }).execute();
        await db.deleteFrom('jobs').where(sql\`pg_try_advisory_lock(8)\`).execute();
        await db.with('recent', (creator) => creator.selectFrom('jobs').selectAll()).selectFrom('recent').select(sql\`pg_try_advisory_lock(9)\`.as('ok')).execute();
        await db.withRecursive('tree', (creator) => creator.selectFrom('jobs').selectAll()).selectFrom('tree').select(sql\`pg_try_advisory_lock(10)\`.as('ok')).execute();`,
      sends: [
        { over: 'pool', sql: 'pg_try_advisory_lock(1)' },
        { over: 'pool', cell: '[0].ok' },
        { over: 'pool', cell: '[0].ok' },
        { over: 'pool', sql: 'pg_try_advisory_lock(5)' },
        { over: 'pool', sql: 'pg_try_advisory_lock(7)' },
        { over: 'pool', sql: 'pg_try_advisory_lock(8)' },
        { over: 'pool', cell: '[0].ok' },
        { over: 'pool', cell: '[0].ok' },
      ],
    },
    {
      code: `import { Kysely, sql } from 'kysely';
        import { dialect } from './dialect';
        export async function run(ids: number[]) {
          await using db = new Kysely({ dialect });
          await sql\`SELECT pg_try_advisory_lock(\${sql.lit(1)}, \${sql.literal(2)}) FROM \${sql.table('jobs')} \${sql.raw('LIMIT 1')}\`.execute(db);
          await sql\`SELECT pg_try_advisory_lock(\${sql.ref('id')}) FROM \${sql.id('jobs')} WHERE id IN (\${sql.join(ids)}) AND kind = \${sql.value('a')}\`.execute(db);
        }`,
      sends: [{ over: 'pool' }, { over: 'pool' }],
      effects: ['closes'],
    },
    {
      code: `import { sql, type ControlledTransaction, type Transaction } from 'kysely';
        export const lock = (trx: Transaction<any>) => sql\`SELECT pg_advisory_xact_lock(1)\`.execute(trx);
        export const controlled = (trx: ControlledTransaction<any>) => sql\`SELECT pg_advisory_xact_lock(2)\`.execute(trx);`,
      sends: [{ over: 'transaction' }, { over: 'transaction' }],
    },
  ],
});
