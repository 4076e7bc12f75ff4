import { describe, expect, it } from 'vitest';

import { analyzeSql } from '../../src/sql/analyze.js';
import { HOLE, type HoleKind, type PlaceholderStyle, type SqlAnalysis, type SqlInput } from '../../src/sql/model.js';
import { statements, STYLES } from './fixtures/statements.js';
import { analyze, sqlInput } from './sql-input.js';

const ALL_STYLES: readonly PlaceholderStyle[] = ['question-mark', 'colon', 'dollar-name', 'at', 'pg-promise', 'pg-format'];
const FORMS: readonly SqlInput['form'][] = ['statement', 'expression', 'either'];

/** mulberry32: the same numbers in every run. */
function randomNumbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

/** Every range lies within the text. */
function expectSound(analysis: SqlAnalysis, text: string): void {
  const seen = new Set<object>();
  const visit = (value: unknown): void => {
    if (typeof value === 'object' && value !== null && !seen.has(value)) {
      seen.add(value);
      if ('start' in value && 'end' in value && typeof value.start === 'number' && typeof value.end === 'number') {
        expect(value.start).toBeGreaterThanOrEqual(0);
        expect(value.end).toBeGreaterThanOrEqual(value.start);
        expect(value.end).toBeLessThanOrEqual(text.length);
      }
      for (const child of Object.values(value)) visit(child);
    }
  };
  visit(analysis.operations);
  visit(analysis.statements);
}

function stillWorks(): void {
  expect(analyze('select pg_advisory_lock(1)').status).toBe('parsed');
}

const SCRAPS = [
  "'", '"', '`', '$$', '$a$', '--', '/*', '*/', '(', ')', '[', ']', ';', ',', '::', '\\', '\0', '\uD800', '\uDC00', '😀', HOLE,
  HOLE, '?', ':x', '@y', '%s', '${z}', '$1', ' ', '\n', 'select ', ' from ', ' limit ', ' into ', ' case ', ' end ', ' begin ',
  ' declare ', ' as ', ' do ', 'pg_advisory_lock(', 'E\'', 'é', '#', '0', '1.', '..', ' loop ', ' then ', ' exception ',
];

describe('mutated statements', () => {
  it.each(Array.from({ length: 20 }, (_, seed) => seed))('never throw, seed %i', (seed) => {
    const random = randomNumbers(seed + 1);
    const pick = <T>(list: readonly T[]): T => list[random(list.length)] as T;
    for (let round = 0; round < 150; round += 1) {
      const { sql, style } = pick(statements);
      let { text } = sqlInput(sql, STYLES[style]);
      for (let count = random(6) + 1; count > 0; count -= 1) {
        const at = random(text.length + 1);
        const length = random(8);
        switch (random(4)) {
          case 0:
            text = text.slice(0, at) + pick(SCRAPS) + text.slice(at);
            break;
          case 1:
            text = text.slice(0, at) + text.slice(at + length);
            break;
          case 2:
            text = text.slice(0, at) + text.slice(at, at + length) + text.slice(at);
            break;
          default:
            text += pick(SCRAPS) + pick(statements).sql;
        }
      }
      const holes: HoleKind[] = [...text].filter((character) => character === HOLE).map(() => pick(['value', 'identifier', 'fragment', 'unknown']));
      const input: SqlInput = {
        text,
        holes: random(5) === 0 ? [] : holes,
        dialect: pick(['postgres', 'mysql']),
        placeholders: random(3) === 0 ? ALL_STYLES : (sqlInput('', STYLES[style]).placeholders),
        form: pick(FORMS),
      };
      const analysis = analyzeSql(input);
      expectSound(analysis, text);
      expect(['parsed', 'scanned', 'unknown']).toContain(analysis.status);
    }
    stillWorks();
  });
});

describe('texts nobody writes', () => {
  const input = (text: string, form: SqlInput['form'] = 'statement'): SqlInput => ({
    text,
    holes: [],
    dialect: 'postgres',
    placeholders: [],
    form,
  });

  it.each<[string, string, SqlAnalysis['status'][]]>([
    ['nothing', '', ['parsed']],
    ['blanks', ' \n\t ', ['parsed']],
    ['a comment', '-- pg_advisory_lock(1)', ['parsed']],
    ['semicolons', ';;;', ['parsed']],
    ['NUL', 'select pg_advisory_lock(1)\0', ['unknown']],
    ['a lone surrogate', "select pg_advisory_lock(1), '\uDFFF'", ['parsed']],
    ['an open string', "select pg_advisory_lock(1), 'abc", ['unknown']],
    ['an open parenthesis', 'select pg_advisory_lock(1', ['scanned']],
    ['a megabyte', `select pg_advisory_lock(1), '${'x'.repeat(1_000_000)}'`, ['unknown']],
    ['prose', 'the pg_advisory_lock(1) function', ['scanned']],
    ['parentheses', `select ${'('.repeat(20_000)}pg_advisory_lock(1)${')'.repeat(20_000)}`, ['parsed', 'scanned']],
    ['a long sum', `select ${'1 || '.repeat(10_000)}pg_advisory_lock(1)`, ['parsed', 'scanned', 'unknown']],
    ['many columns', `select ${'a, '.repeat(20_000)}pg_advisory_lock(1)`, ['parsed']],
    ['many locks', `select ${'pg_advisory_lock(1), '.repeat(3_000)}1`, ['parsed']],
    ['many conditions', `select pg_advisory_lock(1) from t where ${'a = 1 and '.repeat(5_000)}true`, ['parsed']],
    ['nested queries', `${'select * from ('.repeat(1_000)}select pg_advisory_lock(1)${') s'.repeat(1_000)}`, ['parsed', 'scanned', 'unknown']],
    ['nested calls', `select ${'pg_advisory_lock('.repeat(1_500)}1${')'.repeat(1_500)}`, ['parsed', 'scanned', 'unknown']],
    ['many statements', 'select pg_advisory_lock(1);'.repeat(2_000), ['parsed']],
    ['many broken statements', 'select pg_advisory_lock(1) from;'.repeat(2_000), ['scanned']],
    ['nested cases', `select ${'case when a then '.repeat(1_500)}1${' end'.repeat(1_500)}, pg_advisory_lock(1)`, ['parsed', 'scanned', 'unknown']],
    ['a union', `${'select pg_advisory_lock(1) union all '.repeat(1_000)}select 1`, ['parsed', 'scanned', 'unknown']],
  ])('%s', (_, text, statuses) => {
    const analysis = analyzeSql(input(text));
    expect(statuses).toContain(analysis.status);
    expectSound(analysis, text);
    if (text.length < 60_000) analyzeSql(input(text, 'either'));
    stillWorks();
  });

  it('are read in linear time', () => {
    const scraps = [...SCRAPS, '$(', '$<', '$/', ':', 'x:', ' do', 'limit ', 'desc ', '/**/', '$a', "''", 'e\'', '""', 'nulls ', '%%', '\\?', '+', '-+', '*', '/*/', '/* ', '*/*'];
    for (const scrap of scraps) {
      const text = `select pg_advisory_lock(1) ${scrap.repeat(Math.floor(15_000 / scrap.length))}`;
      const started = performance.now();
      analyzeSql({ ...input(text), dialect: scrap === '"' ? 'mysql' : 'postgres', placeholders: ALL_STYLES });
      expect(performance.now() - started, JSON.stringify(scrap)).toBeLessThan(2_000);
    }
    stillWorks();
  });
});
