// Runs a task of the project on a clone with nothing installed: `node scripts/run.mjs <task> [arguments]`.
// It installs when node_modules is not what package-lock.json says, builds, and then runs the task.
// Plain JavaScript without dependencies: it is there before they are.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** What each task runs after the build. */
const tasks = {
  test: ['node_modules/vitest/vitest.mjs', 'run'],
  demo: ['scripts/demo.mjs'],
  bench: ['bench/run.mjs'],
  docs: ['scripts/docs.mjs'],
};

const [task = '', ...rest] = process.argv.slice(2);
const command = Object.hasOwn(tasks, task) ? tasks[task] : undefined;
if (!command) {
  console.error(`scripts/run.mjs: the task is ${JSON.stringify(task)}; allowed: ${Object.keys(tasks).join(', ')}.`);
  process.exit(2);
}

if (!isInstalled()) {
  console.error('Installing the dependencies that package-lock.json names (npm ci) …');
  run('npm', ['ci', '--no-audit', '--no-fund'], 'Installing failed. It needs a registry that npm can reach; see the output above.');
}
run(process.execPath, ['node_modules/tsdown/dist/run.mjs', '--logLevel', 'warn'], 'The build failed; see the output above.');
run(process.execPath, [...command, ...rest], null);

function run(program, parameters, explanation) {
  const { status, error, signal } = spawnSync(program, parameters, { cwd: root, stdio: 'inherit' });
  if (status === 0) return;
  if (error) console.error(`${program} could not be started: ${error.message}`);
  if (signal) console.error(`${program} was ended by ${signal}.`);
  if (explanation) console.error(explanation);
  process.exit(status ?? 1);
}

/** Does node_modules hold what the lock file names? Contents are compared: a clone's file times say nothing. */
function isInstalled() {
  const installedLock = join(root, 'node_modules/.package-lock.json');
  if (!existsSync(installedLock)) return false;
  const installed = packagesOf(installedLock);
  return Object.entries(packagesOf(join(root, 'package-lock.json'))).every(
    ([path, { version, optional }]) => path === '' || installed[path]?.version === version || (optional && !installed[path]),
  );
}

function packagesOf(lockFile) {
  return JSON.parse(readFileSync(lockFile, 'utf8')).packages;
}
