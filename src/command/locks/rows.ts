import type { Lock, LockKey, LockSite, LockUse } from './model.js';
import { identityOf, isKnown, isPartlyKnown, originsIn, patternOf, wordsOf, writtenIdentityOf } from './terms.js';

/** The key as a row of the table has it. Keys that are wholly computed are equal only where they are written alike in one function. */
export function keyOf({ key, dialect, database }: Pick<LockUse, 'key' | 'dialect' | 'database'>): LockKey {
  const kind = key.every(isKnown) && key.length > 0 ? 'value' : key.some(isPartlyKnown) ? 'namespace' : 'computed';
  const names = [...new Set(key.flatMap(originsIn).flatMap(({ name }) => name ?? []))];
  const ignoresCase = dialect === 'mysql';
  const identity = kind === 'computed' ? key.map(writtenIdentityOf) : key.map((term) => identityOf(term, ignoresCase));
  return {
    text: key.map(kind === 'namespace' ? patternOf : wordsOf).join(', ') || 'all',
    kind,
    names,
    identity: JSON.stringify([database.package, dialect, kind === 'computed' ? 'written' : 'value', ...identity]),
  };
}

/** One row for each key, level and mode, in the order of their first places. */
export function locksOf(sites: readonly LockSite[]): readonly Lock[] {
  const rows = new Map<string, LockSite[]>();
  for (const site of sites) {
    const identity = JSON.stringify([keyOf(site).identity, site.level, site.mode]);
    const row = rows.get(identity);
    if (row) row.push(site);
    else rows.set(identity, [site]);
  }
  return [...rows.values()].flatMap((row): Omit<Lock, 'id'>[] => {
    const [first] = row;
    if (!first) return [];
    const names = new Set(row.flatMap((site) => keyOf(site).names));
    return [
      {
        key: { ...keyOf(first), names: [...names] },
        dialect: first.dialect,
        level: first.level,
        mode: first.mode,
        acquires: sorted(row.filter(({ action }) => action === 'acquire' || action === 'try')),
        releases: sorted(row.filter(({ action }) => action === 'release' || action === 'release-all')),
      },
    ];
  }).sort(byKindAndKey).map((lock, index) => ({ id: `L${index + 1}`, ...lock }));
}

const kinds: readonly LockKey['kind'][] = ['value', 'namespace', 'computed'];

const collator = new Intl.Collator('en', { numeric: true });

function byKindAndKey(one: Omit<Lock, 'id'>, other: Omit<Lock, 'id'>): number {
  return kinds.indexOf(one.key.kind) - kinds.indexOf(other.key.kind) || collator.compare(one.key.text, other.key.text) || collator.compare(one.key.identity, other.key.identity) || collator.compare(one.level + one.mode, other.level + other.mode);
}

/** By place; a site that two ways lead to is one. */
function sorted(sites: readonly LockSite[]): readonly LockSite[] {
  const byPlace = new Map(sites.map((site) => [`${site.place.path}:${String(site.place.line).padStart(7, '0')}:${site.place.column} ${site.action}`, site]));
  return [...byPlace].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, site]) => site);
}
