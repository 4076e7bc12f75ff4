import { defineConfig } from 'vitest/config';

const ruleTests = 'tests/rules/**/*.test.ts';
const laboratoryTests = 'tests/postgres/**/*.test.ts';

// Rule tests import `RuleTester` from 'eslint'; the alias lets one run hold them against both supported majors.
export default defineConfig({
  test: {
    pool: 'threads',
    isolate: false,
    globals: true,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    passWithNoTests: true,
    projects: [
      { extends: true, test: { name: 'eslint 10', include: ['tests/**/*.test.ts'], exclude: [laboratoryTests] } },
      { extends: true, test: { name: 'eslint 9', include: [ruleTests], alias: [{ find: /^eslint$/, replacement: 'eslint9' }] } },
      { extends: true, test: { name: 'laboratory', include: [laboratoryTests], globalSetup: ['tests/postgres/shared-servers.ts'] } },
    ],
  },
});
