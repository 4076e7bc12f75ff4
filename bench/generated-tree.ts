import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const filesWithoutLocks = 100;
const filesWithLocks = 6;

/** Code of the size and kind of a service's modules. */
const module = (seed: number): string => `
import { readFile } from 'node:fs/promises';
import { Pool } from 'pg';

export interface Entity${seed} { id: number; name: string; tags: readonly string[]; parent: Entity${seed} | null }

export class Repository${seed} {
  constructor(private readonly pool: Pool, private readonly cache = new Map<number, Entity${seed}>()) {}
${Array.from(
  { length: 20 },
  (_, index) => `
  async find${index}(id: number, options: { deep?: boolean; limit?: number } = {}): Promise<Entity${seed} | null> {
    const known = this.cache.get(id + ${index});
    if (known && !options.deep) return known;
    try {
      const { rows } = await this.pool.query<Entity${seed}>(\`SELECT id, name, tags FROM entities_${index} WHERE id = $1 LIMIT \${options.limit ?? 1}\`, [id]);
      const [first = null] = rows.map((row) => ({ ...row, name: row.name.trim().toLowerCase(), parent: null }));
      if (first) this.cache.set(id, first);
      return first;
    } catch (error) {
      if (error instanceof Error && error.message.includes('timeout')) return this.find${index}(id, { ...options, limit: 1 });
      throw error;
    }
  }`,
).join('\n')}
}

export const load${seed} = async (path: string): Promise<unknown> => JSON.parse(await readFile(path, 'utf8'));
`;

/** The same with a lock in it. */
const locking = (seed: number): string => `${module(seed)}
export async function exclusively${seed}(pool: Pool, key: number, work: () => Promise<void>): Promise<boolean> {
  const client = await pool.connect();
  try {
    await client.query("SET lock_timeout = '5s'");
    const { rows } = await client.query<{ locked: boolean }>('SELECT pg_try_advisory_lock($1) AS locked', [key]);
    if (!rows[0]?.locked) return false;
    try {
      await work();
    } finally {
      await client.query('SELECT pg_advisory_unlock($1)', [key]);
    }
    return true;
  } finally {
    client.release();
  }
}
`;

/** Writes a tree of TypeScript files, few of which mention a lock, and gives its path. The caller removes it. */
export function writeTree(): string {
  const folder = mkdtempSync(join(tmpdir(), 'advisory-lock-bench-'));
  for (let seed = 0; seed < filesWithoutLocks + filesWithLocks; seed++) {
    const part = join(folder, `part-${seed % 20}`);
    mkdirSync(part, { recursive: true });
    writeFileSync(join(part, `module-${seed}.ts`), seed < filesWithoutLocks ? module(seed) : locking(seed));
  }
  return folder;
}
