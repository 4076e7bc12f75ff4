import { defineConfig } from 'vitest/config';

// Every host under every supported version of Node: `npm run test:hosts`.
export default defineConfig({
  test: {
    pool: 'threads',
    globals: true,
    testTimeout: 600_000,
    hookTimeout: 600_000,
    include: ['tests/hosts/**/*.{test,matrix}.ts'],
  },
});
