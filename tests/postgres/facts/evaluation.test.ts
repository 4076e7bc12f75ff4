import { heldLocks, useOwnDatabase } from '../own-database.js';

/** How many rows a statement returns, and how many locks it takes, on a hundred rows of which ten are rare. */
describe('a lock beside', () => {
  const database = useOwnDatabase();
  beforeAll(async () => {
    await database.observer.query(`
      CREATE TABLE jobs (id bigint PRIMARY KEY, small int NOT NULL, created int NOT NULL, status text NOT NULL);
      INSERT INTO jobs SELECT n, n, 101 - n, CASE WHEN n % 10 = 0 THEN 'rare' ELSE 'usual' END FROM generate_series(1, 100) AS n;
      ANALYZE jobs`);
  });

  it.each([
    // LIMIT cuts off before the select list is evaluated …
    ['LIMIT', 'SELECT pg_advisory_lock(id) FROM jobs LIMIT 1', 1, 1],
    ['WHERE and LIMIT', "SELECT pg_advisory_lock(id) FROM jobs WHERE status = 'rare' LIMIT 3", 3, 3],
    ['ORDER BY and LIMIT', 'SELECT pg_advisory_lock(id) FROM jobs ORDER BY created LIMIT 1', 1, 1],
    ['LIMIT with a condition on the lock', 'SELECT id FROM jobs WHERE pg_try_advisory_lock(id) LIMIT 1', 1, 1],
    // … but not always.
    ['OFFSET', 'SELECT pg_advisory_lock(id) FROM jobs LIMIT 1 OFFSET 3', 1, 4],
    ['WITH TIES', "SELECT pg_advisory_lock(id) FROM jobs ORDER BY status FETCH FIRST 1 ROW WITH TIES", 10, 11],
    ['ORDER BY of what no index gives, with the lock in the condition', 'SELECT id FROM jobs WHERE pg_try_advisory_lock(id) ORDER BY created LIMIT 1', 1, 100],
    ['DISTINCT', 'SELECT DISTINCT pg_try_advisory_lock(id) FROM jobs LIMIT 1', 1, 100],
    ['an aggregate', 'SELECT bool_and(pg_try_advisory_lock(id)) FROM jobs LIMIT 1', 1, 100],
    ['a sort around it', 'SELECT * FROM (SELECT id, created, pg_try_advisory_lock(id) FROM jobs) AS q ORDER BY created LIMIT 1', 1, 100],
    // The cures.
    ['a subquery that cuts off', 'SELECT pg_advisory_lock(q.id) FROM (SELECT id FROM jobs ORDER BY created LIMIT 3) AS q', 3, 3],
    ['a CTE that cuts off', 'WITH q AS MATERIALIZED (SELECT id FROM jobs ORDER BY created LIMIT 3) SELECT pg_advisory_lock(id) FROM q', 3, 3],
    // Filters.
    ['another condition, bigint key', "SELECT id FROM jobs WHERE status = 'rare' AND pg_try_advisory_lock(id)", 10, 100],
    ['another condition, written after it', "SELECT id FROM jobs WHERE pg_try_advisory_lock(id) AND status = 'rare'", 10, 100],
    ['another condition, integer key', "SELECT id FROM jobs WHERE status = 'rare' AND pg_try_advisory_lock(small)", 10, 10],
    ['a costlier condition, integer key', "SELECT id FROM jobs WHERE lower(status) = 'rare' AND pg_try_advisory_lock(small)", 10, 100],
    ['a condition in a subquery', "SELECT id FROM (SELECT id FROM jobs WHERE status = 'rare') AS q WHERE pg_try_advisory_lock(id)", 10, 100],
    ['a condition in a subquery with OFFSET 0', "SELECT id FROM (SELECT id FROM jobs WHERE status = 'rare' OFFSET 0) AS q WHERE pg_try_advisory_lock(id)", 10, 10],
    ['a condition in a materialized CTE', "WITH q AS MATERIALIZED (SELECT id FROM jobs WHERE status = 'rare') SELECT id FROM q WHERE pg_try_advisory_lock(id)", 10, 10],
    ['a condition, in the select list', "SELECT pg_try_advisory_lock(id) FROM jobs WHERE status = 'rare'", 10, 10],
    ['a condition, inside CASE', "SELECT id FROM jobs WHERE CASE WHEN status = 'rare' THEN pg_try_advisory_lock(id) END", 10, 10],
    ['ORDER BY itself', 'SELECT id FROM jobs ORDER BY pg_try_advisory_lock(id) LIMIT 1', 1, 100],
    // Where it is not evaluated at all.
    ['EXISTS', 'SELECT EXISTS (SELECT pg_advisory_lock(1))', 1, 0],
    ['a CTE that nothing reads', 'WITH taken AS (SELECT pg_advisory_lock(1)) SELECT 1', 1, 0],
  ])('%s', async (_, sql, returned, locked) => {
    const client = await database.newClient();
    const { rows } = await client.query(sql);
    expect({ returned: rows.length, locked: await heldLocks(database.observer) }).toEqual({ returned, locked });
    await client.query('SELECT pg_advisory_unlock_all()');
    await client.end();
  });
});
