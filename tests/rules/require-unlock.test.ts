import rule from '../../rules/require-unlock.js';
import { runRuleTests, type InvalidCase, type ValidCase } from '../rule-tester.js';
import { forEveryDriver, lockSql } from './contexts.js';
import { errorAt } from './error-at.js';

const perDriver = forEveryDriver(({ connection, dialect, cell }, name): { bad: InvalidCase; good: ValidCase } => {
  const sql = lockSql(dialect);
  const isMysql = dialect === 'mysql';
  const acquire = connection.send(isMysql ? sql.tryLock : 'SELECT pg_advisory_lock(7)');
  const take = isMysql ? `if ((await ${acquire})${cell} !== 1) { c.release(); return; }` : `await ${acquire};`;
  const unlock = `await ${connection.send(sql.unlock)};`;
  const code = connection.wrap(`${take}\n  await work();\n  ${unlock}`);
  const line = code.split('\n').findIndex((written) => written.includes('await work()')) + 1;
  const data = { fn: isMysql ? 'get_lock' : 'pg_advisory_lock', step: '`work`', line };
  return {
    bad: { name: `work of ${name} that leaves the lock behind when it throws`, drivers: [name], code, errors: [errorAt(code, acquire, { messageId: 'throws', data })] },
    good: { name: `an unlock of ${name} in \`finally\``, drivers: [name], code: connection.wrap(`${take}\n  try { await work(); } finally { ${unlock} }`) },
  };
});

const lock = "c.query('SELECT pg_advisory_lock(7)')";
const tryLock = "c.query('SELECT pg_try_advisory_lock(7) AS ok')";
const unlock = "c.query('SELECT pg_advisory_unlock(7)')";
const fn = 'pg_advisory_lock';

/** `body` in a function that takes a connection of its own. */
const owner = (body: string, open = 'const c = await pool.connect();'): string =>
  `import { Client, Pool } from 'pg';\nconst pool = new Pool();\nexport async function run(work, store) {\n  ${open}\n${body}\n}`;
/** `body` in a function that is given its connection. */
const given = (body: string): string => `import type { PoolClient } from 'pg';\nexport async function run(c: PoolClient, work: () => Promise<boolean>) {\n${body}\n}`;

function leaves(name: string, code: string, messageId: string, data: Record<string, string | number>): InvalidCase {
  return { name, code, errors: [errorAt(code, lock, { messageId, data: { fn, ...data } })] };
}
const silent = (name: string, code: string): ValidCase => ({ name, code });

const client = 'const c = new Client({ lock_timeout: 500 });\n  await c.connect();';
const refusedReturn = owner(`  const { rows } = await ${tryLock};\n  if (!rows[0].ok) return null;\n  try { await work(); } finally { await c.end(); }`, 'const c = new Client();\n  await c.connect();');
const refusedThrow = owner(`  const { rows } = await ${tryLock};\n  if (!rows[0].ok) throw new Error('busy');\n  c.release();`);
const rejected = owner(`  await ${lock};\n  try { await work(); } finally { await c.end(); }`, client);
const lazy =
  "import postgres from 'postgres';\nconst sql = postgres();\nexport async function run(work) {\n  const c = await sql.reserve();\n  try {\n    await c`SELECT pg_advisory_lock(7)`;\n    await work();\n  } finally {\n    c`SELECT pg_advisory_unlock(7)`;\n    c.release();\n  }\n}";
/** The unlock is guarded by a test of the key, or of something else. */
const keyed = (value: string, guard: string): string =>
  owner(`  let key = null;\n  let other = null;\n  try {\n    key = ${value};\n    other = otherOf(work);\n    await c.query('SELECT pg_advisory_lock($1)', [key]);\n    await work();\n  } finally { if (${guard}) await c.query('SELECT pg_advisory_unlock($1)', [key]); c.release(); }`);
const helpers = `import { Pool } from 'pg';\nconst pool = new Pool();\nasync function lock(c) { await ${lock}; }\nasync function unlock(c) { await ${unlock}; }\nexport async function run(work) {\n  const c = await pool.connect();\n  try {\n    await lock(c);\n    await work();\n    await unlock(c);\n  } finally { c.release(); }\n}`;

/** A pool of a file that is not read: what its results look like is told by how they are read. */
const foreign = (read: string, refused: string): string =>
  `import { pool } from 'somewhere';\nexport async function run(work) {\n  const c = await pool.connect();\n  try {\n    const ${read} = await ${tryLock};\n    if (${refused}) return;\n    await work();\n    await ${unlock};\n  } finally { c.release(); }\n}`;
const foreignRows = foreign('{ rows }', '!rows[0].ok');
const foreignList = foreign('[row]', '!row.ok');
const foreignTruth = foreign('got', '!got');

runRuleTests(rule, {
  notApplicable: {},
  valid: [
    ...perDriver.map(({ good }) => good),
    silent('the session ends with the function', owner(`  try { await ${lock}; await work(); } finally { await c.end(); }`, 'const c = new Client();\n  await c.connect();')),
    silent(
      'two locks of one helper',
      `import { Pool } from 'pg';
const pool = new Pool();
async function acquire(key) {
  const c = await pool.connect();
  try { await c.query('SELECT pg_advisory_lock($1)', [key]); } catch (error) { c.release(true); throw error; }
  return async () => { try { await c.query('SELECT pg_advisory_unlock($1)', [key]); } finally { c.release(); } };
}
export async function run(work) {
  const one = await acquire(1);
  try {
    const two = await acquire(2);
    try { await work(); } finally { await two(); }
  } finally { await one(); }
}`,
    ),
    silent(
      'a function that unlocks is handed on',
      `import { Pool } from 'pg';
const pool = new Pool();
export async function run(onExit, work) {
  const c = await pool.connect();
  await c.query('SELECT pg_advisory_lock(1)');
  const free = async () => { await c.query('SELECT pg_advisory_unlock(1)'); c.release(); };
  onExit(free);
  await work();
}`,
    ),
    silent('the connection is destroyed', owner(`  try { await ${lock}; await work(); } finally { c.release(true); }`)),
    silent('the connection is destroyed on failure', owner(`  try { await ${lock}; await work(); await ${unlock}; c.release(); } catch (error) { c.release(error); throw error; }`)),
    silent('a flag tells whether there is something to unlock', owner(`  let locked = false;\n  try { await ${lock}; locked = true; await work(); } finally { if (locked) await ${unlock}; c.release(); }`)),
    ...[['`job:${work.name}`', 'key'], ['keyOf(work)', 'key'], ['keyOf(work)', 'key !== null'], ['keyOf(work)', 'key != null && c']].map(([value = '', guard = '']) =>
      silent(`the key of the lock is there to unlock: ${value}, ${guard}`, keyed(value, guard)),
    ),
    silent('the connection is handed to the caller', owner(`  await ${lock};\n  return c;`)),
    silent('the connection is stored', owner(`  await ${lock};\n  store.connection = c;`)),
    silent('a closure that leaves holds the connection', owner(`  await ${lock};\n  return async () => { await ${unlock}; c.release(); };`)),
    silent('an object that leaves holds the connection', owner(`  await ${lock};\n  return new Guard(c);`)),
    silent('an acquire helper that is given its connection', given(`  await ${lock};\n  if (await work()) return true;\n  return false;`)),
    silent('an acquire helper that returns a function that unlocks', given(`  await ${lock};\n  return () => ${unlock};`)),
    silent('an acquire helper that returns an object that unlocks', given(`  await ${lock};\n  return { release: async () => { await ${unlock}; } };`)),
    silent('an acquire helper that unlocks when it fails', given(`  await ${lock};\n  try { await work(); } catch (error) { await ${unlock}; throw error; }`)),
    silent('an acquire helper that takes two locks or none', given(`  await ${lock};\n  const { rows } = await c.query('SELECT pg_try_advisory_lock(8) AS ok');\n  if (!rows[0].ok) { await ${unlock}; return false; }\n  return true;`)),
    silent('a connection that is given back with the lock is another matter', owner(`  try { await ${lock}; await work(); } finally { c.release(); }`)),
    silent('an unlock that fails and is swallowed is another matter', owner(`  await ${lock};\n  try { await work(); } finally { await ${unlock}.catch(() => {}); c.release(); }`)),
    silent('an unlock that does not match is another matter', owner(`  await ${lock};\n  try { await work(); } finally { await c.query('SELECT pg_advisory_unlock_shared(7)'); c.release(); }`)),
    silent('a pool is another matter', `import { Pool } from 'pg';\nconst pool = new Pool();\nexport async function run(work) {\n  await pool.query('SELECT pg_advisory_lock(7)');\n  await work();\n  await pool.query('SELECT pg_advisory_unlock(7)');\n}`),
    silent('one connection that all callers share is another matter', `import { Client } from 'pg';\nconst c = new Client();\nexport async function run(work) {\n  await ${lock};\n  await work();\n  await ${unlock};\n}`),
    silent('an acquire that lost a race is another matter', owner(`  try {\n    await Promise.race([${lock}, work()]);\n  } catch {\n    c.release();\n    return;\n  }\n  try { await work(); } finally { await ${unlock}; c.release(); }`)),
    silent('a blocking acquire without a limit that rejects', owner(`  await ${lock};\n  try { await work(); } finally { await c.end(); }`, 'const c = new Client();\n  await c.connect();')),
    silent('an unknown handle', `export async function run(c, work) {\n  await ${lock};\n  await work();\n  await ${unlock};\n}`),
    silent('an answer of unknown shape, and an unlock in `finally`', foreignRows.replace(`await work();\n    await ${unlock};`, `try { await work(); } finally { await ${unlock}; }`)),
    silent('a look-alike', `import { Pool } from 'pg';\nconst pool = new Pool();\nexport async function run(work) {\n  const c = await pool.connect();\n  await c.query('SELECT my_advisory_lock(7)');\n  await work();\n  await c.query('SELECT my_advisory_unlock(7)');\n}`),
    silent('a transaction lock', owner(`  await c.query('BEGIN');\n  await c.query('SELECT pg_advisory_xact_lock(7)');\n  await work();\n  await c.query('COMMIT');\n  c.release();`)),
    silent('the process ends', owner(`  await ${lock};\n  if (!(await work().catch(() => null))) process.exit(1);\n  await ${unlock};\n  c.release();`)),
  ],
  invalid: [
    ...perDriver.map(({ bad }) => bad),
    ...[foreignRows, foreignList, foreignTruth].map((code, index): InvalidCase => ({
      name: `an answer of unknown shape, read in way ${index}`,
      code,
      errors: [errorAt(code, tryLock, { messageId: 'throws', data: { fn: 'pg_try_advisory_lock', step: '`work`', line: 7 } })],
    })),
    { name: 'a test of something else than the key', code: keyed('`job:${work.name}`', 'other'), errors: [errorAt(keyed('`job:${work.name}`', 'other'), "c.query('SELECT pg_advisory_lock($1)', [key])", { messageId: 'ends', data: { fn } })] },
    leaves('an early return', owner(`  await ${lock};\n  try {\n    if (work.isDone) return;\n    await ${unlock};\n  } finally { c.release(); }`), 'returns', { line: 7 }),
    leaves('an unlock in `try` and a handler that swallows', owner(`  try {\n    await ${lock};\n    await work();\n    await ${unlock};\n  } catch {}\n  c.release();`), 'throws', { step: '`work`', line: 7 }),
    leaves('a throw of its own', given(`  await ${lock};\n  if (Math.random() > 2) throw new Error('unlikely');\n  await ${unlock};`), 'thrown', { line: 4 }),
    leaves('a handler that swallows, on a connection from outside', given(`  await ${lock};\n  try { await work(); await ${unlock}; } catch (error) { console.error(error); }`), 'throws', { step: '`work`', line: 4 }),
    leaves('a chain of calls, named as a whole', owner(`  await ${lock};\n  await store.insertInto('job').values({}).execute();\n  await ${unlock};`), 'throws', { step: '`store.insertInto(…).values(…).execute`', line: 6 }),
    leaves('a handler that cleans up other things and throws on', owner(`  try {\n    await ${lock};\n    await work();\n    await ${unlock};\n  } catch (error) {\n    console.error(error);\n    throw error;\n  }`), 'throws', { step: '`work`', line: 7 }),
    leaves('a branch without an unlock', owner(`  await ${lock};\n  if (work.isDone) await ${unlock};`), 'ends', {}),
    leaves('no unlock at all, and the connection forgotten', owner(`  await ${lock};\n  console.log('locked');`), 'ends', {}),
    leaves('`continue` past the unlock', owner(`  for (const item of store) {\n    await ${lock};\n    if (item.isDone) continue;\n    await ${unlock};\n  }\n  c.release();`), 'ends', {}),
    leaves('a call between acquire and `try`', owner(`  await ${lock};\n  const jobs = await store.jobs();\n  try { await work(jobs); } finally { await ${unlock}; }\n  c.release();`), 'throws', { step: '`store.jobs`', line: 6 }),
    leaves('a call in `finally` before the unlock', owner(`  await ${lock};\n  try { await work(); } finally {\n    await store.save();\n    await ${unlock};\n    c.release();\n  }`), 'throws', { step: '`store.save`', line: 7 }),
    {
      name: 'an unlock that is never sent',
      code: lazy,
      errors: [errorAt(lazy, 'c`SELECT pg_advisory_lock(7)`', { messageId: 'neverSent', data: { fn, line: 9 } })],
    },
    { name: 'helpers that lock and unlock', code: helpers, errors: [errorAt(helpers, lock, { messageId: 'throws', data: { fn, step: '`work`', line: 9 } })] },
    {
      name: 'a connection left open where the lock is refused',
      code: refusedReturn,
      errors: [errorAt(refusedReturn, 'return null;', { messageId: 'refused', data: { fn: 'pg_try_advisory_lock', line: 6, opened: 4 } })],
    },
    {
      name: 'a connection not given back where a throw says that the lock is refused',
      code: refusedThrow,
      errors: [errorAt(refusedThrow, "throw new Error('busy');", { messageId: 'refused', data: { fn: 'pg_try_advisory_lock', line: 5, opened: 4 } })],
    },
    {
      name: 'a connection left open where the acquire times out',
      code: rejected,
      errors: [errorAt(rejected, 'new Client({ lock_timeout: 500 })', { messageId: 'rejected', data: { fn, line: 6 } })],
    },
  ],
});
