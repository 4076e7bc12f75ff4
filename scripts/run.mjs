// Runs a task of the project on a clone with nothing installed: `node scripts/run.mjs <task> [arguments]`.
// It installs when node_modules is not what package-lock.json says, builds, and then runs the task.
// Plain JavaScript without dependencies: it is there before they are.
import { spawnSync } from 'node:child_process';
import { existsSync, lstatSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** What each task runs after the build: a program as it is, or one of ours in TypeScript, bundled first. */
const tasks = {
  test: ['node_modules/vitest/vitest.mjs', 'run'],
  'test:hosts': ['node_modules/vitest/vitest.mjs', 'run', '--config', 'vitest.hosts.config.ts'],
  demo: ['scripts/demo.ts'],
  bench: ['bench/bench.ts'],
  docs: ['scripts/docs.ts'],
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
build([], 'The build failed.');
const [program, ...parameters] = command;
run(process.execPath, [program.endsWith('.ts') ? bundled(program) : program, ...parameters, ...rest]);

function bundled(source) {
  build(['--no-config', '--format', 'esm', '--no-dts', '--out-dir', '.cache/scripts', source], `${source} could not be bundled.`);
  return join('.cache/scripts', basename(source).replace(/\.ts$/, '.mjs'));
}

/** Says nothing unless it fails. */
function build(options, explanation) {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['node_modules/tsdown/dist/run.mjs', ...options], {
    cwd: root,
    encoding: 'utf8',
  });
  if (status === 0) return;
  console.error(`${stdout}${stderr}${explanation}`);
  process.exit(status ?? 1);
}

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
  // Whoever links it to another folder keeps it up to date there; `npm ci` would empty that folder.
  if (lstatSync(join(root, 'node_modules'), { throwIfNoEntry: false })?.isSymbolicLink()) return true;
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
