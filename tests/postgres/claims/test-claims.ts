/** Holds everything in a driver's descriptor that can be tried against the package and a server. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Call, Condition, Kind, Result, Sends } from '../../../src/drivers/driver.js';
import { root } from '../../built.js';
import { until } from '../own-database.js';
import { argumentsWith, asTemplate, cellAt, putAt, satisfying } from './calls.js';
import { type LiveDriver, type LivePool, attempt, invoke, meanings, member, resolvedKind } from './live-driver.js';
import { type Watch, useMariadbWatch, usePostgresWatch } from './watch.js';

/** A way to send SQL over a kind of handle. */
interface Way {
  /** `query`, `the tag`, `await`, or with the conditions: `query with rowMode "array"`. */
  readonly name: string;
  readonly method: string;
  readonly sends: Sends;
  readonly when: readonly Condition[];
  /** The SQL is in the object itself. */
  readonly query: boolean;
}

/** Runs the claims of one driver, each as a test of its own. */
export function testClaims(driver: LiveDriver): void {
  const watch = driver.dialect === 'postgres' ? usePostgresWatch() : useMariadbWatch();
  for (const pool of driver.pools) new PoolClaims(driver, pool, watch).test();
}

/** Fails when a kind of connection or transaction of the descriptor is neither lent nor named among the untried. */
export function testCoverage(driver: LiveDriver): void {
  it('every kind of handle is tried, or said not to be', () => {
    const tried = driver.pools.flatMap(({ kind, lends, untried }) => [kind, ...Object.keys(lends ?? {}), ...Object.keys(untried ?? {})]);
    const handles = Object.keys(driver.descriptor.kinds).filter((kind) => resolvedKind(driver.descriptor, kind).role !== undefined);
    expect(handles.filter((kind) => !tried.includes(kind))).toEqual([]);
  });
}

class PoolClaims {
  private key = 0;
  private readonly shared: { pool: unknown } = { pool: undefined };

  constructor(
    private readonly driver: LiveDriver,
    private readonly pool: LivePool,
    private readonly watch: Watch,
  ) {}

  test(): void {
    describe(`a ${this.pool.kind} of ${this.driver.packages[0] ?? ''}`, () => {
      beforeAll(async () => {
        this.shared.pool = await this.pool.open(...this.pool.arguments(this.watch));
      });
      afterAll(() => this.pool.close(this.shared.pool));

      for (const kind of [this.pool.kind, ...Object.keys(this.pool.lends ?? {})]) {
        this.testKind(kind);
        for (const way of this.ways(kind)) this.testWay(kind, way);
      }
      for (const kind of Object.keys(this.pool.queries ?? {})) {
        for (const way of this.ways(kind)) this.testWay(kind, way);
      }
      this.testSettings();
      this.testBinding();
    });
  }

  /** One test; when it fails, the message names the file whose claim is wrong. */
  private claim(what: string, test: () => Promise<void>): void {
    it(what, async () => {
      try {
        await test();
      } catch (error) {
        const packages = this.driver.packages.map((name) => `${name} ${versionOf(name)}`).join(', ');
        const file = `src/drivers/${this.driver.descriptor.name}.ts`;
        const found = error instanceof Error ? error.message : String(error);
        throw new Error(`${file} says: ${what}. With ${packages} it is otherwise: ${found}`, { cause: error });
      }
    });
  }

  private isUntried(kind: string, method?: string): boolean {
    const { untried = {} } = this.pool;
    return kind in untried || (method !== undefined && (`${kind}.${method}` in untried || `*.${method}` in untried));
  }

  /** Every way to send SQL that the descriptor knows for a kind. */
  private ways(kind: string): Way[] {
    const resolved = resolvedKind(this.driver.descriptor, kind);
    const found: Way[] = [];
    const query = kind in (this.pool.queries ?? {});
    const add = (method: string, call: Call | undefined): void => {
      if (!call || this.isUntried(kind, method)) return;
      for (const { sends, when = [] } of meanings(call)) {
        if (!sends) continue;
        if ((sends.sql.some((position) => 'receiver' in position)) !== query) continue;
        const conditions = when.map(({ at, ...rest }) => `${'property' in at ? (at.property ?? '') : ''} ${JSON.stringify(Object.values(rest)[0])}`);
        found.push({ name: [method, ...conditions].join(' with '), method, sends, when, query });
      }
    };
    for (const [method, call] of Object.entries(resolved.methods ?? {})) add(method, call);
    add('the tag', resolved.tag);
    add('the call', resolved.call);
    if (resolved.awaits && query) found.push({ name: 'await', method: 'await', sends: resolved.awaits, when: [], query });
    return found;
  }

  /**
   * Sends SQL in one of the ways.
   * @returns the value of the call, not awaited, in an object: an `async` function would await it
   */
  private send(way: Way, handle: unknown, sql: string, change?: (given: unknown[]) => void): { pending: unknown } {
    if (way.query) {
      const make = this.queryKind(way);
      const query = make(handle, sql);
      if (way.method === 'await') return { pending: query };
      const given = [...(argumentsWith(way.sends, way.when, undefined) ?? []), ...(this.pool.insists?.[way.method] ?? [])];
      for (const position of way.sends.on?.at ?? []) putAt(given, position, handle);
      change?.(given);
      return { pending: invoke(query, way.method, ...given) };
    }
    const given = argumentsWith(way.sends, way.when, this.pool.statement?.(sql, handle) ?? sql);
    if (!given) throw new Error(`${way.name} has a condition that no value is known for.`);
    if (way.sends.sql.some((position) => 'template' in position)) given[0] = asTemplate(sql);
    for (const [index, value] of (this.pool.insists?.[way.method] ?? []).entries()) given[index + 1] ??= value;
    change?.(given);
    if (way.method === 'the tag' || way.method === 'the call') {
      if (typeof handle !== 'function') throw new Error('The handle is no function.');
      return { pending: Reflect.apply(handle, undefined, given) };
    }
    return { pending: invoke(handle, way.method, ...given) };
  }

  private queryKind(way: Way): (pool: unknown, sql: string) => unknown {
    const found = Object.entries(this.pool.queries ?? {}).find(([kind]) => this.ways(kind).some(({ sends }) => sends === way.sends));
    if (!found) throw new Error(`No query object for ${way.name}.`);
    return found[1];
  }

  /** Sends SQL over a handle in the first way whose result can be read, and gives the cell. */
  private async ask(kind: string, handle: unknown, sql: string, pool: unknown = handle): Promise<unknown> {
    const own = this.pool.asks?.[kind];
    if (own) return own(pool, handle, sql);
    const kinds = [kind, ...Object.keys(this.pool.queries ?? {})];
    const readable = kinds
      .flatMap((name) => this.ways(name).toSorted((one, other) => one.when.length - other.when.length))
      .filter(({ sends }) => !sends.functionName && sends.runs === undefined)
      .flatMap((way) => this.alternatives(way.sends.result).flatMap((result) => (isReadable(result) ? [{ way, result }] : [])))[0];
    if (readable) return cellAt(readable.result, await this.send(readable.way, handle, sql).pending);
    const way = this.ways(kind).find(({ sends, when }) => when.length === 0 && sends.callback && isReadable(sends.callback.result));
    if (!way) throw new Error(`No method of ${kind} has a result that can be read.`);
    return this.askByCallback(way, handle, sql);
  }

  private askByCallback(way: Way, handle: unknown, sql: string): Promise<unknown> {
    const { callback } = way.sends;
    if (!callback) throw new Error(`${way.name} takes no callback.`);
    return new Promise((resolve, reject) => {
      this.send(way, handle, sql, (given) => {
        given.push((...results: unknown[]) => {
          if (results[0]) reject(results[0] instanceof Error ? results[0] : new Error(String(results[0])));
          else {
            try {
              resolve(cellAt(callback.result, results[callback.parameter]));
            } catch (error) {
              reject(error instanceof Error ? error : new Error(String(error)));
            }
          }
        });
      });
    });
  }

  /** Sends and waits for the end, whatever comes back: in an API of callbacks, for the callback. */
  private async complete(way: Way, handle: unknown, sql: string, change?: (given: unknown[]) => void): Promise<void> {
    if (!way.sends.callback || way.sends.result.shape !== 'unknown') {
      await this.send(way, handle, sql, change).pending;
      return;
    }
    await new Promise<void>((resolve, reject) => {
      this.send(way, handle, sql, (given) => {
        change?.(given);
        given.push((error: unknown) => {
          if (error) reject(error instanceof Error ? error : new Error(String(error)));
          else resolve();
        });
      });
    });
  }

  private alternatives(result: Result): readonly Result[] {
    if (result.shape !== 'one-of') return [result];
    return result.results.filter((one) => !('dialect' in one) || one.dialect === undefined || one.dialect === this.watch.dialect);
  }

  private async withPool(use: (pool: unknown) => Promise<void>, change?: (given: unknown[]) => void): Promise<void> {
    const given = this.pool.arguments(this.watch);
    change?.(given);
    const pool = await this.pool.open(...given);
    try {
      await use(pool);
    } finally {
      await this.pool.close(pool);
    }
  }

  private async lend(
    pool: unknown,
    kind: string,
    use: (handle: unknown) => Promise<void>,
    giveBack?: (handle: unknown) => unknown,
  ): Promise<void> {
    const lend = this.pool.lends?.[kind];
    if (lend) await lend(pool, use, giveBack);
    else await use(pool);
  }

  /** Uses a handle of the pool that the tests share: for tests that leave nothing behind. */
  private async withHandle(kind: string, use: (handle: unknown, pool: unknown) => Promise<void>): Promise<void> {
    const { pool } = this.shared;
    await this.lend(pool, kind, (handle) => use(handle, pool));
  }

  // What a way of sending does.

  private testWay(kind: string, way: Way): void {
    const subject = `${way.name} of ${kind}`;
    const { sends } = way;
    const satisfiable = way.when.every((condition) => satisfying(condition) !== undefined);
    if (!satisfiable) return;
    if (sends.runs !== undefined || sends.functionName) {
      this.testNamedLock(kind, way);
      return;
    }
    this.testResult(kind, way, subject);
    // What rejects rows rejects the rows of these statements, too; that it runs them has been shown.
    if (sends.rejectsRows) return;
    this.testSending(kind, way, subject);
    if (sends.signal) this.testSignal(kind, way, subject, sends.signal);
    for (const position of sends.clientTimeout ?? []) {
      if (way.when.length === 0 && kind !== this.pool.kind) this.testClientTimeout(kind, way, subject, position);
    }
    if (sends.multipleStatements !== undefined && way.when.length === 0) {
      const { multipleStatements } = sends;
      this.claim(`${subject} ${multipleStatements ? 'takes' : 'refuses'} several statements`, () =>
        this.withHandle(kind, async (handle) => {
          const { count } = this.watch.statements;
          const before = await this.watch.sent();
          const sent = (async () => {
            const { pending } = this.send(way, handle, `${count}; ${count}`);
            await pending;
          })();
          if (multipleStatements) {
            await sent;
            expect((await this.watch.sent()) - before).toBe(2);
          } else await expect(sent).rejects.toThrow();
        }),
      );
    }
  }

  private testResult(kind: string, way: Way, subject: string): void {
    const { sends } = way;
    const { yes, no } = this.watch.statements;
    const answers: [string, unknown][] = this.watch.dialect === 'postgres' ? [[yes, true], [no, false]] : [[yes, 1], [no, 0]];
    if (sends.rejectsRows) {
      this.claim(`${subject} rejects when a row comes back, though the statement ran`, () =>
        this.withHandle(kind, async (handle) => {
          const before = await this.watch.sent();
          await expect(Promise.resolve(this.send(way, handle, this.watch.statements.count).pending)).rejects.toThrow();
          expect((await this.watch.sent()) - before).toBe(1);
        }),
      );
      return;
    }
    if (sends.result.shape !== 'unknown') {
      this.claim(`${subject} gives ${shapeName(sends.result)}`, () =>
        this.withHandle(kind, async (handle) => {
          for (const [sql, expected] of answers) {
            const value = await this.send(way, handle, sql).pending;
            const cells = this.alternatives(sends.result).map((result) => attempt(() => normalized(cellAt(result, value))));
            const carries = this.alternatives(sends.result).some(carriesCell);
            if (carries) expect(cells).toContain(expected);
            else expect(cells.some((cell) => !(cell instanceof Error)), String(cells[0])).toBe(true);
          }
          if (this.watch.dialect === 'mysql' || !this.alternatives(sends.result).some(carriesCell)) return;
          const value = await this.send(way, handle, `SELECT pg_advisory_xact_lock(${this.watch.keys.free}) AS locked`).pending;
          const cells = this.alternatives(sends.result).map((result) => attempt(() => cellAt(result, value)));
          expect(cells, 'a void column').toContain('');
        }),
      );
    }
    if (sends.callback && isReadable(sends.callback.result)) {
      this.claim(`the callback of ${subject} gets ${shapeName(sends.callback.result)} at parameter ${sends.callback.parameter}`, () =>
        this.withHandle(kind, async (handle) => {
          for (const [sql, expected] of answers) expect(normalized(await this.askByCallback(way, handle, sql))).toBe(expected);
        }),
      );
    }
  }

  private testSending(kind: string, way: Way, subject: string): void {
    const { lazy } = way.sends;
    const { count, backend } = this.watch.statements;
    const says = lazy === undefined ? 'sends at once' : lazy === 'memoized' ? 'sends once, when awaited' : 'sends with every await, and not before';
    this.claim(`${subject} ${says}`, () =>
      this.withHandle(kind, async (handle) => {
        const start = await this.watch.sent();
        const sent = async (): Promise<number> => (await this.watch.sent()) - start;
        if (lazy === undefined) {
          const done = this.complete(way, handle, count);
          await until('the statement was sent', async () => (await sent()) === 1);
          await done;
          return;
        }
        this.send(way, handle, count);
        for (let barrier = 0; barrier < 3; barrier += 1) await this.ask(kind in (this.pool.queries ?? {}) ? this.pool.kind : kind, handle, backend);
        expect(await sent(), 'statements sent without an await').toBe(0);
        const { pending } = this.send(way, handle, count);
        await pending;
        expect(await sent(), 'statements sent after one await').toBe(1);
        await pending;
        expect(await sent(), 'statements sent after two awaits').toBe(lazy === 'memoized' ? 1 : 2);
      }),
    );
  }

  private testSignal(kind: string, way: Way, subject: string, { at, ignored, refusedAt = [], safeWhen }: NonNullable<Sends['signal']>): void {
    const { count } = this.watch.statements;
    for (const position of refusedAt) {
      if (!('argument' in position) || kind === this.pool.kind) continue;
      this.claim(`${subject} fails with a signal at argument ${position.argument}`, () =>
        this.withHandle(kind, async (handle) => {
          const before = await this.watch.sent();
          const run = async (): Promise<void> => {
            await this.send(way, handle, count, (given) => putAt(given, position, new AbortController().signal)).pending;
          };
          await expect(run()).rejects.toThrow();
          expect(await this.watch.sent()).toBe(before);
        }),
      );
    }
    for (const position of at) {
      const place = `signal at argument ${'argument' in position ? position.argument : '?'}`;
      this.claim(`${subject} ${ignored ? 'ignores' : 'obeys'} the ${place}`, () =>
        this.withHandle(kind, async (handle) => {
          const before = await this.watch.sent();
          const run = async (): Promise<void> => {
            await this.send(way, handle, count, (given) => {
              if ('argument' in position && position.argument === 0 && typeof given[0] === 'string') putAt(given, { argument: 0, property: 'text' }, given[0]);
              putAt(given, position, AbortSignal.abort());
            }).pending;
          };
          if (ignored) await run();
          else await expect(run()).rejects.toThrow();
          expect((await this.watch.sent()) - before).toBe(ignored ? 1 : 0);
        }),
      );
      if (ignored || !safeWhen) continue;
      this.claim(`an abort in flight leaves the statement of ${subject} waiting on the server, which then takes the lock`, () =>
        this.withPool(async (pool) => {
          const key = this.nextKey();
          await this.watch.hold(key);
          const abort = new AbortController();
          const { pending } = this.send(way, pool, this.watch.statements.lock(key), (given) => putAt(given, position, abort.signal));
          await until('the statement waited', async () => (await this.watch.waiters(key)).length === 1);
          abort.abort();
          await expect(Promise.resolve(pending)).rejects.toThrow();
          expect(await this.watch.waiters(key)).toHaveLength(1);
          await this.watch.free(key);
          await until('the lock was taken after the abort', async () => (await this.watch.holders(key)).length === 1);
        }),
      );
    }
  }

  private testClientTimeout(kind: string, way: Way, subject: string, position: Parameters<typeof putAt>[1]): void {
    this.claim(`${subject} gives up after its client-side limit, while the server takes the lock later`, () =>
      this.withPool((pool) => this.lend(pool, kind, async (handle) => {
        const key = this.nextKey();
        await this.watch.hold(key);
        const text = way.sends.sql.find((candidate) => 'property' in candidate && candidate.property !== undefined);
        const limited = this.complete(way, handle, this.watch.statements.lock(key), (given) => {
          if (text) putAt(given, text, given[0]);
          putAt(given, position, 50);
        });
        await expect(limited).rejects.toThrow();
        expect(await this.watch.waiters(key)).toHaveLength(1);
        await this.watch.free(key);
        await until('the lock was taken after the limit', async () => (await this.watch.holders(key)).length === 1);
      })),
    );
  }

  /** A method that runs a lock function of its own, or of the name it is given. */
  private testNamedLock(kind: string, way: Way): void {
    this.claim(`${way.name} of ${kind} runs ${way.sends.runs ?? 'the function named'} and gives ${shapeName(way.sends.result)}`, () =>
      this.withHandle(kind, async (handle) => {
        const run = async (key: number): Promise<unknown> => {
          const given: unknown[] = [];
          if (way.sends.functionName) putAt(given, way.sends.functionName, 'pg_try_advisory_xact_lock');
          for (const position of way.sends.values ?? []) putAt(given, position, way.sends.functionName ? [key] : key);
          return cellAt(way.sends.result, await invoke(handle, way.method, ...given));
        };
        const answer = await run(this.watch.keys.free);
        if (way.sends.result.shape === 'nothing') return;
        expect([answer, await run(this.watch.keys.taken)]).toEqual([true, false]);
      }),
    );
  }

  // What a handle is, and what happens to its locks.

  private testKind(kind: string): void {
    const resolved = resolvedKind(this.driver.descriptor, kind);
    if (this.isUntried(kind)) return;
    const { backend, lock, transaction } = this.watch.statements;
    switch (resolved.role) {
      case 'pool':
        this.claim(`${kind} sends each statement over any connection`, () =>
          this.withHandle(kind, async (handle) => {
            const key = this.nextKey();
            await this.watch.hold(key);
            const blocked = this.ask(kind, handle, lock(key));
            await until('the first statement waited', async () => (await this.watch.waiters(key)).length === 1);
            const [waiting] = await this.watch.waiters(key);
            const other = Number(await this.ask(kind, handle, backend));
            await this.watch.free(key);
            await blocked;
            expect(other).not.toBe(waiting);
          }),
        );
        break;
      case 'single':
        this.claim(`${kind} is one connection`, () => this.withHandle(kind, (handle) => this.isSingle(kind, handle)));
        break;
      case 'connection':
      case 'transaction': {
        const isTransaction = resolved.role === 'transaction';
        const ask = (handle: unknown, sql: string, pool: unknown): Promise<unknown> => this.ask(kind, handle, sql, pool);
        this.claim(`${kind} is one connection ${isTransaction ? 'in one transaction, in which the outer handle is not' : 'without a transaction'}`, () =>
          this.withHandle(kind, async (handle, pool) => {
            const backends = [await ask(handle, backend, pool), await ask(handle, backend, pool)].map(Number);
            expect(backends[0]).toBe(backends[1]);
            const transactions = [await ask(handle, transaction, pool), await ask(handle, transaction, pool)];
            if (isTransaction) expect(transactions[0]).toBe(transactions[1]);
            else expect(transactions[0]).not.toBe(transactions[1]);
            if (this.canAsk(this.pool.kind) && !this.isUntried(kind, 'the outer handle')) expect(Number(await this.ask(this.pool.kind, pool, backend))).not.toBe(backends[0]);
          }),
        );
        this.testGivingBack(kind, resolved);
        break;
      }
      case 'http':
      case 'unknown':
      case undefined:
        break;
      default:
        resolved.role satisfies never;
    }
    this.claim(`${kind} ${resolved.dispose ? 'can' : 'cannot'} be disposed of by "using"`, () =>
      this.withHandle(kind, async (handle) => {
        const disposable = typeof (member(handle, Symbol.asyncDispose) ?? member(handle, Symbol.dispose)) === 'function';
        expect(disposable).toBe(resolved.dispose !== undefined);
        await Promise.resolve();
      }),
    );
  }

  private canAsk(kind: string): boolean {
    return this.ways(kind).length > 0 || Object.keys(this.pool.queries ?? {}).length > 0;
  }

  private testGivingBack(kind: string, { methods = {}, dispose }: Kind): void {
    const kept = !this.driver.descriptor.resetsOnRelease;
    if (!this.isUntried(kind, 'give back')) {
      this.claim(`${kind} ${kept ? 'keeps' : 'frees'} a session lock when it is given back`, () => this.holdsAfter(kind, kept));
    }
    for (const [method, { effect }] of Object.entries(methods)) {
      if (!effect || this.isUntried(kind, method)) continue;
      if (effect.does === 'closes' && !effect.of) {
        this.claim(`${method} of ${kind} ends the session and frees its locks`, () => this.holdsAfter(kind, false, (handle) => invoke(handle, method)));
      }
      if (effect.does !== 'gives-back' || effect.of) continue;
      const keeps = kept && effect.destroysWhen !== 'always';
      this.claim(`${method} of ${kind} ${keeps ? 'keeps' : 'frees'} a session lock`, () => this.holdsAfter(kind, keeps, (handle) => invoke(handle, method)));
      if (this.isUntried(kind, `${method} with a truthy argument`)) continue;
      const keepsWhenTold = keeps && effect.destroysWhen !== 'truthy-argument';
      this.claim(`${method} of ${kind} with a truthy argument ${keepsWhenTold ? 'keeps' : 'frees'} a session lock`, () =>
        this.holdsAfter(kind, keepsWhenTold, (handle) => invoke(handle, method, true)),
      );
    }
    if (dispose && !this.isUntried(kind, 'dispose')) {
      const keeps = kept && (dispose.does === 'gives-back' || dispose.does === 'commits-and-gives-back');
      this.claim(`the disposal of ${kind} ${keeps ? 'keeps' : 'frees'} a session lock`, () =>
        this.holdsAfter(kind, keeps, (handle) =>
          invoke(handle, member(handle, Symbol.asyncDispose) === undefined ? Symbol.dispose : Symbol.asyncDispose),
        ),
      );
    }
  }

  /** Takes a session lock over a handle, gives the handle back, and looks whether the session still holds the lock. */
  private async holdsAfter(kind: string, expected: boolean, giveBack?: (handle: unknown) => unknown, change?: (given: unknown[]) => void): Promise<void> {
    const key = this.nextKey();
    await this.withPool(async (pool) => {
      await this.lend(
        pool,
        kind,
        async (handle) => {
          await this.ask(kind, handle, this.watch.statements.lock(key), pool);
          expect(await this.watch.holders(key)).toHaveLength(1);
        },
        giveBack,
      );
      if (!expected) await until('the lock was freed', async () => (await this.watch.holders(key)).length === 0);
      else {
        // Whatever the pool does with a connection that came back, it has done when it answers again.
        if (this.canAsk(this.pool.kind)) await this.ask(this.pool.kind, pool, this.watch.statements.backend);
        expect(await this.watch.holders(key), 'sessions that hold the lock').toHaveLength(1);
      }
    }, change);
  }

  private async isSingle(kind: string, handle: unknown): Promise<void> {
    const { backend, lock } = this.watch.statements;
    const key = this.nextKey();
    await this.watch.hold(key);
    const blocked = this.ask(kind, handle, lock(key));
    await until('the first statement waited', async () => (await this.watch.waiters(key)).length === 1);
    const [waiting] = await this.watch.waiters(key);
    const second = this.ask(kind, handle, backend);
    await this.watch.free(key);
    await blocked;
    expect(Number(await second)).toBe(waiting);
  }

  // What the settings of a pool do.

  private testSettings(): void {
    const { details, kind } = this.pool;
    if (!details) return;
    for (const condition of details.singleWhen ?? []) {
      if (!('argument' in condition.at) || this.isUntried('singleWhen', condition.at.property)) continue;
      this.claim(`${kind} is one connection with ${condition.at.property ?? ''} ${JSON.stringify(condition.equals)}`, () =>
        this.withPool((pool) => this.isSingle(kind, pool), this.setting(condition)),
      );
    }
    for (const position of details.lockTimeout ?? []) {
      if (this.watch.dialect === 'mysql' || this.isUntried('lockTimeout', 'property' in position ? position.property : '')) continue;
      this.claim(`${kind} takes the server's lock_timeout from ${'property' in position ? (position.property ?? '') : ''}`, () =>
        this.withPool(
          async (pool) => expect(await this.ask(kind, pool, this.watch.statements.lockTimeout)).toBe('1234ms'),
          (given) => putAt(given, position, 1234),
        ),
      );
    }
    for (const position of details.clientTimeout ?? []) {
      if (this.watch.dialect === 'mysql' || this.isUntried('clientTimeout', 'property' in position ? position.property : '')) continue;
      this.claim(`${kind} gives up after ${'property' in position ? (position.property ?? '') : ''}, while the server takes the lock later`, () =>
        this.withPool(
          async (pool) => {
            const key = this.nextKey();
            await this.watch.hold(key);
            await expect(this.ask(kind, pool, this.watch.statements.lock(key))).rejects.toThrow();
            expect(await this.watch.waiters(key)).toHaveLength(1);
            await this.watch.free(key);
          },
          (given) => putAt(given, position, 50),
        ),
      );
    }
    for (const condition of details.resetsOnReleaseWhen ?? []) {
      for (const lent of Object.keys(this.pool.lends ?? {})) {
        if (resolvedKind(this.driver.descriptor, lent).role !== 'connection') continue;
        const { at } = condition;
        if (this.isUntried('resetsOnReleaseWhen', lent)) continue;
        this.claim(`${lent} frees a session lock when it is given back with ${'property' in at ? (at.property ?? '') : ''} ${JSON.stringify(condition.equals)}`, () =>
          this.holdsAfter(lent, false, undefined, this.setting(condition)),
        );
      }
    }
  }

  private setting(condition: Condition): (given: unknown[]) => void {
    return (given) => {
      const satisfied = satisfying(condition);
      if (!satisfied) throw new Error('The condition needs a value that only the driver’s users know.');
      putAt(given, condition.at, satisfied.value);
    };
  }

  private testBinding(): void {
    const { binding } = this.driver.descriptor;
    const { bind } = this.pool;
    if (!binding || !bind) return;
    const bound = async (...values: unknown[]): Promise<unknown> => {
      let cell: unknown;
      await this.withPool(async (pool) => {
        cell = await bind(pool, values);
      });
      return cell;
    };
    const { free } = this.watch.keys;
    for (const [name, value] of [['undefined', undefined], ['null', null]] as const) {
      const claimed = binding[name];
      switch (claimed) {
        case undefined:
          break;
        case 'null':
          this.claim(`a bound ${name} is NULL, and no lock is taken`, async () => expect(await bound(value)).toBeNull());
          break;
        case 'throws':
          this.claim(`a bound ${name} is refused before anything is sent`, () => expect(bound(value)).rejects.not.toHaveProperty('severity'));
          break;
        case 'dropped':
          this.claim(`a bound ${name} disappears from the text`, () => expect(bound(value)).rejects.toThrow(/pg_try_advisory_xact_lock\(\)/));
          break;
        default:
          claimed satisfies never;
      }
    }
    for (const [name, values] of [['number', [free, free]], ['bigint', [BigInt(free), BigInt(free)]]] as const) {
      const claimed = binding[name];
      if (claimed === undefined) continue;
      this.claim(`a bound ${name} is ${claimed}, so ${claimed === 'bigint' ? 'only the function with one key takes it' : 'both functions take it'}`, async () => {
        expect(await bound(values[0])).toBe(true);
        if (claimed === 'bigint') await expect(bound(...values)).rejects.toThrow(/does not exist|integer/);
        else expect(await bound(...values)).toBe(true);
      });
    }
  }

  private nextKey(): number {
    this.key += 1;
    return this.key;
  }
}

const isReadable = (result: Result): boolean => ['rows', 'row-arrays', 'row', 'value'].includes(result.shape);
const carriesCell = isReadable;

/** MySQL drivers give integers as numbers or, when large, as bigints. */
const normalized = (cell: unknown): unknown => (typeof cell === 'bigint' ? Number(cell) : cell);

function shapeName(result: Result): string {
  switch (result.shape) {
    case 'rows':
    case 'row-arrays':
    case 'row':
    case 'value':
      return result.at.length === 0 ? result.shape : `${result.shape} at ${result.at.join('.')}`;
    case 'count':
    case 'any-row':
    case 'nothing':
    case 'unknown':
      return result.shape;
    case 'one-of':
      return result.results.map(shapeName).join(' or ');
    default:
      return result satisfies never;
  }
}

function versionOf(name: string): string {
  const manifest: unknown = JSON.parse(readFileSync(join(root, 'node_modules', name, 'package.json'), 'utf8'));
  return String(member(manifest, 'version'));
}
