import type { TSESTree } from '@typescript-eslint/utils';
import { likeliestResult, readingsOf } from '../facts/results.js';
import type { QueryLock } from '../facts/query.js';
import { memberName } from '../source/ast.js';
import type { Step, Use } from '../source/uses.js';

/**
 * What is known of a value on one path. `tells` names the lock whose fate the value was made from: a test of such a value
 * is a test of whether the lock was got.
 */
export type Known =
  | { readonly kind: 'constant'; readonly value: string | number | bigint | boolean | null | undefined; readonly tells: QueryLock | null }
  | { readonly kind: 'truthy' | 'falsy'; readonly tells: QueryLock | null }
  /** The boolean or 1 and 0 that a try-lock answers; `negated` where the value is its opposite. */
  | { readonly kind: 'answer'; readonly granted: boolean; readonly negated: boolean; readonly tells: QueryLock }
  /** A statement's result, or a part of it on the way to the answer. */
  | { readonly kind: 'result'; readonly granted: boolean; readonly path: readonly Step[]; readonly tells: QueryLock }
  /** Made from the result in a way that is not understood. */
  | { readonly kind: 'derived'; readonly tells: QueryLock }
  | { readonly kind: 'record'; readonly fields: ReadonlyMap<string, Known> };

export type Truth = 'true' | 'false' | 'unknown';

const constant = (value: boolean | null | undefined, tells: QueryLock | null = null): Known => ({ kind: 'constant', value, tells });

export function stepOf(node: TSESTree.MemberExpression): Step {
  const name = memberName(node);
  if (name === null) return { kind: 'unknown-member' };
  return node.computed && /^\d+$/.test(name) ? { kind: 'index', index: Number(name) } : { kind: 'property', name };
}

const rowCounts: ReadonlySet<string> = new Set(['length', 'rowCount']);

/** A part of a value: the answer, when the path through the result has reached it. */
export function memberOf(value: Known, step: Step): Known | null {
  switch (value.kind) {
    case 'result': {
      // A statement that reads no table gives one row.
      if (step.kind === 'property' && rowCounts.has(step.name)) return { kind: 'constant', value: 1, tells: null };
      const path = [...value.path, step];
      return isAnswer(value.tells, path) ? { kind: 'answer', granted: value.granted, negated: false, tells: value.tells } : { ...value, path };
    }
    case 'record':
      if (step.kind === 'index') return value.fields.get(String(step.index)) ?? null;
      return step.kind === 'property' ? (value.fields.get(step.name) ?? null) : null;
    case 'derived':
      return value;
    case 'answer':
      return { kind: 'derived', tells: value.tells };
    default:
      return null;
  }
}

/** The statement's result itself, before anything is taken out of it. */
export function resultOf(lock: QueryLock, granted: boolean): Known {
  const { operation } = lock;
  if (operation.usedInSql || operation.column?.direct === false) return { kind: 'derived', tells: lock };
  const path: readonly Step[] = [{ kind: 'await' }];
  return isAnswer(lock, path) ? { kind: 'answer', granted, negated: false, tells: lock } : { kind: 'result', granted, path, tells: lock };
}

function isAnswer(lock: QueryLock, path: readonly Step[]): boolean {
  const node = lock.query.node;
  const use: Use = { path, sink: { kind: 'tested' }, node, expression: node, inside: [], negated: false, converted: 'boolean', rejection: 'propagates', chained: false };
  const probe: QueryLock = { ...lock, query: { ...lock.query, result: likeliestResult(lock), uses: [use] } };
  return readingsOf(probe).some((reading) => reading.kind === 'read');
}

export const asBoolean = (value: Known | null): Known | null => {
  const truth = truthOf(value);
  if (value === null || value.kind === 'answer' || value.kind === 'derived') return value;
  return truth === 'unknown' ? derivedFrom(value) : constant(truth === 'true', tellsOf(value));
};

export function readUnary(node: TSESTree.UnaryExpression, again: (inner: TSESTree.Node) => Known | null): Known | null {
  const value = again(node.argument);
  switch (node.operator) {
    case '!': {
      if (value?.kind === 'answer') return { ...value, negated: !value.negated };
      if (value?.kind === 'derived') return value;
      const truth = truthOf(value);
      return truth === 'unknown' ? value && derivedFrom(value) : constant(truth === 'false', value && tellsOf(value));
    }
    case '+':
      return value;
    case 'void':
      return constant(undefined);
    default:
      return value && derivedFrom(value);
  }
}

export function readLogical(node: TSESTree.LogicalExpression, again: (inner: TSESTree.Node) => Known | null): Known | null {
  const left = again(node.left);
  if (node.operator === '??') {
    const isNull = nullness(left);
    if (isNull !== 'unknown') return isNull === 'true' ? again(node.right) : left;
    return left && derivedFrom(left);
  }
  const truth = truthOf(left);
  if (truth === 'unknown') return (left && derivedFrom(left)) ?? derivedFrom(again(node.right));
  const decidedByLeft = (truth === 'true') === (node.operator === '||');
  return decidedByLeft ? left : telling(again(node.right), left);
}

export function readComparison(node: TSESTree.BinaryExpression, again: (inner: TSESTree.Node) => Known | null): Known | null {
  if (node.left.type === 'PrivateIdentifier') return null;
  const [left, right] = [again(node.left), again(node.right)];
  const isEqual = ['===', '=='].includes(node.operator);
  const answer = left?.kind === 'answer' ? left : right?.kind === 'answer' ? right : null;
  const other = left?.kind === 'answer' ? right : left;
  if (isEqual || ['!==', '!='].includes(node.operator)) {
    if (answer && other?.kind === 'constant') {
      const meaning = meaningOf(other.value);
      if (meaning === null) return { kind: 'derived', tells: answer.tells };
      return { ...answer, negated: answer.negated !== (meaning !== isEqual) };
    }
    if (left?.kind === 'constant' && right?.kind === 'constant') {
      const loose = node.operator === '==' || node.operator === '!=';
      const equal = loose ? (left.value ?? null) === (right.value ?? null) : left.value === right.value;
      if (!loose || typeof left.value === typeof right.value || isNothing(left.value) || isNothing(right.value)) {
        return constant(equal === isEqual, left.tells ?? right.tells);
      }
    }
    const [known, literal] = left?.kind === 'constant' ? [right, left] : [left, right];
    if (literal?.kind === 'constant' && isNothing(literal.value) && known && nullness(known) === 'false') return constant(!isEqual, tellsOf(known));
  }
  return (left && derivedFrom(left)) ?? derivedFrom(right);
}

const isNothing = (value: unknown): boolean => value === null || value === undefined;

/** What comparing the answer with a value asks: is it granted, is it refused, or neither. */
function meaningOf(value: unknown): boolean | null {
  switch (value) {
    case true:
    case 1:
    case 1n:
    case '1':
    case 't':
    case 'true':
      return true;
    case false:
    case 0:
    case 0n:
    case '0':
    case 'f':
    case 'false':
      return false;
    default:
      return null;
  }
}

export function truthOf(value: Known | null): Truth {
  switch (value?.kind) {
    case 'constant':
      return value.value ? 'true' : 'false';
    case 'truthy':
    case 'record':
      return 'true';
    case 'falsy':
      return 'false';
    case 'answer':
      return value.granted !== value.negated ? 'true' : 'false';
    default:
      return 'unknown';
  }
}

/** Is the value null or undefined? */
export function nullness(value: Known | null): Truth {
  switch (value?.kind) {
    case 'constant':
      return value.value === null || value.value === undefined ? 'true' : 'false';
    case 'truthy':
    case 'record':
    case 'answer':
      return 'false';
    case 'result':
      // A statement without a table gives one row, and every row has its columns.
      return 'false';
    default:
      return 'unknown';
  }
}

export function tellsOf(value: Known): QueryLock | null {
  return value.kind === 'record' ? null : value.tells;
}

export function derivedFrom(value: Known | null): Known | null {
  const tells = value && tellsOf(value);
  return tells ? { kind: 'derived', tells } : null;
}

/** The value is what it is because of an answer. */
export function telling(value: Known | null, because: Known | null): Known | null {
  const tells = because && tellsOf(because);
  if (!tells || !value) return value ?? (because && derivedFrom(because));
  return (value.kind === 'constant' || value.kind === 'truthy' || value.kind === 'falsy') && value.tells === null ? { ...value, tells } : value;
}

/** Marks a value that a helper returned: testing it tells whether the lock was got. */
export function tellingOf(value: Known | null, tells: QueryLock): Known | null {
  if (value === null || value.kind === 'record') return value;
  return value.kind === 'constant' || value.kind === 'truthy' || value.kind === 'falsy' ? { ...value, tells } : value;
}

