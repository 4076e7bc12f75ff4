import rule from '../../rules/no-void-lock-result.js';
import { runRuleTests, type ExpectedSuggestion, type InvalidCase, type ValidCase } from '../rule-tester.js';
import { errorAt } from './error-at.js';

const prismaHead = "import { PrismaClient } from '@prisma/client';\nconst prisma = new PrismaClient();\n";
const inTransaction = (body: string): string => `${prismaHead}export const run = (id: number) => prisma.$transaction(async (tx) => { ${body} });`;
const promiseHead = "import pgPromise from 'pg-promise';\nconst db = pgPromise()('postgres://localhost/app');\n";
const withTask = (body: string): string => `${promiseHead}export const run = (id: number) => db.tx(async (t) => { ${body} });`;

const prismaCure = 'Use `$executeRaw`, or cast the call to text.';
const promiseCure = 'Use `any`.';

interface Case {
  readonly name: string;
  readonly code: string;
  readonly call: string;
  readonly fn?: string;
  readonly method?: string;
  readonly cure?: string;
  readonly drivers?: readonly [string];
  /** What the suggestion makes of the call. */
  readonly becomes?: string;
}

function rejected({ name, code, call, fn = 'pg_advisory_xact_lock', method = '$queryRaw', cure = prismaCure, drivers, becomes }: Case): InvalidCase {
  const tolerant = /Use `(.*?)`/.exec(cure)?.[1] ?? '';
  const suggestions: ExpectedSuggestion[] | undefined =
    becomes === undefined ? undefined : [{ messageId: 'replace', data: { tolerant }, output: code.replace(call, () => becomes) }];
  return {
    name,
    code,
    ...(drivers && { drivers }),
    errors: [errorAt(code, call, { messageId: cure === promiseCure ? 'row' : 'void', data: { fn, method, cure }, ...(suggestions && { suggestions }) })],
  };
}
const silent = (name: string, code: string, drivers?: readonly [string]): ValidCase => ({ name, code, ...(drivers && { drivers }) });

const reads = 'reads a column of type void as an empty string';

runRuleTests(rule, {
  notApplicable: { pg: reads, 'postgres.js': reads, drizzle: reads, knex: reads, kysely: reads, typeorm: reads, sequelize: reads, mysql2: 'GET_LOCK returns a number' },
  valid: [
    silent('$executeRaw', inTransaction('await tx.$executeRaw`SELECT pg_advisory_xact_lock(${id})`;'), ['prisma']),
    silent('a cast to text', inTransaction('await tx.$queryRaw`SELECT pg_advisory_xact_lock(${id})::text`;')),
    silent('a comparison', inTransaction('await tx.$queryRaw`SELECT pg_advisory_xact_lock(${id}) IS NULL AS ok`;')),
    silent('a subquery that nobody reads', inTransaction('await tx.$queryRaw`SELECT 1 AS ok FROM (SELECT pg_advisory_xact_lock(${id})) l`;')),
    silent('a function in FROM that nobody reads', inTransaction('await tx.$queryRaw`SELECT 1 AS ok FROM pg_advisory_xact_lock(${id})`;')),
    silent('an aggregate', inTransaction('await tx.$queryRaw`SELECT count(pg_advisory_xact_lock(id)) FROM jobs`;')),
    silent('a try-lock', inTransaction('await tx.$queryRaw`SELECT pg_try_advisory_xact_lock(${id}) AS ok`;')),
    silent('an unlock', 'import type { PrismaClient } from "@prisma/client";\nexport const run = (p: PrismaClient) => p.$queryRaw`SELECT pg_advisory_unlock(1)`;'),
    silent('a DO block', inTransaction('await tx.$queryRawUnsafe("DO $$ BEGIN PERFORM pg_advisory_xact_lock(1); END $$");')),
    silent('a statement that is never sent', `${prismaHead}export function run() { prisma.$queryRaw\`SELECT pg_advisory_xact_lock(1)\`; }`),
    silent('a look-alike', inTransaction('await tx.$queryRaw`SELECT app.my_pg_advisory_xact_lock(${id})`;')),
    silent('text that does not parse', inTransaction('await tx.$queryRaw`SELECT FROM pg_advisory_xact_lock(1) FROM`;')),
    silent('an unknown handle with a method of another name', 'export const run = (db) => db.query("SELECT pg_advisory_xact_lock(1)");'),
    silent('pg-promise: any', withTask("await t.any('SELECT pg_advisory_xact_lock($1)', [id]);")),
    silent('pg-promise: a DO block', withTask("await t.none('DO $$ BEGIN PERFORM pg_advisory_xact_lock(1); END $$');")),
    silent('pg-promise: a row that OFFSET skips', withTask("await t.none('SELECT FROM (SELECT pg_advisory_xact_lock($1)) x OFFSET 1', [id]);")),
    silent('pg-promise: not the last of several statements', withTask("await t.none('SELECT pg_advisory_xact_lock(1); UPDATE jobs SET a = 1');")),
    silent('pg-promise: an UPDATE without RETURNING', withTask("await t.none('UPDATE jobs SET a = 1 FROM (SELECT pg_advisory_xact_lock(1)) l');")),
  ],
  invalid: [
    ...["`export:${id}`", "'export:' + id", "'export:all'"].map((key) =>
      rejected({
        name: `a key of text, which the tag binds whatever it says: ${key}`,
        drivers: ['prisma'],
        code: inTransaction(`const key = ${key}; await tx.$queryRaw\`SELECT pg_advisory_xact_lock(hashtextextended(\${key}, 0))\`;`),
        call: 'tx.$queryRaw`SELECT pg_advisory_xact_lock(hashtextextended(${key}, 0))`',
        becomes: 'tx.$executeRaw`SELECT pg_advisory_xact_lock(hashtextextended(${key}, 0))`',
      }),
    ),
    rejected({
      name: 'a lock through $queryRaw',
      drivers: ['prisma'],
      code: inTransaction('await tx.$queryRaw`SELECT pg_advisory_xact_lock(${id})`;'),
      call: 'tx.$queryRaw`SELECT pg_advisory_xact_lock(${id})`',
      becomes: 'tx.$executeRaw`SELECT pg_advisory_xact_lock(${id})`',
    }),
    rejected({
      name: 'type arguments, which $executeRaw does not have',
      code: inTransaction('await tx.$queryRaw<unknown[]>`SELECT pg_advisory_xact_lock(${id})`;'),
      call: 'tx.$queryRaw<unknown[]>`SELECT pg_advisory_xact_lock(${id})`',
      becomes: 'tx.$executeRaw`SELECT pg_advisory_xact_lock(${id})`',
    }),
    rejected({
      name: '$queryRawUnsafe',
      code: inTransaction("await tx.$queryRawUnsafe('SELECT pg_advisory_xact_lock($1)', id);"),
      call: "tx.$queryRawUnsafe('SELECT pg_advisory_xact_lock($1)', id)",
      method: '$queryRawUnsafe',
      cure: 'Use `$executeRawUnsafe`, or cast the call to text.',
      becomes: "tx.$executeRawUnsafe('SELECT pg_advisory_xact_lock($1)', id)",
    }),
    rejected({
      name: 'a result that is used',
      code: inTransaction('const rows = await tx.$queryRaw`SELECT pg_advisory_xact_lock(${id})`; return rows;'),
      call: 'tx.$queryRaw`SELECT pg_advisory_xact_lock(${id})`',
    }),
    rejected({
      name: 'every column of a function in FROM',
      code: inTransaction('return tx.$queryRaw`SELECT * FROM pg_advisory_xact_lock(${id})`;'),
      call: 'tx.$queryRaw`SELECT * FROM pg_advisory_xact_lock(${id})`',
    }),
    rejected({
      name: 'an alias',
      code: inTransaction('return tx.$queryRaw`SELECT pg_advisory_xact_lock(${id}) AS locked`;'),
      call: 'tx.$queryRaw`SELECT pg_advisory_xact_lock(${id}) AS locked`',
    }),
    rejected({
      name: 'a session lock through the pool',
      code: `${prismaHead}export const run = () => prisma.$queryRaw\`SELECT pg_advisory_lock(1)\`;`,
      call: 'prisma.$queryRaw`SELECT pg_advisory_lock(1)`',
      fn: 'pg_advisory_lock',
    }),
    rejected({
      name: 'a release of everything',
      code: `${prismaHead}export const run = () => prisma.$queryRaw\`SELECT pg_advisory_unlock_all()\`;`,
      call: 'prisma.$queryRaw`SELECT pg_advisory_unlock_all()`',
      fn: 'pg_advisory_unlock_all',
    }),
    rejected({
      name: 'an array transaction',
      code: `${prismaHead}export const run = () => prisma.$transaction([prisma.$queryRaw\`SELECT pg_advisory_xact_lock(1)\`, prisma.job.deleteMany()]);`,
      call: 'prisma.$queryRaw`SELECT pg_advisory_xact_lock(1)`',
    }),
    rejected({
      name: 'a handle of unknown origin, whose method only Prisma has',
      code: 'import { prisma } from "./db";\nexport const run = () => prisma.$queryRaw`SELECT pg_advisory_xact_lock(1)`;',
      call: 'prisma.$queryRaw`SELECT pg_advisory_xact_lock(1)`',
    }),
    rejected({
      name: 'pg-promise: none',
      code: withTask("await t.none('SELECT pg_advisory_xact_lock($1)', [id]);"),
      call: "t.none('SELECT pg_advisory_xact_lock($1)', [id])",
      method: 'none',
      cure: promiseCure,
      becomes: "t.any('SELECT pg_advisory_xact_lock($1)', [id])",
    }),
    rejected({
      name: 'pg-promise: none for a lock in a WITH query',
      code: withTask("return t.none('WITH l AS (SELECT pg_advisory_xact_lock($1)) SELECT 1 FROM l', [id]);"),
      call: "t.none('WITH l AS (SELECT pg_advisory_xact_lock($1)) SELECT 1 FROM l', [id])",
      method: 'none',
      cure: promiseCure,
    }),
  ],
});
