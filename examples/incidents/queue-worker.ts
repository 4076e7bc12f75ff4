// A queue worker that takes the first few jobs whose lock it gets.
//
// The lock function runs for rows that LIMIT then leaves out: which ones depends on the plan. Jobs are locked that no
// worker has in hand, and they stay so for as long as the transaction runs.
import type { Pool, PoolClient } from 'pg';
import { perform, type Job } from './jobs.js';

export async function work(pool: Pool): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query('BEGIN');
    const { rows } = await takeJobs(client);
    for (const job of rows) {
      if (job.locked) await perform(client, job);
    }
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined);
    throw error;
  } finally {
    client.release();
  }
}

const takeJobs = (client: PoolClient) =>
  client.query<Job & { locked: boolean }>(`
    SELECT id, payload, pg_try_advisory_xact_lock(id) AS locked
      FROM jobs
     WHERE done_at IS NULL
     ORDER BY id
     LIMIT 10
  `);
