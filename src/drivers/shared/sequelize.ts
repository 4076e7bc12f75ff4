/** What Sequelize 6 and 7 have in common. */
import type { Binding, Call, GiveDetails, Kind, PlaceholderStyle, Result } from '../driver.js';
import { nodePostgresQuery } from './node-postgres.js';

export const sequelizePlaceholders: readonly PlaceholderStyle[] = ['question-mark', 'colon', 'dollar-name'];
export const sequelizeBinding: Binding = { undefined: 'throws', null: 'null' };

/** `new Sequelize(url, options)`, `new Sequelize(database, user, password, options)`, `new Sequelize(options)`. */
export const sequelize: GiveDetails = {
  kind: 'sequelize',
  singleWhen: [{ at: { argument: 'last', property: 'pool.max' }, equals: 1 }],
  replicaWhen: [{ at: { argument: 'last', property: 'replication' }, present: true }],
  lockTimeout: [{ argument: 'last', property: 'dialectOptions.lock_timeout' }],
  clientTimeout: [{ argument: 'last', property: 'dialectOptions.query_timeout' }],
  url: [
    { argument: 0 },
    { argument: 'last', property: 'host' },
    { argument: 'last', property: 'port' },
    { argument: 'last', property: 'url' },
  ],
};

const sends = {
  sql: [{ argument: 0, property: 'query' }, { argument: 0 }],
  values: [
    { argument: 1, property: 'replacements' },
    { argument: 1, property: 'bind' },
    { argument: 0, property: 'values' },
    { argument: 0, property: 'bind' },
  ],
  on: {
    at: [
      { argument: 1, property: 'transaction' },
      { argument: 1, property: 'connection' },
    ],
  },
  multipleStatements: true,
} as const;

/** A query of type SELECT goes to a replica unless told otherwise; `plain` and `nest` make it one. */
const select = (result: Result, when: Call['when']): Call => ({
  ...(when && { when }),
  sends: { ...sends, result, replicaWhen: [{ at: { argument: 1, property: 'useMaster' }, absent: true }] },
});

const option = (property: string) => ({ argument: 1, property }) as const;
const rows: Result = { shape: 'rows', at: [] };

export const sequelizeQuery: Call = {
  sends: { ...sends, result: { shape: 'rows', at: ['0'] } },
  variants: [
    select({ shape: 'row', at: [] }, [{ at: option('plain'), equals: true }]),
    select({ shape: 'unknown' }, [{ at: option('model'), present: true }]),
    select({ shape: 'unknown' }, [{ at: option('instance'), present: true }]),
    select(rows, [{ at: option('nest'), equals: true }]),
    select(rows, [{ at: option('type'), member: 'SELECT' }]),
    select(rows, [{ at: option('type'), equals: 'SELECT' }]),
    { when: [{ at: option('type'), member: 'RAW' }], sends: { ...sends, result: { shape: 'rows', at: ['0'] } } },
    { when: [{ at: option('type'), present: true }], sends: { ...sends, result: { shape: 'unknown' } } },
  ],
};

const uses: Call = { usesConnection: true };

export const sequelizeTransaction: Call = {
  resolves: 'transaction',
  callback: { argument: 'last', parameters: { 0: 'transaction' } },
  isolation: [{ argument: 0, property: 'isolationLevel' }],
};

export const sequelizeKinds = {
  sequelize: {
    role: 'pool',
    methods: {
      query: sequelizeQuery,
      transaction: sequelizeTransaction,
      define: { gives: { kind: 'model', same: true } },
      model: { gives: { kind: 'model', same: true } },
      getQueryInterface: { gives: { kind: 'query-interface', same: true } },
      sync: uses,
      authenticate: uses,
      drop: uses,
      truncate: uses,
      close: { effect: { does: 'closes' } },
    },
    properties: { connectionManager: { kind: 'connection-manager', same: true } },
  },
  transaction: {
    role: 'transaction',
    methods: { commit: { effect: { does: 'commits' } }, rollback: { effect: { does: 'rolls-back' } } },
  },
  model: {
    role: 'pool',
    methods: { findAll: uses, findOne: uses, findByPk: uses, create: uses, update: uses, destroy: uses, count: uses },
    properties: { sequelize: { kind: 'sequelize', same: true } },
  },
  'query-interface': {
    role: 'pool',
    properties: { sequelize: { kind: 'sequelize', same: true } },
    otherMembers: 'use-connection',
  },
  'connection-manager': {
    methods: {
      getConnection: { resolves: 'raw-connection' },
      releaseConnection: { effect: { does: 'gives-back', of: { argument: 0 } } },
      destroyConnection: { effect: { does: 'closes', of: { argument: 0 } } },
    },
  },
  /** The wrapped driver's own client. */
  'raw-connection': { role: 'connection', methods: { query: nodePostgresQuery } },
} as const satisfies Record<string, Kind>;
