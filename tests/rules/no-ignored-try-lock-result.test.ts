import rule from '../../rules/no-ignored-try-lock-result.js';
import { runRuleTests, type InvalidCase, type ValidCase } from '../rule-tester.js';
import { forEveryDriver, lockSql } from './contexts.js';
import { errorAt } from './error-at.js';

const perDriver = forEveryDriver(({ connection, dialect, cell }, name): { bad: InvalidCase; good: ValidCase } => {
  const sql = lockSql(dialect);
  const tryLock = connection.send(sql.tryLock);
  const code = connection.wrap(`await ${tryLock};\n  await work();`);
  return {
    bad: {
      name: `a try-lock of ${name} whose answer is dropped`,
      drivers: [name],
      code,
      errors: [errorAt(code, tryLock, { messageId: 'dropped', data: { fn: sql.tryName, answer: sql.answer, yes: sql.yes } })],
    },
    good: {
      name: `a try-lock of ${name} whose answer is read`,
      drivers: [name],
      code: connection.wrap(`const answer = await ${tryLock};\n  if (answer${cell} !== ${sql.yes}) return;\n  await work();`),
    },
  };
});

const head = "import { Client } from 'pg';\n";
const text = 'SELECT pg_try_advisory_lock(1) AS ok';
const tryLock = `c.query('${text}')`;
const inFunction = (body: string): string => `${head}export async function run(c: Client, work: () => Promise<void>) {\n${body}\n}`;
const data = { fn: 'pg_try_advisory_lock', answer: 'boolean', yes: 'true' };

const good = (name: string, body: string): ValidCase => ({ name, code: inFunction(body) });
function dropped(name: string, body: string, call = tryLock): InvalidCase {
  const code = inFunction(body);
  return { name, code, errors: [errorAt(code, call, { messageId: 'dropped', data })] };
}
function fallsThrough(name: string, code: string, line: number, call = tryLock): InvalidCase {
  return { name, code, errors: [errorAt(code, call, { messageId: 'fallsThrough', data: { fn: 'pg_try_advisory_lock', line } })] };
}

runRuleTests(rule, {
  notApplicable: {},
  valid: [
    ...perDriver.map((testCase) => testCase.good),
    good('a flag that is asked behind the loop, after other calls', `let held = false;\nwhile (!held && Date.now() < c.deadline) {\n  held = (await ${tryLock}).rows[0].ok;\n}\nc.stopTimer();\nif (!held) throw new Error('busy');\nawait work();`),
    good('optional access', `const { rows } = await ${tryLock}; if (!rows[0]?.ok) return; await work();`),
    good('shift', `const { rows } = await ${tryLock}; if (!rows.shift()?.ok) return; await work();`),
    good('nested destructuring', `const { rows: [{ ok: acquired }] } = await ${tryLock}; if (acquired) await work();`),
    good('a comparison with true or t', `const { ok } = (await ${tryLock}).rows[0]; if (ok === true || ok === 't') await work();`),
    good('a number made of it', `const { ok } = (await ${tryLock}).rows[0]; if (Number(ok) === 1) await work();`),
    good('a promise returned from a tracing closure', `const { rows } = await traced('lock', () => ${tryLock}); if (rows[0].ok) await work();`),
    good('stored in a field', `c.held = (await ${tryLock}).rows[0].ok;`),
    good('the boolean in WHERE', "const { rowCount } = await c.query('UPDATE jobs SET state = 1 WHERE pg_try_advisory_xact_lock(id)'); if (rowCount === 0) return; await work();"),
    good('the boolean in WHERE of a CTE', "await c.query('WITH l AS MATERIALIZED (SELECT pg_try_advisory_xact_lock(1) AS ok) DELETE FROM q USING l WHERE l.ok');"),
    good('a result looked at in some other way is the business of another rule', `const answer = await ${tryLock}; if (answer) await work();`),
    good('a loop without an end of its own', `while (true) { const { rows } = await ${tryLock}; if (rows[0].ok) break; await sleep(50); }\nawait work();`),
    good('a loop whose last round throws', `for (let round = 0; ; round += 1) { const { rows } = await ${tryLock}; if (rows[0].ok) break; if (round > 9) throw new Error('busy'); }\nawait work();`),
    good('a loop that is left by return', `for (let round = 0; round < 9; round += 1) { const { rows } = await ${tryLock}; if (rows[0].ok) return work(); }\nthrow new Error('busy');`),
    good('a loop whose end is asked about behind it', `let rounds = 0;\nfor (; rounds < 9; rounds += 1) { const { rows } = await ${tryLock}; if (rows[0].ok) break; }\nif (rounds === 9) throw new Error('busy');\nawait work();`),
    good('a loop that remembers', `let held = false;\nwhile (!held && Date.now() < c.deadline) { held = (await ${tryLock}).rows[0].ok; }\nif (!held) throw new Error('busy');\nawait work();`),
    good('a loop that notes the lock', `let held = false;\nwhile (Date.now() < c.deadline) { const { rows } = await ${tryLock}; if (rows[0].ok) { held = true; break; } }\nawait work(held);`),
    good('a loop that merely stops early without a lock asked for before', `const { rows } = await ${tryLock};\nfor (const part of c.parts) { if (rows[0].ok) break; await skip(part); }\nawait work();`),
    good('a loop with nothing behind it', `while (Date.now() < c.deadline) { const { rows } = await ${tryLock}; if (rows[0].ok) break; }`),
    { name: 'a function of which nothing says that it sends SQL', code: `export async function run(audit, work) { await audit('${text}'); await work(); }` },
    { name: 'an unknown handle whose answer is looked at in any way', code: `export async function run(c, work) { const answer = await ${tryLock}; if (answer) await work(); }` },
    { name: 'a lazy query that is never sent', code: "import postgres from 'postgres';\nconst sql = postgres();\nsql`SELECT pg_try_advisory_lock(1)`;" },
    good('a blocking lock answers nothing', "await c.query('SELECT pg_advisory_lock(1)'); await work();"),
    { name: 'a mock implementation', code: "jest.fn().mockImplementation((text) => text === 'SELECT pg_try_advisory_lock(1)');" },
  ],
  invalid: [
    ...perDriver.map((testCase) => testCase.bad),
    dropped('bound and never read', `const answer = await ${tryLock}; await work();`),
    dropped('destructured and never read', `const { rows } = await ${tryLock}; await work();`),
    dropped('with the rejection swallowed', `await ${tryLock}.catch(() => undefined); await work();`),
    dropped('not awaited', `void ${tryLock}; await work();`),
    dropped('in a callback without parameters', `await ${tryLock}.then(() => work());`),
    {
      name: '$executeRaw answers with a count',
      code: "import { PrismaClient } from '@prisma/client';\nexport const run = (prisma: PrismaClient) => prisma.$transaction(async (tx) => {\n  await tx.$executeRaw`SELECT pg_try_advisory_xact_lock(1)`;\n});",
      errors: [
        {
          messageId: 'countOnly',
          data: { fn: 'pg_try_advisory_xact_lock', method: '$executeRaw', instead: '$queryRaw', answer: 'boolean' },
          line: 3,
          column: 9,
          endLine: 3,
          endColumn: 60,
        },
      ],
    },
    {
      name: 'PERFORM in a DO block',
      code: inFunction("await c.query('DO $$ BEGIN PERFORM pg_try_advisory_lock(1); END $$');"),
      errors: [
        errorAt(inFunction("await c.query('DO $$ BEGIN PERFORM pg_try_advisory_lock(1); END $$');"), "c.query('DO $$ BEGIN PERFORM pg_try_advisory_lock(1); END $$')", {
          messageId: 'performed',
          data: { fn: 'pg_try_advisory_lock', statement: 'PERFORM', cure: 'Select it into a variable and leave when it is not true.' },
        }),
      ],
    },
    {
      name: "MySQL's DO",
      code: "import type { Connection } from 'mysql2/promise';\nexport const run = (c: Connection) => c.query(\"DO GET_LOCK('a', 5)\");",
      errors: [
        {
          messageId: 'performed',
          data: { fn: 'get_lock', statement: 'DO', cure: 'Use SELECT, and go on only when the answer is 1.' },
          line: 2,
          column: 39,
          endLine: 2,
          endColumn: 69,
        },
      ],
    },
    fallsThrough('a deadline ends the loop', inFunction(`while (Date.now() < c.deadline) {\n  const { rows } = await ${tryLock};\n  if (rows[0].ok) break;\n  await sleep(50);\n}\nawait work();`), 3),
    fallsThrough('the rounds are over', inFunction(`for (let round = 0; round < 9; round += 1) {\n  const { rows } = await ${tryLock};\n  if (rows[0].ok) { break; }\n}\nreturn work();`), 3),
    fallsThrough('one of two conditions of the loop', inFunction(`let held = false;\nlet rounds = 0;\nwhile (!held && rounds++ < 9) {\n  held = (await ${tryLock}).rows[0].ok;\n}\nawait work();`), 5),
    fallsThrough('one of two conditions behind the body', inFunction(`let held;\ndo {\n  held = (await ${tryLock}).rows[0].ok;\n} while (!held && Date.now() < c.deadline);\nawait work();`), 4),
    fallsThrough('a flag that nobody asks behind the loop', inFunction(`let held = false;\nfor (let round = 0; round < 9; round += 1) {\n  const { rows } = await ${tryLock};\n  if (rows[0].ok) { held = true; break; }\n}\ntry { await work(); } finally { if (held) await c.query('SELECT pg_advisory_unlock(7)'); }`), 4),
    fallsThrough(
      'a helper asks for the lock',
      `${head}const tryLock = async (c: Client) => (await ${tryLock}).rows[0].ok;\nexport async function run(c: Client, work: () => Promise<void>) {\n  for (let round = 0; round < 9; round += 1) if (await tryLock(c)) break;\n  await work();\n}`,
      4,
    ),
  ],
});
