import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { folderWith } from '../temporary-folder.js';
import { linkPackages } from '../hosts/eslint-server.js';
import { built, projectRequire, root } from '../built.js';

/** Configurations as users write them, in both module systems and both languages; a line with a mistake says so. */
const withDefineConfig = {
  'eslint.config.mjs': `// @ts-check
    import advisoryLock from 'eslint-plugin-advisory-lock';
    import { defineConfig } from 'eslint/config';
    /** @type {import('eslint-plugin-advisory-lock').Settings} */
    const settings = { pooler: 'transaction', handles: [{ is: 'db', role: 'pool', driver: 'pg' }] };
    export default defineConfig(
      advisoryLock.configs.recommended,
      { files: ['jobs/**'], extends: [advisoryLock.configs.strict], settings: { 'advisory-lock': settings } },
      { plugins: { 'advisory-lock': advisoryLock }, extends: ['advisory-lock/pgbouncer'] },
      { files: ['**/*.sql'], plugins: { 'advisory-lock': advisoryLock }, language: 'advisory-lock/sql', languageOptions: { dialect: 'mysql' } },
      // @ts-expect-error there is no configuration of this name
      advisoryLock.configs.strictest,
    );`,
  'eslint.config.cjs': `// @ts-check
    const advisoryLock = require('eslint-plugin-advisory-lock');
    const { defineConfig } = require('eslint/config');
    module.exports = defineConfig([advisoryLock.configs.all, { rules: { 'advisory-lock/prefer-xact-lock': 'off' } }]);
    // @ts-expect-error there is no configuration of this name
    advisoryLock.configs.strictest;`,
  'eslint.config.mts': `import advisoryLock, { type Driver, type Settings } from 'eslint-plugin-advisory-lock';
    import { defineConfig } from 'eslint/config';
    const settings: Settings = { wrappers: [{ call: 'withLock', does: 'hold', level: 'session', key: 0, callback: 1 }], drivers: [] satisfies Driver[] };
    const same: advisoryLock.Settings = settings;
    export default defineConfig([advisoryLock.configs.pgbouncer, { settings: { 'advisory-lock': same } }]);
    // @ts-expect-error a pooler has a mode, not a name
    export const wrong: Settings = { pooler: 'pgbouncer' };`,
};

const withoutDefineConfig = {
  'eslint.config.cts': `import advisoryLock = require('eslint-plugin-advisory-lock');
    import type { Linter } from 'eslint';
    const settings: advisoryLock.Settings = {};
    const configs: Linter.Config[] = [advisoryLock.configs.all, { settings: { 'advisory-lock': settings } }];
    export = configs;`,
};

const withTypescriptEslint = {
  'eslint.config.mjs': `// @ts-check
    import advisoryLock from 'eslint-plugin-advisory-lock';
    import { defineConfig } from 'eslint/config';
    import tseslint from 'typescript-eslint';
    export default defineConfig(tseslint.configs.base, advisoryLock.configs.recommended);`,
  'tseslint.config.mts': `import advisoryLock from 'eslint-plugin-advisory-lock';
    import tseslint from 'typescript-eslint';
    export default tseslint.config(tseslint.configs.base, { files: ['**/*.ts'], extends: [advisoryLock.configs.recommended] }, advisoryLock.configs.all);`,
};

interface Setup {
  readonly typescript: string;
  readonly eslint: string;
  readonly moduleResolution: 'nodenext' | 'bundler';
  readonly files: Readonly<Record<string, string>>;
  /** Left out, all declarations are checked, ESLint's and ours. */
  readonly skipLibCheck?: boolean;
}

const { 'eslint.config.mts': moduleInTypescript } = withDefineConfig;

const setups: readonly [string, Setup][] = [
  ['TypeScript 6 and ESLint 10', { typescript: 'typescript', eslint: 'eslint', moduleResolution: 'nodenext', files: { ...withDefineConfig, ...withoutDefineConfig } }],
  ['TypeScript 6, for a bundler', { typescript: 'typescript', eslint: 'eslint', moduleResolution: 'bundler', files: { 'eslint.config.mts': moduleInTypescript } }],
  // typescript-eslint's own declarations bring those of TypeScript itself.
  ['typescript-eslint', { typescript: 'typescript', eslint: 'eslint', moduleResolution: 'nodenext', files: withTypescriptEslint, skipLibCheck: true }],
  ['TypeScript 5.9 and ESLint 9.39', { typescript: 'typescript5', eslint: 'eslint9', moduleResolution: 'nodenext', files: withDefineConfig }],
  ['ESLint 9.15, which has no defineConfig', { typescript: 'typescript5', eslint: 'eslint9-15', moduleResolution: 'nodenext', files: withoutDefineConfig }],
];

const folderOf = (name: string): string => dirname(projectRequire.resolve(`${name}/package.json`));

/** The compiler's complaints about the configurations and about our declarations; those of other packages are not ours to fix. */
function complaints({ typescript, eslint, moduleResolution, files, skipLibCheck = false }: Setup): string[] {
  const folder = folderWith(files);
  linkPackages(folder, { eslint: folderOf(eslint), 'typescript-eslint': folderOf('typescript-eslint') });
  // A copy: behind a link, the declarations would see this project's ESLint instead of the user's.
  const installed = join(folder, 'node_modules/eslint-plugin-advisory-lock');
  mkdirSync(installed);
  cpSync(join(root, 'package.json'), join(installed, 'package.json'));
  cpSync(dirname(built('index.d.cts')), join(installed, 'dist'), { recursive: true });
  writeFileSync(
    join(folder, 'tsconfig.json'),
    JSON.stringify({
      compilerOptions: {
        strict: true,
        noEmit: true,
        target: 'es2022',
        module: moduleResolution === 'bundler' ? 'preserve' : 'nodenext',
        moduleResolution,
        allowJs: true,
        exactOptionalPropertyTypes: true,
        skipLibCheck,
        types: [],
      },
      files: Object.keys(files),
    }),
  );
  const { stdout } = spawnSync(process.execPath, [join(folderOf(typescript), 'lib/tsc.js'), '--pretty', 'false'], { cwd: folder, encoding: 'utf8' });
  return stdout.split('\n').filter((line) => /^(?:eslint|tseslint)\.config|eslint-plugin-advisory-lock|^error/.test(line));
}

describe('the configurations, as the compiler sees them', { timeout: 180_000 }, () => {
  it.each(setups)('are taken by %s', (_, setup) => {
    expect(complaints(setup)).toEqual([]);
  });

  it('are really looked at', () => {
    const setup = { typescript: 'typescript', eslint: 'eslint', moduleResolution: 'bundler' } as const;
    const files = { 'eslint.config.mts': "import advisoryLock from 'eslint-plugin-advisory-lock';\nexport default advisoryLock.configs.strictest;" };
    expect(complaints({ ...setup, files })).toEqual([expect.stringContaining("Property 'strictest' does not exist")]);
  });
});
