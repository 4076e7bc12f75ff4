import { abortsBefore } from '../src/facts/aborts.js';
import { queries } from '../src/facts/queries.js';
import { signals } from '../src/facts/signals.js';
import { createRule } from '../src/rule.js';

export default createRule({
  name: 'no-abortable-unlock',
  summary: 'Disallow an unlock that a cancelled request can prevent',
  tier: 'recommended',
  messages: {
    signal:
      '`{{fn}}` is sent with {{signal}}: once that is aborted, the unlock is never sent and the lock stays on the connection. Send the unlock without it, or with a fresh `AbortSignal.timeout(…)`.',
    ignoredSignal:
      '`{{fn}}` is given {{signal}}. {{driver}} ignores it today; a version that honours it would not send the unlock once the signal is aborted. Leave the signal out.',
    refusedSignal: '`{{fn}}` is given {{signal}} where {{driver}} takes none: the call fails, and the lock stays on the connection. Leave the signal out.',
    checked: '`{{fn}}` is skipped when {{signal}} is aborted, by the check on line {{line}}: the lock then stays on the connection. Unlock before the check, or without it.',
    raced: '`{{fn}}` runs in a race that an abort can win: the code goes on without knowing whether the lock is released. Await the unlock by itself.',
    removeSignal: 'Send the unlock without the signal.',
  },
  hasSuggestions: true,
  requires: [queries, signals, abortsBefore],
  *check([statements, signalsOfFile, aborts], _options, { text }) {
    for (const query of statements) {
      if (query.sent === 'never') continue;
      for (const lock of query.locks) {
        const { operation } = lock;
        if (operation.level !== 'session' || (operation.action !== 'release' && operation.action !== 'release-all')) continue;
        const fn = operation.name;
        const { signal } = query;
        if (signal && signalsOfFile.isForeign(signal.node, query.node)) {
          const removal = signalsOfFile.removal(query);
          yield {
            node: query.node,
            messageId: signal.refused ? 'refusedSignal' : signal.ignored ? 'ignoredSignal' : 'signal',
            data: { fn, signal: quoted(signal.node, text), driver: query.driver.name },
            suggestions: removal ? [{ messageId: 'removeSignal', edits: [removal] }] : [],
          };
          continue;
        }
        const check = aborts.checkBefore(query);
        if (check) {
          yield { node: query.node, messageId: 'checked', data: { fn, signal: quoted(check.signal, text), line: check.node.loc.start.line } };
        } else if (aborts.isRaced(query)) {
          yield { node: query.node, messageId: 'raced', data: { fn } };
        }
      }
    }
  },
});

const quoted = (node: { range: readonly [number, number] }, text: string): string => `\`${text.slice(node.range[0], node.range[1]).replace(/\s+/g, ' ').slice(0, 60)}\``;
