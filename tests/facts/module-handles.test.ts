import { itFinds, type Case } from './lock-statements.js';

const one = (title: string, code: string, ...expected: string[]): Case => ({ title, code, expected });
const LOCK = "'SELECT pg_advisory_lock(1)'";

describe('handles from files that were not read', () => {
  itFinds([
    one('a named import', `import { db } from './db';\nawait db.query(${LOCK});`, '2 pool pg_advisory_lock'),
    one('a default import', `import db from '../db.js';\nawait db.execute(${LOCK});`, '2 pool pg_advisory_lock'),
    one('a namespace import', `import * as db from './db';\nawait db.query(${LOCK});\nawait db.pool.query('SELECT pg_advisory_unlock(1)');`, '2 pool pg_advisory_lock', '3 pool pg_advisory_unlock'),
    one('require', `const { pool } = require('./db');\npool.query(${LOCK});`, '2 pool pg_advisory_lock'),
    one('an import from a package of the workspace', `import { db } from '@acme/database';\nawait db.query(${LOCK});`, '2 pool pg_advisory_lock'),
    one('a method that names its library', `import { prisma } from './db';\nawait prisma.$queryRaw\`SELECT pg_try_advisory_lock(1)\`;`, '2 pool pg_try_advisory_lock'),
    one('a nested member', `import { services } from './services';\nawait services.db.query(${LOCK});`, '2 pool pg_advisory_lock'),
    one('a property that names its library', `import models from './models';\nawait models.sequelize.query(${LOCK});`, '2 pool pg_advisory_lock'),
    one('the same property, destructured', `const { sequelize } = require('./models');\nsequelize.query(${LOCK});`, '2 pool pg_advisory_lock'),
    one('an imported function', `import { query } from './db';\nawait query('SELECT pg_advisory_lock($1)', [1]);`, '2 pool pg_advisory_lock'),
    one('an imported function under another name', `import { query as q } from './db';\nawait q(${LOCK});`, '2 pool pg_advisory_lock'),
    one('an imported function of another name', `import { audit } from './audit';\nawait audit(${LOCK});`),
    ...['queryOne', 'dbQuery', 'fetch_rows', 'runSql'].map((name) => one(`an imported function whose name says that it sends: ${name}`, `import { ${name} } from './db';\nawait ${name}(${LOCK});`, '2 pool pg_advisory_lock')),
    ...['logQuery', 'prepareSql', 'describe', 'mockQuery'].map((name) => one(`an imported function that does something else with SQL: ${name}`, `import { ${name} } from './db';\nawait ${name}(${LOCK});`)),
    one('an imported function of such a name, with nobody waiting', `import { queryOne } from './db';\nconst text = queryOne(${LOCK});`),
    one('a method of another name', `import { db } from './db';\nawait db.q(${LOCK});\nawait db.query('SELECT pg_advisory_unlock(1)');`, '2 pool pg_advisory_lock', '3 pool pg_advisory_unlock'),
    one('a method that does something else with SQL', `import { db } from './db';\nawait db.explain(${LOCK});`),
    one('a method of something that is no handle by its name', `import { assistant } from './assistant';\nawait assistant.ask(${LOCK});`),
    one('an imported tag', `import { sql } from './db';\nawait sql\`SELECT pg_advisory_lock(\${1})\`;`, '2 pool pg_advisory_lock'),
    one('an imported tag as a fragment', `import { db, sql } from './db';\nawait db.execute(sql\`SELECT pg_advisory_lock(\${1})\`);`, '2 pool pg_advisory_lock'),
    one('an imported tag that makes an object to run', `import { db, sql } from './db';\nawait sql\`SELECT pg_advisory_lock(1)\`.execute(db);\n// advisory`),
    one('a connection taken from an import', `import { pool } from './db';\nexport async function run() { const c = await pool.connect(); await c.query('BEGIN'); await c.query(${LOCK}); }`, '2 connection pg_advisory_lock'),
    one('a transaction callback of an import', `import { db } from './db';\nawait db.transaction(async (tx) => { await tx.execute('SELECT pg_advisory_xact_lock(1)'); });`, '2 transaction pg_advisory_xact_lock'),
    one('the pool as an argument of an import', `import { sql } from 'kysely';\nimport { db } from './db';\nawait sql\`SELECT pg_advisory_lock(1)\`.execute(db);`, '3 pool pg_advisory_lock'),
    one('a module-level constant from a function that was not read', `import { createDb } from './db';\nconst db = createDb();\nexport const lock = () => db.query(${LOCK});`, '3 pool pg_advisory_lock'),
    one('the same inside a function may be anybody', `import { createDb } from './db';\nexport const lock = () => { const db = createDb(); return db.query(${LOCK}); };`, '2 unknown pg_advisory_lock'),
    one('a drizzle database over an imported client', `import { drizzle } from 'drizzle-orm/node-postgres';\nimport { pool } from './pool';\nconst db = drizzle(pool);\nawait db.execute(${LOCK});`, '4 pool pg_advisory_lock'),
    one('a type from elsewhere does not make a connection', `import type { Tx } from './types';\nexport const lock = (tx: Tx) => tx.execute(${LOCK});`, '2 unknown pg_advisory_lock'),
  ]);
});

const called = (accessor: string, use: string, module = './db'): string =>
  `import { ${/^(?:await )?(\w+)/.exec(accessor)?.[1] ?? ''} } from '${module}';\nexport async function run(work) { const db = ${accessor}; await ${use}; }`;

describe('functions of other files that hand out what their module keeps', () => {
  const query = `db.query(${LOCK})`;
  const tag = 'db`SELECT pg_advisory_lock(1)`';
  itFinds([
    ...['getPool()', 'pool()', 'useDb()', 'getDatabase()', 'getReadonlyPgPool()', 'dbInstance()', 'getInstance()', 'getDBPool()', 'Database.getInstance().getPool()', 'services.db()', 'getDb().pool', 'await getPool()', 'getPool(work.url)', 'await getAppPool(work)'].map((accessor) =>
      one(`${accessor}, called in a function`, called(accessor, query), '2 pool pg_advisory_lock'),
    ),
    ...['getClient()', 'getDbClient()', 'getConnection()', 'getDbConnection()', 'getTransaction()', 'getCurrentDb()', 'getTenantDb()', 'createPool()', 'openDb()', 'getManager()', 'getSession()', 'getDb(work)', 'await getDb()', 'getPoolStats()', 'getDbName()', 'audit()'].map((accessor) =>
      one(`${accessor} may give anything`, called(accessor, query), '2 unknown pg_advisory_lock'),
    ),
    ...['getSql()', 'sql()', 'getSqlClient()'].map((accessor) => one(`${accessor} as a tag`, called(accessor, tag), '2 pool pg_advisory_lock')),
    one('a name that says too little, as a tag', called('getClient()', tag), '2 unknown pg_advisory_lock'),
    one('two calls in one expression', `import { getPool } from '@acme/db';\nexport const run = () => getPool().query(${LOCK});`, '2 pool pg_advisory_lock'),
    one('by a compiler', `const db_1 = require('./db');\nexports.run = () => (0, db_1.getPool)().query(${LOCK});`, '2 pool pg_advisory_lock'),
    one('kept in a field', `import { getPool } from './db';\nexport class Jobs { pool = getPool();\n run() { return this.pool.query(${LOCK}); } }`, '3 pool pg_advisory_lock'),
    one('behind a getter', `import { Database } from './db';\nexport class Jobs { get pool() { return Database.getInstance().getPool(); }\n run() { return this.pool.query(${LOCK}); } }`, '3 pool pg_advisory_lock'),
    one('a connection taken from it', called('getPool()', `(await db.connect()).query(${LOCK})`), '2 connection pg_advisory_lock'),
    one('a transaction begun on it', called('getDb()', `db.transaction(async (tx) => { await tx.execute('SELECT pg_advisory_xact_lock(1)'); })`), '2 transaction pg_advisory_xact_lock'),
    one('or what an AsyncLocalStorage has', `import { getDb } from './db';\nexport const run = () => (storage.getStore() ?? getDb()).query(${LOCK});`, '2 unknown pg_advisory_lock'),
    one('a method of something unknown', `export const run = (service) => service.getPool().query(${LOCK});`, '1 unknown pg_advisory_lock'),
    one('a function of this file', `const getPool = () => store.getStore();\nexport const run = () => getPool().query(${LOCK});`, '2 unknown pg_advisory_lock'),
  ]);
});

describe('transactions that a file does not show', () => {
  const inside = (callback: string, helper = "import { withTransaction, db } from './db';"): string => `${helper}\nexport const run = () => withTransaction(${callback});`;
  const xact = "db.query('SELECT pg_advisory_xact_lock(1)')";
  itFinds([
    one('a callback that is handed no transaction', inside(`async () => { await ${xact}; }`), '2 unknown pg_advisory_xact_lock'),
    one('a callback that is handed one', inside(`async (tx) => { await ${xact}; }`), '2 pool pg_advisory_xact_lock'),
    one('a callback of something else', inside(`async () => { await ${xact}; }`, "import { withRetries as withTransaction, db } from './db';").replace('=> withTransaction(', '=> retry('), '2 pool pg_advisory_xact_lock'),
    one('a callback of a function that keeps no transaction', inside(`async () => { await ${xact}; }`, "import { db } from './db'; async function withTransaction(work) { await work(); }"), '2 pool pg_advisory_xact_lock'),
    one('a callback of a function that does', inside(`async () => { await ${xact}; }`, "import { db } from './db'; const withTransaction = (work) => storage.run(begin(), work);"), '2 unknown pg_advisory_xact_lock'),
    one('a pool that the file makes', inside(`async () => { await ${xact}; }`, "import { Pool } from 'pg'; import { withTransaction } from './tx'; const db = new Pool();"), '2 pool pg_advisory_xact_lock'),
  ]);
  itFinds([
    one('typeorm-transactional', `import { Transactional } from 'typeorm-transactional';\nimport { DataSource } from 'typeorm';\nexport class Jobs { constructor(private ds: DataSource) {}\n run() { return this.ds.query('SELECT pg_advisory_xact_lock(1)'); } }`, '4 unknown pg_advisory_xact_lock'),
    one('typeorm-transactional over an import', `import 'typeorm-transactional';\nimport { dataSource } from './db';\nawait dataSource.query('SELECT pg_advisory_xact_lock(1)');`, '3 unknown pg_advisory_xact_lock'),
    one('Sequelize with CLS', `import { Sequelize } from 'sequelize';\nSequelize.useCLS(ns);\nconst s = new Sequelize(url);\nawait s.query('SELECT pg_advisory_xact_lock(1)');`, '4 unknown pg_advisory_xact_lock'),
    one('a method of a similar name is none', `import { Sequelize } from 'sequelize';\nNotSequelize.useCLS(ns);\nconst s = new Sequelize(url);\nawait s.query('SELECT pg_advisory_xact_lock(1)');`, '4 pool pg_advisory_xact_lock'),
  ]);
});

describe('handles of unknown origin', () => {
  itFinds([
    one('a parameter', `export const lock = (client) => client.query(${LOCK});`, '1 unknown pg_advisory_lock'),
    one('a field', `export class Jobs { lock() { return this.db.query(${LOCK}); } }`, '1 unknown pg_advisory_lock'),
    one('a method that names its library', `export const lock = (tx) => tx.$executeRaw\`SELECT pg_advisory_xact_lock(1)\`;`, '1 unknown pg_advisory_xact_lock'),
    one('a property that names its library', `module.exports = { up: async (queryInterface) => { await queryInterface.sequelize.query(${LOCK}); } };`, '1 pool pg_advisory_lock'),
    one('an interface of the file', `interface Db { query(text: string): Promise<unknown> }\nexport const lock = (db: Db) => db.query(${LOCK});`, '2 unknown pg_advisory_lock'),
    one('a connection that is released again', `export async function run(pool) { const c = await pool.connect(); await c.query(${LOCK}); c.release(); }`, '1 connection pg_advisory_lock'),
    one('a parameter that is released', `export async function run(c) { try { await c.query(${LOCK}); } finally { c.release(); } }`, '1 unknown pg_advisory_lock'),
    one('a variable that is released', `export async function run(pool) { let c; try { c = await pool.getConnection(); await c.query(${LOCK}); } finally { c?.release(); } }`, '1 connection pg_advisory_lock'),
    one('a tag that is released', `export async function run(db) { const sql = await db.reserve(); await sql\`SELECT pg_advisory_lock(1)\`; sql.release(); }`, '1 connection pg_advisory_lock'),
    one('the same, handed to a function', `async function lock(c) { await c.query(${LOCK}); }\nexport async function run(pool) { const c = await pool.connect(); await lock(c); await c.query('SELECT 1'); c.release(); }`, '1 connection pg_advisory_lock'),
    one('released, though not by a call', `export async function run(c) { await c.query(${LOCK}); return c.release; }`, '1 unknown pg_advisory_lock'),
    one('a container', `export const lock = async () => (await container.resolve('db')).query(${LOCK});`, '1 unknown pg_advisory_lock'),
    one('only with a lock statement', `export const run = (client) => client.query('SELECT 1');\n// advisory`),
  ]);
});
