import type { TSESTree } from '@typescript-eslint/utils';
import { queries, type QueryLock } from '../facts/queries.js';
import { definePass } from '../pass.js';
import { unwrappedParent } from '../source/ast.js';
import type { Edit } from '../source/edit.js';
import type { Acquire, FunctionState } from './model.js';

export interface TransactionLevel {
  /**
   * The edits that make a session lock in a transaction end with it: the function's name changed, its unlocks dropped. Null
   * where that is more than a change of names: an unlock whose answer is read, a block that would be left empty.
   */
  changeOf(acquire: Acquire, state: FunctionState): { readonly fn: string; readonly edits: readonly Edit[] } | null;
}

const sessionLock = /^pg_(try_)?advisory_lock(_shared)?$/;

/** The name of the same lock at transaction level; null for a function that has no such twin. */
export function transactionName(name: string): string | null {
  return sessionLock.test(name) ? name.replace('advisory_lock', 'advisory_xact_lock') : null;
}

/** How session locks become transaction locks by edits alone. */
export const transactionLevel = definePass('transactionLevel', [queries], ([statements], { text }): TransactionLevel => {
  // The snapshot of such a transaction is older than the wait for a lock taken in it.
  const hasIsolation = statements.some(({ session }) =>
    session.some((operation) => operation.kind === 'set-isolation' || (operation.kind === 'begin' && operation.isolation !== null)),
  );
  return { changeOf };

  function changeOf({ held, inLoop, transactionOpenedBy }: Acquire, { releases }: FunctionState) {
    const { lock, unlocks, helper, origin, certain } = held;
    const fn = transactionName(lock.operation.name);
    if (fn === null || !certain || helper || inLoop || hasIsolation || hasOptions(transactionOpenedBy)) return null;
    if (unlocks.length === 0 && origin !== 'here') return null;
    const renamed = renaming(lock, fn);
    const dropped = unlocks.map((unlock) => (releases.some((release) => release.lock === unlock && release.transaction === 'open') ? removal(unlock) : null));
    const edits = [renamed, ...dropped].filter((edit) => edit !== null);
    return edits.length === dropped.length + 1 ? { fn, edits } : null;
  }

  function renaming({ operation, text: sql, query }: QueryLock, fn: string): Edit | null {
    // Without an alias the result's column has the function's name.
    const isNamed = operation.action === 'try' && (operation.column === null || operation.column.name === operation.name);
    const { start, end } = operation.nameRange;
    const range = sql.editable(start, end);
    const isPlain = sql.text.slice(start, end).toLowerCase() === operation.name;
    return range && isPlain && !isNamed && query.frames.length === 0 ? { range, text: fn } : null;
  }

  /** Takes out a statement that does nothing but unlock, with its line. */
  function removal({ query }: QueryLock): Edit | null {
    if (query.locks.length !== 1 || query.analysis?.statements.length !== 1 || query.frames.length > 0) return null;
    const awaited = unwrappedParent(query.node).parent;
    const statement = awaited?.type === 'AwaitExpression' ? unwrappedParent(awaited).parent : awaited;
    if (statement?.type !== 'ExpressionStatement' || statement.parent.type !== 'BlockStatement' || statement.parent.body.length < 2) return null;
    const before = /\n[\t ]*$/.exec(text.slice(0, statement.range[0]))?.[0].length ?? 0;
    return { range: [statement.range[0] - before, statement.range[1]], text: '' };
  }
});

/** Options of the call that begins the transaction may set its isolation level. */
const hasOptions = (node: TSESTree.Node | null): boolean => node?.type === 'CallExpression' && node.arguments.some(({ type }) => type === 'ObjectExpression' || type === 'Identifier');
