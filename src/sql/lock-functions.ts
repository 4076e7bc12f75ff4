import type { Dialect, LockAction, LockOperation } from './model.js';

/** What a lock function does, whatever its arguments are. */
export interface LockFunction {
  /** Lower case, without schema. */
  name: string;
  /** The schema it lives in, lower case; null when it is found by the bare name only. */
  schema: string | null;
  dialect: Dialect;
  action: LockAction;
  level: LockOperation['level'];
  mode: LockOperation['mode'];
  returns: LockOperation['returns'];
  /** Which arguments are the key: all of them, the first one, or none. */
  key: 'all' | 'first' | 'none';
}

/** A lock function of the user's own, as `settings.lockFunctions` declares it; the name may carry a schema. */
export interface CustomLockFunction {
  name: string;
  action: 'acquire' | 'try' | 'release';
  level: LockOperation['level'];
  mode?: LockOperation['mode'] | undefined;
}

/** One part of a function name as SQL has it: quoted parts keep their case, the others are folded already. */
export interface Catalogue {
  /**
   * Looks a function up by the parts of its name, schema first, in the case the parser gives them. Undefined for a name
   * that is no lock function, among them a function of that name in another schema.
   */
  find(path: readonly string[]): LockFunction | undefined;
  /** Names besides the built-in ones, lower case and without schema. */
  readonly extraNames: readonly string[];
}

const PG_CATALOG = 'pg_catalog';

function postgresFunctions(): LockFunction[] {
  const functions: LockFunction[] = [];
  const add = (name: string, rest: Omit<LockFunction, 'name' | 'schema' | 'dialect' | 'key'>): void => {
    functions.push({ name, schema: PG_CATALOG, dialect: 'postgres', key: 'all', ...rest });
  };
  for (const mode of ['exclusive', 'shared'] as const) {
    const suffix = mode === 'shared' ? '_shared' : '';
    for (const level of ['session', 'transaction'] as const) {
      const stem = level === 'session' ? 'advisory_lock' : 'advisory_xact_lock';
      add(`pg_${stem}${suffix}`, { action: 'acquire', level, mode, returns: 'void' });
      add(`pg_try_${stem}${suffix}`, { action: 'try', level, mode, returns: 'boolean' });
    }
    add(`pg_advisory_unlock${suffix}`, { action: 'release', level: 'session', mode, returns: 'boolean' });
  }
  functions.push({
    name: 'pg_advisory_unlock_all',
    schema: PG_CATALOG,
    dialect: 'postgres',
    action: 'release-all',
    level: 'session',
    mode: 'exclusive',
    returns: 'void',
    key: 'none',
  });
  return functions;
}

/** MySQL and MariaDB: https://dev.mysql.com/doc/refman/8.4/en/locking-functions.html; all of them answer 1, 0 or NULL. */
function mysqlFunctions(): LockFunction[] {
  const shared = { schema: null, dialect: 'mysql', level: 'session', mode: 'exclusive', returns: 'integer' } as const;
  return [
    { ...shared, name: 'get_lock', action: 'try', key: 'first' },
    { ...shared, name: 'release_lock', action: 'release', key: 'first' },
    { ...shared, name: 'release_all_locks', action: 'release-all', key: 'none' },
    { ...shared, name: 'is_free_lock', action: 'inspect', key: 'first' },
    { ...shared, name: 'is_used_lock', action: 'inspect', key: 'first' },
  ];
}

const BUILT_IN: readonly LockFunction[] = [...postgresFunctions(), ...mysqlFunctions()];

/**
 * The PostgreSQL functions (eleven names, 21 signatures in `pg_proc`) and the MySQL ones, together with the user's own.
 * A name of the user's own is matched in any case; given with a schema it matches that schema and, unless a built-in
 * function is called so, the bare name.
 */
export function createCatalogue(extra: readonly CustomLockFunction[] = []): Catalogue {
  const byName = new Map(BUILT_IN.map((entry) => [entry.name, entry]));
  const custom = new Map<string, LockFunction>();
  for (const { name, action, level, mode } of extra) {
    const parts = name.toLowerCase().replaceAll('"', '').split('.');
    const bare = parts.at(-1) ?? '';
    if (bare === '') continue;
    custom.set(bare, {
      name: bare,
      schema: parts.length > 1 ? (parts.at(-2) ?? null) : null,
      dialect: 'postgres',
      action,
      level,
      mode: mode ?? 'exclusive',
      returns: action === 'acquire' ? 'void' : 'boolean',
      key: 'all',
    });
  }
  return {
    extraNames: [...custom.keys()],
    find(path) {
      const name = path.at(-1);
      if (name === undefined) return undefined;
      const schema = path.length > 1 ? path.at(-2) : undefined;
      const own = custom.get(name.toLowerCase());
      const inOwnSchema = own !== undefined && (own.schema === null || schema?.toLowerCase() === own.schema);
      if (inOwnSchema) return own;
      // PostgreSQL folds unquoted names, so what is not lower case here was quoted and names another function.
      const entry = byName.get(name);
      if (entry) return schema === undefined || schema === entry.schema ? entry : undefined;
      if (schema === undefined && own) return own;
      const folded = byName.get(name.toLowerCase());
      return folded?.dialect === 'mysql' && schema === undefined ? folded : undefined;
    },
  };
}

/** The functions every installation has, without the user's own. */
export const builtInCatalogue: Catalogue = createCatalogue();

/** The exclusive function that does this; null where there is none, as for releasing a transaction lock. */
export const functionFor = (action: LockAction, level: LockOperation['level'], dialect: LockFunction['dialect'] = 'postgres'): string | null =>
  BUILT_IN.find((entry) => entry.dialect === dialect && entry.mode === 'exclusive' && entry.action === action && entry.level === level)?.name ?? null;

const UNLOCK_CALL = new RegExp(String.raw`(?:${BUILT_IN.filter(({ action }) => action === 'release' || action === 'release-all').map(({ name }) => name).join('|')})\s*\(`, 'i');

/** Whether a text calls a function that unlocks, rather than only naming it, as a message may. */
export const callsUnlock = (text: string): boolean => UNLOCK_CALL.test(text);

const LOCK_WORDS = /advisory|get_lock|release_(?:all_)?locks?|is_(?:free|used)_lock/i;

/**
 * Whether a text is worth a closer look: it names a lock function somewhere, in code, in a string or in a comment. Cheap
 * enough for whole source files.
 * @param extraNames names of the user's own functions, in any case
 */
export function mentionsLock(text: string, extraNames: readonly string[] = []): boolean {
  if (LOCK_WORDS.test(text)) return true;
  if (extraNames.length === 0) return false;
  const folded = text.toLowerCase();
  return extraNames.some((name) => folded.includes(name.toLowerCase()));
}
