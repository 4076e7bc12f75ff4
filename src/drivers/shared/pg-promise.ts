/** The query methods of pg-promise, on which Massive is built. */
import type { Call, PlaceholderStyle, Result } from '../driver.js';

export const pgPromisePlaceholders: readonly PlaceholderStyle[] = ['pg-promise'];

const text = {
  sql: [{ argument: 0, property: 'text' }, { argument: 0 }],
  values: [{ argument: 0, property: 'values' }, { argument: 1 }],
} as const;

const rows: Result = { shape: 'rows', at: [] };
const row: Result = { shape: 'row', at: [] };
const unknown: Result = { shape: 'unknown' };

/** A third argument transforms the result. */
const send = (result: Result): Call => ({
  sends: { ...text, result, multipleStatements: true },
  variants: [
    { when: [{ at: { argument: 2 }, present: true }], sends: { ...text, result: unknown, multipleStatements: true } },
  ],
});

export const pgPromiseMethods = {
  query: send(rows),
  any: send(rows),
  many: send(rows),
  manyOrNone: send(rows),
  one: send(row),
  oneOrNone: send(row),
  none: { sends: { ...text, result: { shape: 'nothing' }, rejectsRows: true, tolerantMethod: 'any', multipleStatements: true } },
  result: send({ shape: 'rows', at: ['rows'] }),
  multi: send({ shape: 'rows', at: ['0'] }),
  multiResult: send({ shape: 'rows', at: ['0', 'rows'] }),
  each: { sends: { ...text, result: rows } },
  map: { sends: { ...text, result: unknown } },
} as const satisfies Record<string, Call>;
