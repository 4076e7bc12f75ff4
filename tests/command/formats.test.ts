import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Result } from 'sarif';
import { parseSarif } from '../formats/sarif-schema.js';
import { execute } from './execute.js';
import { folderWith } from '../temporary-folder.js';

const leak = `import { Pool } from 'pg';
const pool = new Pool();
export class Jobs {
  async run(work) {
    const client = await pool.connect();
    try {
      await client.query('SELECT pg_advisory_lock(4201)');
      await work();
      await client.query('SELECT pg_advisory_unlock(4201)');
    } finally {
      client.release();
    }
  }
}
`;

/** With a class of the same name twice, the same mistakes twice. */
const twice = `import { Pool } from 'pg';
const pool = new Pool();
export async function take() {
  await pool.query('SELECT pg_advisory_lock(1)');
  await pool.query('SELECT pg_advisory_lock(1)');
}
`;

async function sarifResults(folder: string, ...commandLine: string[]): Promise<Result[]> {
  const { stdout } = await execute(folder, '--format', 'sarif', ...commandLine);
  return parseSarif(stdout).runs.flatMap(({ results }) => results ?? []);
}

const fingerprints = (results: readonly Result[]): unknown[] => results.map(({ partialFingerprints }) => partialFingerprints?.['advisoryLock/v1']);

describe('the command prints SARIF', () => {
  it('with the way to each finding, its function, and its rule described with its page', async () => {
    const folder = folderWith({ 'src/jobs.mjs': leak });
    const { stdout, status, stderr } = await execute(folder, '--format', 'sarif', '--preset', 'all');
    expect({ status, stderr }).toEqual({ status: 1, stderr: '' });
    const [run] = parseSarif(stdout).runs;
    const rules = run?.tool.driver.rules ?? [];
    expect(rules.length).toBeGreaterThan(25);
    for (const { help, helpUri } of rules) {
      expect(help?.markdown).toContain('## What goes wrong');
      expect(help?.markdown).not.toMatch(/\]\((?!https:|#)|<!--/);
      expect(helpUri).toMatch(/^https:.*\.md$/);
    }
    const result = run?.results?.find(({ codeFlows }) => codeFlows);
    expect(rules[result?.ruleIndex ?? -1]?.id).toBe(result?.ruleId);
    expect(result?.locations?.[0]?.logicalLocations).toEqual([{ fullyQualifiedName: 'Jobs.run', kind: 'function' }]);
    expect(result?.locations?.[0]?.physicalLocation?.artifactLocation).toEqual({ uri: 'src/jobs.mjs', uriBaseId: '%SRCROOT%' });
    const steps = result?.codeFlows?.[0]?.threadFlows[0]?.locations ?? [];
    expect(steps.map(({ location }) => [location?.physicalLocation?.region?.startLine, location?.message?.text])).toEqual([
      [7, '`pg_advisory_lock` is taken on line 7'],
      [8, '`work` on line 8 throws'],
      [11, '`client.release` on line 11 gives the connection back'],
    ]);
  });

  it('with paths from the root of the repository', async () => {
    const folder = folderWith({ 'packages/app/src/jobs.mjs': leak });
    mkdirSync(join(folder, '.git'));
    const [result] = await sarifResults(join(folder, 'packages/app'));
    expect(result?.locations?.[0]?.physicalLocation?.artifactLocation?.uri).toBe('packages/app/src/jobs.mjs');
  });

  it('with fingerprints that tell equal findings apart, and outlive changes of other lines', async () => {
    const before = await sarifResults(folderWith({ 'a.mjs': twice }));
    expect(new Set(fingerprints(before)).size).toBe(before.length);
    expect(before.length).toBeGreaterThan(1);
    const moved = `// A comment.\n\n${twice.replace('export async', 'const other = 1;\nexport async').replaceAll(' await pool', '   await   pool')}\nfunction last() {}\n`;
    expect(fingerprints(await sarifResults(folderWith({ 'a.mjs': moved })))).toEqual(fingerprints(before));
    expect(fingerprints(await sarifResults(folderWith({ 'a.mjs': twice.replace('take', 'grab') })))).not.toEqual(fingerprints(before));
  });

  it('with what comments turn off only when asked', async () => {
    const off = twice.replace('  await', '  // eslint-disable-next-line advisory-lock/no-pool-session-lock -- kept for the test\n  await');
    const folder = folderWith({ 'a.mjs': off });
    expect(await sarifResults(folder)).toHaveLength(1);
    const all = await sarifResults(folder, '--include-suppressed');
    expect(all.map(({ suppressions }) => suppressions)).toEqual([[{ kind: 'inSource', justification: 'kept for the test' }], []]);
  });

  it('with what failed', async () => {
    const { stdout, status } = await execute(folderWith({ 'a.mjs': '/* advisory */ const = 1;' }), '--format', 'sarif');
    expect(status).toBe(2);
    expect(parseSarif(stdout).runs[0]?.invocations).toMatchObject([
      { executionSuccessful: false, exitCode: 2, toolExecutionNotifications: [{ locations: [{ physicalLocation: { artifactLocation: { uri: 'a.mjs' } } }] }] },
    ]);
  });

  it('of SQL files', async () => {
    const [result] = await sarifResults(folderWith({ 'a.sql': 'SELECT pg_advisory_xact_lock(id) FROM jobs LIMIT 5;\n' }));
    expect(result).toMatchObject({ ruleId: 'advisory-lock/no-lock-with-limit', partialFingerprints: { 'advisoryLock/v1': expect.stringMatching(/:1$/) } });
    expect(result?.locations?.[0]).not.toHaveProperty('logicalLocations');
  });
});

describe('edits that cure a finding', () => {
  /** On lines that ESLint counts otherwise, after characters of several bytes and units, with a byte order mark and Windows line breaks. */
  const awkward = `\uFEFF/* é€😀\u2028 */ export const claim = (client) => client.query(\`SELECT pg_advisory_xact_lock(id) FROM jobs\r\n  ORDER BY id\r\n  LIMIT 5\`);\r\n// last\r\n`;
  const folder = folderWith({ 'a.mjs': awkward });

  async function cured(): Promise<string> {
    const { stdout } = await execute(folder, '--format', 'json');
    const [{ messages: [message] = [] } = {}] = JSON.parse(stdout) as { messages?: { suggestions: { fix: { range: [number, number]; text: string } }[] }[] }[];
    const { range: [start, end], text } = message?.suggestions[0]?.fix ?? { range: [0, 0], text: '' };
    const code = awkward.slice(1);
    return `\uFEFF${code.slice(0, start)}${text}${code.slice(end)}`;
  }

  it('are the same in SARIF', async () => {
    const [result] = await sarifResults(folder);
    const { deletedRegion, insertedContent } = result?.fixes?.[0]?.artifactChanges[0]?.replacements[0] ?? {};
    const lines = awkward.slice(1).split(/(?<=\n)/);
    const offset = (line = 0, column = 0): number => lines.slice(0, line - 1).join('').length + column - 1;
    const [start, end] = [offset(deletedRegion?.startLine, deletedRegion?.startColumn), offset(deletedRegion?.endLine, deletedRegion?.endColumn)];
    const code = awkward.slice(1);
    expect(`\uFEFF${code.slice(0, start)}${insertedContent?.text ?? ''}${code.slice(end)}`).toBe(await cured());
  });

  it('are the same in rdjson, by bytes', async () => {
    const { stdout } = await execute(folder, '--format', 'rdjson');
    type Position = { line: number; column: number };
    const { diagnostics } = JSON.parse(stdout) as { diagnostics: { suggestions: { range: { start: Position; end: Position }; text: string }[] }[] };
    const bytes = Buffer.from(awkward);
    const lines = awkward.split(/(?<=\n)/);
    const offset = ({ line, column }: Position): number => Buffer.byteLength(lines.slice(0, line - 1).join('')) + column - 1;
    const { range, text } = diagnostics[0]?.suggestions[0] ?? { range: { start: { line: 1, column: 1 }, end: { line: 1, column: 1 } }, text: '' };
    expect(Buffer.concat([bytes.subarray(0, offset(range.start)), Buffer.from(text), bytes.subarray(offset(range.end))]).toString()).toBe(await cured());
  });
});

describe('JSON', () => {
  it('tells what is suppressed only when asked, as ESLint does', async () => {
    const folder = folderWith({ 'a.mjs': twice.replaceAll("lock(1)');", "lock(1)'); // eslint-disable-line -- known") });
    expect((await execute(folder, '--format', 'json')).stdout).toBe('[]\n');
    const { stdout, status } = await execute(folder, '--format', 'json', '--include-suppressed');
    expect(status).toBe(0);
    const [file] = JSON.parse(stdout) as { messages: unknown[]; suppressedMessages: { suppressions: unknown }[] }[];
    expect(file?.messages).toEqual([]);
    expect(file?.suppressedMessages.map(({ suppressions }) => suppressions)).toEqual([[{ kind: 'directive', justification: 'known' }], [{ kind: 'directive', justification: 'known' }]]);
  });

  it('is what JSON.stringify would make of it', async () => {
    const { stdout } = await execute(folderWith({ 'a.mjs': twice, 'b.mjs': leak }), '--format', 'json');
    expect(stdout).toBe(`${JSON.stringify(JSON.parse(stdout), null, 2)}\n`);
  });
});

describe('scopes in reports', () => {
  it.each([
    ['async function take() { LOCK }', 'take'],
    ['const take = async () => { LOCK };', 'take'],
    ['class Queue { async take() { LOCK } }', 'Queue.take'],
    ['class Queue { #take = async () => { LOCK }; }', 'Queue.#take'],
    ['const queue = { take: async () => { LOCK } };', 'take'],
    ['exports.take = async () => { LOCK };', 'take'],
    ['const Queue = class { static async take() { [1].map(async () => { LOCK }); } };', 'Queue.take'],
    ['async function outer() { async function inner() { LOCK } }', 'outer.inner'],
    ['setInterval(async () => { LOCK }, 1);', undefined],
  ])('are the names around a finding: %s', async (code, expected) => {
    const lock = `await pool.query('SELECT pg_advisory_lock(1)');`;
    const [result] = await sarifResults(folderWith({ 'a.mjs': `import { Pool } from 'pg';\nconst pool = new Pool();\n${code.replace('LOCK', lock)}` }));
    expect(result?.locations?.[0]?.logicalLocations?.[0]?.fullyQualifiedName).toBe(expected);
  });
});
