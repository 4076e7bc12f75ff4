import type { TSESTree } from '@typescript-eslint/utils';
import type { Sends } from '../drivers/driver.js';
import { unwrap } from '../source/ast.js';
import { TextBuilder, type SqlText } from '../source/sql-text.js';
import type { Frame } from './frames.js';
import type { CallNode } from './query.js';
import type { StatementParts } from './statements.js';

/**
 * Lock functions called by name, without SQL text: `rpc('pg_try_advisory_lock', { key })`, `db.func('pg_advisory_lock', [1])`.
 * They are read as the SELECT that the library makes of them, so that the rest of the analysis sees no difference.
 */
export function createNamedFunctions({ evaluated, fragments, constantOf }: StatementParts) {
  const { frames: frameReader } = evaluated;
  return { textsOf, nameFor };

  function textsOf(sending: CallNode, sends: Sends, frames: readonly Frame[]): readonly SqlText[] {
    const named = nameOf(sending, sends, frames);
    if (!named) return [];
    const builder = new TextBuilder();
    const at = (node: TSESTree.Node) => ({ source: node.range, home: node.range, elsewhere: false, shared: false }) as const;
    const append = (text: string) => {
      builder.append(text, { ...at(named.node), verbatim: false, origin: named.node });
    };
    append(`SELECT ${named.name}(`);
    for (const [index, value] of valuesOf(sending, sends, frames).entries()) {
      if (index > 0) append(', ');
      builder.appendHole('value', value, at(value));
    }
    append(')');
    return [builder.build(named.node)];
  }

  /** The expression that names the function; null for calls that always run the same one. */
  function nameFor(sending: CallNode, sends: Sends, frames: readonly Frame[]): TSESTree.Node | null {
    const place = sends.functionName ? fragments.firstOf(sending, [sends.functionName], frames) : null;
    return place?.kind === 'found' ? place.node : null;
  }

  function nameOf(sending: CallNode, sends: Sends, frames: readonly Frame[]): { name: string; node: TSESTree.Node } | null {
    if (sends.runs !== undefined) return { name: sends.runs, node: sending };
    const node = nameFor(sending, sends, frames);
    const name = node && constantOf(frameReader.resolved(node, frames))?.value;
    // Anything else could not be the name of a function and would be read as SQL.
    return typeof name === 'string' && /^[\w.]+$/.test(name) && node ? { name, node } : null;
  }

  function valuesOf(sending: CallNode, sends: Sends, frames: readonly Frame[]): readonly TSESTree.Node[] {
    const place = sends.values ? fragments.firstOf(sending, sends.values, frames) : null;
    if (place?.kind !== 'found') return [];
    const list = unwrap(frameReader.resolved(place.node, frames));
    switch (list.type) {
      case 'ArrayExpression':
        return list.elements.flatMap((element) => (element && element.type !== 'SpreadElement' ? [element] : []));
      case 'ObjectExpression':
        return list.properties.flatMap((property) => (property.type === 'Property' ? [property.value] : []));
      default:
        return [list];
    }
  }
}
