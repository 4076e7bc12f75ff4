import type { TSESTree } from '@typescript-eslint/utils';
import { definePass } from '../pass.js';
import { isFunction, isInside, memberName, unwrap } from '../source/ast.js';
import { staticValue } from '../source/constants.js';
import { scopes } from '../source/scope.js';
import { descendants } from '../source/walk.js';

export interface Iteration {
  /** The loop, or the call of `map` or `forEach`. */
  readonly loop: TSESTree.Node;
  /** What it goes through. */
  readonly list: TSESTree.Node;
}

export interface IterationOrder {
  /**
   * The innermost loop around a place, over a list whose order the caller decides, that gives one of the values; null
   * where the list is sorted here, constant, or of unknown making.
   */
  unsortedAround(place: TSESTree.Node, values: readonly (TSESTree.Node | null)[]): Iteration | null;
}

const iterating: ReadonlySet<string | null> = new Set(['map', 'forEach', 'flatMap']);
/** Methods that keep the order of what they are called on. */
const orderKeeping: ReadonlySet<string | null> = new Set(['map', 'filter', 'slice', 'flatMap', 'concat', 'entries', 'keys', 'values']);

/** Says in which order loops take their elements, as far as the file decides it. */
export const iterationOrder = definePass('iterationOrder', [scopes], ([scopesOfFile], { visitorKeys }): IterationOrder => {
  return { unsortedAround };

  function unsortedAround(place: TSESTree.Node, values: readonly (TSESTree.Node | null)[]): Iteration | null {
    for (let node = place.parent; node; node = node.parent) {
      const iteration = iterationAt(node, place);
      if (!iteration) continue;
      if (values.some((value) => value !== null && dependsOn(value, iteration.loop))) return isCallersOrder(iteration.list, new Set()) ? iteration : null;
    }
    return null;
  }

  function iterationAt(node: TSESTree.Node, place: TSESTree.Node): Iteration | null {
    if (node.type === 'ForOfStatement' && isInside(place, node.body)) return { loop: node, list: node.right };
    if (node.type !== 'CallExpression') return null;
    const callee = unwrap(node.callee);
    const callback = node.arguments[0] ? unwrap(node.arguments[0]) : null;
    if (callee.type !== 'MemberExpression' || !iterating.has(memberName(callee)) || !isFunction(callback) || !isInside(place, callback)) return null;
    return { loop: node, list: callee.object };
  }

  /** The value names something that the loop declares: its variable, or what is computed from it. */
  function dependsOn(value: TSESTree.Node, loop: TSESTree.Node): boolean {
    for (const node of descendants(value, visitorKeys)) {
      if (node.type !== 'Identifier') continue;
      const [declared] = scopesOfFile.variableOf(node)?.identifiers ?? [];
      if (declared && isInside(declared, loop)) return true;
    }
    return false;
  }

  /** A parameter in the order it comes, or the keys of one. */
  function isCallersOrder(expression: TSESTree.Node, seen: Set<TSESTree.Node>): boolean {
    const node = unwrap(expression);
    if (seen.has(node) || staticValue(node, scopesOfFile)) return false;
    seen.add(node);
    switch (node.type) {
      case 'Identifier': {
        const variable = scopesOfFile.variableOf(node);
        const definition = variable && scopesOfFile.definitionOf(variable);
        if (!variable || !definition || scopesOfFile.readsOf(variable).some(({ identifier }) => isSorted(identifier))) return false;
        if (definition.kind === 'parameter') return true;
        return definition.kind === 'value' && definition.path.length === 0 && isCallersOrder(definition.init, seen);
      }
      case 'ArrayExpression':
        return node.elements.some((element) => element?.type === 'SpreadElement' && isCallersOrder(element.argument, seen));
      case 'NewExpression': {
        const [list] = node.arguments;
        return node.callee.type === 'Identifier' && node.callee.name === 'Set' && list !== undefined && isCallersOrder(list, seen);
      }
      case 'MemberExpression':
        return isCallersOrder(node.object, seen) && unwrap(node.object).type === 'Identifier';
      case 'CallExpression': {
        const callee = unwrap(node.callee);
        if (callee.type !== 'MemberExpression' || !orderKeeping.has(memberName(callee))) return false;
        const [list] = node.arguments;
        const isOfObject = callee.object.type === 'Identifier' && ['Object', 'Array'].includes(callee.object.name);
        return isCallersOrder(isOfObject && list ? list : callee.object, seen);
      }
      default:
        return false;
    }
  }

  /** `ids.sort()` somewhere; a name that says so, such as `sortIds(ids)`, is believed. */
  function isSorted(identifier: TSESTree.Node): boolean {
    const { parent } = identifier;
    if (parent?.type === 'MemberExpression' && parent.object === identifier) return /sort/i.test(memberName(parent) ?? '');
    if (parent?.type !== 'CallExpression') return false;
    const callee = unwrap(parent.callee);
    return /sort/i.test(callee.type === 'Identifier' ? callee.name : callee.type === 'MemberExpression' ? (memberName(callee) ?? '') : '');
  }
});
