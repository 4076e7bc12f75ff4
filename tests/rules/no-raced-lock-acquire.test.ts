import rule from '../../rules/no-raced-lock-acquire.js';
import { runRuleTests, type InvalidCase, type ValidCase } from '../rule-tester.js';
import { contexts, forEveryDriver } from './contexts.js';
import { errorAt } from './error-at.js';

const waits = 'the server goes on waiting and grants the lock later, to nobody';
const answers = 'the server may grant the lock all the same, to nobody';
const limit = 'Limit the wait on the server, with `lock_timeout`, or destroy the connection.';
const awaitAnswer = 'Await the answer, or destroy the connection.';
const byName = 'Limit the wait by the time-out that the function takes, or destroy the connection.';

const perDriver = forEveryDriver(({ connection, dialect }, name): { bad: InvalidCase; good: ValidCase } => {
  const isMysql = dialect === 'mysql';
  const lock = connection.send(isMysql ? "SELECT GET_LOCK('jobs', -1)" : 'SELECT pg_advisory_lock(7)');
  const code = connection.wrap(`await Promise.race([${lock}, work.deadline()]);`);
  const line = code.split('\n').findIndex((written) => written.includes('Promise.race')) + 1;
  return {
    bad: {
      name: `a race against a deadline, with ${name}`,
      drivers: [name],
      code,
      errors: [errorAt(code, lock, { messageId: 'race', data: { fn: isMysql ? 'get_lock' : 'pg_advisory_lock', line, late: isMysql ? answers : waits, cure: isMysql ? byName : limit } })],
    },
    good: { name: `an acquire that is awaited, with ${name}`, drivers: [name], code: connection.wrap(`await ${lock};`) },
  };
});

const pg = contexts.pg.connection;
const lock = "c.query('SELECT pg_advisory_lock(7)')";
const tryLock = "c.query('SELECT pg_try_advisory_lock(7) AS ok')";
const silent = (name: string, code: string): ValidCase => ({ name, code });
function abandons(name: string, code: string, messageId: string, data: Record<string, string | number>, marked = lock): InvalidCase {
  return { name, code, errors: [errorAt(code, marked, { messageId, data: { fn: 'pg_advisory_lock', late: waits, cure: limit, ...data } })] };
}
const client = (options: string, body: string): string => `import { Client } from 'pg';\nexport async function run(work) {\n  const c = new Client(${options});\n  await c.connect();\n${body}\n}`;
const helper = `const withTimeout = (promise, ms) => Promise.race([promise, new Promise((_, reject) => setTimeout(reject, ms))]);\n`;
const helperAsync = `async function withTimeout(promise, ms) {\n  const timeout = new Promise((_, reject) => setTimeout(reject, ms));\n  return await Promise.race([promise, timeout]);\n}\n`;
const kysely = (options: string, after = ''): string =>
  `import { type Kysely, sql } from 'kysely';\nexport const run = (db: Kysely<any>, signal: AbortSignal) => db.connection().execute(async (c) => {\n  await sql\`SELECT pg_advisory_lock(7)\`.execute(c${options});\n${after}});`;
const kyselyLock = (options: string): string => `sql\`SELECT pg_advisory_lock(7)\`.execute(c${options})`;
const knex = (behind: string): string => `import knex from 'knex';\nconst db = knex({ client: 'pg' });\nexport const run = () => db.transaction(async (t) => {\n  await t.raw('SELECT pg_advisory_lock(7)')${behind};\n});`;
const mysql2 = (options: string): string =>
  `import mysql from 'mysql2/promise';\nconst pool = mysql.createPool({ host: 'localhost' });\nexport async function run() {\n  const c = await pool.getConnection();\n  await c.query({ sql: "SELECT GET_LOCK('jobs', 60)"${options} });\n}`;

runRuleTests(rule, {
  notApplicable: {},
  valid: [
    ...perDriver.map(({ good }) => good),
    silent('the server limits the wait', client('{ lock_timeout: 5000 }', `  await ${lock};`)),
    silent('the server limits the statement', client('{ statement_timeout: 5000 }', `  await ${lock};`)),
    silent('no limit', client('{ query_timeout: 0 }', `  await ${lock};`)),
    silent('a limit on other statements', client('{}', `  await ${lock};\n  await c.query({ text: 'SELECT 1', query_timeout: 500 });`)),
    silent('a race without the acquire', pg.wrap(`await ${lock};\n  await Promise.race([work(), work.deadline()]);`)),
    silent('a race of one', pg.wrap(`await Promise.race([${lock}]);`)),
    silent('everything is awaited', pg.wrap(`await Promise.all([${lock}, work()]);`)),
    silent('the loser is awaited later', pg.wrap(`const acquired = ${lock};\n  const winner = await Promise.race([acquired, work.deadline()]);\n  if (winner === 'late') await acquired.then(() => c.query('SELECT pg_advisory_unlock(7)'));`)),
    silent('a function that goes on by itself when the lock is granted late', pg.wrap(`const task = async () => {\n    await ${lock};\n    try { await work(); } finally { await c.query('SELECT pg_advisory_unlock(7)'); }\n  };\n  await Promise.race([task(), work.deadline()]);`)),
    silent('the connection is ended in `finally`', client('{ query_timeout: 5000 }', `  try { await ${lock}; await work(); } finally { await c.end(); }`)),
    silent('the connection is destroyed by the handler', pg.wrap(`try { await Promise.race([${lock}, work.deadline()]); } catch (error) { c.release(true); throw error; }`)),
    silent('the connection is destroyed with the error', pg.wrap(`let failed;\n  try { await Promise.race([${lock}, work.deadline()]); } catch (error) { failed = error; } finally { c.release(failed); }`)),
    silent('the connection is destroyed in the chain', client('{ query_timeout: 5000 }', `  await ${lock}.catch(async (error) => { await c.end(); throw error; });`)),
    silent('the connection is destroyed where the deadline wins', pg.wrap(`const winner = await Promise.race([${lock}, work.deadline()]);\n  if (!winner) { c.release(true); return; }\n  await work();`)),
    silent('an abort that ends the session on the server', kysely(", { signal, inflightQueryAbortStrategy: 'kill session' }")),
    silent('an abort that cancels the statement on the server', kysely(", { signal, inflightQueryAbortStrategy: 'cancel query' }")),
    silent('a signal that makes the call fail', pg.wrap("await c.query('SELECT pg_advisory_lock(7)', [], { signal });")),
    silent('a signal that the driver ignores', pg.wrap("await c.query({ text: 'SELECT pg_advisory_lock(7)', signal });")),
    silent('a limit at which the statement is cancelled', knex('.timeout(500, { cancel: true })')),
    silent('a transaction lock in autocommit ends with its statement', contexts.pg.pool.wrap("await Promise.race([pool.query('SELECT pg_advisory_xact_lock(7)'), work.deadline()]);")),
    silent('a pool throws away the connection of a statement that failed', "import { Pool } from 'pg';\nconst pool = new Pool({ query_timeout: 500 });\nexport const run = () => pool.query('SELECT pg_advisory_lock(7)');"),
    silent('an unlock', pg.wrap("await Promise.race([c.query('SELECT pg_advisory_unlock(7)'), work.deadline()]);")),
    silent('an unknown handle', `export async function run(c, work) {\n  await Promise.race([${lock}, work.deadline()]);\n}`),
    silent('a look-alike', pg.wrap("await Promise.race([c.query('SELECT my_advisory_lock(7)'), work.deadline()]);")),
    silent('a race of somebody else', pg.wrap(`await work.race([${lock}, work.deadline()]);`)),
  ],
  invalid: [
    ...perDriver.map(({ bad }) => bad),
    abandons('a limit of the client', client('{ query_timeout: 5000 }', `  await ${lock};\n  try { await work(); } finally { await c.end(); }`), 'timeout', { line: 3 }),
    abandons('a limit of the pool', `import { Pool } from 'pg';\nconst pool = new Pool({\n  query_timeout: 500,\n});\nexport async function run() {\n  const c = await pool.connect();\n  await ${lock};\n}`, 'timeout', { line: 3 }),
    abandons('a limit of the statement', pg.wrap("await c.query({ text: 'SELECT pg_advisory_lock(7)', query_timeout: 500 });"), 'timeout', { line: 5 }, "c.query({ text: 'SELECT pg_advisory_lock(7)', query_timeout: 500 })"),
    abandons("Knex' time limit", knex('.timeout(500)'), 'timeout', { line: 4 }, "t.raw('SELECT pg_advisory_lock(7)')"),
    abandons("mysql2's time limit", mysql2(', timeout: 500'), 'timeout', { fn: 'get_lock', line: 5, late: answers, cure: byName }, 'c.query({ sql: "SELECT GET_LOCK(\'jobs\', 60)", timeout: 500 })'),
    abandons('a signal that does not reach the server', kysely(', { signal }'), 'signal', { signal: 'signal' }, kyselyLock(', { signal }')),
    abandons('a limit of its own as a signal', kysely(', { signal: AbortSignal.timeout(500) }'), 'signal', { signal: 'AbortSignal.timeout(500)' }, kyselyLock(', { signal: AbortSignal.timeout(500) }')),
    abandons('`Promise.any`', pg.wrap(`await Promise.any([${lock}, work.deadline()]);`), 'race', { line: 5 }),
    abandons('a chain that races', pg.wrap(`await Promise.race([${lock}.then(() => true), work.deadline()]);`), 'race', { line: 5 }),
    abandons('several locks that race together', pg.wrap(`await Promise.race([Promise.all([${lock}, work()]), work.deadline()]);`), 'race', { line: 5 }),
    abandons('a promise in a variable', pg.wrap(`const acquired = ${lock};\n  await Promise.race([acquired, work.deadline()]);`), 'race', { line: 6 }),
    abandons('a helper that races what it is given', helper + pg.wrap(`await withTimeout(${lock}, 500);`), 'race', { line: 1 }),
    abandons('an asynchronous helper that races what it is given', helperAsync + pg.wrap(`await withTimeout(${lock}, 500);`), 'race', { line: 3 }),
    abandons('a function whose call races', `const acquire = (c) => ${lock};\n${pg.wrap('await Promise.race([acquire(c), work.deadline()]);')}`, 'race', { line: 6 }),
    abandons('an asynchronous function whose call races', pg.wrap(`const acquire = async () => { await ${lock}; };\n  await Promise.race([acquire(), work.deadline()]);`), 'race', { line: 6 }),
    abandons('a try-lock', pg.wrap(`await Promise.race([${tryLock}, work.deadline()]);`), 'race', { fn: 'pg_try_advisory_lock', line: 5, late: answers, cure: awaitAnswer }, tryLock),
    abandons('a transaction lock, whose rollback then waits as well', pg.wrap("await c.query('BEGIN');\n  await Promise.race([c.query('SELECT pg_advisory_xact_lock(7)'), work.deadline()]);"), 'race', { fn: 'pg_advisory_xact_lock', line: 6 }, "c.query('SELECT pg_advisory_xact_lock(7)')"),
    abandons('a session lock that a pool goes on to take', contexts.pg.pool.wrap("await Promise.race([pool.query('SELECT pg_advisory_lock(7)'), work.deadline()]);"), 'race', { line: 4 }, "pool.query('SELECT pg_advisory_lock(7)')"),
  ],
});
