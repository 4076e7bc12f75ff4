import * as typescriptParser from '@typescript-eslint/parser';
import { Linter, RuleTester, type Rule as EslintRule } from 'eslint';
import type { AdvisoryLockSettings } from '../src/settings.js';
import type { Rule } from '../src/rule.js';

/** Code in which the rule has nothing to report. */
export interface ValidCase {
  readonly name?: string;
  readonly code: string;
  /** Decides the language: `.js` files go to ESLint's own parser alone, `.ts` ones to typescript-eslint alone. */
  readonly filename?: string;
  readonly options?: readonly [object];
  readonly settings?: AdvisoryLockSettings;
  /** The drivers that the case stands for; the rule × driver matrix is made of these. */
  readonly drivers?: readonly [string, ...string[]];
  readonly only?: boolean;
}

export interface ExpectedSuggestion {
  readonly messageId: string;
  readonly data?: Readonly<Record<string, string | number>>;
  readonly output: string;
}

/** Everything a report says; all of the position, and all data that the message has room for. */
export interface ExpectedError {
  readonly messageId: string;
  readonly data?: Readonly<Record<string, string | number>>;
  readonly line: number;
  readonly column: number;
  readonly endLine: number;
  readonly endColumn: number;
  readonly suggestions?: readonly ExpectedSuggestion[];
}

export interface InvalidCase extends ValidCase {
  readonly errors: readonly [ExpectedError, ...ExpectedError[]];
  /** The code after automatic fixes; absent where the rule must not fix. */
  readonly output?: string;
}

/** The drivers that every rule must have a bad and a good case for. */
export const matrixDrivers = ['pg', 'postgres.js', 'prisma', 'drizzle', 'knex', 'kysely', 'typeorm', 'sequelize', 'mysql2'] as const;

export interface RuleCases {
  /** Why there is no bad and good case for a driver; with this field, `{}` included, the rule's row of the matrix is checked. */
  readonly notApplicable?: Readonly<Partial<Record<(typeof matrixDrivers)[number], string>>>;
  readonly valid: readonly (string | ValidCase)[];
  readonly invalid: readonly InvalidCase[];
}

type Language = 'typescript' | 'javascript';

/**
 * Runs the cases through ESLint's RuleTester: under typescript-eslint's parser and, where the code is JavaScript, under
 * ESLint's own as well, since both must give the same findings. Beyond RuleTester it insists that every expected error
 * gives its messageId, data and full position, and that a suggestion cures its report without bringing another.
 */
export function runRuleTests(rule: Rule, cases: RuleCases): void {
  const module = rule.toEslint();
  const valid = cases.valid.map((testCase): ValidCase => (typeof testCase === 'string' ? { code: testCase } : testCase));

  describe(rule.name, () => {
    for (const language of ['typescript', 'javascript'] as const) {
      const speaks = (testCase: ValidCase): boolean => languagesOf(testCase).includes(language);
      const tester = new RuleTester({ languageOptions: languageOptions(language) });
      tester.run(`in ${language}`, module, {
        valid: valid.filter(speaks).map((testCase) => validCase(testCase, language)),
        invalid: cases.invalid.filter(speaks).map((testCase) => ({
          ...validCase(testCase, language),
          errors: testCase.errors.map((error) => expectedError(error)),
          output: testCase.output ?? null,
        })),
      });
    }

    describe('expected errors', () => {
      it.each(cases.invalid.map((testCase) => [titleOf(testCase), testCase] as const))('are complete: %s', (_, testCase) => {
        for (const error of testCase.errors) expect(missingParts(module, error)).toEqual([]);
        for (const language of languagesOf(testCase)) {
          for (const { message } of reportsOf(rule, testCase, testCase.code, language)) expect(message).toMatch(/[.?]$/);
        }
      });
    });

    const { notApplicable } = cases;
    if (notApplicable) {
      it.each(matrixDrivers)('has bad and good code of %s, or a reason to have none', (driver) => {
        const has = (list: readonly ValidCase[]): boolean => list.some(({ drivers }) => drivers?.includes(driver) === true);
        const isCovered = has(cases.invalid) && has(valid);
        expect(isCovered || notApplicable[driver] !== undefined, driver).toBe(true);
        expect(isCovered && notApplicable[driver] !== undefined, `${driver} has cases and a reason`).toBe(false);
      });
    }

    const suggesting = cases.invalid.filter((testCase) => testCase.errors.some((error) => error.suggestions));
    if (suggesting.length === 0) return;
    describe('suggestions', () => {
      it.each(suggesting.map((testCase) => [titleOf(testCase), testCase] as const))('cure: %s', (_, testCase) => {
        expectSuggestionsToCure(rule, testCase);
      });
    });
  });
}

const titleOf = (testCase: ValidCase): string => testCase.name ?? testCase.code;

function languagesOf(testCase: ValidCase): readonly Language[] {
  if (testCase.filename !== undefined) return [/\.[cm]?tsx?$/.test(testCase.filename) ? 'typescript' : 'javascript'];
  return isJavaScript(testCase.code) ? ['typescript', 'javascript'] : ['typescript'];
}

const isJavaScript = (code: string): boolean =>
  new Linter().verify(code, { languageOptions: languageOptions('javascript') }).every((message) => message.fatal !== true);

function languageOptions(language: Language, jsx = false): Linter.LanguageOptions {
  return {
    ecmaVersion: 'latest',
    sourceType: 'module',
    ...(language === 'typescript' && { parser: typescriptParser }),
    parserOptions: { ecmaFeatures: { jsx } },
  };
}

function validCase(testCase: ValidCase, language: Language): RuleTester.ValidTestCase {
  const { name, code, options, settings, only } = testCase;
  const filename = testCase.filename ?? (language === 'typescript' ? 'file.ts' : 'file.js');
  return {
    ...(name !== undefined && { name }),
    code,
    filename,
    ...(options && { options: [...options] }),
    ...(settings && { settings: { 'advisory-lock': settings } }),
    ...(only !== undefined && { only }),
    languageOptions: languageOptions(language, filename.endsWith('x')),
  };
}

function expectedError(error: ExpectedError): RuleTester.TestCaseError {
  const { messageId, line, column, endLine, endColumn } = error;
  return {
    messageId,
    line,
    column,
    endLine,
    endColumn,
    ...(error.data && { data: { ...error.data } }),
    // RuleTester fails when a report has suggestions that a case does not mention.
    ...(error.suggestions && {
      suggestions: error.suggestions.map((suggestion) => ({
        messageId: suggestion.messageId,
        output: suggestion.output,
        ...(suggestion.data && { data: { ...suggestion.data } }),
      })),
    }),
  };
}

/** What an expected error leaves unsaid. Types ask for the position, but tests are run without a type-check. */
function missingParts(module: EslintRule.RuleModule, error: ExpectedError): string[] {
  const positions = ['line', 'column', 'endLine', 'endColumn'] as const;
  const missing: string[] = positions.filter((key) => typeof error[key] !== 'number');
  for (const { messageId, data } of [error, ...(error.suggestions ?? [])]) {
    const message = module.meta?.messages?.[messageId];
    if (message === undefined) missing.push(`messageId (the rule has no message ${messageId})`);
    for (const [, name] of (message ?? '').matchAll(/\{\{\s*(\w+)\s*\}\}/g)) {
      if (name !== undefined && data?.[name] === undefined) missing.push(`data.${name} of ${messageId}`);
    }
  }
  return missing;
}

function expectSuggestionsToCure(rule: Rule, testCase: InvalidCase): void {
  for (const language of languagesOf(testCase)) {
    const before = reportsOf(rule, testCase, testCase.code, language);
    for (const { output } of testCase.errors.flatMap((error) => error.suggestions ?? [])) {
      const after = reportsOf(rule, testCase, output, language);
      expect(after.filter((message) => message.fatal), output).toEqual([]);
      expect(after.length, `reports left in:\n${output}`).toBeLessThan(before.length);
    }
  }
}

function reportsOf(rule: Rule, testCase: ValidCase, code: string, language: Language): Linter.LintMessage[] {
  const { options, settings, filename } = validCase(testCase, language);
  return new Linter().verify(
    code,
    {
      files: ['**/*.{js,mjs,cjs,jsx,ts,mts,cts,tsx}'],
      plugins: { 'advisory-lock': { rules: { [rule.name]: rule.toEslint() } } },
      rules: { [`advisory-lock/${rule.name}`]: ['error', ...(options ?? [])] },
      languageOptions: languageOptions(language, filename?.endsWith('x') ?? false),
      ...(settings && { settings }),
    },
    filename === undefined ? {} : { filename },
  );
}
