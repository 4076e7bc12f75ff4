import rule from '../../rules/no-ignored-unlock-result.js';
import { runRuleTests, type ExpectedSuggestion, type InvalidCase, type ValidCase } from '../rule-tester.js';
import { forEveryDriver, lockSql } from './contexts.js';
import { errorAt } from './error-at.js';

const postgres = { fn: 'pg_advisory_unlock', answer: 'boolean', yes: 'true', no: 'false' };
const mysql = { fn: 'release_lock', answer: 'number', yes: '1', no: '0' };

const perDriver = forEveryDriver(({ connection, dialect, cell }, name): { bad: InvalidCase; good: ValidCase } => {
  const sql = lockSql(dialect);
  const unlock = connection.send(sql.unlock);
  const code = connection.wrap(`try { await work(); } finally { await ${unlock}; }`);
  return {
    bad: {
      name: `an unlock of ${name} whose answer is dropped`,
      drivers: [name],
      code,
      errors: [errorAt(code, unlock, { messageId: 'dropped', data: dialect === 'mysql' ? mysql : postgres })],
    },
    good: {
      name: `an unlock of ${name} whose answer is read`,
      drivers: [name],
      code: connection.wrap(`const answer = await ${unlock};\n  if (answer${cell} !== ${sql.yes}) console.error('lost');`),
    },
  };
});

const head = "import { Client } from 'pg';\n";
const unlock = "c.query('SELECT pg_advisory_unlock(1)')";
/** In an async function with a connection `c`. */
const inFunction = (body: string): string => `${head}export async function run(c: Client, work: () => Promise<void>) { ${body} }`;

const good = (name: string, code: string): ValidCase => ({ name, code });
function dropped(name: string, code: string, call = unlock, suggestions?: readonly ExpectedSuggestion[]): InvalidCase {
  return { name, code, errors: [errorAt(code, call, { messageId: 'dropped', data: postgres, ...(suggestions && { suggestions }) })] };
}

const released = `import { Pool } from 'pg';
const pool = new Pool();
export async function run(work) {
  const client = await pool.connect();
  try {
    await client.query('SELECT pg_advisory_lock(1)');
    await work();
  } finally {
    await client.query('SELECT pg_advisory_unlock(1)');
    client.release();
  }
}
`;
const inTry = `import { Pool } from 'pg';
const pool = new Pool();
export async function run(work) {
  const client = await pool.connect();
  try {
    await client.query('SELECT pg_advisory_lock(1)');
    await work();
    await client.query('SELECT pg_advisory_unlock(1) AS freed');
    await client.query('SELECT 1');
  } finally {
    client.release();
  }
}
`;

runRuleTests(rule, {
  notApplicable: {},
  valid: [
    ...perDriver.map((testCase) => testCase.good),
    good('the boolean, destructured', inFunction("const { rows: [{ ok }] } = await c.query('SELECT pg_advisory_unlock(1) AS ok'); if (!ok) await c.end();")),
    good('the boolean in the condition of release', inFunction("const freed = await c.query('SELECT pg_advisory_unlock(1) AS ok'); c.release(freed.rows[0].ok ? undefined : new Error('lost'));")),
    good('the promise, returned', inFunction(`return ${unlock};`)),
    good('the result, passed on', inFunction(`check(await ${unlock});`)),
    good('the result, logged', inFunction(`const answer = await ${unlock}; console.log(answer);`)),
    good('a callback that is not seen', "import mysql from 'mysql2';\nexport function run(c: mysql.PoolConnection, done: mysql.QueryError) { c.query(\"SELECT RELEASE_LOCK('a')\", done); }"),
    good('a helper of this file whose caller reads it', `${head}const unlock = async (c: Client) => (await c.query('SELECT pg_advisory_unlock(1) AS ok')).rows[0].ok;\nexport async function run(c: Client) { if (!(await unlock(c))) throw new Error('lost'); }`),
    good('a helper that other files call, too', `${head}export const unlock = async (c: Client) => (await c.query('SELECT pg_advisory_unlock(1) AS ok')).rows[0].ok;\nexport async function run(c: Client) { await unlock(c); }`),
    good('the boolean used in SQL', inFunction("await c.query('SELECT CASE WHEN pg_advisory_unlock(1) THEN 1 ELSE 1 / 0 END');")),
    good('the boolean used in a DO block', inFunction("await c.query(\"DO $$ BEGIN IF NOT pg_advisory_unlock(1) THEN RAISE EXCEPTION 'lost'; END IF; END $$\");")),
    good('the boolean selected into a variable', inFunction("await c.query(\"DO $$ DECLARE ok boolean; BEGIN SELECT pg_advisory_unlock(1) INTO ok; IF NOT ok THEN RAISE 'lost'; END IF; END $$\");")),
    good('a function that is created, not run', inFunction("await c.query('CREATE FUNCTION f() RETURNS void LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_advisory_unlock(1); END $$');")),
    good('unlocking everything answers nothing', inFunction("await c.query('SELECT pg_advisory_unlock_all()');")),
    good('a lazy query that is never sent', "import postgres from 'postgres';\nconst sql = postgres();\nexport async function run() { const c = await sql.reserve(); c`SELECT pg_advisory_unlock(1)`; }"),
    good('a function of which nothing says that it sends SQL', "export async function run(audit) { await audit('SELECT pg_advisory_unlock(1)'); }"),
    good('an unknown handle whose answer is looked at in any way', "export async function run(c) { const answer = await c.query('SELECT pg_advisory_unlock(1)'); if (!answer) throw new Error('lost'); }"),
    good('a function of a similar name', inFunction("await c.query('SELECT pg_advisory_unlocked(1)'); await c.releaseAllLocks();")),
    good('a test that expects the text', `${head}const c = new Client();\nexpect(c.query).toHaveBeenCalledWith('SELECT pg_advisory_unlock(1)');`),
  ],
  invalid: [
    ...perDriver.map((testCase) => testCase.bad),
    dropped('not even awaited', inFunction(`${unlock};`)),
    dropped('with only the error looked at', "export async function free(supabase) {\n  const { error } = await supabase.rpc('pg_advisory_unlock', { key: 1 });\n  if (error) throw error;\n}", "supabase.rpc('pg_advisory_unlock', { key: 1 })"),
    dropped('in a generator of Effect', "import { SqlClient } from '@effect/sql';\nexport const run = Effect.gen(function* () {\n  const sql = yield* SqlClient.SqlClient;\n  yield* sql`SELECT pg_advisory_unlock(1)`;\n});", 'sql`SELECT pg_advisory_unlock(1)`'),
    dropped('voided', inFunction(`void ${unlock};`)),
    dropped('with the rejection swallowed', inFunction(`await ${unlock}.catch(() => {});`)),
    dropped('with only the rejection looked at', inFunction(`let failure; await ${unlock}.catch((error) => { failure = error; }); c.end(failure);`)),
    dropped('bound and never read', inFunction(`const answer = await ${unlock};`)),
    dropped('assigned and never read', inFunction(`let answer; answer = await ${unlock};`)),
    dropped('destructured and never read', inFunction("const { rows: [{ ok }] } = await c.query('SELECT pg_advisory_unlock(1) AS ok');"), "c.query('SELECT pg_advisory_unlock(1) AS ok')"),
    dropped('thrown away by then', inFunction(`return ${unlock}.then(() => undefined);`)),
    dropped('in Promise.all', inFunction(`await Promise.all([${unlock}, work()]);`)),
    dropped('behind &&', inFunction(`work && (await ${unlock});`)),
    dropped('in a timer', inFunction(`setTimeout(() => ${unlock}, 10);`)),
    dropped('in an event listener', inFunction(`process.on('exit', () => ${unlock});`)),
    dropped('in a release closure', inFunction(`return async () => { await ${unlock}; };`)),
    dropped('in a callback that looks at the error only', inFunction("c.query('SELECT pg_advisory_unlock(1)', (error) => { if (error) throw error; });"), "c.query('SELECT pg_advisory_unlock(1)', (error) => { if (error) throw error; })"),
    dropped('by the callers of a local helper', `${head}const unlock = async (c: Client) => (await c.query('SELECT pg_advisory_unlock(1) AS ok')).rows[0].ok;\nexport async function run(c: Client) { await unlock(c); }`, "c.query('SELECT pg_advisory_unlock(1) AS ok')"),
    dropped('by a wrapper that gives nothing back', `${head}const c = new Client();\nasync function exec(text: string) { await c.query(text); }\nexport const run = () => exec('SELECT pg_advisory_unlock(1)');`, "exec('SELECT pg_advisory_unlock(1)')"),
    dropped('twice in one statement is one report', inFunction("await c.query('SELECT pg_advisory_unlock(1), pg_advisory_unlock(2)');"), "c.query('SELECT pg_advisory_unlock(1), pg_advisory_unlock(2)')"),
    dropped('in the cleanup of a try, where throwing would hide the first error', inFunction(`await c.query('SELECT pg_advisory_lock(1)'); try { await work(); } finally { await ${unlock}; }`)),
    dropped('with work between it and the release, which a throw would skip', inFunction(`await c.query('SELECT pg_advisory_lock(1)'); await ${unlock}; await work(); await c.end();`)),
    dropped('before the connection is given back', released, "client.query('SELECT pg_advisory_unlock(1)')", [
      {
        messageId: 'destroys',
        output: released
          .replace("await client.query('SELECT pg_advisory_unlock", "const unlocked = await client.query('SELECT pg_advisory_unlock")
          .replace('release()', "release(unlocked.rows[0]?.pg_advisory_unlock === true ? undefined : new Error('The advisory lock was not released.'))"),
      },
    ]),
    dropped('in the function that took the lock', inTry, "client.query('SELECT pg_advisory_unlock(1) AS freed')", [
      {
        messageId: 'throws',
        output: inTry.replace(
          "await client.query('SELECT pg_advisory_unlock(1) AS freed');",
          "const unlocked = await client.query('SELECT pg_advisory_unlock(1) AS freed');\n    if (unlocked.rows[0]?.freed !== true) throw new Error('The advisory lock was not released.');",
        ),
      },
    ]),
    ...[
      ['$executeRaw', 'prisma.$executeRaw`SELECT pg_advisory_unlock(1)`', '$queryRaw'],
      ['$executeRawUnsafe', "prisma.$executeRawUnsafe('SELECT pg_advisory_unlock(1)')", '$queryRawUnsafe'],
    ].map(([method = '', call = '', instead = '']): InvalidCase => {
      const code = `import { PrismaClient } from '@prisma/client';\nconst prisma = new PrismaClient();\nawait ${call};`;
      return { name: `${method} answers with a count`, code, errors: [errorAt(code, call, { messageId: 'countOnly', data: { ...postgres, method, instead } })] };
    }),
    {
      name: 'PERFORM in a DO block',
      code: inFunction("await c.query('DO $$ BEGIN PERFORM pg_advisory_unlock(1); END $$');"),
      errors: [
        errorAt(inFunction("await c.query('DO $$ BEGIN PERFORM pg_advisory_unlock(1); END $$');"), "c.query('DO $$ BEGIN PERFORM pg_advisory_unlock(1); END $$')", {
          messageId: 'performed',
          data: { fn: 'pg_advisory_unlock', statement: 'PERFORM', cure: 'Select it into a variable and raise an exception when it is not true.' },
        }),
      ],
    },
    {
      name: "MySQL's DO",
      code: "import type { Connection } from 'mysql2/promise';\nexport async function run(c: Connection) { const [done] = await c.query(\"DO RELEASE_LOCK('a')\"); return done; }",
      errors: [
        errorAt("import type { Connection } from 'mysql2/promise';\nexport async function run(c: Connection) { const [done] = await c.query(\"DO RELEASE_LOCK('a')\"); return done; }", "c.query(\"DO RELEASE_LOCK('a')\")", {
          messageId: 'performed',
          data: { fn: 'release_lock', statement: 'DO', cure: 'Use SELECT, and destroy the connection when the answer is not 1.' },
        }),
      ],
    },
  ],
});
