import type { TSESTree } from '@typescript-eslint/utils';
import type { DriverDescriptor } from '../drivers/driver.js';
import { resultOf, type Unit } from '../pass.js';
import { isFunction, unwrap, unwrappedParent } from '../source/ast.js';
import { nodes } from '../source/walk.js';
import { isCalledOn, placesOf } from './application-wide.js';
import type { Core } from './core.js';
import type { Variable } from '../source/scope.js';

/** Whose handle a variable holds that nothing in the file makes: what is called on it, and what else the file imports, tell. */
export function createLibraries(core: Core) {
  const { callers, links, modules, scopes } = core.parts;
  const importedBy = new Map<Unit, readonly DriverDescriptor[]>();
  return { libraryOf };

  /** Null unless exactly one library is meant. */
  function libraryOf(variable: Variable): { driver: DriverDescriptor; kind: string } | null {
    const [identifier] = variable.identifiers;
    if (!identifier) return null;
    const owner = ownerOfName(variable);
    if (owner) return owner;
    const callsOf = (method: string): readonly TSESTree.CallExpression[] => callers.callsOfMethod(method, identifier);
    const places = placesOf(variable, scopes);
    const [only, ...others] = modules.withImportedHandle.flatMap((driver) => {
      const { importedHandle } = driver;
      if (!importedHandle || !isCalledOn(places, importedHandle.methods, callsOf, scopes, isGivenSql)) return [];
      const isShown = imported(links.unitOf(identifier)).includes(driver) || (importedHandle.calledToo === true && isCalled(variable));
      return isShown ? [{ driver, kind: importedHandle.kind }] : [];
    });
    return only && others.length === 0 ? only : null;
  }

  /** A method, or tag, that one library alone has. */
  function ownerOfName(variable: Variable): { driver: DriverDescriptor; kind: string } | null {
    for (const { identifier } of scopes.readsOf(variable)) {
      const { parent, child } = unwrappedParent(identifier);
      if (parent?.type !== 'MemberExpression' || parent.object !== child || parent.computed || parent.property.type !== 'Identifier') continue;
      const { name } = parent.property;
      if (modules.isDistinctive(name)) return modules.ownerOfMethod(name);
    }
    return null;
  }

  function isCalled(variable: Variable): boolean {
    return scopes.readsOf(variable).some(({ identifier }) => {
      const { parent } = unwrappedParent(identifier);
      return parent?.type === 'CallExpression' && unwrap(parent.callee) === identifier && parent.arguments.length > 0;
    });
  }

  /** The libraries that have a handle to be known by and that the file imports. */
  function imported(unit: Unit): readonly DriverDescriptor[] {
    const known = importedBy.get(unit);
    if (known) return known;
    const imports = modulesOf(unit);
    const found = modules.withImportedHandle.filter((driver) => imports.some((module) => modules.isModuleOf(driver, module)));
    importedBy.set(unit, found);
    return found;
  }
}

/** A statement, or a transaction's callback or nothing: `bus.execute(new Command())` and `bus.execute(command)` are none of these. */
function isGivenSql({ arguments: [first] }: TSESTree.CallExpression): boolean {
  const given = first && unwrap(first);
  switch (given?.type) {
    case undefined:
    case 'Literal':
    case 'TemplateLiteral':
    case 'TaggedTemplateExpression':
      return true;
    default:
      return isFunction(given);
  }
}

/** What the file imports or requires. */
function modulesOf(unit: Unit): readonly string[] {
  const imported = unit.program.body.flatMap((statement) => (statement.type === 'ImportDeclaration' ? [statement.source.value] : []));
  const required = resultOf(nodes, unit).calls.flatMap(({ callee, arguments: [source] }) =>
    callee.type === 'Identifier' && callee.name === 'require' && source?.type === 'Literal' && typeof source.value === 'string' ? [source.value] : [],
  );
  return [...imported, ...required];
}
