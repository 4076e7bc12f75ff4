import type { TSESTree } from '@typescript-eslint/utils';
import type { Evaluation } from '../facts/evaluation.js';
import type { Events } from '../facts/events.js';
import type { Frame } from '../facts/frames.js';
import { disposerOf, within, type Helpers } from '../facts/summaries.js';
import type { Abroad } from './abroad.js';
import type { Query, QueryLock } from '../facts/query.js';
import type { Handle } from '../facts/values.js';
import type { FlowUnit } from '../flow/nodes.js';

export interface WrittenRelease {
  readonly lock: QueryLock;
  readonly handle: Handle;
  readonly frames: readonly Frame[];
}

export interface Inventory {
  /** Every unlock that the unit, functions inside it and helpers it calls have. */
  releasesIn(unit: TSESTree.Node): readonly WrittenRelease[];
  /** Does the unit itself begin or end transactions on the connection? */
  handlesTransactions(unit: FlowUnit, handle: Handle): boolean;
  /** Does code inside the node give a connection back, close it, or unlock something on it? */
  endsSomething(node: TSESTree.Node): boolean;
  /** Pools that the unit or helpers it calls ask for connections. */
  poolUsesIn(unit: TSESTree.Node): readonly WrittenPoolUse[];
  /** Statements of the unit, and of helpers it calls. */
  statementsIn(unit: TSESTree.Node): readonly WrittenStatement[];
}

export interface WrittenPoolUse {
  readonly pool: Handle;
  readonly query: Query | null;
}

export interface WrittenStatement {
  readonly query: Query;
  readonly handle: Handle;
}

const depthLimit = 3;

export interface InventoryParts {
  readonly events: Events;
  readonly helpers: Helpers;
  /** The file's, in source order. */
  readonly calls: readonly TSESTree.CallExpression[];
  readonly evaluated: Evaluation;
  readonly abroad: Abroad;
  /** The inventory of another file, in which the node stands. */
  readonly elsewhere: (node: TSESTree.Node) => Inventory;
}

/** What stands in the code, wherever paths lead. */
export function createInventory({ events, helpers, calls, evaluated, abroad, elsewhere }: InventoryParts): Inventory {
  const { evaluator, links } = evaluated;
  const releases = new Map<TSESTree.Node, readonly WrittenRelease[]>();
  const transactions = new Map<TSESTree.Node, ReadonlySet<number>>();
  const poolUses = new Map<TSESTree.Node, readonly WrittenPoolUse[]>();
  const statements = new Map<TSESTree.Node, readonly WrittenStatement[]>();
  return {
    releasesIn: (unit) => releasesIn(unit, 0),
    handlesTransactions,
    endsSomething,
    poolUsesIn: (unit) => poolUsesIn(unit, 0),
    statementsIn: (unit) => statementsIn(unit, 0),
  };

  function releasesIn(node: TSESTree.Node, depth: number): readonly WrittenRelease[] {
    const known = releases.get(node);
    if (known) return known;
    if (!links.isOwn(node)) return elsewhere(node).releasesIn(node);
    releases.set(node, []);
    const own = within(events.places, node).flatMap((place) =>
      events.of(place).flatMap((event): WrittenRelease[] => {
        const { locks, handle } = event.kind === 'statement' ? { locks: event.alternatives.flatMap(({ query }) => query.locks), handle: event.handle } : event.kind === 'never-sent' ? { locks: event.query.locks, handle: event.handle } : { locks: [], handle: null };
        return locks.filter(isRelease).flatMap((lock) => (handle ? [{ lock, handle, frames: [] }] : []));
      }),
    );
    const called = depth < depthLimit ? within(calls, node).flatMap((call) => throughHelper(call, depth)) : [];
    const found = [...own, ...called];
    releases.set(node, found);
    return found;
  }

  function throughHelper(call: TSESTree.CallExpression, depth: number): readonly WrittenRelease[] {
    const disposer = disposerOf(evaluator.valueOf(call), evaluator, call);
    const frame = helpers.calledBy(call);
    const reached = [frame, disposer && { function: disposer, call }];
    return reached.flatMap((through) =>
      through ? releasesIn(through.function, depth + 1).map(({ lock, handle, frames }) => ({ lock: abroad.lockOf(lock, through), handle: events.backends.through(handle, through), frames: [...frames, through] })) : [],
    );
  }

  function handlesTransactions(unit: FlowUnit, handle: Handle): boolean {
    const known = transactions.get(unit);
    const ids = known ?? transactionsIn(unit);
    if (!known) transactions.set(unit, ids);
    return ids.has(events.backends.idOf(handle));
  }

  function transactionsIn(unit: FlowUnit): ReadonlySet<number> {
    const ids = new Set<number>();
    for (const place of within(events.places, unit)) {
      for (const event of events.of(place)) {
        if (event.kind === 'begin' || event.kind === 'commit' || event.kind === 'rollback') ids.add(events.backends.idOf(event.handle));
        if (event.kind !== 'statement') continue;
        const ends = event.alternatives.some(({ query }) => query.session.some(({ kind }) => kind === 'begin' || kind === 'commit' || kind === 'rollback'));
        if (ends) ids.add(events.backends.idOf(event.handle));
      }
    }
    return ids;
  }

  function poolUsesIn(node: TSESTree.Node, depth: number): readonly WrittenPoolUse[] {
    if (!links.isOwn(node)) return elsewhere(node).poolUsesIn(node);
    return collected(poolUses, node, depth, poolUsesIn, (place) =>
      events.of(place).flatMap((event) => (event.kind === 'use-pool' ? [{ pool: event.pool, query: event.query }] : [])),
      ({ pool, query }, frame) => ({ pool: events.backends.through(pool, frame), query: query && abroad.queryOf(query, frame) }),
    );
  }

  function statementsIn(node: TSESTree.Node, depth: number): readonly WrittenStatement[] {
    if (!links.isOwn(node)) return elsewhere(node).statementsIn(node);
    return collected(statements, node, depth, statementsIn, (place) =>
      events.of(place).flatMap((event) => (event.kind === 'statement' ? event.alternatives.map(({ query }) => ({ query, handle: event.handle })) : [])),
      ({ query, handle }, frame) => ({ query: abroad.queryOf(query, frame), handle: events.backends.through(handle, frame) }),
    );
  }

  function collected<T>(
    memo: Map<TSESTree.Node, readonly T[]>,
    node: TSESTree.Node,
    depth: number,
    inHelper: (node: TSESTree.Node, depth: number) => readonly T[],
    at: (place: TSESTree.Node) => readonly T[],
    through: (item: T, frame: Frame) => T,
  ): readonly T[] {
    const known = memo.get(node);
    if (known) return known;
    memo.set(node, []);
    const frames = depth < depthLimit ? within(calls, node).map((call) => helpers.calledBy(call)) : [];
    const found = [
      ...within(events.places, node).flatMap(at),
      ...frames.flatMap((frame) => (frame ? inHelper(frame.function, depth + 1).map((item) => through(item, frame)) : [])),
    ];
    memo.set(node, found);
    return found;
  }

  function endsSomething(node: TSESTree.Node): boolean {
    if (!links.isOwn(node)) return elsewhere(node).endsSomething(node);
    const ends = within(events.places, node).some((place) => events.of(place).some(({ kind }) => kind === 'give-back' || kind === 'close'));
    return ends || releasesIn(node, 0).length > 0;
  }
}

const isRelease = ({ operation }: QueryLock): boolean => operation.action === 'release' || operation.action === 'release-all';
