import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Finding } from './findings.js';
import { oxlint, oxlintFolder, oxlintServer } from './oxlint.js';
import { commandLineOf, fixtures, ownCommand, variantsOf } from './run.js';

/** The findings that all others are compared with; `expected.json` says that they are the right ones. */
let reference: Finding[] = [];
let typedInReference: Finding[] = [];
let ownParserInReference: Finding[] = [];

/** Some of these start several linters at once, on whatever machine. */
const patience = 180_000;

const isJavaScript = ({ file }: Finding): boolean => /\.(?:js|cjs|jsx)$/.test(file);
/** Nothing but types says what this file locks with. */
const isProvedByTypes = ({ file }: Finding): boolean => file === 'source/only-types-tell.ts';

/** oxlint lends plugins no parser for other files: of an imported handle its message says only what holds for every such handle. */
const withoutWhatImportsSay = (finding: Finding): Finding => (/component\.[jt]sx$/.test(finding.file) ? { ...finding, message: '' } : finding);

/** Each suggestion once, whichever findings it is offered for. */
const suggestionsIn = (findings: readonly Finding[]): string[] =>
  [...new Set(findings.flatMap(({ file, suggestions }) => suggestions.map((suggestion) => JSON.stringify({ file, ...suggestion }))))].sort();

beforeAll(async () => {
  ({ untyped: reference, typed: typedInReference, espree: ownParserInReference } = await variantsOf('10', ['espree', 'untyped', 'typed']));
}, patience);

describe('the fixtures', () => {
  const expected = JSON.parse(readFileSync(join(fixtures, 'expected.json'), 'utf8')) as Record<string, string[]>;

  it('have the findings that they are made for', () => {
    const brief: Record<string, string[]> = {};
    for (const { file, line, column, rule } of reference) (brief[file] ??= []).push(`${line}:${column} ${rule}`);
    expect(brief).toEqual(expected);
  });

  it('have suggestions, non-ASCII text, a byte order mark and carriage returns among them', () => {
    const texts = [...new Set(reference.map(({ file }) => file))].map((file) => readFileSync(join(fixtures, file), 'utf8'));
    expect(reference.filter(({ suggestions }) => suggestions.length > 0).length).toBeGreaterThan(5);
    expect(texts.filter((text) => text.startsWith('\uFEFF')).length).toBeGreaterThan(1);
    expect(texts.filter((text) => text.includes('\r\n')).length).toBeGreaterThan(1);
    expect(texts.filter((text) => /[\u{10000}-\u{10FFFF}]/u.test(text)).length).toBeGreaterThan(1);
    expect(texts.filter((text) => text.includes('\u2028')).length).toBeGreaterThan(0);
  });
});

describe('types', () => {
  it('add what only they prove, and change nothing', () => {
    expect(typedInReference.filter(isProvedByTypes).map(({ rule }) => rule)).toEqual(['no-pool-session-lock']);
    expect(typedInReference.filter((finding) => !isProvedByTypes(finding))).toEqual(reference);
  });
});

describe("ESLint's own parser", () => {
  it('gives the same findings in JavaScript', () => {
    expect(ownParserInReference).toEqual(reference.filter(isJavaScript));
  });
});

describe.concurrent('the same findings', { timeout: patience }, () => {
  it.each(['9.15', '9.39'] as const)('in ESLint %s, with both parsers', async (version) => {
    const { espree, untyped } = await variantsOf(version, ['espree', 'untyped']);
    expect(untyped).toEqual(reference);
    expect(espree).toEqual(ownParserInReference);
  });

  it.each(['cjs', 'ts'] as const)('by a configuration in %s', async (format) => {
    expect(await commandLineOf('10', format)).toEqual(reference);
  });

  it('by a configuration in TypeScript, in the oldest ESLint', async () => {
    expect(await commandLineOf('9.15', 'ts')).toEqual(reference);
  });

  it('by a configuration in mjs, in several threads', async () => {
    expect(await commandLineOf('10', 'mjs', ['--concurrency', '2'])).toEqual(reference);
  });

  it("from the plugin's own command", async () => {
    expect(await ownCommand()).toEqual(reference);
  });

  it('from the command of oxlint, without suggestions', async () => {
    const found = await oxlint(oxlintFolder(fixtures));
    expect(found.map(withoutWhatImportsSay)).toEqual(reference.map((finding) => withoutWhatImportsSay({ ...finding, suggestions: [] })));
  });

  it('from the language server of oxlint', async () => {
    const files = [...new Set(reference.map(({ file }) => file))];
    const found = await oxlintServer(oxlintFolder(fixtures), files);
    const bare = (finding: Finding): Finding => withoutWhatImportsSay({ ...finding, suggestions: [] });
    expect(found.map(bare)).toEqual(reference.map(bare));
    expect(suggestionsIn(found)).toEqual(suggestionsIn(reference));
  });
});
