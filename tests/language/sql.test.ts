import { Linter } from 'eslint';
import { createPlugin } from '../../src/plugin.js';
import { rules } from '../../src/rules.js';
import { sqlFile } from '../../src/language/sql-tree.js';
import { hostileSql } from './hostile-sql.js';

const plugin = createPlugin();

interface LintOptions {
  readonly languageOptions?: Linter.Config['languageOptions'];
  readonly settings?: object;
  readonly reportUnused?: boolean;
}

function messagesOf(text: string, { languageOptions, settings, reportUnused = false }: LintOptions = {}): Linter.LintMessage[] {
  return new Linter().verify(
    text,
    [
      {
        ...plugin.configs.all,
        files: ['**/*.sql'],
        language: 'advisory-lock/sql',
        ...(languageOptions && { languageOptions }),
        ...(settings && { settings: { 'advisory-lock': settings } }),
        linterOptions: { reportUnusedDisableDirectives: reportUnused ? 'error' : 'off' },
      },
    ],
    { filename: 'migration.sql' },
  );
}

/** Rule, message and what is underlined. */
function findingsIn(text: string, options?: LintOptions): string[] {
  const lines = text.split('\n');
  return messagesOf(text, options).map(({ ruleId, messageId, line, column, endLine, endColumn }) => {
    const marked = line === endLine ? lines[line - 1]?.slice(column - 1, (endColumn ?? 0) - 1) : `lines ${String(line)}-${String(endLine)}`;
    return `${ruleId?.replace('advisory-lock/', '') ?? ''} ${messageId ?? ''}: ${marked ?? ''}`;
  });
}

describe('a .sql file', () => {
  it.each<[string, string, readonly string[]]>([
    ['a lock beside LIMIT', 'SELECT pg_advisory_xact_lock(id) FROM jobs LIMIT 5;', ['no-lock-with-limit undefined: pg_advisory_xact_lock(id)']],
    ['a lock in WHERE', 'SELECT id FROM jobs\nWHERE done AND pg_try_advisory_xact_lock(id);', ['no-lock-in-filter filter: pg_try_advisory_xact_lock(id)']],
    ['a wait in a write', 'UPDATE t SET a = 1 FROM (SELECT pg_advisory_xact_lock(1)) l', ['no-lock-after-snapshot write: pg_advisory_xact_lock(1)']],
    [
      'a wait in SERIALIZABLE',
      'BEGIN ISOLATION LEVEL SERIALIZABLE;\nSELECT pg_advisory_xact_lock(1);\nCOMMIT;',
      ['no-lock-after-snapshot isolation: SELECT pg_advisory_xact_lock(1)'],
    ],
    ['a key out of range', 'SELECT pg_advisory_xact_lock(9223372036854775808);', ['valid-lock-key outOfRange: SELECT pg_advisory_xact_lock(9223372036854775808)']],
    ['a weak key', "SELECT pg_advisory_xact_lock(hashtext('jobs:' || :'name'));", ["no-weak-lock-key hash: SELECT pg_advisory_xact_lock(hashtext('jobs:' || :'name'))"]],
    ['a session lock in a transaction', 'BEGIN;\nSELECT pg_advisory_lock(1);\nCOMMIT;', ['no-session-lock-in-transaction acquired: SELECT pg_advisory_lock(1)']],
    [
      'an unlock in a transaction',
      'SELECT pg_advisory_lock(1);\nBEGIN;\nSELECT pg_advisory_unlock(1);\nCOMMIT;',
      ['no-session-lock-in-transaction released: SELECT pg_advisory_unlock(1)'],
    ],
    ['a transaction lock after the transaction', 'BEGIN;\nUPDATE t SET a = 1;\nCOMMIT;\nSELECT pg_advisory_xact_lock(1);\nUPDATE t SET a = 2;', ['no-xact-lock-outside-transaction connection: SELECT pg_advisory_xact_lock(1)']],
    [
      'an index built under a lock',
      'SELECT pg_advisory_lock(1);\nCREATE INDEX CONCURRENTLY i ON t (a);\nSELECT pg_advisory_unlock(1);',
      ['no-concurrent-ddl-while-locked holder: CREATE INDEX CONCURRENTLY i ON t (a)'],
    ],
    [
      'a function that is stored',
      'CREATE FUNCTION claim() RETURNS SETOF jobs LANGUAGE sql AS $$\n  SELECT * FROM jobs WHERE pg_try_advisory_xact_lock(id);\n$$;',
      ['no-lock-in-filter filter: pg_try_advisory_xact_lock(id)'],
    ],
    [
      'a body that ends with END',
      'CREATE FUNCTION claim() RETURNS bigint LANGUAGE sql BEGIN ATOMIC\n  SELECT 1; SELECT id FROM jobs WHERE pg_try_advisory_xact_lock(id);\nEND;\nSELECT 1;',
      ['no-lock-in-filter filter: pg_try_advisory_xact_lock(id)'],
    ],
    ['MySQL', "SELECT `id` FROM jobs WHERE done AND GET_LOCK(name, 1);", ['no-lock-in-filter filter: GET_LOCK(name, 1)']],
  ])('is reported for %s', (_, text, expected) => {
    expect(findingsIn(text)).toEqual(expected);
  });

  it.each([
    ['nothing', ''],
    ['a lock in a transaction', "BEGIN;\nSET LOCAL lock_timeout = '5s';\nSELECT pg_advisory_xact_lock(1);\nUPDATE t SET a = 1;\nCOMMIT;"],
    ['a transaction lock where nothing begins or ends a transaction', 'SELECT pg_advisory_xact_lock(1);\nUPDATE t SET a = 1;'],
    ['a session lock outside transactions', 'SELECT pg_advisory_lock(1);\nUPDATE t SET a = 1;\nSELECT pg_advisory_unlock(1);'],
    ['a session lock in a function', 'BEGIN;\nCREATE FUNCTION f() RETURNS void LANGUAGE sql AS $$ SELECT pg_advisory_lock(1) $$;\nCOMMIT;'],
    ['a lock in a comment', '-- SELECT pg_advisory_lock(id) FROM jobs LIMIT 1;\n/* SELECT pg_advisory_lock(id) FROM jobs LIMIT 1; */'],
    ['a lock in a string', "INSERT INTO notes VALUES ('SELECT pg_advisory_lock(id) FROM jobs LIMIT 1;');"],
    ['a statement that does not parse beside one that does', '\\connect app\nSELECT pg_advisory_xact_lock(1);\nSELECT FROM FROM;'],
  ])('is silent about %s', (_, text) => {
    expect(findingsIn(text)).toEqual([]);
  });

  const limited = 'SELECT pg_advisory_xact_lock(id) FROM jobs LIMIT 5;';
  it.each([
    ['the next line', `-- eslint-disable-next-line advisory-lock/no-lock-with-limit -- few rows\n${limited}`],
    ['the same line', `${limited} -- eslint-disable-line advisory-lock/no-lock-with-limit`],
    ['everything', `/* eslint-disable */\n${limited}`],
    ['a stretch', `-- eslint-disable advisory-lock/no-lock-with-limit\n${limited}\n-- eslint-enable advisory-lock/no-lock-with-limit`],
    ['the next line, in a block comment', `/* eslint-disable-next-line */\n${limited}`],
  ])('obeys a comment that turns a rule off for %s', (_, text) => {
    expect(messagesOf(text, { reportUnused: true })).toEqual([]);
  });

  it('obeys a comment for its own stretch only', () => {
    const text = `-- eslint-disable advisory-lock/no-lock-with-limit\n${limited}\n-- eslint-enable\n${limited}`;
    expect(messagesOf(text).map(({ line }) => line)).toEqual([4]);
  });

  it('has its unused comments reported', () => {
    const [message] = messagesOf('-- eslint-disable-next-line advisory-lock/no-lock-with-limit\nSELECT pg_advisory_xact_lock(1);', { reportUnused: true });
    expect(message?.message).toMatch(/Unused eslint-disable directive/);
  });

  it('gives exact places after line breaks of every kind and characters of every width', () => {
    const text = "\uFEFF-- ünï😀\r\nSELECT '😀', pg_advisory_xact_lock(id) FROM jobs LIMIT 5;";
    const [message] = messagesOf(text);
    expect(message).toMatchObject({ line: 2, column: 14, endLine: 2, endColumn: 39 });
  });

  it('knows the dialect from its options', () => {
    expect(messagesOf('SELECT id FROM t WHERE GET_LOCK(a, 1)', { languageOptions: { dialect: 'mysql' } })).toHaveLength(1);
  });

  it('refuses a dialect that it does not know', () => {
    expect(() => messagesOf('SELECT pg_advisory_lock(1)', { languageOptions: { dialect: 'oracle' } })).toThrow(/dialect is "oracle"; allowed: "postgres", "mysql"/);
  });

  it('leaves options of other languages alone', () => {
    expect(messagesOf('SELECT pg_advisory_xact_lock(1)', { languageOptions: { globals: { window: 'readonly' } } })).toEqual([]);
  });

  it('knows lock functions of the settings', () => {
    const lockFunctions = [{ name: 'app.take', action: 'try', level: 'transaction' }];
    expect(findingsIn('SELECT id FROM jobs WHERE done AND app.take(id);', { settings: { lockFunctions } })).toEqual(['no-lock-in-filter filter: app.take(id)']);
  });

  it.each(hostileSql)('is read whatever it holds: %j', (text) => {
    expect(() => messagesOf(text)).not.toThrow();
  });

  it('is read in linear time', () => {
    const time = (count: number): number => {
      const text = 'SELECT pg_advisory_xact_lock(id) FROM jobs;\n'.repeat(count);
      const start = performance.now();
      messagesOf(text);
      return performance.now() - start;
    };
    time(100);
    expect(time(2000)).toBeLessThan(Math.max(60, time(500)) * 12);
  });
});

describe('the tree of a .sql file', () => {
  it.each<[string, readonly string[]]>([
    ['', []],
    [' ; ;; ', []],
    ['SELECT 1', ['SELECT 1']],
    ["SELECT ';'; SELECT \";\" ; -- ;\nSELECT 3", ["SELECT ';'", 'SELECT ";"', 'SELECT 3']],
    ['DO $x$ BEGIN; END $x$; SELECT 1;', ['DO $x$ BEGIN; END $x$', 'SELECT 1']],
    ['SELECT /* ; /* ; */ ; */ 1; SELECT 2', ['SELECT /* ; /* ; */ ; */ 1', 'SELECT 2']],
    ['CREATE FUNCTION f() RETURNS int BEGIN ATOMIC SELECT 1; SELECT 2; END; SELECT 3', ['CREATE FUNCTION f() RETURNS int BEGIN ATOMIC SELECT 1; SELECT 2; END', 'SELECT 3']],
    ["SELECT 'never ends; SELECT 2", ["SELECT 'never ends; SELECT 2"]],
  ])('has the statements of %j', (text, expected) => {
    expect(sqlFile(text, 'postgres').body.map(({ range }) => text.slice(...range))).toEqual(expected);
  });
});

it('judges .sql files by the rules that need only SQL', () => {
  const judging = rules.filter(({ inSqlFiles }) => inSqlFiles).map(({ name }) => name);
  expect(judging).toEqual([
    'no-concurrent-ddl-while-locked',
    'no-lock-after-snapshot',
    'no-lock-in-filter',
    'no-lock-with-limit',
    'no-session-lock-in-transaction',
    'no-weak-lock-key',
    'no-xact-lock-outside-transaction',
    'valid-lock-key',
  ]);
});
