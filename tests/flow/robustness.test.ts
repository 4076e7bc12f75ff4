import { readFileSync } from 'node:fs';
import { Linter } from 'eslint';
import type { Rule } from 'eslint';
import * as espree from 'espree';
import { globSync } from 'tinyglobby';
import { describe, expect, test } from 'vitest';
import { formatGraph } from '../../src/flow/format.js';
import { buildGraph } from '../../src/flow/graph.js';
import { isFlowUnit, isNode } from '../../src/flow/nodes.js';
import type { FlowUnit, Node } from '../../src/flow/nodes.js';
import { solve } from '../../src/flow/solve.js';
import { firstFunction, parse, unitsOf } from './parse.js';
import { graphOf } from './traces.js';

/** Builds and solves every unit of a program; gives how many had a graph. */
function graphsIn(program: Node): number {
  let count = 0;
  for (const unit of unitsOf(program)) {
    const graph = buildGraph(unit);
    if (graph.kind !== 'graph') continue;
    const solution = solve(graph, { initial: [0], key: String, transfer: () => [0] });
    expect(solution.kind).toBe('solved');
    count += 1;
  }
  return count;
}

function parseJavaScript(text: string): Node {
  const program: unknown = espree.parse(text, { ecmaVersion: 'latest', sourceType: 'commonjs', range: true, loc: true, ecmaFeatures: { jsx: true } });
  if (!isNode(program)) throw new TypeError('Not a program.');
  return program;
}

describe('survives every code', () => {
  test('ESLint, its own files', () => {
    const files = globSync('node_modules/eslint/lib/**/*.js');
    const count = files.reduce((sum, file) => sum + graphsIn(parseJavaScript(readFileSync(file, 'utf8'))), 0);
    expect(files.length).toBeGreaterThan(350);
    expect(count).toBeGreaterThan(4_000);
  });

  test.each(['node_modules/espree/dist/espree.cjs', 'node_modules/ajv/dist/ajv.bundle.js', 'node_modules/esquery/dist/esquery.min.js', 'node_modules/acorn/dist/acorn.js'])(
    'a bundle: %s',
    (pattern) => {
      for (const file of globSync(pattern)) expect(graphsIn(parseJavaScript(readFileSync(file, 'utf8')))).toBeGreaterThan(10);
    },
  );

  test('this project’s own files', () => {
    for (const file of globSync(['src/**/*.ts', 'tests/flow/*.ts'])) {
      expect(graphsIn(parse(readFileSync(file, 'utf8')))).toBeGreaterThan(0);
    }
  });

  test('inside a rule of ESLint, with its parents set', () => {
    let graphs = '';
    const text = 'async function f() { await g(); }\n';
    const rule: Rule.RuleModule = {
      create: () => ({
        FunctionDeclaration: (node: unknown) => {
          if (isNode(node) && isFlowUnit(node)) graphs += formatGraph(graphOf(node), text);
        },
      }),
    };
    new Linter().verify(text, { plugins: { probe: { rules: { probe: rule } } }, rules: { 'probe/probe': 'error' } });
    expect(graphs).toBe(formatGraph(graphOf(firstFunction(text)), text));
  });

  test('JSX', () => {
    const program = parse('const f = () => <A b={c()} {...d()}>{e()}<g.h i={<j />} />{...k()}</A>;', true);
    const unit = unitsOf(program).at(1);
    if (unit === undefined) throw new Error('No function.');
    const calls = graphOf(unit).steps.filter(({ kind }) => kind === 'call');
    expect(calls).toHaveLength(4);
  });

  test('node types that no parser has yet', () => {
    const unit = firstFunction('function f() { a(1); { b(2); } }');
    if (unit.type !== 'FunctionDeclaration') throw new Error('No function.');
    for (const statement of unit.body.body) Object.assign(statement, { type: 'FutureStatement' });
    expect(graphOf(unit).steps.filter(({ kind }) => kind === 'call')).toHaveLength(2);
  });

  test('deep nesting', () => {
    // ESLint's parser gets deeper than the TypeScript one.
    const inFunction = (body: string): FlowUnit => {
      const unit = unitsOf(parseJavaScript(`function f() { ${body} }`)).at(1);
      if (unit === undefined) throw new Error('No function.');
      return unit;
    };
    const binary = inFunction(`return ${'a() + '.repeat(1_800)}b();`);
    expect(graphOf(binary).steps.filter(({ kind }) => kind === 'call')).toHaveLength(1_801);
    expect(buildGraph(inFunction(`return ${'!'.repeat(1_200)}a;`)).kind).toBe('graph');
    const deep = inFunction(`return ${'!'.repeat(1_600)}a;`);
    expect(buildGraph(deep)).toEqual({ kind: 'too-large', unit: deep, reason: 'depth' });
  });

  test('a function of ten thousand steps, and one of too many', () => {
    const block = 'try { await a(); if (b) { for (const x of c) await d(x); } } finally { await e(); }';
    const large = graphOf(firstFunction(`async function f() { ${block.repeat(700)} }`));
    expect(large.steps.length).toBeGreaterThan(10_000);
    const solution = solve(large, { initial: [0], key: String, transfer: () => [0] });
    expect(solution.kind === 'solved' && solution.reaches(large.exits.throw)).toBe(true);
    const unit = firstFunction(`async function f() { ${block.repeat(4_000)} }`);
    expect(buildGraph(unit)).toEqual({ kind: 'too-large', unit, reason: 'steps' });
  });
});
