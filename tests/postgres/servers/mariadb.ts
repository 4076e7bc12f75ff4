import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { installedProgram } from './installed.js';
import { type RunningServer, freePort, launch, newPremises } from './server-process.js';

/** Whether Debian's package `mariadb-server`, or another, has put the programs on this machine. */
export const mariadbIsInstalled = (): boolean =>
  installedProgram('mariadbd') !== undefined && installedProgram('mariadb-install-db') !== undefined;

/**
 * Starts a MariaDB server of its own in a new temporary folder and on a free port, with the user `root` without a password.
 * @throws when MariaDB is not installed or does not come up; the message ends with what it printed
 */
export async function startMariadb(): Promise<RunningServer> {
  const command = installedProgram('mariadbd');
  const install = installedProgram('mariadb-install-db');
  if (!command || !install) throw new Error('mariadb-server is not installed (apt-get install mariadb-server)');
  const premises = newPremises('mariadb');
  const { folder, account } = premises;

  const data = join(folder, 'data');
  const installed = spawnSync(
    install,
    ['--no-defaults', `--datadir=${data}`, '--auth-root-authentication-method=normal', '--skip-test-db'],
    { ...account, cwd: folder, encoding: 'utf8' },
  );
  if (installed.status !== 0) {
    premises.remove();
    throw new Error(`mariadb-install-db failed: ${installed.error?.message ?? ''}${installed.stdout}${installed.stderr}`);
  }

  const port = await freePort();
  return launch({
    command,
    arguments: [
      '--no-defaults',
      `--datadir=${data}`,
      `--socket=${join(folder, 'socket')}`,
      `--pid-file=${join(folder, 'pid')}`,
      '--bind-address=127.0.0.1',
      `--port=${port}`,
      '--skip-name-resolve',
      '--innodb-flush-log-at-trx-commit=0',
    ],
    premises,
    port,
    readyWhenPrinted: 'ready for connections',
    // The data go with it, so no orderly shutdown is needed.
    signal: 'SIGKILL',
  });
}
