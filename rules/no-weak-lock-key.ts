import { weakCount } from '../src/facts/key-arithmetic.js';
import { countOf, type KeyValue } from '../src/facts/key-domain.js';
import { queries, type QueryLock } from '../src/facts/queries.js';
import { sqlKeys } from '../src/facts/sql-keys.js';
import { createRule } from '../src/rule.js';
import type { Edit } from '../src/source/edit.js';
import type { SqlExpression } from '../src/sql/model.js';

export default createRule({
  name: 'no-weak-lock-key',
  summary: 'Disallow hashes of 32 bits or fewer as a whole lock key',
  tier: 'strict',
  messages: {
    hash: 'The key of `{{fn}}` is {{how}}, one of {{count}} values: unrelated keys collide and keep each other waiting. Use 64 bits, `hashtextextended(…, 0)` or a digest, or put a constant class id before it.',
    reduced: 'The key of `{{fn}}` is reduced with `{{how}}` to one of {{count}} values: unrelated keys collide and keep each other waiting. Use the whole value, or put a constant class id before it.',
    extend: 'Use `hashtextextended(…, 0)`, 64 bits, here and wherever this file locks the same key. While old versions still run during a deploy, old and new do not exclude each other.',
  },
  hasSuggestions: true,
  requires: [queries, sqlKeys],
  inSqlFiles: true,
  *check([statements, keys], _options, { text }) {
    const reported = new Set<unknown>();
    const locks = statements.flatMap((query) => query.locks);
    for (const query of statements) {
      // One call may send one of several texts, all with the same key.
      if (query.sent === 'never' || reported.has(query.node)) continue;
      for (const lock of query.locks) {
        const { operation } = lock;
        if (operation.dialect !== 'postgres' || (operation.action !== 'acquire' && operation.action !== 'try')) continue;
        const [key, ...others] = keys.argumentsOf(lock);
        const weakness = key && others.length === 0 ? weaknessOf(key.value) : null;
        if (!weakness) continue;
        reported.add(query.node);
        const edits = extensionOf(lock, locks, text);
        yield {
          node: query.node,
          messageId: weakness.isReduced ? 'reduced' : 'hash',
          data: { fn: operation.name, how: weakness.how, count: weakness.count },
          suggestions: edits ? [{ messageId: 'extend', edits }] : [],
        };
      }
    }
  },
});

function weaknessOf(value: KeyValue): { how: string; count: string; isReduced: boolean } | null {
  if (value.type === 'string') return value.numeric && weaknessOf(value.numeric);
  if (value.type !== 'number' && value.type !== 'bigint') return null;
  const count = countOf(value.type === 'number' ? { ...value, integrality: 'integer' } : value);
  if (!value.hash || !(count <= weakCount)) return null;
  return { how: value.hash.how, count: count === weakCount ? '2^32' : String(count), isReduced: value.hash.how.startsWith('% ') };
}

/**
 * The edits that make `hashtext(x)` `hashtextextended(x, 0)`, in this lock and in all others on the same key, so that an
 * unlock still finds the lock. Null where one of them cannot be edited, or may be on the same key without showing it.
 */
function extensionOf(lock: QueryLock, locks: readonly QueryLock[], text: string): readonly Edit[] | null {
  const own = hashedKey(lock, text);
  if (own === null) return null;
  const edits: Edit[] = [];
  for (const other of locks) {
    const key = hashedKey(other, text);
    // A release whose key cannot be told apart may be this lock's.
    const isOpenRelease = key !== own && other.operation.action === 'release' && lock.operation.level === 'session';
    if (isOpenRelease) return null;
    if (key !== own) continue;
    const edit = editsOf(other);
    if (!edit) return null;
    edits.push(...edit.filter(({ range }) => !edits.some((known) => known.range[0] === range[0])));
  }
  return edits;
}

/** The call of `hashtext` that is the one key, casts to bigint aside. */
function hashCall({ operation }: QueryLock): (SqlExpression & { kind: 'call' }) | null {
  const [first, ...others] = operation.keys;
  let key = others.length === 0 ? first : undefined;
  while (key?.kind === 'cast' && key.type === 'int8') key = key.argument;
  return key?.kind === 'call' && key.name === 'hashtext' && key.arguments.length === 1 ? key : null;
}

/** The key as the code writes it, its bound values included; null where these are not to be seen or the key is no hash. */
function hashedKey(lock: QueryLock, text: string): string | null {
  const call = hashCall(lock);
  const argument = call?.arguments[0];
  if (!argument) return null;
  const values = valuesIn(argument, lock);
  if (!values) return null;
  const written = lock.text.text.slice(argument.range.start, argument.range.end).replaceAll(/\$\d+|\?/g, '$');
  return JSON.stringify([written, ...values.map(({ range }) => text.slice(...range))]);
}

function valuesIn(expression: SqlExpression, lock: QueryLock): readonly { range: readonly [number, number] }[] | null {
  switch (expression.kind) {
    case 'hole':
    case 'placeholder': {
      const node = lock.boundValue(expression);
      return node && [node];
    }
    case 'cast':
      return valuesIn(expression.argument, lock);
    case 'call':
    case 'operator': {
      const parts = expression.arguments.map((argument) => valuesIn(argument, lock));
      return parts.every((part) => part !== null) ? parts.flat() : null;
    }
    case 'subquery':
    case 'unknown':
      return null;
    default:
      return [];
  }
}

function editsOf(lock: QueryLock): readonly Edit[] | null {
  const call = hashCall(lock);
  if (!call) return null;
  const { start, end } = call.range;
  const name = /^(?:pg_catalog\.)?hashtext(?=\s*\()/i.exec(lock.text.text.slice(start, end))?.[0];
  const range = name === undefined ? null : lock.text.editable(start + name.length, start + name.length);
  const nameRange = name === undefined ? null : lock.text.editable(start, start + name.length);
  const closing = lock.text.editable(end - 1, end);
  if (!range || !nameRange || !closing) return null;
  return [
    { range: [nameRange[1], nameRange[1]], text: 'extended' },
    { range: [closing[0], closing[0]], text: ', 0' },
  ];
}
