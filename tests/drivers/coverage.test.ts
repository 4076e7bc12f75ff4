/**
 * `fixtures/coverage.json` lists, per driver, what its library has been seen to do: how handles come into being, what
 * sends SQL, what gives a connection back, and where a boolean stands in the result. Each must stand in an example.
 */
import { describe, expect, it } from 'vitest';
import { drivers } from '../../src/drivers/index.js';
import coverage from './fixtures/coverage.json' with { type: 'json' };

const isNamed = (name: string, code: string): boolean => {
  const pattern = name.replace(/[$.]/g, String.raw`\$&`);
  return new RegExp(String.raw`(?<![\w$])${pattern}(?![\w$])`).test(code);
};

/** `rows[0].ok` and `rows[0].pg_advisory_unlock` are one shape: `rows[0].<col>`. */
const shapeOf = (cell: string): string => (cell === 'data' ? cell : cell.replace(/(^|\.)\w+$/, '$1<col>'));

describe.each(Object.entries(coverage))('the examples of %s', (name, { sources, methods, releases, results }) => {
  const driver = drivers.find((candidate) => candidate.name === name);
  const examples = driver?.examples ?? [];
  const code = examples.map((example) => example.code).join('\n');
  const cells = new Set(examples.flatMap(({ sends = [] }) => sends.flatMap(({ cell }) => cell ?? [])).map(shapeOf));

  it('show every source of a handle', () => {
    expect(sources.filter((source) => !isNamed(source, code))).toEqual([]);
  });

  it('show every way of sending SQL', () => {
    expect(methods.filter((method) => !isNamed(method, code))).toEqual([]);
  });

  it('show every release', () => {
    expect(releases.filter((release) => !isNamed(release, code))).toEqual([]);
  });

  it('show every shape of result', () => {
    expect(results.filter((result) => !cells.has(result))).toEqual([]);
  });
});

it('lists every driver', () => {
  expect(Object.keys(coverage).toSorted()).toEqual(drivers.map((driver) => driver.name).toSorted());
});
