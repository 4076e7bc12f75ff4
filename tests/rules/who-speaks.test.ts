import * as parser from '@typescript-eslint/parser';
import { Linter } from 'eslint';
import { createPlugin } from '../../src/plugin.js';

/**
 * Several rules could say something about one lock; these say who does. Opinions are left out: they speak where nothing is
 * wrong.
 */
const opinions: readonly string[] = ['prefer-xact-lock', 'no-session-lock'];
/** Without a limit an acquire has no time-out whose path could be forgotten; rows about limits ask for this rule as well. */
const limits = 'require-lock-timeout';

const plugin = createPlugin();
const all = Object.keys(plugin.rules).filter((name) => !opinions.includes(name));
const withoutLimits = all.filter((name) => name !== limits);

/** Rule and line of every report, in source order; several reports of one rule on a line count once. */
function speakers(code: string, names: readonly string[]): string[] {
  const rules = Object.fromEntries(names.map((name) => [`advisory-lock/${name}`, 'error'] as const));
  const messages = new Linter().verify(code, [{ files: ['**/*.ts'], languageOptions: { parser }, plugins: { 'advisory-lock': plugin }, rules }], 'table.ts');
  return [...new Set(messages.map(({ ruleId, line, message }) => `${ruleId?.replace('advisory-lock/', '') ?? message} ${line}`))].sort();
}

const pool = "import { Pool } from 'pg';\nconst pool = new Pool();\n";
const owner = (body: string): string => `${pool}export async function run(work: (c?: unknown) => Promise<void>) {\n  const c = await pool.connect();\n${body}\n}`;

interface Row {
  readonly situation: string;
  readonly code: string;
  readonly asksForLimits?: boolean;
  /** `rule line`, sorted; nobody else speaks. */
  readonly speaks: readonly string[];
}

const unlockRead = "if (!(await c.query('SELECT pg_advisory_unlock(7) AS ok')).rows[0].ok) console.warn('lost');";

const table: readonly Row[] = [
  {
    situation: 'taken and released through a pool',
    code: `${pool}export async function run(work: () => Promise<void>) {\n  await pool.query('SELECT pg_advisory_lock(7)');\n  if (Math.random() > 1) return;\n  await work();\n  const { rows } = await pool.query('SELECT pg_advisory_unlock_shared(7) AS ok');\n  return rows[0].ok;\n}`,
    speaks: ['no-pool-session-lock 4', 'no-pool-session-lock 7'],
  },
  {
    situation: 'taken through a pool, in a loop, with more pool queries under it',
    code: `${pool}export async function run(ids: number[]) {\n  for (const id of ids) {\n    await pool.query('SELECT pg_advisory_lock(7)');\n    await pool.query('UPDATE job SET n = n + 1 WHERE id = $1', [id]);\n  }\n}`,
    speaks: ['no-pool-session-lock 5'],
  },
  {
    situation: 'through a pool, its answer dropped: the rule about results speaks, too',
    code: `${pool}export const run = () => pool.query('SELECT pg_advisory_unlock(7)').then(() => undefined);`,
    speaks: ['no-ignored-unlock-result 3', 'no-pool-session-lock 3'],
  },
  {
    situation: 'taken on a connection and released through the pool',
    code: owner("  await c.query('SELECT pg_advisory_lock(7)');\n  try { await work(); } finally {\n    if (!(await pool.query('SELECT pg_advisory_unlock(7) AS ok')).rows[0].ok) console.warn('lost');\n    c.release();\n  }"),
    speaks: ['no-pool-session-lock 7'],
  },
  {
    situation: 'one shared connection',
    code: "import { Client } from 'pg';\nconst c = new Client();\nc.on('error', console.error);\nexport async function run(work: () => Promise<void>) {\n  await c.query('SELECT pg_advisory_lock(7)');\n  await work();\n  return (await c.query('SELECT pg_advisory_unlock(7) AS ok')).rows[0].ok;\n}",
    speaks: ['no-shared-session-lock 5'],
  },
  {
    situation: 'one shared connection, in a loop',
    code: "import { Client } from 'pg';\nconst c = new Client();\nc.on('error', console.error);\nexport async function run(jobs: (() => Promise<void>)[]) {\n  for (const job of jobs) {\n    await c.query('SELECT pg_advisory_lock(7)');\n    await job();\n  }\n  return (await c.query('SELECT pg_advisory_unlock(7) AS ok')).rows[0].ok;\n}",
    speaks: ['no-shared-session-lock 6'],
  },
  {
    situation: 'an unlock exists, a path misses it',
    code: owner(`  try {\n    await c.query('SELECT pg_advisory_lock(7)');\n    await work();\n    ${unlockRead}\n  } finally {\n    c.release();\n  }`),
    speaks: ['require-unlock 6'],
  },
  {
    situation: 'no unlock, and the connection goes back',
    code: owner("  try {\n    await c.query('SELECT pg_advisory_lock(7)');\n    await work();\n  } finally {\n    c.release();\n  }"),
    speaks: ['no-release-while-locked 9'],
  },
  {
    situation: 'given back before the unlock',
    code: owner(`  await c.query('SELECT pg_advisory_lock(7)');\n  try { await work(); } finally {\n    c.release();\n    ${unlockRead}\n  }`),
    speaks: ['no-release-while-locked 7'],
  },
  {
    situation: "the unlock's rejection is swallowed",
    code: owner(`  await c.query('SELECT pg_advisory_lock(7)');\n  try { await work(); } finally {\n    try {\n      ${unlockRead}\n    } catch (error) {\n      console.error(error);\n    }\n    c.release();\n  }`),
    speaks: ['no-release-while-locked 12'],
  },
  {
    situation: 'the unlock is skipped because a signal is aborted',
    code: `${pool}export async function run(work: () => Promise<void>, signal: AbortSignal) {\n  const c = await pool.connect();\n  await c.query('SELECT pg_advisory_lock(7)');\n  try { await work(); } finally {\n    signal.throwIfAborted();\n    ${unlockRead}\n    c.release();\n  }\n}`,
    speaks: ['no-abortable-unlock 8'],
  },
  {
    situation: 'the unlock is left out by `return` because a signal is aborted',
    code: `${pool}export async function run(work: () => Promise<void>, signal: AbortSignal) {\n  const c = await pool.connect();\n  try {\n    await c.query('SELECT pg_advisory_lock(7)');\n    try { await work(); } finally {\n      if (!signal.aborted) ${unlockRead}\n    }\n  } finally { c.release(); }\n}`,
    speaks: ['no-abortable-unlock 8'],
  },
  {
    situation: 'a session lock in a transaction, unlocked on every path',
    code: owner(`  try {\n    await c.query('BEGIN');\n    await c.query('SELECT pg_advisory_lock(7)');\n    try { await work(); } finally {\n      ${unlockRead}\n    }\n    await c.query('COMMIT');\n  } catch (error) { await c.query('ROLLBACK'); throw error; } finally { c.release(); }`),
    speaks: ['no-session-lock-in-transaction 7', 'no-session-lock-in-transaction 9'],
  },
  {
    situation: 'a session lock in a transaction, and a path misses the unlock',
    code: owner(`  try {\n    await c.query('BEGIN');\n    await c.query('SELECT pg_advisory_lock(7)');\n    await work();\n    ${unlockRead}\n    await c.query('COMMIT');\n  } catch (error) { await c.query('ROLLBACK'); throw error; } finally { c.release(); }`),
    speaks: ['no-session-lock-in-transaction 7', 'no-session-lock-in-transaction 9', 'require-unlock 7'],
  },
  {
    situation: "a session lock in a Prisma transaction, whose time-out can skip the unlock",
    code: "import { PrismaClient } from '@prisma/client';\nconst prisma = new PrismaClient();\nexport const run = (work: () => Promise<void>) =>\n  prisma.$transaction(async (t) => {\n    await t.$executeRaw`SET LOCAL lock_timeout = '3s'`;\n    await t.$executeRaw`SELECT pg_advisory_lock(7)`;\n    try { await work(); } finally {\n      const [row] = await t.$queryRaw<{ ok: boolean }[]>`SELECT pg_advisory_unlock(7) AS ok`;\n      if (!row?.ok) console.warn('lost');\n    }\n  });",
    speaks: ['no-session-lock-in-transaction 6', 'no-session-lock-in-transaction 8'],
  },
  {
    situation: 'an acquire that may be abandoned',
    asksForLimits: true,
    code: "import { Pool } from 'pg';\nconst pool = new Pool();\nexport async function run(work: () => Promise<void>, late: Promise<never>) {\n  const c = await pool.connect();\n  await Promise.race([c.query('SELECT pg_advisory_lock(7)'), late]);\n  try { await work(); } finally {\n    " + unlockRead + '\n    c.release();\n  }\n}',
    speaks: ['no-raced-lock-acquire 5'],
  },
  {
    situation: 'a transaction lock in autocommit',
    asksForLimits: true,
    code: "import { Pool } from 'pg';\nconst pool = new Pool();\nexport async function run(work: () => Promise<void>) {\n  await pool.query('SELECT pg_advisory_xact_lock(7)');\n  await work();\n}",
    speaks: ['no-xact-lock-outside-transaction 4'],
  },
  {
    situation: 'a lock in WHERE with LIMIT',
    code: "import type { Client } from 'pg';\nexport async function claim(c: Client) {\n  await c.query('BEGIN');\n  const { rows } = await c.query('SELECT id FROM job WHERE pg_try_advisory_xact_lock(id) ORDER BY created LIMIT 1');\n  return rows;\n}",
    speaks: ['no-lock-in-filter 4', 'no-lock-with-limit 4'],
  },
  {
    situation: 'an unlock that does not match',
    code: owner("  await c.query('SELECT pg_advisory_lock(7)');\n  try { await work(); } finally {\n    if (!(await c.query('SELECT pg_advisory_unlock_shared(7) AS ok')).rows[0].ok) console.warn('lost');\n    c.release();\n  }"),
    speaks: ['no-mismatched-unlock 7'],
  },
  {
    situation: 'an unlock through the pool of a lock that a connection of it holds',
    code: owner("  try {\n    await c.query('SELECT pg_advisory_lock(7)');\n    await work();\n  } finally {\n    const { rows } = await pool.query('SELECT pg_advisory_unlock(7) AS ok');\n    if (!rows[0].ok) console.warn('lost');\n    c.release();\n  }"),
    speaks: ['no-pool-session-lock 9'],
  },
  {
    situation: 'an unlock of a transaction lock, in its transaction',
    code: owner(`  try {\n    await c.query('BEGIN');\n    await c.query('SELECT pg_advisory_xact_lock(7)');\n    await work();\n    ${unlockRead}\n    await c.query('COMMIT');\n  } catch (error) { await c.query('ROLLBACK'); throw error; } finally { c.release(); }`),
    speaks: ['no-mismatched-unlock 9'],
  },
  {
    situation: 'a polling loop that falls through, and an unlock behind it',
    code: owner(`  try {\n    for (let i = 0; i < 9; i++) {\n      const { rows } = await c.query('SELECT pg_try_advisory_lock(7) AS ok');\n      if (rows[0].ok) break;\n    }\n    try { await work(); } finally {\n      ${unlockRead}\n    }\n  } finally { c.release(); }`),
    speaks: ['no-ignored-try-lock-result 7'],
  },
];

describe('about one lock', () => {
  it.each(table.map((row) => [row.situation, row] as const))('speaks who has to: %s', (_, { code, asksForLimits, speaks }) => {
    expect(speakers(code, asksForLimits ? all : withoutLimits), code).toEqual(speaks);
  });

  it('prefer-xact-lock is silent about a session lock in a transaction', () => {
    const inTransaction = table.filter(({ situation }) => situation.startsWith('a session lock in a'));
    expect(inTransaction.flatMap(({ code }) => speakers(code, ['prefer-xact-lock']))).toEqual([]);
  });
});
