import type { TSESTree } from '@typescript-eslint/utils';
import { evaluation } from '../facts/evaluation.js';
import { handleIn } from '../facts/backends.js';
import type { Handle, Value } from '../facts/values.js';
import { unwrap, type FunctionNode } from '../source/ast.js';
import { definePass, resultOf, type Pass } from '../pass.js';
import { scopes as scopesPass, type Variable } from '../source/scope.js';

export interface Escapes {
  /** The connections that somebody who gets the expression's value gets hold of. */
  handlesIn(expression: TSESTree.Node): readonly Handle[];
  /** The connections that a function uses and does not make. */
  capturedBy(fn: FunctionNode): readonly Handle[];
}

const depthLimit = 8;

/** Who else gets hold of connections, by what expressions of the file hand over. */
export const escapes: Pass<Escapes> = definePass('escapes', [scopesPass, evaluation], ([scopes, { evaluator, links }], unit): Escapes => {
  const captured = new Map<FunctionNode, readonly Handle[]>();
  return { handlesIn: (expression) => handlesIn(expression, 0), capturedBy };

  function handlesIn(expression: TSESTree.Node, depth: number): readonly Handle[] {
    if (depth > depthLimit) return [];
    const node = unwrap(expression);
    const inAll = (parts: readonly (TSESTree.Node | null)[]): readonly Handle[] => parts.flatMap((part) => (part ? handlesIn(part, depth + 1) : []));
    switch (node.type) {
      case 'Identifier':
      case 'MemberExpression':
        return ofValue(evaluator.valueOf(node), depth);
      case 'ObjectExpression':
        return inAll(node.properties.map((property) => (property.type === 'Property' ? property.value : property.argument)));
      case 'ArrayExpression':
        return inAll(node.elements);
      case 'AwaitExpression':
      case 'SpreadElement':
      case 'YieldExpression':
        return inAll([node.argument]);
      case 'ConditionalExpression':
        return inAll([node.consequent, node.alternate]);
      case 'LogicalExpression':
        return inAll([node.left, node.right]);
      case 'AssignmentExpression':
        return inAll([node.right]);
      case 'SequenceExpression':
        return inAll([node.expressions.at(-1) ?? null]);
      case 'NewExpression':
      case 'CallExpression': {
        const own = handleIn(evaluator.valueOf(node));
        return own && isSession(own) ? [own] : inAll(node.arguments);
      }
      case 'ArrowFunctionExpression':
      case 'FunctionExpression':
      case 'FunctionDeclaration':
        return capturedBy(node);
      default:
        return [];
    }
  }

  function ofValue(value: Value, depth: number): readonly Handle[] {
    const handle = handleIn(value);
    if (handle) return isSession(handle) ? [handle] : [];
    switch (value.type) {
      case 'function':
        return capturedBy(value.node);
      case 'record':
        return handlesIn(value.node, depth + 1);
      case 'promise':
        return ofValue(value.of, depth);
      case 'list':
        return value.elements.flatMap((element) => (element ? ofValue(element, depth + 1) : []));
      case 'elsewhere':
        return value.of.type === 'function' || value.of.type === 'record' ? resultOf(escapes, links.unitOf(value.of.node)).handlesIn(value.of.node) : [];
      default:
        return [];
    }
  }

  function capturedBy(fn: FunctionNode): readonly Handle[] {
    const known = captured.get(fn);
    if (known) return known;
    captured.set(fn, []);
    const variables = new Set<Variable>();
    for (const { resolved } of unit.scopes.acquire(fn)?.through ?? []) if (resolved) variables.add(resolved);
    const found = [...variables].flatMap((variable) => {
      const kind = scopes.definitionOf(variable).kind;
      if (kind === 'import' || kind === 'class' || kind === 'enum') return [];
      return ofValue(evaluator.valueOfVariable(variable), 1);
    });
    captured.set(fn, found);
    return found;
  }
});

const isSession = ({ role }: Handle): boolean => role !== 'pool' && role !== 'http';
