import { isOwnSession } from '../src/facts/own-session.js';
import { lineOf } from '../src/point.js';
import { createRule } from '../src/rule.js';
import { heldLocks } from '../src/state/held-locks.js';
import { isReleasedThroughPool, missedUnlocks } from '../src/state/missed-unlocks.js';
import type { GiveBackWhileHeld } from '../src/state/model.js';

export default createRule({
  name: 'no-release-while-locked',
  summary: 'Disallow giving a connection back to its pool while it holds a session lock',
  tier: 'recommended',
  messages: {
    noUnlock:
      '{{this}} gives the connection back with `{{fn}}` of line {{line}} on it, and nothing unlocks it: the next user of the connection has the lock, everybody else waits. Unlock before that, or destroy the connection.',
    beforeUnlock:
      '{{this}} gives the connection back with `{{fn}}` of line {{line}} on it, before the unlock on line {{unlockLine}}, which may then reach somebody else\'s session. Unlock before that.',
    swallowed:
      'If the unlock on line {{unlockLine}} fails, its rejection is swallowed, and {{that}} gives the connection back with `{{fn}}` of line {{line}} on it. Destroy the connection when the unlock fails.',
  },
  requires: [heldLocks],
  *check([functions]) {
    const missed = functions.flatMap((state) => missedUnlocks(state));
    for (const state of functions) {
      for (const back of state.giveBacksWhileHeld) {
        const { held, node, witness } = back;
        const messageId = messages[back.why];
        if (!messageId || !isOwnSession(held.handle, state.unit) || isReleasedThroughPool(held, state)) continue;
        // What unlocks on every path also gets rid of a handler that is there for the work.
        if (messageId === 'swallowed' && missed.some((leak) => leak.held.lock === held.lock)) continue;
        const { this: thisText, that } = wordsFor[back.how];
        const data = {
          fn: held.lock.operation.name,
          line: lineOf(held.lock.query.node),
          this: thisText,
          that,
          unlockLine: back.unlock ? lineOf(back.unlock.query.node) : 0,
        };
        yield { node, messageId, data, witness };
      }
    }
  },
});

/** A path that misses the unlock, and an unlock that cannot work, are what is wrong there; other rules say so. */
const messages = {
  'no-unlock': 'noUnlock',
  'before-unlock': 'beforeUnlock',
  'unlock-swallowed': 'swallowed',
  'path-misses-unlock': null,
  'unlock-never-sent': null,
  'unlock-mismatched': null,
} as const satisfies Record<GiveBackWhileHeld['why'], string | null>;

const wordsFor = {
  call: { this: 'This', that: 'this' },
  'callback-end': { this: 'The end of this callback', that: 'the end of this callback' },
  dispose: { this: 'The end of this block', that: 'the end of this block' },
} as const satisfies Record<GiveBackWhileHeld['how'], { this: string; that: string }>;
