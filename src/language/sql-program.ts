import type { TSESLint, TSESTree } from '@typescript-eslint/utils';
import type { SourcePlace, SqlFile, SqlStatementNode } from './sql-tree.js';

export interface SqlProgram {
  readonly program: TSESTree.Program;
  /** The call that stands for a statement of the file. */
  callOf(statement: SqlStatementNode): TSESTree.CallExpression;
  /** A call at the same place that no code runs: for what a statement only stores. */
  storedCallOf(statement: SqlStatementNode): TSESTree.CallExpression;
}

/**
 * The module that the file would be if JavaScript sent its statements: `await send(); await send(); …`, each node at the
 * place of its statement. It has the shape of ESLint's trees, so that the flow through it is built as for any module.
 */
export function sqlProgram(file: SqlFile): SqlProgram {
  const body: object[] = [];
  const program = { type: 'Program', sourceType: 'module', body, comments: [], tokens: [], parent: null, ...placeOf(file) };
  const calls = new Map<SqlStatementNode, object>();
  for (const statement of file.body) {
    const place = placeOf(statement);
    const call = callAt(place);
    const awaiting = { type: 'AwaitExpression', argument: call, parent: program, ...place };
    const expression = { type: 'ExpressionStatement', expression: awaiting, parent: program, ...place };
    Object.assign(awaiting, { parent: expression });
    Object.assign(call, { parent: awaiting });
    calls.set(statement, call);
    body.push(expression);
  }
  return {
    program: asProgram(program),
    callOf: (statement) => asCall(calls.get(statement)),
    storedCallOf: (statement) => asCall(Object.assign(callAt(placeOf(statement)), { parent: program })),
  };
}

export const programKeys: Readonly<Record<string, readonly string[]>> = {
  Program: ['body'],
  ExpressionStatement: ['expression'],
  AwaitExpression: ['argument'],
  CallExpression: ['callee', 'arguments'],
};

/** The scopes of a module that declares nothing. */
export function noScopes(): TSESLint.Scope.ScopeManager {
  const scopes: unknown = { scopes: [], acquire: () => null, getDeclaredVariables: () => [] };
  if (!isScopeManager(scopes)) throw new TypeError('scopes without scopes');
  return scopes;
}

const placeOf = ({ range, loc }: SourcePlace): SourcePlace => ({ range, loc });

function callAt(place: SourcePlace): object {
  const callee = { type: 'Identifier', name: 'send', decorators: [], optional: false, ...place };
  const call = { type: 'CallExpression', callee, arguments: [], optional: false, ...place };
  Object.assign(callee, { parent: call });
  return call;
}

function asProgram(node: unknown): TSESTree.Program {
  if (!isProgram(node)) throw new TypeError('not a program');
  return node;
}

function asCall(node: unknown): TSESTree.CallExpression {
  if (!isCall(node)) throw new TypeError('not a call');
  return node;
}

const hasType = (node: unknown, type: string): boolean => typeof node === 'object' && node !== null && 'type' in node && node.type === type;
const isProgram = (node: unknown): node is TSESTree.Program => hasType(node, 'Program');
const isCall = (node: unknown): node is TSESTree.CallExpression => hasType(node, 'CallExpression');
const isScopeManager = (value: unknown): value is TSESLint.Scope.ScopeManager => typeof value === 'object' && value !== null && 'scopes' in value;
