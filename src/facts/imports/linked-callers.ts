import type { TSESTree } from '@typescript-eslint/utils';
import { resultOf, type Unit } from '../../pass.js';
import { nodes } from '../../source/walk.js';
import { createCallers, type Callers } from '../callers.js';
import type { LinkedFiles } from './linked-files.js';

/**
 * Who calls a function, asked of the function's own file: a file that is read because another one imports it says the same
 * as when it is linted itself. Whether code elsewhere calls its exports, `hasUnknownCallers` says.
 */
export function createLinkedCallers(links: LinkedFiles): Callers {
  const byUnit = new Map<Unit, Callers>();
  const of = (node: TSESTree.Node): Callers => ofUnit(links.unitOf(node));
  return {
    program: links.root.program,
    callbackUseOf: (fn) => of(fn).callbackUseOf(fn),
    callbackUsesOf: (fn, evaluator) => of(fn).callbackUsesOf(fn, evaluator),
    callSitesOf: (fn, evaluator) => of(fn).callSitesOf(fn, evaluator),
    argumentsFor: (fn, index, evaluator) => of(fn).argumentsFor(fn, index, evaluator),
    hasUnknownCallers: (fn) => of(fn).hasUnknownCallers(fn),
    assignmentsTo: (node, name, isStatic) => of(node).assignmentsTo(node, name, isStatic),
    assignmentsToRecord: (record, name, evaluator) => of(record).assignmentsToRecord(record, name, evaluator),
    assignmentsToGlobal: (name, evaluator) => ofUnit(links.root).assignmentsToGlobal(name, evaluator),
    constructorOf: (node) => of(node).constructorOf(node),
    callsOfMethod: (name, from) => of(from).callsOfMethod(name, from),
  };

  function ofUnit(unit: Unit): Callers {
    const known = byUnit.get(unit);
    if (known) return known;
    const { calls, news, assignments } = resultOf(nodes, unit);
    const callers = createCallers(unit.program, { calls: [...calls, ...news], assignments }, links.scopes);
    byUnit.set(unit, callers);
    return callers;
  }
}
