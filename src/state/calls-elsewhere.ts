import type { TSESTree } from '@typescript-eslint/utils';
import { isVariable } from '../facts/backends.js';
import type { Frame } from '../facts/frames.js';
import type { Query, QueryLock } from '../facts/query.js';
import type { Handle } from '../facts/values.js';
import { definePass } from '../pass.js';
import { usesOf } from '../source/uses.js';
import { nodes } from '../source/walk.js';
import { truthOf, type Truth } from './known.js';
import { fileParts } from './file-parts.js';
import type { Outcome } from './outcomes.js';

/** What calls of functions in other files show that neither file shows by itself. */
export interface CallsElsewhere {
  /** Statements with locks that such functions send over a handle that this file gives them; `node` is the call. */
  readonly statements: readonly Query[];
  /** Try-locks whose answer such functions return, and nobody here reads. */
  readonly droppedAnswers: readonly QueryLock[];
}

export const callsElsewhere = definePass('calls elsewhere', [nodes, fileParts], ([nodesOfFile, { scopes, evaluated, helpers, inventory, abroad, analysisOf }]): CallsElsewhere => {
  const { backends, links } = evaluated;
  const frames = nodesOfFile.calls.flatMap((call) => {
    const frame = helpers.calledBy(call);
    return frame && !links.isOwn(frame.function) ? [frame] : [];
  });
  return { statements: frames.flatMap(statementsOverGiven), droppedAnswers: frames.flatMap(droppedAnswer) };

  function statementsOverGiven(frame: Frame): readonly Query[] {
    return inventory.statementsIn(frame.function).flatMap(({ query, handle }) => {
      if (query.locks.length === 0 || !isParameter(handle, frame)) return [];
      const seen = abroad.queryOf(query, frame);
      const locks: QueryLock[] = [];
      const sent: Query = { ...seen, handle: backends.through(handle, frame), locks };
      locks.push(...seen.locks.map((lock) => ({ ...lock, query: sent })));
      return [sent];
    });
  }

  function isParameter({ identity }: Handle, { function: fn }: Frame): boolean {
    const definition = isVariable(identity) ? links.scopes.definitionOf(identity) : null;
    return definition?.kind === 'parameter' && definition.function === fn;
  }

  /** A method may keep the answer for others to ask; a function has nobody but its caller to tell. */
  function droppedAnswer(frame: Frame): readonly QueryLock[] {
    const analysis = isMember(frame.function) ? null : analysisOf(frame.function);
    const endings = (analysis ? abroad.calleeOf(analysis, frame).outcomes : []).filter(({ exit, phase }) => exit === 'return' && phase === null);
    const refused = endings.filter(({ state }) => state.refused.some(({ because }) => because === 'refused'));
    const granted = endings.filter(({ state }) => state.locks.some(({ held }) => held.lock.operation.action === 'try'));
    const [lock] = refused.flatMap(({ state }) => state.refused.map(({ held }) => held.lock));
    if (!lock || granted.length === 0 || !refused.every(says('false')) || !granted.every(says('true'))) return [];
    const isDropped = usesOf(frame.call, scopes).every(({ sink }) => sink.kind === 'discarded' || sink.kind === 'never-read');
    return isDropped ? [lock] : [];
  }
});

const says =
  (truth: Truth) =>
  ({ value }: Outcome): boolean =>
    truthOf(value) === truth;

const isMember = ({ parent }: TSESTree.Node): boolean => parent?.type === 'MethodDefinition' || parent?.type === 'PropertyDefinition' || parent?.type === 'Property';
