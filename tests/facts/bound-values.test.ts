import { queries } from '../../src/facts/queries.js';
import { resultOf } from '../../src/pass.js';
import { unitFor } from '../harness.js';

/** The source of the expressions bound to the keys of the first lock. */
function keysIn(code: string): (string | null)[] {
  const unit = unitFor(code);
  const lock = resultOf(queries, unit).flatMap(({ locks }) => locks)[0];
  if (!lock) throw new Error('no statement with a lock');
  return (lock.operation.keys).map((expression) => {
    const node = lock.boundValue(expression);
    return node && unit.text.slice(...node.range);
  });
}

const POOL = `import { Pool } from 'pg';\nconst pool = new Pool();\n`;

describe('the value bound to a key', () => {
  it.each([
    ['an element of a list', `${POOL}await pool.query('SELECT pg_advisory_lock($1)', [id]);`, ['id']],
    ['placeholders in another order', `${POOL}await pool.query('SELECT pg_advisory_lock($2, $1)', [a, b]);`, ['b', 'a']],
    ['a property of an object', `${POOL}await pool.query({ text: 'SELECT pg_advisory_lock($1)', values: [id] });`, ['id']],
    ['a list in a constant', `${POOL}const values = [id];\nawait pool.query('SELECT pg_advisory_lock($1)', values);`, ['id']],
    ['a list that is not shown', `${POOL}await pool.query('SELECT pg_advisory_lock($1)', values);`, [null]],
    ['a list with a spread before it', `${POOL}await pool.query('SELECT pg_advisory_lock($2)', [...a, b]);`, [null]],
    ['a list that a function gives', `${POOL}await pool.query('SELECT pg_advisory_lock($1)', valuesFor(job));`, [null]],
    ['a list that is changed', `${POOL}const values = [id];\nvalues.unshift(other);\nawait pool.query('SELECT pg_advisory_lock($1)', values);`, [null]],
    ['too short a list', `${POOL}await pool.query('SELECT pg_advisory_lock($2)', [a]);`, [null]],
    ['behind a cast', `${POOL}await pool.query('SELECT pg_advisory_lock($1::bigint)', [id]);`, ['id']],
    ['an interpolation', `import postgres from 'postgres';\nconst sql = postgres();\nawait sql\`SELECT pg_advisory_lock(\${id})\`;`, ['id']],
    ['a parameter of a wrapper', `${POOL}const run = (text, values) => pool.query(text, values);\nawait run('SELECT pg_advisory_lock($1)', [id]);`, ['id']],
    ['a parameter of a wrapper, spread', `${POOL}const run = (...args) => pool.query(...args);\nawait run('SELECT pg_advisory_lock($1)', [id]);`, ['id']],
    ['a value of a wrapper that names the function', `${POOL}const run = (fn, key) => pool.query(\`SELECT \${fn}($1)\`, [key]);\nawait run('pg_advisory_lock', id);`, ['id']],
    ['a value pasted by a wrapper', `${POOL}const run = (fn, key) => pool.query(\`SELECT \${fn}(\${key})\`);\nawait run('pg_advisory_lock', id);`, ['id']],
    ['the rest of the arguments', `import { PrismaClient } from '@prisma/client';\nawait new PrismaClient().$queryRawUnsafe('SELECT pg_try_advisory_lock($1, $2)', a, b);`, ['a', 'b']],
    ['a question mark', `import { knex } from 'knex';\nawait knex({}).raw('SELECT pg_advisory_lock(?, ?)', [a, b]);`, ['a', 'b']],
    ['a question mark with a single value', `import { knex } from 'knex';\nawait knex({}).raw('SELECT pg_advisory_lock(?)', 7);`, ['7']],
    ['a name', `import { knex } from 'knex';\nawait knex({}).raw('SELECT pg_advisory_lock(:key)', { key: id });`, ['id']],
    ['a fragment in a builder', `import { knex } from 'knex';\nconst db = knex({});\nawait db.select(db.raw('pg_advisory_lock(?)', [id]));`, ['id']],
    ['a fragment in a constant', `import { knex } from 'knex';\nconst db = knex({});\nconst lock = db.raw('pg_advisory_lock(?)', [id]);\nawait db.select(lock);`, ['id']],
    ['a function called by name', `import { createClient } from '@supabase/supabase-js';\nawait createClient(u, k).rpc('pg_try_advisory_lock', { key: id });`, ['id']],
    ['a value of a fragment made by name', `import { Kysely, sql } from 'kysely';\nconst db = new Kysely({});\nawait db.selectNoFrom((eb) => eb.fn('pg_try_advisory_lock', [eb.val(id)]).as('ok')).execute();`, ['id']],
  ])('%s', (_title, code, expected) => {
    expect(keysIn(code)).toEqual(expected);
  });
});
