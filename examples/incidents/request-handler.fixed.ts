// The work may be aborted; the lock goes with the transaction, whatever became of the request.
import type { IncomingMessage } from 'node:http';
import { sql, type Kysely } from 'kysely';
import type { Database } from './database.js';
import { recalculate } from './recalculate.js';

export async function recalculateAccount(db: Kysely<Database>, req: IncomingMessage & { signal: AbortSignal }, account: number): Promise<string> {
  return db.transaction().execute(async (transaction) => {
    const lock = await sql<{ locked: boolean }>`SELECT pg_try_advisory_xact_lock(${account}) AS locked`.execute(transaction);
    if (!lock.rows[0]?.locked) return 'busy';
    await recalculate(transaction, account, req.signal);
    return 'done';
  });
}
