import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { installedProgram } from './installed.js';
import { type RunningServer, freePort, launch, newPremises } from './server-process.js';

/** When a client's server connection goes back to the pool: after its session, transaction or statement. */
export type PoolMode = 'session' | 'transaction' | 'statement';

/** Whether Debian's package `pgbouncer`, or another, has put the program on this machine. */
export const pgbouncerIsInstalled = (): boolean => installedProgram('pgbouncer') !== undefined;

/**
 * Starts a PgBouncer with two server connections per database in front of a PostgreSQL server. Every client becomes the user
 * `postgres`, whatever it calls itself.
 * @param settings further lines of the section `[pgbouncer]` of its configuration
 * @throws when PgBouncer is not installed or does not come up
 */
export async function startPgbouncer(
  postgres: Pick<RunningServer, 'host' | 'port'>,
  mode: PoolMode,
  settings: Readonly<Record<string, string>> = {},
): Promise<RunningServer> {
  const command = installedProgram('pgbouncer');
  if (!command) throw new Error('pgbouncer is not installed (apt-get install pgbouncer)');
  const premises = newPremises('pgbouncer');
  const port = await freePort();
  const options = {
    listen_addr: '127.0.0.1',
    listen_port: String(port),
    unix_socket_dir: '',
    auth_type: 'any',
    pool_mode: mode,
    default_pool_size: '2',
    ignore_startup_parameters: 'extra_float_digits,options',
    ...settings,
  };
  const configuration = join(premises.folder, 'pgbouncer.ini');
  writeFileSync(
    configuration,
    [
      '[databases]',
      `* = host=${postgres.host} port=${postgres.port} user=postgres`,
      '[pgbouncer]',
      ...Object.entries(options).map(([name, value]) => `${name} = ${value}`),
      '',
    ].join('\n'),
  );
  return launch({
    command,
    arguments: [configuration],
    premises,
    port,
    readyWhenPrinted: 'process up',
    // It keeps nothing, and what its gentler signals mean depends on its version.
    signal: 'SIGKILL',
  });
}
