import { poolers, type PoolerEvidence } from '../src/facts/poolers.js';
import { queries } from '../src/facts/queries.js';
import { lineOf } from '../src/point.js';
import { createRule } from '../src/rule.js';

const cure = 'Take a transaction-level lock inside a transaction, or connect to the server directly.';

export default createRule({
  name: 'no-session-lock',
  summary: 'Disallow session locks behind a transaction pooler',
  tier: 'all',
  messages: {
    setting: `\`{{fn}}\` is a session lock, and this project connects through a transaction pooler (\`settings\`): the next statement may run in another session, which does not hold it. ${cure}`,
    port: `\`{{fn}}\` is a session lock, and port {{text}} on line {{line}} is that of a transaction pooler: the next statement may run in another session, which does not hold it. ${cure}`,
    parameter: `\`{{fn}}\` is a session lock, and \`{{text}}\` on line {{line}} says that a transaction pooler stands between: the next statement may run in another session, which does not hold it. ${cure}`,
    host: `\`{{fn}}\` is a session lock, and \`{{text}}\` on line {{line}} is a transaction pooler: the next statement may run in another session, which does not hold it. ${cure}`,
    http: `\`{{fn}}\` is a session lock, and {{driver}} sends every statement as a request of its own: the next statement runs in another session, which does not hold it. ${cure}`,
    library: `\`{{fn}}\` is a session lock, and the pools of {{driver}} connect through a transaction pooler: the next statement may run in another session, which does not hold it. ${cure}`,
  },
  requires: [queries, poolers],
  *check([statements, poolersOfFile], _options, { settings }) {
    if (settings.pooler === 'none' || settings.pooler === 'session') return;
    for (const query of statements) {
      if (query.sent === 'never') continue;
      const lock = query.locks.find(
        ({ operation }) => operation.level === 'session' && operation.dialect === 'postgres' && (operation.action === 'acquire' || operation.action === 'try'),
      );
      if (!lock) continue;
      const evidence = poolersOfFile.evidenceFor(query.handle);
      const messageId = messageFor(evidence, settings.pooler === 'transaction');
      if (messageId === null) continue;
      yield {
        node: query.node,
        messageId,
        data: {
          fn: lock.operation.name,
          driver: query.driver.name,
          ...('node' in evidence && { text: evidence.text, line: lineOf(evidence.node) }),
        },
      };
    }
  },
});

function messageFor({ says }: PoolerEvidence, isSet: boolean) {
  switch (says) {
    case 'direct':
      return null;
    case 'nothing':
      return isSet ? 'setting' : null;
    default:
      return says;
  }
}
