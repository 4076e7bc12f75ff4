import type { TSESTree } from '@typescript-eslint/utils';
import type { Backends } from '../facts/backends.js';
import type { Frame } from '../facts/frames.js';
import type { LinkedFiles } from '../facts/imports/linked-files.js';
import { createOwnQueries } from '../facts/imports/own-queries.js';
import type { Query, QueryLock } from '../facts/query.js';
import type { Analysis } from './analysis.js';
import type { Known } from './known.js';
import type { HeldLock } from './model.js';
import type { Outcome } from './outcomes.js';
import type { Connection, State, Taken } from './state.js';

/** What a caller needs to know of a function that it calls. */
export type Callee = Pick<Analysis, 'unit' | 'outcomes' | 'entered'>;

/**
 * What functions of other files do, as the file that calls them sees it: whatever stands in another file stands at the call.
 * What stands in this file is left as it is.
 */
export interface Abroad {
  queryOf(query: Query, frame: Frame): Query;
  /** One and the same for the same lock and call. */
  lockOf(lock: QueryLock, frame: Frame): QueryLock;
  calleeOf(analysis: Analysis, frame: Frame): Callee;
}

export function createAbroad(links: LinkedFiles, backends: Backends): Abroad {
  const ownQueries = createOwnQueries(links);
  const queries = new Map<TSESTree.Node, Map<Query, Query>>();
  const callees = new Map<TSESTree.Node, Map<Analysis, Callee>>();
  return { queryOf, lockOf, calleeOf };

  function queryOf(query: Query, frame: Frame): Query {
    if (links.isOwn(query.node) || frame.call.type !== 'CallExpression') return query;
    const byQuery = queries.get(frame.call) ?? new Map<Query, Query>();
    queries.set(frame.call, byQuery);
    const known = byQuery.get(query);
    if (known) return known;
    const locks: QueryLock[] = [];
    const seen: Query = { ...ownQueries.queryOf({ ...query, node: frame.call, frames: [...query.frames, frame] }), handle: backends.through(query.handle, frame), otherHandles: [], isElsewhere: true, locks };
    locks.push(...query.locks.map((lock) => seenThere(lock, seen, frame.call)));
    byQuery.set(query, seen);
    return seen;
  }

  function lockOf(lock: QueryLock, frame: Frame): QueryLock {
    return queryOf(lock.query, frame).locks[lock.query.locks.indexOf(lock)] ?? lock;
  }

  /** Its key is read where it is written, in the light of the calls that lead there. */
  function seenThere(lock: QueryLock, query: Query, call: TSESTree.Node): QueryLock {
    return { ...lock, query, text: ownQueries.textOf(lock.text, call), sourceOf: () => call.range };
  }

  function calleeOf(analysis: Analysis, frame: Frame): Callee {
    if (links.isOwn(analysis.unit)) return analysis;
    const byAnalysis = callees.get(frame.call) ?? new Map<Analysis, Callee>();
    callees.set(frame.call, byAnalysis);
    const known = byAnalysis.get(analysis);
    if (known) return known;
    const callee: Callee = {
      unit: analysis.unit,
      outcomes: analysis.outcomes.map((outcome) => outcomeOf(outcome, frame)),
      entered: analysis.entered.map((state) => stateOf(state, frame)),
    };
    byAnalysis.set(analysis, callee);
    return callee;
  }

  /** A connection that the function opens, and neither closes nor hands over, is a matter for its own file. */
  function outcomeOf(outcome: Outcome, frame: Frame): Outcome {
    const { state, value, phase } = outcome;
    const left = [...state.connections].filter(([, { origin, status }]) => phase === null && origin === 'here' && status === 'open').map(([id]) => id);
    const kept: State =
      left.length === 0
        ? state
        : {
            ...state,
            connections: new Map([...state.connections].filter(([id]) => !left.includes(id))),
            locks: state.locks.filter(({ held }) => !left.includes(backends.idOf(held.handle))),
            refused: state.refused.filter(({ held }) => !left.includes(backends.idOf(held.handle))),
          };
    return { ...outcome, state: stateOf(kept, frame), value: value && valueOf(value, frame) };
  }

  function stateOf(state: State, frame: Frame): State {
    const at = (node: TSESTree.Node): TSESTree.Node => (links.isOwn(node) ? node : frame.call);
    const heldOf = ({ lock, call, helper, handle, origin, key, certain }: HeldLock): HeldLock => ({ lock: lockOf(lock, frame), call, helper, handle, origin, key, certain, unlocks: [] });
    const takenOf = (taken: Taken): Taken => ({
      ...taken,
      held: heldOf(taken.held),
      givenBack: taken.givenBack && { ...taken.givenBack, node: at(taken.givenBack.node), call: at(taken.givenBack.call) },
      unlock: taken.unlock && lockOf(taken.unlock, frame),
    });
    const connectionOf = (connection: Connection): Connection => ({
      ...connection,
      openedBy: connection.openedBy && at(connection.openedBy),
      nestedBegin: connection.nestedBegin && at(connection.nestedBegin),
      savepoints: connection.savepoints.map((savepoint) => ({ ...savepoint, node: at(savepoint.node) })),
      // A setting that is left behind is a matter for the file that makes it.
      timeoutBy: null,
      timeoutOutside: null,
    });
    return {
      ...state,
      locks: state.locks.map(takenOf),
      lost: [],
      connections: mapped(state.connections, connectionOf),
      refused: state.refused.map((refused) => ({ ...refused, held: heldOf(refused.held) })),
      variables: mapped(state.variables, (value) => valueOf(value, frame)),
      unmatched: state.unmatched.map((release) => ({ ...release, lock: lockOf(release.lock, frame), node: at(release.node) })),
      givenBackBy: mapped(state.givenBackBy, at),
    };
  }

  function valueOf(value: Known, frame: Frame): Known {
    if (value.kind === 'record') return { kind: 'record', fields: mapped(value.fields, (field) => valueOf(field, frame)) };
    return value.tells === null ? value : { ...value, tells: lockOf(value.tells, frame) };
  }
}

const mapped = <K, V>(map: ReadonlyMap<K, V>, change: (value: V) => V): ReadonlyMap<K, V> => new Map([...map].map(([key, value]) => [key, change(value)]));
