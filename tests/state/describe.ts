import type { TSESTree } from '@typescript-eslint/utils';
import { resultOf } from '../../src/pass.js';
import { heldLocks } from '../../src/state/held-locks.js';
import type { FunctionState, HeldLock } from '../../src/state/model.js';
import { unitFor, type HarnessOptions } from '../harness.js';

const line = (node: TSESTree.Node): number => node.loc.start.line;
const at = (held: HeldLock): string => `${held.lock.operation.name}@${line(held.lock.query.node)}`;

export function stateOf(code: string, options: HarnessOptions = {}): readonly FunctionState[] {
  return resultOf(heldLocks, unitFor(code, options));
}

/** Nobody can call these lost: the connection has another owner now, or comes from outside and is to stay locked. */
const isSomebodyElses = ({ owned, handedOver, held }: FunctionState['leaks'][number]): boolean => handedOver || (!owned && held.unlocks.length === 0);

/** Locks that are still held at an exit when somebody else owns the connection. */
export function handedOver(code: string): readonly string[] {
  return stateOf(code).flatMap((state) => state.leaks.filter((leak) => leak.handedOver).map(({ held, exit, node }) => `${at(held)} ${exit}@${line(node)}`));
}

/** How locks and connections are lost, one line each; line numbers count from 1. */
export function losses(code: string, options: HarnessOptions = {}): readonly string[] {
  return stateOf(code, options).flatMap((state) => [
    ...(state.kind === 'unknown' ? ['unknown'] : []),
    ...state.leaks.filter((leak) => !isSomebodyElses(leak)).map(({ held, exit, node, cause, owned }) => `leak ${at(held)} ${exit}@${line(node)} ${cause.kind}${owned ? '' : ' not-owned'}${held.unlocks.length > 0 ? '' : ' no-unlock'}`),
    // Whether a rejected acquire is a finding depends on a limit, which is the rule's business.
    ...state.connectionLeaks.filter(({ because }) => because === 'refused' || code.includes('timeout')).map(({ held, because, exit, node }) => `connection ${at(held)} ${because} ${exit}@${line(node)}`),
    ...state.giveBacksWhileHeld.map(({ held, node, why, how }) => `give-back ${at(held)} ${why} ${how}@${line(node)}`),
    ...state.releases.flatMap(({ mismatch, call }) => (mismatch ? [`mismatch ${mismatch.kind} ${at(mismatch.held)} @${line(call)}`] : [])),
    ...state.acquires.flatMap(({ held, stacked }) => (stacked ? [`stacked ${at(held)} ${stacked.by}`] : [])),
    ...state.transactionEndsEarly.map(({ held, node, how }) => `early ${at(held)} ${how} @${line(node)}`),
    ...state.fallThroughs.map(({ held, node }) => `falls-through ${at(held)} @${line(node)}`),
  ]);
}

/** What is so at acquires and releases, and what runs under locks. */
export function facts(code: string, options: HarnessOptions = {}): readonly string[] {
  return stateOf(code, options).flatMap((state) => [
    ...state.acquires.map(({ held, transaction, others, lockTimeout }) => `acquire ${at(held)} tx:${transaction} timeout:${lockTimeout}${others.length > 0 ? ` with:${others.map(at).join()}` : ''}`),
    ...state.releases.map(({ lock, call, releases, transaction, mayBeAborted }) => `release ${lock.operation.name}@${line(call)} of:${releases.map(at).join()} tx:${transaction}${mayBeAborted ? ' aborted?' : ''}`),
    ...state.poolUsesWhileHeld.map(({ held, node }) => `pool-use @${line(node)} under ${at(held)}`),
    ...state.statementsWhileHeld.map(({ held, node, onHolder }) => `statement @${line(node)} under ${at(held)} on-holder:${onHolder}`),
    ...state.workWhileHeld.filter(({ transactional }) => transactional).map(({ held, node }) => `transactional-work @${line(node)} under ${at(held)}`),
  ]);
}
