import { readFileSync, realpathSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';

/**
 * Finds what package.json says of specifiers: `#db` by the `imports` of the nearest one, and packages of the same workspace,
 * which package managers link into `node_modules`. Packages that are installed there are not the project's files.
 */
export interface PackagePaths {
  /** Absolute paths that the specifier may mean for files in the folder, best first; extensions may differ on disk. */
  targetsOf(specifier: string, folder: string): readonly string[];
}

/** In the order of preference: what is written before what is built from it. */
const conditions = ['source', 'development', 'import', 'module', 'node', 'default', 'require'];

type Json = Readonly<Record<string, unknown>>;

export function createPackagePaths(): PackagePaths {
  const manifests = new Map<string, Json | null>();
  const links = new Map<string, string | null>();
  return { targetsOf: (specifier, folder) => (specifier.startsWith('#') ? ownImport(specifier, folder) : workspacePackage(specifier, folder)) };

  function ownImport(specifier: string, folder: string): readonly string[] {
    for (const home of ancestorsOf(folder)) {
      const manifest = manifestIn(home);
      if (manifest) return targetsIn(manifest['imports'], specifier).flatMap((target) => sourcesOf(target, home));
    }
    return [];
  }

  function workspacePackage(specifier: string, folder: string): readonly string[] {
    const name = /^(?:@[^/]+\/)?[^/]+/.exec(specifier)?.[0];
    const home = name === undefined ? null : linkedFolder(name, folder);
    const manifest = home === null ? null : manifestIn(home);
    if (name === undefined || home === null || !manifest) return [];
    const subpath = `.${specifier.slice(name.length)}`;
    const { exports } = manifest;
    if (exports !== undefined) return targetsIn(isRecord(exports) && Object.keys(exports).some((key) => key.startsWith('.')) ? exports : { '.': exports }, subpath).flatMap((target) => sourcesOf(target, home));
    if (subpath !== '.') return [join(home, subpath)];
    const entries = [manifest['source'], manifest['module'], manifest['main']].filter((entry) => typeof entry === 'string');
    return [...entries.flatMap((entry) => sourcesOf(entry, home)), join(home, 'index'), join(home, 'src', 'index')];
  }

  /** The folder of the project that a link of the name leads to; null for what is installed. */
  function linkedFolder(name: string, folder: string): string | null {
    for (const home of ancestorsOf(folder)) {
      const path = join(home, 'node_modules', name);
      const known = links.get(path);
      const target = known === undefined ? realPath(path) : known;
      links.set(path, target);
      if (target !== null) return target.includes(`${sep}node_modules${sep}`) ? null : target;
    }
    return null;
  }

  function manifestIn(folder: string): Json | null {
    const known = manifests.get(folder);
    if (known !== undefined) return known;
    const manifest = readManifest(join(folder, 'package.json'));
    manifests.set(folder, manifest);
    return manifest;
  }
}

/** What a map of `imports` or `exports` gives for a key, by its own name or a pattern with one `*`. */
function targetsIn(map: unknown, key: string): readonly string[] {
  if (!isRecord(map)) return [];
  if (key in map) return targetsUnder(map[key]);
  const fitting = Object.keys(map)
    .flatMap((pattern) => {
      const [before = '', after] = pattern.split('*');
      const isMatch = after !== undefined && key.length > before.length + after.length && key.startsWith(before) && key.endsWith(after);
      return isMatch ? [{ pattern, before, middle: key.slice(before.length, key.length - after.length) }] : [];
    })
    // As in Node, the longest prefix wins.
    .sort((one, other) => other.before.length - one.before.length);
  const [best] = fitting;
  return best ? targetsUnder(map[best.pattern]).map((target) => target.replaceAll('*', () => best.middle)) : [];
}

function targetsUnder(entry: unknown): readonly string[] {
  if (typeof entry === 'string') return entry.startsWith('./') ? [entry] : [];
  if (Array.isArray(entry)) return entry.flatMap(targetsUnder);
  return isRecord(entry) ? conditions.flatMap((condition) => targetsUnder(entry[condition])) : [];
}

/** `./dist/db.js` is built from `./src/db.ts`, if there is such a file. */
function sourcesOf(target: string, home: string): readonly string[] {
  const source = target.replace(/^(\.\/)?(?:dist|lib|build|out)\/(?:(?:esm|cjs)\/)?/, './src/');
  return source === target ? [join(home, target)] : [join(home, source), join(home, target)];
}

function* ancestorsOf(folder: string): Generator<string> {
  for (let current = folder; ; current = dirname(current)) {
    yield current;
    if (dirname(current) === current) return;
  }
}

function realPath(path: string): string | null {
  try {
    return realpathSync(path);
  } catch {
    return null;
  }
}

function readManifest(path: string): Json | null {
  try {
    const value: unknown = JSON.parse(readFileSync(path, 'utf8'));
    return isRecord(value) ? value : null;
  } catch {
    return null;
  }
}

const isRecord = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value);
