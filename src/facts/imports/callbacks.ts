import type { TSESTree } from '@typescript-eslint/utils';
import { resultOf } from '../../pass.js';
import { enclosingFunction, isInside, unwrap, unwrappedParent, type FunctionNode } from '../../source/ast.js';
import type { Variable } from '../../source/scope.js';
import { nodes } from '../../source/walk.js';
import { identified, isDecided, unify } from '../agreement.js';
import type { Core } from '../core.js';
import { unknown, type Handle, type Value } from '../values.js';
import { calleeOfCall } from './elsewhere.js';

/** Helpers hand their callback on to helpers. */
const maximumDepth = 4;

/** Says what functions of other files pass to the callbacks they are given: `withTransaction(async (tx) => …)`. */
export function createCallbacks(core: Core) {
  const { scopes, links, constantOf } = core.parts;
  return { passedTo };

  /**
   * What the called function of another file passes to the function that stands at an argument of the call, at the
   * function's parameter of this index. Unknown where that file does not show it.
   */
  function passedTo(call: TSESTree.CallExpression, argument: number, callback: FunctionNode, index: number): Value {
    const callee = core.valueOf(calleeOfCall(call));
    if (callee.type !== 'elsewhere' || callee.of.type !== 'function') return unknown;
    const calls = callsOf(callee.of.node, argument, 0);
    const values = calls.map((site) => valueAt(site, index)).filter(isDecided);
    const value = core.elsewhere.adopt(unify(values), call);
    const node = callback.params[index];
    return node ? ofCallback(value, node, callback) : unknown;
  }

  /** The calls of the function's parameter, in it or in those it hands the parameter to. */
  function callsOf(fn: FunctionNode, position: number, depth: number): TSESTree.CallExpression[] {
    const parameter = parameterOf(fn, position);
    if (!parameter || depth > maximumDepth) return [];
    return scopes.readsOf(parameter).flatMap((reference): TSESTree.CallExpression[] => {
      const { parent, child } = unwrappedParent(reference.identifier);
      if (parent?.type !== 'CallExpression') return [];
      if (parent.callee === child) return [parent];
      const at = parent.arguments.findIndex((argument) => argument === child);
      const next = at < 0 ? null : functionCalledBy(parent);
      return next ? callsOf(next, at, depth + 1) : [];
    });
  }

  function functionCalledBy(call: TSESTree.CallExpression): FunctionNode | null {
    const callee = core.valueOf(call.callee);
    if (callee.type === 'function') return callee.node;
    return callee.type === 'elsewhere' && callee.of.type === 'function' ? callee.of.node : null;
  }

  function valueAt(call: TSESTree.CallExpression, index: number): Value {
    const before = call.arguments.slice(0, index + 1);
    const argument = before[index];
    if (!argument || before.some(({ type }) => type === 'SpreadElement')) return unknown;
    const value = core.awaited(core.valueOf(argument));
    if (value.type !== 'object' || !value.handle) return value;
    return { ...value, handle: { ...value.handle, role: roleAt(value.handle, call) } };
  }

  /** A connection on which the function begins a transaction before it calls back is a transaction for the callback. */
  function roleAt(handle: Handle, call: TSESTree.CallExpression): Handle['role'] {
    if (handle.role !== 'connection') return handle.role;
    const home = enclosingFunction(call);
    const earlier = home ? resultOf(nodes, links.unitOf(call)).calls.filter((other) => other.range[1] <= call.range[0] && isInside(other, home)) : [];
    if (earlier.some((other) => begins(other, handle))) return 'transaction';
    // What another function does with the connection first is not known.
    return earlier.some((other) => isHandedOn(other, handle)) ? 'unknown' : 'connection';
  }

  function begins(call: TSESTree.CallExpression, handle: Handle): boolean {
    const meaning = core.meaningOf(call);
    if (meaning?.receiver?.handle?.identity !== handle.identity) return false;
    if (meaning.call.effect?.does === 'begins') return true;
    const place = meaning.call.sends?.sql[0] && core.placed(call, meaning.call.sends.sql[0]);
    const first = place?.kind === 'found' ? place.node : call.arguments[0];
    const text = first && first.type !== 'SpreadElement' ? constantOf(first)?.value : undefined;
    const template = first && unwrap(first).type === 'TemplateLiteral' ? links.scopes.textOf(first).slice(first.range[0] + 1, first.range[1]) : '';
    return /^\s*(?:begin|start\s+transaction)\b/i.test(typeof text === 'string' ? text : template);
  }

  function isHandedOn(call: TSESTree.CallExpression, handle: Handle): boolean {
    if (core.meaningOf(call)) return false;
    return call.arguments.some((argument) => {
      const value = argument.type === 'SpreadElement' ? unknown : core.valueOf(argument);
      return value.type === 'object' && value.handle?.identity === handle.identity;
    });
  }

  /** Every call of the helper brings its callback a connection of its own, for as long as the callback runs. */
  function ofCallback(value: Value, node: TSESTree.Node, callback: FunctionNode): Value {
    if (value.type !== 'object' || !value.handle || value.handle.moduleLevel) return value;
    const own = identified(value, node);
    if (own.type !== 'object' || !own.handle) return own;
    return { ...own, handle: { ...own.handle, evidence: { because: 'callback-parameter', node }, lifetime: callback } };
  }

  function parameterOf(fn: FunctionNode, position: number): Variable | null {
    const parameter = fn.params[position];
    const target = parameter?.type === 'AssignmentPattern' ? parameter.left : parameter?.type === 'TSParameterProperty' ? parameter.parameter : parameter;
    return target?.type === 'Identifier' ? scopes.variableOf(target) : null;
  }
}
