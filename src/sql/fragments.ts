import type { SelectStmt } from '@pgsql/types';

import type { StatementWalk } from './lock-operations.js';
import type { NormalizedSql } from './normalize.js';
import type { SqlParser } from './parser.js';
import type { RenderedSql } from './rendered-sql.js';
import { parseWithRepair } from './repair.js';
import type { Slot, Spelling } from './slots.js';

/** A fragment of a query, read inside a query made up around it. */
export interface Fragment {
  select: SelectStmt;
  /** The clause of the made-up query that belongs to the wrapping, so that calls in it stand in no known clause. */
  wrapped: 'select-list' | 'where' | 'order-by' | 'none';
  rendered: RenderedSql;
  spellingOf: (slot: Slot) => Spelling;
}

interface Wrapping {
  before: string;
  wrapped: Fragment['wrapped'];
  /** What a fragment must begin or end with; anything when absent. */
  words?: ReadonlySet<string>;
  ending?: RegExp;
}

const words = (list: string): ReadonlySet<string> => new Set(list.split(' '));

const WRAPPINGS: readonly Wrapping[] = [
  { before: 'SELECT 1 WHERE true ', wrapped: 'where', words: words('and or') },
  { before: 'SELECT 1 FROM t ', wrapped: 'none', words: words('join inner left right full cross natural') },
  {
    before: 'SELECT 1 ',
    wrapped: 'none',
    words: words('from where group having order limit offset fetch for window'),
  },
  // `id desc` is a select item with an alias, too, but hardly meant.
  { before: 'SELECT 1 ORDER BY ', wrapped: 'order-by', ending: /\b(?:asc|desc|nulls\s+(?:first|last))\s*$/i },
  { before: 'SELECT ', wrapped: 'select-list' },
  { before: 'SELECT 1 ORDER BY ', wrapped: 'order-by' },
  { before: 'SELECT 1 FROM ', wrapped: 'none' },
];

const FIRST_WORD = /^(?:\s|--[^\n]*\n|\/\*[^]*?\*\/)*([A-Za-z]+)/;

/** The first word of the text, lower case, after comments; empty when it begins with something else. */
export function firstWord(text: string): string {
  return FIRST_WORD.exec(text)?.[1]?.toLowerCase() ?? '';
}

/** Reads a text as a select item, condition, sort key, FROM item or clause; null when it is none of them. */
export function parseFragment(parser: SqlParser, normalized: NormalizedSql): Fragment | null {
  const word = firstWord(normalized.text);
  for (const { before, wrapped, words: beginnings, ending } of WRAPPINGS) {
    if (beginnings?.has(word) === false || ending?.test(normalized.text) === false) continue;
    // A line comment at the end must not swallow what follows.
    const parsed = parseWithRepair(parser, normalized, { before, after: '\n' });
    if (parsed.kind !== 'parsed') continue;
    const [statement, ...others] = parsed.tree.stmts ?? [];
    const node = statement?.stmt;
    if (!node || !('SelectStmt' in node) || others.length > 0) continue;
    return { select: node.SelectStmt, wrapped, rendered: parsed.rendered, spellingOf: parsed.spellingOf };
  }
  return null;
}

/** Walks the parts of the made-up query that come from the fragment. */
export function walkFragment({ select, wrapped }: Fragment, walk: StatementWalk): void {
  if (select.op !== undefined && select.op !== 'SETOP_NONE') {
    walk.expression(select);
    return;
  }
  switch (wrapped) {
    case 'select-list':
      walk.fragment(select, 'expression');
      break;
    case 'where': {
      const { whereClause, ...rest } = select;
      walk.expression(whereClause);
      walk.fragment(rest, 'expression');
      break;
    }
    case 'order-by': {
      const { sortClause, ...rest } = select;
      walk.expression(sortClause);
      walk.fragment(rest, 'expression');
      break;
    }
    case 'none':
      walk.fragment(select, 'expression');
      break;
    default:
      wrapped satisfies never;
  }
}
