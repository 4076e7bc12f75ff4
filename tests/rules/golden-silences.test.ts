import * as parser from '@typescript-eslint/parser';
import { Linter } from 'eslint';
import { createPlugin } from '../../src/plugin.js';

/**
 * Code as people write it when they write it right, in the words of every driver that hands out connections. Opinions and
 * limits on waiting aside, no rule has anything to say about it.
 */
const quiet: readonly string[] = ['prefer-xact-lock', 'no-session-lock', 'require-lock-timeout'];

const plugin = createPlugin();
const rules = Object.fromEntries(Object.keys(plugin.rules).map((name) => [`advisory-lock/${name}`, quiet.includes(name) ? 'off' : 'error'] as const));

function reports(code: string): string[] {
  const messages = new Linter().verify(
    code,
    [{ files: ['**/*.ts'], languageOptions: { parser }, plugins: { 'advisory-lock': plugin }, rules }],
    'golden.ts',
  );
  return messages.map(({ line, ruleId, message }) => `${line} ${ruleId ?? 'fatal'} ${message}\n${code}`);
}

/** How one driver says it. */
interface Words {
  readonly head: string;
  /** Statements that put a connection of its own into `c`, and give it back. */
  readonly open: string;
  readonly close: string;
  /** An expression with the column `ok` of the statement's one row. */
  answer(sql: string): string;
  run(sql: string): string;
  readonly lock: string;
  readonly tryLock: string;
  readonly unlock: string;
}

const postgresLocks = { lock: 'SELECT pg_advisory_lock(7)', tryLock: 'SELECT pg_try_advisory_lock(7) AS ok', unlock: 'SELECT pg_advisory_unlock(7) AS ok' };
const outside = 'declare function work(): Promise<string>;\ndeclare function sleep(ms: number): Promise<void>;\n';

const drivers: Readonly<Record<string, Words>> = {
  pg: {
    ...postgresLocks,
    head: "import { Pool } from 'pg';\nconst pool = new Pool();\n",
    open: 'const c = await pool.connect();',
    close: 'c.release();',
    answer: (sql) => `(await c.query('${sql}')).rows[0].ok`,
    run: (sql) => `await c.query('${sql}');`,
  },
  'postgres.js': {
    ...postgresLocks,
    head: "import postgres from 'postgres';\nconst sql = postgres();\n",
    open: 'const c = await sql.reserve();',
    close: 'c.release();',
    answer: (sql) => `(await c\`${sql}\`)[0].ok`,
    run: (sql) => `await c\`${sql}\`;`,
  },
  drizzle: {
    ...postgresLocks,
    head: "import { Pool } from 'pg';\nimport { drizzle } from 'drizzle-orm/node-postgres';\nimport { sql } from 'drizzle-orm';\nconst pool = new Pool();\n",
    open: 'const client = await pool.connect();\nconst c = drizzle(client);',
    close: 'client.release();',
    answer: (sql) => `(await c.execute(sql\`${sql}\`)).rows[0].ok`,
    run: (sql) => `await c.execute(sql\`${sql}\`);`,
  },
  typeorm: {
    ...postgresLocks,
    head: "import { DataSource } from 'typeorm';\nconst dataSource = new DataSource({ type: 'postgres' });\n",
    open: 'const c = dataSource.createQueryRunner();\nawait c.connect();',
    close: 'await c.release();',
    answer: (sql) => `(await c.query('${sql}'))[0].ok`,
    run: (sql) => `await c.query('${sql}');`,
  },
  mysql2: {
    lock: "SELECT GET_LOCK(\\'jobs\\', 5) AS ok",
    tryLock: "SELECT GET_LOCK(\\'jobs\\', 0) AS ok",
    unlock: "SELECT RELEASE_LOCK(\\'jobs\\') AS ok",
    head: "import mysql from 'mysql2/promise';\nconst pool = mysql.createPool({ host: 'localhost' });\n",
    open: 'const c = await pool.getConnection();',
    close: 'c.release();',
    answer: (sql) => `(await c.query('${sql}'))[0][0].ok`,
    run: (sql) => `await c.query('${sql}');`,
  },
};

type Shape = (words: Words & { readonly unlocks: string; readonly takes: string; readonly tries: string; readonly fails: string }) => string;

const inFunction = (body: string): string => `export async function task(items: number[], withLock: boolean): Promise<unknown> {\n${body}\n}\n`;

const shapes: Readonly<Record<string, Shape>> = {
  'acquire before `try`': ({ open, close, takes, unlocks }) => inFunction(`${open}\ntry { ${takes}\ntry { return await work(); } finally { ${unlocks} } } finally { ${close} }`),
  'connection and lock before one `try`': ({ open, close, fails, takes, unlocks }) =>
    inFunction(`${open}\ntry { ${takes} } catch (error) { ${close} throw error; }\ntry { ${fails} return await work(); } finally { ${unlocks} ${close} }`),
  // Where GET_LOCK answers that it timed out there is nothing to release.
  'acquire inside `try`': ({ lock, open, close, takes, unlocks }) => lock.includes('GET_LOCK') ? '' : inFunction(`${open}\ntry { ${takes} return await work(); } finally { ${unlocks} ${close} }`),
  'a `locked` flag': ({ open, close, takes, unlocks }) =>
    inFunction(`${open}\nlet locked = false;\ntry { ${takes} locked = true; await work(); } finally { if (locked) { ${unlocks} } ${close} }`),
  'a try-lock, then `return`': ({ open, close, tries, unlocks }) =>
    inFunction(`${open}\ntry { if (!${tries}) return 'busy';\ntry { return await work(); } finally { ${unlocks} } } finally { ${close} }`),
  'a try-lock, then `throw`': ({ open, close, tries, unlocks }) =>
    inFunction(`${open}\ntry { const granted = ${tries}; if (!granted) throw new Error('busy');\ntry { return await work(); } finally { ${unlocks} } } finally { ${close} }`),
  'a try-lock kept in a flag': ({ open, close, tries, unlocks }) =>
    inFunction(`${open}\nlet granted = false;\ntry { granted = ${tries}; if (!granted) return null; return await work(); } finally { if (granted) { ${unlocks} } ${close} }`),
  'the work inside `if (granted)`': ({ open, close, tries, unlocks }) =>
    inFunction(`${open}\ntry { const granted = ${tries}; if (granted) { try { await work(); } finally { ${unlocks} } } } finally { ${close} }`),
  'the early return gives the connection back itself': ({ open, close, tries, unlocks }) =>
    inFunction(`${open}\nlet granted;\ntry { granted = ${tries}; } catch (error) { ${close} throw error; }\nif (!granted) { ${close} return 'busy'; }\ntry { return await work(); } finally { ${unlocks} ${close} }`),
  'a loop with `continue` and `break`': ({ open, close, takes, unlocks }) =>
    inFunction(`${open}\ntry { for (const item of items) { ${takes}\ntry { if (item < 0) continue; if (item === 0) break; await work(); } finally { ${unlocks} } } } finally { ${close} }`),
  'a connection per round': ({ open, close, takes, unlocks }) =>
    inFunction(`for (const item of items) { ${open}\ntry { ${takes}\ntry { if (item === 0) continue; await work(); } finally { ${unlocks} } } finally { ${close} } }`),
  'polling until granted': ({ open, close, tries, unlocks }) =>
    inFunction(`${open}\ntry { while (!${tries}) { await sleep(50); }\ntry { await work(); } finally { ${unlocks} } } finally { ${close} }`),
  'polling until a deadline': ({ open, close, tries, unlocks }) =>
    inFunction(
      `${open}\ntry { const deadline = Date.now() + 5000;\nlet granted = false;\nwhile (!granted && Date.now() < deadline) { granted = ${tries}; if (!granted) await sleep(50); }\nif (!granted) throw new Error('busy');\ntry { await work(); } finally { ${unlocks} } } finally { ${close} }`,
    ),
  'polling for ever with `break`': ({ open, close, tries, unlocks }) =>
    inFunction(`${open}\ntry { for (;;) { if (${tries}) break; await sleep(50); }\ntry { await work(); } finally { ${unlocks} } } finally { ${close} }`),
  '`Promise.all` under the lock': ({ open, close, takes, unlocks }) =>
    inFunction(`${open}\ntry { ${takes}\ntry { return await Promise.all(items.map(async () => work())); } finally { ${unlocks} } } finally { ${close} }`),
  'a lock only where one is wanted': ({ open, close, takes, unlocks }) =>
    inFunction(`${open}\ntry { if (withLock) { ${takes} }\ntry { await work(); } finally { if (withLock) { ${unlocks} } } } finally { ${close} }`),
  'an error that is logged and rethrown': ({ open, close, takes, unlocks }) =>
    inFunction(`${open}\ntry { ${takes}\ntry { await work(); } catch (error) { console.error(error); throw error; } finally { ${unlocks} } } finally { ${close} }`),
  'an early unlock': ({ open, close, takes, unlocks }) =>
    inFunction(`${open}\ntry { ${takes}\nlet result;\ntry { result = await work(); } finally { ${unlocks} }\nawait sleep(10);\nreturn result; } finally { ${close} }`),
  'a wrapper that takes a callback': ({ open, close, takes, unlocks }) =>
    `async function withLock<T>(fn: () => Promise<T>): Promise<T> {\n${open}\ntry { ${takes}\ntry { return await fn(); } finally { ${unlocks} } } finally { ${close} }\n}\nexport const task = () => withLock(() => work());\nexport const other = () => withLock(async () => { await sleep(5); return work(); });\n`,
  'a wrapper that answers when busy': ({ open, close, tries, unlocks }) =>
    `export async function tryWithLock<T>(fn: () => Promise<T>): Promise<{ granted: boolean; value?: T }> {\n${open}\ntry { if (!${tries}) return { granted: false };\ntry { return { granted: true, value: await fn() }; } finally { ${unlocks} } } finally { ${close} }\n}\nexport async function task() { const { granted } = await tryWithLock(work); return granted ? 'done' : 'busy'; }\n`,
  'a closure that releases': ({ open, close, fails, takes, unlocks }) =>
    `async function acquire(): Promise<() => Promise<void>> {\n${open}\ntry { ${takes} } catch (error) { ${close} throw error; }\n${fails}return async () => { try { ${unlocks} } finally { ${close} } };\n}\nexport async function task() { const release = await acquire(); try { return await work(); } finally { await release(); } }\n`,
  'an object that releases': ({ open, close, tries, unlocks }) =>
    `export async function acquire() {\n${open}\nlet granted = false;\ntry { granted = ${tries}; } finally { if (!granted) { ${close} } }\nif (!granted) return null;\nreturn { async release() { try { ${unlocks} } finally { ${close} } } };\n}\nexport async function task() { const lock = await acquire(); if (!lock) return 'busy'; try { return await work(); } finally { await lock.release(); } }\n`,
  'an object that is disposed of': ({ open, close, fails, takes, unlocks }) =>
    `async function acquire() {\n${open}\ntry { ${takes} } catch (error) { ${close} throw error; }\n${fails}return { async [Symbol.asyncDispose]() { try { ${unlocks} } finally { ${close} } } };\n}\nexport async function task() { await using lock = await acquire(); return work(); }\n`,
  'nested locks': ({ open, close, takes, unlocks }) => {
    const other = (code: string): string => code.replaceAll('(7)', '(8)').replaceAll('jobs', 'rows');
    return inFunction(`${open}\ntry { ${takes}\ntry { ${other(takes)}\ntry { return await work(); } finally { ${other(unlocks)} } } finally { ${unlocks} } } finally { ${close} }`);
  },
  'a function of its own for the unlock': ({ open, close, takes, unlocks }) =>
    inFunction(`${open}
const unlock = async () => { ${unlocks} };
try { ${takes}
try { return await work(); } finally { await unlock(); } } finally { ${close} }`),
  'hook pairs': ({ open, close, takes, unlocks }) => {
    const [, name = 'c'] = /const (\w+) = /.exec(open) ?? [];
    const assigned = open.replaceAll('const ', '');
    const declared = [...open.matchAll(/const (\w+) = /g)].map(([, variable]) => `let ${variable ?? name};`).join('\n');
    return `import { afterAll, beforeAll, it } from 'vitest';\n${declared}\nbeforeAll(async () => { ${assigned}\n${takes} });\nafterAll(async () => { ${unlocks} ${close} });\nit('works', async () => { await work(); });\n`;
  },
};

const cases = Object.entries(drivers).flatMap(([driver, words]) =>
  Object.entries(shapes).map(([shape, write]) => {
    const unlocks = `if (!${words.answer(words.unlock)}) console.warn('the lock was lost');`;
    const isMysql = driver === 'mysql2';
    // GET_LOCK waits and answers; its answer has to be looked at.
    const takes = isMysql ? `if (${words.answer(words.lock)} !== 1) throw new Error('busy');` : words.run(words.lock);
    const tries = isMysql ? `(${words.answer(words.tryLock)} === 1)` : words.answer(words.tryLock);
    return [driver, shape, `${words.head}${outside}${write({ ...words, unlocks, takes, tries, fails: '' })}`] as const;
  }),
);

describe('code that is right', () => {
  it.each(cases)('is left alone: %s, %s', (_driver, _shape, code) => {
    expect(reports(code)).toEqual([]);
  });
});
