import type { TSESTree } from '@typescript-eslint/utils';
import type { Unit } from '../pass.js';
import { isClass, unwrap } from '../source/ast.js';
import type { Variable } from '../source/scope.js';
import type { Evaluator } from './evaluator.js';
import type { Frame, FrameReader } from './frames.js';
import type { LinkedFiles } from './imports/linked-files.js';
import { createPortable } from './imports/portable-handles.js';
import type { Handle, HandleIdentity, Value } from './values.js';

/** Which handles reach the same server session, or the same pool. */
export interface Backends {
  /** One number for all handles with one identity; a class's field is the connection its constructor is given. */
  idOf(handle: Handle): number;
  /** `different` only for two connections that were certainly made by two calls. */
  relation(one: Handle, other: Handle): 'same' | 'different' | 'unknown';
  /** The handle as the caller sees it: a helper's parameter is what this call passes, and what it returns is what the call gives. */
  through(handle: Handle, frame: Frame): Handle;
}

/** Over all linked files; `constructionsIn` finds the `new` expressions of one of them. */
export function createBackends(links: LinkedFiles, evaluator: Evaluator, frames: FrameReader, constructionsIn: (unit: Unit) => readonly TSESTree.NewExpression[]): Backends {
  const { scopes } = links;
  const portable = createPortable(links);
  const ids = new Map<HandleIdentity, number>();
  const canonical = new Map<HandleIdentity, HandleIdentity>();
  return { idOf, relation, through };

  function idOf(handle: Handle): number {
    const identity = canonicalOf(handle.identity, 0);
    const known = ids.get(identity);
    if (known !== undefined) return known;
    ids.set(identity, ids.size);
    return ids.size - 1;
  }

  function relation(one: Handle, other: Handle): 'same' | 'different' | 'unknown' {
    if (idOf(one) === idOf(other)) return 'same';
    return isMade(one) && isMade(other) ? 'different' : 'unknown';
  }

  /** Came into being by a call or for a callback of its own, so that no other handle is the same one. */
  function isMade(handle: Handle): boolean {
    const identity = canonicalOf(handle.identity, 0);
    return typeof identity === 'object' && (identity === handle.created || handle.evidence.because === 'callback-parameter');
  }

  function canonicalOf(identity: HandleIdentity, depth: number): HandleIdentity {
    const known = canonical.get(identity);
    if (known !== undefined) return known;
    const found = depth < 4 && isVariable(identity) ? givenToConstructor(identity, depth) : null;
    const result = found ?? identity;
    canonical.set(identity, result);
    return result;
  }

  /** The one connection that every construction, in the class's file and the linted one, passes for the parameter. */
  function givenToConstructor(variable: Variable, depth: number): HandleIdentity | null {
    const definition = scopes.definitionOf(variable);
    if (definition.kind !== 'parameter' || definition.path.length > 0) return null;
    const { parent } = definition.function;
    if (parent.type !== 'MethodDefinition' || parent.kind !== 'constructor') return null;
    const home = parent.parent.parent;
    const files = new Set([links.unitOf(variable), links.root]);
    const sites = [...files].flatMap(constructionsIn).filter((site) => isClass(home) && constructs(site, home));
    const passed = new Set<HandleIdentity | null>();
    for (const site of sites) {
      const argument = site.arguments[definition.index];
      const handle = argument && argument.type !== 'SpreadElement' ? handleIn(evaluator.valueOf(argument)) : null;
      passed.add(handle && canonicalOf(handle.identity, depth + 1));
    }
    const [only] = passed;
    return passed.size === 1 && only ? only : null;
  }

  function constructs(site: TSESTree.NewExpression, home: TSESTree.Node): boolean {
    const value = evaluator.valueOf(site.callee);
    const named = value.type === 'elsewhere' ? value.of : value;
    return named.type === 'class' && named.node === home;
  }

  function through(handle: Handle, frame: Frame): Handle {
    const isElsewhere = links.unitOf(frame.function) !== links.unitOf(frame.call);
    if (!isVariable(handle.identity)) return isElsewhere ? (givenBy(handle, frame) ?? portable(handle)) : handle;
    const definition = scopes.definitionOf(handle.identity);
    const [identifier] = handle.identity.identifiers;
    if (definition.kind !== 'parameter' || definition.function !== frame.function || !identifier) {
      return isElsewhere ? (givenToInstance(handle.identity, frame) ?? portable(handle)) : handle;
    }
    const passed = handleIn(frames.valueOf(identifier, [frame]));
    if (passed) return passed;
    const argument = frames.argumentFor(identifier, [frame]);
    const variable = argument?.node.type === 'Identifier' ? scopes.variableOf(argument.node) : null;
    return { ...handle, identity: variable ?? argument?.node ?? handle.identity };
  }

  /** What the object was constructed with whose method is called. */
  function givenToInstance(variable: Variable, { call }: Frame): Handle | null {
    const definition = scopes.definitionOf(variable);
    const callee = unwrap(call.callee);
    if (definition.kind !== 'parameter' || definition.path.length > 0 || callee.type !== 'MemberExpression') return null;
    const { parent } = definition.function;
    const object = evaluator.valueOf(callee.object);
    const instance = object.type === 'elsewhere' ? object.of : object;
    if (instance.type !== 'instance' || parent.type !== 'MethodDefinition' || parent.kind !== 'constructor' || parent.parent.parent !== instance.class) return null;
    const argument = instance.created?.arguments[definition.index];
    const handle = argument && argument.type !== 'SpreadElement' ? handleIn(evaluator.valueOf(argument)) : null;
    return handle && portable(handle);
  }

  /** A connection that the function of another file makes and returns goes by the call that gives it. */
  function givenBy(handle: Handle, { function: fn, call }: Frame): Handle | null {
    const [returned, given] = [handlesIn(evaluator.returnedBy(fn)), handlesIn(evaluator.valueOf(call))];
    const at = returned.findIndex((candidate) => candidate?.identity === handle.identity);
    return given[at] ?? null;
  }
}

/** The handles that a value is or lists, null for what is none. */
function handlesIn(value: Value): readonly (Handle | null)[] {
  if (value.type === 'promise') return handlesIn(value.of);
  return value.type === 'list' ? value.elements.map((element) => element && handleIn(element)) : [handleIn(value)];
}

/** The handle of a driver object, or of one that is promised. */
export function handleIn(value: Value): Handle | null {
  if (value.type === 'promise') return handleIn(value.of);
  return value.type === 'object' ? value.handle : null;
}

export const isVariable = (identity: HandleIdentity): identity is Variable => typeof identity === 'object' && 'defs' in identity;
