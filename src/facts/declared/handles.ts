import type { TSESTree } from '@typescript-eslint/utils';
import type { DriverDescriptor } from '../../drivers/driver.js';
import type { HandleSetting, Settings } from '../../settings.js';
import { memberName, unwrap } from '../../source/ast.js';
import type { Scopes, Variable } from '../../source/scope.js';
import type { LinkedFiles } from '../imports/linked-files.js';
import { readKind, roleOfKind } from '../kinds.js';
import { bareHandle, type DriverObject, type HandleIdentity } from '../values.js';
import { means } from './specifiers.js';

/** What `settings.handles` says of names in the code; null where it says nothing. */
export interface DeclaredHandles {
  /**
   * What a module exports. A setting that names the module wins over what the module's file shows; a name alone, with
   * `byNameAlone`, speaks where that shows nothing.
   */
  exported(module: string, path: readonly string[], from: TSESTree.Node, byNameAlone: boolean): DriverObject | null;
  /** A variable of this file that the setting names together with the file. Wins over what is written to it. */
  ofThisFile(variable: Variable): DriverObject | null;
  /** A variable of which the code shows nothing, by its name alone. */
  byName(variable: Variable): DriverObject | null;
  /** A member of which the code shows nothing, by its dotted name: `ctx.db`, `this.db`. */
  member(node: TSESTree.MemberExpression): DriverObject | null;
  /** A type by its name, imported from `module` or declared in this file. */
  type(path: readonly string[], module: string | null, from: TSESTree.Node, at: TSESTree.Node): DriverObject | null;
}

const none: DeclaredHandles = { exported: () => null, ofThisFile: () => null, byName: () => null, member: () => null, type: () => null };

/** Throws for a setting that names a driver which nobody describes. */
export function createDeclaredHandles({ handles }: Settings, drivers: readonly DriverDescriptor[], links: LinkedFiles, scopes: Scopes): DeclaredHandles {
  if (handles.length === 0) return none;
  const declared = handles.map((setting, index) => ({ setting, driver: driverNamed(setting, index, drivers) }));

  return {
    exported(module, path, from, byNameAlone) {
      const file = links.pathOf(module, from);
      const name = path.join('.');
      const found = declared.find(({ setting }) => (typeof setting.is === 'string') === byNameAlone && means(setting.is, { name, module, file }));
      return found ? objectOf(found, `${file ?? module}#${name}`, from, true) : null;
    },
    ofThisFile(variable) {
      if (!scopes.isModuleLevel(variable)) return null;
      const { filename } = links.unitOf(variable);
      const found = declared.find(({ setting }) => typeof setting.is !== 'string' && means(setting.is, { name: variable.name, module: null, file: filename }));
      const node = variable.identifiers[0];
      return found && node ? objectOf(found, links.isOwn(variable) ? variable : `${filename}#${variable.name}`, node, true) : null;
    },
    byName(variable) {
      const found = named(variable.name);
      const node = variable.identifiers[0];
      return found && node ? objectOf(found, variable, node, scopes.isModuleLevel(variable)) : null;
    },
    member(node) {
      const name = dottedName(node);
      const found = name === null ? undefined : named(name);
      return found ? objectOf(found, name ?? node, node, false) : null;
    },
    type(path, module, from, at) {
      const name = path.join('.');
      const file = module === null ? links.unitOf(from).filename : links.pathOf(module, from);
      const found = declared.find(({ setting }) => means(setting.is, { name, module, file }));
      return found ? objectOf(found, at, at, false) : null;
    },
  };

  function named(name: string): Declared | undefined {
    return declared.find(({ setting }) => setting.is === name);
  }
}

interface Declared {
  readonly setting: HandleSetting;
  readonly driver: DriverDescriptor;
}

function objectOf({ setting, driver }: Declared, identity: HandleIdentity, node: TSESTree.Node, moduleLevel: boolean): DriverObject {
  const kind = kindFor(driver, setting.role);
  const handle = bareHandle({ role: setting.role, driver, kind, identity, evidence: { because: 'setting', node } });
  return { type: 'object', driver, kind, node, handle: { ...handle, moduleLevel: moduleLevel && setting.role !== 'transaction' } };
}

function driverNamed({ driver: name }: HandleSetting, index: number, drivers: readonly DriverDescriptor[]): DriverDescriptor {
  const found = drivers.findLast((driver) => driver.name === name);
  if (found) return found;
  const names = drivers.map((driver) => driver.name).join(', ');
  throw new Error(`settings['advisory-lock'].handles[${index}].driver is ${JSON.stringify(name)}; allowed: ${names}, or a driver of settings['advisory-lock'].drivers.`);
}

/** The kind that has this role in the driver: of several, one that can be given back. A pool's methods serve one connection, too. */
function kindFor(driver: DriverDescriptor, role: HandleSetting['role']): string {
  const named = Object.keys(driver.kinds);
  const wanted = role === 'single' ? ['single', 'pool'] : role === 'transaction' ? ['transaction', 'connection'] : [role];
  for (const each of [...wanted, 'pool', 'connection', 'transaction']) {
    const kinds = named.filter((kind) => roleOfKind(driver, kind) === each);
    const best = kinds.find((kind) => hasGiveBack(driver, kind)) ?? kinds[0];
    if (best !== undefined) return best;
  }
  return named[0] ?? '';
}

const hasGiveBack = (driver: DriverDescriptor, name: string): boolean =>
  readKind(driver, name, (kind) => (Object.values(kind.methods ?? {}).some(({ effect }) => effect?.does === 'gives-back') ? true : undefined)) === true;

/** `ctx.db`, `this.pool`; null where the source does not show a name. */
export function dottedName(expression: TSESTree.Node): string | null {
  const node = unwrap(expression);
  switch (node.type) {
    case 'Identifier':
      return node.name;
    case 'ThisExpression':
      return 'this';
    case 'MemberExpression': {
      const object = dottedName(node.object);
      const name = memberName(node);
      return object === null || name === null ? null : `${object}.${name}`;
    }
    default:
      return null;
  }
}
