import type { TSESTree } from '@typescript-eslint/utils';
import type { Fragment, Position } from '../drivers/driver.js';
import { enclosingFunction, isFunction, unwrap, unwrappedParent, type FunctionNode } from '../source/ast.js';
import type { FragmentSource } from '../source/fragments.js';
import { sourceOf as followConstant } from '../source/objects.js';
import type { Scopes, Variable } from '../source/scope.js';
import type { Placed } from './core.js';
import type { Evaluation } from './evaluation.js';
import type { Frame } from './frames.js';
import type { CallNode } from './query.js';

/** An expression that makes a piece of SQL, and how its text is to be read. */
export interface FragmentCall {
  /** The call, tag or construction; for an exported constant such as `Prisma.empty`, the expression that names it. */
  readonly node: CallNode | TSESTree.NewExpression | TSESTree.MemberExpression;
  readonly fragment: Fragment;
}

export interface Fragments {
  /** The fragment an expression makes; null for anything else. */
  fragmentOf(expression: TSESTree.Node): FragmentCall | null;
  /** The fragment an expression makes or a constant holds. */
  fragmentBehind(expression: TSESTree.Node): FragmentCall | null;
  /** The same as `fragmentOf`, as the reader of texts wants it. */
  sourceOf(expression: TSESTree.Node): FragmentSource | null;
  /** Is this call's value a piece of a larger statement, rather than a statement of its own? */
  isPart(node: CallNode): boolean;
  /** The first position that holds something, in the light of the calls that lead to the node. */
  firstOf(node: FragmentCall['node'], positions: readonly Position[], frames?: readonly Frame[]): Placed;
  /**
   * The call whose SQL a callback's parameter stands for: the prepared statement in `prepare(text, (error, statement) => …)`.
   * Null for other variables.
   */
  preparedFor(variable: Variable): TSESTree.Node | null;
}

/** Constants that name each other are followed this far. */
const maximumSteps = 20;

export function createFragments({ evaluator, callers, frames: frameReader }: Evaluation, scopes: Scopes): Fragments {
  return { fragmentOf, fragmentBehind, sourceOf, isPart, firstOf, preparedFor };

  function fragmentOf(expression: TSESTree.Node): FragmentCall | null {
    const node = unwrap(expression);
    switch (node.type) {
      case 'CallExpression':
      case 'TaggedTemplateExpression': {
        const fragment = evaluator.meaningOf(node)?.call.fragment;
        return fragment ? { node, fragment } : null;
      }
      // `await connection.prepare('…')` is the prepared text; an awaited tag is a result.
      case 'AwaitExpression': {
        const inner = unwrap(node.argument);
        if (inner.type !== 'CallExpression' || evaluator.meaningOf(inner)?.call.resolves === undefined) return null;
        return fragmentOf(inner);
      }
      case 'NewExpression': {
        const callee = evaluator.valueOf(node.callee);
        return callee.type === 'export' && callee.entry.fragment ? { node, fragment: callee.entry.fragment } : null;
      }
      case 'MemberExpression': {
        const fragment = evaluator.exportNamedBy(node)?.entry.fragment;
        return fragment?.sql.length === 0 && !fragment.functionName ? { node, fragment } : null;
      }
      default:
        return null;
    }
  }

  function fragmentBehind(expression: TSESTree.Node): FragmentCall | null {
    let node: TSESTree.Node | null = expression;
    for (let step = 0; node && step < maximumSteps; step += 1) {
      const made = fragmentOf(node);
      if (made) return made;
      node = originOf(unwrap(node));
    }
    return null;
  }

  function originOf(node: TSESTree.Node): TSESTree.Node | null {
    const variable = node.type === 'Identifier' ? scopes.variableOf(node) : null;
    return followConstant(node, scopes) ?? (variable && preparedFor(variable));
  }

  function sourceOf(expression: TSESTree.Node): FragmentSource | null {
    const made = fragmentOf(expression);
    if (!made) return null;
    const { node, fragment } = made;
    if (fragment.functionName) {
      const name = firstOf(node, [fragment.functionName]);
      return name.kind === 'found' ? { as: 'call', name: name.node, values: valuesOf(node, fragment) } : { as: 'unknown' };
    }
    if (fragment.sql.length === 0) return { as: 'nothing' };
    const place = firstOf(node, fragment.sql);
    const content = place.kind === 'found' ? place.node : null;
    switch (fragment.as) {
      case 'sql': {
        if (!content) return { as: 'unknown' };
        if (unwrap(content).type === 'ArrayExpression') {
          const values = fragment.values ? firstOf(node, fragment.values) : null;
          return { as: 'pieces', pieces: content, values: values?.kind === 'found' ? values.node : null };
        }
        return { as: 'sql', text: content, binds: content.parent?.type === 'TaggedTemplateExpression' };
      }
      case 'value':
      case 'identifier':
        return { as: fragment.as, value: content };
      case 'list': {
        const separator = node.type === 'CallExpression' ? node.arguments[1] : undefined;
        return content ? { as: 'list', items: content, separator: separator ?? null } : { as: 'unknown' };
      }
    }
  }

  /** The arguments of a function called by name: all from an index on, or the elements of an array. */
  function valuesOf(node: FragmentCall['node'], fragment: Fragment): readonly TSESTree.Node[] {
    for (const position of fragment.values ?? []) {
      if ('rest' in position) return node.type === 'CallExpression' ? node.arguments.slice(position.rest) : [];
      const place = firstOf(node, [position]);
      if (place.kind !== 'found') continue;
      const list = unwrap(place.node);
      return list.type === 'ArrayExpression' ? list.elements.flatMap((element) => element ?? []) : [list];
    }
    return [];
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
      case 'ArrowFunctionExpression':
        return parent.body === child && isReturnedPart(parent, seen);
      case 'ReturnStatement': {
        const fn = enclosingFunction(parent);
        return fn !== null && isReturnedPart(fn, seen);
      }
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

  /** A helper that makes a piece, when every call of it is one; a callback's piece goes into the call it is given to. */
  function isReturnedPart(fn: FunctionNode, seen: Set<TSESTree.Node>): boolean {
    if (fn.async) return false;
    const use = callers.callbackUseOf(fn);
    const collects = use ? evaluator.meaningOf(use.call)?.call : undefined;
    if (collects) return collects.clause !== undefined;
    const sites = callers.callSitesOf(fn, evaluator);
    return sites.length > 0 && sites.every((site) => partOf(site, seen));
  }

  function makesSql(node: CallNode): boolean {
    const call = evaluator.meaningOf(node)?.call;
    if (!call || call.batch) return false;
    return call.clause !== undefined || call.fragment !== undefined || call.sends !== undefined;
  }

  function firstOf(node: FragmentCall['node'], positions: readonly Position[], frames: readonly Frame[] = []): Placed {
    let unknownPlace: Placed = { kind: 'absent' };
    if (node.type === 'MemberExpression') return unknownPlace;
    for (const position of positions) {
      const place = frameReader.placed(node, position, frames);
      if (place.kind === 'found' && !isNothing(place.node) && !isCallback(place.node)) return place;
      if (place.kind === 'unknown') unknownPlace = place;
    }
    return unknownPlace;
  }

  function preparedFor(variable: Variable): TSESTree.Node | null {
    const definition = scopes.definitionOf(variable);
    if (definition.kind !== 'parameter' || definition.path.length > 0) return null;
    const use = callers.callbackUseOf(definition.function);
    if (!use) return null;
    const call = evaluator.meaningOf(use.call)?.call;
    return call?.fragment && call.callback?.parameters[definition.index] !== undefined ? use.call : null;
  }

  function isNothing(node: TSESTree.Node): boolean {
    return evaluator.valueOf(node).type === 'nothing';
  }

  // A callback in the place of optional values: `query(text, (err, rows) => …)`.
  function isCallback(node: TSESTree.Node): boolean {
    return isFunction(unwrap(node));
  }
}
