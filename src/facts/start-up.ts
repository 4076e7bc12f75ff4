import type { TSESTree } from '@typescript-eslint/utils';
import { definePass } from '../pass.js';
import { enclosingFunction, unwrappedParent, type FunctionNode } from '../source/ast.js';
import { evaluation } from './evaluation.js';

export interface StartUp {
  /**
   * Does the code run once, and nothing beside it: when the module is loaded, at its level or in functions that only such
   * code calls, or in a hook around all tests of a file?
   */
  includes(node: TSESTree.Node): boolean;
}

export const startUp = definePass('start-up', [evaluation], ([{ evaluator, callers }]): StartUp => {
  return { includes: (node) => includes(node, new Set()) };

  function includes(node: TSESTree.Node, seen: Set<FunctionNode>): boolean {
    const fn = enclosingFunction(node);
    if (!fn) return true;
    if (seen.has(fn) || isInLoop(node, fn)) return false;
    seen.add(fn);
    const { parent, child } = unwrappedParent(fn);
    if (parent?.type === 'CallExpression' && parent.callee === child) return includes(parent, seen);
    if (isHook(parent)) return true;
    if (callers.hasUnknownCallers(fn)) return false;
    const [only, ...others] = callers.callSitesOf(fn, evaluator);
    return only !== undefined && others.length === 0 && includes(only, seen);
  }
});

const hooks: ReadonlySet<string> = new Set(['beforeAll', 'afterAll', 'before', 'after', 'globalSetup', 'globalTeardown']);

const isHook = (parent: TSESTree.Node | undefined): boolean =>
  parent?.type === 'CallExpression' && parent.callee.type === 'Identifier' && hooks.has(parent.callee.name);

function isInLoop(node: TSESTree.Node, fn: FunctionNode): boolean {
  for (let current: TSESTree.Node | undefined = node; current && current !== fn; current = current.parent) {
    if (/^(?:For|While|DoWhile)/.test(current.type)) return true;
  }
  return false;
}
