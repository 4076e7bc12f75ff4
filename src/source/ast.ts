import type { TSESTree } from '@typescript-eslint/utils';

/** A function in any of its forms. */
export type FunctionNode =
  | TSESTree.FunctionDeclaration
  | TSESTree.FunctionExpression
  | TSESTree.ArrowFunctionExpression;

export type ClassNode = TSESTree.ClassDeclaration | TSESTree.ClassExpression;

export const isFunction = (node: TSESTree.Node | null | undefined): node is FunctionNode =>
  node?.type === 'FunctionDeclaration' || node?.type === 'FunctionExpression' || node?.type === 'ArrowFunctionExpression';

export const isClass = (node: TSESTree.Node | null | undefined): node is ClassNode =>
  node?.type === 'ClassDeclaration' || node?.type === 'ClassExpression';

/**
 * The expression without what changes nothing at run time: type assertions, `satisfies`, `!`, instantiations such as
 * `f<T>`, and the wrapper node of an optional chain.
 */
export function unwrap(node: TSESTree.Node): TSESTree.Node {
  let inner = node;
  for (;;) {
    switch (inner.type) {
      case 'TSAsExpression':
      case 'TSSatisfiesExpression':
      case 'TSNonNullExpression':
      case 'TSTypeAssertion':
      case 'TSInstantiationExpression':
      case 'ChainExpression':
        inner = inner.expression;
        break;
      default:
        return inner;
    }
  }
}

/** The nearest ancestor that is not merely such a wrapper around `node`; the child of it that holds `node` is `child`. */
export function unwrappedParent(node: TSESTree.Node): { parent: TSESTree.Node | undefined; child: TSESTree.Node } {
  let child = node;
  let parent = node.parent;
  while (parent && unwrap(parent) !== parent) {
    child = parent;
    parent = parent.parent;
  }
  return { parent, child };
}

/** The property's name if the source shows it: `a.b`, `a['b']`, `a[0]`, `a.#b` (as `#b`). */
export function memberName(node: TSESTree.MemberExpression): string | null {
  if (!node.computed) return node.property.type === 'PrivateIdentifier' ? `#${node.property.name}` : node.property.name;
  return literalKey(node.property);
}

/** The key of an object property, class member or destructured property, if the source shows it. */
export function keyName(node: {
  key: TSESTree.Node;
  computed?: boolean;
}): string | null {
  if (node.key.type === 'PrivateIdentifier') return `#${node.key.name}`;
  if (!node.computed && node.key.type === 'Identifier') return node.key.name;
  return literalKey(node.key);
}

function literalKey(node: TSESTree.Node): string | null {
  const key = unwrap(node);
  if (key.type === 'Literal' && (typeof key.value === 'string' || typeof key.value === 'number')) return String(key.value);
  if (key.type === 'TemplateLiteral' && key.expressions.length === 0) return key.quasis[0]?.value.cooked ?? null;
  // `[Symbol.dispose]()` is a name of its own.
  if (key.type === 'MemberExpression' && !key.computed && key.object.type === 'Identifier' && key.object.name === 'Symbol') {
    return key.property.type === 'Identifier' ? `Symbol.${key.property.name}` : null;
  }
  return null;
}

/** The function or program whose body `node` belongs to; a class field's initialiser belongs to its own property. */
export function enclosingFunction(node: TSESTree.Node): FunctionNode | null {
  for (let ancestor = node.parent; ancestor; ancestor = ancestor.parent) {
    if (isFunction(ancestor)) return ancestor;
  }
  return null;
}

/** The class whose `this` an expression inside `node` means, and whether the member is static; null outside classes. */
export function enclosingClass(node: TSESTree.Node): { class: ClassNode; static: boolean } | null {
  let child: TSESTree.Node = node;
  for (let ancestor = node.parent; ancestor; child = ancestor, ancestor = ancestor.parent) {
    if (ancestor.type === 'ClassBody' && isClass(ancestor.parent)) {
      const isStatic = child.type === 'StaticBlock' || ('static' in child && child.static);
      return { class: ancestor.parent, static: isStatic };
    }
    const bindsThis =
      ancestor.type === 'FunctionDeclaration' ||
      (ancestor.type === 'FunctionExpression' && ancestor.parent.type !== 'MethodDefinition');
    if (bindsThis) return null;
  }
  return null;
}

/** Is `node` the ancestor itself or somewhere inside it? */
export const isInside = (node: TSESTree.Node, ancestor: TSESTree.Node): boolean =>
  node.range[0] >= ancestor.range[0] && node.range[1] <= ancestor.range[1];

/** Every expression the function returns, in source order; nested functions' returns are not its own. */
export function returnedExpressions(fn: FunctionNode): TSESTree.Expression[] {
  if (fn.body.type !== 'BlockStatement') return [fn.body];
  const found: TSESTree.Expression[] = [];
  collectReturns(fn.body, found);
  return found;
}

function collectReturns(node: TSESTree.Node, found: TSESTree.Expression[]): void {
  switch (node.type) {
    case 'ReturnStatement':
      if (node.argument) found.push(node.argument);
      return;
    case 'BlockStatement':
      for (const statement of node.body) collectReturns(statement, found);
      return;
    case 'IfStatement':
      collectReturns(node.consequent, found);
      if (node.alternate) collectReturns(node.alternate, found);
      return;
    case 'TryStatement':
      collectReturns(node.block, found);
      if (node.handler) collectReturns(node.handler.body, found);
      if (node.finalizer) collectReturns(node.finalizer, found);
      return;
    case 'SwitchStatement':
      for (const clause of node.cases) for (const statement of clause.consequent) collectReturns(statement, found);
      return;
    case 'ForStatement':
    case 'ForInStatement':
    case 'ForOfStatement':
    case 'WhileStatement':
    case 'DoWhileStatement':
    case 'LabeledStatement':
    case 'WithStatement':
      collectReturns(node.body, found);
      return;
    default:
  }
}

/** `yield` in the generator that TypeScript makes of an async function, `__awaiter(this, void 0, void 0, function* () { … })`: `await`. */
export function isCompiledAwait(node: TSESTree.YieldExpression): boolean {
  const call = enclosingFunction(node)?.parent;
  if (node.delegate || call?.type !== 'CallExpression') return false;
  const callee = unwrap(call.callee);
  return callee.type === 'Identifier' ? callee.name === '__awaiter' : callee.type === 'MemberExpression' && memberName(callee) === '__awaiter';
}
