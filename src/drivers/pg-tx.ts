import { defineDriver } from './driver.js';
import { nodePostgresQuery } from './shared/node-postgres.js';

export default defineDriver({
  name: 'pg-tx',
  dialect: 'postgres',
  modules: ['pg-tx'],
  defaultIsNamespace: true,
  binding: { undefined: 'null', null: 'null', number: 'untyped' },
  exports: [
    {
      names: ['default', 'tx'],
      call: { callback: { argument: 1, parameters: { 0: { kind: 'transaction', owned: false } } } },
    },
  ],
  kinds: { transaction: { role: 'transaction', methods: { query: nodePostgresQuery } } },
  examples: [
    {
      code: `import tx from 'pg-tx';
        import { Pool } from 'pg';
        const pool = new Pool();
        await tx(pool, async (db) => {
          await db.query('SELECT pg_try_advisory_xact_lock(1) AS ok');
          await tx(db, async (nested) => { await nested.query('SELECT pg_advisory_xact_lock(2)'); });
          await pool.query('SELECT pg_advisory_lock(3)');
        });`,
      sends: [{ over: 'transaction', cell: 'rows[0].ok' }, { over: 'transaction' }, { over: 'pool' }],
    },
  ],
});
