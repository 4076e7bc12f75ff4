import type { Parameter } from './source.js';

/** What a parameter gets by its name, for the first caller and for the one beside it. Lists come in the opposite order to the second. */
export function valueOf({ name, type }: Parameter, caller: number, url: string): unknown {
  switch (type) {
    case 'string':
      return name === 'connectionString' ? url : (strings[name] ?? name);
    case 'bigint':
      return BigInt(numbers[name] ?? 1);
    case 'number':
      return numbers[name] ?? 1;
    case 'number[]':
      return caller === 0 ? [1, 2] : [2, 1];
    case 'string[]':
      return ['UPDATE account SET balance = balance + 1 WHERE id = 1', 'UPDATE item SET name = name WHERE id = 1'];
    default:
      throw new Error(`The laboratory has no value for the parameter "${name}" of type "${type}"; add it to tests/postgres/handles.ts or give it in the rule's scenario.`);
  }
}

const numbers: Readonly<Record<string, number>> = { key: 4201, milliseconds: 50 };

const strings: Readonly<Record<string, string>> = { orderId: '6f2c1b1e-6c3b-4f0e-9a55-0d5c2f6f7a10' };

/** Runs a statement on whatever a library hands to a piece of work; false when that is no connection. */
export async function askOn(handle: unknown, text: string): Promise<boolean> {
  if (handle === null || (typeof handle !== 'object' && typeof handle !== 'function')) return false;
  const call = async (method: string, ...given: unknown[]): Promise<boolean> => {
    const member: unknown = Reflect.get(handle, method);
    if (typeof member !== 'function') return false;
    await Reflect.apply(member, handle, given);
    return true;
  };
  const { CompiledQuery } = await import('kysely');
  return (await call('unsafe', text)) || (await call('executeQuery', CompiledQuery.raw(text))) || (await call('raw', text)) || (await call('query', text));
}
