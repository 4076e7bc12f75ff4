import rule from '../../rules/no-lock-in-filter.js';
import { runRuleTests, type InvalidCase, type ValidCase } from '../rule-tester.js';
import { forEveryDriver } from './contexts.js';
import { errorAt } from './error-at.js';

/** A module that sends the statement over a connection of which nothing is known but its library. */
const sending = (sql: string): string => `import type { Client } from 'pg';
export async function run(c: Client) { return c.query(\`${sql}\`, [1]); }`;

const fn = 'pg_try_advisory_lock';
const lockOf = (sql: string): string => /pg_\w*advisory\w*\((?:[^()]|\([^()]*\))*\)/.exec(sql)?.[0] ?? '';

/** Rows that come back and locks that are held afterwards, as PostgreSQL 15 has them for a table of 100 rows, 10 of them rare. */
type Shape = readonly [sql: string, counts: string];

const silent = ([sql, counts]: Shape): ValidCase => ({ name: `${counts}: ${sql}`, code: sending(sql) });
function reported([sql, counts]: Shape, messageId: string, data: Readonly<Record<string, string | number>> = {}): InvalidCase {
  const code = sending(sql);
  const lock = lockOf(sql);
  const name = lock.slice(0, lock.indexOf('('));
  return { name: `${counts}: ${sql}`, code, errors: [errorAt(code, lock, { messageId, data: { fn: name, ...data }, nth: 0 })] };
}
const inWhere = (...shape: Shape): InvalidCase => reported(shape, 'filter', { clause: 'WHERE' });

const perDriver = forEveryDriver(({ connection, dialect }, name): { bad: InvalidCase; good: ValidCase } => {
  const lock = dialect === 'mysql' ? 'GET_LOCK(name, 0)' : 'pg_try_advisory_xact_lock(id)';
  const bad = connection.wrap(`return ${connection.send(`SELECT id FROM jobs WHERE done = 0 AND ${lock}`)};`);
  return {
    bad: {
      name: `a lock in WHERE, sent by ${name}`,
      drivers: [name],
      code: bad,
      errors: [errorAt(bad, lock, { messageId: 'filter', data: { fn: dialect === 'mysql' ? 'get_lock' : 'pg_try_advisory_xact_lock', clause: 'WHERE' } })],
    },
    good: {
      name: `a lock in WHERE of a query over chosen rows, sent by ${name}`,
      drivers: [name],
      code: connection.wrap(`return ${connection.send(`SELECT id FROM (SELECT id FROM jobs WHERE done = 0 LIMIT 5) q WHERE ${lock}`)};`),
    },
  };
});

const drizzleHead = `import { and, eq, sql } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/node-postgres';
import { jobs } from './schema';
const db = drizzle(process.env.DATABASE_URL);
`;
const knexHead = "import type { Knex } from 'knex';\n";
const kyselyHead = "import { Kysely, sql, type Transaction } from 'kysely';\n";
const typeormHead = "import type { DataSource } from 'typeorm';\nimport { Job } from './job';\n";

const builders: readonly InvalidCase[] = [
  [
    'Drizzle',
    `${drizzleHead}export const claim = () => db.transaction(async (tx) =>
  tx.select().from(jobs).where(and(eq(jobs.done, false), sql\`pg_try_advisory_xact_lock(\${jobs.id})\`)).orderBy(jobs.id).limit(50));`,
    'pg_try_advisory_xact_lock(${jobs.id})',
  ],
  ['Knex', `${knexHead}export const claim = (trx: Knex.Transaction) => trx('task').where({ done: false }).whereRaw('pg_try_advisory_xact_lock(lock_key)');`, 'pg_try_advisory_xact_lock(lock_key)'],
  [
    'Kysely',
    `${kyselyHead}export const claim = (trx: Transaction<any>) =>
  trx.selectFrom('jobs').selectAll().where('done', '=', false).where(sql\`pg_try_advisory_xact_lock(id)\`).execute();`,
    'pg_try_advisory_xact_lock(id)',
  ],
  [
    'TypeORM',
    `${typeormHead}export const claim = (dataSource: DataSource) =>
  dataSource.createQueryBuilder(Job, 'j').where('j.done = false').andWhere('pg_try_advisory_xact_lock(j.id)').getMany();`,
    'pg_try_advisory_xact_lock(j.id)',
  ],
].map(([library = '', code = '', lock = '']) => ({
  name: `a lock in a condition that ${library}'s query builder adds`,
  code,
  errors: [errorAt(code, lock, { messageId: 'filter', data: { fn: 'pg_try_advisory_xact_lock', clause: 'WHERE' } })],
}));

runRuleTests(rule, {
  notApplicable: {},
  valid: [
    ...perDriver.map(({ good }) => good),

    // The select list is evaluated for the rows that are returned.
    ...(
      [
        ['SELECT pg_try_advisory_lock(id) FROM t', '100/100'],
        ['SELECT pg_try_advisory_lock(id) FROM t LIMIT 1', '1/1'],
        [`SELECT id, pg_try_advisory_lock(id) FROM t WHERE status = 'rare'`, '10/10'],
        [`SELECT id, pg_try_advisory_lock(id) FROM t WHERE status = 'rare' ORDER BY created LIMIT 1`, '1/1'],
        ['SELECT pg_try_advisory_lock(id) AS ok FROM t ORDER BY created', '100/100'],
        ['SELECT pg_try_advisory_lock(id) AS ok FROM t ORDER BY ok', '100/100'],
        ['SELECT pg_advisory_lock(q.id) FROM (SELECT id FROM t ORDER BY created LIMIT 5) q', '5/5'],
        ['WITH q AS (SELECT id FROM t ORDER BY created LIMIT 5) SELECT pg_advisory_lock(q.id) FROM q', '5/5'],
        ['WITH q AS NOT MATERIALIZED (SELECT id FROM t ORDER BY created LIMIT 5) SELECT pg_advisory_lock(q.id) FROM q', '5/5'],
        ['SELECT id FROM (SELECT id, pg_try_advisory_lock(id) AS ok FROM t) s LIMIT 1', '1/1'],
        ['WITH l AS MATERIALIZED (SELECT id, pg_try_advisory_lock(id) AS ok FROM t) SELECT id FROM l WHERE ok LIMIT 1', '1/1'],
        [`SELECT id FROM (SELECT id, pg_try_advisory_lock(id) AS ok FROM t) s WHERE id = 5`, '1/1'],
        ['SELECT id FROM (SELECT id, pg_try_advisory_lock(id) AS ok FROM t) s WHERE ok ORDER BY id', '100/100'],
        ['SELECT t.id, l.ok FROM t, LATERAL (SELECT pg_try_advisory_lock(t.id) AS ok) l LIMIT 1', '1/1'],
        [`SELECT t.id FROM t, pg_try_advisory_lock(t.id) AS ok WHERE status = 'rare'`, '10/10'],
        ['SELECT pg_try_advisory_lock(1) UNION ALL SELECT pg_try_advisory_lock(2) LIMIT 1', '1/1'],
        ['VALUES (pg_try_advisory_lock(1)), (pg_try_advisory_lock(2))', '2/2'],
      ] satisfies Shape[]
    ).map(silent),

    // Nothing to choose from.
    ...(
      [
        ['SELECT 1 WHERE pg_try_advisory_lock(1)', '1/1'],
        ['SELECT 1 WHERE EXISTS (SELECT 1 FROM t) AND pg_try_advisory_lock(1)', '1/1'],
        ['INSERT INTO u SELECT $1 WHERE pg_try_advisory_lock($1)', '1/1'],
        ['SELECT k FROM unnest($1::bigint[]) AS k WHERE pg_try_advisory_lock(k)', '3/3'],
        ['SELECT k FROM (VALUES (1), (2)) v(k) WHERE pg_try_advisory_lock(k)', '2/2'],
        ['SELECT q.k FROM (SELECT $1::bigint AS k) q WHERE pg_try_advisory_lock(q.k)', '1/1'],
        ['SELECT FROM (SELECT pg_advisory_lock(1)) x OFFSET 1', '0/1'],
        ['SELECT (SELECT pg_try_advisory_lock(1)) AS ok', '1/1'],
      ] satisfies Shape[]
    ).map(silent),

    // Fences.
    ...(
      [
        [`SELECT id FROM t WHERE CASE WHEN status = 'rare' THEN pg_try_advisory_lock(id) ELSE false END`, '10/10'],
        [`SELECT id FROM (SELECT id FROM t WHERE status = 'rare' OFFSET 0) q WHERE pg_try_advisory_lock(id)`, '10/10'],
        [`SELECT id FROM (SELECT id FROM t WHERE status = 'rare' LIMIT 5) q WHERE pg_try_advisory_lock(id)`, '5/5'],
        [`WITH q AS MATERIALIZED (SELECT id FROM t WHERE status = 'rare') SELECT id FROM q WHERE pg_try_advisory_lock(id)`, '10/10'],
        [`WITH q AS (SELECT id FROM t WHERE status = 'rare') SELECT id FROM q WHERE pg_try_advisory_lock(id) AND EXISTS (SELECT 1 FROM q)`, '10/10'],
        [`WITH q AS (UPDATE t SET created = created WHERE status = 'rare' RETURNING id) SELECT id FROM q WHERE pg_try_advisory_lock(id)`, '10/10'],
        [`WITH q AS (SELECT id FROM t ORDER BY id LIMIT 5) UPDATE t SET created = 0 WHERE id IN (SELECT id FROM q WHERE pg_try_advisory_lock(id))`, '5/5'],
        [`SELECT id FROM (SELECT id FROM t WHERE status = 'rare' GROUP BY id) q WHERE pg_try_advisory_lock(id)`, '10/10'],
        [`SELECT id FROM (SELECT DISTINCT id FROM t WHERE status = 'rare') q WHERE pg_try_advisory_lock(id)`, '10/10'],
        [`SELECT id FROM (SELECT id FROM t WHERE status = 'rare' UNION SELECT -1) q WHERE pg_try_advisory_lock(id)`, '11/11'],
        ['SELECT id FROM (SELECT id, pg_try_advisory_lock(id) AS ok FROM (SELECT id FROM t ORDER BY created LIMIT 1) q) s ORDER BY id LIMIT 1', '1/1'],
      ] satisfies Shape[]
    ).map(silent),

    // Queries that are written to merge the answers.
    ...(
      [
        ['SELECT bool_and(pg_try_advisory_xact_lock(k)) AS every FROM unnest($1::bigint[]) AS k', '1/3'],
        ['SELECT bool_and(ok) AS every FROM (SELECT pg_try_advisory_lock(id) AS ok FROM t) s', '1/100'],
        ['SELECT count(*) FROM (SELECT pg_advisory_xact_lock(k) FROM unnest($1::bigint[]) AS k) s', '1/3'],
      ] satisfies Shape[]
    ).map(silent),
    {
      name: 'a statement-long lock whose answer another WITH query reads',
      code: sending(`WITH l AS MATERIALIZED (SELECT pg_try_advisory_xact_lock($1) AS ok),
        b AS MATERIALIZED (SELECT id FROM q, l WHERE l.ok ORDER BY id LIMIT 100) DELETE FROM q WHERE id IN (SELECT id FROM b)`),
    },

    { name: 'an unlock, which leaves nothing behind', code: sending('DELETE FROM leases WHERE pg_advisory_unlock(key) AND done') },
    { name: 'a function of another name', code: sending('SELECT id FROM jobs WHERE done AND app.pg_try_advisory_locks(id) -- pg_try_advisory_lock') },
    { name: 'a handle of unknown origin that sends nothing', code: "export const run = (c) => c.describe('SELECT id FROM t WHERE pg_try_advisory_lock(id)');" },
    { name: 'SQL that does not parse', code: sending('SELECT id FROM FROM t WHERE pg_try_advisory_lock(id)') },
    {
      name: 'a lazy statement that is never sent',
      code: "import postgres from 'postgres';\nconst sql = postgres();\nexport function run() { sql`SELECT id FROM t WHERE done AND pg_try_advisory_lock(id)`; }",
    },
    {
      name: 'a WITH query that a hole may read',
      code: "import type { Client } from 'pg';\nexport const run = (c: Client, rest: string) => c.query(`WITH l AS (SELECT pg_advisory_lock(1)) ${rest}`);",
    },
    {
      name: "Drizzle's condition over a subquery with LIMIT",
      code: `${drizzleHead}export const claim = () => db.transaction(async (tx) => {
  const c = tx.select({ id: jobs.id }).from(jobs).where(eq(jobs.done, false)).limit(1).for('update', { skipLocked: true }).as('c');
  return tx.select().from(c).where(sql\`pg_try_advisory_xact_lock(\${c.id})\`);
});`,
    },
    {
      name: "Knex's condition over a subquery",
      code: `${knexHead}export const claim = (trx: Knex.Transaction) =>
  trx.select('id').from(trx('task').where({ done: false }).limit(10).as('c')).whereRaw('pg_try_advisory_xact_lock(c.id)');`,
    },
    {
      name: "Kysely's condition over a subquery",
      code: `${kyselyHead}export const claim = (trx: Transaction<any>) =>
  trx.selectFrom((eb) => eb.selectFrom('jobs').select('id').limit(1).as('c')).selectAll().where(sql\`pg_try_advisory_xact_lock(c.id)\`).execute();`,
    },
    {
      name: "a condition over a table that a parameter names",
      code: `${drizzleHead}export const claim = (source) => db.select().from(source).where(sql\`pg_try_advisory_xact_lock(1)\`);`,
    },
    {
      name: "Knex's lock in the select list",
      code: `${knexHead}export const claim = (trx: Knex.Transaction) => trx('task').select('id', trx.raw('pg_try_advisory_xact_lock(id) as ok')).where({ done: false });`,
    },
  ],
  invalid: [
    ...perDriver.map(({ bad }) => bad),
    ...builders,

    inWhere(`SELECT id FROM t WHERE status='rare' AND pg_try_advisory_lock(id)`, '10/100'),
    inWhere(`SELECT id FROM t WHERE pg_try_advisory_lock(id) AND status='rare'`, '10/100'),
    inWhere('SELECT id FROM t WHERE status=$1 AND pg_try_advisory_lock(id)', '10/100'),
    inWhere('SELECT id FROM t WHERE created<=10 AND pg_try_advisory_lock(id)', '11/11'),
    inWhere('SELECT id FROM t WHERE pg_try_advisory_lock(id) AND created<=10', '11/100'),
    inWhere(`SELECT id FROM t WHERE status<>'new' AND pg_try_advisory_lock(id)`, '10/10'),
    inWhere(`SELECT id FROM t WHERE pg_try_advisory_lock(id) AND status<>'new'`, '10/100'),
    inWhere(`SELECT id FROM t WHERE status LIKE 'r%' AND pg_try_advisory_lock(id)`, '10/10'),
    inWhere(`SELECT id FROM t WHERE lower(status)='rare' AND pg_try_advisory_lock(id)`, '10/100'),
    inWhere(`SELECT id FROM t WHERE status='rare' AND pg_try_advisory_lock(1, id::int)`, '10/10'),
    inWhere(`SELECT id FROM (SELECT id FROM t WHERE status='rare') q WHERE pg_try_advisory_lock(id)`, '10/100'),
    inWhere(`SELECT id FROM (SELECT id FROM t WHERE status='rare' ORDER BY created) q WHERE pg_try_advisory_lock(id)`, '10/100'),
    inWhere(`SELECT id FROM (SELECT id FROM t WHERE status='rare' FOR UPDATE) q WHERE pg_try_advisory_lock(id)`, '10/100'),
    inWhere(`WITH q AS (SELECT id FROM t WHERE status='rare') SELECT id FROM q WHERE pg_try_advisory_lock(id)`, '10/100'),
    inWhere(`WITH q AS NOT MATERIALIZED (SELECT id FROM t WHERE status='rare') SELECT id FROM q WHERE pg_try_advisory_lock(id)`, '10/100'),
    inWhere('SELECT id FROM t WHERE pg_try_advisory_lock(id) AND id=5', '1/100'),
    inWhere('SELECT id FROM t WHERE id=-1 AND pg_try_advisory_lock(999)', '0/1'),
    inWhere(`SELECT id FROM t WHERE id IN (SELECT id FROM t WHERE status='rare') AND pg_try_advisory_lock(id)`, '10/100'),
    inWhere('SELECT id FROM t WHERE pg_try_advisory_lock(id) LIMIT 1', '1/1'),
    inWhere('SELECT id FROM t WHERE pg_try_advisory_lock(id) ORDER BY created LIMIT 1', '1/100'),
    inWhere('UPDATE t SET created=0 WHERE id IN (SELECT id FROM t WHERE pg_try_advisory_lock(id) ORDER BY created LIMIT 1)', '1/100'),
    inWhere('UPDATE t SET created=0 WHERE id=$1 AND pg_try_advisory_lock(id)', '1/100'),
    inWhere('UPDATE t SET created=0 FROM u WHERE u.id=t.id AND pg_try_advisory_lock(t.id)', '0/0'),
    inWhere('DELETE FROM t WHERE created<0 AND pg_try_advisory_lock(id)', '0/0'),
    inWhere('INSERT INTO u SELECT id FROM t WHERE created<10 AND pg_try_advisory_lock(id)', '10/10'),
    inWhere('SELECT EXISTS (SELECT 1 FROM t WHERE created<10 AND pg_try_advisory_lock(id))', '1/1'),
    reported(['SELECT t.id FROM t JOIN t u ON u.id=t.id AND pg_try_advisory_lock(t.id) WHERE t.status = $1', '10/100'], 'filter', { clause: 'JOIN … ON' }),
    reported(['SELECT status FROM t GROUP BY status HAVING pg_try_advisory_lock(count(*))', '2/2'], 'filter', { clause: 'HAVING' }),

    reported(['SELECT id FROM t ORDER BY pg_try_advisory_lock(id) LIMIT 1', '1/100'], 'orderBy'),
    reported(['SELECT id FROM t ORDER BY pg_try_advisory_lock(id)', '100/100'], 'orderBy'),
    reported(['SELECT pg_try_advisory_lock(id) AS ok FROM t ORDER BY ok LIMIT 1', '1/100'], 'orderBy'),

    reported(['SELECT id FROM (SELECT id, pg_try_advisory_lock(id) AS ok FROM t) s ORDER BY id LIMIT 1', '1/100'], 'sorted', { clause: 'ORDER BY' }),
    reported(['WITH s AS MATERIALIZED (SELECT id, pg_try_advisory_lock(id) AS ok FROM t) SELECT id FROM s WHERE ok ORDER BY id LIMIT 1', '1/100'], 'sorted', { clause: 'ORDER BY' }),
    reported(['WITH s AS (SELECT id, created, pg_try_advisory_lock(id) FROM t), r AS (SELECT * FROM s) SELECT id FROM r ORDER BY created LIMIT 1', '1/100'], 'sorted', { clause: 'ORDER BY' }),
    reported(['SELECT t.id FROM t, LATERAL (SELECT pg_try_advisory_lock(t.id) AS ok) l ORDER BY created LIMIT 1', '1/100'], 'sorted', { clause: 'ORDER BY' }),
    reported(['SELECT t.id FROM t, pg_try_advisory_lock(t.id) AS ok ORDER BY created LIMIT 1', '1/100'], 'sorted', { clause: 'ORDER BY' }),
    reported(['SELECT k FROM (SELECT k, pg_try_advisory_lock(k) AS ok FROM unnest($1::bigint[]) AS k) s ORDER BY k LIMIT 1', '1/3'], 'sorted', { clause: 'ORDER BY' }),
    {
      ...reported(['SELECT 1 AS k, pg_try_advisory_lock(1) UNION ALL SELECT 2, pg_try_advisory_lock(2) ORDER BY k LIMIT 1', '1/2'], 'sorted', { clause: 'ORDER BY' }),
      errors: bothOperands('SELECT 1 AS k, pg_try_advisory_lock(1) UNION ALL SELECT 2, pg_try_advisory_lock(2) ORDER BY k LIMIT 1', 'ORDER BY'),
    },
    {
      name: '1/2: SELECT pg_try_advisory_lock(1) UNION SELECT pg_try_advisory_lock(2) LIMIT 1',
      code: sending('SELECT pg_try_advisory_lock(1) UNION SELECT pg_try_advisory_lock(2) LIMIT 1'),
      errors: bothOperands('SELECT pg_try_advisory_lock(1) UNION SELECT pg_try_advisory_lock(2) LIMIT 1', 'UNION'),
    },

    reported(['SELECT count(*) FROM (SELECT pg_advisory_lock(id) FROM t) s', '1/100'], 'merged', { clause: 'an aggregate' }),
    reported(['SELECT count(*) FROM (SELECT pg_advisory_lock(id) FROM t) s LIMIT 1', '1/100'], 'merged', { clause: 'an aggregate' }),
    reported(['SELECT DISTINCT status FROM (SELECT status, pg_try_advisory_lock(id) FROM t) s', '2/100'], 'merged', { clause: 'DISTINCT' }),
    reported(['SELECT status FROM (SELECT status, pg_try_advisory_lock(id) FROM t) s GROUP BY status', '2/100'], 'merged', { clause: 'GROUP BY' }),

    reported(['SELECT EXISTS (SELECT pg_advisory_lock(id) FROM t)', '1/0'], 'exists'),
    reported(['SELECT 1 WHERE EXISTS (SELECT pg_try_advisory_lock(1))', '1/0'], 'exists'),
    reported(['SELECT EXISTS (SELECT DISTINCT pg_try_advisory_lock(id) FROM t LIMIT 1)', '1/0'], 'exists'),
    reported(['WITH l AS (SELECT pg_advisory_lock(1)) SELECT 1', '1/0'], 'unread', { table: 'l' }),
    reported(['WITH l AS MATERIALIZED (SELECT pg_advisory_lock(1)) UPDATE t SET created=created WHERE id=1', '1/0'], 'unread', { table: 'l' }),
    reported(['WITH l AS (SELECT pg_advisory_lock(1)), m AS (SELECT * FROM l) SELECT 1', '1/0'], 'unread', { table: 'l' }),
    reported(['WITH l AS NOT MATERIALIZED (SELECT pg_try_advisory_lock($1) AS ok) SELECT * FROM l a, l b', '1/1'], 'repeated', { table: 'l', count: 2 }),
    {
      name: 'an unknown handle that sends',
      code: "export const run = (c) => c.query('SELECT id FROM t WHERE done AND pg_try_advisory_lock(id)');",
      errors: [errorAt("export const run = (c) => c.query('SELECT id FROM t WHERE done AND pg_try_advisory_lock(id)');", 'pg_try_advisory_lock(id)', { messageId: 'filter', data: { fn, clause: 'WHERE' } })],
    },
  ],
});

function bothOperands(sql: string, clause: string): InvalidCase['errors'] {
  const code = sending(sql);
  const at = (lock: string) => errorAt(code, lock, { messageId: 'sorted', data: { fn, clause } });
  return [at('pg_try_advisory_lock(1)'), at('pg_try_advisory_lock(2)')];
}
