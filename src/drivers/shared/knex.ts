/** The kinds of Knex, whose query builder Objection and Lucid speak, too. */
import type { BuilderClause, Call, Fragment, Kind, PlaceholderStyle, Result, Sends } from '../driver.js';
import { nodePostgresQuery } from './node-postgres.js';

export const knexPlaceholders: readonly PlaceholderStyle[] = ['question-mark', 'colon'];

/** A raw query gives what the wrapped driver gives. */
export const knexRawResult: Result = {
  shape: 'one-of',
  results: [
    { shape: 'rows', at: ['rows'], dialect: 'postgres' },
    { shape: 'rows', at: ['0'], dialect: 'mysql' },
  ],
};

const rawText = { sql: [{ argument: 0 }], values: [{ argument: 1 }] } as const;
const rawFragment: Fragment = { ...rawText, as: 'sql' };
const collected = { sql: [{ receiver: true }], lazy: 'resent' } as const satisfies Partial<Sends>;

/** Sends when awaited; in a builder it is a piece of the builder's statement. */
export const knexRaw: Call = {
  sends: { ...rawText, result: knexRawResult, lazy: 'resent' },
  fragment: rawFragment,
  gives: { kind: 'raw', same: true },
};

export const knexFragment: Call = { fragment: rawFragment };

const clause = (is: Exclude<BuilderClause['is'], 'limit' | 'offset' | 'handle'>): Call => ({ clause: { is } });
const rawClause = (is: 'where' | 'having' | 'join-on' | 'order-by' | 'group-by' | 'from'): Call => ({
  clause: { is },
  fragment: rawFragment,
});
const handle: Call = { clause: { is: 'handle', at: { argument: 0 } } };
const callback: Sends['callback'] = { argument: 'last', parameter: 1, result: { shape: 'unknown' } };

/** What builders and raw queries have in common. */
const queryMethods = {
  transacting: handle,
  connection: handle,
  timeout: {
    clientTimeout: [{ argument: 0 }],
    variants: [{ when: [{ at: { argument: 1, property: 'cancel' }, equals: true }] }],
  },
  asCallback: { sends: { sql: [{ receiver: true }], result: { shape: 'unknown' }, callback } },
  stream: { sends: { sql: [{ receiver: true }], result: { shape: 'unknown' } } },
  toSQL: { gives: 'text' },
  toQuery: { gives: 'text' },
  toString: { gives: 'text' },
} as const satisfies Record<string, Call>;

const clauseMethods = {
  select: clause('select'),
  column: clause('select'),
  columns: clause('select'),
  distinct: clause('distinct'),
  distinctOn: clause('distinct-on'),
  from: clause('from'),
  fromRaw: rawClause('from'),
  with: clause('from'),
  where: clause('where'),
  andWhere: clause('where'),
  orWhere: clause('where'),
  whereIn: clause('where'),
  whereExists: clause('where'),
  whereRaw: rawClause('where'),
  andWhereRaw: rawClause('where'),
  orWhereRaw: rawClause('where'),
  having: clause('having'),
  havingRaw: rawClause('having'),
  join: clause('join-on'),
  innerJoin: clause('join-on'),
  leftJoin: clause('join-on'),
  rightJoin: clause('join-on'),
  fullOuterJoin: clause('join-on'),
  joinRaw: rawClause('join-on'),
  orderBy: clause('order-by'),
  orderByRaw: rawClause('order-by'),
  groupBy: clause('group-by'),
  groupByRaw: rawClause('group-by'),
  returning: clause('returning'),
  update: clause('set'),
  limit: { clause: { is: 'limit', at: { argument: 0 } } },
  offset: { clause: { is: 'offset', at: { argument: 0 } } },
  forUpdate: clause('row-locking'),
  forShare: clause('row-locking'),
  skipLocked: clause('row-locking'),
} as const satisfies Record<string, Call>;

export const knexFirstRow: Call = { gives: { kind: 'row-builder', same: true }, clause: { is: 'limit-one' } };
const start = (is: Exclude<BuilderClause['is'], 'limit' | 'offset' | 'handle'>): Call => ({
  gives: { kind: 'builder', same: true },
  clause: { is },
});

/** `knex('jobs')`: a query that reads from the table. */
const knexTable: Call = { gives: { kind: 'builder', same: true }, clause: { is: 'from' } };

/** Starting a query on Knex or a transaction. */
export const knexStarts = {
  select: start('select'),
  column: start('select'),
  columns: start('select'),
  distinct: start('distinct'),
  from: start('from'),
  table: start('from'),
  with: start('from'),
  first: knexFirstRow,
  queryBuilder: { gives: { kind: 'builder', same: true } },
  withSchema: { gives: { kind: 'builder', same: true } },
} as const satisfies Record<string, Call>;

export const knexQueryKinds = {
  raw: { fluent: true, methods: queryMethods, awaits: { ...collected, result: knexRawResult } },
  builder: {
    fluent: true,
    methods: {
      ...queryMethods,
      ...clauseMethods,
      first: knexFirstRow,
      pluck: { gives: { kind: 'value-builder', same: true }, clause: { is: 'select' } },
    },
    awaits: { ...collected, result: { shape: 'rows', at: [] } },
  },
  'row-builder': { fluent: true, extends: 'builder', awaits: { ...collected, result: { shape: 'row', at: [] } } },
  'value-builder': { fluent: true, extends: 'builder', awaits: { ...collected, result: { shape: 'value', at: ['0'] } } },
  text: {},
} as const satisfies Record<string, Kind>;

export const knexKinds = {
  ...knexQueryKinds,
  knex: {
    role: 'pool',
    call: knexTable,
    methods: {
      ...knexStarts,
      raw: knexRaw,
      transaction: {
        resolves: 'transaction',
        callback: { argument: 0, parameters: { 0: 'transaction' } },
        isolation: [
          { argument: 0, property: 'isolationLevel' },
          { argument: 1, property: 'isolationLevel' },
        ],
      },
      transactionProvider: { gives: 'transaction-provider' },
      withUserParams: { gives: { kind: 'knex', same: true } },
      batchInsert: { usesConnection: true },
      destroy: { effect: { does: 'closes' } },
    },
    properties: {
      schema: { kind: 'schema', same: true },
      migrate: { kind: 'migrator', same: true },
      seed: { kind: 'migrator', same: true },
      client: { kind: 'knex-client', same: true },
    },
  },
  transaction: {
    role: 'transaction',
    extends: 'knex',
    call: knexTable,
    methods: {
      savepoint: { callback: { argument: 0, parameters: { 0: 'transaction' } } },
      commit: { effect: { does: 'commits' } },
      rollback: { effect: { does: 'rolls-back' } },
    },
  },
  'transaction-provider': { call: { resolves: 'transaction' } },
  schema: {
    methods: { raw: { sends: { ...rawText, result: { shape: 'unknown' }, lazy: 'resent' } } },
    otherMembers: 'use-connection',
  },
  migrator: { otherMembers: 'use-connection' },
  'knex-client': {
    methods: {
      acquireConnection: { resolves: 'raw-connection' },
      acquireRawConnection: { resolves: 'raw-connection' },
      releaseConnection: { effect: { does: 'gives-back', of: { argument: 0 } } },
      destroyRawConnection: { effect: { does: 'closes', of: { argument: 0 } } },
      query: {
        sends: {
          sql: [{ argument: 1, property: 'sql' }, { argument: 1 }],
          values: [{ argument: 1, property: 'bindings' }],
          on: { at: [{ argument: 0 }], required: true },
          result: { shape: 'unknown' },
        },
      },
    },
  },
  /** The wrapped driver's own client. */
  'raw-connection': { role: 'connection', methods: { query: nodePostgresQuery } },
} as const satisfies Record<string, Kind>;
