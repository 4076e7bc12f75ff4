import type { TSESTree } from '@typescript-eslint/utils';
import { unwrap, unwrappedParent } from '../../source/ast.js';
import type { Handle, HandleIdentity } from '../values.js';
import type { LinkedFiles } from './linked-files.js';

/**
 * Handles of other files under identities that every importing file agrees on: the path of the file that makes the handle, and
 * the name or place it makes it at. Only what lives as long as its module has such an identity.
 */
export function createPortable({ isOwn, unitOf }: LinkedFiles): (handle: Handle) => Handle {
  const known = new WeakMap<Handle, Handle>();
  return portable;

  /** One and the same for the same handle. */
  function portable(handle: Handle): Handle {
    const before = known.get(handle);
    if (before) return before;
    const made = makePortable(handle);
    known.set(handle, made);
    return made;
  }

  function makePortable(handle: Handle): Handle {
    const pool = handle.pool && portable(handle.pool);
    const identity = handle.moduleLevel ? identityOf(handle.identity) : handle.identity;
    return pool === handle.pool && identity === handle.identity ? handle : { ...handle, pool, identity };
  }

  function identityOf(identity: HandleIdentity): HandleIdentity {
    if (typeof identity === 'string' || isOwn(identity)) return identity;
    const { filename } = unitOf(identity);
    return `${filename}#${'references' in identity ? identity.name : placeName(identity)}`;
  }
}

/** The name that a module gives to what it makes at this place; the place itself where it has none. */
function placeName(node: TSESTree.Node): string {
  let made = unwrap(node);
  for (;;) {
    const { parent, child } = unwrappedParent(made);
    if (parent?.type === 'AwaitExpression') made = parent;
    else if (parent?.type === 'VariableDeclarator' && parent.init === child && parent.id.type === 'Identifier') return parent.id.name;
    else if (parent?.type === 'ExportDefaultDeclaration') return 'default';
    else return `@${node.range[0]}`;
  }
}
