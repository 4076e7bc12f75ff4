/**
 * The vocabulary in which a driver says what its calls mean. A descriptor is plain JSON-able data, a small declaration
 * file: which names a package exports, what kind of object each makes, and what each method of a kind does. The same
 * shape is accepted in `settings['advisory-lock'].drivers`.
 */
import type { Dialect, IsolationLevel, PlaceholderStyle } from '../sql/model.js';

export type { Dialect, PlaceholderStyle };

/**
 * What a statement sent over a handle may rely on.
 * - `pool`: every call may run on another backend
 * - `http`: every call is a session of its own
 * - `single`: one backend that all callers share
 * - `connection`: one backend until it is given back
 * - `transaction`: one backend with an open transaction
 */
export type Role = 'pool' | 'http' | 'single' | 'connection' | 'transaction' | 'unknown';

export interface DriverDescriptor {
  /** The package's usual name; settings and messages use it. */
  name: string;
  /** `either`: the library speaks both, and the SQL's own function names decide. */
  dialect: Dialect | 'either';
  /** Import specifiers, exact, or ending in `/*` for any sub-path. */
  modules: readonly string[];
  /** The CommonJS package's default import is its whole namespace: `import pg from 'pg'; new pg.Pool()`. */
  defaultIsNamespace?: boolean;
  /** How bound values are written in text, besides `$1`; a call may say otherwise. */
  placeholders?: readonly PlaceholderStyle[];
  exports: readonly Export[];
  kinds: Readonly<Record<string, Kind>>;
  /** Methods no other library has: a call of one names the driver even when the receiver's origin is unknown. */
  distinctiveMethods?: Readonly<Record<string, string>>;
  /** Properties no other library's objects have, by the kind that stands there: `models.sequelize`. */
  distinctiveProperties?: Readonly<Record<string, string>>;
  /**
   * What an import from a file that was not read is, when the importing file shows whose it is: it imports this library, too,
   * or calls the import itself (`calledToo`), and calls one of these methods on it.
   */
  importedHandle?: { kind: string; methods: readonly string[]; calledToo?: boolean };
  /** An `'error'` event nobody listens to ends the process (node-postgres connections). */
  errorEventEndsProcess?: boolean;
  /** The pool resets the session when a connection comes back: session locks are gone (slonik: DISCARD ALL). */
  resetsOnRelease?: boolean;
  /** The typings leave the columns of a raw statement's rows `any`: reading one needs no type to be written. */
  untypedRows?: boolean;
  /** A package or call that makes every handle join an open transaction unseen; handles are then `unknown`. */
  implicitTransactions?: readonly ImplicitTransaction[];
  /** How the driver turns a bound JavaScript value into SQL; what is absent is unknown. */
  binding?: Binding;
  examples: readonly [Example, ...Example[]];
}

export interface ImplicitTransaction {
  /** The file (or project) imports this module … */
  module?: string;
  /** … or calls this exported or static method: `Sequelize.useCLS`. */
  call?: string;
  /** It changes the library itself, so that handles in files that know nothing of it join as well. */
  everywhere?: boolean;
}

/** One name, or several with one meaning, that the driver's modules export. */
export interface Export {
  /** Dotted: `Pool`, `default`, `Knex.Transaction`, `Prisma.sql`. */
  names: readonly string[];
  /** Only in these of the driver's modules. */
  modules?: readonly string[];
  /** Whatever module the name comes from: clients generated into the project (`PrismaClient`). */
  anyModule?: boolean;
  /** A global that needs no import: `Bun.sql`. */
  global?: boolean;
  /** `new X(…)`, and by default the type `X`. Subclasses are of the kind, too. */
  new?: Give;
  /** The exported function called. */
  call?: Call;
  /** The exported function used as a template tag. */
  tag?: Call;
  /** The export is the handle itself: `import { sql } from '@vercel/postgres'`. */
  is?: Give;
  /**
   * What `new` makes, or the exported object itself, carries SQL: pg's `new Query(text)`, `Prisma.empty`. No positions:
   * the empty text.
   */
  fragment?: Fragment;
  /**
   * As an annotation. `ambiguous`: objects of this type play several roles, so only their origin can say which. With
   * `or-transaction` it is the kind's own role, or a transaction, whose type is assignable to this one; with `in-migrations`
   * the same, but in functions named `up` and `down`, whose caller passes either, nothing is known.
   */
  type?: string | { kind: string; ambiguous: true | 'in-migrations' | 'or-transaction' };
}

/** What comes into being: a kind's name, or more. */
export type Give = string | GiveDetails;

export interface GiveDetails {
  kind: string;
  /** The same backend and role as the receiver: `queryRunner.manager`, `pool.promise()`. */
  same?: boolean;
  /**
   * The role and identity of the handle passed here: `drizzle(client)`. Without one, the receiver's with `same`, else the
   * kind's own role.
   */
  wraps?: readonly Position[];
  /** The object that the receiver wraps, of whatever driver it is; without one, an object of the kind: Drizzle's `$client`. */
  unwraps?: boolean;
  /** In a callback: bound to the handle at this parameter of the same callback: pg's `done`. */
  sameAsParameter?: number;
  /** One backend only, hence `single`: `new Pool({ max: 1 })`. One condition of the list is enough. */
  singleWhen?: readonly Condition[];
  /** Reads go to other servers unless told otherwise: Sequelize `replication`. One condition of the list is enough. */
  replicaWhen?: readonly Condition[];
  /**
   * Result columns may get other names than the SQL gives them: postgres' `transform`, Kysely's CamelCasePlugin. One
   * condition of the list is enough.
   */
  renamesColumnsWhen?: readonly Condition[];
  /** The pool resets the session when a connection comes back: mysql2's `resetOnRelease`. One condition is enough. */
  resetsOnReleaseWhen?: readonly Condition[];
  /** Where the server's lock_timeout is configured. */
  lockTimeout?: readonly Position[];
  /** Where connection strings and host options stand, for evidence of a pooler between. */
  url?: readonly Position[];
  /** A client-side limit on every statement, which does not stop the server: pg's `query_timeout`. */
  clientTimeout?: readonly Position[];
  /** The client-side limit, in milliseconds, on its transactions that set none themselves: Prisma. */
  transactionTimeout?: readonly Position[];
  /** Takes a connection that has to be given back; false for a handle somebody else gives back. Default true. */
  owned?: boolean;
}

/** Where something stands in a call. `property` may be dotted. */
export type Position =
  | { argument: number | 'last'; property?: string }
  /** The template of a tagged template; its values are the bound values. */
  | { template: true }
  /** The object the method is called on: `` sql`…`.execute(db) ``. */
  | { receiver: true }
  /** All arguments from this index on. */
  | { rest: number };

export interface Condition {
  at: Position;
  /** The value there is exactly this constant, or, with `present`, there is one that is not false. */
  equals?: string | number | boolean | null;
  /** The last part of a member expression there: `QueryTypes.SELECT`. */
  member?: string;
  present?: boolean;
  /** Nothing stands there, or undefined, null or false. */
  absent?: boolean;
}

/** A kind of object a driver hands out: handles, builders, pending queries, results. */
export interface Kind {
  /** The role of statements sent over it; absent for builders and fragments. */
  role?: Role;
  /** Members of another kind of this driver that this one has as well. */
  extends?: string;
  /** The kind that a dependency-injection container hands out where a type names this one; by default this kind. */
  injectedAs?: string;
  /** Its statements run in the transaction that is open around them, begun in whichever file: Effect's client, MikroORM's `em`. */
  joinsUnseen?: boolean;
  /** Methods that transactions of the library do not have: what one is called on is none. */
  notInTransactions?: readonly string[];
  /** `x.name(…)` and `` x.name`…` ``; for the latter, positions of arguments hold nothing. */
  methods?: Readonly<Record<string, Call>>;
  properties?: Readonly<Record<string, Give>>;
  /** The object itself called: `knex('table')`. */
  call?: Call;
  /** A class held in a property: `new fastify.pg.Client()`. */
  new?: Give;
  /** The object itself as a template tag. */
  tag?: Call;
  /** Any member not named here leads to calls that take a connection from the pool: `prisma.user.findMany()`. */
  otherMembers?: 'use-connection';
  /** What every property not named here is: the named databases of `fastify.pg`. */
  otherProperties?: Give;
  /** Every method that says nothing of what it returns, unnamed ones included, returns the object itself: query builders. */
  fluent?: boolean;
  /**
   * Awaiting the object (or `then`, `catch`, `finally`) sends the statement it has collected: Knex's builders. An object
   * given by a call that `sends` lazily is that same statement, and this says only how its result is read.
   */
  awaits?: Sends;
  /** What awaiting the object, or `yield*` in an Effect generator, gives: Effect's `sql.reserve`. */
  resolves?: Give;
  /** A transaction pooler stands between it and the server, wherever it connects to: the pools of @vercel/postgres. */
  behindPooler?: true;
  /** Symbol.dispose or Symbol.asyncDispose does this: `using`. */
  dispose?: Effect;
}

export interface Call {
  /** Sends SQL to the server. */
  sends?: Sends;
  /** Makes a piece of SQL that something else sends. */
  fragment?: Fragment;
  /** The returned value. */
  gives?: Give;
  /** The awaited value. */
  resolves?: Give;
  /** With a function in its place, `gives` and `resolves` do not apply: `pool.connect(callback)`. */
  callback?: Callback;
  effect?: Effect;
  /** The statements in this array, or returned as an array by the callback, run in one transaction. */
  batch?: Position;
  /**
   * In a query builder: what part of the statement the fragments in the arguments are, and the call's own `fragment`:
   * `whereRaw('…')`.
   */
  clause?: BuilderClause;
  /** The name of the result column made of the SQL in this call, or of the fragment it is called on: `` sql`…`.as('ok') ``. */
  alias?: Position;
  /** A signal that later calls on the given or awaited object obey, or that of its callback: `em.fork({ signal })`. */
  signal?: Sends['signal'];
  /** A client-side limit on the statement that the receiver sends later, with the server left waiting: Knex `timeout(ms)`. */
  clientTimeout?: readonly Position[];
  /** Uses a connection of the pool, though no SQL text is seen: `dataSource.runMigrations()`. */
  usesConnection?: boolean;
  /** Only when all of these hold; the first matching entry of a list decides. */
  when?: readonly Condition[];
  /** Other meanings of the same call, tried first, in order; each is complete in itself. */
  variants?: readonly Call[];
  /** The options that set the isolation level of the transaction it opens. */
  isolation?: readonly Position[];
  /** The isolation level of every transaction it opens, where its name says it: Zapatos's `serializable`. */
  isolates?: IsolationLevel;
  /** The client-side limit on the transaction it opens, in milliseconds, and its default: Prisma. */
  transactionTimeout?: { at: readonly Position[]; default: number };
}

export interface Sends {
  /** Where the text stands; the first position that holds something is it. */
  sql: readonly Position[];
  /** The call names a function instead of carrying SQL: `rpc('pg_try_advisory_lock', …)`. */
  functionName?: Position;
  /** A call that always runs this lock function: Lucid's `getAdvisoryLock` is `pg_try_advisory_lock`. */
  runs?: string;
  values?: readonly Position[];
  /** The handle is passed to the call; without a handle there, the receiver's role counts unless `required`. */
  on?: { at: readonly Position[]; required?: boolean };
  /** Sent in this role, whatever the receiver's: the tag of a Vercel pool goes over HTTP. */
  over?: Role;
  result: Result;
  /** The result as the last argument of a callback, at this parameter. */
  callback?: { argument: number | 'last'; parameter: number; result: Result };
  /** Nothing is sent until somebody awaits: `memoized` sends once, `resent` with every await. Absent: sent at once. */
  lazy?: 'memoized' | 'resent' | 'needs-call';
  placeholders?: readonly PlaceholderStyle[];
  /**
   * An AbortSignal that this driver honours, or, with `ignored`, one it drops silently. `safeWhen`: an abort in flight
   * stops the server, too, when one of these holds; an abort before that still sends nothing. `refusedAt`: places where a
   * signal makes the call fail, aborted or not.
   */
  signal?: { at: readonly Position[]; ignored?: boolean; refusedAt?: readonly Position[]; safeWhen?: readonly Condition[] };
  /** A client-side limit that rejects while the server goes on. */
  clientTimeout?: readonly Position[];
  /** Read from a replica when the handle has replicas and these hold. */
  replicaWhen?: readonly Condition[];
  /** The text goes through the simple protocol and may hold several statements; false when it must be one. */
  multipleStatements?: boolean;
  /** Rejects on a result column of type void, after the statement ran: Prisma's `$queryRaw`. */
  rejectsVoid?: boolean;
  /** Rejects when a row comes back, after the statement ran: pg-promise's `none`. */
  rejectsRows?: boolean;
  /** The method that takes the same arguments and does not reject so: `$executeRaw`. */
  tolerantMethod?: string;
}

/**
 * Where the cell of a result stands in the awaited value. `at` is the path to it: ['rows'], ['0'], []. An alternative of
 * `one-of` with a `dialect` counts only for SQL of that dialect.
 */
export type Result =
  /** Rows are objects by column name, under `at`. */
  | { shape: 'rows'; at: readonly string[]; dialect?: Dialect }
  /** Rows are arrays by column position. */
  | { shape: 'row-arrays'; at: readonly string[] }
  /** One row object, or nothing. */
  | { shape: 'row'; at: readonly string[] }
  /** The first column's value itself. `beside`: what else the result says, whatever the value is. */
  | { shape: 'value'; at: readonly string[]; beside?: readonly string[] }
  /** A number of rows: the boolean cannot be had. */
  | { shape: 'count' }
  /** True for any row: slonik's `exists`. */
  | { shape: 'any-row' }
  | { shape: 'nothing' }
  /** Depends on what the analyzer cannot see: any of these. */
  | { shape: 'one-of'; results: readonly Result[] }
  | { shape: 'unknown' };

/** A piece of SQL made for something else to send. */
export interface Fragment {
  sql: readonly Position[];
  values?: readonly Position[];
  /** How the text is meant: `value` and `identifier` are inserted as one bound value or one quoted name. */
  as: 'sql' | 'value' | 'identifier' | 'list';
  /** The fragment is a call of the function named here, with `values` as its arguments: `Sequelize.fn`. */
  functionName?: Position;
  /** Sending it gives this, whatever the sending call says: cursors and streams. */
  result?: Result;
  placeholders?: readonly PlaceholderStyle[];
}

export interface Callback {
  argument: number | 'last';
  /** What the callback's parameters are, by position. */
  parameters: Readonly<Record<number, Give>>;
  /** What its last parameter is, however many there are: Objection's `transaction(A, B, (A, B, trx) => …)`. */
  lastParameter?: Give;
  /** How often and when it runs: `once` before the call settles, or later, whenever (event listeners). Default `once`. */
  runs?: 'once' | 'later';
  /** The callback returns an array of statements that are then sent. */
  returnsBatch?: boolean;
}

/** What a call does to a connection or transaction, besides sending SQL. */
export type Effect =
  /** Back to the pool, the session as it is. `of`: the handle is an argument. */
  | { does: 'gives-back'; of?: Position; destroysWhen?: 'truthy-argument' | 'always'; rollsBack?: boolean }
  /** The session ends and with it every lock. */
  | { does: 'closes'; of?: Position }
  | { does: 'begins' }
  | { does: 'commits' }
  | { does: 'rolls-back' }
  /** Commits what is open, then gives back: TypeORM's `await using`. */
  | { does: 'commits-and-gives-back' }
  /** Registers a listener; the event's name is the first argument. */
  | { does: 'listens' };

export type BuilderClause =
  /** Fragments in the arguments stand in this clause. */
  | { is: 'select' | 'where' | 'having' | 'join-on' | 'order-by' | 'group-by' | 'returning' | 'from' | 'set' | 'distinct-on' }
  | { is: 'limit' | 'offset'; at: Position }
  /** Takes one row: Knex `first(…)` sends LIMIT 1; fragments in the arguments stand in the select list. */
  | { is: 'limit-one' }
  /** SELECT DISTINCT; fragments in the arguments stand in its select list. */
  | { is: 'distinct' }
  | { is: 'row-locking' }
  /** Sent over the handle passed here. */
  | { is: 'handle'; at: Position };

/** Code that shows a part of the descriptor, and what the analyzer must make of it. Run by the project's tests. */
export interface Example {
  code: string;
  /** The statements found, in the order of the code. */
  sends?: readonly ExampleStatement[];
  /** What happens to connections and transactions, in the order of the code; a disposal stands at the end of its block. */
  effects?: readonly Effect['does'][];
}

export interface ExampleStatement {
  over: Role;
  /** Part of the SQL, where the text is not obvious. */
  sql?: string;
  /** Member access on the awaited value that reads the first column of the first row. */
  cell?: string;
  /** Expected when the statement is never sent. */
  sent?: false;
}

/** How a bound JavaScript value reaches the server. */
export interface Binding {
  /** `null`: a bound `undefined` is SQL NULL; `throws`: the driver refuses it; `dropped`: the value disappears from the text. */
  undefined?: 'null' | 'throws' | 'dropped';
  null?: 'null' | 'throws';
  /** Type given to a bound number; `untyped` lets the server infer it. */
  number?: 'untyped' | 'bigint' | 'integer';
  /** Type given to a bound bigint: postgres.js says `int8`, which the functions with two keys do not take. */
  bigint?: 'untyped' | 'bigint';
}

/** Checks the shape at compile time and keeps the literal's own type out of the way. */
export const defineDriver = (descriptor: DriverDescriptor): DriverDescriptor => descriptor;
