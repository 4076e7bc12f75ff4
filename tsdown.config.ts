import { defineConfig } from 'tsdown';

export default defineConfig({
  entry: { index: 'src/index.ts', command: 'src/command/main.ts' },
  format: 'cjs',
  platform: 'node',
  target: 'node20.19',
  dts: { entry: ['src/index.ts'] },
  outDir: 'dist',
  clean: true,
  sourcemap: false,
  hooks: {
    // One plugin object for both module systems: the ESM entry only re-exports the CommonJS one.
    'build:done': async () => {
      const { writeFile } = await import('node:fs/promises');
      const reExport = "export { default } from './index.cjs';\n";
      await writeFile('dist/index.mjs', reExport);
      await writeFile('dist/index.d.mts', reExport);
    },
  },
});
