// Migrations span transactions, so the lock needs a session: a direct connection to the server, past the pooler, whose
// unlock is looked at.
import { Client } from 'pg';
import { migrations } from './migrations.js';

const MIGRATIONS = 42;

export async function migrate(): Promise<void> {
  const client = new Client({ host: 'postgres.internal', port: 5432, database: 'app' });
  client.on('error', (error) => console.error('lost the connection while migrating', error));
  await client.connect();
  try {
    await client.query("SET lock_timeout = '30s'");
    await client.query('SELECT pg_advisory_lock($1)', [MIGRATIONS]);
    try {
      for (const migration of migrations) {
        await client.query('BEGIN');
        try {
          await migration.up(client);
          await client.query('COMMIT');
        } catch (error) {
          await client.query('ROLLBACK');
          throw error;
        }
      }
    } finally {
      const { rows } = await client.query<{ unlocked: boolean }>('SELECT pg_advisory_unlock($1) AS unlocked', [MIGRATIONS]);
      if (!rows[0]?.unlocked) console.error('the migration lock was lost while migrating');
    }
  } finally {
    await client.end();
  }
}
