import type { TSESTree } from '@typescript-eslint/utils';
import { configuration } from '../../facts/configuration.js';
import { configuredLimits } from '../../facts/configured-limits.js';
import { evaluation } from '../../facts/evaluation.js';
import { events, type Event } from '../../facts/events.js';
import { lockHelpers } from '../../facts/lock-helpers.js';
import { queries, type QueryLock } from '../../facts/queries.js';
import { helpers } from '../../facts/summaries.js';
import type { Handle } from '../../facts/values.js';
import { defaultOf } from '../../facts/variables.js';
import { resultsOf, type Unit } from '../../pass.js';
import { isFunction, isInside, unwrap, unwrappedParent, type FunctionNode } from '../../source/ast.js';
import { nameOfFunction } from '../../source/function-names.js';
import { scopes } from '../../source/scope.js';
import { nodes } from '../../source/walk.js';
import { callsUnlock } from '../../sql/lock-functions.js';
import { heldLocks } from '../../state/held-locks.js';
import { lockTimeouts } from '../../state/lock-timeouts.js';
import type { Acquire, HeldLock } from '../../state/model.js';
import { waitLimits } from '../../state/wait-limits.js';
import { exportedFunctions } from './exported-functions.js';
import { calledName, isAwaited, nameAround } from './function-names.js';
import { constructorIn, createKeyReader, functionIn } from './key-reader.js';
import type { Database, FileLocks, FunctionId, HeldCall, HeldParameter, LockPair, LockReference, LockSite, LockUse, Place, ProjectCall, Timeout } from './model.js';
import { unknownTerm, wordsOf } from './terms.js';

/** What the file says of locks: its own statements, its calls of the project's functions, and what it holds meanwhile. */
export function readFile(unit: Unit, packageOf: (path: string) => string): FileLocks {
  return new FileReader(unit, packageOf).read();
}

const passes = [scopes, nodes, evaluation, queries, events, lockHelpers, helpers, heldLocks, waitLimits, lockTimeouts, configuration, configuredLimits] as const;

class FileReader {
  readonly #unit: Unit;
  readonly #packageOf: (path: string) => string;
  readonly #facts;
  readonly #keys;
  /** Functions that run as themselves: not as part of the function around them. */
  readonly #units: ReadonlySet<TSESTree.Node>;
  readonly #acquires: ReadonlyMap<QueryLock, { readonly acquire: Acquire; readonly isLimited: boolean }>;
  readonly #helperCalls: ReadonlyMap<QueryLock['query'], TSESTree.CallExpression>;

  constructor(unit: Unit, packageOf: (path: string) => string) {
    const [scopesOfFile, nodesOfFile, evaluated, statements, eventsOfFile, helperCalls, ownHelpers, functions, limits, timeouts, options, configured] = resultsOf(passes, unit);
    this.#unit = unit;
    this.#packageOf = packageOf;
    this.#facts = { scopesOfFile, nodesOfFile, evaluated, statements, eventsOfFile, helperCalls, ownHelpers, functions, timeouts, options, configured };
    this.#keys = createKeyReader(evaluated);
    this.#units = new Set(functions.map((state) => state.unit));
    this.#acquires = new Map(
      functions.flatMap((state) => state.acquires.filter(({ held }) => held.helper === null).map((acquire) => [acquire.held.lock, { acquire, isLimited: limits.isLimited(acquire.held, state) }] as const)),
    );
    this.#helperCalls = new Map(helperCalls.flatMap(({ node, statements: sent }) => sent.map((query) => [query, node] as const)));
  }

  read(): FileLocks {
    const { statements, nodesOfFile, helperCalls } = this.#facts;
    const written = statements.filter(({ sent }) => sent !== 'never').flatMap(({ locks }) => locks);
    // Of helpers that the settings describe, and the project does not show, the call is all there is.
    const declared = helperCalls.filter(({ node }) => this.#calleeOf(node) === null).flatMap(({ statements: sent }) => sent.flatMap(({ locks }) => locks));
    return {
      path: this.#unit.filename,
      package: this.#packageOf(this.#unit.filename),
      sites: [...written, ...declared].flatMap((lock) => this.#siteOf(lock) ?? []),
      calls: [...nodesOfFile.calls, ...nodesOfFile.news].flatMap((call) => this.#callOf(call) ?? []),
      pairs: this.#pairs(),
      heldCalls: this.#heldCalls(),
      heldParameters: this.#heldParameters(),
      exports: exportedFunctions(this.#unit, this.#facts.evaluated, this.#keys.idOf),
      unsentUnlocks: this.#unsentUnlocks(),
    };
  }

  #siteOf(lock: QueryLock): LockSite | null {
    const { operation, query } = lock;
    const { action } = operation;
    if (action === 'inspect') return null;
    const owner = this.#ownerOf(query.node);
    return {
      ...this.#useOf(lock, query.frames, query.handle),
      action,
      sql: operation.name,
      connection: query.handle.role,
      session: this.#sessionOf(query.handle),
      timeout: this.#timeoutOf(lock),
      ...owner,
      inSqlFile: this.#unit.filename.endsWith('.sql'),
      through: [],
    };
  }

  #useOf(lock: QueryLock, frames: HeldLock['key']['frames'], handle: Handle): LockUse {
    const { operation, query } = lock;
    const { eventsOfFile } = this.#facts;
    return {
      key: this.#keys.partsOf(eventsOfFile.keys.keyOf(lock, frames)),
      dialect: operation.dialect,
      level: operation.level,
      mode: operation.mode,
      place: this.#placeOfLock(lock, query.node),
      database: this.#databaseOf(handle),
    };
  }

  /** In a `.sql` file, where the lock function stands: a statement may be a long one. */
  #placeOfLock(lock: QueryLock, node: TSESTree.Node): Place {
    if (!this.#unit.filename.endsWith('.sql')) return this.#keys.placeOf(node);
    const before = this.#unit.text.slice(0, lock.sourceOf(lock.operation.range)[0]);
    const line = before.split('\n').length;
    return { path: this.#unit.filename, line, column: before.length - before.lastIndexOf('\n') };
  }

  #databaseOf(handle: Handle): Database {
    const addresses = this.#facts.options.urlsOf(handle).map((node) => wordsOf(this.#keys.termOf(node, [])));
    return { package: this.#packageOf(this.#unit.filename), address: addresses.length > 0 ? addresses.join(' ') : null };
  }

  #sessionOf(handle: Handle): LockSite['session'] {
    const { eventsOfFile, options } = this.#facts;
    const isHere = (other: Handle): boolean => eventsOfFile.backends.relation(other, handle) !== 'different';
    const ends = (event: Event): boolean => (event.kind === 'close' && isHere(event.handle)) || (event.kind === 'give-back' && event.destroys !== 'no' && isHere(event.handle));
    if (options.resetsOnRelease(handle) || eventsOfFile.places.some((place) => eventsOfFile.of(place).some(ends))) return 'ends';
    return handle.role === 'pool' || handle.pool !== null ? 'kept' : 'unknown';
  }

  #timeoutOf(lock: QueryLock): Timeout {
    const { operation, query } = lock;
    const { timeouts, configured } = this.#facts;
    const [, seconds] = operation.arguments;
    if (operation.dialect === 'mysql' && seconds) {
      const [term] = this.#keys.partsOf({ lock, parts: [seconds], frames: query.frames, values: [] });
      return { kind: 'argument', seconds: term ? wordsOf(term) : '…' };
    }
    if (operation.action !== 'acquire') return { kind: 'does-not-wait' };
    const known = this.#acquires.get(lock);
    if (known?.isLimited) return { kind: 'set', milliseconds: timeouts.timeoutBefore(known.acquire.held) };
    if (!known) return configured.areSetFor(query.handle) || this.#unit.settings.lockTimeout === 'role' ? { kind: 'set', milliseconds: null } : { kind: 'unknown' };
    const isOpen = known.acquire.lockTimeout === 'unknown' || query.handle.role === 'unknown';
    return { kind: isOpen ? 'unknown' : 'none' };
  }

  /** The function of the project that a call runs; null for any other. */
  #calleeOf(call: TSESTree.CallExpression | TSESTree.NewExpression): FunctionNode | null {
    const value = this.#facts.evaluated.evaluator.valueOf(unwrap(call.callee));
    return call.type === 'CallExpression' ? functionIn(value) : constructorIn(value);
  }

  #callOf(call: TSESTree.CallExpression | TSESTree.NewExpression): ProjectCall | null {
    const fn = this.#calleeOf(call);
    if (!fn) return null;
    const { evaluator } = this.#facts.evaluated;
    const spread = call.arguments.findIndex(({ type }) => type === 'SpreadElement');
    const given = spread < 0 ? call.arguments : call.arguments.slice(0, spread);
    const functions = given.map((argument) => functionIn(evaluator.valueOf(argument)));
    const defaults = spread < 0 ? fn.params.slice(given.length).map(defaultOf) : [];
    return {
      place: this.#keys.placeOf(call),
      callee: this.#keys.idOf(fn),
      calleeName: nameOfFunction(fn) ?? calledName(call) ?? 'a function',
      arguments: [...given, ...defaults].map((argument) => (argument ? this.#keys.termOf(argument, []) : unknownTerm('undefined', ''))),
      callbacks: functions.map((each) => each && this.#keys.idOf(each)),
      ...this.#ownerOf(call),
      awaited: isAwaited(call),
    };
  }

  #pairs(): readonly LockPair[] {
    return this.#facts.functions.flatMap((state) =>
      [...state.acquires, ...state.helperAcquires].flatMap((acquire): LockPair[] => {
        const { held, query } = acquire;
        if (query.sent === 'never') return [];
        // What one call of a helper takes is the helper's own order.
        const before = acquire.others.filter(({ call }) => call !== held.call || held.helper === null);
        const then = this.#referenceTo(held);
        if (!then) return [];
        return before.flatMap((first, index): LockPair[] => {
          const reference = this.#referenceTo(first);
          const guards = before.slice(0, index).flatMap((guard) => this.#referenceTo(guard) ?? []);
          return reference ? [{ first: reference, then, guards, firstPlace: this.#keys.placeOf(first.call), place: this.#keys.placeOf(held.call), owner: this.#idOf(state.unit) }] : [];
        });
      }),
    );
  }

  #referenceTo(held: HeldLock): LockReference | null {
    const call = this.#helperCalls.get(held.lock.query);
    if (!call || this.#calleeOf(call) === null) return { by: 'statement', use: this.#useOf(held.lock, held.key.frames, held.handle), waits: held.lock.operation.action === 'acquire' };
    const through = this.#callOf(call);
    // The calls of a helper's helper are read in the light of calls that these facts do not have.
    return through && held.key.frames.length === 0 ? { by: 'helper', call: through } : null;
  }

  #heldCalls(): readonly HeldCall[] {
    const work = this.#facts.functions.flatMap((state) =>
      state.workWhileHeld.flatMap(({ node, held }): HeldCall[] => {
        const call = node.type === 'CallExpression' && !this.#isHelperCall(node) ? this.#callOf(node) : null;
        const reference = call?.awaited ? this.#referenceTo(held) : null;
        return call && reference ? [{ held: reference, call }] : [];
      }),
    );
    return [...work, ...this.#namedCallbacks()];
  }

  #isHelperCall(node: TSESTree.Node): boolean {
    return this.#facts.helperCalls.some((call) => call.node === node);
  }

  /** `withLock(key, syncInvoices)`: a function of another file that runs under the lock. */
  #namedCallbacks(): readonly HeldCall[] {
    const { evaluator } = this.#facts.evaluated;
    return this.#facts.helperCalls.flatMap(({ node, does, callback }): HeldCall[] => {
      const given = does === 'hold' && callback ? evaluator.valueOf(callback) : null;
      const holding = this.#callOf(node);
      if (given?.type !== 'elsewhere' || given.of.type !== 'function' || !holding) return [];
      const fn = given.of.node;
      const call = { ...holding, callee: this.#keys.idOf(fn), calleeName: nameOfFunction(fn) ?? 'a function', arguments: [], callbacks: [] };
      return [{ held: { by: 'helper', call: holding }, call }];
    });
  }

  #heldParameters(): readonly HeldParameter[] {
    return this.#facts.functions.flatMap((state) => {
      const { unit: fn } = state;
      if (!isFunction(fn)) return [];
      return state.workWhileHeld.flatMap(({ node, held }): HeldParameter[] => {
        const parameter = node.type === 'CallExpression' ? this.#facts.ownHelpers.parameterCalledBy(node, fn) : null;
        const term = parameter && this.#keys.termOf(parameter, []);
        const reference = term?.is === 'parameter' && term.path.length === 0 ? this.#referenceTo(held) : null;
        return term?.is === 'parameter' && reference ? [{ held: reference, function: term.function, index: term.index }] : [];
      });
    });
  }

  #idOf(unit: TSESTree.Node): FunctionId {
    return isFunction(unit) ? this.#keys.idOf(unit) : `${this.#unit.filename}:0`;
  }

  /** The function that runs the node: callbacks which run as part of another function count as that. */
  #ownerOf(node: TSESTree.Node): { readonly owner: FunctionId; readonly ownerName: string | null } {
    for (let outer = node.parent; outer; outer = outer.parent) {
      if (isFunction(outer) && (this.#units.has(outer) || !this.#runsAsPart(outer))) return { owner: this.#keys.idOf(outer), ownerName: nameAround(outer) };
    }
    return { owner: `${this.#unit.filename}:0`, ownerName: null };
  }

  #runsAsPart(fn: FunctionNode): boolean {
    const { parent, child } = unwrappedParent(fn);
    if (parent?.type !== 'CallExpression' || parent.callee === child) return false;
    const { eventsOfFile, ownHelpers } = this.#facts;
    const name = calledName(parent);
    const isReaction = parent.callee.type === 'MemberExpression' && name !== null && ['then', 'catch', 'finally'].includes(name);
    return isReaction || eventsOfFile.callbackOf(parent)?.function === fn || ownHelpers.callbackOf(parent)?.function === fn;
  }

  #unsentUnlocks(): readonly string[] {
    const { statements, nodesOfFile } = this.#facts;
    const sent = statements.filter(({ locks }) => locks.some(({ operation }) => operation.action === 'release' || operation.action === 'release-all'));
    const isSent = (node: TSESTree.Node): boolean => sent.some(({ node: call, sql }) => isInside(node, call) || sql?.segments.some(({ origin }) => origin === node) === true);
    return nodesOfFile.strings.flatMap((node) => {
      const text = node.type === 'Literal' ? node.value : node.quasis.map(({ value }) => value.cooked ?? value.raw).join('${}');
      return callsUnlock(text) && !isSent(node) ? [text] : [];
    });
  }
}
