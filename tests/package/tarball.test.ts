import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { rules } from '../../src/rules.js';
import { folderWith } from '../command/in-folder.js';
import { built, projectRequire, root } from '../built.js';

interface Finished {
  status: number | null;
  stdout: string;
  stderr: string;
}

function run(folder: string, program: string, ...parameters: string[]): Finished {
  const { status, stdout, stderr } = spawnSync(program, parameters, { cwd: folder, encoding: 'utf8', input: '', shell: process.platform === 'win32' });
  return { status, stdout, stderr };
}

/** Runs a program that must succeed, and gives what it printed. */
function succeed(folder: string, program: string, ...parameters: string[]): string {
  const { status, stdout, stderr } = run(folder, program, ...parameters);
  if (status !== 0) throw new Error(`${program} ${parameters.join(' ')} ended with ${String(status)}:\n${stdout}${stderr}`);
  return stdout;
}

describe('the package, packed and installed', () => {
  let folder = '';
  let files: string[] = [];

  beforeAll(() => {
    built('index.cjs');
    const manifest = { name: 'user', version: '1.0.0', private: true };
    folder = folderWith({
      'package.json': JSON.stringify(manifest),
      'src/a.js': 'const advisory = 1;\nexport default advisory;\n',
      'src/b.ts': 'const advisory: number = 1;\nexport default advisory;\n',
      'esm/eslint.config.mjs': `import { defineConfig } from 'eslint/config';
        import advisoryLock from 'eslint-plugin-advisory-lock';
        export default defineConfig(advisoryLock.configs.recommended, { settings: { 'advisory-lock': { pooler: 'none' } } });`,
      'cjs/eslint.config.cjs': `const advisoryLock = require('eslint-plugin-advisory-lock');
        module.exports = [advisoryLock.configs.strict, advisoryLock.configs.pgbouncer];`,
      'both/eslint.config.mjs': `import advisoryLock from 'eslint-plugin-advisory-lock';
        import shared from './shared.cjs';
        export default [...shared, advisoryLock.configs.recommended];`,
      'both/shared.cjs': "module.exports = [require('eslint-plugin-advisory-lock').configs.all];",
      'wrong/eslint.config.mjs': `import advisoryLock from 'eslint-plugin-advisory-lock';
        export default [advisoryLock.configs.all, { settings: { 'advisory-lock': { pooler: 'pgbouncer' } } }];`,
    });
    const [packed] = JSON.parse(succeed(root, 'npm', 'pack', '--ignore-scripts', '--json', '--pack-destination', folder)) as {
      filename: string;
      files: { path: string }[];
    }[];
    if (!packed) throw new Error('npm pack made nothing');
    files = packed.files.map(({ path }) => path);
    // With the versions of this project, which npm's cache holds.
    const { version } = projectRequire('eslint/package.json') as { version: string };
    succeed(folder, 'npm', 'install', '--prefer-offline', '--no-audit', '--no-fund', `eslint@${version}`, join(folder, packed.filename));
  });

  it('holds the build, the documentation and the licence, and no source', () => {
    const folders = new Set(files.map((path) => path.split('/')[0]));
    expect([...folders].sort()).toEqual(expect.arrayContaining(['LICENSE', 'README.md', 'dist', 'docs', 'package.json']));
    expect(files.filter((path) => /^(src|rules|tests|scripts|bench|examples)\//.test(path))).toEqual([]);
  });

  it('brings neither TypeScript nor anything with an install script', () => {
    const lock = JSON.parse(succeed(folder, process.execPath, '-p', "require('fs').readFileSync('package-lock.json', 'utf8')")) as {
      packages: Record<string, { hasInstallScript?: boolean }>;
    };
    const installed = Object.entries(lock.packages);
    expect(installed.map(([path]) => path).filter((path) => /node_modules\/(typescript|@typescript-eslint\/.*)$/.test(path))).toEqual([]);
    expect(installed.filter(([, { hasInstallScript }]) => hasInstallScript === true).map(([path]) => path)).toEqual([]);
  });

  it.each(['esm', 'cjs', 'both'])('lints with a configuration in %s', (kind) => {
    writeFileSync(join(folder, kind, 'a.js'), '// pg_advisory_lock\nconst advisory = 1;\nexport default advisory;\n');
    expect(run(join(folder, kind), process.execPath, join(folder, 'node_modules/eslint/bin/eslint.js'), '.')).toEqual({ status: 0, stdout: '', stderr: '' });
  });

  it.skipIf(rules.length === 0)('explains a mistake in its settings', () => {
    writeFileSync(join(folder, 'wrong/a.js'), '// pg_advisory_lock\n');
    const { status, stderr } = run(join(folder, 'wrong'), process.execPath, join(folder, 'node_modules/eslint/bin/eslint.js'), '.');
    expect(status).toBe(2);
    expect(stderr).toContain(`settings['advisory-lock'].pooler is "pgbouncer"; allowed: "none", "session", "transaction".`);
  });

  it('has a command, which says how to get a parser for TypeScript', () => {
    const { status, stdout, stderr } = run(folder, process.execPath, join(folder, 'node_modules/.bin/eslint-plugin-advisory-lock'), 'src');
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toBe(
      '1 TypeScript file mentions locks, but there is no parser for TypeScript. Install it: npm install --save-dev @typescript-eslint/parser\n',
    );
    expect(run(folder, process.execPath, join(folder, 'node_modules/.bin/eslint-plugin-advisory-lock'), 'src/a.js')).toEqual({ status: 0, stdout: '', stderr: '' });
  });

  it.each(['nodenext', 'bundler'])('has types for configurations, with moduleResolution %s', (moduleResolution) => {
    const code = `import advisoryLock from 'eslint-plugin-advisory-lock';
      import type { Settings } from 'eslint-plugin-advisory-lock';
      import { defineConfig } from 'eslint/config';
      const settings: Settings = { pooler: 'transaction', handles: [{ is: 'db', role: 'pool', driver: 'pg' }] };
      const same: advisoryLock.Settings = settings;
      export default defineConfig(advisoryLock.configs.recommended, { plugins: { other: advisoryLock }, settings: { 'advisory-lock': same } });
      // @ts-expect-error a pooler has a mode, not a name
      export const wrong: Settings = { pooler: 'pgbouncer' };`;
    const required = `import advisoryLock = require('eslint-plugin-advisory-lock');
      const settings: advisoryLock.Settings = {};
      export = [advisoryLock.configs.all, { settings }];`;
    writeFileSync(join(folder, 'config.mts'), code);
    writeFileSync(join(folder, 'config.cts'), required);
    const module = moduleResolution === 'bundler' ? 'preserve' : 'nodenext';
    const tsc = projectRequire.resolve('typescript/lib/tsc.js');
    const configs = moduleResolution === 'bundler' ? ['config.mts'] : ['config.mts', 'config.cts'];
    const { stdout } = run(folder, process.execPath, tsc, '--noEmit', '--strict', '--target', 'es2022', '--module', module, '--moduleResolution', moduleResolution, ...configs);
    expect(stdout).toBe('');
  });
});
