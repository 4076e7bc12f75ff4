import { join } from 'node:path';
import { createRule } from '../../src/rule.js';
import { folderWith } from '../temporary-folder.js';
import { executeWith } from './execute.js';

/** Reports every word after `lock:` in a string that is a statement of its own: `'pg_advisory_lock: word';`. */
const findsWords = (name: string, tier: 'recommended' | 'strict' | 'all') =>
  createRule({
    name,
    summary: 'Report words',
    tier,
    messages: { word: '{{prefix}}{{word}}.' },
    options: { schema: { prefix: { type: 'string', description: 'What to say first.' } }, defaults: { prefix: '' } },
    requires: [],
    *check(_, { prefix }, { program, settings }) {
      for (const statement of program.body) {
        if (statement.type !== 'ExpressionStatement' || statement.expression.type !== 'Literal') continue;
        yield {
          node: statement.expression,
          messageId: 'word',
          data: { prefix, word: `${statement.expression.raw} ${settings.pooler}` },
          witness: [{ node: program.body[0] ?? program, text: 'begins' }, { node: statement, text: 'ends' }],
        };
      }
    },
  });

const crashes = createRule({
  name: 'crashes',
  summary: 'Crash',
  tier: 'all',
  messages: { never: 'Never.' },
  requires: [],
  *check(_, __, { text, program }) {
    if (text.includes('crash')) throw new Error('a bug in a rule');
    if (text === '') yield { node: program, messageId: 'never' };
  },
});

const fakes = [findsWords('finds-words', 'recommended'), findsWords('strictly', 'strict'), crashes];

const execute = (folder: string, ...commandLine: string[]) => executeWith(fakes, folder, ...commandLine);

/** The findings as `file:line:column rule message`. */
async function findings(folder: string, ...commandLine: string[]): Promise<string[]> {
  const { stdout } = await execute(folder, '--format', 'json', ...commandLine);
  return parse(stdout).flatMap(({ filePath, messages }) =>
    messages.map(({ line, column, ruleId, message }) => `${filePath.slice(folder.length + 1)}:${line}:${column} ${ruleId ?? 'failure'} ${message}`),
  );
}

interface Result {
  filePath: string;
  messages: { ruleId: string | null; message: string; line: number; column: number; severity: number; witness?: unknown; fatal?: boolean }[];
  errorCount: number;
  warningCount: number;
}

const parse = (stdout: string): Result[] => JSON.parse(stdout) as Result[];

const lock = "'pg_advisory_lock';\n";
const finding = (file: string, place = '1:1', rule = 'finds-words') =>
  `${file}:${place} advisory-lock/${rule} 'pg_advisory_lock' unknown.`;

describe('files', () => {
  it('are found in all folders, whatever their language, sorted', async () => {
    const names = ['a.ts', 'b.tsx', 'c.mts', 'd.cts', 'e.js', 'f.jsx', 'g.mjs', 'h.cjs', 'deep/er/i.ts'];
    const folder = folderWith({ ...Object.fromEntries(names.map((name) => [name, lock])), 'k.sql': lock, 'l.md': lock, 'm.json': lock });
    expect(await findings(folder)).toEqual([...names].sort().map((name) => finding(name)));
  });

  it('are left out where Git ignores them, in every folder up to the root of the repository', async () => {
    const folder = folderWith({
      '.git/info/exclude': 'excluded.ts\n',
      '.gitignore': 'generated/\n*.gen.ts\n/packages/app/only-here.ts\n',
      'packages/app/.gitignore': '!kept.gen.ts\nnested.ts\n',
      'packages/app/a.ts': lock,
      'packages/app/b.gen.ts': lock,
      'packages/app/kept.gen.ts': lock,
      'packages/app/nested.ts': lock,
      'packages/app/only-here.ts': lock,
      'packages/app/excluded.ts': lock,
      'packages/app/generated/c.ts': lock,
      'packages/app/node_modules/d/d.js': lock,
      'packages/app/dist/e.js': lock,
      'packages/nested.ts': lock,
    });
    expect(await findings(folder)).toEqual([finding('packages/app/a.ts'), finding('packages/app/kept.gen.ts'), finding('packages/nested.ts')]);
    expect(await findings(join(folder, 'packages/app'))).toEqual([finding('a.ts'), finding('kept.gen.ts')]);
  });

  it('are read when they are named, whatever ignores them', async () => {
    const folder = folderWith({ '.git/HEAD': '', '.gitignore': '*.ts', 'a.ts': lock, 'dist/b.js': lock });
    expect(await findings(folder, 'a.ts', 'dist')).toEqual([finding('a.ts'), finding('dist/b.js')]);
  });

  it('are read once when several paths lead to them', async () => {
    const folder = folderWith({ 'src/a.ts': lock });
    expect(await findings(folder, 'src', 'src/a.ts', '.', 'src/*.ts')).toEqual([finding('src/a.ts')]);
  });

  it('are found by patterns', async () => {
    const folder = folderWith({ 'src/a.ts': lock, 'src/b.js': lock, 'node_modules/c.ts': lock });
    expect(await findings(folder, '**/*.ts')).toEqual([finding('src/a.ts')]);
  });

  it('that mention no lock are not analysed, so that they may be of any language', async () => {
    const folder = folderWith({ 'a.ts': 'this is no program', 'b.ts': lock });
    expect(await execute(folder)).toMatchObject({ status: 1, stderr: '' });
  });

  it('that mention a word of the settings are analysed', async () => {
    const config = `export default [{ settings: { 'advisory-lock': { wrappers: [{ call: 'withMutex', does: 'hold', level: 'session' }] } } }];`;
    const folder = folderWith({ 'eslint.config.mjs': config, 'a.ts': "'withMutex';" });
    expect(await findings(folder, 'a.ts')).toEqual(["a.ts:1:1 advisory-lock/finds-words 'withMutex' unknown."]);
  });

  it.each([
    ['nosuch.ts', /^nosuch\.ts does not exist \(looked in .*\)\.\n$/],
    ['src/*.tsx', /^src\/\*\.tsx matches no source file/],
    ['a.md', /^a\.md is no source file; allowed: \.js, /],
  ])('that are named but cannot be had end the run: %s', async (path, message) => {
    const folder = folderWith({ 'src/a.ts': lock, 'a.md': lock });
    const result = await execute(folder, path, 'src');
    expect(result).toMatchObject({ status: 2, stdout: '' });
    expect(result.stderr).toMatch(message);
  });
});

describe('a preset', () => {
  it.each<[string[], string[]]>([
    [[], ['finds-words']],
    [['--preset', 'recommended'], ['finds-words']],
    [['--preset', 'strict'], ['finds-words', 'strictly']],
    [['--preset=all'], ['finds-words', 'strictly']],
  ])('decides which rules run: %j', async (preset, rules) => {
    const folder = folderWith({ 'a.ts': lock });
    expect(await findings(folder, ...preset)).toEqual(rules.map((rule) => finding('a.ts', '1:1', rule)));
  });

  it('brings its settings, which the project may overrule', async () => {
    const folder = folderWith({ 'a.ts': lock, 'b/b.ts': lock, 'b/eslint.config.mjs': "export default [{ settings: { 'advisory-lock': { pooler: 'session' } } }];" });
    expect(await findings(folder, '--preset', 'pgbouncer', 'a.ts', 'b/b.ts')).toEqual([
      "a.ts:1:1 advisory-lock/finds-words 'pg_advisory_lock' transaction.",
      "b/b.ts:1:1 advisory-lock/finds-words 'pg_advisory_lock' session.",
    ]);
  });
});

describe("the project's configuration", () => {
  const plugin = `{ meta: { name: 'eslint-plugin-advisory-lock' }, rules: { 'finds-words': { meta: { schema: false, fixable: 'code' }, create: () => ({}) }, strictly: { create: () => ({}) } } }`;
  const config = (rules: string, more = '') =>
    `export default [{ files: ['**/*.ts'], plugins: { locks: ${plugin} }, rules: { ${rules} }, settings: { 'advisory-lock': { pooler: 'none' } } }, ${more}];`;

  it('gives settings, options and severities, by the nearest file, whatever the plugin is called there', async () => {
    const folder = folderWith({
      'eslint.config.mjs': config(`'locks/finds-words': ['warn', { prefix: 'far: ' }]`),
      'near/eslint.config.js': 'module.exports = [{}];',
      'near/package.json': '{}',
      'a.ts': lock,
      'near/b.ts': lock,
    });
    expect(await findings(folder)).toEqual(["a.ts:1:1 advisory-lock/finds-words far: 'pg_advisory_lock' none.", finding('near/b.ts')]);
    const { stdout, status } = await execute(folder, '--format', 'json', 'a.ts');
    expect(parse(stdout)).toMatchObject([{ errorCount: 0, warningCount: 1, messages: [{ severity: 1 }] }]);
    expect(status).toBe(1);
  });

  it('decides which rules run, unless a preset is asked for, and keeps rules off', async () => {
    const folder = folderWith({
      'a.ts': lock,
      'on/eslint.config.mjs': config(`'locks/strictly': 'error'`),
      'on/a.ts': lock,
      'off/eslint.config.mjs': config(`'locks/strictly': 'off'`),
      'off/a.ts': lock,
    });
    const rulesOf = async (...commandLine: string[]) => (await findings(folder, ...commandLine)).map((each) => each.split(' ')[1]);
    expect(await rulesOf('on')).toEqual(['advisory-lock/strictly']);
    expect(await rulesOf('on', '--preset', 'strict')).toEqual(['advisory-lock/finds-words', 'advisory-lock/strictly']);
    expect(await rulesOf('off', '--preset', 'strict')).toEqual(['advisory-lock/finds-words']);
  });

  it('keeps files out that it ignores, unless they are named', async () => {
    const folder = folderWith({ 'eslint.config.mjs': "export default [{ ignores: ['vendor/'] }];", 'vendor/a.ts': lock, 'b.ts': lock });
    expect(await findings(folder)).toEqual([finding('b.ts')]);
    expect(await findings(folder, 'vendor/a.ts')).toEqual([finding('vendor/a.ts')]);
  });

  it('is one file for all with --config, and none with --no-config', async () => {
    const folder = folderWith({
      'eslint.config.mjs': 'throw new Error("not to be read");',
      'other.config.mjs': config(`'locks/finds-words': ['error', { prefix: 'other: ' }]`),
      'src/a.ts': lock,
    });
    expect(await findings(folder, '--config', 'other.config.mjs', 'src')).toEqual(["src/a.ts:1:1 advisory-lock/finds-words other: 'pg_advisory_lock' none."]);
    expect(await findings(folder, '--no-config', 'src')).toEqual([finding('src/a.ts')]);
  });

  it.each([
    ['throw new Error("broken on purpose");', 'broken on purpose'],
    ["export default [{ settings: { 'advisory-lock': { pooler: 'x' } } }];", `settings['advisory-lock'].pooler is "x"; allowed: "none", "session", "transaction".`],
    ["export default [{ rules: 1 }];", 'rules'],
  ])('that cannot be used is named, and its files are left out: %s', async (text, message) => {
    const folder = folderWith({ 'bad/eslint.config.mjs': text, 'bad/a.ts': lock, 'good/b.ts': lock });
    const { status, stdout, stderr } = await execute(folder, '--format', 'json');
    expect(status).toBe(2);
    expect(stderr).toContain('bad/eslint.config.mjs cannot be used');
    expect(stderr).toContain(message);
    expect(parse(stdout).map(({ filePath }) => filePath)).toEqual([join(folder, 'good/b.ts')]);
  });
});

describe('comments in the code', () => {
  it.each([
    ['of other tools neither fail nor report', '/* eslint no-undef: "error", other/rule: 2, bad: [ */\n// eslint-disable-next-line no-such/rule\nundefined_name;\n// eslint-disable-line\n'],
    ['disable our rules', "/* eslint-disable advisory-lock/finds-words */\n'advisory';\n"],
    ['turn our rules off', "/* eslint advisory-lock/finds-words: off */\n'advisory';\n"],
  ])('%s', async (_, code) => {
    const folder = folderWith({ 'a.js': `// advisory\n${code}` });
    expect(await execute(folder)).toEqual({ status: 0, stdout: '', stderr: '' });
  });

  it('leave the witness with the finding that stays', async () => {
    const folder = folderWith({ 'a.js': "'advisory';\n'advisory'; // eslint-disable-line\n'advisory';\n" });
    const { stdout } = await execute(folder, '--format', 'json');
    expect(parse(stdout)[0]?.messages.map(({ witness }) => witness)).toMatchObject([
      { range: [0, 10], steps: [{ line: 1, text: 'begins' }, { line: 1, text: 'ends' }] },
      { range: [47, 57], steps: [{ line: 1, text: 'begins' }, { line: 3, column: 1, endLine: 3, endColumn: 12, range: [47, 58], text: 'ends' }] },
    ]);
  });
});

describe('a file that cannot be analysed', () => {
  it('is named, while the rest is analysed', async () => {
    const folder = folderWith({ 'a.ts': lock, 'b.ts': "'advisory'; const = 1;", 'c.js': lock });
    const { status, stdout, stderr } = await execute(folder, '--format', 'json');
    expect(status).toBe(2);
    expect(stderr).toMatch(/^b\.ts:1:\d+ cannot be analysed: Parsing error: /);
    expect(parse(stdout).map(({ filePath, messages }) => [filePath, messages[0]?.fatal ?? false])).toEqual([
      [join(folder, 'a.ts'), false],
      [join(folder, 'b.ts'), true],
      [join(folder, 'c.js'), false],
    ]);
  });

  it('because a rule crashes is named, while the rest is analysed', async () => {
    const folder = folderWith({ 'a.ts': "'advisory crash';", 'b.ts': lock });
    const { status, stdout, stderr } = await execute(folder, '--preset', 'all', '--format', 'json');
    expect(status).toBe(2);
    expect(stderr).toMatch(/^a\.ts cannot be analysed: Error: a bug in a rule/);
    expect(parse(stdout)).toHaveLength(2);
  });

  it.each(['return;\n', 'with (x) {}\n', 'var old = 010;\n'])('as a module is analysed as CommonJS: %j', async (code) => {
    const folder = folderWith({ 'a.js': lock + code });
    expect(await findings(folder)).toEqual([finding('a.js')]);
  });

  it.each(['\uFEFF', '#!/usr/bin/env node\n', '\r\n'])('is not one that begins with %j', async (start) => {
    const folder = folderWith({ 'a.js': start + lock });
    const { stdout } = await execute(folder, '--format', 'json');
    expect(parse(stdout)[0]?.messages).toMatchObject([{ witness: { steps: [{ text: 'begins' }, { text: 'ends' }] } }]);
  });
});

describe('output', () => {
  it('is nothing when nothing is found', async () => {
    expect(await execute(folderWith({ 'a.ts': 'x;' }))).toEqual({ status: 0, stdout: '', stderr: '' });
    expect(await execute(folderWith({}))).toEqual({ status: 0, stdout: '', stderr: '' });
    expect(await execute(folderWith({ 'a.ts': 'x;' }), '--format', 'json')).toEqual({ status: 0, stdout: '[]\n', stderr: '' });
  });

  it('is for people by default', async () => {
    const folder = folderWith({ 'src/a.ts': `x;\n${lock}` });
    expect((await execute(folder)).stdout).toBe(
      `
src/a.ts
  2:1  error  'pg_advisory_lock' unknown.  advisory-lock/finds-words
       1:1  begins
       2:1  ends

✖ 1 problem

`,
    );
  });

  it.each([['--help'], ['-h'], ['src', '--help'], ['--help', '--version']])('is the help for %j', async (...commandLine) => {
    const { status, stdout, stderr } = await execute(folderWith({}), ...commandLine);
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout).toMatch(/^Usage: eslint-plugin-advisory-lock/);
  });

  it('is the version for --version', async () => {
    expect((await execute(folderWith({}), '--version')).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  });
});

describe('bad usage', () => {
  it.each<[string[], string]>([
    [['--preset', 'recomended'], '--preset is "recomended"; allowed: recommended, strict, all, pgbouncer. Did you mean recommended?'],
    [['--preset'], '--preset needs a value; see --help.'],
    [['--format', 'xml'], '--format is "xml"; allowed: stylish, json, sarif, github, gitlab, rdjson.'],
    [['-f', 'jsn'], '--format is "jsn"; allowed: stylish, json, sarif, github, gitlab, rdjson. Did you mean json?'],
    [['--formats=json'], 'Unknown option --formats; allowed: --preset, --format, --config, --no-config, --changed-since, --baseline, --update-baseline, --include-suppressed, --output, --help, --version. Did you mean --format?'],
    [['-x'], 'Unknown option -x; allowed: --preset, --format, --config, --no-config, --changed-since, --baseline, --update-baseline, --include-suppressed, --output, --help, --version.'],
    [['--no-config=x'], '--no-config takes no value, but was given "x".'],
    [['--config', 'a.js', '--no-config'], '--config a.js and --no-config contradict each other; give one of them.'],
    [['--changed-since', '--format', 'json'], '--changed-since needs a value, but --format follows; a value that begins so is written --changed-since=--format.'],
    [['--update-baseline'], '--update-baseline needs --baseline FILE, which says what to write.'],
    [['--include-suppressed'], '--include-suppressed belongs to --format json and sarif; --format is "stylish".'],
    [['facts', '--changed-since', 'main'], 'facts does not take --changed-since; allowed: --output, --config, --no-config.'],
    [['--output', 'a.json'], '--output belongs to the subcommands facts and locks; to write findings to a file, redirect the output.'],
    [['facts', '--preset', 'all'], 'facts does not take --preset; allowed: --output, --config, --no-config.'],
    [['locks', '--preset', 'all'], 'locks does not take --preset; allowed: --format, --output, --config, --no-config.'],
    [['locks', '--format', 'htm'], '--format is "htm"; allowed: table, json, mermaid, html. Did you mean html?'],
    [['locks', '--output', 'nosuch/x.html'], expect.stringContaining('--output is "nosuch/x.html", which cannot be written: ') as string],
    [['explain', 'src/a.ts'], 'explain takes one file and line, as in explain src/job.ts:12; given: src/a.ts.'],
  ])('is explained: %j', async (commandLine, message) => {
    const { status, stdout, stderr } = await execute(folderWith({}), ...commandLine);
    expect({ status, stdout, stderr: stderr.trimEnd() }).toEqual({ status: 2, stdout: '', stderr: message });
  });

  it('of --config names the file', async () => {
    const { status, stderr } = await execute(folderWith({}), '--config', 'nosuch.js');
    expect({ status, stderr }).toMatchObject({ status: 2, stderr: expect.stringContaining('--config is "nosuch.js", which does not exist') as unknown });
  });

  it('is not a folder with the name of a subcommand', async () => {
    const folder = folderWith({ 'locks/a.ts': lock });
    expect(await findings(folder, './locks')).toEqual([finding('locks/a.ts')]);
    expect(await findings(folder, 'locks/')).toEqual([finding('locks/a.ts')]);
  });
});
