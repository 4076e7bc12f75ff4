import { statSync } from 'node:fs';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { createPackagePaths } from './package-paths.js';
import { createPathAliases } from './path-aliases.js';

/** Finds the files that import specifiers mean, for one run; a file's coming and going in between is not seen. */
export interface ModulePaths {
  /** The absolute path of the source file; null for packages that are installed and for what does not exist. `from` is the importing file. */
  resolve(specifier: string, from: string): string | null;
}

/** In the order in which a compiler prefers them. */
const extensions = ['.ts', '.tsx', '.mts', '.cts', '.js', '.jsx', '.mjs', '.cjs'];

/** `./db.js` in TypeScript means the source that is compiled to it. */
const sourceExtensions: Readonly<Record<string, readonly string[]>> = {
  '.js': ['.ts', '.tsx'],
  '.jsx': ['.tsx'],
  '.mjs': ['.mts'],
  '.cjs': ['.cts'],
};

export function createModulePaths(): ModulePaths {
  const known = new Map<string, string | null>();
  const files = new Map<string, 'file' | 'folder' | null>();
  const aliases = createPathAliases();
  const packages = createPackagePaths();
  return {
    resolve(specifier, from) {
      if (!isAbsolute(from)) return null;
      const folder = dirname(from);
      const key = `${folder}\0${specifier}`;
      const before = known.get(key);
      if (before !== undefined) return before;
      const found = find(specifier, folder);
      known.set(key, found);
      return found;
    },
  };

  function find(specifier: string, folder: string): string | null {
    if (/^\.{1,2}(?:\/|$)/.test(specifier)) return sourceAt(resolve(folder, specifier));
    if (specifier === '' || specifier.includes(':') || isAbsolute(specifier)) return null;
    for (const path of [...aliases.targetsOf(specifier, folder), ...packages.targetsOf(specifier, folder)]) {
      const found = sourceAt(path);
      if (found !== null) return found;
    }
    return null;
  }

  /** A file of that name, under another extension, or the index of a folder. */
  function sourceAt(path: string): string | null {
    const extension = /\.[cm]?[jt]sx?$/.exec(path)?.[0];
    const stem = extension === undefined ? path : path.slice(0, -extension.length);
    const candidates = [
      ...(extension === undefined ? [] : [path, ...(sourceExtensions[extension] ?? []).map((each) => stem + each)]),
      ...extensions.map((each) => path + each),
      ...extensions.map((each) => join(path, `index${each}`)),
    ];
    // Declarations say nothing of what a value is at run time.
    return candidates.find((candidate) => !candidate.includes('.d.') && kindOf(candidate) === 'file') ?? null;
  }

  function kindOf(path: string): 'file' | 'folder' | null {
    const before = files.get(path);
    if (before !== undefined) return before;
    // One look at the folder saves one for each of the extensions.
    const folder = dirname(path);
    const kind = folder !== path && kindOf(folder) !== 'folder' ? null : kindOnDisk(path);
    files.set(path, kind);
    return kind;
  }
}

function kindOnDisk(path: string): 'file' | 'folder' | null {
  try {
    const stats = statSync(path, { throwIfNoEntry: false });
    return stats?.isFile() ? 'file' : stats?.isDirectory() ? 'folder' : null;
  } catch {
    return null;
  }
}
