import type { TSESTree } from '@typescript-eslint/utils';
import { definePass } from '../pass.js';
import { enclosingFunction, isInside, memberName, unwrap, type FunctionNode } from '../source/ast.js';
import { staticValue } from '../source/constants.js';
import { scopes } from '../source/scope.js';
import type { IsolationLevel, SqlOperation } from '../sql/model.js';
import { effects } from './effects.js';
import { evaluation } from './evaluation.js';
import { queries } from './queries.js';
import type { Query, QueryLock } from './query.js';
import type { Handle, HandleIdentity, MakingNode } from './values.js';

/** A level at which every statement of a transaction reads from the snapshot that its first one took. */
export type SnapshotIsolation = Extract<IsolationLevel, 'repeatable read' | 'serializable'>;

export interface Isolation {
  readonly level: SnapshotIsolation;
  /** What sets the level: the statement's call, or the option of the call that opens the transaction. */
  readonly node: TSESTree.Node;
}

export interface Isolations {
  /** The level of the transaction that the lock is certainly taken in; null for any other level, and where it is not known. */
  of(lock: QueryLock): Isolation | null;
}

/** Something that begins, ends or sets up the transaction of a handle. */
interface Turn {
  readonly node: TSESTree.Node;
  readonly handle: Handle;
  readonly apply: (before: State) => State;
  /** What was before makes no difference. */
  readonly isDecisive: boolean;
}

/** The turns of one handle in one function, in source order. */
interface TurnGroup {
  readonly home: FunctionNode | null;
  readonly turns: Turn[];
}

interface State {
  readonly open: boolean;
  readonly level: SnapshotIsolation | null;
  readonly node: TSESTree.Node;
}

export const isolations = definePass('isolations', [scopes, evaluation, queries, effects], ([scopesOfFile, { evaluator }, statements, effectsOfFile]): Isolations => {
  let turns: ReadonlyMap<HandleIdentity, readonly TurnGroup[]> | null = null;
  return { of };

  function of(lock: QueryLock): Isolation | null {
    const { query, operation } = lock;
    const { handle } = query;
    const state = turnsBefore(query).reduce((before, turn) => turn.apply(before), optionState(handle) ?? closed(query.node));
    const within = (query.analysis?.operations ?? []).filter(
      (other) => other.kind !== 'lock' && other.statement < operation.statement,
    );
    const { open, level, node } = within.reduce((before, other) => afterOperation(before, other, query.node), state);
    return open && level ? { level, node } : null;
  }

  /** What happened to the transaction before the statement, from the last thing on that decides what it is. */
  function turnsBefore({ handle, node }: Query): readonly Turn[] {
    if (handle.role !== 'connection' && handle.role !== 'transaction' && handle.role !== 'unknown') return [];
    turns ??= groupedTurns();
    const home = enclosingFunction(node);
    const own = turns.get(handle.identity)?.find((group) => group.home === home)?.turns ?? [];
    const found: Turn[] = [];
    for (let index = own.length - 1; index >= 0; index--) {
      const turn = own[index];
      if (!turn || turn.node.range[1] > node.range[0] || isInFailurePath(turn.node, node)) continue;
      const isSure = alwaysRunsBefore(turn.node, node);
      found.unshift(isSure ? turn : { ...turn, apply: () => closed(turn.node) });
      if (!isSure || turn.isDecisive) break;
    }
    return found;
  }

  function groupedTurns(): ReadonlyMap<HandleIdentity, readonly TurnGroup[]> {
    const groups = new Map<HandleIdentity, TurnGroup[]>();
    for (const turn of allTurns()) {
      const home = enclosingFunction(turn.node);
      const ofHandle = groups.get(turn.handle.identity) ?? [];
      const group = ofHandle.find((candidate) => candidate.home === home);
      if (group) group.turns.push(turn);
      else groups.set(turn.handle.identity, [...ofHandle, { home, turns: [turn] }]);
    }
    return groups;
  }

  function allTurns(): readonly Turn[] {
    const sent = statements.flatMap((query): Turn[] => {
      const operations = query.session;
      if (query.sent === 'never' || operations.length === 0) return [];
      const apply = (before: State): State => operations.reduce((state, operation) => afterOperation(state, operation, query.node), before);
      return [{ node: query.node, handle: query.handle, apply, isDecisive: operations.some(isDecisive) }];
    });
    const called = effectsOfFile.flatMap(({ node, effect, handle }): Turn[] => {
      if (!handle || node.type !== 'CallExpression') return [];
      switch (effect.does) {
        case 'begins':
          return [{ node, handle, apply: () => optionOf(node) ?? { ...closed(node), open: true }, isDecisive: true }];
        case 'commits':
        case 'rolls-back':
        case 'commits-and-gives-back':
        case 'gives-back':
        case 'closes':
          return [{ node, handle, apply: () => closed(node), isDecisive: true }];
        default:
          return [];
      }
    });
    return [...sent, ...called].sort((a, b) => a.node.range[0] - b.node.range[0]);
  }

  /** The option of the call that opened the transaction, or of one around it. */
  function optionState(handle: Handle): State | null {
    if (handle.role !== 'transaction') return null;
    for (const { call } of handle.configured) {
      const state = optionOf(call);
      if (state) return state;
    }
    return null;
  }

  function optionOf(call: MakingNode): State | null {
    for (let step: TSESTree.Node = call; step.type === 'CallExpression'; ) {
      const meaning = evaluator.meaningOf(step);
      if (!meaning) return null;
      if (meaning.call.isolates !== undefined) return { open: true, level: snapshotLevel(meaning.call.isolates), node: step };
      for (const position of meaning.call.isolation ?? []) {
        const place = evaluator.placed(step, position);
        const level = place.kind === 'found' ? namedLevel(place.node) : null;
        if (level && place.kind === 'found') return { open: true, level, node: place.node };
      }
      // A builder's setting stands before the call that opens: `setIsolationLevel('serializable').execute(…)`.
      const callee = unwrap(step.callee);
      if (callee.type !== 'MemberExpression') return null;
      step = unwrap(callee.object);
    }
    return null;
  }

  function namedLevel(expression: TSESTree.Node): SnapshotIsolation | null {
    const constant = staticValue(expression, scopesOfFile);
    if (constant) return typeof constant.value === 'string' ? snapshotLevel(constant.value) : null;
    const node = unwrap(expression);
    if (node.type === 'MemberExpression') return snapshotLevel(memberName(node) ?? '');
    const variable = node.type === 'Identifier' ? scopesOfFile.variableOf(node) : null;
    const definition = variable && scopesOfFile.definitionOf(variable);
    return definition?.kind === 'value' && definition.path.length === 0 && unwrap(definition.init).type === 'MemberExpression' ? namedLevel(definition.init) : null;
  }
});

const closed = (node: TSESTree.Node): State => ({ open: false, level: null, node });

/** `Serializable`, `REPEATABLE_READ`, `isolation level repeatable read`, as libraries spell them. */
function snapshotLevel(name: string): SnapshotIsolation | null {
  const letters = name.toLowerCase().replaceAll(/[^a-z]/g, '');
  if (letters.includes('repeatableread')) return 'repeatable read';
  return letters.includes('serializable') ? 'serializable' : null;
}

function afterOperation(before: State, operation: SqlOperation, node: TSESTree.Node): State {
  switch (operation.kind) {
    case 'begin':
      return { open: true, level: asSnapshot(operation.isolation), node };
    case 'set-isolation':
      return before.open && !operation.session ? { open: true, level: asSnapshot(operation.isolation), node } : before;
    case 'commit':
    case 'rollback':
      return operation.chain ? before : closed(node);
    case 'discard':
    case 'terminate-self':
      return closed(node);
    default:
      return before;
  }
}

const isDecisive = (operation: SqlOperation): boolean =>
  operation.kind === 'begin' || operation.kind === 'discard' || ((operation.kind === 'commit' || operation.kind === 'rollback') && !operation.chain);

const asSnapshot = (level: IsolationLevel | null): SnapshotIsolation | null => (level === 'repeatable read' || level === 'serializable' ? level : null);

/** Does the one stand in the block that the other stands in, or in one around it, outside every branch? */
function alwaysRunsBefore(node: TSESTree.Node, later: TSESTree.Node): boolean {
  for (let current = node; current.parent; current = current.parent) {
    const { parent } = current;
    if (isInside(later, parent)) return parent.type === 'BlockStatement' || parent.type === 'Program' || parent.type === 'SequenceExpression' || parent.type === 'ArrayExpression';
    if (isBranch(parent, current)) return false;
  }
  return false;
}

function isBranch(parent: TSESTree.Node, child: TSESTree.Node): boolean {
  switch (parent.type) {
    case 'IfStatement':
    case 'ConditionalExpression':
      return parent.test !== child;
    case 'LogicalExpression':
      return parent.right === child;
    case 'ForStatement':
    case 'ForInStatement':
    case 'ForOfStatement':
    case 'WhileStatement':
    case 'SwitchCase':
    case 'CatchClause':
      return true;
    default:
      return false;
  }
}

/** A rollback in a `catch` that the later statement does not stand in says nothing of the way that did not fail. */
function isInFailurePath(node: TSESTree.Node, later: TSESTree.Node): boolean {
  for (let current: TSESTree.Node | undefined = node; current; current = current.parent) {
    if (current.type === 'CatchClause') return !isInside(later, current);
  }
  return false;
}
