import type { TSESTree } from '@typescript-eslint/utils';
import { definePass } from '../pass.js';
import { evaluation } from './evaluation.js';
import type { LockKey } from './keys.js';
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
   * The innermost loop around a place, over a list whose order the caller decides, that gives a part of the key; null
   * where the list is sorted here, constant, or of unknown making.
   */
  unsortedAround(place: TSESTree.Node, key: LockKey): Iteration | null;
  /** The list is constant, or sorted here. */
  isOrdered(list: TSESTree.Node): boolean;
}

const iterating: ReadonlySet<string | null> = new Set(['map', 'forEach', 'flatMap']);
/** Methods that keep the order of what they are called on. */
const orderKeeping: ReadonlySet<string | null> = new Set(['map', 'filter', 'slice', 'flatMap', 'concat', 'entries', 'keys', 'values']);

/** Says in which order loops take their elements, as far as the file decides it. */
export const iterationOrder = definePass('iterationOrder', [scopes, evaluation], ([scopesOfFile, { frames: frameReader }], { visitorKeys }): IterationOrder => {
  return { unsortedAround, isOrdered: (list) => isOrdered(list, 0) };

  function unsortedAround(place: TSESTree.Node, key: LockKey): Iteration | null {
    const values = key.values.map((value) => value && (frameReader.argumentFor(value, key.frames)?.node ?? null));
    for (let node = place.parent; node; node = node.parent) {
      const iteration = iterationAt(node, place) ?? countingAt(node, values);
      if (!iteration) continue;
      if (values.some((value) => value !== null && dependsOn(value, iteration.loop))) return isCallersOrder(iteration.list, new Set()) ? iteration : null;
    }
    return null;
  }

  function iterationAt(node: TSESTree.Node, place: TSESTree.Node): Iteration | null {
    if ((node.type === 'ForOfStatement' || node.type === 'ForInStatement') && isInside(place, node.body)) return { loop: node, list: node.right };
    if (node.type !== 'CallExpression') return null;
    const callee = unwrap(node.callee);
    const callback = node.arguments[0] ? unwrap(node.arguments[0]) : null;
    if (callee.type !== 'MemberExpression' || !iterating.has(memberName(callee)) || !isFunction(callback) || !isInside(place, callback)) return null;
    return { loop: node, list: callee.object };
  }

  /** `for (let i = 0; …) { … list[i] … }` */
  function countingAt(node: TSESTree.Node, values: readonly (TSESTree.Node | null)[]): Iteration | null {
    if (node.type !== 'ForStatement' || node.init?.type !== 'VariableDeclaration') return null;
    const { init } = node;
    for (const value of values) {
      const access = value && unwrap(madeOf(value, node));
      if (access?.type !== 'MemberExpression' || !access.computed || access.property.type !== 'Identifier') continue;
      const [declared] = scopesOfFile.variableOf(access.property)?.identifiers ?? [];
      if (declared && isInside(declared, init)) return { loop: node, list: access.object };
    }
    return null;
  }

  /** What a variable of the loop holds; any other expression itself. */
  function madeOf(value: TSESTree.Node, loop: TSESTree.Node): TSESTree.Node {
    const node = unwrap(value);
    const variable = node.type === 'Identifier' ? scopesOfFile.variableOf(node) : null;
    const definition = variable && scopesOfFile.definitionOf(variable);
    return definition?.kind === 'value' && definition.path.length === 0 && isInside(definition.init, loop) ? definition.init : node;
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
        return unwrap(node.object).type === 'Identifier' && isCallersOrder(node.object, seen) && !isMemberSorted(node);
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

  function isOrdered(expression: TSESTree.Node, depth: number): boolean {
    const node = unwrap(expression);
    if (depth > depthLimit || staticValue(node, scopesOfFile)) return depth <= depthLimit;
    switch (node.type) {
      case 'Identifier': {
        const variable = scopesOfFile.variableOf(node);
        if (!variable) return false;
        if (scopesOfFile.readsOf(variable).some(({ identifier }) => isSorted(identifier))) return true;
        const definition = scopesOfFile.definitionOf(variable);
        return definition.kind === 'value' && isOrdered(definition.init, depth + 1);
      }
      case 'ArrayExpression':
        return node.elements.every((element) => element !== null && isOrdered(element.type === 'SpreadElement' ? element.argument : element, depth + 1));
      case 'AwaitExpression':
        return isOrdered(node.argument, depth + 1);
      case 'CallExpression': {
        const callee = unwrap(node.callee);
        if (sorts(callee)) return true;
        return callee.type === 'MemberExpression' && orderKeeping.has(memberName(callee)) && isOrdered(callee.object, depth + 1);
      }
      default:
        return false;
    }
  }

  /** `input.ids.sort()` somewhere. */
  function isMemberSorted(member: TSESTree.MemberExpression): boolean {
    const object = unwrap(member.object);
    const variable = object.type === 'Identifier' ? scopesOfFile.variableOf(object) : null;
    if (!variable) return false;
    return scopesOfFile.readsOf(variable).some(({ identifier: { parent } }) => parent?.type === 'MemberExpression' && memberName(parent) === memberName(member) && isSorted(parent));
  }

  /** `ids.sort()` somewhere; a name that says so, such as `sortIds(ids)`, is believed. */
  function isSorted(expression: TSESTree.Node): boolean {
    const { parent } = expression;
    if (parent?.type === 'MemberExpression' && parent.object === expression) return sorts(parent);
    return parent?.type === 'CallExpression' && sorts(unwrap(parent.callee));
  }
});

const depthLimit = 8;

function sorts(callee: TSESTree.Node): boolean {
  const name = callee.type === 'Identifier' ? callee.name : callee.type === 'MemberExpression' ? memberName(callee) : null;
  return name !== null && /sort/i.test(name);
}
