import type { TSESTree } from '@typescript-eslint/utils';
import { memberName, unwrap } from '../source/ast.js';
import { dottedName } from '../source/mutations.js';
import { sourceOf } from '../source/objects.js';
import type { Scopes } from '../source/scope.js';
import type { Evaluator } from './evaluator.js';

/** What a call calls, by the name it is known by outside this file; `other` for functions of the file and unknown ones. */
export type CalleeName =
  /** A global or a member of one, which nothing in the file declares: `Math.floor`. */
  | { readonly kind: 'global'; readonly name: string }
  /** Imported; `default` for a module's default export, the empty name for the whole module. */
  | { readonly kind: 'import'; readonly module: string; readonly name: string }
  | { readonly kind: 'method'; readonly name: string; readonly object: TSESTree.Expression }
  | { readonly kind: 'other' };

/** Names what an expression refers to when it is called or read: `process.pid`, `createHash` of `crypto`. */
export function nameOf(expression: TSESTree.Node, scopes: Scopes, evaluator: Evaluator): CalleeName {
  const callee = unwrap(expression);
  const dotted = dottedName(callee);
  if (dotted !== null && isGlobal(callee, scopes)) {
    return { kind: 'global', name: dotted.replace(/^(?:globalThis|window|self)\./, '') };
  }
  const value = evaluator.valueOf(callee);
  if (value.type === 'foreign') return { kind: 'import', module: value.module.replace(/^node:/, ''), name: value.path.filter((part) => part !== 'default').at(-1) ?? (value.path.length > 0 ? 'default' : '') };
  if (callee.type === 'MemberExpression') {
    const name = memberName(callee);
    if (name !== null) return { kind: 'method', name, object: callee.object };
  }
  return { kind: 'other' };
}

/** Objects of the language and of Node; other undeclared names may be anything. */
const knownGlobals: ReadonlySet<string> = new Set([
  'Math', 'Number', 'BigInt', 'String', 'Boolean', 'Date', 'JSON', 'Array', 'Map', 'Set', 'WeakMap', 'Promise', 'Error', 'URL', 'Uint8Array', 'DataView', 'Buffer',
  'parseInt', 'parseFloat', 'performance', 'process', 'crypto', 'globalThis', 'window', 'self',
]);

function isGlobal(callee: TSESTree.Node, scopes: Scopes): boolean {
  let root = callee;
  while (root.type === 'MemberExpression') root = unwrap(root.object);
  return root.type === 'Identifier' && knownGlobals.has(root.name) && scopes.variableOf(root) === null;
}

/** `createHash('sha256').update(text)…`: the call that made the hash, and what was put in through this chain. */
export interface HashChain {
  readonly creation: TSESTree.CallExpression;
  readonly inputs: readonly TSESTree.Node[];
}

/** Reads the object of `.digest(…)` back to its `createHash` or `createHmac`; null for anything else. */
export function hashChainOf(object: TSESTree.Node, scopes: Scopes, evaluator: Evaluator): HashChain | null {
  const inputs: TSESTree.Node[] = [];
  let node = unwrap(object);
  for (let step = 0; step < 20; step += 1) {
    if (node.type === 'Identifier') {
      const source = sourceOf(node, scopes);
      if (!source) return null;
      node = unwrap(source);
    }
    if (node.type !== 'CallExpression') return null;
    const callee = nameOf(node.callee, scopes, evaluator);
    const isCreation = (callee.kind === 'import' && callee.module === 'crypto') || (callee.kind === 'global' && callee.name.startsWith('crypto.'));
    if (isCreation && (callee.name.endsWith('createHash') || callee.name.endsWith('createHmac'))) return { creation: node, inputs };
    if (callee.kind !== 'method' || callee.name !== 'update') return null;
    if (node.arguments[0]) inputs.push(node.arguments[0]);
    node = unwrap(callee.object);
  }
  return null;
}
