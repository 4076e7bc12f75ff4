import { defineDriver } from './driver.js';
import type { Call, Kind } from './driver.js';

const text = { sql: [{ argument: 0 }], values: [{ argument: 1 }], multipleStatements: false } as const;

const query: Call = {
  sends: { ...text, result: { shape: 'rows', at: ['rows'] } },
  variants: [
    {
      when: [{ at: { argument: 2, property: 'rowMode' }, equals: 'array' }],
      sends: { ...text, result: { shape: 'row-arrays', at: ['rows'] } },
    },
  ],
};

const session: Kind = {
  methods: {
    query,
    sql: { sends: { sql: [{ template: true }], result: { shape: 'rows', at: ['rows'] } } },
    exec: { sends: { sql: [{ argument: 0 }], result: { shape: 'rows', at: ['0', 'rows'] }, multipleStatements: true } },
  },
};

export default defineDriver({
  name: 'pglite',
  dialect: 'postgres',
  modules: ['@electric-sql/pglite'],
  exports: [
    { names: ['Transaction'], type: 'transaction' },
    { names: ['PGlite'], new: 'database' },
    { names: ['PGliteInterface'], type: 'database' },
    { names: ['PGlite.create'], call: { resolves: 'database' } },
  ],
  kinds: {
    session,
    /** One session in the process, which all callers share. */
    database: {
      role: 'single',
      extends: 'session',
      methods: {
        transaction: { callback: { argument: 0, parameters: { 0: 'transaction' } } },
        close: { effect: { does: 'closes' } },
      },
      dispose: { does: 'closes' },
    },
    transaction: {
      role: 'transaction',
      extends: 'session',
      methods: { rollback: { effect: { does: 'rolls-back' } } },
    },
  },
  examples: [
    {
      code: `import { PGlite } from '@electric-sql/pglite';
        const db = new PGlite();
        await db.query('SELECT pg_try_advisory_lock($1) AS ok', [1]);
        await db.query('SELECT pg_try_advisory_lock(2) AS ok', [], { rowMode: 'array' });
        await db.sql\`SELECT pg_try_advisory_lock(\${3}) AS ok\`;
        await db.exec('SELECT pg_try_advisory_lock(4) AS ok');
        await db.close();`,
      sends: [
        { over: 'single', cell: 'rows[0].ok' },
        { over: 'single', cell: 'rows[0][0]' },
        { over: 'single', cell: 'rows[0].ok' },
        { over: 'single', cell: '[0].rows[0].ok' },
      ],
      effects: ['closes'],
    },
    {
      code: `import { PGlite } from '@electric-sql/pglite';
        const db = await PGlite.create();
        await db.transaction(async (tx) => {
          await tx.query('SELECT pg_advisory_xact_lock(1)');
          await tx.sql\`SELECT pg_advisory_xact_lock(2)\`;
          await tx.exec('SELECT pg_advisory_xact_lock(3)');
          await tx.rollback();
        });
        export async function run() {
          await using own = new PGlite();
          await own.query('SELECT pg_advisory_lock(4)');
        }`,
      sends: [{ over: 'transaction' }, { over: 'transaction' }, { over: 'transaction' }, { over: 'single' }],
      effects: ['rolls-back', 'closes'],
    },
    {
      code: `import type { PGlite, PGliteInterface, Transaction } from '@electric-sql/pglite';
        export const a = (db: PGlite) => db.query('SELECT pg_advisory_lock(1)');
        export const b = (db: PGliteInterface) => db.query('SELECT pg_advisory_lock(2)');
        export const c = (tx: Transaction) => tx.query('SELECT pg_advisory_xact_lock(3)');`,
      sends: [{ over: 'single' }, { over: 'single' }, { over: 'transaction' }],
    },
  ],
});
