import type { Builder, Lowering } from './builder.js';
import { buildClass, buildFunction } from './classes.js';
import {
  branchOn,
  evaluateAssignment,
  evaluateBinary,
  evaluateChain,
  evaluateChildren,
  evaluateConditional,
  evaluateLogical,
  evaluateUpdate,
  evaluateYield,
} from './expressions.js';
import { DEAD } from './frontier.js';
import type { Frontier } from './frontier.js';
import { buildDoWhile, buildFor, buildForEach, buildWhile } from './loops.js';
import type { Node } from './nodes.js';
import { isType } from './nodes.js';
import { evaluateMember } from './operands.js';
import { bindPattern } from './patterns.js';
import {
  buildDeclaration,
  buildIf,
  buildJump,
  buildLabeled,
  buildStatements,
  buildSwitch,
  buildThrow,
  buildTry,
} from './statements.js';
import { evaluateAwait, evaluateCall, evaluateStatement, returnValue } from './waiting.js';

/** Node types whose order or branching matters; the parts of every other node, known or not, run in source order. */
function evaluate(builder: Builder, node: Node, at: Frontier): Frontier {
  switch (node.type) {
    case 'Identifier':
    case 'Literal':
    case 'ThisExpression':
      return at;
    case 'CallExpression':
    case 'NewExpression':
    case 'TaggedTemplateExpression':
    case 'ImportExpression':
      return evaluateCall(builder, node, at);
    case 'MemberExpression':
      return evaluateMember(builder, node, at);
    case 'AwaitExpression':
      return evaluateAwait(builder, node, at);
    case 'YieldExpression':
      return evaluateYield(builder, node, at);
    case 'AssignmentExpression':
      return evaluateAssignment(builder, node, at);
    case 'UpdateExpression':
      return evaluateUpdate(builder, node, at);
    case 'BinaryExpression':
      return evaluateBinary(builder, node, at);
    case 'LogicalExpression':
      return evaluateLogical(builder, node, at);
    case 'ConditionalExpression':
      return evaluateConditional(builder, node, at);
    case 'ChainExpression':
      return evaluateChain(builder, node, at);
    case 'FunctionDeclaration':
    case 'FunctionExpression':
    case 'ArrowFunctionExpression':
      return buildFunction(builder, node, at);
    case 'ClassDeclaration':
    case 'ClassExpression':
      return buildClass(builder, node, at);
    case 'ObjectPattern':
    case 'ArrayPattern':
    case 'AssignmentPattern':
    case 'RestElement':
      return bindPattern(builder, node, at);
    case 'Program':
    case 'BlockStatement':
    case 'TSModuleBlock':
    case 'StaticBlock':
      return buildStatements(builder, node.body, at);
    case 'ExpressionStatement':
      return evaluateStatement(builder, node.expression, at);
    case 'VariableDeclaration':
      return buildDeclaration(builder, node, at);
    case 'IfStatement':
      return buildIf(builder, node, at);
    case 'LabeledStatement':
      return buildLabeled(builder, node, at);
    case 'WhileStatement':
      return buildWhile(builder, node, at);
    case 'DoWhileStatement':
      return buildDoWhile(builder, node, at);
    case 'ForStatement':
      return buildFor(builder, node, at);
    case 'ForInStatement':
    case 'ForOfStatement':
      return buildForEach(builder, node, at);
    case 'SwitchStatement':
      return buildSwitch(builder, node, at);
    case 'TryStatement':
      return buildTry(builder, node, at);
    case 'ThrowStatement':
      return buildThrow(builder, node, at);
    case 'ReturnStatement':
      returnValue(builder, node, node.argument, at);
      return DEAD;
    case 'BreakStatement':
    case 'ContinueStatement':
      return buildJump(builder, node, at);
    default:
      return isType(node) ? at : evaluateChildren(builder, node, at);
  }
}

export const lowering: Lowering = { evaluate, branch: branchOn, returnValue };
