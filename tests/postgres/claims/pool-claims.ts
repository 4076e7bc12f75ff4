/** What the settings of a pool do, and what becomes of bound values. */
import type { Condition } from '../../../src/drivers/driver.js';
import type { Bench } from './bench.js';
import { putAt, satisfying } from './calls.js';
import { resolvedKind } from './live-driver.js';

export function testSettings(context: Bench): void {
  const { details, kind } = context.live;
  if (!details) return;
  for (const condition of details.singleWhen ?? []) {
    if (!('argument' in condition.at) || context.isUntried('singleWhen', condition.at.property)) continue;
    context.claim(`${kind} is one connection with ${condition.at.property ?? ''} ${JSON.stringify(condition.equals)}`, () =>
      context.withPool((pool) => context.isSingle(kind, pool), setting(condition)),
    );
  }
  for (const position of details.lockTimeout ?? []) {
    if (context.watch.dialect === 'mysql' || context.isUntried('lockTimeout', 'property' in position ? position.property : '')) continue;
    context.claim(`${kind} takes the server's lock_timeout from ${'property' in position ? (position.property ?? '') : ''}`, () =>
      context.withPool(
        async (pool) => expect(await context.ask(kind, pool, context.watch.statements.lockTimeout)).toBe('1234ms'),
        (given) => putAt(given, position, 1234),
      ),
    );
  }
  for (const position of details.clientTimeout ?? []) {
    if (context.watch.dialect === 'mysql' || context.isUntried('clientTimeout', 'property' in position ? position.property : '')) continue;
    context.claim(`${kind} gives up after ${'property' in position ? (position.property ?? '') : ''}, while the server takes the lock later`, () =>
      context.withPool(
        async (pool) => {
          const key = context.nextKey();
          await context.watch.hold(key);
          await expect(context.ask(kind, pool, context.watch.statements.lock(key))).rejects.toThrow();
          expect(await context.watch.waiters(key)).toHaveLength(1);
          await context.watch.free(key);
        },
        (given) => putAt(given, position, 50),
      ),
    );
  }
  for (const condition of details.resetsOnReleaseWhen ?? []) {
    for (const lent of Object.keys(context.live.lends ?? {})) {
      if (resolvedKind(context.driver.descriptor, lent).role !== 'connection') continue;
      const { at } = condition;
      if (context.isUntried('resetsOnReleaseWhen', lent)) continue;
      context.claim(`${lent} frees a session lock when it is given back with ${'property' in at ? (at.property ?? '') : ''} ${JSON.stringify(condition.equals)}`, () =>
        context.holdsAfter(lent, false, undefined, setting(condition)),
      );
    }
  }
}

function setting(condition: Condition): (given: unknown[]) => void {
  return (given) => {
    const satisfied = satisfying(condition);
    if (!satisfied) throw new Error('The condition needs a value that only the driver’s users know.');
    putAt(given, condition.at, satisfied.value);
  };
}

export function testBinding(context: Bench): void {
  const { binding } = context.driver.descriptor;
  const { bind } = context.live;
  if (!binding || !bind) return;
  const bound = async (...values: unknown[]): Promise<unknown> => {
    let cell: unknown;
    await context.withPool(async (pool) => {
      cell = await bind(pool, values);
    });
    return cell;
  };
  const { free } = context.watch.keys;
  for (const [name, value] of [['undefined', undefined], ['null', null]] as const) {
    const claimed = binding[name];
    switch (claimed) {
      case undefined:
        break;
      case 'null':
        context.claim(`a bound ${name} is NULL, and no lock is taken`, async () => expect(await bound(value)).toBeNull());
        break;
      case 'throws':
        context.claim(`a bound ${name} is refused before anything is sent`, () => expect(bound(value)).rejects.not.toHaveProperty('severity'));
        break;
      case 'dropped':
        context.claim(`a bound ${name} disappears from the text`, () => expect(bound(value)).rejects.toThrow(/pg_try_advisory_xact_lock\(\)/));
        break;
      default:
        claimed satisfies never;
    }
  }
  for (const [name, values] of [['number', [free, free]], ['bigint', [BigInt(free), BigInt(free)]]] as const) {
    const claimed = binding[name];
    if (claimed === undefined) continue;
    context.claim(`a bound ${name} is ${claimed}, so ${claimed === 'bigint' ? 'only the function with one key takes it' : 'both functions take it'}`, async () => {
      expect(await bound(values[0])).toBe(true);
      if (claimed === 'bigint') await expect(bound(...values)).rejects.toThrow(/does not exist|integer/);
      else expect(await bound(...values)).toBe(true);
    });
  }
}
