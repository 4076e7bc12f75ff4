import * as typescriptParser from '@typescript-eslint/parser';
import { Linter } from 'eslint';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { queries, type Query } from '../../src/facts/queries.js';
import { resultOf, type Unit } from '../../src/pass.js';
import { createRule } from '../../src/rule.js';
import { folderWith } from '../temporary-folder.js';

export interface Project {
  readonly folder: string;
  /** The path of a file, as the analyzer names it. */
  path(file: string): string;
  write(file: string, text: string): void;
  unitOf(file: string, options?: LintOptions): Unit;
  queriesOf(file: string, options?: LintOptions): readonly Query[];
}

export interface LintOptions {
  readonly settings?: Readonly<Record<string, unknown>>;
  readonly languageOptions?: Linter.LanguageOptions;
  /** What the rules see of the run, changed: a host without a parser. */
  readonly change?: (unit: Unit) => Unit;
}

const probed: Unit[] = [];

const probe = createRule({
  name: 'probe',
  summary: 'Hand the unit to the test',
  tier: 'all',
  messages: {},
  requires: [],
  *check(_results, _options, unit) {
    probed.push(unit);
    yield* [];
  },
}).toEslint();

/** A folder of files outside this project; gone when the tests are done. */
export function projectOf(files: Readonly<Record<string, string>>): Project {
  const folder = folderWith(files);
  const write = (file: string, text: string): void => {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), text);
  };
  const unitOf = (file: string, options: LintOptions = {}): Unit => unitIn(folder, file, options);
  return { folder, path: (file) => join(folder, file), write, unitOf, queriesOf: (file, options) => resultOf(queries, unitOf(file, options)) };
}

function unitIn(folder: string, file: string, { settings = {}, languageOptions, change = (unit) => unit }: LintOptions): Unit {
  const isTypeScript = /\.[cm]?tsx?$/.test(file);
  const linter = new Linter({ configType: 'flat', cwd: folder });
  const messages = linter.verify(
    readFileSync(join(folder, file), 'utf8'),
    [
      {
        files: ['**/*.{js,mjs,cjs,ts,tsx}'],
        plugins: { test: { rules: { probe } } },
        rules: { 'test/probe': 'error' },
        settings: { 'advisory-lock': settings },
        languageOptions: { ...(isTypeScript ? { parser: typescriptParser } : {}), ...(file.endsWith('.cjs') ? { sourceType: 'commonjs' } : {}), ...languageOptions },
      },
    ],
    { filename: join(folder, file) },
  );
  const unit = probed.pop();
  if (!unit) throw new Error(`no unit: ${messages.map((message) => message.message).join('; ') || 'the file mentions no lock'}`);
  return change(unit);
}

/** What a test wants to know of the handle that the first lock is sent over. */
export function handleIn(found: readonly Query[]): { role: string; driver: string; assumed: boolean } | null {
  const query = found.find(({ locks }) => locks.length > 0);
  return query ? { role: query.handle.role, driver: query.handle.driver.name, assumed: query.handle.assumed } : null;
}
