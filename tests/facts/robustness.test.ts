import { connectionUses } from '../../src/facts/connection-uses.js';
import { effects } from '../../src/facts/effects.js';
import { queries } from '../../src/facts/queries.js';
import { transactions } from '../../src/facts/transactions.js';
import { resultOf } from '../../src/pass.js';
import { unitFor } from '../harness.js';
import { lockStatements } from './lock-statements.js';

const LOCK = "'SELECT pg_advisory_lock(1)'";

describe('circular and deep code', () => {
  it.each([
    ['a variable that is its own value', `let a = a;\na.query(${LOCK});`],
    ['two variables that are each other', `const a = b;\nconst b = a;\na.query(${LOCK});`],
    ['a function that returns its own call', `const f = () => f();\nf().query(${LOCK});`],
    ['two functions that return each other', `function a() { return b(); }\nfunction b() { return a(); }\na().query(${LOCK});`],
    ['a parameter passed on to itself', `function f(db) { f(db); return db.query(${LOCK}); }`],
    ['a method that calls itself', `class A { run(t) { return this.run(t); } }\nnew A().run(${LOCK});`],
    ['a class that extends itself', `class A extends A { lock() { return this.db.query(${LOCK}); } }`],
    ['two classes that extend each other', `class A extends B {}\nclass B extends A {}\nnew A().db.query(${LOCK});`],
    ['an interface that extends itself', `interface A extends A { b: B }\ninterface B extends A {}\nexport const f = (a: A) => a.db.query(${LOCK});`],
    ['a type alias of itself', `type A = A;\nexport const f = (a: A) => a.query(${LOCK});`],
    ['an object that holds itself', `const a = { a };\na.a.a.query(${LOCK});`],
    ['a field that is assigned from itself', `class A { db = this.db; lock() { return this.db.query(${LOCK}); } }`],
    ['a callback handed to itself', `const f = (g) => g(f);\nf(f);\nf((db) => db.query(${LOCK}));`],
    ['a wrapper that forwards to itself', `import { Pool } from 'pg';\nconst p = new Pool();\nconst run = (...args) => run(...args);\nrun(${LOCK});`],
    ['a batch that holds itself', `import { PrismaClient } from '@prisma/client';\nconst p = new PrismaClient();\nconst all = [all, p.$executeRaw\`SELECT pg_advisory_lock(1)\`];\np.$transaction(all);`],
    ['a builder in a loop', `import { knex } from 'knex';\nconst db = knex({});\nlet q = db('a');\nfor (const x of xs) q = q.where(q.where(x));\nq.whereRaw('pg_try_advisory_lock(1)');\nawait q;`],
    ['a name that is a property of every object', `import { Pool } from 'pg';\nconst p = new Pool();\np.constructor(${LOCK});\np.toString(${LOCK});\np.__proto__.query(${LOCK});\np.hasOwnProperty(${LOCK});`],
    ['a spread of everything', `import { Pool } from 'pg';\nnew Pool(...options).query(...[...args, ...rest], ...more);\n// advisory`],
    ['a call without arguments', `import { Pool } from 'pg';\nnew Pool().query();\n// advisory`],
    ['empty code', `// advisory`],
    ['a destructured everything', `const { a: { b: [c, ...d], ...e } = {}, [f]: g = h } = x;\n[c, d, e, g].map((z) => z.query(${LOCK}));`],
    ['generators and async iteration', `async function* f() { yield* f(); for await (const x of f()) x.query(${LOCK}); }`],
    ['decorators', `@Injectable() class A { @Inject() db: Db; @Get() run(@Param() p) { return this.db.query(${LOCK}); } }`],
    ['enums and namespaces', `enum E { A = ${LOCK} }\nnamespace N { export const db = {}; }\nN.db.query(E.A);`],
    ['a broken statement', `import { Pool } from 'pg';\nnew Pool().query('SELECT pg_advisory_lock((((');`],
  ])('%s', (_title, code) => {
    const unit = unitFor(code);
    expect(() => [queries, effects, transactions, connectionUses].map((pass) => resultOf<unknown>(pass, unit))).not.toThrow();
  });

  it('reads a long chain of calls', () => {
    const code = `import { knex } from 'knex';\nconst db = knex({});\nawait db('jobs')${'.where({ a: 1 })'.repeat(180)}.whereRaw('pg_try_advisory_lock(1)');`;
    expect(lockStatements(code)).toEqual(['3 pool pg_try_advisory_lock']);
  });

  it('gives up on a very long chain of names without harm', () => {
    const names = Array.from({ length: 3000 }, (_, index) => `const a${String(index + 1)} = a${String(index)};`).join('\n');
    const code = `import { Pool } from 'pg';\nconst a0 = new Pool();\n${names}\na3000.query(${LOCK});`;
    expect(() => lockStatements(code)).not.toThrow();
  });

  it('gives up on a very deep expression without harm', () => {
    const code = `import { Pool } from 'pg';\nconst pool = new Pool();\nconst db = ${'('.repeat(400)}pool${' ?? null)'.repeat(400)};\ndb.query(${LOCK});`;
    expect(() => lockStatements(code)).not.toThrow();
  });

  it('answers questions in any order alike', () => {
    const code = `import { Pool } from 'pg';\nfunction a(n) { return n ? b(n) : new Pool(); }\nfunction b(n) { return n ? a(n) : new Pool(); }\na(1).query('SELECT pg_advisory_lock(1)');\nb(1).query('SELECT pg_advisory_lock(2)');`;
    expect(lockStatements(code)).toEqual(['4 pool pg_advisory_lock', '5 pool pg_advisory_lock']);
  });
});

describe('large files', () => {
  const filler = "  const rows = opts.rows.map((row) => row.id).filter(Boolean);\n  if (rows.length > 3) console.log(`${rows.length} rows`, rows);\n".repeat(6);
  const file = (jobs: number) =>
    `import { Pool } from 'pg';\nconst pool = new Pool();\nconst run = (text) => pool.query(text);\n${Array.from(
      { length: jobs },
      (_, n) =>
        `export async function job${String(n)}(opts) {\n  const c = await pool.connect();\n${filler}  await c.query('SELECT pg_advisory_lock($1)', [1]);\n  await run('SELECT pg_advisory_unlock(1)');\n  await next${String(n)}(c);\n  c.release();\n}\nconst next${String(n)} = (c) => c.query('SELECT pg_advisory_unlock(2)').then(() => next${String((n + 1) % jobs)}(c));\n`,
    ).join('')}`;

  const timeFor = (jobs: number): number => {
    const unit = unitFor(file(jobs));
    const begin = performance.now();
    resultOf(queries, unit);
    return performance.now() - begin;
  };

  it('takes time in proportion to their length', () => {
    // The first run starts the SQL parser and warms up the code.
    timeFor(20);
    const [small, large] = [timeFor(50), timeFor(250)];
    expect(large).toBeLessThan(Math.max(small, 20) * 25);
  });

  it('finds every statement in 5,000 lines', () => {
    const code = file(250);
    expect(code.split('\n').length).toBeGreaterThan(4000);
    expect(lockStatements(code)).toHaveLength(750);
  });
});
