import type { LockSite, Problem } from '../model.js';
import { keyOf } from '../rows.js';
import { identityOf, isKnown, wordsOf } from '../terms.js';
import { isJudged } from './judged.js';
import { nameOfKey } from './order-cycles.js';
import { originOf } from './purposes.js';

/**
 * One constant as the key of the one-argument form here and in the two-argument form there. The two are separate key spaces
 * (PostgreSQL manual, 9.28.10), so the locks never meet. Code that takes both on purpose, a lock of the whole and then one of
 * a part, takes them in one function.
 */
export function mixedForms(sites: readonly LockSite[], lockIdsOf: (key: string) => readonly string[]): readonly Problem[] {
  const single = new Map<string, LockSite[]>();
  const double = new Map<string, LockSite[]>();
  for (const site of sites) {
    if (site.dialect !== 'postgres' || !isJudged(site)) continue;
    const into = site.key.length === 1 ? single : double;
    for (const thing of thingsIn(site)) into.set(thing, [...(into.get(thing) ?? []), site]);
  }
  return [...single].flatMap(([thing, alone]): Problem[] => {
    const paired = double.get(thing) ?? [];
    const [one] = alone;
    const [other] = paired;
    const isOnPurpose = alone.some(({ owner }) => paired.some((site) => site.owner === owner));
    if (!one || !other || isOnPurpose) return [];
    const key = keyOf(one);
    return [
      {
        kind: 'mixed-forms',
        message: `${nameOfKey(key)} is locked with one argument here and with two there: these are separate key spaces, so neither lock keeps the other out. Use one form for one thing.`,
        places: [one, other].map((site) => ({ ...site.place, text: `${site.sql}(${site.key.map(wordsOf).join(', ')})` })),
        locks: [one, other].flatMap((site) => lockIdsOf(keyOf(site).identity)),
        cycle: [],
      },
    ];
  });
}

/** What the key is about: the constants that have a name, and texts, which are the same wherever they are written. */
function thingsIn({ key, database }: LockSite): readonly string[] {
  const constants = key.flatMap((term) => {
    const origin = originOf(term);
    return origin?.name ? [`constant ${origin.id}`] : [];
  });
  const [first] = key;
  const text = first && isKnown(first) && !originOf(first) ? [`text ${database.package} ${identityOf(first, false)}`] : [];
  return [...constants, ...text];
}
