import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { root } from '../../built.js';
import { folderWith } from '../../temporary-folder.js';
import { locks, reportOf } from './execute.js';

const hostile = '</script><img src=x onerror="alert(1)">';

const files = {
  'package.json': '{}',
  'db.ts': `import { Pool } from 'pg';\nexport const pool = new Pool();\n`,
  'locks.ts': `import { pool } from './db';
export async function withLock(key: number, work: () => Promise<void>) {
  const client = await pool.connect();
  try {
    await client.query('SELECT pg_advisory_lock($1)', [key]);
    try { await work(); } finally { await client.query('SELECT pg_advisory_unlock($1)', [key]); }
  } finally { client.release(); }
}
`,
  'keys.ts': 'export const JOBS = 42;\nexport const MAIL = 43;\n',
  'a.ts': `import { withLock } from './locks';\nimport { JOBS, MAIL } from './keys';\nexport const a = () => withLock(JOBS, () => withLock(MAIL, async () => undefined));\n`,
  'b.ts': `import { withLock } from './locks';\nimport { JOBS, MAIL } from './keys';\nexport const b = () => withLock(MAIL, () => withLock(JOBS, async () => undefined));\n`,
  'hostile.js': `import mysql from 'mysql2/promise';
const c = await mysql.createConnection({});
await c.query('SELECT GET_LOCK(?, 10)', ['${hostile}']);
await c.query('SELECT RELEASE_LOCK(?)', ['${hostile}']);
`,
};

describe('the table', () => {
  it('is aligned, says what is wrong, and fits', async () => {
    const { status, stdout, stderr } = await locks(folderWith(files), 'a.ts', 'b.ts', 'locks.ts');
    expect({ status, stderr }).toEqual({ status: 1, stderr: '' });
    expect(stdout).toBe(`KEY        LEVEL    MODE       CONNECTION  TIMEOUT
JOBS (42)  session  exclusive  connection  none
  taken    a.ts:3  pg_advisory_lock in a
             through withLock, locks.ts:5
           b.ts:3  pg_advisory_lock in b
             through withLock, locks.ts:5
  released a.ts:3  pg_advisory_unlock in a
             through withLock, locks.ts:6
           b.ts:3  pg_advisory_unlock in b
             through withLock, locks.ts:6
MAIL (43)  session  exclusive  connection  none
  taken    a.ts:3  pg_advisory_lock in a
             through withLock, locks.ts:5
           b.ts:3  pg_advisory_lock in b
             through withLock, locks.ts:5
  released a.ts:3  pg_advisory_unlock in a
             through withLock, locks.ts:6
           b.ts:3  pg_advisory_unlock in b
             through withLock, locks.ts:6

order-cycle  locks in a circle
  Locks are taken in a circle, JOBS (42) → MAIL (43) → JOBS (42), so that sessions can wait for each
  other. Take them in one order everywhere.
  a.ts:3  waits for MAIL (43) while holding JOBS (42)
  b.ts:3  waits for JOBS (42) while holding MAIL (43)

✖ 2 locks in 2 files, 1 problem
`);
  });

  it('gives a long key a line of its own, and counts the places of a busy lock', async () => {
    const long = 'a-name-for-a-lock-that-goes-on-and-on-and-on';
    const calls = Array.from({ length: 12 }, (_, index) => `export const f${index} = () => pool.query("SELECT pg_try_advisory_xact_lock(hashtext('${long}'))");`);
    const { stdout } = await locks(folderWith({ 'db.ts': files['db.ts'], 'a.ts': `import { pool } from './db';\n${calls.join('\n')}\n` }));
    expect(stdout).toContain(`hashtext('${long}')\n${' '.repeat(44)}  transaction  exclusive  pool        does not wait\n`);
    expect(stdout).toContain('           and 4 more (--format json lists all)\n');
    expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(100);
  });

  it('says so where there is nothing', async () => {
    expect(await locks(folderWith({ 'a.ts': 'export {};\n' }))).toEqual({ status: 0, stdout: 'No locks.\n', stderr: '' });
  });

  it('is printed with what failed, and status 2', async () => {
    const { status, stdout, stderr } = await locks(folderWith({ ...files, 'broken.ts': '/* advisory */ const = 1;\n' }));
    expect(status).toBe(2);
    expect(stdout).toContain('order-cycle');
    expect(stderr).toMatch(/^broken\.ts:1 cannot be analysed: Parsing error/);
  });
});

describe('JSON', () => {
  it('is as its schema says', async () => {
    const schema = JSON.parse(readFileSync(join(root, 'docs/locks.schema.json'), 'utf8')) as object;
    const validate = new Ajv({ allErrors: true, strict: true, strictTypes: false, allowUnionTypes: true }).compile(schema);
    const report = await reportOf(folderWith({ ...files, 'c.sql': 'SELECT pg_advisory_xact_lock(5);\n' }));
    expect(validate(report), JSON.stringify(validate.errors)).toBe(true);
    expect(validate({ ...report, version: 2 })).toBe(false);
    expect(report.order.map(({ first, then }) => `${first.key} then ${then.key} at ${then.path}:${then.line}`)).toEqual(['42 then 43 at a.ts:3', '43 then 42 at b.ts:3']);
  });

  it('is the same for every run', async () => {
    const folder = folderWith(files);
    expect(await reportOf(folder)).toEqual(await reportOf(folder));
  });
});

describe('Mermaid', () => {
  it('draws the order, with circles marked and names that cannot break out', async () => {
    const { stdout } = await locks(folderWith(files), '--format', 'mermaid');
    expect(stdout.split('\n')).toEqual([
      'flowchart LR',
      expect.stringMatching(/^ {2}%% locks in a circle: Locks are taken in a circle, JOBS \(42\) /),
      '  k1["JOBS (42)"]',
      '  k2["MAIL (43)"]',
      '  k3["#39;#60;/script#62;#60;img src#61;x onerror#61;#34;alert(1)#34;#62;#39;"]',
      '  k1 ==>|"a.ts:3"| k2',
      '  k2 ==>|"b.ts:3"| k1',
      '  classDef circle stroke:#c62828,stroke-width:3px',
      '  class k1,k2 circle',
      '',
    ]);
  });
});

describe('--output', () => {
  it.each<[string, string[], RegExp]>([
    ['page.html', [], /^<!doctype html>/],
    ['locks.json', [], /^\{\n {2}"version": 1,/],
    ['order.mmd', [], /^flowchart LR\n/],
    ['locks.txt', [], /^KEY /],
    ['locks.txt', ['--format', 'json'], /^\{\n {2}"version": 1,/],
  ])('%s %j', async (file, options, expected) => {
    const folder = folderWith(files);
    expect(await locks(folder, '--output', file, ...options)).toEqual({ status: 1, stdout: `3 locks, 1 problem: written to ${file}\n`, stderr: '' });
    expect(readFileSync(join(folder, file), 'utf8')).toMatch(expected);
  });
});

describe('the page', () => {
  it('takes nothing of the code for markup, and nothing from outside', async () => {
    const { stdout } = await locks(folderWith(files), '--format', 'html');
    expect(stdout).toContain('&lt;/script&gt;&lt;img src=x onerror=&quot;alert(1)&quot;&gt;');
    expect(stdout).not.toContain('<img');
    expect(stdout.match(/<\/script>/g)).toHaveLength(1);
    const addresses = stdout.match(/https?:\/\/[^\s"'<]+/g) ?? [];
    expect(new Set(addresses)).toEqual(new Set(['http://www.w3.org/2000/svg']));
  });
});
