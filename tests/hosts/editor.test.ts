import { dirname } from 'node:path';
import { projectRequire, root } from '../built.js';
import { folderWith } from '../temporary-folder.js';
import { linkPackages, startEslintServer } from './eslint-server.js';
import type { CodeAction, Diagnostic, LanguageClient } from './language-client.js';

const configuration = `import typescriptParser from '@typescript-eslint/parser';
import advisoryLock from 'eslint-plugin-advisory-lock';
export default [{ files: ['**/*.ts'], languageOptions: { parser: typescriptParser } }, advisoryLock.configs.recommended];
`;

const code = `import type { PoolClient } from 'pg';

export async function read(größe: PoolClient, work: () => Promise<void>): Promise<boolean> {
  await größe.query('SELECT pg_advisory_lock_shared(4201)');
  try {
    await work();
  } finally {
    /* 😀 */ const { rows } = await größe.query('SELECT pg_advisory_unlock(4201) AS ok');
    if (rows[0].ok !== true) größe.release(new Error('not unlocked'));
  }
  return true;
}
`;

const docs = 'https://github.com/eslint-plugin-advisory-lock/eslint-plugin-advisory-lock/blob/main/docs/rules';

/** What the editor underlines. */
function underlined(text: string, { range: { start, end } }: Diagnostic): string {
  expect(end.line).toBe(start.line);
  return text.split(/\r?\n/)[start.line]?.slice(start.character, end.character) ?? '';
}

async function chosen(client: LanguageClient, path: string, diagnostic: Diagnostic, title: string): Promise<CodeAction> {
  const fixes = await client.quickFixes(path, diagnostic);
  const fix = fixes.find((candidate) => candidate.title.startsWith(title));
  if (!fix) throw new Error(`no quick fix "${title}", only: ${fixes.map((candidate) => candidate.title).join('; ')}`);
  return fix;
}

describe.each([
  ['9.39', 'eslint9'],
  ['10', 'eslint'],
])("VS Code's ESLint extension, with ESLint %s", { timeout: 180_000 }, (_, eslint) => {
  let client: LanguageClient;

  beforeAll(async () => {
    const folder = folderWith({
      'package.json': '{}',
      'eslint.config.mjs': configuration,
      'read.ts': code,
      'windows.ts': `\uFEFF${code.replaceAll('\n', '\r\n')}`,
    });
    const folderOf = (name: string): string => dirname(projectRequire.resolve(`${name}/package.json`));
    linkPackages(folder, { eslint: folderOf(eslint), '@typescript-eslint/parser': folderOf('@typescript-eslint/parser'), 'eslint-plugin-advisory-lock': root });
    client = await startEslintServer(folder, projectRequire.resolve);
  }, 60_000);

  afterAll(async () => {
    await client.stop();
  });

  it.each(['read.ts', 'windows.ts'])('underlines findings, explains them, and applies their suggestions: %s', async (path) => {
    const diagnostics = await client.open(path, 'typescript');
    const before = client.textOf(path);
    expect(diagnostics).toMatchObject([
      { source: 'eslint', severity: 1, code: 'advisory-lock/no-mismatched-unlock', codeDescription: { href: `${docs}/no-mismatched-unlock.md` } },
    ]);
    const [diagnostic] = diagnostics;
    if (!diagnostic) throw new Error('nothing was found');
    expect(diagnostic.message).toMatch(/^`pg_advisory_unlock` /);
    expect(underlined(before, diagnostic)).toBe("größe.query('SELECT pg_advisory_unlock(4201) AS ok')");

    const titles = (await client.quickFixes(path, diagnostic)).map(({ title }) => title);
    expect(titles).toEqual(expect.arrayContaining(['Show documentation for advisory-lock/no-mismatched-unlock', 'Disable advisory-lock/no-mismatched-unlock for this line']));

    const after = await client.apply(path, await chosen(client, path, diagnostic, 'Use `pg_advisory_unlock_shared`'));
    expect(client.textOf(path)).toBe(before.replace('pg_advisory_unlock(', 'pg_advisory_unlock_shared('));
    expect(after).toEqual([]);
  });

  it('finds what is typed, while it is typed', async () => {
    const typed = `${client.textOf('read.ts')}\nimport { Pool } from 'pg';\nvoid new Pool().query('SELECT pg_advisory_lock(1)');\n`;
    const [diagnostic] = await client.change('read.ts', typed);
    expect(diagnostic).toMatchObject({ code: 'advisory-lock/no-pool-session-lock' });
    expect(diagnostic && underlined(typed, diagnostic)).toBe("new Pool().query('SELECT pg_advisory_lock(1)')");
    expect(await client.change('read.ts', typed.replace('pg_advisory_lock(1)', 'pg_advisory_loc'))).toEqual([]);
    expect(await client.change('read.ts', typed.slice(0, -4))).toEqual([expect.objectContaining({ message: expect.stringMatching(/^Parsing error/) as string })]);
  });

  it('leaves a finding alone that a comment disables', async () => {
    const text = code.replace('    /* 😀 */', '    // eslint-disable-next-line advisory-lock/no-mismatched-unlock\n    /* 😀 */');
    expect(await client.change('read.ts', text)).toEqual([]);
  });
});
