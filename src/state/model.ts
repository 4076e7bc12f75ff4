/**
 * What the state layer says of each function of a file: which locks are held where, in which transaction, on whose
 * connection, and how they are lost. Plain data for the rules; nothing in it is a judgement.
 *
 * "Certain" has one meaning throughout: there is a path through the function on which what is said happens, every test on
 * that path was understood, and nothing on it was out of sight. What is not certain is marked so, or left out where a list
 * says that it holds certain things only.
 */
import type { TSESTree } from '@typescript-eslint/utils';
import type { LockKey } from '../facts/keys.js';
import type { Query, QueryLock } from '../facts/query.js';
import type { Handle } from '../facts/values.js';
import type { FlowUnit } from '../flow/nodes.js';
import type { FunctionNode } from '../source/ast.js';

export type { LockKey } from '../facts/keys.js';

/** One step of a path, in order: node and words, such as "`applyMigration` on line 14 throws". */
export interface PathStep {
  readonly node: TSESTree.Node;
  readonly text: string;
}

/**
 * A connection as one function sees it.
 * - `here`: opened or taken from its pool in this function, by a helper that hands it over, or for a callback that
 *   runs as part of this function and that gives it back at its end
 * - `outside`: a parameter, a field, a variable of the code around, a module's shared handle
 */
export type Origin = 'here' | 'outside';

/**
 * - `none`: autocommit, certainly
 * - `open`: a transaction is open, certainly
 * - `implicit`: the statement stands in a string of several statements without values, which run as one transaction
 * - `unknown`: a connection that comes from outside, or that code out of sight had in hand
 */
export type TransactionState = 'none' | 'open' | 'implicit' | 'unknown';

/** One place where a function takes a lock, by itself or by calling a helper of this file. */
export interface HeldLock {
  /** The lock function, its statement and text. Findings about the lock stand on `lock.query.node`. */
  readonly lock: QueryLock;
  /** The call in this function that takes it: the statement's own call, or the call of a helper. */
  readonly call: TSESTree.Node;
  /** The helper whose statement takes it; null when the statement stands in this function (or its inlined callbacks). */
  readonly helper: FunctionNode | null;
  /** What it is taken on, as this function sees it. */
  readonly handle: Handle;
  readonly origin: Origin;
  readonly key: LockKey;
  /**
   * The lock, the handle's kind and the key are proved, and the statement takes exactly one lock whenever it runs. False
   * for a handle of unknown role, keys from table rows, a lock in a filter or in CASE.
   */
  readonly certain: boolean;
  /** The unlocks of this function that may be meant for it: by themselves, in its callbacks, in helpers it calls. */
  readonly unlocks: readonly QueryLock[];
}

/** How a session lock is lost on a path. */
export type LossCause =
  /** The path reaches the exit without an unlock and without giving the connection back. */
  | { readonly kind: 'not-unlocked' }
  /** The connection went back to its pool with the lock; `node` is the call or callback end that gave it back. */
  | { readonly kind: 'given-back'; readonly node: TSESTree.Node }
  /** The unlock was rejected and the rejection swallowed, then the connection went back (`node`), or the exit came. */
  | { readonly kind: 'unlock-swallowed'; readonly unlock: QueryLock; readonly node: TSESTree.Node | null }
  /** The path passes an unlock whose lazy query nobody awaits. */
  | { readonly kind: 'unlock-never-sent'; readonly unlock: QueryLock }
  /** The path passes an unlock that certainly does not match. */
  | { readonly kind: 'unlock-mismatched'; readonly unlock: QueryLock };

/** A session lock still held at an exit of the function. Certain only; at most one per lock and kind of exit. */
export interface Leak {
  readonly held: HeldLock;
  /** How the path ends. */
  readonly exit: 'return' | 'throw';
  /** The `return` or `throw` statement, or the call that throws, by which it ends; the function where it runs off its end. */
  readonly node: TSESTree.Node;
  /** The call or `throw` whose failure sets the path on its way, also where it is caught before the exit; null for none. */
  readonly failing: TSESTree.Node | null;
  readonly cause: LossCause;
  /**
   * The connection is this function's own on this path. False where it came from outside, or where it was returned,
   * stored, captured by a function that leaves, or given to a constructor before the exit.
   */
  readonly owned: boolean;
  /** The connection was this function's own and somebody else has it at the exit: the lock is theirs, too. */
  readonly handedOver: boolean;
  /** The path took the lock in a transaction that was open for certain. */
  readonly inTransaction: boolean;
  readonly witness: readonly PathStep[];
}

/** A connection opened in this function for a lock, and not closed on a path on which the lock was refused. */
export interface ConnectionLeak {
  readonly held: HeldLock;
  /** What opened it. */
  readonly opened: TSESTree.Node;
  /** `refused`: a try-lock answered no. `rejected`: a blocking acquire failed (the rule asks whether it has a limit). */
  readonly because: 'refused' | 'rejected';
  readonly exit: 'return' | 'throw';
  /** The `return` or `throw` of the refused path; `opened` where the acquire itself throws out of the function. */
  readonly node: TSESTree.Node;
  readonly witness: readonly PathStep[];
}

/** The connection goes back to its pool with a session lock on it. Certain only; one per lock, call and reason. */
export interface GiveBackWhileHeld {
  readonly held: HeldLock;
  /** The call that gives it back, where it is written; for the end of a callback or `using`, the call or declaration. */
  readonly node: TSESTree.Node;
  /** The call in this function that leads there, when a helper gives it back; else the same node. */
  readonly call: TSESTree.Node;
  readonly how: 'call' | 'callback-end' | 'dispose';
  /**
   * - `no-unlock`: the function has no unlock for the lock
   * - `before-unlock`: an unlock follows on this path
   * - `path-misses-unlock`: the function has an unlock, this path does not pass it
   * - `unlock-swallowed`, `unlock-never-sent`, `unlock-mismatched`: as in `LossCause`
   */
  readonly why: 'no-unlock' | 'before-unlock' | 'path-misses-unlock' | 'unlock-swallowed' | 'unlock-never-sent' | 'unlock-mismatched';
  readonly unlock: QueryLock | null;
  readonly witness: readonly PathStep[];
}

/** Every give-back of a connection, for rules that ask what else goes back with it. */
export interface GiveBack {
  readonly node: TSESTree.Node;
  readonly call: TSESTree.Node;
  readonly handle: Handle;
  readonly destroys: 'yes' | 'no' | 'unknown';
  /** A `SET` of lock_timeout that is in force for the session on some path, certainly; it goes to the next user. */
  readonly timeoutLeft: Query | null;
}

/** One place where a lock is taken, and what is so when it is. */
export interface Acquire {
  readonly held: HeldLock;
  readonly query: Query;
  /** What is so on every path; `unknown` when paths differ. */
  readonly transaction: TransactionState;
  /** The statement or call that opened the transaction, where it was opened in this function. */
  readonly transactionOpenedBy: TSESTree.Node | null;
  /** Locks certainly held on some path when this one is taken, in the order they were taken; by the same or other handles. */
  readonly others: readonly HeldLock[];
  /**
   * The same lock is already held on the same connection, certainly, on some path: taken by this very statement in an
   * earlier round of a loop (`loop`), by another one before (`earlier`), or by an earlier run of a function that this file
   * hands to a timer, interval or event (`repeated`).
   */
  readonly stacked: { readonly by: 'loop' | 'earlier' | 'repeated'; readonly held: HeldLock; readonly witness: readonly PathStep[] } | null;
  /**
   * Is lock_timeout set on this connection by a statement before, on every path? `unknown` where code out of sight may have
   * set it. Options of pools and clients are not in it.
   */
  readonly lockTimeout: 'set' | 'not-set' | 'unknown';
  /** May it run more than once in one run of the function? */
  readonly inLoop: boolean;
}

/** One place where a lock is released. */
export interface Release {
  readonly lock: QueryLock;
  readonly call: TSESTree.Node;
  readonly handle: Handle;
  readonly key: LockKey | null;
  /** Locks that it releases on some path. */
  readonly releases: readonly HeldLock[];
  /** In a transaction, certainly, on some path; and was one of its statements able to abort it before? */
  readonly transaction: TransactionState;
  readonly transactionOpenedBy: TSESTree.Node | null;
  readonly mayBeAborted: boolean;
  /** Why it certainly releases nothing on some path. Null when that is not certain, or not so. */
  readonly mismatch: Mismatch | null;
}

export type Mismatch =
  /** Held, but in the other mode: `pg_advisory_lock` and `pg_advisory_unlock_shared`. */
  | { readonly kind: 'mode'; readonly held: HeldLock; readonly witness: readonly PathStep[] }
  /** The key is certainly another one. */
  | { readonly kind: 'key'; readonly held: HeldLock; readonly witness: readonly PathStep[] }
  /** One argument against two: another key space. */
  | { readonly kind: 'form'; readonly held: HeldLock; readonly witness: readonly PathStep[] }
  /** The same key function called with another number of arguments. */
  | { readonly kind: 'key-arguments'; readonly held: HeldLock; readonly witness: readonly PathStep[] }
  /** Held on another connection, certainly. */
  | { readonly kind: 'connection'; readonly held: HeldLock; readonly witness: readonly PathStep[] }
  /** A transaction lock, which nothing but the end of the transaction frees. */
  | { readonly kind: 'transaction-lock'; readonly held: HeldLock; readonly witness: readonly PathStep[] }
  /** The try-lock before was refused, as the path has tested. */
  | { readonly kind: 'refused'; readonly held: HeldLock; readonly witness: readonly PathStep[] };

/** A pool is asked for another connection while a lock is held on a connection that certainly came from it. */
export interface PoolUse {
  /** The call that asks: findings stand here. Inside an inlined callback it is the call in the callback. */
  readonly node: TSESTree.Node;
  /** The statement it sends; null for a call without SQL text (`runMigrations`, a model's method) and for `connect()`. */
  readonly query: Query | null;
  readonly pool: Handle;
  /** A lock of either level; its holder was taken from the same pool. */
  readonly held: HeldLock;
}

/** A statement sent while a lock is held, on the holder's connection or elsewhere. */
export interface StatementWhileHeld {
  readonly node: TSESTree.Node;
  readonly query: Query;
  readonly handle: Handle;
  readonly held: HeldLock;
  /** `unknown` where the handles may be one. */
  readonly onHolder: 'yes' | 'no' | 'unknown';
}

/** SET LOCAL of lock_timeout, or set_config(…, true), by itself; and the transaction it has an effect in. */
export interface LocalLimit {
  readonly node: TSESTree.Node;
  readonly query: Query;
  readonly handle: Handle;
  /** What is so on every path; `unknown` when paths differ. */
  readonly transaction: TransactionState;
}

/** A call other than the unlock that runs while a lock is held: the work under the lock. */
export interface WorkWhileHeld {
  readonly node: TSESTree.Node;
  readonly held: HeldLock;
  /** Does the call begin or end a transaction on the holder's connection? Such work spans transactions. */
  readonly transactional: boolean;
}

/** A transaction-level lock is freed before the code that wants it is done. */
export interface TransactionEndsEarly {
  readonly held: HeldLock;
  /** The call that ends it. */
  readonly node: TSESTree.Node;
  /**
   * `nested`: a second BEGIN opened nothing, so the first COMMIT or ROLLBACK ends all. `savepoint`: ROLLBACK TO a savepoint
   * set before the lock was taken.
   */
  readonly how: 'nested' | 'savepoint';
  /** The second BEGIN, or the SAVEPOINT. */
  readonly begun: TSESTree.Node;
  readonly witness: readonly PathStep[];
}

/** A loop that polls a try-lock ends without it, and the code after it runs with and without the lock alike. */
export interface FallThrough {
  readonly held: HeldLock;
  /** The first call after the loop that runs in both cases. */
  readonly node: TSESTree.Node;
  readonly witness: readonly PathStep[];
}

/** One unit: a function with the callbacks that run as part of it, the module's top level, a field, a static block. */
export interface FunctionState {
  readonly unit: FlowUnit;
  /** `unknown`: too large or too many states; every list is empty. */
  readonly kind: 'solved' | 'unknown';
  readonly locks: readonly HeldLock[];
  readonly acquires: readonly Acquire[];
  /** What calls of helpers take, once for each call; `query` is the helper's statement. */
  readonly helperAcquires: readonly Acquire[];
  readonly releases: readonly Release[];
  readonly leaks: readonly Leak[];
  readonly connectionLeaks: readonly ConnectionLeak[];
  readonly giveBacks: readonly GiveBack[];
  readonly giveBacksWhileHeld: readonly GiveBackWhileHeld[];
  readonly poolUsesWhileHeld: readonly PoolUse[];
  readonly statementsWhileHeld: readonly StatementWhileHeld[];
  readonly localLimits: readonly LocalLimit[];
  readonly workWhileHeld: readonly WorkWhileHeld[];
  readonly transactionEndsEarly: readonly TransactionEndsEarly[];
  readonly fallThroughs: readonly FallThrough[];
}
