import { facts, handedOver } from './describe.js';

const pg = "import { Pool, Client, type PoolClient } from 'pg'; import { work } from './work.js'; const pool = new Pool();\n";

/** Lines of the code count from 2. */
const table: readonly (readonly [name: string, code: string, facts: readonly string[]])[] = [
  ['autocommit on a connection opened here', `export async function f() { const c = await pool.connect(); await c.query('SELECT pg_advisory_xact_lock(1)'); c.release(); }`,
    ['acquire pg_advisory_xact_lock@2 tx:none timeout:not-set']],
  ['a connection from outside', `export async function f(c: PoolClient) { await c.query('SELECT pg_advisory_xact_lock(1)'); }`,
    ['acquire pg_advisory_xact_lock@2 tx:unknown timeout:unknown']],
  ['a pool', `export async function f() { await pool.query('SELECT pg_advisory_xact_lock(1)'); }`,
    ['acquire pg_advisory_xact_lock@2 tx:none timeout:not-set']],
  ['BEGIN before', `export async function f(c: PoolClient) { await c.query('BEGIN'); await c.query('SELECT pg_advisory_xact_lock(1)'); await c.query('COMMIT'); }`,
    ['acquire pg_advisory_xact_lock@2 tx:open timeout:unknown', 'statement @2 under pg_advisory_xact_lock@2 on-holder:yes', 'transactional-work @2 under pg_advisory_xact_lock@2']],
  ['BEGIN in one branch', `export async function f(x: boolean) { const c = await pool.connect(); if (x) await c.query('BEGIN'); await c.query('SELECT pg_advisory_xact_lock(1)'); c.release(); }`,
    ['acquire pg_advisory_xact_lock@2 tx:unknown timeout:not-set']],
  ['BEGIN by a helper', `const begin = (c: PoolClient) => c.query('BEGIN');
export async function f() { const c = await pool.connect(); await begin(c); await c.query('SELECT pg_advisory_xact_lock(1)'); c.release(true); }`,
    ['acquire pg_advisory_xact_lock@3 tx:open timeout:not-set']],
  ['BEGIN out of sight', `import { begin } from './begin.js';
export async function f() { const c = await pool.connect(); await begin(c); await c.query('SELECT pg_advisory_xact_lock(1)'); c.release(true); }`,
    ['acquire pg_advisory_xact_lock@3 tx:unknown timeout:unknown']],
  ['after COMMIT', `export async function f(c: PoolClient) { await c.query('BEGIN'); await c.query('COMMIT'); await c.query('SELECT pg_advisory_lock(1)'); }`,
    ['acquire pg_advisory_lock@2 tx:none timeout:unknown']],
  ['implicit transaction', `export async function f(c: PoolClient) { await c.query('SELECT pg_advisory_xact_lock(1); SELECT 1'); }`,
    ['acquire pg_advisory_xact_lock@2 tx:implicit timeout:unknown']],
  ['unlock in a transaction that may be aborted', `export async function f(c: PoolClient) {
  await c.query('BEGIN');
  await c.query('SELECT pg_advisory_lock(1)');
  try { await c.query('UPDATE t SET a = 1'); } finally { await c.query('SELECT pg_advisory_unlock(1)'); }
  await c.query('COMMIT');
}`, ['acquire pg_advisory_lock@4 tx:open timeout:unknown', 'release pg_advisory_unlock@5 of:pg_advisory_lock@4 tx:open aborted?', 'statement @5 under pg_advisory_lock@4 on-holder:yes', 'statement @5 under pg_advisory_lock@4 on-holder:yes']],
  ['lock_timeout set for the session', `export async function f(c: PoolClient) { await c.query("SET lock_timeout = '5s'"); await c.query('SELECT pg_advisory_lock(1)'); }`,
    ['acquire pg_advisory_lock@2 tx:unknown timeout:set']],
  ['lock_timeout by set_config', `export async function f(c: PoolClient, ms: string) { await c.query("SELECT set_config('lock_timeout', $1, false)", [ms]); await c.query('SELECT pg_advisory_lock(1)'); }`,
    ['acquire pg_advisory_lock@2 tx:unknown timeout:set']],
  ['lock_timeout set too late', `export async function f() { const c = await pool.connect(); await c.query('SELECT pg_advisory_lock(1)'); await c.query("SET lock_timeout = '5s'"); c.release(true); }`,
    ['acquire pg_advisory_lock@2 tx:none timeout:not-set', 'statement @2 under pg_advisory_lock@2 on-holder:yes']],
  ['another setting', `export async function f() { const c = await pool.connect(); await c.query('SET statement_timeout = 0'); await c.query('SELECT pg_advisory_lock(1)'); c.release(true); }`,
    ['acquire pg_advisory_lock@2 tx:none timeout:not-set']],
  ['lock_timeout set in one branch', `export async function f(ms: number) { const c = await pool.connect(); if (ms > 0) await c.query("SET lock_timeout = '5s'"); await c.query('SELECT pg_advisory_lock(1)'); c.release(true); }`,
    ['acquire pg_advisory_lock@2 tx:none timeout:not-set']],
  ['SET LOCAL outside a transaction', `export async function f() { const c = await pool.connect(); await c.query("SET LOCAL lock_timeout = '5s'"); await c.query('SELECT pg_advisory_lock(1)'); c.release(true); }`,
    ['acquire pg_advisory_lock@2 tx:none timeout:not-set']],
  ['SET LOCAL ends with the transaction', `export async function f() {
  const c = await pool.connect();
  await c.query('BEGIN');
  await c.query("SET LOCAL lock_timeout = '5s'");
  await c.query('COMMIT');
  await c.query('SELECT pg_advisory_lock(1)');
  c.release(true);
}`, ['acquire pg_advisory_lock@7 tx:none timeout:not-set']],
  ['locks in order', `export async function f(c: PoolClient) { await c.query('SELECT pg_advisory_lock(1)'); await c.query('SELECT pg_advisory_lock(2)'); }`,
    ['acquire pg_advisory_lock@2 tx:unknown timeout:unknown', 'acquire pg_advisory_lock@2 tx:unknown timeout:unknown with:pg_advisory_lock@2', 'statement @2 under pg_advisory_lock@2 on-holder:yes']],
  ['work on the same pool', `export async function f(ids: number[]) {
  const c = await pool.connect();
  await c.query('SELECT pg_advisory_lock(1)');
  await Promise.all(ids.map(async (id) => { await pool.query('SELECT $1', [id]); }));
  c.release(true);
}`, ['acquire pg_advisory_lock@4 tx:none timeout:not-set', 'pool-use @5 under pg_advisory_lock@4', 'statement @5 under pg_advisory_lock@4 on-holder:no']],
  ['work on the same pool in a helper', `const count = () => pool.query('SELECT 1');
export async function f() {
  const c = await pool.connect();
  await c.query('SELECT pg_advisory_lock(1)');
  await count();
  c.release(true);
}`, ['acquire pg_advisory_lock@5 tx:none timeout:not-set', 'pool-use @6 under pg_advisory_lock@5', 'statement @6 under pg_advisory_lock@5 on-holder:no']],
  ['work on another pool', `const other = new Pool();
export async function f() { const c = await pool.connect(); await c.query('SELECT pg_advisory_lock(1)'); await other.query('SELECT 1'); c.release(true); }`,
    ['acquire pg_advisory_lock@3 tx:none timeout:not-set', 'statement @3 under pg_advisory_lock@3 on-holder:no']],
  ['work after the unlock', `export async function f() {
  const c = await pool.connect();
  await c.query('SELECT pg_advisory_lock(1)');
  await c.query('SELECT pg_advisory_unlock(1)');
  await pool.query('SELECT 1');
  c.release();
}`, ['acquire pg_advisory_lock@4 tx:none timeout:not-set', 'release pg_advisory_unlock@5 of:pg_advisory_lock@4 tx:none', 'statement @5 under pg_advisory_lock@4 on-holder:yes']],
];

describe('what is so at acquires and releases', () => {
  it.each(table)('%s', (_, code, expected) => {
    expect(facts(pg + code)).toEqual(expected);
  });
});

describe('connections that leave with their lock', () => {
  it.each([
    ['returned', 'return c;'],
    ['returned in an object', 'return { c, at: 1 };'],
    ['returned in a closure', 'return async () => { await c.query("SELECT pg_advisory_unlock(1)"); c.release(); };'],
    ['stored in a map', 'registry.set(1, c);'],
    ['stored in a field', 'holder.connection = c;'],
    ['given to a constructor', 'return new Guard(c);'],
  ])('%s', (_, ending) => {
    const code = `${pg}declare const registry: Map<number, PoolClient>; declare const holder: { connection: PoolClient }; declare class Guard { constructor(c: PoolClient) }
export async function f() { const c = await pool.connect(); await c.query('SELECT pg_advisory_lock(1)');
  ${ending}
}`;
    expect(handedOver(code).some((line) => line.startsWith('pg_advisory_lock@3 return'))).toBe(true);
  });
});
