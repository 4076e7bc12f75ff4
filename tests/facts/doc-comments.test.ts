import { documentedParameter, documentedType, documentedTypedefs } from '../../src/source/doc-comments.js';
import { itFinds, type Case } from './lock-statements.js';

const LOCK = "'SELECT pg_advisory_lock(1)'";
const one = (title: string, code: string, ...expected: string[]): Case => ({ title, code, expected });
const query = (comment: string, parameters: string, use: string): string => `${comment}\nexport async function run(${parameters}) { await ${use}.query(${LOCK}); }`;
const pool = '2 pool pg_advisory_lock';
const connection = '2 connection pg_advisory_lock';
const unknown = '2 unknown pg_advisory_lock';

describe('types in comments', () => {
  itFinds([
    one('a parameter', query("/** @param {import('pg').Pool} pool */", 'pool', 'pool'), pool),
    one('a parameter that may be missing', query("/** @param {import('pg').PoolClient | null} [c] the connection */", 'c', 'c'), connection),
    one('a nullable parameter', query("/** @param {?import(\"pg\").Client} c */", 'c', 'c'), connection),
    one('a property of a parameter', query("/** @param {Object} deps @param {import('pg').Pool} deps.pool */", '{ pool }', 'pool'), pool),
    one('a property in the type', query("/** @param {{ key: number, pool: import('pg').Pool }} deps */", '{ pool }', 'pool'), pool),
    one('the name of a package', query('/** @param {pg.Pool} pool */', 'pool', 'pool'), pool),
    one('an imported name', `import { Pool } from 'pg';\n${query('/** @param {Pool} pool */', 'pool', 'pool')}`.replace('\n/**', ' /**'), pool),
    one('a required name', `const { Pool } = require('pg'); /** @param {Pool} pool */\nmodule.exports = async function (pool) { await pool.query(${LOCK}); };`, pool),
    one('a typedef', `/** @typedef {import('pg').PoolClient} Client */ /** @param {Client} c */\nexport async function run(c) { await c.query(${LOCK}); }`, connection),
    one('an arrow function', `/** @param {import('pg').Pool} pool */\nexport const run = async (pool) => { await pool.query(${LOCK}); };`, pool),
    one('a method', `class Jobs { /** @param {import('pg').Pool} pool */\nasync run(pool) { await pool.query(${LOCK}); } }`, pool),
    one('a property of `exports`', `/** @param {import('pg').Pool} pool */\nexports.run = async (pool) => { await pool.query(${LOCK}); };`, pool),
    one('a variable', `/** @type {import('pg').Pool} */ let pool; export function use(p) { pool = p; }\nexport const run = () => pool.query(${LOCK});`, pool),
    one('a field', `class Jobs { /** @type {import('pg').Pool} */ pool;\nrun() { return this.pool.query(${LOCK}); } }`, pool),
    one('an assigned field', `class Jobs { constructor(p) { /** @type {import('pg').Pool} */ this.pool = p; }\nrun() { return this.pool.query(${LOCK}); } }`, pool),
    one('a parameter kept in a field', `class Jobs { /** @param {import('pg').Pool} pool */ constructor(pool) { this.pool = pool; }\nrun() { return this.pool.query(${LOCK}); } }`, pool),
    one('one of two roles', query("/** @param {import('pg').Pool | import('pg').PoolClient} db */", 'db', 'db'), unknown),
    one('another parameter', query("/** @param {import('pg').Pool} other */", 'pool', 'pool'), unknown),
    one('a type of nobody', query('/** @param {Pool} pool */', 'pool', 'pool'), unknown),
    one('a comment that is no JSDoc', query("/* @param {import('pg').Pool} pool */", 'pool', 'pool'), unknown),
    one('a comment of other code', `/** @param {import('pg').Pool} pool */ const other = 1;\nexport async function run(pool) { await pool.query(${LOCK}); }`, unknown),
    one('an annotation, which is believed before a comment', `import type { PoolClient } from 'pg'; /** @param {import('pg').Pool} c */\nexport async function run(c: PoolClient) { await c.query(${LOCK}); }`, connection),
  ]);
});

describe('reading comments', () => {
  it.each([
    ['/** @type {import("pg").Pool} */', { kind: 'import', module: 'pg', path: ['Pool'] }],
    ['/** @type {(import(\'pg\')).Pool} */', null],
    ['/** @type {Promise<Pool>} */', null],
    ['/** @type {', null],
    ['/** nothing */', null],
  ])('%s', (comment, type) => {
    expect(documentedType(comment)).toEqual(type);
  });

  it('survives anything', () => {
    const hostile = `/** @param {${'{'.repeat(3000)} a @param {x|${'|'.repeat(3000)}} b.c @typedef {import('`;
    expect(documentedParameter(hostile, 'a')).toBeNull();
    expect(documentedTypedefs(hostile).size).toBe(0);
  });
});
