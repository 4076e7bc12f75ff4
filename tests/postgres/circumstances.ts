import type { ExportedFunction, Parameter } from './source.js';

/** What happens around an example while it runs. */
export const circumstances = [
  'alone',
  'another caller takes the connection',
  'another session has the lock',
  'another session has the lock, time and again',
  'the work throws',
  'a statement fails',
  'the signal is aborted',
  'the lock is held in another mode',
  'the unlock fails',
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
      case 'the unlock fails':
        return traits.frees && !traits.isMysql;
      case 'as many callers as connections':
        return traits.takes && !parameters.some(isConnection);
      case 'another session has the lock, time and again':
        // A connection left open for every refusal shows when there are no more.
        return traits.takes && parameters.every(({ type }) => isFunction({ type }) || !type.includes('#')) && traits.opensClients;
      case 'the client gives up waiting':
      case 'the server limits the wait':
        return false;
      default:
        return circumstance satisfies never;
    }
  });
}

/** Each caller brings a connection of its own. */
const isConnection = ({ name, type }: Parameter): boolean =>
  name === 'connection' || /#(Client|PoolClient|ReservedSql|QueryRunner|EntityManager|Connection|PoolConnection|.*Transaction.*)$/.test(type);

export const isFunction = ({ type }: { readonly type: string }): boolean => type.includes('=>') && !type.startsWith('{');

/** What an example does with locks, as its text shows. */
export interface Traits {
  readonly takes: boolean;
  readonly frees: boolean;
  /** It takes transaction-level locks. */
  readonly isTransactionLevel: boolean;
  readonly begins: boolean;
  /** It opens connections of its own, outside of any pool. */
  readonly opensClients: boolean;
  /** It gives back or ends what it uses. */
  readonly ends: boolean;
  readonly isMysql: boolean;
}

/** Statements, and code with statements, that take a lock or ask for one. */
export const takesLock = /pg_(try_)?advisory_(xact_)?lock|get_lock/i;

export function traitsOf(code: string): Traits {
  return {
    takes: takesLock.test(code),
    frees: /pg_advisory_unlock|release_lock/i.test(code),
    isTransactionLevel: /advisory_xact_lock/i.test(code),
    begins: /\bBEGIN\b/.test(code),
    opensClients: code.includes('new Client('),
    ends: /\.(end|release|destroy)\(/.test(code),
    isMysql: code.includes("from 'mysql2"),
  };
}

