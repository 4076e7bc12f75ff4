/** What a test must tell about a driver before its descriptor can be held against the real package. */
import type { Call, DriverDescriptor, Give, GiveDetails, Kind } from '../../../src/drivers/driver.js';
import type { Watch } from './watch.js';

/** Lends a handle that was got from the pool. `giveBack` replaces the driver's usual way of giving it back. */
export type Lend = (pool: unknown, use: (handle: unknown) => Promise<void>, giveBack?: (handle: unknown) => unknown) => Promise<unknown>;

export interface LivePool {
  /** The descriptor's name for the object that `open` makes. */
  readonly kind: string;
  /** What the descriptor says of the call that opens it; absent where nothing about its settings is claimed. */
  readonly details?: GiveDetails | undefined;
  /** Arguments of `open` for a pool of at most two connections. */
  arguments(watch: Watch): unknown[];
  open(...given: unknown[]): unknown;
  close(pool: unknown): unknown;
  /** Other kinds of handles, by the descriptor's name. */
  readonly lends?: Readonly<Record<string, Lend>>;
  /** Objects that are sent when awaited or executed, made of a statement `SELECT … AS …`. */
  readonly queries?: Readonly<Record<string, (pool: unknown, sql: string) => unknown>>;
  /** What the methods take for SQL, where that is not the text itself. */
  statement?(sql: string, handle: unknown): unknown;
  /** Further arguments that a method insists on, by its name. */
  readonly insists?: Readonly<Record<string, readonly unknown[]>>;
  /** What is not tried here: `kind` or `kind.method`, and why. */
  readonly untried?: Readonly<Record<string, string>>;
  /** Sends SQL over handles that have no methods for it, by kind, and gives the cell: the tokens of Sequelize. */
  readonly asks?: Readonly<Record<string, (pool: unknown, handle: unknown, sql: string) => Promise<unknown>>>;
  /** Sends `SELECT pg_try_advisory_xact_lock(…)` with these values bound and gives the cell. */
  bind?(pool: unknown, values: readonly unknown[]): Promise<unknown>;
}

export interface LiveDriver {
  readonly descriptor: DriverDescriptor;
  /** The packages under test; the first gives its name to the test. */
  readonly packages: readonly string[];
  /** The database this test runs on. */
  readonly dialect: 'postgres' | 'mysql';
  readonly pools: readonly [LivePool, ...LivePool[]];
}

/** A kind with what it inherits. */
export function resolvedKind(descriptor: DriverDescriptor, name: string): Kind {
  const kind = descriptor.kinds[name];
  if (!kind) throw new Error(`${descriptor.name} has no kind called ${JSON.stringify(name)}.`);
  const inherited = kind.extends === undefined ? {} : resolvedKind(descriptor, kind.extends);
  return { ...inherited, ...kind, methods: { ...inherited.methods, ...kind.methods } };
}

/** What the descriptor says of the object that an exported class or function makes. */
export function detailsOf(descriptor: DriverDescriptor, name: string, module?: string): GiveDetails {
  for (const exported of descriptor.exports) {
    if (!exported.names.includes(name) || (module !== undefined && exported.modules && !exported.modules.includes(module))) continue;
    const give: Give | undefined = exported.new ?? exported.call?.gives ?? exported.call?.resolves;
    if (give !== undefined) return typeof give === 'string' ? { kind: give } : give;
  }
  throw new Error(`${descriptor.name} says nothing of what ${name} makes.`);
}

/** A call in all its meanings: the variants first, the call itself last. */
export const meanings = (call: Call): readonly Call[] => [...(call.variants ?? []), call];

export const member = (object: unknown, name: PropertyKey): unknown =>
  (typeof object === 'object' && object !== null) || typeof object === 'function' ? Reflect.get(object, name) : undefined;

/** Calls a method by its name, as the descriptor gives it. */
export function invoke(object: unknown, name: PropertyKey, ...given: unknown[]): unknown {
  const method = member(object, name);
  if (typeof method !== 'function') throw new Error(`It has no method called ${String(name)}.`);
  return Reflect.apply(method, object, given);
}

/** Makes an `open` of a class. */
export const construct =
  (constructor: unknown) =>
  (...given: unknown[]): unknown => {
    if (typeof constructor !== 'function') throw new Error('It is no class.');
    return Reflect.construct(constructor, given);
  };

/** Makes an `open` of a function. */
export const calling =
  (callee: unknown) =>
  (...given: unknown[]): unknown => {
    if (typeof callee !== 'function') throw new Error('It is no function.');
    return Reflect.apply(callee, undefined, given);
  };

/** What a function gives, or the error that it throws. */
export function attempt(read: () => unknown): unknown {
  try {
    return read();
  } catch (error) {
    return asError(error);
  }
}

/** What was thrown, as an error in any case. */
export const asError = (thrown: unknown): Error => (thrown instanceof Error ? thrown : new Error(JSON.stringify(thrown)));

/** Lends what a method gives to its callback. */
export const inCallback =
  (method: string): Lend =>
  async (pool, use) => {
    await invoke(pool, method, (handle: unknown) => use(handle));
  };

/** Lends what is taken from the pool, or opened besides it, until it is given back. */
export const taken =
  (take: (pool: unknown) => unknown, release: (handle: unknown) => unknown): Lend =>
  async (pool, use, giveBack = release) => {
    const handle = await take(pool);
    try {
      await use(handle);
    } finally {
      await giveBack(handle);
    }
  };

/** The result of a function that takes a callback `(error, result)` as its last argument. */
export const promised = (object: unknown, method: string, ...given: unknown[]): Promise<unknown> =>
  new Promise((resolve, reject) => {
    invoke(object, method, ...given, (error: unknown, result: unknown) => {
      if (error) reject(asError(error));
      else resolve(result);
    });
  });

/** `SELECT pg_try_advisory_xact_lock(a, b) AS ok` with as many placeholders as there are values. */
export const tryLockWith = (placeholders: readonly string[]): string => `SELECT pg_try_advisory_xact_lock(${placeholders.join(', ')}) AS ok`;
