import { defineDriver } from './driver.js';
import type { Call, Result, Sends } from './driver.js';

const rows: Result = { shape: 'rows', at: [] };
const row: Result = { shape: 'row', at: [] };
/** `run` answers with the number of rows and the first row. */
const run: Result = { shape: 'row', at: ['row'] };

const signalAt = (argument: number): NonNullable<Sends['signal']> => ({
  at: [{ argument, property: 'signal' }],
  safeWhen: [
    { at: { argument, property: 'inflightQueryAbortStrategy' }, equals: 'kill session' },
    { at: { argument, property: 'inflightQueryAbortStrategy' }, equals: 'cancel query' },
  ],
});

const execute = (more: Partial<Sends>): Call => {
  const sends = { sql: [{ argument: 0 }], values: [{ argument: 1 }], ...more } as const;
  return {
    sends: { ...sends, result: rows },
    variants: [
      { when: [{ at: { argument: 2 }, equals: 'get' }], sends: { ...sends, result: row } },
      { when: [{ at: { argument: 2, property: 'method' }, equals: 'get' }], sends: { ...sends, result: row } },
      { when: [{ at: { argument: 2 }, equals: 'run' }], sends: { ...sends, result: run } },
      { when: [{ at: { argument: 2, property: 'method' }, equals: 'run' }], sends: { ...sends, result: run } },
    ],
  };
};

/** Outside the entity manager's transaction unless its context is passed. */
const executeOnPool = execute({ on: { at: [{ argument: 3 }] } });
const uses: Call = { usesConnection: true };
const fork: Call = { gives: 'fork', signal: signalAt(0) };
const clause = (is: 'select' | 'where' | 'having' | 'group-by' | 'order-by'): Call => ({ clause: { is } });
const text = { sql: [{ argument: 0 }], values: [{ argument: 1 }] } as const;

export default defineDriver({
  name: 'mikro-orm',
  dialect: 'either',
  modules: [
    '@mikro-orm/core',
    '@mikro-orm/postgresql',
    '@mikro-orm/mysql',
    '@mikro-orm/mariadb',
    '@mikro-orm/sql',
    '@mikro-orm/knex',
    '@mikro-orm/nestjs',
  ],
  placeholders: ['question-mark', 'colon'],
  /** With the decorator, or after `begin()`, the entity manager itself carries the transaction. */
  implicitTransactions: [{ module: '@mikro-orm/decorators' }, { call: 'Transactional' }, { call: 'begin' }],
  exports: [
    { names: ['MikroORM'], new: 'orm' },
    { names: ['MikroORM.init'], call: { resolves: 'orm' } },
    { names: ['MikroORM.initSync'], call: { gives: 'orm' } },
    { names: ['EntityManager', 'SqlEntityManager'], type: 'global-manager' },
    { names: ['AbstractSqlConnection'], type: 'driver-connection' },
    {
      names: ['raw', 'sql'],
      tag: { fragment: { sql: [{ template: true }], as: 'sql' }, gives: 'fragment' },
      call: { fragment: { ...text, as: 'sql' }, gives: 'fragment' },
    },
  ],
  kinds: {
    orm: {
      properties: { em: 'global-manager' },
      methods: { close: { effect: { does: 'closes' } } },
    },
    'entity-manager': {
      methods: {
        execute: execute({ signal: signalAt(2) }),
        fork,
        transactional: {
          callback: { argument: 0, parameters: { 0: 'transaction-manager' } },
          isolation: [{ argument: 1, property: 'isolationLevel' }],
          signal: signalAt(1),
        },
        begin: { effect: { does: 'begins' }, isolation: [{ argument: 0, property: 'isolationLevel' }] },
        commit: { effect: { does: 'commits' } },
        rollback: { effect: { does: 'rolls-back' } },
        getConnection: { gives: 'driver-connection' },
        getDriver: { gives: 'driver' },
        getTransactionContext: { gives: { kind: 'transaction-context', same: true } },
        getKysely: { gives: { kind: 'kysely', same: true } },
        getKnex: { gives: 'knex' },
        createQueryBuilder: { gives: { kind: 'builder', same: true } },
        qb: { gives: { kind: 'builder', same: true } },
        find: uses,
        findOne: uses,
        findOneOrFail: uses,
        count: uses,
        flush: uses,
        persistAndFlush: uses,
        removeAndFlush: uses,
      },
    },
    /** `orm.em` joins an open transaction through AsyncLocalStorage; a fork never does. */
    'global-manager': { role: 'pool', joinsUnseen: true, extends: 'entity-manager' },
    fork: { role: 'pool', extends: 'entity-manager' },
    'transaction-manager': { role: 'transaction', extends: 'entity-manager' },
    'transaction-context': {},
    'driver-connection': {
      role: 'pool',
      methods: {
        execute: executeOnPool,
        transactional: { callback: { argument: 0, parameters: { 0: 'callback-context' } } },
        getKnex: { gives: 'knex' },
      },
    },
    'callback-context': { role: 'transaction' },
    driver: { role: 'pool', methods: { execute: executeOnPool } },
    kysely: {},
    knex: {
      role: 'pool',
      methods: {
        raw: {
          sends: {
            ...text,
            lazy: 'resent',
            result: {
              shape: 'one-of',
              results: [
                { shape: 'rows', at: ['rows'], dialect: 'postgres' },
                { shape: 'rows', at: ['0'], dialect: 'mysql' },
              ],
            },
          },
        },
      },
    },
    builder: {
      fluent: true,
      methods: {
        select: clause('select'),
        where: clause('where'),
        andWhere: clause('where'),
        having: clause('having'),
        groupBy: clause('group-by'),
        orderBy: clause('order-by'),
        distinct: { clause: { is: 'distinct' } },
        limit: { clause: { is: 'limit', at: { argument: 0 } } },
        offset: { clause: { is: 'offset', at: { argument: 0 } } },
        setLockMode: { clause: { is: 'row-locking' } },
        execute: {
          sends: { sql: [{ receiver: true }], result: rows },
          variants: [
            { when: [{ at: { argument: 0 }, equals: 'get' }], sends: { sql: [{ receiver: true }], result: row } },
          ],
        },
        getResult: { sends: { sql: [{ receiver: true }], result: { shape: 'unknown' } } },
        getResultList: { sends: { sql: [{ receiver: true }], result: { shape: 'unknown' } } },
        getSingleResult: { sends: { sql: [{ receiver: true }], result: { shape: 'unknown' } } },
      },
      awaits: { sql: [{ receiver: true }], result: { shape: 'unknown' }, lazy: 'memoized' },
    },
    fragment: { fluent: true, methods: { as: { alias: { argument: 0 } } } },
  },
  examples: [
    {
      code: `import { MikroORM } from '@mikro-orm/postgresql';
        const orm = await MikroORM.init({});
        const em = orm.em.fork();
        await em.execute('SELECT pg_try_advisory_lock(?) AS ok', [1]);
        await em.execute('SELECT pg_try_advisory_lock(?) AS ok', [2], 'get');
        await em.execute('SELECT pg_try_advisory_lock(?) AS ok', [3], { method: 'get' });
        await em.execute('SELECT pg_try_advisory_lock(?) AS ok', [4], 'run');
        await em.execute('SELECT pg_try_advisory_lock(?) AS ok', [5], { method: 'run' });
        await orm.em.execute('SELECT pg_advisory_unlock(6)');
        await orm.close();`,
      sends: [
        { over: 'pool', cell: '[0].ok' },
        { over: 'pool', cell: 'ok' },
        { over: 'pool', cell: 'ok' },
        { over: 'pool', cell: 'row.ok' },
        { over: 'pool', cell: 'row.ok' },
        { over: 'pool' },
      ],
      effects: ['closes'],
    },
    {
      code: `import { MikroORM } from '@mikro-orm/core';
        const orm = MikroORM.initSync({});
        const em = orm.em.fork();
        await em.transactional(async (tem) => {
          await tem.execute('SELECT pg_advisory_xact_lock(1)');
          await tem.getConnection().execute('SELECT pg_advisory_lock(2)');
          await tem.getConnection().execute('SELECT pg_advisory_xact_lock(3)', [], 'all', tem.getTransactionContext());
          await tem.getDriver().execute('SELECT pg_advisory_xact_lock(4)', [], 'all', tem.getTransactionContext());
          await tem.fork().execute('SELECT pg_advisory_lock(5)');
          await em.execute('SELECT pg_advisory_lock(6)');
        }, { isolationLevel: 'serializable' });
        await em.getConnection().transactional(async (context) => {
          await em.getConnection().execute('SELECT pg_advisory_xact_lock(7)', [], 'all', context);
        });
        await em.getKnex().raw('SELECT pg_try_advisory_lock(8) AS ok');
        await em.getConnection().getKnex().raw('SELECT pg_advisory_lock(9)');`,
      sends: [
        { over: 'transaction' },
        { over: 'pool' },
        { over: 'transaction' },
        { over: 'transaction' },
        { over: 'pool' },
        { over: 'pool' },
        { over: 'transaction' },
        { over: 'pool', cell: 'rows[0].ok' },
        { over: 'pool' },
      ],
    },
    {
      code: `import { MikroORM } from '@mikro-orm/mysql';
        const orm = new MikroORM({});
        export async function run(signal: AbortSignal, failed: boolean) {
          const em = orm.em.fork({ signal });
          await em.begin();
          await em.execute("SELECT GET_LOCK('jobs', 5) AS ok");
          if (failed) await em.rollback();
          else await em.commit();
        }`,
      sends: [{ over: 'unknown', cell: '[0].ok' }],
      effects: ['begins', 'rolls-back', 'commits'],
    },
    {
      code: `import { MikroORM, raw } from '@mikro-orm/mysql';
        const orm = new MikroORM({});
        export async function run() {
          const em = orm.em.fork();
          await em.createQueryBuilder(Job).select(raw("GET_LOCK('jobs', 5)").as('ok')).execute();
          await em.qb(Job).select(raw\`GET_LOCK('jobs', 5)\`.as('ok')).limit(10).execute('get');
        }`,
      sends: [
        { over: 'pool', cell: '[0].ok' },
        { over: 'pool', cell: 'ok' },
      ],
    },
    {
      code: `import { MikroORM, sql } from '@mikro-orm/mariadb';
        const orm = await MikroORM.init({});
        const em = orm.em.fork();
        await em.qb(Job).where(sql\`GET_LOCK('a', 1)\`).andWhere({ id: 1 }).orderBy(sql\`GET_LOCK('b', 1)\`).offset(5).setLockMode(1).getResult();
        await em.qb(Job).groupBy('kind').having(sql\`GET_LOCK('c', 1)\`).getResultList();
        await em.qb(Job).distinct().where(sql\`GET_LOCK('d', 1)\`).getSingleResult();
        await em.find(Job, {});
        await em.findOne(Job, 1);
        await em.findOneOrFail(Job, 1);
        await em.count(Job);
        await em.persistAndFlush(job);
        await em.removeAndFlush(job);
        await em.flush();`,
      sends: [{ over: 'pool' }, { over: 'pool' }, { over: 'pool' }],
    },
    {
      code: `import { EntityManager } from '@mikro-orm/knex';
        import { AbstractSqlConnection, SqlEntityManager } from '@mikro-orm/sql';
        import { InjectEntityManager } from '@mikro-orm/nestjs';
        export class Jobs {
          constructor(private readonly em: EntityManager, @InjectEntityManager('app') private readonly other: SqlEntityManager) {}
          async run(connection: AbstractSqlConnection) {
            await this.em.execute('SELECT pg_advisory_lock(1)');
            await this.other.execute('SELECT pg_advisory_lock(2)');
            await this.em.getKysely();
            await connection.execute('SELECT pg_advisory_lock(3)');
          }
        }`,
      sends: [{ over: 'pool' }, { over: 'pool' }, { over: 'pool' }],
    },
  ],
});
