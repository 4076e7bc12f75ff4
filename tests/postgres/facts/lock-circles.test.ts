import { useOwnDatabase } from '../own-database.js';

const shortly = (milliseconds: number): Promise<'waiting'> => new Promise((resolve) => setTimeout(resolve, milliseconds, 'waiting'));

/** As docs/locks.md says of nested helpers that take a connection for each lock. */
describe('locks in a circle, each on a connection of its own', () => {
  const database = useOwnDatabase();

  it('are no deadlock to the server, and wait until somebody lets go', async () => {
    const [holdsA, waitsForB, holdsB, waitsForA] = await Promise.all([database.newClient(), database.newClient(), database.newClient(), database.newClient()]);
    await holdsA.query('SELECT pg_advisory_lock(11)');
    await holdsB.query('SELECT pg_advisory_lock(12)');
    const waits = Promise.allSettled([waitsForB.query('SELECT pg_advisory_lock(12)'), waitsForA.query('SELECT pg_advisory_lock(11)')]);
    // Many times the deadlock_timeout of these tests.
    expect(await Promise.race([waits, shortly(1_500)])).toBe('waiting');
    await holdsA.query('SELECT pg_advisory_unlock(11)');
    await holdsB.query('SELECT pg_advisory_unlock(12)');
    expect(await waits).toEqual([expect.objectContaining({ status: 'fulfilled' }), expect.objectContaining({ status: 'fulfilled' })]);
  });
});
