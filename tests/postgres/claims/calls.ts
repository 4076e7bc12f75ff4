/** Calls as a descriptor describes them: where arguments stand, and where the answer is. */
import type { Condition, Position, Result, Sends } from '../../../src/drivers/driver.js';
import { member } from './live-driver.js';

/** Puts a value where a position says; the arguments and objects in between are made. */
export function putAt(given: unknown[], position: Position, value: unknown): void {
  if (!('argument' in position)) throw new Error('Only arguments can be put anywhere.');
  const index = position.argument === 'last' ? Math.max(given.length - 1, 0) : position.argument;
  if (position.property === undefined) {
    given[index] = value;
    return;
  }
  const path = position.property.split('.');
  const last = path.pop() ?? '';
  let holder = copied(given[index]);
  given[index] = holder;
  for (const name of path) {
    const inner = copied(holder[name]);
    holder[name] = inner;
    holder = inner;
  }
  holder[last] = value;
}

const copied = (value: unknown): Record<string, unknown> => (typeof value === 'object' && value !== null ? { ...value } : {});

/** A value under which a condition holds; undefined when only the driver's user knows one. */
export function satisfying({ equals, member: lastMember, absent }: Condition): { value: unknown } | undefined {
  if (equals !== undefined) return { value: equals };
  if (absent) return { value: undefined };
  // The last part of a member expression is mostly the value as well: QueryTypes.SELECT is 'SELECT'.
  if (lastMember !== undefined) return { value: lastMember };
  return undefined;
}

/** The text as a template without values. */
export const asTemplate = (text: string): TemplateStringsArray => Object.freeze(Object.assign([text], { raw: Object.freeze([text]) }));

/**
 * The arguments with which a call means what `when` says and carries the statement.
 * @returns undefined when a condition cannot be satisfied by just any value
 */
export function argumentsWith(sends: Sends, when: readonly Condition[], statement: unknown): unknown[] | undefined {
  const given: unknown[] = [];
  const needsObject = when.some(({ at }) => 'argument' in at && at.argument === 0 && at.property !== undefined);
  const positions = sends.sql.filter((position) => 'argument' in position);
  const position = positions.find(({ property }) => (property !== undefined) === needsObject) ?? positions[0];
  if (position) putAt(given, position, statement);
  else if (sends.sql.some((candidate) => 'template' in candidate)) given.push(asTemplate(String(statement)));
  for (const condition of when) {
    const satisfied = satisfying(condition);
    if (!satisfied) return undefined;
    putAt(given, condition.at, satisfied.value);
  }
  // Holes are arguments, too.
  return Array.from(given);
}

/** Whether a result of this shape has a cell that holds the answer. */
export const isReadable = (result: Result): boolean => ['rows', 'row-arrays', 'row', 'value'].includes(result.shape);

/** The cell a result claim points to. @throws with what stands there instead */
export function cellAt(result: Result, value: unknown): unknown {
  switch (result.shape) {
    case 'rows':
      return onlyCell(row(value, result.at));
    case 'row-arrays': {
      const cells = row(value, result.at);
      if (!Array.isArray(cells)) throw new Error(`The row is not an array, but ${shown(cells)}.`);
      return cells[0];
    }
    case 'row':
      return onlyCell(at(value, result.at));
    case 'value':
      return at(value, result.at);
    case 'count':
      if (typeof value !== 'number') throw new Error(`It is not a number, but ${shown(value)}.`);
      return value;
    case 'any-row':
      if (value !== true) throw new Error(`It is not true, but ${shown(value)}.`);
      return value;
    case 'nothing':
      if (value !== undefined && value !== null && !(Array.isArray(value) && value.length === 0)) throw new Error(`It is not nothing, but ${shown(value)}.`);
      return undefined;
    case 'one-of':
    case 'unknown':
      throw new Error(`A result of shape ${result.shape} has no cell.`);
    default:
      return result satisfies never;
  }
}

const at = (value: unknown, path: readonly string[]): unknown => path.reduce(member, value);

function row(value: unknown, path: readonly string[]): unknown {
  const rows = at(value, path);
  if (!Array.isArray(rows)) throw new Error(`There are no rows at [${path.join('.')}] of ${shown(value)}.`);
  return rows[0];
}

function onlyCell(found: unknown): unknown {
  if (typeof found !== 'object' || found === null || Array.isArray(found)) throw new Error(`The row is not an object, but ${shown(found)}.`);
  const names = Object.keys(found);
  if (names.length !== 1) throw new Error(`The row has not one column, but ${shown(found)}.`);
  return member(found, names[0] ?? '');
}

function shown(value: unknown): string {
  try {
    return JSON.stringify(value, (_, inner: unknown) => (typeof inner === 'bigint' ? `${inner}n` : inner)).slice(0, 200);
  } catch {
    return String(value);
  }
}
