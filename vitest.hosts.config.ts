import { defineConfig } from 'vitest/config';

// Every host under every supported version of Node: `npm run test:hosts`.
export default defineConfig({
  test: {
    pool: 'threads',
    globals: true,
    testTimeout: 180_000,
    hookTimeout: 180_000,
    include: ['tests/hosts/**/*.{test,matrix}.ts'],
  },
});
