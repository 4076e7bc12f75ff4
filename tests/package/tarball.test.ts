import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { folderWith } from '../temporary-folder.js';
import { built, projectRequire, root } from '../built.js';

interface Finished {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

function run(folder: string, program: string, ...parameters: readonly string[]): Finished {
  const { status, stdout, stderr } = spawnSync(program, parameters, { cwd: folder, encoding: 'utf8', input: '', shell: process.platform === 'win32' });
  return { status, stdout, stderr };
}

/** Runs a program that must succeed, and gives what it printed. */
function succeed(folder: string, program: string, ...parameters: readonly string[]): string {
  const { status, stdout, stderr } = run(folder, program, ...parameters);
  if (status !== 0) throw new Error(`${program} ${parameters.join(' ')} ended with ${String(status)}:\n${stdout}${stderr}`);
  return stdout;
}

const versionOf = (name: string): string => (projectRequire(`${name}/package.json`) as { version: string }).version;
/** Some packages let nobody resolve their programs. */
const programOf = (name: string, path: string): string => join(root, 'node_modules', name, path);

interface Packed {
  readonly filename: string;
  readonly size: number;
  readonly unpackedSize: number;
  readonly files: readonly { readonly path: string }[];
}

let packed: Packed;
let tarball = '';
let registry = '';

beforeAll(() => {
  built('index.cjs');
  const folder = folderWith({});
  const [made] = JSON.parse(succeed(root, 'npm', 'pack', '--ignore-scripts', '--json', '--pack-destination', folder)) as Packed[];
  if (!made) throw new Error('npm pack made nothing');
  packed = made;
  tarball = join(folder, made.filename);
  // The other package managers have configurations of their own; the user's registry is the one that npm knows.
  registry = succeed(root, 'npm', 'config', 'get', 'registry').trim();
});

describe('the tarball', () => {
  it('holds the build, the documentation and the licence, and no source', () => {
    const paths = packed.files.map(({ path }) => path);
    expect([...new Set(paths.map((path) => path.split('/')[0]))].sort()).toEqual(expect.arrayContaining(['LICENSE', 'README.md', 'dist', 'docs', 'package.json']));
    expect(paths).toEqual(expect.arrayContaining(['docs/rules/no-pool-session-lock.md', 'docs/settings.md']));
    expect(paths.filter((path) => /^(src|rules|tests|scripts|bench|examples)\//.test(path))).toEqual([]);
  });

  it('runs nothing when it is installed', () => {
    const { scripts = {} } = projectRequire('./package.json') as { scripts?: Record<string, string> };
    expect(Object.keys(scripts).filter((name) => /^(?:(?:pre|post)?install|(?:pre|post)?prepare|dependencies)$/.test(name))).toEqual([]);
  });

  it('stays small', () => {
    const kilobytes = (bytes: number): number => Math.round(bytes / 1_000);
    process.stdout.write(`the tarball: ${kilobytes(packed.size)} kB packed, ${kilobytes(packed.unpackedSize)} kB unpacked, ${packed.files.length} files\n`);
    // Room for a quarter more than what it was when this was written; whoever needs more than that decides it here.
    expect(kilobytes(packed.size)).toBeLessThan(600);
    expect(kilobytes(packed.unpackedSize)).toBeLessThan(2_400);
  });
});

const code = "import { Pool } from 'pg';\nexport const lock = () => new Pool().query('SELECT pg_advisory_lock(1)');\n";
const files = {
  'package.json': JSON.stringify({ name: 'user', version: '1.0.0', license: 'MIT', private: true }),
  'typed/a.js': code,
  'typed/b.ts': code,
  'esm/eslint.config.mjs': `import { defineConfig } from 'eslint/config';
    import advisoryLock from 'eslint-plugin-advisory-lock';
    export default defineConfig(advisoryLock.configs.recommended, { settings: { 'advisory-lock': { pooler: 'none' } } });`,
  'esm/a.js': code,
  'cjs/eslint.config.cjs': `const advisoryLock = require('eslint-plugin-advisory-lock');
    module.exports = [advisoryLock.configs.strict];`,
  'cjs/a.js': code,
  'both/eslint.config.mjs': `import advisoryLock from 'eslint-plugin-advisory-lock';
    import shared from './shared.cjs';
    export default [...shared, advisoryLock.configs.recommended];`,
  'both/shared.cjs': "module.exports = [require('eslint-plugin-advisory-lock').configs.all];",
  'both/a.js': code,
  'oxlint/.oxlintrc.json': JSON.stringify({
    jsPlugins: ['eslint-plugin-advisory-lock'],
    plugins: [],
    categories: { correctness: 'off' },
    rules: { 'advisory-lock/no-pool-session-lock': 'error' },
  }),
  'oxlint/a.js': code,
  'wrong/eslint.config.mjs': `import advisoryLock from 'eslint-plugin-advisory-lock';
    export default [advisoryLock.configs.all, { settings: { 'advisory-lock': { pooler: 'pgbouncer' } } }];`,
  'wrong/a.js': '// pg_advisory_lock\n',
};

type Install = (folder: string, packages: readonly string[]) => void;

/** With caches of their own, so that a second run downloads nothing. */
const managers: Readonly<Record<'npm' | 'pnpm' | 'yarn', Install>> = {
  npm: (folder, packages) => succeed(folder, 'npm', 'install', '--prefer-offline', '--no-audit', '--no-fund', ...packages),
  pnpm: (folder, packages) => {
    const store = join(root, '.cache/pnpm');
    succeed(folder, process.execPath, programOf('pnpm', 'bin/pnpm.cjs'), 'add', '--registry', registry, '--prefer-offline', '--store-dir', store, ...packages);
  },
  yarn: (folder, packages) => {
    const cache = join(root, '.cache/yarn');
    succeed(folder, process.execPath, programOf('yarn', 'bin/yarn.js'), 'add', '--registry', registry, '--prefer-offline', '--non-interactive', '--cache-folder', cache, ...packages);
  },
};

describe.each(Object.entries(managers))('the package, installed with %s', { timeout: 180_000 }, (_, install) => {
  let folder = '';

  beforeAll(() => {
    folder = folderWith(files);
    install(folder, [`eslint@${versionOf('eslint')}`, tarball]);
  }, 180_000);

  it('is what was packed', () => {
    expect(readFileSync(join(folder, 'node_modules/eslint-plugin-advisory-lock/dist/plugin.cjs'), 'utf8')).toBe(readFileSync(built('plugin.cjs'), 'utf8'));
  });

  it.each(['esm', 'cjs', 'both'])('lints with a configuration in %s', (kind) => {
    const { stdout, stderr } = run(join(folder, kind), process.execPath, join(folder, 'node_modules/eslint/bin/eslint.js'), '--format', 'json', '.');
    expect(stderr).toBe('');
    const results = JSON.parse(stdout) as { messages: { ruleId: string }[] }[];
    expect(results.flatMap(({ messages }) => messages.map(({ ruleId }) => ruleId))).toEqual(['advisory-lock/no-pool-session-lock']);
  });

  it('is a plugin of oxlint', () => {
    const { stdout, status } = run(join(folder, 'oxlint'), process.execPath, programOf('oxlint', 'bin/oxlint'), '--format', 'unix');
    expect(status).toBe(1);
    expect(stdout).toMatch(/^a\.js:2:27: `pg_advisory_lock` .*\[Error\/advisory-lock\(no-pool-session-lock\)\]$/m);
  });
});

describe('the package, installed', { timeout: 180_000 }, () => {
  let folder = '';

  beforeAll(() => {
    folder = folderWith(files);
    managers.npm(folder, [`eslint@${versionOf('eslint')}`, tarball]);
  }, 180_000);

  it('explains a mistake in its settings', () => {
    const { status, stderr } = run(join(folder, 'wrong'), process.execPath, join(folder, 'node_modules/eslint/bin/eslint.js'), '.');
    expect(status).toBe(2);
    expect(stderr).toContain(`settings['advisory-lock'].pooler is "pgbouncer"; allowed: "none", "session", "transaction".`);
  });

  it('has a command, which says how to get a parser for TypeScript', () => {
    const command = join(folder, 'node_modules/eslint-plugin-advisory-lock/dist/command.cjs');
    const { status, stdout, stderr } = run(folder, process.execPath, command, '--no-config', 'typed');
    expect(status).toBe(2);
    expect(stdout).toContain('no-pool-session-lock');
    expect(stderr).toBe(
      '1 TypeScript file mentions locks, but there is no parser for TypeScript. Install it: npm install --save-dev @typescript-eslint/parser\n',
    );
  });

  it('brings neither TypeScript nor anything with an install script', () => {
    const { packages } = JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8')) as { packages: Record<string, { hasInstallScript?: boolean }> };
    expect(Object.keys(packages).filter((path) => /node_modules\/(typescript|@typescript-eslint\/.*)$/.test(path))).toEqual([]);
    expect(Object.entries(packages).filter(([, { hasInstallScript }]) => hasInstallScript === true).map(([path]) => path)).toEqual([]);
  });
});
