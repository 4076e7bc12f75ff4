import { handleNames } from '../drivers/handle-names.js';
import { identified } from './agreement.js';
import { wordsOf } from './name-words.js';
import type { HandleIdentity, Value } from './values.js';

/**
 * Functions of other files that hand out what their module keeps: `getPool()`, `db()`, `Database.getInstance()`. A call without
 * arguments whose result nobody waits for checks nothing out and opens nothing, so by its name it gives the module's own pool
 * or connection, like an import of it would. Names that leave room for anything else say nothing.
 */
export type Accessor =
  /** Gives a pool, by its name. */
  | 'pool'
  /** Gives the module's handle. Inside a transaction that the caller has open it may give that: no transaction lock is judged. */
  | 'handle'
  /** The same, if it is used as a template tag; used otherwise it may be somebody's connection. */
  | 'tag';

/** Something of the caller's own, or of one request, may be behind these. */
const open: ReadonlySet<string> = new Set(
  `connection conn transaction trx tx txn transactional manager session context ctx current active ambient local store scoped scope
  request tenant user executor runner unit work`.split(/\s+/),
);
/** These make something for each caller. */
const makers: ReadonlySet<string> = new Set(
  'create make new open connect build init initialize setup start acquire checkout take borrow reserve begin with run mock fake test close end'.split(' '),
);
const singletons: ReadonlySet<string> = new Set(['instance', 'singleton']);

/** What a function is by its name, when it is called without arguments, and by arguments if it gives a pool; null when the name does not tell. */
export function accessorNamed(name: string): Accessor | null {
  const words = wordsOf(name);
  const [first] = words;
  if (first === undefined || makers.has(first) || words.some((word) => open.has(word))) return null;
  const last = singletons.has(words.at(-1) ?? '') ? words.slice(0, -1) : words;
  // `getInstance` says that there is one for all, whatever it is.
  if (last.length < words.length && last.every((word) => word === 'get')) return 'handle';
  const noun = last.at(-1);
  if (noun === 'pool') return 'pool';
  if (noun === 'client') return last.some((word) => handleNames.has(word)) ? 'tag' : null;
  return noun !== undefined && handleNames.has(noun) ? 'handle' : null;
}

/** Does the name, of an object or of its type, leave room for something of the caller's own behind it: `tenantContext`, `unitOfWork`? */
export const leavesRoom = (name: string): boolean => wordsOf(name).some((word) => open.has(word));

/** The step of a module's path that stands for the call of an accessor: `getPool()`, or `getPool(url)` with the text of its arguments. */
export const accessorStep = (name: string, chosen: string): string => `${name}(${chosen})`;

/** What the accessors on a module's path make of what stands at its end; null where the path has none. */
export function accessorOn(path: readonly string[]): Accessor | null {
  const step = path.findLast((name) => name.endsWith(')'));
  return step === undefined ? null : accessorNamed(step.slice(0, step.indexOf('(')));
}

/**
 * `options.pool ?? new Pool()`, `(pool = defaultPool) => …`: what is called a pool and replaced by one where it is missing is a
 * pool itself. Null for other names and other replacements.
 */
export function namedPool(name: string, replacement: Value, identity: HandleIdentity): Value | null {
  if (accessorNamed(name) !== 'pool' || replacement.type !== 'object' || replacement.handle?.role !== 'pool') return null;
  return identified({ ...replacement, handle: { ...replacement.handle, mayBeTransaction: true } }, identity);
}
