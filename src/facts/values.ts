import type { TSESTree } from '@typescript-eslint/utils';
import type { Unit } from '../pass.js';
import type { Call, DriverDescriptor, Export, GiveDetails, Role } from '../drivers/driver.js';
import type { ClassNode, FunctionNode } from '../source/ast.js';
import type { Variable } from '../source/scope.js';

/**
 * Two handles with one identity reach the same backend, or the same pool. Identity is a place in the program, never a
 * name: the call that made the handle, the parameter or field that brings it, or the import it comes from (as text).
 */
export type HandleIdentity = TSESTree.Node | Variable | string;

/** A call that makes or configures a driver's object. */
export type MakingNode = TSESTree.CallExpression | TSESTree.NewExpression | TSESTree.TaggedTemplateExpression;

/** What SQL is sent over, and how we know. */
export interface Handle {
  readonly role: Role;
  readonly driver: DriverDescriptor;
  /** The kind's name in the driver. */
  readonly kind: string;
  readonly identity: HandleIdentity;
  /** The pool a connection or transaction was taken from; null for one made by itself or of unknown origin. */
  readonly pool: Handle | null;
  readonly evidence: Evidence;
  /** The constructor or factory call that made it, where this file shows it. */
  readonly created: MakingNode | null;
  /** The driver object it is built on: the pool in `drizzle(pool)`. */
  readonly underlying: { readonly driver: DriverDescriptor; readonly kind: string } | null;
  /** The descriptor of that call: where its options stand. */
  readonly give: GiveDetails | null;
  /**
   * Every call in this file whose options apply to it, its own first, then those of what it is built on or taken from:
   * `drizzle(pool)`, then `new Pool({ … })`.
   */
  readonly configured: readonly Configuration[];
  /** A signal that every statement sent over it obeys: `em.fork({ signal })`. */
  readonly signal: SignalUse | null;
  /** The callback at whose end the handle is given back or its transaction ends. */
  readonly lifetime: FunctionNode | null;
  /**
   * Lives as long as the module: nobody's own connection, whatever its kind. For a handle imported from a file that
   * was not read, pool and shared connection cannot be told apart.
   */
  readonly moduleLevel: boolean;
  /**
   * That it is a database handle at all is assumed, from the name of the method called on it: it comes from an import
   * whose file was not read, or from nowhere the file shows. Believe it only of calls that carry a lock statement.
   */
  readonly assumed: boolean;
  /**
   * Known by a type or name that transactions go by as well. A session lock is wrong over either; whether a
   * transaction is open is not known.
   */
  readonly mayBeTransaction: boolean;
}

export interface Configuration {
  readonly give: GiveDetails;
  readonly call: MakingNode;
}

/**
 * An AbortSignal that a statement is given. `ignored`: the driver drops it. `refused`: the driver takes it for something else
 * and the call fails. `stopsServer`: an abort in flight also ends the statement on the server; one that came before still
 * keeps it from being sent.
 */
export interface SignalUse {
  readonly node: TSESTree.Node;
  readonly ignored: boolean;
  readonly refused: boolean;
  readonly stopsServer: boolean;
}

/** Why the analyzer believes what it says of a handle. */
export interface Evidence {
  readonly because:
    | 'constructor'
    | 'factory'
    | 'taken-from-pool'
    | 'callback-parameter'
    | 'annotation'
    | 'injection'
    /** Said by a comment, which nothing checks. */
    | 'comment'
    | 'caller'
    | 'module-import'
    /** Given by a function of a file that was not read, which may look for the caller's transaction. */
    | 'accessor'
    /** It is sent statements and released: a connection, whoever lends it. */
    | 'given-back'
    | 'type'
    | 'setting'
    | 'option'
    | 'batch'
    | 'export'
    | 'none';
  readonly node: TSESTree.Node;
}

/** What an expression is at run time, as far as the file proves it. */
export type Value =
  | DriverObject
  | { readonly type: 'promise'; readonly of: Value }
  /** A name a driver exports, not yet called or constructed. */
  | {
      readonly type: 'export';
      readonly driver: DriverDescriptor;
      readonly entry: Export;
      /** Where it is exported, for what hangs on it: `MikroORM.init`. */
      readonly module: string;
      readonly path: readonly string[];
    }
  /** A module's namespace object, or a nested part of it. */
  | { readonly type: 'namespace'; readonly module: string; readonly path: readonly string[] }
  /** Something imported from a module that is no driver and was not read. */
  | { readonly type: 'foreign'; readonly module: string; readonly path: readonly string[] }
  /** A method of a driver object, taken but not called. */
  | { readonly type: 'method'; readonly receiver: DriverObject; readonly name: string; readonly call: Call }
  /** A part of a driver object whose calls use a connection of its pool: `prisma.user`. */
  | { readonly type: 'delegate'; readonly receiver: DriverObject }
  | { readonly type: 'function'; readonly node: FunctionNode; readonly self: Value | null }
  | { readonly type: 'class'; readonly node: ClassNode }
  | { readonly type: 'instance'; readonly class: ClassNode; readonly created: TSESTree.NewExpression | null }
  | { readonly type: 'record'; readonly node: TSESTree.ObjectExpression }
  | { readonly type: 'list'; readonly elements: readonly (Value | null)[] }
  /** An object known by its annotation only: members by type. */
  | { readonly type: 'shape'; readonly members: readonly TSESTree.TypeElement[] }
  /** A file of the project as a whole, that was read because another one imports it. */
  | { readonly type: 'module'; readonly unit: Unit }
  /**
   * What belongs to another file. `of` is what it is there; its nodes are not nodes of this file. `named` is how this file
   * imports it; null for what calls give.
   */
  | {
      readonly type: 'elsewhere';
      readonly of: Extract<Value, { type: 'function' | 'class' | 'instance' | 'record' | 'shape' | 'module' }>;
      readonly named: { readonly module: string; readonly path: readonly string[] } | null;
    }
  /** `globalThis`. */
  | { readonly type: 'global' }
  /** null or undefined, certainly. */
  | { readonly type: 'nothing' }
  | Unknown;

export interface DriverObject {
  readonly type: 'object';
  readonly driver: DriverDescriptor;
  readonly kind: string;
  /** The handle it is, or, for builders and fragments, the handle it will send over; null for none. */
  readonly handle: Handle | null;
  readonly node: TSESTree.Node;
  /** The export it is, for what hangs on it under the same name: Effect's `SqlClient.SqlClient`. */
  readonly exported?: { readonly module: string; readonly path: readonly string[] };
}

export interface Unknown {
  readonly type: 'unknown';
  /**
   * Different values on different paths or from different callers; each may still prove something. Empty where nothing is
   * known; otherwise wholly unknown ones are among them.
   */
  readonly alternatives: readonly Value[];
  /** `callers`: each alternative certainly occurs, because a call in this file passes it; `branches`: any of them may. */
  readonly from: 'callers' | 'branches';
}

export const unknown: Unknown = { type: 'unknown', alternatives: [], from: 'branches' };

/**
 * The answer to a question that is being answered already, `query` in `query = query.where(…)`: it adds nothing to what the
 * other ways to the value say.
 */
export const circular: Unknown = { type: 'unknown', alternatives: [], from: 'branches' };

/** A handle of which only the given is known. */
export const bareHandle = (known: Pick<Handle, 'role' | 'driver' | 'kind' | 'identity' | 'evidence'>): Handle => ({
  ...known,
  pool: null,
  created: null,
  underlying: null,
  give: null,
  configured: [],
  signal: null,
  lifetime: null,
  moduleLevel: false,
  assumed: false,
  mayBeTransaction: false,
});
