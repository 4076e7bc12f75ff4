import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type pg from 'pg';
import { root } from '../built.js';
import { backendsWithLock, heldLocks, until, useOwnDatabase } from './own-database.js';

/** The SQL of docs/diagnosing.md, by the heading it stands under. */
const queries = new Map<string, string[]>();
for (const [, heading = '', section = ''] of readFileSync(join(root, 'docs/diagnosing.md'), 'utf8').matchAll(/^## (.*)\n((?:(?!^## ).*\n?)*)/gm)) {
  const found = [...section.matchAll(/^```sql\n([\s\S]*?)^```/gm)].map(([, sql = '']) => sql);
  if (found.length > 0) queries.set(heading, found);
}

describe('the queries of docs/diagnosing.md', () => {
  const database = useOwnDatabase();
  const sessions = new Map<string, { client: pg.Client; backend: number }>();
  const run = async (heading: string, change: (sql: string) => string = (sql) => sql, index = 0): Promise<Record<string, unknown>[]> => {
    const sql = queries.get(heading)?.[index];
    if (sql === undefined) throw new Error(`There is no such query under ${heading}.`);
    const { rows } = await database.observer.query<Record<string, unknown>>(change(sql));
    return rows;
  };
  const backend = (name: string): number => sessions.get(name)?.backend ?? 0;
  const client = (name: string): pg.Client => {
    const session = sessions.get(name);
    if (!session) throw new Error(`${name} is not connected.`);
    return session.client;
  };
  /** Not a minute ago, but any time before. */
  const anyTime = (sql: string): string => {
    expect(sql).toContain("interval '1 minute'");
    return sql.replace("interval '1 minute'", "interval '0'");
  };

  beforeAll(async () => {
    for (const name of ['holder', 'reader', 'leader', 'waiter', 'shared waiter']) {
      const opened = await database.newClient({ application_name: name });
      const { rows } = await opened.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
      sessions.set(name, { client: opened, backend: rows[0]?.pid ?? 0 });
    }
    await client('holder').query("SELECT pg_advisory_lock(4201), pg_advisory_lock(7, 42), pg_advisory_lock(hashtextextended('order:42', 0))");
    await client('reader').query('BEGIN; SELECT pg_advisory_xact_lock_shared(-5)');
    await client('leader').query('SELECT pg_advisory_lock(-1, -2147483648)');
    const waits = [client('waiter').query('SELECT pg_advisory_lock(4201)')];
    await until('the waiter waited', async () => (await backendsWithLock(database.observer, 4201, false)).length === 1);
    waits.push(client('shared waiter').query('SELECT pg_advisory_lock_shared(4201)'));
    // Those that still wait at the end are ended with their sessions.
    void Promise.allSettled(waits);
    await until('both waited', async () => (await backendsWithLock(database.observer, 4201, false)).length === 2);
  });

  it('are all tried here', () => {
    expect(Object.fromEntries([...queries].map(([heading, found]) => [heading, found.length]))).toEqual({
      'Who holds, who waits': 1,
      'Whom they wait for': 1,
      'Who holds one key': 1,
      'As a metric': 1,
      'Freeing one': 1,
      'When another tool is the better one': 5,
    });
  });

  it('show who holds and who waits, with the keys as they were written', async () => {
    const { rows: hashes } = await database.observer.query<{ hash: string }>("SELECT hashtextextended('order:42', 0) AS hash");
    const rows = await run('Who holds, who waits');
    const seen = rows.map(({ pid, what, key, mode, state, application_name: name }) => [name, pid, what, key, mode, state]);
    expect(new Set(seen)).toEqual(
      new Set([
        ['holder', backend('holder'), 'holds', '4201', 'ExclusiveLock', 'idle'],
        ['holder', backend('holder'), 'holds', '7, 42', 'ExclusiveLock', 'idle'],
        ['holder', backend('holder'), 'holds', hashes[0]?.hash, 'ExclusiveLock', 'idle'],
        ['reader', backend('reader'), 'holds', '-5', 'ShareLock', 'idle in transaction'],
        ['leader', backend('leader'), 'holds', '-1, -2147483648', 'ExclusiveLock', 'idle'],
        ['waiter', backend('waiter'), 'waits', '4201', 'ExclusiveLock', 'active'],
        ['shared waiter', backend('shared waiter'), 'waits', '4201', 'ShareLock', 'active'],
      ]),
    );
    expect(rows.find(({ pid }) => pid === backend('waiter'))?.['blocked_by']).toEqual([backend('holder')]);
    expect(rows.find(({ pid }) => pid === backend('holder'))).toMatchObject({
      blocked_by: [],
      last_statement: expect.stringContaining('SELECT pg_advisory_lock(4201)'),
    });
  });

  it('show whom they wait for, those before them in the queue included', async () => {
    const rows = await run('Whom they wait for');
    expect(new Set(rows.map((row) => [row['waiting'], row['blocked_by'], row['application_name'], row['state']]))).toEqual(
      new Set([
        [backend('waiter'), backend('holder'), 'holder', 'idle'],
        [backend('shared waiter'), backend('holder'), 'holder', 'idle'],
        [backend('shared waiter'), backend('waiter'), 'waiter', 'active'],
      ]),
    );
  });

  it('show who holds one key', async () => {
    expect(await run('Who holds one key')).toEqual([{ pid: backend('holder'), state: 'idle', application_name: 'holder' }]);
    expect(await run('Who holds one key', (sql) => sql.replace('order:42', 'order:43'))).toEqual([]);
    expect(await run('Who holds one key', (sql) => sql.replace("hashtextextended('order:42', 0)", '-5'))).toMatchObject([{ pid: backend('reader') }]);
  });

  it('count the idle holders, without those that are excepted', async () => {
    expect(await run('As a metric')).toEqual([{ idle_holders: '0', longest_seconds: 0 }]);
    expect(await run('As a metric', anyTime)).toEqual([{ idle_holders: '2', longest_seconds: expect.any(Number) }]);
  });

  it('free one, when it has been idle for long enough, and the next one gets it', async () => {
    expect(await run('Freeing one')).toEqual([]);
    expect(await run('Freeing one', anyTime)).toEqual([{ pid: backend('holder'), ended: true }]);
    await until('the waiter got the lock', async () => (await backendsWithLock(database.observer, 4201)).includes(backend('waiter')));
    expect(await heldLocks(database.observer)).toBe(3);
  });

  it('cannot be replaced by an unlock or a cancel of somebody else’s', async () => {
    const { rows } = await database.observer.query('SELECT pg_advisory_unlock(4201) AS unlocked, pg_cancel_backend($1) AS cancelled', [backend('waiter')]);
    expect(rows).toEqual([{ unlocked: false, cancelled: true }]);
    expect(await backendsWithLock(database.observer, 4201)).toEqual([backend('waiter')]);
  });

  it('give a lease to one, and to the next when it has expired', async () => {
    const heading = 'When another tool is the better one';
    const asWorker2 = (sql: string): string => sql.replace('worker-1', 'worker-2');
    const own = (sql: string): string => sql;
    await run(heading, own, 0);
    expect(await run(heading, own, 1)).toEqual([{ token: '1' }]);
    expect(await run(heading, asWorker2, 1)).toEqual([]);
    expect(await run(heading, own, 2)).toEqual([{ token: '1' }]);
    await database.observer.query("UPDATE leases SET expires_at = now() - interval '1 second'");
    expect(await run(heading, own, 2)).toEqual([]);
    expect(await run(heading, asWorker2, 1)).toEqual([{ token: '2' }]);
    expect(await run(heading, own, 2)).toEqual([]);
  });

  it('let one thing happen once', async () => {
    const heading = 'When another tool is the better one';
    await run(heading, (sql) => sql, 3);
    expect(await run(heading, (sql) => sql, 4)).toEqual([{ order_id: '42' }]);
    expect(await run(heading, (sql) => sql, 4)).toEqual([]);
  });
});
