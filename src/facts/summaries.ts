import type { TSESTree } from '@typescript-eslint/utils';
import { definePass, resultOf, type Pass } from '../pass.js';
import { isFunction, keyName, unwrap, type FunctionNode } from '../source/ast.js';
import { scopes } from '../source/scope.js';
import { nodes } from '../source/walk.js';
import { mentionsLock } from '../sql/lock-functions.js';
import type { Evaluator } from './evaluator.js';
import { evaluation } from './evaluation.js';
import { events } from './events.js';
import type { Frame } from './frames.js';
import type { Value } from './values.js';

type CallNode = TSESTree.CallExpression | TSESTree.NewExpression;

/** Which calls of the file run functions that matter to locks, of the file or of one that it imports, and which callbacks those functions run. */
export interface Helpers {
  /** Does the function, or one that it calls, do something to a connection, transaction or lock? */
  isRelevant(fn: FunctionNode): boolean;
  /** The relevant function that the call runs; null for every other call. A constructor is not followed. */
  calledBy(call: TSESTree.Node): Frame | null;
  /** May some call in this file, or in one that imports it, run the function? */
  isCalled(fn: FunctionNode): boolean;
  /** The parameter of the function that the call calls, or hands to a helper that calls it: `body` in `withLock(key, body)`. */
  parameterCalledBy(call: TSESTree.Node, fn: FunctionNode): TSESTree.Identifier | null;
  /** The parameters of the function that it, or a helper of its, calls. */
  callbackParametersOf(fn: FunctionNode): readonly TSESTree.Identifier[];
  /** The function written for the one parameter that the called helper runs as a callback. */
  callbackOf(call: CallNode): { readonly frame: Frame; readonly function: FunctionNode } | null;
}

/** Helpers call helpers; deeper than this a function counts as out of sight. */
const depthLimit = 6;

/** The functions that take part in locking, found from the calls with events. */
export const helpers: Pass<Helpers> = definePass('helpers', [scopes, nodes, evaluation, events], ([scopesOfFile, nodesOfFile, evaluated, eventsOfFile]): Helpers => {
  const { evaluator, frames, links, declaredWrappers } = evaluated;
  const relevance = new Map<FunctionNode, boolean>();
  const callbackParameters = new Map<FunctionNode, readonly TSESTree.Identifier[]>();
  const { places } = eventsOfFile;
  let called: ReadonlySet<FunctionNode> | null = null;
  return { isRelevant: (fn) => isRelevant(fn, 0), calledBy, isCalled, parameterCalledBy, callbackParametersOf: (fn) => callbackParametersOf(fn, 0), callbackOf };

  function isRelevant(fn: FunctionNode, depth: number): boolean {
    const known = relevance.get(fn);
    if (known !== undefined) return known;
    if (depth > depthLimit) return false;
    if (!links.isOwn(fn)) return isRelevantElsewhere(fn);
    // A function that calls itself is as relevant as the rest of it.
    relevance.set(fn, false);
    const result = within(places, fn).length > 0 || within(nodesOfFile.calls, fn).some((call) => calls(call, depth));
    relevance.set(fn, result);
    return result;
  }

  /** Other files are passed over where they would be passed over as linted files. */
  function isRelevantElsewhere(fn: FunctionNode): boolean {
    const home = links.unitOf(fn);
    return mentionsLock(home.text, home.settings.triggerWords) && resultOf(helpers, home).isRelevant(fn);
  }

  function calls(call: TSESTree.CallExpression, depth: number): boolean {
    const callee = calleeOf(call);
    return callee !== null && isRelevant(callee, depth + 1);
  }

  function calleeOf(call: TSESTree.CallExpression): FunctionNode | null {
    const callee = evaluator.valueOf(unwrap(call.callee));
    if (callee.type !== 'elsewhere') return evaluator.calleeOf(call);
    // What the settings say of a helper holds whatever its file shows.
    return callee.of.type === 'function' && !declaredWrappers.lockAt(call, callee) ? callee.of.node : null;
  }

  function calledBy(node: TSESTree.Node): Frame | null {
    if (node.type !== 'CallExpression' || isGiven(node.callee)) return null;
    const callee = calleeOf(node);
    return callee && !callee.generator && isRelevant(callee, 0) ? { function: callee, call: node } : null;
  }

  /** A parameter, or something in one: another function for every caller, even where there is only one. */
  function isGiven(callee: TSESTree.Node): boolean {
    let node = unwrap(callee);
    while (node.type === 'MemberExpression') node = unwrap(node.object);
    const variable = node.type === 'Identifier' ? scopesOfFile.variableOf(node) : null;
    if (!variable || scopesOfFile.definitionOf(variable).kind !== 'parameter') return false;
    return callee.type === 'Identifier' || evaluator.valueOf(node).type === 'unknown';
  }

  function isCalled(fn: FunctionNode): boolean {
    if (links.home !== links.root) return true;
    called ??= new Set(nodesOfFile.calls.flatMap((call) => calledBy(call)?.function ?? []));
    return called.has(fn);
  }

  function parameterCalledBy(node: TSESTree.Node, fn: FunctionNode): TSESTree.Identifier | null {
    return node.type === 'CallExpression' ? parameterIn(node, fn, 0) : null;
  }

  function parameterIn(call: TSESTree.CallExpression, fn: FunctionNode, depth: number): TSESTree.Identifier | null {
    const callee = unwrap(call.callee);
    if (callee.type === 'Identifier' && isParameterOf(callee, fn)) return callee;
    const frame = depth < depthLimit ? calledBy(call) : null;
    for (const parameter of frame ? callbackParametersOf(frame.function, depth + 1) : []) {
      const argument = frame && frames.argumentFor(parameter, [frame]);
      const node = argument && unwrap(argument.node);
      if (node?.type === 'Identifier' && isParameterOf(node, fn)) return node;
    }
    return null;
  }

  function callbackParametersOf(fn: FunctionNode, depth: number): readonly TSESTree.Identifier[] {
    const known = callbackParameters.get(fn);
    if (known) return known;
    if (!links.isOwn(fn)) return resultOf(helpers, links.unitOf(fn)).callbackParametersOf(fn);
    callbackParameters.set(fn, []);
    const found = within(nodesOfFile.calls, fn).flatMap((call) => parameterIn(call, fn, depth) ?? []);
    callbackParameters.set(fn, found);
    return found;
  }

  function isParameterOf(identifier: TSESTree.Identifier, fn: FunctionNode): boolean {
    const variable = scopesOfFile.variableOf(identifier);
    const definition = variable && scopesOfFile.definitionOf(variable);
    return definition?.kind === 'parameter' && definition.function === fn;
  }

  function callbackOf(call: CallNode): { frame: Frame; function: FunctionNode } | null {
    const frame = calledBy(call);
    if (!frame) return null;
    for (const parameter of callbackParametersOf(frame.function, 0)) {
      const argument = frames.argumentFor(parameter, [frame]);
      if (!argument || argument.node === parameter) continue;
      const node = unwrap(argument.node);
      if (isFunction(node)) return { frame, function: node };
      const value = node.type === 'Identifier' && isFunctionName(node) ? evaluator.valueOf(node) : null;
      if (value?.type === 'function') return { frame, function: value.node };
    }
    return null;
  }

  /** A parameter holds one function per caller; only a name with one meaning is followed. */
  function isFunctionName(identifier: TSESTree.Identifier): boolean {
    const variable = scopesOfFile.variableOf(identifier);
    const kind = variable && scopesOfFile.definitionOf(variable).kind;
    return kind === 'function' || kind === 'value';
  }
});

/** The function that `using` runs for the value at the end of its block. */
export function disposerOf(value: Value, evaluator: Evaluator, at: TSESTree.Node): FunctionNode | null {
  const resolved = value.type === 'promise' ? value.of : value;
  const object = resolved.type === 'elsewhere' ? resolved.of : resolved;
  for (const name of ['Symbol.asyncDispose', 'Symbol.dispose']) {
    if (object.type === 'record') {
      const property = object.node.properties.find((candidate) => candidate.type === 'Property' && keyName(candidate) === name);
      if (property?.type === 'Property' && isFunction(property.value)) return property.value;
    } else if (object.type === 'instance') {
      const member = evaluator.memberOf(object, name, at);
      if (member.type === 'function') return member.node;
    }
  }
  return null;
}

/** The nodes inside another one, from a list in source order. */
export function within<N extends TSESTree.Node>(list: readonly N[], node: TSESTree.Node): readonly N[] {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((list[middle]?.range[0] ?? 0) < node.range[0]) low = middle + 1;
    else high = middle;
  }
  const found: N[] = [];
  for (let index = low; index < list.length; index++) {
    const candidate = list[index];
    if (!candidate || candidate.range[0] >= node.range[1]) break;
    if (candidate.range[1] <= node.range[1]) found.push(candidate);
  }
  return found;
}
