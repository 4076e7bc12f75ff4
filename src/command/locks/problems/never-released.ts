import type { FileLocks, Lock, LockSite, Problem, Term } from '../model.js';
import { keyOf } from '../rows.js';
import { mayBeEqual } from '../terms.js';
import { isJudged, maySeeEachOther } from './judged.js';
import { nameOfKey } from './order-cycles.js';

/**
 * Session locks that no code releases, on connections that a pool keeps: the lock stays for as long as the pool does. Silent
 * where an unlock with a computed key may be meant for it, where a text that unlocks may be sent by a call that is not
 * understood, and where the session may end.
 */
export function neverReleased(locks: readonly Lock[], sites: readonly LockSite[], files: readonly FileLocks[]): readonly Problem[] {
  const taken = new Set(sites.filter(({ action }) => action === 'acquire' || action === 'try').map(pairOf));
  // A helper that takes a lock of any key and releases it releases nothing else.
  const isOwnBusiness = (site: LockSite): boolean => keyOf(site).kind === 'computed' && site.action === 'release' && taken.has(pairOf(site));
  const releases = sites.filter((site) => (site.action === 'release' || site.action === 'release-all') && !isOwnBusiness(site));
  return locks.flatMap((lock): Problem[] => {
    const { acquires, level, key, id } = lock;
    if (level !== 'session' || key.kind !== 'value' || acquires.length === 0) return [];
    const isKept = acquires.every((site) => site.session === 'kept' && isJudged(site));
    const isReleased = acquires.some((site) => releases.some((release) => mayRelease(release, site)) || files.some((file) => mayBeReleasedIn(file, site)));
    if (!isKept || isReleased) return [];
    return [
      {
        kind: 'never-released',
        message: `No code releases the session lock ${nameOfKey(key)}, and its connection goes back to a pool with it: whoever asks for it next waits for ever. Release it on the same connection, or take a transaction lock.`,
        places: acquires.map((site) => ({ ...site.place, text: site.sql })),
        locks: [id],
        cycle: [],
      },
    ];
  });
}

/** The text has a place for a value, or all that the key is made of. */
function mayBeReleasedIn({ package: folder, unsentUnlocks }: FileLocks, { key, database }: LockSite): boolean {
  if (folder !== database.package) return false;
  return unsentUnlocks.some((text) => /[$?@]|:\w/.test(text) || key.flatMap(constantsIn).every((constant) => text.includes(constant)));
}

const constantsIn = (term: Term): readonly string[] => {
  if (term.is === 'constant') return [String(term.value)];
  return term.is === 'call' || term.is === 'text' ? term.parts.flatMap(constantsIn) : [];
};

const pairOf = (site: LockSite): string => JSON.stringify([site.owner, site.mode, keyOf(site).identity]);

function mayRelease(release: LockSite, acquire: LockSite): boolean {
  if (release.dialect !== acquire.dialect || !maySeeEachOther(release.database, acquire.database)) return false;
  if (release.action === 'release-all') return true;
  if (release.mode !== acquire.mode || release.key.length !== acquire.key.length) return false;
  return release.key.every((term, index) => mayBeEqual(term, acquire.key[index] ?? term));
}
