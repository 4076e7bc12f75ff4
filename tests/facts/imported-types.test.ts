import * as typescriptParser from '@typescript-eslint/parser';
import { handleIn, projectOf, type Project } from './imports.js';

/** A project that TypeScript knows; `container` hides from syntax what its result is. */
const typedProject = (files: Readonly<Record<string, string>>): Project =>
  projectOf({
    'tsconfig.json': '{ "compilerOptions": { "strict": true, "module": "nodenext", "types": [] }, "include": ["*.ts"] }',
    'container.ts': 'export declare function get<T>(type: new (...given: never[]) => T): T; export declare const registry: Map<string, unknown>;',
    'node_modules/pg/package.json': '{ "name": "pg", "types": "index.d.ts" }',
    'node_modules/pg/index.d.ts': 'export declare class Pool { query(text: string): Promise<{ rows: unknown[] }>; }',
    'db.ts': `import { Pool } from 'pg';
      export class Database { private readonly pool = new Pool(); ask(text: string) { return this.pool.query(text); } }
      export interface Asks { ask(text: string): Promise<unknown> }`,
    ...files,
  });

const handleOf = (files: Readonly<Record<string, string>>, isTyped: boolean): ReturnType<typeof handleIn> => {
  const project = typedProject(files);
  const languageOptions = { parser: typescriptParser, parserOptions: isTyped ? { projectService: true, tsconfigRootDir: project.folder } : {} };
  return handleIn(project.queriesOf('job.ts', { languageOptions }));
};

const lock = (call: string): string => `export async function run() { await ${call}('SELECT pg_advisory_lock(1)'); }`;
const pgPool = { role: 'pool', driver: 'pg', assumed: false };

describe('the type of a receiver', () => {
  it.each<[string, Record<string, string>]>([
    ['in a constant', { 'job.ts': `import { get } from './container.js'; import { Database } from './db.js'; const db = get(Database); ${lock('db.ask')}` }],
    ['in a call', { 'job.ts': `import { get } from './container.js'; import { Database } from './db.js'; ${lock('get(Database).ask')}` }],
    ['of an import whose file does not show it', { 'services.ts': `import { get } from './container.js'; import { Database } from './db.js'; export const db = get(Database);`, 'job.ts': `import { db } from './services.js'; ${lock('db.ask')}` }],
    ['of a class of the file itself', { 'job.ts': `import { get } from './container.js'; import { Pool } from 'pg'; class Own { pool = new Pool(); ask(text: string) { return this.pool.query(text); } } const own = get(Own); ${lock('own.ask')}` }],
  ])('leads to the class that says what its methods do, %s', (_, files) => {
    expect(handleOf(files, true)).toEqual(pgPool);
    expect(handleOf(files, false)).not.toEqual(pgPool);
  });

  it.each<[string, Record<string, string>]>([
    ['an interface', { 'job.ts': `import { get } from './container.js'; import type { Asks } from './db.js'; export const run = (list: Asks[]) => list[0]!.ask('SELECT pg_advisory_lock(1)'); get;` }],
    ['an object type', { 'job.ts': `export const run = (list: { ask(text: string): unknown }[]) => list[0]!.ask('SELECT pg_advisory_lock(1)');` }],
  ])('says nothing when it is %s', (_, files) => {
    expect(handleOf(files, true)).toBeNull();
  });
});
