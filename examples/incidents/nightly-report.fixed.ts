// The lock lives and ends with the transaction, on the one connection that the transaction has.
import cron from 'node-cron';
import { Pool } from 'pg';
import { buildReport } from './report.js';

const pool = new Pool({ connectionString: process.env.DATABASE_URL });
const NIGHTLY_REPORT = 7301;

export async function runNightlyReport(): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query('BEGIN');
    const { rows } = await client.query<{ locked: boolean }>('SELECT pg_try_advisory_xact_lock($1) AS locked', [NIGHTLY_REPORT]);
    if (rows[0]?.locked) await buildReport(new Date());
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined);
    throw error;
  } finally {
    client.release();
  }
}

cron.schedule('0 3 * * *', () => {
  runNightlyReport().catch((error: unknown) => console.error('nightly report failed', error));
});
