import { fileReport, print } from './report.js';

interface Issue {
  description: string;
  check_name: string;
  fingerprint: string;
  severity: string;
  location: { path: string; lines: { begin: number; end?: number } };
}

const issues = (...parameters: Parameters<typeof print> extends [unknown, ...infer Rest] ? Rest : never): Issue[] => JSON.parse(print('gitlab', ...parameters)) as Issue[];

describe('gitlab', () => {
  it('has what the Code Quality report needs', () => {
    const files = [fileReport('app/a.ts', 'x;\ny(\n);', [{ at: 'y(\n)' }, { at: 'x', severity: 'warning', steps: [{ at: 'x', text: 'on line 1' }] }])];
    expect(issues(files)).toEqual([
      { description: 'About y(\n).', check_name: 'advisory-lock/require-unlock', fingerprint: expect.stringMatching(/^[0-9a-f]{32}$/), severity: 'major', location: { path: 'app/a.ts', lines: { begin: 2, end: 3 } } },
      { description: 'About x.\n- on line 1', check_name: 'advisory-lock/require-unlock', fingerprint: expect.stringMatching(/^[0-9a-f]{32}$/), severity: 'minor', location: { path: 'app/a.ts', lines: { begin: 1, end: 1 } } },
    ]);
  });

  it('has fingerprints that differ between files and equal findings of a file, and stay in the next report', () => {
    const sketches = [{ at: 'x' }, { at: 'x', occurrence: 2 }];
    const failure = { message: 'bad', line: 2, column: 1 };
    const files = [fileReport('a.ts', 'x;', sketches), fileReport('b.ts', 'x;', sketches, { failure })];
    const fingerprints = issues(files).map(({ fingerprint }) => fingerprint);
    expect(new Set(fingerprints).size).toBe(5);
    expect(issues([fileReport('a.ts', '\n\nx;', sketches), ...files.slice(1)]).map(({ fingerprint }) => fingerprint)).toEqual(fingerprints);
  });

  it('names files that failed', () => {
    const failure = { message: 'Parsing error: bad', line: null, column: null };
    expect(issues([fileReport('a.ts', '', [], { failure })])).toMatchObject([
      { description: 'This file cannot be analysed: Parsing error: bad', check_name: 'eslint-plugin-advisory-lock', severity: 'critical', location: { path: 'a.ts', lines: { begin: 1 } } },
    ]);
  });

  it('is a list, also for nothing', () => {
    expect(print('gitlab', [])).toBe('[]\n');
  });
});
