import type { TSESTree } from '@typescript-eslint/utils';
import { definePass, type Unit } from '../pass.js';
import { memberName, unwrap, type ClassNode, type FunctionNode } from './ast.js';

/** What one walk over the file finds, each list in source order, an outer node before the nodes inside it. */
export interface Nodes {
  readonly calls: readonly TSESTree.CallExpression[];
  readonly news: readonly TSESTree.NewExpression[];
  readonly taggedTemplates: readonly TSESTree.TaggedTemplateExpression[];
  readonly assignments: readonly TSESTree.AssignmentExpression[];
  readonly functions: readonly FunctionNode[];
  readonly classes: readonly ClassNode[];
  /** String literals and template literals, a tag's template and import specifiers included. */
  readonly strings: readonly (TSESTree.StringLiteral | TSESTree.TemplateLiteral)[];
  /** Names of properties that some member expression in the file writes, updates or deletes. */
  readonly writtenMembers: ReadonlySet<string>;
}

/** The nodes that exist at run time, found in one walk; type annotations are not walked. */
export const nodes = definePass('nodes', [], (_, unit): Nodes => collectNodes(unit));

function collectNodes(unit: Unit): Nodes {
  const calls: TSESTree.CallExpression[] = [];
  const news: TSESTree.NewExpression[] = [];
  const taggedTemplates: TSESTree.TaggedTemplateExpression[] = [];
  const assignments: TSESTree.AssignmentExpression[] = [];
  const functions: FunctionNode[] = [];
  const classes: ClassNode[] = [];
  const strings: (TSESTree.StringLiteral | TSESTree.TemplateLiteral)[] = [];
  const writtenMembers = new Set<string>();
  for (const node of descendants(unit.program, unit.visitorKeys)) {
    switch (node.type) {
      case 'CallExpression':
        calls.push(node);
        break;
      case 'NewExpression':
        news.push(node);
        break;
      case 'TaggedTemplateExpression':
        taggedTemplates.push(node);
        break;
      case 'AssignmentExpression':
        assignments.push(node);
        break;
      case 'FunctionDeclaration':
      case 'FunctionExpression':
      case 'ArrowFunctionExpression':
        functions.push(node);
        break;
      case 'ClassDeclaration':
      case 'ClassExpression':
        classes.push(node);
        break;
      case 'TemplateLiteral':
        strings.push(node);
        break;
      case 'Literal':
        if (typeof node.value === 'string') strings.push(node);
        break;
      case 'MemberExpression': {
        const name = memberName(node);
        if (name !== null && isWriteTarget(node)) writtenMembers.add(name);
        break;
      }
      default:
    }
  }
  return {
    calls: inSourceOrder(calls),
    news: inSourceOrder(news),
    taggedTemplates: inSourceOrder(taggedTemplates),
    assignments: inSourceOrder(assignments),
    functions: inSourceOrder(functions),
    classes: inSourceOrder(classes),
    strings: inSourceOrder(strings),
    writtenMembers,
  };
}

/** The sort is stable, so of two nodes that begin together the outer one stays first. */
function inSourceOrder<N extends TSESTree.Node>(found: N[]): N[] {
  return found.sort((a, b) => a.range[0] - b.range[0]);
}

/** Is the expression the target of an assignment, an update, a `delete`, a destructuring pattern or a loop? */
export function isWriteTarget(node: TSESTree.Node): boolean {
  let child = node;
  let parent = node.parent;
  while (parent && unwrap(parent) !== parent) {
    child = parent;
    parent = parent.parent;
  }
  switch (parent?.type) {
    case 'AssignmentExpression':
    case 'AssignmentPattern':
    case 'ForInStatement':
    case 'ForOfStatement':
      return parent.left === child;
    case 'UpdateExpression':
    case 'RestElement':
    case 'ArrayPattern':
      return true;
    case 'UnaryExpression':
      return parent.operator === 'delete';
    case 'Property':
      return parent.value === child && parent.parent.type === 'ObjectPattern';
    default:
      return false;
  }
}

// TypeScript's own nodes that leave something at run time; every other `TS…` node is a type.
const runtimeTypeScript: ReadonlySet<string> = new Set([
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
  'TSParameterProperty',
  'TSExportAssignment',
  'TSImportEqualsDeclaration',
  'TSExternalModuleReference',
  'TSEmptyBodyFunctionExpression',
]);

/**
 * The node and everything inside it that exists at run time, parents before children. Uses no recursion, so the depth
 * of the tree does not matter.
 */
export function* descendants(root: TSESTree.Node, visitorKeys: Unit['visitorKeys']): Generator<TSESTree.Node> {
  const pending: TSESTree.Node[] = [root];
  for (let node = pending.pop(); node; node = pending.pop()) {
    yield node;
    const children = childrenOf(node, visitorKeys);
    for (let index = children.length - 1; index >= 0; index -= 1) {
      const child = children[index];
      if (child && !isType(child)) pending.push(child);
    }
  }
}

/** Is the node a type, which leaves nothing at run time? */
export const isType = (node: TSESTree.Node): boolean => node.type.startsWith('TS') && !runtimeTypeScript.has(node.type);

/** The nodes directly inside a node, types included, in source order. */
export function childrenOf(node: TSESTree.Node, visitorKeys: Unit['visitorKeys']): TSESTree.Node[] {
  const children: TSESTree.Node[] = [];
  for (const key of visitorKeys[node.type] ?? unknownKeys(node)) {
    const value: unknown = Reflect.get(node, key);
    if (isNode(value)) children.push(value);
    else if (Array.isArray(value)) for (const item of value) if (isNode(item)) children.push(item);
  }
  return children;
}

const unknownKeys = (node: TSESTree.Node): string[] => Object.keys(node).filter((key) => key !== 'parent');

const isNode = (value: unknown): value is TSESTree.Node =>
  typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string' && 'range' in value;
