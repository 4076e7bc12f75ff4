import type { TSESTree } from '@typescript-eslint/utils';
import { memberName, unwrap, type FunctionNode } from '../source/ast.js';
import type { PatternStep, Scopes } from '../source/scope.js';
import type { CallSite } from './callers.js';
import type { Placed } from './core.js';
import type { Evaluator } from './evaluator.js';
import { unknown, type Value } from './values.js';

/** A call of a local function, so that its parameters can be replaced by what this call passes. */
export interface Frame {
  readonly function: FunctionNode;
  readonly call: CallSite;
}

/** Reads expressions of a function in the light of the calls that lead into it, innermost frame first. */
export interface FrameReader {
  /** The expression a parameter stands for at this call; the expression itself when it is no parameter of a frame. */
  argumentFor(expression: TSESTree.Node, frames: readonly Frame[]): { node: TSESTree.Node; frames: readonly Frame[] } | null;
  valueOf(expression: TSESTree.Node, frames: readonly Frame[]): Value;
}

export function createFrameReader(
  scopes: Scopes,
  evaluator: Evaluator,
  propertyOf: (expression: TSESTree.Node, path: string) => Placed,
): FrameReader {
  return { argumentFor, valueOf };

  function argumentFor(expression: TSESTree.Node, frames: readonly Frame[]): { node: TSESTree.Node; frames: readonly Frame[] } | null {
    const node = unwrap(expression);
    const definition = parameterOf(node);
    if (!definition) return { node: expression, frames };
    const at = frames.findIndex((frame) => frame.function === definition.function);
    const frame = frames[at];
    if (!frame) return { node: expression, frames };
    const outer = frames.slice(at + 1);
    const list = frame.call.arguments;
    if (list.slice(0, definition.index + 1).some((argument) => argument.type === 'SpreadElement')) return null;
    const argument = list[definition.index] ?? defaultOf(definition.node);
    if (!argument || definition.rest) return null;
    const target = follow(argument, definition.path);
    return target && argumentFor(target, outer);
  }

  function follow(argument: TSESTree.Node, path: readonly PatternStep[]): TSESTree.Node | null {
    let node = argument;
    for (const step of path) {
      if (step.kind !== 'property') return null;
      const found = propertyOf(node, step.name);
      if (found.kind !== 'found') return null;
      node = found.node;
    }
    return node;
  }

  function valueOf(expression: TSESTree.Node, frames: readonly Frame[]): Value {
    if (frames.length === 0) return evaluator.valueOf(expression);
    const node = unwrap(expression);
    if (node.type === 'Identifier' && parameterOf(node)) {
      const argument = argumentFor(node, frames);
      if (!argument) return unknown;
      return argument.node === node ? evaluator.valueOf(node) : valueOf(argument.node, argument.frames);
    }
    if (node.type === 'MemberExpression') {
      const name = memberName(node);
      const object = valueOf(node.object, frames);
      return name === null ? unknown : evaluator.memberOf(object, name, node);
    }
    return evaluator.valueOf(node);
  }

  function parameterOf(node: TSESTree.Node) {
    const variable = node.type === 'Identifier' ? scopes.variableOf(node) : null;
    const definition = variable && scopes.definitionOf(variable);
    return definition?.kind === 'parameter' ? definition : null;
  }
}

function defaultOf(parameter: TSESTree.Parameter): TSESTree.Node | null {
  const pattern = parameter.type === 'TSParameterProperty' ? parameter.parameter : parameter;
  return pattern.type === 'AssignmentPattern' ? pattern.right : null;
}
