import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

export interface GeneratedProject {
  readonly folder: string;
  readonly files: number;
  /** Every problem that was put in: its kind, and the files it shows, in order. */
  readonly seeded: readonly SeededProblem[];
  /** Statements and calls of helpers that take a lock. */
  readonly sites: number;
}

export interface SeededProblem {
  readonly kind: string;
  readonly files: readonly string[];
}

const shared: Readonly<Record<string, string>> = {
  'package.json': '{ "name": "generated", "private": true }\n',
  'src/lib/db.ts': `import { Pool } from 'pg';\nexport const pool = new Pool({ connectionString: process.env.DATABASE_URL });\n`,
  'src/lib/locks/with-lock.ts': `import type { PoolClient } from 'pg';
import { pool } from '../db';

export async function withLock<T>(key: number, work: () => Promise<T>): Promise<T> {
  const client = await pool.connect();
  try {
    await client.query('SELECT pg_advisory_lock($1)', [key]);
    try {
      return await work();
    } finally {
      await client.query('SELECT pg_advisory_unlock($1)', [key]);
    }
  } finally {
    client.release();
  }
}

export async function lockRow(client: PoolClient, entity: number, id: number): Promise<void> {
  await client.query('SELECT pg_advisory_xact_lock($1, $2)', [entity, id]);
}
`,
  'src/lib/locks/index.ts': `export * from './with-lock';\n`,
};

/** A service's module without locks. */
const plain = (seed: number): string => `import { pool } from '../../lib/db';
import type { Entity${seed} } from './types-${seed}';

export interface Options${seed} { limit?: number; deep?: boolean }

export async function find${seed}(id: number, options: Options${seed} = {}): Promise<Entity${seed} | null> {
  const { rows } = await pool.query<Entity${seed}>('SELECT id, name FROM entities_${seed} WHERE id = $1 LIMIT 1', [id]);
  const [first = null] = rows.map((row) => ({ ...row, name: row.name.trim().toLowerCase() }));
  return options.deep && first ? find${seed}(first.id, { ...options, deep: false }) : first;
}

export const total${seed} = (list: readonly Entity${seed}[]): number => list.reduce((sum, entity) => sum + entity.id, ${seed});
`;

/** Four ways to take a lock as one should, each with a key of its own. */
const ordinary: readonly ((seed: number) => { readonly code: string; readonly sites: number; readonly constant?: string })[] = [
  (seed) => ({
    constant: `JOB_${seed}`,
    sites: 1,
    code: `import { withLock } from '../../lib/locks';
import { JOB_${seed} } from '../../lib/keys';
import { find${seed} } from './service-${seed}';

export const run${seed} = (id: number) => withLock(JOB_${seed}, async () => find${seed}(id));
`,
  }),
  (seed) => ({
    sites: 1,
    code: `import { pool } from '../../lib/db';

export async function nightly${seed}(): Promise<boolean> {
  const client = await pool.connect();
  try {
    const { rows } = await client.query("SELECT pg_try_advisory_lock(hashtext('nightly-${seed}')) AS locked");
    if (!rows[0]?.locked) return false;
    try {
      await client.query('SELECT refresh_${seed}()');
      return true;
    } finally {
      await client.query("SELECT pg_advisory_unlock(hashtext('nightly-${seed}'))");
    }
  } finally {
    client.release();
  }
}
`,
  }),
  (seed) => ({
    constant: `ENTITY_${seed}`,
    sites: 1,
    code: `import type { PoolClient } from 'pg';
import { lockRow } from '../../lib/locks';
import { ENTITY_${seed} } from '../../lib/keys';

export async function save${seed}(client: PoolClient, id: number): Promise<void> {
  await client.query('BEGIN');
  await lockRow(client, ENTITY_${seed}, id);
  await client.query('UPDATE entities_${seed} SET saved = now() WHERE id = $1', [id]);
  await client.query('COMMIT');
}
`,
  }),
  // Two locks, in the order of their keys as everywhere.
  (seed) => ({
    constant: `STEP_${seed}`,
    sites: 2,
    code: `import { withLock } from '../../lib/locks';
import { LAST_STEP, STEP_${seed} } from '../../lib/keys';

export const step${seed} = () => withLock(STEP_${seed}, () => withLock(LAST_STEP, async () => undefined));
`,
  }),
];

/** The same constant is taken by many: that is one purpose. */
const lastStep = 999_999;

interface Seeded {
  readonly files: Readonly<Record<string, string>>;
  readonly problem: SeededProblem;
  readonly constants: readonly string[];
  readonly sites: number;
}

/** One of each kind of problem, with keys from `base` on; `name` tells the copies apart. */
function seeds(name: number, base: number): readonly Seeded[] {
  const [a, b, c] = ['A', 'B', 'C'].map((letter) => `CIRCLE_${letter}_${name}`);
  const at = (file: string): string => `src/seeded/${file}-${name}.ts`;
  const holding = (first: string, then: string, fn: string): string => `import { withLock } from '../lib/locks';
import { ${first}, ${then} } from '../lib/keys';

export const ${fn}${name} = () => withLock(${first}, () => withLock(${then}, async () => undefined));
`;
  const literal = (fn: string, key: number): string => `import { withLock } from '../lib/locks';\n\nexport const ${fn}${name} = () => withLock(${key}, async () => undefined);\n`;
  const row = (fn: string, entity: number): string => `import type { PoolClient } from 'pg';
import { lockRow } from '../lib/locks';

export async function ${fn}${name}(client: PoolClient, id: number): Promise<void> {
  await lockRow(client, ${entity}, id);
}
`;
  return [
    {
      problem: { kind: 'order-cycle', files: [at('circle-ab'), at('circle-bc'), at('circle-ca')] },
      constants: [`export const ${a} = ${base + 1};`, `export const ${b} = ${base + 2};`, `export const ${c} = ${base + 3};`],
      files: { [at('circle-ab')]: holding(a ?? '', b ?? '', 'ab'), [at('circle-bc')]: holding(b ?? '', c ?? '', 'bc'), [at('circle-ca')]: holding(c ?? '', a ?? '', 'ca') },
      sites: 6,
    },
    {
      // The second lock of the one is taken by a service that another file has, the other way round by a statement.
      problem: { kind: 'order-cycle', files: [at('close-books'), at('sync-books')] },
      constants: [`export const BOOKS_${name} = ${base + 4};`, `export const INVOICES_${name} = ${base + 5};`],
      files: {
        [at('invoices')]: `import { withLock } from '../lib/locks';
import { INVOICES_${name} } from '../lib/keys';

export const syncInvoices${name} = () => withLock(INVOICES_${name}, async () => undefined);
`,
        [at('close-books')]: `import { withLock } from '../lib/locks';
import { BOOKS_${name} } from '../lib/keys';
import { syncInvoices${name} } from './invoices-${name}';

export const closeBooks${name} = () =>
  withLock(BOOKS_${name}, async () => {
    await syncInvoices${name}();
  });
`,
        [at('sync-books')]: `import { pool } from '../lib/db';
import { BOOKS_${name}, INVOICES_${name} } from '../lib/keys';

export async function syncBooks${name}(): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query('BEGIN');
    await client.query('SELECT pg_advisory_xact_lock($1)', [INVOICES_${name}]);
    await client.query('SELECT pg_advisory_xact_lock($1)', [BOOKS_${name}]);
    await client.query('COMMIT');
  } finally {
    client.release();
  }
}
`,
      },
      sites: 4,
    },
    {
      problem: { kind: 'shared-key', files: [at('mail'), at('thumbnails')] },
      constants: [],
      files: { [at('mail')]: literal('sendMail', base + 6), [at('thumbnails')]: literal('makeThumbnails', base + 6) },
      sites: 2,
    },
    {
      problem: { kind: 'shared-class', files: [at('orders'), at('users')] },
      constants: [],
      files: { [at('orders')]: row('payOrder', base + 7), [at('users')]: row('mergeUser', base + 7) },
      sites: 2,
    },
    {
      problem: { kind: 'mixed-forms', files: [at('export-all'), at('export-one')] },
      constants: [`export const EXPORTS_${name} = ${base + 8};`],
      files: {
        [at('export-all')]: `import { withLock } from '../lib/locks';\nimport { EXPORTS_${name} } from '../lib/keys';\n\nexport const exportAll${name} = () => withLock(EXPORTS_${name}, async () => undefined);\n`,
        [at('export-one')]: `import type { PoolClient } from 'pg';
import { lockRow } from '../lib/locks';
import { EXPORTS_${name} } from '../lib/keys';

export const exportOne${name} = (client: PoolClient, id: number) => lockRow(client, EXPORTS_${name}, id);
`,
      },
      sites: 2,
    },
    {
      problem: { kind: 'never-released', files: [at('leader')] },
      constants: [],
      files: { [at('leader')]: `import { pool } from '../lib/db';\n\nexport const lead${name} = () => pool.query("SELECT pg_advisory_lock(hashtext('leader-${name}'))");\n` },
      sites: 1,
    },
  ];
}

/** Writes a TypeScript project of about that many files and lock sites, with so many problems of each kind. The caller removes it. */
export function writeProject({ files, sites, copies }: { readonly files: number; readonly sites: number; readonly copies: number }): GeneratedProject {
  const folder = mkdtempSync(join(tmpdir(), 'advisory-lock-project-'));
  const constants = [`export const LAST_STEP = ${lastStep};`];
  let written = 0;
  let taken = 0;
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
    written += 1;
  };
  for (const [path, text] of Object.entries(shared)) write(path, text);

  const seeded = Array.from({ length: copies }, (_, copy) => seeds(copy + 1, 500_000 + copy * 100)).flat();
  for (const seed of seeded) {
    for (const [path, text] of Object.entries(seed.files)) write(path, text);
    constants.push(...seed.constants);
    taken += seed.sites;
  }
  for (let seed = 1; written < files - 1; seed += 1) {
    const part = `src/features/part-${seed % 50}`;
    write(`${part}/types-${seed}.ts`, `export interface Entity${seed} { id: number; name: string }\n`);
    write(`${part}/service-${seed}.ts`, plain(seed));
    const lock = taken < sites ? ordinary[seed % ordinary.length]?.(seed) : undefined;
    if (!lock) continue;
    write(`${part}/lock-${seed}.ts`, lock.code);
    if (lock.constant !== undefined) constants.push(`export const ${lock.constant} = ${1_000 + seed};`);
    taken += lock.sites;
  }
  write('src/lib/keys.ts', `${constants.join('\n')}\n`);
  return { folder, files: written, seeded: seeded.map(({ problem }) => problem), sites: taken };
}
