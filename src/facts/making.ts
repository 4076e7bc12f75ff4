import type { TSESTree } from '@typescript-eslint/utils';
import type { DriverDescriptor, Give, GiveDetails, Position, Role } from '../drivers/driver.js';
import { isClass, isFunction, memberName, unwrap } from '../source/ast.js';
import type { Scopes } from '../source/scope.js';
import { detailsOf, type Core, type Making } from './core.js';
import { readKind, roleOfKind } from './kinds.js';
import type { Configuration, DriverObject, Handle, MakingNode } from './values.js';

/** Makes the objects that a driver's calls give, and works out over which backend they send. */
export function createMaking(core: Core) {
  const { parts } = core;
  return { make };

  function make(give: Give, driver: DriverDescriptor, receiver: DriverObject | null, call: MakingNode | null, making: Making): DriverObject {
    const details = detailsOf(give);
    const from = receiver?.handle ?? null;
    const underlying = details.unwraps ? from?.underlying : null;
    if (underlying && from) {
      return { type: 'object', ...underlying, handle: { ...from, ...underlying, underlying: null }, node: making.evidence.node };
    }
    const handle = handleFor(details, driver, from, call, making);
    return { type: 'object', driver, kind: details.kind, handle: handle && withSignal(handle, making, from), node: making.evidence.node };
  }

  function handleFor(details: GiveDetails, driver: DriverDescriptor, from: Handle | null, call: MakingNode | null, making: Making): Handle | null {
    const role = roleOfKind(driver, details.kind);
    const wrapped = call && details.wraps ? wrappedHandle(details.wraps, call) : null;
    const own: readonly Configuration[] = call ? [{ give: details, call }] : [];
    if (details.same) {
      const base = wrapped && wrapped !== 'unknown' ? wrapped : from;
      return base && { ...base, kind: details.kind, configured: [...own, ...base.configured] };
    }
    if (role === undefined) return from && { ...from, configured: [...own, ...from.configured] };
    const made: Handle = {
      role: roleOfNew(details, role, call),
      driver,
      kind: details.kind,
      identity: making.identity,
      pool: null,
      evidence: making.evidence,
      created: call,
      underlying: null,
      give: details,
      configured: own,
      signal: null,
      lifetime: making.lifetime ?? null,
      moduleLevel: making.moduleLevel ?? isModuleLevel(call),
      assumed: from?.assumed ?? false,
      mayBeTransaction: readKind(driver, details.kind, (kind) => kind.joinsUnseen) === true,
    };
    // What speaks HTTP has no session, whatever it is built on.
    if (wrapped === 'unknown') return role === 'http' ? made : { ...made, role: 'unknown' };
    if (wrapped) {
      return {
        ...wrapped,
        driver,
        kind: details.kind,
        underlying: { driver: wrapped.driver, kind: wrapped.kind },
        configured: [...own, ...wrapped.configured],
      };
    }
    if (!from || (role !== 'connection' && role !== 'transaction')) return made;
    // A transaction begun on a connection, or a savepoint in a transaction, stays on its backend.
    const stays = from.role === 'connection' || from.role === 'transaction';
    return {
      ...made,
      identity: stays ? from.identity : made.identity,
      pool: stays ? from.pool : from.role === 'unknown' ? null : from,
      configured: [...own, ...from.configured],
    };
  }

  function withSignal(handle: Handle, making: Making, from: Handle | null): Handle {
    const signal = making.signal ?? handle.signal ?? from?.signal ?? null;
    return signal === handle.signal ? handle : { ...handle, signal };
  }

  function roleOfNew(details: GiveDetails, role: Role, call: MakingNode | null): Role {
    if (role !== 'pool' || !call) return role;
    return (details.singleWhen ?? []).some((condition) => core.holds(call, condition)) ? 'single' : role;
  }

  /** The handle another one is built on; null when it connects by itself, `unknown` when that cannot be told. */
  function wrappedHandle(positions: readonly Position[], call: MakingNode): Handle | 'unknown' | null {
    let result: 'unknown' | null = null;
    for (const position of positions) {
      const place = core.placed(call, position);
      if (place.kind === 'absent') continue;
      if (place.kind === 'unknown') {
        result = 'unknown';
        continue;
      }
      const value = core.awaited(core.valueOf(place.node));
      if (value.type === 'object' && value.handle) return value.handle;
      if (value.type === 'record') continue;
      // What another file exports is no transaction, whatever it is.
      if (value.type === 'foreign') return null;
      if (isConnectionText(place.node)) return null;
      result = 'unknown';
    }
    return result;
  }

  /** A connection string or configuration, as opposed to a connection: a constant, or something from the environment. */
  function isConnectionText(expression: TSESTree.Node): boolean {
    const node = unwrap(expression);
    if (parts.constantOf(node) || node.type === 'TemplateLiteral') return true;
    const name = node.type === 'Identifier' ? node.name : node.type === 'MemberExpression' ? (memberName(node) ?? '') : '';
    return /ur[il]|dsn|string|config|options|env/i.test(name) || isEnvironment(node);
  }
}

/**
 * `const db = createDb();` at module level: what it holds is there once, for everybody. What looks into an AsyncLocalStorage
 * may be its caller's transaction.
 */
export function isModuleConstant(expression: TSESTree.Node, scopes: Scopes): boolean {
  const node = unwrap(expression);
  const variable = node.type === 'Identifier' ? scopes.variableOf(node) : null;
  const definition = variable && scopes.definitionOf(variable);
  if (!variable || definition?.kind !== 'value' || definition.declaration === null || !scopes.isModuleLevel(variable)) return false;
  return isModuleLevel(unwrap(definition.init)) && !scopes.textOf(definition.init).slice(...definition.init.range).includes('getStore(');
}

/** Is the call run once, when the module is loaded? */
export function isModuleLevel(call: TSESTree.Node | null): boolean {
  if (!call) return false;
  for (let node: TSESTree.Node | undefined = call.parent; node; node = node.parent) {
    if (isFunction(node)) return false;
    if (isClass(node)) return false;
  }
  return true;
}

/** `process.env.X`, `import.meta.env.X`, `Bun.env.X`. */
function isEnvironment(node: TSESTree.Node): boolean {
  for (let object = node; object.type === 'MemberExpression'; object = unwrap(object.object)) {
    if (memberName(object) === 'env') return true;
  }
  return false;
}
