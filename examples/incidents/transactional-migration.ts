// A migration that locks, migrates and unlocks inside one transaction.
//
// When a statement fails, the transaction is aborted and refuses everything but ROLLBACK: the unlock fails with 25P02,
// hides the first error, and ROLLBACK does not free a session lock. It stays on the connection that goes back to the pool.
import type { Pool } from 'pg';
import { addColumns } from './add-columns.js';

const ADD_COLUMNS = 20_260_301;

export async function migrate(pool: Pool): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query('BEGIN');
    await client.query("SET LOCAL lock_timeout = '10s'");
    await client.query('SELECT pg_advisory_lock($1)', [ADD_COLUMNS]);
    try {
      await addColumns(client);
    } finally {
      const { rows } = await client.query<{ unlocked: boolean }>('SELECT pg_advisory_unlock($1) AS unlocked', [ADD_COLUMNS]);
      if (!rows[0]?.unlocked) console.error('the lock was lost');
    }
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined);
    throw error;
  } finally {
    client.release();
  }
}
