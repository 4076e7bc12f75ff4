import type { DriverDescriptor, Export } from '../drivers/driver.js';
import { unversioned } from '../source/specifiers.js';
import { ownProperty, readKind } from './kinds.js';

/** A driver's export that a name in the file refers to. */
export interface KnownExport {
  readonly driver: DriverDescriptor;
  readonly entry: Export;
}

export interface Modules {
  /** The export at a dotted path of a module; the path of a default import starts with `default`. */
  exportOf(module: string, path: readonly string[]): KnownExport | null;
  /** The module whose exports are members of this global, which needs no import: `Bun`. */
  moduleOfGlobal(name: string): string | null;
  /** Does any driver describe this module? */
  isDriver(module: string): boolean;
  /** Is this the name of a method of any driver's handles? */
  isMethod(name: string): boolean;
  /** Is this a method that one library alone has? */
  isDistinctive(name: string): boolean;
  /**
   * Whose method this is, called on something nothing else is known of: the one library that has a method of that
   * name, else the driver that stands for all of them, if its objects of that kind have the method.
   */
  ownerOfMethod(name: string, assumedKind?: 'pool' | 'session'): { driver: DriverDescriptor; kind: string } | null;
  /** What stands at a property that one library alone has: `models.sequelize`. */
  ownerOfProperty(name: string): { driver: DriverDescriptor; kind: string } | null;
  /** What stands for all libraries, where a function of unknown origin sends SQL. */
  assumedOwner(): { driver: DriverDescriptor; kind: string };
  /** Methods that one library alone has, and its transactions do not, each with what it is called on. */
  readonly provingMethods: ReadonlyMap<string, { driver: DriverDescriptor; kind: string }>;
  /** The drivers that know an import from a file that was not read by how it is used. */
  readonly withImportedHandle: readonly DriverDescriptor[];
  /** Is this module one of the driver's? */
  isModuleOf(driver: DriverDescriptor, module: string): boolean;
  /** Is this a name that functions which send SQL go by, so that an import of that name is one? */
  isSendingFunction(name: string): boolean;
}

/**
 * Looks names up in the descriptors; a later descriptor, such as one from the settings, wins over an earlier one.
 * `fallback` describes handles of unknown origin.
 */
export function createModules(drivers: readonly DriverDescriptor[], fallback: DriverDescriptor): Modules {
  const latestFirst = drivers.toReversed();
  const isModuleOf = (driver: DriverDescriptor, module: string): boolean => describes(driver.modules, unversioned(module));
  const speakingFor = (module: string): readonly DriverDescriptor[] => {
    const specifier = unversioned(module);
    return latestFirst.filter((driver) => describes(driver.modules, specifier));
  };
  const methodNames = new Set(drivers.flatMap((driver) => Object.values(driver.kinds).flatMap((kind) => Object.keys(kind.methods ?? {}))));
  return {
    exportOf(module, path) {
      const own = speakingFor(module);
      for (const driver of own) {
        const names = spellings(driver, path);
        const entry = driver.exports.find(
          (candidate) => candidate.names.some((name) => names.includes(name)) && (!candidate.modules || describes(candidate.modules, unversioned(module))),
        );
        if (entry) return { driver, entry };
      }
      if (own.length > 0) return null;
      const name = path.join('.');
      for (const driver of latestFirst) {
        const entry = driver.exports.find((candidate) => candidate.anyModule === true && candidate.names.includes(name));
        if (entry) return { driver, entry };
      }
      return null;
    },
    moduleOfGlobal(name) {
      const owner = latestFirst.find((driver) => driver.exports.some((entry) => entry.global === true && entry.names.some((path) => path.split('.')[0] === name)));
      return owner?.modules[0] ?? null;
    },
    isDriver: (module) => speakingFor(module).length > 0,
    isModuleOf,
    provingMethods: new Map(
      drivers.flatMap((driver) =>
        Object.entries(driver.distinctiveMethods ?? {}).flatMap(([method, kind]) =>
          driver.kinds[kind]?.notInTransactions?.includes(method) ? [[method, { driver, kind }] as const] : [],
        ),
      ),
    ),
    withImportedHandle: latestFirst.filter(({ importedHandle }) => importedHandle),
    isMethod: (name) => methodNames.has(name),
    isDistinctive: (name) => latestFirst.some(({ distinctiveMethods }) => ownProperty(distinctiveMethods, name) !== undefined),
    ownerOfMethod(name, assumedKind = 'pool') {
      for (const driver of latestFirst) {
        const kind = ownProperty(driver.distinctiveMethods, name);
        if (kind !== undefined) return { driver, kind };
      }
      return readKind(fallback, assumedKind, (kind) => ownProperty(kind.methods, name)) ? { driver: fallback, kind: assumedKind } : null;
    },
    ownerOfProperty(name) {
      for (const driver of latestFirst) {
        const kind = ownProperty(driver.distinctiveProperties, name);
        if (kind !== undefined) return { driver, kind };
      }
      return null;
    },
    assumedOwner: () => ({ driver: fallback, kind: 'pool' }),
    isSendingFunction: (name) => fallback.exports.some((entry) => entry.names.includes(name)),
  };
}

const describes = (modules: readonly string[], module: string): boolean =>
  modules.some((pattern) => (pattern.endsWith('/*') ? module.startsWith(pattern.slice(0, -1)) : pattern === module));

/** `require('knex')` and `import * as knex` name the callable export by no name at all. */
function spellings(driver: DriverDescriptor, path: readonly string[]): readonly string[] {
  const dotted = path.join('.');
  if (dotted === '') return ['default'];
  if (path[0] !== 'default' || !driver.defaultIsNamespace) return [dotted];
  return path.length === 1 ? [dotted] : [path.slice(1).join('.'), dotted];
}
