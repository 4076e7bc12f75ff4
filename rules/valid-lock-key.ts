import { faultOf, type FaultyKey, type KeyFault } from '../src/facts/key-faults.js';
import { queries, type QueryLock } from '../src/facts/queries.js';
import { sqlKeys, type SqlKey } from '../src/facts/sql-keys.js';
import { createRule } from '../src/rule.js';
import type { SqlRange } from '../src/sql/model.js';

export default createRule({
  name: 'valid-lock-key',
  summary: 'Disallow lock keys that the server refuses, rounds or ignores',
  tier: 'recommended',
  messages: {
    arity: '`{{fn}}` is called with {{count}}, and no lock function takes that. Give it {{wanted}}.',
    wrongType: '`{{fn}}` is given {{value}} as {{argument}}, which is of type {{type}}: there is no such function (42883). Give it a value of type {{wanted}}.',
    declaredBigint:
      '`{{fn}}` is given {{value}} as {{argument}}, which {{driver}} declares to be a bigint: there is no such function with two keys (42883). Cast it in the SQL, `::int`, or use the form with one key.',
    failingCast: 'The cast {{value}}, {{argument}} of `{{fn}}`, fails whatever the value is, so the lock is never taken. Hash the text instead: `hashtextextended(…, 0)`.',
    nullKey: '`{{fn}}` is given NULL as {{argument}}: it answers NULL and takes no lock, and there is no error. Give it a key.',
    undefinedAsNull: '`{{fn}}` is given undefined as {{argument}}, which {{driver}} sends as NULL: it takes no lock, and there is no error. Give it a key.',
    undefinedRefused: '`{{fn}}` is given undefined as {{argument}}, which {{driver}} refuses to send. Give it a key.',
    undefinedDropped: '`{{fn}}` is given undefined as {{argument}}, which {{driver}} leaves out of the SQL: there is no such function (42883). Give it a key.',
    undefinedPasted: '`{{fn}}` is given undefined as {{argument}}, which is pasted into the SQL as the name of a column. Give it a key, and bind it.',
    undefinedKey: '`{{fn}}` is given undefined as {{argument}}, which is refused or sent as NULL: no lock is taken. Give it a value.',
    notInteger: '`{{fn}}` is given {{value}} as {{argument}}, which is no integer: the server refuses it. Give it a {{wanted}}.',
    rounded:
      '`{{fn}}` is given {{value}} as {{argument}}, a number beyond 2^53, which JavaScript rounds: different keys become one, and a key that other code computes exactly is not met. Keep it a bigint, or write it in the SQL.',
    outOfRange: '`{{fn}}` is given {{value}} as {{argument}}, which lies outside {{wanted}}: the server refuses it. Give it a key from {{least}} to {{most}}.',
    unsigned:
      '`{{fn}}` is given {{value}} as {{argument}}, an unsigned {{bits}}-bit integer, while {{wanted}} is signed: the server refuses the upper half of its values. Make it signed with {{cure}}.',
    partlyOutOfRange: '`{{fn}}` is given {{value}} as {{argument}}, whose values go beyond {{wanted}}: the server refuses those that do. Make it fit with {{cure}}.',
    longName: '`{{fn}}` is given a name of at least {{length}} characters: MySQL refuses names of more than 64, MariaDB those of more than 192. Hash the variable part of the name.',
    nullName: '`{{fn}}` is given NULL as the name: MariaDB answers NULL and takes no lock, MySQL refuses it. Give it a name.',
    negativeTimeout:
      '`{{fn}}` is given {{value}} as the time-out: MariaDB answers NULL at once and takes no lock, MySQL waits without end. Give the seconds to wait, and test the answer for 1.',
    nullTimeout: '`{{fn}}` is given NULL as the time-out: MariaDB answers NULL and takes no lock. Give the seconds to wait.',
  },
  requires: [queries, sqlKeys],
  inSqlFiles: true,
  *check([statements, keys], _options, { text }) {
    const reported = new Set<string>();
    for (const query of statements) {
      if (query.sent === 'never') continue;
      for (const lock of query.locks) {
        const given = keys.argumentsOf(lock);
        const faulty = faultOf(lock, given);
        if (!faulty) continue;
        const messageId = messageFor(faulty.fault);
        const data = dataFor(lock, given, faulty, text);
        // One call may send one of several texts, all with the same key.
        const identity = JSON.stringify([query.node.range, messageId, data.argument, data.value]);
        if (reported.has(identity)) continue;
        reported.add(identity);
        yield { node: query.node, messageId, data };
      }
    }
  },
});

function messageFor(fault: KeyFault) {
  switch (fault.kind) {
    case 'arity':
      return 'arity';
    case 'type':
      return 'wrongType';
    case 'declared-bigint':
      return 'declaredBigint';
    case 'cast':
      return 'failingCast';
    case 'null':
      return 'nullKey';
    case 'undefined':
      return undefinedMessages[fault.outcome];
    case 'no-integer':
      return 'notInteger';
    case 'rounded':
      return 'rounded';
    case 'range':
      return fault.always ? 'outOfRange' : fault.unsigned ? 'unsigned' : 'partlyOutOfRange';
    case 'long-name':
      return 'longName';
    case 'null-name':
      return 'nullName';
    case 'negative-timeout':
      return 'negativeTimeout';
    case 'null-timeout':
      return 'nullTimeout';
  }
}

const undefinedMessages = {
  null: 'undefinedAsNull',
  throws: 'undefinedRefused',
  dropped: 'undefinedDropped',
  pasted: 'undefinedPasted',
  unknown: 'undefinedKey',
} as const;

function dataFor(lock: QueryLock, keys: readonly SqlKey[], { fault, index }: FaultyKey, text: string) {
  const { operation, query } = lock;
  const isMysql = operation.dialect === 'mysql';
  const isPair = keys.length === 2 && !isMysql;
  const bits = fault.kind === 'range' ? fault.bits : isPair ? 32 : 64;
  const wanted = fault.kind === 'arity' ? (isMysql ? 'a name and a time-out' : 'one bigint or two integers') : bits === 32 ? 'integer' : 'bigint';
  const key = index === null ? undefined : keys[index];
  const range = index === null ? undefined : operation.arguments[index]?.range;
  return {
    fn: operation.name,
    argument: argumentName(index, isPair, isMysql),
    value: fault.kind === 'cast' ? sqlText(lock, fault.expression.range) : key?.node ? quoted(text.slice(...key.node.range)) : range ? sqlText(lock, range) : '',
    wanted,
    type: fault.kind === 'type' ? (typeNames[fault.type] ?? fault.type) : '',
    driver: query.driver.name,
    count: fault.kind === 'arity' ? (fault.count === 1 ? 'one argument' : `${fault.count === 0 ? 'no' : String(fault.count)} arguments`) : '',
    length: fault.kind === 'long-name' ? fault.length : 0,
    bits,
    least: bits === 32 ? '-2147483648' : '-9223372036854775808',
    most: bits === 32 ? '2147483647' : '9223372036854775807',
    cure: bits === 64 || key?.value.type === 'bigint' ? `\`BigInt.asIntN(${String(bits)}, …)\`` : '`| 0`',
  };
}

/** PostgreSQL's internal names, as SQL has them. */
const typeNames: Readonly<Record<string, string>> = {
  int8: 'bigint',
  int4: 'integer',
  int2: 'smallint',
  bool: 'boolean',
  float8: 'double precision',
  float4: 'real',
  varchar: 'character varying',
  bpchar: 'character',
};

function argumentName(index: number | null, isPair: boolean, isMysql: boolean): string {
  if (index === null) return '';
  if (isMysql) return index === 0 ? 'the name' : 'the time-out';
  if (!isPair) return 'the key';
  return index === 0 ? 'the first key' : 'the second key';
}

/** SQL as the text has it, with an ellipsis for what JavaScript puts in. */
const sqlText = (lock: QueryLock, { start, end }: SqlRange): string => quoted(lock.text.text.slice(start, end).replaceAll('\uE000', '…'));

function quoted(source: string): string {
  const line = source.replace(/\s+/g, ' ');
  return `\`${line.length > 60 ? `${line.slice(0, 57)}…` : line}\``;
}
