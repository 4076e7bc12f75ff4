import { join } from 'node:path';
import * as parser from '@typescript-eslint/parser';
import { Linter } from 'eslint';
import type { Unit } from '../src/pass.js';
import { createRule } from '../src/rule.js';

export interface HarnessOptions {
  readonly filename?: string;
  readonly settings?: Readonly<Record<string, unknown>>;
  /** Parse with ESLint's own parser, as plain JavaScript. */
  readonly javascript?: boolean;
  /** Parse with types: the folder of a `tsconfig.json` that includes `filename`, which must exist there. */
  readonly project?: string;
}

/** Gives the unit that a rule would see for this code. The code must mention a lock. Throws when it does not parse. */
export function unitFor(code: string, options: HarnessOptions = {}): Unit {
  const units: Unit[] = [];
  const probe = createRule({
    name: 'probe',
    summary: 'Hand the unit to the test',
    tier: 'all',
    messages: {},
    requires: [],
    *check(_results, _options, unit) {
      units.push(unit);
      yield* [];
    },
  });
  const { project, javascript } = options;
  // Under CI=true the parser would take the first text of a file for its only one.
  const parserOptions = project === undefined ? {} : { project: './tsconfig.json', tsconfigRootDir: project, disallowAutomaticSingleRunInference: true };
  const linter = new Linter({ configType: 'flat', ...(project !== undefined && { cwd: project }) });
  const messages = linter.verify(
    code,
    [
      {
        files: ['**/*.{ts,tsx,js}'],
        languageOptions: javascript ? { sourceType: 'module' } : { parser, sourceType: 'module', parserOptions },
        plugins: { test: { rules: { probe: probe.toEslint() } } },
        rules: { 'test/probe': 'error' },
        settings: { 'advisory-lock': options.settings ?? {} },
      },
    ],
    { filename: project === undefined ? (options.filename ?? 'test.ts') : join(project, options.filename ?? 'test.ts') },
  );
  const [unit] = units;
  if (!unit) throw new Error(`no unit: ${messages.map((message) => message.message).join('; ') || 'the code mentions no lock'}`);
  return unit;
}
