import type { TSESTree } from '@typescript-eslint/utils';
import { enclosingFunction, isInside } from './ast.js';
import type { Scopes, Variable } from './scope.js';

/** What a variable that is written more than once holds where it is read, piece after piece. */
export type BuiltPart = { kind: 'text'; node: TSESTree.Expression } | { kind: 'unknown'; node: TSESTree.Node };

/**
 * `let q = 'a'; q += 'b'; if (c) q += 'd'; run(q)`: the pieces of `q` at the read. What is appended on some paths only,
 * or in a loop, is one unknown piece. Null when the value itself, not only its tail, depends on the path.
 */
export function builtParts(variable: Variable, read: TSESTree.Node, scopes: Scopes): readonly BuiltPart[] | null {
  const [definition, ...others] = variable.defs;
  const declarator = definition?.node;
  if (others.length > 0 || declarator?.type !== 'VariableDeclarator' || declarator.id.type !== 'Identifier') return null;
  const owner = enclosingFunction(declarator);
  if (enclosingFunction(read) !== owner) return null;
  let parts: BuiltPart[] | null = declarator.init ? [{ kind: 'text', node: declarator.init }] : null;
  for (const { identifier } of scopes.writesOf(variable)) {
    if (identifier === declarator.id) continue;
    const assignment = identifier.parent;
    if (assignment?.type !== 'AssignmentExpression' || assignment.left !== identifier) return null;
    if (enclosingFunction(assignment) !== owner) return null;
    const order = orderOf(assignment, read, declarator);
    if (order === 'after') continue;
    if (assignment.operator === '=') {
      if (order !== 'before') return null;
      parts = [{ kind: 'text', node: assignment.right }];
    } else if (assignment.operator === '+=' && parts) {
      parts.push(order === 'before' ? { kind: 'text', node: assignment.right } : { kind: 'unknown', node: assignment });
    } else {
      return null;
    }
  }
  return parts && mergeUnknown(parts);
}

/** `before`: the write has happened once whenever the read is reached; `maybe`: on some paths, or several times. */
function orderOf(
  assignment: TSESTree.AssignmentExpression,
  read: TSESTree.Node,
  declarator: TSESTree.VariableDeclarator,
): 'before' | 'maybe' | 'after' {
  const loop = loopOutside(assignment, declarator);
  // The read inside an assignment, as in `q = q + 'x'`, comes before it.
  const comesFirst = assignment.range[1] <= read.range[0];
  if (loop) return comesFirst || isInside(read, loop) ? 'maybe' : 'after';
  if (!comesFirst) return 'after';
  const statement = assignment.parent;
  const block = statement.type === 'ExpressionStatement' ? statement.parent : null;
  const isStraight = (block?.type === 'BlockStatement' || block?.type === 'Program') && isInside(read, block);
  return isStraight ? 'before' : 'maybe';
}

/** The outermost loop around the write that the variable's declaration is not in. */
function loopOutside(write: TSESTree.Node, declarator: TSESTree.Node): TSESTree.Node | null {
  let found: TSESTree.Node | null = null;
  for (let node = write.parent; node && !isInside(declarator, node); node = node.parent) {
    switch (node.type) {
      case 'ForStatement':
      case 'ForInStatement':
      case 'ForOfStatement':
      case 'WhileStatement':
      case 'DoWhileStatement':
        found = node;
        break;
      default:
    }
  }
  return found;
}

function mergeUnknown(parts: readonly BuiltPart[]): readonly BuiltPart[] {
  return parts.filter((part, index) => part.kind === 'text' || parts[index - 1]?.kind !== 'unknown');
}
