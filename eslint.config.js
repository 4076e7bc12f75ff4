// @ts-check
import { existsSync } from 'node:fs';
import { defineConfig, globalIgnores } from 'eslint/config';
import eslintPlugin from 'eslint-plugin-eslint-plugin';
import tseslint from 'typescript-eslint';

/** The modules that meet values whose type no annotation can know: type assertions are their trade. */
const assertingModules = ['src/pass.ts', 'src/rule.ts', 'src/sql/parser.ts'];

export default defineConfig(
  globalIgnores(['dist/', 'coverage/', 'examples/', '**/fixtures/']),
  {
    name: 'type-checked',
    files: ['**/*.ts'],
    extends: [tseslint.configs.strictTypeChecked, tseslint.configs.stylisticTypeChecked],
    languageOptions: { parserOptions: { projectService: true } },
    rules: {
      // Types must be proved: `as const` alone asserts nothing.
      '@typescript-eslint/consistent-type-assertions': ['error', { assertionStyle: 'never' }],
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
      // Node types are compared with string literals: the enum would be a run-time import.
      '@typescript-eslint/no-unsafe-enum-comparison': 'off',
      // `string | 'all'` tells the reader about a value with a meaning of its own.
      '@typescript-eslint/no-redundant-type-constituents': 'off',
      // The node types are typescript-eslint's; trees of ESLint's own parser lack fields that these promise (`decorators`).
      '@typescript-eslint/no-unnecessary-condition': 'off',
      '@typescript-eslint/no-namespace': ['error', { allowDeclarations: true }],
      // `return visit(child);` in a function that returns nothing ends a case in one line.
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true, ignoreVoidReturningFunctions: true }],
      // Records of functions are the house's objects: none of them has a `this` to lose.
      '@typescript-eslint/unbound-method': 'off',
      '@typescript-eslint/no-empty-function': ['error', { allow: ['methods'] }],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      // `switch (node.type) { case …: return; default: }` and predicates over unions read better as they are.
      '@typescript-eslint/consistent-type-definitions': 'off',
      '@typescript-eslint/prefer-nullish-coalescing': ['error', { ignoreConditionalTests: true, ignorePrimitives: { boolean: true, string: true } }],
      'no-restricted-imports': [
        'error',
        {
          paths: [
            {
              name: '@typescript-eslint/utils',
              allowTypeImports: true,
              message: 'Its import costs 180 ms and loads TypeScript: use it for types only.',
            },
          ],
        },
      ],
      'object-shorthand': 'error',
      'prefer-const': 'error',
      eqeqeq: 'error',
      'no-console': 'error',
    },
  },
  {
    name: 'modules that assert types',
    files: assertingModules,
    rules: { '@typescript-eslint/consistent-type-assertions': ['error', { assertionStyle: 'as' }] },
  },
  {
    name: 'rule modules',
    files: ['src/rule.ts', 'rules/**/*.ts'],
    extends: [eslintPlugin.configs.recommended],
  },
  {
    name: 'tests',
    files: ['tests/**/*.ts'],
    rules: {
      // Test data is written to be wrong, and a matcher's `any` is harmless there.
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-empty-function': 'off',
      '@typescript-eslint/no-misused-spread': 'off',
      '@typescript-eslint/consistent-type-assertions': ['error', { assertionStyle: 'as' }],
    },
  },
  {
    name: 'programs',
    files: ['src/command/**', 'scripts/**', 'bench/**'],
    rules: { 'no-console': 'off' },
  },
  {
    name: 'plain JavaScript',
    files: ['**/*.{js,mjs}'],
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    rules: { 'no-undef': 'off', eqeqeq: 'error', 'prefer-const': 'error' },
  },
  ...(await ownRules()),
);

/** The project keeps its own rules; they are taken as users get them, built. */
async function ownRules() {
  if (!existsSync(new URL('./dist/index.mjs', import.meta.url))) {
    console.warn('eslint.config.js: dist/ is missing, so the rules of this plugin are not applied; run `npm run build`.');
    return [];
  }
  const { default: advisoryLock } = await import('./dist/index.mjs');
  // These do on purpose what the rules warn of, to see what the server makes of it.
  const misuse = ['tests/postgres/facts/**', 'tests/postgres/diagnosing.test.ts'];
  return [{ ...advisoryLock.configs.all, files: ['**/*.{ts,js,mjs}'], ignores: misuse }];
}
