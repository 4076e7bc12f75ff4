/** The means of the claims' tests: pools and handles of the real driver, and ways to send SQL over them as its descriptor says. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Call, Condition, Result, Sends } from '../../../src/drivers/driver.js';
import { root } from '../../built.js';
import { until } from '../own-database.js';
import { argumentsWith, asTemplate, cellAt, isReadable, putAt } from './calls.js';
import { type LiveDriver, type LivePool, asError, invoke, meanings, member, resolvedKind } from './live-driver.js';
import type { Watch } from './watch.js';

/** A way to send SQL over a kind of handle. */
export interface Way {
  /** `query`, `the tag`, `await`; with conditions: `query with rowMode "array"`. */
  readonly name: string;
  readonly method: string;
  readonly sends: Sends;
  readonly when: readonly Condition[];
  /** Makes the object that the SQL is in. */
  readonly query: ((pool: unknown, sql: string) => unknown) | undefined;
}

export type Bench = ReturnType<typeof createBench>;

/** A bench for one kind of pool. Its tests share one pool, which exists from `beforeAll` on; those that leave something behind open their own. */
export function createBench(driver: LiveDriver, live: LivePool, watch: Watch) {
  const shared: { pool: unknown } = { pool: undefined };
  let key = 0;
  beforeAll(async () => {
    shared.pool = await live.open(...live.arguments(watch));
  });
  afterAll(() => live.close(shared.pool));

  return {
    driver,
    live,
    watch,
    claim,
    isUntried,
    ways,
    send,
    ask,
    askByCallback,
    complete,
    alternatives,
    withPool,
    lend,
    withHandle,
    canAsk,
    holdsAfter,
    isSingle,
    nextKey,
  };

  /** One test; when it fails, the message names the file whose claim is wrong. */
  function claim(what: string, test: () => Promise<void>): void {
    it(what, async () => {
      try {
        await test();
      } catch (error) {
        const packages = driver.packages.map((name) => `${name} ${versionOf(name)}`).join(', ');
        const file = `src/drivers/${driver.descriptor.name}.ts`;
        const found = error instanceof Error ? error.message : String(error);
        throw new Error(`${file} says: ${what}. With ${packages} it is otherwise: ${found}`, { cause: error });
      }
    });
  }

  function isUntried(kind: string, method?: string): boolean {
    const { untried = {} } = live;
    return kind in untried || (method !== undefined && (`${kind}.${method}` in untried || `*.${method}` in untried));
  }

  /** Every way to send SQL that the descriptor knows for a kind. */
  function ways(kind: string): Way[] {
    const resolved = resolvedKind(driver.descriptor, kind);
    const found: Way[] = [];
    const query = live.queries?.[kind];
    const add = (method: string, call: Call | undefined): void => {
      if (!call || isUntried(kind, method)) return;
      for (const { sends, when = [] } of meanings(call)) {
        if (!sends) continue;
        if ((sends.sql.some((position) => 'receiver' in position)) !== (query !== undefined)) continue;
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
  function send(way: Way, handle: unknown, sql: string, change?: (given: unknown[]) => void): { pending: unknown } {
    if (way.query) {
      const query = way.query(handle, sql);
      if (way.method === 'await') return { pending: query };
      const given = [...(argumentsWith(way.sends, way.when, undefined) ?? []), ...(live.insists?.[way.method] ?? [])];
      for (const position of way.sends.on?.at ?? []) putAt(given, position, handle);
      change?.(given);
      return { pending: invoke(query, way.method, ...given) };
    }
    const given = argumentsWith(way.sends, way.when, live.statement?.(sql, handle) ?? sql);
    if (!given) throw new Error(`${way.name} has a condition that no value is known for.`);
    if (way.sends.sql.some((position) => 'template' in position)) given[0] = asTemplate(sql);
    for (const [index, value] of (live.insists?.[way.method] ?? []).entries()) given[index + 1] ??= value;
    change?.(given);
    if (way.method === 'the tag' || way.method === 'the call') {
      if (typeof handle !== 'function') throw new Error('The handle is no function.');
      return { pending: Reflect.apply(handle, undefined, given) };
    }
    return { pending: invoke(handle, way.method, ...given) };
  }

  /** Sends SQL over a handle in the first way whose result can be read, and gives the cell. */
  async function ask(kind: string, handle: unknown, sql: string, pool: unknown = handle): Promise<unknown> {
    const own = live.asks?.[kind];
    if (own) return own(pool, handle, sql);
    const kinds = [kind, ...Object.keys(live.queries ?? {})];
    const readable = kinds
      .flatMap((name) => ways(name).toSorted((one, other) => one.when.length - other.when.length))
      .filter(({ sends }) => !sends.functionName && sends.runs === undefined)
      .flatMap((way) => alternatives(way.sends.result).flatMap((result) => (isReadable(result) ? [{ way, result }] : [])))[0];
    if (readable) return cellAt(readable.result, await send(readable.way, handle, sql).pending);
    const way = ways(kind).find(({ sends, when }) => when.length === 0 && sends.callback && isReadable(sends.callback.result));
    if (!way) throw new Error(`No method of ${kind} has a result that can be read.`);
    return askByCallback(way, handle, sql);
  }

  function askByCallback(way: Way, handle: unknown, sql: string): Promise<unknown> {
    const { callback } = way.sends;
    if (!callback) throw new Error(`${way.name} takes no callback.`);
    return new Promise((resolve, reject) => {
      send(way, handle, sql, (given) => {
        given.push((...results: unknown[]) => {
          if (results[0]) reject(asError(results[0]));
          else {
            try {
              resolve(cellAt(callback.result, results[callback.parameter]));
            } catch (error) {
              reject(asError(error));
            }
          }
        });
      });
    });
  }

  /** Sends and waits for the end, whatever comes back: in an API of callbacks, for the callback. */
  async function complete(way: Way, handle: unknown, sql: string, change?: (given: unknown[]) => void): Promise<void> {
    if (!way.sends.callback || way.sends.result.shape !== 'unknown') {
      await send(way, handle, sql, change).pending;
      return;
    }
    await new Promise<void>((resolve, reject) => {
      send(way, handle, sql, (given) => {
        change?.(given);
        given.push((error: unknown) => {
          if (error) reject(asError(error));
          else resolve();
        });
      });
    });
  }

  function alternatives(result: Result): readonly Result[] {
    if (result.shape !== 'one-of') return [result];
    return result.results.filter((one) => !('dialect' in one) || one.dialect === undefined || one.dialect === watch.dialect);
  }

  async function withPool(use: (pool: unknown) => Promise<void>, change?: (given: unknown[]) => void): Promise<void> {
    const given = live.arguments(watch);
    change?.(given);
    const pool = await live.open(...given);
    try {
      await use(pool);
    } finally {
      await live.close(pool);
    }
  }

  async function lend(
    pool: unknown,
    kind: string,
    use: (handle: unknown) => Promise<void>,
    giveBack?: (handle: unknown) => unknown,
  ): Promise<void> {
    const lend = live.lends?.[kind];
    if (lend) await lend(pool, use, giveBack);
    else await use(pool);
  }

  /** Uses a handle of the pool that the tests share: for tests that leave nothing behind. */
  async function withHandle(kind: string, use: (handle: unknown, pool: unknown) => Promise<void>): Promise<void> {
    const { pool } = shared;
    await lend(pool, kind, (handle) => use(handle, pool));
  }

  function canAsk(kind: string): boolean {
    return ways(kind).length > 0 || Object.keys(live.queries ?? {}).length > 0;
  }

  /** Takes a session lock over a handle, gives the handle back, and looks whether the session still holds the lock. */
  async function holdsAfter(kind: string, expected: boolean, giveBack?: (handle: unknown) => unknown, change?: (given: unknown[]) => void): Promise<void> {
    const key = nextKey();
    await withPool(async (pool) => {
      await lend(
        pool,
        kind,
        async (handle) => {
          await ask(kind, handle, watch.statements.lock(key), pool);
          expect(await watch.holders(key)).toHaveLength(1);
        },
        giveBack,
      );
      if (!expected) await until('the lock was freed', async () => (await watch.holders(key)).length === 0);
      else {
        // Whatever the pool does with a connection that came back, it has done when it answers again.
        if (canAsk(live.kind)) await ask(live.kind, pool, watch.statements.backend);
        expect(await watch.holders(key), 'sessions that hold the lock').toHaveLength(1);
      }
    }, change);
  }

  async function isSingle(kind: string, handle: unknown): Promise<void> {
    const { backend, lock } = watch.statements;
    const key = nextKey();
    await watch.hold(key);
    const blocked = ask(kind, handle, lock(key));
    await until('the first statement waited', async () => (await watch.waiters(key)).length === 1);
    const [waiting] = await watch.waiters(key);
    const second = ask(kind, handle, backend);
    await watch.free(key);
    await blocked;
    expect(Number(await second)).toBe(waiting);
  }

  function nextKey(): number {
    key += 1;
    return key;
  }
}

function versionOf(name: string): string {
  const manifest: unknown = JSON.parse(readFileSync(join(root, 'node_modules', name, 'package.json'), 'utf8'));
  return String(member(manifest, 'version'));
}
