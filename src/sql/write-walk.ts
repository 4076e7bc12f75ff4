import type { DeleteStmt, InsertStmt, MergeStmt, Node, ReturningClause, UpdateStmt } from '@pgsql/types';

import { addTarget, walkFrom } from './from-walk.js';
import { openScope, walkWith } from './query-scope.js';
import { walkTargets } from './select-list.js';
import { consumedIn, knownName, type Nesting, openEntry, type Scope, type Walker } from './walker.js';

function walkReturning(walker: Walker, returning: ReturningClause | undefined, scope: Scope, nesting: Nesting): void {
  walkTargets(walker, returning?.exprs, scope, nesting, 'returning');
}

/** The right sides of SET, in UPDATE, ON CONFLICT and MERGE. */
function assignments(walker: Walker, targets: readonly Node[] | undefined, scope: Scope, around: Nesting): void {
  walker.walkExpression(targets, scope, consumedIn(scope, 'set', around));
}

export function walkInsert(walker: Walker, insert: InsertStmt, nesting: Nesting): Scope {
  const scope = openScope(walker, 'insert', nesting, insert);
  walkWith(walker, insert.withClause, scope, nesting);
  if (insert.selectStmt) {
    walker.walkQuery(insert.selectStmt, {
      ...nesting,
      scope,
      place: 'insert-source',
      lateral: false,
      sublink: null,
      cte: null,
      outlet: { kind: 'stored' },
      selectClause: 'select',
    });
  }
  const conflict = insert.onConflictClause;
  if (conflict) {
    assignments(walker, conflict.targetList, scope, { ...nesting, guarded: true });
    walker.walkExpression(conflict.whereClause, scope, consumedIn(scope, 'where', { ...nesting, guarded: true }));
  }
  scope.entries.push(openEntry(knownName(insert.relation?.relname)));
  walkReturning(walker, insert.returningClause, scope, nesting);
  return scope;
}

export function walkUpdate(walker: Walker, update: UpdateStmt, nesting: Nesting): Scope {
  const scope = openScope(walker, 'update', nesting, update);
  scope.level.hasFrom = true;
  scope.level.where = update.whereClause !== undefined;
  walkWith(walker, update.withClause, scope, nesting);
  addTarget(walker, update.relation, scope);
  walkFrom(walker, update.fromClause, scope, nesting);
  walker.walkExpression(update.whereClause, scope, consumedIn(scope, 'where', nesting));
  assignments(walker, update.targetList, scope, nesting);
  walkReturning(walker, update.returningClause, scope, nesting);
  return scope;
}

export function walkDelete(walker: Walker, remove: DeleteStmt, nesting: Nesting): Scope {
  const scope = openScope(walker, 'delete', nesting, remove);
  scope.level.hasFrom = true;
  scope.level.where = remove.whereClause !== undefined;
  walkWith(walker, remove.withClause, scope, nesting);
  addTarget(walker, remove.relation, scope);
  walkFrom(walker, remove.usingClause, scope, nesting);
  walker.walkExpression(remove.whereClause, scope, consumedIn(scope, 'where', nesting));
  walkReturning(walker, remove.returningClause, scope, nesting);
  return scope;
}

export function walkMerge(walker: Walker, merge: MergeStmt, nesting: Nesting): Scope {
  const scope = openScope(walker, 'merge', nesting, merge);
  scope.level.hasFrom = true;
  walkWith(walker, merge.withClause, scope, nesting);
  addTarget(walker, merge.relation, scope);
  walkFrom(walker, merge.sourceRelation ? [merge.sourceRelation] : [], scope, nesting);
  walker.walkExpression(merge.joinCondition, scope, consumedIn(scope, 'join-on', nesting));
  const guarded: Nesting = { ...nesting, guarded: true };
  for (const node of merge.mergeWhenClauses ?? []) {
    if (!('MergeWhenClause' in node)) continue;
    const { condition, targetList, values } = node.MergeWhenClause;
    walker.walkExpression(condition, scope, consumedIn(scope, 'where', nesting));
    assignments(walker, targetList, scope, guarded);
    walker.walkExpression(values, scope, consumedIn(scope, 'values', guarded));
  }
  walkReturning(walker, merge.returningClause, scope, nesting);
  return scope;
}
