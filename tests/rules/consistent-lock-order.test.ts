import rule from '../../rules/consistent-lock-order.js';
import { runRuleTests, type InvalidCase, type ValidCase } from '../rule-tester.js';
import { boundLock } from './bound.js';
import { forEveryDriver } from './contexts.js';
import { errorAt } from './error-at.js';

const xact = (placeholder: string): string => `SELECT pg_advisory_xact_lock(${placeholder})`;
const opened: Partial<Record<string, string>> = { pg: 'BEGIN', 'postgres.js': 'BEGIN', drizzle: 'BEGIN', kysely: 'BEGIN', typeorm: 'BEGIN' };

const perDriver = forEveryDriver(
  ({ connection }, name): { bad: InvalidCase; good: ValidCase } => {
    const call = boundLock(name, xact).call('id');
    const begin = opened[name] ? `await ${connection.send('BEGIN')};\n  ` : '';
    const code = connection.wrap(`${begin}for (const id of work) await ${call};`);
    const [first, second] = [connection.send('SELECT pg_advisory_xact_lock(1)'), connection.send('SELECT pg_advisory_xact_lock(2)')];
    return {
      bad: { name: `an unsorted list and ${name}`, drivers: [name], code, errors: [errorAt(code, call, { messageId: 'list', data: { fn: 'pg_advisory_xact_lock', list: 'work' } })] },
      good: { name: `one order with ${name}`, drivers: [name], code: connection.wrap(`${begin}for (const id of work.sort()) await ${call};\n  await ${first};\n  await ${second};`) },
    };
  },
  ['mysql2'],
);

const pg = "import { Pool } from 'pg';\nconst pool = new Pool();\n";
const q = (sql: string): string => `c.query('SELECT ${sql}')`;
const lock = (key: string): string => `await ${q(`pg_advisory_xact_lock(${key})`)};`;
const session = (key: string): string => `await ${q(`pg_advisory_lock(${key})`)};`;
const bound = (value: string): string => `await c.query('SELECT pg_advisory_xact_lock($1)', [${value}]);`;
const inTransaction = (name: string, body: string, parameters = ''): string =>
  `export async function ${name}(${parameters}) {\n  const c = await pool.connect();\n  await c.query('BEGIN');\n  ${body}\n  await c.query('COMMIT');\n  c.release();\n}\n`;
const loop = (before: string, head: string, body = bound('id')): string => pg + inTransaction('run', `${before}for (${head}) { ${body} }`, 'ids');
const rows = (sql: string, value = 'ids'): string => pg + inTransaction('run', `await c.query(${JSON.stringify(sql)}, [${value}]);`, 'ids');

const goodRows: Record<string, string> = {
  'ORDER BY at the level of the lock': 'SELECT pg_advisory_xact_lock(k) FROM unnest($1::bigint[]) k ORDER BY k',
  'ORDER BY below the lock': 'SELECT pg_advisory_xact_lock(k) FROM (SELECT k FROM unnest($1::bigint[]) k ORDER BY 1) q',
  'ORDER BY in a WITH query': 'WITH k AS (SELECT id FROM jobs ORDER BY id) SELECT pg_advisory_xact_lock(id) FROM k',
  'ORDER BY in the array': 'SELECT pg_advisory_xact_lock(k) FROM unnest(array(SELECT x FROM t ORDER BY x)) k',
  'one row by its key': 'SELECT pg_advisory_xact_lock(id) FROM jobs WHERE id = $1',
  'one row by LIMIT': 'SELECT pg_advisory_xact_lock(id) FROM jobs LIMIT 1',
  'one row by an aggregate': 'SELECT pg_advisory_xact_lock(max(id)) FROM jobs',
  'one key for all rows': 'SELECT pg_advisory_xact_lock(5) FROM jobs',
  'constant rows': 'SELECT pg_advisory_xact_lock(k) FROM (VALUES (1), (2)) v(k)',
  'a series': 'SELECT pg_advisory_xact_lock(k) FROM generate_series(1, 10) k',
  'a lock that does not wait': 'SELECT pg_try_advisory_xact_lock(id) FROM jobs',
};
const badRows: Record<string, string> = {
  'a list': 'SELECT pg_advisory_xact_lock(k) FROM unnest($1::bigint[]) k',
  'a list in the select list': 'SELECT pg_advisory_xact_lock(unnest($1::bigint[]))',
  'a hash of a list': 'SELECT pg_advisory_xact_lock(hashtext(k)) FROM unnest($1::text[]) k',
  'ORDER BY above the lock': 'SELECT * FROM (SELECT pg_advisory_xact_lock(k), k FROM unnest($1::bigint[]) k) q ORDER BY k',
  'a table': 'SELECT pg_advisory_xact_lock(id) FROM jobs WHERE id = ANY($1)',
  'a table and IN': 'SELECT pg_advisory_xact_lock(id) FROM jobs WHERE id IN (1, 2)',
  'a WITH query': 'WITH k AS (SELECT id FROM jobs) SELECT pg_advisory_xact_lock(id) FROM k',
  'bound rows': 'SELECT pg_advisory_xact_lock(k) FROM (VALUES ($1), ($2)) v(k)',
  'PERFORM': 'DO $$ BEGIN PERFORM pg_advisory_xact_lock(id) FROM jobs; END $$',
};

/** A function for each pair of keys, which runs the wrapper of the second key inside that of the first. */
const wrapped = (...pairs: readonly (readonly [string, string])[]): string =>
  `${pg}async function withLock(c, key, work) {\n  await c.query('SELECT pg_advisory_lock($1)', [key]);\n  try { return await work(); } finally { await c.query('SELECT pg_advisory_unlock($1)', [key]); }\n}\n` +
  pairs.map(([first, second], index) => `export async function run${index}(work) { const c = await pool.connect(); await withLock(c, ${first}, () => withLock(c, ${second}, work)); await c.end(); }\n`).join('');

function bad(name: string, code: string, marked: string, messageId: string, data: Record<string, string | number>, nth?: number): InvalidCase {
  return { name, code, errors: [errorAt(code, marked, { messageId, data, ...(nth !== undefined && { nth }) })] };
}

const fn = 'pg_advisory_xact_lock';
const call = bound('id').slice('await '.length, -1);
const list = (name: string, code: string, text: string): InvalidCase => bad(name, code, call, 'list', { fn, list: text });

runRuleTests(rule, {
  notApplicable: { mysql2: "GET_LOCK has a time-out of its own, and MySQL's detector ends a deadlock of its locks" },
  valid: [
    ...perDriver.map(({ good }) => good),
    ...Object.entries(goodRows).map(([name, sql]) => ({ name, code: rows(sql) })),
    { name: 'a bound list that is sorted', code: rows('SELECT pg_advisory_xact_lock(k) FROM unnest($1::bigint[]) k', '[...ids].sort()') },
    { name: 'a bound list that is constant', code: rows('SELECT pg_advisory_xact_lock(k) FROM unnest($1::bigint[]) k', '[1, 2]') },
    { name: 'two functions with one order', code: pg + inTransaction('one', lock('1') + lock('2')) + inTransaction('two', lock('1') + lock('2')) },
    { name: 'a lock that does not wait, in the other order', code: pg + inTransaction('one', lock('1') + lock('2')) + inTransaction('two', lock('2') + `await ${q('pg_try_advisory_xact_lock(1)')};`) },
    { name: 'a wrapper around itself, with two keys', code: wrapped(['1', '2']) },
    { name: 'two functions that nest a wrapper in one order', code: wrapped(['1', '2'], ['1', '2']) },
    { name: 'shared locks', code: (pg + inTransaction('one', lock('1') + lock('2')) + inTransaction('two', lock('2') + lock('1'))).replaceAll('xact_lock', 'xact_lock_shared') },
    { name: 'a lock that both take before', code: pg + inTransaction('one', lock('9') + lock('1') + lock('2')) + inTransaction('two', lock('9') + lock('2') + lock('1')) },
    { name: 'locks that are not held together', code: pg + inTransaction('one', session('1') + `await ${q('pg_advisory_unlock(1)')};` + session('2')) + inTransaction('two', session('2') + `await ${q('pg_advisory_unlock(2)')};` + session('1')) },
    { name: 'an order chosen by comparison', code: pg + inTransaction('run', `if (a < b) { ${bound('a')}${bound('b')} } else { ${bound('b')}${bound('a')} }`, 'a, b') },
    { name: 'unknown handles', code: `export async function one(c) { ${lock('1')}${lock('2')} }\nexport async function two(c) { ${lock('2')}${lock('1')} }` },
    { name: 'a sorted list', code: loop('ids.sort(); ', 'const id of ids') },
    { name: 'a sorted copy', code: loop('', 'const id of [...ids].sort()') },
    { name: 'a sorted list of keys', code: loop('const keys = ids.map(hash).sort(); ', 'const id of keys') },
    { name: 'a sorted list in an object', code: loop('ids.list.sort(); ', 'const id of ids.list') },
    { name: 'a constant list', code: loop('', 'const id of [1, 2]') },
    { name: 'rows of another statement', code: loop("const { rows } = await c.query('SELECT id FROM t'); ", 'const id of rows') },
    { name: 'a key that does not come from the list', code: loop('', 'const id of ids', lock('7')) },
    { name: 'a lock that is released in the round', code: loop('', 'const id of ids', `${session('1').replace('1)', '$1)').replace("')", "', [id])")} await c.query('SELECT pg_advisory_unlock($1)', [id]);`) },
    { name: 'a transaction in each round', code: `${pg}export async function run(ids) {\n  const c = await pool.connect();\n  for (const id of ids) { await c.query('BEGIN'); ${bound('id')} await c.query('COMMIT'); }\n  c.release();\n}` },
    { name: 'a connection in each round', code: `import { Client } from 'pg';\nexport async function run(ids) {\n  for (const id of ids) { const c = new Client(); await c.connect(); await c.query('SELECT pg_advisory_lock($1)', [id]); await c.end(); }\n}` },
    { name: 'a helper that connects in each round', code: `${pg}async function take(id) {\n  const c = await pool.connect();\n  await c.query('SELECT pg_advisory_lock($1)', [id]);\n  return c;\n}\nexport async function run(ids) {\n  for (const id of ids) { const c = await take(id); c.release(true); }\n}` },
    { name: 'one exclusive lock, then a shared one', code: pg + inTransaction('run', lock('1') + `await ${q('pg_advisory_xact_lock_shared(1)')};`) },
    { name: 'an upgrade that does not wait', code: pg + inTransaction('run', `await ${q('pg_advisory_xact_lock_shared(1)')}; await ${q('pg_try_advisory_xact_lock(1)')};`) },
    { name: 'two statements in Promise.all on one connection', code: pg + inTransaction('run', `await Promise.all([${q('pg_advisory_xact_lock(1)')}, ${q('pg_advisory_xact_lock(2)')}]);`) },
  ],
  invalid: [
    bad('two functions that nest a wrapper in opposite orders', wrapped(['1', '2'], ['2', '1']), 'withLock(c, 1, work)', 'opposite', { fn: 'pg_advisory_lock', held: 8, other: 7 }),
    ...perDriver.map(({ bad: invalid }) => invalid),
    ...Object.entries(badRows).map(([name, sql]) => {
      const code = rows(sql);
      const start = sql.indexOf('pg_advisory_xact_lock');
      let end = start;
      for (let depth = 0; end < sql.length; end += 1) {
        if (sql[end] === '(') depth += 1;
        if (sql[end] === ')' && (depth -= 1) === 0) break;
      }
      return bad(name, code, sql.slice(start, end + 1), 'rows', { fn });
    }),
    list('a list of the caller', loop('', 'const id of ids'), 'ids'),
    list('a list without duplicates', loop('', 'const id of new Set(ids)'), 'new Set(ids)'),
    list('keys made of the list', loop('const keys = ids.map(hash); ', 'const id of keys'), 'keys'),
    list('a key made in the round', loop('', 'const key of ids', `const id = hash(key); ${bound('id')}`), 'ids'),
    list('a counting loop', loop('', 'let i = 0; i < ids.length; i++', `const id = ids[i]; ${bound('id')}`), 'ids'),
    list('the keys of an object', loop('', 'const id in ids'), 'ids'),
    list('Promise.all', pg + inTransaction('run', `await Promise.all(ids.map((id) => ${call}));`, 'ids'), 'ids'),
    bad('a helper in a loop', `${pg}async function take(c, key) { ${bound('key')} }\n${inTransaction('run', 'for (const id of ids) await take(c, id);', 'ids')}`, 'take(c, id)', 'list', { fn, list: 'ids' }),
    bad('two functions with opposite orders', pg + inTransaction('one', lock('1') + lock('2')) + inTransaction('two', lock('2') + lock('1')), q('pg_advisory_xact_lock(1)'), 'opposite', { fn, held: 13, other: 6 }, 1),
    bad('two branches with opposite orders', pg + inTransaction('run', `if (all) { ${lock('1')}${lock('2')} } else { ${lock('2')}${lock('1')} }`, 'all'), q('pg_advisory_xact_lock(1)'), 'opposite', { fn, held: 6, other: 6 }, 1),
    bad('session locks', pg + inTransaction('one', session('1') + session('2')) + inTransaction('two', session('2') + session('1')), q('pg_advisory_lock(1)'), 'opposite', { fn: 'pg_advisory_lock', held: 13, other: 6 }, 1),
    bad(
      'helpers that take session locks',
      `${pg}async function first(c) { ${session('1')} }\nasync function second(c) { ${session('2')} }\n${inTransaction('one', 'await first(c);\n  await second(c);')}${inTransaction('two', 'await second(c);\n  await first(c);')}`,
      'first(c)',
      'opposite',
      { fn: 'pg_advisory_lock', held: 16, other: 9 },
      2,
    ),
    bad('a shared lock that becomes exclusive', pg + inTransaction('run', `await ${q('pg_advisory_xact_lock_shared(1)')};\n  ${lock('1')}`), q('pg_advisory_xact_lock(1)'), 'upgrade', { fn, held: 6 }),
    bad(
      'two connections in Promise.all',
      `${pg}export async function run() {\n  const c = await pool.connect();\n  const d = await pool.connect();\n  await Promise.all([${q('pg_advisory_lock(1)')}, d.query('SELECT pg_advisory_lock(2)')]);\n}`,
      "d.query('SELECT pg_advisory_lock(2)')",
      'together',
      { fn: 'pg_advisory_lock', other: 6 },
    ),
  ],
});
