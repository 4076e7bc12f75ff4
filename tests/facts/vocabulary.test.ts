import { configuration } from '../../src/facts/configuration.js';
import { connectionUses } from '../../src/facts/connection-uses.js';
import { effects } from '../../src/facts/effects.js';
import { queries, type Query } from '../../src/facts/queries.js';
import { transactions } from '../../src/facts/transactions.js';
import { resultOf } from '../../src/pass.js';
import { unitFor } from '../harness.js';

function setUp(code: string) {
  const unit = unitFor(code);
  const textOf = (node: { range: readonly [number, number] } | null) => node && unit.text.slice(...node.range);
  const found = resultOf(queries, unit).filter((query) => query.locks.length > 0);
  const only = (): Query => {
    const [query] = found;
    if (!query) throw new Error('no statement with a lock');
    return query;
  };
  return { unit, textOf, found, only };
}

describe('signals', () => {
  const signalOf = (code: string) => {
    const { only, textOf } = setUp(code);
    const { signal } = only();
    return signal && { text: textOf(signal.node), ignored: signal.ignored, stopsServer: signal.stopsServer };
  };

  it.each([
    ['an option of the call', `import { Kysely, sql } from 'kysely';\nconst db = new Kysely({});\nexport const f = (signal) => sql\`SELECT pg_advisory_unlock(1)\`.execute(db, { signal });`, { text: 'signal', ignored: false, stopsServer: false }],
    [
      'with a strategy that stops the server',
      `import { Kysely, sql } from 'kysely';\nconst db = new Kysely({});\nexport const f = (s) => sql\`SELECT pg_advisory_lock(1)\`.execute(db, { signal: s, inflightQueryAbortStrategy: 'kill session' });`,
      { text: 's', ignored: false, stopsServer: true },
    ],
    ['an option that the driver drops', `import { Pool } from 'pg';\nexport const f = (signal) => new Pool().query({ text: 'SELECT pg_advisory_unlock(1)', signal });`, { text: 'signal', ignored: true, stopsServer: false }],
    ['a fork that obeys one', `import { MikroORM } from '@mikro-orm/postgresql';\nconst orm = await MikroORM.init({});\nexport const f = (signal) => orm.em.fork({ signal }).execute('SELECT pg_advisory_unlock(1)');`, { text: 'signal', ignored: false, stopsServer: false }],
    [
      'a transaction of such a fork',
      `import { MikroORM } from '@mikro-orm/postgresql';\nconst orm = await MikroORM.init({});\nexport const f = (signal) => orm.em.fork({ signal }).transactional((em) => em.execute('SELECT pg_advisory_unlock(1)'));`,
      { text: 'signal', ignored: false, stopsServer: false },
    ],
    ['the connection of a callback', `import { Kysely, sql } from 'kysely';\nconst db = new Kysely({});\nexport const f = (signal) => db.connection().execute((c) => sql\`SELECT pg_advisory_unlock(1)\`.execute(c), { signal });`, { text: 'signal', ignored: false, stopsServer: false }],
    ['a later step of the chain', `import { createClient } from '@supabase/supabase-js';\nconst db = createClient(url, key);\nexport const f = (s) => db.rpc('pg_advisory_unlock', { key: 1 }).abortSignal(s);`, { text: 's', ignored: false, stopsServer: false }],
    ['an argument of a wrapper', `import { Kysely, sql } from 'kysely';\nconst db = new Kysely({});\nconst run = (text, signal) => sql.raw(text).execute(db, { signal });\nexport const f = (request) => run('SELECT pg_advisory_unlock(1)', request.signal);`, { text: 'request.signal', ignored: false, stopsServer: false }],
    ['none', `import { Kysely, sql } from 'kysely';\nconst db = new Kysely({});\nawait sql\`SELECT pg_advisory_unlock(1)\`.execute(db, { signal: undefined });`, null],
  ])('%s', (_title, code, expected) => {
    expect(signalOf(code)).toEqual(expected);
  });
});

describe('limits on the client side', () => {
  it.each([
    ['an option of the pool', `import { Pool } from 'pg';\nconst pool = new Pool({ query_timeout: 5000 });\nconst c = await pool.connect();\nawait c.query('SELECT pg_advisory_lock(1)');`, '5000'],
    ['an option of the call', `import { Client } from 'pg';\nconst c = new Client();\nawait c.query({ text: 'SELECT pg_advisory_lock(1)', query_timeout: 1000 });`, '1000'],
    ['a step of the chain', `import { knex } from 'knex';\nconst db = knex({});\nawait db.raw('SELECT pg_advisory_lock(1)').timeout(1000);`, '1000'],
    ['a step of a builder', `import { knex } from 'knex';\nconst db = knex({});\nawait db.select(db.raw('pg_advisory_lock(1)')).timeout(1000);`, '1000'],
    ['a step that cancels the statement on the server', `import { knex } from 'knex';\nconst db = knex({});\nawait db.raw('SELECT pg_advisory_lock(1)').timeout(1000, { cancel: true });`, null],
    ['the pool under another library', `import { Pool } from 'pg';\nimport { drizzle } from 'drizzle-orm/node-postgres';\nconst db = drizzle(new Pool({ query_timeout: 7 }));\nawait db.execute('SELECT pg_advisory_lock(1)');`, '7'],
    ['none', `import { Pool } from 'pg';\nawait new Pool().query('SELECT pg_advisory_lock(1)');`, null],
  ])('%s', (_title, code, expected) => {
    const { only, textOf } = setUp(code);
    expect(textOf(only().clientTimeout)).toBe(expected);
  });
});

describe('replicas', () => {
  const replicated = `import { Sequelize, QueryTypes } from 'sequelize';\nconst s = new Sequelize({ replication: { read: [], write: {} } });\n`;
  it.each([
    ['a SELECT of a replicated pool', `${replicated}await s.query('SELECT pg_advisory_lock(1)', { type: QueryTypes.SELECT });`, true],
    ['the same on the master', `${replicated}await s.query('SELECT pg_advisory_lock(1)', { type: QueryTypes.SELECT, useMaster: true });`, false],
    ['the same where the file does not show it', `${replicated}export const f = (useMaster) => s.query('SELECT pg_advisory_lock(1)', { type: QueryTypes.SELECT, useMaster });`, false],
    ['the same in a transaction', `${replicated}await s.transaction((transaction) => s.query('SELECT pg_advisory_lock(1)', { type: QueryTypes.SELECT, transaction }));`, false],
    ['without replicas', `import { Sequelize, QueryTypes } from 'sequelize';\nconst s = new Sequelize({});\nawait s.query('SELECT pg_advisory_lock(1)', { type: QueryTypes.SELECT });`, false],
    ['a connection to a replica', `import { DataSource } from 'typeorm';\nconst ds = new DataSource({ type: 'postgres' });\nawait ds.createQueryRunner('slave').query('SELECT pg_advisory_lock(1)');`, true],
    ['a connection to the master', `import { DataSource } from 'typeorm';\nconst ds = new DataSource({ type: 'postgres', replication: {} });\nawait ds.createQueryRunner('master').query('SELECT pg_advisory_lock(1)');`, false],
  ])('%s', (_title, code, expected) => {
    expect(setUp(code).only().isOnReplica).toBe(expected);
  });
});

describe('configurations', () => {
  it.each([
    ['lock_timeout of the pool a connection was taken from', `import { Pool } from 'pg';\nconst c = await new Pool({ lock_timeout: 3000 }).connect();\nawait c.query('SELECT pg_advisory_lock(1)');`, '3000'],
    ['lock_timeout of the pool under another library', `import { Pool } from 'pg';\nimport { drizzle } from 'drizzle-orm/node-postgres';\nconst db = drizzle(new Pool({ lock_timeout: 9 }));\nawait db.transaction((tx) => tx.execute('SELECT pg_advisory_xact_lock(1)'));`, '9'],
    ['no lock_timeout', `import { Pool } from 'pg';\nawait new Pool().query('SELECT pg_advisory_lock(1)');`, null],
  ])('%s', (_title, code, expected) => {
    const { unit, only, textOf } = setUp(code);
    expect(textOf(resultOf(configuration, unit).lockTimeoutOf(only().handle))).toBe(expected);
  });

  it.each([
    ['a plugin given to the constructor', `import { Kysely, CamelCasePlugin, sql } from 'kysely';\nconst db = new Kysely({ plugins: [new CamelCasePlugin()] });\nawait sql\`SELECT pg_advisory_lock(1)\`.execute(db);`, true],
    ['a plugin added later', `import { Kysely, CamelCasePlugin, sql } from 'kysely';\nconst db = new Kysely({}).withPlugin(new CamelCasePlugin());\nawait sql\`SELECT pg_advisory_lock(1)\`.execute(db);`, true],
    ['in a transaction of such a database', `import { Kysely, CamelCasePlugin, sql } from 'kysely';\nconst db = new Kysely({}).withPlugin(new CamelCasePlugin());\nawait db.transaction().execute((trx) => sql\`SELECT pg_advisory_xact_lock(1)\`.execute(trx));`, true],
    ['none', `import { Kysely, sql } from 'kysely';\nconst db = new Kysely({});\nawait sql\`SELECT pg_advisory_lock(1)\`.execute(db);`, false],
  ])('columns get other names by %s', (_title, code, expected) => {
    expect(setUp(code).only().renamesColumns).toBe(expected);
  });

  it.each([
    ['a library that always does', `import { createPool, sql } from 'slonik';\nconst pool = await createPool(url);\nawait pool.connect((c) => c.query(sql.unsafe\`SELECT pg_advisory_lock(1)\`));`, true],
    ['an option', `import { createPool } from 'mysql2/promise';\nconst pool = createPool({ resetOnRelease: true });\nconst c = await pool.getConnection();\nawait c.query("SELECT GET_LOCK('a', 1)");`, true],
    ['none', `import { createPool } from 'mysql2/promise';\nconst pool = createPool({});\nconst c = await pool.getConnection();\nawait c.query("SELECT GET_LOCK('a', 1)");`, false],
  ])('sessions are reset by %s', (_title, code, expected) => {
    const { unit, only } = setUp(code);
    expect(resultOf(configuration, unit).resetsOnRelease(only().handle)).toBe(expected);
  });

  it('gives every connection string and host', () => {
    const { unit, only, textOf } = setUp(`import { Pool } from 'pg';\nconst pool = new Pool({ host: 'db-pooler.example', port: 6432 });\nawait pool.query('SELECT pg_advisory_lock(1)');`);
    expect(resultOf(configuration, unit).urlsOf(only().handle).map(textOf)).toEqual(["'db-pooler.example'", '6432']);
  });
});

describe('transactions', () => {
  const described = (code: string) => {
    const { unit, textOf } = setUp(`${code}\n// advisory`);
    return resultOf(transactions, unit).map(({ node, on, callback, isolation, timeout }) => ({
      line: node.loc.start.line,
      on: on?.role ?? null,
      callback: callback !== null,
      isolation: textOf(isolation),
      timeout: timeout && ('node' in timeout ? textOf(timeout.node) : timeout.milliseconds),
    }));
  };

  it.each([
    ['a callback', `import { PrismaClient } from '@prisma/client';\nconst p = new PrismaClient();\nawait p.$transaction(async (tx) => {});`, { line: 3, on: 'pool', callback: true, isolation: null, timeout: 5000 }],
    ['options', `import { PrismaClient } from '@prisma/client';\nconst p = new PrismaClient();\nawait p.$transaction(async (tx) => {}, { isolationLevel: 'Serializable', timeout: 9 });`, { line: 3, on: 'pool', callback: true, isolation: "'Serializable'", timeout: '9' }],
    ['options of the client', `import { PrismaClient } from '@prisma/client';\nconst p = new PrismaClient({ transactionOptions: { timeout: 30 } });\nawait p.$transaction(async (tx) => {});`, { line: 3, on: 'pool', callback: true, isolation: null, timeout: '30' }],
    ['a batch', `import { PrismaClient } from '@prisma/client';\nconst p = new PrismaClient();\nawait p.$transaction([a]);`, { line: 3, on: 'pool', callback: false, isolation: null, timeout: 5000 }],
    ['an isolation level set before', `import { Kysely } from 'kysely';\nconst db = new Kysely({});\nawait db.transaction().setIsolationLevel('serializable').execute(async (trx) => {});`, { line: 3, on: 'pool', callback: true, isolation: "'serializable'", timeout: null }],
    ['a method that begins', `import { DataSource } from 'typeorm';\nconst runner = new DataSource({}).createQueryRunner();\nawait runner.startTransaction('REPEATABLE READ');`, { line: 3, on: 'connection', callback: false, isolation: "'REPEATABLE READ'", timeout: null }],
    ['a named callback', `import { knex } from 'knex';\nconst db = knex({});\nasync function work(trx) {}\nawait db.transaction(work);`, { line: 4, on: 'pool', callback: true, isolation: null, timeout: null }],
  ])('%s', (_title, code, expected) => {
    expect(described(code)).toEqual([expected]);
  });
});

describe('uses of connections', () => {
  const described = (code: string) => {
    const { unit } = setUp(`${code}\n// advisory`);
    return resultOf(connectionUses, unit).map((use) => `${String(use.node.loc.start.line)} ${use.for} over ${use.handle.role}`);
  };

  it.each([
    ['a connection taken', `import { Pool } from 'pg';\nconst pool = new Pool();\nconst c = await pool.connect();`, ['3 connection over pool']],
    ['a transaction', `import { knex } from 'knex';\nconst db = knex({});\nawait db.transaction(async (trx) => {});`, ['3 transaction over pool']],
    ['a nested one', `import { knex } from 'knex';\nconst db = knex({});\nawait db.transaction(async (trx) => {\n  await trx.transaction(async (inner) => {});\n});`, ['3 transaction over pool', '4 transaction over transaction']],
    ['a model of a client', `import { PrismaClient } from '@prisma/client';\nconst p = new PrismaClient();\nawait p.job.findMany();`, ['3 statement over pool']],
    ['a model of a transaction', `import { PrismaClient } from '@prisma/client';\nconst p = new PrismaClient();\nawait p.$transaction(async (tx) => {\n  await tx.job.findMany();\n});`, ['3 transaction over pool', '4 statement over transaction']],
    ['migrations', `import { DataSource } from 'typeorm';\nconst ds = new DataSource({});\nawait ds.runMigrations();`, ['3 statement over pool']],
  ])('%s', (_title, code, expected) => {
    expect(described(code)).toEqual(expected);
  });
});

describe('what is done to connections', () => {
  const described = (code: string) => {
    const { unit } = setUp(`${code}\n// advisory`);
    return resultOf(effects, unit).map((effect) => `${String(effect.node.loc.start.line)} ${effect.effect.does}${effect.destroys === 'no' ? '' : ` destroys ${effect.destroys}`}`);
  };

  it.each([
    ['a release', `import { Pool } from 'pg';\nconst c = await new Pool().connect();\nc.release();`, ['3 gives-back']],
    ['a release with an error', `import { Pool } from 'pg';\nconst c = await new Pool().connect();\nc.release(new Error('broken'));`, ['3 gives-back destroys yes']],
    ['a release with a falsy constant', `import { Pool } from 'pg';\nconst c = await new Pool().connect();\nc.release(false);`, ['3 gives-back']],
    ['a release with something unknown', `import { Pool } from 'pg';\nconst c = await new Pool().connect();\nc.release(error);`, ['3 gives-back destroys unknown']],
    ['a release through the callback’s third parameter', `import { Pool } from 'pg';\nnew Pool().connect((err, client, done) => {\n  done();\n});`, ['3 gives-back']],
    ['the end of a block', `import { createPool } from 'mysql2/promise';\nconst pool = createPool({});\nexport async function f() {\n  await using c = await pool.getConnection();\n  await c.beginTransaction();\n}`, ['5 begins', '4 gives-back']],
    ['an end', `import { Client } from 'pg';\nconst c = new Client();\nawait c.end();`, ['3 closes destroys yes']],
  ])('%s', (_title, code, expected) => {
    expect(described(code)).toEqual(expected);
  });
});
