import { readFileSync } from 'node:fs';
import { globSync } from 'tinyglobby';
import { describe, expect, test } from 'vitest';
import { buildGraph } from '../../src/flow/graph.js';
import { isCall } from '../../src/flow/nodes.js';
import type { Node } from '../../src/flow/nodes.js';
import { callOrderOf } from './call-order.js';
import { analyseCodePaths, knownDifferences } from './code-paths.js';
import type { CodePathFacts, ParserName } from './code-paths.js';
import { CONSTRUCTS } from './constructs.js';
import { randomProgram } from './random-program.js';

/** Functions with more calls than this have too many pairs to look at. */
const MAX_CALLS = 300;

interface Comparison {
  /** Random code meets defects of ESLint's analysis that code written by people does not. */
  readonly isRandom: boolean;
  units: number;
  pairs: number;
  readonly wrong: string[];
}

/** Where ESLint's code-path analysis and the graph disagree over one text. */
function compareText(text: string, parser: ParserName, kind: 'written' | 'random' = 'written'): Comparison {
  const comparison: Comparison = { isRandom: kind === 'random', units: 0, pairs: 0, wrong: [] };
  const sourceType = /\brequire\(/.test(text) ? 'commonjs' : 'module';
  for (const facts of analyseCodePaths(text, parser, sourceType)) compareUnit(facts, text, comparison);
  return comparison;
}

function compareUnit({ unit, calls, pairs }: CodePathFacts, text: string, comparison: Comparison): void {
  const { jumpsOverFinally, mixesBranches, branchesInTry } = knownDifferences(unit);
  if (calls.size > MAX_CALLS || jumpsOverFinally || (comparison.isRandom && branchesInTry)) return;
  // As ESLint sees it: every call may throw, and none ends the process.
  const graph = buildGraph(unit, { throws: (node) => (isCall(node) ? 'may' : undefined) });
  if (graph.kind !== 'graph') throw new Error(graph.reason);
  const { reachable, follows } = callOrderOf(graph);
  comparison.units += 1;
  const isDead = (call: Node | null): boolean => call !== null && !reachable.has(call);
  for (const [call, isReached] of calls) {
    if (reachable.has(call) === isReached) continue;
    if (isReached && isInForUpdate(call)) continue;
    comparison.wrong.push(`${isReached ? 'unreached' : 'reached'}: ${show(call, text)}`);
  }
  if (mixesBranches) return;
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

  // The first call of a returned chain fails in the graph where its promise is waited for, after the finalizers.
  test.each(globSync('tests/flow/fixtures/*.txt', { ignore: '**/chains.txt' }).sort())('%s', (file) => {
    const [source = ''] = readFileSync(file, 'utf8').split('\n---\n');
    expect(compareText(source, 'typescript').wrong).toEqual([]);
  });

  // With jumps, what the test would find is more ways in which ESLint's analysis lets dead code live.
  test('random functions without jumps', () => {
    let pairs = 0;
    for (let seed = 1; seed <= 200; seed += 1) {
      const flavours = ['plain', 'generator', 'async'] as const;
      const text = randomProgram(seed, flavours[seed % 3] ?? 'plain', false);
      const comparison = compareText(text, seed % 2 === 0 ? 'typescript' : 'espree', 'random');
      expect({ text, wrong: comparison.wrong }).toEqual({ text, wrong: [] });
      pairs += comparison.pairs;
    }
    expect(pairs).toBeGreaterThan(1_000);
  });

  test('ESLint’s own source', () => {
    let units = 0;
    let pairs = 0;
    for (const file of globSync('node_modules/eslint/lib/{rules,linter,shared,eslint,config}/**/*.js')) {
      const comparison = compareText(readFileSync(file, 'utf8'), 'espree');
      expect({ file, wrong: comparison.wrong }).toEqual({ file, wrong: [] });
      units += comparison.units;
      pairs += comparison.pairs;
    }
    expect(units).toBeGreaterThan(3_000);
    expect(pairs).toBeGreaterThan(10_000);
  });
});
