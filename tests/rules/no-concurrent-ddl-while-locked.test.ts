import rule from '../../rules/no-concurrent-ddl-while-locked.js';
import { runRuleTests, type InvalidCase, type ValidCase } from '../rule-tester.js';
import { contexts, forEveryDriver } from './contexts.js';
import { errorAt } from './error-at.js';

const index = 'CREATE INDEX CONCURRENTLY job_n ON job (n)';
const data = { statement: 'CREATE INDEX CONCURRENTLY', fn: 'pg_advisory_lock', poll: 'pg_try_advisory_lock' };

const perDriver = forEveryDriver(({ connection, pool }, name): { bad: InvalidCase[]; good: ValidCase } => {
  const lock = connection.send('SELECT pg_advisory_lock(7)');
  const write = (statement: string, taken = `await ${lock};`): string => connection.wrap(`${taken}\n  await ${statement};`);
  const bad = (title: string, statement: string, messageId: string): InvalidCase => {
    const code = write(statement);
    const line = code.split('\n').findIndex((written) => written.includes('pg_advisory_lock(7)')) + 1;
    return { name: `${title}, with ${name}`, drivers: [name], code, errors: [errorAt(code, statement, { messageId, data: { ...data, line } })] };
  };
  return {
    bad: [bad('over the connection that holds the lock', connection.send(index), 'holder'), bad('over another connection', pool.send(index), 'other')],
    good: { name: `polling waiters, with ${name}`, drivers: [name], code: write(connection.send(index), `await ${connection.send('SELECT pg_try_advisory_lock(7)')};`) },
  };
}, ['mysql2']);

const { connection } = contexts.pg;
const under = (statement: string, lock = "await c.query('SELECT pg_advisory_lock(7)');"): string => connection.wrap(`${lock}\n  await ${statement};`);
const silent = (name: string, code: string): ValidCase => ({ name, code });
const reindex = under("c.query('REINDEX TABLE CONCURRENTLY job')");
const helper = `import { Pool } from 'pg';\nconst pool = new Pool();\nasync function withLock(fn) {\n  const c = await pool.connect();\n  await c.query('SELECT pg_advisory_lock(7)');\n  try { await fn(c); } finally { await c.query('SELECT pg_advisory_unlock(7)'); c.release(); }\n}\nexport const run = () => withLock(async (c) => { await c.query('${index}'); });`;
const xact = `import { Pool } from 'pg';\nconst pool = new Pool();\nexport async function run() {\n  const c = await pool.connect();\n  await c.query('BEGIN');\n  await c.query('SELECT pg_advisory_xact_lock(7)');\n  await pool.query('${index}');\n  await c.query('COMMIT');\n}`;

runRuleTests(rule, {
  notApplicable: { mysql2: 'MySQL has no CONCURRENTLY' },
  valid: [
    ...perDriver.map(({ good }) => good),
    silent('DROP INDEX CONCURRENTLY', under("c.query('DROP INDEX CONCURRENTLY job_n')")),
    silent('CREATE INDEX', under("c.query('CREATE INDEX job_n ON job (n)')")),
    silent('before the lock', connection.wrap(`await c.query('${index}');\n  await c.query('SELECT pg_advisory_lock(7)');`)),
    silent('after the unlock', connection.wrap(`await c.query('SELECT pg_advisory_lock(7)');\n  await c.query('SELECT pg_advisory_unlock(7)');\n  await c.query('${index}');`)),
    silent('in the transaction of the lock it fails at once', connection.wrap(`await c.query('BEGIN');\n  await c.query('SELECT pg_advisory_xact_lock(7)');\n  await c.query('${index}');`)),
    silent('an unknown handle', `export async function run(c) {\n  await c.query('SELECT pg_advisory_lock(7)');\n  await c.query('${index}');\n}`),
    silent('a look-alike', under(`c.query('${index}')`, "await c.query('SELECT my_advisory_lock(7)');")),
  ],
  invalid: [
    ...perDriver.flatMap(({ bad }) => bad),
    { name: 'REINDEX', code: reindex, errors: [errorAt(reindex, "c.query('REINDEX TABLE CONCURRENTLY job')", { messageId: 'holder', data: { ...data, statement: 'REINDEX CONCURRENTLY', line: 5 } })] },
    { name: 'in the callback of a wrapper', code: helper, errors: [errorAt(helper, `c.query('${index}')`, { messageId: 'holder', data: { ...data, line: 5 } })] },
    { name: 'a transaction lock, from another connection', code: xact, errors: [errorAt(xact, `pool.query('${index}')`, { messageId: 'other', data: { ...data, fn: 'pg_advisory_xact_lock', poll: 'pg_try_advisory_xact_lock', line: 6 } })] },
  ],
});
