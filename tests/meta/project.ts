import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import * as typescriptParser from '@typescript-eslint/parser';
import type { Linter } from 'eslint';
import { root } from '../built.js';

export { headingsOf, type Heading } from './headings.js';

export const read = (path: string): string => readFileSync(join(root, path), 'utf8');

export const exists = (path: string): boolean => existsSync(join(root, path));

/** The files in a folder of the project that end so, without the ending, sorted; none where there is no such folder. */
export function namesIn(folder: string, ending: string): string[] {
  if (!exists(folder)) return [];
  return readdirSync(join(root, folder))
    .filter((name) => name.endsWith(ending))
    .map((name) => name.slice(0, -ending.length))
    .sort();
}

/** All files below a folder of the project that end so, as paths from the project's root. */
export function filesBelow(folder: string, ending: string): string[] {
  if (!exists(folder)) return [];
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith(ending))
    .map((path) => `${folder}/${path.replaceAll('\\', '/')}`)
    .sort();
}

export const typescript: Linter.Config = {
  files: ['**/*.{ts,tsx}'],
  languageOptions: { parser: typescriptParser },
};
