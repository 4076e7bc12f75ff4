import type { TSESTree } from '@typescript-eslint/utils';

export type Node = TSESTree.Node;

export type FunctionNode =
  | TSESTree.FunctionDeclaration
  | TSESTree.FunctionExpression
  | TSESTree.ArrowFunctionExpression;

export type FieldNode = TSESTree.PropertyDefinition | TSESTree.AccessorProperty;

/** What runs as one piece and has a graph of its own. A field stands for its initialiser. */
export type FlowUnit = TSESTree.Program | FunctionNode | TSESTree.StaticBlock | FieldNode;

export type CallNode =
  | TSESTree.CallExpression
  | TSESTree.NewExpression
  | TSESTree.TaggedTemplateExpression
  | TSESTree.ImportExpression;

export function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';
}

export function isFunction(node: Node): node is FunctionNode {
  return (
    node.type === 'FunctionDeclaration' ||
    node.type === 'FunctionExpression' ||
    node.type === 'ArrowFunctionExpression'
  );
}

export function isCall(node: Node): node is CallNode {
  return (
    node.type === 'CallExpression' ||
    node.type === 'NewExpression' ||
    node.type === 'TaggedTemplateExpression' ||
    node.type === 'ImportExpression'
  );
}

/** True for a unit `buildGraph` takes: a field only if it has an initialiser. */
export function isFlowUnit(node: Node): node is FlowUnit {
  switch (node.type) {
    case 'Program':
    case 'StaticBlock':
    case 'FunctionDeclaration':
    case 'FunctionExpression':
    case 'ArrowFunctionExpression':
      return true;
    case 'PropertyDefinition':
    case 'AccessorProperty':
      return node.value !== null;
    default:
      return false;
  }
}

/** The expression inside wrappers that exist for the type checker only: `x as T`, `x!`, `<T>x`, `x satisfies T`, `f<T>`. */
export function unwrap(node: Node): Node {
  let inner = node;
  for (;;) {
    switch (inner.type) {
      case 'TSAsExpression':
      case 'TSSatisfiesExpression':
      case 'TSNonNullExpression':
      case 'TSTypeAssertion':
      case 'TSInstantiationExpression':
        inner = inner.expression;
        break;
      default:
        return inner;
    }
  }
}

/** Like `unwrap`, and through an optional chain: the call that `await a?.b()!` waits for. */
export function unwrapChain(node: Node): Node {
  let inner = unwrap(node);
  while (inner.type === 'ChainExpression') inner = unwrap(inner.expression);
  return inner;
}

/** TypeScript's node types that hold values; every other `TS…` node is a type and runs nothing. */
const VALUE_NODES: ReadonlySet<string> = new Set([
  'TSAsExpression',
  'TSSatisfiesExpression',
  'TSNonNullExpression',
  'TSTypeAssertion',
  'TSInstantiationExpression',
  'TSEnumDeclaration',
  'TSEnumBody',
  'TSEnumMember',
  'TSModuleDeclaration',
  'TSModuleBlock',
  'TSExportAssignment',
  'TSParameterProperty',
  'TSImportEqualsDeclaration',
]);

export function isType(node: Node): boolean {
  return node.type.startsWith('TS') && !VALUE_NODES.has(node.type);
}

/** The nodes directly below a node that can run something, in source order, whatever the node's type. */
export function childNodes(node: Node): readonly Node[] {
  const children: Node[] = [];
  let sorted = true;
  const add = (value: unknown): void => {
    if (!isNode(value) || isType(value)) return;
    const last = children.at(-1);
    if (last !== undefined && startOf(last) > startOf(value)) sorted = false;
    children.push(value);
  };
  for (const [key, value] of entriesOf(node)) {
    if (key === 'parent') continue;
    if (Array.isArray(value)) value.forEach(add);
    else add(value);
  }
  return sorted ? children : children.sort((a, b) => startOf(a) - startOf(b));
}

function entriesOf(node: Node): readonly (readonly [string, unknown])[] {
  return Object.entries(node);
}

function startOf(node: Node): number {
  return Array.isArray(node.range) ? node.range[0] : 0;
}

/** The name of a non-computed or literal member: `a.b` and `a['b']` give `b`; null when it is not known. */
export function memberName(node: TSESTree.MemberExpression): string | null {
  if (!node.computed) return node.property.type === 'Identifier' ? node.property.name : null;
  const property = unwrap(node.property);
  return property.type === 'Literal' && typeof property.value === 'string' ? property.value : null;
}
