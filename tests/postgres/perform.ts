import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import { Script } from 'node:vm';
import { vi } from 'vitest';
import { askOn, valueOf } from './arguments.js';
import { isFunction, takesLock, type Circumstance, type Traits } from './circumstances.js';
import { deferred, lend, type Lent } from './handles.js';
import type { Laboratory, Lock } from './laboratory.js';
import { recordPackages, type Recorded } from './packages.js';
import type { ExportedFunction, Source } from './source.js';
import type { Statement, Tap } from './tap.js';

/** How one call of an example went. */
export interface Call {
  outcome: 'pending' | 'returned' | 'threw';
  value: unknown;
  error: unknown;
}

/** Everything that was seen of an example under one circumstance. */
export interface Observation {
  readonly circumstance: Circumstance;
  readonly calls: readonly Call[];
  readonly statements: readonly Statement[];
  /** The lock table right after each statement that takes a lock, before the example hears of it. */
  readonly acquired: readonly { readonly statement: Statement; readonly locks: readonly Lock[] }[];
  /** The wishes for locks that were seen unfulfilled. */
  readonly waited: readonly Lock[];
  /** The lock table when the most wishes were unfulfilled. */
  readonly contended: readonly Lock[];
  /** Keys that another session held when the example was called. */
  readonly elsewhere: readonly string[];
  /** How many believed at one time that the lock was theirs, another session of the laboratory included. */
  readonly mostInside: number;
  /** The lock table when every call was over and everything lent was given back. */
  readonly locks: readonly Lock[];
  /** What the caller found wrong when it acted upon the answer. */
  readonly complaints: readonly string[];
  /** Every pool can hand out all its connections, and no session is left in a transaction. */
  readonly isWhole: boolean;
}

/** An example, ready to be run again and again. */
export interface Subject {
  readonly source: Source;
  readonly traits: Traits;
  readonly called: ExportedFunction | null;
  /** The locks that it takes when nothing disturbs it; none before it has run. */
  readonly keys: readonly Lock[];
  readonly scenario: Scenario;
}

/** What a rule's own scenario may say about its examples. Everything is optional. */
export interface Scenario {
  /** Values of parameters, by name; `caller` counts from 0. */
  values?(caller: number): Readonly<Record<string, unknown>>;
  /** The lock that the other session has at first, instead of the example's own. */
  readonly rival?: Pick<Lock, 'key' | 'mode'>;
  /** Each caller is a process of its own, on a machine of its own. */
  readonly processes?: true;
  /** A transaction pooler stands in front of the server. */
  readonly pooler?: true;
  /** What a caller does with what it was lent, between the call's end and giving it back. */
  afterwards?(ask: (sql: string) => Promise<unknown>, caller: number): Promise<unknown>;
  /** Calls the example instead of the laboratory: for classes, and for more than one call. */
  drive?(exported: Readonly<Record<string, unknown>>, given: readonly unknown[], stage: Stage): Promise<unknown>;
  /** The parameters of `drive`. */
  readonly parameters?: ExportedFunction['parameters'];
}

/** What a scenario may reach of a run. */
export interface Stage {
  readonly laboratory: Laboratory;
  /** What the example has made so far. */
  readonly recorded: Recorded;
  readonly circumstance: Circumstance;
  readonly caller: number;
  /** Lets this many milliseconds pass for timers of a second and more, in no time. */
  passTime(milliseconds: number): Promise<void>;
}

class WorkFailed extends Error {}

export async function perform(laboratory: Laboratory, subject: Subject, circumstance: Circumstance): Promise<Observation> {
  const acquired: { statement: Statement; locks: Lock[] }[] = [];
  const tap = await laboratory.openTap(async (statement) => {
    if (!takesLock.test(statement.sql) || statement.error) return;
    const isFirst = !acquired.some(({ statement: { backend } }) => backend === statement.backend);
    acquired.push({ statement, locks: await laboratory.locks() });
    if (circumstance === 'as many callers as connections' && isFirst) await everybodyHasAsked();
    if (circumstance === 'another caller takes the connection' && subject.scenario.pooler) await run.occupyServerConnection();
  });
  /** Callers go in step: nobody hears that the first lock is granted before the other has asked for its own. */
  const everybodyHasAsked = (): Promise<boolean> =>
    until(
      async () => new Set(acquired.map(({ statement: { backend } }) => backend)).size > 1 || (await laboratory.locks()).some(({ granted }) => !granted),
      500,
    );
  const address = { host: '127.0.0.1', port: tap.port, ...laboratory.account(circumstance) };
  const recorded = recordPackages(address, tap);
  const usesClock = circumstance === 'the client gives up waiting' || subject.source.classes.length > 0;
  if (usesClock) vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'], shouldAdvanceTime: true });
  if (subject.source.javascript.includes('pglite')) await recorded.startPglite();
  if (circumstance === 'the unlock fails') await laboratory.refuseUnlocks();
  const run = new Run(laboratory, subject, circumstance, recorded, tap, `postgres://${address.user}@${address.host}:${address.port}/${address.database}`);
  try {
    const seen = await run.whole();
    return { circumstance, acquired: [...acquired], ...seen };
  } finally {
    if (usesClock) vi.useRealTimers();
    await Promise.race([recorded.end(), pause(300)]);
    await laboratory.clear();
    await tap.close();
  }
}

/** As long as nothing may happen before it is believed that nothing ever will. */
const standstillMilliseconds = 600;

/** How many calls are made, and whether the next one waits until the one before is inside or over. */
const callers: Partial<Record<Circumstance, { readonly count: number; readonly inTurn: boolean }>> = {
  'two callers': { count: 2, inTurn: true },
  'as many callers as connections': { count: 2, inTurn: false },
  'another session has the lock, time and again': { count: 4, inTurn: true },
};

/** Another session of the laboratory takes the locks first. */
const withRival: readonly Circumstance[] = [
  'another session has the lock',
  'another session has the lock, time and again',
  'the client gives up waiting',
  'the server limits the wait',
];

class Run {
  private readonly calls: Call[] = [];
  private readonly waited: Lock[] = [];
  private contended: Lock[] = [];
  private readonly complaints: string[] = [];
  private readonly occupied: (() => unknown)[] = [];
  private readonly lent: Lent[][] = [];
  private readonly aborts: AbortController[] = [];
  private readonly deadline = deferred<never>();
  /** Callers that are inside until they give back what they were lent. */
  private readonly remaining = new Set<number>();
  private inside = 0;
  private mostInside = 0;
  private readonly elsewhere: string[] = [];
  private isTakenElsewhere = false;

  constructor(
    private readonly laboratory: Laboratory,
    private readonly subject: Subject,
    private readonly circumstance: Circumstance,
    private readonly recorded: Recorded,
    private readonly tap: Tap,
    private readonly url: string,
  ) {
    this.deadline.promise.catch(() => undefined);
  }

  async whole(): Promise<Omit<Observation, 'circumstance' | 'acquired'>> {
    const { scenario, source } = this.subject;
    const shared = await load(source, this.recorded, this.url, 0);
    if (withRival.includes(this.circumstance) || (scenario.rival && this.circumstance === 'as many callers as connections')) {
      for (const lock of scenario.rival ? [scenario.rival] : this.subject.keys) if (await this.laboratory.takeElsewhere(lock)) this.elsewhere.push(lock.key);
      this.isTakenElsewhere = this.elsewhere.length > 0;
      if (this.isTakenElsewhere && withRival.includes(this.circumstance)) this.enter();
    }
    const { count, inTurn } = callers[this.circumstance] ?? { count: 1, inTurn: false };
    const given: unknown[][] = [];
    for (let caller = 0; caller < count; caller++) given.push(await this.argumentsFor(caller));
    for (let caller = 0; caller < count; caller++) {
      const exported = scenario.processes && caller > 0 ? await load(source, this.recorded, this.url, caller) : shared;
      this.start(exported, given[caller] ?? [], caller);
      if (inTurn || scenario.rival) await until(() => this.isUnderWay(caller), 2_000);
      if (this.circumstance === 'another session has the lock, time and again' && this.calls[caller]?.outcome === 'pending') break;
    }
    await this.settle();
    for (const free of this.occupied.splice(0)) await free();
    for (let caller = 0; caller < count; caller++) await this.actUpon(caller);
    // What a client has written arrives at the tap before long, also its farewell.
    for (let turn = 0; turn < 5; turn++) await nextTurn();
    if (this.subject.traits.isMysql) await until(async () => (await this.laboratory.locks()).length === 0, 150);
    await until(async () => {
      const alive = await this.laboratory.sessions();
      return !alive.some(({ backend }) => this.tap.left.has(backend));
    }, 1_000);
    const locks = await this.laboratory.locks();
    return {
      // As they are, before the laboratory ends what has not ended by itself.
      calls: this.calls.map((call) => ({ ...call })),
      statements: this.tap.statements.map((statement) => ({ ...statement })),
      waited: this.waited,
      contended: this.contended,
      elsewhere: this.elsewhere,
      mostInside: this.mostInside,
      complaints: this.complaints,
      locks,
      isWhole: await this.isWhole(),
    };
  }

  private async argumentsFor(caller: number): Promise<unknown[]> {
    const { called, scenario, traits } = this.subject;
    const parameters = scenario.parameters ?? called?.parameters ?? [];
    const special = scenario.values?.(caller) ?? {};
    const lent: Lent[] = [];
    this.lent[caller] = lent;
    const given: unknown[] = [];
    for (const parameter of parameters) {
      const handle = await lend(parameter.type, parameter.name, this.recorded);
      if (handle) lent.push(handle);
      if (Object.hasOwn(special, parameter.name)) given.push(special[parameter.name]);
      else if (handle) given.push(handle.value);
      else if (isFunction(parameter)) given.push((...received: unknown[]) => this.work(received, caller));
      else if (parameter.type === 'AbortSignal') given.push(this.signal());
      else if (parameter.type === 'Promise<never>') given.push(this.deadline.promise);
      else given.push(valueOf(parameter, caller, this.url));
    }
    const [session] = lent.filter(({ role }) => role === 'session');
    if (session && traits.frees && !traits.takes) {
      const named = parameters.findIndex(({ name }) => name === 'key' || name === 'name');
      const key = /unlock(?:_shared)?\((\d+)\)/.exec(this.subject.source.javascript)?.[1] ?? String(given[named]);
      await session.ask(this.laboratory.sql.take(key, this.circumstance === 'the lock is held in another mode'));
    }
    if (session && traits.isTransactionLevel && !traits.begins) await session.ask(this.laboratory.sql.begin);
    return given;
  }

  /** Aborted beforehand where nothing can be done in between. */
  private signal(): AbortSignal {
    const controller = new AbortController();
    this.aborts.push(controller);
    const hasWork = this.subject.called?.parameters.some(isFunction);
    if (this.circumstance === 'the signal is aborted' && !hasWork) controller.abort();
    return controller.signal;
  }

  private start(exported: Readonly<Record<string, unknown>>, given: readonly unknown[], caller: number): void {
    const { called, scenario } = this.subject;
    const call: Call = { outcome: 'pending', value: undefined, error: undefined };
    this.calls.push(call);
    const stage: Stage = {
      laboratory: this.laboratory,
      recorded: this.recorded,
      circumstance: this.circumstance,
      caller,
      passTime: (milliseconds) => passTime(milliseconds),
    };
    const result = scenario.drive ? scenario.drive(exported, given, stage) : invoke(exported[called?.name ?? ''], given);
    result.then(
      (value) => {
        call.outcome = 'returned';
        call.value = value;
        if (!this.staysInside(caller) || !isGranted(value, called?.returns ?? null)) return;
        this.enter();
        this.remaining.add(caller);
      },
      (error: unknown) => {
        call.outcome = 'threw';
        call.error = error;
      },
    );
  }

  /** Without work to do, an acquire that says yes lets its caller in until the caller gives the lock back. */
  private staysInside(caller: number): boolean {
    const { traits, called } = this.subject;
    if (!traits.takes || traits.frees || called?.parameters.some(isFunction)) return false;
    if (traits.ends) return false;
    return !traits.isTransactionLevel || (!traits.begins && (this.lent[caller]?.some(({ role }) => role !== 'pool') ?? false));
  }

  /** The caller is over, or inside, or waits. */
  private async isUnderWay(caller: number): Promise<boolean> {
    if (this.calls[caller]?.outcome !== 'pending') return true;
    return this.circumstance === 'two callers' ? this.inside > 0 : (await this.laboratory.locks()).some(({ granted }) => !granted);
  }

  private enter(): void {
    this.inside++;
    this.mostInside = Math.max(this.mostInside, this.inside);
  }

  private async work(received: readonly unknown[], caller: number): Promise<void> {
    this.enter();
    try {
      switch (this.circumstance) {
        case 'another caller takes the connection':
          for (const pool of this.recorded.pools) {
            if (pool.size > 1) this.occupied.push(await pool.occupy());
          }
          break;
        case 'the work throws':
          throw new WorkFailed('the work failed');
        case 'a statement fails':
          if (!(await askOn(received[0], 'SELECT 1 / 0'))) throw new WorkFailed('a statement of the work failed');
          break;
        case 'the signal is aborted':
          for (const controller of this.aborts) controller.abort();
          throw new DOMException('This operation was aborted', 'AbortError');
        case 'two callers':
          if (caller === 0) {
            // One that waits in a queue of the process itself cannot be seen; it has its chance.
            await until(() => this.inside > 1 || this.waited.length > 0 || (this.calls.length > 1 && this.calls[1]?.outcome !== 'pending'), 400);
          }
          break;
        default:
          await askOn(received[0], 'SELECT 1');
      }
    } finally {
      this.inside--;
    }
  }

  /** Waits until every call is over, doing what the circumstance asks for when one is seen waiting; gives up when nothing moves any more. */
  private async settle(): Promise<void> {
    let wasStruck = false;
    let unchanged = { since: performance.now(), state: '' };
    await until(async () => {
      if (this.calls.every(({ outcome }) => outcome !== 'pending')) return true;
      const table = await this.laboratory.locks();
      const waiting = table.filter(({ granted }) => !granted);
      if (waiting.length > this.contended.filter(({ granted }) => !granted).length) this.contended = table;
      for (const lock of waiting) if (!this.waited.some(({ backend, key }) => backend === lock.backend && key === lock.key)) this.waited.push(lock);
      if (waiting.length > 0) {
        if (this.circumstance === 'the client gives up waiting' && !wasStruck) {
          wasStruck = true;
          await this.strike();
        }
        await this.yieldTo(waiting);
      }
      const state = await this.standstill();
      if (state === null || state !== unchanged.state) unchanged = { since: performance.now(), state: state ?? '' };
      return performance.now() - unchanged.since > standstillMilliseconds;
    }, 8_000);
    if (!this.isTakenElsewhere) return;
    this.leaveElsewhere();
    await this.laboratory.letGoElsewhere();
    // What the server grants to a client that has given up, it grants at once.
    await until(async () => this.tap.statements.every(({ endedAt }) => endedAt < Infinity) && !(await this.laboratory.locks()).some(({ granted }) => !granted), 1_000);
  }

  private async yieldTo(waiting: readonly Lock[]): Promise<void> {
    switch (this.circumstance) {
      case 'another session has the lock':
      case 'another session has the lock, time and again':
        this.leaveElsewhere();
        await this.laboratory.letGoElsewhere();
        break;
      case 'as many callers as connections':
        if (waiting.length === this.calls.length) await this.laboratory.letGoElsewhere();
        break;
      case 'two callers':
        // A caller that holds the lock beyond its call gives it back when the other is seen waiting.
        if (this.calls[0]?.outcome === 'returned' && this.lent[0]?.length) await this.actUpon(0);
        break;
      default:
    }
  }

  /** What the server sees when it has nothing to do; null while it has. Whoever waits for a lock does nothing. */
  private async standstill(): Promise<string | null> {
    const [locks, sessions] = [await this.laboratory.locks(), await this.laboratory.sessions()];
    const isWaiting = (backend: number): boolean => locks.some((lock) => lock.backend === backend && !lock.granted);
    if (sessions.some(({ backend, state }) => !state.startsWith('idle') && !isWaiting(backend))) return null;
    return JSON.stringify([locks, sessions, this.tap.statements.length]);
  }

  /** Another client of the transaction pooler begins a transaction, on the server connection that was used last. */
  async occupyServerConnection(): Promise<void> {
    if (this.occupied.length > 0) return;
    const other = this.recorded.client();
    await other.connect();
    await other.query('BEGIN');
    this.occupied.push(() => other.query('ROLLBACK'));
  }

  private leaveElsewhere(): void {
    if (this.isTakenElsewhere) this.inside--;
    this.isTakenElsewhere = false;
  }

  private async strike(): Promise<void> {
    this.deadline.reject(new Error('the deadline is over'));
    for (const controller of this.aborts) controller.abort();
    await passTime(60_000);
  }

  /** The caller reads the answer, unlocks what it was told it has, and gives back what it was lent. */
  private async actUpon(caller: number): Promise<void> {
    const call = this.calls[caller];
    const { traits, called } = this.subject;
    if (this.remaining.delete(caller)) this.inside--;
    for (const handle of (this.lent[caller] ?? []).splice(0)) {
      if (call?.outcome === 'returned') await this.subject.scenario.afterwards?.(handle.ask, caller);
      if (!call || call.outcome === 'pending') {
        await Promise.race([handle.giveBack(new Error('the call never ended')), pause(50)]);
        continue;
      }
      if (handle.role === 'transaction') {
        await handle.giveBack(call.outcome === 'threw' ? new Error('the call failed') : undefined);
      } else if (handle.role === 'session') {
        const isOpen = traits.isTransactionLevel && !traits.begins;
        if (isOpen) await handle.ask(call.outcome === 'threw' ? 'ROLLBACK' : 'COMMIT').catch(() => undefined);
        if (!isOpen && traits.takes && !traits.frees && !traits.begins && call.outcome === 'returned') await this.unlock(handle, isGranted(call.value, called?.returns ?? null), keysNamedIn(call.value));
        if ((this.circumstance === 'the lock is held in another mode' || this.circumstance === 'the unlock fails') && wasTold(call)) await handle.destroy();
        else await handle.giveBack();
      }
    }
  }

  private async unlock(handle: Lent, isGranted: boolean, named: readonly string[]): Promise<void> {
    const mark = `SELECT ${this.tap.statements.length}`;
    await handle.ask(mark);
    const backend = this.tap.statements.find(({ sql }) => sql === mark)?.backend;
    const held = (await this.laboratory.locks()).filter((lock) => lock.backend === backend);
    if (!isGranted && held.length > 0) this.complaints.push('the answer was no, and the lock is held');
    if (isGranted && held.length === 0) this.complaints.push('the answer was yes, and no lock is held');
    if (!isGranted) return;
    const known = held.filter(({ key }) => named.includes(key));
    for (const lock of known.length > 0 ? known : held.slice(0, 1)) await handle.ask(this.laboratory.sql.free(lock));
  }

  private async isWhole(): Promise<boolean> {
    const taken: (() => unknown)[] = [];
    const all = this.recorded.pools.flatMap((pool) => Array.from({ length: pool.size }, () => pool.occupy().then((free) => taken.push(free))));
    const couldOccupy = await Promise.race([Promise.all(all).then(() => true, () => false), pause(1_000, false)]);
    for (const free of taken) await free();
    return couldOccupy && !(await this.laboratory.hasOpenTransactions());
  }
}

/** @returns whether it came true within so many milliseconds. */
async function until(condition: () => boolean | Promise<boolean>, limit: number): Promise<boolean> {
  const end = performance.now() + limit;
  for (;;) {
    if (await condition()) return true;
    if (performance.now() > end) return false;
    await pause(2);
  }
}

/** An unlock that was refused was not kept from the caller, who then ends the session. */
const wasTold = ({ outcome, value }: Call): boolean => outcome === 'threw' || value === false;

async function passTime(milliseconds: number): Promise<void> {
  if (vi.isFakeTimers()) await vi.advanceTimersByTimeAsync(milliseconds);
}

const isRowGranted = (row: unknown): boolean => typeof row !== 'object' || row === null || !Object.values(row).includes(false);

/** The keys that an answer names as taken: a number, or rows with an `id`; empty when it names none. */
function keysNamedIn(value: unknown): string[] {
  if (typeof value === 'number') return [String(value)];
  if (!Array.isArray(value)) return [];
  const ids = value.filter(isRowGranted).map((row: unknown): unknown => (typeof row === 'object' && row !== null ? Reflect.get(row, 'id') : undefined));
  return ids.filter((id) => typeof id === 'number' || typeof id === 'string').map(String);
}

/** Whether whoever got this answer may believe that the lock is theirs. `returns` is the type that the function states. */
function isGranted(value: unknown, returns: string | null): boolean {
  if (returns === 'void') return true;
  if (Array.isArray(value)) return value.some(isRowGranted);
  // A result as the driver gives it: its first cell answers.
  const rows: unknown = typeof value === 'object' && value !== null ? Reflect.get(value, 'rows') : undefined;
  if (Array.isArray(rows)) return Object.values((rows[0] ?? {}) as Record<string, unknown>)[0] !== false;
  if (returns === null && value === undefined) return true;
  return value !== 'busy' && Boolean(value);
}

async function invoke(called: unknown, given: readonly unknown[]): Promise<unknown> {
  if (typeof called !== 'function') throw new Error('The example exports no such function.');
  return (await Reflect.apply(called, undefined, given)) as unknown;
}

/** Evaluates an example; it sees an environment in which every address leads to the tap, and a console that prints nothing. */
async function load({ javascript }: Source, recorded: Recorded, url: string, caller: number): Promise<Record<string, unknown>> {
  const exported: Record<string, unknown> = {};
  const names = ['exports', 'require', 'process', 'console', 'Math'];
  const evaluate: unknown = new Script(`(async function (${names.join(', ')}) {${javascript}\n})`, { filename: 'example.js' }).runInThisContext();
  const surroundings = {
    env: new Proxy<Record<string, string>>({}, { get: () => url }),
    pid: 1_000 + caller,
  };
  // Every process draws numbers of its own, and the same ones in every run.
  let draws = 0;
  const random = (): number => (0.1 + 0.37 * caller + 0.01 * draws++) % 1;
  const quiet = Object.fromEntries(['log', 'info', 'warn', 'error', 'debug'].map((method) => [method, () => undefined]));
  if (typeof evaluate !== 'function') throw new Error('The example could not be evaluated.');
  await Reflect.apply(evaluate, undefined, [exported, (name: string) => recorded.require(name, `machine-${caller}`), surroundings, quiet, Object.create(Math, { random: { value: random } })]);
  return exported;
}
