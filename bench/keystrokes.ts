import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { linkPackages, startEslintServer } from '../tests/hosts/eslint-server.js';

const keystrokes = 60;

export interface Latency {
  readonly firstLint: number;
  /** From each change of the file to its diagnostics, warm; sorted. */
  readonly keystrokes: readonly number[];
  readonly lines: number;
  readonly findings: number;
}

/**
 * Types into a file of some 430 lines with ten locks, in VS Code's ESLint extension, and measures how long each keystroke waits
 * for its diagnostics: with a configuration of this plugin, or with the same parser and no rule at all.
 */
export async function latency(config: 'recommended' | 'all' | null): Promise<Latency> {
  const { resolve: find } = createRequire(resolve('package.json'));
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'advisory-lock-keystrokes-')));
  const text = fileWithLocks();
  try {
    writeFileSync(join(folder, 'package.json'), '{}');
    writeFileSync(join(folder, 'jobs.ts'), text);
    writeFileSync(
      join(folder, 'eslint.config.mjs'),
      `import typescriptParser from '@typescript-eslint/parser';
      import advisoryLock from 'eslint-plugin-advisory-lock';
      export default [{ files: ['**/*.ts'], languageOptions: { parser: typescriptParser } }, ${config === null ? '{ plugins: { advisoryLock } }' : `advisoryLock.configs.${config}`}];`,
    );
    const folderOf = (name: string): string => dirname(find(`${name}/package.json`));
    linkPackages(folder, { eslint: folderOf('eslint'), '@typescript-eslint/parser': folderOf('@typescript-eslint/parser'), 'eslint-plugin-advisory-lock': resolve('.') });
    const client = await startEslintServer(folder, find);
    try {
      const startedAt = performance.now();
      const { length: findings } = await client.open('jobs.ts', 'typescript');
      const firstLint = performance.now() - startedAt;
      const times: number[] = [];
      for (let index = 1; index <= keystrokes; index++) {
        const typedAt = performance.now();
        await client.change('jobs.ts', text.replace('// here', `const typed = '${'x'.repeat(index)}';`));
        times.push(performance.now() - typedAt);
      }
      // The first of them warm up.
      const warm = times.slice(keystrokes / 3).sort((one, other) => one - other);
      return { firstLint, keystrokes: warm, lines: text.split('\n').length - 1, findings };
    } finally {
      await client.stop();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Ten jobs, each with a lock on a connection of its own, four more statements, and the code around them that such files have. */
function fileWithLocks(): string {
  const header = `import { Pool, type PoolClient } from 'pg';

interface Row {
  readonly id: number;
  readonly name: string;
  readonly payload: Readonly<Record<string, unknown>>;
}

export const pool = new Pool({ lock_timeout: 2_000 });
// here
`;
  const jobs = Array.from(
    { length: 10 },
    (_, job) => `
/** Sums up what the rows of job ${job} say, name by name. */
function summary${job}(rows: readonly Row[]): ReadonlyMap<string, number> {
  const sums = new Map<string, number>();
  for (const { name, payload } of rows) {
    const amount = Number(payload['amount'] ?? 0);
    if (Number.isNaN(amount)) continue;
    sums.set(name, (sums.get(name) ?? 0) + amount);
  }
  return sums;
}

async function perform${job}(client: PoolClient, names: readonly string[]): Promise<number> {
  const { rows } = await client.query<Row>('SELECT id, name, payload FROM job_${job} WHERE name = ANY($1) ORDER BY id', [names]);
  const sums = summary${job}(rows);
  let count = 0;
  for (const [name, sum] of sums) {
    if (sum === 0) continue;
    await client.query('INSERT INTO total_${job} (name, sum) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET sum = excluded.sum', [name, sum]);
    count++;
  }
  await client.query('DELETE FROM job_${job} WHERE id = ANY($1)', [rows.map(({ id }) => id)]);
  return count;
}

export async function job${job}(names: readonly string[]): Promise<boolean> {
  const client = await pool.connect();
  let isUnlocked = false;
  try {
    await client.query('SELECT pg_advisory_lock(${4200 + job})');
    try {
      const count = await perform${job}(client, names);
      await client.query("UPDATE run SET count = $1, ended = now() WHERE name = 'job ${job}'", [count]);
    } finally {
      const { rows } = await client.query('SELECT pg_advisory_unlock(${job % 2 === 0 ? 4200 + job : 4300}) AS unlocked');
      isUnlocked = rows[0]?.unlocked === true;
    }
    return isUnlocked;
  } finally {
    client.release(isUnlocked ? undefined : new Error('still locked'));
  }
}
`,
  );
  return header + jobs.join('');
}
