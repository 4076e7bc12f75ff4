import { folderWith } from '../../temporary-folder.js';
import { reportOf } from './execute.js';

const shared = {
  'package.json': '{}',
  'db.ts': `import { Pool } from 'pg';\nexport const pool = new Pool({ connectionString: process.env.DATABASE_URL });\n`,
  'with-lock.ts': `import { pool } from './db';
export async function withLock<T>(key: number | string, work: () => Promise<T>): Promise<T> {
  const client = await pool.connect();
  try {
    await client.query('SELECT pg_advisory_lock($1)', [key]);
    try { return await work(); } finally { await client.query('SELECT pg_advisory_unlock($1)', [key]); }
  } finally { client.release(); }
}
export async function withTryLock(key: number, work: () => Promise<void>) {
  const client = await pool.connect();
  try {
    const { rows } = await client.query('SELECT pg_try_advisory_lock($1) AS ok', [key]);
    if (!rows[0].ok) return;
    try { await work(); } finally { await client.query('SELECT pg_advisory_unlock($1)', [key]); }
  } finally { client.release(); }
}
export async function lockRow(client: import('pg').PoolClient, ns: number, id: number) {
  await client.query('SELECT pg_advisory_xact_lock($1, $2)', [ns, id]);
}
`,
};

type Files = Readonly<Record<string, string>>;

const job = (name: string, key: string, imports = ''): string => `import { withLock } from './with-lock';\n${imports}\nexport const ${name} = () => withLock(${key}, async () => undefined);\n`;

const row = (name: string, ns: string, id = 'id', imports = ''): string =>
  `import { lockRow } from './with-lock';\n${imports}\nexport const ${name} = (client: import('pg').PoolClient, id: number) => lockRow(client, ${ns}, ${id});\n`;

const nested = (name: string, first: number | string, then: number | string): string =>
  `import { withLock } from './with-lock';\nexport const ${name} = () => withLock(${first}, () => withLock(${then}, async () => undefined));\n`;

/** Kinds and files of the problems. */
async function problemsOf(files: Files): Promise<readonly string[]> {
  const { problems } = await reportOf(folderWith({ ...shared, ...files }));
  return problems.map(({ kind, places }) => `${kind}: ${places.map(({ path, line }) => `${path}:${line}`).join(', ')}`);
}

const keys = { 'keys.ts': 'export const JOBS = 42;\nexport const MAIL = 42;\nexport const POST = MAIL;\nexport const OTHER = 43;\n' };

describe('one key for several purposes', () => {
  it.each<[string, Files]>([
    ['numbers in two files', { 'a.ts': job('a', '42'), 'b.ts': job('b', '42') }],
    ['a constant here and a number there', { ...keys, 'a.ts': job('a', 'JOBS', `import { JOBS } from './keys';`), 'b.ts': job('b', '42') }],
    ['two constants of one file', { ...keys, 'a.ts': job('a', 'JOBS', `import { JOBS } from './keys';`), 'b.ts': job('b', 'MAIL', `import { MAIL } from './keys';`) }],
    ['constants of two files whose names say nothing', { 'a.ts': job('a', 'LOCK_KEY', 'const LOCK_KEY = 42;'), 'b.ts': job('b', 'LOCK_KEY', 'const LOCK_KEY = 42;') }],
    ['constants of two files by different names', { 'a.ts': job('a', 'JOBS', 'const JOBS = 42;'), 'b.ts': job('b', 'MAIL', 'const MAIL = 42;') }],
    ['a number and the same as text', { 'a.ts': job('a', '42'), 'b.ts': job('b', `'42'`) }],
    ['numbers in SQL', {
      'a.ts': `import { pool } from './db';\n\nexport const a = () => pool.query('SELECT pg_try_advisory_xact_lock(42)');\n`,
      'b.ts': `import { pool } from './db';\n\nexport const b = () => pool.query('SELECT pg_try_advisory_xact_lock(42)');\n`,
    }],
  ])('is reported: %s', async (_, files) => {
    expect(await problemsOf(files)).toEqual(['shared-key: a.ts:3, b.ts:3']);
  });

  it('lists four of many purposes', async () => {
    const files = Object.fromEntries(['a', 'b', 'c', 'd', 'e', 'f'].map((name) => [`${name}.ts`, job(name, '42')]));
    const { problems } = await reportOf(folderWith({ ...shared, ...files }));
    expect(problems.map(({ message, places }) => [/\(.*?\)/.exec(message)?.[0], places.length])).toEqual([['(a, b, c, d, and 2 more)', 6]]);
  });

  it('names the purposes, and the row', async () => {
    const { problems, locks } = await reportOf(folderWith({ ...shared, ...keys, 'a.ts': job('a', 'JOBS', `import { JOBS } from './keys';`), 'b.ts': job('b', '42') }));
    expect(problems[0]?.message).toMatch(/^The key 42 is used for 2 purposes \(JOBS, b\), /);
    expect(problems[0]?.locks).toEqual(locks.filter(({ key }) => key.text === '42').map(({ id }) => id));
  });

  it.each<[string, Files]>([
    ['one imported constant', { ...keys, 'a.ts': job('a', 'JOBS', `import { JOBS } from './keys';`), 'b.ts': job('b', 'JOBS', `import { JOBS } from './keys';`) }],
    ['one constant that is inserted into the text', {
      ...keys,
      'a.ts': `import { pool } from './db';\nimport { JOBS } from './keys';\nexport const a = () => pool.query(\`SELECT pg_try_advisory_xact_lock(\${JOBS})\`);\n`,
      'b.ts': `import { pool } from './db';\nimport { JOBS } from './keys';\nconst text = \`SELECT pg_try_advisory_xact_lock(\${JOBS})\`;\nexport const b = () => pool.query(text);\n`,
      'c.ts': job('c', 'JOBS', `import { JOBS } from './keys';`),
    }],
    ['a constant and its other name', { ...keys, 'a.ts': job('a', 'MAIL', `import { MAIL } from './keys';`), 'b.ts': job('b', 'POST', `import { POST } from './keys';`) }],
    ['other keys', { ...keys, 'a.ts': job('a', 'JOBS', `import { JOBS } from './keys';`), 'b.ts': job('b', 'OTHER', `import { OTHER } from './keys';`) }],
    ['one helper that has the key', {
      'jobs.ts': `import { withLock } from './with-lock';\nexport const exclusively = (work: () => Promise<void>) => withLock(42, work);\n`,
      'a.ts': `import { exclusively } from './jobs';\nexport const a = () => exclusively(async () => undefined);\n`,
      'b.ts': `import { exclusively } from './jobs';\nexport const b = () => exclusively(async () => undefined);\n`,
    }],
    ['two functions of one file', { 'a.ts': `import { withLock } from './with-lock';\nexport const a = () => withLock(42, async () => undefined);\nexport const b = () => withLock(42, async () => undefined);\n` }],
    ['constants of two files by one telling name', { 'a.ts': job('a', 'MIGRATIONS_LOCK', 'const MIGRATIONS_LOCK = 42;'), 'b.ts': job('b', 'MIGRATIONS_LOCK', 'const MIGRATIONS_LOCK = 42;') }],
    ['texts, which say what they are for', { 'a.ts': job('a', `'jobs'`), 'b.ts': job('b', `'jobs'`) }],
    ['a test', { 'a.ts': job('a', '42'), 'a.test.ts': job('b', '42'), 'tests/c.ts': job('c', '42').replace('./with', '../with') }],
    ['migrations', { 'migrations/1.ts': job('one', '42').replace('./with', '../with'), 'migrations/2.ts': job('two', '42').replace('./with', '../with') }],
    ['a release only', { 'a.ts': job('a', '42'), 'b.ts': `import { pool } from './db';\nexport const b = () => pool.query('SELECT pg_advisory_unlock(42)');\n` }],
    ['SQL files, which share no constants', { 'a.ts': job('a', '42'), 'b.sql': 'SELECT pg_advisory_xact_lock(42);\n' }],
    ['two packages', { 'one/package.json': '{}', 'two/package.json': '{}', 'one/a.ts': job('a', '42').replace('./with', '../with'), 'two/b.ts': job('b', '42').replace('./with', '../with') }],
    ['two databases', {
      'a.ts': `import { Pool } from 'pg';\nconst pool = new Pool({ connectionString: process.env.ONE });\nexport const a = () => pool.query('SELECT pg_try_advisory_xact_lock(42)');\n`,
      'b.ts': `import { Pool } from 'pg';\nconst pool = new Pool({ connectionString: process.env.TWO });\nexport const b = () => pool.query('SELECT pg_try_advisory_xact_lock(42)');\n`,
    }],
    ['one and two arguments, which never meet', { 'a.ts': job('a', '42'), 'b.ts': row('b', '42', '1') }],
  ])('is not reported for %s', async (_, files) => {
    expect(await problemsOf(files)).toEqual([]);
  });
});

describe('one class id for several features', () => {
  it.each<[string, Files, string[]]>([
    ['numbers in two files', { 'a.ts': row('a', '7'), 'b.ts': row('b', '7') }, ['shared-class: a.ts:3, b.ts:3']],
    ['an id here, a number there', { 'a.ts': row('a', '7'), 'b.ts': row('b', '7', '3') }, ['shared-class: a.ts:3, b.ts:3']],
    ['ids that are written out and differ', { 'a.ts': row('a', '7', '1'), 'b.ts': row('b', '7', '2') }, []],
    ['ids that are written out and are one', { 'a.ts': row('a', '7', '1'), 'b.ts': row('b', '7', '1') }, ['shared-key: a.ts:3, b.ts:3']],
    ['one constant', { 'ns.ts': 'export const ORDERS = 7;\n', 'a.ts': row('a', 'ORDERS', 'id', `import { ORDERS } from './ns';`), 'b.ts': row('b', 'ORDERS', 'id', `import { ORDERS } from './ns';`) }, []],
    ['one file', { 'a.ts': row('a', '7') + row('b', '7').replace(/^import.*\n/, '') }, []],
  ])('%s', async (_, files, expected) => {
    expect(await problemsOf(files)).toEqual(expected);
  });
});

describe('one and two arguments for one thing', () => {
  it.each<[string, Files, string[]]>([
    ['a constant', { ...keys, 'a.ts': job('a', 'JOBS', `import { JOBS } from './keys';`), 'b.ts': row('b', 'JOBS', 'id', `import { JOBS } from './keys';`) }, ['mixed-forms: a.ts:3, b.ts:3']],
    ['a constant behind a class id', { ...keys, 'a.ts': job('a', 'JOBS', `import { JOBS } from './keys';`), 'b.ts': row('b', '1', 'JOBS', `import { JOBS } from './keys';`) }, ['mixed-forms: a.ts:3, b.ts:3']],
    ['a text', {
      'a.ts': `import { pool } from './db';\n\nexport const a = () => pool.query("SELECT pg_try_advisory_xact_lock(hashtext('jobs'))");\n`,
      'b.ts': `import { pool } from './db';\n\nexport const b = (id: number) => pool.query("SELECT pg_try_advisory_xact_lock(hashtext('jobs'), $1)", [id]);\n`,
    }, ['mixed-forms: a.ts:3, b.ts:3']],
    ['both in one function, the whole and then a part', {
      ...keys,
      'a.ts': `import { JOBS } from './keys';
export async function a(client: import('pg').PoolClient, id: number) {
  await client.query('SELECT pg_advisory_xact_lock_shared($1)', [JOBS]);
  await client.query('SELECT pg_advisory_xact_lock($1, $2)', [JOBS, id]);
}
`,
    }, []],
    ['two constants', { ...keys, 'a.ts': job('a', 'JOBS', `import { JOBS } from './keys';`), 'b.ts': row('b', 'OTHER', 'id', `import { OTHER } from './keys';`) }, []],
  ])('%s', async (_, files, expected) => {
    expect(await problemsOf(files)).toEqual(expected);
  });
});

describe('a session lock that nothing releases', () => {
  const lead = `import { pool } from './db';\nexport const a = () => pool.query("SELECT pg_advisory_lock(hashtext('leader'))");\n`;
  it.each<[string, Files, string[]]>([
    ['on a pool', { 'a.ts': lead }, ['never-released: a.ts:2']],
    ['on a connection of one', { 'a.ts': `import { pool } from './db';\nexport async function a() { const client = await pool.connect(); await client.query('SELECT pg_advisory_lock(42)'); client.release(); }\n` }, ['never-released: a.ts:2']],
    ['released with another key', { 'a.ts': lead, 'b.ts': `import { pool } from './db';\nexport const b = () => pool.query("SELECT pg_advisory_unlock(hashtext('follower'))");\n` }, ['never-released: a.ts:2']],
    ['released in the other mode', { 'a.ts': lead, 'b.ts': `import { pool } from './db';\nexport const b = () => pool.query("SELECT pg_advisory_unlock_shared(hashtext('leader'))");\n` }, ['never-released: a.ts:2']],
    ['released in another file', { 'a.ts': lead, 'b.ts': `import { pool } from './db';\nexport const b = () => pool.query("SELECT pg_advisory_unlock(hashtext('leader'))");\n` }, []],
    ['released in a SQL file', { 'a.ts': lead, 'b.sql': "SELECT pg_advisory_unlock(hashtext('leader'));\n" }, []],
    ['released with all others', { 'a.ts': lead, 'b.ts': `import { pool } from './db';\nexport const b = () => pool.query('SELECT pg_advisory_unlock_all()');\n` }, []],
    ['released by a call that is not understood', { 'a.ts': `import { pool } from './db';\nexport const a = () => pool.query('SELECT pg_advisory_lock(42)');\n`, 'b.ts': `import { anything } from 'anywhere';\nexport const b = () => anything('SELECT pg_advisory_unlock(42)');\n` }, []],
    ['released with another key by such a call', { 'a.ts': `import { pool } from './db';\nexport const a = () => pool.query('SELECT pg_advisory_lock(42)');\n`, 'b.ts': `import { anything } from 'anywhere';\nexport const b = () => anything('SELECT pg_advisory_unlock(43)');\n` }, ['never-released: a.ts:2']],
    ['released by a statement that nobody sends', { 'a.ts': `import { PrismaClient } from '@prisma/client';\nconst prisma = new PrismaClient();\nexport const a = async () => { await prisma.$queryRaw\`SELECT pg_try_advisory_lock(12)\`; void prisma.$executeRaw\`SELECT pg_advisory_unlock(12)\`; };\n` }, ['never-released: a.ts:3']],
    ['released by a key that is computed', { 'a.ts': lead, 'b.ts': `import { pool } from './db';\nexport const b = (key: string) => pool.query('SELECT pg_advisory_unlock(hashtext($1))', [key]);\n` }, []],
    ['on a connection that is closed', { 'a.ts': `import { Client } from 'pg';\nexport async function a() { const client = new Client(); await client.connect(); await client.query('SELECT pg_advisory_lock(42)'); await client.end(); }\n` }, []],
    ['on a connection of its own, for the life of the process', { 'a.ts': `import { Client } from 'pg';\nexport async function a() { const client = new Client(); await client.connect(); await client.query('SELECT pg_advisory_lock(42)'); }\n` }, []],
    ['that ends with its transaction', { 'a.ts': `import { pool } from './db';\nexport const a = () => pool.query('SELECT pg_advisory_xact_lock(42)');\n` }, []],
    ['in a test', { 'a.test.ts': lead }, []],
  ])('%s', async (_, files, expected) => {
    expect(await problemsOf(files)).toEqual(expected);
  });

  it('is left open where a file cannot be read', async () => {
    await expect(reportOf(folderWith({ ...shared, 'a.ts': lead, 'b.ts': '/* advisory */ const = 1;\n' }))).rejects.toThrow(/^b\.ts:1 cannot be analysed/);
  });
});

describe('a circle of orders', () => {
  const named = (name: string, first: string, then: string): string => `import { withLock } from './with-lock';\nimport { ${first}, ${then} } from './order';\nexport const ${name} = () => withLock(${first}, () => withLock(${then}, async () => undefined));\n`;
  const order = { 'order.ts': 'export const A = 1;\nexport const B = 2;\nexport const C = 3;\nexport const G = 4;\n' };
  const statements = (...sent: string[]): string => `import { pool } from './db';
import * as order from './order';
export async function run(id: number) {
  const client = await pool.connect();
  await client.query('BEGIN');
${sent.map((each) => `  ${each}\n`).join('')}  await client.query('COMMIT');
  client.release();
}
`;
  const take = (key: string): string => `await client.query('SELECT pg_advisory_xact_lock($1)', [order.${key}]);`;

  it.each<[string, Files, string[]]>([
    ['of two', { ...order, 'a.ts': named('a', 'A', 'B'), 'b.ts': named('b', 'B', 'A') }, ['order-cycle: a.ts:3, b.ts:3']],
    ['of three', { ...order, 'a.ts': named('a', 'A', 'B'), 'b.ts': named('b', 'B', 'C'), 'c.ts': named('c', 'C', 'A') }, ['order-cycle: a.ts:3, b.ts:3, c.ts:3']],
    ['of statements and helpers', { ...order, 'a.ts': named('a', 'A', 'B'), 'b.ts': statements(take('B'), take('A')) }, ['order-cycle: a.ts:3, b.ts:7']],
    ['of row locks', {
      ...order,
      'a.ts': `import { lockRow } from './with-lock';\nexport async function a(client: import('pg').PoolClient, id: number) {\n  await client.query('BEGIN');\n  await lockRow(client, 101, id);\n  await lockRow(client, 102, id);\n}\n`,
      'b.ts': `import { lockRow } from './with-lock';\nexport async function b(client: import('pg').PoolClient, id: number) {\n  await client.query('BEGIN');\n  await lockRow(client, 102, id);\n  await lockRow(client, 101, id);\n}\n`,
    }, ['order-cycle: a.ts:5, b.ts:5', 'shared-class: a.ts:4, b.ts:5', 'shared-class: a.ts:5, b.ts:4']],
    ['through a service of another file', {
      ...order,
      'a.ts': `import { withLock } from './with-lock';\nimport { A } from './order';\nimport { inner } from './inner';\nexport const a = () => withLock(A, async () => {\n  await inner();\n});\n`,
      'inner.ts': `import { deeper } from './deeper';\nexport async function inner() {\n  await deeper();\n}\n`,
      'deeper.ts': `import { withLock } from './with-lock';\nimport { B } from './order';\nexport const deeper = () => withLock(B, async () => undefined);\n`,
      'b.ts': named('b', 'B', 'A'),
    }, ['order-cycle: a.ts:5, b.ts:3']],
    ['through a function that is handed over', {
      ...order,
      'a.ts': `import { withLock } from './with-lock';\nimport { A } from './order';\nimport { inner } from './inner';\nexport const a = () => withLock(A, inner);\n`,
      'inner.ts': `import { withLock } from './with-lock';\nimport { B } from './order';\nexport const inner = () => withLock(B, async () => undefined);\n`,
      'b.ts': named('b', 'B', 'A'),
    }, ['order-cycle: a.ts:4, b.ts:3']],
    ['with one order everywhere', { ...order, 'a.ts': named('a', 'A', 'B'), 'b.ts': named('b', 'A', 'C'), 'c.ts': named('c', 'B', 'C') }, []],
    ['one after the other', { ...order, 'a.ts': `import { withLock } from './with-lock';\nimport { A, B } from './order';\nexport async function a() {\n  await withLock(A, async () => undefined);\n  await withLock(B, async () => undefined);\n}\n`, 'b.ts': named('b', 'B', 'A') }, []],
    ['that nobody waits in', { ...order, 'a.ts': named('a', 'A', 'B').replaceAll('withLock', 'withTryLock'), 'b.ts': named('b', 'B', 'A') }, []],
    ['behind one lock that all take first', {
      ...order,
      'a.ts': statements(take('G'), take('A'), take('B')),
      'b.ts': statements(take('G'), take('B'), take('A')),
    }, []],
    ['of shared locks', {
      ...order,
      'a.ts': statements(take('A'), take('B')).replaceAll('xact_lock', 'xact_lock_shared'),
      'b.ts': statements(take('B'), take('A')).replaceAll('xact_lock', 'xact_lock_shared'),
    }, []],
    ['that is not waited for', {
      ...order,
      'a.ts': `import { withLock } from './with-lock';\nimport { A } from './order';\nimport { inner } from './inner';\nexport const a = () => withLock(A, async () => {\n  void inner();\n});\n`,
      'inner.ts': `import { withLock } from './with-lock';\nimport { B } from './order';\nexport const inner = () => withLock(B, async () => undefined);\n`,
      'b.ts': named('b', 'B', 'A'),
    }, []],
    ['of keys that are computed', {
      'a.ts': `import { withLock } from './with-lock';\nexport const a = (x: number, y: number) => withLock(x, () => withLock(y, async () => undefined));\nexport const b = (x: number, y: number) => withLock(y, () => withLock(x, async () => undefined));\n`,
    }, []],
    ['in two packages', {
      'one/package.json': '{}',
      'two/package.json': '{}',
      'one/a.ts': nested('a', 1, 2).replace('./with', '../with'),
      'two/b.ts': nested('b', 2, 1).replace('./with', '../with'),
    }, []],
  ])('%s', async (_, files, expected) => {
    expect(await problemsOf(files)).toEqual(expected);
  });

  it('says who waits for what', async () => {
    const { problems } = await reportOf(folderWith({ ...shared, ...order, 'a.ts': named('a', 'A', 'B'), 'b.ts': named('b', 'B', 'A') }));
    expect(problems.map(({ message, cycle, places }) => [message, cycle, places.map(({ text }) => text)])).toEqual([
      [
        'Locks are taken in a circle, A (1) → B (2) → A (1), so that sessions can wait for each other. Take them in one order everywhere.',
        ['1', '2'],
        ['waits for B (2) while holding A (1)', 'waits for A (1) while holding B (2)'],
      ],
    ]);
  });
});
