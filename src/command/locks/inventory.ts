import { linked } from './linking.js';
import type { FileLocks, Inventory, LockKey, OrderGraph, Problem } from './model.js';
import { mixedForms } from './problems/mixed-forms.js';
import { neverReleased } from './problems/never-released.js';
import { orderCycles } from './problems/order-cycles.js';
import { sharedClasses, sharedKeys } from './problems/shared-keys.js';
import { keyOf, locksOf } from './rows.js';

/** What the files of a project say together. `isWhole`: none of them was left out, so that what is not seen is not there. */
export function inventoryOf(files: readonly FileLocks[], isWhole: boolean): Inventory {
  const { sites, edges } = linked(files);
  const locks = locksOf(sites);
  const lockIdsOf = (key: string): readonly string[] => locks.filter((lock) => lock.key.identity === key).map(({ id }) => id);

  const keys = new Map<string, LockKey>(sites.map(keyOf).map((key) => [key.identity, key]));
  for (const { key } of locks) keys.set(key.identity, key);
  const identities = [...new Set(edges.flatMap(({ from, to }) => [from, to]))].sort();
  const nodes = identities.map((identity) => ({ identity, text: keys.get(identity)?.text ?? '…', names: keys.get(identity)?.names ?? [] }));
  const order: OrderGraph = { nodes, edges: [...edges].sort((one, other) => (placeKey(one.place) < placeKey(other.place) ? -1 : 1)) };

  const problems = [
    ...orderCycles(order, lockIdsOf),
    ...sharedKeys(sites, lockIdsOf),
    ...sharedClasses(sites, lockIdsOf),
    ...mixedForms(sites, lockIdsOf),
    ...(isWhole ? neverReleased(locks, sites, files) : []),
  ];
  return { locks, order, problems: problems.map(withEachLockOnce) };
}

const withEachLockOnce = (problem: Problem): Problem => ({ ...problem, locks: [...new Set(problem.locks)] });

const placeKey = ({ path, line }: { readonly path: string; readonly line: number }): string => `${path}:${String(line).padStart(7, '0')}`;
