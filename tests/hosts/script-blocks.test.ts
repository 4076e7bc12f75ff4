import { join } from 'node:path';
import * as typescriptParser from '@typescript-eslint/parser';
import * as astroParser from 'astro-eslint-parser';
import { Linter } from 'eslint';
import { Linter as Linter9 } from 'eslint9';
import * as svelteParser from 'svelte-eslint-parser';
import * as vueParser from 'vue-eslint-parser';
import { createPlugin } from '../../src/plugin.js';
import { folderWith } from '../temporary-folder.js';

const plugin = createPlugin();

const code = `import { Pool } from 'pg';

const pool: Pool = new Pool(); /* 😀 größe */

async function run(key: number, work: () => Promise<void>): Promise<void> {
  const client = await pool.connect();
  await client.query('SELECT pg_advisory_lock($1)', [key]);
  await work();
  await client.query('SELECT pg_advisory_unlock_shared($1)', [key]);
  client.release();
}

void run(4201, async () => {});
`;

/** Everything around the script mentions locks as well, and none of it is ours to judge. */
const components: Readonly<Record<string, { parser: Linter.Parser; before: string; after: string }>> = {
  'Component.vue': {
    parser: vueParser,
    before: '<template>\n  <p title="größe 😀" v-if="key">{{ key }} pg_advisory_lock(1)</p>\n</template>\n\n<script lang="ts">\n',
    after: '</script>\n\n<style>\np::after { content: "pg_advisory_lock(1)" }\n</style>\n',
  },
  'Setup.vue': {
    parser: vueParser,
    before: '<script setup lang="ts">\n',
    after: '</script>\n\n<template>\n  <p>{{ pool }}</p>\n</template>\n',
  },
  'Component.svelte': {
    parser: svelteParser,
    before: '<script module lang="ts">\n',
    after: '</script>\n\n<script lang="ts">\n  const { id } = $props();\n</script>\n\n<p title="größe 😀">{#if id}{id}{/if} pg_advisory_lock(1)</p>\n',
  },
  'Component.astro': {
    parser: astroParser,
    before: '---\n',
    after: '---\n\n<p title="größe 😀">{pool.totalCount} pg_advisory_lock(1)</p>\n<style>p { color: red }</style>\n',
  },
};

interface Options {
  readonly parser: Linter.Parser;
  readonly version?: typeof Linter;
}

function lint(text: string, filename: string, { parser, version = Linter }: Options): Linter.LintMessage[] {
  const config: Linter.Config = {
    files: ['**/*.{ts,vue,svelte,astro}'],
    ...plugin.configs.all,
    languageOptions: { parser, parserOptions: { parser: typescriptParser } },
  };
  return new version({ cwd: join(filename, '..') }).verify(text, [config], filename);
}

const seen = ({ ruleId, message, line, column, endLine, endColumn, suggestions = [] }: Linter.LintMessage) => ({
  ruleId,
  message,
  line,
  column,
  endLine,
  endColumn,
  suggestions: suggestions.map(({ desc, fix }) => ({ desc, fix })),
});

/** Messages name lines as well. */
function moved(message: ReturnType<typeof seen>, lines: number, characters: number): ReturnType<typeof seen> {
  return {
    ...message,
    message: message.message.replace(/(?<=\bline )\d+/g, (line) => String(Number(line) + lines)),
    line: message.line + lines,
    endLine: (message.endLine ?? 0) + lines,
    suggestions: message.suggestions.map(({ desc, fix: { range, text } }) => ({
      desc,
      fix: { range: [range[0] + characters, range[1] + characters], text },
    })),
  };
}

describe.each(Object.entries(components))('the script of %s', (name, { parser, before, after }) => {
  const own = lint(code, '/project/script.ts', { parser: typescriptParser }).map(seen);

  it.each([
    ['10', Linter],
    ['9', Linter9 as unknown as typeof Linter],
  ])('has the findings of the same code in a file of its own, where it stands, in ESLint %s', (_, version) => {
    const found = lint(before + code + after, `/project/${name}`, { parser, version }).map(seen);
    expect(own.map(({ ruleId }) => ruleId)).toEqual(expect.arrayContaining(['advisory-lock/require-unlock', 'advisory-lock/no-mismatched-unlock']));
    expect(own.flatMap(({ suggestions }) => suggestions)).not.toEqual([]);
    expect(found).toEqual(own.map((message) => moved(message, before.split('\n').length - 1, before.length)));
  });

  it('knows what it imports', () => {
    const folder = folderWith({ 'store.ts': "import { Pool } from 'pg';\nexport const store = new Pool();\n" });
    const importing = "import { store } from './store.js';\nstore.query('SELECT pg_advisory_lock(1)');\n";
    expect(lint(before + importing + after, join(folder, name), { parser }).map(({ ruleId }) => ruleId)).toEqual(['advisory-lock/no-pool-session-lock']);
  });

  it('may be broken', () => {
    for (const broken of ["const = pg_advisory_lock", "store.query('SELECT pg_advisory_lock(');", '']) {
      expect(() => lint(before + broken + after, `/project/${name}`, { parser })).not.toThrow();
    }
  });
});

describe('the markup around a script', () => {
  const locking = "import { Pool } from 'pg';\nconst pool = new Pool();\nconst answer = await pool.query('SELECT pg_try_advisory_lock(1) AS locked');\n";
  const rulesIn = (text: string, name: string, parser: Linter.Parser): (string | null)[] => lint(text, `/project/${name}`, { parser }).map(({ ruleId }) => ruleId);

  it('may read the answer of a lock', () => {
    const reads = ['advisory-lock/no-pool-session-lock'];
    expect(rulesIn(`<script setup>\n${locking}</script>\n<template>\n  <p v-if="answer.rows[0].locked">mine</p>\n</template>\n`, 'Reads.vue', vueParser)).toEqual(reads);
    expect(rulesIn(`<script>\n${locking}</script>\n{#if answer.rows[0].locked}mine{/if}\n`, 'Reads.svelte', svelteParser)).toEqual(reads);
    expect(rulesIn(`---\n${locking}---\n{answer.rows[0].locked && <p>mine</p>}\n`, 'Reads.astro', astroParser)).toEqual(reads);
  });

  it('is known not to, where the parser says so', () => {
    const ignores = ['advisory-lock/no-ignored-try-lock-result', 'advisory-lock/no-pool-session-lock'];
    expect(rulesIn(`<script>\n${locking}</script>\n<p>mine</p>\n`, 'Ignores.svelte', svelteParser)).toEqual(ignores);
    expect(rulesIn(`---\n${locking}---\n<p>mine</p>\n`, 'Ignores.astro', astroParser)).toEqual(ignores);
  });

  it('may lock by itself', () => {
    const text = `<script>\nimport { Pool } from 'pg';\nconst pool = new Pool();\n</script>\n<p>{#await pool.query('SELECT pg_advisory_lock(4)')}…{/await}</p>\n`;
    expect(lint(text, '/project/Awaits.svelte', { parser: svelteParser }).map(seen)).toMatchObject([{ line: 5, column: 12, endColumn: 52 }]);
  });
});
