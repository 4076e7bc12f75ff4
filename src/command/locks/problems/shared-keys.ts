import type { LockSite, Problem } from '../model.js';
import { keyOf } from '../rows.js';
import { isKnown, mayBeEqual, wordsOf } from '../terms.js';
import { isJudged, maySeeEachOther } from './judged.js';
import { differentPurposes, originOf, type Purpose } from './purposes.js';

/** One number that is the key of two things: they exclude each other for no reason. */
export function sharedKeys(sites: readonly LockSite[], lockIdsOf: (key: string) => readonly string[]): readonly Problem[] {
  const byKey = new Map<string, Purpose[]>();
  for (const site of sites) {
    const key = keyOf(site);
    const origin = originOf(site.key.at(-1));
    if (key.kind !== 'value' || !origin || !isAcquire(site) || !isJudged(site)) continue;
    byKey.set(key.identity, [...(byKey.get(key.identity) ?? []), { origin, site }]);
  }
  return [...byKey].flatMap(([identity, candidates]): Problem[] => {
    const purposes = inOneDatabase(differentPurposes(candidates));
    const [first] = purposes;
    if (!first || purposes.length < 2) return [];
    return [
      {
        kind: 'shared-key',
        message: `The key ${keyOf(first.site).text} is used for ${purposes.length} purposes (${listed(purposes)}), which then wait for each other. Give each its own key; if they are meant to be one lock, let them share one constant.`,
        places: purposes.map(({ site, origin }) => ({ ...site.place, text: `takes it as ${nameOf(origin.name)}` })),
        locks: lockIdsOf(identity),
        cycle: [],
      },
    ];
  });
}

/** One class id, the first of two arguments, in two features whose second arguments may meet. */
export function sharedClasses(sites: readonly LockSite[], lockIdsOf: (key: string) => readonly string[]): readonly Problem[] {
  const byClass = new Map<string, Purpose[]>();
  for (const site of sites) {
    const [namespace, object] = site.key;
    const origin = originOf(namespace);
    if (!namespace || !object || !origin || !isAcquire(site) || !isJudged(site)) continue;
    const key = JSON.stringify([site.database.package, wordsOf(namespace)]);
    byClass.set(key, [...(byClass.get(key) ?? []), { origin, site }]);
  }
  return [...byClass.values()].flatMap((candidates): Problem[] => {
    const purposes = inOneDatabase(differentPurposes(candidates));
    const [first] = purposes;
    const mayMeet = purposes.some((one, index) => purposes.slice(index + 1).some((other) => mayBeOneKey(one.site, other.site)));
    if (!first || !mayMeet) return [];
    return [
      {
        kind: 'shared-class',
        message: `The class id ${wordsOf(first.site.key[0] ?? { is: 'record', properties: {} })} is used by ${purposes.length} features (${listed(purposes)}): equal ids in both are one lock. Give each feature its own class id, in a constant that they share.`,
        places: purposes.map(({ site, origin }) => ({ ...site.place, text: `takes (${site.key.map(wordsOf).join(', ')}), the class as ${nameOf(origin.name)}` })),
        locks: purposes.flatMap(({ site }) => lockIdsOf(keyOf(site).identity)),
        cycle: [],
      },
    ];
  });
}

/** The second arguments can be equal, and are not both written out: equal ones that are make one key for two purposes. */
function mayBeOneKey(one: LockSite, other: LockSite): boolean {
  const [a, b] = [one.key[1], other.key[1]];
  return a !== undefined && b !== undefined && !(isKnown(a) && isKnown(b)) && mayBeEqual(a, b);
}

/** Those that can meet the first one. */
function inOneDatabase(purposes: readonly Purpose[]): readonly Purpose[] {
  const [first] = purposes;
  return purposes.filter(({ site }) => first && maySeeEachOther(first.site.database, site.database));
}

const isAcquire = ({ action }: LockSite): boolean => action === 'acquire' || action === 'try';

const nameOf = (name: string | null): string => name ?? 'a plain number';

const mostListed = 4;

function listed(purposes: readonly Purpose[]): string {
  const words = purposes.slice(0, mostListed).map(wordsFor);
  return [...words, ...(purposes.length > mostListed ? [`and ${purposes.length - mostListed} more`] : [])].join(', ');
}

const wordsFor = ({ origin, site }: Purpose): string => origin.name ?? site.ownerName ?? 'a plain number';
