import { fileReport, print } from './report.js';

describe('github', () => {
  it('prints a workflow command for each finding, its path from the root of the repository', () => {
    const text = 'first;\n  pool.query(1);\nlast;\n';
    const files = [fileReport('app/src/a.ts', text, [{ at: 'pool.query(1)' }, { at: 'last', severity: 'warning', rule: 'no-unlock-all' }])];
    expect(print('github', files)).toBe(
      `::error file=app/src/a.ts,line=2,endLine=2,col=3,endColumn=16,title=advisory-lock/require-unlock::About pool.query(1).
::warning file=app/src/a.ts,line=3,endLine=3,col=1,endColumn=5,title=advisory-lock/no-unlock-all::About last.
`,
    );
  });

  it('escapes what would end a line, a property or an escape', () => {
    const files = [fileReport('50%,a:b.ts', 'x;', [{ at: 'x', message: '100% sure, see:\r\n::error::this.' }])];
    expect(print('github', files)).toBe('::error file=50%25%2Ca%3Ab.ts,line=1,endLine=1,col=1,endColumn=2,title=advisory-lock/require-unlock::100%25 sure, see:%0D%0A::error::this.\n');
  });

  it('leaves the last column out of a finding on several lines, for which GitHub shows none', () => {
    expect(print('github', [fileReport('a.ts', 'f(\n1);', [{ at: 'f(\n1)' }])])).toContain('line=1,endLine=2,col=1,title=');
  });

  it('tells the steps in the message', () => {
    const steps = [{ at: 'take', text: 'the lock is taken on line 1' }, { at: 'fail', text: 'this throws' }];
    expect(print('github', [fileReport('a.ts', 'take();\nfail();', [{ at: 'take()', message: 'Lost.', steps }])])).toMatch(/::Lost\.%0A- the lock is taken on line 1%0A- this throws \(line 2\)\n$/);
  });

  it('names files and configurations that failed', () => {
    const broken = fileReport('a.ts', 'x', [], { failure: { message: 'Parsing error: bad', line: 3, column: 7 } });
    const crashed = fileReport('b.ts', 'x', [], { failure: { message: 'Error\n  at x', line: null, column: null } });
    expect(print('github', [broken, crashed], { problems: ['eslint.config.js cannot be used: x'] })).toBe(
      `::error file=a.ts,line=3,col=7,title=eslint-plugin-advisory-lock::This file cannot be analysed: Parsing error: bad
::error file=b.ts,title=eslint-plugin-advisory-lock::This file cannot be analysed: Error%0A  at x
::error title=eslint-plugin-advisory-lock::eslint.config.js cannot be used: x
`,
    );
  });

  it('prints nothing for nothing', () => {
    expect(print('github', [])).toBe('');
  });
});
