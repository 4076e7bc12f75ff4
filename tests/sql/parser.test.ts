import { loadModule, parseSync, scanSync } from 'libpg-query';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';

import {
  createSqlParser,
  MAXIMUM_SQL_LENGTH,
  nodeSqlParser,
  PARSE_RESULT_LAYOUT,
  type ParserModule,
  SqlSyntaxError,
} from '../../src/sql/parser.js';
import { statements } from './fixtures/statements.js';

function errorOf(run: () => unknown): SqlSyntaxError {
  try {
    run();
  } catch (error) {
    if (error instanceof SqlSyntaxError) return error;
    throw error;
  }
  throw new Error('no error');
}

describe('the parser against the package’s own interface', () => {
  beforeAll(async () => {
    await loadModule();
  });

  const accepted = statements.filter(({ sql, style }) => style === 'native' && !sql.includes('«'));

  it('has enough to compare', () => {
    expect(accepted.length).toBeGreaterThan(60);
  });

  it.each(accepted)('gives the same tree and tokens: $id', ({ sql }) => {
    const parser = nodeSqlParser();
    let official: unknown;
    try {
      official = parseSync(sql);
    } catch {
      expect(() => parser.parse(sql)).toThrow(SqlSyntaxError);
      return;
    }
    expect(parser.parse(sql)).toEqual(official);
    expect(parser.scan(sql)).toEqual(scanSync(sql).tokens);
  });

  it.each(['select (', 'selec 1', "select 'é' from from", 'select 1 limit 1, 2'])('gives the same error: %s', (sql) => {
    const error = errorOf(() => nodeSqlParser().parse(sql));
    expect(() => parseSync(sql)).toThrow(error.message);
  });
});

describe('the layout of libpg_query’s structs', () => {
  it('is that of 18.1.5', () => {
    expect(PARSE_RESULT_LAYOUT).toEqual({ tree: 0, error: 8, errorMessage: 0, errorCursor: 16 });
  });

  it.each([
    ['select (', 'syntax error at end of input', 8],
    ['selec', 'syntax error at or near "selec"', 0],
    ["select 'é' x y", 'syntax error at or near "y"', 13],
    ["select '😀' x y", 'syntax error at or near "y"', 13],
  ])('tells message and character: %s', (sql, message, offset) => {
    const error = errorOf(() => nodeSqlParser().parse(sql));
    expect([error.message, error.character]).toEqual([message, offset]);
  });
});

describe('texts the parser cannot take', () => {
  it('rejects NUL, behind which it would not look', () => {
    expect(() => nodeSqlParser().parse('select 1 \0 from')).toThrow(/0x00/);
    expect(() => nodeSqlParser().scan('\0')).toThrow(SqlSyntaxError);
  });

  it('rejects texts above the limit without reading them', () => {
    expect(() => nodeSqlParser().parse('x'.repeat(MAXIMUM_SQL_LENGTH + 1))).toThrow(/too long/);
  });

  it('reports what the scanner cannot read', () => {
    expect(() => nodeSqlParser().scan("select 'abc")).toThrow(/unterminated/);
  });

  it('reads lone surrogates as the replacement character', () => {
    expect(nodeSqlParser().parse("select '\uD800'").stmts).toHaveLength(1);
  });

  it('works on after deep nesting', () => {
    expect(() => nodeSqlParser().parse(`select ${'('.repeat(20_000)}1`)).toThrow(SqlSyntaxError);
    expect(nodeSqlParser().parse('select 1').stmts).toHaveLength(1);
  });

  it('prints nothing', () => {
    const log = vi.spyOn(console, 'log');
    const error = vi.spyOn(console, 'error');
    for (const sql of ['select (', 'do $$ begin', `select ${'1||'.repeat(9_000)}1`]) {
      try {
        nodeSqlParser().parse(sql);
      } catch {
        // Only the output counts.
      }
    }
    expect(log).not.toHaveBeenCalled();
    expect(error).not.toHaveBeenCalled();
    vi.restoreAllMocks();
  });
});

describe('a crash of the module', () => {
  function crashingModule(crash: () => void): ParserModule {
    return {
      lengthBytesUTF8: (text) => text.length,
      stringToUTF8() {},
      UTF8ToString: () => '{}',
      getValue: () => 0,
      _malloc: () => 8,
      _free() {},
      _wasm_parse_query_raw() {
        crash();
        return 8;
      },
      _wasm_free_parse_result() {},
      _wasm_scan: () => 8,
      _wasm_free_string() {},
    };
  }

  it('is a syntax error without a place, and the next text gets a new module', () => {
    let loads = 0;
    const parser = createSqlParser(() => {
      loads += 1;
      return crashingModule(() => {
        if (loads === 1) throw new RangeError('Maximum call stack size exceeded');
      });
    });
    const error = errorOf(() => parser.parse('select 1'));
    expect(error.character).toBe(-1);
    expect(error.message).toContain('Maximum call stack');
    expect(parser.parse('select 1')).toEqual({});
    expect(loads).toBe(2);
  });
});

describe('an engine that cannot run the parser', () => {
  afterEach(() => {
    vi.unstubAllGlobals();
    vi.resetModules();
  });

  it.each([
    ['has no WebAssembly', undefined, /no WebAssembly/],
    [
      'has no memory for it',
      {
        Module: function Module() {},
        Instance: function Instance() {
          throw new RangeError('Out of memory');
        },
      },
      /Out of memory/,
    ],
  ])('says so when it %s', async (_, stub, reason) => {
    vi.resetModules();
    vi.stubGlobal('WebAssembly', stub);
    const fresh = await import('../../src/sql/parser.js');
    const parse = (): unknown => fresh.nodeSqlParser().parse('select 1');
    expect(parse).toThrow(fresh.SqlParserUnavailableError);
    expect(parse).toThrow(reason);
    expect(parse).toThrow(/--jitless/);
  });
});
