import type { TSESTree } from '@typescript-eslint/utils';
import type { events, Event } from '../facts/events.js';
import { within } from '../facts/summaries.js';
import { isFlowUnit, type FlowUnit } from '../flow/nodes.js';
import { definePass } from '../pass.js';
import { isFunction } from '../source/ast.js';
import { nodes } from '../source/walk.js';
import type { Analysis } from './analysis.js';
import { fileParts } from './file-parts.js';
import { withKeptConnections } from './kept-connections.js';
import type { FunctionState } from './model.js';
import { isRepeated, stackedBySecondRun } from './repeats.js';
import { report } from './report.js';
import { createTeller } from './witness.js';

/**
 * What happens to locks on the paths through each function of the file, and through its top level: an entry for every unit
 * in which something is done to a connection, transaction or lock, outer units first. A function that runs as part of
 * another one, such as a transaction's callback, has no entry of its own.
 */
export const heldLocks = definePass('heldLocks', [nodes, fileParts], ([nodesOfFile, parts], unit): readonly FunctionState[] => {
  const { evaluated, events: eventsOfFile, helpers: helpersOfFile } = parts;
  if (!eventsOfFile.places.some((place) => eventsAt(place).some(concernsLock)) && !nodesOfFile.calls.some(runsHelperElsewhere)) return [];
  const found = units().map((candidate) => ({ unit: candidate, analysis: parts.analysisOf(candidate) }));
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

  function runsHelperElsewhere(call: TSESTree.CallExpression): boolean {
    const frame = helpersOfFile.calledBy(call);
    return frame !== null && !evaluated.links.isOwn(frame.function);
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
