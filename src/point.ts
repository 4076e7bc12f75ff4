import type { TSESTree } from '@typescript-eslint/utils';
import type { QueryLock } from './facts/query.js';
import type { SqlRange } from './sql/model.js';

/** The 1-based line a node begins on. */
export const lineOf = (node: TSESTree.Node): number => node.loc.start.line;

/** The lock function's call in the SQL text, as offsets in the file. */
export const lockRange = (lock: QueryLock): readonly [number, number] => lock.sourceOf(lock.operation.range);

/** A part of the lock's SQL text, as offsets in the file. */
export const sqlRange = (lock: QueryLock, range: SqlRange): readonly [number, number] => lock.sourceOf(range);

/** How the statement is sent, as the code writes it: `pool.query`, ``sql`…` ``. Long receivers are shortened. */
export function spelling(lock: QueryLock, text: string): string {
  const { sending } = lock.query;
  const callee = sending.type === 'CallExpression' ? sending.callee : sending.tag;
  const written = text.slice(callee.range[0], callee.range[1]).replace(/\s+/g, '');
  const short = written.length > 40 ? `…${written.slice(-30)}` : written;
  return sending.type === 'TaggedTemplateExpression' ? `${short}\`…\`` : short;
}
