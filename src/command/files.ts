import { readFile, readdir, stat } from 'node:fs/promises';
import { dirname, join, relative, resolve, sep } from 'node:path';
import ignore, { type Ignore } from 'ignore';
import { glob, isDynamicPattern } from 'tinyglobby';
import { UsageError } from './usage-error.js';

/** Extensions that ESLint's JavaScript language, its TypeScript parser and our language for SQL read. */
const sourceExtension = /\.(?:[cm]?[jt]sx?|sql)$/;
const typescriptExtension = /\.[cm]?tsx?$/;

export const isTypeScript = (path: string): boolean => typescriptExtension.test(path);

/** Never searched unless named: what tools write, and what ESLint itself leaves out. */
const skippedFolders: ReadonlySet<string> = new Set(['node_modules', '.git', 'dist']);

export interface SourceFile {
  /** Absolute. */
  readonly path: string;
  /** Named by the user, not found in a folder: read whatever ignores it. */
  readonly named: boolean;
}

/**
 * The source files that the paths (relative to `cwd`) lead to, sorted, each once. Throws a UsageError for a path that
 * leads nowhere.
 */
export async function findFiles(paths: readonly string[], cwd: string): Promise<SourceFile[]> {
  const found = new Map<string, SourceFile>();
  for (const path of paths) {
    for (const file of await filesAt(path, cwd)) {
      if (file.named || !found.has(file.path)) found.set(file.path, file);
    }
  }
  return [...found.values()].sort((one, other) => (one.path < other.path ? -1 : 1));
}

async function filesAt(path: string, cwd: string): Promise<SourceFile[]> {
  const absolute = resolve(cwd, path);
  const entry = await stat(absolute).catch(() => null);
  if (entry?.isDirectory()) return walk(absolute, await gitignoresAbove(absolute));
  if (entry) {
    if (!sourceExtension.test(absolute)) {
      throw new UsageError(`${path} is no source file; allowed: .js, .cjs, .mjs, .jsx, .ts, .cts, .mts, .tsx, .sql, and folders.`);
    }
    return [{ path: absolute, named: true }];
  }
  if (!isDynamicPattern(path)) throw new UsageError(`${path} does not exist (looked in ${cwd}).`);
  const ignored = [...skippedFolders].map((folder) => `**/${folder}/**`);
  const matches = await glob(path, { cwd, absolute: true, ignore: ignored, expandDirectories: false });
  const sources = matches.filter((match) => sourceExtension.test(match));
  if (sources.length === 0) throw new UsageError(`${path} matches no source file (looked in ${cwd}).`);
  return sources.map((match) => ({ path: resolve(match), named: false }));
}

/** The patterns of one .gitignore and the folder they count from. */
interface Gitignore {
  readonly folder: string;
  readonly patterns: Ignore;
}

async function walk(folder: string, above: readonly Gitignore[]): Promise<SourceFile[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const own = entries.some(({ name }) => name === '.gitignore') ? await readGitignore(folder, '.gitignore') : null;
  const gitignores = own ? [own, ...above] : above;
  const found: SourceFile[] = [];
  const folders: string[] = [];
  for (const entry of entries) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      if (!skippedFolders.has(entry.name) && !isIgnored(path, true, gitignores)) folders.push(path);
    } else if (entry.isFile() && sourceExtension.test(entry.name) && !isIgnored(path, false, gitignores)) {
      found.push({ path, named: false });
    }
  }
  // One folder after the other: a wide tree must not open all of its folders at once.
  for (const each of folders) found.push(...(await walk(each, gitignores)));
  return found;
}

/** Those of the folders above, up to the repository's root, nearest first. Outside a repository none counts. */
async function gitignoresAbove(start: string): Promise<Gitignore[]> {
  const found: Gitignore[] = [];
  for (let folder = start; ; folder = dirname(folder)) {
    if (folder !== start) {
      const own = await readGitignore(folder, '.gitignore');
      if (own) found.push(own);
    }
    if (await stat(join(folder, '.git')).catch(() => null)) {
      const excluded = await readGitignore(folder, '.git/info/exclude');
      return excluded ? [...found, excluded] : found;
    }
    if (dirname(folder) === folder) return [];
  }
}

async function readGitignore(folder: string, file: string): Promise<Gitignore | null> {
  const text = await readFile(join(folder, file), 'utf8').catch(() => null);
  return text === null ? null : { folder, patterns: ignore().add(text) };
}

/** The nearest .gitignore that says anything about the path decides, as in Git. */
function isIgnored(path: string, isFolder: boolean, gitignores: readonly Gitignore[]): boolean {
  for (const { folder, patterns } of gitignores) {
    const inside = relative(folder, path).split(sep).join('/');
    const { ignored, unignored } = patterns.test(isFolder ? `${inside}/` : inside);
    if (ignored || unignored) return ignored;
  }
  return false;
}

/** The root of the repository that a folder is in; null outside of one. */
export async function repositoryRoot(start: string): Promise<string | null> {
  for (let folder = start; ; folder = dirname(folder)) {
    if (await stat(join(folder, '.git')).catch(() => null)) return folder;
    if (dirname(folder) === folder) return null;
  }
}

/** The folder that holds all of the files. */
export function commonFolder(files: readonly [string, ...string[]]): string {
  let common = dirname(files[0]);
  for (const file of files) {
    while (!isInFolder(file, common) && dirname(common) !== common) common = dirname(common);
  }
  return common;
}

/** Both absolute; however deep. */
export const isInFolder = (path: string, folder: string): boolean => path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
