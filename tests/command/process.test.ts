import { spawn, spawnSync } from 'node:child_process';
import { accessSync, closeSync, constants, existsSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createHost } from '../../src/command/host.js';
import { built } from '../built.js';
import { folderWith } from '../temporary-folder.js';
import { projectWith } from './in-project.js';

const execute = (folder: string, ...commandLine: string[]) =>
  spawnSync(process.execPath, [built('command.cjs'), ...commandLine], { cwd: folder, encoding: 'utf8', input: '' });

describe('the built command', () => {
  it('is a program of its own', () => {
    expect(readFileSync(built('command.cjs'), 'utf8')).toMatch(/^#!\/usr\/bin\/env node\n/);
    expect(() => {
      accessSync(built('command.cjs'), constants.X_OK);
    }).not.toThrow();
  });

  it.each<[string, string[], number]>([
    ['nothing is found', [], 0],
    ['help is asked for', ['--help'], 0],
    ['it is called wrongly', ['--nonsense'], 2],
    ['a file cannot be parsed', ['broken.js'], 2],
  ])('ends by itself, with the right status, when %s', (_, commandLine, status) => {
    const folder = folderWith({ 'src/a.ts': 'x;', 'broken.js': '/* advisory */ const = 1;', '.gitignore': 'broken.js' });
    expect(execute(folder, ...commandLine).status).toBe(status);
  });

  const manyFiles = () => Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`${'long'.repeat(30)}${index}.js`, '/* advisory */ const = 1;']));

  it('is heard to the end by a reader that takes its time', async () => {
    const child = spawn(process.execPath, [built('command.cjs'), '--format', 'json'], { cwd: folderWith(manyFiles()), stdio: ['ignore', 'pipe', 'ignore'] });
    const closed = new Promise((done) => child.on('close', done));
    let stdout = '';
    // Listening comes first: what nobody listens to is thrown away once the process has ended.
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => (stdout += chunk)).pause();
    setTimeout(() => child.stdout.resume(), 2000);
    expect(await closed).toBe(2);
    expect(stdout.length).toBeGreaterThan(64 * 1024);
    expect(JSON.parse(stdout)).toHaveLength(300);
  });

  it.each(['json', 'sarif', 'github', 'gitlab', 'rdjson', 'stylish'])('ends quietly when what it prints to is closed: %s', async (format) => {
    const folder = folderWith({ 'a.mjs': "import { Pool } from 'pg';\nexport const take = () => new Pool().query('SELECT pg_advisory_lock(1)');\n" });
    const child = spawn(process.execPath, [built('command.cjs'), '--format', format], { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
    let stderr = '';
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => (stderr += chunk));
    child.stdout.destroy();
    expect({ status: await new Promise((done) => child.on('close', done)), stderr }).toEqual({ status: 1, stderr: '' });
  });

  it.skipIf(!existsSync('/dev/full'))('says when the output cannot be written, which is no complete report', () => {
    const full = openSync('/dev/full', 'w');
    try {
      const { status, stderr } = spawnSync(process.execPath, [built('command.cjs'), '--format', 'sarif'], { cwd: folderWith({}), encoding: 'utf8', stdio: ['ignore', full, 'pipe'] });
      expect({ status, stderr }).toEqual({ status: 2, stderr: 'The output cannot be written: ENOSPC: no space left on device, write\n' });
    } finally {
      closeSync(full);
    }
  });

  it('survives a reader that goes away', async () => {
    const files = manyFiles();
    const child = spawn(process.execPath, [built('command.cjs'), '--format', 'json'], { cwd: folderWith(files), stdio: ['ignore', 'pipe', 'pipe'] });
    let stderr = '';
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => (stderr += chunk));
    child.stdout.destroy();
    const status = await new Promise((done) => child.on('close', done));
    expect(status).toBe(2);
    expect(stderr).not.toMatch(/EPIPE/);
  });
});

describe('the host', () => {
  it.each([
    ['eslint9', /^9\.39/],
    ['eslint9-15', /^9\.15/],
    ['eslint', /^10\./],
  ])("is the linted project's own ESLint: %s", (installedAs, version) => {
    expect(createHost(projectWith({ eslint: installedAs })).eslint().version).toMatch(version);
  });

  it('is our own where the project has none, or one that is too old', () => {
    const old = folderWith({
      'node_modules/eslint/package.json': '{ "name": "eslint", "version": "8.57.1", "main": "api.js" }',
      'node_modules/eslint/api.js': 'exports.ESLint = class { static version = "8.57.1" };',
    });
    expect(createHost(old).eslint().version).toMatch(/^10\./);
    expect(createHost(folderWith({})).eslint().version).toMatch(/^10\./);
  });

  it('has the parser of the project, also where it hides behind typescript-eslint', () => {
    const parser = 'exports.meta = { name: "own" }; exports.parseForESLint = () => ({});';
    const direct = folderWith({ 'node_modules/@typescript-eslint/parser/index.js': parser });
    const hidden = folderWith({
      'node_modules/typescript-eslint/index.js': '',
      'node_modules/typescript-eslint/node_modules/@typescript-eslint/parser/index.js': parser,
    });
    const broken = folderWith({ 'node_modules/@typescript-eslint/parser/index.js': 'throw new Error("no TypeScript");' });
    expect(createHost(direct).typescriptParser()?.meta?.name).toBe('own');
    expect(createHost(hidden).typescriptParser()?.meta?.name).toBe('own');
    expect(createHost(broken).typescriptParser()?.meta?.name).toBe('typescript-eslint/parser');
  });

  it.each(['eslint9', 'eslint9-15', 'eslint'])('analyses with %s', (installedAs) => {
    const folder = projectWith({ eslint: installedAs });
    writeFileSync(join(folder, 'eslint.config.mjs'), "export default [{ settings: { 'advisory-lock': { pooler: 'none' } } }];");
    writeFileSync(join(folder, 'a.js'), '/* advisory */ const = 1;');
    writeFileSync(join(folder, 'b.js'), "'advisory';");
    const { status, stderr } = execute(folder);
    expect(status).toBe(2);
    expect(stderr).toMatch(/^a\.js:1:\d+ cannot be analysed: Parsing error/);
    expect(stderr.trim().split('\n')).toHaveLength(1);
  });
});
