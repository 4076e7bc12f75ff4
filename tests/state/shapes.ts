/** One way of writing a lock, and how locks and connections are lost in it: nothing for code that is right. */
export interface Shape {
  readonly name: string;
  readonly code: string;
  readonly losses?: readonly string[];
}

const pg = `import { Pool, Client, type PoolClient } from 'pg';
import { work, log } from './work.js';
const pool = new Pool();
`;

/** Lines of the code count from 4, after the imports and the pool. */
const inPg = (name: string, code: string, losses: readonly string[] = []): Shape => ({ name, code: pg + code.trim(), losses });

export const pgShapes: readonly Shape[] = [
  inPg('acquire before try', `
export async function run() {
  const client = await pool.connect();
  try {
    await client.query('SELECT pg_advisory_lock(1)');
    try { await work(); } finally { await client.query('SELECT pg_advisory_unlock(1)'); }
  } finally { client.release(); }
}`),
  inPg('acquire inside try', `
export async function run() {
  const client = await pool.connect();
  try {
    await client.query('SELECT pg_advisory_lock(1)');
    await work();
  } finally {
    await client.query('SELECT pg_advisory_unlock(1)');
    client.release();
  }
}`),
  inPg('no finally', `
export async function run() {
  const client = await pool.connect();
  await client.query('SELECT pg_advisory_lock(1)');
  await work();
  await client.query('SELECT pg_advisory_unlock(1)');
  client.release();
}`, ['leak pg_advisory_lock@6 throw@7 not-unlocked']),
  inPg('unlock in try instead of finally', `
export async function run() {
  const client = await pool.connect();
  try {
    await client.query('SELECT pg_advisory_lock(1)');
    await work();
    await client.query('SELECT pg_advisory_unlock(1)');
  } catch (error) { log(error); } finally { client.release(); }
}`, ['leak pg_advisory_lock@7 return@4 given-back', 'leak pg_advisory_lock@7 throw@10 given-back', 'give-back pg_advisory_lock@7 path-misses-unlock call@10', 'give-back pg_advisory_lock@7 unlock-swallowed call@10']),
  inPg('early return between acquire and try', `
export async function run(ready: boolean) {
  const client = await pool.connect();
  await client.query('SELECT pg_advisory_lock(1)');
  if (!ready) { client.release(); return; }
  try { await work(); } finally { await client.query('SELECT pg_advisory_unlock(1)'); client.release(); }
}`, ['leak pg_advisory_lock@6 return@7 given-back', 'give-back pg_advisory_lock@6 path-misses-unlock call@7']),
  inPg('unlock only on success, connection destroyed on failure', `
export async function run() {
  const client = await pool.connect();
  try {
    await client.query('SELECT pg_advisory_lock(1)');
    await work();
    await client.query('SELECT pg_advisory_unlock(1)');
    client.release();
  } catch (error) {
    client.release(error as Error);
    throw error;
  }
}`),
  inPg('release(true) ends the session', `
export async function run() {
  const client = await pool.connect();
  try { await client.query('SELECT pg_advisory_lock(1)'); await work(); } finally { client.release(true); }
}`),
  inPg('no unlock, given back', `
export async function run() {
  const client = await pool.connect();
  try { await client.query('SELECT pg_advisory_lock(1)'); await work(); } finally { client.release(); }
}`, ['leak pg_advisory_lock@6 return@4 given-back no-unlock', 'leak pg_advisory_lock@6 throw@6 given-back no-unlock', 'give-back pg_advisory_lock@6 no-unlock call@6']),
  inPg('given back first', `
export async function run() {
  const client = await pool.connect();
  await client.query('SELECT pg_advisory_lock(1)');
  try { await work(); } finally { client.release(); await client.query('SELECT pg_advisory_unlock(1)'); }
}`, ['give-back pg_advisory_lock@6 before-unlock call@7']),
  inPg('a client of its own, ended', `
export async function run() {
  const client = new Client();
  await client.connect();
  try { await client.query('SELECT pg_advisory_lock(1)'); await work(); } finally { await client.end(); }
}`),
  inPg('dirty flag', `
export async function run() {
  const client = await pool.connect();
  let dirty = true;
  try {
    await client.query('SELECT pg_advisory_lock(1)');
    try { await work(); } finally {
      const { rows } = await client.query('SELECT pg_advisory_unlock(1) AS ok');
      dirty = !rows[0].ok;
    }
  } finally { client.release(dirty); }
}`),
  inPg('dirty flag the wrong way round', `
export async function run() {
  const client = await pool.connect();
  let dirty = false;
  try {
    await client.query('SELECT pg_advisory_lock(1)');
    await work();
    const { rows } = await client.query('SELECT pg_advisory_unlock(1) AS ok');
    dirty = !rows[0].ok;
  } finally { client.release(dirty); }
}`, ['leak pg_advisory_lock@8 throw@9 given-back', 'give-back pg_advisory_lock@8 path-misses-unlock call@12']),
  inPg('error kept for release', `
export async function run() {
  const client = await pool.connect();
  let failure: Error | undefined;
  try {
    await client.query('SELECT pg_advisory_lock(1)');
    await work();
    await client.query('SELECT pg_advisory_unlock(1)');
  } catch (error) { failure = error as Error; throw error; } finally { client.release(failure); }
}`),
  inPg('client variable declared outside', `
export async function run() {
  let client: PoolClient | undefined;
  try {
    client = await pool.connect();
    await client.query('SELECT pg_advisory_lock(1)');
    await work();
  } finally {
    await client?.query('SELECT pg_advisory_unlock(1)');
    client?.release();
  }
}`),
  inPg('guarded by if (client)', `
export async function run() {
  let client: PoolClient | null = null;
  try {
    client = await pool.connect();
    await client.query('SELECT pg_advisory_lock(1)');
    await work();
  } finally {
    if (client) {
      await client.query('SELECT pg_advisory_unlock(1)');
      client.release();
    }
  }
}`),
  inPg('locked flag', `
export async function run() {
  const client = await pool.connect();
  let locked = false;
  try {
    const { rows } = await client.query('SELECT pg_try_advisory_lock(1) AS ok');
    locked = rows[0].ok;
    if (!locked) return false;
    await work();
    return true;
  } finally {
    if (locked) await client.query('SELECT pg_advisory_unlock(1)');
    client.release();
  }
}`),
  inPg('locked flag set too late', `
export async function run() {
  const client = await pool.connect();
  let locked = false;
  try {
    const { rows } = await client.query('SELECT pg_try_advisory_lock(1) AS ok');
    if (!rows[0].ok) return false;
    await work();
    locked = true;
  } finally {
    if (locked) await client.query('SELECT pg_advisory_unlock(1)');
    client.release();
  }
}`, ['leak pg_try_advisory_lock@8 throw@10 given-back', 'give-back pg_try_advisory_lock@8 path-misses-unlock call@14']),
  inPg('unlock although refused', `
export async function run() {
  const client = await pool.connect();
  try {
    const { rows } = await client.query('SELECT pg_try_advisory_lock(1) AS ok');
    if (!rows[0].ok) return;
    await work();
  } finally {
    await client.query('SELECT pg_advisory_unlock(1)');
    client.release();
  }
}`, ['mismatch refused pg_try_advisory_lock@7 @11']),
  inPg('try nested after the check', `
export async function run() {
  const client = await pool.connect();
  try {
    const got = (await client.query('SELECT pg_try_advisory_lock(1) AS ok')).rows[0]?.ok === true;
    if (!got) return;
    try { await work(); } finally { await client.query('SELECT pg_advisory_unlock(1)'); }
  } finally { client.release(); }
}`),
  inPg('refused and not given back', `
export async function run() {
  const client = await pool.connect();
  const { rows: [row] } = await client.query('SELECT pg_try_advisory_lock(1) AS ok');
  if (!row?.ok) throw new Error('busy');
  try { await work(); } finally { await client.query('SELECT pg_advisory_unlock(1)'); client.release(); }
}`, ['connection pg_try_advisory_lock@6 refused throw@7']),
  inPg('refused, given back in finally', `
export async function run() {
  const client = await pool.connect();
  try {
    const { rows: [{ ok }] } = await client.query('SELECT pg_try_advisory_lock(1) AS ok');
    if (ok === false) throw new Error('busy');
    try { await work(); } finally { await client.query('SELECT pg_advisory_unlock(1)'); }
  } finally { client.release(); }
}`),
  inPg('polling loop', `
export async function run() {
  const client = await pool.connect();
  try {
    for (;;) {
      const { rows } = await client.query('SELECT pg_try_advisory_lock(1) AS ok');
      if (rows[0].ok) break;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    try { await work(); } finally { await client.query('SELECT pg_advisory_unlock(1)'); }
  } finally { client.release(); }
}`),
  inPg('loop with continue and break', `
export async function run(keys: number[]) {
  const client = await pool.connect();
  try {
    for (const key of keys) {
      await client.query('SELECT pg_advisory_lock($1)', [key]);
      try {
        if (key === 1) continue;
        if (key === 2) break;
        if (key === 3) return;
        await work();
      } finally { await client.query('SELECT pg_advisory_unlock($1)', [key]); }
    }
  } finally { client.release(); }
}`),
  inPg('loop that continues with the lock', `
export async function run(keys: number[]) {
  const client = await pool.connect();
  try {
    for (const key of keys) {
      await client.query('SELECT pg_advisory_lock($1)', [key]);
      if (key === 1) continue;
      try { await work(); } finally { await client.query('SELECT pg_advisory_unlock($1)', [key]); }
    }
  } finally { client.release(); }
}`, ['leak pg_advisory_lock@8 return@4 given-back', 'leak pg_advisory_lock@8 throw@8 given-back', 'give-back pg_advisory_lock@8 path-misses-unlock call@12']),
  inPg('swallowed unlock', `
export async function run() {
  const client = await pool.connect();
  await client.query('SELECT pg_advisory_lock(1)');
  try { await work(); } finally {
    await client.query('SELECT pg_advisory_unlock(1)').catch(() => {});
    client.release();
  }
}`, ['leak pg_advisory_lock@6 return@4 unlock-swallowed', 'give-back pg_advisory_lock@6 unlock-swallowed call@9']),
  inPg('swallowed unlock, then destroyed', `
export async function run() {
  const client = await pool.connect();
  await client.query('SELECT pg_advisory_lock(1)');
  try { await work(); } finally {
    let failure;
    await client.query('SELECT pg_advisory_unlock(1)').catch((error) => { failure = error; });
    client.release(failure);
  }
}`),
  inPg('swallowed unlock, then the backend ended', `
export async function run() {
  const client = await pool.connect();
  await client.query('SELECT pg_advisory_lock(1)');
  try { await work(); } finally {
    await client.query('SELECT pg_advisory_unlock(1)').catch(() => client.query('SELECT pg_terminate_backend(pg_backend_pid())'));
    client.release();
  }
}`),
  inPg('swallowed by try and catch', `
export async function run() {
  const client = await pool.connect();
  await client.query('SELECT pg_advisory_lock(1)');
  try { await work(); } finally {
    try { await client.query('SELECT pg_advisory_unlock(1)'); } catch (error) { log(error); }
    client.release();
  }
}`, ['leak pg_advisory_lock@6 return@4 unlock-swallowed', 'give-back pg_advisory_lock@6 unlock-swallowed call@9']),
  inPg('promise chain', `
export const run = () => pool.connect().then((client) =>
  client.query('SELECT pg_advisory_lock(1)')
    .then(() => work())
    .finally(() => client.query('SELECT pg_advisory_unlock(1)'))
    .finally(() => client.release()));`),
  inPg('Promise.all under the lock', `
export async function run(ids: number[]) {
  const client = await pool.connect();
  try {
    await client.query('SELECT pg_advisory_lock(1)');
    try { await Promise.all(ids.map((id) => client.query('DELETE FROM t WHERE id = $1', [id]))); }
    finally { await client.query('SELECT pg_advisory_unlock(1)'); }
  } finally { client.release(); }
}`),
  inPg('withLock wrapper', `
async function withLock<T>(key: number, body: (client: PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  try {
    await client.query('SELECT pg_advisory_lock($1)', [key]);
    try { return await body(client); } finally { await client.query('SELECT pg_advisory_unlock($1)', [key]); }
  } finally { client.release(); }
}
export const run = () => withLock(1, async (client) => { await client.query('SELECT 1'); });`),
  inPg('lock taken in the callback of a connection wrapper and left there', `
async function withClient<T>(body: (client: PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  try { return await body(client); } finally { client.release(); }
}
export const run = () => withClient(async (client) => {
  await client.query('SELECT pg_advisory_lock(1)');
  await work();
});`, ['leak pg_advisory_lock@9 return@8 given-back no-unlock', 'leak pg_advisory_lock@9 throw@10 given-back no-unlock', 'give-back pg_advisory_lock@9 no-unlock call@6']),
  inPg('release closure', `
async function acquire(key: number) {
  const client = await pool.connect();
  await client.query('SELECT pg_advisory_lock($1)', [key]);
  return async () => { await client.query('SELECT pg_advisory_unlock($1)', [key]); client.release(); };
}
export async function run() {
  const release = await acquire(1);
  try { await work(); } finally { await release(); }
}`),
  inPg('release closure not called on failure', `
async function acquire(key: number) {
  const client = await pool.connect();
  await client.query('SELECT pg_advisory_lock($1)', [key]);
  return async () => { await client.query('SELECT pg_advisory_unlock($1)', [key]); client.release(); };
}
export async function run() {
  const release = await acquire(1);
  await work();
  await release();
}`, ['leak pg_advisory_lock@6 throw@11 not-unlocked']),
  inPg('helpers', `
const lock = (client: PoolClient, key: number) => client.query('SELECT pg_advisory_lock($1)', [key]);
async function unlock(client: PoolClient, key: number) { await client.query('SELECT pg_advisory_unlock($1)', [key]); }
export async function run() {
  const client = await pool.connect();
  try {
    await lock(client, 1);
    try { await work(); } finally { await unlock(client, 1); }
  } finally { client.release(); }
}`),
  inPg('helpers, unlock missed', `
const lock = (client: PoolClient, key: number) => client.query('SELECT pg_advisory_lock($1)', [key]);
async function unlock(client: PoolClient, key: number) { await client.query('SELECT pg_advisory_unlock($1)', [key]); }
export async function run() {
  const client = await pool.connect();
  try {
    await lock(client, 1);
    await work();
    await unlock(client, 1);
  } finally { client.release(); }
}`, ['leak pg_advisory_lock@4 throw@10 given-back', 'give-back pg_advisory_lock@4 path-misses-unlock call@12']),
  inPg('helper that answers', `
async function tryLock(client: PoolClient): Promise<boolean> {
  const { rows } = await client.query('SELECT pg_try_advisory_lock(1) AS ok');
  return rows[0].ok;
}
export async function run() {
  const client = await pool.connect();
  try {
    if (!(await tryLock(client))) return;
    try { await work(); } finally { await client.query('SELECT pg_advisory_unlock(1)'); }
  } finally { client.release(); }
}`),
  inPg('quiet unlock two calls away', `
async function quietly(client: PoolClient) {
  try { await client.query('SELECT pg_advisory_unlock(1)'); } catch (error) { log(error); client.release(true); return; }
  client.release();
}
async function finish(client: PoolClient) { await quietly(client); }
export async function run() {
  const client = await pool.connect();
  await client.query('SELECT pg_advisory_lock(1)');
  try { await work(); } finally { await finish(client); }
}`),
  inPg('handle object with a disposer', `
async function acquire(key: number) {
  const client = await pool.connect();
  await client.query('SELECT pg_advisory_lock($1)', [key]);
  return { async [Symbol.asyncDispose]() { await client.query('SELECT pg_advisory_unlock($1)', [key]); client.release(); } };
}
export async function run() {
  await using lock = await acquire(1);
  await work(lock);
}`),
  inPg('handle object that only gives back', `
async function acquire(key: number) {
  const client = await pool.connect();
  await client.query('SELECT pg_advisory_lock($1)', [key]);
  return { async [Symbol.asyncDispose]() { client.release(); } };
}
export async function run() {
  await using lock = await acquire(1);
  await work();
}`, ['leak pg_advisory_lock@6 return@9 given-back no-unlock', 'leak pg_advisory_lock@6 throw@11 given-back no-unlock', 'give-back pg_advisory_lock@6 no-unlock call@7']),
  inPg('connection returned with the lock', `
export async function acquire(): Promise<PoolClient> {
  const client = await pool.connect();
  await client.query('SELECT pg_advisory_lock(1)');
  return client;
}`),
  inPg('hook pairs', `
let client: PoolClient;
beforeAll(async () => { client = await pool.connect(); await client.query('SELECT pg_advisory_lock(1)'); });
afterAll(async () => { await client.query('SELECT pg_advisory_unlock(1)'); client.release(); });`),
  inPg('acquire helper that is given its connection', `
export async function lock(client: PoolClient) {
  await client.query('SELECT pg_advisory_lock(1)');
  log('locked');
}`),
  inPg('same condition for lock and unlock', `
export async function run(client: PoolClient, exclusive: boolean) {
  if (exclusive) await client.query('SELECT pg_advisory_lock(1)');
  try { await work(); } finally { if (exclusive) await client.query('SELECT pg_advisory_unlock(1)'); }
}`),
  inPg('mode by text', `
export async function run(client: PoolClient, mode: string) {
  await client.query(mode === 'shared' ? 'SELECT pg_advisory_lock_shared(1)' : 'SELECT pg_advisory_lock(1)');
  try { await work(); } finally { await client.query(mode === 'shared' ? 'SELECT pg_advisory_unlock_shared(1)' : 'SELECT pg_advisory_unlock(1)'); }
}`),
  inPg('wrong mode', `
export async function run(client: PoolClient) {
  await client.query('SELECT pg_advisory_lock_shared(1)');
  try { await work(); } finally { await client.query('SELECT pg_advisory_unlock(1)'); }
}`, ['leak pg_advisory_lock_shared@5 return@4 unlock-mismatched not-owned', 'leak pg_advisory_lock_shared@5 throw@6 not-unlocked not-owned', 'mismatch mode pg_advisory_lock_shared@5 @6']),
  inPg('wrong key', `
export async function run(client: PoolClient) {
  await client.query('SELECT pg_advisory_lock($1)', [1]);
  try { await work(); } finally { await client.query('SELECT pg_advisory_unlock($1)', [2]); }
}`, ['mismatch key pg_advisory_lock@5 @6']),
  inPg('wrong form', `
export async function run(client: PoolClient) {
  await client.query('SELECT pg_advisory_lock(0, 1)');
  try { await work(); } finally { await client.query('SELECT pg_advisory_unlock(1)'); }
}`, ['mismatch form pg_advisory_lock@5 @6']),
  inPg('transaction lock unlocked', `
export async function run() {
  const client = await pool.connect();
  try {
    await client.query('BEGIN');
    await client.query('SELECT pg_advisory_xact_lock(1)');
    await client.query('SELECT pg_advisory_unlock(1)');
    await client.query('COMMIT');
  } catch (error) { await client.query('ROLLBACK'); throw error; } finally { client.release(); }
}`, ['mismatch transaction-lock pg_advisory_xact_lock@8 @9']),
  inPg('nested transaction', `
export async function run(client: PoolClient) {
  await client.query('BEGIN');
  await client.query('SELECT pg_advisory_xact_lock(1)');
  await client.query('BEGIN');
  await client.query('COMMIT');
  await work();
  await client.query('COMMIT');
}`, ['early pg_advisory_xact_lock@6 nested @8']),
  inPg('savepoint before the lock', `
export async function run(client: PoolClient) {
  await client.query('BEGIN');
  await client.query('SAVEPOINT s');
  await client.query('SELECT pg_advisory_xact_lock(1)');
  try { await work(); } catch { await client.query('ROLLBACK TO s'); }
  await client.query('COMMIT');
}`, ['early pg_advisory_xact_lock@7 savepoint @8']),
  inPg('pool ended afterwards', `
export async function run() {
  const own = new Pool();
  const client = await own.connect();
  try { await client.query('SELECT pg_advisory_lock(1)'); await work(); } finally { client.release(); await own.end(); }
}`),
  inPg('given to a constructor', `
class Guard { constructor(readonly client: PoolClient) {} }
export async function run() {
  const client = await pool.connect();
  await client.query('SELECT pg_advisory_lock(1)');
  return new Guard(client);
}`),
  inPg('acquire and release methods over a field', `
export class Lock {
  private client?: PoolClient;
  async acquire() { this.client = await pool.connect(); await this.client.query('SELECT pg_advisory_lock(1)'); }
  async release() { await this.client?.query('SELECT pg_advisory_unlock(1)'); this.client?.release(); this.client = undefined; }
  async run() { await this.acquire(); try { await work(); } finally { await this.release(); } }
}`),
  inPg('retrying helper', `
async function lockWithRetry(client: PoolClient) {
  for (let attempt = 0; attempt < 5; attempt++) {
    const { rows } = await client.query('SELECT pg_try_advisory_lock(1) AS ok');
    if (rows[0].ok) return true;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return false;
}
export async function run() {
  const client = await pool.connect();
  if (!(await lockWithRetry(client))) { client.release(); return; }
  try { await work(); } finally { await client.query('SELECT pg_advisory_unlock(1)'); client.release(); }
}`),
  inPg('local closure that unlocks', `
export async function run(key: number) {
  const client = await pool.connect();
  const unlock = () => client.query('SELECT pg_advisory_unlock($1)', [key]);
  try {
    await client.query('SELECT pg_advisory_lock($1)', [key]);
    try { await work(); } finally { await unlock(); }
  } finally { client.release(); }
}`),
  inPg('closure that releases once', `
export async function run() {
  const client = await pool.connect();
  await client.query('SELECT pg_advisory_lock(1)');
  let released = false;
  const release = async () => {
    if (released) return;
    released = true;
    await client.query('SELECT pg_advisory_unlock(1)');
    client.release();
  };
  process.on('SIGTERM', release);
  try { await work(); } finally { await release(); }
}`),
  inPg('work raced against a limit', `
export async function run(limit: Promise<never>) {
  const client = await pool.connect();
  try {
    await client.query('SELECT pg_advisory_lock(1)');
    try { await Promise.race([work(), limit]); } finally { await client.query('SELECT pg_advisory_unlock(1)'); }
  } finally { client.release(); }
}`),
  inPg('rows counted first', `
export async function run() {
  const client = await pool.connect();
  try {
    const { rows } = await client.query('SELECT pg_try_advisory_lock(1) AS ok');
    if (rows.length === 0 || !rows[0].ok) return;
    try { await work(); } finally { await client.query('SELECT pg_advisory_unlock(1)'); }
  } finally { client.release(); }
}`),
  inPg('a failed try counts as refused', `
async function tryLock(client: PoolClient) {
  const { rows: [row] } = await client.query('SELECT pg_try_advisory_lock(1) AS ok');
  return row.ok as boolean;
}
export async function run() {
  const client = await pool.connect();
  try {
    const locked = await tryLock(client).catch(() => false);
    if (!locked) return;
    try { await work(); } finally { await client.query('SELECT pg_advisory_unlock(1)'); }
  } finally { client.release(); }
}`),
  inPg('tried until got', `
const tryLock = async (client: PoolClient) => (await client.query('SELECT pg_try_advisory_lock(1) AS ok')).rows[0].ok;
export async function run() {
  const client = await pool.connect();
  try {
    while (!(await tryLock(client))) await work();
    try { await work(); } finally { await client.query('SELECT pg_advisory_unlock(1)'); }
  } finally { client.release(); }
}`),
  inPg('answer in a chain', `
export async function run() {
  const client = await pool.connect();
  const ok = await client.query('SELECT pg_try_advisory_lock(1) AS ok').then((result) => result.rows[0].ok);
  if (!ok) { client.release(); return; }
  try { await work(); } finally { await client.query('SELECT pg_advisory_unlock(1)'); client.release(); }
}`),
  inPg('handle object or null', `
async function acquire(key: number) {
  const client = await pool.connect();
  const { rows: [{ locked }] } = await client.query('SELECT pg_try_advisory_lock($1) AS locked', [key]);
  if (!locked) { client.release(); return null; }
  return { client, unlock: async () => { await client.query('SELECT pg_advisory_unlock($1)', [key]); client.release(); } };
}
export async function run() {
  const lock = await acquire(1);
  if (!lock) return;
  try { await work(); } finally { await lock.unlock(); }
}`),
  inPg('handle object or null, not unlocked on failure', `
async function acquire(key: number) {
  const client = await pool.connect();
  const { rows: [{ locked }] } = await client.query('SELECT pg_try_advisory_lock($1) AS locked', [key]);
  if (!locked) { client.release(); return null; }
  return { client, unlock: async () => { await client.query('SELECT pg_advisory_unlock($1)', [key]); client.release(); } };
}
export async function run() {
  const lock = await acquire(1);
  if (!lock) return;
  await work();
  await lock.unlock();
}`, ['leak pg_try_advisory_lock@6 throw@13 not-unlocked']),
  inPg('union of outcomes', `
async function acquire(client: PoolClient): Promise<{ acquired: boolean }> {
  const { rows } = await client.query('SELECT pg_try_advisory_lock(1) AS ok');
  if (!rows[0].ok) return { acquired: false };
  return { acquired: true };
}
export async function run() {
  const client = await pool.connect();
  try {
    const { acquired } = await acquire(client);
    if (!acquired) return;
    try { await work(); } finally { await client.query('SELECT pg_advisory_unlock(1)'); }
  } finally { client.release(); }
}`),
  inPg('state in an object', `
export async function run() {
  const client = await pool.connect();
  const state = { locked: false };
  try {
    const { rows } = await client.query('SELECT pg_try_advisory_lock(1) AS ok');
    state.locked = rows[0].ok;
    if (state.locked) await work();
  } finally {
    if (state.locked) await client.query('SELECT pg_advisory_unlock(1)');
    client.release();
  }
}`),
  inPg('switch with a default that throws', `
export async function run(mode: string) {
  const client = await pool.connect();
  try {
    switch (mode) {
      case 'shared': await client.query('SELECT pg_advisory_lock_shared(1)'); break;
      case 'exclusive': await client.query('SELECT pg_advisory_lock(1)'); break;
      default: throw new Error(mode);
    }
    try { await work(); } finally {
      if (mode === 'shared') await client.query('SELECT pg_advisory_unlock_shared(1)');
      else await client.query('SELECT pg_advisory_unlock(1)');
    }
  } finally { client.release(); }
}`),
  inPg('aborted by a signal', `
export async function run(signal: AbortSignal) {
  const client = await pool.connect();
  signal.addEventListener('abort', () => client.release(true), { once: true });
  await client.query('SELECT pg_advisory_lock(1)');
  await work();
  await client.query('SELECT pg_advisory_unlock(1)');
  client.release();
}`),
  inPg('generator', `
export async function* run() {
  const client = await pool.connect();
  try {
    await client.query('SELECT pg_advisory_lock(1)');
    try { yield 1; } finally { await client.query('SELECT pg_advisory_unlock(1)'); }
  } finally { client.release(); }
}`),
  inPg('generator that may be abandoned', `
export async function* run() {
  const client = await pool.connect();
  await client.query('SELECT pg_advisory_lock(1)');
  yield 1;
  await client.query('SELECT pg_advisory_unlock(1)');
  client.release();
}`, ['leak pg_advisory_lock@6 return@4 not-unlocked', 'leak pg_advisory_lock@6 throw@7 not-unlocked']),
  inPg('leader that keeps its lock', `
export class Leader {
  private client?: Client;
  async start(): Promise<boolean> {
    this.client = new Client();
    await this.client.connect();
    const { rows } = await this.client.query('SELECT pg_try_advisory_lock(1) AS ok');
    if (!rows[0].ok) { await this.client.end(); return false; }
    return true;
  }
  async stop() { await this.client?.end(); }
}`),
  inPg('stacked by an interval', `
export class Leader {
  constructor(private readonly client: Client) { setInterval(() => void this.beat(), 1000); }
  private async beat() {
    const { rows } = await this.client.query('SELECT pg_try_advisory_lock(1) AS ok');
    if (rows[0].ok) log('leader');
  }
}`, ['stacked pg_try_advisory_lock@7 repeated']),
  inPg('flag keeps an interval from stacking', `
export class Leader {
  private leader = false;
  constructor(private readonly client: Client) { setInterval(() => void this.beat(), 1000); }
  private async beat() {
    if (this.leader) return;
    const { rows } = await this.client.query('SELECT pg_try_advisory_lock(1) AS ok');
    this.leader = rows[0].ok;
  }
}`),
  inPg('guard that only gives back', `
export class Guard {
  private constructor(private readonly client: PoolClient) {}
  static async acquire() {
    const client = await pool.connect();
    const { rows } = await client.query('SELECT pg_try_advisory_lock(1) AS ok');
    if (rows[0].ok) return new Guard(client);
    client.release();
    return null;
  }
  close() { this.client.release(); }
}`, ['give-back pg_try_advisory_lock@8 no-unlock call@13']),
  inPg('guard that unlocks', `
export class Guard {
  private constructor(private readonly client: PoolClient) {}
  static async acquire() {
    const client = await pool.connect();
    const { rows } = await client.query('SELECT pg_try_advisory_lock(1) AS ok');
    if (rows[0].ok) return new Guard(client);
    client.release();
    return null;
  }
  async unlock() { await this.client.query('SELECT pg_advisory_unlock(1)'); }
  close() { this.client.release(); }
}`),
  inPg('guard that ends the session', `
export class Guard {
  private constructor(private readonly client: PoolClient) {}
  static async acquire() {
    const client = await pool.connect();
    await client.query('SELECT pg_advisory_lock(1)');
    return new Guard(client);
  }
  close() { this.client.release(true); }
}`),
  inPg('held flag in a field', `
export class Lock {
  private held = false;
  constructor(private readonly client: PoolClient) {}
  async run() {
    const { rows } = await this.client.query('SELECT pg_try_advisory_lock(1) AS ok');
    this.held = rows[0].ok;
    try { if (this.held) await work(); } finally {
      if (this.held) { await this.client.query('SELECT pg_advisory_unlock(1)'); this.held = false; }
    }
  }
}`),
];
