import type { TSESTree } from '@typescript-eslint/utils';
import { evaluation } from '../facts/evaluation.js';
import { events, type Event } from '../facts/events.js';
import { helpers, within } from '../facts/summaries.js';
import { isFlowUnit, type FlowUnit } from '../flow/nodes.js';
import { definePass } from '../pass.js';
import { isFunction } from '../source/ast.js';
import { scopes } from '../source/scope.js';
import { nodes } from '../source/walk.js';
import { analyse, type Analysis, type FileParts } from './analysis.js';
import { createEscapes } from './escapes.js';
import { createInventory } from './inventory.js';
import { withKeptConnections } from './kept-connections.js';
import type { FunctionState } from './model.js';
import { isRepeated, stackedBySecondRun } from './repeats.js';
import { report } from './report.js';
import { Numbering } from './state.js';
import { createTeller } from './witness.js';

/**
 * What happens to locks on the paths through each function of the file, and through its top level: an entry for every unit
 * in which something is done to a connection, transaction or lock, outer units first. A function that runs as part of
 * another one, such as a transaction's callback, has no entry of its own.
 */
export const heldLocks = definePass('heldLocks', [scopes, nodes, evaluation, events, helpers], ([scopesOfFile, nodesOfFile, evaluated, eventsOfFile, helpersOfFile], unit): readonly FunctionState[] => {
  const analyses = new Map<FlowUnit, Analysis | null>();
  const running = new Set<FlowUnit>();
  const parts: FileParts = {
    scopes: scopesOfFile,
    evaluated,
    events: eventsOfFile,
    helpers: helpersOfFile,
    inventory: createInventory(eventsOfFile, helpersOfFile, nodesOfFile.calls, evaluated),
    escapes: createEscapes(scopesOfFile, evaluated.evaluator, unit.scopes),
    numbering: new Numbering(),
    analysisOf,
  };
  if (!eventsOfFile.places.some((place) => eventsAt(place).some(concernsLock))) return [];
  const found = units().map((candidate) => ({ unit: candidate, analysis: analysisOf(candidate) }));
  const inlined = new Set(found.flatMap(({ analysis }) => [...(analysis?.graph.inlined ?? [])]));
  const teller = createTeller(unit.text);
  const states = found
    .filter((candidate) => !isFunction(candidate.unit) || !inlined.has(candidate.unit))
    .map(({ unit: candidate, analysis }) => report(candidate, analysis, parts, teller, secondRun(candidate, analysis)));
  return withKeptConnections(states, unit.program, eventsOfFile, parts.inventory);

  /** What a timer's or listener's function does when it runs again. */
  function secondRun(candidate: FlowUnit, analysis: Analysis | null): ReturnType<typeof stackedBySecondRun> {
    const leaves = analysis?.outcomes.some(({ exit, state }) => exit === 'return' && state.locks.length > 0);
    if (!analysis || !leaves || !isFunction(candidate) || !isRepeated(candidate, nodesOfFile.calls, helpersOfFile, evaluated.evaluator)) return new Map();
    return stackedBySecondRun(analysis, parts);
  }

  function eventsAt(place: TSESTree.Node): readonly Event[] {
    const callback = place.type === 'CallExpression' ? eventsOfFile.callbackOf(place) : null;
    return [...eventsOfFile.of(place), ...(callback?.before ?? [])];
  }

  function analysisOf(candidate: FlowUnit): Analysis | null {
    const known = analyses.get(candidate);
    if (known !== undefined) return known;
    if (running.has(candidate)) return null;
    running.add(candidate);
    const analysis = analyse(candidate, parts);
    running.delete(candidate);
    analyses.set(candidate, analysis);
    return analysis;
  }

  /** Functions in which something happens; callbacks that run inside another unit are found to be so afterwards. */
  function units(): readonly FlowUnit[] {
    const functions = nodesOfFile.functions.filter((fn) => helpersOfFile.isRelevant(fn));
    const members = nodesOfFile.classes.flatMap((node) => node.body.body.filter((member): member is FlowUnit & typeof member => isFlowUnit(member)));
    const fields = members.filter((member) => within(eventsOfFile.places, member).some((place) => !isInFunction(place, member)));
    return [unit.program, ...functions, ...fields].sort((a, b) => a.range[0] - b.range[0]);
  }

  function isInFunction(node: TSESTree.Node, member: TSESTree.Node): boolean {
    for (let ancestor = node.parent; ancestor && ancestor !== member; ancestor = ancestor.parent) if (isFunction(ancestor)) return true;
    return false;
  }
});

function concernsLock(event: ReturnType<(typeof events)['run']> extends { of(node: TSESTree.Node): readonly (infer E)[] } ? E : never): boolean {
  if (event.kind === 'statement') return event.alternatives.some(({ query }) => query.locks.length > 0);
  return event.kind === 'never-sent' && event.query.locks.length > 0;
}
