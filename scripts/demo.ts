// Runs the command over examples/incidents, shows what it says, and holds that against what it must say.
import { spawnSync } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { basename } from 'node:path';
import { isRecord } from '../src/shape.js';

const folder = 'examples/incidents';
const expected = new Map(Object.entries(parseRecord(readFileSync(`${folder}/expected.json`, 'utf8'))));
const found = findingsByFile();
let wrong = 0;

run('stylish', 'inherit');
for (const file of readdirSync(folder).filter((name) => name.endsWith('.ts'))) {
  const rules = found.get(file) ?? new Set<string>();
  const wanted = listOf(expected.get(file));
  if (!expected.has(file) && !file.endsWith('.fixed.ts')) complain(`${file} is in no line of expected.json`);
  for (const rule of wanted) if (!rules.has(rule)) complain(`${file} is not named by ${rule}`);
  if (file.endsWith('.fixed.ts')) for (const rule of rules) complain(`${file} is corrected, but named by ${rule}`);
  if (wanted.length > 0 && wanted.every((rule) => rules.has(rule))) console.log(`✓ ${file}: ${[...rules].join(', ')}`);
}
console.log(wrong === 0 ? 'All incidents are named, and no corrected file is.' : `${wrong} of the expectations not met.`);
process.exitCode = wrong === 0 ? 0 : 1;

function complain(text: string): void {
  wrong++;
  console.log(`✗ ${text}`);
}

function findingsByFile(): Map<string, Set<string>> {
  const results: unknown = JSON.parse(run('json', 'pipe'));
  const byFile = new Map<string, Set<string>>();
  for (const result of listOfRecords(results)) {
    const rules = listOfRecords(result['messages']).map(({ ruleId }) => String(ruleId).replace('advisory-lock/', ''));
    byFile.set(basename(String(result['filePath'])), new Set(rules));
  }
  return byFile;
}

function run(format: string, stdout: 'inherit' | 'pipe'): string {
  const { status, stdout: output } = spawnSync(
    process.execPath,
    ['dist/command.cjs', '--no-config', '--preset', 'all', '--format', format, folder],
    { stdio: ['ignore', stdout, 'inherit'], encoding: 'utf8' },
  );
  if (status !== 0 && status !== 1) complain(`the command ended with status ${status}`);
  return output;
}

function parseRecord(text: string): Record<string, unknown> {
  const value: unknown = JSON.parse(text);
  return isRecord(value) ? value : {};
}

function listOf(value: unknown): string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

function listOfRecords(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}
