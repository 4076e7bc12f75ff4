import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { built } from '../built.js';
import { projectWith } from '../command/in-project.js';
import { parseSarif } from './sarif-schema.js';

const bad = `import { Pool } from 'pg';
const pool = new Pool();
export const take = () => pool.query('SELECT /* é😀 */ pg_advisory_lock(1)');
`;
const limited = `export const claim = (client) => client.query('SELECT pg_advisory_xact_lock(id) FROM jobs LIMIT 5');
`;

function project(eslint: string): string {
  built('index.cjs');
  const packages = { eslint, 'eslint-plugin-advisory-lock': 'eslint-plugin-advisory-lock' };
  const formatters = ['@microsoft/eslint-formatter-sarif', 'eslint-formatter-rdjson'];
  return projectWith(
    { ...packages, ...Object.fromEntries(formatters.map((name) => [name, name])) },
    {
      'eslint.config.mjs': `import advisoryLock from 'eslint-plugin-advisory-lock';
        export default [advisoryLock.configs.recommended];`,
      'src/a.mjs': bad,
      'src/b.mjs': limited,
    },
  );
}

function lint(folder: string, ...parameters: string[]): { status: number | null; stdout: string; stderr: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(folder, 'node_modules/eslint/bin/eslint.js'), ...parameters, 'src'], { cwd: folder, encoding: 'utf8', input: '' });
  return { status, stdout, stderr };
}

describe.each(['eslint', 'eslint9'])("ESLint's own formatters work on the reports: %s", (eslint) => {
  const folder = project(eslint);

  it('@microsoft/eslint-formatter-sarif', () => {
    const { status, stdout, stderr } = lint(folder, '--format', '@microsoft/eslint-formatter-sarif');
    expect({ status, stderr }).toEqual({ status: 1, stderr: '' });
    const [run] = parseSarif(stdout).runs;
    expect(run?.results?.map(({ ruleId }) => ruleId)).toEqual(['advisory-lock/no-pool-session-lock', 'advisory-lock/no-lock-with-limit']);
    for (const { ruleIndex = -1, ruleId, locations } of run?.results ?? []) {
      const rule = run?.tool.driver.rules?.[ruleIndex];
      expect(rule?.id).toBe(ruleId);
      expect(rule?.helpUri).toMatch(/^https:.*\.md$/);
      expect(rule?.shortDescription?.text).toMatch(/^Disallow/);
      expect(locations?.[0]?.physicalLocation?.region).toMatchObject({ startLine: expect.any(Number), endColumn: expect.any(Number) });
    }
  });

  it('eslint-formatter-rdjson', () => {
    const { status, stdout, stderr } = lint(folder, '--format', 'rdjson');
    expect({ status, stderr }).toEqual({ status: 1, stderr: '' });
    const { diagnostics } = JSON.parse(stdout) as { diagnostics: { location: { path: string }; code: { value: string; url: string } }[] };
    expect(diagnostics).toMatchObject([
      { severity: 'ERROR', location: { path: join(folder, 'src/a.mjs'), range: { start: { line: 3 } } }, code: { value: 'advisory-lock/no-pool-session-lock', url: expect.stringMatching(/^https:.*\.md$/) } },
      { severity: 'ERROR', location: { path: join(folder, 'src/b.mjs'), range: { start: { line: 1 } } }, code: { value: 'advisory-lock/no-lock-with-limit' } },
    ]);
  });
});

describe("ESLint's bulk suppressions work on the rules", () => {
  const folder = project('eslint');

  it('what is suppressed stays silent, and what is new speaks', () => {
    expect(lint(folder).status).toBe(1);
    expect(lint(folder, '--suppress-all')).toEqual({ status: 0, stdout: '', stderr: '' });
    expect(JSON.parse(readFileSync(join(folder, 'eslint-suppressions.json'), 'utf8'))).toEqual({
      'src/a.mjs': { 'advisory-lock/no-pool-session-lock': { count: 1 } },
      'src/b.mjs': { 'advisory-lock/no-lock-with-limit': { count: 1 } },
    });
    expect(lint(folder)).toEqual({ status: 0, stdout: '', stderr: '' });

    writeFileSync(join(folder, 'src/a.mjs'), bad + limited);
    const { status, stdout } = lint(folder, '--format', 'json');
    expect(status).toBe(1);
    const found = JSON.parse(stdout) as { messages: { ruleId: string }[]; suppressedMessages: { ruleId: string }[] }[];
    expect(found.map(({ messages }) => messages.map(({ ruleId }) => ruleId))).toEqual([['advisory-lock/no-lock-with-limit'], []]);
    expect(found.map(({ suppressedMessages }) => suppressedMessages.map(({ ruleId }) => ruleId))).toEqual([['advisory-lock/no-pool-session-lock'], ['advisory-lock/no-lock-with-limit']]);
  });

  it('what is cured is pruned', () => {
    writeFileSync(join(folder, 'src/a.mjs'), 'export {};\n');
    writeFileSync(join(folder, 'src/b.mjs'), limited);
    expect(lint(folder)).toMatchObject({ status: 2, stderr: expect.stringMatching(/suppressions/) });
    expect(lint(folder, '--prune-suppressions').status).toBe(0);
    expect(JSON.parse(readFileSync(join(folder, 'eslint-suppressions.json'), 'utf8'))).not.toHaveProperty(['src/a.mjs']);
    expect(existsSync(join(folder, 'eslint-suppressions.json'))).toBe(true);
  });
});
