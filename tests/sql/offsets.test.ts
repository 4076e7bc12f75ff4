import { describe, expect, it } from 'vitest';

import type { SqlAnalysis } from '../../src/sql/model.js';
import { regionsOf } from '../../src/sql/lexical-regions.js';
import { characterIndex, offsetOfCharacter } from '../../src/sql/rendered-sql.js';
import { statements, STYLES } from './fixtures/statements.js';
import { analyze } from './sql-input.js';

/** Every range of an analysis, moved. */
function moved(value: unknown, by: number): unknown {
  if (Array.isArray(value)) return value.map((item: unknown) => moved(item, by));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, child]: [string, unknown]) => {
      if ((key === 'start' || key === 'end') && typeof child === 'number') return [key, child + by];
      if ((key === 'statement' || key === 'index') && typeof child === 'number' && !('value' in value)) return [key, child];
      return [key, moved(child, by)];
    }),
  );
}

/** An analysis without the numbers of its statements and holes. */
function comparable({ operations, statements: found }: SqlAnalysis, by: number): unknown {
  const seen = operations.map((operation) => ({ ...operation, statement: 0, query: null }));
  return moved({ operations: seen, ranges: found.map(({ range }) => range) }, by);
}

describe('offsets behind text that is longer in bytes', () => {
  const whole = statements.filter(({ style }) => style !== 'fragment' && style !== 'either');
  const prologue = `select 'ü😀\uD800', "größe" /* 漢字 */;\n`;

  it.each(whole)('$id', ({ sql, style }) => {
    const plain = analyze(sql, STYLES[style]);
    const shifted = analyze(prologue + sql, STYLES[style]);
    if (plain.status !== 'parsed') return;
    expect(shifted.status).toBe('parsed');
    const [, ...rest] = shifted.statements;
    expect(comparable({ ...shifted, statements: rest }, -prologue.length)).toEqual(comparable(plain, 0));
  });
});

describe('byte offsets', () => {
  it.each(['', 'abc', 'é', 'aé😀b', '\uD800', 'x\uDC00y', '漢字', '\uE000'])('%j', (text) => {
    const index = characterIndex(text);
    const encoder = new TextEncoder();
    for (let at = 0; at <= text.length; at += 1) {
      const before = text.slice(0, at);
      // Inside a surrogate pair there is no boundary.
      if (/[\uD800-\uDBFF]$/.test(before) && /^[\uDC00-\uDFFF]/.test(text.slice(at))) continue;
      expect(index(encoder.encode(before).length)).toBe(at);
      expect(offsetOfCharacter(text, [...before].length)).toBe(at);
    }
  });
});

describe('lexical regions', () => {
  const kinds = (text: string, dialect: 'postgres' | 'mysql'): string =>
    regionsOf(text, dialect)
      .map(({ kind, start, end }) => `${kind}<${text.slice(start, end)}>`)
      .join(' ');

  it.each([
    [`a 'b''c' d`, `code<a > string<'b''c'> code< d>`],
    [`'a\\' b`, `string<'a\\'> code< b>`],
    [`E'a\\' b' c`, `code<E> string<'a\\' b'> code< c>`],
    [`mye'a\\' b`, `code<mye> string<'a\\'> code< b>`],
    [`"a""b" c`, `quoted<"a""b"> code< c>`],
    [`a -- b\nc`, `code<a > comment<-- b> code<\nc>`],
    [`a /* b /* c */ d */ e`, `code<a > comment</* b /* c */ d */> code< e>`],
    [`$$ a $$ b $x$ $$ $x$`, `dollar<$$ a $$> code< b > dollar<$x$ $$ $x$>`],
    [`a$$b $1$2`, `code<a$$b $1$2>`],
    [`a # b`, `code<a # b>`],
    [`'open`, `string<'open>`],
    [`/* open`, `comment</* open>`],
    [`$a$ open`, `dollar<$a$ open>`],
    ['', ''],
  ])('PostgreSQL: %s', (text, expected) => {
    expect(kinds(text, 'postgres')).toBe(expected);
  });

  it.each([
    [`'a\\'b' c`, `string<'a\\'b'> code< c>`],
    [`"a\\"b" c`, `quoted<"a\\"b"> code< c>`],
    ['`a``b` c', 'backtick<`a``b`> code< c>'],
    [`a # b\nc`, `code<a > comment<# b> code<\nc>`],
    [`/* a /* b */ c`, `comment</* a /* b */> code< c>`],
    [`$$ a $$`, `code<$$ a $$>`],
  ])('MySQL: %s', (text, expected) => {
    expect(kinds(text, 'mysql')).toBe(expected);
  });
});
