// A migration runner that connects through PgBouncer, which pools transactions.
//
// Every statement outside a transaction may run on another backend, although the connection is one and the same here.
// The unlock answers false, which nobody reads: the next deployment waits for a lock that nobody will release.
import { Client } from 'pg';
import { migrations } from './migrations.js';

const MIGRATIONS = 42;

export async function migrate(): Promise<void> {
  const client = new Client({ host: 'pgbouncer.internal', port: 6432, database: 'app' });
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
      await client.query('SELECT pg_advisory_unlock($1)', [MIGRATIONS]);
    }
  } finally {
    await client.end();
  }
}
