import rule from '../../rules/no-lock-with-limit.js';
import { runRuleTests, type InvalidCase, type ValidCase } from '../rule-tester.js';
import { forEveryDriver } from './contexts.js';
import { errorAt } from './error-at.js';

const head = "import { Client } from 'pg';\n";
const sent = (sql: string): string => `${head}export const run = (c: Client) => c.query(${JSON.stringify(sql)});`;
const postgres = { fn: 'pg_try_advisory_lock', server: 'PostgreSQL' };

const perDriver = forEveryDriver(({ connection, dialect }, name): { bad: InvalidCase; good: ValidCase } => {
  const lock = dialect === 'mysql' ? 'GET_LOCK(name, 0)' : 'pg_try_advisory_lock(id)';
  const limited = connection.send(`SELECT ${lock} AS ok FROM jobs LIMIT 1`);
  const moved = connection.send(`SELECT ${lock} AS ok FROM (SELECT * FROM jobs LIMIT 1) AS jobs`);
  const code = connection.wrap(`return ${limited};`);
  return {
    bad: {
      name: `a limit in SQL text of ${name}`,
      drivers: [name],
      code,
      errors: [
        errorAt(code, lock, {
          messageId: 'undefined',
          data: dialect === 'mysql' ? { fn: 'get_lock', clause: 'LIMIT', server: 'MySQL' } : { ...postgres, clause: 'LIMIT' },
          suggestions: [{ messageId: 'moveLimit', data: { clause: 'LIMIT' }, output: connection.wrap(`return ${moved};`) }],
        }),
      ],
    },
    good: { name: `a limit below the lock in SQL text of ${name}`, drivers: [name], code: connection.wrap(`return ${moved};`) },
  };
});

const good = (name: string, sql: string): ValidCase => ({ name, code: sent(sql) });
/** A statement without a suggestion. */
function bad(sql: string, messageId: string, data: Record<string, string>, lock = 'pg_try_advisory_lock(id)', code = sent(sql)): InvalidCase {
  return { name: sql, code, errors: [errorAt(code, lock, { messageId, data })] };
}
function movable(sql: string, output: string, clause: string, messageId: string, data: Record<string, string>): InvalidCase {
  const code = sent(sql);
  return {
    name: sql,
    code,
    errors: [errorAt(code, 'pg_try_advisory_lock(id)', { messageId, data, suggestions: [{ messageId: 'moveLimit', data: { clause }, output: sent(output) }] })],
  };
}

const undefinedRows = (clause: string) => ({ ...postgres, clause });
const first = (where: string, clause = 'LIMIT') => ({ fn: 'pg_try_advisory_lock', where, clause });
const mysql = (sql: string): string => `import type { Connection } from 'mysql2/promise';\nexport const run = (c: Connection) => c.query(${JSON.stringify(sql)});`;

const builders: readonly (readonly [name: string, marked: string, messageId: string, data: Record<string, string>, code: string])[] = [
  ['knex', "'pg_try_advisory_lock(id)'", 'sorted', first('WHERE'), "import knex from 'knex';\nconst db = knex({ client: 'pg' });\nexport const run = async () => await db('jobs').whereRaw('pg_try_advisory_lock(id)').orderBy('created').limit(1);"],
  ['knex, first', "'pg_try_advisory_lock(id)'", 'undefined', undefinedRows('LIMIT'), "import knex from 'knex';\nconst db = knex({ client: 'pg' });\nexport const run = async () => await db('jobs').whereRaw('pg_try_advisory_lock(id)').first();"],
  ['kysely', 'pg_try_advisory_lock(id)', 'undefined', undefinedRows('LIMIT'), "import { type Kysely, sql } from 'kysely';\nexport const run = (db: Kysely<any>) => db.selectFrom('jobs').select(sql`pg_try_advisory_lock(id)`.as('ok')).limit(5).execute();"],
  ['drizzle', 'pg_try_advisory_lock(${jobs.id})', 'sorted', first('WHERE'), "import { drizzle } from 'drizzle-orm/node-postgres';\nimport { and, sql } from 'drizzle-orm';\nimport { jobs, old } from './schema.js';\nconst db = drizzle('postgres://localhost/app');\nexport const run = async () => await db.select().from(jobs).where(and(old, sql`pg_try_advisory_lock(${jobs.id})`)).orderBy(jobs.id).limit(50);"],
  ['typeorm', "'pg_try_advisory_lock(job.id)'", 'skipped', { fn: 'pg_try_advisory_lock' }, "import { DataSource } from 'typeorm';\nimport { Job } from './job.js';\nexport const run = (dataSource: DataSource) => dataSource.createQueryBuilder(Job, 'job').where('pg_try_advisory_lock(job.id)').offset(10).take(5).getMany();"],
  ['a typeorm repository', "'pg_try_advisory_lock(job.id)'", 'undefined', undefinedRows('LIMIT'), "import { DataSource } from 'typeorm';\nimport { Job } from './job.js';\nexport const run = (dataSource: DataSource) => dataSource.getRepository(Job).createQueryBuilder('job').addSelect('pg_try_advisory_lock(job.id)', 'ok').limit(5).getRawMany();"],
];

runRuleTests(rule, {
  notApplicable: {},
  valid: [
    ...perDriver.map((testCase) => testCase.good),
    good('no FROM', 'SELECT pg_try_advisory_lock(1) LIMIT 1'),
    good('LIMIT ALL', 'SELECT pg_try_advisory_lock(id) FROM jobs LIMIT ALL'),
    good('LIMIT NULL', 'SELECT pg_try_advisory_lock(id) FROM jobs LIMIT NULL'),
    good('OFFSET 0', 'SELECT pg_try_advisory_lock(id) FROM jobs OFFSET 0'),
    good('a limit in a subquery below the lock', 'SELECT pg_try_advisory_lock(q.id) FROM (SELECT id FROM jobs ORDER BY created LIMIT 5) AS q'),
    good('a limit in a common table below the lock', 'WITH q AS (SELECT id FROM jobs LIMIT 5) SELECT pg_try_advisory_lock(id) FROM q'),
    good('a limit above the lock is the business of another rule', 'SELECT * FROM (SELECT id, pg_try_advisory_lock(id) AS ok FROM jobs) AS q ORDER BY id LIMIT 1'),
    good('a lock in a common table, a limit beside its answer', 'WITH l AS MATERIALIZED (SELECT pg_try_advisory_xact_lock(1) AS ok), b AS (SELECT id FROM q, l WHERE l.ok ORDER BY id LIMIT 9) DELETE FROM q WHERE id IN (SELECT id FROM b)'),
    good('one key, whichever row it is', 'SELECT pg_try_advisory_lock(id) FROM jobs WHERE id = $1 LIMIT 1'),
    good('one pair of keys', 'SELECT pg_try_advisory_lock(7, j.id::int) FROM jobs AS j WHERE 42 = j.id AND state = $1 LIMIT 1'),
    good('an unlock', 'SELECT pg_advisory_unlock(id) FROM jobs LIMIT 1'),
    good('a union of single rows', 'SELECT pg_try_advisory_lock(1) UNION ALL SELECT pg_try_advisory_lock(2) LIMIT 1'),
    good('a function of a similar name', 'SELECT app.pg_try_advisory_lock(id) FROM jobs LIMIT 1'),
    { name: 'a hole that may be a limit', code: `${head}export const run = (c: Client, rest: string) => c.query(\`SELECT pg_try_advisory_lock(id) FROM jobs \${rest}\`);` },
    { name: 'a text that nobody sends', code: "console.log('SELECT pg_try_advisory_lock(id) FROM jobs LIMIT 1');" },
    {
      name: 'a builder whose rows are limited below the lock',
      code: "import { drizzle } from 'drizzle-orm/node-postgres';\nimport { sql } from 'drizzle-orm';\nimport { jobs } from './schema.js';\nconst db = drizzle('postgres://localhost/app');\nexport async function run() {\n  const c = db.select({ id: jobs.id }).from(jobs).limit(1).for('update', { skipLocked: true }).as('c');\n  return await db.select().from(c).where(sql`pg_try_advisory_lock(${c.id})`);\n}",
    },
    { name: 'a builder with OFFSET 0', code: "import knex from 'knex';\nconst db = knex({ client: 'pg' });\nexport const run = async () => await db('jobs').select(db.raw('pg_try_advisory_lock(id)')).offset(0);" },
    { name: 'DUAL has one row', code: mysql("SELECT GET_LOCK('a', 0) FROM DUAL LIMIT 1") },
  ],
  invalid: [
    ...perDriver.map((testCase) => testCase.bad),
    ...builders.map(([name, marked, messageId, data, code]): InvalidCase => ({ name: `a builder: ${name}`, code, errors: [errorAt(code, marked.replace(/^'|'$/g, ''), { messageId, data })] })),
    movable('SELECT id, pg_try_advisory_lock(id) AS ok FROM jobs WHERE state = 1 ORDER BY created LIMIT 5', 'SELECT id, pg_try_advisory_lock(id) AS ok FROM (SELECT * FROM jobs WHERE state = 1 ORDER BY created LIMIT 5) AS jobs', 'LIMIT', 'undefined', undefinedRows('LIMIT')),
    movable('SELECT pg_try_advisory_lock(id) FROM app.jobs AS j FETCH FIRST ROW ONLY', 'SELECT pg_try_advisory_lock(id) FROM (SELECT * FROM app.jobs AS j FETCH FIRST ROW ONLY) AS j', 'FETCH', 'undefined', undefinedRows('FETCH')),
    movable('SELECT pg_try_advisory_lock(id) FROM jobs LIMIT 1 OFFSET $1', 'SELECT pg_try_advisory_lock(id) FROM (SELECT * FROM jobs LIMIT 1 OFFSET $1) AS jobs', 'LIMIT', 'skipped', { fn: 'pg_try_advisory_lock' }),
    movable('SELECT pg_try_advisory_lock(id) FROM jobs OFFSET 3', 'SELECT pg_try_advisory_lock(id) FROM (SELECT * FROM jobs OFFSET 3) AS jobs', 'OFFSET', 'skipped', { fn: 'pg_try_advisory_lock' }),
    movable('SELECT pg_try_advisory_lock(id) FROM jobs ORDER BY p FETCH FIRST 1 ROW WITH TIES;', 'SELECT pg_try_advisory_lock(id) FROM (SELECT * FROM jobs ORDER BY p FETCH FIRST 1 ROW WITH TIES) AS jobs;', 'FETCH', 'ties', { fn: 'pg_try_advisory_lock' }),
    bad('SELECT id FROM jobs WHERE pg_try_advisory_lock(id) LIMIT 1', 'undefined', undefinedRows('LIMIT')),
    bad('SELECT id FROM jobs WHERE pg_try_advisory_lock(id) ORDER BY created LIMIT 1', 'sorted', first('WHERE')),
    bad('SELECT * FROM jobs AS j, pg_try_advisory_lock(j.id) AS ok ORDER BY j.created LIMIT 1', 'sorted', first('FROM'), 'pg_try_advisory_lock(j.id)'),
    bad('UPDATE jobs SET state = 2 WHERE id = (SELECT id FROM jobs WHERE pg_try_advisory_lock(id) ORDER BY created LIMIT 1)', 'sorted', first('WHERE')),
    bad('SELECT pg_try_advisory_lock(id) AS ok FROM jobs ORDER BY ok LIMIT 1', 'evaluatedFirst', first('in ORDER BY')),
    bad('SELECT DISTINCT pg_try_advisory_lock(id) FROM jobs LIMIT 1', 'evaluatedFirst', first('under DISTINCT')),
    bad('SELECT DISTINCT ON (state) pg_try_advisory_lock(id) FROM jobs LIMIT 1', 'evaluatedFirst', first('under DISTINCT ON')),
    bad('SELECT DISTINCT ON (state) pg_try_advisory_lock(id) FROM jobs ORDER BY state LIMIT 1', 'undefined', undefinedRows('LIMIT')),
    bad('SELECT bool_and(pg_try_advisory_lock(id)) FROM jobs LIMIT 1', 'evaluatedFirst', first('in an aggregate')),
    bad('SELECT pg_try_advisory_lock(id) FROM jobs UNION SELECT true LIMIT 1', 'evaluatedFirst', first('under UNION')),
    bad('SELECT 1 AS k, pg_try_advisory_lock(7) UNION ALL SELECT 2, false ORDER BY k LIMIT 1', 'evaluatedFirst', first('under UNION with ORDER BY'), 'pg_try_advisory_lock(7)'),
    bad('SELECT pg_try_advisory_lock(id) FROM jobs UNION ALL SELECT true LIMIT 1', 'undefined', undefinedRows('LIMIT')),
    bad('INSERT INTO held SELECT id, pg_try_advisory_lock(id) FROM jobs LIMIT 1', 'undefined', undefinedRows('LIMIT')),
    bad('SELECT count(*) FROM (SELECT pg_try_advisory_lock(id) FROM jobs LIMIT 5) AS q', 'undefined', undefinedRows('LIMIT')),
    bad('SELECT pg_try_advisory_lock(id) FROM jobs, other LIMIT 1', 'undefined', undefinedRows('LIMIT')),
    bad('SELECT pg_try_advisory_lock(id) FROM jobs WHERE id = $1 OR state = 2 LIMIT 1', 'undefined', undefinedRows('LIMIT'), undefined, sent('SELECT upper(x), pg_try_advisory_lock(id) FROM jobs WHERE id = $1 OR state = 2 LIMIT 1')),
    bad('ORDER BY by position', 'undefined', undefinedRows('LIMIT'), undefined, sent('SELECT id, pg_try_advisory_lock(id) FROM jobs ORDER BY 1 LIMIT 1')),
    {
      name: 'a bound limit at the end of a template',
      code: `${head}export const run = (c: Client, n: number) => c.query(\`SELECT pg_try_advisory_lock(id) FROM jobs LIMIT \${n}\`);`,
      errors: [
        {
          messageId: 'undefined',
          data: undefinedRows('LIMIT'),
          line: 2,
          column: 62,
          endLine: 2,
          endColumn: 86,
          suggestions: [
            { messageId: 'moveLimit', data: { clause: 'LIMIT' }, output: `${head}export const run = (c: Client, n: number) => c.query(\`SELECT pg_try_advisory_lock(id) FROM (SELECT * FROM jobs LIMIT \${n}) AS jobs\`);` },
          ],
        },
      ],
    },
    {
      name: "MySQL's WHERE with ORDER BY",
      code: mysql('SELECT id FROM jobs WHERE GET_LOCK(name, 0) ORDER BY created LIMIT 1'),
      errors: [errorAt(mysql('SELECT id FROM jobs WHERE GET_LOCK(name, 0) ORDER BY created LIMIT 1'), 'GET_LOCK(name, 0)', { messageId: 'sorted', data: { fn: 'get_lock', where: 'WHERE', clause: 'LIMIT' } })],
    },
    {
      name: "MySQL's DISTINCT stops at the limit",
      code: mysql('SELECT DISTINCT GET_LOCK(name, 0) FROM jobs LIMIT 1 OFFSET 5'),
      errors: [errorAt(mysql('SELECT DISTINCT GET_LOCK(name, 0) FROM jobs LIMIT 1 OFFSET 5'), 'GET_LOCK(name, 0)', { messageId: 'undefined', data: { fn: 'get_lock', server: 'MySQL', clause: 'LIMIT' } })],
    },
  ],
});
