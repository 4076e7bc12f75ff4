import { inject } from 'vitest';
import { traitsOf } from './circumstances.js';
import { openLaboratory, type Laboratory } from './laboratory.js';
import { openMariadbLaboratory } from './mariadb-laboratory.js';
import type { Scenario } from './perform.js';
import { pgbouncerIsInstalled, startPgbouncer } from './servers/pgbouncer.js';
import { openTap } from './tap.js';

/** The laboratories that examples are run in. */
export interface Laboratories {
  readonly postgres: Laboratory;
  /** The one for an example, or why there is none. */
  for(code: string, scenario: Scenario): Laboratory | string;
  close(): Promise<void>;
}

export async function openLaboratories(): Promise<Laboratories> {
  const [postgres, mariadb] = await Promise.all([openLaboratory(), openMariadbLaboratory()]);
  const pooler = pgbouncerIsInstalled() ? await startPgbouncer(inject('servers').postgres, 'transaction') : null;
  // What the examples connect to is the pooler; what is looked at is the server behind it.
  const pooled = pooler && { ...postgres, openTap: (ended: Parameters<Laboratory['openTap']>[0]) => openTap(pooler, ended) };
  return {
    postgres,
    for(code, scenario) {
      if (traitsOf(code).isMysql) return mariadb ?? 'MariaDB is not installed';
      if (scenario.pooler) return pooled ?? 'PgBouncer is not installed';
      return postgres;
    },
    async close() {
      await Promise.all([postgres.close(), mariadb?.close()]);
      await pooler?.stop();
    },
  };
}
