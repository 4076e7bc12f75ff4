import type { DriverDescriptor } from '../drivers/driver.js';
import type { Unit } from '../pass.js';
import type { Handle } from './values.js';

/**
 * Tells whether a handle may join a transaction that this file does not show, because the file imports or calls what makes
 * handles do so.
 */
export function createImplicitTransactions(unit: Unit, drivers: readonly DriverDescriptor[]): (handle: Handle) => boolean {
  // `@Transactional()`, whoever defines it: the handles in such a file find its transaction by themselves.
  const isDecorated = /@Transactional\b/.test(unit.text);
  const imported = new Set(unit.program.body.flatMap((statement) => (statement.type === 'ImportDeclaration' ? [statement.source.value] : [])));
  const affected = drivers.filter((driver) =>
    driver.implicitTransactions?.some(
      ({ module, call }) => (module !== undefined && imported.has(module)) || (call !== undefined && isCalled(call, unit.text)),
    ),
  );
  const names = new Set(affected.map((driver) => driver.name));
  // Of a handle of unknown origin any library may be the one.
  return ({ driver, assumed }) => isDecorated || names.has(driver.name) || (assumed && names.size > 0);
}

function isCalled(name: string, text: string): boolean {
  for (let at = text.indexOf(`${name}(`); at >= 0; at = text.indexOf(`${name}(`, at + 1)) {
    if (!/[\w$]/.test(text[at - 1] ?? '')) return true;
  }
  return false;
}
