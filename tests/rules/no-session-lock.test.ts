import rule from '../../rules/no-session-lock.js';
import { runRuleTests, type InvalidCase, type ValidCase } from '../rule-tester.js';
import { forEveryDriver, lockSql } from './contexts.js';
import { errorAt } from './error-at.js';

const transaction = { pooler: 'transaction' } as const;
type Settings = InvalidCase['settings'];

const silent = (name: string, code: string, settings?: Settings): ValidCase => ({ name, code, ...(settings && { settings }) });
function reported(name: string, code: string, call: string, messageId: string, data: Readonly<Record<string, string | number>>, settings?: Settings): InvalidCase {
  return { name, code, ...(settings && { settings }), errors: [errorAt(code, call, { messageId, data: { fn: 'pg_advisory_lock', ...data } })] };
}

const perDriver = forEveryDriver(
  ({ connection, dialect }, name): { bad: InvalidCase; good: ValidCase } => {
    const { tryLock, tryName } = lockSql(dialect);
    const call = connection.send(tryLock);
    // A connection string that is written out says that nothing stands between.
    const code = connection.wrap(`return ${call};`).replace("'postgres://localhost/app'", 'process.env.URL');
    return {
      bad: { name: `a session lock of ${name}`, drivers: [name], code, settings: transaction, errors: [errorAt(code, call, { messageId: 'setting', data: { fn: tryName } })] },
      good: { name: `a transaction lock of ${name}`, drivers: [name], settings: transaction, code: connection.wrap(`return ${connection.send(tryLock.replace('advisory_lock', 'advisory_xact_lock'))};`) },
    };
  },
  ['mysql2'],
);

const call = "c.query('SELECT pg_advisory_lock(1)')";
/** A client made with these options, and a lock taken over it. */
const client = (options: string): string => `import { Client } from 'pg';
const c = new Client(${options});
export const run = () => ${call};`;
const fromPool = (options: string): string => `import { Pool } from 'pg';
const pool = new Pool(${options});
export async function run() {
  const c = await pool.connect();
  await ${call};
  c.release();
}`;

const neon = "import { neon } from '@neondatabase/serverless';\nconst sql = neon(process.env.URL);\nexport const run = () => sql`SELECT pg_advisory_lock(1)`;";
const vercel = "import { db, createClient } from '@vercel/postgres';\nexport async function run() { const c = await db.connect(); await c.query('SELECT pg_advisory_lock(1)'); }";
const supabase = "import { createClient } from '@supabase/supabase-js';\nconst db = createClient('https://x.supabase.co', process.env.KEY);\nexport const run = () => db.rpc('pg_advisory_lock', { key: 1 });";

runRuleTests(rule, {
  notApplicable: { mysql2: 'GET_LOCK behind a pooler of PostgreSQL is a contradiction' },
  valid: [
    ...perDriver.map(({ good }) => good),
    silent('no evidence', client('process.env.DATABASE_URL')),
    silent('no evidence in the options', client("{ host: 'db.internal', database: 'app' }")),
    silent('no pooler, says the setting', client("'postgres://app@db:6432/app'"), { pooler: 'none' }),
    silent('a session pooler, says the setting', client("{ port: 6432 }"), { pooler: 'session' }),
    silent('HTTP, where the setting denies a pooler', neon, { pooler: 'none' }),
    silent('a direct connection string', client("'postgres://app@db.internal/app'"), transaction),
    silent('a direct port', client("{ host: 'db.internal', port: 5432 }"), transaction),
    silent('a direct variable of the environment', client('process.env.DIRECT_URL'), transaction),
    silent('an unpooled variable of the environment', fromPool('{ connectionString: process.env.DATABASE_URL_UNPOOLED }'), transaction),
    silent('a variable for what is not pooled', client('{ connectionString: process.env.POSTGRES_URL_NON_POOLING! }'), transaction),
    silent('a direct constant', "import { Client } from 'pg';\nconst url = 'postgresql://app:secret@10.0.0.1:5433/app';\nconst c = new Client(url);\nexport const run = () => c.query('SELECT pg_advisory_lock(1)');", transaction),
    silent("Supabase's session pooler", client("'postgres://app@aws-0-eu.pooler.supabase.com:5432/app'")),
    silent("Vercel's client, which connects directly", "import { createClient } from '@vercel/postgres';\nconst c = createClient();\nexport const run = () => c.query('SELECT pg_advisory_lock(1)');"),
    silent('a transaction-level lock', client("{ port: 6432 }").replace('advisory_lock', 'advisory_xact_lock')),
    silent('an unlock', client("{ port: 6432 }").replace('pg_advisory_lock', 'pg_advisory_unlock')),
    silent('a look-alike', client("{ port: 6432 }").replace('pg_advisory_lock', 'app.pg_advisory_lock_name')),
    silent('a port of something else', "import { Client } from 'pg';\nconst admin = { port: 6432 };\nconst c = new Client();\nexport const run = () => c.query('SELECT pg_advisory_lock(1)');"),
    silent('an unknown handle', "export const run = (c) => c.query('SELECT pg_advisory_lock(1)');\nexport const url = 'postgres://db:6432/app';"),
    silent('MySQL', "import mysql from 'mysql2/promise';\nexport const run = (c: mysql.Connection) => c.query(\"SELECT GET_LOCK('a', 1)\");", transaction),
  ],
  invalid: [
    ...perDriver.map(({ bad }) => bad),
    reported('an unknown handle in a project with a pooler', "export const run = (c) => c.query('SELECT pg_advisory_lock(1)');", call, 'setting', {}, transaction),
    reported('options that say nothing', client("{ host: 'db.internal' }"), call, 'setting', {}, transaction),
    reported('a port', client('{ port: 6432 }'), call, 'port', { text: '6432', line: 2 }),
    reported('a port as text', client("{ port: '6543' }"), call, 'port', { text: '6543', line: 2 }),
    reported('a port in a connection string', fromPool("'postgres://app:p@ss@db.internal:6432/app?sslmode=require'"), call, 'port', { text: '6432', line: 2 }),
    reported('a port in a template', client('{ connectionString: `postgres://${user}:${password}@db:6543/app` }'), call, 'port', { text: '6543', line: 2 }),
    reported('a port in a default', client("process.env.DATABASE_URL ?? 'postgres://localhost:6432/app'"), call, 'port', { text: '6432', line: 2 }),
    reported('a direct setting that the port contradicts', client("{ connectionString: process.env.DIRECT_URL, port: 6432 }"), call, 'port', { text: '6432', line: 2 }, transaction),
    reported('a parameter', client("'postgres://db/app?schema=x&pgbouncer=true'"), call, 'parameter', { text: 'pgbouncer=true', line: 2 }),
    reported('a host', client("{ host: 'ep-blue-sky-123-pooler.eu-central-1.aws.neon.tech' }"), call, 'host', { text: 'ep-blue-sky-123-pooler.eu-central-1.aws.neon.tech', line: 2 }),
    reported('a host in a connection string', client("'postgres://app@aws-0-eu.pooler.supabase.com/app'"), call, 'host', { text: 'aws-0-eu.pooler.supabase.com', line: 2 }),
    reported('HTTP: Neon', neon, 'sql`SELECT pg_advisory_lock(1)`', 'http', { driver: 'neon' }),
    reported('HTTP: Supabase', supabase, "db.rpc('pg_advisory_lock', { key: 1 })", 'http', { driver: 'supabase' }),
    reported("Vercel's pool", vercel, call, 'library', { driver: 'vercel-postgres' }),
  ],
});
