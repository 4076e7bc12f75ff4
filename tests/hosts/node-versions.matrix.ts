// What `npm run test:hosts` runs besides the tests: all hosts under all supported versions of Node.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { projectRequire, root } from '../built.js';
import { exampleFolder } from './examples.js';
import { fetched } from './fetched.js';
import type { Finding } from './findings.js';
import { nodeProgram, nodeVersions } from './node-versions.js';
import { oxlint, oxlintFolder } from './oxlint.js';
import { commandLineOf, configFormats, eslintVersions, fixtures, ownCommand, variantsOf } from './run.js';

const variants = ['espree', 'untyped', 'typed'] as const;
let reference: Record<(typeof variants)[number], Finding[]> = { espree: [], untyped: [], typed: [] };

beforeAll(async () => {
  reference = await variantsOf('10', variants);
});

describe.each(nodeVersions)('Node %s', (version) => {
  let node = '';

  beforeAll(() => {
    node = nodeProgram(version);
  }, 600_000);

  it('is that version', () => {
    expect(execFileSync(node, ['--version'], { encoding: 'utf8' })).toMatch(new RegExp(`^v${version}\\.?`));
  });

  it.each(eslintVersions)('lints alike with ESLint %s, with all parsers', async (eslint) => {
    expect(await variantsOf(eslint, variants, { node })).toEqual(reference);
  });

  it.each(eslintVersions.flatMap((eslint) => configFormats.map((format) => [eslint, format] as const)))(
    'lints alike with ESLint %s, by a configuration in %s',
    async (eslint, format) => {
      expect(await commandLineOf(eslint, format, [], { node })).toEqual(reference.untyped);
    },
  );

  it.each(['9.39', '10'] as const)('lints alike with ESLint %s in several threads', async (eslint) => {
    expect(await commandLineOf(eslint, 'mjs', ['--concurrency', '2'], { node })).toEqual(reference.untyped);
  });

  it("runs the plugin's own command", async () => {
    expect(await ownCommand({ node })).toEqual(reference.untyped);
  });

  it('runs oxlint', async () => {
    const found = await oxlint(oxlintFolder(fixtures), { node });
    expect(found.map(({ file, line, column, rule }) => ({ file, line, column, rule }))).toEqual(
      reference.untyped.map(({ file, line, column, rule }) => ({ file, line, column, rule })),
    );
  });

  it('requires the plugin without a warning', () => {
    const code = "const plugin = require('eslint-plugin-advisory-lock'); import('eslint-plugin-advisory-lock').then((imported) => console.log(imported.default === plugin))";
    const [program, ...parameters] = [node, '--throw-deprecation', '--trace-warnings', '-e', code] as const;
    expect(execFileSync(program, parameters, { cwd: root, encoding: 'utf8' })).toBe('true\n');
  });
});

describe('the bad examples of the documentation', () => {
  it('are judged alike by all versions of ESLint', async () => {
    const folder = exampleFolder();
    const newest = await variantsOf('10', variants, { folder });
    for (const eslint of ['9.15', '9.39'] as const) expect(await variantsOf(eslint, variants, { folder }), eslint).toEqual(newest);
  });
});

describe('the oldest parser for TypeScript, with the oldest ESLint', () => {
  const packages = ['@typescript-eslint/parser@8.0.0', 'typescript@5.5.4'];

  it('gives the same findings, with and without types', async () => {
    const parser = join(fetched('oldest-parser', packages), '@typescript-eslint/parser/dist/index.js');
    const expected = { untyped: reference.untyped, typed: reference.typed };
    expect(await variantsOf('9.15', ['untyped', 'typed'], { parser })).toEqual(expected);
    const folder = exampleFolder();
    expect(await variantsOf('9.15', ['untyped', 'typed'], { folder, parser })).toEqual(await variantsOf('10', ['untyped', 'typed'], { folder }));
  });
});

describe('the versions', () => {
  it('are those that the package says it supports', () => {
    const { engines } = projectRequire('./package.json') as { engines: { node: string } };
    expect(engines.node).toBe('^20.19.0 || ^22.13.0 || >=24');
    expect(nodeVersions).toEqual(['20.19.0', '22.13.0', '24.0.0', '26']);
  });
});
