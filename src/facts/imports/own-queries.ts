import type { TSESTree } from '@typescript-eslint/utils';
import type { Sends } from '../../drivers/driver.js';
import { TextBuilder, type SqlText } from '../../source/sql-text.js';
import { HOLE } from '../../sql/model.js';
import type { Query } from '../query.js';
import type { Handle } from '../values.js';
import type { LinkedFiles } from './linked-files.js';
import { createPortable } from './portable-handles.js';

export interface OwnQueries {
  /**
   * A statement that is sent through functions of other files, as the linted file sees it: whatever stands in another file
   * stands where this file calls it. Other statements are left as they are.
   */
  queryOf(query: Query): Query;
  /** The same for a text that is read at the call. */
  textOf(text: SqlText, call: TSESTree.Node): SqlText;
}

export function createOwnQueries(links: LinkedFiles): OwnQueries {
  const portable = createPortable(links);
  return { queryOf, textOf };

  function queryOf(query: Query): Query {
    const { sends, frames, signal, clientTimeout, node } = query;
    const entered = frames.findIndex((frame) => !links.isOwn(frame.function) && links.isOwn(frame.call));
    const entry = frames[entered]?.call;
    if (entry?.type !== 'CallExpression') return query;
    const outer = frames.slice(entered + 1);
    return {
      ...query,
      sending: entry,
      route: [...outer.map((frame) => frame.call).filter((call) => call.type === 'CallExpression').reverse(), entry],
      frames: outer,
      sends: asSeenFrom(sends),
      handle: handleOf(query.handle, entry),
      otherHandles: query.otherHandles.map((handle) => handleOf(handle, entry)),
      sql: query.sql && textOf(query.sql, node),
      signal: signal && { ...signal, node: ownNode(signal.node, entry) },
      clientTimeout: clientTimeout && ownNode(clientTimeout, entry),
      boundValue(expression) {
        const value = query.boundValue(expression);
        return value && links.isOwn(value) ? value : null;
      },
    };
  }

  /** Places in the call that sends are no places in the call of the wrapper. */
  function asSeenFrom({ callback: _callback, on: _on, ...sends }: Sends): Sends {
    return { ...sends, sql: [] };
  }

  function handleOf(handle: Handle, entry: TSESTree.CallExpression): Handle {
    const own = portable(handle);
    const { identity } = own;
    if (typeof identity === 'string' || links.isOwn(identity)) return own;
    // A wrapper that takes a connection for the one statement does what the pool itself would do.
    if (own.role === 'connection' && own.pool) return { ...own.pool, evidence: { because: 'factory', node: entry } };
    return { ...own, identity: entry };
  }

  function ownNode(node: TSESTree.Node, entry: TSESTree.Node): TSESTree.Node {
    return links.isOwn(node) ? node : entry;
  }

  function textOf(text: SqlText, call: TSESTree.Node): SqlText {
    if (links.isOwn(text.node) && text.segments.every(({ origin }) => links.isOwn(origin)) && text.holes.every((hole) => links.isOwn(hole.node))) return text;
    const builder = new TextBuilder();
    const holes = new Map(text.holes.map((hole) => [hole.at, hole]));
    for (const [index, segment] of text.segments.entries()) {
      const isOwn = links.isOwn(segment.origin);
      const place = isOwn ? segment : { source: call.range, home: call.range, shared: true };
      const content = text.text.slice(segment.at, text.segments[index + 1]?.at ?? text.text.length);
      const hole = content === HOLE ? holes.get(segment.at) : undefined;
      if (hole) builder.appendHole(hole.kind, links.isOwn(hole.node) ? hole.node : call, place);
      else builder.append(content, { ...place, verbatim: isOwn && segment.verbatim, origin: isOwn ? segment.origin : call });
    }
    return builder.build(call);
  }
}
