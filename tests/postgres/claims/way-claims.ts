/** What a way of sending does: its result, whether it waits to be awaited, signals, limits, several statements. */
import type { Position, Result, Sends } from '../../../src/drivers/driver.js';
import { until } from '../own-database.js';
import type { Bench, Way } from './bench.js';
import { cellAt, isReadable, putAt, satisfying } from './calls.js';
import { attempt, invoke } from './live-driver.js';

export function testWay(context: Bench, kind: string, way: Way): void {
  const subject = `${way.name} of ${kind}`;
  const { sends } = way;
  const satisfiable = way.when.every((condition) => satisfying(condition) !== undefined);
  if (!satisfiable) return;
  if (sends.runs !== undefined || sends.functionName) {
    testNamedLock(context, kind, way);
    return;
  }
  testResult(context, kind, way, subject);
  // What rejects rows rejects the rows of these statements, too; that it runs them has been shown.
  if (sends.rejectsRows) return;
  testSending(context, kind, way, subject);
  if (sends.signal) testSignal(context, kind, way, subject, sends.signal);
  for (const position of sends.clientTimeout ?? []) {
    if (way.when.length === 0 && kind !== context.live.kind) testClientTimeout(context, kind, way, subject, position);
  }
  if (sends.multipleStatements !== undefined && way.when.length === 0) {
    const { multipleStatements } = sends;
    context.claim(`${subject} ${multipleStatements ? 'takes' : 'refuses'} several statements`, () =>
      context.withHandle(kind, async (handle) => {
        const { count } = context.watch.statements;
        const before = await context.watch.sent();
        const sent = (async () => {
          const { pending } = context.send(way, handle, `${count}; ${count}`);
          await pending;
        })();
        if (multipleStatements) {
          await sent;
          expect((await context.watch.sent()) - before).toBe(2);
        } else await expect(sent).rejects.toThrow();
      }),
    );
  }
}

function testResult(context: Bench, kind: string, way: Way, subject: string): void {
  const { sends } = way;
  const { yes, no } = context.watch.statements;
  const answers: [string, unknown][] = context.watch.dialect === 'postgres' ? [[yes, true], [no, false]] : [[yes, 1], [no, 0]];
  if (sends.rejectsRows) {
    context.claim(`${subject} rejects when a row comes back, though the statement ran`, () =>
      context.withHandle(kind, async (handle) => {
        const before = await context.watch.sent();
        await expect(Promise.resolve(context.send(way, handle, context.watch.statements.count).pending)).rejects.toThrow();
        expect((await context.watch.sent()) - before).toBe(1);
      }),
    );
    return;
  }
  if (sends.result.shape !== 'unknown') {
    context.claim(`${subject} gives ${shapeName(sends.result)}`, () =>
      context.withHandle(kind, async (handle) => {
        for (const [sql, expected] of answers) {
          const value = await context.send(way, handle, sql).pending;
          const cells = context.alternatives(sends.result).map((result) => attempt(() => normalized(cellAt(result, value))));
          const carries = context.alternatives(sends.result).some(isReadable);
          if (carries) expect(cells).toContain(expected);
          else expect(cells.some((cell) => !(cell instanceof Error)), String(cells[0])).toBe(true);
        }
        if (context.watch.dialect === 'mysql' || !context.alternatives(sends.result).some(isReadable)) return;
        const value = await context.send(way, handle, `SELECT pg_advisory_xact_lock(${context.watch.keys.free}) AS locked`).pending;
        const cells = context.alternatives(sends.result).map((result) => attempt(() => cellAt(result, value)));
        expect(cells, 'a void column').toContain('');
      }),
    );
  }
  if (sends.callback && isReadable(sends.callback.result)) {
    context.claim(`the callback of ${subject} gets ${shapeName(sends.callback.result)} at parameter ${sends.callback.parameter}`, () =>
      context.withHandle(kind, async (handle) => {
        for (const [sql, expected] of answers) expect(normalized(await context.askByCallback(way, handle, sql))).toBe(expected);
      }),
    );
  }
}

function testSending(context: Bench, kind: string, way: Way, subject: string): void {
  const { lazy } = way.sends;
  const { count, backend } = context.watch.statements;
  const says = lazy === undefined ? 'sends at once' : lazy === 'memoized' ? 'sends once, when awaited' : 'sends with every await, and not before';
  context.claim(`${subject} ${says}`, () =>
    context.withHandle(kind, async (handle) => {
      const start = await context.watch.sent();
      const sent = async (): Promise<number> => (await context.watch.sent()) - start;
      if (lazy === undefined) {
        const done = context.complete(way, handle, count);
        await until('the statement was sent', async () => (await sent()) === 1);
        await done;
        return;
      }
      context.send(way, handle, count);
      for (let barrier = 0; barrier < 3; barrier += 1) await context.ask(kind in (context.live.queries ?? {}) ? context.live.kind : kind, handle, backend);
      expect(await sent(), 'statements sent without an await').toBe(0);
      const { pending } = context.send(way, handle, count);
      await pending;
      expect(await sent(), 'statements sent after one await').toBe(1);
      await pending;
      expect(await sent(), 'statements sent after two awaits').toBe(lazy === 'memoized' ? 1 : 2);
    }),
  );
}

function testSignal(context: Bench, kind: string, way: Way, subject: string, { at, ignored, refusedAt = [], safeWhen }: NonNullable<Sends['signal']>): void {
  const { count } = context.watch.statements;
  for (const position of refusedAt) {
    if (!('argument' in position) || kind === context.live.kind) continue;
    context.claim(`${subject} fails with a signal at argument ${position.argument}`, () =>
      context.withHandle(kind, async (handle) => {
        const before = await context.watch.sent();
        const run = async (): Promise<void> => {
          await context.send(way, handle, count, (given) => putAt(given, position, new AbortController().signal)).pending;
        };
        await expect(run()).rejects.toThrow();
        expect(await context.watch.sent()).toBe(before);
      }),
    );
  }
  for (const position of at) {
    const place = `signal at argument ${'argument' in position ? position.argument : '?'}`;
    context.claim(`${subject} ${ignored ? 'ignores' : 'obeys'} the ${place}`, () =>
      context.withHandle(kind, async (handle) => {
        const before = await context.watch.sent();
        const run = async (): Promise<void> => {
          await context.send(way, handle, count, (given) => {
            if ('argument' in position && position.argument === 0 && typeof given[0] === 'string') putAt(given, { argument: 0, property: 'text' }, given[0]);
            putAt(given, position, AbortSignal.abort());
          }).pending;
        };
        if (ignored) await run();
        else await expect(run()).rejects.toThrow();
        expect((await context.watch.sent()) - before).toBe(ignored ? 1 : 0);
      }),
    );
    if (ignored || !safeWhen) continue;
    context.claim(`an abort in flight leaves the statement of ${subject} waiting on the server, which then takes the lock`, () =>
      context.withPool(async (pool) => {
        const key = context.nextKey();
        await context.watch.hold(key);
        const abort = new AbortController();
        const { pending } = context.send(way, pool, context.watch.statements.lock(key), (given) => putAt(given, position, abort.signal));
        await until('the statement waited', async () => (await context.watch.waiters(key)).length === 1);
        abort.abort();
        await expect(Promise.resolve(pending)).rejects.toThrow();
        expect(await context.watch.waiters(key)).toHaveLength(1);
        await context.watch.free(key);
        await until('the lock was taken after the abort', async () => (await context.watch.holders(key)).length === 1);
      }),
    );
  }
}

function testClientTimeout(context: Bench, kind: string, way: Way, subject: string, position: Position): void {
  context.claim(`${subject} gives up after its client-side limit, while the server takes the lock later`, () =>
    context.withPool((pool) => context.lend(pool, kind, async (handle) => {
      const key = context.nextKey();
      await context.watch.hold(key);
      const text = way.sends.sql.find((candidate) => 'property' in candidate && candidate.property !== undefined);
      const limited = context.complete(way, handle, context.watch.statements.lock(key), (given) => {
        if (text) putAt(given, text, given[0]);
        putAt(given, position, 50);
      });
      await expect(limited).rejects.toThrow();
      expect(await context.watch.waiters(key)).toHaveLength(1);
      await context.watch.free(key);
      await until('the lock was taken after the limit', async () => (await context.watch.holders(key)).length === 1);
    })),
  );
}

/** A method that runs a lock function of its own, or of the name it is given. */
function testNamedLock(context: Bench, kind: string, way: Way): void {
  context.claim(`${way.name} of ${kind} runs ${way.sends.runs ?? 'the function named'} and gives ${shapeName(way.sends.result)}`, () =>
    context.withHandle(kind, async (handle) => {
      const run = async (key: number): Promise<unknown> => {
        const given: unknown[] = [];
        if (way.sends.functionName) putAt(given, way.sends.functionName, 'pg_try_advisory_xact_lock');
        for (const position of way.sends.values ?? []) putAt(given, position, way.sends.functionName ? [key] : key);
        return cellAt(way.sends.result, await invoke(handle, way.method, ...given));
      };
      const answer = await run(context.watch.keys.free);
      if (way.sends.result.shape === 'nothing') return;
      expect([answer, await run(context.watch.keys.taken)]).toEqual([true, false]);
    }),
  );
}

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
