import { spawnSync } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { createPlugin, type AdvisoryLockPlugin } from '../../src/plugin.js';
import { built, projectRequire, root } from '../built.js';

const dist = dirname(built('index.cjs'));

/** Runs code in a fresh process and gives what it prints. */
function print(code: string, ...flags: string[]): string {
  const { stdout, stderr, status } = spawnSync(process.execPath, [...flags, '-e', code], { cwd: root, encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
  return stdout.trim();
}

describe('the built plugin', () => {
  it('is what the source makes', () => {
    const { meta, rules } = projectRequire(built('index.cjs')) as AdvisoryLockPlugin;
    expect(meta).toEqual(createPlugin().meta);
    expect(Object.keys(rules)).toEqual(Object.keys(createPlugin().rules));
  });

  it('is one object, imported or required', () => {
    const code = `import('eslint-plugin-advisory-lock').then(({ default: imported }) =>
      console.log(imported === require('eslint-plugin-advisory-lock'), Object.keys(imported).sort().join()))`;
    expect(print(code)).toMatch(/^true configs,(languages,)?meta,rules$/);
  });

  it('is required without a warning, so that no module of it waits at its top', () => {
    const { stderr } = spawnSync(process.execPath, ['-e', "require('eslint-plugin-advisory-lock')"], { cwd: root, encoding: 'utf8' });
    expect(stderr).toBe('');
  });

  it('loads only what the rules need, and nothing heavy before a file mentions a lock', () => {
    const code = "require('eslint-plugin-advisory-lock'); console.log(JSON.stringify(Object.keys(require.cache)))";
    const loaded = (JSON.parse(print(code)) as string[]).map((path) => path.replaceAll('\\', '/'));
    const own = loaded.filter((path) => dirname(path) === dist.replaceAll('\\', '/')).map((path) => basename(path));
    const packages = loaded.flatMap((path) => /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? []);
    expect(own.sort()).toEqual(['index.cjs', 'plugin.cjs', 'rolldown-runtime.cjs']);
    // What the language for SQL files is made with; ESLint has loaded it before any plugin.
    expect([...new Set(packages)].filter((name) => !['@eslint/plugin-kit', 'levn', 'prelude-ls', 'type-check'].includes(name))).toEqual([]);
  });

  it('has types that name no package but ESLint', () => {
    const declarations = readFileSync(built('index.d.cts'), 'utf8');
    const imports = [...declarations.matchAll(/^(?:import|export) .* from ["']([^"']+)["']|import\(["']([^"']+)["']\)/gm)].map(([, name, inner]) => name ?? inner);
    expect([...new Set(imports)]).toEqual(['eslint']);
    expect(declarations).not.toContain('@typescript-eslint');
    expect(declarations).toMatch(/export = plugin;\s*$/);
  });

  it('is re-exported by its ESM entry in one line', () => {
    expect(readFileSync(built('index.mjs'), 'utf8')).toBe("export { default } from './index.cjs';\n");
    expect(readdirSync(dist).filter((name) => name.endsWith('.mjs'))).toEqual(['index.mjs']);
  });
});
