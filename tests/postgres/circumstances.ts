import type { ExportedFunction } from './source.js';

/** What happens around an example while it runs. */
export const circumstances = [
  'alone',
  'another caller takes the connection',
  'another session has the lock',
  'the work throws',
  'a statement fails',
  'the signal is aborted',
  'the lock is held in another mode',
  'two callers',
  'as many callers as connections',
  'the client gives up waiting',
  'the server limits the wait',
] as const;
export type Circumstance = (typeof circumstances)[number];

/** What good code is put through: every way in which its function can end, as far as its parameters allow. */
export function endingsOf({ parameters }: ExportedFunction, traits: Traits): Circumstance[] {
  return circumstances.filter((circumstance) => {
    switch (circumstance) {
      case 'alone':
      case 'a statement fails':
        return true;
      case 'another session has the lock':
        return traits.takes;
      case 'another caller takes the connection':
      case 'the work throws':
        return parameters.some(isFunction);
      case 'two callers':
        return traits.takes && parameters.some(isFunction);
      case 'the signal is aborted':
        return parameters.some(({ type }) => type === 'AbortSignal');
      case 'the lock is held in another mode':
        return traits.frees && !traits.takes;
      case 'as many callers as connections':
        return traits.takes && !parameters.some(({ type }) => /#(Client|PoolClient|ReservedSql|QueryRunner|.*Transaction.*)$/.test(type));
      case 'the client gives up waiting':
        return false;
      case 'the server limits the wait':
        return false;
      default:
        return circumstance satisfies never;
    }
  });
}

export const isFunction = ({ type }: { readonly type: string }): boolean => type.includes('=>') && !type.startsWith('{');

/** What an example does with locks, as its text shows. */
export interface Traits {
  readonly takes: boolean;
  readonly frees: boolean;
  /** It takes transaction-level locks. */
  readonly isTransactionLevel: boolean;
  readonly begins: boolean;
}

export function traitsOf(code: string): Traits {
  return {
    takes: /pg_(try_)?advisory_(xact_)?lock/i.test(code),
    frees: /pg_advisory_unlock/i.test(code),
    isTransactionLevel: /advisory_xact_lock/i.test(code),
    begins: /\bBEGIN\b/.test(code),
  };
}

