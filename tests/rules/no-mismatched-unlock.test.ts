import rule from '../../rules/no-mismatched-unlock.js';
import { runRuleTests, type InvalidCase, type ValidCase } from '../rule-tester.js';
import { forEveryDriver } from './contexts.js';
import { errorAt } from './error-at.js';

const perDriver = forEveryDriver(({ connection }, name): { bad: InvalidCase; good: ValidCase } => {
  const unlock = connection.send('SELECT pg_advisory_unlock_shared(7)');
  const write = (released: string): string => connection.wrap(`await ${connection.send('SELECT pg_advisory_lock(7)')};\n  try { await work(); } finally { await ${released}; }`);
  const code = write(unlock);
  const line = code.split('\n').findIndex((written) => written.includes('pg_advisory_lock(7)')) + 1;
  const data = { fn: 'pg_advisory_lock', unlock: 'pg_advisory_unlock_shared', match: 'pg_advisory_unlock', mode: 'exclusive', line };
  const cure = { messageId: 'useMatch', data: { match: 'pg_advisory_unlock', mode: 'exclusive' }, output: code.replace('pg_advisory_unlock_shared', 'pg_advisory_unlock') };
  return {
    bad: { name: `a lock in one mode and an unlock in the other, with ${name}`, drivers: [name], code, errors: [errorAt(code, unlock, { messageId: 'mode', data, suggestions: [cure] })] },
    good: { name: `lock and unlock in one mode, with ${name}`, drivers: [name], code: write(connection.send('SELECT pg_advisory_unlock(7)')) },
  };
}, ['mysql2']);

/** The statements, in a function with a connection of its own. */
const owner = (body: string): string => `import { Pool } from 'pg';\nimport { keyOf } from './keys.js';\nconst pool = new Pool();\nexport async function run(work, id, other) {\n  const c = await pool.connect();\n${body}\n}`;
const sent = (sql: string, values = ''): string => `c.query('SELECT ${sql}'${values})`;
const around = (lock: string, unlock: string): string => owner(`  await ${lock};\n  try { await work(); } finally { await ${unlock}; c.release(); }`);

function mismatch(name: string, lock: string, unlock: string, messageId: string, data: Record<string, string | number>): InvalidCase {
  const code = around(lock, unlock);
  return { name, code, errors: [errorAt(code, unlock, { messageId, data: { fn: 'pg_advisory_lock', unlock: 'pg_advisory_unlock', line: 6, ...data } })] };
}
const silent = (name: string, code: string): ValidCase => ({ name, code });

const shared = around(sent('pg_advisory_lock_shared(7)'), sent('pg_advisory_unlock(7)'));
const constant = `const UNLOCK = 'SELECT pg_advisory_unlock_shared(7)';\n${around(sent('pg_advisory_lock(7)'), 'c.query(UNLOCK)')}\nexport const again = (client) => client.query(UNLOCK);`;
const connections = owner(`  const d = await pool.connect();\n  await ${sent('pg_advisory_lock(7)')};\n  try { await work(); } finally { await d.query('SELECT pg_advisory_unlock(7)'); d.release(); c.release(); }`);
const xact = owner(`  await c.query('BEGIN');\n  await ${sent('pg_advisory_xact_lock(7)')};\n  try { await work(); } finally { await ${sent('pg_advisory_unlock(7)')}; await c.query('COMMIT'); c.release(); }`);
const tryLock = sent('pg_try_advisory_lock(7) AS ok');
const refused = owner(`  try {\n    const { rows } = await ${tryLock};\n    if (!rows[0].ok) return;\n    await work();\n  } finally {\n    await ${sent('pg_advisory_unlock(7)')};\n    c.release();\n  }`);
const mysqlHead = "import mysql from 'mysql2/promise';\nconst pool = mysql.createPool({ host: 'localhost' });\n";
const mysql = (name: string): string =>
  `${mysqlHead}export async function run(work) {\n  const c = await pool.getConnection();\n  await c.query("SELECT GET_LOCK('jobs', -1)");\n  try { await work(); } finally { await c.query("SELECT RELEASE_LOCK('${name}')"); c.release(); }\n}`;

runRuleTests(rule, {
  notApplicable: {},
  valid: [
    ...perDriver.map(({ good }) => good),
    { name: 'one name, with mysql2', drivers: ['mysql2'], code: mysql('jobs') },
    silent("names that differ in case are one in MySQL", mysql('JOBS')),
    silent('one key, written in several ways', around(sent('pg_advisory_lock($1)', ', [7n]'), sent('pg_advisory_unlock($1)', ", ['7']"))),
    silent('one variable', around(sent('pg_advisory_lock($1)', ', [id]'), sent('pg_advisory_unlock($1)', ', [id]'))),
    silent('keys that may be equal', around(sent('pg_advisory_lock($1)', ', [id]'), sent('pg_advisory_unlock($1)', ', [other]'))),
    silent('keys of other functions that may be equal', around(sent('pg_advisory_lock(hashtext($1))', ', [id]'), sent('pg_advisory_unlock($1)', ', [other]'))),
    silent('a try-lock and its unlock', owner(`  const { rows } = await ${tryLock};\n  if (rows[0].ok) { try { await work(); } finally { await ${sent('pg_advisory_unlock(7)')}; } }\n  c.release();`)),
    silent('a blocking acquire that throws, and an unlock in `finally`', owner(`  try { await ${sent('pg_advisory_lock(7)')}; await work(); } finally { await ${sent('pg_advisory_unlock(7)')}; c.release(); }`)),
    silent('a flag guards the unlock', owner(`  let locked = false;\n  try {\n    const { rows } = await ${tryLock};\n    locked = rows[0].ok;\n    if (!locked) return;\n    await work();\n  } finally {\n    if (locked) await ${sent('pg_advisory_unlock(7)')};\n    c.release();\n  }`)),
    silent('an unlock of a lock that another function took', `import type { PoolClient } from 'pg';\nexport async function unlock(c: PoolClient) { await ${sent('pg_advisory_unlock_shared(7)')}; }`),
    silent('two locks and their unlocks', owner(`  await ${sent('pg_advisory_lock(7)')};\n  await ${sent('pg_advisory_lock_shared(8)')};\n  try { await work(); } finally { await ${sent('pg_advisory_unlock_shared(8)')}; await ${sent('pg_advisory_unlock(7)')}; c.release(); }`)),
    silent('both modes of one key', owner(`  await ${sent('pg_advisory_lock_shared(7)')};\n  await ${sent('pg_advisory_lock(7)')};\n  try { await work(); } finally { await ${sent('pg_advisory_unlock(7)')}; await ${sent('pg_advisory_unlock_shared(7)')}; c.release(); }`)),
    silent('unlock all', around(sent('pg_advisory_lock_shared(7)'), sent('pg_advisory_unlock_all()'))),
    silent('a pool', `import { Pool } from 'pg';\nconst c = new Pool();\nexport async function run(work) {\n  await ${sent('pg_advisory_lock(7)')};\n  await work();\n  await ${sent('pg_advisory_unlock_shared(7)')};\n}`),
    silent('an unknown handle', `export async function run(c, work) {\n  await ${sent('pg_advisory_lock(7)')};\n  try { await work(); } finally { await ${sent('pg_advisory_unlock_shared(7)')}; }\n}`),
    silent('a look-alike', around(sent('pg_advisory_lock(7)'), sent('my_advisory_unlock_shared(7), pg_advisory_unlock(7)'))),
  ],
  invalid: [
    ...perDriver.map(({ bad }) => bad),
    {
      name: 'a shared lock and an exclusive unlock',
      code: shared,
      errors: [
        errorAt(shared, sent('pg_advisory_unlock(7)'), {
          messageId: 'mode',
          data: { fn: 'pg_advisory_lock_shared', unlock: 'pg_advisory_unlock', match: 'pg_advisory_unlock_shared', mode: 'shared', line: 6 },
          suggestions: [{ messageId: 'useMatch', data: { match: 'pg_advisory_unlock_shared', mode: 'shared' }, output: shared.replace('unlock(7)', 'unlock_shared(7)') }],
        }),
      ],
    },
    {
      name: 'a text that other code sends, too, is not edited',
      code: constant,
      errors: [errorAt(constant, 'c.query(UNLOCK)', { messageId: 'mode', data: { fn: 'pg_advisory_lock', unlock: 'pg_advisory_unlock_shared', match: 'pg_advisory_unlock', mode: 'exclusive', line: 7 } })],
    },
    mismatch('another key', sent('pg_advisory_lock(7)'), sent('pg_advisory_unlock(8)'), 'key', {}),
    mismatch('another key in a bound value', sent('pg_advisory_lock($1)', ', [7]'), sent('pg_advisory_unlock($1)', ', [8]'), 'key', {}),
    mismatch('the parts of a key the other way round', sent('pg_advisory_lock(1, 2)'), sent('pg_advisory_unlock(2, 1)'), 'key', {}),
    mismatch('one argument and two', sent('pg_advisory_lock(7)'), sent('pg_advisory_unlock(0, 7)'), 'form', { count: 'two arguments', heldCount: 'one argument' }),
    mismatch('two arguments and one', sent('pg_advisory_lock(0, 7)'), sent('pg_advisory_unlock(7)'), 'form', { count: 'one argument', heldCount: 'two arguments' }),
    mismatch('a key function with fewer arguments', sent('pg_advisory_lock($1)', ', [keyOf(id, other)]'), sent('pg_advisory_unlock($1)', ', [keyOf(id)]'), 'keyArguments', {}),
    { name: 'another connection', code: connections, errors: [errorAt(connections, "d.query('SELECT pg_advisory_unlock(7)')", { messageId: 'connection', data: { fn: 'pg_advisory_lock', unlock: 'pg_advisory_unlock', line: 7 } })] },
    { name: 'a transaction lock', code: xact, errors: [errorAt(xact, sent('pg_advisory_unlock(7)'), { messageId: 'transactionLock', data: { fn: 'pg_advisory_xact_lock', unlock: 'pg_advisory_unlock', line: 7 } })] },
    { name: 'an unlock on the path where the lock was refused', code: refused, errors: [errorAt(refused, sent('pg_advisory_unlock(7)'), { messageId: 'refused', data: { fn: 'pg_try_advisory_lock', unlock: 'pg_advisory_unlock', line: 7 } })] },
    {
      name: 'another name, with mysql2',
      drivers: ['mysql2'],
      code: mysql('rows'),
      errors: [errorAt(mysql('rows'), 'c.query("SELECT RELEASE_LOCK(\'rows\')")', { messageId: 'key', data: { fn: 'get_lock', unlock: 'release_lock', line: 5 } })],
    },
  ],
});
