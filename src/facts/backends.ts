import type { TSESTree } from '@typescript-eslint/utils';
import { isClass } from '../source/ast.js';
import type { Scopes, Variable } from '../source/scope.js';
import type { Evaluation } from './evaluation.js';
import type { Frame } from './frames.js';
import type { Handle, HandleIdentity, Value } from './values.js';

/** Which handles reach the same server session, or the same pool. */
export interface Backends {
  /** One number for all handles with one identity; a class's field is the connection its constructor is given. */
  idOf(handle: Handle): number;
  /** `different` only for two connections that were certainly made by two calls. */
  relation(one: Handle, other: Handle): 'same' | 'different' | 'unknown';
  /** The handle as the caller sees it: a helper's parameter is what this call passes. */
  through(handle: Handle, frame: Frame): Handle;
}

export function createBackends(scopes: Scopes, { evaluator, frames }: Evaluation, constructions: readonly TSESTree.NewExpression[]): Backends {
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

  /** The one connection that every construction in this file passes for the parameter. */
  function givenToConstructor(variable: Variable, depth: number): HandleIdentity | null {
    const definition = scopes.definitionOf(variable);
    if (definition.kind !== 'parameter' || definition.path.length > 0) return null;
    const { parent } = definition.function;
    if (parent.type !== 'MethodDefinition' || parent.kind !== 'constructor') return null;
    const home = parent.parent.parent;
    const sites = constructions.filter((site) => isClass(home) && constructs(site, home));
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
    return value.type === 'class' && value.node === home;
  }

  function through(handle: Handle, frame: Frame): Handle {
    if (!isVariable(handle.identity)) return handle;
    const definition = scopes.definitionOf(handle.identity);
    const [identifier] = handle.identity.identifiers;
    if (definition.kind !== 'parameter' || definition.function !== frame.function || !identifier) return handle;
    const passed = handleIn(frames.valueOf(identifier, [frame]));
    if (passed) return passed;
    const argument = frames.argumentFor(identifier, [frame]);
    const variable = argument?.node.type === 'Identifier' ? scopes.variableOf(argument.node) : null;
    return { ...handle, identity: variable ?? argument?.node ?? handle.identity };
  }
}

/** The handle of a driver object, or of one that is promised. */
export function handleIn(value: Value): Handle | null {
  if (value.type === 'promise') return handleIn(value.of);
  return value.type === 'object' ? value.handle : null;
}

export const isVariable = (identity: HandleIdentity): identity is Variable => typeof identity === 'object' && 'defs' in identity;
