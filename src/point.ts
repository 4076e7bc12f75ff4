import type { TSESTree } from '@typescript-eslint/utils';
import type { QueryLock } from './facts/query.js';
import { unwrap } from './source/ast.js';
import type { LockOperation } from './sql/model.js';

/** The 1-based line a node begins on. */
export const lineOf = (node: TSESTree.Node): number => node.loc.start.line;

/** The lock function's call in the SQL text, as offsets in the file. */
export const lockRange = (lock: QueryLock): readonly [number, number] => lock.sourceOf(lock.operation.range);

/** How a lock function says yes and no: PostgreSQL's with a boolean, MySQL's with 1 and otherwise 0 or NULL. */
export function answerOf({ returns }: LockOperation): { readonly word: string; readonly yes: string; readonly no: string } {
  return returns === 'integer' ? { word: 'number', yes: '1', no: '0' } : { word: 'boolean', yes: 'true', no: 'false' };
}

const longestSpelling = 50;

/** How the statement is sent, as the code writes it, arguments aside: `pool.query`, ``sql`…` ``, `db.select(…).from`. */
export const spelling = ({ query }: QueryLock): string => spellingOf(query.sending);

/** A call as the code writes it, arguments aside; of an awaited one, the call; of any other expression, its names. */
export function spellingOf(node: TSESTree.Node): string {
  const inner = unwrap(node);
  if (inner.type === 'AwaitExpression') return spellingOf(inner.argument);
  if (inner.type === 'TaggedTemplateExpression') return `${shortened(spelled(inner.tag))}\`…\``;
  if (inner.type === 'NewExpression') return `new ${shortened(spelled(inner.callee))}`;
  return shortened(spelled(inner.type === 'CallExpression' ? inner.callee : inner));
}

function shortened(written: string): string {
  const last = written.lastIndexOf('.');
  return written.length > longestSpelling && last > 0 ? `${written.slice(0, 20)}…${written.slice(last).slice(-25)}` : written;
}

function spelled(node: TSESTree.Node): string {
  const inner = unwrap(node);
  switch (inner.type) {
    case 'Identifier':
      return inner.name;
    case 'PrivateIdentifier':
      return `#${inner.name}`;
    case 'ThisExpression':
      return 'this';
    case 'Super':
      return 'super';
    case 'MemberExpression':
      return inner.computed ? `${spelled(inner.object)}[…]` : `${spelled(inner.object)}.${spelled(inner.property)}`;
    case 'CallExpression':
      return `${spelled(inner.callee)}(…)`;
    case 'TaggedTemplateExpression':
      return `${spelled(inner.tag)}\`…\``;
    case 'AwaitExpression':
      return `(await ${spelled(inner.argument)})`;
    case 'NewExpression':
      return `new ${spelled(inner.callee)}(…)`;
    default:
      return '…';
  }
}

/** The identifier that names the method of the call, `query` in `pool.query(…)`; null for a call that has none. */
export function methodName(call: TSESTree.CallExpression | TSESTree.TaggedTemplateExpression): TSESTree.Identifier | null {
  const callee = unwrap(call.type === 'TaggedTemplateExpression' ? call.tag : call.callee);
  return callee.type === 'MemberExpression' && !callee.computed && callee.property.type === 'Identifier' ? callee.property : null;
}
