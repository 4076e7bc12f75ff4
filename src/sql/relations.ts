import type { Clause, QueryLevel, ResultColumn } from './model.js';

/** A column of a query's or a FROM function's rows. Identity matters: uses are matched by the object. */
export interface OutputColumn {
  /** Position among the columns; -1 behind a `*` that may stand for any number of columns. */
  index: number;
  /** Null when it cannot be known: a hole stands in it, or it is a `*`. */
  name: string | null;
  /** ORDER BY, GROUP BY or DISTINCT ON of its own query names it by alias or position. */
  sortKey: boolean;
}

/** What happens to the rows of a query or a FROM function. */
export type Outlet =
  /** the statement's result */
  | { kind: 'result' }
  /** read by name in an enclosing query, see `uses` */
  | { kind: 'uses' }
  /** kept by SQL: INSERT … SELECT, CREATE TABLE AS, SELECT INTO, a cursor, a PL/pgSQL variable */
  | { kind: 'stored' }
  /** thrown away: PERFORM */
  | { kind: 'discarded' }
  /** the operand of a set operation */
  | { kind: 'operand'; of: Relation }
  /** a subquery in an expression; a scalar one passes its value on unchanged */
  | { kind: 'expression'; place: Place; scalar: boolean };

export interface Relation {
  outlet: Outlet;
  columns: OutputColumn[];
  /** Columns besides the known ones may exist: a table, or a `*` over one. */
  open: boolean;
  uses: { column: OutputColumn; place: Place }[];
}

/** Where a value goes. */
export type Sink =
  | { kind: 'column'; relation: Relation; column: OutputColumn; direct: boolean }
  /** SQL itself looks at it */
  | { kind: 'consumed' };

/** Where an expression stands, and what becomes of its value. */
export interface Place {
  level: QueryLevel | null;
  clause: Clause;
  aggregated: boolean;
  guarded: boolean;
  /** Casts around the expression, innermost first. */
  casts: readonly string[];
  sink: Sink;
}

export const CONSUMED: Sink = { kind: 'consumed' };

/** A sink for a value that an operator or function changes on its way. */
export function indirect(sink: Sink): Sink {
  return sink.kind === 'column' && sink.direct ? { ...sink, direct: false } : sink;
}

export interface Outcome {
  column: ResultColumn | null;
  usedInSql: boolean;
  casts: readonly string[];
}

/** What finally becomes of a value, through every query its column is handed up. */
export function outcomeOf(place: Place): Outcome {
  return follow(place.sink, place.casts, new Set());
}

function follow(sink: Sink, casts: readonly string[], seen: Set<OutputColumn>): Outcome {
  if (sink.kind === 'consumed') return { column: null, usedInSql: true, casts };
  const { relation, column, direct } = sink;
  if (seen.has(column)) return { column: null, usedInSql: true, casts };
  seen.add(column);
  const { outlet } = relation;
  /** Follows the value into another place, with what was done to it so far. */
  const onward = (place: Place, passes: boolean): Outcome => {
    const next = direct && passes ? place.sink : indirect(place.sink);
    const outcome = follow(next, [...casts, ...place.casts], seen);
    return outcome.usedInSql || (direct && passes) ? outcome : { ...outcome, usedInSql: true };
  };
  switch (outlet.kind) {
    case 'result':
      return { column: { index: column.index, name: column.name, direct }, usedInSql: !direct, casts };
    case 'stored':
      return { column: null, usedInSql: true, casts };
    case 'discarded':
      return { column: null, usedInSql: !direct, casts };
    case 'operand': {
      const above = outlet.of.columns[column.index];
      if (!above) return { column: null, usedInSql: true, casts };
      return follow({ kind: 'column', relation: outlet.of, column: above, direct }, casts, new Set(seen));
    }
    case 'expression':
      return onward(outlet.place, outlet.scalar);
    case 'uses': {
      const uses = relation.uses.filter((use) => use.column === column);
      if (uses.length === 0) return { column: null, usedInSql: !direct, casts };
      const outcomes = uses.map((use) => onward(use.place, true));
      const best =
        outcomes.find((outcome) => outcome.column?.direct) ?? outcomes.find((outcome) => outcome.column) ?? outcomes[0];
      return {
        column: best?.column ?? null,
        usedInSql: outcomes.some((outcome) => outcome.usedInSql),
        casts: best?.casts ?? casts,
      };
    }
    default:
      return outlet satisfies never;
  }
}
