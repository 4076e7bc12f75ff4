import rule from '../../rules/no-misread-lock-result.js';
import { runRuleTests, type InvalidCase, type ValidCase } from '../rule-tester.js';
import { forEveryDriver, lockSql } from './contexts.js';
import { errorAt } from './error-at.js';

const words = (what: string, column = 'ok') => ({ fn: 'pg_try_advisory_lock', what, column, yes: 'true', no: 'false', answer: 'boolean' });
const asked = { '.rows[0]': 'the row', '[0]': 'the row', '[0][0]': 'the row' } as const;

const perDriver = forEveryDriver(({ connection, dialect, cell, rows }, name): { bad: InvalidCase; good: ValidCase } => {
  const sql = lockSql(dialect);
  const tryLock = connection.send(sql.tryLock);
  const code = connection.wrap(`const answer = await ${tryLock};\n  if (answer${rows}) await work();`);
  const what = rows in asked ? 'the row' : 'the number of rows';
  return {
    bad: {
      name: `${what} of ${name} instead of the answer`,
      drivers: [name],
      code,
      errors: [errorAt(code, `answer${rows}`, { messageId: 'truthy', data: { fn: sql.tryName, what, column: 'ok', yes: sql.yes, no: sql.no, answer: sql.answer } })],
    },
    good: {
      name: `the answer of ${name}`,
      drivers: [name],
      code: connection.wrap(`const answer = await ${tryLock};\n  if (answer${cell} === ${sql.yes}) await work();`),
    },
  };
});

const text = 'SELECT pg_try_advisory_lock(1) AS ok';
const call = `await c.query('${text}')`;
const inFunction = (body: string): string => `import { Client } from 'pg';\nexport async function run(c: Client, work: () => Promise<void>) {\n${body}\n}`;
const mysql = (body: string): string => `import type { Connection } from 'mysql2/promise';\nexport async function run(c: Connection, work: () => Promise<void>) {\n  const [rows] = await c.query("SELECT GET_LOCK('a', 5) AS ok");\n  ${body}\n  await work();\n}`;
const prisma = (body: string): string => `import { PrismaClient } from '@prisma/client';\nconst prisma = new PrismaClient();\nexport async function run() {\n  ${body}\n}`;

const good = (name: string, code: string): ValidCase => ({ name, code });
function truthy(name: string, body: string, marked: string, what: string, nth?: number): InvalidCase {
  const code = inFunction(body);
  return { name, code, errors: [errorAt(code, marked, { messageId: 'truthy', data: words(what), ...(nth !== undefined && { nth }) })] };
}
function bad(name: string, code: string, marked: string, messageId: string, data: Record<string, string>): InvalidCase {
  return { name, code, errors: [errorAt(code, marked, { messageId, data })] };
}

const fn = 'pg_try_advisory_lock';
const noMember = (name: string, method = 'query') => ({ fn, name, method, column: 'ok' });
const noColumn = (name: string, column = 'ok') => ({ fn, name, column });

runRuleTests(rule, {
  notApplicable: {},
  valid: [
    ...perDriver.map((testCase) => testCase.good),
    good('a look at the rows before the boolean is read', inFunction(`const { rows } = ${call};\nif (rows.length === 0) throw new Error('no answer');\nif (rows[0].ok) await work();`)),
    good('a look for the row before the boolean is read', inFunction(`const row = (${call}).rows[0];\nif (!row) return;\nif (row.ok) await work();`)),
    good('the number of rows when WHERE has read the boolean', inFunction("const { rowCount } = await c.query('SELECT id FROM jobs WHERE pg_try_advisory_lock(id)');\nif (rowCount > 0) await work();")),
    good('one of two columns', inFunction("const { rows: [row] } = await c.query('SELECT pg_try_advisory_lock(1) AS a, pg_try_advisory_lock(2) AS b');\nif (row.a && row.b) await work();")),
    good('a quoted alias keeps its case', inFunction("const { rows } = await c.query('SELECT pg_try_advisory_lock(1) AS \"gotLock\"');\nif (rows[0].gotLock) await work();")),
    good('text compared with text', inFunction("const { rows } = await c.query('SELECT pg_try_advisory_lock(1)::text AS ok');\nif (rows[0].ok === 'true') await work();")),
    good('the result, passed on', inFunction(`check(${call});`)),
    good('the rows, returned', inFunction(`const { rows } = ${call};\nreturn rows;`)),
    good('any row of several', inFunction("const { rows } = await c.query('SELECT pg_try_advisory_lock(id) AS ok FROM jobs');\nif (rows.some((row) => row.ok)) await work();")),
    good('the second row of several', inFunction("const { rows } = await c.query('SELECT pg_try_advisory_lock(id) AS ok FROM jobs');\nif (rows[1].ok) await work();")),
    good('what stands behind the rows of a pair', "import { Sequelize } from 'sequelize';\nconst sequelize = new Sequelize('postgres://localhost/app');\nconst [, meta] = await sequelize.query('SELECT pg_try_advisory_lock(1) AS ok');\nif (meta.rows[0].ok) run();"),
    good('a wait for a value that is there', inFunction(`const { rows } = ${call};\nif (rows[0].ok === undefined) throw new Error('no answer');\nif (rows[0].ok) await work();`)),
    good('a driver that renames columns', "import postgres from 'postgres';\nconst sql = postgres({ transform: postgres.camel });\nconst c = await sql.reserve();\nconst [row] = await c`SELECT pg_try_advisory_lock(1) AS got_lock`;\nif (row.gotLock) run();"),
    good('GET_LOCK compared with 1', mysql('if (rows[0].ok !== 1) return;')),
    good('GET_LOCK, read under an alias as MySQL answers it', mysql('if (rows[0].ok !== 1) return;').replaceAll(/\bok\b/g, 'gotLock')),
    good('GET_LOCK, its NULL tested as well', mysql('if (rows[0].ok === 0 || rows[0].ok === null) return;')),
    good('GET_LOCK, its NULL tested before', mysql('const { ok } = rows[0];\n  if (ok == null) throw new Error("error");\n  if (ok === 0) return;')),
    good('GET_LOCK made a number, which NULL makes 0', mysql('if (Number(rows[0].ok) === 0) return;')),
    good('GET_LOCK, less than 1', mysql('if (rows[0].ok < 1) return;')),
    good('RELEASE_LOCK compared with 0', 'import type { Connection } from "mysql2/promise";\nexport async function run(c: Connection) { const [rows] = await c.query("SELECT RELEASE_LOCK(\'a\') AS ok"); if (rows[0].ok === 0) throw new Error("lost"); }'),
    good("slonik's oneFirst gives the value itself", "import { createPool, sql } from 'slonik';\nconst pool = await createPool('postgres://localhost/app');\nif (await pool.oneFirst(sql.unsafe`SELECT pg_try_advisory_lock(1)`)) run();"),
    good('a batch is handed statements, not counts', prisma('await prisma.$transaction([prisma.$executeRaw`SELECT pg_try_advisory_xact_lock(1)`, prisma.$executeRaw`DELETE FROM jobs`]);')),
    good('an unknown handle', `export async function run(c, work) { const answer = ${call}; if (answer) await work(); }`),
    good('a blocking lock answers nothing', inFunction("const answer = await c.query('SELECT pg_advisory_lock(1)');\nif (answer) await work();")),
    good('somebody else reads what a helper returns', `import { Client } from 'pg';\nexport async function tryLock(c: Client) { return ${call}; }`),
  ],
  invalid: [
    ...perDriver.map((testCase) => testCase.bad),
    truthy('the result object', `const answer = ${call};\nif (!answer) return;\nawait work();`, '!answer', 'the result object'),
    truthy('the promise', `const answer = c.query('${text}');\nif (answer) await work();`, 'answer', 'the promise', 1),
    truthy('the rows', `const { rows } = ${call};\nif (rows) await work();`, 'rows', 'the rows', 1),
    truthy('the row, asked for in passing', `if (!(${call}).rows?.[0]) return;\nawait work();`, `!(${call}).rows?.[0]`, 'the row'),
    truthy('the row, compared with undefined', `const { rows } = ${call};\nreturn rows[0] !== undefined;`, 'rows[0]', 'the row'),
    truthy('the length of the rows', `const { rows } = ${call};\nif (rows.length === 0) return;\nawait work();`, 'rows.length', 'the number of rows'),
    truthy('rowCount', `const { rowCount } = ${call};\nreturn rowCount === 1;`, 'rowCount', 'the number of rows', 1),
    truthy('rowCount in a switch', `switch ((${call}).rowCount) { case 1: await work(); }`, `(${call}).rowCount`, 'the number of rows'),
    truthy('the truth of the row, returned', `const { rows } = ${call};\nreturn Boolean(rows[0]);`, 'Boolean(rows[0])', 'the row'),
    truthy('the row, asserted', `const { rows } = ${call};\nassert(rows[0]);\nawait work();`, 'rows[0]', 'the row'),
    {
      name: 'what a local helper returns',
      code: `import { Client } from 'pg';\nasync function tryLock(c: Client) { return ${call}; }\nexport async function run(c: Client) { if (!(await tryLock(c))) return; }`,
      errors: [{ messageId: 'truthy', data: words('the result object'), line: 3, column: 44, endLine: 3, endColumn: 63 }],
    },
    {
      name: 'the promise of a local helper',
      code: `import { Client } from 'pg';\nasync function tryLock(c: Client) { return (${call}).rows[0].ok; }\nexport async function run(c: Client) { if (!tryLock(c)) return; }`,
      errors: [{ messageId: 'truthy', data: words('the promise'), line: 3, column: 44, endLine: 3, endColumn: 55 }],
    },
    bad('a column of another name', inFunction(`const { rows } = ${call};\nconst held = rows[0].acquired;\nif (held) await work();`), 'rows[0].acquired', 'column', noColumn('acquired')),
    bad('the name without the alias', inFunction(`const { rows } = ${call};\nreturn rows[0].pg_try_advisory_lock;`), 'rows[0].pg_try_advisory_lock', 'column', noColumn('pg_try_advisory_lock')),
    bad('an alias whose case is folded', inFunction("const { rows } = await c.query('SELECT pg_try_advisory_lock(1) AS gotLock');\nif (rows[0].gotLock) await work();"), 'rows[0].gotLock', 'column', noColumn('gotLock', 'gotlock')),
    bad('an index into the result', inFunction(`const answer = ${call};\nif (answer[0].ok) await work();`), 'answer[0]', 'member', noMember('0')),
    bad('the answer as a member of the result', inFunction(`const answer = ${call};\nif (answer.ok) await work();`), 'answer.ok', 'member', noMember('ok')),
    bad('an array pattern for an object', inFunction(`const [[first]] = ${call};\nif (first) await work();`), '[first]', 'member', noMember('0')),
    bad('a second row of one', inFunction(`const { rows } = ${call};\nif (rows[1].ok) await work();`), 'rows[1]', 'member', noMember('1')),
    bad('rows of a driver whose result is the rows', "import postgres from 'postgres';\nconst sql = postgres();\nconst c = await sql.reserve();\nconst answer = await c`SELECT pg_try_advisory_lock(1) AS ok`;\nif (answer.rows[0].ok) run();", 'answer.rows', 'member', noMember('rows', 'c')),
    bad('a column by name where rows are arrays', inFunction(`const { rows } = await c.query({ text: '${text}', rowMode: 'array' });\nif (rows[0].ok) await work();`), 'rows[0].ok', 'member', noMember('ok')),
    bad('the pair instead of its rows', "import type { Connection } from 'mysql2/promise';\nexport async function run(c: Connection) {\n  const rows = await c.query(\"SELECT GET_LOCK('a', 5) AS ok\");\n  if (rows[0].ok === 1) return true;\n}", 'rows[0].ok', 'member', { ...noMember('ok'), fn: 'get_lock' }),
    bad('a boolean cast to text', inFunction("const { rows } = await c.query('SELECT pg_try_advisory_lock(1)::text AS ok');\nif (rows[0].ok) await work();"), 'rows[0].ok', 'text', { fn }),
    bad('text compared with a boolean', inFunction("const { rows } = await c.query('SELECT CAST(pg_try_advisory_lock(1) AS varchar) AS ok');\nif (rows[0].ok === true) await work();"), 'rows[0].ok', 'text', { fn }),
    ...['=== 0', '!== 0', '== 0', '>= 0'].map((test) => bad(`GET_LOCK ${test}`, mysql(`if (rows[0].ok ${test}) return;`), 'rows[0].ok', 'nullPasses', { fn: 'get_lock' })),
    bad('GET_LOCK compared with null alone', mysql('if (rows[0].ok === null) return;'), 'rows[0].ok', 'presence', { fn: 'get_lock', yes: '1', no: '0' }),
    bad('the boolean compared with null alone', inFunction(`const { rows } = ${call};\nif (rows[0].ok == null) return;\nawait work();`), 'rows[0].ok', 'presence', { fn, yes: 'true', no: 'false' }),
    bad('a count, compared', prisma('return (await prisma.$executeRaw`SELECT pg_try_advisory_lock(1)`) > 0;'), 'await prisma.$executeRaw`SELECT pg_try_advisory_lock(1)`', 'count', {
      fn,
      method: '$executeRaw',
      instead: '$queryRaw',
      yes: 'true',
      no: 'false',
      answer: 'boolean',
    }),
    bad('a count, logged', prisma('console.log(await prisma.$executeRawUnsafe("SELECT pg_advisory_unlock(1)"));'), 'await prisma.$executeRawUnsafe("SELECT pg_advisory_unlock(1)")', 'count', {
      fn: 'pg_advisory_unlock',
      method: '$executeRawUnsafe',
      instead: '$queryRawUnsafe',
      yes: 'true',
      no: 'false',
      answer: 'boolean',
    }),
    bad("slonik's exists", "import { createPool, sql } from 'slonik';\nconst pool = await createPool('postgres://localhost/app');\nif (await pool.exists(sql.unsafe`SELECT pg_try_advisory_lock(1)`)) run();", 'await pool.exists(sql.unsafe`SELECT pg_try_advisory_lock(1)`)', 'anyRow', {
      fn,
      method: 'exists',
      no: 'false',
    }),
  ],
});
