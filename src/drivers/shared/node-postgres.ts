/** The kinds of node-postgres, also spoken by the packages built on it (Neon, Vercel, Fastify, pg-tx). */
import type { Call, Effect, Kind, Result } from '../driver.js';

export const nodePostgresResult: Result = { shape: 'rows', at: ['rows'] };

const text = [{ argument: 0, property: 'text' }, { argument: 0 }] as const;
const values = [{ argument: 0, property: 'values' }, { argument: 1 }] as const;
const rowArrays: Result = { shape: 'row-arrays', at: ['rows'] };

const sends = {
  sql: text,
  values,
  signal: {
    at: [{ argument: 0, property: 'signal' }],
    ignored: true,
    // Taken for the values and for the callback: "Query values must be an array", "callback is not a function".
    refusedAt: [
      { argument: 1, property: 'signal' },
      { argument: 2, property: 'signal' },
    ],
  },
  clientTimeout: [{ argument: 0, property: 'query_timeout' }],
  multipleStatements: true,
} as const;

export const nodePostgresQuery: Call = {
  sends: {
    ...sends,
    result: nodePostgresResult,
    callback: { argument: 'last', parameter: 1, result: nodePostgresResult },
  },
  variants: [
    {
      when: [{ at: { argument: 0, property: 'rowMode' }, equals: 'array' }],
      sends: { ...sends, result: rowArrays, callback: { argument: 'last', parameter: 1, result: rowArrays } },
    },
  ],
};

const release: Effect = { does: 'gives-back', destroysWhen: 'truthy-argument' };

/** Clients handed to event listeners belong to whoever took them from the pool. */
const lentClient: Call = {
  effect: { does: 'listens' },
  callback: { argument: 1, parameters: { 0: { kind: 'pool-client', owned: false } }, runs: 'later' },
};

const listen: Call = {
  effect: { does: 'listens' },
  variants: [
    { when: [{ at: { argument: 0 }, equals: 'connect' }], ...lentClient },
    { when: [{ at: { argument: 0 }, equals: 'acquire' }], ...lentClient },
  ],
};

const listenOnClient: Call = { effect: { does: 'listens' } };

export const nodePostgresKinds = {
  pool: {
    role: 'pool',
    methods: {
      query: nodePostgresQuery,
      connect: {
        resolves: 'pool-client',
        callback: {
          argument: 'last',
          parameters: { 1: 'pool-client', 2: { kind: 'done', sameAsParameter: 1 } },
          runs: 'later',
        },
      },
      end: { effect: { does: 'closes' } },
      on: listen,
      once: listen,
      addListener: listen,
    },
  },
  client: {
    role: 'connection',
    methods: {
      query: nodePostgresQuery,
      connect: { resolves: { kind: 'client', same: true } },
      end: { effect: { does: 'closes' } },
      on: listenOnClient,
      once: listenOnClient,
      addListener: listenOnClient,
    },
  },
  'pool-client': { role: 'connection', extends: 'client', methods: { release: { effect: release } } },
  done: { call: { effect: release } },
} as const satisfies Record<string, Kind>;
