import { defineDriver } from './driver.js';
import type { Call, GiveDetails, Result } from './driver.js';
import { nestTransactions } from './shared/nest.js';

const rows: Result = { shape: 'rows', at: [] };

const client: GiveDetails = {
  kind: 'client',
  wraps: [{ argument: 0, property: 'adapter' }],
  transactionTimeout: [{ argument: 0, property: 'transactionOptions.timeout' }],
  url: [
    { argument: 0, property: 'datasourceUrl' },
    { argument: 0, property: 'datasources.db.url' },
  ],
};

const adapter: GiveDetails = {
  kind: 'adapter',
  wraps: [{ argument: 0 }],
  singleWhen: [{ at: { argument: 0, property: 'max' }, equals: 1 }],
  lockTimeout: [{ argument: 0, property: 'lock_timeout' }],
  clientTimeout: [{ argument: 0, property: 'query_timeout' }],
  url: [
    { argument: 0, property: 'connectionString' },
    { argument: 0, property: 'host' },
    { argument: 0, property: 'port' },
  ],
};

/** The boolean cannot be had: the answer is the number of rows. */
const count: Result = { shape: 'count' };

const tagged = { sql: [{ template: true }, { argument: 0 }], lazy: 'memoized', replicaWhen: [] } as const;
const text = {
  sql: [{ argument: 0 }],
  values: [{ rest: 1 }],
  lazy: 'memoized',
  placeholders: ['question-mark'],
  replicaWhen: [],
} as const;

const transaction: Call = {
  callback: { argument: 0, parameters: { 0: 'transaction' } },
  batch: { argument: 0 },
  isolation: [{ argument: 1, property: 'isolationLevel' }],
  transactionTimeout: { at: [{ argument: 1, property: 'timeout' }], default: 5000 },
};

export default defineDriver({
  name: 'prisma',
  dialect: 'either',
  modules: [
    '@prisma/client',
    '@prisma/client/*',
    '@prisma/adapter-pg',
    '@prisma/adapter-neon',
    '@prisma/adapter-mariadb',
    'nestjs-prisma',
  ],
  defaultIsNamespace: true,
  implicitTransactions: nestTransactions,
  binding: { undefined: 'null', null: 'null' },
  exports: [
    { names: ['Prisma.TransactionClient'], anyModule: true, type: 'transaction' },
    { names: ['PrismaClient'], anyModule: true, new: client },
    { names: ['PrismaService'], anyModule: true, type: 'client' },
    { names: ['PrismaPg'], modules: ['@prisma/adapter-pg'], new: adapter },
    { names: ['PrismaNeon'], modules: ['@prisma/adapter-neon'], new: adapter },
    { names: ['PrismaMariaDb'], modules: ['@prisma/adapter-mariadb'], new: adapter },
    { names: ['PrismaNeonHTTP', 'PrismaNeonHttp'], modules: ['@prisma/adapter-neon'], new: 'http-adapter' },
    { names: ['Prisma.sql'], anyModule: true, tag: { fragment: { sql: [{ template: true }], as: 'sql' } } },
    { names: ['Prisma.raw'], anyModule: true, call: { fragment: { sql: [{ argument: 0 }], as: 'sql' } } },
    { names: ['Prisma.join'], anyModule: true, call: { fragment: { sql: [{ argument: 0 }], as: 'list' } } },
    { names: ['Prisma.empty'], anyModule: true, is: 'sql', fragment: { sql: [], as: 'sql' } },
    { names: ['Prisma.Sql'], anyModule: true, new: 'sql', fragment: { sql: [{ argument: 0 }], values: [{ argument: 1 }], as: 'sql' } },
  ],
  distinctiveProperties: { prisma: 'client' },
  distinctiveMethods: {
    $queryRaw: 'client',
    $queryRawUnsafe: 'client',
    $queryRawTyped: 'client',
    $executeRaw: 'client',
    $executeRawUnsafe: 'client',
    $transaction: 'client',
    $extends: 'client',
    $disconnect: 'client',
    $replica: 'client',
    $primary: 'client',
  },
  kinds: {
    client: {
      role: 'pool',
      notInTransactions: ['$transaction', '$extends', '$disconnect'],
      methods: {
        $queryRaw: { sends: { ...tagged, result: rows, rejectsVoid: true, tolerantMethod: '$executeRaw' } },
        $queryRawUnsafe: { sends: { ...text, result: rows, rejectsVoid: true, tolerantMethod: '$executeRawUnsafe' } },
        $executeRaw: { sends: { ...tagged, result: count } },
        $executeRawUnsafe: { sends: { ...text, result: count } },
        $queryRawTyped: { usesConnection: true },
        $transaction: transaction,
        $extends: { gives: { kind: 'client', same: true } },
        /** @prisma/extension-read-replicas: one of the replicas, and back. */
        $replica: { gives: { kind: 'client', same: true, replicaWhen: [{ at: { receiver: true }, present: true }] } },
        $primary: { gives: { kind: 'client', same: true } },
        $connect: {},
        $on: {},
        $use: {},
        $disconnect: { effect: { does: 'closes' } },
      },
      otherMembers: 'use-connection',
    },
    transaction: { role: 'transaction', extends: 'client', otherMembers: 'use-connection' },
    adapter: { role: 'pool' },
    'http-adapter': { role: 'http' },
    sql: {},
  },
  examples: [
    {
      code: `import { PrismaClient } from '@prisma/client';
        import { readReplicas } from '@prisma/extension-read-replicas';
        const prisma = new PrismaClient().$extends(readReplicas({ url: process.env.REPLICA_URL }));
        await prisma.$replica().$queryRaw\`SELECT pg_try_advisory_lock(1) AS ok\`;
        await prisma.$primary().$queryRaw\`SELECT pg_try_advisory_lock(2) AS ok\`;`,
      sends: [
        { over: 'pool', cell: '[0].ok' },
        { over: 'pool', cell: '[0].ok' },
      ],
    },
    {
      code: `import { PrismaClient } from '@prisma/client';
        const prisma = new PrismaClient();
        const rows = await prisma.$queryRaw\`SELECT pg_try_advisory_lock(\${1}) AS ok\`;
        await prisma.$queryRawUnsafe('SELECT pg_advisory_unlock($1)', 1);
        await prisma.$disconnect();`,
      sends: [
        { over: 'pool', cell: '[0].ok' },
        { over: 'pool', cell: '[0].pg_advisory_unlock' },
      ],
      effects: ['closes'],
    },
    {
      code: `import { PrismaClient } from './generated/prisma/client';
        const prisma = new PrismaClient().$extends({});
        prisma.$executeRaw\`SELECT pg_advisory_unlock(1)\`;`,
      sends: [{ over: 'pool', sent: false }],
    },
    {
      code: `import { PrismaClient, Prisma } from '@prisma/client';
        const prisma = new PrismaClient();
        await prisma.$executeRaw(Prisma.sql\`SELECT pg_advisory_lock(\${1})\`);
        await prisma.$executeRawUnsafe('SELECT pg_advisory_unlock($1)', 1);
        await prisma.$queryRaw(new Prisma.Sql(['SELECT pg_try_advisory_lock(1)'], []));`,
      sends: [{ over: 'pool' }, { over: 'pool' }, { over: 'pool', cell: '[0].pg_try_advisory_lock' }],
    },
    {
      code: `import { PrismaClient, Prisma } from '@prisma/client';
        import { lockJobs } from '@prisma/client/sql';
        const prisma = new PrismaClient();
        const limit = process.env.ALL ? Prisma.empty : Prisma.raw('LIMIT 10');
        await prisma.$queryRawTyped(lockJobs());
        await prisma.$queryRaw\`SELECT pg_try_advisory_lock(id) AS ok FROM jobs WHERE id IN (\${Prisma.join([1, 2])}) \${limit}\`;`,
      sends: [{ over: 'pool', sql: 'FROM jobs', cell: '[0].ok' }],
    },
    {
      code: `import { PrismaClient } from '@prisma/client';
        const prisma = new PrismaClient();
        prisma.$on('query', console.log);
        prisma.$use((params, next) => next(params));
        await prisma.$connect();
        await prisma.$transaction(async (tx) => {
          await tx.$executeRaw\`SELECT pg_advisory_xact_lock(1)\`;
          await tx.$transaction(async (nested) => nested.$executeRaw\`SELECT pg_advisory_xact_lock(2)\`);
          await prisma.$executeRaw\`SELECT pg_advisory_lock(3)\`;
        }, { timeout: 10_000, isolationLevel: 'Serializable' });`,
      sends: [{ over: 'transaction' }, { over: 'transaction' }, { over: 'pool' }],
    },
    {
      code: `import { PrismaClient } from '@prisma/client';
        const prisma = new PrismaClient({ transactionOptions: { timeout: 30_000 } });
        await prisma.$transaction([prisma.$executeRaw\`SELECT pg_advisory_xact_lock(1)\`, prisma.job.deleteMany()]);`,
      sends: [{ over: 'transaction' }],
    },
    {
      code: `import { PrismaClient } from '@prisma/client';
        import { PrismaPg } from '@prisma/adapter-pg';
        const prisma = new PrismaClient({ adapter: new PrismaPg({ connectionString: process.env.URL, max: 1 }) });
        await prisma.$queryRaw\`SELECT pg_try_advisory_lock(1)\`;`,
      sends: [{ over: 'single', cell: '[0].pg_try_advisory_lock' }],
    },
    {
      code: `import { PrismaClient } from '@prisma/client';
        import { PrismaNeon, PrismaNeonHTTP, PrismaNeonHttp } from '@prisma/adapter-neon';
        import { PrismaMariaDb } from '@prisma/adapter-mariadb';
        const http = new PrismaClient({ adapter: new PrismaNeonHTTP(process.env.URL) });
        const newHttp = new PrismaClient({ adapter: new PrismaNeonHttp(process.env.URL) });
        const neon = new PrismaClient({ adapter: new PrismaNeon({ connectionString: process.env.URL }) });
        const mariadb = new PrismaClient({ adapter: new PrismaMariaDb({ host: 'localhost' }) });
        await http.$queryRaw\`SELECT pg_try_advisory_lock(1)\`;
        await newHttp.$queryRaw\`SELECT pg_try_advisory_lock(2)\`;
        await neon.$queryRaw\`SELECT pg_try_advisory_lock(3)\`;
        await mariadb.$queryRaw\`SELECT GET_LOCK('jobs', 5) AS ok\`;`,
      sends: [{ over: 'http' }, { over: 'http' }, { over: 'pool' }, { over: 'pool', cell: '[0].ok' }],
    },
    {
      code: `import type { Prisma, PrismaClient } from '@prisma/client';
        import { PrismaService } from 'nestjs-prisma';
        export const inTransaction = async (tx: Prisma.TransactionClient) => { await tx.$executeRaw\`SELECT pg_advisory_xact_lock(1)\`; };
        export const onPool = async (prisma: PrismaClient) => { await prisma.$executeRaw\`SELECT pg_advisory_lock(1)\`; };
        export class Jobs {
          constructor(private readonly prisma: PrismaService) {}
          async run() { await this.prisma.$executeRaw\`SELECT pg_advisory_lock(2)\`; }
        }`,
      sends: [{ over: 'transaction' }, { over: 'pool' }, { over: 'pool' }],
    },
    {
      code: `import { PrismaClient } from '@prisma/client';
        class Database extends PrismaClient {
          async lock() { await this.$queryRaw\`SELECT GET_LOCK('jobs', 5) AS ok\`; }
        }
        const database = new Database();
        await database.$queryRawUnsafe('SELECT RELEASE_LOCK(?) AS ok', 'jobs');`,
      sends: [
        { over: 'pool', cell: '[0].ok' },
        { over: 'pool', cell: '[0].ok' },
      ],
    },
  ],
});
