import type { Query } from '../facts/query.js';
import type { FunctionState, HeldLock } from '../state/model.js';
import type { FactWords } from './fact-words.js';

/** What the paths through the function say of a statement: transaction, locks held, how they are lost. */
export function pathWords(query: Query, states: readonly FunctionState[], words: FactWords): readonly string[] {
  const { place } = words;
  const isOf = (held: HeldLock): boolean => held.lock.query === query;
  return states.flatMap((state) => [
    ...(state.kind === 'unknown' ? ['the function is too large to follow its paths'] : []),
    ...state.acquires
      .filter(({ held }) => isOf(held))
      .flatMap(({ held, transaction, lockTimeout, others, stacked, inLoop }) => [
        `taken ${held.certain ? 'for certain' : 'perhaps'}; transaction: ${transaction}; lock_timeout before: ${lockTimeout}${inLoop ? '; in a loop' : ''}`,
        ...(others.length > 0 ? [`other locks held then: ${others.map(({ lock }) => `${lock.operation.name} (${place(lock.query.node)})`).join(', ')}`] : []),
        ...(stacked ? [`held already, by ${stacked.by}: ${place(stacked.held.call)}`] : []),
      ]),
    ...state.releases
      .filter(({ lock }) => lock.query === query)
      .flatMap(({ releases, transaction, mismatch }) => [
        releases.length > 0 ? `releases what was taken at ${releases.map(({ call }) => place(call)).join(', ')}; transaction: ${transaction}` : 'releases nothing that is seen to be held',
        ...(mismatch ? [`does not match: ${mismatch.kind} (${place(mismatch.held.call)})`] : []),
      ]),
    ...state.leaks.filter(({ held }) => isOf(held)).map(({ exit, node, cause, owned, handedOver }) => `still held at the ${exit} at ${place(node)}: ${cause.kind}${owned ? '' : '; the connection is not this function’s own'}${handedOver ? '; handed over' : ''}`),
    ...state.giveBacksWhileHeld.filter(({ held }) => isOf(held)).map(({ node, why }) => `given back while held at ${place(node)}: ${why}`),
    ...state.poolUsesWhileHeld.filter(({ held }) => isOf(held)).map(({ node }) => `the pool is asked for another connection meanwhile at ${place(node)}`),
    ...state.transactionEndsEarly.filter(({ held }) => isOf(held)).map(({ node, how }) => `its transaction ends early at ${place(node)}: ${how}`),
    ...state.statementsWhileHeld.filter((sent) => sent.query === query && sent.held.lock.query !== query).map(({ held, onHolder }) => `sent while ${held.lock.operation.name} (${place(held.call)}) is held; on its connection: ${onHolder}`),
  ]);
}
