import type { TSESTree } from '@typescript-eslint/utils';
import type { Condition, GiveDetails, Position } from '../drivers/driver.js';
import { definePass } from '../pass.js';
import { unwrap } from '../source/ast.js';
import { evaluation } from './evaluation.js';
import type { Evaluator } from './evaluator.js';
import type { Handle } from './values.js';

/**
 * What the options say with which a handle, and the pool or client behind it, were made. Options that the file does not
 * show give null or false.
 */
export interface HandleConfiguration {
  /** The server's lock_timeout. */
  lockTimeoutOf(handle: Handle): TSESTree.Node | null;
  /** A client-side limit on every statement, which leaves the server waiting. */
  clientTimeoutOf(handle: Handle): TSESTree.Node | null;
  /** The client-side limit on transactions that set none themselves, in milliseconds. */
  transactionTimeoutOf(handle: Handle): TSESTree.Node | null;
  /** Connection strings, hosts and ports. */
  urlsOf(handle: Handle): readonly TSESTree.Node[];
  /** With such a plugin or option, a column's name in the result is not the one the SQL gives it. */
  renamesColumns(handle: Handle): boolean;
  /** The pool resets the session when the connection comes back: its session locks are gone then. */
  resetsOnRelease(handle: Handle): boolean;
  /** Reads go to other servers unless they say otherwise. */
  hasReplicas(handle: Handle): boolean;
}

export function createConfiguration(evaluator: Evaluator): HandleConfiguration {
  return {
    lockTimeoutOf: (handle) => optionOf(handle, ({ lockTimeout }) => lockTimeout),
    clientTimeoutOf: (handle) => optionOf(handle, ({ clientTimeout }) => clientTimeout),
    transactionTimeoutOf: (handle) => optionOf(handle, ({ transactionTimeout }) => transactionTimeout),
    // A connection string or an object with options may stand in the same place.
    urlsOf: (handle) => optionsOf(handle, ({ url }) => url).filter((node) => unwrap(node).type !== 'ObjectExpression'),
    renamesColumns: (handle) => isConfigured(handle, ({ renamesColumnsWhen }) => renamesColumnsWhen),
    resetsOnRelease: (handle) => handle.driver.resetsOnRelease === true || isConfigured(handle, ({ resetsOnReleaseWhen }) => resetsOnReleaseWhen),
    hasReplicas: (handle) => isConfigured(handle, ({ replicaWhen }) => replicaWhen),
  };

  function optionOf(handle: Handle, positions: (give: GiveDetails) => readonly Position[] | undefined): TSESTree.Node | null {
    return optionsOf(handle, positions)[0] ?? null;
  }

  function optionsOf(handle: Handle, positions: (give: GiveDetails) => readonly Position[] | undefined): readonly TSESTree.Node[] {
    return handle.configured.flatMap(({ give, call }) =>
      (positions(give) ?? []).flatMap((position) => {
        const place = evaluator.placed(call, position);
        return place.kind === 'found' && evaluator.valueOf(place.node).type !== 'nothing' ? [place.node] : [];
      }),
    );
  }

  function isConfigured(handle: Handle, conditions: (give: GiveDetails) => readonly Condition[] | undefined): boolean {
    return handle.configured.some(({ give, call }) => conditions(give)?.some((condition) => evaluator.holds(call, condition)) === true);
  }
}

/** How the file's handles are configured. */
export const configuration = definePass('configuration', [evaluation], ([{ evaluator }]): HandleConfiguration => createConfiguration(evaluator));
