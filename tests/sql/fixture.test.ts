import { describe, expect, it } from 'vitest';

import { HOLE } from '../../src/sql/model.js';
import { statements, STYLES, unparsed } from './fixtures/statements.js';
import { analyze, lockOperations, sqlInput } from './sql-input.js';

const LOCK_CALL = /\b(?:pg_(?:try_)?advisory_\w+|get_lock|release_lock|release_all_locks|is_free_lock|is_used_lock)"?\s*\(/gi;

/** Names of the lock calls by a look at the text, strings and comments blanked out. */
function callsIn(text: string): string[] {
  const code = text.replaceAll(/'(?:[^'\\]|\\.|'')*'|--.*|\/\*.*?\*\//g, (quoted) =>
    // A body in quotes is code.
    /\bselect pg_try_advisory_lock\(k\)/i.test(quoted) ? quoted : ' '.repeat(quoted.length),
  );
  return [...code.matchAll(LOCK_CALL)].map((match) => match[0].replace(/"?\s*\($/, '').toLowerCase()).sort();
}

describe('the fixture', () => {
  it('is large and its ids are unique', () => {
    expect(statements.length).toBeGreaterThanOrEqual(300);
    expect(new Set(statements.map(({ id }) => id)).size).toBe(statements.length);
  });

  it('parses almost entirely, and names what does not', () => {
    const failing = statements.filter(({ sql, style }) => analyze(sql, STYLES[style]).status !== 'parsed');
    expect(failing.map(({ id }) => id).sort()).toEqual(Object.keys(unparsed).sort());
    expect(1 - failing.length / statements.length).toBeGreaterThanOrEqual(0.94);
  });
});

describe.each(statements)('$id $sql', ({ sql, style }) => {
  const input = sqlInput(sql, STYLES[style]);
  const analysis = analyze(sql, STYLES[style]);
  const locks = lockOperations(analysis);

  it('tells every lock call and no other', () => {
    expect(locks.map(({ name }) => name).sort()).toEqual(callsIn(input.text));
  });

  it('tells exactly where they stand', () => {
    for (const { name, range, nameRange } of locks) {
      const text = input.text.slice(range.start, range.end);
      expect(input.text.slice(nameRange.start, nameRange.end).replaceAll(/["`]/g, '').toLowerCase()).toBe(name);
      expect(text.endsWith(')')).toBe(true);
      expect(text.replaceAll(/["`]/g, '').replace(/^\w+\./, '').toLowerCase().startsWith(name)).toBe(true);
    }
  });

  it('keeps every range inside the text', () => {
    const ranges = [
      ...analysis.operations.map(({ range }) => range),
      ...analysis.statements.map(({ range }) => range),
      ...locks.flatMap((lock) => lock.arguments.map(({ range }) => range)),
    ];
    for (const { start, end } of ranges) {
      expect(start).toBeGreaterThanOrEqual(0);
      expect(end).toBeGreaterThanOrEqual(start);
      expect(end).toBeLessThanOrEqual(input.text.length);
    }
  });

  it('counts gaps among the holes', () => {
    const holes = input.text.split(HOLE).length - 1;
    for (const gap of analysis.gaps) expect(gap).toBeLessThan(holes);
    expect(new Set(analysis.gaps).size).toBe(analysis.gaps.length);
  });

  it('gives the same answer twice', () => {
    expect(analyze(sql, STYLES[style])).toEqual(analysis);
  });
});
