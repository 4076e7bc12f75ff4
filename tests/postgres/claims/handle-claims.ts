/** What a handle is: a pool, one connection, a transaction; and what happens to a session lock when it is given back. */
import type { Kind } from '../../../src/drivers/driver.js';
import { until } from '../own-database.js';
import type { Bench } from './bench.js';
import { invoke, member, resolvedKind } from './live-driver.js';

export function testKind(context: Bench, kind: string): void {
  const resolved = resolvedKind(context.driver.descriptor, kind);
  if (context.isUntried(kind)) return;
  const { backend, lock, transaction } = context.watch.statements;
  switch (resolved.role) {
    case 'pool':
      context.claim(`${kind} sends each statement over any connection`, () =>
        context.withHandle(kind, async (handle) => {
          const key = context.nextKey();
          await context.watch.hold(key);
          const blocked = context.ask(kind, handle, lock(key));
          await until('the first statement waited', async () => (await context.watch.waiters(key)).length === 1);
          const [waiting] = await context.watch.waiters(key);
          const other = Number(await context.ask(kind, handle, backend));
          await context.watch.free(key);
          await blocked;
          expect(other).not.toBe(waiting);
        }),
      );
      break;
    case 'single':
      context.claim(`${kind} is one connection`, () => context.withHandle(kind, (handle) => context.isSingle(kind, handle)));
      break;
    case 'connection':
    case 'transaction': {
      const isTransaction = resolved.role === 'transaction';
      const ask = (handle: unknown, sql: string, pool: unknown): Promise<unknown> => context.ask(kind, handle, sql, pool);
      context.claim(`${kind} is one connection ${isTransaction ? 'in one transaction, in which the outer handle is not' : 'without a transaction'}`, () =>
        context.withHandle(kind, async (handle, pool) => {
          const backends = [await ask(handle, backend, pool), await ask(handle, backend, pool)].map(Number);
          expect(backends[0]).toBe(backends[1]);
          const transactions = [await ask(handle, transaction, pool), await ask(handle, transaction, pool)];
          if (isTransaction) expect(transactions[0]).toBe(transactions[1]);
          else expect(transactions[0]).not.toBe(transactions[1]);
          if (context.canAsk(context.live.kind) && !context.isUntried(kind, 'the outer handle')) expect(Number(await context.ask(context.live.kind, pool, backend))).not.toBe(backends[0]);
        }),
      );
      testGivingBack(context, kind, resolved);
      break;
    }
    case 'http':
    case 'unknown':
    case undefined:
      break;
    default:
      resolved.role satisfies never;
  }
  context.claim(`${kind} ${resolved.dispose ? 'can' : 'cannot'} be disposed of by "using"`, () =>
    context.withHandle(kind, async (handle) => {
      const disposable = typeof (member(handle, Symbol.asyncDispose) ?? member(handle, Symbol.dispose)) === 'function';
      expect(disposable).toBe(resolved.dispose !== undefined);
      await Promise.resolve();
    }),
  );
}

function testGivingBack(context: Bench, kind: string, { methods = {}, dispose }: Kind): void {
  const kept = !context.driver.descriptor.resetsOnRelease;
  if (!context.isUntried(kind, 'give back')) {
    context.claim(`${kind} ${kept ? 'keeps' : 'frees'} a session lock when it is given back`, () => context.holdsAfter(kind, kept));
  }
  for (const [method, { effect }] of Object.entries(methods)) {
    if (!effect || context.isUntried(kind, method)) continue;
    if (effect.does === 'closes' && !effect.of) {
      context.claim(`${method} of ${kind} ends the session and frees its locks`, () => context.holdsAfter(kind, false, (handle) => invoke(handle, method)));
    }
    if (effect.does !== 'gives-back' || effect.of) continue;
    const keeps = kept && effect.destroysWhen !== 'always';
    context.claim(`${method} of ${kind} ${keeps ? 'keeps' : 'frees'} a session lock`, () => context.holdsAfter(kind, keeps, (handle) => invoke(handle, method)));
    if (context.isUntried(kind, `${method} with a truthy argument`)) continue;
    const keepsWhenTold = keeps && effect.destroysWhen !== 'truthy-argument';
    context.claim(`${method} of ${kind} with a truthy argument ${keepsWhenTold ? 'keeps' : 'frees'} a session lock`, () =>
      context.holdsAfter(kind, keepsWhenTold, (handle) => invoke(handle, method, true)),
    );
  }
  if (dispose && !context.isUntried(kind, 'dispose')) {
    const keeps = kept && (dispose.does === 'gives-back' || dispose.does === 'commits-and-gives-back');
    context.claim(`the disposal of ${kind} ${keeps ? 'keeps' : 'frees'} a session lock`, () =>
      context.holdsAfter(kind, keeps, (handle) =>
        invoke(handle, member(handle, Symbol.asyncDispose) === undefined ? Symbol.dispose : Symbol.asyncDispose),
      ),
    );
  }
}
