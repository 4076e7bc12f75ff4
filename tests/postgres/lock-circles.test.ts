import { useOwnDatabase } from './own-database.js';

const shortly = (milliseconds: number): Promise<'waiting'> => new Promise((resolve) => setTimeout(resolve, milliseconds, 'waiting'));

/** docs/locks.md says what becomes of sessions that meet in a circle, and that two forms of a key never meet. */
describe('locks in a circle', () => {
  const database = useOwnDatabase();

  it('are ended by the server where one connection holds and waits', async () => {
    const [one, other] = [await database.newClient(), await database.newClient()];
    for (const session of [one, other]) await session.query('BEGIN');
    await one.query('SELECT pg_advisory_xact_lock(1)');
    await other.query('SELECT pg_advisory_xact_lock(2)');
    const waits = await Promise.allSettled([one.query('SELECT pg_advisory_xact_lock(2)'), other.query('SELECT pg_advisory_xact_lock(1)')]);
    const refused = waits.flatMap((wait) => (wait.status === 'rejected' ? [wait.reason as unknown] : []));
    expect(refused).toEqual([expect.objectContaining({ code: '40P01' })]);
  });

  it('are not seen by the server where each lock has a connection of its own', async () => {
    const [holdsA, waitsForB, holdsB, waitsForA] = await Promise.all([database.newClient(), database.newClient(), database.newClient(), database.newClient()]);
    await holdsA.query('SELECT pg_advisory_lock(11)');
    await holdsB.query('SELECT pg_advisory_lock(12)');
    const waits = [waitsForB.query('SELECT pg_advisory_lock(12)'), waitsForA.query('SELECT pg_advisory_lock(11)')];
    // Many times the deadlock_timeout of these tests.
    expect(await Promise.race([Promise.allSettled(waits), shortly(1_500)])).toBe('waiting');
    await holdsA.query('SELECT pg_advisory_unlock(11)');
    await holdsB.query('SELECT pg_advisory_unlock(12)');
    await Promise.all(waits);
  });

  it('cannot be made of a key in two forms', async () => {
    const [one, other] = [await database.newClient(), await database.newClient()];
    await one.query('SELECT pg_advisory_lock(7)');
    const { rows } = await other.query('SELECT pg_try_advisory_lock(7, 0) AS zero, pg_try_advisory_lock(0, 7) AS low, pg_try_advisory_lock(7) AS same');
    expect(rows).toEqual([{ zero: true, low: true, same: false }]);
  });
});
