import type { TSESTree } from '@typescript-eslint/utils';
import type { DriverDescriptor, Give, GiveDetails } from '../drivers/driver.js';
import type { FunctionNode } from '../source/ast.js';
import type { PatternStep, Scopes } from '../source/scope.js';
import type { Callers } from './callers.js';
import type { DeclaredHandles } from './declared/handles.js';
import type { DeclaredWrappers } from './declared/wrappers.js';
import type { Evaluator } from './evaluator.js';
import type { Injection } from './injection.js';
import type { ElsewhereReader } from './imports/elsewhere.js';
import type { LinkedFiles } from './imports/linked-files.js';
import type { Modules } from './modules.js';
import type { DriverObject, Evidence, HandleIdentity, MakingNode, SignalUse, Value } from './values.js';

/** What stands at a place in a call. */
export type Placed = { readonly kind: 'found'; readonly node: TSESTree.Node } | { readonly kind: 'absent' } | { readonly kind: 'unknown' };

export interface EvaluatorParts {
  /** Over this file and those it imports. */
  readonly scopes: Scopes;
  readonly links: LinkedFiles;
  /** What the settings say of names in the code. */
  readonly declaredHandles: DeclaredHandles;
  readonly declaredWrappers: DeclaredWrappers;
  readonly modules: Modules;
  readonly callers: Callers;
  readonly injection: Injection;
  readonly propertyOf: (expression: TSESTree.Node, path: string) => Placed;
  readonly constantOf: (expression: TSESTree.Node) => { readonly value: unknown } | null;
  /** Reads an annotation; created with the evaluator, because `typeof x` and `x: T` refer to each other. */
  readonly typeValue: (annotation: TSESTree.TypeNode, at: TSESTree.Node, evaluator: Evaluator) => Value;
  /** What the parser's type checker says of an expression that syntax leaves unknown. */
  readonly typed: (expression: TSESTree.Node) => Value;
}

/** How an object comes into being. */
export interface Making {
  readonly evidence: Evidence;
  readonly identity: HandleIdentity;
  readonly lifetime?: FunctionNode | null;
  readonly moduleLevel?: boolean;
  readonly signal?: SignalUse | null;
}

/** The evaluator as its parts see it: every question may lead to every other one. */
export interface Core extends Evaluator {
  readonly parts: EvaluatorParts;
  readonly evaluator: Evaluator;
  /** What a type says, under an identity; null when it says nothing. */
  declaredAs(annotation: TSESTree.TypeNode, identity: HandleIdentity, at: TSESTree.Node): Value | null;
  /** `from` is a node of the importing file; without one, files of the project are not looked at. */
  exportOf(module: string, path: readonly string[], from?: TSESTree.Node): Value;
  /** A handle of this kind that a file exports which was not read: it lives as long as its module. */
  assumedObject(owner: { driver: DriverDescriptor; kind: string }, module: string, path: readonly string[], from: TSESTree.Node): DriverObject;
  readonly elsewhere: ElsewhereReader;
  awaited(value: Value): Value;
  /** The part of a value that a destructuring pattern takes. */
  follow(value: Value, path: readonly PatternStep[], at: TSESTree.Node): Value;
  /** Any element of a list. */
  elementsOf(value: Value): Value;
  make(give: Give, driver: DriverDescriptor, receiver: DriverObject | null, call: MakingNode | null, making: Making): DriverObject;
  /**
   * Answers a question once: runs `compute` unless the answer is known. While the same question is being answered, or too
   * many are, nothing is known. A key stands for one question; an expression for what it is, a variable for what it holds.
   */
  guarded(key: object, compute: () => Value): Value;
}

export const detailsOf = (give: Give): GiveDetails => (typeof give === 'string' ? { kind: give } : give);
