import { evidence, itFinds, type Case } from './lock-statements.js';

const LOCK = "'SELECT pg_advisory_lock(1)'";
const one = (title: string, code: string, ...expected: string[]): Case => ({ title, code, expected });

describe('how a name gets its handle', () => {
  itFinds([
    one('a named import', `import { Pool } from 'pg';\nconst pool = new Pool();\npool.query(${LOCK});`, '3 pool pg_advisory_lock'),
    one('an aliased import', `import { Pool as P } from 'pg';\nconst pool = new P();\npool.query(${LOCK});`, '3 pool pg_advisory_lock'),
    one('a namespace import', `import * as pg from 'pg';\nconst pool = new pg.Pool();\npool.query(${LOCK});`, '3 pool pg_advisory_lock'),
    one('a default import', `import pg from 'pg';\nconst { Pool } = pg;\nnew Pool().query(${LOCK});`, '3 pool pg_advisory_lock'),
    one('require', `const { Pool } = require('pg');\nconst pool = new Pool();\npool.query(${LOCK});`, '3 pool pg_advisory_lock'),
    one('require of a namespace', `const pg = require('pg');\nconst pool = new pg.Pool();\npool.query(${LOCK});`, '3 pool pg_advisory_lock'),
    one('require, called at once', `const pool = new (require('pg').Pool)();\npool.query(${LOCK});`, '2 pool pg_advisory_lock'),
    one('TypeScript import equals', `import pg = require('pg');\nconst pool = new pg.Pool();\npool.query(${LOCK});`, '3 pool pg_advisory_lock'),
    one('a dynamic import', `const { Pool } = await import('pg');\nconst pool = new Pool();\npool.query(${LOCK});`, '3 pool pg_advisory_lock'),
    one(
      'dynamic imports in Promise.all',
      `const [{ drizzle }, { sql }] = await Promise.all([import('drizzle-orm/node-postgres'), import('drizzle-orm')]);\nconst db = drizzle(process.env.URL);\nawait db.execute(sql\`SELECT pg_advisory_lock(1)\`);`,
      '3 pool pg_advisory_lock',
    ),
    one('an alias', `import { Pool } from 'pg';\nconst pool = new Pool();\nconst db = pool;\ndb.query(${LOCK});`, '4 pool pg_advisory_lock'),
    one('a method taken off', `import { Pool } from 'pg';\nconst { query } = new Pool();\nquery(${LOCK});`, '3 pool pg_advisory_lock'),
    one('a bound method', `import { Pool } from 'pg';\nconst pool = new Pool();\nconst run = pool.query.bind(pool);\nrun(${LOCK});`, '4 pool pg_advisory_lock'),
    one('a promisified method', `const util = require('util');\nconst mysql = require('mysql');\nconst pool = mysql.createPool({});\nconst query = util.promisify(pool.query).bind(pool);\nexport const run = () => query("SELECT GET_LOCK('a', 1)");`, '5 pool get_lock'),
    one('a pool that is made where none is given', `import { Pool } from 'pg';\nexport class Jobs { constructor(options) { this.pool = options.pool ?? new Pool(); }\n run() { return this.pool.query(${LOCK}); } }`, '3 pool pg_advisory_lock'),
    one('a pool by default', `import { Pool } from 'pg'; const shared = new Pool();\nexport async function run(pool = shared) { await pool.query(${LOCK}); }`, '2 pool pg_advisory_lock'),
    one('a client by default', `import { Pool } from 'pg'; const shared = new Pool();\nexport async function run(client = shared) { await client.query(${LOCK}); }`, '2 unknown pg_advisory_lock'),
    one('a pool under a condition', `import { Pool } from 'pg';\nconst pool = process.env.URL ? new Pool() : null;\nexport const run = () => pool.query(${LOCK});`, '3 pool pg_advisory_lock'),
    one('a later assignment', `import { Pool } from 'pg';\nlet pool;\npool = new Pool();\npool.query(${LOCK});`, '4 pool pg_advisory_lock'),
    one(
      'an assignment among null ones',
      `import { Pool } from 'pg';\nlet pool = null;\nexport function open() { pool ??= new Pool(); return pool; }\nexport function close() { pool = null; }\nexport const run = () => open().query(${LOCK});`,
      '5 pool pg_advisory_lock',
    ),
    one(
      'a destructured assignment among others',
      `import { Pool } from 'pg';\nlet client = null;\nexport async function run(make) {\n  ({ client } = { client: await new Pool().connect() });\n  await client.query(${LOCK});\n  client = null;\n}`,
      '5 connection pg_advisory_lock',
    ),
    one('an object literal', `import { Pool } from 'pg';\nconst db = { pool: new Pool() };\ndb.pool.query(${LOCK});`, '3 pool pg_advisory_lock'),
    one('a property assigned later', `import { Pool } from 'pg';\nconst db = {};\ndb.pool = new Pool();\nexport const run = () => db.pool.query(${LOCK});`, '4 pool pg_advisory_lock'),
    one('a getter of an object literal', `import { Pool } from 'pg';\nconst p = new Pool();\nconst db = { get pool() { return p; } };\ndb.pool.query(${LOCK});`, '4 pool pg_advisory_lock'),
    one('a method of an object literal, through this', `import { Pool } from 'pg';\nconst db = { pool: new Pool(), lock() { return this.pool.query(${LOCK}); } };`, '2 pool pg_advisory_lock'),
    one('an optional chain', `import { Pool } from 'pg';\nconst pool = new Pool();\npool?.query(${LOCK});`, '3 pool pg_advisory_lock'),
    one('an assertion', `import { Pool } from 'pg';\nconst pool = new Pool() as unknown as Db;\n(pool as any).query(${LOCK});`, '3 pool pg_advisory_lock'),
    one('a computed member', `import { Pool } from 'pg';\nconst pool = new Pool();\npool['query'](${LOCK});`, '3 pool pg_advisory_lock'),
    one(
      'a global singleton',
      `import { PrismaClient } from '@prisma/client';\nconst globalForPrisma = globalThis as unknown as { prisma?: PrismaClient };\nexport const prisma = globalForPrisma.prisma ?? new PrismaClient();\nif (process.env.NODE_ENV !== 'production') globalForPrisma.prisma = prisma;\nawait prisma.$executeRaw\`SELECT pg_advisory_lock(1)\`;`,
      '5 pool pg_advisory_lock',
    ),
    one(
      'a global that is filled when empty',
      `import { Pool } from 'pg';\nif (!global.pool) global.pool = new Pool();\nconst pool = global.pool;\npool.query(${LOCK});`,
      '4 pool pg_advisory_lock',
    ),
    one('one element of a list', `import { Pool } from 'pg';\nconst pools = [new Pool(), new Pool()];\npools[1].query(${LOCK});`, '3 pool pg_advisory_lock'),
    one('any element of a list', `import { Pool } from 'pg';\nconst pools = [new Pool(), new Pool()];\nfor (const pool of pools) pool.query(${LOCK});`, '3 pool pg_advisory_lock'),
    one('a callback of then', `import { Pool } from 'pg';\nnew Pool().connect().then((client) => client.query(${LOCK}));`, '2 connection pg_advisory_lock'),
    one('a shadowed name', `import { PrismaClient } from '@prisma/client';\nconst prisma = new PrismaClient();\nawait prisma.$transaction(async (prisma) => { await prisma.$executeRaw\`SELECT pg_advisory_xact_lock(1)\`; });`, '3 transaction pg_advisory_xact_lock'),
  ]);
});

describe('classes', () => {
  itFinds([
    one('a field with a value', `import { Pool } from 'pg';\nclass Jobs { pool = new Pool(); lock() { return this.pool.query(${LOCK}); } }`, '2 pool pg_advisory_lock'),
    one('a private field', `import { Pool } from 'pg';\nclass Jobs { #pool = new Pool(); lock() { return this.#pool.query(${LOCK}); } }`, '2 pool pg_advisory_lock'),
    one('a field assigned in the constructor', `import { Pool } from 'pg';\nclass Jobs { constructor() { this.pool = new Pool(); } lock() { return this.pool.query(${LOCK}); } }`, '2 pool pg_advisory_lock'),
    one('an annotated field', `import type { PoolClient } from 'pg';\nclass Jobs { private client: PoolClient | null = null;\n lock() { return this.client?.query(${LOCK}); } }`, '3 connection pg_advisory_lock'),
    one('a parameter property', `import type { Pool } from 'pg';\nclass Jobs { constructor(private readonly pool: Pool) {}\n lock() { return this.pool.query(${LOCK}); } }`, '3 pool pg_advisory_lock'),
    one('a field assigned from a constructor parameter', `import type { Pool } from 'pg';\nclass Jobs { private readonly db;\n constructor(pool: Pool) { this.db = pool; }\n lock() { return this.db.query(${LOCK}); } }`, '4 pool pg_advisory_lock'),
    one(
      'a constructor parameter that a caller in the file fills',
      `import { Pool } from 'pg';\nclass Jobs { constructor(pool) { this.pool = pool; }\n lock() { return this.pool.query(${LOCK}); } }\nconst jobs = new Jobs(new Pool());`,
      '3 pool pg_advisory_lock',
    ),
    one('a static member', `import { Pool } from 'pg';\nclass Db { static pool = new Pool(); }\nDb.pool.query(${LOCK});`, '3 pool pg_advisory_lock'),
    one('a static member assigned later', `import { Pool } from 'pg';\nclass Db { static open() { Db.pool = new Pool(); }\n static lock() { return Db.pool.query(${LOCK}); } }`, '3 pool pg_advisory_lock'),
    one('a getter', `import { Pool } from 'pg';\nconst p = new Pool();\nclass Jobs { get pool() { return p; } lock() { return this.pool.query(${LOCK}); } }`, '3 pool pg_advisory_lock'),
    one('an annotated getter', `import type { Pool } from 'pg';\nclass Jobs { get pool(): Pool { return registry.get('pool'); } lock() { return this.pool.query(${LOCK}); } }`, '2 pool pg_advisory_lock'),
    one('a subclass of a class of the file', `import { Pool } from 'pg';\nclass Base { pool = new Pool(); }\nclass Jobs extends Base { lock() { return this.pool.query(${LOCK}); } }`, '3 pool pg_advisory_lock'),
    one('a subclass of a client', `import { PrismaClient } from '@prisma/client';\nexport class Db extends PrismaClient { lock() { return this.$executeRaw\`SELECT pg_advisory_lock(1)\`; } }`, '2 pool pg_advisory_lock'),
    one('an arrow function in a field', `import { Pool } from 'pg';\nclass Jobs { pool = new Pool(); lock = () => this.pool.query(${LOCK}); }`, '2 pool pg_advisory_lock'),
    one(
      'a class of the file as an annotation',
      `import { Pool } from 'pg';\nclass Db { readonly pool = new Pool(); }\nexport const lock = (db: Db) => db.pool.query(${LOCK});`,
      '3 pool pg_advisory_lock',
    ),
    one('a field of type any says nothing', `class Jobs { constructor(private db: any) {} lock = () => this.db.execute(${LOCK}); }`, '1 unknown pg_advisory_lock'),
  ]);
});

describe('functions of the file', () => {
  itFinds([
    one('a factory', `import { Pool } from 'pg';\nconst createPool = () => new Pool();\nconst pool = createPool();\npool.query(${LOCK});`, '4 pool pg_advisory_lock'),
    one('an async factory', `import { Pool } from 'pg';\nconst pool = new Pool();\nasync function open() { const client = await pool.connect(); return client; }\nexport async function run() { const c = await open(); await c.query(${LOCK}); }`, '4 connection pg_advisory_lock'),
    one('a factory of an object', `import { Pool } from 'pg';\nfunction createDb() { const pool = new Pool(); return { pool, query: (text) => pool.query(text) }; }\nconst { pool } = createDb();\npool.query(${LOCK});`, '4 pool pg_advisory_lock'),
    one('a factory of an object, asynchronous', `import { Pool } from 'pg';\nasync function createDb() { return { pool: new Pool() }; }\nconst db = await createDb();\ndb.pool.query(${LOCK});`, '4 pool pg_advisory_lock'),
    one('a factory with a declared result', `import type { Pool } from 'pg';\nfunction getPool(): Pool { return registry.pool; }\ngetPool().query(${LOCK});`, '3 pool pg_advisory_lock'),
    one('an async factory with a declared result', `import type { PoolClient } from 'pg';\nasync function open(): Promise<PoolClient> { return registry.open(); }\nconst c = await open();\nc.query(${LOCK});`, '4 connection pg_advisory_lock'),
    one('a memoised factory', `import { Pool } from 'pg';\nlet pool;\nfunction getPool() { if (!pool) pool = new Pool(); return pool; }\ngetPool().query(${LOCK});`, '4 pool pg_advisory_lock'),
    one('a factory that gives different things', `import { Pool, Client } from 'pg';\nconst open = (one) => (one ? new Client() : new Pool());\nopen(true).query(${LOCK});`, '3 unknown pg_advisory_lock'),
    one('a transaction or the pool', `import { Pool } from 'pg';\nconst pool = new Pool();\nexport function run(tx) { const client = tx ?? pool; return client.query(${LOCK}); }`, '3 unknown pg_advisory_lock'),
    one('the pool until a transaction takes its place', `import { Pool } from 'pg';\nconst pool = new Pool();\nexport function run(tx) { let client = pool; if (tx) client = tx; return client.query(${LOCK}); }`, '3 unknown pg_advisory_lock'),
    one('a statement that a later call puts into a transaction', `import knex from 'knex';\nconst db = knex({});\nexport const run = (trx) => { const q = db.raw('SELECT pg_advisory_xact_lock(1)'); return q.transacting(trx); };`, '3 unknown pg_advisory_xact_lock'),
    one('a transaction or the pool by default', `import { Pool } from 'pg';\nconst pool = new Pool();\nexport function run(client = pool) { return client.query(${LOCK}); }`, '3 unknown pg_advisory_lock'),
    one('a parameter that a caller in the file fills', `import { Pool } from 'pg';\nconst pool = new Pool();\nconst lock = (db) => db.query(${LOCK});\nlock(pool);`, '3 pool pg_advisory_lock'),
    one('a parameter that callers fill differently', `import { Pool } from 'pg';\nconst pool = new Pool();\nconst lock = (db) => db.query(${LOCK});\nlock(pool);\nlock(await pool.connect());`, '3 unknown pg_advisory_lock or pool/connection'),
    one('a parameter bag that a caller fills', `import { Pool } from 'pg';\nconst pool = new Pool();\nconst lock = ({ db }) => db.query(${LOCK});\nlock({ db: pool });`, '3 pool pg_advisory_lock'),
    one('a callback that a helper of the file calls', `import { Pool } from 'pg';\nconst pool = new Pool();\nasync function withClient(fn) { const client = await pool.connect(); try { return await fn(client); } finally { client.release(); } }\nwithClient(async (c) => { await c.query(${LOCK}); });`, '4 connection pg_advisory_lock'),
    one('a callback that a helper of the file hands on', `import { Pool } from 'pg';\nconst pool = new Pool();\nasync function inner(f) { return f(await pool.connect()); }\nconst outer = (fn) => inner(fn);\nouter((c) => c.query(${LOCK}));`, '5 connection pg_advisory_lock'),
    one('a named callback', `import { knex } from 'knex';\nconst db = knex({});\nasync function work(trx) { await trx.raw('SELECT pg_advisory_xact_lock(1)'); }\nawait db.transaction(work);`, '3 transaction pg_advisory_xact_lock'),
    one('a named callback used twice', `import { knex } from 'knex';\nconst db = knex({});\nasync function work(trx) { await trx.raw('SELECT pg_advisory_xact_lock(1)'); }\nawait db.transaction(work);\nawait db.transaction(work);`, '3 transaction pg_advisory_xact_lock'),
    one('a generator gives nothing that is known', `import { Pool } from 'pg';\nfunction* pools() { yield new Pool(); }\nfor (const pool of pools()) pool.query(${LOCK});`, '3 unknown pg_advisory_lock'),
  ]);
});

describe('annotations', () => {
  itFinds([
    one('a parameter', `import type { Pool } from 'pg';\nexport const lock = (p: Pool) => p.query(${LOCK});`, '2 pool pg_advisory_lock'),
    one('the narrowest type', `import type { PoolClient } from 'pg';\nexport const lock = (p: PoolClient) => p.query(${LOCK});`, '2 connection pg_advisory_lock'),
    one('a qualified name', `import type pg from 'pg';\nexport const lock = (p: pg.Pool) => p.query(${LOCK});`, '2 pool pg_advisory_lock'),
    one('an import type', `export const lock = (p: import('pg').Pool) => p.query(${LOCK});`, '1 pool pg_advisory_lock'),
    one('an optional type', `import type { Pool } from 'pg';\nexport const lock = (p?: Pool | null) => p?.query(${LOCK});`, '2 pool pg_advisory_lock'),
    one('a union', `import type { Pool, PoolClient } from 'pg';\nexport const lock = (p: Pool | PoolClient) => p.query(${LOCK});`, '2 unknown pg_advisory_lock'),
    one('a bag written out', `import type { Pool } from 'pg';\nexport const lock = ({ pool }: { pool: Pool }) => pool.query(${LOCK});`, '2 pool pg_advisory_lock'),
    one('a bag by an interface', `import type { Pool } from 'pg';\ninterface Deps { pool: Pool }\nexport const lock = (deps: Deps) => deps.pool.query(${LOCK});`, '3 pool pg_advisory_lock'),
    one('a bag by an alias', `import type { Pool } from 'pg';\ntype Deps = { readonly pool: Pool };\nexport const lock = (deps: Readonly<Deps>) => deps.pool.query(${LOCK});`, '3 pool pg_advisory_lock'),
    one('a bag that extends another', `import type { Pool } from 'pg';\ninterface Base { pool: Pool }\ninterface Deps extends Base { log: Logger }\nexport const lock = (deps: Deps) => deps.pool.query(${LOCK});`, '4 pool pg_advisory_lock'),
    one('an intersection', `import type { Pool } from 'pg';\nexport const lock = (deps: { log: Logger } & { pool: Pool }) => deps.pool.query(${LOCK});`, '2 pool pg_advisory_lock'),
    one('an interface that extends a client', `import type { Pool } from 'pg';\ninterface Db extends Pool { tag: string }\nexport const lock = (db: Db) => db.query(${LOCK});`, '3 pool pg_advisory_lock'),
    one('a promise', `import type { Pool } from 'pg';\nexport const lock = async (p: Promise<Pool>) => (await p).query(${LOCK});`, '2 pool pg_advisory_lock'),
    one('Awaited and ReturnType of a function', `import { Pool } from 'pg';\nasync function open() { return new Pool(); }\nexport const lock = (p: Awaited<ReturnType<typeof open>>) => p.query(${LOCK});`, '3 pool pg_advisory_lock'),
    one('Awaited and ReturnType of a method', `import { Pool } from 'pg';\nconst pool = new Pool();\ntype Client = Awaited<ReturnType<typeof pool.connect>>;\nexport const lock = (c: Client) => c.query(${LOCK});`, '4 connection pg_advisory_lock'),
    one('ReturnType of a driver function', `import postgres from 'postgres';\ntype Sql = ReturnType<typeof postgres>;\nexport const lock = (sql: Sql) => sql\`SELECT pg_advisory_lock(1)\`;`, '3 pool pg_advisory_lock'),
    one('ReturnType of a driver function whose objects play several roles', `import { drizzle } from 'drizzle-orm/node-postgres';\ntype Db = ReturnType<typeof drizzle>;\nexport const lock = (db: Db) => db.execute('SELECT pg_advisory_lock(1)');`, '3 unknown pg_advisory_lock'),
    one('InstanceType', `import { Pool } from 'pg';\nexport const lock = (p: InstanceType<typeof Pool>) => p.query(${LOCK});`, '2 pool pg_advisory_lock'),
    one('typeof a pool may be written for its transactions', `import { drizzle } from 'drizzle-orm/node-postgres';\nconst db = drizzle(process.env.URL);\nexport const lock = (tx: typeof db) => tx.execute('SELECT pg_advisory_xact_lock(1)');`, '3 unknown pg_advisory_xact_lock'),
    one(
      "a transaction's type taken from the method",
      `import { drizzle } from 'drizzle-orm/node-postgres';\nconst db = drizzle(process.env.URL);\ntype Tx = Parameters<Parameters<typeof db.transaction>[0]>[0];\nexport const lock = (tx: Tx) => tx.execute('SELECT pg_advisory_xact_lock(1)');`,
      '4 transaction pg_advisory_xact_lock',
    ),
    one(
      "a transaction's type taken from the type's method",
      `import { PrismaClient } from '@prisma/client';\ntype Tx = Parameters<Parameters<PrismaClient['$transaction']>[0]>[0];\nexport const lock = (tx: Tx) => tx.$executeRaw\`SELECT pg_advisory_xact_lock(1)\`;`,
      '3 transaction pg_advisory_xact_lock',
    ),
    one('a client without some methods', `import { PrismaClient } from '@prisma/client';\nexport const lock = (tx: Omit<PrismaClient, '$connect'>) => tx.$executeRaw\`SELECT pg_advisory_xact_lock(1)\`;`, '2 unknown pg_advisory_xact_lock'),
    one('a type that plays several roles', `import type { Kysely } from 'kysely';\nimport { sql } from 'kysely';\nexport const lock = (db: Kysely<any>) => sql\`SELECT pg_advisory_lock(1)\`.execute(db);`, '3 unknown pg_advisory_lock'),
    one('a sub-type before the type it extends', `import type { TransactionSql, Sql } from 'postgres';\nexport const a = (sql: TransactionSql) => sql\`SELECT pg_advisory_lock(1)\`;\nexport const b = (sql: Sql) => sql\`SELECT pg_advisory_lock(2)\`;`, '2 transaction pg_advisory_lock', '3 pool pg_advisory_lock'),
    one('a caller decides what an ambiguous type leaves open', `import { Kysely, sql } from 'kysely';\nconst lock = (db: Kysely<any>) => sql\`SELECT pg_advisory_lock(1)\`.execute(db);\nexport const run = (root: Db) => new Kysely({}).connection().execute((c) => lock(c));`, '2 connection pg_advisory_lock'),
    one('a variable', `import type { Pool } from 'pg';\nconst pool: Pool = container.get('pool');\npool.query(${LOCK});`, '3 pool pg_advisory_lock'),
    one('a type from a file that is not read', `import type { Db } from './db';\nexport const lock = (db: Db) => db.query(${LOCK});`, '2 unknown pg_advisory_lock'),
    one('a type parameter bounded by a client', `import type { Pool } from 'pg';\nexport const lock = <P extends Pool>(p: P) => p.query(${LOCK});`, '2 pool pg_advisory_lock'),
  ]);

  it.each([
    [`import { Pool } from 'pg';\nnew Pool().query(${LOCK});`, 'constructor'],
    [`import postgres from 'postgres';\nconst sql = postgres();\nawait sql\`SELECT pg_advisory_lock(1)\`;`, 'factory'],
    [`import { Pool } from 'pg';\nconst c = await new Pool().connect();\nc.query(${LOCK});`, 'taken-from-pool'],
    [`import type { Pool } from 'pg';\nexport const f = (p: Pool) => p.query(${LOCK});`, 'annotation'],
    [`import { knex } from 'knex';\nawait knex({}).transaction((t) => t.raw(${LOCK}));`, 'callback-parameter'],
    [`import { db } from './db';\ndb.query(${LOCK});`, 'module-import'],
    [`export const f = (p) => p.query(${LOCK});`, 'none'],
  ])('%s is believed because of its %s', (code, because) => {
    expect(evidence(code)).toEqual([because]);
  });
});
