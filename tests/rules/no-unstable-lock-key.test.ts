import rule from '../../rules/no-unstable-lock-key.js';
import { matrixDrivers, runRuleTests, type InvalidCase, type ValidCase } from '../rule-tester.js';
import { boundLock } from './bound.js';
import { contexts, type DriverName } from './contexts.js';
import { errorAt } from './error-at.js';

const imports = "import { Client } from 'pg';\nimport { createHash, randomBytes, randomInt, randomUUID } from 'node:crypto';\nimport os from 'node:os';\nimport { nanoid } from 'nanoid';\nimport { v4, v5 } from 'uuid';\nimport { crc32 } from 'node:zlib';\n";
const lock = "c.query('SELECT pg_try_advisory_lock($1)', [key])";
/** A module with declarations at its top and statements before the lock on `key`. */
const module = (body: string, top = ''): string => `${imports}${top}\nexport async function run(c: Client, id: string, logger: any) {\n${body}\nawait ${lock};\n}`;

type Kind = 'random' | 'clock' | 'own' | 'counter';

function bad(body: string, messageId: Kind, source: string, top = ''): InvalidCase {
  const code = module(body, top);
  return { name: `${top} ${body}`, code, errors: [errorAt(code, lock, { messageId, data: { fn: 'pg_try_advisory_lock', source } })] };
}
const good = (body: string, top = ''): ValidCase => ({ name: `${top} ${body}`, code: module(body, top) });
const key = (expression: string): string => `const key = ${expression};`;

const bound = (driver: DriverName) =>
  boundLock(driver, (placeholder) => (contexts[driver].dialect === 'mysql' ? `SELECT GET_LOCK(${placeholder}, 5)` : `SELECT pg_advisory_xact_lock(${placeholder})`));
const perDriver = matrixDrivers.map((driver): { bad: InvalidCase; good: ValidCase } => {
  const { code, call } = bound(driver);
  const fn = contexts[driver].dialect === 'mysql' ? 'get_lock' : 'pg_advisory_xact_lock';
  return {
    bad: { name: driver, drivers: [driver], code: code('process.pid'), errors: [errorAt(code('process.pid'), call('process.pid'), { messageId: 'own', data: { fn, source: 'process.pid' } })] },
    good: { name: driver, drivers: [driver], code: code('work.id') },
  };
});

const inSql = (sql: string, messageId: Kind, source: string): InvalidCase => {
  const call = `c.query("${sql}")`;
  const code = `import { Client } from 'pg';\nexport const run = (c: Client) => ${call};`;
  return { name: sql, code, errors: [errorAt(code, call, { messageId, data: { fn: 'pg_advisory_lock', source } })] };
};
const goodSql = (sql: string): ValidCase => ({ name: sql, code: `import { Client } from 'pg';\nexport const run = (c: Client) => c.query("${sql}");` });

const mysqlCall = "c.query('SELECT GET_LOCK(?, 5)', [`job:${os.hostname()}`])";
const mysql = `import type { Connection } from 'mysql2/promise';\nimport os from 'os';\nexport const run = (c: Connection) => ${mysqlCall};`;
const unknownHandle = "export const run = (db) => db.query('SELECT pg_advisory_lock($1)', [process.pid]);";
const wrapped = `import { Pool } from 'pg';
const lock = (pool: Pool, key: number) => send(pool, 'SELECT pg_advisory_lock($1)', key);
const send = (pool: Pool, text: string, value: number) => pool.query(text, [value]);
export const run = (pool: Pool) => send(pool, 'SELECT pg_advisory_lock(1, $1)', process.pid);`;

const cacheFunction = `const keys = new Map<string, number>();
function keyOf(id: string): number {
  let key = keys.get(id);
  if (key === undefined) {
    key = Math.floor(Math.random() * 0x7fffffff);
    keys.set(id, key);
  }
  return key;
}`;

runRuleTests(rule, {
  notApplicable: {},
  valid: [
    ...perDriver.map((testCase) => testCase.good),
    good(key('id')),
    good(key('42')),
    good(key('n'), "let n = 0;\nfor (const c of 'outbox') n += c.charCodeAt(0);"),
    good(key("createHash('sha256').update(id).digest().readBigInt64BE(0)")),
    good(key('v5(id, NAMESPACE)')),
    good(key('random(id)')),
    good(key('Math.random(id)'), 'const Math = { random: (id: string) => id.length };'),
    // An interval, a day, an hour: the same for all who ask in time.
    good(key('Math.floor(Date.now() / 60_000)')),
    good(key('Date.now() - (Date.now() % 60_000)')),
    good(key('`daily:${new Date().toISOString().slice(0, 10)}`')),
    good(key('new Date().getUTCHours()')),
    good(key('new Date(id).getTime()')),
    // One of a few slots, picked at random.
    good(key('Math.floor(Math.random() * 8)')),
    good(key('Math.floor(Math.random() * slots)')),
    good(key('randomInt(16)')),
    good(key('randomInt(slots)')),
    good(key('process.pid % 4')),
    // One way of several.
    good(key('id ?? randomUUID()')),
    good(key('id ? id : randomUUID()')),
    good('let key = 5; if (id) key = process.pid;'),
    good(key('keyOf(id)'), 'const keys = new Map<string, number>();\nexport function fill(rows: any[]) { for (const row of rows) keys.set(row.id, row.key); }\nconst keyOf = (id: string) => keys.get(id) ?? Math.random();'),
    good(key('keyOf(id)'), 'function keyOf(id: string) { if (id === "x") return 1; return process.pid; }'),
    // An id that others learn.
    good("const key = randomUUID();\nawait c.query('INSERT INTO jobs VALUES ($1)', [key]);"),
    good('const key = randomUUID();\nawait announce(key);'),
    good('const worker = randomUUID(); const key = worker;\nregister({ worker });'),
    // Counts of the call, not of the process.
    good('let key = 0;\nkey += 1;'),
    good(key('next()'), 'let n = 0;\nexport const reset = (to: number) => { n = to; };\nconst next = () => ++n;'),
    goodSql('SELECT pg_advisory_lock(id) FROM jobs'),
    goodSql('SELECT pg_advisory_lock(hashtextextended(name, 0)) FROM jobs'),
    goodSql('SELECT pg_advisory_lock((random() * 8)::int)'),
    goodSql("SELECT pg_advisory_lock(nextval('jobs_id_seq'))"),
    goodSql("SELECT pg_advisory_lock(extract(epoch from date_trunc('day', now()))::bigint)"),
    goodSql('SELECT pg_advisory_unlock(pg_backend_pid())'),
    goodSql('SELECT app.pg_advisory_lock(pg_backend_pid())'),
    { name: 'a text that nobody sends', code: "console.log('SELECT pg_advisory_lock($1)', [process.pid]);" },
    { name: 'a lazy statement that nobody awaits', code: "import postgres from 'postgres';\nconst sql = postgres();\nsql`SELECT pg_advisory_lock(${process.pid})`;" },
  ],
  invalid: [
    ...perDriver.map((testCase) => testCase.bad),
    bad(key('Math.random()'), 'random', 'Math.random()'),
    bad(key('Math.floor(Math.random() * 2 ** 31)'), 'random', 'Math.random()'),
    bad(key('KEY'), 'random', 'Math.random()', 'const KEY = Math.floor(Math.random() * 2 ** 31);'),
    bad(key('randomUUID()'), 'random', 'randomUUID()'),
    bad(key('crypto.randomUUID()'), 'random', 'crypto.randomUUID()'),
    bad(key('`job:${randomUUID()}`'), 'random', 'randomUUID()'),
    bad(key("'job:' + nanoid()"), 'random', 'nanoid()'),
    bad(key('v4()'), 'random', 'v4()'),
    bad(key('randomInt(2 ** 31)'), 'random', 'randomInt()'),
    bad(key('randomBytes(8).readBigInt64BE()'), 'random', 'randomBytes()'),
    bad(key('BigInt(randomInt(2 ** 31)).toString()'), 'random', 'randomInt()'),
    bad(key("createHash('sha256').update(randomUUID()).digest().readInt32BE(0)"), 'random', 'randomUUID()'),
    bad(key('crc32(randomUUID())'), 'random', 'randomUUID()'),
    bad(key('id ? randomUUID() : nanoid()'), 'random', 'randomUUID()'),
    bad(key('Date.now()'), 'clock', 'Date.now()'),
    bad(key('Date.now() % 2147483647'), 'clock', 'Date.now()'),
    bad(key('Math.floor(Date.now())'), 'clock', 'Date.now()'),
    bad(key('new Date().getTime()'), 'clock', 'new Date()'),
    bad(key('+new Date()'), 'clock', 'new Date()'),
    bad(key('`job:${new Date().toISOString()}`'), 'clock', 'new Date()'),
    bad(key('Date.now() | 0'), 'clock', 'Date.now()'),
    bad(key('performance.now()'), 'own', 'performance.now()'),
    bad(key('process.hrtime.bigint()'), 'own', 'process.hrtime.bigint()'),
    bad(key('process.pid'), 'own', 'process.pid'),
    bad(key('`worker:${process.pid}:${id}`'), 'own', 'process.pid'),
    bad(key('`worker:${os.hostname()}`'), 'own', 'hostname()'),
    bad(key('`worker:${process.env.HOSTNAME}`'), 'own', 'process.env.HOSTNAME'),
    bad(key('n++'), 'counter', 'n', 'let n = 0;'),
    bad(key('n'), 'counter', 'n', 'let n = 0;\nn += 1;\nfunction next() { n += 1; }'),
    bad(key('++n'), 'counter', 'n', 'let n = 0;'),
    bad(key('next()'), 'counter', 'n', 'let n = 1;\nfunction next() { n += 1; return n; }'),
    bad(key('keyOf(id)'), 'random', 'Math.random()', cacheFunction),
    bad(key('keyOf(id)'), 'random', 'Math.random()', 'const keys = new Map<string, number>();\nfunction keyOf(id: string) {\n  if (!keys.has(id)) keys.set(id, Math.floor(Math.random() * 2 ** 31));\n  return keys.get(id)!;\n}'),
    bad(key('(keys[id] ??= randomInt(2 ** 31))'), 'random', 'randomInt()', 'const keys: Record<string, number> = {};'),
    bad(key('keyOf(process.pid)'), 'own', 'process.pid', 'const keyOf = (n: number) => BigInt(n);'),
    bad('const key = randomInt(2 ** 31);\nlogger.info({ key }, "locking");\nif (key > 5) console.log(key);', 'random', 'randomInt()'),
    bad("const key = randomUUID();\nawait c.query('SELECT pg_advisory_unlock($1)', [key]);", 'random', 'randomUUID()'),
    inSql('SELECT pg_advisory_lock(pg_backend_pid())', 'own', 'pg_backend_pid()'),
    inSql('SELECT pg_advisory_lock(hashtextextended(gen_random_uuid()::text, 0))', 'random', 'gen_random_uuid()'),
    inSql("SELECT pg_advisory_lock(hashtextextended('job:' || gen_random_uuid(), 0))", 'random', 'gen_random_uuid()'),
    inSql('SELECT pg_advisory_lock(txid_current())', 'own', 'txid_current()'),
    { name: 'a name with the host in it', code: mysql, errors: [errorAt(mysql, mysqlCall, { messageId: 'own', data: { fn: 'get_lock', source: 'hostname()' } })] },
    {
      name: 'over a handle of which nothing is known',
      code: unknownHandle,
      errors: [errorAt(unknownHandle, "db.query('SELECT pg_advisory_lock($1)', [process.pid])", { messageId: 'own', data: { fn: 'pg_advisory_lock', source: 'process.pid' } })],
    },
    {
      name: 'through a wrapper that forwards the SQL, at its call',
      code: wrapped,
      errors: [errorAt(wrapped, "send(pool, 'SELECT pg_advisory_lock(1, $1)', process.pid)", { messageId: 'own', data: { fn: 'pg_advisory_lock', source: 'process.pid' } })],
    },
  ],
});
