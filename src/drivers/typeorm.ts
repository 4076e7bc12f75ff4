import { defineDriver } from './driver.js';
import type { BuilderClause, Call, GiveDetails, Kind, Result, Sends } from './driver.js';
import { nestTransactions } from './shared/nest.js';
import { nodePostgresQuery } from './shared/node-postgres.js';

const rows: Result = { shape: 'rows', at: [] };
const unknown: Result = { shape: 'unknown' };

const dataSource: GiveDetails = {
  kind: 'data-source',
  singleWhen: [
    { at: { argument: 0, property: 'extra.max' }, equals: 1 },
    { at: { argument: 0, property: 'poolSize' }, equals: 1 },
  ],
  replicaWhen: [{ at: { argument: 0, property: 'replication' }, present: true }],
  lockTimeout: [{ argument: 0, property: 'extra.lock_timeout' }],
  clientTimeout: [{ argument: 0, property: 'extra.query_timeout' }],
  url: [
    { argument: 0, property: 'url' },
    { argument: 0, property: 'host' },
    { argument: 0, property: 'port' },
  ],
};

const text = { sql: [{ argument: 0 }], values: [{ argument: 1 }], result: rows, placeholders: ['question-mark'] } as const;
const query: Call = { sends: text };
const tag: Call = { sends: { sql: [{ template: true }], result: rows } };
const uses: Call = { usesConnection: true };

const transaction: Call = {
  callback: { argument: 'last', parameters: { 0: 'transaction-manager' } },
  isolation: [{ argument: 0 }],
};

/** A query runner among the arguments pins the builder to it. */
const newBuilder = { kind: 'builder', same: true, wraps: [{ argument: 0 }, { argument: 1 }, { argument: 2 }] } as const;
/** With an entity and its alias, the query reads from the entity's table. */
const createQueryBuilder: Call = {
  gives: newBuilder,
  variants: [{ when: [{ at: { argument: 1 }, present: true }], gives: newBuilder, clause: { is: 'from' } }],
};
const repository: Call = { gives: { kind: 'repository', same: true } };

type TextClause = Exclude<BuilderClause['is'], 'limit' | 'offset' | 'handle'>;
const clause = (is: TextClause, argument = 0): Call => ({
  clause: { is },
  fragment: { sql: [{ argument }], values: [{ argument: argument + 1 }], as: 'sql', placeholders: ['colon'] },
});
const select: Call = { ...clause('select'), alias: { argument: 1 } };

/** With replicas configured, a builder's reads go to one of them. */
const reads = (result: Result): Call => ({
  sends: { sql: [{ receiver: true }], result, replicaWhen: [] } satisfies Sends,
});

const builder: Kind = {
  fluent: true,
  methods: {
    select,
    addSelect: select,
    from: clause('from'),
    where: clause('where'),
    andWhere: clause('where'),
    orWhere: clause('where'),
    having: clause('having'),
    andHaving: clause('having'),
    orHaving: clause('having'),
    innerJoin: clause('join-on', 2),
    leftJoin: clause('join-on', 2),
    innerJoinAndSelect: clause('join-on', 2),
    leftJoinAndSelect: clause('join-on', 2),
    orderBy: clause('order-by'),
    addOrderBy: clause('order-by'),
    groupBy: clause('group-by'),
    addGroupBy: clause('group-by'),
    distinct: { clause: { is: 'distinct' } },
    distinctOn: { clause: { is: 'distinct-on' } },
    returning: clause('returning'),
    limit: { clause: { is: 'limit', at: { argument: 0 } } },
    take: { clause: { is: 'limit', at: { argument: 0 } } },
    offset: { clause: { is: 'offset', at: { argument: 0 } } },
    skip: { clause: { is: 'offset', at: { argument: 0 } } },
    setLock: { clause: { is: 'row-locking' } },
    setQueryRunner: { clause: { is: 'handle', at: { argument: 0 } } },
    subQuery: { gives: 'text' },
    getQuery: { gives: 'text' },
    getRawOne: reads({ shape: 'row', at: [] }),
    getRawMany: reads(rows),
    getRawAndEntities: reads({ shape: 'rows', at: ['raw'] }),
    execute: reads(rows),
    getOne: reads(unknown),
    getOneOrFail: reads(unknown),
    getMany: reads(unknown),
    getManyAndCount: reads(unknown),
    getCount: reads({ shape: 'count' }),
    getExists: reads({ shape: 'any-row' }),
    stream: reads(unknown),
  },
};

export default defineDriver({
  name: 'typeorm',
  dialect: 'either',
  untypedRows: true,
  modules: ['typeorm', '@nestjs/typeorm'],
  implicitTransactions: [{ module: 'typeorm-transactional', everywhere: true }, { module: 'typeorm-transactional-cls-hooked', everywhere: true }, ...nestTransactions],
  exports: [
    { names: ['QueryRunner'], modules: ['typeorm'], type: 'query-runner' },
    { names: ['DataSource'], modules: ['typeorm'], new: dataSource },
    { names: ['Connection'], modules: ['typeorm'], type: 'data-source' },
    { names: ['EntityManager'], modules: ['typeorm'], type: { kind: 'entity-manager', ambiguous: true } },
    { names: ['Repository', 'TreeRepository'], modules: ['typeorm'], type: { kind: 'repository', ambiguous: true } },
    { names: ['createConnection'], modules: ['typeorm'], call: { resolves: dataSource } },
    { names: ['getConnection'], modules: ['typeorm'], call: { gives: 'data-source' } },
    { names: ['getManager'], modules: ['typeorm'], call: { gives: 'pool-manager' } },
    { names: ['getRepository', 'getCustomRepository'], modules: ['typeorm'], call: { gives: 'pool-repository' } },
  ],
  distinctiveMethods: { createQueryRunner: 'data-source' },
  importedHandle: { kind: 'data-source', methods: ['query', 'transaction', 'getRepository'] },
  kinds: {
    'data-source': {
      role: 'pool',
      methods: {
        query: { sends: { ...text, on: { at: [{ argument: 2 }] } } },
        sql: tag,
        transaction,
        createQueryRunner: {
          gives: { kind: 'query-runner', replicaWhen: [{ at: { argument: 0 }, equals: 'slave' }] },
        },
        createQueryBuilder,
        getRepository: repository,
        getTreeRepository: repository,
        initialize: { resolves: { kind: 'data-source', same: true } },
        connect: { resolves: { kind: 'data-source', same: true } },
        runMigrations: uses,
        undoLastMigration: uses,
        synchronize: uses,
        dropDatabase: uses,
        destroy: { effect: { does: 'closes' } },
        close: { effect: { does: 'closes' } },
      },
      properties: { manager: { kind: 'entity-manager', same: true } },
    },
    'entity-manager': {
      injectedAs: 'pool-manager',
      methods: {
        query,
        sql: tag,
        transaction,
        createQueryBuilder,
        getRepository: repository,
        getTreeRepository: repository,
        withRepository: repository,
        find: uses,
        findOne: uses,
        findOneBy: uses,
        save: uses,
        insert: uses,
        update: uses,
        delete: uses,
        count: uses,
      },
      properties: {
        connection: 'data-source',
        dataSource: 'data-source',
        queryRunner: { kind: 'current-query-runner', same: true },
      },
    },
    'pool-manager': { role: 'pool', extends: 'entity-manager' },
    'transaction-manager': { role: 'transaction', extends: 'entity-manager' },
    repository: {
      extends: 'entity-manager',
      injectedAs: 'pool-repository',
      methods: { extend: repository, createQueryBuilder: { gives: newBuilder, clause: { is: 'from' } } },
      properties: { manager: { kind: 'entity-manager', same: true } },
    },
    'pool-repository': { role: 'pool', extends: 'repository' },
    'query-runner': {
      role: 'connection',
      methods: {
        query: {
          sends: text,
          variants: [
            {
              when: [{ at: { argument: 2 }, equals: true }],
              sends: { ...text, result: { shape: 'rows', at: ['records'] } },
            },
          ],
        },
        sql: tag,
        stream: { sends: { ...text, result: unknown } },
        connect: { resolves: { kind: 'raw-connection', same: true } },
        startTransaction: { effect: { does: 'begins' }, isolation: [{ argument: 0 }] },
        commitTransaction: { effect: { does: 'commits' } },
        rollbackTransaction: { effect: { does: 'rolls-back' } },
        release: { effect: { does: 'gives-back' } },
        releasePostgresConnection: { effect: { does: 'gives-back', destroysWhen: 'truthy-argument' } },
      },
      properties: {
        manager: { kind: 'entity-manager', same: true },
        connection: 'data-source',
        dataSource: 'data-source',
      },
      dispose: { does: 'commits-and-gives-back' },
    },
    'current-query-runner': { extends: 'query-runner' },
    'raw-connection': { methods: { query: nodePostgresQuery } },
    builder,
    text: {},
  },
  examples: [
    {
      code: `import { DataSource } from 'typeorm';
        const dataSource = new DataSource({ type: 'postgres', url: process.env.DATABASE_URL });
        const rows = await dataSource.query('SELECT pg_try_advisory_lock($1) AS ok', [1]);
        await dataSource.manager.query('SELECT pg_advisory_unlock($1)', [1]);
        await dataSource.sql\`SELECT pg_try_advisory_lock(\${2}) AS ok\`;
        await dataSource.getRepository(Job).query('SELECT pg_advisory_unlock(2)');
        await dataSource.getTreeRepository(Job).manager.sql\`SELECT pg_advisory_unlock(3)\`;
        await dataSource.manager.withRepository(jobs).extend({}).query('SELECT pg_advisory_unlock(4)');
        await dataSource.destroy();`,
      sends: [
        { over: 'pool', cell: '[0].ok' },
        { over: 'pool', cell: '[0].pg_advisory_unlock' },
        { over: 'pool', cell: '[0].ok' },
        { over: 'pool' },
        { over: 'pool' },
        { over: 'pool' },
      ],
      effects: ['closes'],
    },
    {
      code: `import { DataSource } from 'typeorm';
        const dataSource = new DataSource({ type: 'mysql', extra: { max: 1 } });
        const small = new DataSource({ type: 'mysql', poolSize: 1 });
        await dataSource.query("SELECT GET_LOCK(?, 5) AS ok", ['jobs']);
        await small.query("SELECT RELEASE_LOCK(?) AS ok", ['jobs']);`,
      sends: [
        { over: 'single', cell: '[0].ok' },
        { over: 'single', cell: '[0].ok' },
      ],
    },
    {
      code: `import { DataSource } from 'typeorm';
        const dataSource = new DataSource({ type: 'postgres' });
        export async function run() {
          const queryRunner = dataSource.createQueryRunner();
          const client = await queryRunner.connect();
          await client.query('SELECT pg_advisory_lock(0)');
          await queryRunner.query('SELECT pg_advisory_lock(1)');
          await queryRunner.query('SELECT pg_try_advisory_lock(2) AS ok', [], true);
          await queryRunner.manager.query('SELECT pg_advisory_unlock(2)');
          await dataSource.query('SELECT pg_advisory_unlock(1)', [], queryRunner);
          await queryRunner.sql\`SELECT pg_advisory_lock(3)\`;
          await queryRunner.stream('SELECT pg_advisory_lock(id) FROM jobs');
          await queryRunner.connection.query('SELECT pg_advisory_lock(4)');
          await queryRunner.release();
        }`,
      sends: [
        { over: 'connection' },
        { over: 'connection', cell: '[0].pg_advisory_lock' },
        { over: 'connection', cell: 'records[0].ok' },
        { over: 'connection' },
        { over: 'connection' },
        { over: 'connection' },
        { over: 'connection' },
        { over: 'pool' },
      ],
      effects: ['gives-back'],
    },
    {
      code: `import { DataSource } from 'typeorm';
        const dataSource = new DataSource({ type: 'postgres' });
        export async function run() {
          const queryRunner = dataSource.createQueryRunner('master');
          await queryRunner.startTransaction('SERIALIZABLE');
          try {
            await queryRunner.query('SELECT pg_advisory_xact_lock(1)');
            await queryRunner.commitTransaction();
          } catch (error) {
            await queryRunner.rollbackTransaction();
            await queryRunner.releasePostgresConnection(error);
          }
        }`,
      sends: [{ over: 'connection' }],
      effects: ['begins', 'commits', 'rolls-back', 'gives-back'],
    },
    {
      code: `import { DataSource } from 'typeorm';
        const dataSource = new DataSource({ type: 'postgres' });
        await dataSource.transaction(async (manager) => {
          await manager.query('SELECT pg_advisory_xact_lock(1)');
          await manager.getRepository(Job).query('SELECT pg_advisory_xact_lock(2)');
          await manager.queryRunner.query('SELECT pg_advisory_xact_lock(3)');
          await manager.transaction(async (nested) => { await nested.query('SELECT pg_advisory_xact_lock(4)'); });
          await dataSource.query('SELECT pg_advisory_lock(5)');
          await manager.dataSource.query('SELECT pg_advisory_lock(6)');
        });
        await dataSource.manager.transaction('SERIALIZABLE', async (manager) => {
          await manager.getTreeRepository(Job).query('SELECT pg_advisory_xact_lock(7)');
        });`,
      sends: [
        { over: 'transaction' },
        { over: 'transaction' },
        { over: 'transaction' },
        { over: 'transaction' },
        { over: 'pool' },
        { over: 'pool' },
        { over: 'transaction' },
      ],
    },
    {
      code: `import { DataSource } from 'typeorm';
        export async function run(dataSource: DataSource) {
          await using queryRunner = dataSource.createQueryRunner();
          await queryRunner.query('SELECT pg_advisory_lock(1)');
        }`,
      sends: [{ over: 'connection' }],
      effects: ['commits-and-gives-back'],
    },
    {
      code: `import { DataSource } from 'typeorm';
        const dataSource = await new DataSource({ type: 'postgres' }).initialize();
        await dataSource.createQueryBuilder().select('pg_try_advisory_lock(:id)', 'ok').setParameters({ id: 1 }).getRawOne();
        await dataSource.createQueryBuilder(Job, 'job').select('job.id', 'id').addSelect('pg_try_advisory_lock(job.id)', 'ok')
          .where('job.kind = :kind', { kind: 'a' }).andWhere('pg_try_advisory_lock(1)').orWhere('pg_try_advisory_lock(2)')
          .orderBy('pg_try_advisory_lock(3)').addOrderBy('job.id').limit(10).offset(5).setLock('pessimistic_write').getRawMany();
        await dataSource.getRepository(Job).createQueryBuilder('job').select('pg_try_advisory_lock(4)', 'ok').take(1).skip(2).execute();
        await dataSource.createQueryBuilder().select('pg_try_advisory_lock(5)', 'ok').from(Job, 'job').getRawAndEntities();`,
      sends: [
        { over: 'pool', cell: 'ok' },
        { over: 'pool', sql: 'pg_try_advisory_lock(3)' },
        { over: 'pool', cell: '[0].ok' },
        { over: 'pool', cell: 'raw[0].ok' },
      ],
    },
    {
      code: `import { DataSource } from 'typeorm';
        const dataSource = new DataSource({ type: 'postgres' });
        await dataSource.createQueryBuilder(Job, 'a').where('pg_try_advisory_lock(1)').groupBy('a.kind').addGroupBy('a.id').having('pg_try_advisory_lock(2)').getOne();
        await dataSource.createQueryBuilder(Job, 'a').innerJoin('a.runs', 'r', 'pg_try_advisory_lock(3)').leftJoin('a.b', 'b')
          .innerJoinAndSelect('a.c', 'c').leftJoinAndSelect('a.d', 'd').getMany();
        await dataSource.createQueryBuilder(Job, 'a').where('pg_try_advisory_lock(4)').distinct(true).getManyAndCount();
        await dataSource.createQueryBuilder(Job, 'a').where('pg_try_advisory_lock(5)').distinctOn(['a.id']).getCount();
        await dataSource.createQueryBuilder(Job, 'a').having('1 = 1').andHaving('pg_try_advisory_lock(6)').orHaving('1 = 2').getOneOrFail();
        await dataSource.createQueryBuilder(Job, 'a').where('pg_try_advisory_lock(7)').getExists();
        await dataSource.createQueryBuilder(Job, 'a').where('pg_try_advisory_lock(8)').stream();
        await dataSource.createQueryBuilder().update(Job).set({ state: 'new' }).where('pg_try_advisory_lock(9)').returning('id').execute();
        console.log(dataSource.createQueryBuilder(Job, 'a').subQuery(), dataSource.createQueryBuilder(Job, 'a').getQuery());`,
      sends: [
        { over: 'pool', sql: 'pg_try_advisory_lock(1)' },
        { over: 'pool', sql: 'pg_try_advisory_lock(3)' },
        { over: 'pool', sql: 'pg_try_advisory_lock(4)' },
        { over: 'pool', sql: 'pg_try_advisory_lock(5)' },
        { over: 'pool', sql: 'pg_try_advisory_lock(6)' },
        { over: 'pool', sql: 'pg_try_advisory_lock(7)' },
        { over: 'pool', sql: 'pg_try_advisory_lock(8)' },
        { over: 'pool', sql: 'pg_try_advisory_lock(9)' },
      ],
    },
    {
      code: `import { DataSource } from 'typeorm';
        export async function run(dataSource: DataSource) {
          const queryRunner = dataSource.createQueryRunner();
          await dataSource.createQueryBuilder(queryRunner).select('pg_try_advisory_lock(1)', 'ok').getRawOne();
          await dataSource.createQueryBuilder().setQueryRunner(queryRunner).select('pg_try_advisory_lock(2)', 'ok').getRawOne();
          await queryRunner.release();
        }`,
      sends: [
        { over: 'connection', cell: 'ok' },
        { over: 'connection', cell: 'ok' },
      ],
      effects: ['gives-back'],
    },
    {
      code: `import { createConnection, getConnection, getCustomRepository, getManager, getRepository } from 'typeorm';
        const connection = await createConnection({ type: 'postgres' });
        await connection.query('SELECT pg_advisory_lock(1)');
        await getConnection().query('SELECT pg_advisory_lock(2)');
        await getManager().query('SELECT pg_advisory_lock(3)');
        await getRepository(Job).query('SELECT pg_advisory_lock(4)');
        await getCustomRepository(Jobs).query('SELECT pg_advisory_lock(5)');
        await connection.close();`,
      sends: [{ over: 'pool' }, { over: 'pool' }, { over: 'pool' }, { over: 'pool' }, { over: 'pool' }],
      effects: ['closes'],
    },
    {
      code: `import { Connection, DataSource, EntityManager, QueryRunner, Repository, TreeRepository } from 'typeorm';
        import { InjectDataSource, InjectEntityManager, InjectRepository } from '@nestjs/typeorm';
        export class Jobs {
          constructor(
            @InjectDataSource() private readonly dataSource: DataSource,
            @InjectEntityManager() private readonly manager: EntityManager,
            @InjectRepository(Job) private readonly jobs: Repository<Job>,
            @InjectRepository(Node) private readonly nodes: TreeRepository<Node>,
            private readonly connection: Connection,
          ) {}
          async run() {
            await this.dataSource.query('SELECT pg_advisory_lock(1)');
            await this.manager.query('SELECT pg_advisory_lock(2)');
            await this.jobs.query('SELECT pg_advisory_lock(3)');
            await this.nodes.query('SELECT pg_advisory_lock(6)');
            await this.connection.query('SELECT pg_advisory_lock(4)');
          }
          async up(queryRunner: QueryRunner) { await queryRunner.query('SELECT pg_advisory_lock(5)'); }
        }`,
      sends: [
        { over: 'pool' },
        { over: 'pool' },
        { over: 'pool' },
        { over: 'pool' },
        { over: 'pool' },
        { over: 'connection' },
      ],
    },
    {
      code: `import { EntityManager, Repository } from 'typeorm';
        export class Jobs {
          constructor(private readonly manager: EntityManager, private readonly jobs: Repository<Job>) {}
          async run() {
            await this.manager.query('SELECT pg_advisory_lock(1)');
            await this.jobs.query('SELECT pg_advisory_lock(2)');
          }
        }`,
      sends: [{ over: 'unknown' }, { over: 'unknown' }],
    },
    {
      code: `import { DataSource } from 'typeorm';
        import { Transactional } from 'typeorm-transactional';
        export class Jobs {
          constructor(private readonly dataSource: DataSource) {}
          @Transactional()
          async run() { await this.dataSource.query('SELECT pg_advisory_xact_lock(1)'); }
        }`,
      sends: [{ over: 'unknown' }],
    },
    {
      code: `import { DataSource } from 'typeorm';
        const dataSource = new DataSource({ type: 'postgres' });
        await dataSource.connect();
        await dataSource.query('SELECT pg_advisory_lock(1)');
        await dataSource.runMigrations();
        await dataSource.undoLastMigration();
        await dataSource.synchronize();
        await dataSource.dropDatabase();
        await dataSource.manager.find(Job);
        await dataSource.manager.findOne(Job, {});
        await dataSource.manager.findOneBy(Job, {});
        await dataSource.manager.save(job);
        await dataSource.manager.insert(Job, job);
        await dataSource.manager.update(Job, {}, {});
        await dataSource.manager.delete(Job, 1);
        await dataSource.manager.count(Job);`,
      sends: [{ over: 'pool' }],
    },
  ],
});
