import type { TSESTree } from '@typescript-eslint/utils';
import type { FunctionNode } from './ast.js';
import type { Scopes, Variable } from './scope.js';
import { ValueFlow } from './value-flow.js';

/**
 * One step from a value towards a part of it, or to what a promise gives. `node` is where the source takes the part: the
 * member expression, or the property or element of a pattern.
 */
export type Step =
  | { kind: 'await' }
  /** `.then(callback)`: the same value as `await`, seen by the callback. */
  | { kind: 'then' }
  | { kind: 'property'; name: string; node?: TSESTree.Node }
  | { kind: 'index'; index: number; node?: TSESTree.Node }
  | { kind: 'rest' }
  /** `rows.shift()`, `.at(0)`, `.find(…)`, `Object.values(…)` (under that name), or any other method called on it. */
  | { kind: 'method'; name: string; call: TSESTree.CallExpression }
  /** Any of the elements: `for … of`, the parameter of a `.map` callback, a spread argument. */
  | { kind: 'element' }
  /** A member whose name the source does not show. */
  | { kind: 'unknown-member' };

/** What a value was put into on its way, so that it is no longer the consumed value itself. */
export type Holder =
  | { kind: 'promise' }
  | { kind: 'property'; name: string }
  | { kind: 'index'; index: number }
  | { kind: 'element' };

/** A conversion of the value to a primitive: `!!x` and `Boolean(x)`, `Number(x)` and `+x`, `String(x)`, `BigInt(x)`. */
export type Conversion = 'boolean' | 'number' | 'string' | 'bigint';

/**
 * What becomes of a rejection of the value's promise. `handled`: a callback of `.catch` or `.then` takes it and does not
 * throw; `ignored`: the callback does nothing at all.
 */
export type Rejection = 'propagates' | 'handled' | 'ignored';

export interface Use {
  /** From the value asked about to what is consumed here. */
  readonly path: readonly Step[];
  readonly sink: Sink;
  /** Where it is consumed: the statement, call, comparison … of the sink. */
  readonly node: TSESTree.Node;
  /** The outermost expression that still is the value at `path`. */
  readonly expression: TSESTree.Node;
  /** Containers around the value where it is consumed, outermost first: `return { ok }` returns it in a property. */
  readonly inside: readonly Holder[];
  /** The logical opposite is consumed; implies that it was converted to a boolean. */
  readonly negated: boolean;
  readonly converted: Conversion | null;
  readonly rejection: Rejection;
  /** `then`, `catch` or `finally` was called on the way. */
  readonly chained: boolean;
}

/**
 * How a value is consumed. Tested, compared, interpolated values and operands are never inside a container. The result of
 * a comparison or test is a value of its own: ask `usesOf(use.node)` for it.
 */
export type Sink =
  /** An expression statement, `void`, the left side of a comma, or a pattern that does not take it. */
  | { kind: 'discarded'; voided: boolean }
  /** Bound to a variable that nothing reads. */
  | { kind: 'never-read'; variable: Variable | null }
  /** A condition; the value decides which way the program takes. */
  | { kind: 'tested' }
  /** `operator` is `switch` for a `switch` discriminant or case, `includes` for `list.includes(other)`. */
  | { kind: 'compared'; operator: string; other: TSESTree.Node | null; side: 'left' | 'right' }
  | { kind: 'returned'; function: FunctionNode }
  | { kind: 'argument'; call: TSESTree.CallExpression | TSESTree.NewExpression; index: number }
  /** The value itself is called, or used as a template tag. */
  | { kind: 'called'; call: TSESTree.CallExpression | TSESTree.NewExpression | TSESTree.TaggedTemplateExpression }
  /** Assigned to a member, a class field, or a variable that is not declared in the file. */
  | { kind: 'stored'; target: TSESTree.Node }
  | { kind: 'thrown' }
  | { kind: 'interpolated'; template: TSESTree.TemplateLiteral }
  | { kind: 'operand'; operator: string }
  | { kind: 'yielded'; yield: TSESTree.YieldExpression }
  | { kind: 'exported' }
  /** Something this analysis does not follow. */
  | { kind: 'escaped' };

/**
 * Where the value of an expression goes: through awaits, promise chains, variables, destructuring and array callbacks to
 * every place that consumes it or a part of it. In source order; never empty.
 */
export function usesOf(expression: TSESTree.Node, scopes: Scopes): readonly Use[] {
  return new ValueFlow(scopes).ofExpression(expression);
}

/** Where the value of a variable goes, whichever write it comes from; one `never-read` use when nothing reads it. */
export function usesOfVariable(variable: Variable, scopes: Scopes): readonly Use[] {
  return new ValueFlow(scopes).ofVariable(variable);
}

/** Where an argument at `index` goes inside the function; one `discarded` use when no parameter takes it. */
export function usesOfParameter(fn: FunctionNode, index: number, scopes: Scopes): readonly Use[] {
  return new ValueFlow(scopes).ofParameter(fn, index);
}

/** What is done with the promise a call returns; the first of these that holds for one of its uses. */
export type Settlement = 'awaited' | 'chained' | 'returned' | 'yielded' | 'passed' | 'stored' | 'voided' | 'floating';

/**
 * Does somebody wait for what the call returns? A promise in a variable counts by what is done with the variable, one in
 * `Promise.all` as awaited. Queries that are sent only when awaited are never sent when `floating` or `voided`.
 */
export function settles(call: TSESTree.Node, scopes: Scopes): Settlement {
  const found = new Set(usesOf(call, scopes).map(settlementOf));
  return settlements.find((settlement) => found.has(settlement)) ?? 'floating';
}

/** Nobody awaits the call's promise, and nobody else gets hold of it. */
export function isFloating(call: TSESTree.Node, scopes: Scopes): boolean {
  const settlement = settles(call, scopes);
  return settlement === 'floating' || settlement === 'voided';
}

const settlements: readonly Settlement[] = [
  'awaited', 'chained', 'returned', 'yielded', 'passed', 'stored', 'voided', 'floating',
];

function settlementOf({ path, sink, chained }: Use): Settlement {
  if (path[0]?.kind === 'await') return 'awaited';
  if (path[0]?.kind === 'then' || chained) return 'chained';
  if (path.length > 0) return 'passed';
  switch (sink.kind) {
    case 'returned':
      return 'returned';
    case 'yielded':
      return 'yielded';
    case 'stored':
    case 'exported':
      return 'stored';
    case 'discarded':
      return sink.voided ? 'voided' : 'floating';
    case 'never-read':
      return 'floating';
    default:
      return 'passed';
  }
}
