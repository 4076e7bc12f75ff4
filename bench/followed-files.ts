import { rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import * as typescriptParser from '@typescript-eslint/parser';
import { ESLint, type Linter } from 'eslint';
import { createPlugin } from '../src/plugin.js';
import { writeProject } from './generated-project.js';

const rounds = 3;

/**
 * What reading other files costs, over a project in which one file in a hundred takes a lock, most of them through helpers of other files:
 * whole runs, with and without the plugin, with and without types. Parsing and the checker's program are in all of them.
 */
export async function followedFiles(): Promise<void> {
  const { folder, files } = writeProject({ files: 1_200, sites: 12, copies: 0 });
  try {
    writeFileSync(join(folder, 'tsconfig.json'), '{ "compilerOptions": { "target": "es2022", "module": "nodenext", "strict": true, "skipLibCheck": true, "types": [] }, "include": ["src"] }');
    symlinkSync(resolve('node_modules'), join(folder, 'node_modules'));
    console.log(`\nreading other files: ${files} files, ${rounds} runs each, the fastest`);
    const typed: Linter.ParserOptions = { projectService: true, tsconfigRootDir: folder, disallowAutomaticSingleRunInference: true };
    const typedRules: Linter.RulesRecord = { 'ts/no-floating-promises': 'error', 'ts/no-misused-promises': 'error' };
    for (const [name, parserOptions, rules] of [['without types', {}, { 'no-unused-vars': 'error' }], ['with types, beside two typed rules', typed, typedRules]] as const) {
      const alone = { rules };
      const followed = { ...createPlugin().configs.all, rules: { ...createPlugin().configs.all.rules, ...rules } };
      const configs: Readonly<Record<string, Linter.Config>> = {
        'without the plugin': alone,
        'imports not followed': { ...followed, settings: { 'advisory-lock': { followImports: false } } },
        'imports followed': followed,
      };
      const fastest = new Map<string, number>();
      // In turns, so that whatever else the machine does falls on all of them.
      for (let round = 0; round < rounds; round++) {
        for (const [label, config] of Object.entries(configs)) {
          const took = await timeOf(config, parserOptions, folder);
          fastest.set(label, Math.min(took, fastest.get(label) ?? Infinity));
        }
      }
      const base = fastest.get('without the plugin') ?? 0;
      console.log(`  ${name}`);
      for (const [label, took] of fastest) console.log(`    ${label.padEnd(22)} ${took.toFixed(0).padStart(6)} ms${base === took ? '' : `   ${((took / base - 1) * 100).toFixed(1).padStart(5)} % more`}`);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function timeOf(config: Linter.Config, parserOptions: Linter.ParserOptions, cwd: string): Promise<number> {
  const eslint = new ESLint({
    cwd,
    overrideConfigFile: true,
    allowInlineConfig: false,
    overrideConfig: [{ files: ['**/*.ts'], languageOptions: { parser: typescriptParser, parserOptions } }, { files: ['**/*.ts'], ...config, plugins: { ...config.plugins, ts: typescriptPlugin() } }],
  });
  const { user: before } = process.cpuUsage();
  await eslint.lintFiles(['src']);
  return (process.cpuUsage().user - before) / 1_000;
}

/** Required when it is needed: TypeScript's compiler does not run from inside a bundle of modules. */
function typescriptPlugin(): ESLint.Plugin {
  const loaded: unknown = createRequire(import.meta.url)('typescript-eslint');
  const plugin: unknown = typeof loaded === 'object' && loaded !== null ? Reflect.get(loaded, 'plugin') : null;
  if (!isPlugin(plugin)) throw new Error('typescript-eslint has no plugin.');
  return plugin;
}

const isPlugin = (value: unknown): value is ESLint.Plugin => typeof value === 'object' && value !== null && 'rules' in value;
