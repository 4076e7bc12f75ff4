import type { TSESTree } from '@typescript-eslint/utils';
import { definePass } from '../pass.js';
import { enclosingFunction, isFunction, isInside, unwrap } from '../source/ast.js';
import type { Edit } from '../source/edit.js';
import { effects, type ConnectionEffect } from './effects.js';
import { queries, type QueryLock } from './queries.js';

/** How an unlock whose answer nobody reads can be made to be read. */
export interface AnswerCheck {
  /** `destroys`: an unlock that failed ends the session instead of giving the connection back; `throws`: it raises an error. */
  readonly kind: 'destroys' | 'throws';
  readonly edits: readonly Edit[];
}

export interface AnswerChecks {
  /**
   * The edits that read the answer of an unlock that is a statement of its own; null where that needs a look by hand. It
   * never throws in a cleanup, which would hide the first error, and never before the connection is given back.
   */
  checkFor(lock: QueryLock): AnswerCheck | null;
}

const failure = "new Error('The advisory lock was not released.')";

export const answerChecks = definePass('answerChecks', [queries, effects], ([statements, effectsOfFile], { text, filename }): AnswerChecks => {
  const isTyped = /\.[cm]?tsx?$/.test(filename);
  return { checkFor };

  function checkFor(lock: QueryLock): AnswerCheck | null {
    const statement = statementOf(lock);
    const name = ['unlocked', 'unlockAnswer'].find((candidate) => !new RegExp(`\\b${candidate}\\b`).test(text));
    const condition = name === undefined ? null : conditionOn(name, lock);
    if (!statement || name === undefined || condition === null) return null;
    const binding: Edit = { range: [statement.range[0], statement.range[0]], text: `const ${name} = ` };
    const release = releaseBehind(statement, lock);
    if (release) {
      const end = release.node.range[1] - 1;
      return { kind: 'destroys', edits: [binding, { range: [end, end], text: `${condition} ? undefined : ${failure}` }] };
    }
    if (!mayThrow(statement, lock)) return null;
    const line = text.lastIndexOf('\n', statement.range[0]) + 1;
    const indent = /^[ \t]*/.exec(text.slice(line, statement.range[0]))?.[0] ?? '';
    const end = statement.range[1];
    return { kind: 'throws', edits: [binding, { range: [end, end], text: `\n${indent}if (${condition.replace('===', '!==')}) throw ${failure};` }] };
  }

  /** `await …;` in a block, all of it this one statement. */
  function statementOf({ query, operation }: QueryLock): TSESTree.ExpressionStatement | null {
    const { node, sending, uses, result } = query;
    if (node !== sending || query.locks.length !== 1 || query.analysis?.statements.length !== 1 || !operation.column?.direct) return null;
    if (result.shape !== 'rows' || (isTyped && query.driver.untypedRows !== true)) return null;
    const [use] = uses;
    if (uses.length !== 1 || use?.sink.kind !== 'discarded' || use.chained || use.node.type !== 'ExpressionStatement') return null;
    const awaited = unwrap(use.node.expression);
    if (awaited.type !== 'AwaitExpression' || unwrap(awaited.argument) !== node) return null;
    return use.node.parent.type === 'BlockStatement' ? use.node : null;
  }

  function conditionOn(name: string, { operation, query }: QueryLock): string | null {
    const column = operation.column?.name;
    if (column === null || column === undefined || query.result.shape !== 'rows' || query.renamesColumns) return null;
    const path = query.result.at.map((part) => (/^\d+$/.test(part) ? `[${part}]` : `.${part}`)).join('');
    const cell = /^[A-Za-z_$][\w$]*$/.test(column) ? `?.${column}` : `?.[${JSON.stringify(column)}]`;
    return `${name}${path}[0]${cell} === ${operation.returns === 'integer' ? '1' : 'true'}`;
  }

  /** The very next statement gives the same connection back, in a way that can end its session instead. */
  function releaseBehind(statement: TSESTree.ExpressionStatement, { query }: QueryLock): ConnectionEffect | null {
    const { parent } = statement;
    const next = parent.type === 'BlockStatement' ? parent.body[parent.body.indexOf(statement) + 1] : undefined;
    if (next?.type !== 'ExpressionStatement') return null;
    const call = unwrap(next.expression);
    const found = effectsOfFile.find(({ node }) => node === call);
    if (found?.node.type !== 'CallExpression' || found.effect.does !== 'gives-back' || found.effect.destroysWhen !== 'truthy-argument') return null;
    return found.node.arguments.length === 0 && found.handle?.identity === query.handle.identity ? found : null;
  }

  /** In the function that took the lock, outside every cleanup, and with nothing behind that gives the connection back. */
  function mayThrow(statement: TSESTree.ExpressionStatement, { query }: QueryLock): boolean {
    const fn = enclosingFunction(statement);
    if (!fn) return false;
    const takesLock = statements.some(
      ({ node, locks }) =>
        node.range[1] < query.node.range[0] && enclosingFunction(node) === fn && locks.some(({ operation }) => operation.action === 'acquire' || operation.action === 'try'),
    );
    return takesLock && !isInCleanup(statement) && !givesBackBehind(statement);
  }

  function givesBackBehind(statement: TSESTree.Node): boolean {
    for (let child = statement, parent = statement.parent; parent && !isFunction(child); child = parent, parent = parent.parent) {
      if (parent.type !== 'BlockStatement') continue;
      const behind = parent.body.slice(parent.body.findIndex((candidate) => candidate === child) + 1);
      if (effectsOfFile.some(({ node }) => behind.some((candidate) => isInside(node, candidate)))) return true;
    }
    return false;
  }
});

function isInCleanup(node: TSESTree.Node): boolean {
  for (let child = node, parent = node.parent; parent && !isFunction(child); child = parent, parent = parent.parent) {
    if (parent.type === 'CatchClause' || (parent.type === 'TryStatement' && parent.finalizer === child)) return true;
  }
  return false;
}
