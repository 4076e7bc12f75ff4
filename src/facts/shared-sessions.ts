import type { TSESTree } from '@typescript-eslint/utils';
import { definePass } from '../pass.js';
import { enclosingFunction, isInside, unwrappedParent, type FunctionNode } from '../source/ast.js';
import { evaluation } from './evaluation.js';
import type { Handle } from './values.js';

/** Who else sends statements over the session that a statement goes to. */
export interface SharedSessions {
  /**
   * Does a statement at this place go over one session that concurrent callers certainly share? A connection is shared
   * when the module has it, a handle with one session for everybody unless the function itself made it.
   */
  isShared(handle: Handle, at: TSESTree.Node): boolean;
  /** Does the code run once, when the program starts: at module level, or in functions that only such code calls? */
  isStartUp(node: TSESTree.Node): boolean;
}

export const sharedSessions = definePass('shared-sessions', [evaluation], ([{ evaluator, callers }]): SharedSessions => {
  return { isShared, isStartUp: (node) => isStartUp(node, new Set()) };

  function isShared({ role, moduleLevel, assumed, created, evidence }: Handle, at: TSESTree.Node): boolean {
    if (assumed) return false;
    switch (role) {
      case 'connection':
        return moduleLevel;
      case 'single': {
        if (moduleLevel) return true;
        // An object that the class or factory around it makes may be there for one caller only.
        return created === null && evidence.because !== 'callback-parameter' && !isInside(evidence.node, enclosingFunction(at) ?? at) === (evidence.because !== 'annotation');
      }
      case 'pool':
      case 'http':
      case 'transaction':
      case 'unknown':
        return false;
      default:
        return role satisfies never;
    }
  }

  function isStartUp(node: TSESTree.Node, seen: Set<FunctionNode>): boolean {
    const fn = enclosingFunction(node);
    if (!fn) return true;
    if (seen.has(fn) || isInLoop(node, fn)) return false;
    seen.add(fn);
    const { parent, child } = unwrappedParent(fn);
    if (parent?.type === 'CallExpression' && parent.callee === child) return isStartUp(parent, seen);
    if (callers.hasUnknownCallers(fn)) return false;
    const [only, ...others] = callers.callSitesOf(fn, evaluator);
    return only !== undefined && others.length === 0 && isStartUp(only, seen);
  }
});

function isInLoop(node: TSESTree.Node, fn: FunctionNode): boolean {
  for (let current: TSESTree.Node | undefined = node; current && current !== fn; current = current.parent) {
    if (/^(?:For|While|DoWhile)/.test(current.type)) return true;
  }
  return false;
}
