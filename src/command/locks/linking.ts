import type { Database, FileLocks, FunctionId, LockReference, LockSite, LockUse, OrderEdge, Place, ProjectCall } from './model.js';
import { bound, parametersIn, type Binding } from './terms.js';
import { keyOf } from './rows.js';

/** What the files say together. */
export interface Linked {
  /** Every place that takes or releases a lock; through a helper whose parameter is the key, the places that call it. */
  readonly sites: readonly LockSite[];
  readonly edges: readonly OrderEdge[];
  /** Functions whose parameters decide a key. */
  readonly openFunctions: ReadonlySet<FunctionId>;
  /** Functions that run, directly or through others, while a lock is held. */
  readonly calledUnderLocks: ReadonlySet<FunctionId>;
}

/** A lock that a function takes, in the light of the calls that lead to it. */
interface Taken {
  readonly use: LockUse;
  readonly waits: boolean;
}

/** Helpers call helpers; deeper than this they are not followed. */
const depthLimit = 6;
/** More callers than this are not told apart: a helper of helpers could multiply them without end. */
const maximumCallers = 2_000;
const maximumTaken = 64;

/** Puts together what files say of each other's functions. */
export function linked(files: readonly FileLocks[]): Linked {
  return new Linker(files).link();
}

class Linker {
  readonly #files: readonly FileLocks[];
  readonly #callsTo: ReadonlyMap<FunctionId, readonly ProjectCall[]>;
  readonly #callsIn: ReadonlyMap<FunctionId, readonly ProjectCall[]>;
  readonly #sitesIn: ReadonlyMap<FunctionId, readonly LockSite[]>;
  readonly #packages: ReadonlyMap<string, string>;
  readonly #taken = new Map<FunctionId, readonly Taken[]>();

  constructor(files: readonly FileLocks[]) {
    this.#files = files;
    this.#packages = new Map(files.map((file) => [file.path, file.package]));
    const calls = files.flatMap((file) => file.calls);
    this.#callsTo = grouped(calls, ({ callee }) => callee);
    this.#callsIn = grouped(calls, ({ owner }) => owner);
    this.#sitesIn = grouped(
      files.flatMap((file) => file.sites),
      ({ owner }) => owner,
    );
  }

  link(): Linked {
    const sites = this.#files.flatMap((file) => file.sites.flatMap((site) => this.#atCallers(site, [])));
    return { sites, edges: this.#edges(), openFunctions: new Set(sites.flatMap(({ key }) => key.flatMap(parametersIn))), calledUnderLocks: this.#calledUnderLocks() };
  }

  /** The site, or, where a parameter decides its key, the calls that give it. */
  #atCallers(site: LockSite, seen: readonly FunctionId[]): readonly LockSite[] {
    const [fn] = site.key.flatMap(parametersIn);
    const callers = fn === undefined || seen.includes(fn) || seen.length > depthLimit ? [] : (this.#callsTo.get(fn) ?? []);
    if (fn === undefined || callers.length === 0 || callers.length > maximumCallers) return [site];
    return callers.flatMap((call) =>
      this.#atCallers(
        {
          ...this.#seenFrom(site, call),
          place: call.place,
          owner: call.owner,
          ownerName: call.ownerName,
          through: [{ name: call.calleeName, place: site.place }, ...site.through],
        },
        [...seen, fn],
      ),
    );
  }

  /** What a function takes by its own statements and by the functions that it calls and waits for. */
  #takenBy(fn: FunctionId, depth: number): readonly Taken[] {
    const known = this.#taken.get(fn);
    if (known) return known;
    if (depth > depthLimit) return [];
    // A function that calls itself takes nothing more by that.
    this.#taken.set(fn, []);
    const own = (this.#sitesIn.get(fn) ?? []).flatMap((site): Taken[] => (site.action === 'acquire' || site.action === 'try' ? [{ use: site, waits: site.action === 'acquire' }] : []));
    const called = (this.#callsIn.get(fn) ?? []).flatMap((call) => (call.awaited ? this.#takenThrough(call, depth + 1) : []));
    const found = [...own, ...called].slice(0, maximumTaken);
    this.#taken.set(fn, found);
    return found;
  }

  #takenThrough(call: ProjectCall, depth = 0): readonly Taken[] {
    return this.#takenBy(call.callee, depth).map(({ use, waits }) => ({ use: this.#seenFrom(use, call), waits }));
  }

  /** What a function takes, in the light of a call of it. A helper that packages share works on the database of its caller. */
  #seenFrom<T extends LockUse>(use: T, call: ProjectCall): T {
    const binding: Binding = { function: call.callee, argument: (index) => call.arguments[index] ?? null };
    const database = { ...use.database, package: this.#packages.get(call.place.path) ?? use.database.package };
    return { ...use, key: use.key.map((term) => bound(term, binding)), database };
  }

  #usesOf(reference: LockReference): readonly Taken[] {
    switch (reference.by) {
      case 'statement':
        return [reference];
      case 'helper':
        return this.#takenThrough(reference.call);
      default:
        return reference satisfies never;
    }
  }

  /** What is held for certain: a helper that takes several locks may have given one back before the other. */
  #heldBy(reference: LockReference): LockUse | null {
    const [only, ...others] = this.#usesOf(reference);
    return only && others.length === 0 ? only.use : null;
  }

  #edges(): readonly OrderEdge[] {
    const found = new Map<string, OrderEdge>();
    for (const { pairs, heldCalls, heldParameters } of this.#files) {
      for (const { first, then, guards, firstPlace, place } of pairs) {
        const held = this.#heldBy(first);
        const before = guards.flatMap((guard) => this.#heldBy(guard) ?? []);
        if (held) for (const taken of this.#usesOf(then)) if (taken.waits) this.#addAtCallers(found, { held, then: taken.use, guards: before, firstPlace, place }, []);
      }
      for (const { held, call } of heldCalls) this.#addCall(found, held, call);
      for (const { held, function: fn, index } of heldParameters) {
        for (const call of this.#callsTo.get(fn) ?? []) {
          const given = call.callbacks[index];
          const use = this.#heldBy(held);
          if (given === null || given === undefined || !use) continue;
          const holder = this.#seenFrom(use, call);
          for (const taken of this.#takenBy(given, 0)) if (taken.waits) this.#addAtCallers(found, { held: holder, then: taken.use, guards: [], firstPlace: call.place, place: taken.use.place }, []);
        }
      }
    }
    return [...found.values()];
  }

  #addCall(found: Map<string, OrderEdge>, reference: LockReference, call: ProjectCall): void {
    const held = this.#heldBy(reference);
    if (!held) return;
    const firstPlace = reference.by === 'statement' ? held.place : reference.call.place;
    for (const taken of this.#takenThrough(call)) if (taken.waits) this.#addAtCallers(found, { held, then: taken.use, guards: [], firstPlace, place: call.place }, []);
  }

  #addAtCallers(found: Map<string, OrderEdge>, pair: Pair, seen: readonly FunctionId[]): void {
    const [fn] = [...pair.held.key, ...pair.then.key].flatMap(parametersIn);
    const callers = fn === undefined || seen.includes(fn) || seen.length > depthLimit ? [] : (this.#callsTo.get(fn) ?? []);
    if (fn === undefined || callers.length === 0 || callers.length > maximumCallers) {
      addEdge(found, pair);
      return;
    }
    for (const call of callers) {
      const at = (use: LockUse): LockUse => this.#seenFrom(use, call);
      this.#addAtCallers(found, { ...pair, held: at(pair.held), then: at(pair.then), guards: pair.guards.map(at) }, [...seen, fn]);
    }
  }

  #calledUnderLocks(): ReadonlySet<FunctionId> {
    const found = new Set<FunctionId>();
    const visit = (fn: FunctionId, depth: number): void => {
      if (found.has(fn) || depth > depthLimit) return;
      found.add(fn);
      for (const call of this.#callsIn.get(fn) ?? []) if (call.awaited) visit(call.callee, depth + 1);
    };
    for (const { heldCalls } of this.#files) for (const { call } of heldCalls) visit(call.callee, 0);
    return found;
  }
}

interface Pair {
  readonly held: LockUse;
  readonly then: LockUse;
  readonly guards: readonly LockUse[];
  readonly firstPlace: Place;
  readonly place: Place;
}

/** Keys of which nothing is known have no place in an order. */
function addEdge(found: Map<string, OrderEdge>, { held, then, guards, firstPlace, place }: Pair): void {
  const [from, to] = [keyOf(held), keyOf(then)];
  if (from.kind === 'computed' || to.kind === 'computed' || from.identity === to.identity) return;
  const database = databaseOf(held.database, then.database);
  if (!database) return;
  const edge: OrderEdge = {
    from: from.identity,
    to: to.identity,
    firstPlace,
    place,
    modes: [held.mode, then.mode],
    guards: guards.map(keyOf).filter(({ kind }) => kind === 'value').map(({ identity }) => identity),
    database,
  };
  const key = JSON.stringify([edge.from, edge.to, place.path, place.line, edge.modes]);
  const known = found.get(key);
  // Of two ways to one place, the one with fewer locks before it counts.
  if (!known || known.guards.length > edge.guards.length) found.set(key, edge);
}

/** Where two locks are known to be in different databases there is no order between them. */
function databaseOf(one: Database, other: Database): Database | null {
  if (one.address !== null && other.address !== null && one.address !== other.address) return null;
  return { package: other.package, address: other.address ?? one.address };
}

function grouped<T>(items: readonly T[], keyOfItem: (item: T) => string): ReadonlyMap<string, readonly T[]> {
  const found = new Map<string, T[]>();
  for (const item of items) {
    const group = found.get(keyOfItem(item));
    if (group) group.push(item);
    else found.set(keyOfItem(item), [item]);
  }
  return found;
}
