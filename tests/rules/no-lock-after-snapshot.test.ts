import rule from '../../rules/no-lock-after-snapshot.js';
import { runRuleTests, type InvalidCase, type ValidCase } from '../rule-tester.js';
import { forEveryDriver, type DriverName } from './contexts.js';
import { errorAt } from './error-at.js';

const sending = (sql: string): string => `import type { Client } from 'pg';
export async function run(c: Client) { return c.query(\`${sql}\`, [1]); }`;

const silent = (name: string, sql: string): ValidCase => ({ name: `${name}: ${sql}`, code: sending(sql) });
function reported(sql: string, messageId: string, data: Readonly<Record<string, string>> = {}, lock = 'pg_advisory_xact_lock($1)'): InvalidCase {
  const code = sending(sql);
  return { name: sql, code, errors: [errorAt(code, lock, { messageId, data: { fn: lock.slice(0, lock.indexOf('(')), ...data } })] };
}

const perDriver = forEveryDriver(
  ({ connection }, name): { bad: InvalidCase; good: ValidCase } => {
    const lock = 'pg_advisory_xact_lock(7)';
    const bad = connection.wrap(`return ${connection.send(`WITH l AS MATERIALIZED (SELECT ${lock}) UPDATE jobs SET state = 1 FROM l`)};`);
    return {
      bad: { name: `a lock in an UPDATE, sent by ${name}`, drivers: [name], code: bad, errors: [errorAt(bad, lock, { messageId: 'write', data: { fn: 'pg_advisory_xact_lock' } })] },
      good: {
        name: `a lock in a statement before the UPDATE, sent by ${name}`,
        drivers: [name],
        code: connection.wrap(`await ${connection.send(`SELECT ${lock}`)};\n  return ${connection.send('UPDATE jobs SET state = 1')};`),
      },
    };
  },
  ['mysql2'],
);

/** A call that opens a transaction with an option, of each library; `LEVEL` stands for the option's value. */
const optioned: readonly (readonly [DriverName | 'zapatos', string, string, string])[] = [
  ['postgres.js', "import postgres from 'postgres';\nconst sql = postgres();\nexport const run = () => sql.begin(LEVEL, async (tx) => { await LOCK; });", "'isolation level serializable'", 'tx`SELECT pg_advisory_xact_lock(7)`'],
  [
    'prisma',
    "import { Prisma, PrismaClient } from '@prisma/client';\nconst prisma = new PrismaClient();\nexport const run = () => prisma.$transaction(async (tx) => { await LOCK; }, { isolationLevel: LEVEL });",
    'Prisma.TransactionIsolationLevel.Serializable',
    'tx.$executeRaw`SELECT pg_advisory_xact_lock(7)`',
  ],
  [
    'drizzle',
    "import { drizzle } from 'drizzle-orm/node-postgres';\nimport { sql } from 'drizzle-orm';\nconst db = drizzle(process.env.URL);\nexport const run = () => db.transaction(async (tx) => { await LOCK; }, { isolationLevel: LEVEL });",
    "'serializable'",
    'tx.execute(sql`SELECT pg_advisory_xact_lock(7)`)',
  ],
  [
    'knex',
    "import knex from 'knex';\nconst db = knex({ client: 'pg' });\nexport const run = () => db.transaction(async (tx) => { await LOCK; }, { isolationLevel: LEVEL });",
    "'serializable'",
    "tx.raw('SELECT pg_advisory_xact_lock(7)')",
  ],
  [
    'kysely',
    "import { Kysely, PostgresDialect, sql } from 'kysely';\nconst db = new Kysely({ dialect: new PostgresDialect({}) });\nexport const run = () => db.transaction().setIsolationLevel(LEVEL).execute(async (tx) => { await LOCK; });",
    "'serializable'",
    'sql`SELECT pg_advisory_xact_lock(7)`.execute(tx)',
  ],
  [
    'typeorm',
    "import { DataSource } from 'typeorm';\nconst source = new DataSource({ type: 'postgres' });\nexport const run = () => source.transaction(LEVEL, async (tx) => { await LOCK; });",
    "'SERIALIZABLE'",
    "tx.query('SELECT pg_advisory_xact_lock(7)')",
  ],
  [
    'sequelize',
    "import { Sequelize, Transaction } from 'sequelize';\nconst sequelize = new Sequelize('postgres://localhost/app');\nexport const run = () => sequelize.transaction({ isolationLevel: LEVEL }, async (transaction) => { await LOCK; });",
    'Transaction.ISOLATION_LEVELS.SERIALIZABLE',
    "sequelize.query('SELECT pg_advisory_xact_lock(7)', { transaction })",
  ],
  [
    'zapatos',
    "import * as db from 'zapatos/db';\nimport { Pool } from 'pg';\nconst pool = new Pool();\nexport const run = () => db.transaction(pool, LEVEL, async (tx) => { await LOCK; });",
    'db.IsolationLevel.Serializable',
    'db.sql`SELECT pg_advisory_xact_lock(7)`.run(tx)',
  ],
];

const options = optioned.map(([name, template, level, lock]): { bad: InvalidCase; good: ValidCase } => {
  const codeAt = (value: string): string => template.replace('LEVEL', value).replace('LOCK', lock);
  const code = codeAt(level);
  const line = code.slice(0, code.indexOf(level)).split('\n').length;
  return {
    bad: {
      name: `a transaction opened with an isolation option by ${name}`,
      code,
      errors: [errorAt(code, lock, { messageId: 'isolation', data: { fn: 'pg_advisory_xact_lock', level: 'SERIALIZABLE', line } })],
    },
    good: { name: `a transaction opened with READ COMMITTED by ${name}`, code: codeAt(level.replace(/serializable/i, 'read committed').replace(/\.read committed/, '.ReadCommitted')) },
  };
});

const inFunction = (...statements: readonly string[]): string => `import type { PoolClient } from 'pg';
export async function run(c: PoolClient, strict: boolean, other: PoolClient) {
${statements.map((statement) => `  ${statement}\n`).join('')}}`;
const lockCall = "c.query('SELECT pg_advisory_xact_lock(7)')";
const isolated = (level: string, line: number, ...statements: readonly string[]): InvalidCase => {
  const code = inFunction(...statements, `await ${lockCall};`);
  return { name: statements.join(' '), code, errors: [errorAt(code, lockCall, { messageId: 'isolation', data: { fn: 'pg_advisory_xact_lock', level, line } })] };
};
const unisolated = (...statements: readonly string[]): ValidCase => ({ name: statements.join(' '), code: inFunction(...statements, `await ${lockCall};`) });

runRuleTests(rule, {
  notApplicable: { mysql2: 'GET_LOCK has a time-out and answers: it is a try-lock' },
  valid: [
    ...perDriver.map(({ good }) => good),
    ...options.map(({ good }) => good),

    silent('the lock alone', 'SELECT pg_advisory_xact_lock($1)'),
    silent('the lock and its key', 'SELECT id, pg_advisory_xact_lock(id) FROM accounts'),
    silent('the lock and the columns of its key', 'SELECT a.kind, a.id AS account, pg_advisory_xact_lock(hashtext(a.kind), a.id) FROM accounts a'),
    silent('a key under other names', 'SELECT q.k, pg_advisory_xact_lock(q.k) FROM (SELECT id AS k, balance FROM accounts) q'),
    silent('a column that WHERE fixes', 'SELECT id, pg_advisory_xact_lock($1) FROM accounts WHERE id = $1'),
    silent('no table', 'SELECT pg_advisory_xact_lock($1), now(), $1 AS id'),
    silent('rows of a function', 'SELECT k, pg_advisory_xact_lock(k) FROM unnest($1::bigint[]) AS k ORDER BY k'),
    silent('a number of locks', 'SELECT count(*) FROM (SELECT pg_advisory_xact_lock(id) FROM accounts) s'),
    silent('a try-lock', 'SELECT balance FROM accounts WHERE id = $1 AND pg_try_advisory_xact_lock($1)'),
    silent('a try-lock in a write', 'UPDATE accounts SET balance = 0 WHERE id = $1 AND pg_try_advisory_xact_lock($1)'),
    silent('a lock that is never taken', 'WITH l AS (SELECT pg_advisory_xact_lock($1)) UPDATE accounts SET balance = 0'),
    silent('FOR UPDATE, which reads again', 'SELECT balance, pg_advisory_xact_lock(id) FROM accounts WHERE kind = $1 FOR UPDATE'),
    silent('statements that follow each other', 'SELECT pg_advisory_xact_lock(1); UPDATE accounts SET balance = 0'),
    silent('PL/pgSQL, where each statement has a snapshot', 'DO $$ BEGIN PERFORM pg_advisory_xact_lock(1); UPDATE accounts SET balance = 0; END $$'),
    silent('an unlock in a write', 'UPDATE leases SET freed = pg_advisory_unlock(key) WHERE key = $1'),
    silent('a look-alike', 'UPDATE jobs SET note = app.my_pg_advisory_xact_lock(1)'),
    silent('SQL that does not parse', 'UPDATE SET jobs note = pg_advisory_xact_lock(1)'),
    silent('a session lock in SERIALIZABLE', 'BEGIN ISOLATION LEVEL SERIALIZABLE; SELECT pg_advisory_lock(1); COMMIT'),
    silent('a try-lock in SERIALIZABLE', 'BEGIN ISOLATION LEVEL SERIALIZABLE; SELECT pg_try_advisory_xact_lock(1); COMMIT'),
    silent('READ COMMITTED', 'BEGIN ISOLATION LEVEL READ COMMITTED; SELECT pg_advisory_xact_lock(1); COMMIT'),
    silent('a level that a new transaction does not have', 'BEGIN ISOLATION LEVEL SERIALIZABLE; COMMIT; BEGIN; SELECT pg_advisory_xact_lock(1); COMMIT'),
    { name: 'MySQL', code: "import mysql from 'mysql2/promise';\nexport async function run(c: mysql.Connection) { await c.query(\"UPDATE jobs SET ok = GET_LOCK('a', 1)\"); }" },
    { name: 'an unknown handle in a transaction of unknown level', code: "export async function run(c) { await c.query('BEGIN'); await c.query('SELECT pg_advisory_xact_lock(7)'); }" },

    unisolated("await c.query('BEGIN');"),
    unisolated("await other.query('BEGIN ISOLATION LEVEL SERIALIZABLE');"),
    unisolated("await c.query('BEGIN ISOLATION LEVEL SERIALIZABLE');", "await c.query('COMMIT');", "await c.query('BEGIN');"),
    unisolated("await c.query(strict ? 'BEGIN ISOLATION LEVEL SERIALIZABLE' : 'BEGIN');"),
    unisolated("await c.query('BEGIN');", "if (strict) await c.query('SET TRANSACTION ISOLATION LEVEL SERIALIZABLE');"),
    unisolated("await c.query('SET TRANSACTION ISOLATION LEVEL SERIALIZABLE');"),
    unisolated("await c.query(`BEGIN ISOLATION LEVEL ${strict}`);"),
  ],
  invalid: [
    ...perDriver.map(({ bad }) => bad),
    ...options.map(({ bad }) => bad),

    reported('UPDATE accounts SET balance = 0 FROM (SELECT pg_advisory_xact_lock($1)) l', 'write'),
    reported('UPDATE accounts SET balance = 0 WHERE id = $1 AND pg_advisory_xact_lock($1) IS NULL', 'write'),
    reported('INSERT INTO tickets SELECT max(number) + 1 FROM tickets, (SELECT pg_advisory_xact_lock($1)) l', 'write'),
    reported('INSERT INTO locked SELECT id FROM jobs, LATERAL (SELECT pg_advisory_xact_lock(jobs.id)) l', 'write', {}, 'pg_advisory_xact_lock(jobs.id)'),
    reported('UPDATE accounts SET balance = 0 RETURNING pg_advisory_xact_lock($1)', 'write'),
    reported('DELETE FROM jobs WHERE id = $1 AND pg_advisory_lock(id) IS NULL', 'write', {}, 'pg_advisory_lock(id)'),
    reported('WITH l AS MATERIALIZED (SELECT pg_advisory_xact_lock($1)), u AS (UPDATE jobs SET a = 1 FROM l) SELECT 1', 'write'),
    reported('WITH l AS MATERIALIZED (SELECT pg_advisory_xact_lock($1)) INSERT INTO t SELECT coalesce(max(n), 0) FROM l LEFT JOIN t ON true RETURNING n', 'write'),

    reported('SELECT balance, pg_advisory_xact_lock($1) FROM accounts WHERE id = $1', 'read', { column: 'column `balance`' }),
    reported('SELECT *, pg_advisory_xact_lock(id) FROM accounts', 'read', { column: 'every column of a table' }, 'pg_advisory_xact_lock(id)'),
    reported('SELECT q.balance, pg_advisory_xact_lock(q.id) FROM (SELECT id, balance FROM accounts LIMIT 1) q', 'read', { column: 'column `balance`' }, 'pg_advisory_xact_lock(q.id)'),
    reported('WITH l AS (SELECT pg_advisory_xact_lock($1)) SELECT max(a.number) FROM l, accounts a', 'read', { column: 'column `number`' }),
    reported('SELECT pg_advisory_xact_lock_shared($1), (SELECT balance FROM accounts WHERE id = $1)', 'read', { column: 'column `balance`' }, 'pg_advisory_xact_lock_shared($1)'),
    reported('SELECT pg_advisory_lock(a.id), b.balance FROM accounts a JOIN balances b USING (id)', 'read', { column: 'column `balance`' }, 'pg_advisory_lock(a.id)'),

    isolated('SERIALIZABLE', 3, "await c.query('BEGIN ISOLATION LEVEL SERIALIZABLE');"),
    isolated('REPEATABLE READ', 4, "await c.query('BEGIN');", "await c.query('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ');"),
    isolated('SERIALIZABLE', 3, "await c.query('BEGIN ISOLATION LEVEL SERIALIZABLE');", "try { await c.query('SELECT 1'); } catch (e) { await c.query('ROLLBACK'); throw e; }"),
    isolated('SERIALIZABLE', 5, "await c.query('BEGIN');", "await c.query('COMMIT');", "await c.query('START TRANSACTION ISOLATION LEVEL SERIALIZABLE');"),
    {
      name: 'the level in the same text',
      code: sending('BEGIN ISOLATION LEVEL SERIALIZABLE; SELECT pg_advisory_xact_lock(1); COMMIT'),
      errors: [
        errorAt(sending('BEGIN ISOLATION LEVEL SERIALIZABLE; SELECT pg_advisory_xact_lock(1); COMMIT'), 'c.query(`BEGIN ISOLATION LEVEL SERIALIZABLE; SELECT pg_advisory_xact_lock(1); COMMIT`, [1])', {
          messageId: 'isolation',
          data: { fn: 'pg_advisory_xact_lock', level: 'SERIALIZABLE', line: 2 },
        }),
      ],
    },
    {
      name: "a query runner's transaction",
      code: "import { DataSource } from 'typeorm';\nexport async function run(source: DataSource) {\n  const runner = source.createQueryRunner();\n  await runner.startTransaction('REPEATABLE READ');\n  await runner.query('SELECT pg_advisory_xact_lock(7)');\n}",
      errors: [{ messageId: 'isolation', data: { fn: 'pg_advisory_xact_lock', level: 'REPEATABLE READ', line: 4 }, line: 5, column: 9, endLine: 5, endColumn: 56 }],
    },
    {
      name: "Zapatos's function named after its level",
      code: "import * as db from 'zapatos/db';\nimport { Pool } from 'pg';\nconst pool = new Pool();\nexport const run = () => db.serializable(pool, async (tx) => {\n  await db.sql`SELECT pg_advisory_xact_lock(7)`.run(tx);\n});",
      errors: [{ messageId: 'isolation', data: { fn: 'pg_advisory_xact_lock', level: 'SERIALIZABLE', line: 4 }, line: 5, column: 9, endLine: 5, endColumn: 56 }],
    },
    {
      name: "a lock in a condition of a builder's UPDATE",
      code: "import type { Knex } from 'knex';\nexport const run = (trx: Knex.Transaction) => trx('jobs').update({ done: true }).whereRaw('pg_advisory_xact_lock(id) is null');",
      errors: [errorAt("import type { Knex } from 'knex';\nexport const run = (trx: Knex.Transaction) => trx('jobs').update({ done: true }).whereRaw('pg_advisory_xact_lock(id) is null');", 'pg_advisory_xact_lock(id)', { messageId: 'write', data: { fn: 'pg_advisory_xact_lock' } })],
    },
    {
      name: 'an unknown handle that sends the write itself',
      code: "export const run = (c) => c.query('UPDATE jobs SET a = 1 WHERE pg_advisory_xact_lock(id) IS NULL');",
      errors: [errorAt("export const run = (c) => c.query('UPDATE jobs SET a = 1 WHERE pg_advisory_xact_lock(id) IS NULL');", 'pg_advisory_xact_lock(id)', { messageId: 'write', data: { fn: 'pg_advisory_xact_lock' } })],
    },
  ],
});
