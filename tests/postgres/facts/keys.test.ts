import { createHash } from 'node:crypto';
import { heldLocks, outcomeOf, useOwnDatabase } from '../own-database.js';

describe('a key', () => {
  const database = useOwnDatabase();

  it.each([
    // One key: bigint.
    ['9223372036854775807', 'ok'],
    ['-9223372036854775808', 'ok'],
    ['9223372036854775808', '42883'],
    ["'42'", 'ok'],
    ["'abc'", '22P02'],
    ["''", '22P02'],
    ["'1.5'", '22P02'],
    ["'9223372036854775808'", '22003'],
    ['1.0', '42883'],
    ['1e3', '42883'],
    ['1::smallint', 'ok'],
    ['1::float8', '42883'],
    ["'1'::text", '42883'],
    ['true', '42883'],
    ['1::oid', '42883'],
    ["'00000000-0000-0000-0000-000000000001'::uuid", '42883'],
    ["'00000000-0000-0000-0000-000000000001'::uuid::text::bigint", '22P02'],
    ['', '42883'],
    ['1, 2, 3', '42883'],
    ["hashtextextended('a', 0)", 'ok'],
    ["hashtext('a')", 'ok'],
    // Two keys: integer.
    ['2147483647, -2147483648', 'ok'],
    ['2147483648, 1', '42883'],
    ['1, 3000000000', '42883'],
    ["'2147483648', '1'", '22003'],
    ['1, 2::bigint', '42883'],
    ["1, hashtextextended('a', 0)", '42883'],
    ["1, hashtext('a')", 'ok'],
  ])('(%s): %s', async (key, outcome) => {
    expect(await outcomeOf(database.observer, `SELECT pg_try_advisory_xact_lock(${key})`)).toBe(outcome);
  });

  it.each([
    ['a number', [42], 'ok'],
    ['a bigint', [42n], 'ok'],
    ['a string of digits', ['42'], 'ok'],
    ['a fraction', [1.5], '22P02'],
    ['NaN', [Number.NaN], '22P02'],
    ['a boolean', [true], '22P02'],
    ['2 ** 63', [2n ** 63n], '22003'],
    ['the greatest bigint as a number', [Number(2n ** 63n - 1n)], '22003'],
    ['two integers', [1, 2], 'ok'],
    ['an integer and 2 ** 31', [1, 2 ** 31], '22003'],
  ])('bound as %s', async (_, values, outcome) => {
    const placeholders = values.map((__, index) => `$${index + 1}`).join(', ');
    expect(await outcomeOf(database.observer, `SELECT pg_try_advisory_xact_lock(${placeholders})`, values)).toBe(outcome);
  });

  it('beyond 2 ** 53 is rounded by JavaScript, so two become one', async () => {
    const client = await database.newClient();
    await client.query('SELECT pg_advisory_lock($1)', [Number(2n ** 53n + 1n)]);
    await client.query('SELECT pg_advisory_lock($1)', [2 ** 53]);
    expect(await heldLocks(database.observer)).toBe(1);
    await client.end();
  });

  it.each(['pg_advisory_lock(NULL)', 'pg_advisory_lock(1, NULL)', 'pg_try_advisory_lock(NULL)', 'pg_advisory_lock(hashtext(NULL))', 'pg_advisory_unlock(NULL)'])(
    '%s answers NULL, takes no lock, and says nothing',
    async (call) => {
      const client = await database.newClient();
      const notices: unknown[] = [];
      client.on('notice', (notice) => notices.push(notice));
      const { rows } = await client.query<{ cell: unknown }>(`SELECT ${call} AS cell`);
      expect(rows).toEqual([{ cell: null }]);
      expect(await heldLocks(database.observer)).toBe(0);
      expect(notices).toEqual([]);
      await client.end();
    },
  );

  it.each([
    ['4294967298', '1, 2'],
    ['1', '0, 1'],
    ['-1', '-1, -1'],
    ['1, 2', '2, 1'],
  ])('(%s) and (%s) are two locks', async (one, other) => {
    const [holder, rival] = await Promise.all([database.newClient(), database.newClient()]);
    await holder.query(`SELECT pg_advisory_lock(${one})`);
    const { rows } = await rival.query<{ taken: boolean }>(`SELECT pg_try_advisory_lock(${other}) AS taken`);
    expect(rows).toEqual([{ taken: true }]);
    await Promise.all([holder.end(), rival.end()]);
  });

  describe('made by a hash', () => {
    it.each([
      ['user:78002', 'user:180762'],
      ['user:96734', 'user:165161'],
      ['user:70606', 'user:156495'],
    ])('hashtext has 32 bits: %s and %s collide, and with hashtextextended do not', async (one, other) => {
      const { rows } = await database.observer.query(
        'SELECT hashtext($1) = hashtext($2) AS short, hashtextextended($1, 0) = hashtextextended($2, 0) AS long',
        [one, other],
      );
      expect(rows).toEqual([{ short: true, long: false }]);
    });

    it('hashtext meets small numbers of ids in the form with one key, and not beside a class id', async () => {
      const { rows } = await database.observer.query<{ hash: number }>("SELECT hashtext('x') AS hash");
      expect(rows).toEqual([{ hash: 1_074_944_137 }]);
    });

    it('a million names collide about a hundred times with 32 bits, and never with 64', async () => {
      const { rows } = await database.observer.query(
        `SELECT count(*) - count(DISTINCT hashtext('order:' || n)) AS short, count(*) - count(DISTINCT hashtextextended('order:' || n, 0)) AS long
         FROM generate_series(1, 1000000) AS n`,
      );
      expect(rows).toEqual([{ short: expect.stringMatching(/^(?:9\d|1[0-3]\d)$/), long: '0' }]);
    });

    it('a digest read as signed 64 bits is always a key, as unsigned ones only half of the time', async () => {
      const digests = Array.from({ length: 40 }, (_, index) => createHash('sha256').update(String(index)).digest());
      const outcomes = async (keys: readonly bigint[]): Promise<Set<string>> => {
        const found = new Set<string>();
        for (const key of keys) found.add(await outcomeOf(database.observer, 'SELECT pg_try_advisory_xact_lock($1)', [key]));
        return found;
      };
      expect(await outcomes(digests.map((digest) => digest.readBigInt64BE(0)))).toEqual(new Set(['ok']));
      expect(await outcomes(digests.map((digest) => digest.readBigUInt64BE(0)))).toEqual(new Set(['ok', '22003']));
    });
  });
});
