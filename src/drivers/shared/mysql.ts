/** The callback API that mysql and mysql2 share. */
import type { Call, GiveDetails, Kind, PlaceholderStyle, Result } from '../driver.js';

export const mysqlPlaceholders: readonly PlaceholderStyle[] = ['question-mark', 'colon'];

export const mysqlText = {
  sql: [{ argument: 0, property: 'sql' }, { argument: 0 }],
  values: [{ argument: 0, property: 'values' }, { argument: 1 }],
  clientTimeout: [{ argument: 0, property: 'timeout' }],
} as const;

export const mysqlPoolConfiguration = {
  singleWhen: [{ at: { argument: 0, property: 'connectionLimit' }, equals: 1 }],
  resetsOnReleaseWhen: [{ at: { argument: 0, property: 'resetOnRelease' }, equals: true }],
  url: [
    { argument: 0 },
    { argument: 0, property: 'uri' },
    { argument: 0, property: 'host' },
    { argument: 0, property: 'port' },
  ],
} as const satisfies Omit<GiveDetails, 'kind'>;

const rows: Result = { shape: 'rows', at: [] };
const rowArrays: Result = { shape: 'row-arrays', at: [] };
const unknown: Result = { shape: 'unknown' };

/** Without a callback, a query emits its rows one by one. */
const query: Call = {
  sends: { ...mysqlText, result: unknown, callback: { argument: 'last', parameter: 1, result: rows } },
  variants: [
    {
      when: [{ at: { argument: 0, property: 'rowsAsArray' }, equals: true }],
      sends: { ...mysqlText, result: unknown, callback: { argument: 'last', parameter: 1, result: rowArrays } },
    },
    {
      when: [{ at: { argument: 0, property: 'nestTables' }, present: true }],
      sends: { ...mysqlText, result: unknown, callback: { argument: 'last', parameter: 1, result: unknown } },
    },
  ],
};

const getConnection: Call = {
  callback: { argument: 'last', parameters: { 1: 'pool-connection' }, runs: 'later' },
};

export const mysqlKinds = {
  pool: {
    role: 'pool',
    methods: {
      query,
      execute: query,
      getConnection,
      releaseConnection: { effect: { does: 'gives-back', of: { argument: 0 } } },
      end: { effect: { does: 'closes' } },
    },
  },
  connection: {
    role: 'connection',
    methods: {
      query,
      execute: query,
      beginTransaction: { effect: { does: 'begins' } },
      commit: { effect: { does: 'commits' } },
      rollback: { effect: { does: 'rolls-back' } },
      end: { effect: { does: 'closes' } },
      destroy: { effect: { does: 'closes' } },
    },
    dispose: { does: 'closes' },
  },
  'pool-connection': {
    role: 'connection',
    extends: 'connection',
    methods: { release: { effect: { does: 'gives-back' } }, end: { effect: { does: 'gives-back' } } },
    dispose: { does: 'gives-back' },
  },
  cluster: { methods: { of: { gives: 'pool' }, getConnection, end: { effect: { does: 'closes' } } } },
} as const satisfies Record<string, Kind>;
