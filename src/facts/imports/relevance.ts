import type { DriverDescriptor, Kind } from '../../drivers/driver.js';
import type { FileStore } from './file-store.js';
import type { ModulePaths } from './module-paths.js';

/** How many files are looked through before one counts as having nothing to do with databases. */
const maximumFiles = 40;

/** Methods that lists, promises and strings have, too: they tell nothing. */
const everydayNames: ReadonlySet<string> = new Set(['all', 'any', 'find', 'first', 'get', 'join', 'map', 'on', 'once', 'run', 'then', 'values', 'where', 'end', 'one', 'many', 'none', 'stream', 'each']);

/**
 * A text test that spares most imported files the parser: does the file, or one that it imports, name a driver's module or
 * call a method that sends SQL or lends a connection? Whatever matters to locks does.
 */
export function createRelevance(store: FileStore, paths: ModulePaths, drivers: readonly DriverDescriptor[]): (path: string) => boolean {
  const words = wordsOf(drivers);
  const answers = new Map<string, boolean>();
  const looks = new Map<string, Look>();
  return (path) => {
    const known = answers.get(path);
    if (known !== undefined) return known;
    const answer = reaches(path);
    answers.set(path, answer);
    return answer;
  };

  /** The nearest files first. */
  function reaches(start: string): boolean {
    const seen = new Set([start]);
    for (const path of seen) {
      const { isRelevant, imports } = lookAt(path);
      if (isRelevant) return true;
      for (const next of imports) if (seen.size < maximumFiles) seen.add(next);
    }
    return false;
  }

  function lookAt(path: string): Look {
    const known = looks.get(path);
    if (known) return known;
    const source = store.source(path);
    const look: Look = {
      isRelevant: source !== null && words.test(source.text),
      imports: (source?.specifiers ?? []).flatMap((specifier) => paths.resolve(specifier, path) ?? []),
    };
    looks.set(path, look);
    return look;
  }
}

interface Look {
  readonly isRelevant: boolean;
  readonly imports: readonly string[];
}

function wordsOf(drivers: readonly DriverDescriptor[]): RegExp {
  const modules = drivers.flatMap((driver) => driver.modules.map((module) => module.replace(/\/\*$/, '')));
  const names = drivers.flatMap((driver) => driver.exports.flatMap((entry) => (entry.anyModule || entry.global ? entry.names.map((name) => name.split('.')[0] ?? name) : [])));
  const methods = drivers.flatMap((driver) => Object.values(driver.kinds).flatMap(tellingMethods));
  return new RegExp(`['"](?:${alternatives(modules)})(?:/[^'"\\n]*)?['"]|\\b(?:${alternatives(names)})\\b|\\.(?:${alternatives(methods)})\\b`);
}

function tellingMethods(kind: Kind): string[] {
  return Object.entries(kind.methods ?? {}).flatMap(([name, call]) => ((call.sends || call.callback || call.resolves || call.batch) && !everydayNames.has(name) ? [name] : []));
}

const alternatives = (words: readonly string[]): string => [...new Set(words)].map((word) => word.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&')).join('|');
