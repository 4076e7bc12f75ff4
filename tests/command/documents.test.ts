import { parse } from '@typescript-eslint/parser';
import { spawnSync } from 'node:child_process';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { help } from '../../src/command/arguments.js';
import { parseSarif } from '../formats/sarif-schema.js';
import { built } from '../built.js';
import { execute } from './execute.js';
import { parseYaml, snippetsOf, valuesOf, type Snippet } from './documents.js';
import { folderWith } from '../temporary-folder.js';
import { projectWith } from './in-project.js';
import { repositoryAt } from './repository.js';

const documents = ['ci.md', 'review-bots.md'];
const snippets = documents.flatMap((document) => snippetsOf(document).map((snippet) => ({ ...snippet, document })));
const named = (list: typeof snippets) => list.map((snippet) => [`${snippet.document}:${snippet.line}`, snippet] as const);

/** With the leak on line 7, as the documents have it. */
const leak = `import { Pool } from 'pg';

const pool = new Pool();

export async function run(work: () => Promise<void>) {
  const client = await pool.connect();
  await client.query('SELECT pg_advisory_lock(1)');
  await work();
  await client.query('SELECT pg_advisory_unlock(1)');
  client.release();
}
`;
const pooled = `import { Pool } from 'pg';\nconst pool = new Pool();\nexport const take = () => pool.query('SELECT pg_advisory_lock(1)');\n`;

/**
 * A repository with the package and ESLint installed, findings, and a branch of a remote. `npx` runs what is installed; with
 * `told` it only notes what it is told to run, and ends as if there were findings.
 */
function sample(files: Readonly<Record<string, string>> = {}) {
  const folder = projectWith(
    { eslint: 'eslint', 'eslint-plugin-advisory-lock': 'eslint-plugin-advisory-lock', 'lint-staged': 'lint-staged' },
    {
      '.gitignore': 'node_modules\n',
      'package.json': '{ "type": "module" }',
      'eslint.config.mjs': "import advisoryLock from 'eslint-plugin-advisory-lock';\nexport default [advisoryLock.configs.recommended];\n",
      'src/job.ts': leak,
      'src/pooled.js': pooled,
      'packages/api/a.js': pooled,
      'packages/worker/a.js': pooled,
      ...files,
    },
  );
  const node = (path: string): string => `exec ${JSON.stringify(process.execPath)} ${JSON.stringify(path)} "$@"`;
  const programs: Readonly<Record<string, string>> = {
    npx: 'if [ -n "$TOLD" ]; then printf "%s\\n" "$@" > "$TOLD"; exit 1; fi\nname=$1; shift; exec "$name" "$@"',
    'eslint-plugin-advisory-lock': node(built('command.cjs')),
    eslint: node(join(folder, 'node_modules/eslint/bin/eslint.js')),
    'lint-staged': node(join(folder, 'node_modules/lint-staged/bin/lint-staged.js')),
  };
  const bin = folderWith(Object.fromEntries(Object.entries(programs).map(([name, text]) => [name, `#!/bin/sh\n${text}\n`])));
  for (const name of Object.keys(programs)) chmodSync(join(bin, name), 0o755);
  const repository = repositoryAt(folder);
  repository.git('init', '--quiet', '--initial-branch=main');
  repository.commit();
  repository.git('update-ref', 'refs/remotes/origin/main', 'HEAD');
  const env = { ...process.env, PATH: [bin, process.env['PATH']].join(delimiter), GITHUB_BASE_REF: 'main', CI_MERGE_REQUEST_DIFF_BASE_SHA: repository.git('rev-parse', 'HEAD'), GIT_CONFIG_GLOBAL: '/dev/null', FORCE_COLOR: '0' };
  const bash = (code: string, more: NodeJS.ProcessEnv = {}) => {
    const { status, stdout, stderr } = spawnSync('bash', ['-e', '-o', 'pipefail', '-c', code], { cwd: folder, encoding: 'utf8', input: '', env: { ...env, ...more } });
    return { status, stdout, stderr };
  };
  return {
    ...repository,
    bash,
    /** What the shell makes of a line, with the command run in this process. */
    async command(line: string) {
      const told = join(bin, 'told');
      const { status } = bash(line, { TOLD: told });
      const [name, ...parameters] = readFileSync(told, 'utf8').trimEnd().split('\n');
      expect(name).toBe('eslint-plugin-advisory-lock');
      return { ...(await execute(folder, ...parameters)), statusForFindings: status };
    },
  };
}

const lines = ({ code }: Snippet): string[] => code.split('\n').filter((line) => line.startsWith('npx '));

/** What the YAML of CI services would have a shell run, of ours. */
const commands = snippets
  .filter(({ language }) => language === 'yaml')
  .flatMap(({ code }) => {
    const workflow = parseYaml(code);
    return [...valuesOf('run', workflow), ...valuesOf('script', workflow).flat(), ...valuesOf('entry', workflow)].flatMap((command) => (typeof command === 'string' && command.includes('eslint-plugin-advisory-lock') ? [command] : []));
  });

describe('snippets of the documents', () => {
  it('are of languages that are checked', () => {
    expect([...new Set(snippets.map(({ language }) => language))].sort()).toEqual(['js', 'json', 'sh', 'yaml']);
  });

  it.each(named(snippets))('can be read: %s', (_, { language, code }) => {
    switch (language) {
      case 'yaml':
        expect(parseYaml(code)).toEqual(expect.any(Object));
        break;
      case 'json':
        expect(JSON.parse(code)).toEqual(expect.any(Object));
        break;
      case 'js':
        expect(parse(code, { sourceType: 'module' }).body.length).toBeGreaterThan(0);
        break;
      default:
        expect(spawnSync('bash', ['-n', '-c', code], { encoding: 'utf8' })).toMatchObject({ status: 0, stderr: '' });
    }
  });

  it('name only options and formats that exist', () => {
    const text = snippets.map(({ code }) => code).filter((code) => code.includes('eslint-plugin-advisory-lock')).join('\n');
    const options = [...text.matchAll(/eslint-plugin-advisory-lock (?:facts |explain )?.*/g)].flatMap(([line]) => line.match(/--[\w-]+/g) ?? []);
    expect([...new Set(options)].filter((option) => !help.includes(option))).toEqual([]);
    expect(options.length).toBeGreaterThan(10);
  });

  it('tell of every option of the help', () => {
    const [table = ''] = readFileSync(join(built('command.cjs'), '../../docs/ci.md'), 'utf8').split('## All options').slice(-1);
    const options = (help.match(/--[\w-]+/g) ?? []).filter((option) => !['--help', '--version'].includes(option));
    expect([...new Set(options)].filter((option) => !table.includes(option))).toEqual([]);
  });
});

describe('command lines of the documents run', () => {
  it('in CI', async () => {
    const { command, write } = sample();
    write({ 'src/pooled.js': `${pooled}// changed\n` });
    expect(commands.length).toBeGreaterThan(5);
    const outputs = new Map<string, string>();
    for (const line of commands) {
      const { status, statusForFindings, stdout, stderr } = await command(line);
      expect({ line, status, statusForFindings, stderr }).toEqual({ line, status: 1, statusForFindings: line.includes('||') ? 0 : 1, stderr: '' });
      outputs.set(/--format (\w+)/.exec(line)?.[1] ?? 'stylish', stdout);
    }
    const places = parseSarif(outputs.get('sarif') ?? '').runs[0]?.results?.map(({ locations }) => locations?.[0]?.physicalLocation?.artifactLocation?.uri);
    expect([...new Set(places)]).toEqual(['packages/api/a.js', 'packages/worker/a.js', 'src/job.ts', 'src/pooled.js']);
    expect(JSON.parse(outputs.get('gitlab') ?? '')).toHaveLength(places?.length ?? 0);
    expect(JSON.parse(outputs.get('rdjson') ?? '')).toMatchObject({ diagnostics: places?.map((path) => ({ location: { path } })) });
    expect(outputs.get('github')).toMatch(/^::error file=src\/pooled\.js,line=3,[^\n]*\n$/);
    expect(outputs.get('stylish')).toContain('1 problem');
  });

  it('in a shell', async () => {
    const { command, write, folder } = sample();
    write({ 'src/pooled.js': `${pooled}// changed\n` });
    writeFileSync(join(folder, 'review.mjs'), 'process.stdin.resume();');
    const statuses: string[] = [];
    for (const line of snippets.flatMap(lines).filter((each) => each.startsWith('npx eslint-plugin'))) statuses.push(`${(await command(line)).status} ${line.split(' ').slice(2).join(' ')}`);
    expect(statuses).toEqual([
      '1 --changed-since origin/main',
      '1 --changed-since HEAD src',
      '0 --baseline advisory-lock-baseline.json --update-baseline',
      '0 --baseline advisory-lock-baseline.json',
      '1 packages/api packages/worker',
      '0 facts --no-config --output advisory-lock-facts.mjs',
      '1 --format json --changed-since origin/main',
      '0 explain src/job.ts:7',
      '1 --format json | node review.mjs',
    ]);
  });

  it('so that bulk suppressions start green', () => {
    const { bash } = sample();
    const suppressing = snippets.filter(({ code }) => code.includes('--suppress-all')).flatMap(lines);
    expect(suppressing.map((line) => [line, bash(line).status])).toEqual([['npx eslint --suppress-all .', 0], ['npx eslint .', 0], ['npx eslint --prune-suppressions .', 0]]);
  });

  it('so that the example of a bot makes comments, and makes them once', async () => {
    const { folder } = sample();
    const [script] = snippets.filter(({ code }) => code.startsWith('// review.mjs'));
    writeFileSync(join(folder, 'review.mjs'), script?.code ?? '');
    const { stdout: input } = await execute(folder, '--format', 'json', 'src/job.ts');
    const review = (...said: string[]) => JSON.parse(spawnSync(process.execPath, ['review.mjs', ...said], { cwd: folder, encoding: 'utf8', input }).stdout) as { path: string; line: number; body: string; key: string }[];
    const comments = review();
    expect(comments[0]).toMatchObject({ path: 'src/job.ts', line: 7, body: expect.stringMatching(/\n- `pg_advisory_lock` is taken on line 7\n- .*line 8 throws.*\nMore: https:.*\.md \(advisory-lock\/[\w-]+\)$/) });
    expect(review(...comments.map(({ key }) => key))).toEqual([]);
  });
});

describe('lint-staged as the documents set it up', () => {
  const [inManifest] = snippets.filter(({ language, code }) => language === 'json' && code.includes('lint-staged'));
  const [inModule] = snippets.filter(({ language, code }) => language === 'js' && code.includes('--changed-since'));

  it('stops a commit with a new finding, and lets others pass', () => {
    const { bash, write, git } = sample({ 'package.json': inManifest?.code ?? '' });
    write({ 'src/new.js': pooled, 'src/unstaged.js': pooled });
    git('add', 'src/new.js');
    const { status, stdout, stderr } = bash('npx lint-staged');
    expect({ status, output: stdout + stderr }).toEqual({ status: 1, output: expect.stringMatching(/src\/new\.js[^]*no-pool-session-lock[^]*1 problem/) });
    write({ 'src/new.js': 'export {};\n' });
    git('add', 'src/new.js');
    expect(bash('npx lint-staged').status).toBe(0);
  });

  it('stops a commit that makes a finding in another file', () => {
    const { bash, write, git } = sample({
      'lint-staged.config.mjs': inModule?.code ?? '',
      'src/db.js': 'export const db = null;\n',
      'src/user.js': "import { db } from './db.js';\nexport const take = () => db.query('SELECT pg_advisory_lock(1)');\n",
    });
    write({ 'src/db.js': "import { Pool } from 'pg';\nexport const db = new Pool();\n" });
    git('add', '--all');
    const { status, stdout, stderr } = bash('npx lint-staged');
    expect({ status, output: stdout + stderr }).toEqual({ status: 1, output: expect.stringMatching(/src\/user\.js[^]*no-pool-session-lock/) });
  });
});

describe('eslint --cache as the documents set it up', () => {
  it('sees what changes in an imported file, through the facts', async () => {
    const [config] = snippets.filter(({ code }) => code.startsWith('// eslint.config.mjs'));
    const [facts = '', eslint = ''] = snippets.filter(({ code }) => code.includes('eslint --cache')).flatMap(lines);
    const nothing = 'export {};\n';
    const { bash, command, write } = sample({
      'eslint.config.mjs': config?.code ?? '',
      'src/pooled.js': nothing,
      'packages/api/a.js': nothing,
      'packages/worker/a.js': nothing,
      'src/db.js': 'export const send = (text) => text;\n',
      'src/user.js': "import { send } from './db.js';\nexport const take = () => send('SELECT pg_advisory_lock(1)');\n",
    });
    expect((await command(facts)).status).toBe(0);
    expect(bash(eslint)).toEqual({ status: 0, stdout: '', stderr: '' });
    write({ 'src/db.js': "import { Pool } from 'pg';\nconst pool = new Pool();\nexport const send = (text) => pool.query(text);\n" });
    expect(bash(eslint)).toEqual({ status: 0, stdout: '', stderr: '' });
    expect((await command(facts)).status).toBe(0);
    expect(bash(eslint)).toMatchObject({ status: 1, stdout: expect.stringMatching(/user\.js[^]*no-pool-session-lock/) });
  });
});
