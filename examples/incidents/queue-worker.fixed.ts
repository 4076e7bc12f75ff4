// The subquery decides which rows there are; the lock function above it runs for those and no others.
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
      FROM (SELECT id, payload FROM jobs WHERE done_at IS NULL ORDER BY id LIMIT 10) AS next
  `);
