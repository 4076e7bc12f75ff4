import { readFileSync } from 'node:fs';
import { globSync } from 'tinyglobby';
import { describe, expect, test } from 'vitest';
import { buildGraph } from '../../src/flow/graph.js';
import type { Node } from '../../src/flow/nodes.js';
import { callOrderOf } from './call-order.js';
import { analyseCodePaths, knownDifferences } from './code-paths.js';
import type { CodePathFacts, ParserName } from './code-paths.js';
import { CONSTRUCTS } from './constructs.js';
import { randomProgram } from './random-program.js';

/** Functions with more calls than this have too many pairs to look at. */
const MAX_CALLS = 300;

interface Comparison {
  units: number;
  pairs: number;
  readonly wrong: string[];
}

/** Where ESLint's code-path analysis and the graph disagree over one text. */
function compareText(text: string, parser: ParserName, sourceType: 'module' | 'commonjs' = 'module'): Comparison {
  const comparison: Comparison = { units: 0, pairs: 0, wrong: [] };
  for (const facts of analyseCodePaths(text, parser, sourceType)) compareUnit(facts, text, comparison);
  return comparison;
}

function compareUnit({ unit, calls, pairs }: CodePathFacts, text: string, comparison: Comparison): void {
  if (calls.size > MAX_CALLS) return;
  // As ESLint sees it: every call may throw, and none ends the process.
  const graph = buildGraph(unit, { throws: (node) => (node.type === 'CallExpression' ? 'may' : undefined) });
  if (graph.kind !== 'graph') throw new Error(graph.reason);
  const { reachable, follows } = callOrderOf(graph);
  const { jumpsOverFinally, mixesBranches } = knownDifferences(unit);
  comparison.units += 1;
  const isDead = (call: Node | null): boolean => call !== null && !reachable.has(call);
  for (const [call, isReached] of calls) {
    if (reachable.has(call) === isReached) continue;
    if (isReached ? isInForUpdate(call) : jumpsOverFinally) continue;
    comparison.wrong.push(`${isReached ? 'unreached' : 'reached'}: ${show(call, text)}`);
  }
  if (jumpsOverFinally || mixesBranches) return;
  for (const { from, to } of pairs) {
    if (isDead(from) || isDead(to)) continue;
    comparison.pairs += 1;
    if (!follows(from, to)) comparison.wrong.push(`${show(from, text)} → ${show(to, text)}`);
  }
}

/** ESLint takes the update of a `for` to be reached, though the body may never end. */
function isInForUpdate(call: Node): boolean {
  for (let node: Node = call; node.parent !== undefined && node.parent !== null; node = node.parent) {
    if (node.parent.type === 'ForStatement' && node.parent.update === node) return true;
  }
  return false;
}

function show(node: Node | null, text: string): string {
  return node === null ? 'outside' : `${text.slice(...node.range).slice(0, 60)} (line ${node.loc.start.line})`;
}

const COMPARABLE = CONSTRUCTS.filter(({ codePath }) => codePath === undefined);

describe('agrees with ESLint’s code-path analysis on what is reached and in which order', () => {
  test.each(COMPARABLE.filter(({ parsers }) => parsers !== 'typescript'))('espree, $name: $text', ({ text }) => {
    expect(compareText(text, 'espree').wrong).toEqual([]);
  });
  test.each(COMPARABLE)('typescript, $name: $text', ({ text }) => {
    expect(compareText(text, 'typescript').wrong).toEqual([]);
  });
  test.each(CONSTRUCTS.filter(({ codePath }) => codePath !== undefined))('differs: $name, $codePath', ({ text }) => {
    expect(compareText(text, 'typescript').wrong).not.toEqual([]);
  });

  test('random functions', () => {
    let pairs = 0;
    for (let seed = 1; seed <= 400; seed += 1) {
      const text = randomProgram(seed, seed % 2 === 0 ? 'plain' : 'async');
      const comparison = compareText(text, seed % 3 === 0 ? 'typescript' : 'espree');
      expect({ text, wrong: comparison.wrong }).toEqual({ text, wrong: [] });
      pairs += comparison.pairs;
    }
    expect(pairs).toBeGreaterThan(2_000);
  });

  test('ESLint’s own source', () => {
    let units = 0;
    let pairs = 0;
    for (const file of globSync('node_modules/eslint/lib/{rules,linter,shared,eslint,config}/**/*.js')) {
      const comparison = compareText(readFileSync(file, 'utf8'), 'espree', 'commonjs');
      expect({ file, wrong: comparison.wrong }).toEqual({ file, wrong: [] });
      units += comparison.units;
      pairs += comparison.pairs;
    }
    expect(units).toBeGreaterThan(3_000);
    expect(pairs).toBeGreaterThan(10_000);
  });
});
