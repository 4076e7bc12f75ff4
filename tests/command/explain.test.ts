import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { folderWith } from '../temporary-folder.js';
import { execute } from './execute.js';

const files = {
  'db.ts': `import { Pool } from 'pg';\nexport const pool = new Pool();\n`,
  'job.ts': `import { pool } from './db';

export async function run(key: number) {
  await pool.query('SELECT pg_advisory_lock($1)', [key]);
  const client = await pool.connect();
  const { rows } = await client.query('SELECT pg_try_advisory_lock($1) AS ok', [key]); await client.query('SELECT 1');
  if (rows[0].ok) await work();
  await client.query('SELECT pg_advisory_unlock($1)', [key]);
  client.release();
}
`,
  'plain.ts': 'export const x = 1;\n',
  'broken.ts': '/* advisory */ const = 1;\n',
  'empty.ts': '/* advisory */\n',
};

describe('explain', () => {
  it('says what a statement is and who speaks about it', async () => {
    const { status, stdout, stderr } = await execute(folderWith(files), 'explain', 'job.ts:4', '--no-config');
    expect(stderr).toBe('');
    expect(status).toBe(0);
    expect(stdout).toMatch(/^job\.ts:4 pool\.query\n {2}SQL {7}SELECT pg_advisory_lock\(\$1\)\n/);
    expect(stdout).toContain('pg_advisory_lock: acquire, session level, exclusive; key $1 = key; in select');
    expect(stdout).toContain('handle    pool (each statement may run on another connection), pg; constructed, db.ts:2; lives as long as its module\n');
    expect(stdout).toMatch(/result {4}rows come as rows\n {12}await is dropped at job\.ts:4\n/);
    expect(stdout).toMatch(/reported {2}no-pool-session-lock: `pg_advisory_lock` is taken through `pool\.query`/);
    expect(stdout).toMatch(/silent .*valid-lock-key/s);
  });

  it('says what the paths say', async () => {
    const { stdout } = await execute(folderWith(files), 'explain', 'job.ts:6:3', '--no-config');
    expect(stdout).toContain('of the pool at db.ts:2');
    expect(stdout).toContain('taken for certain; transaction: none');
    expect(stdout).toMatch(/still held at the throw at job\.ts:\d+: not-unlocked/);
    expect(stdout).toContain('sent while pg_try_advisory_lock (job.ts:6) is held; on its connection: yes');
    expect(stdout.match(/^job\.ts:6 /gm)).toHaveLength(2);
  });

  it('marks what the configuration turns off', async () => {
    const config = `export default [{ plugins: { 'advisory-lock': { meta: { name: 'eslint-plugin-advisory-lock' }, rules: {} } }, rules: {} }];`;
    const { stdout } = await execute(folderWith({ ...files, 'eslint.config.mjs': config }), 'explain', 'job.ts:6');
    expect(stdout).toMatch(/^ +(?:reported +)?prefer-xact-lock \(off in the configuration\): /m);
    expect(stdout).toMatch(/^ +(?:reported +)?require-unlock: /m);
  });

  it.each<[string, string[], RegExp]>([
    ['a file that does not exist', ['nosuch.ts:1'], /^nosuch\.ts does not exist/],
    ['a folder', ['.:1'], /^\. is not one file/],
    ['a place without a line', ['job.ts'], /^explain takes one file and line, as in explain src\/job\.ts:12; given: job\.ts\.$/],
    ['no place', [], /given: nothing/],
    ['two places', ['job.ts:4', 'job.ts:6'], /explain takes one file and line/],
    ['line 0', ['job.ts:0'], /explain takes one file and line/],
    ['an option that is none of its own', ['job.ts:4', '--format', 'json'], /^explain does not take --format; allowed: --config, --no-config\.$/],
    ['a line without a statement', ['job.ts:2'], /^No SQL is seen to be sent on job\.ts:2; the nearest are on lines 4, 6, 8\.$/],
    ['a file without statements', ['empty.ts:1'], /no SQL is seen to be sent in this file\.$/],
    ['a file that mentions no lock', ['plain.ts:1'], /^plain\.ts mentions no lock function/],
    ['a file that cannot be parsed', ['broken.ts:1'], /^broken\.ts:1 cannot be analysed: Parsing error/],
  ])('refuses %s', async (_, commandLine, message) => {
    const { status, stdout, stderr } = await execute(folderWith(files), 'explain', ...commandLine);
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr.trim()).toMatch(message);
  });
});

describe('facts', () => {
  const project = {
    'src/db.ts': `import { Pool } from 'pg';
      export const pool = new Pool();
      export default new Pool({ max: 1 });
      export const ask = (name: string, text: string) => pool.query(text);
      export class Database { pool = new Pool(); run(text: string) { return this.pool.query(text); } }
      export const db = new Database();
      export const other = { send: (text: string) => pool.query(text) };`,
    'src/locks.ts': `import { pool, ask, db, other } from './db'; import single from './db';
      import type { PoolClient } from 'pg';
      export const lock = (client: PoolClient, key: number) => client.query('SELECT pg_advisory_lock($1)', [key]);
      export async function unlock(key: number, client: PoolClient) { await client.query('SELECT pg_advisory_unlock($1)', [key]); }
      export class Locks { async hold(key: number, work: () => Promise<void>) {
        const client = await pool.connect();
        try { await client.query('SELECT pg_advisory_lock($1)', [key]); await work(); await client.query('SELECT pg_advisory_unlock($1)', [key]); } finally { client.release(); } } }
      export const busy = [single, ask, db, other];`,
  };
  const file = (name: string, path: string) => ({ from: 'file', path, name });
  const expected = {
    handles: [
      { is: file('default', 'src/db.ts'), role: 'single', driver: 'pg' },
      { is: file('pool', 'src/db.ts'), role: 'pool', driver: 'pg' },
    ],
    wrappers: [
      { call: file('Database.run', 'src/db.ts'), sql: 0, on: 'pool' },
      { call: file('ask', 'src/db.ts'), sql: 1, on: 'pool' },
      { call: file('other.send', 'src/db.ts'), sql: 0, on: 'pool' },
      { call: file('Locks.hold', 'src/locks.ts'), does: 'hold', level: 'session', key: 0, callback: 1 },
      { call: file('lock', 'src/locks.ts'), does: 'acquire', level: 'session', key: 1, handle: 0 },
      { call: file('unlock', 'src/locks.ts'), does: 'release', level: 'session', key: 0, handle: 1 },
    ],
  };

  it('prints what handles, wrappers and helpers are', async () => {
    const { status, stdout, stderr } = await execute(folderWith(project), 'facts', '--no-config');
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(JSON.parse(stdout)).toEqual(expected);
  });

  it.each(['facts.json', 'facts.mjs'])('writes them to %s, for a configuration to read', async (output) => {
    const folder = folderWith(project);
    expect(await execute(folder, 'facts', 'src', '--output', output)).toMatchObject({ status: 0, stdout: '' });
    const written = output.endsWith('.json') ? JSON.parse(readFileSync(join(folder, output), 'utf8')) : ((await import(join(folder, output))) as { default: unknown }).default;
    expect(written).toEqual(expected);
  });

  it('are of helpers of helpers, and not of what locks only for itself', async () => {
    const hold = { call: { from: 'file', path: 'src/locks.ts', name: 'Locks.hold' }, does: 'hold', level: 'session', key: 0, callback: 1 };
    const folder = folderWith({
      ...project,
      'eslint.config.mjs': `export default [{ settings: { 'advisory-lock': { wrappers: [${JSON.stringify(hold)}] } } }];`,
      'src/jobs.ts': `import { Locks } from './locks'; import { pool } from './db'; import type { PoolClient } from 'pg';
        const locks = new Locks();
        export const withJobs = (work: () => Promise<void>) => locks.hold(42, work);
        export async function pay(client: PoolClient, id: number) { await client.query('BEGIN'); await client.query('SELECT pg_advisory_xact_lock($1)', [id]); }
        export async function alone(id: number) { const client = await pool.connect(); await client.query('BEGIN'); await client.query('SELECT pg_advisory_xact_lock($1)', [id]); await client.query('COMMIT'); client.release(); }`,
    });
    const { stdout } = await execute(folder, 'facts', 'src/jobs.ts');
    const { wrappers } = JSON.parse(stdout) as { wrappers: { call: { name: string } }[] };
    expect(wrappers.filter(({ call }) => ['withJobs', 'pay', 'alone'].includes(call.name))).toEqual([
      { call: file('pay', 'src/jobs.ts'), does: 'acquire', level: 'transaction', key: 1, handle: 0 },
      { call: file('withJobs', 'src/jobs.ts'), does: 'hold', level: 'session', callback: 0 },
    ]);
  });

  it('are settings that say the same without the files', async () => {
    const folder = folderWith({ ...project, 'job.ts': `import { ask } from './src/db'; export const run = () => ask('x', 'SELECT pg_advisory_lock(1)');` });
    const settings = JSON.stringify({ ...expected, followImports: false });
    writeFileSync(join(folder, 'eslint.config.mjs'), `export default [{ settings: { 'advisory-lock': ${settings} } }];`);
    const { stdout } = await execute(folder, 'explain', 'job.ts:1');
    expect(stdout).toContain('pool (each statement may run on another connection)');
    expect(stdout).toContain("said by settings['advisory-lock']");
  });

  it('come from looking into other files, also where the rules are told not to', async () => {
    const config = "export default [{ settings: { 'advisory-lock': { followImports: false } } }];";
    const { stdout } = await execute(folderWith({ ...project, 'eslint.config.mjs': config }), 'facts');
    expect(JSON.parse(stdout)).toEqual(expected);
  });

  it('takes no format that it cannot write', async () => {
    const { status, stderr } = await execute(folderWith(project), 'facts', '--output', 'facts.yaml');
    expect({ status, stderr }).toEqual({ status: 2, stderr: '--output is "facts.yaml"; allowed: names that end in .json, .js, .mjs or .cjs.\n' });
  });

  it('names what it cannot read', async () => {
    const { status, stdout, stderr } = await execute(folderWith({ ...project, 'broken.ts': '/* advisory */ const = 1;' }), 'facts', '--no-config');
    expect(status).toBe(2);
    expect(stderr).toMatch(/^broken\.ts:1 cannot be analysed: Parsing error/);
    expect(JSON.parse(stdout)).toEqual(expected);
  });
});
