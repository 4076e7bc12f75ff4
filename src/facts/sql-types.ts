export const integerTypes: ReadonlySet<string> = new Set(['int2', 'int4', 'int8']);

/** Result types of functions that people compute keys with, under PostgreSQL's names. */
export const returnTypes: Readonly<Record<string, string>> = {
  pg_backend_pid: 'int4',
  length: 'int4',
  char_length: 'int4',
  ascii: 'int4',
  strpos: 'int4',
  nextval: 'int8',
  currval: 'int8',
  lastval: 'int8',
  count: 'int8',
  txid_current: 'int8',
  random: 'float8',
  extract: 'numeric',
  date_part: 'float8',
  to_number: 'numeric',
  now: 'timestamptz',
  clock_timestamp: 'timestamptz',
  statement_timestamp: 'timestamptz',
  transaction_timestamp: 'timestamptz',
  current_timestamp: 'timestamptz',
  current_date: 'date',
  gen_random_uuid: 'uuid',
  uuid_generate_v4: 'uuid',
  uuid_generate_v1: 'uuid',
  lower: 'text',
  upper: 'text',
  format: 'text',
  encode: 'text',
  quote_literal: 'text',
  concat_ws: 'text',
  to_char: 'text',
  translate: 'text',
};

/** Types that are no key, and have no implicit cast to one. */
export const foreignTypes: ReadonlySet<string> = new Set([
  'numeric', 'float4', 'float8', 'money', 'text', 'varchar', 'bpchar', 'name', 'bool', 'uuid', 'oid', 'regclass', 'xid', 'xid8', 'date', 'timestamp',
  'timestamptz', 'time', 'timetz', 'interval', 'json', 'jsonb', 'bytea', 'bit', 'varbit',
]);

const rank: Readonly<Record<string, number>> = { int2: 1, int4: 2, int8: 3, numeric: 4, float4: 5, float8: 5 };

/** The type of an arithmetic result or a COALESCE of these types; null where it is not known. */
export function commonType(types: readonly string[]): string | null {
  const known = types.filter((type) => rank[type] !== undefined);
  if (known.length < types.length || known.length === 0) return null;
  return known.reduce((widest, type) => ((rank[type] ?? 0) > (rank[widest] ?? 0) ? type : widest));
}
