import { builtInCatalogue } from '../../../src/sql/lock-functions.js';
import { useOwnDatabase } from '../own-database.js';

interface Signature {
  proname: string;
  result: string;
  arguments: string;
  proisstrict: boolean;
  provolatile: string;
}

describe('the lock functions of the server', () => {
  const database = useOwnDatabase();
  const signatures = async (): Promise<Signature[]> => {
    const { rows } = await database.observer.query<Signature>(
      `SELECT proname, prorettype::regtype::text AS result, pg_get_function_identity_arguments(oid) AS arguments, proisstrict, provolatile
       FROM pg_proc WHERE pronamespace = 'pg_catalog'::regnamespace AND proname LIKE '%advisory%' ORDER BY proname, pronargs`,
    );
    return rows;
  };

  it('are the ones of src/sql/lock-functions.ts, with the results it says', async () => {
    for (const { proname, result } of await signatures()) expect([proname, builtInCatalogue.find([proname])?.returns]).toEqual([proname, result]);
  });

  it('are eleven names and 21 signatures: one bigint, or two integers', async () => {
    const found = await signatures();
    expect(new Set(found.map(({ proname }) => proname)).size).toBe(11);
    expect(found).toHaveLength(21);
    expect(new Set(found.map((signature) => signature.arguments))).toEqual(new Set(['', 'bigint', 'integer, integer']));
  });

  it('are strict, so NULL locks nothing, and volatile, so they run once a row', async () => {
    const found = await signatures();
    expect(found.every(({ proisstrict }) => proisstrict)).toBe(true);
    expect(found.every(({ provolatile }) => provolatile === 'v')).toBe(true);
  });

  it('do not include one that unlocks at the level of the transaction', async () => {
    expect((await signatures()).map(({ proname }) => proname).filter((name) => name.includes('unlock'))).toEqual([
      'pg_advisory_unlock',
      'pg_advisory_unlock',
      'pg_advisory_unlock_all',
      'pg_advisory_unlock_shared',
      'pg_advisory_unlock_shared',
    ]);
  });
});
