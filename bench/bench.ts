// Measures what the plugin costs: `npm run bench [folder …]`. Everything is measured in one run, as ratios, because
// times of different runs on a busy machine cannot be compared.
import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { resolve } from 'node:path';
import * as typescriptParser from '@typescript-eslint/parser';
import { ESLint, Linter } from 'eslint';
import { createPlugin } from '../src/plugin.js';
import { mentionsLock } from '../src/sql/lock-functions.js';
import { followedFiles } from './followed-files.js';
import { writeTree } from './generated-tree.js';
import { locksOfProject } from './locks-of-project.js';
import { latency } from './keystrokes.js';

const rounds = 3;
const plugin = createPlugin();

const configs: Readonly<Record<string, Linter.Config>> = {
  'no rules': {},
  'no-unused-vars': { rules: { 'no-unused-vars': 'error' } },
  "this plugin's all": plugin.configs.all,
};

const linterWith = (config: Linter.Config): ESLint =>
  new ESLint({
    cwd: '/',
    overrideConfigFile: true,
    allowInlineConfig: false,
    stats: true,
    overrideConfig: [
      { files: ['**/*.{js,mjs,cjs,jsx,ts,mts,cts,tsx}'], languageOptions: { parserOptions: { ecmaFeatures: { jsx: true } } }, ...config },
      { files: ['**/*.{ts,mts,cts,tsx}'], languageOptions: { parser: typescriptParser } },
    ],
  });

startUp();
const generated = writeTree();
try {
  for (const folder of [generated, ...process.argv.slice(2).map((path) => resolve(path))]) {
    console.log(`\n${folder === generated ? 'a generated tree' : folder}`);
    const files = await sharesOf(folder);
    await perFileWithLocks(files);
  }
} finally {
  rmSync(generated, { recursive: true, force: true });
}
await perFileWithLocks([resolve('examples/incidents/*.ts')]);
growth();
await editor();
await followedFiles();
await locksOfProject();

/** Fresh processes: what importing the plugin takes, and what the first statement adds, which starts the SQL parser. */
function startUp(): void {
  const measure = (body: string): number => {
    const times = Array.from({ length: 9 }, () => {
      const { stdout, stderr } = spawnSync(process.execPath, ['-e', body], { encoding: 'utf8' });
      if (stderr) throw new Error(stderr);
      return Number(stdout);
    });
    return median(times);
  };
  const importing = measure("const s = performance.now(); require('./dist/index.cjs'); console.log(performance.now() - s)");
  const code = JSON.stringify("import { Pool } from 'pg'; new Pool().query('SELECT pg_try_advisory_lock(1)');");
  const first = measure(`
    const plugin = require('./dist/index.cjs'); const { Linter } = require('eslint'); const linter = new Linter();
    linter.verify('x', plugin.configs.all);
    const s = performance.now(); linter.verify(${code}, plugin.configs.all); console.log(performance.now() - s)`);
  console.log(`start-up: import ${importing.toFixed(1)} ms, first file with a lock ${first.toFixed(1)} ms`);
}

/** Lints the folder with each configuration in turn, several times over, and prints times and ratios. Gives the files. */
async function sharesOf(folder: string): Promise<string[]> {
  const times = new Map<string, number[]>();
  const ruleTimes: number[] = [];
  let files: string[] = [];
  for (let round = 0; round <= rounds; round++) {
    for (const [name, config] of Object.entries(configs)) {
      const startedAt = performance.now();
      const results = await linterWith(config).lintFiles([folder]);
      const took = performance.now() - startedAt;
      // The first round warms up.
      if (round === 0) continue;
      times.set(name, [...(times.get(name) ?? []), took]);
      if (name === "this plugin's all") ruleTimes.push(results.reduce((sum, result) => sum + ownTime(result), 0));
      files = results.map(({ filePath }) => filePath);
    }
  }
  const base = median(times.get('no rules') ?? []);
  console.log(`  ${files.length} files, median of ${rounds} rounds`);
  for (const [name, each] of times) {
    const middle = median(each);
    console.log(`  ${name.padEnd(20)} ${middle.toFixed(0).padStart(7)} ms   ${(middle / base).toFixed(3)} × no rules`);
  }
  const own = median(ruleTimes);
  console.log(`  ${'our rules alone'.padEnd(20)} ${own.toFixed(1).padStart(7)} ms   ${((100 * own) / base).toFixed(2)} % of no rules`);
  return files.filter((file) => mentionsLock(readFileSync(file, 'utf8')));
}

/** Time in our rules per file that mentions a lock, warm: without parsing, without ESLint's own work. */
async function perFileWithLocks(patterns: readonly string[]): Promise<void> {
  if (patterns.length === 0) return;
  const linter = linterWith(plugin.configs.all);
  let results: ESLint.LintResult[] = [];
  for (let round = 0; round <= rounds; round++) results = await linter.lintFiles([...patterns]);
  const times = results.map(ownTime).sort((one, other) => one - other);
  const slowest = results.reduce((one, other) => (ownTime(other) > ownTime(one) ? other : one));
  console.log(
    `  ${times.length} files with locks: median ${median(times).toFixed(2)} ms, slowest ${ownTime(slowest).toFixed(2)} ms (${slowest.filePath})`,
  );
}

/** One function with ever more calls under a lock: where growth is linear, the time per call stays about the same. */
function growth(): void {
  const linter = new Linter();
  const time = (code: string, config: Linter.Config): number => {
    const startedAt = performance.now();
    linter.verify(code, [{ ...config, files: ['**/*.js'] }], 'file.js');
    return performance.now() - startedAt;
  };
  console.log('\none function with a lock, all rules, without parsing');
  for (const calls of [100, 1_000, 10_000]) {
    const code = functionWith(calls);
    const took = median(Array.from({ length: rounds }, () => time(code, plugin.configs.all) - time(code, {})));
    console.log(`  ${String(calls).padStart(6)} calls ${took.toFixed(1).padStart(9)} ms   ${((1_000 * took) / calls).toFixed(1)} µs per call`);
  }
}

/** What a keystroke waits for in VS Code's ESLint extension. */
async function editor(): Promise<void> {
  console.log("\na keystroke in VS Code's ESLint extension");
  for (const config of [null, 'recommended', 'all'] as const) {
    const { firstLint, keystrokes, lines, findings } = await latency(config);
    console.log(
      `  ${(config ?? 'no rules').padEnd(12)} ${lines} lines, ${String(findings).padStart(2)} findings: first lint ${firstLint.toFixed(0)} ms, then median ${median(keystrokes).toFixed(1)} ms, slowest ${(keystrokes.at(-1) ?? 0).toFixed(1)} ms`,
    );
  }
}

function functionWith(calls: number): string {
  return `import { Pool } from 'pg';
const pool = new Pool({ lock_timeout: 1000 });
export async function run(step) {
  const client = await pool.connect();
  let ok = false;
  try {
    await client.query('SELECT pg_advisory_lock(1)');
    try {
${'      await step();\n'.repeat(calls)}    } finally {
      const { rows } = await client.query('SELECT pg_advisory_unlock(1) AS ok');
      ok = rows[0].ok;
    }
  } finally {
    client.release(ok ? undefined : new Error('not unlocked'));
  }
}
`;
}

function ownTime({ stats }: ESLint.LintResult): number {
  const passes = stats?.times.passes ?? [];
  return passes.reduce(
    (sum, { rules = {} }) =>
      sum + Object.entries(rules).reduce((own, [name, { total }]) => (name.startsWith('advisory-lock/') ? own + total : own), 0),
    0,
  );
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((one, other) => one - other);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? (sorted[middle] ?? 0) : ((sorted[middle - 1] ?? 0) + (sorted[middle] ?? 0)) / 2;
}
