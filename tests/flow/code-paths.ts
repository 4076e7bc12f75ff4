import { Linter } from 'eslint';
import type { Rule } from 'eslint';
import * as typescriptParser from '@typescript-eslint/parser';
import type * as ESTree from 'estree';
import { childNodes, isFlowUnit, unwrap } from '../../src/flow/nodes.js';
import type { FlowUnit, Node } from '../../src/flow/nodes.js';

/** What ESLint's code-path analysis says of one unit, reduced to its calls. */
export interface CodePathFacts {
  readonly unit: FlowUnit;
  /** Every call of the unit, and whether the analysis reaches it. */
  readonly calls: ReadonlyMap<Node, boolean>;
  /** `a → b` where a path runs from call `a` to call `b` with no other call between; null stands for the entry or an exit. */
  readonly pairs: readonly CallPair[];
}

export interface CallPair {
  readonly from: Node | null;
  readonly to: Node | null;
}

interface Recorder {
  readonly path: Rule.CodePath;
  readonly node: ESTree.Node;
  readonly calls: Map<Node, boolean>;
  readonly bySegment: Map<Rule.CodePathSegment, Node[]>;
  readonly current: Set<Rule.CodePathSegment>;
}

export type ParserName = 'espree' | 'typescript';

/** Runs ESLint's code-path analysis over a text, and gives the facts of each unit with the nodes of that very run. */
export function analyseCodePaths(text: string, parser: ParserName, sourceType: 'module' | 'commonjs' | 'script'): readonly CodePathFacts[] {
  const facts: CodePathFacts[] = [];
  const stack: Recorder[] = [];
  const rule: Rule.RuleModule = {
    create: () => {
      const record = (node: Rule.Node): void => {
        const recorder = stack.at(-1);
        if (recorder === undefined || !isCall(node)) return;
        const segments = [...recorder.current];
        recorder.calls.set(node, segments.some((segment) => segment.reachable));
        for (const segment of segments) recorder.bySegment.get(segment)?.push(node);
      };
      const start = (segment: Rule.CodePathSegment): void => {
        const recorder = stack.at(-1);
        recorder?.current.add(segment);
        if (recorder?.bySegment.has(segment) === false) recorder.bySegment.set(segment, []);
      };
      const end = (segment: Rule.CodePathSegment): void => void stack.at(-1)?.current.delete(segment);
      return {
        onCodePathStart: (path: Rule.CodePath, node: Rule.Node) =>
          void stack.push({ path, node, calls: new Map(), bySegment: new Map(), current: new Set() }),
        onCodePathEnd: () => {
          const recorder = stack.pop();
          const unit = recorder === undefined ? null : unitOf(recorder.node);
          if (recorder !== undefined && unit !== null) facts.push({ unit, calls: recorder.calls, pairs: pairsOf(recorder) });
        },
        onCodePathSegmentStart: start,
        onUnreachableCodePathSegmentStart: start,
        onCodePathSegmentEnd: end,
        onUnreachableCodePathSegmentEnd: end,
        'CallExpression:exit': record,
        'NewExpression:exit': record,
        'ImportExpression:exit': record,
        'TaggedTemplateExpression:exit': record,
      };
    },
  };
  const messages = new Linter().verify(text, [
    {
      files: ['**/*'],
      plugins: { probe: { rules: { probe: rule } } },
      rules: { 'probe/probe': 'error' },
      linterOptions: { reportUnusedDisableDirectives: 'off' },
      languageOptions: {
        sourceType,
        ...(parser === 'typescript' ? { parser: typescriptParser } : { parserOptions: { ecmaFeatures: { jsx: true } } }),
      },
    },
  ]);
  const fatal = messages.find((message) => message.fatal === true);
  if (fatal !== undefined) throw new SyntaxError(`${fatal.message} (line ${fatal.line})`);
  return facts;
}

function isCall(node: unknown): node is Node {
  return typeof node === 'object' && node !== null && 'type' in node;
}

/** ESLint names a field's path after the initialiser's expression. */
function unitOf(node: unknown): FlowUnit | null {
  if (!isCall(node)) return null;
  const unit = isFlowUnit(node) && node.type !== 'PropertyDefinition' ? node : null;
  const { parent } = node;
  const isField = parent?.type === 'PropertyDefinition' && parent.value === node;
  if (isField && (unit === null || !isFunctionPath(node))) return parent;
  return unit;
}

/** An initialiser that is itself a function has two paths, which this test does not tell apart: it leaves both out. */
function isFunctionPath(node: Node): boolean {
  return node.type === 'FunctionExpression' || node.type === 'ArrowFunctionExpression';
}

function pairsOf({ path, bySegment }: Recorder): readonly CallPair[] {
  const pairs: CallPair[] = [];
  const follow = (from: Node | null, segment: Rule.CodePathSegment, seen: Set<Rule.CodePathSegment>): void => {
    if (seen.has(segment) || !segment.reachable) return;
    seen.add(segment);
    const first = bySegment.get(segment)?.at(0);
    if (first !== undefined) pairs.push({ from, to: first });
    else leave(from, segment, seen);
  };
  const leave = (from: Node | null, segment: Rule.CodePathSegment, seen: Set<Rule.CodePathSegment>): void => {
    if (path.finalSegments.includes(segment)) pairs.push({ from, to: null });
    for (const next of segment.nextSegments) follow(from, next, seen);
  };
  follow(null, path.initialSegment, new Set());
  for (const [segment, calls] of bySegment) {
    if (!segment.reachable) continue;
    calls.forEach((from, index) => {
      const next = calls[index + 1];
      if (next !== undefined) pairs.push({ from, to: next });
      else leave(from, segment, new Set());
    });
  }
  return pairs;
}

/** Where ESLint's analysis is known to be less exact than the graph. */
export interface KnownDifferences {
  /** A `break` or `continue` jumps over a `finally` block, which may even look dead. */
  readonly jumpsOverFinally: boolean;
  /** A test is made of parts under `!`, `?:`, `??`, `,` or `?.`: both branches seem to follow each of them. */
  readonly mixesBranches: boolean;
  /** The bodies of a loop or `switch` inside `try` or `catch` seem to run without what comes before them. */
  readonly branchesInTry: boolean;
}

const REPEATED: ReadonlySet<string> = new Set([
  'SwitchStatement',
  'WhileStatement',
  'DoWhileStatement',
  'ForStatement',
  'ForInStatement',
  'ForOfStatement',
]);

export function knownDifferences(unit: FlowUnit): KnownDifferences {
  let jumpsOverFinally = false;
  let mixesBranches = false;
  let branchesInTry = false;
  const walk = (node: Node, inTry: boolean, inFinally: boolean): void => {
    if (node.type === 'BreakStatement' || node.type === 'ContinueStatement') jumpsOverFinally ||= inFinally;
    if (REPEATED.has(node.type)) branchesInTry ||= inTry;
    mixesBranches ||= testsOf(node).some((test) => isCompound(unwrap(test)));
    const isTry = node.type === 'TryStatement';
    for (const child of childNodes(node)) {
      if (isFlowUnit(child)) continue;
      walk(child, inTry || isTry, inFinally || (isTry && node.finalizer !== null && child !== node.finalizer));
    }
  };
  walk(unit, false, false);
  return { jumpsOverFinally, mixesBranches, branchesInTry };
}

function testsOf(node: Node): readonly Node[] {
  switch (node.type) {
    case 'IfStatement':
    case 'WhileStatement':
    case 'DoWhileStatement':
    case 'ConditionalExpression':
      return [node.test];
    case 'ForStatement':
      return node.test === null ? [] : [node.test];
    case 'LogicalExpression':
      return [node.left, node.right];
    default:
      return [];
  }
}

function isCompound(test: Node): boolean {
  if (test.type === 'UnaryExpression' && test.operator === '!') {
    const argument = unwrap(test.argument);
    return argument.type === 'LogicalExpression' || isCompound(argument);
  }
  if (test.type === 'LogicalExpression') return test.operator === '??';
  return ['ConditionalExpression', 'SequenceExpression', 'ChainExpression'].includes(test.type);
}
