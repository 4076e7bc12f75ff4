import type { Call, DriverDescriptor, Give, Kind, Role } from '../drivers/driver.js';

/** Reads something from a kind, or from the kinds it extends; undefined when none of them has it. */
export function readKind<T>(driver: DriverDescriptor, name: string, read: (kind: Kind) => T | undefined): T | undefined {
  const seen = new Set<string>();
  for (let current: string | undefined = name; current !== undefined && !seen.has(current); ) {
    seen.add(current);
    const kind: Kind | undefined = ownProperty(driver.kinds, current);
    if (!kind) return undefined;
    const found = read(kind);
    if (found !== undefined) return found;
    current = kind.extends;
  }
  return undefined;
}

export const roleOfKind = (driver: DriverDescriptor, name: string): Role | undefined => readKind(driver, name, (kind) => kind.role);

/** The meaning of a method; in a fluent kind every unnamed method returns the object itself. */
export function methodOfKind(driver: DriverDescriptor, name: string, method: string): Call | null {
  const call = readKind(driver, name, (kind) => ownProperty(kind.methods, method));
  if (call) return call;
  const isFluent = readKind(driver, name, (kind) => kind.fluent) === true;
  return isFluent ? { gives: { kind: name, same: true } } : null;
}

/** Are the library's transactions objects of this kind, too, so that what goes by its name may be one? */
export function hasTransactionsLike(driver: DriverDescriptor, name: string): boolean {
  return Object.entries(driver.kinds).some(
    ([candidate, { role }]) => role === 'transaction' && readKind(driver, candidate, (kind) => (kind === driver.kinds[name] ? true : undefined)) === true,
  );
}

export const kindOf = (give: Give): string => (typeof give === 'string' ? give : give.kind);

/** A record's own property: names from user code such as `constructor` must not reach a prototype. */
export const ownProperty = <T>(record: Readonly<Record<string, T>> | undefined, name: string): T | undefined =>
  record && Object.hasOwn(record, name) ? record[name] : undefined;
