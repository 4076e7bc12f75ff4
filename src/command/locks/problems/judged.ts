import { basename } from 'node:path';
import type { Database, LockSite } from '../model.js';

/** In tests keys serve to find out about locks; migrations are frozen, each with all it needs in it. */
const unjudgedFolder = /(?:^|\/)(?:tests?|__tests__|__mocks__|specs?|e2e|fixtures|migrations?)\//i;
const testFile = /[._-](?:test|spec|e2e)\.\w+$/i;

/**
 * Is the place one that states what its key is for? Tests take the locks of the code they test, and migrations and `.sql`
 * files share no constants with anybody.
 */
export function isJudged(site: LockSite): boolean {
  const { path } = site.place;
  const inside = (path.startsWith(site.database.package) ? path.slice(site.database.package.length) : path).replaceAll('\\', '/');
  return !site.inSqlFile && !unjudgedFolder.test(inside) && !testFile.test(basename(path));
}

/** Locks of two databases never meet. */
export const maySeeEachOther = (one: Database, other: Database): boolean =>
  one.package === other.package && (one.address === null || other.address === null || one.address === other.address);
