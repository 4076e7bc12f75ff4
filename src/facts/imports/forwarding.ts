import type { TSESTree } from '@typescript-eslint/utils';
import { resultOf } from '../../pass.js';
import { isInside, type FunctionNode } from '../../source/ast.js';
import { nodes } from '../../source/walk.js';
import type { CallMeaning, Evaluator } from '../evaluator.js';
import type { Frame } from '../frames.js';
import type { CallNode, Query } from '../query.js';
import { calleeOfCall } from './elsewhere.js';
import type { LinkedFiles } from './linked-files.js';

/** How a function's argument becomes SQL that is sent: the call that sends it, and the calls that lead there, innermost first. */
export interface Route {
  readonly sending: CallNode;
  readonly meaning: CallMeaning;
  readonly frames: readonly Frame[];
}

export interface Forwarding {
  /** The statements that a call of another file's function sends with the SQL it is given; none for other calls. */
  queriesAt(node: CallNode): readonly Query[];
  /** The ways in which the function sends text that its caller gives. */
  routesOf(fn: FunctionNode): readonly Route[];
}

export interface ForwardingParts {
  readonly links: LinkedFiles;
  readonly evaluator: Evaluator;
  /** The function whose parameter the call sends as SQL, after the calls in `frames`. */
  readonly forwardingFunction: (sending: CallNode, meaning: CallMeaning, frames: readonly Frame[]) => FunctionNode | null;
  readonly queriesOf: (sending: CallNode, meaning: CallMeaning, frames: readonly Frame[]) => readonly Query[];
}

/** Wrappers wrap wrappers; deeper than this nothing is followed. */
const maximumDepth = 4;

/** Finds functions that forward SQL, from the outside in: the call is in the linted file, the function in another one. */
export function createForwarding({ links, evaluator, forwardingFunction, queriesOf }: ForwardingParts): Forwarding {
  const routes = new Map<FunctionNode, readonly Route[]>();
  return { queriesAt, routesOf: (fn) => routesOf(fn, 0) };

  function queriesAt(node: CallNode): readonly Query[] {
    if (node.type !== 'CallExpression') return [];
    const fn = functionElsewhere(node);
    if (!fn) return [];
    return routesOf(fn, 0).flatMap(({ sending, meaning, frames }) => queriesOf(sending, meaning, [...frames, { function: fn, call: node }]));
  }

  function routesOf(fn: FunctionNode, depth: number): readonly Route[] {
    const known = routes.get(fn);
    if (known) return known;
    if (depth > maximumDepth || fn.params.length === 0) return [];
    // A function that calls itself brings nothing new.
    routes.set(fn, []);
    const { calls, taggedTemplates } = resultOf(nodes, links.unitOf(fn));
    const inside = [...calls, ...taggedTemplates].filter((call) => isInside(call, fn));
    const found = inside.flatMap((call) => [...sentBy(call, fn), ...handedOnBy(call, fn, depth)]);
    routes.set(fn, found);
    return found;
  }

  function sentBy(call: CallNode, fn: FunctionNode): Route[] {
    const meaning = evaluator.meaningOf(call);
    return meaning?.call.sends && forwardingFunction(call, meaning, []) === fn ? [{ sending: call, meaning, frames: [] }] : [];
  }

  function handedOnBy(call: CallNode, fn: FunctionNode, depth: number): Route[] {
    if (call.type !== 'CallExpression') return [];
    const inner = evaluator.calleeOf(call) ?? functionElsewhere(call);
    if (!inner || inner === fn) return [];
    return routesOf(inner, depth + 1).flatMap(({ sending, meaning, frames }) => {
      const longer = [...frames, { function: inner, call }];
      return forwardingFunction(sending, meaning, longer) === fn ? [{ sending, meaning, frames: longer }] : [];
    });
  }

  function functionElsewhere(call: TSESTree.CallExpression): FunctionNode | null {
    const callee = evaluator.valueOf(calleeOfCall(call));
    return callee.type === 'elsewhere' && callee.of.type === 'function' ? callee.of.node : null;
  }
}
