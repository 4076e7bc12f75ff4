import type { TSESTree } from '@typescript-eslint/utils';
import { definePass } from '../pass.js';
import { isFunction, isInside, memberName, unwrap, unwrappedParent } from '../source/ast.js';
import { evaluation } from './evaluation.js';
import { queries, type Query } from './queries.js';
import { signals } from './signals.js';

/** A check of an AbortSignal that can keep the code after it from running. */
export interface AbortCheck {
  readonly node: TSESTree.Node;
  readonly signal: TSESTree.Node;
}

export interface Aborts {
  /** The check between the lock and its unlock, or on the unlock's way through a wrapper, that can skip the unlock. */
  checkBefore(query: Query): AbortCheck | null;
  /** The statement's promise races against an abort. */
  isRaced(query: Query): boolean;
}

/** Finds what an abort can skip by the order of statements alone, within the function and the wrappers it sends through. */
export const abortsBefore = definePass('abortsBefore', [queries, signals, evaluation], ([statements, signalsOfFile, { frames }], { text }): Aborts => {
  const acquires = statements.filter((query) => query.locks.some(({ operation }) => operation.action === 'acquire' || operation.action === 'try'));
  return { checkBefore, isRaced };

  function checkBefore(query: Query): AbortCheck | null {
    for (const place of [query.sending, ...query.frames.map((frame) => frame.call)]) {
      const check = checkAbove(place);
      if (!check) continue;
      const signal = frames.argumentFor(check.signal, query.frames)?.node ?? check.signal;
      if (signalsOfFile.isForeign(signal)) return { node: check.node, signal };
    }
    return null;
  }

  /** Walks backwards from the statement to the function's start, the start of its cleanup, or the acquire. */
  function checkAbove(place: TSESTree.Node): AbortCheck | null {
    let child = place;
    for (let parent = place.parent; parent && !isFunction(child); child = parent, parent = parent.parent) {
      if (parent.type === 'IfStatement' && parent.consequent === child) {
        const signal = abortedIn(parent.test, true);
        if (signal) return { node: parent, signal };
      }
      if (parent.type === 'BlockStatement' || parent.type === 'Program') {
        const at = parent.body.findIndex((statement) => statement === child);
        for (const statement of parent.body.slice(0, at).reverse()) {
          if (acquires.some((query) => isInside(query.node, statement))) return null;
          const check = checkIn(statement);
          if (check) return check;
        }
      }
      if (parent.type === 'TryStatement' && parent.finalizer === child) return null;
    }
    return null;
  }

  function checkIn(statement: TSESTree.Node): AbortCheck | null {
    if (statement.type === 'ExpressionStatement') {
      const call = unwrap(statement.expression);
      const callee = call.type === 'CallExpression' ? unwrap(call.callee) : null;
      return callee?.type === 'MemberExpression' && memberName(callee) === 'throwIfAborted' ? { node: statement, signal: callee.object } : null;
    }
    if (statement.type !== 'IfStatement' || !leaves(statement.consequent)) return null;
    const signal = abortedIn(statement.test, false);
    return signal && { node: statement, signal };
  }

  /** The signal of `x.aborted`, or of `!x.aborted` when `negated`. */
  function abortedIn(test: TSESTree.Node, negated: boolean): TSESTree.Node | null {
    const node = unwrap(test);
    if (node.type === 'UnaryExpression' && node.operator === '!') return negated ? abortedIn(node.argument, false) : null;
    if (node.type === 'LogicalExpression') return abortedIn(node.left, negated) ?? abortedIn(node.right, negated);
    return !negated && node.type === 'MemberExpression' && memberName(node) === 'aborted' ? node.object : null;
  }

  function isRaced(query: Query): boolean {
    const { parent, child } = unwrappedParent(query.node);
    if (parent?.type !== 'ArrayExpression') return false;
    const call = parent.parent;
    const callee = call.type === 'CallExpression' ? unwrap(call.callee) : null;
    const isRace = callee?.type === 'MemberExpression' && callee.object.type === 'Identifier' && callee.object.name === 'Promise' && ['race', 'any'].includes(memberName(callee) ?? '');
    return isRace && parent.elements.some((element) => element !== null && element !== child && /abort|signal/i.test(text.slice(element.range[0], element.range[1])));
  }
});

/** Does the branch always leave the block it stands in? */
function leaves(statement: TSESTree.Node): boolean {
  if (statement.type === 'BlockStatement') {
    const last = statement.body.at(-1);
    return last !== undefined && leaves(last);
  }
  return ['ReturnStatement', 'ThrowStatement', 'ContinueStatement', 'BreakStatement'].includes(statement.type);
}
