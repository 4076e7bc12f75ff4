// A request handler that stops its queries when the client hangs up.
//
// The unlock is one of them: when the request is aborted it is never sent, and the connection goes back to the pool with
// the lock still on it.
import type { IncomingMessage } from 'node:http';
import { sql, type Kysely } from 'kysely';
import type { Database } from './database.js';
import { recalculate } from './recalculate.js';

export async function recalculateAccount(db: Kysely<Database>, req: IncomingMessage & { signal: AbortSignal }, account: number): Promise<string> {
  return db.connection().execute(async (connection) => {
    const lock = await sql<{ locked: boolean }>`SELECT pg_try_advisory_lock(${account}) AS locked`.execute(connection);
    if (!lock.rows[0]?.locked) return 'busy';
    try {
      await recalculate(connection, account, req.signal);
      return 'done';
    } finally {
      const unlock = await sql<{ unlocked: boolean }>`SELECT pg_advisory_unlock(${account}) AS unlocked`.execute(connection, { signal: req.signal });
      if (!unlock.rows[0]?.unlocked) console.error('the lock was lost', account);
    }
  });
}
