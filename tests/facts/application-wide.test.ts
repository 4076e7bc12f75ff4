import { itFinds, type Case } from './lock-statements.js';

const LOCK = "'SELECT pg_advisory_lock(1)'";
const one = (title: string, code: string, ...expected: string[]): Case => ({ title, code, expected });

/** A class that sends one lock over `this.db`. */
const service = (decorator: string, parameter: string, imports = '', statement = `this.db.query(${LOCK})`): string =>
  `${imports}\n${decorator}\nexport class Jobs {\n  constructor(${parameter}) {}\n  lock() { return ${statement}; }\n}`;
const typeorm = "import { DataSource, EntityManager, Repository } from 'typeorm';";
const kysely = "import { Kysely, sql } from 'kysely';";
const drizzle = "import { sql } from 'drizzle-orm';";
const overKysely = 'sql`SELECT pg_advisory_lock(1)`.execute(this.db)';
const overDrizzle = 'this.db.execute(sql`SELECT pg_advisory_lock(1)`)';

describe('what a dependency-injection container hands out', () => {
  itFinds([
    one('an entity manager', service('@Injectable()', '@InjectEntityManager() private readonly db: EntityManager', typeorm), '5 pool pg_advisory_lock'),
    one('a repository', service('@Injectable()', '@InjectRepository(Job) private readonly db: Repository<Job>', typeorm), '5 pool pg_advisory_lock'),
    one('a repository of bank transactions', service('@Injectable()', '@InjectRepository(Transaction) private readonly db: Repository<Transaction>', typeorm), '5 pool pg_advisory_lock'),
    one('a class decorator alone', service('@Service()', 'private readonly db: EntityManager', typeorm), '5 pool pg_advisory_lock'),
    one('a parameter decorator alone', service('', "@inject('db') private readonly db: Kysely<Tables>", kysely, overKysely), '5 pool pg_advisory_lock'),
    one(
      'a decorated field',
      `${typeorm}\n@Injectable()\nexport class Jobs {\n  @InjectEntityManager() private readonly db: EntityManager;\n  lock() { return this.db.query(${LOCK}); }\n}`,
      '5 pool pg_advisory_lock',
    ),
    one(
      'a parameter kept in a field',
      `${kysely}\n@Injectable()\nexport class Jobs {\n  private readonly db: Kysely<Tables>;\n  constructor(@InjectKysely() db: Kysely<Tables>) { this.db = db; }\n  lock() { return ${overKysely}; }\n}`,
      '6 pool pg_advisory_lock',
    ),
    one(
      'a Drizzle database over node-postgres',
      service('@Injectable()', "@Inject('DB') private readonly db: NodePgDatabase", `${drizzle} import type { NodePgDatabase } from 'drizzle-orm/node-postgres';`, overDrizzle),
      '5 pool pg_advisory_lock',
    ),
    one('a type of another file, in a file that imports the library', service('@Injectable()', '@Inject(DRIZZLE) private readonly db: Database', drizzle, overDrizzle), '5 pool pg_advisory_lock'),
    one('a type of another file, by the name of the method', service('@Injectable()', '@Inject(DB) private readonly db: Database'), '5 pool pg_advisory_lock'),
    one('default scope', service('@Injectable({ scope: Scope.DEFAULT })', 'private readonly db: EntityManager', typeorm), '5 pool pg_advisory_lock'),
    one('request scope', service('@Injectable({ scope: Scope.REQUEST })', 'private readonly db: EntityManager', typeorm), '5 unknown pg_advisory_lock'),
    one('what is named a transaction', service('@Injectable()', '@InjectTransaction() private readonly db: EntityManager', typeorm), '5 unknown pg_advisory_lock'),
    one('a token of a transaction', service('@Injectable()', '@Inject(REQUEST_TX) private readonly db: Database', drizzle, overDrizzle), '5 unknown pg_advisory_lock'),
    one('no container in sight', service('', 'private readonly db: EntityManager', typeorm), '5 unknown pg_advisory_lock'),
    one('an unrelated decorator', service('@Entity()', 'private readonly db: EntityManager', typeorm), '5 unknown pg_advisory_lock'),
    one('a class that the file makes with something unknown', `${service('@Injectable()', 'private readonly db: EntityManager', typeorm)}\nexport const make = (db) => new Jobs(db);`, '5 unknown pg_advisory_lock'),
    one('MikroORM, over which a session lock is wrong in a transaction, too', service('@Injectable()', 'private readonly db: EntityManager', "import { EntityManager } from '@mikro-orm/core';", `this.db.execute(${LOCK})`), '5 pool pg_advisory_lock'),
    one('transactions that are begun by a decorator', service('@Injectable()', 'private readonly db: EntityManager', `${typeorm} import { Transactional } from 'typeorm-transactional';`), '5 unknown pg_advisory_lock'),
    one('transactions that are begun by a decorator of the project', service('@Injectable()', 'private readonly db: EntityManager', `${typeorm} import { Transactional } from './transactional';`, `this.db.query(${LOCK})`).replace('  lock()', '  @Transactional() lock()'), '5 unknown pg_advisory_lock'),
    one('a type of another file, with a method that only one library has', service('@Injectable()', 'private readonly db: Client', '', 'this.db.$transaction([this.db.$executeRaw`SELECT pg_advisory_lock(1)`])'), '5 transaction pg_advisory_lock'),
    one('what an injected service gives, by the name of its method', service('@Injectable()', 'private readonly database: DatabaseService', '', `this.database.getKnex().raw(${LOCK})`), '5 pool pg_advisory_lock'),
    one('the pool of an injected service', service('@Injectable()', 'private readonly database: DatabaseService', '', `this.database.getPool().query(${LOCK})`), '5 pool pg_advisory_lock'),
    one('what an injected service gives by a name that leaves room', service('@Injectable()', 'private readonly database: DatabaseService', '', `this.database.getClient().query(${LOCK})`), '5 unknown pg_advisory_lock'),
    one('what a service gives whose own name leaves room', service('@Injectable()', 'private readonly tenantContext: TenantContext', '', `this.tenantContext.getDb().query(${LOCK})`), '5 unknown pg_advisory_lock'),
    one('what an object gives that no container hands out', service('', 'private readonly database: DatabaseService', '', `this.database.getKnex().raw(${LOCK})`), '5 unknown pg_advisory_lock'),
    one('what is reached through something injected', service('@Injectable()', 'private readonly host: Host', '', `this.host.tx.query(${LOCK})`), '5 unknown pg_advisory_lock'),
  ]);
});

describe('a parameter that is called after a library that hands out no connections', () => {
  const over = (name: string): string => `export const lock = (${name}) => ${name}.$executeRaw\`SELECT pg_advisory_lock(1)\`;`;
  itFinds([
    one('the client', over('prisma'), '1 pool pg_advisory_lock'),
    one('the client, in two words', over('prismaClient'), '1 pool pg_advisory_lock'),
    one('a name that leaves room', over('prismaTx'), '1 unknown pg_advisory_lock'),
    one('another name', over('db'), '1 unknown pg_advisory_lock'),
    one('where the file asks what it is', `${over('prisma')}\nexport const isClient = (it) => '$transaction' in it;`, '1 unknown pg_advisory_lock'),
  ]);
});

describe('a handle whose transactions lack a method that is called on it', () => {
  itFinds([
    one('of a class', `${service('', 'private readonly db: Kysely<Tables>', kysely, overKysely).slice(0, -1)}  run(work) { return this.db.transaction().execute(work); }\n}`, '5 pool pg_advisory_lock'),
    one('of a function', `${kysely}\nexport async function run(db: Kysely<Tables>, work) {\n  await sql\`SELECT pg_advisory_lock(1)\`.execute(db);\n  await db.transaction().execute(work);\n}`, '3 pool pg_advisory_lock'),
    one('of a plain parameter, where the method is one library\'s alone', "export async function run(db, work) {\n  await db.$executeRaw`SELECT pg_advisory_lock(1)`;\n  await db.$transaction(work);\n}", '2 pool pg_advisory_lock'),
    one('of what is reached through something unknown', "export async function run({ ctx }, work) {\n  await ctx.db.$executeRaw`SELECT pg_advisory_lock(1)`;\n  await ctx.db.$transaction(work);\n}", '2 pool pg_advisory_lock'),
    one('of something else of that name', "export async function run(tx, { tx: db }, work) {\n  await tx.$executeRaw`SELECT pg_advisory_lock(1)`;\n  await db.$transaction(work);\n}", '2 unknown pg_advisory_lock'),
    one('unless the code asks whether it has the method', "export async function run(db, work) {\n  if ('$transaction' in db) return db.$transaction(work);\n  await db.$executeRaw`SELECT pg_advisory_lock(1)`;\n}", '3 unknown pg_advisory_lock'),
    one('unless the code asks whether it is a transaction', `${kysely}\nexport async function run(db: Kysely<Tables>, work) {\n  if (!db.isTransaction) return db.transaction().execute(work);\n  await sql\`SELECT pg_advisory_lock(1)\`.execute(db);\n}`, '4 unknown pg_advisory_lock'),
    one('of another class', `${service('', 'private readonly db: Kysely<Tables>', kysely, overKysely)}\nexport class Other { constructor(private readonly db) {}\n  run(work) { return this.db.transaction().execute(work); }\n}`, '5 unknown pg_advisory_lock'),
    one(
      'but a nested transaction of Drizzle proves nothing',
      `${service('', 'private readonly db: NodePgDatabase', `${drizzle} import type { NodePgDatabase } from 'drizzle-orm/node-postgres';`, overDrizzle).slice(0, -1)}  run(work) { return this.db.transaction(work); }\n}`,
      '5 unknown pg_advisory_lock',
    ),
  ]);
});

describe('a handle of the whole module', () => {
  itFinds([
    one('with an annotation', `${kysely}\nimport { open } from './open';\nconst db: Kysely<Tables> = open();\nsql\`SELECT pg_advisory_lock(1)\`.execute(db);`, '4 pool pg_advisory_lock'),
    one('made by a call that is not explained', "import { open } from './open';\nimport { sql } from 'kysely';\nconst db = open({ dialect: 'pg' });\nexport const run = () => sql`SELECT pg_advisory_lock(1)`.execute(db);", '4 pool pg_advisory_lock'),
    one('that looks for its caller\'s transaction', "import { als, client } from './client';\nconst db = new Proxy(client, { get: (target, name) => Reflect.get(als.getStore() ?? target, name) });\nexport const run = async () => { await db.$executeRaw`SELECT pg_advisory_lock(1)`; };", '3 unknown pg_advisory_lock'),
    one('named after its library', "import prisma from './client';\nimport { knex } from './knex';\nawait prisma.$executeRaw`SELECT pg_advisory_lock(1)`;\nawait knex.raw('SELECT pg_advisory_lock(2)');", '3 pool pg_advisory_lock', '4 pool pg_advisory_lock'),
    one('in a property named after its library', "export const run = (app) => app.prisma.$executeRaw`SELECT pg_advisory_lock(1)`;", '1 pool pg_advisory_lock'),
    one('in a property of a parameter', "export const run = async ({ prisma }) => { await prisma.$executeRaw`SELECT pg_advisory_lock(1)`; };", '1 pool pg_advisory_lock'),
    one('what a service calls its client', "import { PrismaService } from './prisma.service';\nexport const run = (prisma: PrismaService) => prisma.client.$executeRaw`SELECT pg_advisory_lock(1)`;", '2 pool pg_advisory_lock'),
  ]);
});

describe('packages that are named with their version or address', () => {
  itFinds(
    ['npm:pg@8', 'npm:pg@^8.11.3', 'npm:/pg@8.11.3', 'https://esm.sh/pg@8.11.3', 'https://esm.sh/v135/pg@8?target=deno', 'https://cdn.jsdelivr.net/npm/pg@8'].map((module) =>
      one(module, `import pg from '${module}';\nexport const run = async () => {\n  const client = await new pg.Pool().connect();\n  await client.query(${LOCK});\n};`, '4 connection pg_advisory_lock'),
    ),
  );
  itFinds([
    one('a file of a package', "import { drizzle } from 'npm:drizzle-orm@0.30.0/node-postgres';\nimport { sql } from 'npm:drizzle-orm@0.30.0';\nexport const run = (url) => drizzle(process.env.URL).execute(sql`SELECT pg_advisory_lock(1)`);", '3 pool pg_advisory_lock'),
    one('a scoped package', "import { PrismaClient } from 'npm:@prisma/client@5/edge';\nawait new PrismaClient().$executeRaw`SELECT pg_advisory_lock(1)`;", '2 pool pg_advisory_lock'),
    one('a package of JSR', "import { Client } from 'jsr:@db/postgres@^0.19';\nnew Client().queryObject('SELECT pg_advisory_lock(1)');", '2 connection pg_advisory_lock'),
    one('a module of deno.land', "import { Client } from 'https://deno.land/x/postgres@v0.17.0/mod.ts';\nnew Client().queryObject('SELECT pg_advisory_lock(1)');", '2 connection pg_advisory_lock'),
  ]);
});
