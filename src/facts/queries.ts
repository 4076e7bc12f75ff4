import { definePass, type Unit } from '../pass.js';
import { nodes } from '../source/walk.js';
import { createBuilders } from './builders.js';
import { evaluation } from './evaluation.js';
import { createFragments } from './fragments.js';
import type { CallNode, Query } from './query.js';
import { createStatements } from './statements.js';

export type { BuilderStep, CallNode, Query, QueryLock } from './query.js';

/** Reads the statements of single calls; its parts are shared by all who ask. */
export const statementReader = definePass('statement reader', [evaluation], ([evaluated], unit: Unit) => {
  const { evaluator, scopes } = evaluated;
  const fragments = createFragments(evaluated, scopes);
  const builders = createBuilders(evaluator, evaluated.callers, fragments, scopes, unit.visitorKeys, evaluated.constantOf);
  return createStatements({ unit, scopes, evaluated, fragments, builders, constantOf: evaluated.constantOf });
});

/**
 * Every statement the file sends, in the order of the calls that carry the SQL text. Where only a method's name says that
 * something is a database handle, a lock statement has to confirm it.
 */
export const queries = definePass('queries', [nodes, statementReader], ([nodesOfFile, statements]): readonly Query[] => {
  const candidates: CallNode[] = [...nodesOfFile.calls, ...nodesOfFile.taggedTemplates];
  const found = candidates.flatMap((node) => statements.at(node)).sort((a, b) => a.node.range[0] - b.node.range[0]);
  const locked = new Set(found.flatMap(({ locks, handle }) => (locks.length > 0 ? [handle.identity] : [])));
  return found.filter(({ handle, locks }) => !handle.assumed || locks.length > 0 || locked.has(handle.identity));
});
