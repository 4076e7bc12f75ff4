import { dirname, resolve } from 'node:path';
import type { TSESTree } from '@typescript-eslint/utils';
import type { DriverDescriptor } from '../../drivers/driver.js';
import { resultOf, type Unit } from '../../pass.js';
import { scopes as scopesPass, type Scopes, type Variable } from '../../source/scope.js';
import { isNamedIn } from '../declared/specifiers.js';
import { exportTable } from './exports.js';
import { fileStoreOf, type FileStore } from './file-store.js';
import { createModulePaths } from './module-paths.js';
import { fileParserOf } from './parse-file.js';
import { createRelevance } from './relevance.js';

/** Where an imported name leads, through re-exports. */
export type Origin =
  | { readonly kind: 'variable'; readonly variable: Variable; readonly unit: Unit }
  | { readonly kind: 'expression'; readonly node: TSESTree.Node; readonly unit: Unit }
  /** A whole module. */
  | { readonly kind: 'module'; readonly unit: Unit }
  /** A module that is no file of the project: `export { Pool } from 'pg'`. */
  | { readonly kind: 'package'; readonly module: string; readonly name: string };

/** The linted file and the files it imports that have been read for it, as one program whose names resolve across files. */
export interface LinkedFiles {
  /** The linted file. */
  readonly root: Unit;
  /** The file whose view this is. */
  readonly home: Unit;
  /** Scope questions over all of them. */
  readonly scopes: Scopes;
  /** Is the node, or what the variable stands in, part of `home`? */
  isOwn(node: TSESTree.Node | Variable): boolean;
  /** The same files as another one of them sees them. */
  seenFrom(home: Unit): LinkedFiles;
  /** The file that a node or variable belongs to. */
  unitOf(node: TSESTree.Node | Variable): Unit;
  /**
   * Where a name of a module leads: `*` for the module itself. `from` is a node of the importing file. Null where the module
   * is not read or has no such name. `reads`: files that may have to do with databases, or also others, such as one of constants.
   */
  originOf(module: string, name: string, from: TSESTree.Node, reads?: Reads): Origin | null;
  /** Where a name leads that the file exports. */
  exportOf(unit: Unit, name: string): Origin | null;
  /** The absolute path that a module of the project has, or would have if it existed; null for packages. */
  pathOf(module: string, from: TSESTree.Node): string | null;
  /** What a module exports, by a name that all files share whatever specifier they import it by. `from` as above. */
  nameOf(module: string, path: readonly string[], from: TSESTree.Node): string;
  /** The file at an absolute path; null where it is not read. */
  fileAt(path: string): Unit | null;
  /** The absolute paths of the other files whose text has been looked at so far: what is known may depend on any of them. */
  readonly consulted: ReadonlySet<string>;
}

type Reads = 'relevant' | 'all';

/** For one linted file: files read, and UTF-16 units of text in them. */
const maximumFiles = 60;
const maximumCharacters = 2 * 1024 * 1024;

/** Re-exports lead to re-exports. */
const maximumSteps = 16;

/** `replacements`: the passes that the other files share with the linted one. */
export function createLinkedFiles(root: Unit, rootScopes: Scopes, drivers: readonly DriverDescriptor[], replacements: NonNullable<Unit['replacements']>): LinkedFiles {
  const parser = root.settings.followImports ? fileParserOf(root) : null;
  const consulted = new Set<string>();
  const store = parser && typeof root.parser === 'object' && root.parser !== null ? watched(fileStoreOf(root.parser), consulted) : null;
  const paths = createModulePaths();
  const isRelevant = store && createRelevance(store, paths, drivers);
  const byPath = new Map<string, Unit | null>([[root.filename, root]]);
  const byProgram = new Map<TSESTree.Program, Unit>([[root.program, root]]);
  const others: Scopes[] = [];
  let characters = 0;

  const scopes: Scopes = {
    variableOf(identifier) {
      const own = rootScopes.variableOf(identifier);
      if (own || others.length === 0) return own;
      for (const other of others) {
        const found = other.variableOf(identifier);
        if (found) return found;
      }
      return null;
    },
    text: root.text,
    textOf: (node) => unitOf(node).text,
    // These ask the variable itself, whichever file it stands in.
    definitionOf: (variable) => rootScopes.definitionOf(variable),
    isModuleLevel: (variable) => rootScopes.isModuleLevel(variable),
    isVisibleToTemplate: (variable) => rootScopes.isVisibleToTemplate(variable),
    readsOf: (variable) => rootScopes.readsOf(variable),
    writesOf: (variable) => rootScopes.writesOf(variable),
    isMemberWritten: (name) => rootScopes.isMemberWritten(name) || others.some((other) => other.isMemberWritten(name)),
  };
  return seenFrom(root);

  function seenFrom(home: Unit): LinkedFiles {
    return {
      root,
      home,
      scopes,
      isOwn: (node) => unitOf(node) === home,
      seenFrom,
      unitOf,
      originOf,
      exportOf: (unit, name) => exportedBy(unit, name, 0, 'relevant'),
      pathOf,
      nameOf: (module, path, from) => `${pathOf(module, from) ?? module}#${path.join('.')}`,
      fileAt: (path) => fileAt(path, 'relevant'),
      consulted,
    };
  }

  function unitOf(node: TSESTree.Node | Variable): Unit {
    if (byProgram.size === 1) return root;
    let top: TSESTree.Node = 'references' in node ? node.scope.block : node;
    while (top.parent) top = top.parent;
    return (top.type === 'Program' ? byProgram.get(top) : undefined) ?? root;
  }

  function originOf(module: string, name: string, from: TSESTree.Node, reads: Reads = 'relevant'): Origin | null {
    return store ? originFrom(module, name, unitOf(from), 0, reads) : null;
  }

  function pathOf(module: string, from: TSESTree.Node): string | null {
    const { filename } = unitOf(from);
    return paths.resolve(module, filename) ?? (module.startsWith('.') ? resolve(dirname(filename), module) : null);
  }

  function originFrom(module: string, name: string, from: Unit, step: number, reads: Reads): Origin | null {
    const path = step > maximumSteps ? null : paths.resolve(module, from.filename);
    if (path === null) return /^\.{1,2}(?:\/|$)/.test(module) || step > maximumSteps ? null : { kind: 'package', module, name };
    const unit = fileAt(path, reads);
    if (!unit) return null;
    return name === '*' ? moduleOrigin(unit) : exportedBy(unit, name, step + 1, reads);
  }

  function moduleOrigin(unit: Unit): Origin {
    const { whole } = resultOf(exportTable, unit);
    return whole ? { kind: 'expression', node: whole, unit } : { kind: 'module', unit };
  }

  function exportedBy(unit: Unit, name: string, step: number, reads: Reads): Origin | null {
    const { names, stars, whole } = resultOf(exportTable, unit);
    const entry = names.get(name);
    switch (entry?.kind) {
      case 'local': {
        const variable = scopes.variableOf(entry.identifier);
        return variable && (handedOn(variable, unit, step, reads) ?? { kind: 'variable', variable, unit });
      }
      case 'expression':
        return { kind: 'expression', node: entry.node, unit };
      case 'elsewhere':
        return originFrom(entry.module, entry.name, unit, step + 1, reads);
      case undefined:
        break;
      default:
        return entry satisfies never;
    }
    // A CommonJS module's default import is what it exports as a whole; that a property of it is asked for, the caller knows.
    if (name === 'default') return whole ? { kind: 'expression', node: whole, unit } : null;
    let outside: Origin | null = null;
    for (const module of stars) {
      const found = originFrom(module, name, unit, step + 1, reads);
      if (found && found.kind !== 'package') return found;
      outside ??= found;
    }
    return outside;
  }

  /** `import { pool } from './pool'; export { pool };`. */
  function handedOn(variable: Variable, unit: Unit, step: number, reads: Reads): Origin | null {
    const definition = scopes.definitionOf(variable);
    return definition.kind === 'import' ? originFrom(definition.module, definition.name, unit, step + 1, reads) : null;
  }

  function fileAt(path: string, reads: Reads): Unit | null {
    const known = byPath.get(path);
    if (known) return known;
    // A file that was passed over may still be asked for.
    if (known === null && reads === 'relevant') return null;
    const unit = store && parser && byProgram.size <= maximumFiles && characters < maximumCharacters && (reads === 'all' || isNamedIn(root.settings, path) || isRelevant?.(path)) ? readUnit(path) : null;
    byPath.set(path, unit);
    return unit;
  }

  function readUnit(path: string): Unit | null {
    const file = parser && store?.read(path, parser);
    if (!file) return null;
    const { text, program, visitorKeys } = file;
    const unit: Unit = { ...root, program, text, scopes: file.scopes, visitorKeys, parserServices: {}, filename: path, replacements, results: new Map() };
    byProgram.set(program, unit);
    others.push(resultOf(scopesPass, unit));
    characters += text.length;
    return unit;
  }
}

/** Notes which files are asked for. */
function watched(store: FileStore, consulted: Set<string>): FileStore {
  return {
    source(path) {
      consulted.add(path);
      return store.source(path);
    },
    read(path, parser) {
      consulted.add(path);
      return store.read(path, parser);
    },
  };
}
