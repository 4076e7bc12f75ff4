import type { TestProject } from 'vitest/node';
import { mariadbIsInstalled, startMariadb } from './servers/mariadb.js';
import { pgbouncerIsInstalled } from './servers/pgbouncer.js';
import { startPostgres } from './servers/postgres.js';

/** Where a server of the laboratory listens. */
export interface Address {
  readonly host: string;
  readonly port: number;
}

declare module 'vitest' {
  export interface ProvidedContext {
    /** The servers that all tests of a run share. MariaDB is null where it is not installed. */
    servers: { readonly postgres: Address; readonly mariadb: Address | null };
  }
}

/** Starts the servers that all tests of a run share, and ends them after it. */
export default async function startSharedServers(project: TestProject): Promise<() => Promise<void>> {
  const missing = [
    ...(pgbouncerIsInstalled() ? [] : ['pgbouncer']),
    ...(mariadbIsInstalled() ? [] : ['mariadb-server']),
  ];
  for (const name of missing) {
    process.stderr.write(`Tests are skipped, because ${name} is not installed (apt-get install ${name}).\n`);
  }
  const postgres = await startPostgres();
  const mariadb = mariadbIsInstalled() ? await startMariadb() : null;
  project.provide('servers', {
    postgres: { host: postgres.host, port: postgres.port },
    mariadb: mariadb && { host: mariadb.host, port: mariadb.port },
  });
  return async () => {
    await Promise.all([postgres.stop(), mariadb?.stop()]);
  };
}
