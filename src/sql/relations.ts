import type { Clause, QueryLevel, ResultColumn } from './model.js';

/** A column of a query's or a FROM function's rows. Identity matters: uses are matched by the object. */
export interface OutputColumn {
  /** Position among the columns; -1 behind a `*` that may stand for any number of columns. */
  index: number;
  /** Null when it cannot be known: a hole stands in it, or it is a `*`. */
  name: string | null;
  /** The name as the server gives it to the client: MySQL folds names to compare them, and answers them as they are written. */
  shownName: string | null;
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
  uses: Map<OutputColumn, Place[]>;
}

/** Notes that a column's value goes on into a place. */
export function addUse(relation: Relation, column: OutputColumn, place: Place): void {
  const places = relation.uses.get(column);
  if (places) places.push(place);
  else relation.uses.set(column, [place]);
}

/** Where a value goes. */
export type Sink =
  | { kind: 'column'; relation: Relation; column: OutputColumn; direct: boolean }
  /** SQL itself looks at it */
  | { kind: 'consumed' }
  /** a lock function takes it as its key */
  | { kind: 'key' };

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
export const KEY: Sink = { kind: 'key' };

/** A sink for a value that an operator or function changes on its way. */
export function indirect(sink: Sink): Sink {
  return sink.kind === 'column' && sink.direct ? { ...sink, direct: false } : sink;
}

export interface Outcome {
  column: ResultColumn | null;
  usedInSql: boolean;
  casts: readonly string[];
}

const UNREAD: Outcome = { column: null, usedInSql: false, casts: [] };
const USED: Outcome = { column: null, usedInSql: true, casts: [] };

/**
 * Follows values through the queries their columns are handed up in; ask when all queries have been walked. What becomes
 * of a column is worked out once, however many values pass through it.
 */
export function outcomeFinder(): (place: Place) => Outcome {
  const fates = new Map<OutputColumn, Outcome>();

  function outcomeOf(sink: Sink, casts: readonly string[]): Outcome {
    if (sink.kind !== 'column') return { ...USED, casts };
    const { column, usedInSql, casts: later } = fateOf(sink.relation, sink.column);
    if (sink.direct) return { column, usedInSql, casts: [...casts, ...later] };
    return { column: column && { ...column, direct: false }, usedInSql: true, casts };
  }

  function fateOf(relation: Relation, column: OutputColumn): Outcome {
    const known = fates.get(column);
    if (known) return known;
    // A recursive query reads itself.
    fates.set(column, USED);
    const fate = follow(relation, column);
    fates.set(column, fate);
    return fate;
  }

  function follow({ outlet, uses }: Relation, column: OutputColumn): Outcome {
    switch (outlet.kind) {
      case 'result':
        return { ...UNREAD, column: { index: column.index, name: column.shownName, direct: true } };
      case 'stored':
        return USED;
      case 'discarded':
        return UNREAD;
      case 'operand': {
        const above = outlet.of.columns[column.index];
        return above ? fateOf(outlet.of, above) : USED;
      }
      case 'expression': {
        const { place, scalar } = outlet;
        return outcomeOf(scalar ? place.sink : indirect(place.sink), place.casts);
      }
      case 'uses': {
        const outcomes = (uses.get(column) ?? []).map((place) => outcomeOf(place.sink, place.casts));
        const best =
          outcomes.find((outcome) => outcome.column?.direct) ?? outcomes.find((outcome) => outcome.column) ?? outcomes[0];
        return best ? { ...best, usedInSql: outcomes.some(({ usedInSql }) => usedInSql) } : UNREAD;
      }
      default:
        return outlet satisfies never;
    }
  }

  return (place) => outcomeOf(place.sink, place.casts);
}

/** Where a value arrives, on any of its ways: in the statement's result, in a lock function's key. */
export interface Destinations {
  result: boolean;
  key: boolean;
}

const NOWHERE: Destinations = { result: false, key: false };

/** Like `outcomeFinder`, for a value of which only its destinations matter. */
export function destinationFinder(): (place: Place) => Destinations {
  const known = new Map<OutputColumn, Destinations>();

  function destinationsOf(sink: Sink): Destinations {
    if (sink.kind !== 'column') return sink.kind === 'key' ? { result: false, key: true } : NOWHERE;
    const found = known.get(sink.column);
    if (found) return found;
    // A recursive query reads itself.
    known.set(sink.column, NOWHERE);
    const destinations = follow(sink.relation, sink.column);
    known.set(sink.column, destinations);
    return destinations;
  }

  function follow({ outlet, uses }: Relation, column: OutputColumn): Destinations {
    switch (outlet.kind) {
      case 'result':
        return { result: true, key: false };
      case 'stored':
      case 'discarded':
        return NOWHERE;
      case 'operand': {
        const above = outlet.of.columns[column.index];
        return above ? destinationsOf({ kind: 'column', relation: outlet.of, column: above, direct: true }) : NOWHERE;
      }
      case 'expression':
        return destinationsOf(outlet.place.sink);
      case 'uses': {
        const all = (uses.get(column) ?? []).map((place) => destinationsOf(place.sink));
        return { result: all.some(({ result }) => result), key: all.some(({ key }) => key) };
      }
      default:
        return outlet satisfies never;
    }
  }

  return (place) => destinationsOf(place.sink);
}
