import { cpSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { queries } from '../../src/facts/queries.js';
import { resultOf } from '../../src/pass.js';
import { unitFor } from '../harness.js';

describe('types of the parser', () => {
  let folder = '';

  beforeAll(() => {
    // Git does not keep a folder of that name, and neither linters nor compilers look into it where it stands.
    folder = mkdtempSync(join(tmpdir(), 'advisory-lock-types-'));
    cpSync(join(import.meta.dirname, 'fixtures', 'types'), folder, { recursive: true });
    renameSync(join(folder, 'packages'), join(folder, 'node_modules'));
  });

  afterAll(() => {
    rmSync(folder, { recursive: true, force: true });
  });

  const header = `import { sql } from 'kysely';\nimport { registry } from './container.js';\nconst all = () => registry();\n`;

  it.each([
    ['a class of the package', `export const f = () => all().pool.query('SELECT pg_advisory_lock(1)');`, 'pool', 'pg'],
    ['an optional one', `export const f = () => all().client?.query('SELECT pg_advisory_lock(1)');`, 'connection', 'pg'],
    ['one of two', `export const f = () => all().either.query('SELECT pg_advisory_lock(1)');`, 'unknown', 'pg'],
    ['a subclass', `export const f = () => all().reporting.query('SELECT pg_advisory_lock(1)');`, 'pool', 'pg'],
    ['a function with properties, as a tag', 'export const f = () => all().sql`SELECT pg_advisory_lock(1)`;', 'pool', 'postgres'],
    ['its method', `export const f = () => all().sql.unsafe('SELECT pg_advisory_lock(1)');`, 'pool', 'postgres'],
    ['a type that plays several roles', 'export const f = () => sql`SELECT pg_advisory_lock(1)`.execute(all().kysely);', 'unknown', 'kysely'],
    ['its sub-type', 'export const f = () => sql`SELECT pg_advisory_lock(1)`.execute(all().transaction);', 'transaction', 'kysely'],
  ])('%s', (_title, code, role, driver) => {
    writeFileSync(join(folder, 'test.ts'), header + code);
    const unit = unitFor(header + code, { project: folder });
    const found = resultOf(queries, unit).filter((query) => query.locks.length > 0);
    expect(found.map(({ handle }) => [handle.role, handle.driver.name])).toEqual([[role, driver]]);
  });

  it('gives two uses of one object one identity', () => {
    const code = `${header}export async function f() { const c = all().client!; await c.query('SELECT pg_advisory_lock(1)'); await c.query('SELECT pg_advisory_unlock(1)'); }`;
    writeFileSync(join(folder, 'test.ts'), code);
    const identities = resultOf(queries, unitFor(code, { project: folder })).map(({ handle }) => handle.identity);
    expect(identities).toHaveLength(2);
    expect(identities[0]).toBe(identities[1]);
  });

  it('says nothing of objects of other types', () => {
    const code = `${header}export const f = () => all().search.query('SELECT pg_advisory_lock(1)');`;
    writeFileSync(join(folder, 'test.ts'), code);
    const [query] = resultOf(queries, unitFor(code, { project: folder }));
    expect(query?.handle.role ?? 'unknown').toBe('unknown');
  });
});
