import type { TSESTree } from '@typescript-eslint/utils';
import { definePass } from '../pass.js';
import { enclosingFunction, memberName, unwrappedParent, type FunctionNode } from '../source/ast.js';
import { evaluation } from './evaluation.js';

/** Hooks of test runners (Jest, Vitest, Mocha, node:test, Playwright), which run one at a time. */
const hooks = new Set(['beforeAll', 'beforeEach', 'afterAll', 'afterEach']);
const bareHooks = new Set([...hooks, 'before', 'after', 'suiteSetup', 'suiteTeardown']);

export interface StartUp {
  /**
   * Does the code run when nothing else runs beside it: once, when the module is loaded (at its level, or in functions
   * that only such code calls), or in a hook of a test runner?
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
    if (parent?.type === 'CallExpression') {
      if (parent.callee === child) return includes(parent, seen);
      if (isHook(parent)) return true;
    }
    if (callers.hasUnknownCallers(fn)) return false;
    const [only, ...others] = callers.callSitesOf(fn, evaluator);
    return only !== undefined && others.length === 0 && includes(only, seen);
  }
});

/** `beforeAll(fn)`, `test.beforeEach(fn)`; the shorter names mean something else as methods. */
function isHook({ callee }: TSESTree.CallExpression): boolean {
  if (callee.type === 'Identifier') return bareHooks.has(callee.name);
  return callee.type === 'MemberExpression' && hooks.has(memberName(callee) ?? '');
}

function isInLoop(node: TSESTree.Node, fn: FunctionNode): boolean {
  for (let current: TSESTree.Node | undefined = node; current && current !== fn; current = current.parent) {
    if (/^(?:For|While|DoWhile)/.test(current.type)) return true;
  }
  return false;
}
