// A scheduled job that is to run on one of several servers.
//
// Lock and unlock are two calls on a pool, so they may reach two backends. When they do, the unlock answers false, the
// lock stays on an idle connection of the pool, and no server ever runs the report again.
import cron from 'node-cron';
import { Pool } from 'pg';
import { buildReport } from './report.js';

const pool = new Pool({ connectionString: process.env.DATABASE_URL });
const NIGHTLY_REPORT = 7301;

export async function runNightlyReport(): Promise<void> {
  const { rows } = await pool.query<{ locked: boolean }>('SELECT pg_try_advisory_lock($1) AS locked', [NIGHTLY_REPORT]);
  if (!rows[0]?.locked) return;
  try {
    await buildReport(new Date());
  } finally {
    const unlock = await pool.query<{ unlocked: boolean }>('SELECT pg_advisory_unlock($1) AS unlocked', [NIGHTLY_REPORT]);
    if (!unlock.rows[0]?.unlocked) console.error('the report lock was not ours to release');
  }
}

cron.schedule('0 3 * * *', () => {
  runNightlyReport().catch((error: unknown) => console.error('nightly report failed', error));
});
