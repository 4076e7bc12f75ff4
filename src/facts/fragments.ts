import type { TSESTree } from '@typescript-eslint/utils';
import type { Fragment, Position } from '../drivers/driver.js';
import type { FragmentSource } from '../source/fragments.js';
import { isFunction, unwrap, unwrappedParent } from '../source/ast.js';
import type { Scopes } from '../source/scope.js';
import type { Evaluator, Placed } from './evaluator.js';
import type { CallNode } from './query.js';

/** A call or tag that makes a piece of SQL, and how its text is to be read. */
export interface FragmentCall {
  readonly node: CallNode | TSESTree.NewExpression;
  readonly fragment: Fragment;
}

export interface Fragments {
  /** The fragment an expression makes; null for anything else. */
  fragmentOf(expression: TSESTree.Node): FragmentCall | null;
  /** The same, as the reader of texts wants it. */
  sourceOf(expression: TSESTree.Node): FragmentSource | null;
  /** Is this call's value a piece of a larger statement, rather than a statement of its own? */
  isPart(node: CallNode): boolean;
  /** The first position that holds something. */
  firstOf(node: CallNode | TSESTree.NewExpression, positions: readonly Position[]): Placed;
}

export function createFragments(evaluator: Evaluator, scopes: Scopes): Fragments {
  return { fragmentOf, sourceOf, isPart, firstOf };

  function fragmentOf(expression: TSESTree.Node): FragmentCall | null {
    const node = unwrap(expression);
    if (node.type === 'CallExpression' || node.type === 'TaggedTemplateExpression') {
      const fragment = evaluator.meaningOf(node)?.call.fragment;
      return fragment ? { node, fragment } : null;
    }
    if (node.type !== 'NewExpression') return null;
    const callee = evaluator.valueOf(node.callee);
    return callee.type === 'export' && callee.entry.fragment ? { node, fragment: callee.entry.fragment } : null;
  }

  function sourceOf(expression: TSESTree.Node): FragmentSource | null {
    const made = fragmentOf(expression);
    if (!made) return null;
    const { node, fragment } = made;
    const place = firstOf(node, fragment.sql);
    const content = place.kind === 'found' ? place.node : null;
    switch (fragment.as) {
      case 'sql':
        return content ? { as: 'sql', text: content, binds: content.parent?.type === 'TaggedTemplateExpression' } : { as: 'unknown' };
      case 'value':
      case 'identifier':
        return { as: fragment.as, value: content };
      case 'list': {
        const separator = node.type === 'TaggedTemplateExpression' ? undefined : node.arguments[1];
        return content ? { as: 'list', items: content, separator: separator ?? null } : { as: 'unknown' };
      }
    }
  }

  function isPart(node: CallNode): boolean {
    return partOf(node, new Set());
  }

  function partOf(node: TSESTree.Node, seen: Set<TSESTree.Node>): boolean {
    if (seen.has(node)) return false;
    seen.add(node);
    const { parent, child } = unwrappedParent(node);
    switch (parent?.type) {
      case 'TemplateLiteral':
        return parent.parent.type === 'TaggedTemplateExpression' && makesSql(parent.parent);
      case 'ArrayExpression':
      case 'ConditionalExpression':
      case 'LogicalExpression':
      case 'ObjectExpression':
      case 'SpreadElement':
        return partOf(parent, seen);
      case 'Property':
        return parent.value === child && partOf(parent.parent, seen);
      case 'CallExpression':
        // `sql.join([…])`, `and(a, b)`, `.where(a)`: only a call that makes or collects SQL, or one that helps to.
        if (parent.callee === child) return false;
        return makesSql(parent) || (evaluator.meaningOf(parent) === null && partOf(parent, seen));
      case 'MemberExpression':
        // `sql`…`.as('ok')` as an argument is still a piece.
        return parent.object === child && parent.parent.type === 'CallExpression' && parent.parent.callee === parent && partOf(parent.parent, seen);
      case 'ReturnStatement':
      case 'ArrowFunctionExpression':
        return false;
      case 'VariableDeclarator': {
        if (parent.init !== child || parent.id.type !== 'Identifier') return false;
        const variable = scopes.variableOf(parent.id);
        const reads = variable ? scopes.readsOf(variable) : [];
        return reads.length > 0 && reads.every((reference) => partOf(reference.identifier, seen));
      }
      default:
        return false;
    }
  }

  function makesSql(node: CallNode): boolean {
    const call = evaluator.meaningOf(node)?.call;
    if (!call || call.batch) return false;
    return call.clause !== undefined || call.fragment !== undefined || call.sends !== undefined;
  }

  function firstOf(node: CallNode | TSESTree.NewExpression, positions: readonly Position[]): Placed {
    let unknownPlace: Placed = { kind: 'absent' };
    for (const position of positions) {
      const place = evaluator.placed(node, position);
      if (place.kind === 'found' && !isNothing(place.node) && !isCallback(place.node)) return place;
      if (place.kind === 'unknown') unknownPlace = place;
    }
    return unknownPlace;
  }

  function isNothing(node: TSESTree.Node): boolean {
    return evaluator.valueOf(node).type === 'nothing';
  }

  // A callback in the place of optional values: `query(text, (err, rows) => …)`.
  function isCallback(node: TSESTree.Node): boolean {
    return isFunction(unwrap(node));
  }
}
