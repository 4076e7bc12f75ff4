import rule from '../../rules/no-stacked-session-lock.js';
import { runRuleTests, type InvalidCase, type ValidCase } from '../rule-tester.js';
import { forEveryDriver } from './contexts.js';
import { errorAt } from './error-at.js';

const perDriver = forEveryDriver(({ connection, dialect }, name): { bad: InvalidCase; good: ValidCase } => {
  const isMysql = dialect === 'mysql';
  const fn = isMysql ? 'get_lock' : 'pg_advisory_lock';
  const lock = connection.send(isMysql ? "SELECT GET_LOCK('jobs', -1)" : 'SELECT pg_advisory_lock(7)');
  const unlock = connection.send(isMysql ? "SELECT RELEASE_LOCK('jobs')" : 'SELECT pg_advisory_unlock(7)');
  const code = connection.wrap(`for (const item of work.items) {\n    await ${lock};\n    await work(item);\n  }\n  await ${unlock};`);
  return {
    bad: { name: `a lock in a loop and one unlock behind it, with ${name}`, drivers: [name], code, errors: [errorAt(code, lock, { messageId: 'loop', data: { fn } })] },
    good: { name: `an unlock in every round, with ${name}`, drivers: [name], code: connection.wrap(`for (const item of work.items) {\n    await ${lock};\n    try { await work(item); } finally { await ${unlock}; }\n  }`) },
  };
});

const lock = "c.query('SELECT pg_advisory_lock(7)')";
const unlock = "c.query('SELECT pg_advisory_unlock(7)')";
const tryLock = "this.c.query('SELECT pg_try_advisory_lock(7) AS ok')";
const owner = (body: string): string => `import { Pool } from 'pg';\nconst pool = new Pool();\nexport async function run(work) {\n  const c = await pool.connect();\n${body}\n}`;
const election = (heartbeat: string, start = 'setInterval(() => void this.heartbeat(), 5000);', fields = ''): string =>
  `import { Client } from 'pg';\nexport class Election {\n  ${fields}\n  constructor(private readonly c: Client) {}\n  start() { ${start} }\n  private async heartbeat() {\n${heartbeat}\n  }\n}`;
const silent = (name: string, code: string): ValidCase => ({ name, code });

const beats = election(`    const { rows } = await ${tryLock};\n    if (rows[0].ok) this.lead();`);
const listens = election(`    const { rows } = await ${tryLock};\n    if (rows[0].ok) this.lead();`, "process.on('message', () => this.heartbeat());");
const twice = owner(`  await ${lock};\n  try {\n    await work();\n    await c.query('SELECT pg_advisory_lock(7) AS again');\n    await work();\n  } finally { await ${unlock}; c.release(); }`);

runRuleTests(rule, {
  notApplicable: {},
  valid: [
    ...perDriver.map(({ good }) => good),
    silent('counted pairs', owner(`  await ${lock};\n  await c.query('SELECT pg_advisory_lock(7) AS again');\n  await ${unlock};\n  await ${unlock};\n  c.release();`)),
    silent('a loop that takes and a loop that gives back', owner(`  for (const item of work.items) await ${lock};\n  for (const item of work.items) await ${unlock};\n  c.release();`)),
    silent('the session ends with its locks', owner(`  for (const item of work.items) await ${lock};\n  c.release(true);`)),
    silent('other keys', owner(`  await ${lock};\n  await c.query('SELECT pg_advisory_lock(8)');\n  c.release(true);`)),
    silent('keys that may differ', owner(`  for (const id of work.ids) await c.query('SELECT pg_advisory_lock($1)', [id]);\n  c.release(true);`)),
    silent('another key in every round', `import type { PoolClient } from 'pg';\nexport async function lockAll(c: PoolClient, ids: number[]) {\n  for (const id of ids) await c.query('SELECT pg_advisory_lock($1)', [id]);\n}`),
    silent('a key made in every round', `import type { PoolClient } from 'pg';\nimport { hash } from './hash.js';\nexport async function lockAll(c: PoolClient, names: string[]) {\n  for (let i = 0; i < names.length; i++) {\n    const key = hash(names[i]);\n    await c.query('SELECT pg_advisory_lock($1)', [key]);\n  }\n}`),
    silent('the other mode', owner(`  await c.query('SELECT pg_advisory_lock_shared(7)');\n  await ${lock};\n  c.release(true);`)),
    silent('polling: a lock that was refused is not held', owner(`  for (;;) {\n    const { rows } = await c.query('SELECT pg_try_advisory_lock(7) AS ok');\n    if (rows[0].ok) break;\n  }\n  c.release(true);`)),
    silent('a flag proves that it is not held', owner(`  let held = false;\n  for (const item of work.items) {\n    if (!held) { await ${lock}; held = true; }\n    await work(item);\n  }\n  await ${unlock};\n  c.release();`)),
    silent('a connection for every round', `import { Pool } from 'pg';\nconst pool = new Pool();\nexport async function run(work) {\n  for (const item of work) {\n    const c = await pool.connect();\n    await ${lock};\n    await work(item);\n    c.release(true);\n  }\n}`),
    silent('transaction locks', owner(`  await c.query('BEGIN');\n  for (const item of work.items) await c.query('SELECT pg_advisory_xact_lock(7)');\n  await c.query('COMMIT');\n  c.release();`)),
    silent('an interval whose function asks a field first', election(`    if (this.leader) return;\n    const { rows } = await ${tryLock};\n    this.leader = rows[0].ok;`, undefined, 'private leader = false;')),
    silent('an interval whose function unlocks', election(`    const { rows } = await ${tryLock};\n    if (!rows[0].ok) return;\n    try { await this.lead(); } finally { await this.c.query('SELECT pg_advisory_unlock(7)'); }`)),
    silent('a function that nobody here calls again and again', election(`    const { rows } = await ${tryLock};\n    if (rows[0].ok) this.lead();`, 'void this.heartbeat();')),
    silent('one connection that all callers share', `import { Client } from 'pg';\nconst c = new Client();\nexport async function run(work) {\n  for (const item of work) await ${lock};\n}`),
    silent('a pool', `import { Pool } from 'pg';\nconst c = new Pool();\nexport async function run(work) {\n  for (const item of work) await ${lock};\n}`),
    silent('an unknown handle', `export async function run(c, work) {\n  for (const item of work) await ${lock};\n}`),
    silent('a look-alike', owner("  for (const item of work) await c.query('SELECT my_advisory_lock(7)');")),
  ],
  invalid: [
    ...perDriver.map(({ bad }) => bad),
    {
      name: 'taken again by another statement',
      code: twice,
      errors: [errorAt(twice, "c.query('SELECT pg_advisory_lock(7) AS again')", { messageId: 'earlier', data: { fn: 'pg_advisory_lock', line: 5 } })],
    },
    { name: 'an interval', code: beats, errors: [errorAt(beats, tryLock, { messageId: 'repeated', data: { fn: 'pg_try_advisory_lock' } })] },
    { name: 'an event', code: listens, errors: [errorAt(listens, tryLock, { messageId: 'repeated', data: { fn: 'pg_try_advisory_lock' } })] },
  ],
});
