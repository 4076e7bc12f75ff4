import { drivers } from '../../src/drivers/index.js';
import { resultOf } from '../../src/pass.js';
import { heldLocks } from '../../src/state/held-locks.js';
import { unitFor } from '../harness.js';
import { losses } from './describe.js';
import { pgShapes } from './shapes.js';

const pg = "import { Pool } from 'pg'; const pool = new Pool();\n";

describe('any code', () => {
  it.each(drivers.map(({ name, examples }) => [name, examples] as const))('of %s has a state', (_, examples) => {
    for (const { code } of examples) {
      if (/advisory|_lock/i.test(code)) expect(resultOf(heldLocks, unitFor(code)).every(({ kind }) => kind === 'solved')).toBe(true);
    }
  });

  it.each([
    ['a function that calls itself', `async function f(c) { await c.query('SELECT pg_advisory_lock(1)'); await f(c); await c.query('SELECT pg_advisory_unlock(1)'); }`],
    ['two functions that call each other', `async function f(c) { await c.query('SELECT pg_advisory_lock(1)'); await g(c); } async function g(c) { await f(c); }`],
    ['a wrapper that wraps itself', `const withLock = async (key, body) => { const c = await pool.connect(); await c.query('SELECT pg_advisory_lock($1)', [key]); await withLock(key, () => body()); c.release(); }; withLock(1, () => withLock(2, () => {}));`],
    ['broken SQL', `async function f(c) { await c.query('SELECT pg_advisory_lock((('); await c.query('SELECT pg_advisory_unlock'); }`],
    ['a class in a class', `class A { static { void pool.query('SELECT pg_advisory_lock(1)'); } b = class { c = pool.query('SELECT pg_advisory_unlock(1)'); }; }`],
    ['labels and empty loops', `async function f() { const c = await pool.connect(); outer: for (;;) { for (;;) { await c.query('SELECT pg_advisory_lock(1)'); continue outer; } } }`],
  ])('%s ends', (_, code) => {
    expect(() => losses(pg + code, { javascript: true, filename: 'test.js' })).not.toThrow();
  });

  it('says the same of JavaScript as of TypeScript', () => {
    for (const { code, losses: expected } of pgShapes) {
      const isPlain = !/PoolClient|: (?:number|boolean|string|Error|AbortSignal|Promise)|as |private|using|<T>|<\{/.test(code.replace(/, type PoolClient/, ''));
      if (isPlain) expect(losses(code.replace(', type PoolClient', ''), { javascript: true, filename: 'test.js' })).toEqual(expected);
    }
  });

  it('takes time linear in the function', () => {
    const time = (count: number): number => {
      const body = Array.from({ length: count }, (_, index) => `let f${index} = false; if (await work()) f${index} = true; if (f${index}) await work();`).join('\n');
      const unit = unitFor(`${pg}export async function run() { const c = await pool.connect(); await c.query('SELECT pg_advisory_lock(1)'); try { ${body} } finally { await c.query('SELECT pg_advisory_unlock(1)'); c.release(); } }`);
      const start = performance.now();
      resultOf(heldLocks, unit);
      return performance.now() - start;
    };
    time(50);
    const [small, large] = [Math.min(time(100), time(100)), Math.min(time(800), time(800))];
    expect(large / Math.max(small, 5)).toBeLessThan(40);
  });
});
