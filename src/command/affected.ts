import { basename, dirname, resolve } from 'node:path';
import { fileStoreOf } from '../facts/imports/file-store.js';
import { createModulePaths } from '../facts/imports/module-paths.js';
import type { Changes } from './changes.js';
import { isInFolder } from './files.js';

/**
 * Whether a file is to be judged anew: it changed, or what it is judged by did (`perhaps` is for the analysis to settle), or
 * neither.
 */
export type Affected = 'changed' | 'perhaps' | 'no';

/**
 * Says what a change touches beyond the changed files: those whose ESLint configuration or path aliases changed count as
 * changed, and those that import a changed file, directly or through others, may be. Nothing is parsed: imports are found in
 * the text, each file's once. `configFileOf` gives a file's ESLint configuration.
 */
export function createAffected(changes: Changes, configFileOf: (path: string) => string | null): (path: string) => Affected {
  const paths = createModulePaths();
  const store = fileStoreOf(changes);
  const imports = new Map<string, Imports>();
  const configs = new Map<string, boolean>();
  const missing = new Set([...changes.deleted].map(stemOf));
  const aliases = [...changes.files].filter((path) => isAliasFile(path)).map((path) => dirname(path));

  const answers = new Map<string, Affected>();
  return (path) => {
    const known = answers.get(path);
    if (known !== undefined) return known;
    const answer = judge(path);
    answers.set(path, answer);
    return answer;
  };

  function judge(path: string): Affected {
    if (changes.has(path)) return 'changed';
    if (aliases.some((folder) => isInFolder(path, folder))) return 'changed';
    const config = configFileOf(path);
    if (config !== null && isConfigChanged(config)) return 'changed';
    return throughImports(path);
  }

  /** A configuration brings settings, and so does what it imports, such as the file that the subcommand `facts` writes. */
  function isConfigChanged(config: string): boolean {
    const known = configs.get(config);
    if (known !== undefined) return known;
    const changed = changes.has(config) || throughImports(config) !== 'no';
    configs.set(config, changed);
    return changed;
  }

  function throughImports(start: string): Affected {
    const seen = new Set([start]);
    let isReached = false;
    for (const path of seen) {
      const { files, touchesMissing } = importsOf(path);
      // What is no longer there is not looked at by the analysis either, which could tell.
      if (touchesMissing) return 'changed';
      for (const file of files) {
        isReached ||= changes.has(file);
        seen.add(file);
      }
    }
    return isReached ? 'perhaps' : 'no';
  }

  function importsOf(path: string): Imports {
    const known = imports.get(path);
    if (known) return known;
    const specifiers = store.source(path)?.specifiers ?? [];
    // A relative import may name a file of data, which is nothing that the analysis resolves.
    const literal = specifiers.filter((specifier) => specifier.startsWith('.')).map((specifier) => resolve(dirname(path), specifier));
    const found = {
      files: [...literal, ...specifiers.flatMap((specifier) => paths.resolve(specifier, path) ?? [])],
      touchesMissing: literal.some((target) => missing.has(stemOf(target))),
    };
    imports.set(path, found);
    return found;
  }

  function isAliasFile(path: string): boolean {
    return /^[jt]sconfig.*\.json$/.test(basename(path)) && /"(?:paths|baseUrl)"/.test(store.source(path)?.text ?? '');
  }
}

interface Imports {
  readonly files: readonly string[];
  /** Names a file that the change deletes: another one may be meant from then on. */
  readonly touchesMissing: boolean;
}

/** What an import without extension and `/index` says. */
const stemOf = (path: string): string => path.replace(/(?:[/\\]index)?\.[cm]?[jt]sx?$/, '').replace(/[/\\]index$/, '');
