// Inside a transaction the lock is the transaction's: COMMIT and ROLLBACK both free it, and there is nothing to unlock.
import type { Pool } from 'pg';
import { addColumns } from './add-columns.js';

const ADD_COLUMNS = 20_260_301;

export async function migrate(pool: Pool): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query('BEGIN');
    await client.query("SET LOCAL lock_timeout = '10s'");
    await client.query('SELECT pg_advisory_xact_lock($1)', [ADD_COLUMNS]);
    await addColumns(client);
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined);
    throw error;
  } finally {
    client.release();
  }
}
