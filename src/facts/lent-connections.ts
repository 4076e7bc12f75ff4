import type { TSESTree } from '@typescript-eslint/utils';
import { memberName, unwrappedParent } from '../source/ast.js';
import type { Scopes, Variable } from '../source/scope.js';
import type { Modules } from './modules.js';
import { bareHandle, type DriverObject } from './values.js';

/**
 * What a variable of unknown origin holds that is sent statements and released again: `const c = await db.connect(); …;
 * c.release()`. Whoever lends it, it is one connection that goes back. Null where the variable is not used so, and for a
 * parameter, behind which the caller may have put anything.
 */
export function lentConnection(variable: Variable, scopes: Scopes, modules: Modules): DriverObject | null {
  if (scopes.definitionOf(variable).kind === 'parameter') return null;
  const { driver } = modules.assumedOwner();
  let isReleased = false;
  let isSent = false;
  for (const { identifier } of scopes.readsOf(variable)) {
    const { parent, child } = unwrappedParent(identifier);
    if (parent?.type === 'TaggedTemplateExpression') isSent ||= parent.tag === child;
    if (parent?.type !== 'MemberExpression' || parent.object !== child) continue;
    const name = calledName(parent);
    isReleased ||= name === 'release';
    isSent ||= name !== null && modules.ownerOfMethod(name, 'session')?.driver === driver;
  }
  const [node] = variable.identifiers;
  if (!isReleased || !isSent || !node) return null;
  const handle = bareHandle({ role: 'connection', driver, kind: 'connection', identity: variable, evidence: { because: 'given-back', node } });
  return { type: 'object', driver, kind: 'connection', node, handle: { ...handle, assumed: true } };
}

function calledName(member: TSESTree.MemberExpression): string | null {
  const { parent, child } = unwrappedParent(member);
  return parent?.type === 'CallExpression' && parent.callee === child ? memberName(member) : null;
}
