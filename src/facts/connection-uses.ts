import type { Call, DriverDescriptor, Give } from '../drivers/driver.js';
import { definePass } from '../pass.js';
import { nodes } from '../source/walk.js';
import { evaluation } from './evaluation.js';
import { kindOf, roleOfKind } from './kinds.js';
import type { CallNode } from './query.js';
import type { Handle } from './values.js';

/** A call that needs a connection though it carries no SQL text. Over a pool it takes one of the pool's. */
export interface ConnectionUse {
  readonly node: CallNode;
  /** What it is called on; a pool, or a connection or transaction that it stays on. */
  readonly handle: Handle;
  /** `statement`: runs SQL that is not seen. Otherwise it takes a connection, or opens a transaction on one. */
  readonly for: 'statement' | 'connection' | 'transaction';
}

/** Calls that use a connection without SQL text, in source order: `pool.connect()`, `prisma.job.findMany()`, `db.transaction(…)`. */
export const connectionUses = definePass('connection-uses', [nodes, evaluation], ([nodesOfFile, { evaluator }]): readonly ConnectionUse[] => {
  const candidates: CallNode[] = [...nodesOfFile.calls, ...nodesOfFile.taggedTemplates];
  return candidates
    .flatMap((node): ConnectionUse[] => {
      const meaning = evaluator.meaningOf(node);
      const handle = meaning?.receiver?.handle;
      if (!meaning || !handle) return [];
      const purpose = purposeOf(meaning.call, meaning.driver);
      return purpose ? [{ node, handle, for: purpose }] : [];
    })
    .sort((a, b) => a.node.range[0] - b.node.range[0]);
});

function purposeOf(call: Call, driver: DriverDescriptor): ConnectionUse['for'] | null {
  if (call.usesConnection) return 'statement';
  if (call.batch) return 'transaction';
  const made: readonly (Give | undefined)[] = [call.gives, call.resolves, ...Object.values(call.callback?.parameters ?? {}), call.callback?.lastParameter];
  const roles = made.flatMap((give) => (give === undefined || (typeof give !== 'string' && give.same) ? [] : (roleOfKind(driver, kindOf(give)) ?? [])));
  if (roles.includes('transaction')) return 'transaction';
  return roles.includes('connection') ? 'connection' : null;
}

