import rule from '../../rules/prefer-xact-lock.js';
import { runRuleTests, type InvalidCase, type ValidCase } from '../rule-tester.js';
import { contexts, forEveryDriver } from './contexts.js';
import { errorAt } from './error-at.js';

const perDriver = forEveryDriver(({ connection }, name): { bad: InvalidCase; good: ValidCase } => {
  const lock = connection.send('SELECT pg_advisory_lock(7)');
  const unlock = connection.send('SELECT pg_advisory_unlock(7)');
  const code = connection.wrap(`await ${lock};\n  try {\n    await work();\n  } finally {\n    await ${unlock};\n  }`);
  const line = code.split('\n').findIndex((written) => written.includes('pg_advisory_unlock')) + 1;
  return {
    bad: { name: `a pair, with ${name}`, drivers: [name], code, errors: [errorAt(code, lock, { messageId: 'pair', data: { fn: 'pg_advisory_lock', instead: 'pg_advisory_xact_lock', line } })] },
    good: { name: `a lock without an unlock, with ${name}`, drivers: [name], code: connection.wrap(`await ${lock};\n  await work();`) },
  };
}, ['prisma', 'knex', 'sequelize', 'mysql2']);

const { connection, pool } = contexts.pg;
const around = (work: string, lock = 'SELECT pg_advisory_lock(7)', unlock = 'SELECT pg_advisory_unlock(7)'): string =>
  connection.wrap(`await c.query('${lock}');\n  try {\n    ${work}\n  } finally {\n    await c.query('${unlock}');\n    c.release();\n  }`);
const silent = (name: string, code: string): ValidCase => ({ name, code });
const tried = connection.wrap("const { rows } = await c.query('SELECT pg_try_advisory_lock_shared(7) AS ok');\n  if (!rows[0].ok) return;\n  try {\n    await c.query('UPDATE job SET n = n + 1');\n  } finally {\n    await c.query('SELECT pg_advisory_unlock_shared(7)');\n  }");
const unseen = around('for (const statement of work.statements) await c.query(statement);');
const inTransaction = 'the connection the library hands out is a transaction, and a session lock in it is the business of `no-session-lock-in-transaction`';

runRuleTests(rule, {
  notApplicable: { prisma: inTransaction, knex: inTransaction, sequelize: inTransaction, mysql2: 'MySQL has no locks that end with the transaction' },
  valid: [
    ...perDriver.map(({ good }) => good),
    silent('transactions under the lock', around("for (const job of work.jobs) {\n      await c.query('BEGIN');\n      await job.run(c);\n      await c.query('COMMIT');\n    }")),
    silent('work that no transaction may hold', around("await c.query('CREATE INDEX CONCURRENTLY job_n ON job (n)');")),
    silent('work that no transaction may hold, dropping', around("await c.query('DROP INDEX CONCURRENTLY job_n');")),
    silent('a lock in a transaction is another matter', connection.wrap("await c.query('BEGIN');\n  await c.query('SELECT pg_advisory_lock(7)');\n  await work(c);\n  await c.query('SELECT pg_advisory_unlock(7)');\n  await c.query('COMMIT');")),
    silent('an unlock in another function', "import type { PoolClient } from 'pg';\nexport const lock = (c: PoolClient) => c.query('SELECT pg_advisory_lock(7)');\nexport const unlock = (c: PoolClient) => c.query('SELECT pg_advisory_unlock(7)');"),
    silent('a pool is another matter', pool.wrap("await pool.query('SELECT pg_advisory_lock(7)');\n  await work();\n  await pool.query('SELECT pg_advisory_unlock(7)');")),
    silent('a transaction lock', connection.wrap("await c.query('BEGIN');\n  await c.query('SELECT pg_advisory_xact_lock(7)');\n  await c.query('COMMIT');")),
    silent('MySQL', contexts.mysql2.connection.wrap("await c.query(\"SELECT GET_LOCK('jobs', -1)\");\n  try { await work(); } finally { await c.query(\"SELECT RELEASE_LOCK('jobs')\"); }")),
    silent('an unknown handle', "export async function run(c, work) {\n  await c.query('SELECT pg_advisory_lock(7)');\n  try { await work(); } finally { await c.query('SELECT pg_advisory_unlock(7)'); }\n}"),
    silent('a look-alike', around('await work();', 'SELECT my_advisory_lock(7)', 'SELECT my_advisory_unlock(7)')),
  ],
  invalid: [
    ...perDriver.map(({ bad }) => bad),
    { name: 'statements that are not seen', code: unseen, errors: [errorAt(unseen, "c.query('SELECT pg_advisory_lock(7)')", { messageId: 'pair', data: { fn: 'pg_advisory_lock', instead: 'pg_advisory_xact_lock', line: 9 } })] },
    {
      name: 'a try-lock',
      code: tried,
      errors: [errorAt(tried, "c.query('SELECT pg_try_advisory_lock_shared(7) AS ok')", { messageId: 'pair', data: { fn: 'pg_try_advisory_lock_shared', instead: 'pg_try_advisory_xact_lock_shared', line: 10 } })],
    },
  ],
});
