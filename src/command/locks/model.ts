/**
 * What is known of the locks of a project, as plain data that holds no syntax tree: files are read one after the other, and
 * what they say of each other is put together afterwards. Paths are absolute, lines and columns count from 1.
 */
import type { Role } from '../../drivers/driver.js';
import type { Dialect, LockOperation } from '../../sql/model.js';

export interface Place {
  readonly path: string;
  readonly line: number;
  readonly column: number;
}

/** Names a function of the project: its file and where it begins there. The same whichever file asks. */
export type FunctionId = string;

/** Identity of the origin of constants that are inserted into SQL text in a way that does not show which constant it is. */
export const insertedOrigin = 'inserted';

/** Where a constant's value is written down. */
export interface Origin {
  /** Equal for two uses of one constant. */
  readonly id: string;
  /** The constant's name, `JOBS_LOCK` or `Locks.jobs`; null for a value written where it is used. */
  readonly name: string | null;
  readonly place: Place;
}

/** A key argument, reduced to what decides its value, wherever in the project that is said. */
export type Term =
  | { readonly is: 'constant'; readonly value: string | number | bigint | boolean | null; readonly origin: Origin }
  /** What a function makes of its arguments: `hashtext('jobs')`. Equal identities mean one function. */
  | { readonly is: 'call'; readonly name: string; readonly identity: string; readonly parts: readonly Term[] }
  /** Texts in a row. */
  | { readonly is: 'text'; readonly parts: readonly Term[] }
  /** What a function is given; `path` leads into it: `options.key`. */
  | { readonly is: 'parameter'; readonly function: FunctionId; readonly index: number; readonly path: readonly string[]; readonly text: string }
  /** An object literal among the arguments of a call. */
  | { readonly is: 'record'; readonly properties: Readonly<Record<string, Term>> }
  /** `text` as the code writes it; it means one value in one function only, `within`. */
  | { readonly is: 'unknown'; readonly text: string; readonly within: string };

/** One lock, apart from where it is taken: two uses of equal kinds and keys exclude each other, or count for one another. */
export interface LockUse {
  /** The key arguments, one or two for PostgreSQL, the name for MySQL; none for a function that releases all. */
  readonly key: readonly Term[];
  readonly dialect: Dialect;
  readonly level: LockOperation['level'];
  readonly mode: LockOperation['mode'];
  /** Where the statement stands. */
  readonly place: Place;
  readonly database: Database;
}

/** Advisory locks are per database; what tells two databases apart. */
export interface Database {
  /** The folder of the nearest package.json; the file system's root without one. */
  readonly package: string;
  /** How the code names the server it connects to, `process.env.DATABASE_URL`; null where it does not show. */
  readonly address: string | null;
}

/** What ends the wait for a lock. */
export type Timeout =
  /** A `try` function never waits. */
  | { readonly kind: 'does-not-wait' }
  /** GET_LOCK's own argument, in seconds, as written. */
  | { readonly kind: 'argument'; readonly seconds: string }
  /** `lock_timeout`, or another limit; milliseconds where the code shows them. */
  | { readonly kind: 'set'; readonly milliseconds: number | null }
  | { readonly kind: 'none' }
  | { readonly kind: 'unknown' };

/** A helper between the lock and the code that asks for it. */
export interface Through {
  readonly name: string;
  /** Where the helper goes on: the statement, or its call of the next helper. */
  readonly place: Place;
}

/** One place where a lock is taken or released. */
export interface LockSite extends LockUse {
  readonly action: 'acquire' | 'try' | 'release' | 'release-all';
  /** The SQL function's name. */
  readonly sql: string;
  readonly connection: Role;
  /** Does the session outlive the code that takes the lock? `kept`: a pool keeps it. `ends`: the file ends it, or may. */
  readonly session: 'kept' | 'ends' | 'unknown';
  readonly timeout: Timeout;
  /** The function that does it, with the callbacks that run as part of it; the module for its top level. */
  readonly owner: FunctionId;
  /** The function's name, for people; null for one without, and for a module's top level. */
  readonly ownerName: string | null;
  /** Written in a `.sql` file. */
  readonly inSqlFile: boolean;
  /** Helpers between `place` and the statement, outermost first. */
  readonly through: readonly Through[];
}

/** A call of a function of the project. */
export interface ProjectCall {
  readonly place: Place;
  readonly callee: FunctionId;
  readonly calleeName: string;
  readonly arguments: readonly Term[];
  /** The functions among the arguments, by position. */
  readonly callbacks: readonly (FunctionId | null)[];
  readonly owner: FunctionId;
  readonly ownerName: string | null;
  /** The caller goes on only when what is called is done. */
  readonly awaited: boolean;
}

/** A lock as a function sees it: taken by its own statement, or by a helper of another file. */
export type LockReference =
  | { readonly by: 'statement'; readonly use: LockUse; readonly waits: boolean }
  | { readonly by: 'helper'; readonly call: ProjectCall };

/** One lock is asked for while another one is held. */
export interface LockPair {
  readonly first: LockReference;
  readonly then: LockReference;
  /** Locks that are held before `first`. */
  readonly guards: readonly LockReference[];
  readonly firstPlace: Place;
  readonly place: Place;
  readonly owner: FunctionId;
}

/** A function that is called while a lock is held. */
export interface HeldCall {
  readonly held: LockReference;
  readonly call: ProjectCall;
}

/** A function calls what it is given while it holds a lock: `withLock(key, work)`. */
export interface HeldParameter {
  readonly held: LockReference;
  readonly function: FunctionId;
  readonly index: number;
}

/** A function by a name that other files can use. */
export interface ExportedFunction {
  readonly id: FunctionId;
  /** The word that a file which uses it writes: the export's name, or the method's. */
  readonly word: string;
}

/** What one file says. */
export interface FileLocks {
  readonly path: string;
  /** The folder of the nearest package.json. */
  readonly package: string;
  readonly sites: readonly LockSite[];
  readonly calls: readonly ProjectCall[];
  readonly pairs: readonly LockPair[];
  readonly heldCalls: readonly HeldCall[];
  readonly heldParameters: readonly HeldParameter[];
  readonly exports: readonly ExportedFunction[];
  /** Texts that unlock something and are not seen to be sent: a call that is not understood may send them. Holes are `${}`. */
  readonly unsentUnlocks: readonly string[];
}

/** Locks with one key, level and mode: a row of the table. */
export interface Lock {
  /** `L1`, in the order of the table. */
  readonly id: string;
  readonly key: LockKey;
  readonly dialect: Dialect;
  readonly level: LockOperation['level'];
  readonly mode: LockOperation['mode'];
  readonly acquires: readonly LockSite[];
  readonly releases: readonly LockSite[];
}

export interface LockKey {
  /** As a person reads it: `42`, `7, …`, `hashtext('jobs')`. */
  readonly text: string;
  /** `value`: known to the last digit. `namespace`: a known part, and one that is computed. `computed`: nothing is known. */
  readonly kind: 'value' | 'namespace' | 'computed';
  /** The names of the constants it is made of, each once. */
  readonly names: readonly string[];
  /** Equal for equal keys of one database and key space. */
  readonly identity: string;
}

/** One lock after another, in one place of the code. */
export interface OrderEdge {
  /** Ids of locks' order nodes: keys without level and mode. */
  readonly from: string;
  readonly to: string;
  readonly firstPlace: Place;
  readonly place: Place;
  readonly modes: readonly [first: LockOperation['mode'], then: LockOperation['mode']];
  readonly guards: readonly string[];
  readonly database: Database;
}

/** The order in which keys are taken: `nodes` are keys, by identity. */
export interface OrderGraph {
  readonly nodes: readonly { readonly identity: string; readonly text: string; readonly names: readonly string[] }[];
  readonly edges: readonly OrderEdge[];
}

export type ProblemKind = 'shared-key' | 'shared-class' | 'mixed-forms' | 'never-released' | 'order-cycle';

export interface Problem {
  readonly kind: ProblemKind;
  readonly message: string;
  /** The places that show it, the one to look at first first. */
  readonly places: readonly ProblemPlace[];
  /** Ids of the locks it is about. */
  readonly locks: readonly string[];
  /** Identities of the keys of a cycle, in order; empty for other problems. */
  readonly cycle: readonly string[];
}

export interface ProblemPlace extends Place {
  /** What is done there. */
  readonly text: string;
}

/** Everything the subcommand knows of a project. */
export interface Inventory {
  readonly locks: readonly Lock[];
  readonly order: OrderGraph;
  readonly problems: readonly Problem[];
}
