import rule from '../../rules/no-weak-lock-key.js';
import { matrixDrivers, runRuleTests, type InvalidCase, type ValidCase } from '../rule-tester.js';
import { boundLock } from './bound.js';
import { contexts, type DriverName } from './contexts.js';
import { errorAt } from './error-at.js';

const head = "import { Client } from 'pg';\nimport { createHash } from 'node:crypto';\nimport { crc32 } from 'node:zlib';\nimport CRC32 from 'crc-32';\nimport murmur from 'murmurhash';\nimport { djb2 } from './hashes.js';\n";
const module = (call: string, top = ''): string => `${head}${top}export const run = async (c: Client, text: any, id: number, bytes: Buffer) => await ${call};`;
const one = (value: string): string => `c.query('SELECT pg_advisory_xact_lock($1)', [${value}])`;

function bad(call: string, how: string, count: string, messageId: 'hash' | 'reduced' = 'hash', top = ''): InvalidCase {
  const code = module(call, top);
  return { name: `${top}${call}`, code, errors: [errorAt(code, call, { messageId, data: { fn: 'pg_advisory_xact_lock', how, count } })] };
}
const good = (call: string, top = ''): ValidCase => ({ name: `${top}${call}`, code: module(call, top) });
const sql = (keys: string): string => `c.query("SELECT pg_advisory_xact_lock(${keys})", [text])`;

const bound = (driver: DriverName) => boundLock(driver, (key) => `SELECT pg_advisory_xact_lock(hashtext(${key}))`);
const strong = (driver: DriverName) => boundLock(driver, (key) => `SELECT pg_advisory_xact_lock(hashtextextended(${key}, 0))`);
const postgresDrivers = matrixDrivers.filter((driver) => contexts[driver].dialect === 'postgres');
const perDriver = postgresDrivers.map((driver): { bad: InvalidCase; good: ValidCase } => {
  const code = bound(driver).code('work.name');
  const output = strong(driver).code('work.name');
  return {
    bad: {
      name: driver,
      drivers: [driver],
      code,
      errors: [errorAt(code, bound(driver).call('work.name'), { messageId: 'hash', data: { fn: 'pg_advisory_xact_lock', how: 'hashtext', count: '2^32' }, suggestions: [{ messageId: 'extend', output }] })],
    },
    good: { name: driver, drivers: [driver], code: output },
  };
});

const loop = 'a hash made character by character';
const loops: readonly InvalidCase[] = [
  bad(one('h(text)'), loop, '2^32', 'hash', 'function h(s) {\n  let h = 5381;\n  for (let i = 0; i < s.length; i++) h = ((h << 5) + h) + s.charCodeAt(i);\n  return h >>> 0;\n}\n'),
  bad(one('h(text)'), loop, '2^32', 'hash', 'function h(s) {\n  let h = 0;\n  for (let i = 0; i < s.length; i++) {\n    h = (h << 5) - h + s.charCodeAt(i);\n    h |= 0;\n  }\n  return h;\n}\n'),
  bad(one('h(text)'), loop, '2^32', 'hash', 'function h(s) {\n  let h = 0;\n  for (const c of s) {\n    h = (h * 31) + c.charCodeAt(0);\n    h = h & h;\n  }\n  return h;\n}\n'),
  bad(one('h(text)'), `Math.abs of ${loop}`, '2147483649', 'hash', 'function h(s) {\n  let h = 0;\n  for (const c of s) h = (h * 31 + c.charCodeAt(0)) | 0;\n  return Math.abs(h);\n}\n'),
  bad(one('h(text)'), loop, '2^32', 'hash', 'const h = (s) => [...s].reduce((h, c) => (Math.imul(31, h) + c.charCodeAt(0)) | 0, 0);\n'),
  bad(one('h(text)'), loop, '1000000007', 'hash', 'function h(s) {\n  let h = 7;\n  for (const c of s) h = (h * 31 + c.charCodeAt(0)) % 1000000007;\n  return Math.max(h, 0);\n}\n'),
];

/** A lock and its unlock with the same hash, and both with the longer one. */
const pair = (name: string, end: string): string =>
  `import { Client } from 'pg';\nexport async function run(c: Client, name: string) {\n  await c.query('SELECT pg_advisory_lock(${name}($1${end}))', [name]);\n  return await c.query('SELECT pg_advisory_unlock(${name}($1${end}))', [name]);\n}`;
const hashLock = (how = 'hashtext', count = '2^32') => ({ messageId: 'hash', data: { fn: 'pg_advisory_lock', how, count } });
const otherKey = "import { Client } from 'pg';\nexport async function run(c: Client, name: string, other: string) {\n  await c.query('SELECT pg_advisory_lock(hashtext($1))', [name]);\n  return await c.query('SELECT pg_advisory_unlock(hashtext($1))', [other]);\n}";
const shared = "import { Client } from 'pg';\nconst key = 'hashtext($1)';\nexport async function run(c: Client, name: string) {\n  await c.query(`SELECT pg_advisory_lock(${key})`, [name]);\n  return await c.query(`SELECT pg_advisory_unlock(${key})`, [name]);\n}";
const twoNames = (name: string, end: string, second: string, secondEnd: string): string =>
  `import { Client } from 'pg';\nexport async function run(c: Client, user: string, coupon: string) {\n  await c.query('SELECT pg_advisory_xact_lock(${name}($1::text${end})::bigint)', [user]);\n  await c.query('SELECT pg_advisory_xact_lock(${second}($1${secondEnd}))', [coupon]);\n}`;
const two = twoNames('hashtext', '', 'hashtext', '');
const xact = { messageId: 'hash', data: { fn: 'pg_advisory_xact_lock', how: 'hashtext', count: '2^32' } };
const unknownHandle = "export const run = (db, name) => db.query('SELECT pg_advisory_lock(abs(hashtext($1)))', [name]);";

runRuleTests(rule, {
  notApplicable: { mysql2: 'the keys of GET_LOCK are names' },
  valid: [
    ...perDriver.map((testCase) => testCase.good),
    good(sql('hashtextextended($1, 0)')),
    good(sql('42, hashtext($1)')),
    good(sql('hashtext($1), hashtext(tenant)')),
    good(sql('(42::bigint << 32) | hashtext($1)')),
    good(sql('hashtext($1) + 1000000')),
    good(sql("('x' || substr(md5($1), 1, 16))::bit(64)::bigint")),
    good(sql('hash_of($1)')),
    good(sql('app.hashtext($1)')),
    good(sql('id')),
    good("c.query('SELECT pg_advisory_unlock(hashtext($1))', [text])"),
    good("c.query('SELECT pg_advisory_xact_lock($1, $2)', [7, crc32(text)])"),
    good("c.query('SELECT pg_advisory_xact_lock($1, $2)', [7, id % 1000])"),
    good(one('id')),
    good(one('Number(text)')),
    good(one('id | 0')),
    good(one('BigInt(id) % (2n ** 63n)')),
    good(one('bytes.readInt32BE(0)')),
    good(one("createHash('sha256').update(text).digest().readBigInt64BE(0)")),
    good(one("BigInt.asIntN(64, BigInt('0x' + createHash('sha256').update(text).digest('hex').slice(0, 16)))")),
    good(one("parseInt(createHash('sha256').update(text).digest('hex').slice(0, 12), 16)")),
    good(one("(BigInt(CLASS) << 32n) | BigInt(createHash('sha256').update(text).digest().readUInt32BE(0))"), 'const CLASS = 7;\n'),
    good(one('(7n << 32n) | BigInt(crc32(text))')),
    good(one('hash(text)'), "import { hash } from './hash.js';\n"),
    good(one('crc32(text)').replace('pg_advisory_xact_lock', 'app.pg_advisory_xact_lock')),
    good(one('h(text)'), 'function h(s) {\n  let sum = 0;\n  for (const c of s) sum += c.length;\n  return sum | 0;\n}\n'),
    good(one('h(text)'), 'function h(s) {\n  let h = 0xcbf29ce484222325n;\n  for (const c of s) h = BigInt.asUintN(64, (h ^ BigInt(c.charCodeAt(0))) * 0x100000001b3n);\n  return BigInt.asIntN(64, h);\n}\n'),
    { name: 'a name of MySQL', code: "import type { Connection } from 'mysql2/promise';\nimport { crc32 } from 'zlib';\nexport const run = (c: Connection, name: string) => c.query('SELECT GET_LOCK(?, 5)', [crc32(name)]);" },
    { name: 'a text that nobody sends', code: "console.log('SELECT pg_advisory_lock(hashtext($1))');" },
    { name: 'a lazy statement that nobody awaits', code: "import postgres from 'postgres';\nconst sql = postgres();\nsql`SELECT pg_advisory_lock(hashtext(${'a'}))`;" },
  ],
  invalid: [
    ...perDriver.map((testCase) => testCase.bad),
    ...loops,
    bad(sql('abs(hashtext($1))'), 'abs of hashtext', '2147483649'),
    bad(sql('hashtext($1) % 1000'), 'hashtext', '1999'),
    bad(sql('mod(abs(hashtext($1)), 1000)'), 'abs of hashtext', '1000'),
    bad(sql('crc32($1::bytea)'), 'crc32', '2^32'),
    bad(sql('hashtext($1) & 255'), 'hashtext', '256'),
    bad(sql('id % 1000'), '% 1000', '1999', 'reduced'),
    bad(sql('hashtextextended($1, 0) % 1000'), '% 1000', '1999', 'reduced'),
    bad(one('crc32(text)'), 'crc32', '2^32'),
    bad(one('CRC32.str(text)'), 'crc-32', '2^32'),
    bad(one('murmur.v3(text)'), 'murmurhash', '2^32'),
    bad(one('djb2(text)'), 'djb2', '2^32'),
    bad(one('BigInt(crc32(text))'), 'crc32', '2^32'),
    bad(one('String(crc32(text))'), 'crc32', '2^32'),
    bad(one('`${crc32(text)}`'), 'crc32', '2^32'),
    bad(one('crc32(text) % 100'), 'crc32', '100'),
    bad(one('id % 1000'), '% 1000', '1999', 'reduced'),
    bad(one('BigInt(text) % 1000n'), '% 1000n', '1999', 'reduced'),
    bad(one('keyOf(text)'), 'crc32', '2^32', 'hash', 'const keyOf = (name) => crc32(`job:${name}`) | 0;\n'),
    bad(one('parseInt(text.slice(0, 8), 16)'), '8 hexadecimal digits', '2^32'),
    bad(one("parseInt(createHash('sha256').update(text).digest('hex').slice(0, 8), 16)"), '8 hexadecimal digits of a sha256 digest', '2^32'),
    bad(one("createHash('sha256').update(text).digest().readInt32BE(0)"), '32 bits of a sha256 digest', '2^32'),
    bad(one("createHash('md5').update(text).digest().readUInt16LE(0)"), '16 bits of a md5 digest', '65536'),
    { name: 'a session lock, its unlock with it', code: pair('hashtext', ''), errors: [errorAt(pair('hashtext', ''), "c.query('SELECT pg_advisory_lock(hashtext($1))', [name])", { ...hashLock(), suggestions: [{ messageId: 'extend', output: pair('hashtextextended', ', 0') }] })] },
    { name: 'a session lock, its unlock perhaps on the same key', code: otherKey, errors: [errorAt(otherKey, "c.query('SELECT pg_advisory_lock(hashtext($1))', [name])", hashLock())] },
    { name: 'a piece of SQL that several statements share', code: shared, errors: [errorAt(shared, 'c.query(`SELECT pg_advisory_lock(${key})`, [name])', hashLock())] },
    {
      name: 'two keys, each with a suggestion of its own',
      code: two,
      errors: [
        errorAt(two, "c.query('SELECT pg_advisory_xact_lock(hashtext($1::text)::bigint)', [user])", { ...xact, suggestions: [{ messageId: 'extend', output: twoNames('hashtextextended', ', 0', 'hashtext', '') }] }),
        errorAt(two, "c.query('SELECT pg_advisory_xact_lock(hashtext($1))', [coupon])", { ...xact, suggestions: [{ messageId: 'extend', output: twoNames('hashtext', '', 'hashtextextended', ', 0') }] }),
      ],
    },
    { name: 'over a handle of which nothing is known', code: unknownHandle, errors: [errorAt(unknownHandle, "db.query('SELECT pg_advisory_lock(abs(hashtext($1)))', [name])", hashLock('abs of hashtext', '2147483649'))] },
  ],
});
