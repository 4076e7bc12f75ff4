/** Queries as postgres.js makes them and Bun's SQL copies them. */
import type { Call, Kind, Result } from '../driver.js';

const rows: Result = { shape: 'rows', at: [] };
const rowArrays: Result = { shape: 'row-arrays', at: [] };
const unknown: Result = { shape: 'unknown' };
const collected = { sql: [{ receiver: true }], lazy: 'memoized' } as const;

/** The tag sends a query; a query used as a value in another template is a fragment of that one. */
export const postgresTag: Call = {
  sends: { sql: [{ template: true }], result: rows, lazy: 'memoized' },
  fragment: { sql: [{ template: true }], as: 'sql' },
  gives: { kind: 'query', same: true },
};

export const postgresUnsafe: Call = {
  sends: { sql: [{ argument: 0 }], values: [{ argument: 1 }], result: rows, lazy: 'memoized', multipleStatements: true },
  fragment: { sql: [{ argument: 0 }], values: [{ argument: 1 }], as: 'sql' },
  gives: { kind: 'query', same: true },
};

/** `sql(name)` quotes an identifier, `sql(object)` and `sql([…])` insert a list. */
export const postgresHelper: Call = { fragment: { sql: [{ argument: 0 }], as: 'identifier' } };

/** Options or a name may stand before the callback, which may return an array of queries. */
export const postgresBegin: Call = {
  callback: { argument: 'last', parameters: { 0: 'transaction' }, returnsBatch: true },
  isolation: [{ argument: 0 }],
};

export const postgresQueryKinds = {
  query: {
    methods: {
      execute: { sends: { sql: [{ receiver: true }], result: rows }, gives: { kind: 'query', same: true } },
      simple: { gives: { kind: 'query', same: true } },
      values: { gives: { kind: 'value-query', same: true } },
      raw: { gives: { kind: 'unknown-query', same: true } },
    },
    awaits: { ...collected, result: rows },
  },
  'value-query': {
    extends: 'query',
    methods: { execute: { sends: { sql: [{ receiver: true }], result: rowArrays }, gives: { kind: 'value-query', same: true } } },
    awaits: { ...collected, result: rowArrays },
  },
  'unknown-query': {
    extends: 'query',
    methods: { execute: { sends: { sql: [{ receiver: true }], result: unknown }, gives: { kind: 'unknown-query', same: true } } },
    awaits: { ...collected, result: unknown },
  },
} as const satisfies Record<string, Kind>;
