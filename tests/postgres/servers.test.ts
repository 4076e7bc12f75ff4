import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createConnection } from 'mariadb';
import pg from 'pg';
import { inject } from 'vitest';
import { until } from './own-database.js';
import { pgbouncerIsInstalled, startPgbouncer } from './servers/pgbouncer.js';

const { postgres, mariadb } = inject('servers');

describe('the servers of the laboratory', () => {
  it('PostgreSQL answers on its port', async () => {
    const client = new pg.Client({ ...postgres, user: 'postgres', database: 'postgres' });
    client.on('error', () => undefined);
    await client.connect();
    try {
      const { rows } = await client.query<{ taken: boolean }>('SELECT pg_try_advisory_lock(1) AS taken');
      expect(rows).toEqual([{ taken: true }]);
    } finally {
      await client.end();
    }
  });

  it.skipIf(!pgbouncerIsInstalled())('PgBouncer answers in every mode, and no more once it is stopped', async () => {
    for (const mode of ['session', 'transaction', 'statement'] as const) {
      const pgbouncer = await startPgbouncer(postgres, mode);
      const client = new pg.Client({ host: pgbouncer.host, port: pgbouncer.port, user: 'anybody', database: 'postgres' });
      client.on('error', () => undefined);
      await client.connect();
      const { rows } = await client.query('SELECT current_user');
      expect(rows, mode).toEqual([{ current_user: 'postgres' }]);
      await client.end();
      await pgbouncer.stop();
      await pgbouncer.stop();
      const late = new pg.Client({ host: pgbouncer.host, port: pgbouncer.port });
      late.on('error', () => undefined);
      await expect(late.connect(), mode).rejects.toThrow('ECONNREFUSED');
    }
  });

  it.skipIf(!mariadb)('MariaDB answers on its port', async () => {
    const connection = await createConnection({ ...mariadb, user: 'root' });
    try {
      expect(await connection.query('SELECT 1 AS one')).toMatchObject([{ one: 1 }]);
    } finally {
      await connection.end();
    }
  });

  it.skipIf(process.platform === 'win32' || !pgbouncerIsInstalled())('end with the process that started them, however it ends', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'advisory-lock-bundle-'));
    const bundle = ['--no-config', '--format', 'esm', '--no-dts', '--out-dir', folder, 'tests/postgres/servers/pgbouncer.ts'];
    execFileSync(process.execPath, ['node_modules/tsdown/dist/run.mjs', ...bundle], { stdio: 'ignore' });
    const program = `
      const { startPgbouncer } = await import(${JSON.stringify(pathToFileURL(join(folder, 'pgbouncer.mjs')).href)});
      const { port } = await startPgbouncer({ host: '127.0.0.1', port: 1 }, 'session');
      process.stdout.write(String(port));
      process.kill(process.pid, 'SIGKILL');`;
    const { stdout, signal } = spawnSync(process.execPath, ['--input-type=module', '--eval', program], { encoding: 'utf8' });
    rmSync(folder, { recursive: true });
    expect(signal).toBe('SIGKILL');
    await until('the server was gone', async () => {
      const client = new pg.Client({ host: '127.0.0.1', port: Number(stdout) });
      client.on('error', () => undefined);
      return client.connect().then(() => false, (error: unknown) => String(error).includes('ECONNREFUSED'));
    });
  });
});
