/** The callback API that mysql and mysql2 share. */
import type { Call, GiveDetails, Kind, PlaceholderStyle, Result, Sends } from '../driver.js';

export const mysqlPlaceholders: readonly PlaceholderStyle[] = ['question-mark', 'colon'];

const text = {
  sql: [{ argument: 0, property: 'sql' }, { argument: 0 }],
  values: [{ argument: 0, property: 'values' }, { argument: 1 }],
} as const;

/** mysql2 rejects after `timeout` and leaves the statement running; mysql gives the connection up. */
export const mysql2Text = { ...text, clientTimeout: [{ argument: 0, property: 'timeout' }] } as const;

export const mysqlPoolConfiguration = {
  singleWhen: [{ at: { argument: 0, property: 'connectionLimit' }, equals: 1 }],
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
const sendingBy =
  (sql: typeof text | typeof mysql2Text) =>
  (result: Result): Sends => ({ ...sql, result: unknown, callback: { argument: 'last', parameter: 1, result } });

const nested = (send: (result: Result) => Sends): Call => ({
  when: [{ at: { argument: 0, property: 'nestTables' }, present: true }],
  sends: send(unknown),
});

const mysqlSends = sendingBy(text);
const mysqlQuery: Call = { sends: mysqlSends(rows), variants: [nested(mysqlSends)] };

const mysql2Sends = sendingBy(mysql2Text);
export const mysql2Query: Call = {
  sends: mysql2Sends(rows),
  variants: [
    { when: [{ at: { argument: 0, property: 'rowsAsArray' }, equals: true }], sends: mysql2Sends(rowArrays) },
    nested(mysql2Sends),
  ],
};

const getConnection: Call = {
  callback: { argument: 'last', parameters: { 1: 'pool-connection' }, runs: 'later' },
};

export const mysqlKinds = {
  pool: {
    role: 'pool',
    methods: {
      query: mysqlQuery,
      getConnection,
      end: { effect: { does: 'closes' } },
    },
  },
  connection: {
    role: 'connection',
    methods: {
      query: mysqlQuery,
      beginTransaction: { effect: { does: 'begins' } },
      commit: { effect: { does: 'commits' } },
      rollback: { effect: { does: 'rolls-back' } },
      end: { effect: { does: 'closes' } },
      destroy: { effect: { does: 'closes' } },
    },
  },
  'pool-connection': {
    role: 'connection',
    extends: 'connection',
    // `end` is an old name of `release`.
    methods: { release: { effect: { does: 'gives-back' } }, end: { effect: { does: 'gives-back' } } },
  },
  cluster: { methods: { of: { gives: 'pool' }, getConnection, end: { effect: { does: 'closes' } } } },
} as const satisfies Record<string, Kind>;
