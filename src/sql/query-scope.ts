import type { WithClause } from '@pgsql/types';

import type { CommonTable, QueryLevel } from './model.js';
import { nameParts } from './parse-tree.js';
import { newLevel, parenthesisedRange } from './query-levels.js';
import { knownName, type Nesting, newRelation, type Scope, type Walker } from './walker.js';

/** A scope for a query that begins. */
export function openScope(walker: Walker, kind: QueryLevel['kind'], nesting: Nesting, tree: object): Scope {
  const { scope, place, lateral, sublink, cte, outlet } = nesting;
  const level = newLevel(kind, { parent: scope?.shownLevel ?? null, place, lateral, sublink, cte });
  if (walker.context.wantsRanges && place !== 'top' && place !== 'set-operand' && place !== 'insert-source') {
    level.range = parenthesisedRange(walker.context.source, tree, walker.firstLocation);
  }
  return { parent: scope, level, shownLevel: level, relation: newRelation(outlet), entries: [], commonTables: new Map() };
}

/** Walks the WITH clause of a query: each of its queries can be named in those after it and in the query itself. */
export function walkWith(walker: Walker, clause: WithClause | undefined, scope: Scope, nesting: Nesting): void {
  for (const node of clause?.ctes ?? []) {
    if (!('CommonTableExpr' in node)) continue;
    const { ctename, ctematerialized, ctequery, aliascolnames } = node.CommonTableExpr;
    const name = knownName(ctename) ?? '';
    const table: CommonTable = {
      name,
      materialized:
        ctematerialized === 'CTEMaterializeAlways'
          ? 'always'
          : ctematerialized === 'CTEMaterializeNever'
            ? 'never'
            : 'default',
      level: null,
      readers: [],
      recursive: false,
      references: 0,
    };
    if (!ctequery) continue;
    walker.commonTables.push(table);
    const entry = {
      table,
      relation: newRelation({ kind: 'uses' }),
      columnNames: nameParts(aliascolnames),
      reading: true,
    };
    if (clause?.recursive === true && name !== '') scope.commonTables.set(name, entry);
    const inner = walker.walkQuery(ctequery, {
      ...nesting,
      scope,
      place: 'cte',
      lateral: false,
      sublink: null,
      cte: table,
      outlet: { kind: 'uses' },
      selectClause: 'select',
    });
    entry.reading = false;
    table.level = inner?.level ?? null;
    if (inner) entry.relation = inner.relation;
    if (name !== '') scope.commonTables.set(name, entry);
  }
}
