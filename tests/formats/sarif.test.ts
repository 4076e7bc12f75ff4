import type { Result, Run } from 'sarif';
import { fileReport, print } from './report.js';
import { parseSarif } from './sarif-schema.js';

type Rest<T extends readonly unknown[]> = T extends [unknown, ...infer R] ? R : never;

function run(...parameters: Rest<Parameters<typeof print>>): Run {
  const { runs, version, $schema } = parseSarif(print('sarif', ...parameters));
  expect({ version, $schema }).toEqual({ version: '2.1.0', $schema: 'https://json.schemastore.org/sarif-2.1.0.json' });
  const [only, ...others] = runs;
  if (!only || others.length > 0) throw new Error(`${runs.length} runs`);
  return only;
}

const results = (...parameters: Rest<Parameters<typeof print>>): Result[] => run(...parameters).results ?? [];

const text = 'async function take() {\n  await lock();\n  await work();\n}\n';
const finding = {
  at: 'lock()',
  steps: [
    { at: 'lock()', text: 'the lock is taken on line 2' },
    { at: 'work()', text: 'line 3 throws' },
    { at: '}', text: 'the function ends' },
  ],
};

describe('sarif', () => {
  it('is valid, also for nothing', () => {
    expect(run([])).toMatchObject({
      tool: { driver: { name: 'eslint-plugin-advisory-lock', semanticVersion: '1.2.3' } },
      invocations: [{ executionSuccessful: true, exitCode: 0, workingDirectory: { uri: 'file:///repo/app/' } }],
      originalUriBaseIds: { '%SRCROOT%': { uri: 'file:///repo/' } },
      columnKind: 'utf16CodeUnits',
      results: [],
    });
  });

  it('describes the rules as GitHub demands', () => {
    expect(run([]).tool.driver.rules).toEqual([
      {
        id: 'advisory-lock/no-unlock-all',
        name: 'no-unlock-all',
        shortDescription: { text: 'Disallow it.' },
        fullDescription: { text: 'Disallow it.' },
        helpUri: 'https://example.org/no-unlock-all.md',
        help: { text: 'Disallow it. See https://example.org/no-unlock-all.md' },
        defaultConfiguration: { level: 'error' },
        properties: { tags: ['correctness', 'concurrency', 'database', 'strict'], precision: 'high', 'problem.severity': 'warning' },
      },
      expect.objectContaining({
        id: 'advisory-lock/require-unlock',
        help: { text: 'Require it. See https://example.org/require-unlock.md', markdown: '# A page' },
        properties: { tags: ['correctness', 'concurrency', 'database', 'recommended'], precision: 'very-high', 'problem.severity': 'error' },
      }),
    ]);
  });

  it('tells a finding with its place, its function and its way', () => {
    const artifactLocation = { uri: 'app/src/a.ts', uriBaseId: '%SRCROOT%' };
    const region = (startLine: number, startColumn: number, endLine: number, endColumn: number) => ({ startLine, startColumn, endLine, endColumn });
    const step = (executionOrder: number, importance: string, words: string, place: object) => ({
      executionOrder,
      importance,
      location: { physicalLocation: { artifactLocation, region: place }, message: { text: words } },
    });
    expect(results([fileReport('app/src/a.ts', text, [finding])])).toEqual([
      {
        ruleId: 'advisory-lock/require-unlock',
        ruleIndex: 1,
        level: 'error',
        message: { text: 'About lock().' },
        locations: [{ physicalLocation: { artifactLocation, region: region(2, 9, 2, 15) }, logicalLocations: [{ fullyQualifiedName: 'Queue.take', kind: 'function' }] }],
        partialFingerprints: { primaryLocationLineHash: expect.stringMatching(/^[0-9a-f]+:1$/), 'advisoryLock/v1': '00112233aabbccdd:1' },
        codeFlows: [
          {
            threadFlows: [
              {
                locations: [
                  step(1, 'essential', 'the lock is taken on line 2', region(2, 9, 2, 15)),
                  step(2, 'important', 'line 3 throws', region(3, 9, 3, 15)),
                  step(3, 'essential', 'the function ends', region(4, 1, 4, 2)),
                ],
              },
            ],
          },
        ],
      },
    ]);
  });

  it('tells suggestions as fixes', () => {
    const [result] = results([fileReport('a b.ts', text, [{ at: 'lock()', severity: 'warning', replacements: [{ of: 'lock', by: 'xactLock' }] }])]);
    expect(result).toMatchObject({
      level: 'warning',
      fixes: [
        {
          description: { text: 'Cure it.' },
          artifactChanges: [
            {
              artifactLocation: { uri: 'a%20b.ts', uriBaseId: '%SRCROOT%' },
              replacements: [{ deletedRegion: { startLine: 2, startColumn: 9, endLine: 2, endColumn: 13 }, insertedContent: { text: 'xactLock' } }],
            },
          ],
        },
      ],
    });
  });

  it('counts columns in UTF-16 units and lines as Git does', () => {
    const [result] = results([fileReport('a.ts', "'😀\u2028'; x;", [{ at: 'x' }])]);
    expect(result?.locations?.[0]?.physicalLocation?.region).toMatchObject({ startLine: 1, startColumn: 8 });
  });

  it.each([
    ['/repo/[id]/a#1 100%.ts', { uri: '%5Bid%5D/a%231%20100%25.ts', uriBaseId: '%SRCROOT%' }],
    ['/elsewhere/a.ts', { uri: 'file:///elsewhere/a.ts' }],
  ])('names files by URIs: %s', (path, artifactLocation) => {
    const [result] = results([fileReport(path, 'x;', [{ at: 'x' }])]);
    expect(result?.locations?.[0]?.physicalLocation?.artifactLocation).toEqual(artifactLocation);
  });

  it('has rules only by name where they are not described', () => {
    const [result] = results([fileReport('a.ts', 'x;', [{ at: 'x', rule: 'of-nobody' }])]);
    expect(result).not.toHaveProperty('ruleIndex');
  });

  it('leaves suppressed findings out, which GitHub would open alerts for, unless asked', () => {
    const file = fileReport('a.ts', 'x; y; z;', [{ at: 'z' }, { at: 'x', suppressedBy: 'comment' }, { at: 'y', suppressedBy: 'baseline' }]);
    expect(results([file])).toHaveLength(1);
    expect(results([file])[0]).not.toHaveProperty('suppressions');
    expect(results([file], { includeSuppressed: true }).map(({ suppressions }) => suppressions)).toEqual([
      [{ kind: 'inSource', justification: 'on purpose' }],
      [{ kind: 'external' }],
      [],
    ]);
  });

  it('says of the run what failed', () => {
    const broken = fileReport('a.ts', '', [], { failure: { message: 'Parsing error: bad', line: 3, column: 0 } });
    const crashed = fileReport('b.ts', '', [], { failure: { message: 'Error', line: null, column: null } });
    expect(run([broken, crashed], { problems: ['eslint.config.js cannot be used'] }).invocations).toEqual([
      {
        executionSuccessful: false,
        exitCode: 2,
        workingDirectory: { uri: 'file:///repo/app/' },
        toolExecutionNotifications: [
          {
            level: 'error',
            message: { text: 'This file cannot be analysed: Parsing error: bad' },
            locations: [{ physicalLocation: { artifactLocation: { uri: 'a.ts', uriBaseId: '%SRCROOT%' }, region: { startLine: 3, startColumn: 1 } } }],
          },
          { level: 'error', message: { text: 'This file cannot be analysed: Error' }, locations: [{ physicalLocation: { artifactLocation: { uri: 'b.ts', uriBaseId: '%SRCROOT%' } } }] },
          { level: 'error', message: { text: 'eslint.config.js cannot be used' } },
        ],
      },
    ]);
  });

  it('stays within what GitHub takes: 10 tags, 1024 characters of description, 255 of a name', () => {
    for (const { name, shortDescription, fullDescription, properties } of run([]).tool.driver.rules ?? []) {
      expect((name ?? '').length).toBeLessThanOrEqual(255);
      expect(shortDescription?.text.length).toBeLessThanOrEqual(1024);
      expect(fullDescription?.text.length).toBeLessThanOrEqual(1024);
      expect(properties?.tags?.length).toBeLessThanOrEqual(10);
    }
  });
});
