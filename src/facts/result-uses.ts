import type { TSESTree } from '@typescript-eslint/utils';
import type { Result, Sends } from '../drivers/driver.js';
import { enclosingFunction, isFunction, unwrap, unwrappedParent, type FunctionNode } from '../source/ast.js';
import { isFloating, settles, usesOf, usesOfParameter, type Use } from '../source/uses.js';
import type { CallMeaning } from './evaluator.js';
import type { Frame } from './frames.js';
import type { CallNode, Query } from './query.js';
import type { StatementParts } from './statements.js';

export interface Dispatch {
  readonly uses: readonly Use[];
  readonly result: Result;
  readonly sent: Query['sent'];
  readonly mayJoinBatch: boolean;
}

/** A returned result is followed through this many local helpers. */
const maximumHelpers = 4;

/** Says what becomes of a statement's result, and whether a lazy statement is sent at all. */
export function createResultUses({ evaluated, scopes, fragments }: StatementParts) {
  const { evaluator, callers } = evaluated;
  return { dispatchOf };

  function dispatchOf(sending: CallNode, meaning: CallMeaning, sends: Sends, frames: readonly Frame[]): Dispatch {
    const called = callbackOf(sending, sends);
    if (called) return { ...called, sent: 'always', mayJoinBatch: false };
    const { node, result, isAsked } = outermost(sending, meaning, sends);
    const isLazy = sends.lazy !== undefined;
    const uses = followed(usesOf(node, scopes), frames);
    return {
      uses,
      result,
      sent: isAsked ? 'never' : isLazy ? sentBy(node, frames) : 'always',
      mayJoinBatch: isLazy && isHandedOn(node, frames),
    };
  }

  /** `query(text, values, (error, result) => …)`: the result is the callback's parameter. */
  function callbackOf(sending: CallNode, sends: Sends): { uses: readonly Use[]; result: Result } | null {
    if (!sends.callback || sending.type !== 'CallExpression') return null;
    const { argument, parameter, result } = sends.callback;
    const place = evaluator.placed(sending, { argument });
    if (place.kind !== 'found') return null;
    const value = evaluator.valueOf(place.node);
    const fn = isFunction(unwrap(place.node)) ? unwrap(place.node) : value.type === 'function' ? value.node : null;
    return isFunction(fn) ? { uses: usesOfParameter(fn, parameter, scopes), result } : null;
  }

  /**
   * The last call of a lazy statement's chain, and how the result is read there: `` sql`…`.values() ``. `isAsked`: the call
   * only asks for something about the statement, such as its text, and does not send it.
   */
  function outermost(sending: CallNode, meaning: CallMeaning, sends: Sends): { node: TSESTree.Node; result: Result; isAsked: boolean } {
    let node: TSESTree.Node = sending;
    let isAsked = false;
    let result = fragmentResult(sending, sends) ?? sends.result;
    if (sends.lazy === undefined) return { node, result, isAsked };
    for (;;) {
      const { parent, child } = unwrappedParent(node);
      if (parent?.type !== 'MemberExpression' || parent.object !== child) return { node, result, isAsked };
      const call = unwrappedParent(parent).parent;
      const property = evaluator.valueOf(parent);
      const asProperty = property.type === 'object' && property.driver === meaning.driver ? evaluator.awaitsOf(property) : null;
      if (asProperty) {
        node = parent;
        result = asProperty.result;
        continue;
      }
      const step = call?.type === 'CallExpression' && unwrap(call.callee) === parent ? evaluator.meaningOf(call) : null;
      if (call?.type !== 'CallExpression' || !step) return { node, result, isAsked };
      node = call;
      const value = evaluator.valueOf(call);
      const awaits = value.type === 'object' && value.driver === meaning.driver ? evaluator.awaitsOf(value) : null;
      result = step.call.sends?.result ?? awaits?.result ?? result;
      isAsked ||= step.call.gives !== undefined && !step.call.sends && !awaits;
    }
  }

  /** Cursors and the like answer in their own way, whichever call sends them. */
  function fragmentResult(sending: CallNode, sends: Sends): Result | null {
    const place = fragments.firstOf(sending, sends.sql);
    return place.kind === 'found' ? (fragments.fragmentBehind(place.node)?.fragment.result ?? null) : null;
  }

  /** Replaces uses that return the result by what the callers in this file do with it. */
  function followed(uses: readonly Use[], frames: readonly Frame[], depth = 0): readonly Use[] {
    if (depth >= maximumHelpers) return uses;
    return uses.flatMap((use): readonly Use[] => {
      if (use.sink.kind !== 'returned' || use.inside.length > 0) return [use];
      const fn = use.sink.function;
      const frame = frames.find((candidate) => candidate.function === fn);
      if (frame) return followed(continued(use, fn, frame.call), frames, depth + 1);
      // The callers elsewhere may read what those in this file drop.
      if (callers.hasUnknownCallers(fn)) return [use];
      const sites = callers.callSitesOf(fn, evaluator);
      if (sites.length === 0 || callers.callbackUseOf(fn)) return [use];
      return sites.flatMap((site) => followed(continued(use, fn, site), frames, depth + 1));
    });
  }

  function continued(use: Use, fn: FunctionNode, site: TSESTree.Node): Use[] {
    return usesOf(site, scopes).map((next) => ({
      ...next,
      path: isPromiseOf(fn, next) ? [] : [...use.path, ...next.path],
      negated: use.negated !== next.negated,
      converted: next.converted ?? use.converted,
      rejection: next.rejection === 'propagates' ? use.rejection : next.rejection,
      chained: use.chained || next.chained,
    }));
  }

  /** `if (tryLock())` without await decides by the promise, whatever the async function returns. */
  function isPromiseOf(fn: FunctionNode, { path, sink, chained }: Use): boolean {
    const isSettled = chained || path.some(({ kind }) => kind === 'await' || kind === 'then');
    return fn.async && !isSettled && (sink.kind === 'tested' || sink.kind === 'compared');
  }

  function sentBy(node: TSESTree.Node, frames: readonly Frame[]): Query['sent'] {
    const settlement = settles(node, scopes);
    switch (settlement) {
      case 'awaited':
      case 'chained':
      case 'yielded':
        return 'always';
      case 'voided':
      case 'floating':
        return 'never';
      case 'returned': {
        const fn = enclosingFunction(node);
        return fn ? sentByCallers(fn, frames) : 'unknown';
      }
      default:
        return 'unknown';
    }
  }

  /** An async function's return awaits; otherwise the callers do, or do not. */
  function sentByCallers(fn: FunctionNode, frames: readonly Frame[]): Query['sent'] {
    if (fn.async) return 'always';
    const frame = frames.find((candidate) => candidate.function === fn);
    if (frame) return isFloating(frame.call, scopes) ? 'never' : 'unknown';
    if (callers.hasUnknownCallers(fn)) return 'unknown';
    const sites = callers.callSitesOf(fn, evaluator);
    return sites.length > 0 && sites.every((site) => isFloating(site, scopes)) ? 'never' : 'unknown';
  }

  /** Returned without being awaited, to callers who may put it into a batch. */
  function isHandedOn(node: TSESTree.Node, frames: readonly Frame[]): boolean {
    if (frames.length > 0 || settles(node, scopes) !== 'returned') return false;
    const fn = enclosingFunction(node);
    return fn !== null && !fn.async && callers.hasUnknownCallers(fn);
  }
}
