import type pg from 'pg';
import { backendsWithLock, heldLocks, outcomeOf, until, useOwnDatabase } from '../own-database.js';

describe('in and between transactions', () => {
  const database = useOwnDatabase();
  const waits = (key: number, count = 1): Promise<void> =>
    until(`${count} sessions waited for key ${key}`, async () => (await backendsWithLock(database.observer, key, false)).length === count);
  const cell = async (client: pg.Client, sql: string): Promise<unknown> => {
    const { rows } = await client.query<{ cell: unknown }>(sql);
    return rows[0]?.cell;
  };
  const two = (): Promise<[pg.Client, pg.Client]> => Promise.all([database.newClient(), database.newClient()]);

  beforeEach(async () => {
    await database.observer.query('CREATE TABLE counters (id int PRIMARY KEY, value int NOT NULL); INSERT INTO counters VALUES (1, 0)');
  });
  afterEach(async () => {
    await database.observer.query('DROP TABLE counters');
  });

  describe('a transaction lock', () => {
    it.each(['COMMIT', 'ROLLBACK'])('ends with %s', async (end) => {
      const client = await database.newClient();
      await client.query('BEGIN; SELECT pg_advisory_xact_lock(1)');
      expect(await heldLocks(database.observer)).toBe(1);
      await client.query(end);
      expect(await heldLocks(database.observer)).toBe(0);
      await client.end();
    });

    it('outside a transaction ends with its own statement', async () => {
      const client = await database.newClient();
      await client.query('SELECT pg_advisory_xact_lock(2)');
      expect(await heldLocks(database.observer)).toBe(0);
      await client.end();
    });

    it('lasts to the end of a text of several statements', async () => {
      const client = await database.newClient();
      const sent = client.query('SELECT pg_advisory_xact_lock(3); SELECT pg_sleep(60)');
      await until('the lock was held', async () => (await heldLocks(database.observer)) === 1);
      const [backend] = await backendsWithLock(database.observer, 3);
      await database.observer.query('SELECT pg_cancel_backend($1)', [backend]);
      await expect(sent).rejects.toThrow('canceling statement');
      // The error is reported before the transaction is cleaned up.
      await until('the lock was freed', async () => (await heldLocks(database.observer)) === 0);
      await client.end();
    });

    it('is given back by ROLLBACK TO a savepoint before it, and not by RELEASE', async () => {
      const client = await database.newClient();
      await client.query('BEGIN; SELECT pg_advisory_xact_lock(4); SAVEPOINT s; SELECT pg_advisory_xact_lock(5); RELEASE s; SAVEPOINT t; SELECT pg_advisory_xact_lock(6)');
      await client.query('ROLLBACK TO t');
      expect(await backendsWithLock(database.observer, 6)).toEqual([]);
      expect(await heldLocks(database.observer)).toBe(2);
      await client.query('ROLLBACK');
      await client.end();
    });

    it('is not released by pg_advisory_unlock, which answers false', async () => {
      const client = await database.newClient();
      await client.query('BEGIN; SELECT pg_advisory_xact_lock(7)');
      expect(await cell(client, 'SELECT pg_advisory_unlock(7) AS cell')).toBe(false);
      expect(await backendsWithLock(database.observer, 7)).toHaveLength(1);
      await client.query('COMMIT');
      await client.end();
    });
  });

  describe('the snapshot', () => {
    const increment = async (holder: pg.Client): Promise<void> => {
      await holder.query('UPDATE counters SET value = 1 WHERE id = 1');
      await holder.query('COMMIT');
    };

    it.each([
      ['read committed, the lock in a statement of its own', 'READ COMMITTED', 'ok', 1],
      ['repeatable read', 'REPEATABLE READ', '40001', 0],
      ['serializable', 'SERIALIZABLE', '40001', 0],
    ])('of %s', async (_, level, outcome, seen) => {
      const [holder, waiter] = await two();
      await holder.query('BEGIN; SELECT pg_advisory_xact_lock(8)');
      await waiter.query(`BEGIN ISOLATION LEVEL ${level}`);
      const acquired = waiter.query('SELECT pg_advisory_xact_lock(8)');
      await waits(8);
      await increment(holder);
      await acquired;
      expect(await cell(waiter, 'SELECT value AS cell FROM counters')).toBe(seen);
      expect(await outcomeOf(waiter, 'UPDATE counters SET value = value + 1')).toBe(outcome);
      await waiter.query('ROLLBACK');
      await Promise.all([holder.end(), waiter.end()]);
    });

    it('of one statement that locks and reads is older than the wait', async () => {
      const [holder, waiter] = await two();
      await holder.query('BEGIN; SELECT pg_advisory_xact_lock(9)');
      const read = cell(waiter, 'WITH locked AS MATERIALIZED (SELECT pg_advisory_xact_lock(9)) SELECT value AS cell FROM counters, locked');
      await waits(9);
      await increment(holder);
      expect(await read).toBe(0);
      await Promise.all([holder.end(), waiter.end()]);
    });

    it('shows the old value to who gets a lock that was released before COMMIT', async () => {
      const [holder, waiter] = await two();
      await holder.query('BEGIN; SELECT pg_advisory_lock(10); UPDATE counters SET value = 1; SELECT pg_advisory_unlock(10)');
      await waiter.query('SELECT pg_advisory_lock(10)');
      expect(await cell(waiter, 'SELECT value AS cell FROM counters')).toBe(0);
      await holder.query('COMMIT');
      await Promise.all([holder.end(), waiter.end()]);
    });
  });

  describe('a wait', () => {
    it.each(['pg_advisory_lock', 'pg_advisory_xact_lock'])('for %s ends with 55P03 after lock_timeout, and keeps what was taken before', async (lock) => {
      const [holder, waiter] = await two();
      await holder.query('SELECT pg_advisory_lock(11)');
      await waiter.query("SET lock_timeout = '30ms'; SELECT pg_advisory_lock(12)");
      expect(await outcomeOf(waiter, `SELECT ${lock}(11)`)).toBe('55P03');
      expect(await backendsWithLock(database.observer, 12)).toHaveLength(1);
      await Promise.all([holder.end(), waiter.end()]);
    });

    it('ends with 57014 after statement_timeout, and never by default', async () => {
      const [holder, waiter] = await two();
      expect(await cell(waiter, "SELECT current_setting('lock_timeout') || current_setting('statement_timeout') AS cell")).toBe('00');
      await holder.query('SELECT pg_advisory_lock(13)');
      await waiter.query("SET statement_timeout = '30ms'");
      expect(await outcomeOf(waiter, 'SELECT pg_advisory_lock(13)')).toBe('57014');
      await Promise.all([holder.end(), waiter.end()]);
    });

    it('is not bounded by SET LOCAL outside a transaction, which only warns', async () => {
      const client = await database.newClient();
      const warnings: (string | undefined)[] = [];
      client.on('notice', ({ code }) => warnings.push(code));
      await client.query("SET LOCAL lock_timeout = '1s'");
      expect(warnings).toEqual(['25P01']);
      await client.query("SELECT set_config('lock_timeout', '1s', true)");
      expect(warnings).toEqual(['25P01']);
      expect(await cell(client, "SELECT current_setting('lock_timeout') AS cell")).toBe('0');
      await client.end();
    });

    it('of a shared lock stands behind that of an exclusive one', async () => {
      const [holder, waiter] = await two();
      await holder.query('SELECT pg_advisory_lock_shared(14)');
      const waiting = waiter.query('SELECT pg_advisory_lock(14)');
      await waits(14);
      expect(await cell(database.observer, 'SELECT pg_try_advisory_lock_shared(14) AS cell')).toBe(false);
      await holder.end();
      await waiting;
      await waiter.end();
    });
  });

  describe('a deadlock', () => {
    const crossed = async (lock: string): Promise<{ victim: pg.Client; survivor: pg.Client; survived: Promise<string>; last: number }> => {
      const [one, other] = await two();
      await one.query(`BEGIN; SELECT ${lock}(21)`);
      await other.query(`BEGIN; SELECT ${lock}(22)`);
      const first = outcomeOf(one, `SELECT ${lock}(22)`);
      await waits(22);
      const second = outcomeOf(other, `SELECT ${lock}(21)`);
      const loser = await Promise.race([first.then((outcome) => ({ outcome, one: true })), second.then((outcome) => ({ outcome, one: false }))]);
      expect(loser.outcome).toBe('40P01');
      return loser.one ? { victim: one, survivor: other, survived: second, last: 21 } : { victim: other, survivor: one, survived: first, last: 22 };
    };

    it('of session locks fails one with 40P01, who keeps what it has, so the other goes on waiting', async () => {
      const { victim, survivor, survived, last } = await crossed('pg_advisory_lock');
      await victim.query('ROLLBACK');
      expect(await backendsWithLock(database.observer, last, false)).toHaveLength(1);
      await victim.query('SELECT pg_advisory_unlock_all()');
      expect(await survived).toBe('ok');
      await Promise.all([victim.end(), survivor.end()]);
    });

    it('of transaction locks is over at once', async () => {
      const { victim, survivor, survived } = await crossed('pg_advisory_xact_lock');
      expect(await survived).toBe('ok');
      await Promise.all([victim.end(), survivor.end()]);
    });

    it('is not seen where one program waits for itself', async () => {
      const [one, other] = await two();
      await one.query('SELECT pg_advisory_lock(23)');
      await other.query("SET lock_timeout = '600ms'");
      expect(await outcomeOf(other, 'SELECT pg_advisory_lock(23)')).toBe('55P03');
      await Promise.all([one.end(), other.end()]);
    });

    it.each([
      ['ORDER BY beside the lock sorts first', 'SELECT pg_advisory_lock(k) FROM unnest(ARRAY[33, 31, 32]) AS k ORDER BY k', [31, 32, 33]],
      ['an array is taken as it is', 'SELECT pg_advisory_lock(k) FROM unnest(ARRAY[33, 31, 32]) AS k', [33, 31, 32]],
    ])('is avoided by one order: %s', async (_, sql, order) => {
      const [last] = order.slice(-1);
      const [holder, waiter] = await two();
      await holder.query('SELECT pg_advisory_lock($1)', [last]);
      const waiting = waiter.query(sql);
      await waits(Number(last));
      // All that come before the last are taken already.
      for (const key of order.slice(0, -1)) expect(await backendsWithLock(database.observer, key)).toHaveLength(1);
      await holder.end();
      await waiting;
      await waiter.end();
    });
  });
});
