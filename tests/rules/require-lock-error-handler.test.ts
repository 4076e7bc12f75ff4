import rule from '../../rules/require-lock-error-handler.js';
import { runRuleTests, type InvalidCase } from '../rule-tester.js';
import { forEveryDriver, lockSql } from './contexts.js';
import { errorAt } from './error-at.js';

const head = "import { Client } from 'pg';\n";
const work = "await c.query('SELECT pg_advisory_lock(1)');\n  await work();\n  await c.query('SELECT pg_advisory_unlock(1)');\n  await c.end();";
/** A client that holds a lock over work; `before` stands between its making and the lock. */
const held = (before: string, more = ''): string =>
  `${head}${more}export async function run(work) {\n  const c = new Client();\n  ${before}\n  await c.connect();\n  ${work}\n}`;
const leader = (fields: string, before = ''): string =>
  `${head}export class Leader {\n  ${fields}\n  async lead(work) {\n    ${before}await this.client.connect();\n    await this.client.query('SELECT pg_advisory_lock(1)');\n    await work();\n  }\n}`;
const pooled = (before: string, top = ''): string =>
  `import { Pool } from 'pg';\nconst pool = new Pool();\n${top}export async function run(work) {\n  const c = await pool.connect();\n  ${before}\n  ${work.replace('c.end()', 'c.release()')}\n}`;

function bad(name: string, code: string, made: string, line: number, options?: [object]): InvalidCase {
  return { name, code, drivers: ['pg'], ...(options && { options }), errors: [errorAt(code, made, { messageId: 'missing', data: { fn: 'pg_advisory_lock', line } })] };
}

const noEvent = 'no event of its connections ends the process';
const otherDrivers = forEveryDriver(
  ({ connection, dialect }, name) => {
    const { tryLock, unlock } = lockSql(dialect);
    return { name: `a connection of ${name}`, code: connection.wrap(`await ${connection.send(tryLock)};\n  await work();\n  await ${connection.send(unlock)};`) };
  },
  ['pg', 'drizzle'],
);

runRuleTests(rule, {
  notApplicable: {
    'postgres.js': noEvent,
    prisma: noEvent,
    knex: noEvent,
    kysely: noEvent,
    typeorm: 'its connections come from a pool that listens',
    sequelize: noEvent,
    mysql2: noEvent,
  },
  valid: [
    ...otherDrivers,
    ...['on', 'once', 'addListener', 'prependListener'].map((method) => ({ name: `a listener by ${method}`, code: held(`c.${method}('error', () => {});`), drivers: ['pg'] as const })),
    { name: 'an event whose name is a constant', code: held('c.on(event, () => {});', "const event = 'error';\n") },
    { name: 'an event whose name is not to be seen', code: held('c.on(process.env.EVENT, () => {});') },
    { name: 'a chain of listeners', code: held("c.on('notice', () => {}).on('error', () => {});") },
    { name: 'a helper that listens', code: held('guard(c);', "function guard(client) {\n  client.on('error', () => {});\n}\n") },
    { name: 'a helper that makes the client and listens', code: `${head}async function open() {\n  const c = new Client();\n  c.on('error', () => {});\n  await c.connect();\n  return c;\n}\nexport async function run(work) {\n  const c = await open();\n  ${work}\n}` },
    { name: 'a client that code out of sight has had before', code: held('instrument(c);', "import { instrument } from './instrument.js';\n") },
    { name: 'a client inside an object that code out of sight has had', code: held('register({ client: c });', "import { register } from './register.js';\n") },
    { name: 'a client given to a constructor out of sight', code: held('new Monitor(c);', "import { Monitor } from './monitor.js';\n") },
    { name: 'a client that others can import', code: `${head}export const c = new Client();\nexport async function run(work) {\n  ${work}\n}` },
    { name: 'a field with a listener', code: leader('constructor() {\n    this.client = new Client();\n    this.client.on("error", () => process.exit(1));\n  }') },
    { name: 'nothing runs between lock and unlock', code: held('').replace('await work();', '') },
    { name: 'a transaction lock', code: held("await c.query('BEGIN');").replace('pg_advisory_lock', 'pg_advisory_xact_lock') },
    { name: 'a client that is returned with its lock', code: `${head}export async function lock() {\n  const c = new Client();\n  await c.connect();\n  await c.query('SELECT pg_advisory_lock(1)');\n  return c;\n}` },
    { name: 'a client from outside', code: `import type { Client } from 'pg';\nexport async function run(c: Client, work: () => Promise<void>) {\n  ${work}\n}` },
    { name: 'an unknown handle', code: `export async function run(c, work) {\n  ${work}\n}` },
    { name: 'a pooled client', code: pooled('') },
    { name: 'a pooled client with a listener', code: pooled("c.on('error', () => {});"), options: [{ pooledClients: true }] },
    { name: 'a pool whose every client has a listener', code: pooled('', "pool.on('connect', (client) => client.on('error', () => {}));\n"), options: [{ pooledClients: true }] },
    {
      name: 'Drizzle over a client with a listener',
      drivers: ['drizzle'],
      code: `${head}import { drizzle } from 'drizzle-orm/node-postgres';\nimport { sql } from 'drizzle-orm';\nexport async function run(work) {\n  const c = new Client();\n  c.on('error', () => {});\n  await c.connect();\n  await drizzle(c).execute(sql\`SELECT pg_advisory_lock(1)\`);\n  await work();\n}`,
    },
  ],
  invalid: [
    bad('a client without a listener', held(''), 'new Client()', 6),
    bad('a listener to another event', held("c.on('end', () => {});"), 'new Client()', 6),
    bad('a statement is work, too', held('').replace('await work();', "await c.query('UPDATE t SET n = 1');"), 'new Client()', 6),
    bad('a helper that makes the client', `${head}async function open() {\n  const c = new Client();\n  await c.connect();\n  return c;\n}\nexport async function run(work) {\n  const c = await open();\n  ${work}\n}`, 'new Client()', 9),
    bad('a field made where it is declared', leader('client = new Client();'), 'new Client()', 6),
    bad('a field made in the method', leader('client;', 'this.client = new Client();\n    '), 'new Client()', 7),
    bad('a leader that goes on', leader('client = new Client();').replace('await work();\n', '\n'), 'new Client()', 6),
    bad('a client of the module', `${head}const c = new Client();\nexport async function run(work) {\n  ${work}\n}`, 'new Client()', 4),
    bad('code out of sight that gets the client after the lock', held('').replace('work();', 'job(c);').replace(head, `${head}import { job } from './job.js';\n`), 'new Client()', 7),
    bad('a pooled client, when asked for', pooled(''), 'pool.connect()', 6, [{ pooledClients: true }]),
    bad("the pool's own listener does not hear of clients in use", pooled('', "pool.on('error', () => {});\n"), 'pool.connect()', 7, [{ pooledClients: true }]),
    {
      ...bad(
        'Drizzle over a client',
        `${head}import { drizzle } from 'drizzle-orm/node-postgres';\nimport { sql } from 'drizzle-orm';\nexport async function run(work) {\n  const c = new Client();\n  await c.connect();\n  await drizzle(c).execute(sql\`SELECT pg_advisory_lock(1)\`);\n  await work();\n}`,
        'new Client()',
        7,
      ),
      drivers: ['drizzle'],
    },
  ],
});
