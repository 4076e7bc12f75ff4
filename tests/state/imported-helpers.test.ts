import * as typescriptParser from '@typescript-eslint/parser';
import { Linter } from 'eslint';
import { readFileSync } from 'node:fs';
import { createPlugin } from '../../src/plugin.js';
import { projectOf, type Project } from '../facts/imports.js';

const plugin = createPlugin();

/** What the preset says of a file, as `line rule`. */
function findingsIn(project: Project, file: string, settings: object = {}, preset: 'recommended' | 'strict' = 'recommended'): readonly string[] {
  const linter = new Linter({ configType: 'flat', cwd: project.folder });
  const languageOptions = file.endsWith('.ts') ? { parser: typescriptParser } : {};
  const config = [{ files: ['**/*.{ts,js}'], languageOptions, settings: { 'advisory-lock': settings } }, { ...plugin.configs[preset], files: ['**/*.{ts,js}'] }];
  return linter.verify(readFileSync(project.path(file), 'utf8'), config, { filename: project.path(file) }).map(({ line, ruleId, message }) => `${line} ${ruleId?.replace('advisory-lock/', '') ?? message}`);
}

const locks = `
import { Pool } from 'pg';
export const pool = new Pool();
export async function takeLock(client, key) { await client.query('SELECT pg_advisory_lock($1)', [key]); }
export async function tryLock(client, key) { const { rows } = await client.query('SELECT pg_try_advisory_lock($1) AS ok', [key]); return rows[0].ok; }
export async function tryLockOrThrow(client, key) { if (!(await tryLock(client, key))) throw new Error('busy'); }
export async function takeSharedLock(client, key) { await client.query('SELECT pg_advisory_lock_shared($1)', [key]); }
export async function freeLock(client, key) { const { rows } = await client.query('SELECT pg_advisory_unlock($1) AS ok', [key]); if (!rows[0].ok) throw new Error('not held'); }
export async function withLock(key, work) {
  const client = await pool.connect();
  try {
    await takeLock(client, key);
    try { return await work(client); } finally { await freeLock(client, key); }
  } finally { client.release(); }
}
export async function tryWithLock(key, work) {
  const client = await pool.connect();
  try {
    if (!(await tryLock(client, key))) return false;
    try { await work(); return true; } finally { await freeLock(client, key); }
  } finally { client.release(); }
}
export async function lockedClient(key) {
  const client = await pool.connect();
  try { await takeLock(client, key); } catch (error) { client.release(true); throw error; }
  return client;
}
export async function acquire(key) {
  const client = await lockedClient(key);
  return async () => { try { await freeLock(client, key); } finally { client.release(); } };
}
export async function acquireHandle(key) {
  const client = await lockedClient(key);
  return { client, async release() { try { await freeLock(client, key); } finally { client.release(); } } };
}
export const advisory = { take: takeLock, free: freeLock, async hold(client, key, work) { await takeLock(client, key); try { await work(); } finally { await freeLock(client, key); } } };
`;

const names = 'pool, takeLock, takeSharedLock, tryLock, tryLockOrThrow, freeLock, withLock, tryWithLock, lockedClient, acquire, acquireHandle, advisory';

interface Case {
  readonly name: string;
  /** The body of a function, whose `{` stands on line 2: a line of code each. */
  readonly code: readonly string[];
  readonly findings: readonly string[];
}

const onOwnConnection = (...code: readonly string[]): readonly string[] => ['const client = await pool.connect();', 'try {', ...code, '} finally { client.release(); }'];

const cases: readonly Case[] = [
  { name: 'a lock and an unlock in finally', code: onOwnConnection('await takeLock(client, 1);', 'try { await work(); } finally { await freeLock(client, 1); }'), findings: [] },
  { name: 'an unlock that a failure skips', code: onOwnConnection('await takeLock(client, 1);', 'await work();', 'await freeLock(client, 1);'), findings: ['5 require-unlock'] },
  { name: 'no unlock', code: onOwnConnection('await takeLock(client, 1);', 'await work();'), findings: ['7 no-release-while-locked'] },
  { name: 'an unlock of another key', code: onOwnConnection('await takeLock(client, 1);', 'try { await work(); } finally { await freeLock(client, 2); }'), findings: ['6 no-mismatched-unlock', '7 no-release-while-locked'] },
  { name: 'an unlock of another mode', code: onOwnConnection('await takeSharedLock(client, 1);', 'try { await work(); } finally { await freeLock(client, 1); }'), findings: ['5 require-unlock', '6 no-mismatched-unlock'] },
  { name: 'a lock through the file and an unlock through the helper', code: onOwnConnection("await client.query('SELECT pg_advisory_lock(1)');", 'await work();', 'await freeLock(client, 1);'), findings: ['5 require-unlock'] },
  { name: 'a lock on a pool', code: ['await takeLock(pool, 1);', 'try { await work(); } finally { await freeLock(pool, 1); }'], findings: ['3 no-pool-session-lock', '4 no-pool-session-lock'] },
  { name: 'a lock in a transaction', code: onOwnConnection("await client.query('BEGIN');", 'await takeLock(client, 1);', "try { await work(); await client.query('COMMIT'); } finally { await freeLock(client, 1); }"), findings: ['6 no-session-lock-in-transaction', '7 no-session-lock-in-transaction'] },
  { name: 'an answer that nobody reads', code: onOwnConnection('await tryLock(client, 1);', 'try { await work(); } finally { await freeLock(client, 1); }'), findings: ['5 no-ignored-try-lock-result'] },
  { name: 'an answer that is read', code: onOwnConnection('if (!(await tryLock(client, 1))) return;', 'try { await work(); } finally { await freeLock(client, 1); }'), findings: [] },
  { name: 'an answer that is read, and no unlock', code: onOwnConnection('if (!(await tryLock(client, 1))) return;', 'await work();'), findings: ['7 no-release-while-locked'] },
  { name: 'an answer that the helper reads', code: onOwnConnection('await tryLockOrThrow(client, 1);', 'await work();', 'await freeLock(client, 1);'), findings: ['5 require-unlock'] },
  { name: 'a query through the pool under a lock', code: ['await withLock(1, async () => {', "await pool.query('SELECT 1');", '});'], findings: ['4 no-pool-query-while-locked'] },
  { name: 'a query on the holder under a lock', code: ['await withLock(1, async (client) => {', "await client.query('SELECT 1');", '});'], findings: [] },
  { name: 'a job that is left out when the lock is taken', code: ['await tryWithLock(1, work);'], findings: [] },
  { name: 'locks in two orders', code: onOwnConnection('await advisory.hold(client, 1, () => advisory.hold(client, 2, work));', 'await advisory.hold(client, 2, () => advisory.hold(client, 1, work));'), findings: [] },
  { name: 'a connection that comes with its lock', code: ['const client = await lockedClient(1);', 'try { await work(); } finally { await freeLock(client, 1); client.release(); }'], findings: [] },
  { name: 'a connection that comes with its lock and goes with it', code: ['const client = await lockedClient(1);', 'try { await work(); } finally { client.release(); }'], findings: ['4 no-release-while-locked'] },
  { name: 'a function that unlocks, in finally', code: ['const release = await acquire(1);', 'try { await work(); } finally { await release(); }'], findings: [] },
  { name: 'a function that unlocks, skipped by a failure', code: ['const release = await acquire(1);', 'await work();', 'await release();'], findings: ['3 require-unlock'] },
  { name: 'a function that unlocks, returned', code: ['const release = await acquire(1);', 'return release;'], findings: [] },
  { name: 'a function that unlocks, handed on', code: ['const release = await acquire(1);', 'onExit(release);', 'await work();'], findings: [] },
  { name: 'a function that unlocks, for each of two locks', code: ['const one = await acquire(1);', 'try {', 'const two = await acquire(2);', 'try { await work(); } finally { await two(); }', '} finally { await one(); }'], findings: ['5 no-pool-query-while-locked'] },
  { name: 'a handle, released in finally', code: ['const lock = await acquireHandle(1);', 'try { await work(); } finally { await lock.release(); }'], findings: [] },
  { name: 'a handle whose release a failure skips', code: ['const lock = await acquireHandle(1);', 'await work();', 'await lock.release();'], findings: ['3 require-unlock'] },
  { name: 'a handle that is stored', code: ['const lock = await acquireHandle(1);', 'held.add(lock);', 'await work();'], findings: [] },
  { name: 'methods of an object', code: onOwnConnection('await advisory.take(client, 1);', 'await work();', 'await advisory.free(client, 1);'), findings: ['5 require-unlock'] },
];

const importing = (code: readonly string[]): string => [`import { ${names} } from './locks'; // advisory`, 'export async function run() {', ...code, '}'].join('\n');

describe('a lock helper of another file', () => {
  const project = projectOf({ 'locks.ts': locks, 'locks.js': locks });

  it.each(cases)('shows its caller $name', ({ code, findings }) => {
    project.write('job.ts', importing(code));
    expect(findingsIn(project, 'job.ts')).toEqual(findings);
  });

  it.each(cases)('shows its caller $name in JavaScript', ({ code, findings }) => {
    const javascript = projectOf({ 'locks.js': locks, 'job.js': importing(code) });
    expect(findingsIn(javascript, 'job.js')).toEqual(findings);
  });

  it.each(cases.filter(({ findings }) => findings.length > 0))('is not looked for where imports are not followed: $name', ({ code }) => {
    project.write('job.ts', importing(code));
    const alone = findingsIn(project, 'job.ts', { followImports: false });
    expect(alone.filter((finding) => !/no-pool-session-lock|no-release-while-locked/.test(finding))).toEqual([]);
  });

  it('is judged by its own file alone', () => {
    expect(findingsIn(project, 'locks.ts', {}, 'strict')).toContain('4 require-lock-timeout');
    project.write('job.ts', importing(onOwnConnection('await takeLock(client, 1);', 'try { await work(); } finally { await freeLock(client, 1); }')));
    expect(findingsIn(project, 'job.ts', {}, 'strict')).toEqual([]);
  });

  it('is looked at again after an edit', () => {
    const edited = projectOf({ 'locks.ts': locks, 'job.ts': importing(onOwnConnection('await takeLock(client, 1);', 'try { await work(); } finally { await freeLock(client, 1); }')) });
    expect(findingsIn(edited, 'job.ts')).toEqual([]);
    edited.write('locks.ts', locks.replace('pg_advisory_lock($1)', 'pg_advisory_lock_shared($1)'));
    expect(findingsIn(edited, 'job.ts')).toEqual(['5 require-unlock', '6 no-mismatched-unlock']);
  });

  it('is followed through a helper two files away, and after an edit there', () => {
    const code = onOwnConnection('await begin(client);', 'await work();', 'await freeLock(client, 1);').join('\n');
    const far = projectOf({
      'locks.ts': locks,
      'jobs.ts': `import { takeLock, freeLock } from './locks'; export const begin = (client) => takeLock(client, 1); export { freeLock }; // advisory`,
      'job.ts': `import { pool } from './locks'; import { begin, freeLock } from './jobs'; // advisory\nexport async function run() {\n${code}\n}`,
    });
    expect(findingsIn(far, 'job.ts')).toEqual(['5 require-unlock']);
    far.write('locks.ts', locks.replace("'SELECT pg_advisory_lock($1)', [key]", "'SELECT pg_advisory_xact_lock($1)', [key]"));
    expect(findingsIn(far, 'job.ts')).toEqual(['5 no-xact-lock-outside-transaction']);
  });

  it('gives way to what the settings say of it', () => {
    const settings = { wrappers: [{ call: 'takeLock', does: 'acquire', level: 'transaction', key: 1, handle: 0 }] };
    project.write('job.ts', importing(onOwnConnection('await takeLock(client, 1);', 'await work();', 'await freeLock(client, 1);')));
    expect(findingsIn(project, 'job.ts', settings)).not.toContain('5 require-unlock');
  });

  it.each([
    { name: 'a parameter property', members: `constructor(private readonly client: PoolClient, private readonly key: number) {}` },
    { name: 'an annotated field', members: `private readonly client: PoolClient; constructor(client: PoolClient, private readonly key: number) { this.client = client; }` },
  ])('may be a method of a class that has its connection in $name', ({ members }) => {
    const code = onOwnConnection('const lock = new Lock(client, 1);', 'await lock.take();', 'await work();', 'await lock.free();');
    const methods = `async take() { await this.client.query('SELECT pg_advisory_lock($1)', [this.key]); } async free() { return this.client.query('SELECT pg_advisory_unlock($1)', [this.key]); }`;
    const classes = projectOf({
      'lock.ts': `import type { PoolClient } from 'pg'; export class Lock { ${members} ${methods} }`,
      'job.ts': `import { Pool } from 'pg'; import { Lock } from './lock'; const pool = new Pool(); // advisory\nexport async function run() {\n${code.join('\n')}\n}`,
    });
    expect(findingsIn(classes, 'job.ts')).toEqual(['6 require-unlock']);
  });

  it('may call back into the file that imports it', () => {
    const circle = projectOf({
      'locks.ts': `import { run } from './job'; export async function takeLock(client) { await client.query('SELECT pg_advisory_lock(1)'); if (again) await run(); }`,
      'job.ts': `import { Pool } from 'pg'; import { takeLock } from './locks'; const pool = new Pool(); // advisory\nexport async function run() {\n${onOwnConnection('await takeLock(client);', 'await work();').join('\n')}\n}`,
    });
    expect(findingsIn(circle, 'job.ts')).toEqual(['7 no-release-while-locked']);
  });
});
