import type { TSESTree } from '@typescript-eslint/utils';
import { events } from '../src/facts/events.js';
import { iterationOrder, type Iteration } from '../src/facts/iteration-order.js';
import { queries, type QueryLock } from '../src/facts/queries.js';
import { takesRowsUnordered } from '../src/facts/row-order.js';
import { lineOf, lockRange } from '../src/point.js';
import { createRule } from '../src/rule.js';
import { isInside, unwrap, unwrappedParent } from '../src/source/ast.js';
import { dottedName } from '../src/source/mutations.js';
import { heldLocks } from '../src/state/held-locks.js';
import { areOpposite, placeOf, type LockPair } from '../src/state/lock-pairs.js';
import type { Acquire, FunctionState, HeldLock } from '../src/state/model.js';

const longestList = 40;

export default createRule({
  name: 'consistent-lock-order',
  summary: 'Require several blocking locks to be taken in one order',
  tier: 'strict',
  messages: {
    rows: '`{{fn}}` waits for the lock of one row after another, in whatever order the rows come: two sessions that meet in opposite order deadlock. Add ORDER BY on the key at the level of the lock.',
    list: '`{{fn}}` waits for one lock after another in the order of `{{list}}`, which is not sorted here: two callers with opposite orders deadlock. Sort the keys before the loop.',
    together:
      '`{{fn}}` and the lock of line {{other}} are asked for at the same time on two connections: which is granted first is chance, so two callers can deadlock. Wait for one, then for the other.',
    opposite:
      '`{{fn}}` waits for this lock while holding that of line {{held}}; line {{other}} takes the two in the opposite order, so two sessions can deadlock. Take both locks in one order everywhere.',
    upgrade:
      '`{{fn}}` waits for the exclusive lock while holding the shared one of line {{held}}: two sessions that both hold it wait for each other. Take the exclusive lock at once.',
  },
  requires: [queries, heldLocks, events, iterationOrder],
  *check([statements, functions, { keys, backends }, order], _options, { text }) {
    for (const query of statements) {
      if (query.sent === 'never') continue;
      for (const lock of query.locks) {
        if (isBlocking(lock) && takesRowsUnordered(lock, order.isOrdered)) {
          yield { node: query.node, range: lockRange(lock), messageId: 'rows', data: { fn: lock.operation.name } };
        }
      }
    }
    const seen: LockPair[] = [];
    for (const state of functions) {
      const acquires = [...state.acquires, ...state.helperAcquires]
        .filter(({ held, query }) => isBlocking(held.lock) && query.sent !== 'never')
        .sort((a, b) => a.held.call.range[0] - b.held.call.range[0]);
      for (const [index, acquire] of acquires.entries()) {
        const { held } = acquire;
        const node = placeOf(held);
        const data = { fn: held.lock.operation.name };
        const iteration = isKept(held, state) ? order.unsortedAround(held.call, held.key) : null;
        if (iteration && pilesUp(acquire, iteration, state)) {
          yield { node, messageId: 'list', data: { ...data, list: text.slice(...iteration.list.range).slice(0, longestList) } };
        }
        const other = acquires.slice(0, index).find((before) => areSentTogether(before, acquire) && backends.relation(before.held.handle, held.handle) === 'different');
        if (other && keys.sameKey(other.held.key, held.key) !== 'same') yield { node, messageId: 'together', data: { ...data, other: lineOf(placeOf(other.held)) } };
        // What one call of a helper takes is the helper's own order.
        const others = acquire.others.filter(({ call }) => call !== held.call || held.helper === null);
        const upgraded = others.find((first) => keys.sameKey(first.key, held.key) === 'same' && isUpgrade(first, held) && backends.relation(first.handle, held.handle) === 'same');
        if (upgraded) yield { node, messageId: 'upgrade', data: { ...data, held: lineOf(placeOf(upgraded)) } };
        const pairs = others.map((first): LockPair => ({ first, then: acquire }));
        const conflicts = pairs.flatMap((pair) => {
          const reverse = seen.find((before) => areOpposite(before, pair, keys, backends));
          return reverse ? [{ pair, reverse }] : [];
        });
        const [conflict] = conflicts;
        if (conflict) {
          yield { node, messageId: 'opposite', data: { ...data, held: lineOf(placeOf(conflict.pair.first)), other: lineOf(placeOf(conflict.reverse.then.held)) } };
        }
        seen.push(...pairs);
      }
    }
  },
});

const isBlocking = ({ operation }: QueryLock): boolean => operation.action === 'acquire';

const isUpgrade = (first: HeldLock, then: HeldLock): boolean => first.lock.operation.mode === 'shared' && then.lock.operation.mode === 'exclusive';

/** Only on one session do locks pile up; what is known of a handle's role decides. */
const isKept = ({ handle }: HeldLock, { kind }: FunctionState): boolean => kind === 'solved' && (handle.role === 'connection' || handle.role === 'transaction');

/** What a round of the loop takes is still held in the next one. */
function pilesUp({ held, transaction, transactionOpenedBy }: Acquire, { loop }: Iteration, { releases }: FunctionState): boolean {
  const { created, lifetime } = held.handle;
  // Every round, or every call of a helper in it, has a connection of its own.
  const rounds = [loop, ...held.key.frames.map((frame) => frame.function)];
  if (rounds.some((round) => (created && isInside(created, round)) || (lifetime && isInside(lifetime, round)))) return false;
  if (held.lock.operation.level === 'session') return !releases.some(({ call }) => isInside(call, loop));
  return transaction !== 'none' && transaction !== 'implicit' && !(transactionOpenedBy && isInside(transactionOpenedBy, loop));
}

/** Both are elements of one `Promise.all`, and nothing frees a lock in between. */
function areSentTogether(one: Acquire, other: Acquire): boolean {
  const list = listAround(one.held.call);
  return list !== null && list === listAround(other.held.call) && [one, other].every(({ held, transaction }) => held.lock.operation.level === 'session' || transaction === 'open');
}

function listAround(call: TSESTree.Node): TSESTree.Node | null {
  const { parent: list } = unwrappedParent(call);
  const outer = list?.type === 'ArrayExpression' ? unwrappedParent(list).parent : null;
  return outer?.type === 'CallExpression' && ['Promise.all', 'Promise.allSettled'].includes(dottedName(unwrap(outer.callee)) ?? '') ? (list ?? null) : null;
}
