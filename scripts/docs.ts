// Writes the generated parts of the documentation; with --check, fails when they are not up to date.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { drivers } from '../src/drivers/index.js';
import { rules } from '../src/rules.js';
import { driversDocument } from './drivers-document.js';
import { evidenceDocument } from './evidence-document.js';

const check = process.argv.includes('--check');

const { status } = spawnSync(
  process.execPath,
  ['node_modules/eslint-doc-generator/dist/bin/eslint-doc-generator.js', ...(check ? ['--check'] : [])],
  { stdio: 'inherit' },
);
if (status !== 0) process.exitCode = 1;
await keep('docs/drivers.md', driversDocument(drivers));
await keep('docs/evidence.md', evidenceDocument(rules.map(({ name }) => name), (path) => readFileSync(path, 'utf8')));

async function keep(path: string, text: string): Promise<void> {
  if ((await readFile(path, 'utf8').catch(() => null)) === text) return;
  if (check) {
    console.error(`${path} is not up to date; run \`npm run docs\`.`);
    process.exitCode = 1;
  } else {
    await writeFile(path, text);
  }
}
