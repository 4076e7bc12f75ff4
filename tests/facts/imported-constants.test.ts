import { evaluation } from '../../src/facts/evaluation.js';
import { queries } from '../../src/facts/queries.js';
import { resultOf } from '../../src/pass.js';
import { projectOf } from './imports.js';

const constants = `
export const LOCK_SQL = 'SELECT pg_advisory_lock($1)';
export const PREFIX = 'pg_advisory';
export const LOCK_IDS = { migrate: 42, report: 7 } as const;
export enum Ids { Import = 1, Export = 2 }
export const lockSql = (fn: string, key: number) => \`SELECT \${fn}(\${key})\`;
export const frozen = Object.freeze({ sql: 'SELECT pg_try_advisory_lock(5)' });
export let changing = 'SELECT pg_advisory_lock(1)';
changing = 'SELECT 1';
export default { sql: 'SELECT pg_advisory_unlock(1)' };
`;

const importing = (call: string): string =>
  `import { Pool } from 'pg'; import texts, { LOCK_SQL, LOCK_IDS, Ids, lockSql, PREFIX, frozen, changing } from './locks'; // advisory
const pool = new Pool(); export const run = () => pool.query(${call});`;

describe('a constant of another file', () => {
  const project = projectOf({ 'locks.ts': constants, 'index.ts': `export { LOCK_SQL as SQL } from './locks';` });

  it.each([
    ['a text', 'LOCK_SQL, [1]', 'pg_advisory_lock'],
    ['a part of a text', '`SELECT ${PREFIX}_unlock(1)`', 'pg_advisory_unlock'],
    ['a property', 'frozen.sql', 'pg_try_advisory_lock'],
    ['a property of a default export', 'texts.sql', 'pg_advisory_unlock'],
    ['a function that builds text', "lockSql('pg_advisory_xact_lock', 3)", 'pg_advisory_xact_lock'],
  ])('is read as SQL: %s', (_, call, name) => {
    project.write('job.ts', importing(call));
    const [query] = project.queriesOf('job.ts');
    expect(query?.locks.map(({ operation }) => operation.name)).toEqual([name]);
    // Whatever is underlined stands in the linted file.
    const [from, to] = query?.locks[0]?.sourceOf({ start: 0, end: 5 }) ?? [0, 0];
    expect([from, to].every((offset) => offset > 0 && offset <= importing(call).length)).toBe(true);
  });

  it.each([
    ['a text that changes', 'changing'],
    ['a name that the file does not export', 'missing'],
  ])('is not taken for granted: %s', (_, call) => {
    project.write('job.ts', importing(call).replace('changing }', 'changing, missing }'));
    expect(project.queriesOf('job.ts').flatMap(({ locks }) => locks)).toEqual([]);
  });

  it('is read through a re-export, and not where imports are not followed', () => {
    project.write('job.ts', `import { Pool } from 'pg'; import { SQL } from './index'; const pool = new Pool(); export const run = () => pool.query(SQL); // advisory`);
    expect(project.queriesOf('job.ts').flatMap(({ locks }) => locks)).toHaveLength(1);
    expect(project.queriesOf('job.ts', { settings: { followImports: false } }).flatMap(({ locks }) => locks)).toEqual([]);
  });

  it.each([
    ['LOCK_IDS.migrate', 'LOCK_IDS.migrate', 'same'],
    ['LOCK_IDS.migrate', '42', 'same'],
    ['LOCK_IDS.migrate', 'LOCK_IDS.report', 'different'],
    ['Ids.Import', 'Ids.Export', 'different'],
    ['Ids.Import', 'Ids.Import', 'same'],
  ])('is compared as a key: %s and %s', (one, other, sameness) => {
    project.write('job.ts', `${importing('LOCK_SQL, [1]')} export const again = async () => { await pool.query('SELECT pg_advisory_lock($1)', [${one}]); await pool.query('SELECT pg_advisory_lock($1)', [${other}]); };`);
    const unit = project.unitOf('job.ts');
    const { keys } = resultOf(evaluation, unit);
    const [, first, second] = resultOf(queries, unit).flatMap(({ locks }) => locks);
    if (!first || !second) throw new Error('two locks are needed');
    expect(keys.sameKey(keys.keyOf(first, []), keys.keyOf(second, []))).toBe(sameness);
  });

  it('is read anew after an edit', () => {
    project.write('job.ts', importing('LOCK_SQL, [1]'));
    project.write('locks.ts', constants.replace("'SELECT pg_advisory_lock($1)'", "'SELECT pg_advisory_lock_shared($1)'"));
    expect(project.queriesOf('job.ts')[0]?.locks[0]?.operation.name).toBe('pg_advisory_lock_shared');
  });
});
