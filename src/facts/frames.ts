import type { TSESTree } from '@typescript-eslint/utils';
import type { Position } from '../drivers/driver.js';
import { memberName, unwrap, type FunctionNode } from '../source/ast.js';
import type { PatternStep, Scopes } from '../source/scope.js';
import type { CallSite } from './callers.js';
import type { Placed } from './core.js';
import type { Evaluator } from './evaluator.js';
import { unknown, type MakingNode, type Value } from './values.js';
import { defaultOf } from './variables.js';

/** A call of a local function, so that its parameters can be replaced by what this call passes. */
export interface Frame {
  readonly function: FunctionNode;
  readonly call: CallSite;
}

/** An expression, and the calls in whose light it is to be read. */
export interface Framed {
  readonly node: TSESTree.Node;
  readonly frames: readonly Frame[];
}

/** Reads expressions of a function in the light of the calls that lead into it, innermost frame first. */
export interface FrameReader {
  /**
   * The expression a parameter, or a member of one, stands for in these calls; the expression itself when it is none. Null
   * when the calls do not show it.
   */
  argumentFor(expression: TSESTree.Node, frames: readonly Frame[]): Framed | null;
  /** The same without the frames: the expression itself where nothing better is known. */
  resolved(expression: TSESTree.Node, frames: readonly Frame[]): TSESTree.Node;
  /** The expression at a position of a call, through spread rest parameters: `query(...args)`. */
  placed(node: MakingNode, position: Position, frames: readonly Frame[]): Placed;
  /** The function whose rest parameter the call spreads, when its calls are not among the frames. */
  spreadFrom(node: MakingNode, frames: readonly Frame[]): FunctionNode | null;
  valueOf(expression: TSESTree.Node, frames: readonly Frame[]): Value;
}

export function createFrameReader(scopes: Scopes, evaluator: Evaluator, propertyOf: (expression: TSESTree.Node, path: string) => Placed): FrameReader {
  return { argumentFor, resolved, placed, spreadFrom, valueOf };

  function argumentFor(expression: TSESTree.Node, frames: readonly Frame[]): Framed | null {
    const node = unwrap(expression);
    if (frames.length === 0) return { node: expression, frames };
    if (node.type === 'MemberExpression') return memberFor(node, frames);
    const definition = parameterOf(node);
    const at = definition ? frames.findIndex((frame) => frame.function === definition.function) : -1;
    const frame = frames[at];
    if (!definition || !frame) return { node: expression, frames };
    if (definition.rest) return null;
    const outer = frames.slice(at + 1);
    const passed = argumentsOf(frame.call, outer);
    const before = passed.slice(0, definition.index + 1);
    if (before.includes(null)) return null;
    const argument = before[definition.index] ?? parameterDefault(definition.node, outer);
    if (!argument) return null;
    const part = follow(argument, definition.path);
    return part && argumentFor(part.node, part.frames);
  }

  /** `options.text` and `args[0]`. */
  function memberFor(node: TSESTree.MemberExpression, frames: readonly Frame[]): Framed | null {
    const name = memberName(node);
    const object = unwrap(node.object);
    const definition = parameterOf(object);
    if (name === null || !definition || !frames.some((frame) => frame.function === definition.function)) return { node, frames };
    if (definition.rest) {
      const list = restOf(object, frames);
      const argument = list?.slice(0, Number(name) + 1).includes(null) ? null : list?.[Number(name)];
      return argument ? argumentFor(argument.node, argument.frames) : null;
    }
    const whole = argumentFor(object, frames);
    const found = whole && propertyOf(whole.node, name);
    return whole && found?.kind === 'found' ? argumentFor(found.node, whole.frames) : null;
  }

  function resolved(expression: TSESTree.Node, frames: readonly Frame[]): TSESTree.Node {
    return argumentFor(expression, frames)?.node ?? expression;
  }

  /** The call's arguments with what it spreads; null stands for any number of arguments that are not known. */
  function argumentsOf(call: CallSite, frames: readonly Frame[]): readonly (Framed | null)[] {
    return call.arguments.flatMap((argument): readonly (Framed | null)[] => {
      if (argument.type !== 'SpreadElement') return [{ node: argument, frames }];
      const list = unwrap(argument.argument);
      if (list.type === 'ArrayExpression') {
        return list.elements.map((element) => (element && element.type !== 'SpreadElement' ? { node: element, frames } : null));
      }
      return restOf(list, frames) ?? [null];
    });
  }

  /** What a rest parameter holds; null when it is none, or no frame shows its call. */
  function restOf(expression: TSESTree.Node, frames: readonly Frame[]): readonly (Framed | null)[] | null {
    const definition = parameterOf(expression);
    if (!definition?.rest || definition.path.length > 0) return null;
    const at = frames.findIndex((frame) => frame.function === definition.function);
    const frame = frames[at];
    return frame ? argumentsOf(frame.call, frames.slice(at + 1)).slice(definition.index) : null;
  }

  function placed(node: MakingNode, position: Position, frames: readonly Frame[]): Placed {
    if (node.type === 'TaggedTemplateExpression' || 'template' in position || 'receiver' in position) return evaluator.placed(node, position);
    const list = argumentsOf(node, frames);
    const index = 'rest' in position ? position.rest : position.argument === 'last' ? list.length - 1 : position.argument;
    if (list.slice(0, index + 1).includes(null)) return { kind: 'unknown' };
    const argument = list[index];
    if (!argument) return { kind: 'absent' };
    const property = 'rest' in position ? undefined : position.property;
    const target = argumentFor(argument.node, argument.frames);
    if (property === undefined) return { kind: 'found', node: target?.node ?? argument.node };
    if (!target) return { kind: 'unknown' };
    const found = propertyOf(target.node, property);
    return found.kind === 'found' ? { kind: 'found', node: resolved(found.node, target.frames) } : found;
  }

  function spreadFrom(node: MakingNode, frames: readonly Frame[]): FunctionNode | null {
    if (node.type === 'TaggedTemplateExpression') return null;
    for (const argument of node.arguments) {
      if (argument.type !== 'SpreadElement') continue;
      const definition = parameterOf(unwrap(argument.argument));
      if (!definition?.rest) return null;
      const at = frames.findIndex((frame) => frame.function === definition.function);
      const frame = frames[at];
      return frame ? spreadFrom(frame.call, frames.slice(at + 1)) : definition.function;
    }
    return null;
  }

  function follow(argument: Framed, path: readonly PatternStep[]): Framed | null {
    let current: Framed | null = argument;
    for (const step of path) {
      if (step.kind !== 'property') return null;
      current = argumentFor(current.node, current.frames);
      const found: Placed | null = current && propertyOf(current.node, step.name);
      if (!current || found?.kind !== 'found') return null;
      current = { node: found.node, frames: current.frames };
    }
    return current;
  }

  function valueOf(expression: TSESTree.Node, frames: readonly Frame[]): Value {
    if (frames.length === 0) return evaluator.typedValueOf(expression);
    const node = unwrap(expression);
    if (node.type === 'Identifier' && parameterOf(node)) {
      const argument = argumentFor(node, frames);
      if (!argument) return unknown;
      return argument.node === node ? evaluator.valueOf(node) : valueOf(argument.node, argument.frames);
    }
    if (node.type === 'MemberExpression') {
      const name = memberName(node);
      if (name === null) return unknown;
      const known = evaluator.valueOf(node);
      // What the frames bring is better than what all callers have in common, and never less.
      const framed = evaluator.memberOf(valueOf(node.object, frames), name, node);
      return framed.type === 'unknown' ? known : framed;
    }
    return evaluator.valueOf(node);
  }

  function parameterOf(node: TSESTree.Node) {
    const variable = node.type === 'Identifier' ? scopes.variableOf(node) : null;
    const definition = variable && scopes.definitionOf(variable);
    return definition?.kind === 'parameter' ? definition : null;
  }

  function parameterDefault(parameter: TSESTree.Parameter, frames: readonly Frame[]): Framed | null {
    const node = defaultOf(parameter);
    return node && { node, frames };
  }
}
