import rule from '../../rules/require-lock-timeout.js';
import { runRuleTests, type InvalidCase, type ValidCase } from '../rule-tester.js';
import { forEveryDriver } from './contexts.js';
import { errorAt } from './error-at.js';

/** Drivers that open the transaction by a callback, and those whose connection needs a BEGIN. */
const perDriver = forEveryDriver(
  ({ connection }, name): { bad: InvalidCase; good: ValidCase } => {
    const isCallback = name === 'prisma' || name === 'knex' || name === 'sequelize';
    const begin = isCallback ? '' : `await ${connection.send('BEGIN')};\n  `;
    const commit = isCallback ? '' : `\n  await ${connection.send('COMMIT')};`;
    const lock = connection.send('SELECT pg_advisory_xact_lock(1)');
    const limit = connection.send('SET LOCAL lock_timeout = 2000');
    const code = connection.wrap(`${begin}await ${lock};${commit}`);
    const isInteractive = name === 'prisma';
    return {
      bad: {
        name: `a transaction lock of ${name}`,
        drivers: [name],
        code,
        options: [{ transactionLocks: true }],
        errors: [
          errorAt(code, lock, {
            messageId: isInteractive ? 'interactive' : 'endless',
            data: isInteractive ? { fn: 'pg_advisory_xact_lock', limit: '5000', line: 4 } : { fn: 'pg_advisory_xact_lock' },
          }),
        ],
      },
      good: { name: `SET LOCAL before the lock with ${name}`, drivers: [name], code: connection.wrap(`${begin}await ${limit};\n  await ${lock};${commit}`), options: [{ transactionLocks: true }] },
    };
  },
  ['mysql2'],
);

const pg = "import { Pool } from 'pg';\nconst pool = new Pool();\n";
const lock = "c.query('SELECT pg_advisory_lock(1)')";
const set = 'await c.query("SET lock_timeout = \'5s\'");';
const reset = "await c.query('RESET lock_timeout');";
/** A checked-out client that holds a session lock; `before` stands between the check-out and the lock. */
const held = (before: string, { head = pg, after = '' } = {}): string =>
  `${head}export async function run(ms) {\n  const c = await pool.connect();\n  ${before}\n  await ${lock};\n  await c.query('SELECT pg_advisory_unlock(1)');\n  ${after}\n  c.release();\n}`;
const made = (argument: string, before = ''): string => held('', { head: `import { Pool } from 'pg';\n${before}const pool = new Pool(${argument});\n` });
const listening = (listener: string): string => held('', { head: `${pg}${listener}\n` });
const prisma = (body: string, options = '', client = ''): string =>
  `import { PrismaClient } from '@prisma/client';\nconst prisma = new PrismaClient(${client});\nexport const run = () => prisma.$transaction(async (tx) => {\n  ${body}\n}${options});`;
const take = 'tx.$executeRaw`SELECT pg_advisory_xact_lock(1)`';

function bad(name: string, code: string, marked: string, messageId: string, data?: Record<string, string | number>, more?: Pick<InvalidCase, 'options'>): InvalidCase {
  return { name, code, ...more, errors: [errorAt(code, marked, { messageId, ...(data && { data }) })] };
}

const endless = (name: string, code: string): InvalidCase => bad(name, code, lock, 'endless', { fn: 'pg_advisory_lock' });
const transactionLocks = { options: [{ transactionLocks: true }] } as const;

runRuleTests(rule, {
  notApplicable: { mysql2: 'GET_LOCK has a time-out of its own' },
  valid: [
    ...perDriver.map(({ good }) => good),
    { name: 'SET before, RESET after', code: held(set, { after: reset }) },
    { name: 'SET … TO DEFAULT after', code: held(set, { after: "await c.query('SET lock_timeout TO DEFAULT');" }) },
    { name: 'RESET ALL after', code: held(set, { after: "await c.query('RESET ALL');" }) },
    { name: 'a limit of zero after', code: held(set, { after: "await c.query('SET lock_timeout = 0');" }) },
    { name: 'the connection is destroyed', code: held(set).replace('release()', 'release(true)') },
    { name: 'a client of its own needs no RESET', code: `import { Client } from 'pg';\nexport async function run() {\n  const c = new Client();\n  await c.connect();\n  ${set}\n  await ${lock};\n  await c.end();\n}` },
    { name: 'set_config for the session, with a bound value', code: held("await c.query(\"SELECT set_config('lock_timeout', $1, false)\", [ms]);", { after: reset }) },
    { name: 'a helper that sets it', code: held('await limit(c);', { head: `${pg}async function limit(c) {\n  ${set}\n}\n`, after: reset }) },
    { name: 'a helper out of sight has the connection before', code: held('await prepare(c);', { head: `import { prepare } from './prepare.js';\n${pg}` }) },
    { name: 'statement_timeout', code: held("await c.query('SET statement_timeout = 5000');") },
    { name: 'SET LOCAL in the same string', code: held('').replace("'SELECT pg_advisory_lock(1)'", "'SET LOCAL lock_timeout = 5000; SELECT pg_advisory_lock(1)'") },
    { name: 'set_config in the same statement', code: held('').replace("'SELECT pg_advisory_lock(1)'", "\"SELECT set_config('lock_timeout', '5s', true), pg_advisory_lock(1)\"") },
    { name: 'set_config in a WITH query', code: held('').replace("'SELECT pg_advisory_lock(1)'", "\"WITH t AS (SELECT set_config('lock_timeout', '5s', true)) SELECT pg_advisory_lock(1) FROM t\"") },
    { name: 'an option of the pool', code: made('{ lock_timeout: 5000 }') },
    { name: 'an option in an object', code: made('{ ...config, max: 2 }', 'const config = { lock_timeout: 5000 };\n') },
    { name: 'an option that is assigned', code: made('config', 'const config = {};\nconfig.lock_timeout = 5000;\n') },
    { name: 'command-line options', code: made("{ options: '-c lock_timeout=5000' }") },
    { name: 'command-line options put together', code: made("{ options: ['-c', 'lock_timeout=3000'].join(' ') }") },
    { name: 'command-line options in a constant', code: made('{ options }', "const options = '-c lock_timeout=5s';\n") },
    { name: 'a connection string', code: made("'postgres://host/app?options=-c%20lock_timeout%3D5000'") },
    { name: 'a connection string among the options', code: made('{ connectionString: url }', "const url = 'postgres://host/app?options=-c%20lock_timeout%3D5s';\n") },
    { name: 'an option that prepares connections', code: made('{ onConnect: async (client) => { await client.query("SET lock_timeout = \'5s\'"); } }') },
    { name: 'a listener that prepares connections', code: listening('pool.on("connect", (client) => client.query("SET lock_timeout = 5000"));') },
    { name: 'a listener that waits for its statement', code: listening('pool.on("connect", async (client) => {\n  await client.query("SET lock_timeout = 5000");\n});') },
    { name: 'a listener with a name', code: listening('function prepare(client) {\n  client.query("SET lock_timeout = 5000");\n}\npool.addListener("acquire", prepare);') },
    { name: "postgres.js' connection parameters", code: "import postgres from 'postgres';\nconst sql = postgres({ connection: { lock_timeout: 5000 } });\nexport async function run() {\n  const c = await sql.reserve();\n  await c`SELECT pg_advisory_lock(1)`;\n}" },
    { name: "the pool's option below a query builder", code: "import { Kysely, PostgresDialect, sql } from 'kysely';\nimport { Pool } from 'pg';\nconst db = new Kysely({ dialect: new PostgresDialect({ pool: new Pool({ lock_timeout: 5000 }) }) });\nexport const run = () => db.connection().execute(async (c) => { await sql`SELECT pg_advisory_lock(1)`.execute(c); });" },
    { name: 'a limit that the role has', code: held(''), settings: { lockTimeout: 'role' } },
    { name: 'a lock on a pool is the business of another rule', code: `${pg}await pool.query('SELECT pg_advisory_lock(1)');` },
    { name: 'a lock that does not wait', code: held('').replace('pg_advisory_lock(1)', 'pg_try_advisory_lock(1)') },
    { name: 'an acquire that may be abandoned is the business of another rule', code: held('').replace(`await ${lock}`, `await Promise.race([${lock}, timeout(ms)])`) },
    { name: 'a limit of the client is the business of another rule', code: made('{ query_timeout: 5000 }') },
    { name: 'an unknown handle', code: `export async function run(c) {\n  await ${lock};\n}` },
    { name: 'a transaction lock, unless asked for', code: held("await c.query('BEGIN');").replace('_lock(1)', '_xact_lock(1)') },
    { name: 'a transaction lock in autocommit is the business of another rule', code: held('').replace('_lock(1)', '_xact_lock(1)'), ...transactionLocks },
    { name: 'SET LOCAL on a connection from outside, in what may be a transaction', code: "import type { PoolClient } from 'pg';\nexport async function run(c: PoolClient) {\n  await c.query('SET LOCAL lock_timeout = 5000');\n  await c.query('SELECT pg_advisory_xact_lock(1)');\n}" },
    { name: 'an interactive transaction that lasts longer than the wait', code: prisma(`await tx.$executeRaw\`SET LOCAL lock_timeout = '10s'\`;\n  await ${take};`, ', { timeout: 30_000 }') },
    { name: 'interactive transactions of a client that last longer', code: prisma(`await tx.$executeRaw\`SET LOCAL lock_timeout = '10s'\`;\n  await ${take};`, '', '{ transactionOptions: { timeout: 30_000 } }') },
    { name: 'an interactive transaction with a limit that is not to be seen', code: prisma(`await ${take};`, ', { timeout: limits.long }') },
    { name: 'a bound limit in an interactive transaction', code: prisma(`await tx.$executeRaw\`SELECT set_config('lock_timeout', \${ms}, true)\`;\n  await ${take};`) },
    { name: 'a batch has no limit on the client', code: `import { PrismaClient } from '@prisma/client';\nconst tx = new PrismaClient();\nexport const run = () => tx.$transaction([${take}]);` },
  ],
  invalid: [
    ...perDriver.map(({ bad: invalid }) => invalid),
    endless('no limit anywhere', held('')),
    endless('a SET that comes later', held('', { after: `${set}\n  ${reset}` })),
    endless('another setting', held("await c.query('SET idle_in_transaction_session_timeout = 0');")),
    endless('a condition around the SET', held('if (ms > 0) await c.query(`SET lock_timeout = ${ms}`);', { after: reset })),
    endless('a limit of zero', held("await c.query('SET lock_timeout = 0');")),
    endless('SET LOCAL of a transaction that has ended', held("await c.query('BEGIN');\n  await c.query('SET LOCAL lock_timeout = 5000');\n  await c.query('COMMIT');")),
    endless('a SET that ROLLBACK undoes', held(`await c.query('BEGIN');\n  ${set}\n  await c.query('ROLLBACK');`)),
    endless('an option of zero', made('{ lock_timeout: 0 }')),
    endless('a comment', made('{ /* lock_timeout */ max: 3 }')),
    endless('a listener that sets it under a condition', listening('pool.on("connect", (client) => { if (process.env.LIMIT) client.query("SET lock_timeout = 5000"); });')),
    endless('a listener that runs once', listening('pool.once("connect", (client) => client.query("SET lock_timeout = 5000"));')),
    endless('a listener of another pool', listening('const other = new Pool();\nother.on("connect", (client) => client.query("SET lock_timeout = 5000"));')),
    endless('a connection from outside', `import type { PoolClient } from 'pg';\nexport async function run(c: PoolClient) {\n  await ${lock};\n}`),
    bad('SET LOCAL without a transaction', held("await c.query('SET LOCAL lock_timeout = 5000');"), "c.query('SET LOCAL lock_timeout = 5000')", 'noEffect'),
    bad('a local set_config without a transaction', held("await c.query(\"SELECT set_config('lock_timeout', '5s', true)\");"), "c.query(\"SELECT set_config('lock_timeout', '5s', true)\")", 'noEffect'),
    bad(
      'SET LOCAL on a connection from outside, before a session lock',
      `import type { PoolClient } from 'pg';\nexport async function run(c: PoolClient) {\n  await c.query('SET LOCAL lock_timeout = 5000');\n  await ${lock};\n}`,
      "c.query('SET LOCAL lock_timeout = 5000')",
      'noEffect',
    ),
    bad('SET LOCAL on a pool', `${pg}await pool.query('SET LOCAL lock_timeout = 5000');\nawait pool.query('SELECT pg_advisory_lock(1)');`, "pool.query('SET LOCAL lock_timeout = 5000')", 'noEffect'),
    bad('a SET that stays on a pooled connection', held(set), set.slice('await '.length, -1), 'leftBehind', { line: 9 }),
    bad(
      'a SET that stays on the path without an error',
      `${pg}export async function run() {\n  const c = await pool.connect();\n  try {\n    ${set}\n    await ${lock};\n    await c.query('SELECT pg_advisory_unlock(1)');\n    c.release();\n  } catch (error) {\n    c.release(error);\n    throw error;\n  }\n}`,
      set.slice('await '.length, -1),
      'leftBehind',
      { line: 9 },
    ),
    bad('an interactive transaction without a limit', prisma(`await ${take};`), take, 'interactive', { fn: 'pg_advisory_xact_lock', limit: '5000', line: 3 }),
    bad('a longer limit in an interactive transaction', prisma(`await tx.$executeRaw\`SET LOCAL lock_timeout = '10s'\`;\n  await ${take};`), take, 'interactive', { fn: 'pg_advisory_xact_lock', limit: '5000', line: 3 }),
    bad('a limit that comes later in an interactive transaction', prisma(`await ${take};\n  await tx.$executeRaw\`SET LOCAL lock_timeout = '2s'\`;`), take, 'interactive', { fn: 'pg_advisory_xact_lock', limit: '5000', line: 3 }),
    bad('an interactive transaction with a limit of its own', prisma(`await ${take};`, ', { timeout: 30_000 }'), take, 'interactive', { fn: 'pg_advisory_xact_lock', limit: '30000', line: 3 }),
  ],
});
