import type { CaseExpr, FuncCall, Node, SubLink } from '@pgsql/types';

import type { LockFunction } from './lock-functions.js';
import type { QueryLevel } from './model.js';
import { contentOf, functionName, isNode, nameParts, stringOf, typeName } from './parse-tree.js';
import { isAggregateName } from './query-levels.js';
import { addUse, CONSUMED, indirect, KEY, type Place } from './relations.js';
import { sessionCallOf } from './session-calls.js';
import { rangeOfRun } from './sql-source.js';
import { callAt } from './tokens.js';
import { isKnownText } from './unknown-text.js';
import { consumedIn, type FromEntry, noteColumn, type Scope, type Walker } from './walker.js';

const changed = (place: Place): Place => ({ ...place, casts: [], sink: indirect(place.sink) });
const consumed = (place: Place): Place => ({ ...place, casts: [], sink: CONSUMED });
const guardedBy = (place: Place): Place => ({ ...place, guarded: true });

/** Walks an expression, or whatever holds expressions and queries, and notes what its calls do. */
export function walkExpression(walker: Walker, value: unknown, scope: Scope | null, place: Place): void {
  if (Array.isArray(value)) {
    for (const item of value) walkExpression(walker, item, scope, place);
  } else if (isNode(value)) {
    walkNode(walker, value, scope, place);
  } else if (typeof value === 'object' && value !== null) {
    for (const child of Object.values(value)) walkExpression(walker, child, scope, place);
  }
}

function walkNode(walker: Walker, node: Node, scope: Scope | null, place: Place): void {
  if ('A_Const' in node || 'ParamRef' in node || 'String' in node || 'TypeName' in node) return;
  if ('ColumnRef' in node) {
    walkColumn(walker, nameParts(node.ColumnRef.fields), node.ColumnRef.fields?.length ?? 0, scope, place);
  } else if ('FuncCall' in node) {
    walkCall(walker, node.FuncCall, scope, place);
  } else if ('TypeCast' in node) {
    const { arg, typeName: type } = node.TypeCast;
    walkExpression(walker, arg, scope, { ...place, casts: [typeName(type), ...place.casts] });
  } else if ('NamedArgExpr' in node) {
    walkExpression(walker, node.NamedArgExpr.arg, scope, place);
  } else if ('CoalesceExpr' in node) {
    // The first argument is always evaluated, and its value passes through unless it is NULL.
    walkChoices(walker, node.CoalesceExpr.args ?? [], scope, place);
  } else if ('CaseExpr' in node) {
    walkCase(walker, node.CaseExpr, scope, place);
  } else if ('MultiAssignRef' in node) {
    // `SET (a, b) = …`: each column refers to the one right side.
    if (node.MultiAssignRef.colno === 1) walkExpression(walker, node.MultiAssignRef.source, scope, consumed(place));
  } else if ('SubLink' in node) {
    walkSubLink(walker, node.SubLink, scope, place);
  } else if ('A_Indirection' in node) {
    const { arg, indirection } = node.A_Indirection;
    const field = stringOf(indirection?.[0]);
    if (arg && 'ColumnRef' in arg && field !== null) {
      const path = nameParts(arg.ColumnRef.fields);
      walkColumn(walker, [...path, field], path.length + 1, scope, place);
    } else {
      walkExpression(walker, arg, scope, changed(place));
    }
    walkExpression(walker, indirection, scope, consumed(place));
  } else if (!walkNestedQuery(walker, node, scope, place)) {
    walkExpression(walker, contentOf(node), scope, changed(place));
  }
}

/** A query in a place that has no rules of its own. */
function walkNestedQuery(walker: Walker, node: Node, scope: Scope | null, place: Place): boolean {
  const { guarded, aggregated } = place;
  const walked = walker.walkQuery(node, {
    scope,
    place: 'expression',
    lateral: false,
    sublink: null,
    cte: null,
    outlet: { kind: 'expression', place, scalar: false },
    guarded,
    aggregated,
    selectClause: 'select',
  });
  return walked !== null;
}

function walkChoices(walker: Walker, choices: readonly Node[], scope: Scope | null, place: Place): void {
  choices.forEach((choice, index) => {
    walkExpression(walker, choice, scope, index === 0 ? place : guardedBy(changed(place)));
  });
}

function walkCase(walker: Walker, { arg, args, defresult }: CaseExpr, scope: Scope | null, place: Place): void {
  walkExpression(walker, arg, scope, changed(place));
  args?.forEach((when, index) => {
    if (!('CaseWhen' in when)) return;
    const condition = changed(place);
    walkExpression(walker, when.CaseWhen.expr, scope, index === 0 ? condition : guardedBy(condition));
    walkExpression(walker, when.CaseWhen.result, scope, guardedBy(changed(place)));
  });
  walkExpression(walker, defresult, scope, guardedBy(changed(place)));
}

function sublinkKind(type: SubLink['subLinkType']): QueryLevel['sublink'] {
  switch (type) {
    case 'EXISTS_SUBLINK':
      return 'exists';
    case 'ANY_SUBLINK':
      return 'any';
    case 'ALL_SUBLINK':
      return 'all';
    case 'ARRAY_SUBLINK':
      return 'array';
    default:
      return 'scalar';
  }
}

function walkSubLink(walker: Walker, link: SubLink, scope: Scope | null, place: Place): void {
  const { subLinkType, testexpr, subselect } = link;
  walkExpression(walker, testexpr, scope, changed(place));
  if (!subselect) return;
  const scalar = subLinkType === 'EXPR_SUBLINK';
  walker.walkQuery(subselect, {
    scope,
    place: 'expression',
    lateral: false,
    sublink: sublinkKind(subLinkType),
    cte: null,
    outlet: { kind: 'expression', place: scalar ? place : changed(place), scalar },
    guarded: place.guarded,
    aggregated: place.aggregated,
    selectClause: 'select',
  });
}

/** Notes that a column of a FROM item is read, when the name says which one. */
function walkColumn(walker: Walker, path: readonly string[], fields: number, scope: Scope | null, place: Place): void {
  if (!path.every(isKnownText)) return;
  const qualifier = path.length > 1 ? path.at(-2) : undefined;
  const name = path.at(-1);
  if (name === undefined || fields !== path.length) return;
  for (let around = scope; around; around = around.parent) {
    const whole = path.length === 1 ? around.entries.find((entry) => entry.alias === name) : undefined;
    const found: FromEntry | undefined = around.entries.find(
      (entry) => (qualifier === undefined || entry.alias === qualifier) && entry.byName.has(name),
    );
    const column = found?.byName.get(name);
    if (found?.relation && column) {
      addUse(found.relation, column, place);
      return;
    }
    if (whole) {
      // A whole row as one value: `to_json(s)`.
      if (whole.relation) readEverything(whole, changed(place));
      else noteColumn(walker, '*', changed(place));
      return;
    }
    if (around.entries.some(({ alias, open }) => open && (qualifier === undefined || alias === qualifier))) {
      noteColumn(walker, name, place);
      return;
    }
  }
}

function readEverything(entry: FromEntry, place: Place): void {
  if (!entry.relation) return;
  for (const { column } of entry.columns) addUse(entry.relation, column, place);
}

function walkCall(walker: Walker, call: FuncCall, scope: Scope | null, place: Place): void {
  const { context } = walker;
  const name = functionName(call);
  const windowed = call.over !== undefined;
  const aggregate =
    isAggregateName(name) ||
    call.agg_star === true ||
    call.agg_distinct === true ||
    call.agg_within_group === true ||
    call.agg_filter !== undefined ||
    (call.agg_order?.length ?? 0) > 0;
  if (scope) {
    scope.level.windows ||= windowed;
    scope.level.aggregates ||= aggregate && !windowed;
  }

  const filtered = call.agg_filter !== undefined;
  const lock = context.catalogue.find(nameParts(call.funcname));
  const argument: Place = {
    ...changed(place),
    ...(lock && { sink: KEY }),
    aggregated: place.aggregated || aggregate || windowed,
    guarded: place.guarded || filtered,
  };
  const choosing = context.dialect === 'mysql' && (name === 'ifnull' || name === 'if');
  if (choosing && name === 'ifnull') {
    walkChoices(walker, call.args ?? [], scope, place);
  } else {
    call.args?.forEach((child, index) => {
      walkExpression(walker, child, scope, choosing && index > 0 ? guardedBy(argument) : argument);
    });
  }
  walkExpression(walker, call.agg_filter, scope, { ...consumed(place), aggregated: true });
  walkExpression(walker, call.agg_order, scope, { ...consumed(place), aggregated: true });
  if (call.over) {
    const window = consumedIn(scope, 'window', { guarded: place.guarded, aggregated: true });
    walkExpression(walker, call.over, scope, window);
  }

  if (lock) addLock(walker, call, lock, place);
  else addSessionCall(walker, call, name);
}

function addSessionCall(walker: Walker, call: FuncCall, name: string): void {
  if (name !== 'set_config' && name !== 'pg_terminate_backend') return;
  const { source, statement, body } = walker.context;
  if (body === 'function') return;
  const found = source.view ? callAt(source.view, source.view.indexAt(call.location ?? 0)) : null;
  const range = found ? rangeOfRun(source, found.run) : source.rangeOf(call.location ?? 0, call.location ?? 0);
  const operation = sessionCallOf(call, statement, range);
  if (operation) walker.drafts.push({ kind: 'session', operation });
}

function addLock(walker: Walker, call: FuncCall, lock: LockFunction, place: Place): void {
  const { source, statement, body } = walker.context;
  const { view } = source;
  const found = view ? callAt(view, view.indexAt(call.location ?? 0)) : null;
  const at = call.location ?? 0;
  const nothing = { first: 0, last: -1 };
  const values = (call.args ?? []).map((child, index) =>
    walker.readExpression(child, found?.arguments[index] ?? found?.run ?? nothing),
  );
  walker.drafts.push({
    kind: 'lock',
    place,
    operation: {
      kind: 'lock',
      name: lock.name,
      dialect: lock.dialect,
      action: lock.action,
      level: lock.level,
      mode: lock.mode,
      returns: lock.returns,
      keys: keysAmong(lock, values),
      arguments: values,
      clause: place.clause,
      query: place.level,
      aggregated: place.aggregated,
      guarded: place.guarded,
      body,
      statement,
      range: found ? rangeOfRun(source, found.run) : source.rangeOf(at, at),
      nameRange: found ? rangeOfRun(source, { first: found.name, last: found.name }) : source.rangeOf(at, at),
    },
  });
}

/** Which of a lock function's arguments are its key. */
export function keysAmong<T>(lock: LockFunction, values: readonly T[]): readonly T[] {
  switch (lock.key) {
    case 'all':
      return values;
    case 'first':
      return values.slice(0, 1);
    case 'none':
      return [];
    default:
      return lock.key satisfies never;
  }
}
