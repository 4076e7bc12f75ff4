import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    pool: 'threads',
    isolate: false,
    globals: true,
    testTimeout: 60_000,
    include: ['tests/**/*.test.ts'],
  },
});
