import type { TSESTree } from '@typescript-eslint/utils';
import { ambiguousUnion, declared, opennessOf } from './annotations.js';
import type { Modules } from './modules.js';
import { unknown, type Value } from './values.js';

/**
 * The little that is asked of typescript-eslint's parser services. TypeScript is never required: the services are
 * absent without a project, under other parsers and in oxlint, and then every answer is unknown.
 */
interface TypeServices {
  getTypeAtLocation(node: TSESTree.Node): CheckedType;
}

interface CheckedType {
  readonly aliasSymbol?: CheckedSymbol | undefined;
  /** The members of a union. */
  readonly types?: readonly CheckedType[];
  getSymbol(): CheckedSymbol | undefined;
  /** What a class or interface extends. */
  getBaseTypes?(): readonly CheckedType[] | undefined;
}

interface CheckedSymbol {
  readonly name: string;
  readonly parent?: CheckedSymbol;
  readonly declarations?: readonly Declaration[];
}

interface Declaration {
  /** UTF-16 offsets in the file; the start is that of the white space before. */
  readonly pos: number;
  readonly end: number;
  getSourceFile(): { readonly fileName: string };
}

/** An object of the class that a file of the project declares in a range under a name; unknown where there is none. */
export type ClassReader = (file: string, range: readonly [number, number], name: string, at: TSESTree.Node) => Value;

/**
 * Reads a value off the type the checker gives an expression: a class or interface that a driver's package declares, or a
 * class of the project. Which file declares it is all that is asked of the type; what it means, its file says.
 */
export function createCheckedReader(parserServices: unknown, modules: Modules, instanceOf: ClassReader): (expression: TSESTree.Node) => Value {
  if (!hasTypes(parserServices)) return () => unknown;
  return (expression) => {
    const type = typeAt(parserServices, expression);
    if (!type) return unknown;
    const value = valueOfType(type, modules, expression, 0);
    return value.type === 'unknown' && !type.types ? ofProjectClass(type.getSymbol(), instanceOf, expression) : value;
  };
}

/** TypeScript's checker throws on files that the parser gives it alone, as it does with fixed ones under CI=true: their types are not known. */
function typeAt(services: TypeServices, expression: TSESTree.Node): CheckedType | null {
  try {
    return services.getTypeAtLocation(expression);
  } catch {
    return null;
  }
}

function ofProjectClass(symbol: CheckedSymbol | undefined, instanceOf: ClassReader, at: TSESTree.Node): Value {
  const [declaration, ...others] = symbol?.declarations ?? [];
  if (!symbol || !declaration || others.length > 0) return unknown;
  const { fileName } = declaration.getSourceFile();
  return fileName.includes('/node_modules/') ? unknown : instanceOf(fileName, [declaration.pos, declaration.end], symbol.name, at);
}

/** Classes extend each other no deeper than this. */
const maximumAncestors = 10;

function valueOfType(type: CheckedType, modules: Modules, at: TSESTree.Node, depth: number): Value {
  for (const symbol of [type.aliasSymbol, type.getSymbol()]) {
    const value = symbol ? valueOfSymbol(symbol, modules, at) : unknown;
    if (value.type !== 'unknown') return value;
  }
  if (depth > maximumAncestors) return unknown;
  if (type.types) return valueOfUnion(type.types, modules, at, depth);
  const parents = (type.getBaseTypes?.() ?? []).map((parent) => valueOfType(parent, modules, at, depth + 1));
  return parents.find((parent) => parent.type !== 'unknown') ?? unknown;
}

/** `Pool | undefined` is a pool; of `Pool | PoolClient` the role is open. */
function valueOfUnion(types: readonly CheckedType[], modules: Modules, at: TSESTree.Node, depth: number): Value {
  const members = types.filter((member) => member.getSymbol() ?? member.aliasSymbol).map((member) => valueOfType(member, modules, at, depth + 1));
  return members.length > 0 ? ambiguousUnion(members) : unknown;
}

function valueOfSymbol(symbol: CheckedSymbol, modules: Modules, at: TSESTree.Node): Value {
  const file = symbol.declarations?.[0]?.getSourceFile().fileName;
  const path = file === undefined ? null : packagePath(file);
  if (path === null) return unknown;
  const namespace = symbol.parent && /^\w+$/.test(symbol.parent.name) ? [[symbol.parent.name, symbol.name]] : [];
  for (const specifier of specifiersOf(path)) {
    for (const name of [...namespace, [symbol.name]]) {
      const known = modules.exportOf(specifier, name);
      if (!known) continue;
      const { type } = known.entry;
      const given = type ?? known.entry.new;
      if (given === undefined) continue;
      const kind = typeof given === 'string' ? given : given.kind;
      return declared(known.driver, kind, at, opennessOf(type, at), 'type');
    }
  }
  return unknown;
}

/** The path of a declaration file below its `node_modules`, `@types/x` read as `x`. */
function packagePath(file: string): string | null {
  const at = file.lastIndexOf('/node_modules/');
  if (at < 0) return null;
  const path = file.slice(at + '/node_modules/'.length);
  return path.replace(/^@types\/(?:([^/]+)__)?/, (_, scope: string | undefined) => (scope === undefined ? '' : `@${scope}/`));
}

/** The import specifiers a declaration file may belong to, the longest first: `drizzle-orm/pg-core`, `drizzle-orm`. */
function specifiersOf(path: string): readonly string[] {
  const parts = path.split('/');
  const shortest = path.startsWith('@') ? 2 : 1;
  const specifiers: string[] = [];
  for (let length = parts.length; length >= shortest; length--) {
    specifiers.push(parts.slice(0, length).join('/').replace(/\.d\.[cm]?ts$/, ''));
  }
  return specifiers;
}

function hasTypes(services: unknown): services is TypeServices {
  return (
    typeof services === 'object' &&
    services !== null &&
    'program' in services &&
    services.program !== null &&
    'getTypeAtLocation' in services &&
    typeof services.getTypeAtLocation === 'function'
  );
}
