/** Every example of every driver, read by the analyzer: it must find what the example says, and no more. */
import { describe, expect, it } from 'vitest';
import type { DriverDescriptor, Example, ExampleStatement, Result } from '../../src/drivers/driver.js';
import { drivers } from '../../src/drivers/index.js';
import unknownDriver from '../../src/drivers/unknown-driver.js';
import { effects } from '../../src/facts/effects.js';
import { queries, type Query } from '../../src/facts/queries.js';
import { resultOf } from '../../src/pass.js';
import { unitFor } from '../harness.js';

const step = (name: string): string => (/^\d+$/.test(name) ? `[${name}]` : `.${name}`);

/** The member access that reads the first lock's column in the first row; null when the result does not give one. */
function cellOf(query: Query, result: Result = query.result): string | null {
  const column = query.locks[0]?.operation.column;
  if (!column) return null;
  const name = column.name ?? '?';
  switch (result.shape) {
    case 'rows':
      return join([...result.at, '0', name]);
    case 'row-arrays':
      return join([...result.at, '0', String(column.index)]);
    case 'row':
      return join([...result.at, name]);
    case 'value':
      return join(result.at);
    default:
      return null;
  }
}

const join = (path: readonly string[]): string => path.map(step).join('').replace(/^\./, '');

const textOf = (query: Query): string => [query.sql?.text, ...query.locks.map((lock) => lock.text.text)].filter((text) => text !== undefined).join('\n');

/** Only what the example speaks of: a statement without `cell` says nothing about its result. */
function describedBy(expected: ExampleStatement | undefined, query: Query): ExampleStatement {
  const cell = expected?.cell === undefined ? null : cellOf(query);
  return {
    over: query.handle.role,
    ...(expected?.sql !== undefined && textOf(query).includes(expected.sql) ? { sql: expected.sql } : {}),
    ...(cell === null ? {} : { cell }),
    ...(query.sent === 'never' ? { sent: false } : {}),
  };
}

const cases = [...drivers, unknownDriver].flatMap((driver) =>
  driver.examples.map((example, index): [title: string, driver: DriverDescriptor, example: Example] => [`${driver.name} ${index}`, driver, example]),
);

describe.each(cases)('example %s', (_title, _driver, { code, sends = [], effects: done = [] }) => {
  const unit = unitFor(code);

  it('sends what it says', () => {
    const found = resultOf(queries, unit).filter((query) => !query.isAlternative && (query.sql !== null || query.locks.length > 0));
    expect(found.map((query, index) => describedBy(sends[index], query))).toEqual(sends);
  });

  it('does to its handles what it says', () => {
    expect(resultOf(effects, unit).map(({ effect }) => effect.does)).toEqual(done);
  });
});
