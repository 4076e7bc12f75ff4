import type { TSESTree } from '@typescript-eslint/utils';
import type { Call, Result } from '../drivers/driver.js';
import unknownDriver from '../drivers/unknown-driver.js';
import { definePass } from '../pass.js';
import { unwrap } from '../source/ast.js';
import { nodes } from '../source/walk.js';
import { functionFor } from '../sql/lock-functions.js';
import type { LockWrapper } from './declared/wrappers.js';
import { evaluation } from './evaluation.js';
import type { CallMeaning } from './evaluator.js';
import { statementReader } from './queries.js';
import type { Query } from './query.js';
import { bareHandle } from './values.js';

/** A call of a function that the settings say takes or gives back a lock. */
export interface LockHelperCall {
  readonly node: TSESTree.CallExpression;
  readonly does: LockWrapper['does'];
  /** The statements that the function sends, in order, as far as locks go: an acquire and a release for `hold`. */
  readonly statements: readonly Query[];
  /** The argument that is called while the lock is held. */
  readonly callback: TSESTree.Node | null;
}

/** Helpers without a handle among their arguments use the same connection, whichever that is. */
const sharedConnection = 'lock helpers';

/**
 * What `settings.wrappers` says of the file's calls. They are read as calls of the lock functions behind them, for those who
 * follow locks along paths; they are no statements of the file, so nobody judges their SQL, keys or results.
 */
export const lockHelpers = definePass('lock helpers', [nodes, evaluation, statementReader], ([nodesOfFile, { evaluator, declaredWrappers }, reader]): readonly LockHelperCall[] =>
  nodesOfFile.calls.flatMap((node) => {
    const wrapper = declaredWrappers.lockAt(node, evaluator.valueOf(unwrap(node.callee)));
    if (!wrapper) return [];
    const statements = functionsOf(wrapper).flatMap((runs) => reader.sentAs(node, meaningOf(wrapper, runs, node)));
    return [{ node, does: wrapper.does, statements, callback: wrapper.callback === undefined ? null : (node.arguments[wrapper.callback] ?? null) }];
  }),
);

/** The lock functions that stand for what the helper does. A transaction lock goes with its transaction. */
function functionsOf({ does, level }: LockWrapper): readonly string[] {
  switch (does) {
    case 'acquire':
    case 'try':
      return [functionFor(does, level) ?? []].flat();
    case 'release':
      return [functionFor('release', 'session') ?? []].flat();
    case 'hold':
      return [functionFor('acquire', level) ?? [], functionFor('release', level) ?? []].flat();
    default:
      return does satisfies never;
  }
}

function meaningOf({ does, level, key, handle }: LockWrapper, runs: string, node: TSESTree.CallExpression): CallMeaning {
  // A helper that tries says whether it got the lock; what the others answer is their own business.
  const result: Result = does === 'try' ? { shape: 'value', at: [] } : { shape: 'unknown' };
  const call: Call = {
    sends: {
      sql: [],
      runs,
      result,
      ...(key === undefined ? {} : { values: [{ argument: key }] }),
      ...(handle === undefined ? {} : { on: { at: [{ argument: handle }], required: true } }),
    },
  };
  const role = level === 'transaction' ? 'transaction' : 'connection';
  const shared = bareHandle({ role, driver: unknownDriver, kind: role, identity: sharedConnection, evidence: { because: 'setting', node } });
  const receiver = { type: 'object', driver: unknownDriver, kind: role, node, handle: shared } as const;
  const callee = unwrap(node.callee);
  const name = callee.type === 'Identifier' ? callee.name : callee.type === 'MemberExpression' && callee.property.type === 'Identifier' ? callee.property.name : '';
  return { call, driver: unknownDriver, receiver, name, otherReceivers: [] };
}
