import { chmodSync, closeSync, lstatSync, openSync, readFileSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSarif } from '../formats/sarif-schema.js';
import { execute } from './execute.js';
import { folderWith } from '../temporary-folder.js';
import { repositoryWith } from './repository.js';

const file = (...functions: readonly string[]): string => `import { Pool } from 'pg';\nconst pool = new Pool();\n${functions.join('')}`;

/** A function with one finding for each of the keys. */
const take = (name: string, ...keys: readonly number[]): string =>
  `export async function ${name}() {\n${keys.map((key) => `  await pool.query('SELECT pg_advisory_lock(${key})');\n`).join('')}}\n`;

const known = ['--baseline', 'baseline.json'];
const update = [...known, '--update-baseline'];

const read = (folder: string, name = 'baseline.json'): string => readFileSync(join(folder, name), 'utf8');

/** `file:line` of what is printed. */
async function found(folder: string, ...commandLine: string[]): Promise<string[]> {
  const { stdout } = await execute(folder, '--format', 'json', ...commandLine);
  return (JSON.parse(stdout) as { filePath: string; messages: { line: number }[] }[]).flatMap(({ filePath, messages }) => messages.map(({ line }) => `${filePath.slice(folder.length + 1)}:${line}`));
}

describe('a baseline', () => {
  it('makes an old project start green, and lets new findings speak', async () => {
    const folder = folderWith({ 'a.mjs': file(take('one', 1), take('two', 2)), 'sub/b.mjs': file(take('three', 3, 3)) });
    expect(await found(folder)).toHaveLength(4);
    expect(await execute(folder, ...update)).toEqual({ status: 0, stdout: '', stderr: 'baseline.json is written; 4 findings added, 0 removed.\n' });
    expect(await execute(folder, ...known)).toEqual({ status: 0, stdout: '', stderr: '' });

    writeFileSync(join(folder, 'a.mjs'), file('// moved\n\n', take('two', 2), take('fresh', 9), take('one', 1)));
    writeFileSync(join(folder, 'c.mjs'), file(take('one', 1)));
    const { status, stderr } = await execute(folder, ...known);
    expect({ status, stderr }).toEqual({ status: 1, stderr: '' });
    expect(await found(folder, ...known)).toEqual(['a.mjs:9', 'c.mjs:4']);
  });

  it('is sorted, with a line for each entry that tells people what it is', async () => {
    const folder = folderWith({ 'b.mjs': file(take('three', 3, 3), "pool.query('SELECT pg_advisory_lock(1),\\n  1');\n"), 'a.mjs': file(take('one', 1)) });
    await execute(folder, ...update);
    const entry = (rest: string): string => `      { "rule": "advisory-lock/no-pool-session-lock", "fingerprint": "#", ${rest} }`;
    const lines = read(folder).replace(/"[0-9a-f]{16}"/g, '"#"').split('\n');
    expect(lines.slice(0, 5)).toEqual(['{', '  "version": 1,', '  "files": {', '    "a.mjs": [', entry(`"count": 1, "in": "one", "code": "pool.query('SELECT pg_advisory_lock(1)')"`)]);
    expect(lines).toContain('    "b.mjs": [');
    expect(lines.map((line) => line.replace(/,$/, ''))).toContain(entry(`"count": 2, "in": "three", "code": "pool.query('SELECT pg_advisory_lock(3)')"`));
    expect(JSON.parse(read(folder))).toMatchObject({ version: 1 });
    expect(read(folder).endsWith('\n}\n')).toBe(true);
  });

  it('knows each finding as often as it counts', async () => {
    const folder = folderWith({ 'a.mjs': file(take('one', 1, 1)) });
    await execute(folder, ...update);
    writeFileSync(join(folder, 'a.mjs'), file(take('one', 1, 1, 1)));
    expect(await found(folder, ...known)).toEqual(['a.mjs:6']);
  });

  it('counts paths from its own folder, wherever the command runs', async () => {
    const folder = folderWith({ 'ci/.keep': '', 'packages/app/a.mjs': file(take('one', 1)) });
    await execute(folder, '--baseline', 'ci/baseline.json', '--update-baseline');
    expect(read(folder, 'ci/baseline.json')).toContain('"../packages/app/a.mjs"');
    expect(await execute(join(folder, 'packages/app'), '--baseline', '../../ci/baseline.json')).toEqual({ status: 0, stdout: '', stderr: '' });
  });

  it('does not hide what cannot be analysed', async () => {
    const folder = folderWith({ 'a.mjs': file(take('one', 1)) });
    await execute(folder, ...update);
    writeFileSync(join(folder, 'a.mjs'), '/* advisory */ const = 1;');
    const { status, stderr } = await execute(folder, ...known);
    expect(status).toBe(2);
    expect(stderr).toMatch(/^a\.mjs:1:\d+ cannot be analysed: .*\n$/);
  });

  it('shows in SARIF and JSON what it knows, when asked', async () => {
    const folder = folderWith({ 'a.mjs': file(take('one', 1)) });
    await execute(folder, ...update);
    writeFileSync(join(folder, 'a.mjs'), file(take('one', 1), take('two', 2)));
    const sarif = await execute(folder, '--format', 'sarif', '--include-suppressed', ...known);
    expect(parseSarif(sarif.stdout).runs[0]?.results?.map(({ suppressions }) => suppressions)).toEqual([[{ kind: 'external' }], []]);
    const json = await execute(folder, '--format', 'json', '--include-suppressed', ...known);
    expect(JSON.parse(json.stdout)).toMatchObject([{ messages: [{ line: 7 }], suppressedMessages: [{ line: 4, suppressions: [{ kind: 'file' }] }] }]);
  });
});

describe('stale entries of a baseline', () => {
  it('are announced, do not fail the run, and go with an update', async () => {
    const folder = folderWith({ 'a.mjs': file(take('one', 1, 1, 1), take('two', 2)), 'gone.mjs': file(take('three', 3)), 'clean.mjs': file(take('four', 4)) });
    await execute(folder, ...update);
    writeFileSync(join(folder, 'a.mjs'), file(take('one', 1)));
    writeFileSync(join(folder, 'clean.mjs'), 'export {};\n');
    rmSync(join(folder, 'gone.mjs'));
    const { status, stdout, stderr } = await execute(folder, ...known);
    expect({ status, stdout }).toEqual({ status: 0, stdout: '' });
    expect(stderr.split('\n').map((line) => line.trimStart()).sort()).toEqual(
      [
        '',
        '5 findings of baseline.json are gone; run with --update-baseline to forget them:',
        "a.mjs  advisory-lock/no-pool-session-lock (2 times)  in one  pool.query('SELECT pg_advisory_lock(1)')",
        "a.mjs  advisory-lock/no-pool-session-lock  in two  pool.query('SELECT pg_advisory_lock(2)')",
        "clean.mjs  advisory-lock/no-pool-session-lock  in four  pool.query('SELECT pg_advisory_lock(4)')",
        "gone.mjs  advisory-lock/no-pool-session-lock  in three  pool.query('SELECT pg_advisory_lock(3)')",
      ].sort(),
    );
    expect((await execute(folder, ...update)).stderr).toBe('baseline.json is updated; 0 findings added, 5 removed.\n');
    expect(Object.keys((JSON.parse(read(folder)) as { files: object }).files)).toEqual(['a.mjs']);
    expect(await execute(folder, ...update)).toEqual({ status: 0, stdout: '', stderr: 'baseline.json is up to date.\n' });
  });

  it('are counted from the eleventh on', async () => {
    const keys = Array.from({ length: 12 }, (_, index) => index);
    const folder = folderWith({ 'a.mjs': file(...keys.map((key) => take(`f${key}`, key))) });
    await execute(folder, ...update);
    writeFileSync(join(folder, 'a.mjs'), '');
    const { stderr } = await execute(folder, ...known);
    expect(stderr.trim().split('\n')).toHaveLength(12);
    expect(stderr).toMatch(/\n {2}and 2 more\n$/);
  });

  it('are none of the run that looks at other files, at fewer rules, or that could not look', async () => {
    const weak = 'async function weak() {\n  const client = await pool.connect();\n  await client.query("SELECT pg_advisory_xact_lock(hashtext(\'a\'))");\n}\n';
    const files = { 'a.mjs': file(take('one', 1), weak), 'broken.mjs': file(take('two', 2)), 'off/b.mjs': file(take('three', 3)), 'off/eslint.config.mjs': 'export default [{}];' };
    const folder = folderWith(files);
    await execute(folder, ...update, '--preset', 'all');
    const whole = read(folder);
    expect(whole).toMatch(/no-weak-lock-key[^]*"three"/);
    writeFileSync(join(folder, 'broken.mjs'), '/* advisory */ const = 1;');
    writeFileSync(join(folder, 'off/eslint.config.mjs'), 'throw new Error("bad");');
    expect((await execute(folder, 'a.mjs', ...known)).stderr).toBe('');
    expect((await execute(folder, ...known)).stderr).not.toMatch(/gone/);
    expect(await execute(folder, 'a.mjs', '--preset', 'recommended', ...update)).toMatchObject({ status: 0, stderr: 'baseline.json is up to date.\n' });
    expect((await execute(folder, ...update)).stderr).toMatch(/cannot be analysed[^]*up to date/);
    expect(read(folder)).toBe(whole);
  });

  it('are none of a run over changes, for files that did not change', async () => {
    const { folder, write } = repositoryWith({ 'a.mjs': file(take('one', 1)), 'b.mjs': file(take('two', 2)) });
    await execute(folder, ...update);
    write({ 'b.mjs': file(take('three', 3)) });
    const { status, stderr } = await execute(folder, ...known, '--changed-since', 'main');
    expect(status).toBe(1);
    expect(stderr).toMatch(/^1 finding of baseline\.json is gone; run with --update-baseline to forget it:\n {2}b\.mjs /);
    await execute(folder, ...update, '--changed-since', 'main');
    expect(read(folder)).toMatch(/"a\.mjs": \[\n.*"in": "one".*\n.*\n.*"b\.mjs": \[\n.*"in": "three"/);
  });
});

describe('a baseline file', () => {
  const broken: readonly (readonly [string, string, RegExp])[] = [
    ['no JSON', '{ "version": 1, ', /it is no JSON \(.*\)\. Restore it from Git, or remove it and write it anew with --update-baseline\./],
    ['conflict markers', '{\n<<<<<<< HEAD\n  "version": 1\n=======\n}\n>>>>>>> main\n', /It has conflict markers of a merge: keep the entries of both sides/],
    ['no object', '[]', /baseline is \[\]; allowed: an object\. Restore it/],
    ['no version', '{ "files": {} }', /baseline lacks "version"/],
    ['a later version', '{ "version": 2, "entries": [] }', /version is 2; allowed: 1\. It was written by a later version of this command: update the package\./],
    ['an unknown version', '{ "version": "one", "files": {} }', /version is "one"; allowed: 1\. Restore/],
    ['a mistyped key', '{ "version": 1, "file": {} }', /baseline\.file is not known; allowed in baseline: version, files\. Did you mean "files"\?/],
    ['a bad count', '{ "version": 1, "files": { "a.mjs": [{ "rule": "r", "fingerprint": "f", "count": 0 }] } }', /baseline\.files\["a\.mjs"\]\[0\]\.count is 0; allowed: a number of findings, from 1/],
    ['an entry without a rule', '{ "version": 1, "files": { "a.mjs": [{ "fingerprint": "f", "count": 1 }] } }', /baseline\.files\["a\.mjs"\]\[0\] lacks "rule"; it needs rule, fingerprint, count/],
  ];

  it.each(broken)('with %s is refused and kept', async (_, text, message) => {
    const folder = folderWith({ 'a.mjs': file(take('one', 1)), 'baseline.json': text });
    for (const commandLine of [known, update]) {
      const { status, stdout, stderr } = await execute(folder, ...commandLine);
      expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
      expect(stderr).toMatch(/^The baseline baseline\.json cannot be used: /);
      expect(stderr).toMatch(message);
    }
    expect(read(folder)).toBe(text);
  });

  it('that is missing is no leave to accept everything', async () => {
    const folder = folderWith({ 'a.mjs': file(take('one', 1)) });
    const { status, stderr } = await execute(folder, ...known);
    expect(status).toBe(2);
    expect(stderr).toMatch(/^--baseline is "baseline\.json", which does not exist \(looked in .*\)\. Write it, .* --update-baseline\.\n$/);
  });

  it('that cannot be read or written is named', async () => {
    const folder = folderWith({ 'a.mjs': file(take('one', 1)), 'folder/.keep': '' });
    expect(await execute(folder, '--baseline', 'folder')).toMatchObject({ status: 2, stderr: expect.stringMatching(/^The baseline folder cannot be read: EISDIR/) });
    expect(await execute(folder, '--baseline', 'no/such/folder.json', '--update-baseline')).toMatchObject({ status: 2, stderr: expect.stringMatching(/^The baseline no\/such\/folder\.json cannot be written: ENOENT/) });
  });

  it('is replaced at once, leaving nothing behind, and stays the link or the mode that it is', async () => {
    const folder = folderWith({ 'a.mjs': file(take('one', 1)), 'real/.keep': '' });
    await execute(folder, '--baseline', 'real/baseline.json', '--update-baseline');
    chmodSync(join(folder, 'real/baseline.json'), 0o640);
    symlinkSync('real/baseline.json', join(folder, 'baseline.json'));
    writeFileSync(join(folder, 'a.mjs'), file(take('two', 2)));
    await execute(folder, ...update);
    expect(lstatSync(join(folder, 'baseline.json')).isSymbolicLink()).toBe(true);
    expect(statSync(join(folder, 'baseline.json')).mode & 0o777).toBe(0o640);
    expect(readdirSync(join(folder, 'real')).sort()).toEqual(['.keep', 'baseline.json']);
    // Counted from the folder of the name that is given.
    expect(read(folder)).toMatch(/"a\.mjs": \[\n.*"in": "two"/);
  });

  it('is whole at every moment: who has the old one open goes on reading it', async () => {
    const folder = folderWith({ 'a.mjs': file(take('one', 1)) });
    await execute(folder, ...update);
    const before = read(folder);
    const descriptor = openSync(join(folder, 'baseline.json'), 'r');
    try {
      writeFileSync(join(folder, 'a.mjs'), file(take('two', 2)));
      await execute(folder, ...update);
      expect(readFileSync(descriptor, 'utf8')).toBe(before);
      expect(read(folder)).not.toBe(before);
    } finally {
      closeSync(descriptor);
    }
  });

  it('with Windows line breaks is the same', async () => {
    const folder = folderWith({ 'a.mjs': file(take('one', 1)) });
    await execute(folder, ...update);
    const text = read(folder).replaceAll('\n', '\r\n');
    writeFileSync(join(folder, 'baseline.json'), text);
    expect((await execute(folder, ...update)).stderr).toBe('baseline.json is up to date.\n');
    expect(read(folder)).toBe(text);
    expect(await execute(folder, ...known)).toEqual({ status: 0, stdout: '', stderr: '' });
  });

  it('merged by hand may bring an entry twice', async () => {
    const folder = folderWith({ 'a.mjs': file(take('one', 1, 1)) });
    await execute(folder, ...update);
    const [entry = ''] = /\{ "rule".*\}/.exec(read(folder)) ?? [];
    const once = entry.replace('"count": 2', '"count": 1');
    writeFileSync(join(folder, 'baseline.json'), read(folder).replace(entry, `${once},\n${once}`));
    expect(await execute(folder, ...known)).toEqual({ status: 0, stdout: '', stderr: '' });
  });
});
