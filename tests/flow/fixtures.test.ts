import { readFileSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { globSync } from 'tinyglobby';
import { describe, expect, test } from 'vitest';
import { formatDot, formatGraph } from '../../src/flow/format.js';
import { buildGraph } from '../../src/flow/graph.js';
import type { GraphOptions, InlineCallback } from '../../src/flow/model.js';
import { isFunction } from '../../src/flow/nodes.js';
import type { FlowUnit } from '../../src/flow/nodes.js';
import { parse, unitsOf } from './parse.js';
import { graphOfText } from './traces.js';

/**
 * A fixture is a source, a line `---`, and the graphs of its units. A first line `// program` adds the program's own graph;
 * lines `// inline name when` and `// inline name when synchronous` make the calls of a name run their last argument.
 * `UPDATE_FIXTURES=1` writes the graphs as they are.
 */
const SEPARATOR = '\n---\n';

function optionsOf(source: string): GraphOptions {
  const inlined = new Map<string, Omit<InlineCallback, 'function'>>();
  for (const [, name, when, synchronous] of source.matchAll(/^\/\/ inline (\S+) (\S+)( synchronous)?$/gm)) {
    if (name === undefined || !isWhen(when)) throw new Error(`Bad directive in: ${source}`);
    inlined.set(name, { when, synchronous: synchronous !== undefined });
  }
  return {
    inlineCallback: ({ callee, arguments: given }) => {
      const name = callee.type === 'MemberExpression' ? callee.property : callee;
      const details = name.type === 'Identifier' ? inlined.get(name.name) : undefined;
      const callback = given.at(-1);
      return details !== undefined && callback !== undefined && isFunction(callback) ? { function: callback, ...details } : null;
    },
  };
}

function isWhen(text: string | undefined): text is InlineCallback['when'] {
  return text === 'fulfilled' || text === 'rejected' || text === 'always' || text === 'maybe';
}

function graphsOf(source: string): string {
  const options = optionsOf(source);
  const units = unitsOf(parse(source));
  return (source.startsWith('// program') ? units : units.slice(1))
    .map((unit) => {
      const graph = buildGraph(unit, options);
      return `# ${titleOf(unit)}\n${graph.kind === 'graph' ? formatGraph(graph, source) : `${graph.kind}\n`}`;
    })
    .join('\n');
}

function titleOf(unit: FlowUnit): string {
  return `${unit.type} line ${unit.loc.start.line}`;
}

describe('graphs as text', () => {
  test.each(globSync('tests/flow/fixtures/*.txt').sort().map((file) => ({ name: basename(file, '.txt'), file })))('$name', ({ file }) => {
    const text = readFileSync(file, 'utf8');
    const end = text.indexOf(SEPARATOR);
    const source = end === -1 ? text.trimEnd() : text.slice(0, end);
    const graphs = graphsOf(source);
    if (process.env['UPDATE_FIXTURES'] === '1') writeFileSync(file, `${source}${SEPARATOR}${graphs}`);
    else expect(graphs).toBe(text.slice(end + SEPARATOR.length));
  });

  test('as Graphviz draws it', () => {
    const text = 'function f() { if (x) "y"; g(); }';
    expect(formatDot(graphOfText(text), text)).toBe(`digraph {
  node [shape=box];
  0 [label="0 entry 1"];
  0 -> 1;
  1 [label="1 condition truthy 1 \`x\`"];
  1 -> 2 [label="true"];
  1 -> 2 [label="false"];
  2 [label="2 call 1 \`g()\`"];
  2 -> 3;
  2 -> 4 [label="throw"];
  3 [label="3 exit return 1"];
  4 [label="4 exit throw 1"];
}
`);
  });
});
