import type { TSESTree } from '@typescript-eslint/utils';
import type { CallNode, FlowUnit, FunctionNode, Node } from './nodes.js';
import type { Throws } from './throws.js';

/**
 * Why an edge is taken.
 *
 * - `next`: the step is done.
 * - `throw`: it threw, or what it waits for was rejected.
 * - `true`, `false`: the answer of a condition that asks `truthy` or `equals`.
 * - `nullish`, `non-nullish`: the answer of a condition that asks `nullish` (`??`, `??=`, `?.`).
 * - `undefined`, `defined`: the answer of a condition that asks `undefined` (a default in a pattern or parameter list).
 * - `item`, `done`: an iteration has another item, or ends.
 * - `abandon`: the consumer of a generator calls `return()` while it is suspended at this `yield`.
 */
export type EdgeLabel =
  | 'next'
  | 'throw'
  | 'true'
  | 'false'
  | 'nullish'
  | 'non-nullish'
  | 'undefined'
  | 'defined'
  | 'item'
  | 'done'
  | 'abandon';

export interface Edge {
  readonly from: Step;
  readonly to: Step;
  readonly label: EdgeLabel;
  /**
   * On the way out of a shared finalizer: the edge belongs to the completion that came in through this `finally` step and
   * to no other. `solve` keeps to it; who walks the edges by hand sees more paths than there are.
   */
  readonly enteredBy: Step | null;
}

/** How a piece of code ends, and so what a finalizer goes on with. */
export type CompletionKind = 'normal' | 'return' | 'throw' | 'break' | 'continue';

/**
 * A finalizer that stands inside another finalizer. It is in the graph once, like a subroutine: each completion enters it
 * through a `finally` step of its own and leaves by edges that name this step.
 */
export interface SharedFinalizer {
  readonly id: number;
  /** The shared finalizer around this one. */
  readonly parent: SharedFinalizer | null;
}

interface StepBase {
  /** 0-based, in the order of building: the index into `FlowGraph.steps`. */
  readonly id: number;
  /** The unit or inlined function whose body holds the step's node. */
  readonly owner: FlowUnit;
  readonly edges: readonly Edge[];
  /** The innermost shared finalizer the step belongs to. */
  readonly shared: SharedFinalizer | null;
}

export interface EntryStep extends StepBase {
  readonly kind: 'entry';
  readonly node: FlowUnit;
}

/** `return`: the unit ends, by `return` or by running off its end. `throw`: it throws, or its promise is rejected. */
export interface ExitStep extends StepBase {
  readonly kind: 'exit';
  readonly node: FlowUnit;
  readonly completion: 'return' | 'throw';
}

/** A call, `new`, a tagged template or `import()`; callee and arguments have been evaluated by steps before. */
export interface CallStep extends StepBase {
  readonly kind: 'call';
  readonly node: CallNode;
  /** A later `await` step names this call in `settles`: its failure shows there, and this step has no throw edge. */
  readonly awaited: boolean;
}

/** Waits. Besides `await` itself: a promise chain waits for its receiver, its callbacks for the promise they return. */
export interface AwaitStep extends StepBase {
  readonly kind: 'await';
  readonly node: Node;
  /**
   * The expression whose outcome shows here: fulfilled along `next`, rejected along `throw`. Null for an `await` of a
   * chain or an inlined call, whose parts have been waited for by steps of their own.
   */
  readonly settles: Node | null;
}

/** `yield` and `yield*`: hands control to the consumer, who may go on, throw, or abandon the generator. */
export interface YieldStep extends StepBase {
  readonly kind: 'yield';
  readonly node: TSESTree.YieldExpression;
}

/** A loop asks its iterator for the next item (`for await` waits for it), or its object for the next key. */
export interface IterateStep extends StepBase {
  readonly kind: 'iterate';
  readonly node: TSESTree.ForOfStatement | TSESTree.ForInStatement;
}

/** A `for`-`of` that is left before the end closes its iterator. */
export interface CloseStep extends StepBase {
  readonly kind: 'close';
  readonly node: TSESTree.ForOfStatement;
}

/**
 * A variable with an initial value, an assignment, an update (`x++`), the loop variable, a default in a pattern. A
 * pattern is assigned as a whole; its defaults follow as steps of their own.
 */
export interface AssignStep extends StepBase {
  readonly kind: 'assign';
  readonly node: Node;
  readonly target: Node;
  /** The expression that gives the value; null for an update. */
  readonly value: Node | null;
  /** `=` for variables and defaults too; `++` and `--` for updates. */
  readonly operator: string;
  /** What of `value` is assigned: itself, one item of it, or what the promise it gives was fulfilled with. */
  readonly takes: 'value' | 'item' | 'settled';
}

/** Branches on one atomic expression: `!`, `&&`, `||`, `?:` and `,` in a test have become branches themselves. */
export interface ConditionStep extends StepBase {
  readonly kind: 'condition';
  readonly node: Node;
  /** Already evaluated. `truthy`, `nullish`: the value asked about. `equals`: the test of a `case`. `undefined`: the target of a default. */
  readonly test: Node;
  readonly asks: 'truthy' | 'nullish' | 'undefined' | 'equals';
  /** For `equals`: the discriminant of the `switch`. */
  readonly subject: Node | null;
}

/** The argument has been evaluated. The arrow function `() => x` returns by such a step whose node is `x`. */
export interface ReturnStep extends StepBase {
  readonly kind: 'return';
  readonly node: Node;
  readonly argument: Node | null;
}

export interface ThrowStep extends StepBase {
  readonly kind: 'throw';
  readonly node: TSESTree.ThrowStatement;
}

/** `break` or `continue`. */
export interface JumpStep extends StepBase {
  readonly kind: 'jump';
  readonly node: TSESTree.BreakStatement | TSESTree.ContinueStatement;
}

/** A block disposes of what `using` or `await using` declared. */
export interface DisposeStep extends StepBase {
  readonly kind: 'dispose';
  readonly node: TSESTree.VariableDeclarator;
  readonly declaration: TSESTree.VariableDeclaration;
}

/** A function, field initialiser or static block comes into being. It has a graph of its own. */
export interface FunctionStep extends StepBase {
  readonly kind: 'function';
  readonly node: FlowUnit;
  /** Its body also follows in this graph, between `callback-start` and `callback-end`. */
  readonly inlined: boolean;
}

export interface CallbackStartStep extends StepBase {
  readonly kind: 'callback-start';
  readonly node: FunctionNode;
  readonly call: Node;
}

/** The inlined function ends, by returning or throwing. It ends nothing else: the graph goes on after the call. */
export interface CallbackEndStep extends StepBase {
  readonly kind: 'callback-end';
  readonly node: FunctionNode;
  readonly call: Node;
  readonly completion: 'return' | 'throw';
}

/** What follows, up to the last callback of this call or chain, runs later, while the code after the statement goes on. */
export interface DetachedStep extends StepBase {
  readonly kind: 'detached';
  readonly node: Node;
}

export interface CatchStep extends StepBase {
  readonly kind: 'catch';
  readonly node: TSESTree.CatchClause;
}

/** A finalizer begins, for one kind of completion. The node is the block, or what else must run on the way out. */
export interface FinallyStep extends StepBase {
  readonly kind: 'finally';
  readonly node: Node;
  readonly completion: CompletionKind;
}

/** A place without effect: where paths meet, a loop begins again, a `try` block begins, a shared finalizer begins or ends. */
export interface MarkStep extends StepBase {
  readonly kind: 'mark';
  readonly node: Node;
  readonly role: 'join' | 'loop' | 'try' | 'shared-start' | 'shared-end';
}

export type Step =
  | EntryStep
  | ExitStep
  | CallStep
  | AwaitStep
  | YieldStep
  | IterateStep
  | CloseStep
  | AssignStep
  | ConditionStep
  | ReturnStep
  | ThrowStep
  | JumpStep
  | DisposeStep
  | FunctionStep
  | CallbackStartStep
  | CallbackEndStep
  | DetachedStep
  | CatchStep
  | FinallyStep
  | MarkStep;

export type StepKind = Step['kind'];

export interface FlowGraph {
  readonly kind: 'graph';
  readonly unit: FlowUnit;
  /** In the order of building, which follows the source but for finalizers; `steps[i].id === i`. */
  readonly steps: readonly Step[];
  readonly entry: Step;
  readonly exits: { readonly return: Step; readonly throw: Step };
  /** Functions whose bodies are part of this graph. */
  readonly inlined: ReadonlySet<FunctionNode>;
  /** The steps of a node, in the order of building: several when a finalizer was copied, none when it runs nothing. */
  readonly stepsOf: (node: Node) => readonly Step[];
}

/** The unit is too big for a graph: nothing is known about its paths. */
export interface TooLarge {
  readonly kind: 'too-large';
  readonly unit: FlowUnit;
  /** `steps`: more than `maxSteps`. `depth`: syntax nested deeper than the analysis goes. */
  readonly reason: 'steps' | 'depth';
}

/** A function that a call runs as part of itself. */
export interface InlineCallback {
  /** Need not be written inside the call. A generator, or a function that is being inlined already, is not inlined. */
  readonly function: FunctionNode;
  /**
   * When it runs. `fulfilled`: once the call has got so far; where the call fails, it does not run. `rejected`: only where
   * the call fails, and then the call counts as done. `always`: either way, as an error-first callback does. `maybe`: as
   * `fulfilled`, or not at all.
   */
  readonly when: 'fulfilled' | 'rejected' | 'always' | 'maybe';
  /** It runs before the call returns, so what it throws comes out of the call even if nobody waits for that. */
  readonly synchronous?: boolean;
}

export interface GraphOptions {
  /** Overrides the throw model for a step's node; undefined leaves it to the model. */
  readonly throws?: (node: Node) => Throws | undefined;
  /** Whether a name means the built-in global of that name. Without it, every name in the throw model's table does. */
  readonly isGlobal?: (identifier: TSESTree.Identifier) => boolean;
  /** A callback that the call runs in sequence; asked for each call and `new` expression that is reached. */
  readonly inlineCallback?: (call: TSESTree.CallExpression | TSESTree.NewExpression) => InlineCallback | null;
  /** More steps than this make the unit `too-large`. Default 50,000. */
  readonly maxSteps?: number;
}
