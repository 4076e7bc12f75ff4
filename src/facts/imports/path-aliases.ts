import { readFileSync } from 'node:fs';
import { dirname, isAbsolute, join, resolve } from 'node:path';

/** Reads `paths` and `baseUrl` of the nearest tsconfig.json (or jsconfig.json), those that it `extends` included. */
export interface PathAliases {
  /** The absolute paths, without regard to extensions, that the specifier may mean for files in the folder; best first. */
  targetsOf(specifier: string, folder: string): readonly string[];
}

interface Aliases {
  readonly baseUrl: string | null;
  /** Patterns with at most one `*`, and absolute substitutions. */
  readonly paths: readonly { readonly pattern: string; readonly targets: readonly string[] }[];
}

const none: Aliases = { baseUrl: null, paths: [] };

/** Configurations extend each other; more than this is a circle. */
const maximumExtends = 8;

export function createPathAliases(): PathAliases {
  const byFolder = new Map<string, Aliases>();
  return {
    targetsOf(specifier, folder) {
      const { baseUrl, paths } = aliasesFor(folder);
      const matching = paths
        .flatMap(({ pattern, targets }) => {
          const middle = matched(pattern, specifier);
          return middle === null ? [] : [{ pattern, targets: targets.map((target) => target.replace('*', () => middle)) }];
        })
        // The longest prefix wins, as in the compiler.
        .sort((one, other) => prefixLength(other.pattern) - prefixLength(one.pattern));
      return [...(matching[0]?.targets ?? []), ...(baseUrl === null ? [] : [join(baseUrl, specifier)])];
    },
  };

  function aliasesFor(folder: string): Aliases {
    const known = byFolder.get(folder);
    if (known) return known;
    const own = ['tsconfig.json', 'jsconfig.json'].map((name) => readAliases(join(folder, name), 0)).find((aliases) => aliases !== null);
    const parent = dirname(folder);
    const aliases = own ?? (parent === folder ? none : aliasesFor(parent));
    byFolder.set(folder, aliases);
    return aliases;
  }
}

function readAliases(path: string, depth: number): Aliases | null {
  const config = depth > maximumExtends ? null : readJson(path);
  if (!config) return null;
  const folder = dirname(path);
  const options = recordAt(config, 'compilerOptions') ?? {};
  const inherited = extendedBy(config, folder, depth);
  const ownBase = typeof options['baseUrl'] === 'string' ? resolve(folder, options['baseUrl']) : null;
  const baseUrl = ownBase ?? inherited.baseUrl;
  const own = recordAt(options, 'paths');
  if (!own) return baseUrl === null && inherited.paths.length === 0 ? referencedBy(config, folder, depth) : { baseUrl, paths: inherited.paths };
  const paths = Object.entries(own).map(([pattern, targets]) => ({
    pattern,
    targets: (Array.isArray(targets) ? targets : []).flatMap((target) => (typeof target === 'string' ? [resolve(baseUrl ?? folder, target)] : [])),
  }));
  return { baseUrl, paths };
}

/** A configuration that has nothing but references leaves the aliases to them. Which of them a file belongs to is not looked at. */
function referencedBy(config: Record<string, unknown>, folder: string, depth: number): Aliases {
  const references = Array.isArray(config['references']) ? config['references'] : [];
  const read = references.flatMap((reference: unknown) => {
    const path = isRecord(reference) && typeof reference['path'] === 'string' ? resolve(folder, reference['path']) : null;
    return path === null ? [] : (readAliases(path.endsWith('.json') ? path : join(path, 'tsconfig.json'), depth + 1) ?? []);
  });
  return read.find(({ baseUrl, paths }) => baseUrl !== null || paths.length > 0) ?? none;
}

/** Of several, the later ones win. A configuration of a package is looked up in the `node_modules` above. */
function extendedBy(config: Record<string, unknown>, folder: string, depth: number): Aliases {
  const given = config['extends'];
  const names = (Array.isArray(given) ? given : [given]).filter((name) => typeof name === 'string');
  return names.reduce<Aliases>((sofar, name) => {
    const read = placesOf(name, folder).reduce<Aliases | null>((found, path) => found ?? readAliases(path, depth + 1), null);
    return read ? { baseUrl: read.baseUrl ?? sofar.baseUrl, paths: read.paths.length > 0 ? read.paths : sofar.paths } : sofar;
  }, none);
}

function placesOf(name: string, folder: string): readonly string[] {
  const isPath = name.startsWith('.') || isAbsolute(name);
  const candidates: string[] = [];
  for (let home = folder; ; home = dirname(home)) {
    const path = isPath ? resolve(folder, name) : join(home, 'node_modules', name);
    candidates.push(...(path.endsWith('.json') ? [path] : [`${path}.json`, join(path, 'tsconfig.json')]));
    if (isPath || dirname(home) === home) return candidates;
  }
}

function matched(pattern: string, specifier: string): string | null {
  const star = pattern.indexOf('*');
  if (star < 0) return pattern === specifier ? '' : null;
  const [before, after] = [pattern.slice(0, star), pattern.slice(star + 1)];
  const fits = specifier.length >= before.length + after.length && specifier.startsWith(before) && specifier.endsWith(after);
  return fits ? specifier.slice(before.length, specifier.length - after.length) : null;
}

const prefixLength = (pattern: string): number => (pattern.includes('*') ? pattern.indexOf('*') : pattern.length + 1);

function readJson(path: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(withoutComments(readFileSync(path, 'utf8')));
    return isRecord(value) ? value : null;
  } catch {
    return null;
  }
}

/** tsconfig.json may hold comments and trailing commas; neither counts inside a string. */
function withoutComments(text: string): string {
  return text
    .replace(/^\uFEFF/, '')
    .replace(/("(?:[^"\\]|\\.)*")|\/\/[^\n\r]*|\/\*[^]*?\*\//g, (_, string: string | undefined) => string ?? '')
    .replace(/("(?:[^"\\]|\\.)*")|,(?=\s*[}\]])/g, (_, string: string | undefined) => string ?? '');
}

const recordAt = (record: Record<string, unknown>, key: string): Record<string, unknown> | null => {
  const value = record[key];
  return isRecord(value) ? value : null;
};

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value);
