import { resultOf } from '../../src/pass.js';
import { heldLocks } from '../../src/state/held-locks.js';
import { handleIn, projectOf } from './imports.js';

interface Case {
  readonly name: string;
  readonly settings: Readonly<Record<string, unknown>>;
  readonly files: Readonly<Record<string, string>>;
  readonly handle: ReturnType<typeof handleIn>;
}

const lock = (call: string): string => `export async function run() { await ${call}('SELECT pg_advisory_lock(1)'); }`;
const of = (role: string, driver: string) => ({ role, driver, assumed: false });
const file = (name: string, path: string) => ({ from: 'file', name, path });
const fromPackage = (name: string, packageName: string) => ({ from: 'package', name, package: packageName });

const handles: readonly Case[] = [
  { name: 'an import by its name', settings: { handles: [{ is: 'db', role: 'pool', driver: 'pg' }] }, files: { 'job.ts': `import { db } from '@acme/db'; ${lock('db.query')}` }, handle: of('pool', 'pg') },
  { name: 'an import of a package', settings: { handles: [{ is: fromPackage('db', '@acme/db'), role: 'single', driver: 'pg' }] }, files: { 'job.ts': `import { db as x } from '@acme/db'; ${lock('x.query')}` }, handle: of('single', 'pg') },
  { name: 'an import of a sub-path of a package', settings: { handles: [{ is: fromPackage('db', '@acme/db'), role: 'pool', driver: 'pg' }] }, files: { 'job.ts': `import { db } from '@acme/db/pg'; ${lock('db.query')}` }, handle: of('pool', 'pg') },
  { name: 'not an import of another package', settings: { handles: [{ is: fromPackage('db', '@acme/db'), role: 'connection', driver: 'pg' }] }, files: { 'job.ts': `import { db } from '@acme/dbx'; ${lock('db.query')}` }, handle: { role: 'pool', driver: 'unknown driver', assumed: true } },
  { name: 'an import of a file that does not show it', settings: { handles: [{ is: file('db', 'src/db.ts'), role: 'pool', driver: 'mysql2' }] }, files: { 'src/db.ts': `export const db = make();`, 'job.ts': `import { db } from './src/db'; ${lock('db.query')}` }, handle: of('pool', 'mysql2') },
  { name: 'an import of a file that does not exist', settings: { handles: [{ is: file('db', 'src/db'), role: 'pool', driver: 'pg' }] }, files: { 'job.ts': `import { db } from './src/db.js'; ${lock('db.query')}` }, handle: of('pool', 'pg') },
  { name: 'an import of a folder', settings: { handles: [{ is: file('db', './src/db'), role: 'pool', driver: 'pg' }] }, files: { 'src/db/index.ts': ``, 'job.ts': `import { db } from './src/db'; ${lock('db.query')}` }, handle: of('pool', 'pg') },
  { name: 'what its file shows otherwise', settings: { handles: [{ is: file('db', 'db.ts'), role: 'single', driver: 'pg' }] }, files: { 'db.ts': `import { Pool } from 'pg'; export const db = new Pool();`, 'job.ts': `import { db } from './db'; ${lock('db.query')}` }, handle: of('single', 'pg') },
  { name: 'not, by the name alone, what its file shows', settings: { handles: [{ is: 'db', role: 'single', driver: 'pg' }] }, files: { 'db.ts': `import { Pool } from 'pg'; export const db = new Pool();`, 'job.ts': `import { db } from './db'; ${lock('db.query')}` }, handle: of('pool', 'pg') },
  { name: 'a default export', settings: { handles: [{ is: file('default', 'db.ts'), role: 'pool', driver: 'pg' }] }, files: { 'job.ts': `import anything from './db'; ${lock('anything.query')}` }, handle: of('pool', 'pg') },
  { name: 'a variable of the file itself', settings: { handles: [{ is: file('db', 'job.ts'), role: 'pool', driver: 'pg' }] }, files: { 'job.ts': `const db = make(); ${lock('db.query')}` }, handle: of('pool', 'pg') },
  { name: 'a parameter by its name', settings: { handles: [{ is: 'trx', role: 'transaction', driver: 'pg' }] }, files: { 'job.ts': `export const run = (trx) => trx.query('SELECT pg_advisory_xact_lock(1)');` }, handle: of('transaction', 'pg') },
  { name: 'not a parameter whose type says otherwise', settings: { handles: [{ is: 'trx', role: 'transaction', driver: 'pg' }] }, files: { 'job.ts': `import type { Pool } from 'pg'; export const run = (trx: Pool) => trx.query('SELECT pg_advisory_xact_lock(1)');` }, handle: of('pool', 'pg') },
  { name: 'a member by its dotted name', settings: { handles: [{ is: 'ctx.db', role: 'pool', driver: 'pg' }] }, files: { 'job.ts': `export const run = (ctx) => ctx.db.query('SELECT pg_advisory_lock(1)');` }, handle: of('pool', 'pg') },
  { name: 'a field', settings: { handles: [{ is: 'this.db', role: 'pool', driver: 'pg' }] }, files: { 'job.ts': `export class Job { run() { return this.db.query('SELECT pg_advisory_lock(1)'); } }` }, handle: of('pool', 'pg') },
  { name: 'a type by its name', settings: { handles: [{ is: 'Database', role: 'pool', driver: 'pg' }] }, files: { 'job.ts': `interface Database { query(text: string): Promise<unknown> } export const run = (x: Database) => x.query('SELECT pg_advisory_lock(1)');` }, handle: of('pool', 'pg') },
  { name: 'a type of a package', settings: { handles: [{ is: fromPackage('Tx', '@acme/db'), role: 'transaction', driver: 'pg' }] }, files: { 'job.ts': `import type { Tx } from '@acme/db'; export const run = (x: Tx) => x.query('SELECT pg_advisory_xact_lock(1)');` }, handle: of('transaction', 'pg') },
  {
    name: "a handle of the user's own driver",
    settings: {
      drivers: [
        {
          name: 'acme',
          dialect: 'postgres',
          modules: ['@acme/sql'],
          exports: [{ names: ['connect'], call: { gives: 'pool' } }],
          kinds: { pool: { role: 'pool', methods: { ask: { sends: { sql: [{ argument: 1 }], result: { shape: 'value', at: [] } } } } } },
          examples: [{ code: 'run();' }],
        },
      ],
      handles: [{ is: 'db', role: 'pool', driver: 'acme' }],
    },
    files: { 'job.ts': `export const run = (db) => db.ask('name', 'SELECT pg_advisory_lock(1)');` },
    handle: of('pool', 'acme'),
  },
];

const wrappers: readonly Case[] = [
  { name: 'a function by its name', settings: { wrappers: [{ call: 'ask', sql: 0, on: 'pool' }] }, files: { 'job.ts': `import { ask } from '@acme/db'; ${lock('ask')}` }, handle: of('pool', 'unknown driver') },
  { name: 'a method by its dotted name', settings: { wrappers: [{ call: 'db.ask', sql: 1, on: 'connection' }] }, files: { 'job.ts': `export const run = (ctx) => ctx.db.ask('name', 'SELECT pg_advisory_lock(1)');` }, handle: of('connection', 'unknown driver') },
  { name: 'a function of a package', settings: { wrappers: [{ call: fromPackage('ask', '@acme/db'), sql: 0, on: 'transaction' }] }, files: { 'job.ts': `import { ask as sql } from '@acme/db'; ${lock('sql')}` }, handle: of('transaction', 'unknown driver') },
  { name: 'a function of a file', settings: { wrappers: [{ call: file('ask', 'db.ts'), sql: 0, on: 'pool' }] }, files: { 'db.ts': `export const ask = (text) => hidden(text);`, 'job.ts': `import * as db from './db'; ${lock('db.ask')}` }, handle: of('pool', 'unknown driver') },
  { name: 'a function of a file that does not exist', settings: { wrappers: [{ call: file('ask', 'db.ts'), sql: 0, on: 'pool' }] }, files: { 'job.ts': `import { ask } from './db'; ${lock('ask')}` }, handle: of('pool', 'unknown driver') },
  { name: 'a method of a class of a file', settings: { wrappers: [{ call: file('Database.ask', 'db.ts'), sql: 0, on: 'pool' }] }, files: { 'db.ts': `export class Database { ask(text) { return hidden(text); } }`, 'job.ts': `import { Database } from './db'; const db = new Database(); ${lock('db.ask')}` }, handle: of('pool', 'unknown driver') },
  { name: 'a default export', settings: { wrappers: [{ call: file('default', 'ask.ts'), sql: 0, on: 'pool' }] }, files: { 'job.ts': `import anything from './ask'; ${lock('anything')}` }, handle: of('pool', 'unknown driver') },
  { name: 'a function of which it is not known where it sends', settings: { wrappers: [{ call: 'ask', sql: 0 }] }, files: { 'job.ts': `import { ask } from '@acme/db'; ${lock('ask')}` }, handle: { role: 'unknown', driver: 'unknown driver', assumed: true } },
  { name: 'not a function of another name', settings: { wrappers: [{ call: 'ask', sql: 0, on: 'pool' }] }, files: { 'job.ts': `import { asks } from '@acme/db'; ${lock('asks')}` }, handle: null },
];

const lockFunctions: readonly Case[] = [
  { name: 'a function by its name', settings: { lockFunctions: [{ name: 'take_lock', action: 'acquire', level: 'session' }] }, files: { 'job.ts': `import { Pool } from 'pg'; const pool = new Pool(); export const run = () => pool.query('SELECT take_lock(1)');` }, handle: of('pool', 'pg') },
  { name: 'a function of a schema', settings: { lockFunctions: [{ name: 'app.take_lock', action: 'acquire', level: 'session' }] }, files: { 'job.ts': `import { Pool } from 'pg'; const pool = new Pool(); export const run = () => pool.query('SELECT app.take_lock(1)');` }, handle: of('pool', 'pg') },
];

describe.each([
  ['handles', handles],
  ['wrappers', wrappers],
  ['lock functions', lockFunctions],
])('%s in the settings', (_, cases) => {
  it.each(cases)('say of $name what it is', ({ settings, files, handle }) => {
    expect(handleIn(projectOf(files).queriesOf('job.ts', { settings }))).toEqual(handle);
  });

  it.each(cases.filter(({ name }) => !/is not known|^not|file shows otherwise/.test(name)))('are what says so of $name', ({ settings, files, handle }) => {
    const { handles: _handles, wrappers: _wrappers, lockFunctions: _lockFunctions, ...others } = settings;
    // A word that starts the analysis has to stand somewhere.
    const marked = { ...files, 'job.ts': `${files['job.ts'] ?? ''} // advisory` };
    expect(handleIn(projectOf(marked).queriesOf('job.ts', { settings: others }))).not.toEqual(handle);
  });
});

describe('a handle in the settings', () => {
  it('has one identity for all files that import it', () => {
    const project = projectOf({ 'a.ts': `import { db } from './lib/db'; ${lock('db.query')}`, 'lib/b.ts': `import { db } from './db'; ${lock('db.query')}`, 'lib/db.ts': '' });
    const settings = { handles: [{ is: file('db', 'lib/db.ts'), role: 'pool', driver: 'pg' }] };
    const [a, b] = ['a.ts', 'lib/b.ts'].map((name) => project.queriesOf(name, { settings })[0]?.handle.identity);
    expect(a).toBe(`${project.path('lib/db.ts')}#db`);
    expect(b).toBe(a);
  });

  it('of a driver that nobody describes is a mistake that names the drivers', () => {
    const project = projectOf({ 'job.ts': lock('db.query') });
    const settings = { handles: [{ is: 'db', role: 'pool', driver: 'pgg' }] };
    expect(() => project.queriesOf('job.ts', { settings })).toThrow(/handles\[0\]\.driver is "pgg"; allowed: pg, postgres,/);
  });
});

describe('lock helpers in the settings', () => {
  const withHelpers = {
    wrappers: [
      { call: 'takeLock', does: 'acquire', level: 'session', key: 0 },
      { call: 'tryLock', does: 'try', level: 'session', key: 1, handle: 0 },
      { call: 'freeLock', does: 'release', level: 'session', key: 0 },
      { call: 'locks.hold', does: 'hold', level: 'session', key: 0, callback: 1 },
    ],
  };
  const imports = `import { takeLock, freeLock, tryLock, locks } from '@acme/locks'; import { Pool } from 'pg'; const pool = new Pool();\n`;
  const stateOf = (code: string) => resultOf(heldLocks, projectOf({ 'job.ts': imports + code }).unitOf('job.ts', { settings: withHelpers }));

  it('are no statements of the file', () => {
    const project = projectOf({ 'job.ts': `${imports} export async function run() { await takeLock('a'); }` });
    expect(project.queriesOf('job.ts', { settings: withHelpers })).toEqual([]);
  });

  it('take and give back a lock', () => {
    const leaks = (code: string) => stateOf(code).flatMap((state) => state.leaks.map(({ exit }) => exit));
    expect(leaks(`export async function run() { await takeLock('a'); try { await work(); } finally { await freeLock('a'); } }`)).toEqual([]);
    expect(leaks(`export async function run() { await takeLock('a'); await work(); await freeLock('a'); }`)).toEqual(['throw']);
  });

  it('that try say whether they got the lock', () => {
    const states = stateOf(`export async function run() { const client = await pool.connect(); if (!(await tryLock(client, 7))) return; await work(); client.release(); }`);
    expect(states.flatMap((state) => state.giveBacksWhileHeld.map(({ held }) => held.lock.operation.name))).toEqual(['pg_try_advisory_lock']);
  });

  it('that hold run their callback under the lock', () => {
    const states = stateOf(`export const run = () => locks.hold('a', async () => { await pool.query('SELECT 1'); });`);
    const under = states.flatMap((state) => state.statementsWhileHeld.filter(({ query }) => query.locks.length === 0));
    expect(under.map(({ held, query }) => `${query.sql?.text} under ${held.lock.operation.name}`)).toEqual(['SELECT 1 under pg_advisory_lock']);
    expect(states.flatMap((state) => state.leaks)).toEqual([]);
  });
});
