import { existsSync, mkdirSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { projectRequire } from '../built.js';
import { folderWith } from '../temporary-folder.js';

/** A folder in which packages are installed, by the names that a project knows them by, as links to what is installed here. */
export function projectWith(packages: Readonly<Record<string, string>>, files: Readonly<Record<string, string>> = {}): string {
  const folder = folderWith({ 'package.json': '{}', ...files });
  for (const [name, installedAs] of Object.entries(packages)) {
    const link = join(folder, 'node_modules', name);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(folderOf(installedAs), link);
  }
  return folder;
}

/** Not every package exports its package.json. */
function folderOf(name: string): string {
  let folder: string;
  try {
    return dirname(projectRequire.resolve(`${name}/package.json`));
  } catch {
    folder = dirname(projectRequire.resolve(name));
  }
  while (!existsSync(join(folder, 'package.json'))) folder = dirname(folder);
  return folder;
}
