import type { TSESTree } from '@typescript-eslint/utils';
import { definePass } from '../pass.js';
import { enclosingFunction, isFunction, isInside, memberName, unwrap, unwrappedParent } from '../source/ast.js';
import { scopes } from '../source/scope.js';
import { effects } from './effects.js';
import { evaluation } from './evaluation.js';
import type { Frame } from './frames.js';
import { queries, type Query } from './queries.js';
import { signals } from './signals.js';

/** A check of an AbortSignal that can keep the code after it from running. */
export interface AbortCheck {
  readonly node: TSESTree.Node;
  readonly signal: TSESTree.Node;
}

export interface Aborts {
  /**
   * The check between the lock and its unlock, or on the unlock's way through a wrapper, that can skip the unlock. None
   * where the session is ended instead.
   */
  checkBefore(query: Query): AbortCheck | null;
  /** The statement's promise races against an abort. */
  isRaced(query: Query): boolean;
}

/** A place whose running depends on what stands before it, and the calls that lead to it from the unlock's own file. */
interface Station {
  readonly node: TSESTree.Node;
  readonly frames: readonly Frame[];
}

/** Finds what an abort can skip by the order of statements alone, within the function and the wrappers it sends through. */
export const abortsBefore = definePass(
  'abortsBefore',
  [queries, signals, evaluation, effects, scopes],
  ([statements, signalsOfFile, { frames: frameReader, callers, evaluator }, effectsOfFile, scopesOfFile], { text }): Aborts => {
    const acquires = statements.filter((query) => query.locks.some(({ operation }) => operation.action === 'acquire' || operation.action === 'try'));
    const sessionEnds = effectsOfFile.filter(({ effect, destroys }) => effect.does === 'closes' || destroys !== 'no');
    return { checkBefore, isRaced };

    function checkBefore(query: Query): AbortCheck | null {
      const stations = stationsOf(query);
      if (stations.some(({ node }) => endsInCleanup(node))) return null;
      for (const { node, frames } of stations) {
        const check = checkAbove(node);
        if (!check) continue;
        const signal = frameReader.argumentFor(check.signal, frames)?.node ?? check.signal;
        if (signalsOfFile.isForeign(signal, query.node)) return { node: check.node, signal };
      }
      return null;
    }

    function stationsOf(query: Query): Station[] {
      const places = [query.sending, ...query.frames.map((frame) => frame.call)].map((node) => ({ node, frames: query.frames }));
      return places.flatMap((place): Station[] => [place, ...callbackStations(place.node)]);
    }

    /** `guarded(signal, () => unlock())`: the calls of the callback inside the local helper that gets it. */
    function callbackStations(node: TSESTree.Node): Station[] {
      const fn = enclosingFunction(node);
      const use = fn && callers.callbackUseOf(fn);
      const helper = use && evaluator.calleeOf(use.call);
      if (!helper) return [];
      const frames = [{ function: helper, call: use.call }];
      return callers.callSitesOf(fn, evaluator).flatMap((site) => (isInside(site, helper) ? [{ node: site, frames }] : []));
    }

    /** Walks backwards from the statement to the function's start, the start of its cleanup, or the acquire. */
    function checkAbove(place: TSESTree.Node): AbortCheck | null {
      let child = place;
      for (let parent = place.parent; parent && !isFunction(child); child = parent, parent = parent.parent) {
        const guard = guardOf(parent, child);
        if (guard) return endsSession(guard.otherwise) ? null : { node: parent, signal: guard.signal };
        if (parent.type === 'BlockStatement' || parent.type === 'Program') {
          const at = parent.body.findIndex((statement) => statement === child);
          for (const statement of parent.body.slice(0, at).reverse()) {
            if (acquires.some((query) => isInside(query.node, statement))) return null;
            const check = checkIn(statement);
            if (check) return endsSession([statement]) ? null : check;
          }
        }
        if (parent.type === 'TryStatement' && parent.finalizer === child) return null;
      }
      return null;
    }

    /** The condition under which `child` runs, when it is that a signal is not aborted, and what runs otherwise or behind. */
    function guardOf(parent: TSESTree.Node, child: TSESTree.Node): { signal: TSESTree.Node; otherwise: readonly TSESTree.Node[] } | null {
      switch (parent.type) {
        case 'IfStatement':
        case 'ConditionalExpression': {
          if (parent.test === child) return null;
          const signal = abortedIn(parent.test, parent.consequent === child);
          const other = parent.consequent === child ? parent.alternate : parent.consequent;
          return signal && { signal, otherwise: [...(other ? [other] : []), ...statementsBehind(parent)] };
        }
        case 'LogicalExpression': {
          if (parent.right !== child || parent.operator === '??') return null;
          const signal = abortedIn(parent.left, parent.operator === '&&');
          return signal && { signal, otherwise: statementsBehind(parent) };
        }
        default:
          return null;
      }
    }

    /** The signal of `x.aborted`, or of `!x.aborted` when `negated`. */
    function abortedIn(test: TSESTree.Node, negated: boolean): TSESTree.Node | null {
      const node = unwrap(test);
      if (node.type === 'UnaryExpression' && node.operator === '!') return negated ? abortedIn(node.argument, false) : null;
      // A conjunction holds only when all its parts do, a disjunction fails only when all do.
      if (node.type === 'LogicalExpression' && node.operator === (negated ? '&&' : '||')) return abortedIn(node.left, negated) ?? abortedIn(node.right, negated);
      return !negated && node.type === 'MemberExpression' && memberName(node) === 'aborted' && isSignal(node.object) ? node.object : null;
    }

    /** Anything may have a property `aborted`, a job among them; a name, an owner or an annotation says that it is a signal. */
    function isSignal(expression: TSESTree.Node): boolean {
      const node = unwrap(expression);
      if (node.type === 'MemberExpression') return /signal$/i.test(memberName(node) ?? '');
      if (node.type !== 'Identifier') return false;
      if (/signal$/i.test(node.name) || node.name === 'req' || node.name === 'request') return true;
      const annotation = scopesOfFile.variableOf(node)?.identifiers[0]?.typeAnnotation?.typeAnnotation;
      return annotation?.type === 'TSTypeReference' && annotation.typeName.type === 'Identifier' && annotation.typeName.name === 'AbortSignal';
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

    /** Does the cleanup around the place end the session, whether or not the place is reached? */
    function endsInCleanup(place: TSESTree.Node): boolean {
      for (let child = place, parent = place.parent; parent && !isFunction(child); child = parent, parent = parent.parent) {
        if (parent.type === 'TryStatement' && parent.finalizer && parent.finalizer !== child && endsSession([parent.finalizer])) return true;
      }
      return false;
    }

    function endsSession(places: readonly TSESTree.Node[]): boolean {
      return sessionEnds.some(({ node }) => places.some((place) => isInside(node, place)));
    }

    function isRaced(query: Query): boolean {
      return [query.node, ...readsOf(query.node)].some((node) => {
        const { parent, child } = unwrappedParent(node);
        if (parent?.type !== 'ArrayExpression' || !isRace(parent.parent)) return false;
        return parent.elements.some((element) => element !== null && element !== child && isAboutAbort(element));
      });
    }

    /** The reads of the constant that holds the statement's promise. */
    function readsOf(node: TSESTree.Node): readonly TSESTree.Node[] {
      const { parent } = unwrappedParent(node);
      const variable = parent?.type === 'VariableDeclarator' && parent.id.type === 'Identifier' ? scopesOfFile.variableOf(parent.id) : null;
      return variable ? scopesOfFile.readsOf(variable).map(({ identifier }) => identifier) : [];
    }

    function isAboutAbort(element: TSESTree.Node): boolean {
      const written = text.slice(element.range[0], element.range[1]);
      if (/abort|signal/i.test(written)) return true;
      const node = unwrap(element);
      const variable = node.type === 'Identifier' ? scopesOfFile.variableOf(node) : null;
      const definition = variable && scopesOfFile.definitionOf(variable);
      return definition?.kind === 'value' && /abort|signal/i.test(text.slice(definition.init.range[0], definition.init.range[1]));
    }
  },
);

function isRace(call: TSESTree.Node): boolean {
  const callee = call.type === 'CallExpression' ? unwrap(call.callee) : null;
  return callee?.type === 'MemberExpression' && callee.object.type === 'Identifier' && callee.object.name === 'Promise' && ['race', 'any'].includes(memberName(callee) ?? '');
}

function statementsBehind(node: TSESTree.Node): readonly TSESTree.Node[] {
  let child = node;
  while (child.parent && child.parent.type !== 'BlockStatement' && child.parent.type !== 'Program' && !isFunction(child.parent)) child = child.parent;
  const { parent } = child;
  if (parent?.type !== 'BlockStatement' && parent?.type !== 'Program') return [];
  return parent.body.slice(parent.body.findIndex((statement) => statement === child) + 1);
}

/** Does the branch always leave the block it stands in? */
function leaves(statement: TSESTree.Statement): boolean {
  if (statement.type === 'BlockStatement') {
    const last = statement.body.at(-1);
    return last !== undefined && leaves(last);
  }
  return ['ReturnStatement', 'ThrowStatement', 'ContinueStatement', 'BreakStatement'].includes(statement.type);
}
