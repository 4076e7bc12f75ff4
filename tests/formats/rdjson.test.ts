import { fileReport, print } from './report.js';

const diagnostics = (...parameters: Parameters<typeof print> extends [unknown, ...infer Rest] ? Rest : never): unknown[] =>
  (JSON.parse(print('rdjson', ...parameters)) as { diagnostics: unknown[] }).diagnostics;

const at = (line: number, column: number, endLine: number, endColumn: number) => ({ start: { line, column }, end: { line: endLine, column: endColumn } });

describe('rdjson', () => {
  it('is a diagnostic result of reviewdog, its paths from the folder it runs in', () => {
    const files = [fileReport('app/a.ts', 'x;', [{ at: 'x', replacements: [{ of: 'x;', by: 'y' }, { of: ';', by: '' }] }])];
    expect(JSON.parse(print('rdjson', files))).toEqual({
      source: { name: 'eslint-plugin-advisory-lock', url: expect.stringMatching(/^https:/) },
      diagnostics: [
        {
          message: 'About x.',
          location: { path: 'a.ts', range: at(1, 1, 1, 2) },
          severity: 'ERROR',
          code: { value: 'advisory-lock/require-unlock', url: 'https://example.org/require-unlock.md' },
          suggestions: [{ range: at(1, 1, 1, 3), text: 'y' }, { range: at(1, 2, 1, 3), text: '' }],
        },
      ],
    });
  });

  it('counts columns in bytes, and lines as Git does', () => {
    const text = "'é€😀'; x;\r\n'\u2028'; y;\r\n";
    expect(diagnostics([fileReport('/repo/app/a.ts', text, [{ at: 'x', replacements: [{ of: "x;\r\n'", by: '' }] }, { at: 'y' }])])).toMatchObject([
      { location: { range: at(1, 14, 1, 15) }, suggestions: [{ range: at(1, 14, 2, 2) }] },
      { location: { range: at(2, 8, 2, 9) } },
    ]);
  });

  it('counts a byte order mark as a part of the first line', () => {
    const file = fileReport('a.ts', 'x;\ny;', [{ at: 'x' }, { at: 'y' }], { hasByteOrderMark: true });
    expect(diagnostics([file])).toMatchObject([{ location: { range: at(1, 4, 1, 5) } }, { location: { range: at(2, 1, 2, 2) } }]);
  });

  it('tells the steps in the message, and files outside by their whole path', () => {
    const files = [fileReport('/other/a.ts', 'x;', [{ at: 'x', severity: 'warning', steps: [{ at: 'x', text: 'taken on line 1' }] }])];
    expect(diagnostics(files)).toMatchObject([{ message: 'About x.\n- taken on line 1', severity: 'WARNING', location: { path: '/other/a.ts' } }]);
  });

  it('names files that failed', () => {
    const [one, other] = [{ message: 'bad', line: 2, column: 3 }, { message: 'bad', line: null, column: null }];
    expect(diagnostics([fileReport('app/a.ts', '', [], { failure: one }), fileReport('app/b.ts', '', [], { failure: other })])).toEqual([
      { message: 'This file cannot be analysed: bad', location: { path: 'a.ts', range: { start: { line: 2, column: 3 } } }, severity: 'ERROR' },
      { message: 'This file cannot be analysed: bad', location: { path: 'b.ts' }, severity: 'ERROR' },
    ]);
  });

  it('has a list, also for nothing', () => {
    expect(diagnostics([])).toEqual([]);
  });

  // reviewdog refuses fields that it does not know.
  it('has no fields but those of the first version', () => {
    const [diagnostic] = diagnostics([fileReport('a.ts', 'x;', [{ at: 'x', replacements: [{ of: 'x', by: 'y' }] }])]);
    expect(Object.keys(diagnostic as object).filter((key) => !['message', 'location', 'severity', 'source', 'code', 'suggestions', 'originalOutput'].includes(key))).toEqual([]);
  });
});
