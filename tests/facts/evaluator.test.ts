import { evaluation } from '../../src/facts/evaluation.js';
import type { Value } from '../../src/facts/values.js';
import { resultOf } from '../../src/pass.js';
import { nodes } from '../../src/source/walk.js';
import { unitFor } from '../harness.js';

/** What the argument of the call `show(…)` is. */
function shown(code: string): string {
  const unit = unitFor(`${code}\n// advisory`);
  const call = resultOf(nodes, unit).calls.find(({ callee }) => callee.type === 'Identifier' && callee.name === 'show');
  const [argument] = call?.arguments ?? [];
  if (!argument) throw new Error('the code shows nothing');
  return describeValue(resultOf(evaluation, unit).evaluator.valueOf(argument));
}

function describeValue(value: Value): string {
  switch (value.type) {
    case 'object':
      return [value.driver.name, value.kind, ...(value.handle ? [`over ${value.handle.role}`] : [])].join(' ');
    case 'promise':
      return `promise of ${describeValue(value.of)}`;
    case 'export':
      return `export ${value.module}#${value.path.join('.')}`;
    case 'namespace':
    case 'foreign':
      return `${value.type} ${[value.module, ...value.path].join('#')}`;
    case 'method':
      return `method ${value.name} of ${describeValue(value.receiver)}`;
    case 'delegate':
      return `delegate of ${describeValue(value.receiver)}`;
    case 'list':
      return `list of ${value.elements.map((element) => (element ? describeValue(element) : '?')).join(', ')}`;
    case 'unknown':
      return value.alternatives.length > 0 ? `unknown, one of ${value.alternatives.map(describeValue).join(' / ')}` : 'unknown';
    default:
      return value.type;
  }
}

describe('the evaluator says what an expression is:', () => {
  it.each([
    ['undefined', 'show(undefined)', 'nothing'],
    ['null', 'show(null)', 'nothing'],
    ['void', 'show(void 0)', 'nothing'],
    ['a string', `show('pool')`, 'unknown'],
    ['a function', 'show(() => 1)', 'function'],
    ['a class', 'class A {}\nshow(A)', 'class'],
    ['an instance', 'class A {}\nshow(new A())', 'instance'],
    ['an object literal', 'show({})', 'record'],
    ['a list', 'show([null, ...rest])', 'list of nothing, ?'],
    ['globalThis', 'show(globalThis)', 'global'],
    ['a shadowed global', 'function f(globalThis) { show(globalThis); }', 'unknown'],
    ['an import of a driver', `import { Pool } from 'pg';\nshow(Pool)`, 'export pg#Pool'],
    ['a module of a driver', `import * as pg from 'pg';\nshow(pg)`, 'namespace pg'],
    ['an import from elsewhere', `import { a } from './a';\nshow(a.b)`, 'foreign ./a#a#b'],
    ['a client generated into the project', `import { PrismaClient } from '../generated/client';\nshow(new PrismaClient())`, 'prisma client over pool'],
    ['a construction', `import { Pool } from 'pg';\nshow(new Pool())`, 'pg pool over pool'],
    ['a pool of one connection', `import { Pool } from 'pg';\nshow(new Pool({ max: 1 }))`, 'pg pool over single'],
    ['a pool of one connection, by a constant', `import { Pool } from 'pg';\nconst MAX = 1;\nconst options = { max: MAX };\nshow(new Pool({ ...options }))`, 'pg pool over single'],
    ['a pool whose size is not shown', `import { Pool } from 'pg';\nshow(new Pool(options))`, 'pg pool over pool'],
    ['what a method gives', `import { Pool } from 'pg';\nshow(new Pool().connect())`, 'promise of pg pool-client over connection'],
    ['what a promise resolves to', `import { Pool } from 'pg';\nshow(await new Pool().connect())`, 'pg pool-client over connection'],
    ['what a chained promise resolves to', `import { Pool } from 'pg';\nshow(await new Pool().connect().then((c) => c).catch(fail).finally(stop))`, 'pg pool-client over connection'],
    ['a promise of a value', `import { Pool } from 'pg';\nshow(Promise.resolve(new Pool()))`, 'promise of pg pool over pool'],
    ['several promises', `import { Pool } from 'pg';\nconst p = new Pool();\nshow(await Promise.all([p, p.connect()]))`, 'list of pg pool over pool, pg pool-client over connection'],
    ['a method with a callback gives nothing', `import { Pool } from 'pg';\nshow(new Pool().connect((error, client) => {}))`, 'unknown'],
    ['a method', `import { Pool } from 'pg';\nshow(new Pool().query)`, 'method query of pg pool over pool'],
    ['a model', `import { PrismaClient } from '@prisma/client';\nshow(new PrismaClient().job)`, 'delegate of prisma client over pool'],
    ['one of two alike', `import { Pool } from 'pg';\nshow(a ? new Pool() : new Pool())`, 'pg pool over pool'],
    ['one of two different ones', `import { Pool, Client } from 'pg';\nshow(a ? new Pool() : new Client())`, 'unknown, one of pg pool over pool / pg client over connection'],
    ['one or nothing', `import { Pool } from 'pg';\nlet p = null;\np = new Pool();\nshow(p)`, 'pg pool over pool'],
    ['one or something unknown', `import { Pool } from 'pg';\nfunction f(a) { show(a ?? new Pool()); }`, 'unknown, one of unknown / pg pool over pool'],
    ['the last of a sequence', `import { Pool } from 'pg';\nshow((a, new Pool()))`, 'pg pool over pool'],
    ['an assignment', `import { Pool } from 'pg';\nlet p;\nshow(p = new Pool())`, 'pg pool over pool'],
    ['what && guards', `import { Pool } from 'pg';\nconst p = new Pool();\nshow(ready && p)`, 'pg pool over pool'],
    ['an object made over another', `import { Pool } from 'pg';\nimport { drizzle } from 'drizzle-orm/node-postgres';\nshow(drizzle(new Pool({ max: 1 })))`, 'drizzle database over single'],
    ['an object made over a connection', `import { Client } from 'pg';\nimport { drizzle } from 'drizzle-orm/node-postgres';\nshow(drizzle(new Client()))`, 'drizzle database over connection'],
    ['an object made over a connection string', `import { drizzle } from 'drizzle-orm/node-postgres';\nshow(drizzle(process.env.DATABASE))`, 'drizzle database over pool'],
    ['an object made over something unknown', `import { drizzle } from 'drizzle-orm/node-postgres';\nfunction f(client) { show(drizzle(client)); }`, 'drizzle database over unknown'],
    ['the object under another', `import { Pool } from 'pg';\nimport { drizzle } from 'drizzle-orm/node-postgres';\nshow(drizzle(new Pool()).$client)`, 'pg pool over pool'],
    ['what a function returns', `import { Pool } from 'pg';\nfunction f() { if (a) return null; return new Pool(); }\nshow(f())`, 'pg pool over pool'],
    ['what an async function returns', `import { Pool } from 'pg';\nasync function f() { return new Pool(); }\nshow(f())`, 'promise of pg pool over pool'],
    ['what a function of the file returns in another', `import { Pool } from 'pg';\nconst f = () => g();\nconst g = () => new Pool();\nshow(f())`, 'pg pool over pool'],
    ['a default that applies', `import { Pool } from 'pg';\nconst { p = new Pool() } = {};\nshow(p)`, 'unknown, one of unknown / pg pool over pool'],
    ['a static block', `import { Pool } from 'pg';\nclass A { static p; static { this.p = new Pool(); } }\nshow(A.p)`, 'pg pool over pool'],
    ['an accessor field', `import { Pool } from 'pg';\nclass A { accessor p = new Pool(); }\nshow(new A().p)`, 'pg pool over pool'],
    ['a name that objects inherit', `import { Pool } from 'pg';\nshow(new Pool().constructor)`, 'unknown'],
    ['the same of a module', `import * as pg from 'pg';\nshow(pg.constructor)`, 'namespace pg#constructor'],
  ])('%s', (_title, code, expected) => {
    expect(shown(code)).toBe(expected);
  });

  it('gives a transaction on a connection the backend of that connection', () => {
    const unit = unitFor(`import { knex } from 'knex';\nimport postgres from 'postgres';\nconst sql = postgres();\nawait sql.begin(async (a) => { await a.savepoint(async (b) => { show(a); show(b); }); });\n// advisory`);
    const { evaluator } = resultOf(evaluation, unit);
    const identities = resultOf(nodes, unit).calls.flatMap(({ callee, arguments: [argument] }) => {
      if (callee.type !== 'Identifier' || callee.name !== 'show' || !argument) return [];
      const value = evaluator.valueOf(argument);
      return value.type === 'object' ? [value.handle?.identity] : [];
    });
    expect(identities).toHaveLength(2);
    expect(identities[0]).toBe(identities[1]);
  });

  it('tells two pools apart, and a pool from its connections', () => {
    const unit = unitFor(`import { Pool } from 'pg';\nconst a = new Pool();\nconst b = new Pool();\nconst c = await a.connect();\nshow([a, b, c]);\n// advisory`);
    const { evaluator } = resultOf(evaluation, unit);
    const [call] = resultOf(nodes, unit).calls.slice(-1);
    const list = call?.arguments[0] && evaluator.valueOf(call.arguments[0]);
    const handles = list?.type === 'list' ? list.elements.flatMap((element) => (element?.type === 'object' && element.handle ? [element.handle] : [])) : [];
    expect(new Set(handles.map(({ identity }) => identity)).size).toBe(3);
    expect(handles[2]?.pool?.identity).toBe(handles[0]?.identity);
  });
});
