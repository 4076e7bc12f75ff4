import * as typescriptParser from '@typescript-eslint/parser';
import { mkdirSync, symlinkSync, utimesSync } from 'node:fs';
import { handleIn, projectOf } from './imports.js';

const lock = (call: string): string => `export async function run() { await ${call}('SELECT pg_advisory_lock(1)'); }`;
const pgPool = { role: 'pool', driver: 'pg', assumed: false };
const pgConnection = { role: 'connection', driver: 'pg', assumed: false };
const pgTransaction = { role: 'transaction', driver: 'pg', assumed: false };
const assumedPool = { role: 'pool', driver: 'unknown driver', assumed: true };

interface Case {
  readonly name: string;
  readonly files: Readonly<Record<string, string>>;
  readonly file?: string;
  readonly handle: ReturnType<typeof handleIn>;
}

const makePool = `import { Pool } from 'pg'; export const pool = new Pool();`;

const cases: readonly Case[] = [
  { name: 'a pool under its name', files: { 'db.ts': makePool, 'job.ts': `import { pool } from './db'; ${lock('pool.query')}` }, handle: pgPool },
  { name: 'a pool under another name', files: { 'db.ts': makePool, 'job.ts': `import { pool as db } from './db'; ${lock('db.query')}` }, handle: pgPool },
  { name: 'a default export', files: { 'db.ts': `import { Pool } from 'pg'; export default new Pool();`, 'job.ts': `import db from './db'; ${lock('db.query')}` }, handle: pgPool },
  { name: 'a namespace', files: { 'db.ts': makePool, 'job.ts': `import * as db from './db'; ${lock('db.pool.query')}` }, handle: pgPool },
  { name: 'a file named with the extension of its output', files: { 'db.ts': makePool, 'job.ts': `import { pool } from './db.js'; ${lock('pool.query')}` }, handle: pgPool },
  { name: 'the index of a folder', files: { 'db/index.ts': makePool, 'job.ts': `import { pool } from './db'; ${lock('pool.query')}` }, handle: pgPool },
  { name: 'a star', files: { 'db/index.ts': `export * from './pool';`, 'db/pool.ts': makePool, 'job.ts': `import { pool } from './db'; ${lock('pool.query')}` }, handle: pgPool },
  { name: 'a named re-export', files: { 'index.ts': `export { pool as main } from './pool';`, 'pool.ts': makePool, 'job.ts': `import { main } from './index'; ${lock('main.query')}` }, handle: pgPool },
  { name: 'an import handed on', files: { 'index.ts': `import { pool } from './pool'; export { pool };`, 'pool.ts': makePool, 'job.ts': `import { pool } from './index'; ${lock('pool.query')}` }, handle: pgPool },
  { name: 'a namespace re-export', files: { 'index.ts': `export * as db from './pool';`, 'pool.ts': makePool, 'job.ts': `import { db } from './index'; ${lock('db.pool.query')}` }, handle: pgPool },
  { name: "a driver's class handed on", files: { 'pg.ts': `export { Pool } from 'pg';`, 'job.ts': `import { Pool } from './pg'; const pool = new Pool(); ${lock('pool.query')}` }, handle: pgPool },
  { name: 'a property of an exported object', files: { 'db.ts': `import { Pool } from 'pg'; export const db = { main: new Pool() };`, 'job.ts': `import { db } from './db'; ${lock('db.main.query')}` }, handle: pgPool },
  { name: 'a destructured export', files: { 'db.ts': `import { Pool } from 'pg'; export const { main } = { main: new Pool() };`, 'job.ts': `import { main } from './db'; ${lock('main.query')}` }, handle: pgPool },
  { name: 'a single connection', files: { 'db.ts': `import { Pool } from 'pg'; export const pool = new Pool({ max: 1 });`, 'job.ts': `import { pool } from './db'; ${lock('pool.query')}` }, handle: { ...pgPool, role: 'single' } },
  { name: 'a pool that a factory makes', files: { 'db.ts': `import { Pool } from 'pg'; export function createPool() { return new Pool(); }`, 'job.ts': `import { createPool } from './db'; const pool = createPool(); ${lock('pool.query')}` }, handle: pgPool },
  { name: 'a connection that a function takes', files: { 'db.ts': `${makePool} export async function getClient() { return pool.connect(); }`, 'job.ts': `import { getClient } from './db'; export async function run() { const client = await getClient(); await client.query('SELECT pg_advisory_lock(1)'); }` }, handle: pgConnection },
  { name: 'a field of a class', files: { 'db.ts': `import { Pool } from 'pg'; export class Database { readonly pool = new Pool(); }`, 'job.ts': `import { Database } from './db'; const db = new Database(); ${lock('db.pool.query')}` }, handle: pgPool },
  { name: 'a field of an annotated class', files: { 'db.ts': `import { Pool } from 'pg'; export class Database { readonly pool = new Pool(); }`, 'job.ts': `import { Database } from './db'; export class Job { constructor(private readonly db: Database) {} async run() { await this.db.pool.query('SELECT pg_advisory_lock(1)'); } }` }, handle: pgPool },
  { name: 'a field of a base class', files: { 'base.ts': `import { Pool } from 'pg'; export class Base { protected pool = new Pool(); }`, 'job.ts': `import { Base } from './base'; export class Job extends Base { async run() { await this.pool.query('SELECT pg_advisory_lock(1)'); } }` }, handle: pgPool },
  { name: 'an alias of a type', files: { 'db.ts': `import type { PoolClient } from 'pg'; export type Connection = PoolClient;`, 'job.ts': `import type { Connection } from './db'; export const run = (c: Connection) => c.query('SELECT pg_advisory_lock(1)');` }, handle: pgConnection },
  { name: 'a type handed on', files: { 'db.ts': `export type { PoolClient } from 'pg';`, 'job.ts': `import type { PoolClient } from './db'; export const run = (c: PoolClient) => c.query('SELECT pg_advisory_lock(1)');` }, handle: pgConnection },
  { name: 'an object type with a pool in it', files: { 'db.ts': `import type { Pool } from 'pg'; export interface Context { db: Pool }`, 'job.ts': `import type { Context } from './db'; export const run = (ctx: Context) => ctx.db.query('SELECT pg_advisory_lock(1)');` }, handle: pgPool },
  { name: 'CommonJS', file: 'job.cjs', files: { 'db.cjs': `const { Pool } = require('pg'); module.exports = { pool: new Pool() };`, 'job.cjs': `const { pool } = require('./db.cjs'); module.exports = async () => { await pool.query('SELECT pg_advisory_lock(1)'); };` }, handle: pgPool },
  { name: "CommonJS' exports", file: 'job.cjs', files: { 'db.cjs': `const { Pool } = require('pg'); exports.pool = new Pool();`, 'job.cjs': `const db = require('./db.cjs'); module.exports = async () => { await db.pool.query('SELECT pg_advisory_lock(1)'); };` }, handle: pgPool },
  { name: 'CommonJS as a default import', files: { 'db.cjs': `const { Pool } = require('pg'); module.exports = { pool: new Pool() };`, 'job.mjs': `import db from './db.cjs'; ${lock('db.pool.query')}` }, file: 'job.mjs', handle: pgPool },
  { name: 'CommonJS by a name', files: { 'db.cjs': `const { Pool } = require('pg'); module.exports = { pool: new Pool() };`, 'job.mjs': `import { pool } from './db.cjs'; ${lock('pool.query')}` }, file: 'job.mjs', handle: pgPool },
  { name: 'export =', files: { 'db.ts': `import { Pool } from 'pg'; const pool = new Pool(); export = pool;`, 'job.ts': `import pool = require('./db'); ${lock('pool.query')}` }, handle: pgPool },
  { name: 'plain JavaScript', file: 'job.js', files: { 'db.js': makePool, 'job.js': `import { pool } from './db.js'; ${lock('pool.query')}` }, handle: pgPool },
  { name: 'a dynamic import', files: { 'db.ts': makePool, 'job.ts': `export async function run() { const { pool } = await import('./db'); await pool.query('SELECT pg_advisory_lock(1)'); }` }, handle: pgPool },
  {
    name: 'a path alias',
    files: { 'tsconfig.json': `{ // aliases\n "compilerOptions": { "paths": { "@/*": ["./src/*"], }, }, }`, 'src/db.ts': makePool, 'src/jobs/job.ts': `import { pool } from '@/db'; ${lock('pool.query')}` },
    file: 'src/jobs/job.ts',
    handle: pgPool,
  },
  {
    name: 'a path alias of a base configuration',
    files: {
      'tsconfig.base.json': `{ "compilerOptions": { "baseUrl": "./src", "paths": { "#db": ["db"] } } }`,
      'app/tsconfig.json': `{ "extends": "../tsconfig.base" }`,
      'src/db.ts': makePool,
      'app/job.ts': `import { pool } from '#db'; ${lock('pool.query')}`,
    },
    file: 'app/job.ts',
    handle: pgPool,
  },
  {
    name: 'a path alias of a configuration in a package',
    files: {
      'node_modules/@acme/config/tsconfig.json': `{ "compilerOptions": { "baseUrl": "../../..", "paths": { "~/*": ["src/*"] } } }`,
      'tsconfig.json': `{ "extends": "@acme/config" }`,
      'src/db.ts': makePool,
      'src/job.ts': `import { pool } from '~/db'; ${lock('pool.query')}`,
    },
    file: 'src/job.ts',
    handle: pgPool,
  },
  {
    name: 'a path alias of a referenced configuration',
    files: {
      'tsconfig.json': `{ "files": [], "references": [{ "path": "./tsconfig.node.json" }, { "path": "./tsconfig.app.json" }] }`,
      'tsconfig.node.json': `{ "compilerOptions": {} }`,
      'tsconfig.app.json': `{ "compilerOptions": { "paths": { "@/*": ["./src/*"] } } }`,
      'src/db.ts': makePool,
      'src/job.ts': `import { pool } from '@/db'; ${lock('pool.query')}`,
    },
    file: 'src/job.ts',
    handle: pgPool,
  },
  { name: "an import of the package's own", files: { 'package.json': `{ "imports": { "#db": "./src/db.js", "#lib/*": { "default": "./src/lib/*.js" } } }`, 'src/db.ts': makePool, 'src/jobs/job.ts': `import { pool } from '#db'; ${lock('pool.query')}` }, file: 'src/jobs/job.ts', handle: pgPool },
  { name: "an import of the package's own by a pattern and a condition", files: { 'package.json': `{ "imports": { "#*": "./none/*.js", "#lib/*": { "types": "./types/*.d.ts", "default": "./dist/lib/*.js" } } }`, 'src/lib/db.ts': makePool, 'src/job.ts': `import { pool } from '#lib/db'; ${lock('pool.query')}` }, file: 'src/job.ts', handle: pgPool },
  { name: 'a path from the base URL', files: { 'tsconfig.json': `{ "compilerOptions": { "baseUrl": "src" } }`, 'src/lib/db.ts': makePool, 'src/job.ts': `import { pool } from 'lib/db'; ${lock('pool.query')}` }, file: 'src/job.ts', handle: pgPool },
  { name: 'a missing file', files: { 'job.ts': `import { pool } from './db'; ${lock('pool.query')}` }, handle: assumedPool },
  { name: 'a missing name', files: { 'db.ts': makePool, 'job.ts': `import { db } from './db'; ${lock('db.query')}` }, handle: assumedPool },
  { name: 'a file that cannot be parsed', files: { 'db.ts': `export const pool = ;`, 'job.ts': `import { pool } from './db'; ${lock('pool.query')}` }, handle: assumedPool },
  { name: 'a file of declarations', files: { 'db.d.ts': `import { Pool } from 'pg'; export declare const pool: Pool;`, 'job.ts': `import { pool } from './db'; ${lock('pool.query')}` }, handle: assumedPool },
  { name: 'a file that is too large', files: { 'db.ts': `${makePool}\n//${'x'.repeat(300_000)}`, 'job.ts': `import { pool } from './db'; ${lock('pool.query')}` }, handle: assumedPool },
  { name: 'a value that its file does not show', files: { 'db.ts': `import { make } from 'somewhere'; export const db = make();`, 'job.ts': `import { db } from './db'; ${lock('db.query')}` }, handle: assumedPool },
  { name: 'files that export each other', files: { 'a.ts': `export * from './b'; export { x } from './b';`, 'b.ts': `export * from './a'; export { x } from './a';`, 'job.ts': `import { x } from './a'; ${lock('x.query')}` }, handle: assumedPool },
  { name: 'types that import each other', files: { 'a.ts': `import { T } from './b'; export { T };`, 'b.ts': `import { T } from './a'; export { T };`, 'job.ts': `import type { T } from './a'; export const run = (x: T) => x.query('SELECT pg_advisory_lock(1)');` }, handle: { role: 'unknown', driver: 'unknown driver', assumed: true } },
  { name: 'files that import each other', files: { 'db.ts': `import { config } from './job'; import { Pool } from 'pg'; export const pool = new Pool(config);`, 'job.ts': `import { pool } from './db'; export const config = { max: 1 }; ${lock('pool.query')}` }, handle: pgPool },
  {
    name: 'a transaction runner',
    files: {
      'db.ts': `${makePool}
        export async function withTransaction(work) {
          const client = await pool.connect();
          try {
            await client.query('BEGIN');
            const result = await work(client);
            await client.query('COMMIT');
            return result;
          } finally { client.release(); }
        }`,
      'job.ts': `import { withTransaction } from './db'; export const run = () => withTransaction(async (tx) => { await tx.query('SELECT pg_advisory_xact_lock(1)'); });`,
    },
    handle: pgTransaction,
  },
  {
    name: 'a connection runner',
    files: {
      'db.ts': `${makePool} export async function withClient(work) { const client = await pool.connect(); try { return await work(client); } finally { client.release(); } }`,
      'job.ts': `import { withClient } from './db'; export const run = () => withClient(async (c) => { await c.query('SELECT pg_advisory_lock(1)'); });`,
    },
    handle: pgConnection,
  },
  {
    name: 'a runner that prepares the connection elsewhere',
    files: {
      'db.ts': `import { prepare } from 'somewhere'; ${makePool} export async function withClient(work) { const client = await pool.connect(); await prepare(client); return work(client); }`,
      'job.ts': `import { withClient } from './db'; export const run = () => withClient(async (c) => { await c.query('SELECT pg_advisory_lock(1)'); });`,
    },
    handle: { role: 'unknown', driver: 'unknown driver', assumed: true },
  },
  {
    name: "a driver's transaction behind two helpers",
    files: {
      'db.ts': `import postgres from 'postgres'; export const sql = postgres();`,
      'tx.ts': `import { sql } from './db'; export const inTransaction = (work) => sql.begin(async (tx) => work(tx)); export const retry = (work) => inTransaction(work);`,
      'job.ts': 'import { retry } from "./tx"; export const run = () => retry(async (tx) => { await tx`SELECT pg_advisory_xact_lock(1)`; });',
    },
    handle: { role: 'transaction', driver: 'postgres', assumed: false },
  },
  {
    name: 'a transaction runner in a class',
    files: {
      'db.ts': `import { Sequelize } from 'sequelize'; export class Database { sequelize = new Sequelize('x'); transact(work) { return this.sequelize.transaction((t) => work(t)); } }`,
      'job.ts': `import { Sequelize } from 'sequelize'; import { Database } from './db'; const db = new Database(); const s = new Sequelize('y'); export const run = () => db.transact(async (t) => { await s.query('SELECT pg_advisory_xact_lock(1)', { transaction: t }); });`,
    },
    handle: { role: 'transaction', driver: 'sequelize', assumed: false },
  },
];

describe('a handle that is imported', () => {
  it.each(cases)('is known through $name', ({ files, file = 'job.ts', handle }) => {
    expect(handleIn(projectOf(files).queriesOf(file))).toEqual(handle);
  });

  it('has the same identity in every file that imports it, by whatever way', () => {
    const project = projectOf({
      'db/pool.ts': makePool,
      'db/index.ts': `export { pool as main } from './pool';`,
      'a.ts': `import { main } from './db'; ${lock('main.query')}`,
      'b.ts': `import * as db from './db/pool'; ${lock('db.pool.query')}`,
    });
    const identities = ['a.ts', 'b.ts'].map((file) => project.queriesOf(file)[0]?.handle.identity);
    expect(identities).toEqual([`${project.path('db/pool.ts')}#pool`, `${project.path('db/pool.ts')}#pool`]);
  });

  it('has the identity of what it is built on', () => {
    const project = projectOf({
      'db.ts': `import { Pool } from 'pg'; import { drizzle } from 'drizzle-orm/node-postgres'; export const pool = new Pool(); export const db = drizzle(pool);`,
      'job.ts': `import { db, pool } from './db'; import { sql } from 'drizzle-orm';
        export async function run() { await pool.query('SELECT pg_advisory_lock(1)'); await db.execute(sql\`SELECT pg_advisory_unlock(1)\`); }`,
    });
    const [taken, released] = project.queriesOf('job.ts');
    expect(taken?.handle.identity).toBe(`${project.path('db.ts')}#pool`);
    expect(released?.handle.identity).toBe(taken?.handle.identity);
  });

  it('is another connection for every call of the function that takes it', () => {
    const project = projectOf({
      'db.ts': `${makePool} export const getClient = () => pool.connect();`,
      'job.ts': `import { getClient } from './db'; export async function run() {
        const a = await getClient(); const b = await getClient();
        await a.query('SELECT pg_advisory_lock(1)'); await b.query('SELECT pg_advisory_unlock(1)'); }`,
    });
    const [a, b] = project.queriesOf('job.ts').map(({ handle }) => handle);
    expect(a?.identity).not.toBe(b?.identity);
    expect(a?.pool?.identity).toBe(`${project.path('db.ts')}#pool`);
    expect(b?.pool?.identity).toBe(a?.pool?.identity);
  });

  it('is assumed when settings say not to follow imports', () => {
    const project = projectOf({ 'db.ts': makePool, 'job.ts': `import { pool } from './db'; ${lock('pool.query')}` });
    expect(handleIn(project.queriesOf('job.ts', { settings: { followImports: false } }))).toEqual(assumedPool);
  });

  it('is assumed when the host gives no parser', () => {
    const project = projectOf({ 'db.ts': makePool, 'job.ts': `import { pool } from './db'; ${lock('pool.query')}` });
    expect(handleIn(project.queriesOf('job.ts', { change: (unit) => ({ ...unit, parser: undefined }) }))).toEqual(assumedPool);
  });

  it('is looked at again after an edit of its file', () => {
    const project = projectOf({ 'db.ts': makePool, 'job.ts': `import { pool } from './db'; ${lock('pool.query')}` });
    expect(handleIn(project.queriesOf('job.ts'))).toEqual(pgPool);
    project.write('db.ts', `import { Client } from 'pg'; export const pool = new Client();`);
    expect(handleIn(project.queriesOf('job.ts'))?.role).toBe('connection');
  });

  it('is looked at again after an edit two files away that leaves the size as it is', () => {
    const project = projectOf({
      'db.ts': `export { pool } from './pool';`,
      'pool.ts': `import { Pool, Client } from 'pg'; export const pool = new Pool  ();`,
      'job.ts': `import { pool } from './db'; ${lock('pool.query')}`,
    });
    expect(handleIn(project.queriesOf('job.ts'))?.role).toBe('pool');
    project.write('pool.ts', `import { Pool, Client } from 'pg'; export const pool = new Client();`);
    utimesSync(project.path('pool.ts'), new Date(), new Date(Date.now() + 5000));
    expect(handleIn(project.queriesOf('job.ts'))?.role).toBe('connection');
  });

  it('is found when its file comes into being, and assumed again when it goes', () => {
    const project = projectOf({ 'job.ts': `import { pool } from './db'; ${lock('pool.query')}` });
    expect(handleIn(project.queriesOf('job.ts'))).toEqual(assumedPool);
    project.write('db.ts', makePool);
    expect(handleIn(project.queriesOf('job.ts'))).toEqual(pgPool);
    project.write('db.ts', '');
    expect(handleIn(project.queriesOf('job.ts'))).toEqual(assumedPool);
  });

  it('is looked for only in files that have to do with databases, or import such files, and parsed once for all', () => {
    const project = projectOf({
      'a.ts': `import { pool } from './db'; import { twice } from './math'; twice(1); ${lock('pool.query')}`,
      'b.ts': `import { pool } from './db'; ${lock('pool.query')}`,
      'db.ts': `export { pool } from './pool';`,
      'pool.ts': makePool,
      'math.ts': `import { one } from './one'; export const twice = (x) => x + x * one;`,
      'one.ts': `export const one = 1;`,
    });
    const parsed: string[] = [];
    const parser = {
      meta: { name: 'spy', version: '1' },
      parse(text: string, options: { filePath: string }) {
        parsed.push(options.filePath.slice(project.folder.length + 1));
        return typescriptParser.parse(text, options);
      },
    };
    for (const file of ['a.ts', 'b.ts', 'a.ts']) expect(handleIn(project.queriesOf(file, { languageOptions: { parser } }))).toEqual(pgPool);
    expect(parsed).toEqual(['a.ts', 'db.ts', 'pool.ts', 'b.ts', 'a.ts']);
  });

  it('is read by the file itself when another file imports it back', () => {
    const project = projectOf({
      'job.ts': `import { pool } from './db'; import { Pool } from 'pg'; export const main = new Pool(); ${lock('pool.query')}`,
      'db.ts': `export { main as pool } from './job';`,
    });
    expect(handleIn(project.queriesOf('job.ts'))).toEqual(pgPool);
  });
});

describe('a package of the workspace', () => {
  const job = (specifier: string): string => `import { pool } from '${specifier}'; ${lock('pool.query')}`;
  const linked = (manifest: object, files: Readonly<Record<string, string>>, specifier = '@acme/db') => {
    const project = projectOf({ 'packages/db/package.json': JSON.stringify(manifest), 'packages/app/job.ts': job(specifier), ...files });
    mkdirSync(project.path('node_modules/@acme'), { recursive: true });
    symlinkSync(project.path('packages/db'), project.path('node_modules/@acme/db'));
    return handleIn(project.queriesOf('packages/app/job.ts'));
  };

  it.each([
    { name: 'its main file', manifest: { main: 'index.js' }, files: { 'packages/db/index.ts': makePool } },
    { name: 'what its main file is built from', manifest: { main: 'dist/index.js' }, files: { 'packages/db/src/index.ts': makePool } },
    { name: 'its source', manifest: { source: 'code/db.ts', main: 'dist/index.js' }, files: { 'packages/db/code/db.ts': makePool } },
    { name: 'its only export', manifest: { exports: './db.js' }, files: { 'packages/db/db.ts': makePool } },
    { name: 'an export under conditions', manifest: { exports: { '.': { types: './dist/db.d.ts', import: './dist/db.mjs' } } }, files: { 'packages/db/src/db.mts': makePool } },
    { name: 'a sub-path', manifest: { exports: { './pool': './src/pool.ts' } }, files: { 'packages/db/src/pool.ts': makePool }, specifier: '@acme/db/pool' },
    { name: 'a file of a package without exports', manifest: {}, files: { 'packages/db/pool.ts': makePool }, specifier: '@acme/db/pool' },
  ])('is read by $name', ({ manifest, files, specifier }) => {
    expect(linked(manifest, files, specifier)).toEqual(pgPool);
  });

  it('is not read by a path that it does not export, nor when it is installed', () => {
    expect(linked({ exports: { '.': './db.ts' } }, { 'packages/db/pool.ts': makePool }, '@acme/db/pool')).toEqual(assumedPool);
    const installed = projectOf({ 'node_modules/@acme/db/package.json': '{}', 'node_modules/@acme/db/index.ts': makePool, 'job.ts': job('@acme/db') });
    expect(handleIn(installed.queriesOf('job.ts'))).toEqual(assumedPool);
  });
});

describe('a function of another file that forwards SQL', () => {
  const wrappers: readonly (Case & { readonly calls?: string })[] = [
    { name: 'a function', files: { 'db.ts': `${makePool} export function query(text, values) { return pool.query(text, values); }`, 'job.ts': `import { query } from './db'; ${lock('query')}` }, handle: pgPool },
    { name: 'a function of a name that says nothing', files: { 'db.ts': `${makePool} export const ask = async (text) => (await pool.query(text)).rows;`, 'job.ts': `import { ask } from './db'; ${lock('ask')}` }, handle: pgPool },
    { name: 'a method', files: { 'db.ts': `import { Pool } from 'pg'; export class Database { private pool = new Pool(); run(text) { return this.pool.query(text); } } export const db = new Database();`, 'job.ts': `import { db } from './db'; ${lock('db.run')}` }, handle: pgPool },
    { name: 'a method of an annotated parameter', files: { 'db.ts': `import { Pool } from 'pg'; export class Database { constructor(private pool: Pool) {} run(text: string) { return this.pool.query(text); } }`, 'job.ts': `import type { Database } from './db'; export const run = (db: Database) => db.run('SELECT pg_advisory_lock(1)');` }, handle: pgPool },
    { name: 'a method of an object', files: { 'db.ts': `${makePool} export default { run: (text) => pool.query(text) };`, 'job.ts': `import db from './db'; ${lock('db.run')}` }, handle: pgPool },
    { name: 'a wrapper of a wrapper', files: { 'pool.ts': `${makePool} export const send = (text) => pool.query(text);`, 'db.ts': `import { send } from './pool'; export const ask = (text) => send(text);`, 'job.ts': `import { ask } from './db'; ${lock('ask')}` }, handle: pgPool },
    { name: 'a wrapper in the file itself around it', files: { 'db.ts': `${makePool} export const ask = (text) => pool.query(text);`, 'job.ts': `import { ask } from './db'; const own = (text) => ask(text); ${lock('own')}` }, handle: pgPool },
    { name: 'text added to what is given', files: { 'db.ts': `${makePool} export const ask = (text) => pool.query('/* app */ ' + text);`, 'job.ts': `import { ask } from './db'; ${lock('ask')}` }, handle: pgPool },
    { name: 'a handle that is passed', files: { 'sql.ts': `export const ask = (db, text) => db.query(text);`, 'db.ts': makePool, 'job.ts': `import { ask } from './sql'; import { pool } from './db'; export async function run() { const client = await pool.connect(); await ask(client, 'SELECT pg_advisory_lock(1)'); }` }, handle: pgConnection },
    { name: 'a connection for each statement', files: { 'db.ts': `${makePool} export async function ask(text) { const client = await pool.connect(); try { return await client.query(text); } finally { client.release(); } }`, 'job.ts': `import { ask } from './db'; ${lock('ask')}` }, handle: pgPool },
    { name: 'a transaction for each statement', files: { 'db.ts': `import postgres from 'postgres'; const sql = postgres(); export const ask = (text) => sql.begin((tx) => tx.unsafe(text));`, 'job.ts': `import { ask } from './db'; ${lock('ask')}` }, handle: { role: 'transaction', driver: 'postgres', assumed: false } },
    { name: 'CommonJS', file: 'job.cjs', files: { 'db.cjs': `const { Pool } = require('pg'); const pool = new Pool(); module.exports = { query: (text, params) => pool.query(text, params) };`, 'job.cjs': `const db = require('./db.cjs'); module.exports = async () => { await db.query('SELECT pg_advisory_lock(1)'); };` }, handle: pgPool },
    { name: 'a function whose file does not show what it sends', files: { 'db.ts': `import { send } from 'somewhere'; export const query = (text) => send(text);`, 'job.ts': `import { query } from './db'; ${lock('query')}` }, handle: assumedPool },
    { name: 'functions that call each other', files: { 'db.ts': `import { b } from './b'; export const a = (text) => b(text);`, 'b.ts': `import { a } from './db'; export const b = (text) => a(text);`, 'job.ts': `import { a } from './db'; ${lock('a')}` }, handle: null },
  ];

  it.each(wrappers)('is seen through: $name', ({ files, file = 'job.ts', handle }) => {
    const project = projectOf(files);
    const found = project.queriesOf(file);
    expect(handleIn(found)).toEqual(handle);
    const { text } = project.unitOf(file);
    for (const query of found.filter(({ locks }) => locks.length > 0)) {
      expect(text.slice(...query.node.range)).toMatch(/^[\w.]+\(.*'SELECT pg_advisory_lock\(1\)'\)$/);
      // Every place that a rule may point at stands in the file that is linted.
      for (const { sourceOf, operation } of query.locks) expect(text.slice(...sourceOf(operation.range))).toContain('pg_advisory_lock');
    }
  });

  it('has its values and its result followed to the caller', () => {
    const project = projectOf({
      'db.ts': `${makePool} export async function query(text, values) { const result = await pool.query(text, values); return result; }`,
      'job.ts': `import { query } from './db';
        export async function run(key) { const { rows } = await query('SELECT pg_advisory_unlock($1) AS ok', [key + 1]); if (!rows[0].ok) throw new Error(); }`,
    });
    const [query] = project.queriesOf('job.ts');
    const [lockCall] = query?.locks ?? [];
    const [key] = lockCall?.operation.keys ?? [];
    const bound = key && lockCall?.boundValue(key);
    expect(bound && project.unitOf('job.ts').text.slice(...bound.range)).toBe('key + 1');
    expect(query?.uses.map(({ sink }) => sink.kind)).toEqual(['tested']);
    expect(query?.result).toEqual({ shape: 'rows', at: ['rows'] });
  });

  it('that sends SQL of its own is no statement of the caller', () => {
    const project = projectOf({
      'locks.ts': `${makePool} export const lock = (key) => pool.query('SELECT pg_advisory_lock($1)', [key]);`,
      'job.ts': `import { lock } from './locks'; export async function run() { await lock(1); /* advisory */ }`,
    });
    expect(project.queriesOf('job.ts')).toEqual([]);
    expect(project.queriesOf('locks.ts')).toHaveLength(1);
  });
});
