import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { folderWith } from '../temporary-folder.js';
import { linkPackages } from '../hosts/eslint-server.js';
import { projectRequire, root } from '../built.js';
import { headingsOf, namesIn, read } from './project.js';

const code = "import { Pool } from 'pg';\nvoid new Pool().query('SELECT pg_advisory_lock(1)');\n";
const files = {
  'package.json': '{ "type": "module" }',
  'advisory-lock.facts.json': '{}',
  'tsconfig.json': '{ "include": ["*.ts"], "compilerOptions": { "types": [] } }',
  'a.js': code,
  'b.ts': `${code}export const typed: number = 1;\n`,
  'c.vue': `<script setup lang="ts">\n${code}</script>\n<template><p /></template>\n`,
  'd.svelte': `<script lang="ts">\n${code}</script>\n<p></p>\n`,
  'e.astro': `---\n${code}---\n<p></p>\n`,
};
const linted = Object.keys(files).filter((name) => !name.endsWith('json'));

/** The complete configurations that the documentation shows, and the files that each of them must have linted. */
const expected: Readonly<Record<string, readonly string[]>> = {
  'README.md: Install': ['a.js', 'b.ts'],
  'docs/hosts.md: ESLint': ['a.js', 'b.ts'],
  'docs/hosts.md: ESLint, the 2nd': ['a.js', 'b.ts'],
  'docs/hosts.md: With types': ['b.ts'],
  'docs/hosts.md: Vue, Svelte and Astro': ['a.js', 'c.vue', 'd.svelte', 'e.astro'],
  'docs/settings.md: Settings': ['a.js'],
  'docs/settings.md: With `--cache`': ['a.js'],
};

const documented = ['README.md', ...namesIn('docs', '.md').map((name) => `docs/${name}.md`)].flatMap((page) =>
  headingsOf(read(page)).flatMap(({ text, body }) =>
    [...body.matchAll(/```[jt]s\n\/\/ eslint\.config\.[jt]s\n(.*?)```/gs)].map(([, config = ''], index) => ({
      title: `${page}: ${text}${index === 0 ? '' : ', the 2nd'}`,
      config,
    })),
  ),
);

describe('the configurations in the documentation', () => {
  it('are those that are known here', () => {
    expect(documented.map(({ title }) => title)).toEqual(Object.keys(expected));
  });

  it.each(documented)('lint what they are shown for: $title', { timeout: 120_000 }, ({ title, config }) => {
    const folder = folderWith(files);
    writeFileSync(join(folder, 'eslint.config.js'), config);
    const packages = ['eslint', 'typescript-eslint', 'vue-eslint-parser', 'svelte-eslint-parser', 'astro-eslint-parser'];
    const folderOf = (name: string): string => dirname(projectRequire.resolve(`${name}/package.json`));
    linkPackages(folder, { ...Object.fromEntries(packages.map((name) => [name, folderOf(name)])), 'eslint-plugin-advisory-lock': root });
    const program = join(folderOf('eslint'), 'bin/eslint.js');
    const { stdout, stderr } = spawnSync(process.execPath, [program, '--format', 'json', '--no-error-on-unmatched-pattern', ...linted], { cwd: folder, encoding: 'utf8' });
    // Node 20 warns that JSON is imported.
    expect(stderr).not.toMatch(/Oops|Error/);
    const results = JSON.parse(stdout) as { filePath: string; messages: { ruleId: string | null; message: string }[] }[];
    const found = results.filter(({ messages }) => messages.some(({ ruleId }) => ruleId === 'advisory-lock/no-pool-session-lock'));
    expect(found.map(({ filePath }) => filePath.slice(folder.length + 1))).toEqual(expected[title]);
  });
});
