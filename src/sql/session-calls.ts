import type { FuncCall } from '@pgsql/types';

import { isolationOperation } from './isolation.js';
import type { SessionOperation, SqlRange } from './model.js';
import { functionName, literalIn, literalText } from './parse-tree.js';
import { isKnownText } from './unknown-text.js';

/**
 * What a function call does to the session: set_config, or pg_terminate_backend on the own backend; null for any other.
 * A set_config whose third argument is no literal counts as one for the session.
 */
export function sessionCallOf(call: FuncCall, statement: number, range: SqlRange): SessionOperation | null {
  const [first, second, third] = call.args ?? [];
  switch (functionName(call)) {
    case 'set_config': {
      const name = literalIn(first);
      if (name?.kind !== 'string' || !isKnownText(name.value)) return null;
      const value = literalText(second);
      const isLocal = literalIn(third);
      const local =
        (isLocal?.kind === 'boolean' && isLocal.value) ||
        (isLocal?.kind === 'string' && /^\s*(?:t(?:r(?:u(?:e)?)?)?|y(?:e(?:s)?)?|on|1)\s*$/i.test(isLocal.value));
      const setting = name.value.toLowerCase();
      return (
        isolationOperation(setting, value, statement, range) ?? {
          kind: 'set',
          name: setting,
          value,
          local,
          through: 'set_config',
          statement,
          range,
        }
      );
    }
    case 'pg_terminate_backend':
      return first && 'FuncCall' in first && functionName(first.FuncCall) === 'pg_backend_pid'
        ? { kind: 'terminate-self', statement, range }
        : null;
    default:
      return null;
  }
}
