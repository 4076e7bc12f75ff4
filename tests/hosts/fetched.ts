import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../built.js';

/** The `node_modules` with these packages, brought by npm into a folder of `.cache` when it is not there. */
export function fetched(name: string, packages: readonly string[]): string {
  const folder = join(root, '.cache', name);
  const finished = join(folder, 'finished');
  if (!existsSync(finished)) {
    mkdirSync(folder, { recursive: true });
    execFileSync('npm', ['install', '--prefix', folder, '--no-save', '--no-audit', '--no-fund', ...packages], {
      encoding: 'utf8',
      shell: process.platform === 'win32',
    });
    writeFileSync(finished, '');
  }
  return join(folder, 'node_modules');
}
