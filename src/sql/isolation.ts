import type { IsolationLevel, SessionOperation, SqlRange } from './model.js';

const LEVELS: readonly IsolationLevel[] = ['read uncommitted', 'read committed', 'repeatable read', 'serializable'];

/** The isolation level of that name, in any case; null for what is no such name. */
export function isolationLevel(name: string | null): IsolationLevel | null {
  const folded = name?.trim().toLowerCase();
  return LEVELS.find((level) => level === folded) ?? null;
}

/** The isolation level as a setting: `transaction_isolation` and `default_transaction_isolation`; null for other settings. */
export function isolationOperation(
  setting: string,
  value: string | null,
  statement: number,
  range: SqlRange,
): SessionOperation | null {
  if (setting !== 'transaction_isolation' && setting !== 'default_transaction_isolation') return null;
  const session = setting === 'default_transaction_isolation';
  return { kind: 'set-isolation', isolation: isolationLevel(value), session, statement, range };
}
