import rule from '../../rules/no-abortable-unlock.js';
import { runRuleTests, type InvalidCase, type ValidCase } from '../rule-tester.js';
import { forEveryDriver, lockSql } from './contexts.js';
import { errorAt } from './error-at.js';

const perDriver = forEveryDriver(({ connection, dialect }, name): { bad: InvalidCase; good: ValidCase } => {
  const sql = lockSql(dialect);
  const unlock = connection.send(sql.unlock);
  const code = connection.wrap(`await ${connection.send(sql.tryLock)};\n  try { await work(); } finally {\n    signal.throwIfAborted();\n    await ${unlock};\n  }`);
  const line = code.split('\n').findIndex((written) => written.includes('throwIfAborted')) + 1;
  return {
    bad: {
      name: `an unlock of ${name} behind a check of the signal`,
      drivers: [name],
      code,
      errors: [errorAt(code, unlock, { messageId: 'checked', data: { fn: sql.unlockName, signal: '`signal`', line } })],
    },
    good: {
      name: `an unlock of ${name} that no check can skip`,
      drivers: [name],
      code: connection.wrap(`signal.throwIfAborted();\n  await ${connection.send(sql.tryLock)};\n  try { await work(); signal.throwIfAborted(); } finally { await ${unlock}; }`),
    },
  };
});

const kysely = (options: string, before = ''): string =>
  `import { type Kysely, sql } from 'kysely';\nexport const run = (db: Kysely<any>, request: Request, signal: AbortSignal) => db.connection().execute(async (c) => {\n  ${before}await sql\`SELECT pg_advisory_unlock(1)\`.execute(c${options});\n});`;
const unlockOf = (options: string): string => `sql\`SELECT pg_advisory_unlock(1)\`.execute(c${options})`;
const pg = (cleanup: string, parameters = 'c: Client, signal: AbortSignal'): string =>
  `import { Client } from 'pg';\nexport async function run(${parameters}) {\n  await c.query('SELECT pg_advisory_lock(1)');\n  try {\n    await work();\n  } finally {\n    ${cleanup}\n  }\n}`;
const unlock = "c.query('SELECT pg_advisory_unlock(1)')";
const fn = 'pg_advisory_unlock';

const good = (name: string, code: string): ValidCase => ({ name, code });
function withSignal(name: string, options: string, signal: string, without: string | null, before = ''): InvalidCase {
  const code = kysely(options, before);
  return {
    name,
    code,
    errors: [
      errorAt(code, unlockOf(options), {
        messageId: 'signal',
        data: { fn, signal: `\`${signal}\`` },
        ...(without !== null && { suggestions: [{ messageId: 'removeSignal', output: kysely(without, before) }] }),
      }),
    ],
  };
}
function checked(name: string, cleanup: string, signal = 'signal', parameters?: string, line = 7): InvalidCase {
  const code = pg(cleanup, parameters);
  return { name, code, errors: [errorAt(code, unlock, { messageId: 'checked', data: { fn, signal: `\`${signal}\``, line } })] };
}
function raced(name: string, cleanup: string): InvalidCase {
  const code = pg(cleanup);
  return { name, code, errors: [errorAt(code, unlock, { messageId: 'raced', data: { fn } })] };
}
const helper = (argument: string): string =>
  `import { type Kysely, sql } from 'kysely';\nconst unlock = (c: Kysely<any>, signal: AbortSignal) => sql\`SELECT pg_advisory_unlock(1)\`.execute(c, { signal });\nexport const run = (db: Kysely<any>, shutdown: AbortSignal) => db.connection().execute(async (c) => { await unlock(c, ${argument}); });`;

runRuleTests(rule, {
  notApplicable: {},
  valid: [
    ...perDriver.map((testCase) => testCase.good),
    good('no signal', kysely('')),
    good('a fresh timeout', kysely(', { signal: AbortSignal.timeout(500) }')),
    good('a fresh timeout in a constant', kysely(', { signal: limit }', 'const limit = AbortSignal.timeout(500);\n  ')),
    good('a fresh controller', kysely(', { signal: controller.signal }', 'const controller = new AbortController();\n  setTimeout(() => controller.abort(), 500);\n  ')),
    good('a helper that gets a fresh timeout', helper('AbortSignal.timeout(500)')),
    good('no signal after all', kysely(', { signal: undefined }')),
    good('options of which nothing is known', "import { type Kysely, sql } from 'kysely';\nexport const unlock = (c: Kysely<any>, options) => sql`SELECT pg_advisory_unlock(1)`.execute(c, options);"),
    good('a transaction-level lock ends with the transaction', "import { type Kysely, sql } from 'kysely';\nexport const run = (db: Kysely<any>, signal: AbortSignal) => db.transaction().execute((tx) => sql`SELECT pg_advisory_xact_lock(1)`.execute(tx, { signal }));"),
    good('a signal on the acquire', "import { type Kysely, sql } from 'kysely';\nexport const run = (db: Kysely<any>, signal: AbortSignal) => db.connection().execute((c) => sql`SELECT pg_try_advisory_lock(1)`.execute(c, { signal }));"),
    good('a session that is ended instead', pg(`if (signal.aborted) { await c.end(); return; } await ${unlock};`)),
    good('a session that is ended otherwise', pg(`if (!signal.aborted) { await ${unlock}; } else { await c.end(); }`)),
    good('a session that is ended behind', pg(`if (!signal.aborted) await ${unlock}; await c.end();`)),
    good('a session that is ended in an outer cleanup', `import { Client } from 'pg';\nexport async function run(signal: AbortSignal) {\n  const c = new Client();\n  try {\n    await c.query('SELECT pg_advisory_lock(1)');\n    try { await work(); } finally { signal.throwIfAborted(); await ${unlock}; }\n  } finally { await c.end(); }\n}`),
    good('something else that may be aborted', pg(`if (job.aborted) return; await ${unlock};`, 'c: Client, job: Job')),
    good('a check in the work', `import { Client } from 'pg';\nexport async function run(c: Client, signal: AbortSignal) {\n  await c.query('SELECT pg_advisory_lock(1)');\n  try { while (!signal.aborted) await work(); } finally { await ${unlock}; }\n}`),
    good('a condition that an abort alone does not decide', pg(`if (signal.aborted && handedOver) return; await ${unlock};`)),
    good('a race with a timer', pg(`await Promise.race([${unlock}, sleep(500)]);`)),
    good('an unlock that is never sent', "import postgres from 'postgres';\nconst sql = postgres();\nexport async function run(signal: AbortSignal) { signal.throwIfAborted(); sql`SELECT pg_advisory_unlock(1)`; }"),
    good('a function of which nothing says that it sends SQL', "export function run(audit, signal) { signal.throwIfAborted(); audit('SELECT pg_advisory_unlock(1)'); }"),
  ],
  invalid: [
    ...perDriver.map((testCase) => testCase.bad),
    withSignal('a parameter', ', { signal }', 'signal', ''),
    withSignal("the request's", ", { signal: request.signal, inflightQueryAbortStrategy: 'kill session' }", 'request.signal', ", { inflightQueryAbortStrategy: 'kill session' }"),
    withSignal('a combination', ', { signal: AbortSignal.any([request.signal, AbortSignal.timeout(500)]) }', 'AbortSignal.any([request.signal, AbortSignal.timeout(500)])', ''),
    withSignal('one of two', ', { signal: signal ?? AbortSignal.timeout(500) }', 'signal ?? AbortSignal.timeout(500)', ''),
    withSignal('options in a constant', ', options', 'signal', null, 'const options = { signal };\n  '),
    withSignal('a timeout that is older than the lock', ', { signal: limit }', 'limit', '', 'const limit = AbortSignal.timeout(500);\n  await sql`SELECT pg_advisory_lock(1)`.execute(c);\n  '),
    withSignal('a controller that the work shares', ', { signal: controller.signal }', 'controller.signal', '', 'const controller = new AbortController();\n  await sql`SELECT pg_advisory_lock(1)`.execute(c, { signal: controller.signal });\n  '),
    {
      name: 'a helper that gets a signal of its callers',
      code: helper('shutdown'),
      errors: [
        errorAt(helper('shutdown'), 'sql`SELECT pg_advisory_unlock(1)`.execute(c, { signal })', {
          messageId: 'signal',
          data: { fn, signal: '`signal`' },
          suggestions: [{ messageId: 'removeSignal', output: helper('shutdown').replace('(c, { signal })', '(c)') }],
        }),
      ],
    },
    {
      name: 'unlocking everything',
      code: kysely(', { signal }').replace('unlock(1)', 'unlock_all()'),
      errors: [
        errorAt(kysely(', { signal }').replace('unlock(1)', 'unlock_all()'), unlockOf(', { signal }').replace('unlock(1)', 'unlock_all()'), {
          messageId: 'signal',
          data: { fn: 'pg_advisory_unlock_all', signal: '`signal`' },
          suggestions: [{ messageId: 'removeSignal', output: kysely('').replace('unlock(1)', 'unlock_all()') }],
        }),
      ],
    },
    {
      name: 'a signal that the driver ignores',
      code: "import { Client } from 'pg';\nexport const unlock = (c: Client, signal: AbortSignal) => c.query({ text: 'SELECT pg_advisory_unlock(1)', signal });",
      errors: [
        {
          messageId: 'ignoredSignal',
          data: { fn, signal: '`signal`', driver: 'pg' },
          line: 2,
          column: 59,
          endLine: 2,
          endColumn: 116,
          suggestions: [{ messageId: 'removeSignal', output: "import { Client } from 'pg';\nexport const unlock = (c: Client, signal: AbortSignal) => c.query({ text: 'SELECT pg_advisory_unlock(1)' });" }],
        },
      ],
    },
    {
      name: 'a signal where the driver takes values',
      code: "import { Client } from 'pg';\nexport const unlock = (c: Client, signal: AbortSignal) => c.query('SELECT pg_advisory_unlock(1)', { signal });",
      errors: [
        {
          messageId: 'refusedSignal',
          data: { fn, signal: '`signal`', driver: 'pg' },
          line: 2,
          column: 59,
          endLine: 2,
          endColumn: 110,
          suggestions: [{ messageId: 'removeSignal', output: "import { Client } from 'pg';\nexport const unlock = (c: Client, signal: AbortSignal) => c.query('SELECT pg_advisory_unlock(1)');" }],
        },
      ],
    },
    checked('a return', `if (signal.aborted) return;\n    await ${unlock};`),
    checked('a throw', `if (signal.aborted) { throw signal.reason; }\n    await ${unlock};`),
    checked('a condition around the unlock', `if (!signal.aborted) await ${unlock};`),
    checked('the other branch', `if (signal.aborted) log(); else await ${unlock};`),
    checked('a short circuit', `signal.aborted || (await ${unlock});`),
    checked('one of several reasons to leave', `if (done || request.signal.aborted) return;\n    await ${unlock};`, 'request.signal', 'c: Client, request: Request'),
    checked('a parameter whose type says that it is a signal', `if (stop.aborted) return;\n    await ${unlock};`, 'stop', 'c: Client, stop: AbortSignal'),
    {
      name: 'a wrapper that checks its signal',
      code: "import { Client } from 'pg';\nasync function send(c: Client, signal: AbortSignal, text: string) {\n  signal.throwIfAborted();\n  return c.query(text);\n}\nexport const run = (c: Client, shutdown: AbortSignal) => send(c, shutdown, 'SELECT pg_advisory_unlock(1)');",
      errors: [{ messageId: 'checked', data: { fn, signal: '`shutdown`', line: 3 }, line: 6, column: 58, endLine: 6, endColumn: 107 }],
    },
    {
      name: 'a wrapper that checks its signal before it calls back',
      code: "import { Client } from 'pg';\nasync function unlessAborted(signal: AbortSignal, body: () => Promise<unknown>) {\n  if (signal.aborted) return;\n  return body();\n}\nexport const run = (c: Client, shutdown: AbortSignal) => unlessAborted(shutdown, () => c.query('SELECT pg_advisory_unlock(1)'));",
      errors: [{ messageId: 'checked', data: { fn, signal: '`shutdown`', line: 3 }, line: 6, column: 88, endLine: 6, endColumn: 127 }],
    },
    raced('a race with an abort', `await Promise.race([${unlock}, once(signal, 'abort')]);`),
    raced('a race with a promise of an abort', `const stopped = once(signal, 'abort');\n    await Promise.race([${unlock}, stopped]);`),
    raced('a promise that is raced later', `const done = ${unlock};\n    await Promise.any([done, aborted(signal)]);`),
  ],
});
