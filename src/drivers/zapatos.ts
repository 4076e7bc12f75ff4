import { defineDriver } from './driver.js';
import type { Call } from './driver.js';

const transaction = (argument: number): Call => ({ callback: { argument, parameters: { 0: 'transaction' } } });
const text: Call = { fragment: { sql: [{ argument: 0 }], as: 'sql' } };
const value: Call = { fragment: { sql: [{ argument: 0 }], as: 'value' } };
const list: Call = { fragment: { sql: [{ argument: 0 }], as: 'list' } };

export default defineDriver({
  name: 'zapatos',
  dialect: 'postgres',
  modules: ['zapatos/db'],
  exports: [
    {
      names: [
        'TxnClient',
        'TxnClientForSerializable',
        'TxnClientForRepeatableRead',
        'TxnClientForReadCommitted',
        'TxnClientForSerializableRO',
        'TxnClientForRepeatableReadRO',
        'TxnClientForReadCommittedRO',
        'TxnClientForSerializableRODeferrable',
      ],
      type: 'transaction',
    },
    { names: ['Queryable'], type: { kind: 'queryable', ambiguous: true } },
    { names: ['SQLFragment'], type: 'query' },
    { names: ['sql'], tag: { fragment: { sql: [{ template: true }], as: 'sql' }, gives: 'query' } },
    { names: ['raw'], call: text },
    { names: ['param'], call: value },
    { names: ['vals', 'cols'], call: list },
    { names: ['transaction'], call: { ...transaction(2), isolation: [{ argument: 1 }] } },
    { names: ['readCommitted', 'readCommittedRO'], call: transaction(1) },
    { names: ['repeatableRead', 'repeatableReadRO'], call: { ...transaction(1), isolates: 'repeatable read' } },
    {
      names: ['serializable', 'serializableRO', 'serializableRODeferrable'],
      call: { ...transaction(1), isolates: 'serializable' },
    },
  ],
  kinds: {
    query: {
      methods: {
        run: {
          sends: {
            sql: [{ receiver: true }],
            on: { at: [{ argument: 0 }], required: true },
            result: { shape: 'rows', at: [] },
          },
        },
        prepared: { fragment: { sql: [{ receiver: true }], as: 'sql' }, gives: 'query' },
      },
    },
    transaction: { role: 'transaction' },
    queryable: {},
  },
  examples: [
    {
      code: `import * as db from 'zapatos/db';
        import { Pool } from 'pg';
        const pool = new Pool();
        await db.sql\`SELECT pg_try_advisory_lock(\${db.param(1)}) AS ok\`.prepared('lock').run(pool);
        await db.sql\`SELECT pg_try_advisory_lock(\${db.cols({ id: 1 })}) FROM jobs WHERE id IN (\${db.vals([1])}) \${db.raw('LIMIT 1')}\`.run(pool);
        db.sql\`SELECT pg_advisory_unlock(1)\`;
        await db.serializable(pool, async (tx) => {
          await db.sql\`SELECT pg_advisory_xact_lock(1)\`.run(tx);
          await db.sql\`SELECT pg_advisory_lock(2)\`.run(pool);
        });
        await db.transaction(pool, db.IsolationLevel.RepeatableRead, (tx) => db.sql\`SELECT pg_advisory_xact_lock(3)\`.run(tx));`,
      sends: [
        { over: 'pool', cell: '[0].ok' },
        { over: 'pool' },
        { over: 'transaction' },
        { over: 'pool' },
        { over: 'transaction' },
      ],
    },
    {
      code: `import { sql, repeatableRead, readCommitted, serializableRO, repeatableReadRO, readCommittedRO, serializableRODeferrable } from 'zapatos/db';
        import { Pool } from 'pg';
        const pool = new Pool();
        await repeatableRead(pool, (tx) => sql\`SELECT pg_advisory_xact_lock(1)\`.run(tx));
        await readCommitted(pool, (tx) => sql\`SELECT pg_advisory_xact_lock(2)\`.run(tx));
        await serializableRO(pool, (tx) => sql\`SELECT pg_advisory_xact_lock(3)\`.run(tx));
        await repeatableReadRO(pool, (tx) => sql\`SELECT pg_advisory_xact_lock(4)\`.run(tx));
        await readCommittedRO(pool, (tx) => sql\`SELECT pg_advisory_xact_lock(5)\`.run(tx));
        await serializableRODeferrable(pool, (tx) => sql\`SELECT pg_advisory_xact_lock(6)\`.run(tx));`,
      sends: [
        { over: 'transaction' },
        { over: 'transaction' },
        { over: 'transaction' },
        { over: 'transaction' },
        { over: 'transaction' },
        { over: 'transaction' },
      ],
    },
    {
      code: `import { sql, type Queryable, type SQLFragment, type TxnClient, type TxnClientForSerializable, type TxnClientForRepeatableRead,
          type TxnClientForReadCommitted, type TxnClientForSerializableRO, type TxnClientForRepeatableReadRO,
          type TxnClientForReadCommittedRO, type TxnClientForSerializableRODeferrable } from 'zapatos/db';
        const lock: SQLFragment = sql\`SELECT pg_advisory_lock(1)\`;
        export const a = (db: Queryable) => lock.run(db);
        export const b = (tx: TxnClient<any>) => sql\`SELECT pg_advisory_xact_lock(2)\`.run(tx);
        export const c = (tx: TxnClientForSerializable) => sql\`SELECT pg_advisory_xact_lock(3)\`.run(tx);
        export const d = (tx: TxnClientForRepeatableRead) => sql\`SELECT pg_advisory_xact_lock(4)\`.run(tx);
        export const e = (tx: TxnClientForReadCommitted) => sql\`SELECT pg_advisory_xact_lock(5)\`.run(tx);
        export const f = (tx: TxnClientForSerializableRO) => sql\`SELECT pg_advisory_xact_lock(6)\`.run(tx);
        export const g = (tx: TxnClientForRepeatableReadRO) => sql\`SELECT pg_advisory_xact_lock(7)\`.run(tx);
        export const h = (tx: TxnClientForReadCommittedRO) => sql\`SELECT pg_advisory_xact_lock(8)\`.run(tx);
        export const i = (tx: TxnClientForSerializableRODeferrable) => sql\`SELECT pg_advisory_xact_lock(9)\`.run(tx);`,
      sends: [
        { over: 'unknown' },
        { over: 'transaction' },
        { over: 'transaction' },
        { over: 'transaction' },
        { over: 'transaction' },
        { over: 'transaction' },
        { over: 'transaction' },
        { over: 'transaction' },
        { over: 'transaction' },
      ],
    },
  ],
});
