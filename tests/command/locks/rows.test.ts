import { folderWith } from '../../temporary-folder.js';
import { reportOf } from './execute.js';

const shared = {
  'package.json': '{}',
  'db.ts': `import { Pool } from 'pg';\nexport const pool = new Pool();\n`,
  'with-lock.ts': `import { pool } from './db';
export async function withLock(key: number | string, work: () => Promise<void>) {
  const client = await pool.connect();
  await client.query('SELECT pg_advisory_lock($1)', [key]);
  try { await work(); } finally { await client.query('SELECT pg_advisory_unlock($1)', [key]); client.release(); }
}
`,
};

/** The one row's key, of code that has `client`, a connection of a pool. */
async function keyOf(statement: string, files: Readonly<Record<string, string>> = {}, before = '') {
  const code = `import type { PoolClient } from 'pg';\n${before}\nexport async function run(client: PoolClient, id: number, job: { id: number }) {\n  ${statement}\n}\n`;
  const { locks } = await reportOf(folderWith({ ...shared, ...files, 'run.ts': code }));
  const taken = locks.filter(({ acquires }) => acquires.some(({ path }) => path === 'run.ts'));
  expect(taken).toHaveLength(1);
  return taken[0]?.key;
}

describe('a key', () => {
  it.each<[string, string, { text: string; kind: string; names?: string[] }, Record<string, string>?, string?]>([
    ['in the SQL', `await client.query('SELECT pg_advisory_xact_lock(42)');`, { text: '42', kind: 'value' }],
    ['as a bound literal', `await client.query('SELECT pg_advisory_xact_lock($1)', [42n]);`, { text: '42', kind: 'value' }],
    ['as a number in a text', `await client.query('SELECT pg_advisory_xact_lock($1)', ['42']);`, { text: '42', kind: 'value' }],
    ['as a constant of the file', `await client.query('SELECT pg_advisory_xact_lock($1)', [JOBS]);`, { text: '42', kind: 'value', names: ['JOBS'] }, {}, 'const JOBS = 42;'],
    ['as an imported constant', `await client.query('SELECT pg_advisory_xact_lock($1)', [JOBS]);`, { text: '42', kind: 'value', names: ['JOBS'] }, { 'keys.ts': 'export const JOBS = 42;\n' }, `import { JOBS } from './keys';`],
    ['as an imported constant by another name', `await client.query('SELECT pg_advisory_xact_lock($1)', [KEY]);`, { text: '42', kind: 'value', names: ['JOBS'] }, { 'keys.ts': 'export const JOBS = 42;\n' }, `import { JOBS as KEY } from './keys';`],
    ['through a barrel', `await client.query('SELECT pg_advisory_xact_lock($1)', [JOBS]);`, { text: '42', kind: 'value', names: ['JOBS'] }, { 'keys/jobs.ts': 'export const JOBS = 42;\n', 'keys/index.ts': `export * from './jobs';\n` }, `import { JOBS } from './keys';`],
    ['as a member of an imported object', `await client.query('SELECT pg_advisory_xact_lock($1)', [Keys.jobs]);`, { text: '42', kind: 'value', names: ['Keys.jobs'] }, { 'keys.ts': 'export const Keys = { jobs: 42 } as const;\n' }, `import { Keys } from './keys';`],
    ['as a member of an imported module', `await client.query('SELECT pg_advisory_xact_lock($1)', [keys.JOBS]);`, { text: '42', kind: 'value', names: ['JOBS'] }, { 'keys.ts': 'export const JOBS = 42;\n' }, `import * as keys from './keys';`],
    ['as a member of an imported enum', `await client.query('SELECT pg_advisory_xact_lock($1)', [Keys.Jobs]);`, { text: '42', kind: 'value', names: ['Keys.Jobs'] }, { 'keys.ts': 'export enum Keys { Jobs = 42 }\n' }, `import { Keys } from './keys';`],
    ['inserted into the text', 'await client.query(`SELECT pg_advisory_xact_lock(${JOBS})`);', { text: '42', kind: 'value', names: ['JOBS'] }, {}, 'const JOBS = 42;'],
    ['inserted into the text, a member', 'await client.query(`SELECT pg_advisory_xact_lock(${Keys.jobs})`);', { text: '42', kind: 'value', names: ['Keys.jobs'] }, {}, 'const Keys = { jobs: 42 } as const;'],
    ['inserted into the text, imported', 'await client.query(`SELECT pg_advisory_xact_lock(${JOBS})`);', { text: '42', kind: 'value', names: ['JOBS'] }, { 'keys.ts': 'export const JOBS = 42;\n' }, `import { JOBS } from './keys';`],
    ['in a tag', 'await prisma.$executeRaw`SELECT pg_advisory_xact_lock(${JOBS})`;', { text: '42', kind: 'value', names: ['JOBS'] }, { 'keys.ts': 'export const JOBS = 42;\n' }, `import { PrismaClient } from '@prisma/client';\nimport { JOBS } from './keys';\nconst prisma = new PrismaClient();`],
    ['computed of imported constants', `await client.query('SELECT pg_advisory_xact_lock($1)', [BASE + 2]);`, { text: '42', kind: 'value' }, { 'keys.ts': 'export const BASE = 40;\n' }, `import { BASE } from './keys';`],
    ['of a function that returns a constant', `await client.query('SELECT pg_advisory_xact_lock($1)', [jobsKey()]);`, { text: '42', kind: 'value' }, {}, 'const jobsKey = () => 42;'],
    ['of two arguments', `await client.query('SELECT pg_advisory_xact_lock($1, $2)', [1, 2]);`, { text: '1, 2', kind: 'value' }],
    ['hashed by SQL', `await client.query("SELECT pg_advisory_xact_lock(hashtext('jobs'))");`, { text: "hashtext('jobs')", kind: 'value' }],
    ['hashed by SQL, bound', `await client.query('SELECT pg_advisory_xact_lock(hashtext($1))', ['jobs']);`, { text: "hashtext('jobs')", kind: 'value' }],
    ['hashed by a function', `await client.query('SELECT pg_advisory_xact_lock($1)', [hash('jobs')]);`, { text: "hash('jobs')", kind: 'value' }, {}, `function hash(text: string) { let h = 0; for (const c of text) h = h * 31 + c.charCodeAt(0); return h; }`],
    ['with a class and an id', `await client.query('SELECT pg_advisory_xact_lock($1, $2)', [7, id]);`, { text: '7, …', kind: 'namespace' }],
    ['with a prefix', 'await client.query(\'SELECT pg_advisory_xact_lock(hashtext($1))\', [`job:${id}`]);', { text: "hashtext('job:…')", kind: 'namespace' }],
    ['with a prefix, concatenated', `await client.query('SELECT pg_advisory_xact_lock(hashtext($1))', ['job:' + id]);`, { text: "hashtext('job:…')", kind: 'namespace' }],
    ['of a parameter', `await client.query('SELECT pg_advisory_xact_lock($1)', [id]);`, { text: 'id', kind: 'computed' }],
    ['of a member', `await client.query('SELECT pg_advisory_xact_lock($1)', [job.id]);`, { text: 'job.id', kind: 'computed' }],
    ['of a column', `await client.query('SELECT pg_advisory_xact_lock(id) FROM jobs');`, { text: 'id', kind: 'computed' }],
    ['of what differs from call to call', `await client.query('SELECT pg_advisory_xact_lock($1)', [Date.now()]);`, { text: 'Date.now()', kind: 'computed' }],
  ])('%s', async (_, statement, expected, files = {}, before = '') => {
    expect(await keyOf(statement, files, before)).toEqual({ names: [], ...expected });
  });

  it('is given by whoever calls a helper, and stands there', async () => {
    const folder = folderWith({
      ...shared,
      'keys.ts': 'export const JOBS = 42;\n',
      'a.ts': `import { withLock } from './with-lock';\nimport { JOBS } from './keys';\nexport const runJobs = () => withLock(JOBS, async () => {});\n`,
      'b.ts': `import { withLock } from './with-lock';\nexport const runOne = (id: number) => withLock(id, async () => {});\n`,
    });
    const { locks } = await reportOf(folder);
    expect(locks.map(({ key, acquires, releases }) => [key.text, acquires.map(({ path, line, function: name }) => `${path}:${line} ${name}`), releases.map(({ path }) => path)])).toEqual([
      ['42', ['a.ts:3 runJobs'], ['a.ts']],
      ['id', ['b.ts:2 runOne'], ['b.ts']],
    ]);
    expect(locks[0]?.acquires[0]?.through).toEqual([{ name: 'withLock', path: 'with-lock.ts', line: 4, column: 9 }]);
  });

  it('is given through a helper of a helper, a default and an object', async () => {
    const folder = folderWith({
      ...shared,
      'jobs-lock.ts': `import { withLock } from './with-lock';
export const withJobs = (options: { key: number }, work: () => Promise<void>) => withLock(options.key, work);
export const withDefault = (work: () => Promise<void>, key = 9) => withLock(key, work);
`,
      'a.ts': `import { withJobs, withDefault } from './jobs-lock';\nexport const one = () => withJobs({ key: 8 }, async () => {});\nexport const two = () => withDefault(async () => {});\n`,
    });
    const { locks } = await reportOf(folder);
    expect(locks.map(({ key, acquires }) => [key.text, acquires.map(({ path, through }) => [path, ...through.map(({ name }) => name)])])).toEqual([
      ['8', [['a.ts', 'withJobs', 'withLock']]],
      ['9', [['a.ts', 'withDefault', 'withLock']]],
    ]);
  });

  it('is given to the constructor of a class', async () => {
    const folder = folderWith({
      ...shared,
      'mutex.ts': `import type { Pool } from 'pg';
export class Mutex {
  constructor(private readonly pool: Pool, private readonly key: number) {}
  async hold(work: () => Promise<void>) {
    const client = await this.pool.connect();
    await client.query('SELECT pg_advisory_lock($1)', [this.key]);
    try { await work(); } finally { await client.query('SELECT pg_advisory_unlock($1)', [this.key]); client.release(); }
  }
}
`,
      'a.ts': `import { Mutex } from './mutex';\nimport { pool } from './db';\nexport const jobs = new Mutex(pool, 42);\n`,
    });
    const { locks } = await reportOf(folder, 'mutex.ts', 'a.ts');
    expect(locks.map(({ key, acquires }) => [key.text, acquires.map(({ path, line }) => `${path}:${line}`)])).toEqual([['42', ['a.ts:3']]]);
  });
});

describe('a row', () => {
  it('says level, mode, connection and time-out', async () => {
    const folder = folderWith({
      'package.json': '{}',
      'a.ts': `import { Pool } from 'pg';
const pool = new Pool();
export async function f() {
  await pool.query('SELECT pg_advisory_lock(1)');
  const client = await pool.connect();
  await client.query("SET lock_timeout = '5s'");
  await client.query('SELECT pg_advisory_lock_shared(2)');
  await client.query('SELECT pg_try_advisory_xact_lock(3)');
  await client.query('SELECT pg_advisory_unlock_shared(2)');
  client.release();
}
export async function g(client: import('pg').PoolClient) { await client.query('SELECT pg_advisory_lock(4)'); }
`,
      'b.js': `import mysql from 'mysql2/promise';
export async function h() { const c = await mysql.createConnection({}); await c.query("SELECT GET_LOCK('Jobs', 10)"); await c.query("SELECT RELEASE_LOCK('jobs')"); }
`,
      'c.sql': `-- a migration\n\nSELECT pg_advisory_xact_lock(5);\n`,
    });
    const { locks } = await reportOf(folder);
    const rows = locks.map(({ key, level, mode, acquires: [first], releases }) => [key.text, level, mode, first?.connection, first?.timeout?.kind, `${first?.path}:${first?.line}`, releases.length]);
    expect(rows).toEqual([
      ["'Jobs'", 'session', 'exclusive', 'connection', 'argument', 'b.js:2', 1],
      ['1', 'session', 'exclusive', 'pool', 'none', 'a.ts:4', 0],
      ['2', 'session', 'shared', 'connection', 'set', 'a.ts:7', 1],
      ['3', 'transaction', 'exclusive', 'connection', 'does-not-wait', 'a.ts:8', 0],
      ['4', 'session', 'exclusive', 'connection', 'unknown', 'a.ts:12', 0],
      ['5', 'transaction', 'exclusive', 'connection', 'unknown', 'c.sql:3', 0],
    ]);
    expect(locks[2]?.acquires[0]?.timeout).toEqual({ kind: 'set', milliseconds: 5000 });
    expect(locks[0]?.acquires[0]?.timeout).toEqual({ kind: 'argument', seconds: '10' });
  });

  it('is there for a helper that only the settings describe', async () => {
    const folder = folderWith({
      'package.json': '{}',
      'eslint.config.mjs': `export default [{ settings: { 'advisory-lock': { wrappers: [{ call: { from: 'package', package: 'locks', name: 'hold' }, does: 'hold', level: 'session', key: 0, callback: 1 }] } } }];`,
      'a.js': `import { hold } from 'locks';\nexport const run = () => hold(42, async () => {});\n`,
    });
    const { locks } = await reportOf(folder, '--config', 'eslint.config.mjs');
    expect(locks.map(({ key, acquires, releases }) => [key.text, acquires.map(({ path, line }) => `${path}:${line}`), releases.length])).toEqual([['42', ['a.js:2'], 1]]);
  });
});
