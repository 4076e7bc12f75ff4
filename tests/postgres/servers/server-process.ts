import { type ChildProcess, spawn } from 'node:child_process';
import { chownSync, mkdtempSync, rmSync } from 'node:fs';
import { Socket, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A server that listens on the loopback interface until it is stopped. */
export interface RunningServer {
  readonly host: string;
  readonly port: number;
  /** Ends the server and removes everything it wrote. Calling it twice is harmless. */
  stop(): Promise<void>;
}

/** Where a server keeps its files, and the account it runs under. */
export interface Premises {
  readonly folder: string;
  /** Options of `spawn` that drop root's privileges; empty for everybody else. */
  readonly account: { readonly uid?: number; readonly gid?: number };
  remove(): void;
}

/** The user and group called `nobody`: database servers refuse to run as root. */
const nobody = 65_534;

/** A new temporary folder that only its server's account may write to. */
export function newPremises(server: string): Premises {
  const account = process.getuid?.() === 0 ? { uid: nobody, gid: nobody } : {};
  const folder = mkdtempSync(join(tmpdir(), `advisory-lock-${server}-`));
  if (account.uid !== undefined) chownSync(folder, account.uid, account.gid);
  return { folder, account, remove: () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }) };
}

export interface Launch {
  readonly command: string;
  readonly arguments: readonly string[];
  readonly premises: Premises;
  readonly port: number;
  /** What the server writes to its standard error when it answers. */
  readonly readyWhenPrinted: string;
  /** Ends the server soon and without asking its clients. */
  readonly signal: NodeJS.Signals;
}

/**
 * Starts a server and waits until it says that it answers. It ends with this process at the latest, however that ends.
 * @throws when the server does not come up; the message ends with what it printed, and nothing is left behind.
 */
export async function launch({ command, arguments: given, premises, port, readyWhenPrinted, signal }: Launch): Promise<RunningServer> {
  const { folder, account, remove } = premises;
  const server = spawn(command, given, {
    ...account,
    cwd: folder,
    env: { ...process.env, HOME: folder },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const dismissGuard = guard(server, folder, signal);
  const endWithProcess = (): void => {
    server.kill(signal);
    remove();
  };
  process.once('exit', endWithProcess);
  const stop = async (): Promise<void> => {
    process.off('exit', endWithProcess);
    await ended(server, signal);
    dismissGuard();
    remove();
  };
  try {
    await printed(server, command, readyWhenPrinted);
  } catch (error) {
    await stop();
    throw error;
  }
  return { host: '127.0.0.1', port, stop };
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

/**
 * A process killed by a signal runs no exit handlers, so a shell watches over the server: its input ends with this process,
 * and then it ends the server. Where there is no POSIX shell, nothing watches.
 * @returns ends the watch
 */
function guard(server: ChildProcess, folder: string, signal: NodeJS.Signals): () => void {
  if (process.platform === 'win32' || server.pid === undefined) return () => undefined;
  const watching = spawn(
    'sh',
    ['-c', 'cat; kill -s "$0" "$1" 2>/dev/null; sleep 1; rm -rf "$2"', signal.replace('SIG', ''), String(server.pid), folder],
    { detached: true, stdio: ['pipe', 'ignore', 'ignore'] },
  );
  watching.once('error', () => undefined);
  watching.unref();
  if (watching.stdin instanceof Socket) watching.stdin.unref();
  return () => watching.kill('SIGKILL');
}

/** Ends a process, and after five seconds for good. */
async function ended(server: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (server.pid === undefined || server.exitCode !== null || server.signalCode !== null) return;
  const exited = new Promise((resolve) => server.once('exit', resolve));
  server.kill(signal);
  const forced = setTimeout(() => server.kill('SIGKILL'), 5_000);
  await exited;
  clearTimeout(forced);
}

function printed(server: ChildProcess, command: string, expected: string): Promise<void> {
  return new Promise((resolve, reject) => {
    let output = '';
    server.stderr?.on('data', (text: Buffer) => {
      if (output.length < 10_000) output += text.toString();
      if (output.includes(expected)) resolve();
    });
    server.once('error', reject);
    server.once('exit', (code) => reject(new Error(`${command} ended with ${code} before it was ready:\n${output}`)));
  });
}
