import type { TSESTree } from '@typescript-eslint/utils';
import type { Backends } from '../facts/backends.js';
import type { Keys } from '../facts/keys.js';
import { isInside, unwrap } from '../source/ast.js';
import type { Acquire, HeldLock } from './model.js';

/** One lock is waited for while another one is held. */
export interface LockPair {
  readonly first: HeldLock;
  readonly then: Acquire;
}

/** Where the second lock of a pair is asked for, in the function whose pair it is: the statement, or the call of a helper. */
export const placeOf = ({ helper, call, lock }: HeldLock): TSESTree.Node => (helper ? call : lock.query.node);

/** Can two sessions that go through the pairs deadlock? For certain: by key, by mode, and with nothing that keeps them apart. */
export function areOpposite(one: LockPair, other: LockPair, keys: Keys, backends: Backends): boolean {
  const isSame = (a: HeldLock, b: HeldLock): boolean => keys.sameKey(a.key, b.key) === 'same' && areExclusive(a, b);
  if (!isSame(one.first, other.then.held) || !isSame(one.then.held, other.first)) return false;
  return !mayBeOtherDatabases(one, other, backends) && !isGuarded(one, other, isSame) && !areChosenByComparison(one.then.held.call, other.then.held.call);
}

/** Two shared locks do not wait for each other. */
const areExclusive = (a: HeldLock, b: HeldLock): boolean => a.lock.operation.mode === 'exclusive' || b.lock.operation.mode === 'exclusive';

function mayBeOtherDatabases(one: LockPair, other: LockPair, backends: Backends): boolean {
  const [a, b] = [one.then.held.handle.pool, other.then.held.handle.pool];
  return a !== null && b !== null && backends.relation(a, b) === 'different';
}

/** A lock that both take before keeps the two apart. */
function isGuarded(one: LockPair, other: LockPair, isSame: (a: HeldLock, b: HeldLock) => boolean): boolean {
  const before = ({ first, then }: LockPair): readonly HeldLock[] => then.others.slice(0, Math.max(0, then.others.indexOf(first)));
  return before(one).some((guard) => before(other).some((candidate) => isSame(guard, candidate)));
}

/** `if (a < b) { … } else { … }` around both is a way to sort them. */
function areChosenByComparison(one: TSESTree.Node, other: TSESTree.Node): boolean {
  for (let node = one.parent; node; node = node.parent) {
    if (node.type === 'IfStatement' && isInside(other, node) && isComparison(node.test)) return true;
  }
  return false;
}

function isComparison(expression: TSESTree.Node): boolean {
  const test = unwrap(expression);
  return test.type === 'BinaryExpression' && ['<', '<=', '>', '>='].includes(test.operator);
}
