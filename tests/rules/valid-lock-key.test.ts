import rule from '../../rules/valid-lock-key.js';
import { matrixDrivers, runRuleTests, type InvalidCase, type ValidCase } from '../rule-tester.js';
import { boundLock } from './bound.js';
import { contexts, type DriverName } from './contexts.js';
import { errorAt } from './error-at.js';

type Data = Readonly<Record<string, string | number>>;

const bigint = { wanted: 'bigint', least: '-9223372036854775808', most: '9223372036854775807' };
const integer = { wanted: 'integer', least: '-2147483648', most: '2147483647' };

// One key, bound, in the code of every driver.

const isMysql = (driver: DriverName): boolean => contexts[driver].dialect === 'mysql';
const oneKey = (driver: DriverName) => boundLock(driver, (key) => (isMysql(driver) ? `SELECT GET_LOCK("job", ${key})` : `SELECT pg_advisory_lock(${key})`));
const twoKeys = (driver: DriverName) => boundLock(driver, (key) => `SELECT pg_advisory_lock(1, ${key})`);
const postgresDrivers = matrixDrivers.filter((driver) => !isMysql(driver));

function boundCase(driver: DriverName, lock: ReturnType<typeof boundLock>, value: string, messageId: string, data: Data): InvalidCase {
  const code = lock.code(value);
  return { name: `${driver}: ${lock.call(value)}`, drivers: [driver], code, errors: [errorAt(code, lock.call(value), { messageId, data })] };
}

const fractions = postgresDrivers.map((driver) =>
  boundCase(driver, oneKey(driver), '1.5', 'notInteger', { fn: 'pg_advisory_lock', value: '`1.5`', argument: 'the key', wanted: 'bigint' }),
);
const timeouts = [boundCase('mysql2', oneKey('mysql2'), '-1', 'negativeTimeout', { fn: 'get_lock', value: '`-1`' })];

const undefinedMessages: Readonly<Partial<Record<DriverName, string>>> = {
  pg: 'undefinedAsNull',
  'postgres.js': 'undefinedRefused',
  prisma: 'undefinedAsNull',
  drizzle: 'undefinedDropped',
  knex: 'undefinedRefused',
  kysely: 'undefinedAsNull',
  typeorm: 'undefinedKey',
  sequelize: 'undefinedRefused',
};
const names: Readonly<Partial<Record<DriverName, string>>> = { 'postgres.js': 'postgres' };
const undefinedKeys = postgresDrivers.map((driver) =>
  boundCase(driver, oneKey(driver), 'undefined', undefinedMessages[driver] ?? '', { fn: 'pg_advisory_lock', argument: 'the key', driver: names[driver] ?? driver }),
);
const nulls = postgresDrivers.map((driver) => boundCase(driver, oneKey(driver), 'null', 'nullKey', { fn: 'pg_advisory_lock', argument: 'the key' }));
const beyond = postgresDrivers.map((driver) =>
  boundCase(driver, twoKeys(driver), '2 ** 31', 'outOfRange', { fn: 'pg_advisory_lock', value: '`2 ** 31`', argument: 'the second key', ...integer }),
);
const rounded = postgresDrivers.map((driver) =>
  boundCase(driver, oneKey(driver), '9007199254740993', 'rounded', { fn: 'pg_advisory_lock', value: '`9007199254740993`', argument: 'the key' }),
);

const goodKeys = matrixDrivers.map((driver): ValidCase => ({ name: `${driver}: 42`, drivers: [driver], code: oneKey(driver).code('42') }));
const goodPairs = postgresDrivers.map((driver): ValidCase => ({ name: `${driver}: 1, -5`, code: twoKeys(driver).code('-5') }));

// SQL and values, over pg.

const head = "import { Client } from 'pg';\nimport { createHash, randomUUID } from 'node:crypto';\n";
const module = (call: string, before = ''): string => `${head}${before}export const run = async (c, x, text, bytes) => await ${call};`;
const query = (sql: string, values?: string): string => `c.query(${JSON.stringify(sql)}${values === undefined ? '' : `, [${values}]`})`;
const typed = (code: string): string => code.replace('(c, x, text, bytes)', '(c: Client, x, text, bytes)');

function bad(call: string, messageId: string, data: Data, before = ''): InvalidCase {
  const code = typed(module(call, before));
  return { name: call, code, errors: [errorAt(code, call, { messageId, data: { fn: 'pg_advisory_lock', ...data } })] };
}
const good = (call: string, before = ''): ValidCase => ({ name: call, code: typed(module(call, before)) });

const sqlCase = (keys: string, messageId: string, data: Data): InvalidCase => bad(query(`SELECT pg_advisory_lock(${keys})`), messageId, data);
const valueCase = (value: string, messageId: string, data: Data = {}, before = ''): InvalidCase =>
  bad(query('SELECT pg_advisory_lock($1)', value), messageId, { value: `\`${value}\``, argument: 'the key', ...data }, before);
const pairCase = (value: string, messageId: string, data: Data = {}, before = ''): InvalidCase =>
  bad(query('SELECT pg_advisory_lock(1, $1)', value), messageId, { value: `\`${value}\``, argument: 'the second key', ...data }, before);
const wrongType = (value: string, type: string, argument = 'the key', wanted = 'bigint') => ({ value: `\`${value}\``, type, argument, wanted });

const inSql: readonly InvalidCase[] = [
  sqlCase('9223372036854775808', 'outOfRange', { value: '`9223372036854775808`', argument: 'the key', ...bigint }),
  sqlCase('-9223372036854775809', 'outOfRange', { value: '`-9223372036854775809`', argument: 'the key', ...bigint }),
  sqlCase("'9223372036854775808'", 'outOfRange', { value: "`'9223372036854775808'`", argument: 'the key', ...bigint }),
  sqlCase('2147483648, 1', 'outOfRange', { value: '`2147483648`', argument: 'the first key', ...integer }),
  sqlCase('1, 3000000000', 'outOfRange', { value: '`3000000000`', argument: 'the second key', ...integer }),
  sqlCase('1.5', 'wrongType', wrongType('1.5', 'numeric')),
  sqlCase('1e3', 'wrongType', wrongType('1e3', 'numeric')),
  sqlCase('1::float8', 'wrongType', wrongType('1::float8', 'double precision')),
  sqlCase("'1'::text", 'wrongType', wrongType("'1'::text", 'text')),
  sqlCase("'1'::varchar", 'wrongType', wrongType("'1'::varchar", 'character varying')),
  sqlCase('true', 'wrongType', wrongType('true', 'boolean')),
  sqlCase('1::oid', 'wrongType', wrongType('1::oid', 'oid')),
  sqlCase("'jobs'::regclass", 'wrongType', wrongType("'jobs'::regclass", 'regclass')),
  sqlCase('extract(epoch from now())', 'wrongType', wrongType('extract(epoch from now())', 'numeric')),
  sqlCase('md5(name)', 'wrongType', wrongType('md5(name)', 'text')),
  sqlCase("'job:' || id", 'wrongType', wrongType("'job:' || id", 'text')),
  sqlCase('1, id::bigint', 'wrongType', wrongType('id::bigint', 'bigint', 'the second key', 'integer')),
  sqlCase("1, hashtextextended('a', 0)", 'wrongType', wrongType("hashtextextended('a', 0)", 'bigint', 'the second key', 'integer')),
  sqlCase('1, 5::bigint % 3', 'wrongType', wrongType('5::bigint % 3', 'bigint', 'the second key', 'integer')),
  sqlCase("'abc'", 'notInteger', { value: "`'abc'`", argument: 'the key', wanted: 'bigint' }),
  sqlCase("''", 'notInteger', { value: "`''`", argument: 'the key', wanted: 'bigint' }),
  sqlCase("'1.5'", 'notInteger', { value: "`'1.5'`", argument: 'the key', wanted: 'bigint' }),
  sqlCase('NULL', 'nullKey', { argument: 'the key' }),
  sqlCase('1, NULL', 'nullKey', { argument: 'the second key' }),
  sqlCase('NULL::bigint', 'nullKey', { argument: 'the key' }),
  sqlCase('', 'arity', { count: 'no arguments', wanted: 'one bigint or two integers' }),
  sqlCase('1, 2, 3', 'arity', { count: '3 arguments', wanted: 'one bigint or two integers' }),
  sqlCase('gen_random_uuid()::text::bigint', 'failingCast', { value: '`gen_random_uuid()::text::bigint`', argument: 'the key' }),
  sqlCase('now()::text::bigint', 'failingCast', { value: '`now()::text::bigint`', argument: 'the key' }),
  sqlCase('md5(name)::bigint', 'failingCast', { value: '`md5(name)::bigint`', argument: 'the key' }),
  sqlCase("('job:' || id)::bigint", 'failingCast', { value: "`('job:' || id)::bigint`", argument: 'the key' }),
  sqlCase('true::bigint', 'failingCast', { value: '`true::bigint`', argument: 'the key' }),
  bad(query('SELECT pg_advisory_lock($1::uuid::text::bigint)', 'x'), 'failingCast', { value: '`$1::uuid::text::bigint`', argument: 'the key' }),
  bad(query('SELECT pg_advisory_lock($1::uuid::bigint)', 'x'), 'failingCast', { value: '`$1::uuid::bigint`', argument: 'the key' }),
  bad(query('SELECT pg_advisory_lock($1::bigint, 2)', '1'), 'wrongType', wrongType('1', 'bigint', 'the first key', 'integer')),
  bad(query('SELECT pg_advisory_lock($1::int)', '3e9'), 'outOfRange', { value: '`3e9`', argument: 'the key', ...integer }),
  bad('c.query(`SELECT pg_advisory_lock(${9007199254740993})`)', 'rounded', { value: '`9007199254740993`', argument: 'the key' }),
  bad('c.query(`SELECT pg_advisory_lock(${undefined})`)', 'undefinedPasted', { argument: 'the key' }),
  bad('c.query(`SELECT pg_advisory_lock(${NaN})`)', 'notInteger', { value: '`NaN`', argument: 'the key', wanted: 'bigint' }),
  bad('c.query(`SELECT pg_advisory_lock(1, ${x >>> 0})`)', 'unsigned', { value: '`x >>> 0`', argument: 'the second key', bits: 32, wanted: 'integer', cure: '`| 0`' }),
];

const cure32 = { bits: 32, wanted: 'integer', cure: '`| 0`' };
const cure64 = { bits: 64, wanted: 'bigint', cure: '`BigInt.asIntN(64, …)`' };
const values: readonly InvalidCase[] = [
  valueCase('Math.random()', 'notInteger', { wanted: 'bigint' }),
  valueCase('Date.now() / 1000', 'notInteger', { wanted: 'bigint' }),
  valueCase('Infinity', 'notInteger', { wanted: 'bigint' }),
  valueCase("'job'", 'notInteger', { wanted: 'bigint' }),
  valueCase('`job:${x}`', 'notInteger', { wanted: 'bigint' }),
  valueCase('randomUUID()', 'notInteger', { wanted: 'bigint' }),
  valueCase("createHash('md5').update(text).digest('hex')", 'notInteger', { wanted: 'bigint' }),
  valueCase("createHash('md5').update(text).digest()", 'notInteger', { wanted: 'bigint' }),
  valueCase('x === 1', 'notInteger', { wanted: 'bigint' }),
  valueCase('new Date()', 'notInteger', { wanted: 'bigint' }),
  valueCase('keyOf(x)', 'notInteger', { wanted: 'bigint' }, 'const keyOf = async (id) => id;\n'),
  valueCase('2n ** 63n', 'outOfRange', bigint),
  valueCase('String(2n ** 63n)', 'outOfRange', bigint),
  valueCase('KEY', 'outOfRange', bigint, 'const KEY = 2n ** 64n;\n'),
  valueCase('bytes.readBigUInt64BE(0)', 'unsigned', cure64),
  valueCase("BigInt('0x' + text.slice(0, 16))", 'unsigned', cure64),
  valueCase("BigInt('0x' + text.slice(0, 20))", 'partlyOutOfRange', cure64),
  valueCase('Number(x & 0x7fffffffffffffffn)', 'rounded'),
  valueCase('Number(bytes.readBigInt64BE(0))', 'rounded'),
  valueCase('Number(BigInt(x) % (2n ** 63n - 1n))', 'rounded'),
  valueCase('parseInt(text.slice(0, 15), 16)', 'rounded'),
  valueCase('BigInt(parseInt(text.slice(0, 15), 16))', 'rounded'),
  valueCase('`${parseInt(text.slice(0, 15), 16)}`', 'rounded'),
  valueCase('2 ** 60', 'rounded'),
  valueCase('keyOf(x)', 'rounded', {}, "const keyOf = (id) => Number(BigInt.asUintN(63, BigInt('0x' + createHash('sha256').update(id).digest('hex'))));\n"),
  pairCase('x >>> 0', 'unsigned', cure32),
  pairCase('bytes.readUInt32BE(0)', 'unsigned', cure32),
  pairCase('parseInt(text.slice(0, 8), 16)', 'unsigned', cure32),
  pairCase('keyOf(text)', 'unsigned', cure32, 'function keyOf(s) {\n  let h = 5381;\n  for (let i = 0; i < s.length; i++) h = (h * 33) ^ s.charCodeAt(i);\n  return h >>> 0;\n}\n'),
  pairCase('Math.floor(Math.random() * 2 ** 40)', 'partlyOutOfRange', { wanted: 'integer', cure: '`| 0`' }),
  pairCase('bytes.readBigInt64BE(0)', 'partlyOutOfRange', { wanted: 'integer', cure: '`BigInt.asIntN(32, …)`' }),
  pairCase('Date.now()', 'outOfRange', integer),
  pairCase('2n ** 40n', 'outOfRange', integer),
];

const sqlKeys = [
  '1', '-1', '9223372036854775807', '-9223372036854775808', "'42'", "' 42 '", "'0x10'", '1::smallint', '1, 2', '-2147483648, 2147483647', "'1', '2'", 'hashtext(name)', '1, hashtext(name)',
  'hashtextextended(name, 0)', "'jobs'::regclass::int, 5", "('x' || substr(md5(name), 1, 16))::bit(64)::bigint", 'id', '1, id', '1.5::bigint', 'coalesce(id, 1)', 'length(name), ascii(name)',
  'abs(hashtext(name)) % 100, 1', 'true::int', "'jobs'::regclass::oid::bigint", "date '2020-01-01' - date '2019-01-01'", '(SELECT id FROM jobs LIMIT 1)', 'app_key(name)', 'name::text::bigint', "(data->>'id')::bigint",
];
const goodValues = [
  '42', '42n', "'42'", "' 42 '", "'0x10'", '2n ** 63n - 1n', 'String(7)', 'x', 'x.id', 'Number(x)', 'BigInt(x)', 'BigInt.asIntN(64, x)', 'BigInt.asIntN(64, x).toString()', 'bytes.readBigInt64BE(0)',
  "BigInt('0x' + text.slice(0, 15))", 'parseInt(text.slice(0, 13), 16)', 'parseInt(text.slice(0, 8), 16)', 'x >>> 0', 'Number(x & 0xffffffffn)', 'Math.floor(Date.now() / 1000)', 'Date.now()', 'x ?? null', 'x ? 1 : null', '`${x}`',
  'x + 1', 'text.length', 'await keyOf(x)', 'Math.floor(Math.random() * 1000)', 'Number.MAX_SAFE_INTEGER',
];
const goodPairValues = ['x | 0', 'bytes.readInt32BE(0)', 'Math.abs(x | 0)', 'parseInt(text.slice(0, 7), 16)', 'x & 0x7fffffff', 'x % 2147483647', '(x >>> 0) % 1000', 'x', 'Math.floor(Math.random() * 0x7fffffff)', 'BigInt.asIntN(32, x)', 'process.pid', 'Math.floor(Date.now() / 60_000)', 'Math.floor(Date.now() / 1000)'];

// MySQL

const mysqlHead = "import type { Connection } from 'mysql2/promise';\nimport { createHash } from 'node:crypto';\nexport const run = async (c: Connection, name: string) => await ";
function mysqlCase(call: string, messageId: string, data: Data): InvalidCase {
  const code = `${mysqlHead}${call};`;
  return { name: call, code, errors: [errorAt(code, call, { messageId, data: { fn: 'get_lock', ...data } })] };
}
const longText = 'x'.repeat(65);
const mysql: readonly InvalidCase[] = [
  mysqlCase("c.query('SELECT GET_LOCK(?, -1) AS got', [name])", 'negativeTimeout', { value: '`-1`' }),
  mysqlCase("c.query('SELECT GET_LOCK(?, ?)', [name, -0.5])", 'negativeTimeout', { value: '`-0.5`' }),
  mysqlCase("c.query('SELECT GET_LOCK(?, NULL)', [name])", 'nullTimeout', {}),
  mysqlCase("c.execute('SELECT GET_LOCK(?, ?)', [name, null])", 'nullTimeout', {}),
  mysqlCase("c.query('SELECT GET_LOCK(NULL, 1)')", 'nullName', {}),
  mysqlCase("c.query('SELECT GET_LOCK(?, 1)', [null])", 'nullName', {}),
  mysqlCase("c.query('SELECT GET_LOCK(?, 1)', [undefined])", 'undefinedKey', { argument: 'the name' }),
  mysqlCase("c.query('SELECT GET_LOCK(?, ?)', [name, undefined])", 'undefinedKey', { argument: 'the time-out' }),
  mysqlCase(`c.query("SELECT GET_LOCK('x')")`, 'arity', { count: 'one argument', wanted: 'a name and a time-out' }),
  mysqlCase(`c.query("SELECT GET_LOCK('${longText}', 1)")`, 'longName', { length: 65 }),
  mysqlCase(`c.query('SELECT GET_LOCK(?, 1)', [\`${longText}\${name}\`])`, 'longName', { length: 65 }),
  mysqlCase("c.query('SELECT GET_LOCK(?, 1)', [`job:${createHash('sha256').update(name).digest('hex')}`])", 'longName', { length: 68 }),
  mysqlCase(`c.query("SELECT GET_LOCK(CONCAT('job:', SHA2(?, 256)), 1)", [name])`, 'longName', { length: 68 }),
];
const goodMysql = [
  "c.query('SELECT GET_LOCK(?, 0)', [name])",
  "c.query('SELECT GET_LOCK(?, ?)', [name, 5])",
  "c.query('SELECT GET_LOCK(?, 1)', [`job:${name}`])",
  "c.query('SELECT GET_LOCK(?, 1)', [createHash('sha256').update(name).digest('hex')])",
  `c.query("SELECT GET_LOCK('${'x'.repeat(64)}', 1)")`,
  `c.query("SELECT GET_LOCK(CONCAT('job:', MD5(?)), 1)", [name])`,
  `c.query("SELECT RELEASE_LOCK('${longText}')")`,
  "c.query('SELECT GET_LOCK(?)', [[name, 5]])",
];

const postgresJs = (call: string): string => `import type { ReservedSql } from 'postgres';\nexport const run = (c: ReservedSql, key: bigint) => ${call};`;
const declared = (call: string, value: string): InvalidCase => ({
  name: `postgres.js declares a bigint: ${call}`,
  code: postgresJs(call),
  errors: [errorAt(postgresJs(call), call, { messageId: 'declaredBigint', data: { fn: 'pg_advisory_lock', value: `\`${value}\``, argument: 'the second key', driver: 'postgres' } })],
});

const wrapper = `import { Pool } from 'pg';
const lock = (pool: Pool, key: unknown) => pool.query('SELECT pg_advisory_lock($1)', [key]);
const send = (pool: Pool, text: string, values: unknown[]) => pool.query(text, values);
`;
const wrapped = `${wrapper}export const run = (pool: Pool) => send(pool, 'SELECT pg_advisory_lock($1)', [1.5]);`;
const unknownHandle = "export const run = (db) => db.query('SELECT pg_advisory_lock($1)', [1.5]);";
const chosen = "import { Client } from 'pg';\nexport const run = (c: Client, shared) => c.query(shared ? 'SELECT pg_advisory_lock_shared(1, $1)' : 'SELECT pg_advisory_lock_shared(1, $1::int)', [3e9]);";
const chosenCall = "c.query(shared ? 'SELECT pg_advisory_lock_shared(1, $1)' : 'SELECT pg_advisory_lock_shared(1, $1::int)', [3e9])";
const fractionData = { fn: 'pg_advisory_lock', value: '`1.5`', argument: 'the key', wanted: 'bigint' };

runRuleTests(rule, {
  notApplicable: {},
  valid: [
    ...goodKeys,
    ...goodPairs,
    ...sqlKeys.map((keys) => good(query(`SELECT pg_advisory_lock(${keys}) FROM jobs`))),
    ...goodValues.map((value) => good(query('SELECT pg_advisory_lock($1)', value), 'const keyOf = async (id) => id;\n')),
    ...goodPairValues.map((value) => good(query('SELECT pg_advisory_lock(1, $1)', value))),
    ...goodMysql.map((call): ValidCase => ({ name: call, code: `${mysqlHead}${call};` })),
    good(query('SELECT pg_advisory_unlock($1)', 'null')),
    good('c.query(`SELECT pg_advisory_lock(${9007199254740991})`)'),
    good('c.query(`SELECT pg_advisory_lock(${x})`)'),
    good("c.query(`SELECT pg_advisory_lock('${x}')`)"),
    good('c.query(`SELECT pg_advisory_lock(${[1, 2].join()})`)'),
    { name: 'arguments that are not all there', code: typed(module('c.query(`SELECT pg_advisory_lock(1, 2, ${x})`)')) },
    { name: 'an exact literal in the SQL, beyond what a number holds', code: typed(module(query('SELECT pg_advisory_lock(9007199254740993)'))) },
    { name: 'a value that nobody sees', code: "import { Client } from 'pg';\nexport const run = (c: Client, values) => c.query('SELECT pg_advisory_lock($1)', values);" },
    { name: 'an optional key', code: "import { Client } from 'pg';\nexport const run = (c: Client, key?: number) => c.query('SELECT pg_advisory_lock($1)', [key]);" },
    { name: 'a bigint that postgres.js declares, cast to an integer', code: postgresJs('c`SELECT pg_advisory_lock(1, ${key}::int)`') },
    { name: 'a bigint that postgres.js declares, as the one key', code: postgresJs('c`SELECT pg_advisory_lock(${key})`') },
    { name: 'a list that the driver writes out as two keys', code: "import { Sequelize } from 'sequelize';\nconst db = new Sequelize('postgres://localhost/app');\nexport const run = () => db.query('SELECT pg_advisory_lock(:keys)', { replacements: { keys: [1, 2] } });" },
    { name: 'a piece of SQL in a template', code: "import { sql } from 'drizzle-orm';\nimport { db } from './db.js';\nexport const run = (name: string) => db.execute(sql`SELECT pg_advisory_lock(${sql.raw(name)})`);" },
    { name: 'a function of the user, whose arguments are not known', code: typed(module(query("SELECT app.advisory_lock_job('job')"))), settings: { lockFunctions: [{ name: 'app.advisory_lock_job', action: 'acquire', level: 'session' }] } },
    { name: 'a function of a similar name', code: typed(module(query("SELECT app.pg_advisory_lock('job')"))) },
    { name: 'a call of a function by name, its arguments in a variable', code: "import { createClient } from '@supabase/supabase-js';\nconst supabase = createClient('', '');\nconst keys = { key: 1 };\nexport const run = () => supabase.rpc('pg_try_advisory_lock', keys);" },
    { name: 'a text that nobody sends', code: "console.log('SELECT pg_advisory_lock(1.5)');" },
    { name: 'a lazy statement that nobody awaits', code: "import postgres from 'postgres';\nconst sql = postgres();\nsql`SELECT pg_advisory_lock(${1.5})`;" },
    { name: 'SQL that does not parse', code: typed(module(query('SELECT pg_advisory_lock(1.5.5,,) FRM'))) },
  ],
  invalid: [
    ...fractions,
    ...timeouts,
    ...undefinedKeys,
    ...nulls,
    ...beyond,
    ...rounded,
    ...inSql,
    ...values,
    ...mysql,
    declared('c`SELECT pg_advisory_lock(1, ${key})`', 'key'),
    declared('c`SELECT pg_advisory_lock(1, ${7n})`', '7n'),
    {
      name: 'a driver of the user whose descriptor says that numbers are bound as bigint',
      code: "import { connect } from 'legacy-driver';\nconst db = connect();\nexport const run = () => db.run('SELECT pg_advisory_lock($1, $2)', [1, 2]);",
      settings: {
        drivers: [
          {
            name: 'legacy',
            modules: ['legacy-driver'],
            dialect: 'postgres',
            binding: { number: 'bigint' },
            kinds: { db: { role: 'pool', methods: { run: { sends: { sql: [{ argument: 0 }], values: [{ argument: 1 }], result: { shape: 'unknown' } } } } } },
            exports: [{ names: ['connect'], call: { gives: 'db' } }],
            examples: [{ code: 'export {};' }],
          },
        ],
      },
      errors: [
        { messageId: 'declaredBigint', data: { fn: 'pg_advisory_lock', value: '`1`', argument: 'the first key', driver: 'legacy' }, line: 3, column: 26, endLine: 3, endColumn: 75 },
      ],
    },
    { name: 'through a wrapper that forwards the SQL, at its call', code: wrapped, errors: [errorAt(wrapped, "send(pool, 'SELECT pg_advisory_lock($1)', [1.5])", { messageId: 'notInteger', data: fractionData })] },
    { name: 'over a handle of which nothing is known', code: unknownHandle, errors: [errorAt(unknownHandle, "db.query('SELECT pg_advisory_lock($1)', [1.5])", { messageId: 'notInteger', data: fractionData })] },
    {
      name: 'once for a call that sends one of two texts',
      code: chosen,
      errors: [errorAt(chosen, chosenCall, { messageId: 'outOfRange', data: { fn: 'pg_advisory_lock_shared', value: '`3e9`', argument: 'the second key', ...integer } })],
    },
  ],
});
