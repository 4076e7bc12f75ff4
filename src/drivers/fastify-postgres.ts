import { defineDriver } from './driver.js';
import { nodePostgresKinds, nodePostgresQuery } from './shared/node-postgres.js';

export default defineDriver({
  name: 'fastify-postgres',
  dialect: 'postgres',
  modules: ['@fastify/postgres', 'fastify-postgres', 'fastify'],
  defaultIsNamespace: true,
  errorEventEndsProcess: true,
  binding: { undefined: 'null', null: 'null', number: 'untyped' },
  exports: [
    { names: ['PostgresDb'], modules: ['@fastify/postgres', 'fastify-postgres'], type: 'postgres' },
    { names: ['default', 'fastify'], modules: ['fastify'], call: { gives: 'application' } },
    { names: ['FastifyInstance'], modules: ['fastify'], type: 'application' },
    { names: ['FastifyRequest'], modules: ['fastify'], type: 'request' },
  ],
  distinctiveMethods: { transact: 'postgres' },
  kinds: {
    ...nodePostgresKinds,
    application: { properties: { pg: 'postgres' } },
    /** Set by the route option `pg: { transact: true }`: a client in a transaction that the plugin ends. */
    request: { properties: { pg: { kind: 'request-client', owned: false } } },
    'request-client': { role: 'transaction', methods: { query: nodePostgresQuery } },
    postgres: {
      role: 'pool',
      methods: {
        query: nodePostgresQuery,
        connect: nodePostgresKinds.pool.methods.connect,
        transact: {
          callback: { argument: 0, parameters: { 0: { kind: 'transaction', owned: false } } },
        },
      },
      properties: { pool: { kind: 'pool', same: true }, Client: 'client-class' },
      otherProperties: 'postgres',
    },
    'client-class': { new: 'client' },
    transaction: { role: 'transaction', methods: { query: nodePostgresQuery } },
  },
  examples: [
    {
      code: `import Fastify from 'fastify';
        import postgres from '@fastify/postgres';
        const app = Fastify();
        app.register(postgres, { connectionString: process.env.DATABASE_URL });
        app.get('/', async (request) => {
          await app.pg.query('SELECT pg_try_advisory_lock(1) AS ok');
          await app.pg.main.query('SELECT pg_try_advisory_lock(2) AS ok');
          await app.pg.pool.query('SELECT pg_try_advisory_lock(3) AS ok');
          const client = await app.pg.connect();
          client.on('error', () => {});
          await client.query('SELECT pg_advisory_lock(4)');
          client.release();
          await app.pg.transact(async (tx) => { await tx.query('SELECT pg_advisory_xact_lock(5)'); });
          const own = new app.pg.Client();
          own.once('error', () => {});
          own.addListener('error', () => {});
          await own.connect();
          await own.query('SELECT pg_advisory_lock(6)');
          await own.end();
        });`,
      sends: [
        { over: 'pool', cell: 'rows[0].ok' },
        { over: 'pool', cell: 'rows[0].ok' },
        { over: 'pool', cell: 'rows[0].ok' },
        { over: 'connection' },
        { over: 'transaction' },
        { over: 'connection' },
      ],
      effects: ['listens', 'gives-back', 'listens', 'listens', 'closes'],
    },
    {
      code: `import { fastify, type FastifyInstance, type FastifyRequest } from 'fastify';
        import type { PostgresDb } from 'fastify-postgres';
        const app = fastify();
        export const a = (instance: FastifyInstance) => instance.pg.query('SELECT pg_advisory_lock(1)');
        export const b = (request: FastifyRequest) => request.pg.query('SELECT pg_advisory_xact_lock(2)');
        export const c = (pg: PostgresDb) => pg.query('SELECT pg_advisory_lock(3)');
        export const d = () => app.pg.query('SELECT pg_advisory_lock(4)');`,
      sends: [{ over: 'pool' }, { over: 'transaction' }, { over: 'pool' }, { over: 'pool' }],
    },
    {
      code: `import type { FastifyInstance } from 'fastify';
        export const run = (app: FastifyInstance) =>
          app.pg.connect((err, client, done) => {
            client.query('SELECT pg_advisory_lock(1)', () => done(err));
          });`,
      sends: [{ over: 'connection' }],
      effects: ['gives-back'],
    },
  ],
});
