import type { QueryLock } from '../src/facts/queries.js';
import { isOwnSession } from '../src/facts/own-session.js';
import { lineOf } from '../src/point.js';
import { createRule } from '../src/rule.js';
import { heldLocks } from '../src/state/held-locks.js';
import type { Mismatch } from '../src/state/model.js';

export default createRule({
  name: 'no-mismatched-unlock',
  summary: 'Disallow an unlock that does not match the lock that was taken',
  tier: 'recommended',
  messages: {
    mode: '`{{unlock}}` does not release `{{fn}}` of line {{line}}, a lock in {{mode}} mode. Use `{{match}}`.',
    key: '`{{unlock}}` names another key than `{{fn}}` on line {{line}}, which stays held. Unlock the key that was locked.',
    form: '`{{unlock}}` has {{count}} and `{{fn}}` on line {{line}} has {{heldCount}}: these are separate key spaces, so the lock stays held. Call both in the same form.',
    keyArguments: 'The key of `{{unlock}}` is computed from other arguments than that of `{{fn}}` on line {{line}}, which stays held. Compute the key once, for both.',
    connection: '`{{unlock}}` runs on another connection than `{{fn}}` on line {{line}}, which stays held. Unlock on the connection that took the lock.',
    transactionLock: '`{{unlock}}` does not release `{{fn}}` of line {{line}}: it is held until its transaction ends, whatever is unlocked before. Drop the unlock.',
    refused: '`{{unlock}}` also runs where `{{fn}}` on line {{line}} was refused, and then releases nothing or what another caller holds. Unlock only where the lock was granted.',
    useMatch: 'Use `{{match}}`, which releases a lock in {{mode}} mode.',
  },
  hasSuggestions: true,
  requires: [heldLocks],
  *check([functions]) {
    for (const state of functions) {
      for (const { lock, mismatch, handle } of state.releases) {
        if (!mismatch || !isOwnSession(handle, state.unit) || !isOwnSession(mismatch.held.handle, state.unit)) continue;
        const { held, witness } = mismatch;
        // Where a polling loop falls through without the lock, the unlock behind it is the same defect.
        if (mismatch.kind === 'refused' && state.fallThroughs.some((fallThrough) => fallThrough.held === held)) continue;
        const { operation } = held.lock;
        const match = counterpart(lock);
        const data = {
          unlock: lock.operation.name,
          fn: operation.name,
          line: lineOf(held.lock.query.node),
          mode: operation.mode,
          match,
          count: countOf(lock),
          heldCount: countOf(held.lock),
        };
        const range = mismatch.kind === 'mode' ? lock.text.editable(lock.operation.nameRange.start, lock.operation.nameRange.end) : null;
        yield {
          node: lock.query.node,
          messageId: messages[mismatch.kind],
          data,
          witness,
          suggestions: range ? [{ messageId: 'useMatch', data, edits: [{ range, text: match }] }] : [],
        };
      }
    }
  },
});

const messages = {
  mode: 'mode',
  key: 'key',
  form: 'form',
  'key-arguments': 'keyArguments',
  connection: 'connection',
  'transaction-lock': 'transactionLock',
  refused: 'refused',
} as const satisfies Record<Mismatch['kind'], string>;

/** The unlock of the other mode. */
const counterpart = ({ operation: { name } }: QueryLock): string => (name.endsWith('_shared') ? name.slice(0, -'_shared'.length) : `${name}_shared`);

const countOf = ({ operation: { keys } }: QueryLock): string => (keys.length === 1 ? 'one argument' : 'two arguments');
